import {
  applyPlan,
  budgetOf,
  budgetText,
  catalog,
  checkPlan,
  countsText,
  idOf,
  kindsToCheck,
  readLive,
  systemClock,
  type BoundPlan,
  type ChangeId,
  type Problem,
  type ShownPlan,
} from '../index.ts';
import { finish } from './finish.ts';
import { problemOf } from './input.ts';
import type { ExitCode } from './io.ts';
import { liveSecrets } from './planning.ts';
import { tell } from './progress.ts';
import type { Running } from './running.ts';

/** What there is to do, and what must still be true for it. */
export type Task = BoundPlan & { readonly shown: ShownPlan; readonly problems: readonly Problem[] };

/** Looks at the gateway again; one thing that moved stops the run before the first write. */
export async function checkAndCarryOut(run: Running, task: Task): Promise<ExitCode> {
  const { shown, problems } = task;
  try {
    const live = await readLive(run.gateway, kindsToCheck(task, catalog.kinds));
    run.io.masker.learn(() => liveSecrets(live));
    const { already, stale } = checkPlan(task, live, catalog.kinds);
    if (stale.length > 0) return await finish(run, 'stale', shown, [], [...problems, ...stale]);
    return await carryOut(run, task, already);
  } catch (error) {
    return finish(run, 'error', shown, [], [...problems, problemOf(error)]);
  }
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
