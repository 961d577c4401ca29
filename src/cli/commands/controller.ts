import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';

/** Keeps the gateways of a cluster as its resources say, until it is interrupted. */
export const run: Run<'controller'> = async ({ args, io }) => {
  io.expectMuch();
  const { namespace = [], folder = [], address, journal = join(tmpdir(), 'gwconf-controller') } = args;
  for (const path of [...folder, journal])
    if (!isAbsolute(path)) throw new UsageError(`expected an absolute path; found ${path}`);
  const [port, parallelism] = [
    numberOf('--port', args.port, 0),
    numberOf('--parallelism', args.parallelism, 1),
  ];
  const { createLog } = await import('../host/log.ts');
  const { runController } = await import('../../controller/controller.ts');
  // Without a level of its own, what a command does not log is the output of this one.
  const log =
    args.logLevel === undefined && (io.env('GWCONF_LOG_LEVEL') ?? '') === ''
      ? createLog('info', io.err)
      : io.log;
  const isSaid = args.maxInput !== undefined || (io.env('GWCONF_MAX_INPUT') ?? '') !== '';
  await runController(
    { ...io, log },
    {
      namespaces: namespace,
      folders: folder,
      journal,
      parallelism,
      ...(isSaid && { maxInputBytes: io.maxInputBytes }),
      listen: { host: address, port },
      signal: io.interrupted,
    },
  );
  return undefined;
};

function numberOf(flag: string, text: string, least: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < least || number > 65_535)
    throw new UsageError(`expected ${flag} to be a whole number from ${least}; found ${text}`);
  return number;
}
