import { spawn } from 'node:child_process';
import { GrowingBytes } from '../model/growing-bytes.ts';
import type { Ended, Program } from '../workflow/host.ts';

/** Runs a program with an empty stdin and our environment. One that takes too long or prints too much is killed. */
export function runProgram({ command, folder, env, timeoutMs, mostBytes }: Program): Promise<Ended> {
  const [file = '', ...args] = command;
  return new Promise((resolve) => {
    const stdout = new GrowingBytes();
    let stderr = '';
    const child = spawn(file, args, {
      cwd: folder,
      env: env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const end = (how: { readonly code: number } | { readonly stopped: string }): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      // Its own children may live on and hold the pipes.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ stdout: stdout.all(), stderr, ...how });
    };
    const timer = setTimeout(
      () => end({ stopped: `took longer than ${timeoutMs / 1000} s` }),
      Math.min(timeoutMs, LONGEST_TIMER),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      stdout.append(chunk);
      if (stdout.length > mostBytes) end({ stopped: `printed more than ${mostBytes / 1e6} MB` });
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MOST_WORDS) stderr += text;
    });
    child.on('error', (error) => end({ stopped: `cannot be run: ${wordsOf(error)}` }));
    child.on('close', (code, signal) =>
      end(code === null ? { stopped: `was ended by ${signal ?? 'a signal'}` } : { code }),
    );
  });
}

/** Of its stderr. */
const MOST_WORDS = 10_000;
/** Node.js fires a longer one at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

function wordsOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT'
    ? 'there is no such program'
    : error.code === 'EACCES'
      ? 'permission denied'
      : (error.code ?? error.message);
}
