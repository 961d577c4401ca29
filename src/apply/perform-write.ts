import { GatewayError, type Gateway } from '../gateway/gateway.ts';
import { knownKind, type Kind, type KindSet } from '../model/kind.ts';
import type { Resource } from '../model/resource.ts';
import type { Change } from '../plan/change/plan.ts';
import { hideSecretsIn } from '../plan/secrets/hide-secrets.ts';
import type { CallJournal, Intent } from './journal/call-journal.ts';
import type { Clock } from './clock.ts';
import { describeMismatch, isSame } from './verify/compare.ts';
import type { ApplyEvent } from './events.ts';
import type { Limiter, Permit } from './limiter/limiter.ts';
import type { CallResult } from './journal/journal.ts';
import { RetryBudget } from './limiter/retry-budget.ts';
import { readList, type ListBatcher } from './verify/list-batcher.ts';
import type { Write, Effects } from './effects.ts';
import { hasUnknownOutcome, isOverload, isRetryable, isPossibleRace } from './verify/classify-error.ts';

/** What the writes of a run have in common. */
export type RunContext = {
  readonly gateway: Gateway;
  readonly kinds: KindSet;
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly journal: CallJournal;
  readonly effects: Effects;
  readonly lists: ListBatcher;
  readonly emit: (event: ApplyEvent) => void;
  /** Aborted: no new call starts, and no wait goes on. */
  readonly signal: AbortSignal;
  /** For how long after its first failure a write is tried again. */
  readonly settleTimeoutMs: number;
};

/** What became of one write, and how much of that is known. */
export type WriteResult =
  | { readonly outcome: 'done' | 'already' | 'not-attempted' }
  | {
      readonly outcome: 'failed';
      readonly error: GatewayError;
      /** The gateway said no; or it was not done, as a list shows; or nobody knows; or something else is there. */
      readonly effect: 'refused' | 'not-made' | 'unknown' | 'overwritten';
      /** What is there, where it is something else. */
      readonly mismatch?: string;
    };

type Failed = Extract<WriteResult, { outcome: 'failed' }>;

/** How a write is made: with `finishes`, once even when the run is interrupted; `intent` is what the journal knows of it. */
type Manner = { readonly finishes?: boolean; readonly intent?: Intent };

/**
 * Makes one write, and tries again where the answer may change; each try is in the journal before it leaves. A lost answer
 * is settled by reading. Rejects only for a bug.
 */
export async function performWrite(
  write: Write,
  change: Change,
  context: RunContext,
  { finishes = false, intent: first }: Manner = {},
): Promise<WriteResult> {
  const kind = knownKind(change.address, context.kinds);
  const retries = new RetryBudget(context);
  let failed: Failed | undefined;
  let alone = false;
  let again = false; // what an earlier try may have done counts as done by this run
  for (let intent = first; ; intent = undefined) {
    intent ??= context.journal.recordIntent(write, change.address);
    const permit = await context.limiter.acquire(kind.name, {
      alone,
      finishes: finishes && failed === undefined,
    });
    if (permit === undefined) {
      intent.recordResult('unsent');
      return failed ?? { outcome: 'not-attempted' };
    }
    const { changed, error } = await call(write, kind, context.gateway, permit, intent);
    if (error === undefined) {
      const outcome = changed || again ? 'done' : 'already';
      if (outcome === 'done') recordEffect(write, change, kind, context);
      return { outcome };
    }
    failed = { outcome: 'failed', error, effect: error.unsent ? 'not-made' : 'refused' };
    const beforeAlone = !alone && permit.hadCompany() && isPossibleRace(error);
    if (beforeAlone) {
      alone = true;
      again ||= error.code === 'failed';
      emitRetry(change, kind, 'it is tried again alone', 0, context);
      continue;
    }
    if (hasUnknownOutcome(error)) {
      const settled = await resolveLostResponse(write, change, kind, error, retries, context);
      if (settled === 'done') {
        recordEffect(write, change, kind, context);
        return { outcome: 'done' };
      }
      // An answer of 500 says no; that nothing was done makes it certain.
      failed = error.code === 'failed' ? failed : settled;
      if (failed.effect === 'unknown' || failed.effect === 'overwritten') return failed;
    }
    again ||= hasUnknownOutcome(error) || error.code === 'busy';
    if (!isRetryable(error) && !context.effects.explains(error, write, kind)) return failed;
    const ms = retries.nextDelay(error.retryAfterMs);
    if (ms === undefined) return failed;
    if (error.retryAfterMs !== undefined) context.limiter.pause(error.retryAfterMs);
    if (!context.signal.aborted) emitRetry(change, kind, error.message, ms, context);
    await context.clock.wait(ms, context.signal);
    if (context.signal.aborted) return failed;
  }
}

async function call(
  { call: method, resource }: Write,
  kind: Kind,
  gateway: Gateway,
  permit: Permit,
  intent: Intent,
): Promise<{ readonly changed: boolean; readonly error?: GatewayError }> {
  let how: Parameters<Permit['release']>[0] = 'ignored';
  try {
    const unwritten = await intent.synced;
    if (unwritten !== undefined) return { changed: false, error: unwritten };
    const given = method === 'put' ? await gateway.put(kind, resource) : await gateway.remove(kind, resource);
    const answer = given === 'unchanged' || given === 'absent' ? given : 'done';
    intent.recordResult(answer);
    how = 'succeeded';
    return { changed: answer === 'done' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    intent.recordResult(toCallResult(error), error.status);
    if (isOverload(error)) how = 'overloaded';
    return { changed: false, error };
  } finally {
    permit.release(how);
  }
}

function toCallResult(error: GatewayError): CallResult {
  if (error.unsent) return 'unsent';
  return hasUnknownOutcome(error) ? 'lost' : 'refused';
}

/** Whether a write whose answer was lost was done; a failure says how much is known. */
async function resolveLostResponse(
  write: Write,
  change: Change,
  kind: Kind,
  error: GatewayError,
  retries: RetryBudget,
  context: RunContext,
): Promise<'done' | Failed> {
  const wanted = write.call === 'put' ? write.resource : undefined;
  const before = 'before' in change ? change.before : undefined;
  const befores = [before, context.effects.lastWritten(change.address, before)];
  for (;;) {
    if (context.signal.aborted) return { outcome: 'failed', error, effect: 'unknown' };
    const read = await readList(context.lists, kind);
    if ('listed' in read) {
      const live = read.listed.get(change.address);
      if (isSame(kind, live, wanted)) return 'done';
      if (befores.some((known) => isSame(kind, live, known)))
        return { outcome: 'failed', error, effect: 'not-made' };
      const mismatch = describeMismatch(change, live, context.kinds);
      return { outcome: 'failed', error, effect: 'overwritten', mismatch };
    }
    const ms = isRetryable(read.error) ? retries.nextDelay(read.error.retryAfterMs) : undefined;
    if (ms === undefined) return { outcome: 'failed', error, effect: 'unknown' };
    await context.clock.wait(ms, context.signal);
  }
}

function recordEffect(write: Write, change: Change, kind: Kind, { effects }: RunContext): void {
  const before: Resource | undefined = 'before' in change ? change.before : undefined;
  effects.record(write, before, kind);
}

function emitRetry(change: Change, kind: Kind, why: string, inMs: number, context: RunContext): void {
  context.emit({ type: 'retrying', change, why: hideSecretsIn(why, change, kind), inMs });
}
