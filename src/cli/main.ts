#!/usr/bin/env node
import { EXIT } from './io.ts';
import { processIo } from './process-io.ts';
import { run } from './run.ts';

// A reader that has seen enough (`gwconf plan | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), await processIo(process.argv.slice(2)));
