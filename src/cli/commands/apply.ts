import {
  applyPlan,
  applyReport,
  catalog,
  checkFresh,
  countsText,
  decodePlan,
  entryText,
  hasErrors,
  ledgerText,
  locateProblems,
  planText,
  problemsText,
  readLive,
  readTemplate,
  readValue,
  redact,
  unsealed,
  unsealPlan,
  type ApplyResult,
  type ChangeId,
  type Entry,
  type Gateway,
  type Problem,
  type ResolveSecret,
  type SavedChange,
  type ShownPlan,
  type SourceFile,
} from '../../index.ts';
import { connect, type ConnectionArgs } from '../connect.ts';
import { problemOf } from '../input.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, parseOutput, type Output } from '../output.ts';
import { readPlanFile } from '../plan-file.ts';
import { planFrom, type PlanningArgs } from '../planning.ts';

export type ApplyArgs = ConnectionArgs &
  PlanningArgs & {
    readonly output?: readonly string[];
    readonly autoApprove?: boolean;
    readonly parallelism?: string;
    readonly keepGoing?: boolean;
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
  const parallelism = parseParallelism(args.parallelism);
  if (planFile !== undefined) refusePlanningFlags(args);
  else if (args.autoApprove !== true && !io.interactive) {
    throw new UsageError('there is no terminal to ask on: give --auto-approve, or apply a saved plan');
  }
  const gateway = await connect(args, io);
  try {
    const run = { args, gateway, io, output, parallelism };
    return planFile === undefined ? await planAndApply(run) : await applySaved(planFile, run);
  } finally {
    await gateway.close();
  }
}

type Running = {
  readonly args: ApplyArgs;
  readonly gateway: Gateway;
  readonly io: Io;
  readonly output: Output;
  readonly parallelism: number;
};

async function planAndApply(run: Running): Promise<ExitCode> {
  const { args, gateway, io, output } = run;
  const planned = await planFrom([], args, gateway, io);
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
  if (answer.trim() !== 'yes') {
    io.err('Nothing was changed.\n');
    return finish(run, 'blocked', shown, [], planned.problems);
  }
  return checkAndCarryOut(run, task); // somebody may have changed something while the question stood
}

async function applySaved(planFile: string, run: Running): Promise<ExitCode> {
  const { gateway, io } = run;
  const { value: saved, problems } = decodePlan(await readPlanFile(planFile, io), planFile);
  if (saved === undefined) return finish(run, 'error', undefined, [], problems);
  const shown = redact({ ...saved, counts: saved.summary }, catalog.kinds);
  if (saved.gateway !== gateway.url) {
    const wrong: Problem = {
      code: 'wrong-target',
      severity: 'error',
      message: `the plan was made for ${saved.gateway}, and this is ${gateway.url}`,
      hint: 'name the gateway of the plan with --url, or plan again for this one',
    };
    return finish(run, 'stale', shown, [], [wrong]);
  }
  const files = await secretFiles(saved.changes, io);
  const unsealing = unsealPlan(saved, resolveFrom(files, io));
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
  const { gateway, io, args, parallelism } = run;
  io.err(`Making ${countsText(shown.counts)}.\n`);
  const options = { parallelism, already, signal: io.interrupted, keepGoing: args.keepGoing === true };
  let done = 0;
  for await (const event of applyPlan(changes, gateway, catalog.kinds, options)) {
    switch (event.type) {
      case 'started':
        break;
      case 'applying':
        if (io.live) io.err(`\r\u001b[K[${done}/${changes.length}] ${event.change.address.slice(0, 60)} …`);
        break;
      case 'ended':
        done += 1;
        io.err(
          `${io.live ? '\r\u001b[K' : ''}[${done}/${changes.length}] ${entryText(event.entry, io.errPaint)}\n`,
        );
        break;
      case 'finished':
        return finish(run, event.ledger.result, shown, event.ledger.entries, problems);
      default:
        event satisfies never;
    }
  }
  throw new Error('the run ended without a ledger');
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
  { io, output, gateway }: Running,
  result: ApplyResult,
  shown: ShownPlan | undefined,
  entries: readonly Entry[],
  found: readonly Problem[],
): Promise<ExitCode> {
  const problems = locateProblems(found);
  const refusals = entries.flatMap((entry) => (entry.outcome === 'failed' ? [entry.problem] : []));
  io.err(problemsText([...problems, ...refusals], io.errPaint));
  const counts = shown?.counts ?? { create: 0, update: 0, replace: 0, delete: 0, unchanged: 0, unmanaged: 0 };
  const human = (): string =>
    result === 'stale' || result === 'blocked' || result === 'error' || result === 'no-changes'
      ? ''
      : ledgerText({ result, entries }, io.outPaint);
  await emit(
    applyReport(result, gateway.url, counts, entries, [...problems, ...refusals]),
    human,
    output,
    io,
  );
  await conclude(result, io);
  return CODES[result];
}

/** The files that secrets of a saved plan are read from again, each once; one that is not there resolves nothing. */
async function secretFiles(
  changes: readonly SavedChange[],
  io: Io,
): Promise<ReadonlyMap<string, SourceFile>> {
  const paths = new Set(
    changes.flatMap(({ secrets }) => Object.values(secrets ?? {}).flatMap((source) => source?.file ?? [])),
  );
  const files = new Map<string, SourceFile>();
  for (const path of paths) {
    try {
      files.set(path, { path, text: await io.readFile(path), named: true });
    } catch {
      continue; // unsealPlan says which secrets are missing for it
    }
  }
  return files;
}

function resolveFrom(files: ReadonlyMap<string, SourceFile>, io: Io): ResolveSecret {
  return ({ template, file, document, path }) => {
    if (template !== undefined) return readTemplate(template, io.env);
    const source = file === undefined ? undefined : files.get(file);
    if (source === undefined || document === undefined || path === undefined) return undefined;
    return readValue(source, document, path, io.env);
  };
}

function refusePlanningFlags(args: ApplyArgs): void {
  const given = (['file', 'target', 'exclude', 'prune', 'manages', 'allowEmpty'] as const).filter(
    (name) => args[name] !== undefined,
  );
  if (given.length > 0) {
    throw new UsageError(
      `a saved plan says all there is to do; leave out ${given.map((name) => `--${name}`).join(', ')}`,
    );
  }
}

function parseParallelism(text: string | undefined): number {
  if (text === undefined) return 8;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`expected --parallelism of at least 1; found ${text}`);
  return count;
}
