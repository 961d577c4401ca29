import { compareNaturally } from '../model/text/natural-order.ts';
import { knownKind, type Context, type Kind, type KindSet } from '../model/kind.ts';
import { requestBody } from '../model/normal/normal-form.ts';
import type { FieldDifference } from '../model/field-difference.ts';
import type { Checked, Position } from '../model/problem.ts';
import { kindOf, type Address, type Resource } from '../model/resource.ts';
import type { Limited, Removal, Rules } from '../model/rules.ts';
import { placeOf, type Declared, type DesiredState, type LiveState, type Overlay } from '../model/state.ts';
import { compileGlobs } from '../model/text/glob.ts';
import { diffResources } from './change/diff-resources.ts';
import { applyIgnoreRules } from './change/ignore.ts';
import { isExpired } from './checks/ownership.ts';
import { countKinds } from './checks/limits.ts';
import { markAccepted, reasonsOf } from './checks/exposures.ts';
import { checkWorld } from './checks/world-checks.ts';
import type { PlannedWorld } from './checks/world.ts';
import { markFormerSecrets, type IsSecret } from './change/former-secrets.ts';
import type { KnownSecrets } from './secrets/hide-in-chains.ts';
import { orderSafely } from './exposure/order-safely.ts';
import { beforeOf, LEFT_BEHIND, type DraftChange } from './change/change.ts';
import type { Plan, Selection } from './change/plan.ts';
import { preconditionsOf } from './change/preconditions.ts';
import { isBuiltIn, makeMatcher, makeSelector } from './change/select.ts';

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
  const claimOf = claims({ ...options, rules, removals }, kinds);
  const drafts: DraftChange[] = [];
  const managed: Address[] = [];
  const lists: Record<'unchanged' | 'unclaimed' | 'unmanaged' | 'unselected', Address[]> = {
    unchanged: [],
    unclaimed: [],
    unmanaged: [],
    unselected: [],
  };
  const movedFrom = new Map(
    removals.flatMap(({ address, to }) =>
      to !== undefined && live.resources.has(address) ? [[to.address, address] as const] : [],
    ),
  );

  for (const declared of desired.values()) {
    const { address } = declared;
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || live.unavailable.has(kind.name)) continue;
    const isLive = live.resources.has(address);
    if (isLive) managed.push(address);
    const from = movedFrom.get(address);
    const isSplit = !isLive && from !== undefined && !isSelected(from);
    if (!isSelected(address) || isSplit) {
      lists.unselected.push(address);
      continue;
    }
    const change = compare(declared, live.resources.get(address), kind);
    if (change === undefined) lists.unchanged.push(address);
    else
      drafts.push(change.action === 'create' && from !== undefined ? { ...change, movedFrom: from } : change);
  }
  for (const [address, before] of live.resources) {
    if (desired.has(address) || isIgnored(address) || isBuiltIn(address, kinds)) continue;
    const claim = claimOf(address);
    if (claim === 'external') continue;
    const isLeft = kinds.get(kindOf(address))?.isBridge?.(before) === true;
    const isOwn = rules.manages === undefined || claim !== 'unmanaged';
    if (isLeft && isOwn && typeof claim === 'string' && isSelected(address)) {
      managed.push(address);
      drafts.push({ action: 'delete', address, before, removal: LEFT_BEHIND });
      continue;
    }
    if (claim === 'unmanaged') {
      lists[isSelected(address) || rules.manages !== undefined ? 'unmanaged' : 'unselected'].push(address);
      continue;
    }
    managed.push(address);
    const removal = typeof claim === 'string' ? undefined : claim;
    const isWanted = isSelected(address) && (removal?.to === undefined || isSelected(removal.to.address));
    if (!isWanted) lists.unselected.push(address);
    else if (claim === 'unclaimed') lists.unclaimed.push(address);
    else
      drafts.push({
        action: 'delete',
        address,
        before,
        ...(removal === undefined ? {} : saidOf(removal)),
      });
  }

  const marked = drafts.map((draft) => ({
    ...draft,
    ...markFormerSecrets(beforeOf(draft), knownKind(draft.address, kinds), draft, {
      isSecret,
      templates: declaredOf?.(draft.address)?.templates,
    }),
  }));
  const {
    exposures: found,
    weakenings: weakened,
    unjudged,
    ...ordered
  } = orderSafely(marked, live.resources, kinds, rules.protection, (address) => declared.has(address), {
    declaredOf: (address) => desired.get(address) ?? declaredOf?.(address),
    isSecret,
    topics,
  });
  const { changes, cycles, effects } = ordered;
  const acceptance = { ...rules, accepted: options.acceptExposure, today, removed: reasonsOf(changes) };
  const exposures = markAccepted(found, acceptance);
  const weakenings = markAccepted(weakened, acceptance);
  const plan: Plan = {
    gateway,
    selection,
    ...(rules.manages === undefined ? {} : { manages: rules.manages }),
    ...(prune === undefined ? {} : { prune }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    changes,
    relies: preconditionsOf(marked, { desired, live, kinds, isSecret }),
    unchanged: lists.unchanged.sort(),
    unclaimed: lists.unclaimed.sort(compareNaturally),
    unmanaged: lists.unmanaged.sort(),
    unselected: lists.unselected.sort(),
    ignored: ignored.filter(({ address }) => isSelected(address)),
    managed: countKinds(managed),
    ...(effects.length === 0 ? {} : { effects }),
    ...(exposures.length === 0 ? {} : { exposures }),
    ...(weakenings.length === 0 ? {} : { weakenings }),
  };
  const world: PlannedWorld = {
    desired,
    removals,
    rules: { ...rules, limits: { ...rules.limits, ...options.limits } },
    kinds,
    ...(today === undefined ? {} : { today }),
    ...(options.context === undefined ? {} : { context: options.context }),
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

/** Decides what happens to objects that are live and in no file. */
function claims(
  { rules, removals, prune }: Required<Pick<PlanOptions, 'rules' | 'removals'>> & PlanOptions,
  kinds: KindSet,
): (address: Address) => Removal | 'pruned' | 'unclaimed' | 'unmanaged' | 'external' {
  const byAddress = new Map(removals.map((removal) => [removal.address, removal]));
  const isManaged = rules.manages === undefined ? undefined : makeMatcher(rules.manages, kinds);
  const isPruned = prune === undefined ? () => false : makeMatcher(prune, kinds);
  const isExternal = compileGlobs((rules.external ?? []).map(({ address }) => address));
  return (address) => {
    if (isExternal(address)) return 'external';
    if (isManaged?.(address) === false) return 'unmanaged';
    const removal = byAddress.get(address);
    if (removal !== undefined) return removal;
    if (isPruned(address)) return 'pruned';
    return isManaged === undefined ? 'unmanaged' : 'unclaimed';
  };
}

function saidOf({
  at,
  reason,
  to,
}: Removal): Pick<Extract<DraftChange, { action: 'delete' }>, 'at' | 'removal' | 'movedTo'> {
  return { at, removal: reason, ...(to === undefined ? {} : { movedTo: to.address }) };
}

function compare(declared: Declared, before: Resource | undefined, kind: Kind): DraftChange | undefined {
  const { address, resource, at } = declared;
  const templates =
    declared.templates === undefined ? {} : { templates: Object.fromEntries(declared.templates) };
  if (before === undefined)
    return { action: 'create', address, at, after: requestBody(kind, resource), ...templates };
  const change = diffResources(before, resource, kind, { address, at, ...templates });
  return change !== undefined && 'fields' in change
    ? { ...change, at: madeAt(declared, change.fields) }
    : change;
}

/** The place of the last layer that a changed field comes from: whoever reads the change looks there. */
function madeAt(declared: Declared, fields: readonly FieldDifference[]): Position {
  const { overlays = [], at } = declared;
  if (overlays.length === 0) return at;
  const places = fields.map(({ path }) => placeOf(declared, path));
  const isMade = (one: Overlay): boolean =>
    places.some((place) => 'document' in place && place.document === one.document);
  return overlays.findLast(isMade)?.at ?? at;
}
