import {
  applyPlan,
  budgetOf,
  budgetText,
  catalog,
  checkFresh,
  countsText,
  idOf,
  readLive,
  systemClock,
  type ChangeId,
  type Problem,
  type SavedChange,
  type ShownPlan,
} from '../index.ts';
import { finish } from './finish.ts';
import { problemOf } from './input.ts';
import type { ExitCode } from './io.ts';
import { tell } from './progress.ts';
import type { Running } from './running.ts';

/** What there is to do, and what must still be true for it. */
export type Task = {
  readonly shown: ShownPlan;
  readonly changes: readonly SavedChange[];
  /** The saved plan's salt, or undefined for a plan that never left this process. */
  readonly salt: string | undefined;
  readonly problems: readonly Problem[];
};

/** Reads what the plan touches again; one object that moved stops the run before the first write. */
export async function checkAndCarryOut(run: Running, task: Task): Promise<ExitCode> {
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

export async function carryOut(
  run: Running,
  { shown, changes, problems }: Task,
  already: ReadonlySet<ChangeId>,
): Promise<ExitCode> {
  const { gateway, io, keepGoing, parallelism, settleTimeoutMs } = run;
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
    keepGoing,
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
