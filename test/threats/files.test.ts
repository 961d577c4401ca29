import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCompiled } from '../../src/cli/host/compiled.ts';
import { fileOf } from '../../src/declare/declared.ts';
import type { Address } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { openSecretsFile } from '../../src/workflow/write-file.ts';
import { findForeign } from '../../src/host/git-ignore.ts';
import { nodeHost } from '../../src/host/node-host.ts';
import { isOfAnother, requireOwnLinks } from '../../src/host/paths.ts';
import { writePrivately, type Disk } from '../../src/host/write-files.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { makeWorld, type Ran, type World, inFormats } from '../support/cli.ts';
import { cluster, projectOf } from '../support/documents.ts';
import { runHere } from '../support/in-process.ts';
import { shell } from '../support/process.ts';
import { isSoak, someOf } from '../support/soak.ts';

const CANARY = 'canary-of-the-job-9f2c';
/** Windows has neither owners nor modes. */
const HAS_MODES = process.getuid !== undefined;

/** A project file with one environment. */
const project = (environment: string): string => projectOf({ e: environment });

/** A world with a git work tree, and a folder beside it that a job would not want to be read or written. */
function attacked(environment = 'gateway: { url: "embedded:" }, files: [a.yaml]'): {
  readonly world: World;
  readonly outside: World;
} {
  const outside = makeWorld({ creds: `https://bot:${CANARY}@git.example\n`, 'more/b.yaml': cluster('b') });
  const world = makeWorld({
    'gwconf.yaml': project(environment.replaceAll('OUTSIDE', `../${basename(outside.folder)}`)),
    'a.yaml': cluster('a'),
    '.git/config': `[http]\n\textraheader = AUTHORIZATION: basic ${CANARY}\n`,
  });
  return { world, outside };
}

const link = (world: World, path: string, to: string): void => fs.symlinkSync(to, join(world.folder, path));
const pipe = (world: World, path: string): void =>
  void spawnSync('mkfifo', [join(world.folder, path)], { stdio: 'ignore' });
const modeOf = (world: World, path: string): string =>
  (fs.statSync(join(world.folder, path)).mode & 0o777).toString(8);

function expectRefused({ code, out, err }: Ran, why: string | RegExp): void {
  expect(`${out}${err}`).not.toContain(CANARY);
  if (typeof why === 'string') expect(err).toContain(why);
  else expect(err).toMatch(why);
  expect([1, 64]).toContain(code);
}

describe('threat: author: paths that a project names', () => {
  it.each([
    'OUTSIDE/creds',
    'OUTSIDE/more',
    'OUTSIDE/gone',
    '/proc/self/environ',
    '/dev/zero',
    '../../../../../../../../../../proc/self/environ',
    '../../../../../../../../../../dev/zero',
    'file-link',
    'folder-link',
    'folder-link/creds',
    'root-link/proc/self/environ',
    'zero',
    'dead-link',
    'link-to-dead-link',
  ])('files outside of the project are not read', async (path) => {
    const { world, outside } = attacked(`gateway: { url: "embedded:" }, files: [${path}]`);
    link(world, 'file-link', join(outside.folder, 'creds'));
    link(world, 'folder-link', outside.folder);
    link(world, 'root-link', '/');
    link(world, 'zero', '/dev/zero');
    link(world, 'dead-link', join(outside.folder, 'gone'));
    link(world, 'link-to-dead-link', 'dead-link');
    for (const command of ['validate', 'plan']) {
      const ran = await world.run(command);
      expectRefused(
        ran,
        /error\[unreadable-file\]: \S+ cannot be read: it (lies outside|is a link out) of the project/,
      );
      expect(ran.err).toContain('= put it into the git work tree');
      expect(ran.err.match(/error\[/g)).toHaveLength(1);
    }
  });

  it('a link does not tell whether there is a file', async () => {
    const { world, outside } = attacked();
    const said = new Set<string>();
    for (const target of ['creds', 'gone', 'gone/creds', 'creds/gone']) {
      fs.rmSync(join(world.folder, 'probe'), { force: true });
      link(world, 'probe', join(outside.folder, target));
      for (const path of ['probe', 'probe/in']) {
        world.write('a.yaml', cluster('a', `{ bootstrapServers: "\${file:${path}}" }`));
        const { code, out, err } = await world.run('plan');
        expect(code).toBe(1);
        said.add(`${out}${err}`.replaceAll('probe/in', 'probe'));
      }
    }
    expect([...said]).toEqual([expect.stringContaining('it is a link out of the project')]);
  });

  it('links in a folder lead out of it only within the project', async () => {
    const { world, outside } = attacked('gateway: { url: "embedded:" }, files: [d]');
    world.write('d/a.yaml', cluster('d'));
    world.write('shared/c.yaml', cluster('c'));
    link(world, 'd/shared', '../shared');
    expect((await world.run('validate')).out).toContain('Valid: 2 resources');
    link(world, 'd/b.yaml', join(outside.folder, 'more/b.yaml'));
    link(world, 'd/everything', '/');
    for (const paths of [[], ['d'], ['-f', 'd']]) {
      const ran = await world.run('validate', ...paths);
      expectRefused(ran, 'd/b.yaml cannot be read: it is a link out of the project');
      expectRefused(ran, 'd/everything cannot be read: it is a link out of the project');
    }
  });

  it.each(['.git/config', '.git', 'config-link', 'git-link', 'git-link/config'])(
    'nothing in .git is read',
    async (path) => {
      const { world } = attacked(`gateway: { url: "embedded:" }, files: [${path}]`);
      link(world, 'config-link', '.git/config');
      link(world, 'git-link', '.git');
      expectRefused(await world.run('validate'), `${path} cannot be read: it lies in .git`);
      world.write(
        'm.yaml',
        `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: m }\nspec: { physicalName: "\${file:${path}}" }\n`,
      );
      expectRefused(
        await world.run('plan', 'm.yaml'),
        `the secret file ${path} cannot be read: it lies in .git`,
      );
    },
  );

  it('a dash among the files of a project is a file', async () => {
    const { world } = attacked('gateway: { url: "embedded:" }, files: ["-"]');
    expectRefused(
      await world.runWith({ stdin: cluster('piped') }, 'validate'),
      '- cannot be read: no such file',
    );
  });

  it.each(['ca', 'cert', 'key'])('certificates and keys lie in the project', async (setting) => {
    for (const path of [
      'OUTSIDE/creds',
      '/proc/self/environ',
      '.git/config',
      'zero',
      'pipe',
      'file-link',
      '../../../../../../dev/zero',
    ]) {
      const { world, outside } = attacked(
        `gateway: { url: "https://127.0.0.1:1", ${setting}: ${path} }, files: [a.yaml]`,
      );
      link(world, 'file-link', join(outside.folder, 'creds'));
      link(world, 'zero', '/dev/zero');
      pipe(world, 'pipe');
      expectRefused(
        await world.run('plan'),
        /cannot be read: it (lies outside|is a link out|lies in \.git|is not a file)/,
      );
    }
  });

  it('the state of an embedded gateway lies in the project', async () => {
    for (const path of [
      'OUTSIDE/state.json',
      '/dev/zero',
      'OUTSIDE/creds',
      'folder-link/new.json',
      '.git/state.json',
      'zero',
      'pipe',
    ]) {
      const { world, outside } = attacked(`gateway: { url: "embedded:${path}" }, files: [a.yaml]`);
      link(world, 'folder-link', outside.folder);
      link(world, 'zero', '/dev/zero');
      pipe(world, 'pipe');
      expectRefused(
        await world.run('apply', '--auto-approve'),
        /the state file \S+ cannot be read: it (lies outside|is a link out|lies in \.git|is not a file)/,
      );
      expect(fs.readdirSync(outside.folder).sort()).toEqual(['creds', 'more']);
      expect(world.has('.git/state.json')).toBe(false);
    }
  });

  it.each(['creds', '/dev/zero', '/proc/self/environ', '/'])(
    'a gwconf.yaml that links out of the project is not read',
    async (target) => {
      const { world, outside } = attacked();
      fs.rmSync(join(world.folder, 'gwconf.yaml'));
      link(world, 'gwconf.yaml', join(target.startsWith('/') ? '/' : outside.folder, target));
      expectRefused(
        await world.run('validate'),
        'gwconf.yaml cannot be read: it is a link out of the project',
      );
    },
  );

  it('a pipe in the project does not stall', async () => {
    for (const path of ['gwconf.yaml', 'a.yaml']) {
      const { world } = attacked();
      fs.rmSync(join(world.folder, path));
      pipe(world, path);
      expectRefused(await world.run('validate'), `${path} cannot be read: it is not a file`);
    }
  });

  it('what a user names may be anywhere', async () => {
    const { world, outside } = attacked();
    expect((await world.run('validate', join(outside.folder, 'more'))).code).toBe(0);
    expect((await world.run('validate', '-f', join(outside.folder, 'more/b.yaml'))).code).toBe(0);
    link(world, 'file-link', join(outside.folder, 'more/b.yaml'));
    expect((await world.run('validate', '-f', 'file-link')).code).toBe(0);
  });

  it('a project in a git work tree names files of all of it, and nothing beside it', async () => {
    const beside = makeWorld({ 'b.yaml': cluster('beside') });
    const path = `../../${basename(beside.folder)}/b.yaml`;
    const world = makeWorld({
      '.git/config': '',
      'shared/c.yaml': cluster('c'),
      'service/d/d.yaml': cluster('d'),
      'service/gwconf.yaml': project('files: [d, ../shared]'),
      'service/out/gwconf.yaml': project(`files: [../../../${basename(beside.folder)}/b.yaml]`),
    });
    link(world, 'service/linked.yaml', '../shared/c.yaml');
    const cwd = join(world.folder, 'service');
    expect(await runHere({ cwd }, 'validate')).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 resources') as string,
    });
    const out = await runHere({ cwd: join(cwd, 'out') }, 'validate');
    expect([out.code, out.err]).toEqual([1, expect.stringContaining('it lies outside of the project')]);
    expect((await runHere({ cwd }, 'validate', path)).code).toBe(0);
  });

  it('the state of an embedded gateway outside is refused, with what helps', async () => {
    const world = makeWorld({
      'gwconf.yaml': project('gateway: { url: "embedded:../state.json" }, files: []'),
    });
    const ran = await world.run('plan', '--allow-empty');
    expect(ran.code).toBe(64);
    expect(ran.err).toContain('it lies outside of the project; put it into the git work tree');
  });
});

describe('threat: author: input that never ends', () => {
  it('all files together have a limit', async () => {
    const { world } = attacked('gateway: { url: "embedded:" }, files: [d]');
    for (const name of ['a', 'b', 'c']) world.write(`d/${name}.yaml`, cluster(name));
    const bytes = 3 * cluster('a').length;
    expect((await world.runWith({ maxInputBytes: bytes }, 'validate')).code).toBe(0);
    for (const args of [
      ['validate'],
      ['plan'],
      ['fmt', 'd'],
      ['validate', 'd/a.yaml', 'd/b.yaml', 'd/c.yaml'],
    ]) {
      const ran = await world.runWith({ maxInputBytes: bytes - 1 }, ...args);
      expectRefused(
        ran,
        `error[unreadable-file]: the files are larger than ${(bytes - 1) / 1e6} MB together`,
      );
      expect(ran.err).toContain('= split them, or raise the limit with --max-input');
      expect(ran.err.match(/error\[/g)).toHaveLength(1);
    }
  });

  it('the files of all environments together have the same limit', async () => {
    const { world } = attacked('gateway: { url: "embedded:" }, files: [d]');
    world.write('d/a.yaml', cluster('a'));
    const names = ['first', 'second'];
    const environments = names.map((name) => `  ${name}: { gateway: { url: "embedded:" }, files: [d] }\n`);
    world.write(
      'gwconf.yaml',
      `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${environments.join('')}`,
    );
    const bytes = 2 * cluster('a').length;
    const { code, out } = await world.runWith({ maxInputBytes: bytes }, 'validate');
    expect([code, out]).toEqual([0, expect.stringContaining('in 2 environments')]);
    expectRefused(
      await world.runWith({ maxInputBytes: bytes - 1 }, 'validate'),
      `error[unreadable-file]: the files are larger than ${(bytes - 1) / 1e6} MB together (in second)`,
    );
  });

  it('so have secrets', async () => {
    const { world } = attacked();
    const names = Array.from({ length: 9 }, (_, at) => `secret${at}`);
    for (const name of names) world.write(name, 'x'.repeat(1000));
    const written = names.map((name) => `\${file:${name}}`).join('');
    world.write(
      'a.yaml',
      `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i, scope: { vCluster: passthrough } }\nspec: { pluginClass: com.example.Own, priority: 1, config: { password: "${written}" } }\n`,
    );
    expect((await world.run('plan')).code).toBe(0);
    expectRefused(await world.runWith({ maxInputBytes: 5000 }, 'plan'), 'raise the limit with --max-input');
  });

  it('the limit is a flag or a variable', async () => {
    const { world } = attacked();
    const cwd = world.folder;
    for (const [env, ...args] of [
      [{}, 'validate', '--max-input', '0.01KB'],
      [{}, '--max-input=0.01KB', 'validate'],
      [{ GWCONF_MAX_INPUT: '0.01kb' }, 'validate'],
    ] as const) {
      const { code, err } = await runHere({ cwd, env }, ...args);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining('the files are larger than 0.00001 MB together'),
      ]);
    }
    expect((await runHere({ cwd }, 'validate', '--max-input', '1GB')).code).toBe(0);
    const { code, err } = await runHere({ cwd }, 'validate', '--max-input', 'much');
    expect([code, err]).toEqual([
      64,
      expect.stringContaining('expected --max-input (GWCONF_MAX_INPUT) to be a size such as 500MB'),
    ]);
  });
});

describe('threat: author: files of others, quoted', () => {
  const FOREIGN: Readonly<Record<string, string>> = {
    'a text': `${CANARY}\n`,
    'a list of variables': `TOKEN=${CANARY}\nHOME=/root\n`,
    'a URL with a password': `https://bot:${CANARY}@git.example\n`,
    'an INI file': `[http]\n\textraheader = ${CANARY}\n`,
    'a JSON file': `{"type": "service_account", "private_key": "${CANARY}"}`,
    'broken JSON': `{"private_key": "${CANARY}", ${CANARY}`,
    'a Secret of Kubernetes': `apiVersion: v1\nkind: Secret\ndata: { token: ${CANARY} }\n`,
    'a map': `password: ${CANARY}\n`,
    'a map with its key twice': `password: ${CANARY}\npassword: ${CANARY}\n`,
    'a tag': `password: !${CANARY} x\n`,
    'a block header': `password: |${CANARY}\n`,
    'an escape sequence': `password: "\\q${CANARY}"\n`,
    'an alias': `password: *${CANARY}\n`,
    'a directive': `%${CANARY}\n---\na: b\n`,
    'a placeholder': `password: \${${CANARY}-}\n`,
    'a script': `#!/bin/sh\ncurl -u bot:${CANARY} "\${${CANARY.replaceAll('-', '_')}}"\n`,
    'a PEM file': `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----\n`,
    'a number': `pin: 12345678901234567890\n`,
  };
  const formats = ['human', 'json', 'sarif', 'junit', 'github', 'ndjson', 'markdown', 'html'];

  const foreign = Object.entries(FOREIGN).map(([name, text], row) => [name, text, row] as const);
  /** All that a command says, in every format. */
  const saidBy = async (world: World, ...command: readonly string[]): Promise<readonly [number, string]> => {
    const { code, out, err } = await world.run(...command, ...inFormats(...formats));
    return [code, [out, err, ...formats.map((format) => world.read(`out.${format}`))].join('\n')];
  };

  it.each(foreign)('a file without documents of gwconf is not quoted: %s', async (_, text, row) => {
    const hidden = new RegExp(`${CANARY}|${CANARY.replaceAll('-', '_')}|12345678901234567890`, 'i');
    for (const [at, path] of ['creds', 'creds.yaml', 'creds.json'].entries()) {
      const { world } = attacked(`gateway: { url: "embedded:" }, files: [${path}]`);
      fs.writeFileSync(join(world.folder, path), text);
      // Each with each path in some row: all three read files by the same steps.
      for (const command of someOf(['validate', 'plan', 'drift'], 3, at + row)) {
        const [code, said] = await saidBy(world, command);
        expect(said).not.toMatch(hidden);
        expect([code, said]).toEqual([1, expect.stringContaining(path)]);
      }
      const { out, err } = await world.run('fmt', path);
      expect(`${out}${err}`).not.toMatch(hidden);
    }
  });

  it.each(foreign)('a gwconf.yaml that is another file is not quoted: %s', async (_, text) => {
    const { world } = attacked();
    fs.writeFileSync(join(world.folder, 'gwconf.yaml'), text);
    const [code, said] = await saidBy(world, 'validate', 'a.yaml');
    expect([code, said]).toEqual([1, expect.stringContaining('gwconf.yaml')]);
    expect(said).not.toMatch(new RegExp(`${CANARY}|12345678901234567890`, 'i'));
  });

  it.each(Object.entries(FOREIGN))(
    'a state, plan or snapshot that is another file is not quoted',
    async (_, text) => {
      const { world } = attacked('gateway: { url: "embedded:creds" }, files: [a.yaml]');
      fs.writeFileSync(join(world.folder, 'creds'), text);
      for (const args of [['plan'], ['show', 'creds'], ['apply', 'creds'], ['plan', '--snapshot', 'creds']]) {
        const { code, out, err } = await world.run(...args);
        expect([1, 64]).toContain(code);
        expect(`${out}${err}`).not.toContain(CANARY);
      }
    },
  );

  it.each([
    ['a tag', `!${CANARY} x`],
    ['a block header', `|${CANARY}`],
    ['an escape sequence', `"\\U${CANARY}"`],
    ['a reserved letter', `@${CANARY}`],
    ['a quote that is open', `"${CANARY}`],
  ])('a secret with wrong syntax is not quoted', async (_, written) => {
    const { world } = attacked();
    world.write(
      'a.yaml',
      `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i }\nspec:\n  config:\n    password: ${written}\n`,
    );
    expectRefused(await world.run('validate'), 'a.yaml:');
  });

  it.each([
    ['a line with a tab, below the key', `\n\t      - ${CANARY}`],
    ['a map with a tab', `\n\t      a: ${CANARY}`],
    ['a key twice, below the key', `\n      a: 1\n      a: ${CANARY}`],
    ['a misspelt key twice', `1\n    x: 1\n    x: ${CANARY}`],
    ['a bracket that is open, in a list', `\n      - [${CANARY}\n      - b`],
  ])('a secret beside wrong syntax is not quoted: %s', async (_, written) => {
    const { world } = attacked();
    world.write(
      'a.yaml',
      `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i }\nspec:\n  config:\n    password: ${written}\n`,
    );
    expectRefused(await world.run('validate'), 'a.yaml:');
  });

  it('a list with a secret in place of a map is not quoted', async () => {
    const { world } = attacked();
    const config = `{ kmsConfig: { aws: { basicCredentials: [${CANARY}] } } }`;
    world.write(
      'a.yaml',
      `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i }\nspec:\n  pluginClass: io.conduktor.gateway.interceptor.DecryptPlugin\n  priority: 1\n  config: ${config}\n`,
    );
    expectRefused(await world.run('validate'), 'expected a map; found a list');
  });

  it.each([
    'apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: a]\n',
    'kind: AliasTopic\nmetadata: name: a\n',
    '{ "apiVersion": "gateway/v2", "kind": "Group", "metadata": { "name": "a" }, "spec": [ }\n',
    'apiVersion: gwconf/v1\nkind: Removal\nmetadata:\n\tname: a\n',
  ])('a document of gwconf with wrong syntax is quoted', async (text) => {
    const world = makeWorld({ 'a.yaml': text });
    const { code, err } = await world.run('validate', 'a.yaml');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/error\[invalid-yaml\].*\n +--> a\.yaml:\d+:\d+\n +\|\n/),
    ]);
  });
});

describe('threat: author: a journal that was committed', () => {
  const journalOf = (world: World): string =>
    fs.readdirSync(join(world.folder, '.gwconf/journal')).find((name) => name.endsWith('.ndjson')) ?? '';

  async function applied(): Promise<{
    readonly world: World;
    readonly outside: World;
    readonly name: string;
  }> {
    const made = attacked('gateway: { url: "embedded:s.json" }, files: [a.yaml]');
    expect((await made.world.run('apply', '--auto-approve')).code).toBe(0);
    return { ...made, name: journalOf(made.world) };
  }

  it.each(['creds', '/dev/zero', '/proc/self/environ'])(
    'links out of a journal are not followed',
    async (target) => {
      const { world, outside, name } = await applied();
      for (const file of [name, name.replace('.ndjson', '.undo.json')]) {
        const path = join('.gwconf/journal', file);
        fs.rmSync(join(world.folder, path));
        link(world, path, target.startsWith('/') ? target : join(outside.folder, target));
        expectRefused(
          await world.run('undo', '--auto-approve', name.replace('.ndjson', '')),
          'is a link, so it can be forged',
        );
      }
    },
  );

  it('no run begins while the folder of journals has a link, which a job would keep with it', async () => {
    const { world } = await applied();
    link(world, '.gwconf/journal/0000.plan.json', '/proc/self/environ');
    const state = world.read('s.json');
    for (const args of [['apply'], ['apply', '--resume'], ['undo']])
      expectRefused(
        await world.run(...args, '--auto-approve'),
        '0000.plan.json is a link, so it can be forged',
      );
    expect(world.read('s.json')).toBe(state);
  });

  it('a pipe in a journal does not stall', async () => {
    const { world, name } = await applied();
    const path = join('.gwconf/journal', name.replace('.ndjson', '.undo.json'));
    fs.rmSync(join(world.folder, path));
    pipe(world, path);
    expectRefused(await world.run('undo', '--auto-approve'), 'it is not a file');
  });

  it('a journal cannot name the files of another run', async () => {
    const { world, name } = await applied();
    const path = join('.gwconf/journal', name);
    world.write(path, world.read(path).replace(/"run":"[^"]*"/, '"run":"../../elsewhere"'));
    expectRefused(await world.run('undo', '--auto-approve'), 'is the journal of another run');
  });
});

describe('threat: author: links where files are written', () => {
  const COMMANDS: Readonly<Record<string, readonly string[]>> = {
    'a plan': ['plan', '--out', 'TARGET'],
    'a report': ['plan', '-o', 'json=TARGET'],
    'a snapshot': ['snapshot', '--out', 'TARGET'],
    'a state': ['apply', '--auto-approve', '--journal', 'none', '--url', 'embedded:TARGET'],
    formatting: ['fmt', 'TARGET'],
  };
  const unformatted = `kind: VirtualCluster\napiVersion: gateway/v2\nspec: {}\nmetadata: { name: a }\n`;
  const text = (name: string): string => (name === 'formatting' ? unformatted : '{}\n');

  it.each(Object.entries(COMMANDS))(
    'a link out of the project is not written through',
    async (name, command) => {
      const { world, outside } = attacked();
      outside.write('precious.yaml', text(name));
      link(world, 'file.yaml', join(outside.folder, 'precious.yaml'));
      link(world, 'folder', outside.folder);
      link(world, 'nowhere.yaml', join(outside.folder, 'new.yaml'));
      for (const target of [
        'file.yaml',
        'folder/precious.yaml',
        'folder/new.yaml',
        'nowhere.yaml',
        join(world.folder, 'file.yaml'),
      ]) {
        const ran = await world.run(...command.map((word) => word.replace('TARGET', target)));
        expect([target, ran.code]).not.toEqual([target, 0]);
        if (fs.existsSync(join(world.folder, target)))
          expect(ran.err).toContain('a link leads out of the project, to');
        expect(ran.err).not.toContain('bug');
        expect(outside.read('precious.yaml')).toBe(text(name));
        expect(fs.readdirSync(outside.folder).sort()).toEqual(['creds', 'more', 'precious.yaml']);
      }
    },
  );

  it('a link into .git is not written through', async () => {
    const { world } = attacked();
    link(world, 'out', '.git');
    const ran = await world.run('plan', '--out', 'out/plan.json');
    expectRefused(ran, 'out/plan.json cannot be written: a link leads into .git');
    expect(ran.err).toContain('= remove the link, or name that path');
    expect(fs.readdirSync(join(world.folder, '.git'))).toEqual(['config']);
  });

  it.each(['.gwconf', '.gwconf/journal'])('a journal stays in the project', async (path) => {
    const { world, outside } = attacked('gateway: { url: "embedded:s.json" }, files: [a.yaml]');
    if (path !== '.gwconf') fs.mkdirSync(join(world.folder, '.gwconf'));
    link(world, path, outside.folder);
    expectRefused(await world.run('apply', '--auto-approve'), 'a link leads out of the project, to');
    expectRefused(await world.run('journal'), 'remove the link, or name that path');
    expect(world.has('s.json')).toBe(false);
    expect(fs.readdirSync(outside.folder).sort()).toEqual(['creds', 'more']);
  });

  it('the files of init stay in the project', async () => {
    const outside = makeWorld();
    const world = makeWorld();
    link(world, '.github', outside.folder);
    expectRefused(
      await world.run('init', '--yes', '--url', 'http://127.0.0.1:1'),
      'a link leads out of the project',
    );
    expect(fs.readdirSync(outside.folder)).toEqual([]);
  });

  it('what a user names through links of the machine is written', async () => {
    const { world, outside } = attacked();
    const machine = makeWorld();
    link(machine, 'tmp', outside.folder);
    expect((await world.run('plan', '--out', join(machine.folder, 'tmp/plan.json'))).code).toBe(0);
    expect(outside.has('plan.json')).toBe(true);
    link(world, 'inside.json', 'real.json');
    world.write('real.json', '');
    expect((await world.run('plan', '--out', 'inside.json')).code).toBe(0);
    expect(world.read('real.json')).toContain('gwconf/plan@1');
  });

  const STREAMS = ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', '/dev/stderr'];
  // All names of a stream are found by one pattern.
  it.each(isSoak() ? STREAMS : ['/dev/stdout', '/dev/stderr'])(
    'a stream is written to, also if it is a file',
    async (path) => {
      const { world } = attacked();
      const redirected = path === '/dev/stderr' ? '2> log' : '> log';
      const { code } = await shell({ cwd: world.folder }, `gwconf plan -o json=${path} ${redirected}`);
      expect([code, world.read('log')]).toEqual([0, expect.stringContaining('"result": "changes"')]);
      const last = path === '/dev/stderr' ? 'result: changes' : 'Plan: 1 to create';
      expect(world.read('log')).toContain(last);
      const piped = await shell({ cwd: world.folder }, `gwconf plan -o json=${path} 2>&1 | cat`);
      expect(piped.out).toContain('"result": "changes"');
    },
  );
});

describe('threat: neighbour: a gwconf.yaml where everyone can write', () => {
  it('is not used when it belongs to another user', async () => {
    const { folder } = makeWorld({ 'gwconf.yaml': project('files: [a.yaml]') });
    const own = await openWorkspace(nodeHost(), { folder });
    expect([own.environment?.name, own.problems]).toEqual(['e', []]);
    const other = await openWorkspace({ ...nodeHost(), isOfAnother: () => true }, { folder });
    expect(other.environment).toBeUndefined();
    expect(other.problems).toMatchObject([
      { severity: 'error', message: `${folder}/gwconf.yaml is not used: it belongs to another user` },
    ]);
  });

  it('is known by its owner, and that of the link to it', () => {
    const { folder } = makeWorld({ 'gwconf.yaml': '' });
    const file = join(folder, 'gwconf.yaml');
    const toSystem = join(folder, 'link');
    fs.symlinkSync('/etc/passwd', toSystem);
    if (process.getuid?.() === 0)
      for (const path of [file, folder, toSystem]) fs.lchownSync(path, 4242, 4242);
    const owner = fs.lstatSync(file).uid;
    expect(isOfAnother(file, '/', owner)).toBe(false);
    expect(isOfAnother(file, '/', owner + 1)).toBe(true);
    expect(isOfAnother(file, folder, owner + 1)).toBe(false);
    expect(isOfAnother('/etc/passwd', folder, owner + 1)).toBe(false);
    expect(isOfAnother(toSystem, '/', owner + 1)).toBe(true);
  });
});

describe('threat: neighbour: a journal of another user', () => {
  const apply = ['apply', '-f', 'a.yaml', '--yes', '--url', 'embedded:live.json', '--journal', 'runs'];

  it('is known by the owner of the folder and of each file, and one that all can write by its mode', async () => {
    const world = makeWorld({ 'a.yaml': cluster('prod') });
    expect((await world.run(...apply)).code).toBe(0);
    const folder = join(world.folder, 'runs');
    const [first = ''] = fs.readdirSync(folder);
    const owner = fs.statSync(folder).uid;
    expect(findForeign(folder, '/', owner)).toBeUndefined();
    expect(findForeign(folder, '/', owner + 1)).toEqual(
      owner === 0 ? undefined : { path: folder, what: 'of another user' },
    );
    if (process.getuid?.() === 0) {
      fs.chownSync(join(folder, first), 4242, 4242);
      expect(findForeign(folder)).toEqual({ path: join(folder, first), what: 'of another user' });
      expect(findForeign(folder, folder, 4242)).toBeUndefined();
      fs.chownSync(join(folder, first), 0, 0);
    }
    for (const path of [join(folder, first), folder]) {
      fs.chmodSync(path, 0o777);
      expect(findForeign(folder)).toEqual(HAS_MODES ? { path, what: 'writable by everybody' } : undefined);
    }
  });

  it('is not resumed or undone, and one that all can write is warned of', async () => {
    const world = makeWorld({ 'a.yaml': cluster('prod') });
    await world.run(...apply);
    const [first = ''] = fs
      .readdirSync(join(world.folder, 'runs'))
      .filter((name) => name.endsWith('undo.json'));
    const path = join(world.folder, 'runs', first);
    const undo = ['undo', '--yes', '--url', 'embedded:live.json', '--journal', 'runs'];
    if (process.getuid?.() === 0) {
      fs.chownSync(path, 4242, 4242);
      const refused = await world.run(...undo);
      expect(refused.err).toContain(
        `error[invalid-journal]: ${path} is of another user, so it can be forged\n = delete it, or name another folder with --journal; if you trust it, take it over with chown\n`,
      );
      expect(world.read('live.json')).toContain('prod');
      fs.chownSync(path, 0, 0);
    }
    fs.chmodSync(path, 0o666);
    const undone = await world.run(...undo);
    const warning = `warning[invalid-journal]: ${path} is writable by everybody, so it can be forged\n = take the right to write from other users: chmod o-w\n`;
    expect(undone.err.split(warning)).toHaveLength(HAS_MODES ? 2 : 1);
    expect([undone.code, world.read('live.json')]).toEqual([0, expect.not.stringContaining('prod')]);
  });
});

describe('threat: neighbour: files that are written', () => {
  it('a link of another user in a folder for everyone is not written through', () => {
    const { folder } = makeWorld({ 'mine/a': '' });
    const shared = join(folder, 'shared');
    fs.mkdirSync(shared);
    fs.chmodSync(shared, 0o1777);
    fs.symlinkSync(join(folder, 'mine'), join(shared, 'link'));
    fs.symlinkSync('shared/link', join(folder, 'far'));
    fs.symlinkSync('loop', join(folder, 'loop'));
    const owner = fs.statSync(shared).uid;
    const paths = ['shared/link', 'shared/link/a', 'shared/link/new/b', 'far/a'].map((path) =>
      join(folder, path),
    );
    for (const path of paths) requireOwnLinks(path, owner + 1); // the owner of the folder can put links into it
    expect(() => requireOwnLinks(join(folder, 'loop/a'), owner)).toThrow('ELOOP');
    if (owner !== 0) return; // only root can make a link of another user
    fs.lchownSync(join(shared, 'link'), 4242, 4242);
    for (const path of paths)
      expect(() => requireOwnLinks(path, 17), path).toThrow('is a link of another user');
    for (const path of paths) requireOwnLinks(path, 4242);
    fs.chmodSync(shared, 0o755);
    for (const path of paths) requireOwnLinks(path, 17);
  });

  it('the name of a temporary file cannot be guessed', () => {
    const { folder } = makeWorld();
    const names: string[] = [];
    const disk: Disk = { ...fs, renameSync: (from) => void names.push(from) };
    for (let at = 0; at < 20; at += 1) writePrivately(join(folder, 'a'), 'x', folder, disk);
    expect(new Set(names).size).toBe(20);
    for (const name of names) expect(basename(name)).toMatch(/^\.gwconf-[0-9a-f]{24}\.tmp$/);
  });

  it('what may tell of a gateway is for the user only', async () => {
    const { world } = attacked('gateway: { url: "embedded:s.json" }, files: [a.yaml]');
    await world.run('plan', '--out', 'plan.json', '-o', 'json=report.json');
    await world.run('apply', '--auto-approve');
    await world.run('snapshot', '--out', 'live.json');
    const journals = fs
      .readdirSync(join(world.folder, '.gwconf/journal'))
      .map((name) => `.gwconf/journal/${name}`);
    expect(journals.length).toBeGreaterThanOrEqual(3);
    for (const path of ['plan.json', 'report.json', 's.json', 'live.json', ...journals])
      expect([path, modeOf(world, path)]).toEqual([path, '600']);
    expect(modeOf(world, '.gwconf/journal')).toBe('700');
  });

  it('a file keeps its mode', async () => {
    const { world } = attacked();
    for (const mode of ['600', '640', '755']) {
      world.write(
        'f.yaml',
        `kind: VirtualCluster\napiVersion: gateway/v2\nspec: {}\nmetadata: { name: a }\n`,
      );
      fs.chmodSync(join(world.folder, 'f.yaml'), parseInt(mode, 8));
      expect((await world.run('fmt', 'f.yaml')).out).toBe('f.yaml\n');
      expect(modeOf(world, 'f.yaml')).toBe(mode);
    }
    world.write('plan.json', '');
    fs.chmodSync(join(world.folder, 'plan.json'), 0o664);
    await world.run('plan', '--out', 'plan.json');
    expect(modeOf(world, 'plan.json')).toBe('664');
  });

  it('what init makes is for git, and follows the umask', async () => {
    const world = makeWorld();
    await world.run('init', '--yes');
    fs.writeFileSync(join(world.folder, 'usual'), '');
    for (const path of ['gwconf.yaml', 'gateway/topics.yaml'])
      expect(modeOf(world, path)).toBe(modeOf(world, 'usual'));
  });
});

describe.skipIf(process.platform === 'win32')('threat: neighbour: the folder of compiled code', () => {
  it('is for its owner to write, whatever the umask', () => {
    const root = makeWorld({ 'chunks/main-1.cjs': 'exports.one = 1;' }).folder;
    const former = process.umask(0);
    try {
      runCompiled(
        join(root, 'chunks'),
        'main-1.cjs',
        join(root, '.cache'),
        createRequire(import.meta.url),
      ).keep();
    } finally {
      process.umask(former);
    }
    const kept = fs.readdirSync(join(root, '.cache'), { recursive: true, encoding: 'utf8' });
    expect(kept.some((name) => name.endsWith('main-1.cjs'))).toBe(true);
    for (const name of ['.', ...kept])
      expect((fs.statSync(join(root, '.cache', name)).mode & 0o022).toString(8), name).toBe('0');
  });
});

describe('threat: neighbour: a file of secrets that is there already', () => {
  it('is not added to when it belongs to another user', async () => {
    const { folder } = makeWorld({ '.gitignore': '.env', '.env': 'PATH=/evil\n' });
    const path = join(folder, '.env');
    expect((await openSecretsFile(nodeHost(), path)).before).toBe('PATH=/evil\n');
    await expect(openSecretsFile({ ...nodeHost(), isOfAnother: () => true }, path)).rejects.toThrow(
      'belongs to another user',
    );
  });
});

describe('threat: gateway: a virtual cluster with the name of a folder that is not read or not committed', () => {
  it.each(['node_modules', 'gwconf.yaml', 'plan.json', 'live.snapshot.json', 'plan-key.pem'])(
    'gets a folder of another name: %s',
    (vCluster) => {
      const [folder = ''] = fileOf(
        `AliasTopic/a@vCluster=${vCluster}` as Address,
        'by-virtual-cluster',
        catalog,
      ).split('/');
      expect(folder).toMatch(/^[a-z-]+~[\da-f]{8}$/);
    },
  );
});

describe('threat: author: the name of a file', () => {
  const policy =
    'apiVersion: gwconf/v1\nkind: Policy\nmetadata: { name: NAME }\nspec: { match: { kind: VirtualCluster }, expression: "object.metadata.name != \'a\'", message: m, examples: { pass: [{ object: { kind: VirtualCluster, metadata: { name: b } } }], fail: [{ object: { kind: VirtualCluster, metadata: { name: a } } }] } }\n';

  it.each([
    ['b.policy.yml', 'policy/two'],
    ['B.Policy.YAML', 'policy/two'],
    ['b.policy.json', 'policy/two'],
    ['b.yaml', 'the policy in rules/b.yaml is without effect'],
  ])('a policy is not left out because its file has another name: %s', async (name, told) => {
    const world = makeWorld({
      'gwconf.yaml': `${project('files: [a.yaml]')}policies: { files: [rules] }\n`,
      'a.yaml': cluster('a'),
      'rules/a.policy.yaml': policy
        .replace('NAME', 'one')
        .replaceAll("'a'", "'c'")
        .replace('name: a }', 'name: c }'),
      [`rules/${name}`]: policy.replace('NAME', 'two'),
    });
    const { code, err } = await world.run('validate');
    expect(code).not.toBe(0);
    expect(err).toContain(told);
  });
});
