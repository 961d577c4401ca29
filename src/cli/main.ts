#!/usr/bin/env node
import { onOneLine } from '../report/escape.ts';
import { EXIT, VERDICTS } from './io.ts';
import { processIo } from './host/process-io.ts';
import { run } from './run.ts';

// A reader that has seen enough (`gwconf plan | head`) is no failure, and no reason to stop halfway in an apply.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// What nobody waited for is a bug of ours as well; Node.js would print all that hangs on it.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    void import('./host/crash.ts').then(({ crashText }) => {
      process.stderr.write(`${crashText(error)}result: ${VERDICTS[EXIT.bug]}\n`);
      process.exit(EXIT.bug);
    });
  });
}

const args = process.argv.slice(2);
try {
  process.exitCode = await run(args, await processIo(args));
} catch (error) {
  // An invalid folder or log level: there is no Io yet to report it.
  const message = onOneLine(error instanceof Error ? error.message : String(error));
  process.stderr.write(`gwconf: ${message}\nresult: ${VERDICTS[EXIT.usage]}\n`);
  process.exitCode = EXIT.usage;
}
