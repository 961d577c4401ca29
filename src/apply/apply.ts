import { GatewayError, type Gateway } from '../gateway/gateway.ts';
import type { KindSet } from '../model/kind.ts';
import type { LocatedProblem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/plan.ts';
import type { RunContext } from './perform-write.ts';
import { WriteAheadQueue } from './journal/write-ahead-queue.ts';
import { NO_JOURNAL, type CallJournal } from './journal/call-journal.ts';
import { firstWriteOf, performChange } from './perform-change.ts';
import type { Clock } from './clock.ts';
import { entryFieldsOf, summarizeResult, type ApplyEvent, type Entry } from './events.ts';
import { Limiter } from './limiter/limiter.ts';
import { EventQueue } from './event-queue.ts';
import { ListBatcher } from './verify/list-batcher.ts';
import { RunState } from './run.ts';
import { verifyWrites } from './verify/verify-writes.ts';
import { Effects } from './effects.ts';

export type ApplyOptions = {
  readonly clock: Clock;
  /** Has every write before it leaves. Default: none is kept. */
  readonly journal?: CallJournal;
  /** How many calls may be in flight together at most; fewer are when the gateway is overtaxed. Default: 8. */
  readonly parallelism?: number;
  /** For how long what may still come right is tried again, and waited for after the writes. Default: 30 s. */
  readonly settleTimeoutMs?: number;
  /** Changes whose object is already as it should be; they are not made. */
  readonly already?: ReadonlySet<ChangeId>;
  /** Objects that this run cannot make, each with the reason: their changes fail without a call. */
  readonly excluded?: ReadonlyMap<Address, LocatedProblem>;
  /** Go on with what does not depend on a failure; else nothing new starts after the first. */
  readonly keepGoing?: boolean;
  /** Aborted: no new call starts and no wait goes on, calls in flight are waited for. */
  readonly signal?: AbortSignal;
};

/** What breaks one connection breaks others, and one list settles all of them. */
const GATHER_MS = 20;
const DEFAULT_PARALLELISM = 8;
const DEFAULT_SETTLE_TIMEOUT_MS = 30_000;

/**
 * Carries a plan out through the port, walking its `dependsOn`: what does not depend on each other may be in flight
 * together, what the kind's form keeps apart may not, stage 2 starts when all of stage 1 has succeeded. It makes no
 * decision that the plan does not show. A refusal ends in the ledger; the generator itself does not throw for one.
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

  const run = new RunState(changes, kinds, { keepGoing: options.keepGoing === true, signal: stop.signal });
  const queue = new EventQueue<ApplyEvent | 'over'>();
  const limiter = new Limiter(options.parallelism ?? DEFAULT_PARALLELISM, clock, stop.signal);
  let reason: 'lost-responses' | 'written' = 'lost-responses';
  const lists = new ListBatcher(
    gateway,
    async () => {
      await clock.wait(GATHER_MS, stop.signal);
      if (stop.signal.aborted) throw new GatewayError('unreachable', 'the run is over', { unsent: true });
    },
    ({ name: kind }, asked) => queue.push({ type: 'verifying', kind, reason, changes: asked }),
  );
  const context: RunContext = {
    ...{ gateway, kinds, clock, limiter, journal, lists, settleTimeoutMs },
    effects: new Effects(),
    emit: queue.push,
    signal: stop.signal,
  };
  const entries = new Map<ChangeId, Entry>();
  const queued = new WriteAheadQueue();
  stop.signal.addEventListener('abort', queued.withdraw);
  const inFlight = new Map<ChangeId, Promise<void>>();
  let settling: Promise<void> = Promise.resolve();
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
        const made = performChange(change, context, intent);
        const ended = made.then((entry) => queue.push({ type: 'ended', change, entry }), queue.fail);
        inFlight.set(idOf(change), ended);
      }
      if (run.stopped) queued.withdraw();
      if (inFlight.size === 0 && queue.isEmpty) {
        if (ready.length > 0) continue;
        break;
      }
      const event = await queue.next();
      if (event === 'over') continue;
      if (event.type === 'ended') {
        inFlight.delete(idOf(event.change));
        entries.set(idOf(event.change), event.entry);
        run.complete(event.change, event.entry);
      }
      yield event;
    }

    reason = 'written';
    settling = verifyWrites(changes, entries, context).then((corrected) => {
      for (const { change, entry } of corrected) queue.push({ type: 'ended', change, entry });
      queue.push('over');
    }, queue.fail);
    for (let event = await queue.next(); event !== 'over'; event = await queue.next()) {
      if (event.type === 'ended') run.correct(event.entry);
      yield event;
    }
  } finally {
    // Whoever stops reading, or whatever is thrown: no call outlives this.
    abort();
    signal?.removeEventListener('abort', abort);
    await Promise.allSettled([...inFlight.values(), settling]);
  }
  const ledger = run.ledger();
  const result = summarizeResult(ledger, signal?.aborted === true);
  yield { type: 'finished', ledger: { result, entries: ledger } };
}

/** What is known of a change without a call. */
function decideWithoutCall(change: Change, { already, excluded }: ApplyOptions): Entry | undefined {
  if (already?.has(idOf(change)) === true) return { ...entryFieldsOf(change), outcome: 'already' };
  const problem = excluded?.get(change.address);
  return problem === undefined ? undefined : { ...entryFieldsOf(change), outcome: 'failed', problem };
}
