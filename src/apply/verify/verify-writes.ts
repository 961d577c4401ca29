import { addAll, addTo, groupBy, largestOf } from '../../model/collect.ts';
import { knownKind } from '../../model/kind.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../../plan/change/change.ts';
import { performWrite, type RunContext } from '../perform-write.ts';
import { toEntry, makeFailedEntry, lastWriteOf } from '../perform-change.ts';
import { describeMismatch, isSame } from './match-live.ts';
import type { Entry } from '../events.ts';
import { RetryBudget, isRetryable } from '../limiter/retries.ts';

/**
 * A change that is not in effect: `not-there` if the gateway still has what was there before, as one that lags does;
 * `overtaken` if it has something that this run neither found nor wrote.
 */
type Missing = {
  readonly change: Change;
  readonly mismatch: string;
  readonly because: 'not-there' | 'overtaken';
};
type Corrected = { readonly change: Change; readonly entry: Entry };

/**
 * Reads the objects that a run has written until all are in effect. An object that is not in effect in time is written once more,
 * and then counts as failed. An object that another client has changed meanwhile is overtaken, and not written again. If all this
 * took more than one round, everything is read once more, so that the ledger holds at the end of the run. Returns the entries that
 * changed.
 */
export async function verifyWrites(
  changes: readonly Change[],
  entries: ReadonlyMap<ChangeId, Entry>,
  context: RunContext,
): Promise<readonly Corrected[]> {
  const touched = lastSuccessfulChanges(changes, entries);
  const check = new Check(changes, context);
  const overtaken: Missing[] = [];
  const failed: Corrected[] = [];
  const split = (missing: readonly Missing[]): readonly Missing[] => {
    addAll(
      overtaken,
      missing.filter(({ because }) => because === 'overtaken'),
    );
    return missing.filter(({ because }) => because === 'not-there');
  };

  const rewritten: Change[] = [];
  // An object that was written twice already is not waited for as long, and not written a third time.
  const isDoubted = ({ address }: Change): boolean => context.rewrites.has(address);
  const doubted = await check.poll(touched.filter(isDoubted), context.settleTimeoutMs / 4);
  addAll(failed, split(doubted).map(failNotThere));
  for (const { change, mismatch } of split(
    await check.poll(touched.filter((change) => !isDoubted(change))),
  )) {
    if (context.signal.aborted) break;
    context.emit({ type: 'retrying', change, why: `confirmed but not in effect: ${mismatch}`, inMs: 0 });
    const made = await performWrite(lastWriteOf(change), change, context);
    if (made.outcome === 'failed') failed.push({ change, entry: toEntry(change, made, context) });
    else if (made.outcome === 'not-attempted') failed.push(failNotThere({ change, mismatch }));
    else rewritten.push(change);
  }
  addAll(failed, split(await check.poll(rewritten)).map(failNotThere));

  const known = new Set([...overtaken, ...failed].map(({ change }) => change));
  if (check.rounds > 1 && !context.signal.aborted) {
    const last = await check.readOnce(touched.filter((change) => !known.has(change)));
    addAll(failed, split(last).map(failNotThere));
  }
  const wasDone = (change: Change): boolean => entries.get(idOf(change))?.outcome === 'done';
  return [...failed, ...overtaken.map((one) => failOvertaken(one, wasDone(one.change)))];
}

/** For each object its last change, if this run made it and no later one failed. */
function lastSuccessfulChanges(
  changes: readonly Change[],
  entries: ReadonlyMap<ChangeId, Entry>,
): readonly Change[] {
  const last = new Map<Address, Change | undefined>();
  for (const change of changes) {
    const outcome = entries.get(idOf(change))?.outcome;
    if (outcome === 'done' || outcome === 'already') last.set(change.address, change);
    if (outcome === 'failed') last.set(change.address, undefined);
  }
  return [...last.values()].filter((change) => change !== undefined);
}

function failNotThere({ change, mismatch }: Pick<Missing, 'change' | 'mismatch'>): Corrected {
  const message = `the ${change.action} of ${change.address} was confirmed but is not in effect: ${mismatch}`;
  return {
    change,
    entry: makeFailedEntry(change, { message, hint: 'check the gateway, then plan again' }),
  };
}

function failOvertaken({ change, mismatch }: Missing, changed: boolean): Corrected {
  const message = `${change.address} was overtaken: this run wrote it, and something else is there now: ${mismatch}`;
  const hint =
    'another client changed it during this run, or the gateway keeps it in another form: plan again';
  const entry = makeFailedEntry(change, {
    ...{ message, hint, code: 'overtaken' },
    ...(changed ? { changed: true } : {}),
  });
  return { change, entry };
}

/** Waiting is told of, so that a run that reads for long does not look as if it hung. */
const TELL_FIRST_MS = 1000;
const TELL_AGAIN_MS = 5000;

/** Compares changes with what the gateway has. */
class Check {
  readonly #changes: readonly Change[];
  readonly #context: RunContext;
  /** What the run has found and written, by address; computed when something is missing. */
  #states: ReadonlyMap<Address, readonly (Resource | undefined)[]> | undefined;
  /** Kinds that could not be read in time. */
  readonly #unread = new Set<string>();
  /** Rounds of reading so far. */
  rounds = 0;

  constructor(changes: readonly Change[], context: RunContext) {
    this.#changes = changes;
    this.#context = context;
  }

  /** The writes that are not in effect within the timeout, or are overtaken. A kind that cannot be read is reported as unverified. */
  async poll(
    changes: readonly Change[],
    settleTimeoutMs = this.#context.settleTimeoutMs,
  ): Promise<readonly Missing[]> {
    const { signal, clock } = this.#context;
    const retries = new RetryBudget({ clock, settleTimeoutMs });
    const end = clock.now() + settleTimeoutMs;
    let tellAt = clock.now() + TELL_FIRST_MS;
    const overtaken: Missing[] = [];
    let notThere: readonly Missing[] = [];
    let open: readonly (readonly Change[])[] = [...groupBy(changes, kindOfChange).values()];
    while (open.length > 0 && !signal.aborted) {
      const looked = await this.#readRound(open);
      const missing = looked.flatMap((found) => ('missing' in found ? found.missing : []));
      addAll(
        overtaken,
        missing.filter(({ because }) => because === 'overtaken'),
      );
      notThere = missing.filter(({ because }) => because === 'not-there');
      const asked = largestOf(looked.map((found) => ('retryAfterMs' in found ? found.retryAfterMs : 0)));
      open = looked.flatMap((found) => found.open);
      // A read of a gateway that is gone has been tried for long already.
      const isGone = clock.now() >= end && looked.every((found) => 'why' in found || found.open.length === 0);
      const ms = open.length === 0 || isGone ? undefined : retries.nextDelay(asked === 0 ? undefined : asked);
      if (ms === undefined) {
        for (const found of looked) {
          if (!('why' in found) || found.open.length === 0) continue;
          this.#context.emit({ type: 'unverified', kind: found.kind, why: found.why });
          this.#unread.add(found.kind);
        }
        break;
      }
      if (clock.now() + ms >= tellAt) {
        const forMs = Math.max(ms, end - clock.now());
        this.#context.emit({ type: 'unsettled', changes: open.flat().length, forMs });
        tellAt = clock.now() + TELL_AGAIN_MS;
      }
      await clock.wait(ms, signal);
    }
    return [...overtaken, ...(signal.aborted ? [] : notThere)];
  }

  /** The writes that are not in effect now; a kind that cannot be read is taken to be unchanged. */
  async readOnce(changes: readonly Change[]): Promise<readonly Missing[]> {
    const read = changes.filter((change) => !this.#unread.has(kindOfChange(change)));
    const looked = await this.#readRound([...groupBy(read, kindOfChange).values()]);
    return looked.flatMap((found) => ('missing' in found ? found.missing : []));
  }

  #readRound(open: readonly (readonly Change[])[]): Promise<readonly KindCheck[]> {
    if (open.length > 0) this.rounds += 1;
    return Promise.all(open.map((ofKind) => this.#readKind(ofKind)));
  }

  /** Reads one kind; `open` is what to read once more. */
  async #readKind(changes: readonly Change[]): Promise<KindCheck> {
    const [first] = changes;
    if (first === undefined) return { open: [], missing: [] };
    const kind = knownKind(first.address, this.#context.kinds);
    const read = await this.#context.readList(kind);
    if ('error' in read) {
      const { error } = read;
      const why = error.message;
      if (isRetryable(error))
        return { open: [changes], kind: kind.name, why, retryAfterMs: error.retryAfterMs ?? 0 };
      this.#context.emit({ type: 'unverified', kind: kind.name, why });
      return { open: [], missing: [] };
    }
    const missing = changes.flatMap((change): readonly Missing[] => {
      const live = read.listed.get(change.address);
      const wanted = change.action === 'delete' ? undefined : change.after;
      if (isSame(kind, live, wanted)) return [];
      const isEarlier = this.#statesOf(change.address).some((state) => isSame(kind, live, state));
      const because = isEarlier ? 'not-there' : 'overtaken';
      return [{ change, because, mismatch: describeMismatch(change, live, this.#context.kinds) }];
    });
    const lagging = missing.filter(({ because }) => because === 'not-there').map(({ change }) => change);
    return { open: lagging.length === 0 ? [] : [lagging], missing };
  }

  #statesOf(address: Address): readonly (Resource | undefined)[] {
    if (this.#states === undefined) {
      const { found } = this.#context;
      const states = new Map<Address, (Resource | undefined)[]>();
      for (const change of this.#changes) {
        if (!states.has(change.address)) addTo(states, change.address, found?.get(change.address));
        addTo(states, change.address, 'before' in change ? change.before : undefined);
        if (change.action === 'replace') addTo(states, change.address, undefined);
        if (change.action !== 'delete') addTo(states, change.address, change.after);
      }
      this.#states = states;
    }
    return this.#states.get(address) ?? [];
  }
}

type KindCheck = { readonly open: readonly (readonly Change[])[] } & (
  | { readonly missing: readonly Missing[] }
  | { readonly kind: string; readonly why: string; readonly retryAfterMs: number }
);

function kindOfChange({ address }: Change): string {
  return kindOf(address);
}
