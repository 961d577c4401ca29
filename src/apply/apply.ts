import { GatewayError, type Gateway } from '../gateway/gateway.ts';
import type { KindSet } from '../model/kind.ts';
import type { LocatedProblem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/plan.ts';
import type { Site } from './perform-write.ts';
import { Ahead } from './journal/write-ahead-queue.ts';
import { NO_JOURNAL, type CallJournal } from './journal/call-journal.ts';
import { firstStepOf, makeChange } from './perform-change.ts';
import type { Clock } from './clock.ts';
import { aboutChange, resultOf, type ApplyEvent, type Entry } from './events.ts';
import { Gate } from './limiter/limiter.ts';
import { Mailbox } from './event-queue.ts';
import { Rereading } from './verify/list-batcher.ts';
import { Run } from './run.ts';
import { readBack } from './verify/verify-writes.ts';
import { Trail } from './effects.ts';

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
  readonly withheld?: ReadonlyMap<Address, LocatedProblem>;
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

  const run = new Run(changes, kinds, { keepGoing: options.keepGoing === true, signal: stop.signal });
  const mailbox = new Mailbox<ApplyEvent | 'over'>();
  const gate = new Gate(options.parallelism ?? DEFAULT_PARALLELISM, clock, stop.signal);
  let because: 'lost-answers' | 'written' = 'lost-answers';
  const rereading = new Rereading(
    gateway,
    async () => {
      await clock.wait(GATHER_MS, stop.signal);
      if (stop.signal.aborted) throw new GatewayError('unreachable', 'the run is over', { unsent: true });
    },
    ({ name: kind }, asked) => mailbox.put({ type: 'settling', kind, because, changes: asked }),
  );
  const site: Site = {
    ...{ gateway, kinds, clock, gate, journal, rereading, settleTimeoutMs },
    trail: new Trail(),
    tell: mailbox.put,
    signal: stop.signal,
  };
  const entries = new Map<ChangeId, Entry>();
  const ahead = new Ahead();
  stop.signal.addEventListener('abort', ahead.withdraw);
  const inFlight = new Map<ChangeId, Promise<void>>();
  let settling: Promise<void> = Promise.resolve();
  try {
    yield { type: 'started', total: changes.length };
    for (;;) {
      const ready = run.takeReady(ahead.wanted(gate.room - inFlight.size));
      for (const change of ready) {
        const entry = settledBefore(change, options);
        if (entry === undefined) {
          ahead.add(change, journal.intend(firstStepOf(change), change.address));
        } else {
          run.settle(change, entry);
          yield { type: 'ended', change, entry };
        }
      }
      while (!run.stopped && inFlight.size < gate.room) {
        const next = ahead.next();
        if (next === undefined) break;
        const { change, intent } = next;
        yield { type: 'applying', change };
        const made = makeChange(change, site, intent);
        const ended = made.then((entry) => mailbox.put({ type: 'ended', change, entry }), mailbox.fail);
        inFlight.set(idOf(change), ended);
      }
      if (run.stopped) ahead.withdraw();
      if (inFlight.size === 0 && mailbox.isEmpty) {
        if (ready.length > 0) continue;
        break;
      }
      const event = await mailbox.take();
      if (event === 'over') continue;
      if (event.type === 'ended') {
        inFlight.delete(idOf(event.change));
        entries.set(idOf(event.change), event.entry);
        run.settle(event.change, event.entry);
      }
      yield event;
    }

    because = 'written';
    settling = readBack(changes, entries, site).then((corrected) => {
      for (const { change, entry } of corrected) mailbox.put({ type: 'ended', change, entry });
      mailbox.put('over');
    }, mailbox.fail);
    for (let event = await mailbox.take(); event !== 'over'; event = await mailbox.take()) {
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
  const result = resultOf(ledger, signal?.aborted === true);
  yield { type: 'finished', ledger: { result, entries: ledger } };
}

/** What is known of a change without a call. */
function settledBefore(change: Change, { already, withheld }: ApplyOptions): Entry | undefined {
  if (already?.has(idOf(change)) === true) return { ...aboutChange(change), outcome: 'already' };
  const problem = withheld?.get(change.address);
  return problem === undefined ? undefined : { ...aboutChange(change), outcome: 'failed', problem };
}
