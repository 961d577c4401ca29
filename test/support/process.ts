import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { buildOnce } from './build-once.ts';

// Whoever imports this file runs the build.
buildOnce();

/** The command line as it is published. */
export const BINARY = fileURLToPath(new URL('../../dist/gwconf.cjs', import.meta.url));

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
};
/** A process of gwconf's, and what it said so far. */
export type Running = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Resolves when it has said this on stdout or stderr; rejects when it ends without. */
  readonly says: (text: string | RegExp) => Promise<string>;
};
type Place = { readonly cwd: string; readonly env?: Readonly<Record<string, string>> };

/** Starts gwconf in a folder, with nothing of our own environment but where programs are. */
export function start({ cwd, env = {} }: Place, ...args: readonly string[]): Running {
  return follow(spawn(process.execPath, [BINARY, ...args], { cwd, env: environment(env) }));
}

/** Runs a line of shell, in which `$GWCONF` is gwconf. */
export function shell({ cwd, env = {} }: Place, line: string): Promise<Ended> {
  const gwconf = `"${process.execPath}" "${BINARY}"`;
  const child = spawn('bash', ['-c', `gwconf() { ${gwconf} "$@"; }; ${line}`], {
    cwd,
    env: environment(env),
  });
  child.stdin.end();
  return follow(child).ended;
}

/** Whether there is a program that can give another one a terminal. */
export const HAS_TERMINAL = /util-linux/.test(
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout,
);

/** Whether the system tells of its processes in files. */
export const HAS_PROC = existsSync('/proc/self/stat');

/** The number of a process that has ended, and whose parent never asks how; it is gone when the test is over. */
export async function zombie(): Promise<number> {
  // As long as it lives its stdout is open: cat has another one.
  const parent = spawn('sh', ['-c', 'sh -c "exit 0" & echo $!; exec cat >/dev/null']);
  onTestFinished(() => void parent.kill());
  let said = '';
  for await (const chunk of parent.stdout) said += String(chunk);
  return Number(said);
}

/** Starts gwconf on a terminal of its own; what it says comes on stdout, whatever it was meant for. */
export function startOnTerminal({ cwd, env = {} }: Place, ...args: readonly string[]): Running {
  const words = [process.execPath, BINARY, ...args].map((word) => `'${word}'`).join(' ');
  return follow(spawn('script', ['-qec', words, '/dev/null'], { cwd, env: environment(env) }));
}

/** Runs gwconf to its end. */
export function runProcess(
  place: Place & { readonly stdin?: string },
  ...args: readonly string[]
): Promise<Ended> {
  const { child, ended } = start(place, ...args);
  child.stdin.end(place.stdin ?? '');
  return ended;
}

function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env };
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  let out = '';
  let err = '';
  child.stdin.on('error', () => undefined); // it may end without reading
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    child,
    ended,
    says: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const said = `${out}\n${err}`;
          if (typeof wanted === 'string' ? said.includes(wanted) : wanted.test(said)) resolve(said);
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        child.on('close', () =>
          reject(new Error(`it ended without saying ${String(wanted)}:\n${out}\n${err}`)),
        );
        look();
      }),
  };
}
