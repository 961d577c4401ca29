import { GatewayError, type Gateway, type UpsertResult } from '../gateway/gateway.ts';
import { knownKind, type Kind, type KindSet } from '../model/kind.ts';
import type { Address, Resource } from '../model/resource.ts';
import { isStep, type Change } from '../plan/change/change.ts';
import { hideSecretsIn } from '../plan/secrets/hide-in-chains.ts';
import type { CallJournal, Intent } from './journal/call-journal.ts';
import type { Clock, ApplyEvent } from './events.ts';
import { describeMismatch, isSame } from './verify/match-live.ts';
import type { Limiter, Permit } from './limiter/limiter.ts';
import type { CallResult } from './journal/journal.ts';
import {
  type Outage,
  RetryBudget,
  hasUnknownOutcome,
  isOverload,
  isRetryable,
  isPossibleRace,
} from './limiter/retries.ts';
import type { ReadList } from './verify/list-batcher.ts';
import type { Write, Effects } from './effects.ts';

/** What the writes of a run share. */
export type RunContext = {
  readonly gateway: Gateway;
  readonly kinds: KindSet;
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly outage: Outage;
  readonly journal: CallJournal;
  readonly effects: Effects;
  readonly readList: ReadList;
  /** Second writes of what the gateway confirmed and did not have. */
  readonly rewrites: Map<Address, Promise<unknown>>;
  /** What the gateway had before the run: a saved plan has it without secrets only. */
  readonly found?: ReadonlyMap<Address, Resource>;
  readonly emit: (event: ApplyEvent) => void;
  /** Aborted: no new call starts, and no wait continues. */
  readonly signal: AbortSignal;
  /** How long a write is retried after its first failure. */
  readonly settleTimeoutMs: number;
};

/** The result of one write, and how much of it is known. */
export type WriteResult =
  | { readonly outcome: 'done' | 'already' | 'not-attempted' }
  | {
      readonly outcome: 'failed';
      readonly error: GatewayError;
      /**
       * Refused; or not made, as a list shows; or unknown; or the object is neither as before nor as planned; or the write was made over
       * what another client has created since the plan.
       */
      readonly effect: 'refused' | 'not-made' | 'unknown' | 'overtaken' | 'overwrote';
      /** How it differs from the plan, if overtaken. */
      readonly mismatch?: string;
    };

type Failed = Extract<WriteResult, { outcome: 'failed' }>;

/** `finishes` completes what has begun, even in a run that is interrupted; `intent` is set if the journal has it already. */
type WriteOptions = { readonly finishes?: boolean; readonly intent?: Intent };

/**
 * Makes one write and retries it where that may help; each try is in the journal before it is sent. After a lost response
 * a list tells the result. Rejects only for a bug.
 */
export async function performWrite(
  write: Write,
  change: Change,
  context: RunContext,
  { finishes = false, intent: queued }: WriteOptions = {},
): Promise<WriteResult> {
  const kind = knownKind(change.address, context.kinds);
  const retries = new RetryBudget(context);
  let failed: Failed | undefined;
  let alone = false;
  let mayBeMade = false; // an earlier try may have had its effect, which counts as made by this run
  for (let intent = queued; ; intent = undefined) {
    intent ??= context.journal.recordIntent(write, change.address);
    const permit = await context.limiter.acquire(kind.name, {
      alone,
      finishes: finishes && failed === undefined,
    });
    if (permit === undefined || (failed !== undefined && context.outage.isLasting)) {
      permit?.release('ignored');
      intent.recordResult('unsent');
      return failed ?? { outcome: 'not-attempted' };
    }
    const { response, error } = await callGateway(write, kind, context, permit, intent);
    if (error === undefined) {
      const isDone = (response !== 'unchanged' && response !== 'absent') || mayBeMade;
      if (isDone) context.effects.record({ write, change, kind });
      // A gateway that updates had an object with other content. One that this run has deleted it may still see.
      const isOthers = response === 'updated' && change.action === 'create' && !isStep(change);
      if (isOthers && failed === undefined) return OVERWROTE;
      return { outcome: isDone ? 'done' : 'already' };
    }
    failed = { outcome: 'failed', error, effect: error.unsent ? 'not-made' : 'refused' };
    if (hasUnknownOutcome(error)) {
      const resolved = await resolveLostResponse(write, change, kind, error, retries, context);
      if (resolved === 'done') {
        context.effects.record({ write, change, kind });
        return { outcome: 'done' };
      }
      if (resolved.effect === 'unknown' || resolved.effect === 'overtaken') return resolved;
      // A response of 500 is a refusal; that nothing was made confirms it.
      if (error.code !== 'failed') failed = resolved;
    }
    mayBeMade ||= hasUnknownOutcome(error) || error.code === 'busy';
    if (!alone && permit.hadCompany() && isPossibleRace(error)) {
      alone = true;
      emitRetry(change, kind, 'trying again without other writes of its kind', 0, context);
      continue;
    }
    const isExplained = context.effects.explains(error, write, kind);
    if (!isRetryable(error) && !isExplained) return failed;
    if (isExplained && error.code === 'not-found') {
      const missing = await rewriteReferences(write, kind, context);
      if (missing.length > 0) {
        failed = { ...failed, error: nameMissing(error, missing) };
        retries.shorten(context.settleTimeoutMs / 4);
      }
    }
    const ms = retries.nextDelay(error.retryAfterMs);
    if (ms === undefined) {
      context.outage.giveUp();
      return error.retryAfterMs === undefined ? failed : hintAtTimeout(failed);
    }
    if (error.retryAfterMs !== undefined) context.limiter.pause(error.retryAfterMs);
    if (!context.signal.aborted) emitRetry(change, kind, error.message, ms, context);
    await context.clock.wait(ms, context.signal);
    if (context.signal.aborted) return failed;
  }
}

const OVERWROTE: Failed = {
  ...{ outcome: 'failed', effect: 'overwrote' },
  error: new GatewayError('conflict', 'another client has created it since the plan was made'),
};

async function callGateway(
  { call, resource }: Write,
  kind: Kind,
  { gateway, clock, outage }: Pick<RunContext, 'gateway' | 'clock' | 'outage'>,
  permit: Permit,
  intent: Intent,
): Promise<{ readonly response?: UpsertResult | 'removed' | 'absent'; readonly error?: GatewayError }> {
  let how: Parameters<Permit['release']>[0] = 'ignored';
  try {
    const journalError = await intent.synced;
    if (journalError !== undefined) return { error: journalError };
    const start = clock.now();
    const response =
      call === 'put' ? await gateway.put(kind, resource) : await gateway.remove(kind, resource);
    outage.end();
    const result = response === 'unchanged' || response === 'absent' ? response : 'done';
    intent.recordResult(result);
    how = clock.now() - start;
    return { response };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (isRetryable(error)) outage.begin(clock.now());
    else outage.end();
    intent.recordResult(toCallResult(error), error.status);
    if (isOverload(error)) how = 'overloaded';
    return { error };
  } finally {
    permit.release(how);
  }
}

function toCallResult(error: GatewayError): CallResult {
  if (error.unsent) return 'unsent';
  return hasUnknownOutcome(error) ? 'lost' : 'refused';
}

/** Reads whether a write without a response was made; otherwise, how much is known. */
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
  const earlier = [
    before,
    context.found?.get(change.address),
    context.effects.lastWritten(change.address, before),
  ];
  for (;;) {
    if (context.signal.aborted) return { outcome: 'failed', error, effect: 'unknown' };
    const read = await context.readList(kind);
    if ('listed' in read) {
      const live = read.listed.get(change.address);
      if (isSame(kind, live, wanted)) return 'done';
      if (earlier.some((one) => isSame(kind, live, one)))
        return { outcome: 'failed', error, effect: 'not-made' };
      const mismatch = describeMismatch(change, live, context.kinds);
      return { outcome: 'failed', error, effect: 'overtaken', mismatch };
    }
    const ms = isRetryable(read.error) ? retries.nextDelay(read.error.retryAfterMs) : undefined;
    if (ms === undefined) return { outcome: 'failed', error, effect: 'unknown' };
    await context.clock.wait(ms, context.signal);
  }
}

/**
 * After the gateway said that it does not have something the write refers to: reads what this run wrote of it. What is not
 * listed is written once more, once per run. Returns the addresses that were not listed.
 */
async function rewriteReferences(write: Write, kind: Kind, context: RunContext): Promise<readonly Address[]> {
  const missing: Address[] = [];
  for (const made of context.effects.writesOfReferences(write, kind)) {
    const { address } = made.change;
    const read = await context.readList(made.kind);
    if (!('listed' in read) || read.listed.has(address)) continue;
    missing.push(address);
    if (!context.rewrites.has(address)) {
      emitRetry(made.change, made.kind, 'confirmed but not there; writing it once more', 0, context);
      context.rewrites.set(address, performWrite(made.write, made.change, context));
    }
    await context.rewrites.get(address);
  }
  return missing;
}

function nameMissing(error: GatewayError, missing: readonly Address[]): GatewayError {
  const message = `${error.message}; the gateway confirmed ${missing.join(', ')} in this run and does not have it`;
  const { status } = error;
  const hint = 'check the gateway and any proxy in between, then plan again';
  return new GatewayError(error.code, message, { status, hint });
}

/** Retry-After is obeyed within the settle timeout only. */
function hintAtTimeout(failed: Failed): Failed {
  const { code, message, status, retryAfterMs, unsent } = failed.error;
  const hint = 'try again later, or wait for longer with --settle-timeout';
  return { ...failed, error: new GatewayError(code, message, { status, retryAfterMs, unsent, hint }) };
}

function emitRetry(change: Change, kind: Kind, why: string, inMs: number, context: RunContext): void {
  context.emit({ type: 'retrying', change, why: hideSecretsIn(why, change, kind), inMs });
}
