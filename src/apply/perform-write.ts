import { GatewayError, type Gateway } from '../gateway/gateway.ts';
import { knownKind, type Kind, type KindSet } from '../model/kind.ts';
import type { Resource } from '../model/resource.ts';
import type { Change } from '../plan/change/plan.ts';
import { hideSecretsIn } from '../plan/secrets/hide-secrets.ts';
import type { CallJournal, Intent } from './journal/call-journal.ts';
import type { Clock } from './clock.ts';
import { insteadText, same } from './verify/compare.ts';
import type { ApplyEvent } from './events.ts';
import type { Gate, Pass } from './limiter/limiter.ts';
import type { Answer } from './journal/journal.ts';
import { Patience } from './limiter/retry-budget.ts';
import { readAgain, type Rereading } from './verify/list-batcher.ts';
import type { Step, Trail } from './effects.ts';
import { isLost, isOvertaxed, mayChange, mayPass } from './verify/classify-error.ts';

/** What the writes of a run have in common. */
export type Site = {
  readonly gateway: Gateway;
  readonly kinds: KindSet;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly journal: CallJournal;
  readonly trail: Trail;
  readonly rereading: Rereading;
  readonly tell: (event: ApplyEvent) => void;
  /** Aborted: no new call starts, and no wait goes on. */
  readonly signal: AbortSignal;
  /** For how long after its first failure a write is tried again. */
  readonly settleTimeoutMs: number;
};

/** What became of one write, and how much of that is known. */
export type Made =
  | { readonly outcome: 'done' | 'already' | 'not-attempted' }
  | {
      readonly outcome: 'failed';
      readonly error: GatewayError;
      /** The gateway said no; or it was not done, as a list shows; or nobody knows; or something else is there. */
      readonly known: 'refused' | 'not-made' | 'nothing' | 'something-else';
      /** What is there, where it is something else. */
      readonly instead?: string;
    };

type Failed = Extract<Made, { outcome: 'failed' }>;

/** How a write is made: with `finishes`, once even when the run is interrupted; `intent` is what the journal knows of it. */
type Manner = { readonly finishes?: boolean; readonly intent?: Intent };

/**
 * Makes one write, and tries again where the answer may change; each try is in the journal before it leaves. A lost answer
 * is settled by reading. Rejects only for a bug.
 */
export async function makeStep(
  step: Step,
  change: Change,
  site: Site,
  { finishes = false, intent: first }: Manner = {},
): Promise<Made> {
  const kind = knownKind(change.address, site.kinds);
  const patience = new Patience(site);
  let failed: Failed | undefined;
  let alone = false;
  let again = false; // what an earlier try may have done counts as done by this run
  for (let intent = first; ; intent = undefined) {
    intent ??= site.journal.intend(step, change.address);
    const pass = await site.gate.enter(kind.name, { alone, finishes: finishes && failed === undefined });
    if (pass === undefined) {
      intent.answered('unsent');
      return failed ?? { outcome: 'not-attempted' };
    }
    const { changed, error } = await call(step, kind, site.gateway, pass, intent);
    if (error === undefined) {
      const outcome = changed || again ? 'done' : 'already';
      if (outcome === 'done') noteDone(step, change, kind, site);
      return { outcome };
    }
    failed = { outcome: 'failed', error, known: error.unsent ? 'not-made' : 'refused' };
    const beforeAlone = !alone && pass.inCompany() && mayPass(error);
    if (beforeAlone) {
      alone = true;
      again ||= error.code === 'failed';
      tellRetry(change, kind, 'it is tried again alone', 0, site);
      continue;
    }
    if (isLost(error)) {
      const settled = await settle(step, change, kind, error, patience, site);
      if (settled === 'done') {
        noteDone(step, change, kind, site);
        return { outcome: 'done' };
      }
      // An answer of 500 says no; that nothing was done makes it certain.
      failed = error.code === 'failed' ? failed : settled;
      if (failed.known === 'nothing' || failed.known === 'something-else') return failed;
    }
    again ||= isLost(error) || error.code === 'busy';
    if (!mayChange(error) && !site.trail.explains(error, step, kind)) return failed;
    const ms = patience.next(error.retryAfterMs);
    if (ms === undefined) return failed;
    if (error.retryAfterMs !== undefined) site.gate.rest(error.retryAfterMs);
    if (!site.signal.aborted) tellRetry(change, kind, error.message, ms, site);
    await site.clock.wait(ms, site.signal);
    if (site.signal.aborted) return failed;
  }
}

async function call(
  { call: method, resource }: Step,
  kind: Kind,
  gateway: Gateway,
  pass: Pass,
  intent: Intent,
): Promise<{ readonly changed: boolean; readonly error?: GatewayError }> {
  let how: Parameters<Pass['leave']>[0] = 'neither';
  try {
    const unwritten = await intent.safe;
    if (unwritten !== undefined) return { changed: false, error: unwritten };
    const given = method === 'put' ? await gateway.put(kind, resource) : await gateway.remove(kind, resource);
    const answer = given === 'unchanged' || given === 'absent' ? given : 'done';
    intent.answered(answer);
    how = 'well';
    return { changed: answer === 'done' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    intent.answered(refusalOf(error), error.status);
    if (isOvertaxed(error)) how = 'overtaxed';
    return { changed: false, error };
  } finally {
    pass.leave(how);
  }
}

function refusalOf(error: GatewayError): Answer {
  if (error.unsent) return 'unsent';
  return isLost(error) ? 'lost' : 'refused';
}

/** Whether a write whose answer was lost was done; a failure says how much is known. */
async function settle(
  step: Step,
  change: Change,
  kind: Kind,
  error: GatewayError,
  patience: Patience,
  site: Site,
): Promise<'done' | Failed> {
  const wanted = step.call === 'put' ? step.resource : undefined;
  const before = 'before' in change ? change.before : undefined;
  const befores = [before, site.trail.last(change.address, before)];
  for (;;) {
    if (site.signal.aborted) return { outcome: 'failed', error, known: 'nothing' };
    const read = await readAgain(site.rereading, kind);
    if ('listed' in read) {
      const live = read.listed.get(change.address);
      if (same(kind, live, wanted)) return 'done';
      if (befores.some((known) => same(kind, live, known)))
        return { outcome: 'failed', error, known: 'not-made' };
      const instead = insteadText(change, live, site.kinds);
      return { outcome: 'failed', error, known: 'something-else', instead };
    }
    const ms = mayChange(read.error) ? patience.next(read.error.retryAfterMs) : undefined;
    if (ms === undefined) return { outcome: 'failed', error, known: 'nothing' };
    await site.clock.wait(ms, site.signal);
  }
}

function noteDone(step: Step, change: Change, kind: Kind, { trail }: Site): void {
  const before: Resource | undefined = 'before' in change ? change.before : undefined;
  trail.note(step, before, kind);
}

function tellRetry(change: Change, kind: Kind, why: string, inMs: number, site: Site): void {
  site.tell({ type: 'retrying', change, why: hideSecretsIn(why, change, kind), inMs });
}
