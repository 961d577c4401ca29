import { findTree } from '../../host/paths.ts';
import { appendFile } from '../../host/write-files.ts';
import { exitCodeOf, type ExitCode, type Result } from '../../outcome/verdict.ts';
import type { Channel } from './channel.ts';

/** Tells the result of a process that ends before its command does, where `finish` would tell it. Returns the exit code. */
export function tellResult(result: Result, { write }: Channel): ExitCode {
  const path = process.env['GITHUB_OUTPUT'] ?? '';
  // A file is written before this returns; if it cannot be, stderr and the exit code have the result.
  if (path !== '') appendFile(path, `result=${result}\n`, findTree()).catch(() => undefined);
  write(`result: ${result}\n`);
  return exitCodeOf(result);
}
