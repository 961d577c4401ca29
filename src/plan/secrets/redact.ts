import { compareNaturally } from '../../model/text/natural-order.ts';
import {
  canonicalText,
  isList,
  isObject,
  joinPointer,
  type Json,
  parsePointer,
  type Pointer,
  printPointer,
  valueAt,
  anyItem,
} from '../../model/json/json.ts';
import { memoize, present } from '../../model/collect.ts';
import { withoutDefaults } from '../../model/defaults.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import type { RiskSort } from '../../model/kind.ts';
import { comparable, withDefaults } from '../../model/normal/normal-form.ts';
import { kindOf, type Resource, type Address } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { Declared, DesiredState } from '../../model/state.ts';
import { liveSecretPlaces, type IsSecret as IsFormerSecret } from '../change/former-secrets.ts';
import {
  type Change,
  type DraftChange,
  isStep,
  formerSources,
  templatesOf,
  afterOf,
  beforeOf,
} from '../change/change.ts';
import {
  countChanges,
  type Counts,
  listedUnmanaged,
  type Plan,
  type PlanScope,
  scopeOf,
  type Undoes,
} from '../change/plan.ts';
import type { FieldDifference } from '../../model/field-difference.ts';

/** What renderers need to know of a plan, made in this process or read from a file. */
export type PlanView = Pick<
  Plan,
  keyof PlanScope | 'changes' | 'unclaimed' | 'unmanaged' | 'ignored' | 'effects' | 'exposures' | 'weakenings'
> & {
  readonly counts: Counts;
  /** An undo says of what. */
  readonly undoes?: Undoes | undefined;
  /** How many declared or live objects the selection left out. */
  readonly unselected: number;
};

/** A plan that is safe to show. Renderers accept no other. */
export type ShownPlan = PlanView & { readonly risks: readonly Risk[]; readonly __brand: 'ShownPlan' };

/**
 * Takes every secret out of a plan, old and new ones; renderers know no other way to a plan. The changes are worked out when
 * they are first looked at: `apply PLAN` shows none.
 */
export function redact(plan: Plan | PlanView, kinds: KindSet): ShownPlan {
  let changes: readonly Change[] | undefined;
  let risks: readonly Risk[] | undefined;
  const view: Omit<ShownPlan, '__brand'> = {
    ...scopeOf(plan),
    get changes() {
      return (changes ??= plan.changes.map((change) => dropDefaults(hideSecrets(change, kinds), kinds)));
    },
    get risks() {
      return (risks ??= risksOf(plan.changes, kinds));
    },
    counts: 'counts' in plan ? plan.counts : countChanges(plan),
    unclaimed: plan.unclaimed,
    unmanaged: listedUnmanaged(plan),
    ignored: plan.ignored,
    ...present({ effects: plan.effects, exposures: plan.exposures, weakenings: plan.weakenings }),
    ...('undoes' in plan ? { undoes: plan.undoes } : {}),
    unselected: 'counts' in plan ? plan.unselected : plan.unselected.length,
  };
  return view as ShownPlan; // the one place that makes them
}

/** A created or deleted object without the values that it has anyway. */
function dropDefaults(change: Change, kinds: KindSet): Change {
  const ofSpec = kinds.get(kindOf(change.address))?.defaultTree.below.get('spec');
  if (ofSpec === undefined || (change.action !== 'create' && change.action !== 'delete')) return change;
  const resource = change.action === 'create' ? change.after : change.before;
  const spec = withoutDefaults(resource.spec, ofSpec) as Resource['spec']; // takes nothing away that it must have
  if (spec === resource.spec) return change;
  const bare = { ...resource, spec };
  return change.action === 'create' ? { ...change, after: bare } : { ...change, before: bare };
}

/** The change with every secret in its resources and fields hidden; a hidden field that differs still shows as one. */
export function hideSecrets<C extends DraftChange>(change: C, kinds: KindSet): C {
  const kind = kinds.get(kindOf(change.address));
  return kind === undefined ? change : hideAt(change, secretsOf(change, kind));
}

/** The same, where it is known where they are. */
export function hideAt<C extends DraftChange>(change: C, { before: inBefore, after: inAfter }: SecretsOf): C {
  if (inBefore.size + inAfter.size === 0) return change;
  // What is secret now is taken to have been secret before, at any index of its list. The reverse does not hold: a value
  // that replaces a secret must reach the gateway.
  const shapes = new Set([...inAfter, ...inBefore].map(anyItem));
  const isNow: IsSecret = (pointer) => inAfter.has(pointer);
  const wasOnce: IsSecret = (pointer) => shapes.has(anyItem(pointer));
  // Secrets lie deep in a resource, so that one with its secrets hidden is one still.
  return {
    ...change,
    ...('after' in change ? { after: hide(change.after, '', isNow) as Resource } : {}),
    ...('before' in change ? { before: hide(change.before, '', wasOnce) as Resource } : {}),
    ...('fields' in change ? { fields: change.fields.map((field) => hideField(field, isNow, wasOnce)) } : {}),
  };
}

type IsSecret = (pointer: Pointer) => boolean;

/** Fields of which the former and the new value are secret at the same places. */
export function hideInFields(
  fields: readonly FieldDifference[],
  isSecret: IsSecret,
): readonly FieldDifference[] {
  return fields.map((field) => hideField(field, isSecret, isSecret));
}

function hideField(field: FieldDifference, isNow: IsSecret, wasOnce: IsSecret): FieldDifference {
  const cover = (value: Json, isSecret: IsSecret): Json =>
    isInside(field.path, isSecret) ? HIDDEN : hide(value, field.path, isSecret);
  return {
    ...field,
    ...('before' in field ? { before: cover(field.before, wasOnce) } : {}),
    ...('after' in field ? { after: cover(field.after, isNow) } : {}),
  }; // the same sort of field, with other values
}

/** Whether the place lies in something secret. */
function isInside(path: Pointer, isSecret: IsSecret): boolean {
  const tokens = parsePointer(path);
  return tokens.some((_, at) => isSecret(printPointer(tokens.slice(0, at))));
}

function hide(value: Json, pointer: Pointer, isSecret: IsSecret): Json {
  if (isSecret(pointer)) return HIDDEN;
  if (isList(value)) return value.map((item, at) => hide(item, joinPointer(pointer, at), isSecret));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, hide(child, joinPointer(pointer, key), isSecret)]),
  );
}

/** What files ask for, as it is compared, without its secrets; by address. */
export function redactDesired(desired: DesiredState, kinds: KindSet): readonly Resource[] {
  const inOrder = [...desired.values()].sort(({ address: one }, { address: other }) =>
    compareNaturally(one, other),
  );
  return inOrder.flatMap((declared) => {
    const shown = hideDeclared(declared, kinds);
    if (shown === undefined) return [];
    const { apiVersion, kind: name, ...fields } = shown;
    const { protect } = declared;
    return [protect === true ? { apiVersion, kind: name, protect, ...fields } : shown];
  });
}

/** What a file asks for, as it is compared, without its secrets; undefined for an unknown kind. */
export function hideDeclared(
  { address, resource, templates }: Pick<Declared, 'address' | 'resource' | 'templates'>,
  kinds: KindSet,
): Resource | undefined {
  const kind = kinds.get(kindOf(address));
  if (kind === undefined) return undefined;
  const secret = secretPlaces(kind, resource, templates);
  // A resource with its secrets hidden is one still.
  const cover = (one: Resource): Resource => hide(one, '', (pointer) => secret.has(pointer)) as Resource;
  // Hidden before it is compared, or what is filled in beside a secret would tell of it; and again, for its case.
  return cover(comparable(kind, cover(resource)));
}

/** A live resource without its secrets. */
export function redactLive(
  live: Resource,
  kind: Kind,
  declared: Partial<Pick<Declared, 'resource' | 'templates'>> | undefined,
  isSecret: IsFormerSecret | undefined,
): Resource {
  const secret = liveSecretPlaces(live, kind, declared, isSecret);
  // A resource with its secrets hidden is one still.
  return secret.size === 0 ? live : (hide(live, '', (pointer) => secret.has(pointer)) as Resource);
}

type SecretsOf = { readonly before: ReadonlySet<Pointer>; readonly after: ReadonlySet<Pointer> };

/** Where the former and the new value of a change hold secrets. Reports, seals and judgements ask for it. */
export function secretsOf(change: DraftChange, kind: Kind): SecretsOf {
  return secretsIn(kind)(change);
}

const secretsIn = memoize((kind: Kind) => memoize((change: DraftChange) => findSecrets(change, kind)));

function findSecrets(change: DraftChange, kind: Kind): SecretsOf {
  const { before, after } = findPlaces(change, kind);
  // Most changes have no secrets, and there may be 100,000.
  return before.size + after.size === 0 ? NO_SECRETS : { before, after };
}

const NONE: ReadonlySet<Pointer> = new Set();
const NO_SECRETS: SecretsOf = { before: NONE, after: NONE };

function findPlaces(change: DraftChange, kind: Kind): SecretsOf {
  const sourcesOfNew = isStep(change) ? undefined : templatesOf(change.templates);
  if (change.action === 'create')
    return { before: NONE, after: secretPlaces(kind, change.after, sourcesOfNew) };
  const former = formerSources(change);
  const before = secretPlaces(kind, change.before, former);
  if (change.action === 'delete') return { before, after: NONE };
  const after = secretPlaces(kind, change.after, sourcesOfNew);
  if (!isStep(change) && change.formerSecrets === undefined) return { before, after };
  // An extra step keeps what was there, and so does a field that files leave alone; another value in its place is no secret.
  const textAt = (resource: Resource, place: Pointer): string =>
    `${anyItem(place)} ${canonicalText(valueAt(resource, place) ?? null)}`;
  const kept = new Set([...before].map((place) => textAt(change.before, place)));
  const sources = isStep(change) ? former : formerSources({ formerSecrets: change.formerSecrets });
  const stayed = [...secretPlaces(kind, change.after, sources)].filter((place) =>
    kept.has(textAt(change.after, place)),
  );
  return { before, after: new Set([...after, ...stayed]) };
}

/** A consequence of a change that deserves a look before others; it holds no value of the resource. */
export type Risk = { readonly address: Address; readonly risk: RiskSort; readonly message: string };

function risksOf(changes: readonly Change[], kinds: KindSet): readonly Risk[] {
  // What is there already is no new name of another one.
  const moved = new Set(changes.flatMap((change) => ('movedFrom' in change ? [change.movedFrom] : [])));
  const renamed = new Map(
    changes.flatMap((change) =>
      'movedTo' in change && moved.has(change.address) ? [[change.movedTo, change] as const] : [],
    ),
  );
  return changes.flatMap((change): readonly Risk[] => {
    const { address, action } = change;
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || isStep(change)) return [];
    const isGone = action === 'delete' || action === 'replace';
    const lost: readonly Risk[] =
      isGone && kind.holds !== undefined
        ? [{ address, risk: 'data-loss', message: `is deleted with ${kind.holds}` }]
        : [];
    if (kind.risks === undefined || moved.has(address)) return lost;
    const former = renamed.get(address);
    const [before, after] = [beforeOf(former ?? change), afterOf(change)].map((resource) =>
      resource === undefined ? undefined : withDefaults(kind, resource),
    );
    const isSecret = (place: Pointer): boolean =>
      secretsOf(former ?? change, kind).before.has(place) || secretsOf(change, kind).after.has(place);
    return [...lost, ...kind.risks(before, after, isSecret).map((found) => ({ address, ...found }))];
  });
}
