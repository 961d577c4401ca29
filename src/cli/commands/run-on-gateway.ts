import type { Detail } from '../../report/text/text-options.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import type { RunOptions, RunResult } from '../../workflow/run/run.ts';
import { tryConnect } from '../connect/connect.ts';
import { journalFolder, millisecondsOf, openWorkspaceFor, type RuleArgs } from '../connect/flags.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import { UsageError, type Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { askToApprove } from '../present/approval.ts';
import type { PlaceArgs } from '../present/command-line.ts';
import { parseOutput } from '../present/output.ts';
import { RunPresenter } from '../present/present-run.ts';

/** What every command takes that writes to a gateway. */
export type RunArgs = PlaceArgs &
  RuleArgs & {
    readonly output?: readonly string[];
    readonly detail?: Detail;
    readonly autoApprove?: boolean;
    readonly parallelism?: string;
    readonly keepGoing?: boolean;
    readonly settleTimeout?: string;
    readonly wait?: string;
  };

/** What a run is given. */
export type RunInput = {
  readonly workspace: Workspace;
  readonly gateway: Gateway;
  readonly options: RunOptions & { readonly journal: string | undefined };
};

/** How a command runs: whether the plan is shown first, and whether the changes have to be approved. */
export type RunManner = { readonly showsPlan: boolean; readonly asks: boolean };

/** Opens project and gateway, runs, and presents the run. Where there is no gateway, the report says why. */
export async function runOnGateway(
  args: RunArgs,
  io: Io,
  { showsPlan, asks }: RunManner,
  run: (input: RunInput) => Promise<RunResult>,
): Promise<ExitCode> {
  const output = parseOutput(args.output, io, args);
  const settleTimeoutMs = millisecondsOf(args.settleTimeout ?? io.env('GWCONF_SETTLE_TIMEOUT'));
  const lockTimeoutMs = millisecondsOf(args.wait ?? io.env('GWCONF_WAIT'));
  const parallelism = parseParallelism(args.parallelism);
  const workspace = await openWorkspaceFor(args, io);
  const connected = await tryConnect(args, io, workspace);
  const environment = workspace.environment?.name;
  const stage = { io, output, place: args, showsPlan, environment };
  if ('problems' in connected) {
    const { problems, result } = connected;
    const presenter = new RunPresenter({ ...stage, url: '', warnings: [] });
    return presenter.finish({ result, entries: [], problems });
  }
  const { gateway, warnings } = connected;
  const presenter = new RunPresenter({ ...stage, url: gateway.url, warnings });
  try {
    const journal = journalFolder(args, workspace, io);
    const options = {
      journal,
      planKeys: await readPlanKeys(io),
      parallelism,
      keepGoing: args.keepGoing,
      settleTimeoutMs,
      lockTimeoutMs,
      signal: io.interrupted,
      onEvent: presenter.onEvent,
      ...(asks ? { approve: askToApprove(gateway.url, io) } : {}),
    };
    return await presenter.finish(await run({ workspace, gateway, options }));
  } finally {
    presenter.flush();
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
