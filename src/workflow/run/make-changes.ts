import { applyPlan, type ApplyOptions, DEFAULT_SETTLE_TIMEOUT_MS } from '../../apply/apply.ts';
import { estimateRun } from '../../apply/estimate.ts';
import {
  type ApplyEvent,
  canResume,
  hasChanged,
  entryFieldsOf,
  summarizeResult,
  type Entry,
  type Ledger,
} from '../../apply/events.ts';
import { boundsFor } from '../../apply/limiter/limiter.ts';
import { RetryBudget } from '../../apply/limiter/retries.ts';
import { findExcluded } from '../../apply/run-state.ts';
import { checkPlan, type BoundPlan } from '../../apply/verify/check-plan.ts';
import { applyLint, hasErrors, isBlocked, type LocatedProblem, type Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { idOf, type Change, type ChangeId, isStep } from '../../plan/change/change.ts';
import { countActions, type Undoes } from '../../plan/change/plan.ts';
import { checkInterceptorList } from '../../plan/checks/conflicts.ts';
import { findNeeded, type NeededLimits } from '../../plan/checks/limits.ts';
import { applyTo } from '../../plan/exposure/moved-clients.ts';
import { orderOnly } from '../../plan/exposure/order-safely.ts';
import type { SavedChange } from '../../plan/saved/saved-plan.ts';
import { restoreLiveSecrets } from '../../plan/saved/unseal-plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { makeUndo, remainingChanges, type Undo } from '../../plan/undo/undo.ts';
import { withDigests } from '../digests.ts';
import { gatewayProblem, readGateway } from '../live/read-live.ts';
import { rulesOf } from '../project/workspace.ts';
import { findUnprotected } from './find-exposures.ts';
import { journalFile } from './journal-files.ts';
import { openRunJournal, type JournalInput } from './journal.ts';
import { endEarly, type Run, type Ended } from './start-run.ts';

/** The changes to make, and what must still be true for them. */
export type Task = BoundPlan &
  Omit<JournalInput, 'undo'> & {
    readonly shown: ShownPlan;
    readonly problems: readonly Problem[];
    /** Objects that cannot be made, each with the reason. */
    readonly excluded?: ReadonlyMap<Address, LocatedProblem>;
    /** What undoes a run that is resumed, as it was reported when it began. */
    readonly undoes?: Undoes;
    /** The changes of that. */
    readonly undone?: readonly Change[];
    readonly earlier?: EarlierWrites;
    /** What needs no call of this run, and is in the plan: the journal has it, too. */
    readonly taken?: readonly SavedChange[];
    /** What was live when the plan was made, if it was made in this run. */
    readonly before?: ReadonlyMap<Address, Resource>;
    /** Why the changes must not be made, once the gateway is read. */
    readonly guard?: (found: CheckedChanges) => Promise<readonly Problem[]>;
    /** Whether what cannot be undone was reported before approval. */
    readonly areLossesReported?: boolean;
  };

export type CheckedChanges = {
  /** With all secrets. */
  readonly changes: readonly SavedChange[];
  readonly already: ReadonlySet<ChangeId>;
  /** What is not made, since something is missing. */
  readonly held: ReadonlySet<ChangeId>;
  readonly live: LiveState;
};

/** Reads the gateway once more and makes the changes, unless something has changed that they depend on. */
export async function checkAndMakeChanges(run: Run, task: Task): Promise<Ended> {
  const { shown, problems, earlier = NO_EARLIER_WRITES } = task;
  try {
    const found = await awaitWrites(run, task.changes, earlier, async () => {
      const live = await readGateway(run.workspace, run.gateway);
      return { live, ...(await compareWithLive(run, task, live, shown.undoes)) };
    });
    const { live, restored, complete, already, stale } = found;
    if (stale.length > 0) return endEarly('stale', [...problems, ...stale], shown);
    const errors = restored.problems;
    if (hasErrors(errors)) return endEarly('error', [...problems, ...errors], shown);
    const held = findExcluded(complete.changes, task.excluded ?? new Map());
    const { catalog, project } = run.workspace;
    const against = [
      ...applyLint(checkInterceptorList(live, catalog.kinds), project.lint),
      ...((await task.guard?.({ changes: complete.changes, already, held, live })) ?? []),
    ];
    const told = problems.map(({ message }) => message);
    const all = [...problems, ...against.filter(({ message }) => !told.includes(message))];
    if (hasErrors(against)) return endEarly(resultOf(against), all, shown);
    if (all.length > problems.length) run.emit({ type: 'warned', problems: all });
    return await makeChanges(run, { ...complete, problems: all }, already, live.resources);
  } catch (error) {
    return endEarly('error', [...problems, gatewayProblem(error)], shown);
  }
}

/** How a run ends that these problems keep from beginning. */
export function resultOf(found: readonly Problem[]): 'stale' | 'blocked' | 'error' {
  if (found.some(({ code }) => code === 'applied-plan' || code === 'stale-plan')) return 'stale';
  return isBlocked(found) ? 'blocked' : 'error';
}

/** Which changes are made already, and what has changed since they were planned. */
export function compareWithLive<B extends BoundPlan>(
  { host, workspace: { catalog } }: Run,
  plan: B,
  live: LiveState,
  undoes: Undoes | undefined,
) {
  return withDigests(host, plan.salt, (slow) => {
    const restored = restoreLiveSecrets(plan, live.resources, slow);
    const complete = { ...plan, changes: restored.value };
    const { already, stale } = checkPlan(complete, live, catalog.kinds, slow);
    const told = undoes === undefined ? stale : stale.map((one) => ({ ...one, hint: STALE_UNDO }));
    return { restored, complete, already, stale: told };
  });
}

const NO_EARLIER_WRITES: EarlierWrites = { isUnshown: () => false, lastCallAt: undefined };
const STALE_UNDO =
  'to take back the rest, set the files back and run gwconf apply, with --exclude and the address of what is to stay as it is now';

/** Makes the changes, each call recorded in the journal. */
export async function makeChanges(
  run: Run,
  task: Task,
  already: ReadonlySet<ChangeId> = new Set(),
  live?: ReadonlyMap<Address, Resource>,
): Promise<Ended> {
  const { emit, keepGoing, parallelism, settleTimeoutMs } = run;
  const { shown, changes, problems, excluded = new Map<Address, LocatedProblem>() } = task;
  const undo = undoOf(
    run,
    task,
    live === undefined ? changes : remainingChanges(changes, already, live),
    live,
  );
  const opened = await openRunJournal(run, { ...task, undo });
  const journal = opened.value;
  if (journal === undefined) return endEarly('error', [...problems, ...opened.problems], shown);
  const { name } = journal;
  for (const change of task.taken ?? []) journal.ended({ ...entryFieldsOf(change), outcome: 'already' });
  const isNew = task.resumes === undefined;
  const newUndo = name === undefined ? undefined : { run: name, losses: undo.losses };
  const undoes = isNew ? newUndo : task.undoes;
  if (isNew && undoes !== undefined && task.areLossesReported !== true)
    emit({ type: 'losses', losses: undoes.losses });
  const held = findExcluded(changes, excluded);
  const left = changes.filter((change) => !already.has(idOf(change)) && !held.has(idOf(change)));
  const estimate = estimateRun(left, boundsFor(run.gateway.parallelism, parallelism), run.latencyMs());
  emit({ type: 'began', total: changes.length, counts: countActions(left), estimate });
  const options: ApplyOptions = {
    ...{ parallelism, settleTimeoutMs, keepGoing, already, excluded },
    found: live,
    clock: run.host.clock,
    journal: journal.calls,
    signal: journal.signal,
  };
  let ledger: Ledger | undefined;
  const unverified: Problem[] = [];
  for await (const event of applyPlan(changes, run.gateway, run.workspace.catalog.kinds, options)) {
    if (event.type === 'finished') {
      ledger = event.ledger;
      continue;
    }
    if (event.type === 'ended') journal.ended(event.entry);
    if (event.type === 'unverified') unverified.push(reportUnverified(event));
    emit(event);
  }
  if (ledger === undefined) throw new Error('the run ended without a ledger');
  const { entries } = ledger;
  const { unprotected, weaker } = findUnprotected(run, live ?? task.before, { changes, shown }, entries);
  // A run that is resumed may have made everything before it was killed.
  const hasWritten = entries.some(hasChanged) || (task.resumes?.written.size ?? 0) > 0;
  // What somebody else has changed since is not as the run left it: its undo would be stale.
  const isOvertaken = entries.some((one) => one.outcome === 'failed' && one.problem.code === 'overtaken');
  const canUndo = undo.changes.length > 0 && hasWritten && !isOvertaken;
  const needs = canUndo ? { needs: findUndoNeeds(run, task, undo.changes, entries) } : {};
  const result = summarizeResult(entries, run.signal.aborted); // a journal that cannot be written is no interruption
  const unwritten = await journal.finish({ result, entries });
  const isKept = name !== undefined && run.host.exists(journalFile(run.journal ?? '', name));
  const gone = name === undefined || isKept ? [] : [journalGone(run.journal ?? '', name)];
  return {
    result,
    shown,
    entries,
    problems: [...problems, ...unverified, ...weaker, ...unwritten, ...gone],
    ...(unprotected.length === 0 ? {} : { unprotected }),
    ...(isKept && canResume(entries) ? { resumable: name } : {}),
    ...(undoes === undefined || !isKept ? {} : { undo: { ...undoes, ...needs } }),
  };
}

function reportUnverified({ kind, why }: Extract<ApplyEvent, { type: 'unverified' }>): Problem {
  return {
    code: 'gateway-error',
    severity: 'warning',
    message: `${kind} could not be read again after the writes: ${why}`,
    hint: 'the gateway has confirmed them: plan again to see whether they are in effect',
  };
}

/** All calls are made by then: somebody has deleted the folder, such as a job that cleans up. */
function journalGone(folder: string, run: string): Problem {
  return {
    code: 'unwritable-journal',
    severity: 'warning',
    message: `the journal of run ${run} is no longer in ${folder}`,
    hint: 'the run can neither be resumed nor undone: plan again to see what is left',
  };
}

/** The limits that would stop the undo of what was made. */
function findUndoNeeds(
  { workspace }: Run,
  { resumes, undone }: Task,
  own: readonly Change[],
  entries: readonly Entry[],
): NeededLimits {
  const made = new Set(entries.filter(hasChanged).map(({ address }) => address));
  const isMade = ({ address }: Change): boolean =>
    made.has(address) || resumes?.written.has(address) === true;
  return findNeeded((undone ?? own).filter(isMade), rulesOf(workspace).limits ?? {});
}

/** What is excluded may be made when the run is resumed, and cannot be undone even then. */
function undoOf(
  { workspace }: Run,
  { before, excluded = new Map<Address, LocatedProblem>() }: Task,
  changes: readonly Change[],
  live: ReadonlyMap<Address, Resource> | undefined,
): Undo {
  const { kinds } = workspace.catalog;
  const made = changes.filter(({ address }) => !excluded.has(address));
  const found = before ?? live;
  const undo = makeUndo(
    made,
    kinds,
    found &&
      ((drafts) =>
        orderOnly(
          drafts,
          applyTo(found, made),
          kinds,
          rulesOf(workspace).protection,
          workspace.secrets.known,
        )),
  );
  const reason = 'this run begins without its secret';
  const left = [...excluded.keys()].map((address) => ({ address, leftOut: true, reason }));
  return { ...undo, losses: [...undo.losses, ...left] };
}

/** What a journal says was written before, which a gateway whose reads lag may not show yet. */
export type EarlierWrites = {
  /** Whether the live state is without the write of this object, `isMade` being whether it is as the change makes it. */
  readonly isUnshown: (change: SavedChange, isMade: boolean) => boolean;
  /** When the last call was begun, ISO 8601: from then on they have the settle timeout to show. */
  readonly lastCallAt: string | undefined;
};

/** How many milliseconds a gateway still has to show what was written by a call that began at this time, or a moment ago. */
export function timeToShow({ host, settleTimeoutMs }: Run, at: string | undefined): number {
  const settle = settleTimeoutMs ?? DEFAULT_SETTLE_TIMEOUT_MS;
  const passed = at === undefined ? 0 : host.now().getTime() - Date.parse(at);
  return settle - Math.min(Math.max(passed, 0), settle);
}

/** Reads again, by `read`, until all earlier writes show, or their time is over: from then on, what the gateway shows counts. */
async function awaitWrites<T extends { readonly already: ReadonlySet<ChangeId> }>(
  run: Run,
  changes: readonly SavedChange[],
  { isUnshown, lastCallAt }: EarlierWrites,
  read: () => Promise<T>,
): Promise<T> {
  const { host, signal } = run;
  const left = timeToShow(run, lastCallAt);
  const retries = new RetryBudget({ clock: host.clock, settleTimeoutMs: left });
  for (let round = 1; ; round += 1) {
    const found = await read();
    const isMade = (change: SavedChange): boolean => found.already.has(idOf(change));
    const unshown = changes.filter((change) => !isStep(change) && isUnshown(change, isMade(change)));
    const delay = unshown.length === 0 || signal.aborted ? undefined : retries.nextDelay();
    if (delay === undefined) return found;
    if (round === 1) run.emit({ type: 'waiting-for-writes', objects: unshown.length, forMs: left });
    await host.clock.wait(delay, signal);
  }
}
