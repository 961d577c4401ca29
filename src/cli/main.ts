#!/usr/bin/env node
import { onOneLine } from '../report/escape.ts';
import { EXIT, VERDICTS } from './io.ts';
import { openChannel } from './host/channel.ts';
import { processIo } from './host/process-io.ts';
import { run } from './run.ts';

// What cannot be written is no reason to stop halfway in an apply.
const channels = { out: openChannel(process.stdout), err: openChannel(process.stderr) };

// What nobody waited for is a bug of ours as well; Node.js would print all that hangs on it.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    void import('./host/crash.ts').then(({ crashText }) => {
      channels.err.write(`${crashText(error)}result: ${VERDICTS[EXIT.bug]}\n`);
      process.exit(EXIT.bug);
    });
  });
}

const args = process.argv.slice(2);
try {
  process.exitCode = await run(args, await processIo(args, channels));
} catch (error) {
  // An invalid folder or log level: there is no Io yet to report it.
  const message = onOneLine(error instanceof Error ? error.message : String(error));
  channels.err.write(`gwconf: ${message}\nresult: ${VERDICTS[EXIT.usage]}\n`);
  process.exitCode = EXIT.usage;
}
