import type { Topics } from '../../effective/reach.ts';
import { otherNameJudge, type TopicNames, type Unprotected, undoneFinder } from '../../effective/undone.ts';
import { listPrincipals } from '../../effective/principals.ts';
import { linksIn, makeEffectiveState } from '../../effective/effective-state.ts';
import { weakeningJudge, type Weakened } from '../../effective/weakening.ts';
import { addTo, groupBy } from '../../model/collect.ts';
import { parsePointer, printPointer, valueAt, type Pointer } from '../../model/json/json.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import { PASSTHROUGH, type ChainLink } from '../../model/principal.ts';
import type { KindSet } from '../../model/kind.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { hasHidden, HIDDEN } from '../../model/secrets/secrets.ts';
import { afterOf, beforeOf, idOf, type ChangeId, type DraftChange } from '../change/change.ts';
import type { Weakening } from '../change/plan.ts';
import { pairChains, type PrincipalClass } from './classes.ts';
import { applyTo, listCreated, listRenamed, type Renamed } from './moved-clients.ts';
import { findChanges, tellWeakenings, topicsIn, type Told, type World } from './weakenings.ts';

// What clients read without its protection although no interceptor that protects has changed.

/** What changes let clients read without the protection that interceptors give it for others, as decryption does. */
export function findUndone(
  classes: readonly PrincipalClass[],
  { live, changes, kinds, protectionOf, redaction, topics }: World,
): readonly Weakening[] {
  const { isUndoing, find } = undoneFinder({
    ...{ protectionOf, kinds },
    topicsIn: topicsIn(() => [live, applyTo(live, changes)], { kinds, redaction, topics }),
  });
  let protecting: readonly ChainLink[] | undefined;
  return classes.flatMap((one) => {
    if (!one.after.some(isUndoing)) return [];
    protecting ??= [...live].flatMap(([address, resource]) => linksIn(address, resource, kinds));
    return one.principals.flatMap((principal) => {
      const found = find(one, principal, protecting ?? []);
      return [...groupBy(found, ({ through }) => through.address).values()].flatMap((group) => {
        const from = findChanges(group[0].through, one);
        const weakened = group.map((each): Weakened => ({ ...each, ...BY_ANOTHER, loss: 'undone' }));
        return tellWeakenings(weakened, () => from, redaction).map((told) => ({ ...principal, ...told }));
      });
    });
  });
}

const BY_ANOTHER = { fields: [], against: [] } as const;

/** What objects enforce themselves, and no longer do with their changes. */
export function findLoosened({ changes, ...world }: World): readonly Weakening[] {
  const { live, kinds } = world;
  const renamed = [...listRenamed(live, changes, kinds), ...listCreated(changes, kinds)];
  const own = [
    ...findLoosenedByName({ changes, ...world }),
    ...changes.flatMap((change) =>
      loosenedBy(change.address, [beforeOf(change), afterOf(change)], idOf(change), world, renamed),
    ),
  ];
  if (renamed.length === 0) return own;
  const changed = new Set(changes.map(({ address }) => address));
  const byOf = new Map(renamed.map(({ is, by }) => [keyOf(is.virtualCluster, is.username), by]));
  const [{ by }] = renamed as [Renamed]; // has one
  const others = [...live].flatMap(([address, one]) =>
    changed.has(address) ? [] : loosenedBy(address, [one, one], by, world, renamed),
  );
  return [
    ...own,
    ...others.map((one) => ({
      ...one,
      from: [byOf.get(keyOf(one.virtualCluster, one.username ?? '')) ?? by] as const,
    })),
  ];
}

/** What objects enforce for a topic by the names that clients have for it, and not by one that it gets. */
function findLoosenedByName({ changes, ...world }: World): readonly Weakening[] {
  const { live, kinds } = world;
  const after = applyTo(live, changes);
  const enforcing = [...live].flatMap(([address, was]) => {
    const [kind, is] = [kinds.get(kindOf(address)), after.get(address)];
    const forTopic = kind?.forTopic?.bind(kind);
    if (kind === undefined || forTopic === undefined || is === undefined) return [];
    return [{ address, forTopic, was: withDefaults(kind, was), is: withDefaults(kind, is) }];
  });
  if (enforcing.length === 0) return [];
  return findNewNames(changes, live, kinds).flatMap(({ virtualCluster, was, stored, is: as, from }) => {
    const isHidden = was === HIDDEN;
    const ofStored = stored.flatMap((one) => (one.type === 'one' ? [one.name] : []));
    const names = isHidden ? [HIDDEN] : [...was, ...ofStored];
    const found = names.map((name) =>
      enforcing.flatMap(({ address, forTopic, ...one }) => {
        const [before, otherwise] = [one.was, one.is].map((state) =>
          forTopic(state, { virtualCluster, name, as }),
        );
        const now = forTopic(one.is, { virtualCluster, name: as, as });
        // What it enforces by no name any more is told of its own change.
        const isByName = loosenedBy(address, [otherwise, now], from, world, []).length > 0;
        const found = isByName ? loosenedBy(address, [before, now], from, world, []) : [];
        // Of a list, only the part for the topic was looked at.
        return found.map((each) => ({ ...each, fields: each.fields.map(withoutIndex) }));
      }),
    );
    // A name by which it was open before makes another one no worse.
    const [first = []] = found.every((each) => each.length > 0) ? found : [];
    return isHidden ? first.map((one) => ({ ...one, certainty: 'hidden' })) : first;
  });
}

function withoutIndex(pointer: Pointer): Pointer {
  return pointer.replace(/\/\d+$/, '') as Pointer; // one still
}

function loosenedBy(
  address: Address,
  [before, after]: readonly [Resource | undefined, Resource | undefined],
  from: ChangeId,
  { live, kinds, redaction }: Omit<World, 'changes'>,
  renamed: readonly Renamed[],
): readonly Weakening[] {
  const kind = kinds.get(kindOf(address));
  if (kind?.loosens === undefined || before === undefined || after === undefined) return [];
  const was = renamed.reduce(
    (one, { was: former, is }) => kind.renaming?.(one, former, is) ?? one,
    withDefaults(kind, before),
  );
  const found = kind.loosens(was, withDefaults(kind, after));
  return found.flatMap(({ protection, what, at, virtualCluster, who, ...lost }): readonly Weakening[] => {
    const isOne = 'username' in who;
    const fields = [isOne ? printPointer(parsePointer(at).slice(0, -1)) : at];
    const parts: Weakening['parts'] = [{ what, names: [], ...lost }];
    const told = {
      protection,
      certainty: isOne || redaction.showsAt(address, at) ? 'weaker' : 'hidden',
      by: address,
      fields,
      parts,
      from: [from],
    } as const;
    if (isOne) {
      const username = redaction.showsAt(address, at) ? who.username : HIDDEN;
      return [{ virtualCluster, username, groups: [], ...told }];
    }
    return listPrincipals(makeEffectiveState(live, kinds)).flatMap((one) =>
      one.virtualCluster === virtualCluster && !who.allBut.includes(one.username ?? '')
        ? [{ ...one, ...told }]
        : [],
    );
  });
}

/** Topics that changes give another name, by which they are protected less than by the names that clients have for them. */
export function findOtherNames({
  live,
  changes,
  kinds,
  protectionOf,
  redaction,
}: World): readonly Weakening[] {
  const renamed = findNewNames(changes, live, kinds);
  if (renamed.length === 0) return [];
  const options = { protectionOf, kinds };
  const judge = otherNameJudge(options);
  const { namesUsers } = weakeningJudge({ ...options, topicsIn: () => [] });
  const pairsIn = pairChains(live, changes, kinds);
  const found = new Map<NewName, Weakening[]>();
  for (const [virtualCluster, names] of groupBy(renamed, (one) => one.virtualCluster))
    for (const { principals, ...chains } of pairsIn(virtualCluster)) {
      const isByUser = [...chains.before, ...chains.after].some(({ one }) => namesUsers(one));
      let told: readonly (readonly Told[])[] = [];
      for (const [at, principal] of principals.entries()) {
        if (at === 0 || isByUser) {
          const unprotectedAs = judge(chains, principal);
          told = names.map((one) => tellOtherName(unprotectedAs(one), one, redaction));
        }
        for (const [of, name] of names.entries())
          for (const one of told[of] ?? []) addTo(found, name, { ...principal, ...one });
      }
    }
  return renamed.flatMap((one) => found.get(one) ?? []);
}

function tellOtherName(
  found: readonly Unprotected[],
  { is, from }: NewName,
  redaction: World['redaction'],
): readonly Told[] {
  if (found.length === 0) return []; // which is so for most of a million
  const weakened = found.map((each): Weakened => ({ ...each, ...BY_ANOTHER, loss: 'whole', topics: [is] }));
  return tellWeakenings(weakened, () => [from], redaction);
}

type NewName = TopicNames & { readonly virtualCluster: string; readonly from: ChangeId };

/**
 * The new names of topics for which clients of the same virtual cluster have another name, or in which topics of theirs are stored;
 * and the names that are there of topics in which other topics are stored now.
 */
function findNewNames(
  changes: readonly DraftChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
): readonly NewName[] {
  let known: ReturnType<typeof readNames> | undefined;
  return changes.flatMap((change): readonly NewName[] => {
    const [was, becomes] = [beforeOf(change), afterOf(change)];
    if (becomes === undefined) return [];
    const from = idOf(change);
    const [before, after] = [was && nameOf(was, kinds), nameOf(becomes, kinds)];
    if (after === undefined) {
      const had = new Set(was && storesOf(was, kinds).map((one) => JSON.stringify(one)));
      const stores = storesOf(becomes, kinds).filter((one) => !had.has(JSON.stringify(one)));
      if (stores.length === 0) return [];
      const { kept, stored } = (known ??= readNames(live, changes, kinds));
      return stores.flatMap(({ virtualCluster, topic, topics }) =>
        kept.flatMap((named): readonly NewName[] => {
          const names = { virtualCluster, is: named.name, from };
          if (named.virtualCluster !== virtualCluster) return [];
          if (hasHidden([topic, named.topic])) return [{ ...names, was: HIDDEN, stored: [] }];
          if (named.topic !== topic) return [];
          if (hasHidden(topics)) return [{ ...names, was: HIDDEN, stored: [] }];
          return [
            { ...names, was: [], stored: [topics], shown: stored.live.get(keyOf(virtualCluster, topic)) },
          ];
        }),
      );
    }
    if (before?.target === after.target) return [];
    const { name: is, virtualCluster, target } = after;
    if (hasHidden(target)) return [{ virtualCluster, was: HIDDEN, stored: [], is, from }];
    known ??= readNames(live, changes, kinds);
    const key = keyOf(virtualCluster, after.topic);
    // What a rule has stored stays there without it.
    const stored = [
      ...(known.stored.live.get(key) ?? []),
      ...(known.stored.after.get(key) ?? []),
      ...after.stored,
    ];
    const others = [...(known.names.get(target) ?? []), ...after.itself].filter((name) => name !== is);
    return others.length + stored.length === 0 ? [] : [{ virtualCluster, was: others, stored, is, from }];
  });
}

/** The names of topics that clients have by another one, those that no change is about, and the topics that physical topics hold. */
function readNames(live: ReadonlyMap<Address, Resource>, changes: readonly DraftChange[], kinds: KindSet) {
  const after = applyTo(live, changes);
  const names = new Map<string, string[]>();
  const kept: Named[] = [];
  for (const [address, one] of live) {
    const [named, next] = [one, after.get(address)].map((each) => each && nameOf(each, kinds));
    if (named === undefined) continue;
    addTo(names, named.target, named.name);
    if (next?.target === named.target) kept.push(named);
  }
  const storedIn = (state: ReadonlyMap<Address, Resource>): ReadonlyMap<string, readonly Topics[]> => {
    const stored = new Map<string, Topics[]>();
    for (const one of state.values())
      for (const { virtualCluster, topic, topics } of storesOf(one, kinds))
        if (!hasHidden(topics)) addTo(stored, keyOf(virtualCluster, topic), topics);
    return stored;
  };
  return { names, kept, stored: { live: storedIn(live), after: storedIn(after) } };
}

/** The physical topics in which a resource stores topics. */
function storesOf(
  one: Resource,
  kinds: KindSet,
): readonly { readonly virtualCluster: string; readonly topic: string; readonly topics: Topics }[] {
  const kind = kinds.get(one.kind);
  if (kind?.topics === undefined || kind.storedIn === undefined) return [];
  const { metadata, spec } = withDefaults(kind, one);
  const [text, ...physical] = [kind.topics.at, ...kind.storedIn].map((at) => valueAt({ metadata, spec }, at));
  const { vCluster = PASSTHROUGH } = metadata;
  const isOpen = hasHidden(text) || !hasPlaceholder(text);
  if (typeof text !== 'string' || typeof vCluster !== 'string' || !isOpen) return [];
  const about = { virtualCluster: vCluster, topics: { type: 'pattern', text } } as const;
  return physical.flatMap((topic) => (typeof topic === 'string' ? [{ ...about, topic }] : []));
}

const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);

/** A name of a topic, and which topic in which virtual cluster that is. */
type Named = {
  readonly name: string;
  readonly virtualCluster: string;
  readonly topic: string;
  readonly target: string;
  /** The names that it has without an object, where its clients see it as it is. */
  readonly itself: readonly string[];
  /** The topic of the virtual cluster that it is, if it has the prefix of the topics of that. */
  readonly stored: readonly Topics[];
};

function nameOf(resource: Resource, kinds: KindSet): Named | undefined {
  const kind = kinds.get(resource.kind);
  if (kind?.standsFor === undefined) return undefined;
  const { metadata, spec } = withDefaults(kind, resource);
  const { name, vCluster = PASSTHROUGH } = metadata;
  const [topic, ...rest] = kind.standsFor.map((place) => valueAt({ metadata, spec }, place) ?? null);
  if (typeof topic !== 'string' || typeof vCluster !== 'string') return undefined;
  const isItself = vCluster === PASSTHROUGH;
  const isOwn = !isItself && topic.startsWith(vCluster) && topic !== vCluster;
  return {
    name,
    virtualCluster: vCluster,
    topic,
    target: JSON.stringify([vCluster, topic, ...rest]),
    itself: isItself ? [topic] : [],
    stored: isOwn ? [{ type: 'one', name: topic.slice(vCluster.length) }] : [],
  };
}
