import { openChannel, tellResult } from './host/channel.ts';
import { processIo, type Pages } from './host/process-io.ts';
import { runInProcess } from './host/run-in-process.ts';

/**
 * Runs the command line of this process; `expectMuch` is called before there is much to do. A single executable has its pages with it.
 */
export async function main(expectMuch: () => void, pages?: Pages): Promise<void> {
  // An apply goes on if its output cannot be written.
  const channels = { out: openChannel(1, () => process.stdout), err: openChannel(2, () => process.stderr) };

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

  process.exitCode = await runInProcess(process.argv.slice(2), channels, (args, given) =>
    processIo(args, given, expectMuch, pages),
  );
}
