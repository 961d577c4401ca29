import { listClusters } from '../../effective/principals.ts';
import { factsOf, linksIn, makeEffectiveState } from '../../effective/effective-state.ts';
import type { Topics } from '../../effective/reach.ts';
import { variantsOf } from '../../effective/topics.ts';
import type { TopicNames } from '../../effective/other-names.ts';
import type { TopicView, Views } from '../../effective/undone.ts';
import { addTo, getOrAdd, groupBy, once } from '../../model/collect.ts';
import { sameJson, valueAt, valueOf } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import { PASSTHROUGH } from '../../model/principal.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { hasHidden, HIDDEN } from '../../model/secrets/secrets.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { afterOf, beforeOf, idOf, type ChangeId } from '../change/change.ts';
import { applyTo, type Transition } from './moved-clients.ts';

/** A topic that clients have by another name after changes. */
export type NewName = TopicNames & {
  readonly virtualCluster: string;
  readonly from: ChangeId;
  /** The interceptor that shows the topic by this name to those for whom it runs. */
  readonly through?: Address;
};

/** The virtual topics that interceptors show to clients after changes, and did not before. */
export function findShown({ live, changes, kinds }: Transition): readonly NewName[] {
  const variantOf = variantsOf(kinds);
  const shownBy = (address: Address, one: Resource | undefined) =>
    (one === undefined ? [] : linksIn(address, one, kinds)).flatMap((link) => {
      const shows = variantOf(link.pluginClass)?.shows;
      const [is, of] = [shows?.name, shows?.of].map((key) => key && valueOf(link.config, key));
      return typeof is !== 'string' || typeof of !== 'string' ? [] : [{ is, of, scope: link.scope }];
    });
  const clusters = once(() => [...listClusters(makeEffectiveState(live, kinds))]);
  return changes.flatMap((change) => {
    if (kinds.get(kindOf(change.address))?.variants === undefined) return [];
    const [shown] = shownBy(change.address, afterOf(change));
    if (shown === undefined || sameJson(shown, shownBy(change.address, beforeOf(change))[0])) return [];
    const { is, of, scope } = shown;
    const sources = hasHidden(of) ? [HIDDEN] : topicsOfQuery(of);
    const own = scope['vCluster'];
    return (typeof own === 'string' ? [own] : clusters()).flatMap((virtualCluster) =>
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
  { live, changes, kinds }: Transition,
  otherClusters: () => readonly string[] = () => [],
): readonly NewName[] {
  const known = once(() => readNames({ live, changes, kinds }));
  const renamed = changes.flatMap((change): readonly NewName[] => {
    const [was, becomes] = [beforeOf(change), afterOf(change)];
    if (becomes === undefined) return [];
    const from = idOf(change);
    const [before, after] = [was && nameOf(was, kinds), nameOf(becomes, kinds)];
    if (after === undefined) {
      const had = new Set(was && storesOf(was, kinds).map((one) => JSON.stringify(one)));
      const stores = storesOf(becomes, kinds).filter((one) => !had.has(JSON.stringify(one)));
      if (stores.length === 0) return [];
      const { kept, was: then } = known();
      return stores.flatMap(({ virtualCluster, topic, topics }) =>
        kept.flatMap((named): readonly NewName[] => {
          const names = { virtualCluster: named.virtualCluster, is: named.name, from };
          const isOther = named.virtualCluster !== virtualCluster;
          if (!isOther && hasHidden([topic, named.topic])) return [{ ...names, was: HIDDEN, stored: [] }];
          if (named.topic !== topic) return [];
          const shown = then.storedFor(virtualCluster, topic);
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
    const { namesOf, was: then, is: now } = known();
    // What a rule has stored stays there without it.
    const storedIn = (one: string): readonly Topics[] =>
      [then, now].flatMap((state) => state.storedFor(one, topic));
    const own = namesOf(after, true, is);
    const inside = { virtualCluster, ...own, stored: storedIn(virtualCluster), is, from };
    if (own.was.length + inside.stored.length > 0) return [inside];
    const clusters = otherClusters();
    const isUsual = clusters.length > 0 && after.isUsual();
    return clusters.flatMap((of): readonly NewName[] => {
      if (of === virtualCluster) return [];
      const one = {
        ...inside,
        of,
        ...namesOf(after.seenFrom(of), isUsual),
        stored: isUsual ? storedIn(of) : [],
      };
      return one.was.length + one.stored.length === 0 ? [] : [one];
    });
  });
  return [...renamed, ...namesInNewClusters(changes, kinds, () => known().was, otherClusters)];
}

/** The names that clients of new virtual clusters have for topics that begin with the name of theirs, and others had by other names. */
function namesInNewClusters(
  changes: Transition['changes'],
  kinds: KindSet,
  topics: () => TopicState,
  otherClusters: () => readonly string[],
): readonly NewName[] {
  const fresh = new Map<string, ChangeId>();
  for (const change of changes) {
    const becomes = beforeOf(change) === undefined ? afterOf(change) : undefined;
    for (const fact of becomes === undefined ? [] : factsOf(change.address, becomes, kinds))
      if (fact.type === 'virtual-cluster') fresh.set(fact.name, idOf(change));
  }
  const clusters = fresh.size === 0 ? [] : otherClusters();
  if (clusters.length === 0) return [];
  const { all, stored, storedFor } = topics();
  const named = groupBy(
    all.filter(({ target, isUsual }) => !hasHidden(target) && isUsual()),
    ({ topic }) => topic,
  );
  const lengths = new Set([...fresh.keys()].map((name) => name.length));
  return [...new Set([...named.keys(), ...stored.keys()])].flatMap((topic) =>
    [...lengths].flatMap((length): readonly NewName[] => {
      const [virtualCluster, is] = [topic.slice(0, length), topic.slice(length)];
      const from = fresh.get(virtualCluster);
      if (from === undefined || is === '') return [];
      return clusters.flatMap((of): readonly NewName[] => {
        const was = (named.get(topic) ?? []).flatMap((one) => (one.virtualCluster === of ? [one.name] : []));
        const one = { virtualCluster, of, was, stored: storedFor(of, topic), is, from };
        return was.length + one.stored.length === 0 ? [] : [one];
      });
    }),
  );
}

/** The names of topics in one virtual cluster that clients of another one had by others there. */
export function namesElsewhere({
  live,
  changes,
  kinds,
}: Transition): (of: string, virtualCluster: string) => readonly Omit<NewName, 'from'>[] {
  const { namesOf, was: then, is: now } = readNames({ live, changes, kinds });
  const inClusters = groupBy(now.all, (one) => one.virtualCluster);
  return (of, virtualCluster) =>
    (inClusters.get(virtualCluster) ?? []).flatMap((named): readonly Omit<NewName, 'from'>[] => {
      const is = named.name;
      if (hasHidden(named.target)) return [{ virtualCluster, was: HIDDEN, stored: [], is }];
      const isUsual = named.isUsual();
      const own = namesOf(named.seenFrom(of), isUsual);
      const stored = isUsual ? then.storedFor(of, named.topic) : [];
      return own.was.length + stored.length === 0 ? [] : [{ virtualCluster, ...own, stored, is }];
    });
}

/** The names that clients of a virtual cluster have for topics that others know by other names, after changes. */
export function topicViews(
  { live, changes, kinds }: Transition,
  clusters: ReadonlySet<string>,
): {
  readonly viewsIn: (virtualCluster: string) => Views['viewsOf'];
  readonly leadsAway: Views['leadsAway'];
  /** The virtual clusters where changes make views of this sort. */
  readonly changedIn: () => ReadonlySet<string>;
} {
  const [was, is] = [readTopics(live, kinds), readTopics(applyTo(live, changes), kinds)];
  const states = [was, is];
  const lengths = [...new Set([...clusters].map((name) => name.length))].sort((one, other) => other - one);
  /** By which names clients have a topic without an object: those of the virtual cluster that it begins with, and those of all topics. */
  const ownNames = ({ topic }: Named, { isTaken }: TopicState): TopicView['seen'] => {
    const prefix = lengths
      .map((length) => topic.slice(0, length))
      .find((one) => one !== topic && one !== PASSTHROUGH && clusters.has(one));
    const inside = prefix === undefined ? [] : [{ of: prefix, name: topic.slice(prefix.length) }];
    return [...inside, { of: PASSTHROUGH, name: topic }].filter(({ of, name }) => !isTaken(of, name));
  };
  const viewOf = (one: Named, name: string, by: readonly Address[], virtualCluster: string): TopicView => {
    const isUsual = one.isUsual();
    const namesIn = (state: TopicState): TopicView['seen'] => [
      ...(state.byPhysical.get(one.physical) ?? []).map((each) => ({
        of: each.virtualCluster,
        name: each.name,
      })),
      ...(isUsual ? ownNames(one, state) : []),
    ];
    const [before, after] = [namesIn(was), namesIn(is)];
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
      seen: [...before, ...after].filter((each) => each.of !== virtualCluster || each.name !== name),
      stored,
      former: before.flatMap((each) => (each.of === virtualCluster ? [each.name] : [])),
    };
  };
  const inClusters = once(() => {
    const found = new Map<string, TopicView[]>();
    for (const [, [first]] of is.byPhysical)
      if (first.isUsual())
        for (const { of, name } of ownNames(first, is)) addTo(found, of, viewOf(first, name, [], of));
    for (const [of, all] of is.inCluster)
      for (const one of all) addTo(found, of, viewOf(one, one.name, [one.address], of));
    return found;
  });
  const known = new Map<string, ReadonlyMap<string | undefined, readonly TopicView[]>>();
  const viewsIn = (virtualCluster: string): Views['viewsOf'] => {
    const byOthers = getOrAdd(known, virtualCluster, () => {
      const found = new Map<string | undefined, TopicView[]>();
      for (const view of inClusters().get(virtualCluster) ?? []) {
        const others = new Set([...view.seen, ...view.stored].map((one) => one.of));
        for (const of of others.size === 0 ? [] : [undefined, ...others]) addTo(found, of, view);
      }
      return found;
    });
    return (of) => byOthers.get(of) ?? [];
  };
  const changedIn = (): ReadonlySet<string> => {
    const changed = new Set(changes.map(({ address }) => address));
    const isChanged = ({ address }: { readonly address: Address }): boolean => changed.has(address);
    const stored = new Set([...is.stored].flatMap(([topic, all]) => (all.some(isChanged) ? topic : [])));
    const named = [...is.inCluster.values()].flat();
    const found = named.filter((one) => isChanged(one) || stored.has(one.topic));
    return new Set(found.map((one) => one.virtualCluster));
  };
  const leadsAway: Views['leadsAway'] = (virtualCluster, name, when) =>
    (when === 'after' ? [is] : states).every(({ isTaken }) => isTaken(virtualCluster, name));
  return { viewsIn, leadsAway, changedIn };
}

/** Topics of a virtual cluster that an object stores. */
type Stored = { readonly of: string; readonly topics: Topics; readonly address: Address };

/** The names that resources give topics, and what they store in physical ones. What is hidden is found by nothing. */
function readTopics(resources: ReadonlyMap<Address, Resource>, kinds: KindSet) {
  const all: (Named & { readonly address: Address })[] = [];
  const stored = new Map<string, Stored[]>();
  for (const [address, one] of resources) {
    const own = nameOf(one, kinds);
    if (own !== undefined) all.push({ ...own, address });
    for (const { topic, topics, virtualCluster: of } of storesOf(one, kinds))
      if (!hasHidden([topic, topics])) addTo(stored, topic, { of, topics, address });
  }
  const named = all.filter(({ physical }) => !hasHidden(physical));
  const taken = new Set(named.map(({ virtualCluster, name }) => keyOf(virtualCluster, name)));
  return {
    all,
    inCluster: groupBy(named, (one) => one.virtualCluster),
    byPhysical: groupBy(named, (one) => one.physical),
    byTarget: groupBy(named, (one) => one.target),
    stored,
    storedFor: (of: string, topic: string): readonly Topics[] =>
      (stored.get(topic) ?? []).flatMap((one) => (one.of === of ? [one.topics] : [])),
    /** A name that leads to another topic hides the topic that is called so. */
    isTaken: (virtualCluster: string, name: string): boolean => taken.has(keyOf(virtualCluster, name)),
  };
}
type TopicState = ReturnType<typeof readTopics>;

/** The names that clients have for topics before changes, and those of them that no change is about. */
function readNames({ live, changes, kinds }: Transition) {
  const [was, is] = [readTopics(live, kinds), readTopics(applyTo(live, changes), kinds)];
  const targets = new Map(is.all.map(({ address, target }) => [address, target]));
  const clusters = once(() => listClusters(makeEffectiveState(live, kinds)));
  /**
   * Those that objects give it, or else that without an object: nobody has to know that a topic begins with the name of a virtual cluster.
   * In passthrough, all know topics by their physical names.
   */
  const namesOf = (
    { virtualCluster, target, itself }: Seen,
    isUsual: boolean,
    except?: string,
  ): { readonly was: readonly string[]; readonly isOwn?: true } => {
    const given = (was.byTarget.get(target) ?? []).flatMap(({ name }) => (name === except ? [] : [name]));
    if (!isUsual || !clusters().has(virtualCluster)) return { was: given };
    const own = itself.filter((name) => name !== except && !was.isTaken(virtualCluster, name));
    if (given.length === 0) return { was: own, isOwn: true };
    return { was: virtualCluster === PASSTHROUGH ? [...given, ...own] : given };
  };
  return { was, is, namesOf, kept: was.all.filter((one) => targets.get(one.address) === one.target) };
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
