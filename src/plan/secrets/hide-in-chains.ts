import { getOrAdd } from '../../model/collect.ts';
import { factsOf } from '../../effective/effective-state.ts';
import { knownKind, type KindSet, type Kind } from '../../model/kind.ts';
import {
  canonicalText,
  entriesOf,
  isList,
  isObject,
  isTextOrNumber,
  sameJson,
  valueAt,
  valueOf,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import type { ChainLink, Fact, Principal } from '../../model/principal.ts';
import { type Address, type Resource, kindOf, type Parsed } from '../../model/resource.ts';
import { HIDDEN, hiddenPlaceholder } from '../../model/secrets/hidden.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { Declared, Template } from '../../model/state.ts';
import type { IsSecret } from '../change/former-secrets.ts';
import { afterOf, beforeOf, isStep, type DraftChange, type Change } from '../change/change.ts';
import { hideSecrets, redactLive, secretsOf } from './redact.ts';
import { makeMasker } from './masker.ts';

type Side = 'before' | 'after';
const SIDES: readonly Side[] = ['before', 'after'];

/** What is known of secrets in live resources beside the marks of changes. */
export type KnownSecrets = {
  readonly declaredOf?: (address: Address) => Partial<Pick<Declared, 'resource' | 'templates'>> | undefined;
  readonly isSecret?: IsSecret | undefined;
};

/** The values of resources that chains and principals show, hidden where a plan hides them in its changes. */
export type ChainRedaction = {
  readonly priorityOf: (link: ChainLink, side?: Side) => number | typeof HIDDEN;
  /** Whether the priority of an interceptor is hidden, and changes. */
  readonly movesAt: (address: Address) => boolean;
  /** Of an external group or an external name. */
  readonly externalOf: (name: string) => string;
  readonly principalOf: <P extends Principal>(principal: P) => P;
  /**
   * A resource as it can be judged: a placeholder stands for each hidden value, the same for the same one, so that it can be told
   * whether it changes, and nothing else. Undefined where nothing is hidden.
   */
  readonly judgedAt: (address: Address, side: Side) => Resource | undefined;
  /** Whether an object shows the value at a pointer, before and after. */
  readonly showsAt: (address: Address, pointer: Pointer) => boolean;
};

/** Chains and principals are made of the facts that resources tell: shown is what they tell without their secrets. */
export function redactChains(
  live: ReadonlyMap<Address, Resource>,
  changes: readonly DraftChange[],
  kinds: KindSet,
  { declaredOf, isSecret }: KnownSecrets,
): ChainRedaction {
  let made: ReadonlyMap<Address, DraftChange> | undefined; // most runs ask for none
  const own = (): ReadonlyMap<Address, DraftChange> =>
    (made ??= new Map(
      changes.flatMap((one) =>
        isStep(one) ? [] : [[one.address, beforeAs(one, live.get(one.address))] as const],
      ),
    ));
  const resourceAt = (address: Address, side: Side): Resource | undefined => {
    const change = own().get(address);
    if (change === undefined) return live.get(address);
    return side === 'before' ? beforeOf(change) : afterOf(change);
  };
  const hiddenAt = (address: Address, side: Side): Resource | undefined => {
    const change = own().get(address);
    if (change !== undefined) {
      const shown = hideSecrets(change, kinds);
      return side === 'before' ? beforeOf(shown) : afterOf(shown);
    }
    const found = live.get(address);
    return found && redactLive(found, knownKind(address, kinds), declaredOf?.(address), isSecret);
  };
  const tell = (address: Address, resource: Resource | undefined): readonly Fact[] =>
    resource === undefined ? [] : factsOf(address, resource, kinds);

  const priorityIn = (address: Address, resource: Resource | undefined): number => {
    const fact = tell(address, resource).find(({ type }) => type === 'interceptor');
    return fact?.type === 'interceptor' ? fact.priority : NaN;
  };
  const isOpenPriority = remember(
    (address: Address, side: Side) => !Number.isNaN(priorityIn(address, hiddenAt(address, side))),
  );
  const shownAt = remember((address: Address, side: Side) => hiddenAt(address, side));
  const placeholders = new Map<string, string>();
  const placeholderOf = (value: Json): string =>
    getOrAdd(placeholders, canonicalText(value), () => hiddenPlaceholder(placeholders.size));
  let hiddenNames: ReadonlySet<string> | undefined;
  const findHiddenNames = (): ReadonlySet<string> => {
    const names = new Set<string>();
    for (const address of new Set([...live.keys(), ...own().keys()]))
      for (const side of SIDES) {
        const facts = tell(address, resourceAt(address, side));
        if (!facts.some(isExternal)) continue;
        const shown = tell(address, hiddenAt(address, side));
        for (const [at, fact] of facts.entries())
          if (isExternal(fact) && !sameName(fact, shown[at])) names.add(fact.name);
      }
    return names;
  };
  const externalOf = (name: string): string =>
    (hiddenNames ??= findHiddenNames()).has(name) ? HIDDEN : name;
  return {
    priorityOf: ({ address, priority }, side = 'after') =>
      isOpenPriority(address, side) ? priority : HIDDEN,
    movesAt: (address) => {
      const [before, after] = SIDES.map((side) => priorityIn(address, resourceAt(address, side)));
      return !Object.is(before, after) && !SIDES.every((side) => isOpenPriority(address, side));
    },
    externalOf,
    principalOf: (principal) => {
      const { externalGroup, identity } = principal;
      if (externalGroup !== undefined) return { ...principal, externalGroup: externalOf(externalGroup) };
      if (identity?.externalName === undefined) return principal;
      return { ...principal, identity: { ...identity, externalName: externalOf(identity.externalName) } };
    },
    judgedAt: remember((address: Address, side: Side) => {
      const resource = resourceAt(address, side);
      const shown = resource && shownAt(address, side);
      if (resource === undefined || shown === undefined || shown === resource) return undefined;
      const open = openWhere(resource, shown, placeholderOf);
      return open === resource ? undefined : (open as Resource); // one with other values in its spec is one still
    }),
    showsAt: (address, pointer) =>
      SIDES.every((side) => {
        const [own, shown] = [resourceAt(address, side), shownAt(address, side)];
        if (own === shown) return true;
        const value = shown && valueAt({ spec: shown.spec }, pointer);
        return value !== HIDDEN && sameJson(own && valueAt({ spec: own.spec }, pointer), value);
      }),
  };
}

/**
 * What tells a principal from others where names are hidden: the members of two external groups in the same groups of the gateway have the
 * same chains.
 */
export function shownKeyOf({ virtualCluster, username, externalGroup, identity, groups }: Principal): string {
  const within = externalGroup === HIDDEN ? groups : undefined;
  return JSON.stringify([virtualCluster, username, externalGroup, identity, within]);
}

/** The change of what is live: one from a saved plan has its secrets hidden already, and chains are made of the real values. */
function beforeAs(change: DraftChange, live: Resource | undefined): DraftChange {
  return live === undefined || change.action === 'create' ? change : { ...change, before: live };
}

/** The value with a placeholder wherever another one shows nothing. */
function openWhere(value: Json, shown: Json | undefined, placeholderOf: (value: Json) => string): Json {
  if (shown === HIDDEN) return placeholderOf(value);
  if (isList(value)) {
    const items = value.map((item, at) => openWhere(item, valueOf(shown, String(at)), placeholderOf));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = entriesOf(value).map(
    ([key, item]) => [key, openWhere(item, valueOf(shown, key), placeholderOf)] as const,
  );
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
}

type External = Extract<Fact, { type: 'external-group' | 'external-name' }>;

function isExternal(fact: Fact): fact is External {
  return fact.type === 'external-group' || fact.type === 'external-name';
}

function sameName(fact: External, other: Fact | undefined): boolean {
  return other?.type === fact.type && other.name === fact.name;
}

function remember<T>(find: (address: Address, side: Side) => T): (address: Address, side: Side) => T {
  const known = { before: new Map<Address, T>(), after: new Map<Address, T>() };
  return (address, side) => {
    if (known[side].has(address)) return known[side].get(address) as T; // it was made
    const made = find(address, side);
    known[side].set(address, made);
    return made;
  };
}

/**
 * A text from elsewhere about a change, with every secret of the change hidden, the shortest too: a gateway may repeat what it was
 * sent, in a string of JSON, with its white space changed, or cut off.
 */
export function hideSecretsIn(text: string, change: Change, kind: Kind): string {
  const { before, after } = secretsOf(change, kind);
  const masker = makeMasker(1);
  if (change.action !== 'delete') masker.learn(() => textsAt(change.after, after));
  if (change.action !== 'create') masker.learn(() => textsAt(change.before, before));
  return masker.mask(text);
}

/** The texts of all secrets in resources, for a masker. */
export function* secretTexts(
  resources: Iterable<{
    readonly address: Address;
    readonly resource: Parsed;
    readonly templates?: ReadonlyMap<Pointer, Template>;
  }>,
  kinds: KindSet,
): Generator<string> {
  for (const { address, resource, templates } of resources) {
    const kind = kinds.get(kindOf(address));
    if (kind !== undefined) yield* textsOf(kind, resource, templates);
  }
}

function* textsOf(
  kind: Kind,
  resource: Parsed,
  templates?: ReadonlyMap<Pointer, Template>,
): Generator<string> {
  const places = secretPlaces(kind, resource, templates);
  // A variable without a value leaves its name in place of the secret.
  const isOpen = (place: Pointer): boolean => {
    const value = templates?.get(place)?.open === undefined ? undefined : valueAt(resource, place);
    return typeof value === 'string' && /^\$\{[^}]*\}$/.test(value);
  };
  yield* textsAt(resource, new Set([...places].filter((place) => !isOpen(place))));
}

function* textsAt(resource: Parsed, places: ReadonlySet<Pointer>): Generator<string> {
  for (const place of places) {
    const value = valueAt(resource, place);
    if (isTextOrNumber(value)) yield String(value);
  }
}
