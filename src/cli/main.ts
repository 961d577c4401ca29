#!/usr/bin/env node
import { onOneLine } from '../report/escape.ts';
import { isSystemError } from '../workflow/system-error.ts';
import { UsageError } from './io.ts';
import { openChannel, tellResult } from './host/channel.ts';
import { tuneEngine } from './host/engine.ts';
import { processIo } from './host/process-io.ts';
import { run } from './run.ts';

// The single executable is CommonJS, which cannot await outside of a function.
void main();

async function main(): Promise<void> {
  await tuneEngine();

  // An apply goes on if its output cannot be written.
  const channels = { out: openChannel(process.stdout), err: openChannel(process.stderr) };

  // An unhandled error is a bug of gwconf; Node.js would print the error with all its properties, which may be secret.
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error: unknown) => {
      const end = (text: string): never => {
        channels.err.write(text);
        process.exit(tellResult('bug', channels.err));
      };
      import('./host/crash.ts').then(
        ({ crashText }) => end(crashText(error)),
        () => end('gwconf: this is a bug in gwconf\n'),
      );
    });
  }

  const args = process.argv.slice(2);
  try {
    process.exitCode = await run(args, await processIo(args, channels));
  } catch (error) {
    // An invalid folder or log level, or a part of gwconf that cannot be read: there is no Io to report it.
    if (!(error instanceof UsageError) && !isSystemError(error)) throw error;
    channels.err.write(`gwconf: ${onOneLine(error.message)}\n`);
    process.exitCode = tellResult(error instanceof UsageError ? 'wrong-usage' : 'error', channels.err);
  }
}
