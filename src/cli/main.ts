#!/usr/bin/env node
import { onOneLine } from '../report/escape.ts';
import { openChannel } from './host/channel.ts';
import { tuneEngine } from './host/engine.ts';
import { tellResult } from './host/last-result.ts';
import { processIo } from './host/process-io.ts';
import { run } from './run.ts';

await tuneEngine();

// An apply goes on if its output cannot be written.
const channels = { out: openChannel(process.stdout), err: openChannel(process.stderr) };

// An unhandled error is a bug of gwconf; Node.js would print the error with all its properties, which may be secret.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    void import('./host/crash.ts').then(({ crashText }) => {
      channels.err.write(crashText(error));
      process.exit(tellResult('bug', channels.err));
    });
  });
}

const args = process.argv.slice(2);
try {
  process.exitCode = await run(args, await processIo(args, channels));
} catch (error) {
  // An invalid folder or log level: there is no Io yet to report it.
  const message = onOneLine(error instanceof Error ? error.message : String(error));
  channels.err.write(`gwconf: ${message}\n`);
  process.exitCode = tellResult('wrong-usage', channels.err);
}
