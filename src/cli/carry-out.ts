import { applyPlan } from '../apply/apply.ts';
import { summarizeResult, type Ledger } from '../apply/events.ts';
import { findExcluded } from '../apply/find-excluded.ts';
import { estimateRun, formatEstimate } from '../apply/limiter/concurrency.ts';
import { checkPlan, selectKindsToCheck, type BoundPlan } from '../apply/verify/check-plan.ts';
import { readLive } from '../gateway/read-live.ts';
import { hasErrors, type LocatedProblem, type Problem } from '../model/problem.ts';
import type { Address, Resource } from '../model/resource.ts';
import { countActions, idOf, type Change, type ChangeId, type Undoes } from '../plan/change/plan.ts';
import { restoreLiveSecrets } from '../plan/saved/live-secrets.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';
import { makeUndo, remainingChanges, type Undo } from '../plan/undo/undo.ts';
import { systemClock } from '../ports/system-clock.ts';
import { formatCounts } from '../report/text/phrases.ts';
import { catalog } from '../schema/kinds/index.ts';
import { finish } from './present/finish.ts';
import { problemOf } from './input.ts';
import type { ExitCode } from './io.ts';
import { liveSecrets } from './planning.ts';
import { keepJournal, type Kept } from './journal.ts';
import { Progress } from './present/progress.ts';
import type { Running } from './connect/open-run.ts';
import { resumeHint, sayLosses, undoHint, wayBack } from './present/undo-hint.ts';

/** What there is to do, and what must still be true for it. */
export type Task = BoundPlan &
  Omit<Kept, 'undo'> & {
    readonly shown: ShownPlan;
    readonly problems: readonly Problem[];
    /** Objects that cannot be made, each with the reason. */
    readonly withheld?: ReadonlyMap<Address, LocatedProblem>;
    /** How a run that is resumed is taken back, as it was said when it began. */
    readonly back?: Undoes;
    /** What cannot be undone was said before somebody was asked. */
    readonly lossesSaid?: boolean;
  };

/** Looks at the gateway again; one thing that moved stops the run before the first write. */
export async function checkAndCarryOut(run: Running, task: Task): Promise<ExitCode> {
  const { shown, problems } = task;
  try {
    const live = await readLive(run.gateway, selectKindsToCheck(task, catalog.kinds));
    run.io.masker.learn(() => liveSecrets(live));
    const known = restoreLiveSecrets(task, live.resources);
    const found = { ...task, changes: known.value };
    const { already, stale } = checkPlan(found, live, catalog.kinds);
    if (stale.length > 0) {
      const moved = shown.undoes === undefined ? stale : stale.map((one) => ({ ...one, hint: NO_WAY_BACK }));
      return await finish(run, 'stale', shown, [], [...problems, ...moved]);
    }
    if (hasErrors(known.problems))
      return await finish(run, 'error', shown, [], [...problems, ...known.problems]);
    return await carryOut(run, found, already, live.resources);
  } catch (error) {
    return finish(run, 'error', shown, [], [...problems, problemOf(error)]);
  }
}

const NO_WAY_BACK = 'it has changed since that run: plan from files that say what is wanted now';

/** Makes the changes, with every call in the journal, tells how it goes, and ends with the ledger. */
export async function carryOut(
  run: Running,
  task: Task,
  already: ReadonlySet<ChangeId> = new Set(),
  live?: ReadonlyMap<Address, Resource>,
): Promise<ExitCode> {
  const { io, keepGoing, parallelism, settleTimeoutMs, place } = run;
  const { shown, changes, problems, withheld = new Map<Address, LocatedProblem>() } = task;
  const undo = undoOf(live === undefined ? changes : remainingChanges(changes, already, live), withheld);
  const opened = await keepJournal(run.journal, { ...task, undo }, io);
  const journal = opened.value;
  if (journal === undefined) return finish(run, 'error', shown, [], [...problems, ...opened.problems]);
  const back = task.resumes === undefined ? wayBack(undo, journal.run) : task.back;
  if (task.resumes === undefined && back !== undefined && task.lossesSaid !== true) sayLosses(back, io);
  const held = findExcluded(changes, withheld);
  const planned = changes.filter((change) => !already.has(idOf(change)) && !held.has(idOf(change)));
  const budget = formatEstimate(estimateRun(planned, parallelism, run.latencyMs()));
  const making = `Making ${formatCounts(countActions(planned))}: ${budget}.\n`;
  io.err(planned.length === 0 ? 'Nothing is left to make.\n' : making);
  const progress = new Progress(changes.length, io);
  io.interrupted.addEventListener('abort', () => {
    progress.flush();
    io.err('Interrupted: nothing new is started; Ctrl-C again ends at once.\n');
  });
  const options = {
    parallelism,
    already,
    excluded: withheld,
    clock: io.clock ?? systemClock,
    journal: journal.calls,
    signal: journal.signal,
    keepGoing,
    ...(settleTimeoutMs === undefined ? {} : { settleTimeoutMs }),
  };
  let ledger: Ledger | undefined;
  try {
    for await (const event of applyPlan(changes, run.gateway, catalog.kinds, options)) {
      if (event.type === 'ended') journal.ended(event.entry);
      if (event.type === 'finished') ledger = event.ledger;
      else progress.tell(event);
    }
  } finally {
    progress.flush();
  }
  if (ledger === undefined) throw new Error('the run ended without a ledger');
  const { entries } = ledger;
  const result = summarizeResult(entries, io.interrupted.aborted); // a journal that broke is nobody's Ctrl-C
  const broken = await journal.finish({ result, entries });
  const isOver = journal.run === undefined || result === 'applied' || result === 'no-changes';
  const canGoBack = undo.changes.length > 0 && entries.some(({ outcome }) => outcome === 'done');
  const afterwards = [
    ...(isOver ? [] : [resumeHint(journal.run, place)]),
    ...(canGoBack && back !== undefined ? [undoHint(back, shown, place)] : []),
  ].join('');
  const ending = { ...run, afterwards, ...(back === undefined ? {} : { undo: back }) };
  return finish(ending, result, shown, entries, [...problems, ...broken]);
}

/** What is withheld may be made when the run is resumed, and has no way back even then. */
function undoOf(changes: readonly Change[], withheld: ReadonlyMap<Address, unknown>): Undo {
  const undo = makeUndo(
    changes.filter(({ address }) => !withheld.has(address)),
    catalog.kinds,
  );
  const reason = 'this run begins without its secret';
  const left = [...withheld.keys()].map((address) => ({ address, leftOut: true, reason }));
  return { ...undo, losses: [...undo.losses, ...left] };
}
