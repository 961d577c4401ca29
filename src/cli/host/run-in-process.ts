import type { ExitCode } from '../../outcome/verdict.ts';
import { onOneLine } from '../../report/escape.ts';
import { isSystemError } from '../../workflow/system-error.ts';
import { UsageError, type Io } from '../io.ts';
import { run } from '../run.ts';
import { tellResult } from './channel.ts';
import type { Channels } from './process-io.ts';

/** Runs one command line with the folder, environment and terminal of this process, and returns its exit code. */
export async function runInProcess(
  args: readonly string[],
  channels: Channels,
  openIo: (args: readonly string[], channels: Channels) => Promise<Io>,
): Promise<ExitCode> {
  try {
    return await run(args, await openIo(args, channels));
  } catch (error) {
    // An invalid folder or log level, or a part of gwconf that cannot be read: there is no Io to report it.
    if (!(error instanceof UsageError) && !isSystemError(error)) throw error;
    channels.err.write(`gwconf: ${onOneLine(error.message)}\n`);
    return tellResult(error instanceof UsageError ? 'wrong-usage' : 'error', channels.err);
  }
}
