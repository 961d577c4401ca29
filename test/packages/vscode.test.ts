import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { parseFragment } from 'parse5';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findProgram, findProject, notFound } from '../../editors/vscode/src/program.ts';
import { COMPARE } from '../../src/editor/plan-marks.ts';
import { ROOT } from '../support/sandbox.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

const work = mkdtempSync(join(tmpdir(), 'gwconf-vscode-'));
let texts: ReadonlyMap<string, string>;
beforeAll(() => {
  for (const name of ['one', 'two'])
    execFileSync(process.execPath, [join(ROOT, 'scripts/pack-vscode.mjs'), join(work, `${name}.vsix`)]);
  const files = unzipSync(readFileSync(join(work, 'one.vsix')));
  texts = new Map(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString()]));
});
afterAll(() => {
  rmSync(work, { recursive: true });
});

it('packs the same file each time, of what VS Code loads and nothing else', () => {
  const [one, two] = ['one', 'two'].map((name) => readFileSync(join(work, `${name}.vsix`)));
  expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true);
  expect([...texts.keys()].sort()).toEqual([
    '[Content_Types].xml',
    'extension.vsixmanifest',
    'extension/LICENSE.txt',
    'extension/LICENSES.txt',
    'extension/README.md',
    'extension/dist/extension.cjs',
    'extension/package.json',
  ]);
});

it('has the version of gwconf, and an entry that is there', () => {
  const about = JSON.parse(texts.get('extension/package.json') ?? '') as {
    readonly main: string;
    readonly version: string;
  };
  expect(about.version).toBe(version);
  expect(texts.has(join('extension', about.main))).toBe(true);
  const manifest = texts.get('extension.vsixmanifest') ?? '';
  expect(manifest).toContain(`Id="gwconf" Version="${version}" Publisher="gwconf"`);
  expect(parseFragment(manifest).childNodes.length).toBeGreaterThan(0);
  const assets = [...manifest.matchAll(/Path="(.*?)"/g)].map(([, path = '']) => path);
  expect(assets.filter((path) => !texts.has(path))).toEqual([]);
});

it('says what it does in a folder that is not trusted, and takes no settings of it that name programs or files', () => {
  const { capabilities, contributes } = JSON.parse(texts.get('extension/package.json') ?? '') as {
    readonly capabilities: {
      readonly untrustedWorkspaces: {
        readonly supported: string;
        readonly restrictedConfigurations: string[];
      };
    };
    readonly contributes: { readonly configuration: { readonly properties: object } };
  };
  expect(capabilities.untrustedWorkspaces.supported).toBe('limited');
  expect(capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual(
    Object.keys(contributes.configuration.properties),
  );
});

it('needs nothing but VS Code and Node.js when it is loaded', () => {
  const code = texts.get('extension/dist/extension.cjs') ?? '';
  const required = [...code.matchAll(/\brequire\("([^".][^"]*)"\)/g)].map(([, name = '']) => name);
  expect(required).toContain('vscode');
  const builtin = new Set([...process.getBuiltinModule('module').builtinModules, 'vscode']);
  expect(required.filter((name) => !builtin.has(name.replace(/^node:/, '')))).toEqual([]);
});

it('has a handler for each command that it offers, and for that of lenses', () => {
  const { contributes } = JSON.parse(texts.get('extension/package.json') ?? '') as {
    readonly contributes: { readonly commands: readonly { readonly command: string }[] };
  };
  const offered = contributes.commands.map(({ command }) => command);
  const code = texts.get('extension/dist/extension.cjs') ?? '';
  const handled = [...code.matchAll(/registerCommand\("(gwconf\.\w+)"/g)].map(([, name = '']) => name);
  expect(offered).toContain(COMPARE);
  expect(handled.sort()).toEqual([...offered].sort());
});

it('starts the program of a folder only if the folder is trusted, and else that of PATH', () => {
  const folder = join(work, 'repo/infra');
  write('repo/infra/gwconf.yaml', '');
  for (const path of ['repo/node_modules/.bin', 'repo/infra', 'node_modules/.bin', 'bin'])
    write(`${path}/gwconf`, '');
  const inRepo = join(work, 'repo/node_modules/.bin/gwconf');
  const onPath = join(work, 'bin/gwconf');
  const wanted = {
    ...{ path: '', folder, workspace: join(work, 'repo'), isTrusted: false, isWindows: false },
    searchPath: ['', '.', 'relative', join(work, 'bin')].join(delimiter),
  };
  expect(findProgram(wanted)).toBe(onPath);
  expect(findProgram({ ...wanted, isTrusted: true })).toBe(inRepo);
  expect(findProgram({ ...wanted, isTrusted: true, workspace: folder })).toBe(onPath);
  expect(findProgram({ ...wanted, searchPath: '.' })).toBeUndefined();
  expect(findProgram({ ...wanted, path: './gwconf' })).toBeUndefined();
  expect(findProgram({ ...wanted, path: './gwconf', isTrusted: true })).toBe(join(folder, 'gwconf'));
  expect(findProgram({ ...wanted, path: onPath })).toBe(onPath);
  expect(findProject(join(folder, 'deeper/down'))).toBe(folder);
  expect(notFound({ ...wanted, path: 'none' })).toBe(
    `The setting gwconf.path names none, which is used once you trust ${folder}.`,
  );
  expect(notFound({ ...wanted, path: 'none', isTrusted: true })).toBe(
    `The setting gwconf.path names ${join(folder, 'none')}, which is not there.`,
  );
  expect(notFound(wanted)).toMatch(/^gwconf was not found for .*Trust this folder/);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), text);
}
