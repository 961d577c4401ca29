import * as fs from 'node:fs';
import { groupCommit } from '../model/group-commit.ts';
import type { Lines } from '../workflow/host.ts';
import { resolveInTree } from './paths.ts';
import { openToAppend, type Disk } from './write-files.ts';

/** How long a noted line may stay in memory, in milliseconds, so that thousands share a write. */
const LONGEST = 5;

/** Lines that are added together share one write and one flush. */
export function openLines(path: string, tree: string, disk: Disk = fs): Lines {
  const file = openToAppend(resolveInTree(path, tree), 0o600);
  const waiting: string[] = [];
  let failure: Error | undefined;
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
  };
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const bytes = Buffer.from(waiting.splice(0).join(''));
    try {
      for (let written = 0; failure === undefined && written < bytes.length;)
        written += disk.writeSync(file, bytes, written);
    } catch (error) {
      fail(error);
    }
  };
  process.once('exit', write); // which may come soon, such as at the second Ctrl-C
  const safe = groupCommit(async () => {
    write();
    const error = await new Promise((resolve) => {
      disk.fdatasync(file, resolve);
    });
    if (error !== null) fail(error);
    if (failure !== undefined) throw failure;
  });
  return {
    add(text) {
      waiting.push(text);
      return safe();
    },
    note(text) {
      waiting.push(text);
      timer ??= setTimeout(write, LONGEST);
    },
    async close() {
      await safe().catch(() => undefined); // each add that failed has rejected
      process.off('exit', write);
      fs.closeSync(file);
    },
  };
}
