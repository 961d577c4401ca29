import { GatewayError, type Gateway } from '../gateway/gateway.ts';
import type { KindSet } from '../model/kind.ts';
import type { LocatedProblem } from '../model/problem.ts';
import type { Address, Resource } from '../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/change.ts';
import { type Clock, entryFieldsOf, summarizeResult, type ApplyEvent, type Entry } from './events.ts';
import { Effects } from './effects.ts';
import { NO_JOURNAL, type CallJournal, WriteAheadQueue } from './journal/call-journal.ts';
import { boundsFor, ConcurrencyLimit, Limiter } from './limiter/limiter.ts';
import { Outage } from './limiter/retries.ts';
import { firstWriteOf, performChange } from './perform-change.ts';
import type { RunContext } from './perform-write.ts';
import { RunState } from './run-state.ts';
import { batchLists } from './verify/list-batcher.ts';
import { verifyWrites } from './verify/verify-writes.ts';

export type ApplyOptions = {
  readonly clock: Clock;
  /** Gets every call before it is sent. Default: no journal. */
  readonly journal?: CallJournal;
  /** The most calls in flight; the number follows the latency of the gateway. Default: 64. */
  readonly parallelism?: number | undefined;
  /** How long a failed call is retried, and after the writes how long they may take to show. Default: 30 s. */
  readonly settleTimeoutMs?: number | undefined;
  /** Changes that are in effect already, and are not made. */
  readonly already?: ReadonlySet<ChangeId>;
  /** What the gateway had before the run: a saved plan has it without secrets only. */
  readonly found?: ReadonlyMap<Address, Resource> | undefined;
  /** Objects that this run cannot write, and why: their changes fail without a call. */
  readonly excluded?: ReadonlyMap<Address, LocatedProblem>;
  /** Continue with what does not depend on a failure; otherwise nothing new starts after the first one. */
  readonly keepGoing?: boolean;
  /** Aborted: no new call starts and waits end; calls in flight are waited for. */
  readonly signal?: AbortSignal;
};

/** How long a list waits for others to need it: what breaks one connection breaks several. */
const GATHER_MS = 20;
export const DEFAULT_SETTLE_TIMEOUT_MS = 30_000;

/**
 * Carries a plan out through the port, in the order of `dependsOn`: changes that do not depend on each other may be in
 * flight together, except where the kind's form forbids it; stage 2 starts when all of stage 1 has succeeded. It decides
 * nothing that the plan does not show. Refusals end in the ledger; the generator throws only for a bug.
 */
export async function* applyPlan(
  changes: readonly Change[],
  gateway: Gateway,
  kinds: KindSet,
  options: ApplyOptions,
): AsyncGenerator<ApplyEvent> {
  const { clock, signal, journal = NO_JOURNAL, settleTimeoutMs = DEFAULT_SETTLE_TIMEOUT_MS } = options;
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  signal?.addEventListener('abort', abort);
  if (signal?.aborted === true) abort();

  const outage = new Outage();
  const keepGoing = options.keepGoing === true;
  const { already = new Set() } = options;
  const run = new RunState(changes, kinds, { keepGoing, outage, signal: stop.signal, already });
  const events = new EventQueue<ApplyEvent | 'verified'>();
  const bounds = boundsFor(gateway.parallelism, options.parallelism);
  const limiter = new Limiter(new ConcurrencyLimit(bounds), clock, stop.signal);
  let reason: 'lost-responses' | 'written' = 'lost-responses';
  const readList = batchLists(
    gateway,
    async () => {
      await clock.wait(GATHER_MS, stop.signal);
      if (stop.signal.aborted) throw new GatewayError('unreachable', 'the run is over', { unsent: true });
    },
    ({ name: kind }, changes) => events.push({ type: 'verifying', kind, reason, changes }),
  );
  const context: RunContext = {
    ...{ gateway, kinds, clock, limiter, outage, journal, readList, settleTimeoutMs },
    effects: new Effects(),
    rewrites: new Map(),
    ...(options.found === undefined ? {} : { found: options.found }),
    emit: events.push,
    signal: stop.signal,
  };
  const queued = new WriteAheadQueue();
  stop.signal.addEventListener('abort', queued.withdraw);
  const inFlight = new Map<ChangeId, Promise<void>>();
  let verifying: Promise<void> = Promise.resolve();
  try {
    yield { type: 'started', total: changes.length };
    for (;;) {
      const ready = run.takeReady(queued.countToAdd(limiter.limit - inFlight.size));
      for (const change of ready) {
        const entry = decideWithoutCall(change, options);
        if (entry === undefined) {
          queued.add(change, journal.recordIntent(firstWriteOf(change), change.address));
        } else {
          run.complete(change, entry);
          yield { type: 'ended', change, entry };
        }
      }
      while (!run.stopped && inFlight.size < limiter.limit) {
        const next = queued.take();
        if (next === undefined) break;
        const { change, intent } = next;
        yield { type: 'applying', change };
        const ended = performChange(change, context, intent).then(
          (entry) => events.push({ type: 'ended', change, entry }),
          events.fail,
        );
        inFlight.set(idOf(change), ended);
      }
      if (run.stopped) queued.withdraw();
      if (inFlight.size === 0 && events.isEmpty) {
        if (ready.length > 0) continue;
        break;
      }
      const event = await events.next();
      if (event === 'verified') continue;
      if (event.type === 'ended') {
        inFlight.delete(idOf(event.change));
        run.complete(event.change, event.entry);
      }
      yield event;
    }

    reason = 'written';
    verifying = verifyWrites(changes, run.entries, context).then((corrected) => {
      for (const { change, entry } of corrected) events.push({ type: 'ended', change, entry });
      events.push('verified');
    }, events.fail);
    for (let event = await events.next(); event !== 'verified'; event = await events.next()) {
      if (event.type === 'ended') run.correct(event.entry);
      yield event;
    }
  } finally {
    // Also when the consumer stops early or something throws: no call outlives this generator.
    abort();
    signal?.removeEventListener('abort', abort);
    await Promise.allSettled([...inFlight.values(), verifying]);
  }
  const ledger = run.ledger();
  const result = summarizeResult(ledger, signal?.aborted === true);
  yield { type: 'finished', ledger: { result, entries: ledger } };
}

/** The entry of a change that is not to be made. */
function decideWithoutCall(change: Change, { already, excluded }: ApplyOptions): Entry | undefined {
  if (already?.has(idOf(change)) === true) return { ...entryFieldsOf(change), outcome: 'already' };
  const problem = excluded?.get(change.address);
  return problem === undefined
    ? undefined
    : { ...entryFieldsOf(change), outcome: 'failed', problem, canRetry: true };
}

/** Events from several producers for one consumer, in the order in which they were pushed. */
class EventQueue<T> {
  readonly #events: T[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  readonly push = (event: T): void => {
    this.#events.push(event);
    this.#wake();
  };

  /** Makes the next call of `next` reject with this error. */
  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#wake();
  };

  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#failure === undefined;
  }

  /** Waits for an event. */
  async next(): Promise<T> {
    while (this.isEmpty) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#events.shift() as T; // it is not empty
  }
}
