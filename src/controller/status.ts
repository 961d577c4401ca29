import { sameJson } from '../model/json/json.ts';
import { cutWithin, formatCount } from '../model/text/list.ts';
import { inWords } from './plan-summary.ts';
import type { Outcome } from './reconcile.ts';
import { gatewayOf, requestOf, type Condition, type GatewayConfig, type Status } from './resource.ts';

/** An event of Kubernetes, before it is one. */
export type Said = { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };

const MOST = { changes: 20, addresses: 10, losses: 10, text: 1000 };

/** When a look began and ended, and who looked. */
export type Moment = { readonly start: Date; readonly end: Date; readonly by: string };

export function statusAfter(resource: GatewayConfig, outcome: Outcome, moment: Moment): Status {
  const { spec, status: before = {}, metadata } = resource;
  const { state, plan, revision, made, calls } = outcome;
  const at = moment.end.toISOString();
  const isApplied = state === 'done' && (spec.mode ?? 'plan') !== 'plan';
  // With nothing left to change, what was approved is done: its run may have had no status, or a change no answer.
  const spentApproval = isApplied && spec.mode === 'approve' ? spec.approvedPlan : undefined;
  const left = isApplied || plan === undefined ? NONE : plan.counts;
  const total = left.create + left.update + left.replace + left.delete;
  const { unprotected: earlier = [] } = before;
  const own = outcome.unprotected ?? [];
  const lacking = own.every((who) => earlier.includes(short(who)))
    ? earlier
    : first([...new Set([...own, ...earlier])]);
  const unprotected = state === 'done' && total === 0 ? [] : lacking;
  const who = unprotected.length === 0 ? [] : [`an unfinished run left ${unprotected.join(', ')}`];
  const message = [...who, outcome.message].join('; ');
  const hasPlan = state === 'done' || state === 'waiting' || plan !== undefined;
  return {
    observedGeneration: metadata.generation,
    conditions: conditionsAfter(resource, { ...outcome, message }, at),
    lastHandledReconcileAt: requestOf(resource) ?? before.lastHandledReconcileAt,
    lastAttemptedRevision: revision ?? before.lastAttemptedRevision,
    lastAppliedRevision: isApplied ? (revision ?? before.lastAppliedRevision) : before.lastAppliedRevision,
    lastAppliedGateway: isApplied || made > 0 ? gatewayOf(spec.gateway.url) : before.lastAppliedGateway,
    lastAppliedPlan: made > 0 && plan !== undefined ? plan.digest : (spentApproval ?? before.lastAppliedPlan),
    changes: hasPlan ? { total, ...left } : before.changes,
    pendingPlan:
      state === 'waiting' && plan !== undefined
        ? {
            digest: plan.digest,
            summary: inWords(plan.counts),
            changes: few(plan.changes, MOST.changes),
            losses: first(plan.losses),
            risks: first(plan.risks),
          }
        : undefined,
    unprotected: unprotected.length > 0 ? unprotected : undefined,
    drift: driftAfter(resource, outcome),
    lastRun: {
      result: outcome.result ?? state,
      startedAt: moment.start.toISOString(),
      at,
      made,
      calls,
      by: moment.by,
    },
    lastSuccess: state === 'done' || state === 'waiting' ? at : before.lastSuccess,
  };
}

const NONE = { create: 0, update: 0, replace: 0, delete: 0 };

/** The status while a resource is looked at for the first time, or otherwise than before. */
export function statusDuring(resource: GatewayConfig, now: Date): Status {
  const { status: before = {}, metadata } = resource;
  const message = `looking at the gateway for generation ${metadata.generation ?? 0}`;
  const conditions = [
    conditionOf(resource, 'Ready', 'Unknown', { reason: 'Progressing', message }, now.toISOString()),
    conditionOf(resource, 'Reconciling', 'True', { reason: 'Progressing', message }, now.toISOString()),
  ];
  return { ...before, conditions };
}

/** As kstatus reads them: `Reconciling` and `Stalled` are there only while they are true. */
function conditionsAfter(resource: GatewayConfig, outcome: Outcome, at: string): readonly Condition[] {
  const { state } = outcome;
  const ready = conditionOf(resource, 'Ready', state === 'done' ? 'True' : 'False', outcome, at);
  if (state === 'done' || state === 'waiting') return [ready];
  const other = state === 'stalled' ? 'Stalled' : 'Reconciling';
  return [ready, conditionOf(resource, other, 'True', outcome, at)];
}

function conditionOf(
  { status, metadata }: GatewayConfig,
  type: string,
  value: Condition['status'],
  { reason, message }: Pick<Outcome, 'reason' | 'message'>,
  at: string,
): Condition {
  const before = status?.conditions?.find((one) => one.type === type);
  const lastTransitionTime = before?.status === value ? before.lastTransitionTime : at;
  const observedGeneration = metadata.generation;
  return { type, status: value, observedGeneration, lastTransitionTime, reason, message: short(message) };
}

/**
 * What was found otherwise than the files say. In `plan`, all that a plan would change. Elsewhere what somebody changed on the gateway,
 * after this revision had been applied; once a run has brought it back there is none.
 */
function driftAfter({ spec, status: before = {} }: GatewayConfig, outcome: Outcome): Status['drift'] {
  const { plan, state, revision } = outcome;
  if (plan === undefined) return state === 'done' ? { count: 0, addresses: [] } : before.drift;
  const isDrift =
    (spec.mode ?? 'plan') === 'plan' || (state !== 'done' && revision === before.lastAppliedRevision);
  const addresses = isDrift ? plan.addresses : [];
  return { count: addresses.length, addresses: few(addresses, MOST.addresses) };
}

/** What there is to tell, against the status before: nothing twice. */
export function eventsOf(
  { spec, metadata, status: before = {} }: GatewayConfig,
  outcome: Outcome,
  after: Status,
): readonly Said[] {
  const { state, plan, reason, made, revision } = outcome;
  const message = after.conditions?.[0]?.message ?? outcome.message;
  const said: Said[] = [];
  const say = (type: Said['type'], why: string, words: string): void => {
    said.push({ type, reason: why, message: short(words) });
  };
  const ready = before.conditions?.find(({ type }) => type === 'Ready');
  const isNew = ready?.reason !== reason || ready.message !== message;
  if (made > 0) {
    const isHealed = revision !== undefined && revision === before.lastAppliedRevision;
    const what =
      plan === undefined || state !== 'done' ? '' : `: ${few(plan.changes, MOST.addresses).join(', ')}`;
    say(
      'Normal',
      metadata.deletionTimestamp !== undefined ? 'Pruned' : isHealed ? 'DriftCorrected' : 'Applied',
      `${formatCount(made, 'change')} made at ${revision ?? ''}${what}`,
    );
  }
  const drift = after.drift ?? { count: 0, addresses: [] };
  const isOther = !sameJson(drift, before.drift);
  if (drift.count > 0 && isOther)
    say(
      'Warning',
      'DriftDetected',
      `${drift.count} on the gateway not as the files say: ${drift.addresses.join(', ')}`,
    );
  if (plan !== undefined && plan.losses.length > 0 && (made > 0 || isNew))
    say('Warning', 'ProtectionLost', first(plan.losses).join('; '));
  if (state === 'waiting' && after.pendingPlan?.digest !== before.pendingPlan?.digest)
    say('Normal', 'PlanPending', message);
  if ((state === 'failed' || state === 'stalled') && isNew) say('Warning', reason, message);
  const wasBad = ready?.status === 'False' && before.pendingPlan === undefined;
  if (state === 'done' && wasBad && made === 0) say('Normal', 'Recovered', message);
  if (state === 'done' && ready === undefined && made === 0 && drift.count === 0 && spec.suspend !== true)
    say('Normal', reason, message);
  return said;
}

function few(texts: readonly string[], most: number): readonly string[] {
  return texts.slice(0, most).map(short);
}

/** What no count beside it tells: the first ones, and how many are left out. */
function first(texts: readonly string[]): readonly string[] {
  const others = texts.length - MOST.losses;
  return [...few(texts, MOST.losses), ...(others > 0 ? [`and ${others} more`] : [])];
}

function short(text: string): string {
  return cutWithin(text, MOST.text);
}
