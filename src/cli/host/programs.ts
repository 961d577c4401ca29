import { spawn } from 'node:child_process';

/** What may be run: a program and its arguments, which no shell reads, and what it is allowed. */
export type Program = {
  readonly command: readonly string[];
  readonly folder: string;
  readonly timeoutMs: number;
  /** Of what it prints. */
  readonly mostBytes: number;
};

/** How a program ended: by itself, or why it did not get that far. */
export type Ended = { readonly stdout: Uint8Array; readonly stderr: string } & (
  { readonly code: number } | { readonly stopped: string }
);

/** Runs a program with nothing on stdin and this environment. One that takes too long or says too much is killed. */
export function runProgram({ command, folder, timeoutMs, mostBytes }: Program): Promise<Ended> {
  const [file = '', ...args] = command;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    const child = spawn(file, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const end = (how: { readonly code: number } | { readonly stopped: string }): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      // What it started may live on and hold the pipes.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ stdout: Buffer.concat(chunks), stderr, ...how });
    };
    const timer = setTimeout(
      () => end({ stopped: `took longer than ${timeoutMs / 1000} s` }),
      Math.min(timeoutMs, LONGEST_TIMER),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > mostBytes) end({ stopped: `printed more than ${mostBytes / 1e6} MB` });
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MOST_TALK) stderr += text;
    });
    child.on('error', (error) => end({ stopped: `cannot be run: ${wordsOf(error)}` }));
    child.on('close', (code, signal) =>
      end(code === null ? { stopped: `was ended by ${signal ?? 'a signal'}` } : { code }),
    );
  });
}

const MOST_TALK = 10_000;
/** A longer one goes off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

function wordsOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT'
    ? 'there is no such program'
    : error.code === 'EACCES'
      ? 'the permission is missing'
      : (error.code ?? error.message);
}
