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
  resultOf,
  systemClock,
  type BoundPlan,
  type ChangeId,
  type Problem,
  type ShownPlan,
} from '../index.ts';
import { finish } from './finish.ts';
import { problemOf } from './input.ts';
import type { ExitCode } from './io.ts';
import { keepJournal, type Kept } from './journal.ts';
import { tell } from './progress.ts';
import type { Running } from './running.ts';

/** What there is to do, and what must still be true for it. */
export type Task = BoundPlan & Kept & { readonly shown: ShownPlan; readonly problems: readonly Problem[] };

/** Looks at the gateway again; one thing that moved stops the run before the first write. */
export async function checkAndCarryOut(run: Running, task: Task): Promise<ExitCode> {
  const { shown, problems } = task;
  try {
    const live = await readLive(run.gateway, kindsToCheck(task, catalog.kinds));
    const { already, stale } = checkPlan(task, live, catalog.kinds);
    if (stale.length > 0) return await finish(run, 'stale', shown, [], [...problems, ...stale]);
    return await carryOut(run, task, already);
  } catch (error) {
    return finish(run, 'error', shown, [], [...problems, problemOf(error)]);
  }
}

/** Makes the changes, with every call in the journal, tells how it goes, and ends with the ledger. */
export async function carryOut(run: Running, task: Task, already: ReadonlySet<ChangeId>): Promise<ExitCode> {
  const { io, keepGoing, parallelism, settleTimeoutMs } = run;
  const { shown, changes, problems } = task;
  const opened = await keepJournal(run.journal, task, run.gateway, io);
  const journal = opened.value;
  if (journal === undefined) return finish(run, 'error', shown, [], [...problems, ...opened.problems]);
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
    signal: journal.signal,
    keepGoing,
    ...(settleTimeoutMs === undefined ? {} : { settleTimeoutMs }),
  };
  const ended = new Set<ChangeId>();
  for await (const event of applyPlan(changes, journal.gateway, catalog.kinds, options)) {
    if (event.type === 'finished') {
      const { entries } = event.ledger;
      const result = resultOf(entries, io.interrupted.aborted); // a journal that broke is nobody's Ctrl-C
      const broken = await journal.finish({ result, entries });
      const isOver = run.journal === undefined || result === 'applied' || result === 'no-changes';
      const ending = isOver ? run : { ...run, afterwards: RESUME };
      return finish(ending, result, shown, entries, [...problems, ...broken]);
    }
    if (event.type === 'ended') {
      ended.add(event.entry.id);
      journal.ended(event.entry);
    }
    tell(event, `[${ended.size}/${changes.length}]`, io);
  }
  throw new Error('the run ended without a ledger');
}

const RESUME =
  'gwconf apply --resume goes on with the rest of this plan; gwconf journal tells how far it came.\n';
