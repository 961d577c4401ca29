import type { Gateway } from '../../gateway/gateway.ts';
import type { Problem } from '../../model/problem.ts';
import { systemClock } from '../../ports/system-clock.ts';
import type { PlaceArgs } from '../present/command-line.ts';
import { tryConnect } from './connect.ts';
import { millisecondsOf } from './duration.ts';
import { finish } from '../present/finish.ts';
import { UsageError, VERDICTS, type ExitCode, type Io } from '../io.ts';
import { timed } from '../latency.ts';
import { journalFolder } from '../journal-folder.ts';
import { parseOutput, type Output } from '../present/output.ts';
import { openProject, type OpenProject } from '../project.ts';

/** What every command takes that writes to a gateway. */
export type RunArgs = PlaceArgs & {
  readonly output?: readonly string[];
  readonly parallelism?: string;
  readonly keepGoing?: boolean;
  readonly settleTimeout?: string;
};

/** What a run has at hand from its beginning to its end. */
export type Running = {
  readonly gateway: Gateway;
  /** What is odd about the way to it. */
  readonly warnings: readonly Problem[];
  /** Of these and what else was found: what was told already. */
  readonly said?: readonly Problem[];
  readonly project: OpenProject;
  /** What led it here. */
  readonly place: PlaceArgs;
  readonly io: Io;
  readonly output: Output;
  readonly parallelism: number;
  readonly keepGoing: boolean;
  readonly latencyMs: () => number | undefined;
  readonly settleTimeoutMs: number | undefined;
  /** The folder of the journal; undefined when none is kept. */
  readonly journal: string | undefined;
};

/** Opens project and gateway, does the work, and lets go of the gateway. Where there is no gateway, the report says why. */
export async function withGateway(
  args: RunArgs,
  io: Io,
  work: (run: Running) => Promise<ExitCode>,
): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const settleTimeoutMs = millisecondsOf(args.settleTimeout ?? io.env('GWCONF_SETTLE_TIMEOUT'));
  const ceiling = parseParallelism(args.parallelism);
  const project = await openProject(args, io);
  const connected = await tryConnect(args, io, project);
  if ('problems' in connected) {
    const nowhere = { io, output, gateway: { url: '' }, warnings: [] };
    return finish(nowhere, VERDICTS[connected.exit], undefined, [], connected.problems);
  }
  const { gateway, latencyMs } = timed(connected.gateway, io.clock ?? systemClock);
  try {
    const parallelism = ceiling ?? gateway.parallelism ?? 8;
    const { warnings } = connected;
    const manner = { parallelism, keepGoing: args.keepGoing === true, latencyMs, settleTimeoutMs };
    const journal = journalFolder(args, project, io);
    return await work({ gateway, warnings, project, place: args, io, output, ...manner, journal });
  } finally {
    await gateway.close();
  }
}

function parseParallelism(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`expected --parallelism of at least 1; found ${text}`);
  return count;
}
