import { GatewayError, type Gateway } from '../gateway/gateway.ts';
import { addTo } from '../model/collect.ts';
import { valueAt } from '../model/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { kindOf } from '../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../plan/plan.ts';
import { withoutSecrets } from '../plan/without-secrets.ts';
import { resultOf, type ApplyEvent, type Entry } from './events.ts';

export type ApplyOptions = {
  /** How many calls may be in flight together. Default: 8. */
  readonly parallelism?: number;
  /** Changes whose object is already as it should be; they are not made. */
  readonly already?: ReadonlySet<ChangeId>;
  /** Go on with what does not depend on a failure; else nothing new starts after the first. */
  readonly keepGoing?: boolean;
  /** Aborted: no new call starts, calls in flight are waited for. */
  readonly signal?: AbortSignal;
};

/**
 * Carries a plan out through the port, walking its `dependsOn`: what does not depend on each other may be in flight
 * together, what the kind's form keeps apart may not, stage 2 starts when all of stage 1 has succeeded. It makes no
 * decision that the plan does not show. A refusal ends in the ledger; the generator itself does not throw for one.
 */
export async function* applyPlan(
  changes: readonly Change[],
  gateway: Gateway,
  kinds: KindSet,
  options: ApplyOptions = {},
): AsyncGenerator<ApplyEvent> {
  const run = new Run(changes, kinds, options);
  yield { type: 'started', total: changes.length };
  const inFlight = new Map<ChangeId, Promise<{ readonly change: Change; readonly entry: Entry }>>();
  try {
    for (;;) {
      const ready = run.takeReady((options.parallelism ?? 8) - inFlight.size);
      for (const change of ready) {
        if (options.already?.has(idOf(change)) === true) {
          const entry: Entry = { ...about(change), outcome: 'already' };
          run.settle(change, entry);
          yield { type: 'ended', change, entry };
          continue;
        }
        if (options.signal?.aborted === true) break;
        yield { type: 'applying', change };
        inFlight.set(
          idOf(change),
          carryOut(change, gateway, run.kindOf(change)).then((entry) => ({ change, entry })),
        );
      }
      if (inFlight.size === 0) {
        if (ready.length > 0) continue;
        break;
      }
      const { change, entry } = await Promise.race(inFlight.values());
      inFlight.delete(idOf(change));
      run.settle(change, entry);
      yield { type: 'ended', change, entry };
    }
  } finally {
    // Whoever stops reading, or whatever is thrown: no call outlives this.
    await Promise.allSettled(inFlight.values());
  }
  const entries = run.ledger();
  yield {
    type: 'finished',
    ledger: { result: resultOf(entries, options.signal?.aborted === true), entries },
  };
}

async function carryOut(change: Change, gateway: Gateway, kind: Kind): Promise<Entry> {
  try {
    return { ...about(change), outcome: await call(change, gateway, kind) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { ...about(change), outcome: 'failed', problem: refusal(change, kind, error) };
  }
}

async function call(change: Change, gateway: Gateway, kind: Kind): Promise<'done' | 'already'> {
  switch (change.action) {
    case 'create':
    case 'update':
      return (await gateway.put(kind, change.after)) === 'unchanged' ? 'already' : 'done';
    case 'replace':
      await gateway.remove(kind, change.before);
      await gateway.put(kind, change.after).catch((error: unknown) => {
        throw error instanceof GatewayError ? halfReplaced(error) : error;
      });
      return 'done';
    case 'delete':
      return (await gateway.remove(kind, change.before)) === 'absent' ? 'already' : 'done';
    default:
      return change satisfies never;
  }
}

function about(change: Change): Pick<Entry, 'id' | 'address' | 'action' | 'step' | 'reason'> {
  const { address, action } = change;
  const step = change.action === 'update' && change.step !== undefined ? { step: change.step } : {};
  const reason = change.action === 'update' && change.reason !== undefined ? { reason: change.reason } : {};
  return { id: idOf(change), address, action, ...step, ...reason };
}

function halfReplaced({ code, message, status }: GatewayError): GatewayError {
  const about = {
    ...(status === undefined ? {} : { status }),
    hint: 'mend the cause and plan again: it is a create now',
  };
  return new GatewayError(code, `it is deleted, and was not created anew: ${message}`, about);
}

function refusal(change: Change, kind: Kind, error: GatewayError): LocatedProblem {
  const words = withoutSecrets(error.message, change, kind);
  const { action, address } = change;
  const isAnswer = error.status !== undefined;
  const failure = isAnswer
    ? `the gateway refused to ${action} ${address} (${error.status})`
    : `whether the ${action} of ${address} was made is not known`;
  const hint = error.hint ?? (isAnswer ? undefined : 'plan again: it shows whether the change was made');
  return {
    code: 'gateway-error',
    severity: 'error',
    message: `${failure}: ${words}`,
    address,
    ...(change.at === undefined ? {} : { at: change.at }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Which changes may start, and what became of those that did. */
class Run {
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
  readonly #options: ApplyOptions;

  constructor(changes: readonly Change[], kinds: KindSet, options: ApplyOptions) {
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

  kindOf(change: Change): Kind {
    const kind = this.#kinds.get(kindOf(change.address));
    if (kind === undefined) throw new Error(`${change.address} is of a kind that apply was not given`);
    return kind;
  }

  /** At most `room` changes that may start now; they are started by being taken. */
  takeReady(room: number): readonly Change[] {
    const stopped =
      this.#options.signal?.aborted === true || (this.#failed && this.#options.keepGoing !== true);
    if (stopped) return [];
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

  settle(change: Change, entry: Entry): void {
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

  ledger(): readonly Entry[] {
    const lost = new Set(
      [...this.#entries].filter(([, { outcome }]) => outcome === 'failed').map(([id]) => id),
    );
    return this.#changes.map((change): Entry => {
      const entry = this.#entries.get(idOf(change));
      if (entry !== undefined) return entry;
      const by = change.dependsOn.filter((id) => lost.has(id));
      if (by.length === 0) return { ...about(change), outcome: 'not-attempted' };
      lost.add(idOf(change)); // the changes stand in order, so what it blocks is still to come
      return { ...about(change), outcome: 'blocked', by };
    });
  }

  #enqueue(change: Change): void {
    if (change.stage === 1) this.#ready.push(change);
    else this.#late.push(change);
  }

  // Resources that share this value are never written at the same time.
  #lockOf(change: Change): string | undefined {
    const path = this.kindOf(change).oneAtATime;
    if (path === undefined) return undefined;
    const resource = change.action === 'delete' ? change.before : change.after;
    return `${kindOf(change.address)} ${JSON.stringify(valueAt(resource, path))}`;
  }
}
