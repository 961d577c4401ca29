import { addTo } from '../model/collect.ts';
import { valueAt } from '../model/json/json.ts';
import { knownKind, type KindSet } from '../model/kind.ts';
import { kindOf } from '../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/plan.ts';
import { entryFieldsOf, type Entry } from './events.ts';

export type RunOptions = {
  /** Go on with what does not depend on a failure; else nothing new starts after the first. */
  readonly keepGoing: boolean;
  /** Aborted: nothing new starts. */
  readonly signal: AbortSignal;
};

/** Which changes may start, and what became of those that did. */
export class RunState {
  readonly #entries = new Map<ChangeId, Entry>();
  readonly #waiting = new Map<ChangeId, number>();
  readonly #dependants = new Map<ChangeId, Change[]>();
  readonly #ready: Change[] = [];
  /** Those that have waited for another with the same lock, and hold it now. */
  readonly #unlocked: Change[] = [];
  #next = 0;
  readonly #late: Change[] = [];
  readonly #busy = new Map<string, Change[]>();
  #unsettledEarly = 0;
  #failed = false;
  readonly #changes: readonly Change[];
  readonly #kinds: KindSet;
  readonly #options: RunOptions;

  constructor(changes: readonly Change[], kinds: KindSet, options: RunOptions) {
    this.#changes = changes;
    this.#kinds = kinds;
    this.#options = options;
    const ids = new Set(changes.map(idOf));
    for (const change of changes) {
      const needs = change.dependsOn.filter((id) => ids.has(id));
      this.#waiting.set(idOf(change), needs.length);
      for (const need of needs) addTo(this.#dependants, need, change);
      if (change.stage === 1) this.#unsettledEarly += 1;
    }
    for (const change of changes) if (this.#waiting.get(idOf(change)) === 0) this.#enqueue(change);
  }

  /** Whether nothing new may start. */
  get stopped(): boolean {
    return this.#options.signal.aborted || (this.#failed && !this.#options.keepGoing);
  }

  /** At most `room` changes that may start now; they are started by being taken. */
  takeReady(room: number): readonly Change[] {
    if (this.stopped) return [];
    if (this.#unsettledEarly === 0 && this.#late.length > 0)
      for (const change of this.#late.splice(0)) this.#ready.push(change);
    const taken = this.#unlocked.splice(0, Math.max(0, room));
    while (taken.length < room) {
      const change = this.#ready[this.#next];
      if (change === undefined) break;
      this.#next += 1;
      const lock = this.#lockOf(change);
      const queue = lock === undefined ? undefined : this.#busy.get(lock);
      if (queue !== undefined) {
        queue.push(change);
        continue;
      }
      if (lock !== undefined) this.#busy.set(lock, []);
      taken.push(change);
    }
    return taken;
  }

  complete(change: Change, entry: Entry): void {
    this.#entries.set(idOf(change), entry);
    const lock = this.#lockOf(change);
    if (lock !== undefined) {
      const next = this.#busy.get(lock)?.shift();
      if (next === undefined) this.#busy.delete(lock);
      else this.#unlocked.push(next);
    }
    if (entry.outcome === 'failed') {
      this.#failed = true;
      return;
    }
    if (change.stage === 1) this.#unsettledEarly -= 1;
    for (const dependant of this.#dependants.get(idOf(change)) ?? []) {
      const left = (this.#waiting.get(idOf(dependant)) ?? 0) - 1;
      this.#waiting.set(idOf(dependant), left);
      if (left === 0) this.#enqueue(dependant);
    }
  }

  /** What was done turned out not to be. What was made in the belief that it was stays made. */
  correct(entry: Entry): void {
    this.#entries.set(entry.id, entry);
  }

  ledger(): readonly Entry[] {
    const lost = new Set(
      [...this.#entries].filter(([, { outcome }]) => outcome === 'failed').map(([id]) => id),
    );
    return this.#changes.map((change): Entry => {
      const entry = this.#entries.get(idOf(change));
      if (entry !== undefined) return entry;
      const by = change.dependsOn.filter((id) => lost.has(id));
      if (by.length === 0) return { ...entryFieldsOf(change), outcome: 'not-attempted' };
      lost.add(idOf(change)); // the changes stand in order, so what it blocks is still to come
      return { ...entryFieldsOf(change), outcome: 'blocked', by };
    });
  }

  #enqueue(change: Change): void {
    if (change.stage === 1) this.#ready.push(change);
    else this.#late.push(change);
  }

  // Resources that share this value are never written at the same time.
  #lockOf(change: Change): string | undefined {
    const path = knownKind(change.address, this.#kinds).oneAtATime;
    if (path === undefined) return undefined;
    const resource = change.action === 'delete' ? change.before : change.after;
    return `${kindOf(change.address)} ${JSON.stringify(valueAt(resource, path))}`;
  }
}
