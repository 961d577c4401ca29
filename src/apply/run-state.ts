import { addTo } from '../model/collect.ts';
import { valueAt } from '../model/json/json.ts';
import { knownKind, type KindSet } from '../model/kind.ts';
import { kindOf, type Address } from '../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/change.ts';
import { entryFieldsOf, type Entry } from './events.ts';
import type { Outage } from './limiter/retries.ts';
import { printJson } from '../model/json/json-text.ts';

type RunOptions = {
  /** Continue with what does not depend on a failure; otherwise nothing new starts after the first one. */
  readonly keepGoing: boolean;
  /** Where it lasts, nothing new starts either. */
  readonly outage: Pick<Outage, 'isLasting'>;
  /** Aborted: nothing new starts. */
  readonly signal: AbortSignal;
  /** Changes that are in effect, whether or not the run comes to them. */
  readonly already: ReadonlySet<ChangeId>;
};

/** Which changes may start, and the entries of those that have ended. */
export class RunState {
  readonly entries = new Map<ChangeId, Entry>();
  readonly #waiting = new Map<ChangeId, number>();
  readonly #dependants = new Map<ChangeId, Change[]>();
  readonly #ready: Change[] = [];
  /** They waited for another change with the same lock, and hold it now. */
  readonly #unlocked: Change[] = [];
  /** How many of `#ready` were taken. */
  #taken = 0;
  /** Those of stage 2 that may start once stage 1 is complete. */
  readonly #stage2: Change[] = [];
  /** Locks that are held, and who waits for each. */
  readonly #locks = new Map<string, Change[]>();
  #openInStage1 = 0;
  #failed = false;
  /** The first one. */
  #failedInStage1: ChangeId | undefined;
  readonly #changes: readonly Change[];
  readonly #kinds: KindSet;
  readonly #options: RunOptions;

  constructor(changes: readonly Change[], kinds: KindSet, options: RunOptions) {
    this.#changes = changes;
    this.#kinds = kinds;
    this.#options = options;
    const ids = new Set(changes.map(idOf));
    for (const change of changes) {
      const dependencies = change.dependsOn.filter((id) => ids.has(id));
      this.#waiting.set(idOf(change), dependencies.length);
      for (const id of dependencies) addTo(this.#dependants, id, change);
      if (change.stage === 1) this.#openInStage1 += 1;
    }
    for (const change of changes) if (this.#waiting.get(idOf(change)) === 0) this.#enqueue(change);
  }

  /** Whether nothing new may start. */
  get stopped(): boolean {
    const { signal, keepGoing, outage } = this.#options;
    return signal.aborted || (this.#failed && (!keepGoing || outage.isLasting));
  }

  /** At most `count` changes that may start now; taking them starts them. */
  takeReady(count: number): readonly Change[] {
    if (this.stopped) return [];
    if (this.#openInStage1 === 0 && this.#stage2.length > 0)
      for (const change of this.#stage2.splice(0)) this.#ready.push(change);
    const taken = this.#unlocked.splice(0, Math.max(0, count));
    while (taken.length < count) {
      const change = this.#ready[this.#taken];
      if (change === undefined) break;
      this.#taken += 1;
      const lock = this.#lockOf(change);
      const queue = lock === undefined ? undefined : this.#locks.get(lock);
      if (queue !== undefined) {
        queue.push(change);
        continue;
      }
      if (lock !== undefined) this.#locks.set(lock, []);
      taken.push(change);
    }
    return taken;
  }

  complete(change: Change, entry: Entry): void {
    this.entries.set(idOf(change), entry);
    const lock = this.#lockOf(change);
    if (lock !== undefined) {
      const next = this.#locks.get(lock)?.shift();
      if (next === undefined) this.#locks.delete(lock);
      else this.#unlocked.push(next);
    }
    if (entry.outcome === 'failed') {
      this.#failed = true;
      if (change.stage === 1) this.#failedInStage1 ??= idOf(change);
      return;
    }
    if (change.stage === 1) this.#openInStage1 -= 1;
    for (const dependant of this.#dependants.get(idOf(change)) ?? []) {
      const left = (this.#waiting.get(idOf(dependant)) ?? 0) - 1;
      this.#waiting.set(idOf(dependant), left);
      if (left === 0) this.#enqueue(dependant);
    }
  }

  /** Replaces the entry of a change that turned out not to have lasted; what was made because of it stays. */
  correct(entry: Entry): void {
    this.entries.set(entry.id, entry);
  }

  ledger(): readonly Entry[] {
    const { keepGoing, already } = this.#options;
    // In plan order, so what a change blocks comes later. One that is in effect blocks as what it waits for does.
    const blocks = new Map<ChangeId, readonly ChangeId[]>();
    for (const [id, { outcome }] of this.entries) if (outcome === 'failed') blocks.set(id, [id]);
    return this.#changes.map((change): Entry => {
      const entry = this.entries.get(idOf(change));
      if (entry !== undefined) return entry;
      const by = [...new Set(change.dependsOn.flatMap((id) => blocks.get(id) ?? []))];
      // It waits for all of stage 1; one name says so.
      if (by.length === 0 && keepGoing && change.stage === 2 && this.#failedInStage1 !== undefined)
        by.push(this.#failedInStage1);
      const isMade = already.has(idOf(change));
      if (by.length > 0) blocks.set(idOf(change), isMade ? by : [idOf(change)]);
      if (isMade) return { ...entryFieldsOf(change), outcome: 'already' };
      if (by.length === 0) return { ...entryFieldsOf(change), outcome: 'not-attempted' };
      return { ...entryFieldsOf(change), outcome: 'blocked', by };
    });
  }

  #enqueue(change: Change): void {
    if (change.stage === 1) this.#ready.push(change);
    else this.#stage2.push(change);
  }

  // Objects that share this value are never written at the same time.
  #lockOf(change: Change): string | undefined {
    const path = knownKind(change.address, this.#kinds).oneAtATime;
    if (path === undefined) return undefined;
    const resource = change.action === 'delete' ? change.before : change.after;
    return `${kindOf(change.address)} ${printJson(valueAt(resource, path))}`;
  }
}

/**
 * The changes that a run does not make because some objects are excluded: their own, those that depend on them, and all
 * of stage 2 if one of stage 1 is among them. `changes` are in plan order.
 */
export function findExcluded(
  changes: readonly Change[],
  excluded: { has(address: Address): boolean },
): ReadonlySet<ChangeId> {
  const found = new Set<ChangeId>();
  for (const change of changes)
    if (excluded.has(change.address) || change.dependsOn.some((id) => found.has(id))) found.add(idOf(change));
  if (changes.some((change) => change.stage === 1 && found.has(idOf(change))))
    for (const change of changes) if (change.stage === 2) found.add(idOf(change));
  return found;
}
