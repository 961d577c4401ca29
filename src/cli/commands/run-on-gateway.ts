import { present } from '../../model/collect.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { makePlanReport } from '../../outcome/plan.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { endUnopened, type RunOptions, type RunResult, type Approval } from '../../workflow/run/start-run.ts';
import { durationOf, journalFolder, wantedEnvironment } from '../connect/read-flags.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import type { Given } from '../given.ts';
import { confirm, UsageError } from '../io.ts';
import { commandLine, ruleFlags } from '../present/command-line.ts';
import type { Ending } from '../present/finish.ts';
import { RunPresenter } from '../present/present-run.ts';

type RunInput = {
  readonly workspace: Workspace;
  readonly gateway: Gateway;
  readonly options: RunOptions & { readonly journal: string | undefined };
};

/**
 * How a command runs: whether the plan is shown first, and whether the changes have to be approved; or they are only
 * shown, of the command that would make them.
 */
type RunManner = {
  readonly showsPlan: boolean;
  readonly asks: boolean;
  readonly dryRunOf?: readonly string[];
  /** Throws for an argument that is wrong, before anything is said of the connection. */
  readonly check?: (workspace: Workspace) => unknown;
};

/** Opens workspace and gateway, runs, and presents the run. Where there is no gateway, the report says why. */
export async function runOnGateway(
  { args, output, io, openWorkspace, connect }: Given<'apply'> | Given<'undo'>,
  { showsPlan: showsFirst, asks, dryRunOf, check }: RunManner,
  carryOut: (input: RunInput) => Promise<RunResult>,
): Promise<Ending> {
  const settleTimeoutMs = durationOf(args, 'settleTimeout', io);
  const lockTimeoutMs = durationOf(args, 'wait', io);
  const parallelism = parseParallelism(args.parallelism);
  const workspace = await openWorkspace(args);
  await check?.(workspace);
  const connected = await connect(args, workspace);
  const showsPlan = showsFirst && dryRunOf === undefined;
  const environment = workspace.environment?.name;
  // Of several environments, a saved plan names its own; the commands that come after it have to be told.
  const isOfPlan = wantedEnvironment(args, io) === undefined && workspace.project.environments.size > 1;
  const place = isOfPlan ? { ...args, ...present({ env: environment }) } : args;
  const stage = { io, output, place, showsPlan, environment };
  if ('problems' in connected)
    return new RunPresenter({ ...stage, warnings: [] }).end(endUnopened(workspace, connected));
  const { gateway, warnings } = connected;
  const presenter = new RunPresenter({ ...stage, warnings });
  const asked: Approval[] = [];
  const refuse = (question: Approval): Promise<boolean> => {
    asked.push(question);
    return Promise.resolve(false);
  };
  try {
    const options = {
      journal: journalFolder(args, workspace, io),
      planKeys: await readPlanKeys(io),
      parallelism,
      keepGoing: args.keepGoing,
      settleTimeoutMs,
      lockTimeoutMs,
      signal: io.interrupted,
      warnings,
      onEvent: presenter.onEvent,
      ...(dryRunOf !== undefined ? { approve: refuse } : {}),
      ...(asks && dryRunOf === undefined
        ? { approve: (approval: Approval) => confirm(questionOf(approval, gateway.url), io) }
        : {}),
    };
    const ran = await carryOut({ workspace, gateway, options });
    // What stops the run does not hide its changes, and where nothing can be made, the plan says why.
    const isStopped = asked.length === 0;
    const hasPlan = ['blocked', 'no-changes', 'error'].includes(ran.result);
    const isShown = dryRunOf !== undefined && hasPlan && ran.shown !== undefined;
    if (isStopped && !isShown) return presenter.end(ran);
    const problems = locateProblems(ran.problems);
    const report = makePlanReport(ran.shown, gateway.url, problems, { environment });
    const words = [...(dryRunOf ?? ['undo']), ...ruleFlags(args)];
    const hints = isStopped ? '' : `To make these changes: ${commandLine(words, args)}\n`;
    return {
      view: { report, problems },
      problems: presenter.unprinted(ran.problems),
      hints,
      isNarrowed: ran.shown !== undefined && isNarrowed(ran.shown),
    };
  } finally {
    presenter.flush();
  }
}

function parseParallelism(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`expected --parallelism of at least 1; found ${text}`);
  return count;
}

function questionOf({ shown: { undoes }, part }: Approval, url: string): string {
  if (undoes === undefined) return `Apply these changes to ${url}?`;
  return `Undo ${part === 'all' ? '' : 'the rest of '}run ${undoes.run} on ${url}?`;
}
