import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { buildOnce } from './build-once.ts';
import { answerCalls, callsTo } from './in-process.ts';
import { isSoak } from './soak.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A folder of its own, in which commands find the built gwconf and nothing of the machine's settings. */
export type Sandbox = {
  readonly folder: string;
  write(path: string, text: string): void;
  /** Copies from the repository. */
  copy(from: string, to: string): void;
  /** Runs lines of bash; ends at the first that fails. */
  bash(lines: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
  remove(): void;
};

type Making = {
  /** Whether the types of the library are built, too. */
  readonly types?: boolean;
  /** Whether calls of gwconf run in this process where they can; in a soak none does. */
  readonly inProcess?: boolean;
};

export function makeSandbox({ types = false, inProcess = false }: Making = {}): Sandbox {
  buildOnce({ types });
  const top = mkdtempSync(join(tmpdir(), 'gwconf-test-'));
  const [folder, bin] = [join(top, 'work'), join(top, 'bin')];
  mkdirSync(folder);
  mkdirSync(bin);
  const program = join(bin, 'gwconf');
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'dist', 'gwconf.cjs')}' "$@" 3>&-\n`,
  );
  chmodSync(program, 0o755);
  const answers = inProcess && !isSoak() ? top : undefined;
  if (answers !== undefined) writeFileSync(join(top, 'calls.sh'), callsTo(program, top));
  const basics = {
    PATH: [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: top,
    ...(answers === undefined ? {} : { BASH_ENV: join(top, 'calls.sh') }),
    // Who commits.
    GIT_AUTHOR_NAME: 'one',
    GIT_AUTHOR_EMAIL: 'one@acme.example',
    GIT_COMMITTER_NAME: 'one',
    GIT_COMMITTER_EMAIL: 'one@acme.example',
    npm_config_cache: join(top, 'npm-cache'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
  return {
    folder,
    write: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    copy: (from, to) => cpSync(join(ROOT, from), join(folder, to), { recursive: true }),
    bash: (lines, env = {}) => runBash(lines, { folder, answers, env: { ...basics, ...env } }),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

type Place = {
  readonly folder: string;
  /** Where the answers to calls are written; undefined if each is a process. */
  readonly answers: string | undefined;
  readonly env: NodeJS.ProcessEnv;
};

function runBash(lines: string, { folder, answers, env }: Place): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', lines], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe', ...(answers === undefined ? [] : ['pipe' as const])],
    });
    const calls = child.stdio[3];
    if (calls instanceof Duplex && answers !== undefined) answerCalls(calls, answers);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        said[name] += text;
      });
    }
    child.on('error', reject).on('close', (code) => {
      resolve({ code, ...said });
    });
  });
}
