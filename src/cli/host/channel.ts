import { findTree } from '../../host/paths.ts';
import { append, openPipeAgain, takesTextAtOnce, appendFile, writeAsTaken } from '../../host/write-files.ts';
import { exitCodeOf, type ExitCode, type Result } from '../../outcome/verdict.ts';

/** stdout or stderr. Once it could not be written, nothing more is: what is there is the beginning of the whole. */
export type Channel = {
  readonly write: (text: string) => void;
  /** Resolves once all text so far is written, to the error that prevented it. Each error is returned once. */
  readonly flush: () => Promise<NodeJS.ErrnoException | undefined>;
};

export function openChannel(file: number, open: () => NodeJS.WriteStream): Channel {
  let opened: NodeJS.WriteStream | undefined;
  let failure: NodeJS.ErrnoException | undefined;
  let isReturned = false;
  const fail = (error: NodeJS.ErrnoException | null | undefined): void => {
    failure ??= error ?? undefined;
  };
  // Made for the first text: it takes a part of the start, and a file needs none.
  const stream = (): NodeJS.WriteStream => (opened ??= open().on('error', fail));
  // The streams of Node.js drop the rest of a text when a disk takes only a part of it.
  const writeAtOnce = (text: string): void => {
    try {
      append(file, text);
    } catch (error) {
      fail(error as NodeJS.ErrnoException); // of the file system
    }
  };
  const isFile = takesTextAtOnce(file);
  const pipe = isFile ? undefined : openPipeAgain(file);
  // A reader that waits gets the rest from a stream, and all that comes after it.
  const writeInOrder = (text: string): void => {
    try {
      const rest = pipe === undefined || opened !== undefined ? text : writeAsTaken(pipe, text);
      if (rest.length > 0) stream().write(rest);
    } catch (error) {
      fail(error as NodeJS.ErrnoException); // of the file system
    }
  };
  return {
    write(text) {
      if (failure !== undefined || text === '') return;
      if (isFile) writeAtOnce(text);
      else writeInOrder(text);
    },
    async flush() {
      if (opened !== undefined && failure === undefined) {
        await new Promise<void>((resolve) => {
          stream().write('', (error) => {
            fail(error);
            resolve();
          });
        });
      }
      // A reader that has seen enough (`gwconf plan | head`) is no failure.
      if (failure === undefined || failure.code === 'EPIPE' || isReturned) return undefined;
      isReturned = true;
      return failure;
    },
  };
}

/** Tells the result of a process that ends before its command does, where `finish` would tell it. Returns the exit code. */
export function tellResult(result: Result, { write }: Channel): ExitCode {
  const path = process.env['GITHUB_OUTPUT'] ?? '';
  // A file is written before this returns; if it cannot be, stderr and the exit code have the result.
  if (path !== '') appendFile(path, `result=${result}\n`, findTree()).catch(() => undefined);
  write(`result: ${result}\n`);
  return exitCodeOf(result);
}
