import { listPrincipals } from '../../effective/principals.ts';
import { linksIn, makeEffectiveState } from '../../effective/effective-state.ts';
import type { Topics } from '../../effective/reach.ts';
import { variantsOf } from '../../effective/topics.ts';
import type { TopicNames } from '../../effective/other-names.ts';
import type { TopicView, Views } from '../../effective/undone.ts';
import { addTo, getOrAdd, groupBy } from '../../model/collect.ts';
import { sameJson, valueAt, valueOf } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import { PASSTHROUGH } from '../../model/principal.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { hasHidden, HIDDEN } from '../../model/secrets/secrets.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { afterOf, beforeOf, idOf, type ChangeId, type DraftChange } from '../change/change.ts';
import { applyTo } from './moved-clients.ts';

/** A topic that clients have by another name after changes. */
export type NewName = TopicNames & {
  readonly virtualCluster: string;
  readonly from: ChangeId;
  /** The interceptor that shows the topic by this name to those for whom it runs. */
  readonly through?: Address;
};

/** The virtual topics that interceptors show to clients after changes, and did not before. */
export function findShown(
  changes: readonly DraftChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
): readonly NewName[] {
  const variantOf = variantsOf(kinds);
  const shownBy = (address: Address, one: Resource | undefined) =>
    (one === undefined ? [] : linksIn(address, one, kinds)).flatMap((link) => {
      const shows = variantOf(link.pluginClass)?.shows;
      const [is, of] = [shows?.name, shows?.of].map((key) => key && valueOf(link.config, key));
      return typeof is !== 'string' || typeof of !== 'string' ? [] : [{ is, of, scope: link.scope }];
    });
  let clusters: readonly string[] | undefined;
  return changes.flatMap((change) => {
    if (kinds.get(kindOf(change.address))?.variants === undefined) return [];
    const [shown] = shownBy(change.address, afterOf(change));
    if (shown === undefined || sameJson(shown, shownBy(change.address, beforeOf(change))[0])) return [];
    const { is, of, scope } = shown;
    const sources = hasHidden(of) ? [HIDDEN] : topicsOfQuery(of);
    const own = scope['vCluster'];
    clusters ??= [
      ...new Set(listPrincipals(makeEffectiveState(live, kinds)).map((one) => one.virtualCluster)),
    ];
    return (typeof own === 'string' ? [own] : clusters).flatMap((virtualCluster) =>
      sources.map((source): NewName => {
        const was = source === HIDDEN ? source : [source];
        return { virtualCluster, was, stored: [], is, from: idOf(change), through: change.address };
      }),
    );
  });
}

/** A topic, or those that a SQL query reads. */
function topicsOfQuery(text: string): readonly string[] {
  const found = text
    .replace(QUOTED_OR_COMMENT, (part) => (/^["'`]/.test(part) ? part : ' '))
    .split(/\b(?:FROM|JOIN)\b/i)
    .slice(1)
    .flatMap(sourcesIn);
  return found.length === 0 ? [text] : [...new Set(found)];
}

const QUOTED_OR_COMMENT = /"[^"]*"|'[^']*'|`[^`]*`|\/\*[^]*?(?:\*\/|$)|--.*/g;

/** The topics at the start of what follows a FROM: `a, b AS c WHERE …`. */
function sourcesIn(text: string): readonly string[] {
  const items = text
    .split(',')
    .map((item) => /^[\s(]*["'`]?([\w.-]+)["'`]?(?:\s+(?:AS\s+)?\w+)?\s*(\S?)/i.exec(item));
  const last = items.findIndex((item) => item === null || item[2] !== '');
  return items.slice(0, last === -1 ? items.length : last + 1).flatMap((item) => item?.[1] ?? []);
}

/**
 * The new names of topics for which clients of the same virtual cluster have another name, or in which topics of theirs are stored,
 * or else those of other virtual clusters; and the names that are there, in any of both, of topics in which other topics are stored now.
 */
export function findNewNames(
  changes: readonly DraftChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  otherClusters: () => readonly string[] = () => [],
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
          const names = { virtualCluster: named.virtualCluster, is: named.name, from };
          const isOther = named.virtualCluster !== virtualCluster;
          if (!isOther && hasHidden([topic, named.topic])) return [{ ...names, was: HIDDEN, stored: [] }];
          if (named.topic !== topic) return [];
          const shown = stored.live.get(keyOf(virtualCluster, topic));
          if (isOther) {
            const isMasked = !hasHidden([topic, topics]) && otherClusters().includes(virtualCluster);
            return isMasked && named.isUsual()
              ? [{ ...names, of: virtualCluster, was: [], stored: [topics], shown }]
              : [];
          }
          if (hasHidden(topics)) return [{ ...names, was: HIDDEN, stored: [] }];
          return [{ ...names, was: [], stored: [topics], shown }];
        }),
      );
    }
    if (before?.target === after.target) return [];
    const { name: is, virtualCluster, target, topic } = after;
    // Its clients have had it by this name without an object.
    if (before === undefined && after.itself.includes(is)) return [];
    if (hasHidden(target)) return [{ virtualCluster, was: HIDDEN, stored: [], is, from }];
    const { names, ownNames, stored } = (known ??= readNames(live, changes, kinds));
    // What a rule has stored stays there without it.
    const storedIn = (one: string): readonly Topics[] =>
      [stored.live, stored.after].flatMap((state) => state.get(keyOf(one, topic)) ?? []);
    const others = [...(names.get(target) ?? []), ...ownNames(after)].filter((name) => name !== is);
    const inside = { virtualCluster, was: others, stored: storedIn(virtualCluster), is, from };
    if (others.length + inside.stored.length > 0) return [inside];
    const clusters = otherClusters();
    const isUsual = clusters.length > 0 && after.isUsual();
    return clusters.flatMap((of): readonly NewName[] => {
      if (of === virtualCluster) return [];
      const there = after.seenFrom(of);
      const was = [...(names.get(there.target) ?? []), ...(isUsual ? ownNames(there) : [])];
      const one = { ...inside, of, was, stored: isUsual ? storedIn(of) : [] };
      return was.length + one.stored.length === 0 ? [] : [one];
    });
  });
}

/** The names of topics in one virtual cluster that clients of another one had by others there. */
export function namesElsewhere(
  changes: readonly DraftChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
): (of: string, virtualCluster: string) => readonly Omit<NewName, 'from'>[] {
  const { names, ownNames, stored } = readNames(live, changes, kinds);
  const after = [...applyTo(live, changes).values()].flatMap((one) => nameOf(one, kinds) ?? []);
  const inClusters = groupBy(after, (one) => one.virtualCluster);
  return (of, virtualCluster) =>
    (inClusters.get(virtualCluster) ?? []).flatMap((named): readonly Omit<NewName, 'from'>[] => {
      const is = named.name;
      if (hasHidden(named.target)) return [{ virtualCluster, was: HIDDEN, stored: [], is }];
      const there = named.seenFrom(of);
      const isUsual = named.isUsual();
      const was = [...(names.get(there.target) ?? []), ...(isUsual ? ownNames(there) : [])];
      const inside = isUsual ? (stored.live.get(keyOf(of, named.topic)) ?? []) : [];
      return was.length + inside.length === 0 ? [] : [{ virtualCluster, was, stored: inside, is }];
    });
}

/** The names that clients of a virtual cluster have for topics that others know by other names, after changes. */
export function topicViews(
  changes: readonly DraftChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  clusters: ReadonlySet<string>,
): {
  readonly viewsIn: (virtualCluster: string) => Views['viewsOf'];
  readonly leadsAway: Views['leadsAway'];
  /** The virtual clusters where changes make views of this sort. */
  readonly changedIn: () => ReadonlySet<string>;
} {
  const states = [live, applyTo(live, changes)].map((all) => {
    const named: (Named & { readonly address: Address })[] = [];
    const stored = new Map<string, Stored[]>();
    for (const [address, one] of all) {
      const own = nameOf(one, kinds);
      if (own !== undefined && !hasHidden(own.physical)) named.push({ ...own, address });
      for (const { topic, topics, virtualCluster: of } of storesOf(one, kinds))
        if (!hasHidden([topic, topics])) addTo(stored, topic, { of, topics, address });
    }
    const inCluster = groupBy(named, (each) => each.virtualCluster);
    const byPhysical = groupBy(named, (each) => each.physical);
    const taken = new Set(named.map((each) => keyOf(each.virtualCluster, each.name)));
    return { inCluster, byPhysical, stored, taken };
  });
  const [was, is] = states as [(typeof states)[number], (typeof states)[number]]; // one for each
  const lengths = [...new Set([...clusters].map((name) => name.length))].sort((one, other) => other - one);
  /** By which names clients have a topic without an object: those of the virtual cluster that it begins with, and those of all topics. */
  const ownNames = ({ topic }: Named, { taken }: typeof was): TopicView['seen'] => {
    const prefix = lengths
      .map((length) => topic.slice(0, length))
      .find((one) => one !== topic && one !== PASSTHROUGH && clusters.has(one));
    const inside = prefix === undefined ? [] : [{ of: prefix, name: topic.slice(prefix.length) }];
    return [...inside, { of: PASSTHROUGH, name: topic }].filter(
      ({ of, name }) => !taken.has(keyOf(of, name)),
    );
  };
  const viewOf = (one: Named, name: string, by: readonly Address[], virtualCluster: string): TopicView => {
    const isUsual = one.isUsual();
    const own = (state: typeof was) => (isUsual ? ownNames(one, state) : []);
    const named = states.flatMap(({ byPhysical }) => byPhysical.get(one.physical) ?? []);
    const seen = [
      ...named.map((each) => ({ of: each.virtualCluster, name: each.name })),
      ...states.flatMap(own),
    ];
    const before = [
      ...(was.byPhysical.get(one.physical) ?? []).map((each) => ({
        of: each.virtualCluster,
        name: each.name,
      })),
      ...own(was),
    ];
    const old = isUsual ? (was.stored.get(one.topic) ?? []) : [];
    const fresh = isUsual ? (is.stored.get(one.topic) ?? []) : [];
    const stored = [
      ...old.map((each) => ({ ...each, isOld: true })),
      ...fresh.map((each) => ({ ...each, isOld: false })),
    ];
    return {
      is: name,
      by: [...by, ...fresh.map(({ address }) => address)],
      isPerhaps: by.length === 0 && virtualCluster === PASSTHROUGH,
      seen: seen.filter((each) => each.of !== virtualCluster || each.name !== name),
      stored,
      former: before.flatMap((each) => (each.of === virtualCluster ? [each.name] : [])),
    };
  };
  let inClusters: ReadonlyMap<string, readonly TopicView[]> | undefined;
  const findAll = () => {
    const found = new Map<string, TopicView[]>();
    for (const [, [first]] of is.byPhysical)
      if (first.isUsual())
        for (const { of, name } of ownNames(first, is)) addTo(found, of, viewOf(first, name, [], of));
    for (const [of, all] of is.inCluster)
      for (const one of all) addTo(found, of, viewOf(one, one.name, [one.address], of));
    return found;
  };
  const known = new Map<string, ReadonlyMap<string | undefined, readonly TopicView[]>>();
  const viewsIn = (virtualCluster: string): Views['viewsOf'] => {
    const byOthers = getOrAdd(known, virtualCluster, () => {
      const all = ((inClusters ??= findAll()).get(virtualCluster) ?? []).filter(
        ({ seen, stored }) => seen.length + stored.length > 0,
      );
      const found = new Map<string | undefined, TopicView[]>([[undefined, all]]);
      for (const view of all)
        for (const of of new Set([...view.seen, ...view.stored].map((one) => one.of))) addTo(found, of, view);
      return found;
    });
    return (of) => byOthers.get(of) ?? [];
  };
  const changedIn = (): ReadonlySet<string> => {
    const changed = new Set(changes.map(({ address }) => address));
    const stored = new Set(
      [...is.stored].flatMap(([topic, all]) =>
        all.some(({ address }) => changed.has(address)) ? [topic] : [],
      ),
    );
    const named = [...is.inCluster.values()].flat();
    return new Set(
      named.flatMap((one) => (changed.has(one.address) || stored.has(one.topic) ? [one.virtualCluster] : [])),
    );
  };
  const leadsAway: Views['leadsAway'] = (virtualCluster, name, when) =>
    (when === 'after' ? [is] : states).every(({ taken }) => taken.has(keyOf(virtualCluster, name)));
  return { viewsIn, leadsAway, changedIn };
}

/** Topics of a virtual cluster that an object stores. */
type Stored = { readonly of: string; readonly topics: Topics; readonly address: Address };

/** The names of topics that clients have by another one, those that no change is about, and the topics that physical topics hold. */
function readNames(live: ReadonlyMap<Address, Resource>, changes: readonly DraftChange[], kinds: KindSet) {
  const after = applyTo(live, changes);
  const names = new Map<string, string[]>();
  const taken = new Set<string>();
  const kept: Named[] = [];
  for (const [address, one] of live) {
    const [named, next] = [one, after.get(address)].map((each) => each && nameOf(each, kinds));
    if (named === undefined) continue;
    addTo(names, named.target, named.name);
    if (!hasHidden(named.target)) taken.add(keyOf(named.virtualCluster, named.name));
    if (next?.target === named.target) kept.push(named);
  }
  // A name that leads to another topic hides the topic that is called so.
  const ownNames = ({ virtualCluster, itself }: Seen): readonly string[] =>
    itself.filter((name) => !taken.has(keyOf(virtualCluster, name)));
  const storedIn = (state: ReadonlyMap<Address, Resource>): ReadonlyMap<string, readonly Topics[]> => {
    const stored = new Map<string, Topics[]>();
    for (const one of state.values())
      for (const { virtualCluster, topic, topics } of storesOf(one, kinds))
        if (!hasHidden(topics)) addTo(stored, keyOf(virtualCluster, topic), topics);
    return stored;
  };
  return { names, ownNames, kept, stored: { live: storedIn(live), after: storedIn(after) } };
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

/** What a topic is to clients of a virtual cluster, and the name that it has there without an object: as it is, or without the prefix. */
type Seen = { readonly virtualCluster: string; readonly target: string; readonly itself: readonly string[] };

/** A name of a topic, and which topic in which virtual cluster that is. */
type Named = Seen & {
  readonly name: string;
  readonly topic: string;
  /** Which one it is, whoever calls it what. */
  readonly physical: string;
  readonly seenFrom: (virtualCluster: string) => Seen;
  /** Whether it is where the topics of virtual clusters are. */
  readonly isUsual: () => boolean;
};

function nameOf(resource: Resource, kinds: KindSet): Named | undefined {
  const kind = kinds.get(resource.kind);
  if (kind?.standsFor === undefined) return undefined;
  const { metadata, spec } = withDefaults(kind, resource);
  const { name, vCluster = PASSTHROUGH } = metadata;
  const [topic, ...rest] = kind.standsFor.map((place) => valueAt({ metadata, spec }, place) ?? null);
  if (typeof topic !== 'string' || typeof vCluster !== 'string') return undefined;
  const isUsual = (): boolean => {
    const usual = withDefaults(kind, { ...resource, spec: {} });
    return kind.standsFor?.slice(1).every((place, at) => sameJson(valueAt(usual, place), rest[at])) ?? false;
  };
  const seenFrom = (virtualCluster: string): Seen => {
    const prefix = virtualCluster === PASSTHROUGH ? '' : virtualCluster;
    return {
      virtualCluster,
      target: JSON.stringify([virtualCluster, topic, ...rest]),
      itself: topic.startsWith(prefix) && topic !== prefix ? [topic.slice(prefix.length)] : [],
    };
  };
  const physical = JSON.stringify([topic, ...rest]);
  return { name, topic, physical, ...seenFrom(vCluster), seenFrom, isUsual };
}
