import { present } from '../model/collect.ts';
import { compareNaturally } from '../model/text/natural-order.ts';
import { knownKind, type Context, type KindSet } from '../model/kind.ts';
import type { Checked } from '../model/problem.ts';
import type { Limited, Removal, Rules } from '../model/rules.ts';
import type { DesiredState, LiveState } from '../model/state.ts';
import { applyIgnoreRules } from './change/ignore.ts';
import { isExpired } from './checks/ownership.ts';
import { countKinds } from './checks/limits.ts';
import { markAccepted, reasonsOf } from './checks/exposures.ts';
import { checkWorld } from './checks/world-checks.ts';
import type { PlannedWorld } from './checks/world.ts';
import { draftChanges } from './change/draft-changes.ts';
import { markFormerSecrets, type IsSecret } from './change/former-secrets.ts';
import type { KnownSecrets } from './secrets/hide-in-chains.ts';
import { orderSafely } from './exposure/order-safely.ts';
import { beforeOf } from './change/change.ts';
import type { Plan, Selection } from './change/plan.ts';
import { preconditionsOf } from './change/preconditions.ts';
import { makeSelector } from './change/select.ts';

export type PlanOptions = {
  /** The URL of the gateway that `live` was read from. */
  readonly gateway: string;
  readonly selection?: Selection;
  readonly rules?: Rules;
  /** What files delete by name. */
  readonly removals?: readonly Removal[];
  /** Delete unclaimed objects that match these globs; absent: only what is removed by name. */
  readonly prune?: readonly string[];
  /** Override the limits of the project for all kinds together. */
  readonly limits?: Limited;
  /** Globs for the interceptors whose protection may be lost, beside what the rules accept. */
  readonly acceptExposure?: readonly string[] | undefined;
  /** Topics of each virtual cluster, beside those that objects are. */
  readonly topics?: readonly string[] | undefined;
  /** `YYYY-MM-DD`, for what the project allows until a day; without it nothing expires. */
  readonly today?: string;
  /** What the environment says of its gateway; rules that need what it leaves out do not apply. */
  readonly context?: Context;
  /** Recognises secrets on the gateway that no file names. */
  readonly isSecret?: IsSecret | undefined;
  /** What variables fill in where files that this plan is not about declare an object. */
  readonly declaredOf?: KnownSecrets['declaredOf'];
};

/**
 * Compares what files ask for with what the gateway has. The plan's changes stand in the order in which they will be
 * made; what cannot be done, would be refused, or is against a rule, is a problem, and with an error among them the plan
 * is not to be applied.
 */
export function makePlan(
  desired: DesiredState,
  live: LiveState,
  kinds: KindSet,
  options: PlanOptions,
): Checked<Plan> {
  const { plan, world } = planChanges(desired, live, kinds, options);
  return { value: plan, problems: checkWorld(world) };
}

/** Makes a plan without checking it; also returns what the checks need. */
export function planChanges(
  declared: DesiredState,
  live: LiveState,
  kinds: KindSet,
  options: PlanOptions,
): { readonly plan: Plan; readonly world: PlannedWorld } {
  const {
    gateway,
    selection = { target: [], exclude: [] },
    rules = {},
    removals = [],
    prune,
    today,
    isSecret,
    declaredOf,
    topics,
  } = options;
  const ignore = (rules.ignore ?? []).filter((rule) => !isExpired(rule, today));
  const { desired, isIgnored, ignored, unusedRules } = applyIgnoreRules(declared, live, ignore, kinds);
  const isSelected = makeSelector(selection, kinds);
  const sorted = draftChanges(desired, live, kinds, { rules, removals, prune, isSelected, isIgnored });
  const marked = sorted.drafts.map((draft) => ({
    ...draft,
    ...markFormerSecrets(beforeOf(draft), knownKind(draft.address, kinds), draft, {
      isSecret,
      templates: declaredOf?.(draft.address)?.templates,
    }),
  }));
  const ordered = orderSafely(
    marked,
    live.resources,
    kinds,
    rules.protection,
    (address) => declared.has(address),
    {
      declaredOf: (address) => desired.get(address) ?? declaredOf?.(address),
      isSecret,
      topics,
    },
  );
  const { changes, cycles, effects, unjudged } = ordered;
  const acceptance = { ...rules, accepted: options.acceptExposure, today, removed: reasonsOf(changes) };
  const exposures = markAccepted(ordered.exposures, acceptance);
  const weakenings = markAccepted(ordered.weakenings, acceptance);
  const plan: Plan = {
    gateway,
    selection,
    ...present({ manages: rules.manages, prune, limits: options.limits }),
    changes,
    relies: preconditionsOf(marked, { desired, live, kinds, isSecret }),
    unchanged: sorted.unchanged.toSorted(),
    unclaimed: sorted.unclaimed.toSorted(compareNaturally),
    unmanaged: sorted.unmanaged.toSorted(),
    unselected: sorted.unselected.toSorted(),
    ignored: ignored.filter(({ address }) => isSelected(address)),
    managed: countKinds(sorted.managed),
    ...(effects.length === 0 ? {} : { effects }),
    ...(exposures.length === 0 ? {} : { exposures }),
    ...(weakenings.length === 0 ? {} : { weakenings }),
  };
  const world: PlannedWorld = {
    desired,
    removals,
    rules: { ...rules, limits: { ...rules.limits, ...options.limits } },
    kinds,
    ...present({ today, context: options.context }),
    topics,
    live,
    changes: new Map(marked.map((change) => [change.address, change])),
    cycles,
    managed: plan.managed,
    selection,
    isSelected,
    ignored,
    unusedRules,
    exposures,
    weakenings,
    unjudged,
  };
  return { plan, world };
}
