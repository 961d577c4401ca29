import {
  applyPlan,
  applyReport,
  budgetOf,
  budgetText,
  catalog,
  checkFresh,
  countsText,
  decodePlan,
  entryText,
  hasErrors,
  isNarrowed,
  idOf,
  ledgerText,
  locateProblems,
  onOneLine,
  planText,
  problemsText,
  readLive,
  redact,
  systemClock,
  unsealed,
  unsealPlan,
  type ApplyEvent,
  type ApplyResult,
  type ChangeId,
  type Entry,
  type Gateway,
  type Problem,
  type SavedChange,
  type ShownPlan,
} from '../../index.ts';
import { tryConnect } from '../connect.ts';
import { millisecondsOf } from '../duration.ts';
import { problemOf } from '../input.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';
import { timed } from '../latency.ts';
import { conclude, emit, parseOutput, type Output } from '../output.ts';
import { readPlanFile, secretsOf } from '../plan-file.ts';
import { planFrom, type PlanningArgs } from '../planning.ts';
import { openProject, type OpenProject, type ProjectArgs } from '../project.ts';
import type { ConnectionArgs } from '../settings.ts';
import { wrongTarget } from '../target.ts';

export type ApplyArgs = ProjectArgs &
  ConnectionArgs &
  PlanningArgs & {
    readonly output?: readonly string[];
    readonly autoApprove?: boolean;
    readonly parallelism?: string;
    readonly keepGoing?: boolean;
    readonly settleTimeout?: string;
  };

/** What there is to do, and what must still be true for it. */
type Task = {
  readonly shown: ShownPlan;
  readonly changes: readonly SavedChange[];
  /** The saved plan's salt, or undefined for a plan that never left this process. */
  readonly salt: string | undefined;
  readonly problems: readonly Problem[];
};

/** Carries out a saved plan, or plans, shows, asks and carries out. */
export async function apply(planFile: string | undefined, args: ApplyArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  if (planFile !== undefined) refusePlanningFlags(args);
  else if (args.autoApprove !== true && !io.interactive) {
    throw new UsageError('there is no terminal to ask on: give --auto-approve, or apply a saved plan');
  }
  const settleTimeoutMs = millisecondsOf(args.settleTimeout ?? io.env('GWCONF_SETTLE_TIMEOUT'));
  const project = await openProject(args, io);
  const connected = await tryConnect(args, io, project);
  if ('problems' in connected) {
    return finish({ io, output, gateway: { url: '' } }, 'error', undefined, [], connected.problems);
  }
  const { gateway, latencyMs } = timed(connected.gateway, io.clock ?? systemClock);
  try {
    const parallelism = parseParallelism(args.parallelism) ?? gateway.parallelism ?? 8;
    const run = { args, gateway, project, io, output, parallelism, latencyMs, settleTimeoutMs };
    return planFile === undefined ? await planAndApply(run) : await applySaved(planFile, run);
  } finally {
    await gateway.close();
  }
}

type Running = {
  readonly args: ApplyArgs;
  readonly gateway: Gateway;
  readonly project: OpenProject;
  readonly io: Io;
  readonly output: Output;
  readonly parallelism: number;
  readonly latencyMs: () => number | undefined;
  readonly settleTimeoutMs: number | undefined;
};

async function planAndApply(run: Running): Promise<ExitCode> {
  const { args, gateway, io, output } = run;
  const elsewhere = wrongTarget(undefined, gateway.url, run.project);
  if (elsewhere !== undefined) return finish(run, 'stale', undefined, [], [elsewhere]);
  const planned = await planFrom([], args, gateway, run.project, io);
  const plan = planned.plan;
  if (plan === undefined || hasErrors(planned.problems)) {
    return finish(run, planned.exit === EXIT.blocked ? 'blocked' : 'error', undefined, [], planned.problems);
  }
  const shown = redact(plan, catalog.kinds);
  const show = output.stdout === 'human' ? io.out : io.err;
  show(planText(shown, output.stdout === 'human' ? io.outPaint : io.errPaint));
  const task = { shown, changes: plan.changes.map(unsealed), salt: undefined, problems: planned.problems };
  if (plan.changes.length === 0) return finish(run, 'no-changes', shown, [], planned.problems);
  if (args.autoApprove === true) return carryOut(run, task, new Set());
  const answer = await io.ask(`Make these changes on ${gateway.url}? Only yes is taken for a yes: `);
  if (answer.trim() !== 'yes' || io.interrupted.aborted) {
    io.err('Nothing was changed.\n');
    return finish(run, io.interrupted.aborted ? 'interrupted' : 'blocked', shown, [], planned.problems);
  }
  return checkAndCarryOut(run, task); // somebody may have changed something while the question stood
}

async function applySaved(planFile: string, run: Running): Promise<ExitCode> {
  const { gateway, io } = run;
  const { value: saved, problems } = decodePlan(await readPlanFile(planFile, io), planFile);
  if (saved === undefined) return finish(run, 'error', undefined, [], problems);
  const shown = redact({ ...saved, counts: saved.summary }, catalog.kinds);
  const wrong = wrongTarget(saved, gateway.url, run.project);
  if (wrong !== undefined) return finish(run, 'stale', shown, [], [wrong]);
  const unsealing = unsealPlan(saved, await secretsOf(saved, run.project.variables, io));
  if (hasErrors(unsealing.problems)) return finish(run, 'error', shown, [], unsealing.problems);
  if (saved.changes.length === 0) return finish(run, 'no-changes', shown, [], []);
  return checkAndCarryOut(run, { shown, changes: unsealing.value, salt: saved.salt, problems: [] });
}

/** Reads what the plan touches again; one object that moved stops the run before the first write. */
async function checkAndCarryOut(run: Running, task: Task): Promise<ExitCode> {
  const touched = new Set(task.changes.map(({ kind }) => kind));
  try {
    const live = await readLive(
      run.gateway,
      [...catalog.kinds.values()].filter(({ name }) => touched.has(name)),
    );
    const fresh = checkFresh(task.changes, live.resources, catalog.kinds, task.salt ?? '');
    const stale = task.changes.filter(({ address }) => fresh.get(address as string as ChangeId) === 'stale');
    if (stale.length > 0) return await finish(run, 'stale', task.shown, [], stale.map(staleProblem));
    return await carryOut(
      run,
      task,
      new Set([...fresh].filter(([, state]) => state === 'already').map(([id]) => id)),
    );
  } catch (error) {
    return finish(run, 'error', task.shown, [], [problemOf(error)]);
  }
}

function staleProblem({ address, at, action }: SavedChange): Problem {
  const moved =
    action === 'create'
      ? 'is there by now, and not as the plan would make it'
      : 'is no longer as the plan saw it';
  return {
    code: 'stale-plan',
    severity: 'error',
    message: `${address}${at === undefined ? '' : ` (${at.file}:${at.line})`} ${moved}`,
    address,
    hint: 'plan again',
  };
}

async function carryOut(
  run: Running,
  { shown, changes, problems }: Task,
  already: ReadonlySet<ChangeId>,
): Promise<ExitCode> {
  const { gateway, io, args, parallelism, settleTimeoutMs } = run;
  const planned = changes.filter((change) => !already.has(idOf(change)));
  const budget = budgetText(budgetOf(planned, parallelism, run.latencyMs()));
  io.err(`Making ${countsText(shown.counts)}: ${budget}.\n`);
  io.interrupted.addEventListener('abort', () => {
    io.err('Interrupted: nothing new is started; Ctrl-C again ends at once.\n');
  });
  const options = {
    parallelism,
    already,
    clock: io.clock ?? systemClock,
    signal: io.interrupted,
    keepGoing: args.keepGoing === true,
    ...(settleTimeoutMs === undefined ? {} : { settleTimeoutMs }),
  };
  const ended = new Set<ChangeId>();
  for await (const event of applyPlan(changes, gateway, catalog.kinds, options)) {
    if (event.type === 'finished')
      return finish(run, event.ledger.result, shown, event.ledger.entries, problems);
    if (event.type === 'ended') ended.add(event.entry.id);
    tell(event, `[${ended.size}/${changes.length}]`, io);
  }
  throw new Error('the run ended without a ledger');
}

/** One line for what happened; on a terminal, what goes on stands on a line that is written over. */
function tell(event: Exclude<ApplyEvent, { type: 'finished' }>, count: string, io: Io): void {
  const line = (text: string): void => io.err(`${io.live ? '\r\u001b[K' : ''}${count} ${text}\n`);
  const status = (text: string): void => {
    if (io.live) io.err(`\r\u001b[K${count} ${text} …`);
  };
  switch (event.type) {
    case 'started':
      break;
    case 'applying':
      status(onOneLine(event.change.address).slice(0, 60));
      break;
    case 'retrying':
      line(
        `${onOneLine(event.change.address)}  ${io.errPaint.yellow('again')} ${event.inMs === 0 ? 'now' : `in ${(event.inMs / 1000).toFixed(1)} s`}: ${onOneLine(event.why)}`,
      );
      break;
    case 'settling':
      if (event.because === 'lost-answers') line(`reading ${event.kind} again: an answer was lost`);
      else status(`reading ${event.kind} again`);
      break;
    case 'unread':
      line(`${event.kind} could not be read again after the writes: ${onOneLine(event.why)}`);
      break;
    case 'ended':
      line(entryText(event.entry, io.errPaint));
      break;
    default:
      event satisfies never;
  }
}

const CODES: Readonly<Record<ApplyResult, ExitCode>> = {
  applied: EXIT.ok,
  'no-changes': EXIT.ok,
  partial: EXIT.partial,
  failed: EXIT.failed,
  interrupted: EXIT.interrupted,
  stale: EXIT.stale,
  blocked: EXIT.blocked,
  error: EXIT.failed,
};

async function finish(
  { io, output, gateway }: Pick<Running, 'io' | 'output'> & { readonly gateway: Pick<Gateway, 'url'> },
  result: ApplyResult,
  shown: ShownPlan | undefined,
  entries: readonly Entry[],
  found: readonly Problem[],
): Promise<ExitCode> {
  const refusals = entries.flatMap((entry) => (entry.outcome === 'failed' ? [entry.problem] : []));
  const problems = [...locateProblems(found), ...refusals];
  io.err(problemsText(problems, io.errPaint));
  const counts = shown?.counts ?? { create: 0, update: 0, replace: 0, delete: 0, unchanged: 0, unmanaged: 0 };
  const human = (): string =>
    result === 'stale' || result === 'blocked' || result === 'error' || result === 'no-changes'
      ? ''
      : ledgerText({ result, entries }, io.outPaint);
  const report = applyReport(result, gateway.url, counts, entries, problems);
  await emit({ report, problems, human }, output, io);
  await conclude(result, io, shown !== undefined && isNarrowed(shown));
  return CODES[result];
}

function refusePlanningFlags(args: ApplyArgs): void {
  const { file, target, exclude, prune, manages, allowEmpty } = args;
  const flags = { file, target, exclude, prune, manages, 'allow-empty': allowEmpty };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (given.length > 0) {
    throw new UsageError(
      `a saved plan says all there is to do; leave out ${given.map(([name]) => `--${name}`).join(', ')}`,
    );
  }
}

function parseParallelism(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`expected --parallelism of at least 1; found ${text}`);
  return count;
}
