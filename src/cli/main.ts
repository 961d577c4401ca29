#!/usr/bin/env node
import { EXIT } from './io.ts';
import { processIo } from './process-io.ts';
import { run } from './run.ts';

// A reader that has seen enough (`gwconf plan | head`) is no failure, and no reason to stop halfway in an apply.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const args = process.argv.slice(2);
try {
  process.exitCode = await run(args, await processIo(args));
} catch (error) {
  // A folder or a log level that cannot be meant: there is nothing yet that could say so better.
  process.stderr.write(`gwconf: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = EXIT.usage;
}
