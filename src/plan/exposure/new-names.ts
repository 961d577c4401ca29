import { listClusters } from '../../effective/principals.ts';
import { factsOf, linksIn, makeEffectiveState } from '../../effective/effective-state.ts';
import { withPrefix, type Topics } from '../../effective/reach.ts';
import type { TopicNames } from '../../effective/other-names.ts';
import type { TopicView, Views } from '../../effective/topic-views.ts';
import { addTo, getOrAdd, groupBy, once } from '../../model/collect.ts';
import { sameJson } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { PASSTHROUGH } from '../../model/principal.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { hasHidden, HIDDEN } from '../../model/secrets/hidden.ts';
import { afterOf, beforeOf, idOf, type ChangeId } from '../change/change.ts';
import { applyTo, type Transition } from './moved-clients.ts';
import {
  keyOf,
  nameOf,
  readNames,
  readTopics,
  storesOf,
  type Named,
  type StoredTopics,
  type TopicState,
} from './named-topics.ts';
import { readVirtual, shownReader, sourcesOf, type Shown } from './virtual-topics.ts';

/** A topic that clients have by another name after changes. */
export type NewName = TopicNames & {
  readonly virtualCluster: string;
  readonly from: ChangeId;
  /** The interceptor that shows the topic by this name to those for whom it runs. */
  readonly through?: Address;
};

/** The virtual topics that interceptors show to clients after changes, and did not before. */
export function findShown({ live, changes, kinds }: Transition): readonly NewName[] {
  const read = shownReader(kinds);
  const shownBy = (address: Address, one: Resource | undefined) =>
    (one === undefined ? [] : linksIn(address, one, kinds)).flatMap((link) => read(link) ?? []);
  const clusters = once(() => [...listClusters(makeEffectiveState(live, kinds))]);
  return changes.flatMap((change) => {
    if (kinds.get(kindOf(change.address))?.variants === undefined) return [];
    const [shown] = shownBy(change.address, afterOf(change));
    if (shown === undefined || sameJson(shown, shownBy(change.address, beforeOf(change))[0])) return [];
    const { within } = shown;
    return (within === null ? clusters() : [within]).flatMap((virtualCluster) =>
      namesShown(shown, change.address, virtualCluster).map((one) => ({ ...one, from: idOf(change) })),
    );
  });
}

/** A virtual topic, as a name of each topic that it reads. */
export function namesShown(
  shown: Shown,
  through: Address,
  virtualCluster: string,
): readonly Omit<NewName, 'from'>[] {
  return sourcesOf(shown).map((source) => {
    const was = source === HIDDEN ? HIDDEN : [source];
    return { virtualCluster, was, stored: [], is: shown.is, through };
  });
}

/**
 * The new names of topics for which clients of the same virtual cluster have another name, or in which topics of theirs are stored,
 * or else those of other virtual clusters; and the names that are there, in any of both, of topics in which other topics are stored now.
 * What is listed are topics of each virtual cluster, beside those of objects.
 */
export function findNewNames(
  { live, changes, kinds }: Transition,
  otherClusters: () => readonly string[] = () => [],
  listed: readonly string[] = [],
): readonly NewName[] {
  const known = once(() => readNames({ live, changes, kinds }));
  const renamed = changes.flatMap((change): readonly NewName[] => {
    const [was, becomes] = [beforeOf(change), afterOf(change)];
    if (becomes === undefined) return [];
    const from = idOf(change);
    const [before, after] = [was && nameOf(was, kinds), nameOf(becomes, kinds)];
    if (after !== undefined) {
      // Its clients have had it by this name without an object.
      const isOld = before === undefined && after.itself.includes(after.name);
      return isOld || before?.target === after.target ? [] : namesOfOne(after, from, known, otherClusters);
    }
    const had = new Set(was && storesOf(was, kinds).map((one) => JSON.stringify(one)));
    const stores = storesOf(becomes, kinds).filter((one) => !had.has(JSON.stringify(one)));
    return stores.flatMap((one) => [
      ...namesOfStored(one, from, known(), otherClusters),
      ...namesInPassthrough(one, from, known()),
    ]);
  });
  return [...renamed, ...namesInNewClusters(changes, kinds, () => known().was, otherClusters, listed)];
}

/**
 * The names that objects give topics which clients of the same virtual cluster have by none of the other new names, and those of virtual
 * topics.
 */
export function findFirstNames(
  { changes, kinds }: Pick<Transition, 'changes' | 'kinds'>,
  others: readonly NewName[],
): readonly NewName[] {
  const known = new Set(
    others.flatMap(({ of, was, from }) => (of === undefined && was !== HIDDEN ? from : [])),
  );
  const first = changes.flatMap((change): readonly NewName[] => {
    const [was, becomes] = [beforeOf(change), afterOf(change)];
    const [before, after] = [was && nameOf(was, kinds), becomes && nameOf(becomes, kinds)];
    const from = idOf(change);
    if (after === undefined || before?.target === after.target || known.has(from)) return [];
    return [{ virtualCluster: after.virtualCluster, is: after.name, was: [], stored: [], from }];
  });
  return [...first, ...others.filter(({ through, is }) => through !== undefined && !hasHidden(is))];
}

type Names = ReturnType<typeof readNames>;

/** The names, so far, of the topic that an object gives another one. */
function namesOfOne(
  named: Named,
  from: ChangeId,
  known: () => Names,
  otherClusters: () => readonly string[],
): readonly NewName[] {
  const { name: is, virtualCluster, target, topic } = named;
  if (hasHidden(target)) return [{ virtualCluster, was: HIDDEN, stored: [], is, from }];
  const { namesOf, was: then, is: now } = known();
  // What a rule has stored stays there without it.
  const storedIn = (one: string): readonly Topics[] =>
    [then, now].flatMap((state) => state.storedFor(one, topic));
  const inside = { virtualCluster, ...namesOf(named, true, is), stored: storedIn(virtualCluster), is, from };
  if (inside.was.length + inside.stored.length > 0) return [inside];
  const clusters = otherClusters();
  const isUsual = clusters.length > 0 && named.isUsual();
  return clusters.flatMap((of): readonly NewName[] => {
    if (of === virtualCluster) return [];
    const own = namesOf(named.seenFrom(of), isUsual);
    const stored = isUsual ? storedIn(of) : [];
    return own.was.length + stored.length === 0 ? [] : [{ virtualCluster, of, ...own, stored, is, from }];
  });
}

/** The names of a physical topic in which an object stores others. */
function namesOfStored(
  { virtualCluster, topic, topics }: StoredTopics,
  from: ChangeId,
  { kept, was: then, is: now }: Names,
  otherClusters: () => readonly string[],
): readonly NewName[] {
  const shown = then.storedFor(virtualCluster, topic);
  const inside = (is: string, as: string): NewName =>
    hasHidden([topic, topics, as])
      ? { virtualCluster, is, from, was: HIDDEN, stored: [] }
      : { virtualCluster, is, from, was: [], stored: [topics], shown };
  // In passthrough, all know topics by their physical names.
  const isItself = virtualCluster === PASSTHROUGH && !now.isTaken(virtualCluster, topic);
  const named = kept.flatMap((one): readonly NewName[] => {
    if (one.virtualCluster === virtualCluster)
      return one.topic === topic || hasHidden([topic, one.topic]) ? [inside(one.name, one.topic)] : [];
    // In passthrough, they had the others by their physical names.
    const isFirst = one.virtualCluster !== PASSTHROUGH && one.topic === topic && !hasHidden([topic, topics]);
    return isFirst && otherClusters().includes(virtualCluster) && one.isUsual()
      ? [{ ...inside(one.name, topic), virtualCluster: one.virtualCluster, of: virtualCluster }]
      : [];
  });
  return [...(isItself ? [inside(hasHidden(topic) ? HIDDEN : topic, topic)] : []), ...named];
}

/** The same for those of passthrough, where topics of a virtual cluster that are not stored together are called by its name and theirs. */
function namesInPassthrough(
  { virtualCluster, topic, topics }: StoredTopics,
  from: ChangeId,
  { kept, was: then, is: now }: Names,
): readonly NewName[] {
  if (virtualCluster === PASSTHROUGH || hasHidden([topic, topics])) return [];
  const [stored, ...shown] = [topics, ...then.storedFor(virtualCluster, topic)].map((one) =>
    withPrefix(one, virtualCluster),
  ) as [Topics, ...Topics[]]; // one for each
  const given = kept.filter(
    (one) => one.virtualCluster === PASSTHROUGH && one.topic === topic && one.isUsual(),
  );
  const names = [...(now.isTaken(PASSTHROUGH, topic) ? [] : [topic]), ...given.map(({ name }) => name)];
  return names.map((is) => ({ virtualCluster: PASSTHROUGH, is, from, was: [], stored: [stored], shown }));
}

/** The names that clients of new virtual clusters have for topics that begin with the name of theirs, and others had by other names. */
function namesInNewClusters(
  changes: Transition['changes'],
  kinds: KindSet,
  topics: () => TopicState,
  otherClusters: () => readonly string[],
  listed: readonly string[],
): readonly NewName[] {
  const fresh = new Map<string, ChangeId>();
  for (const change of changes) {
    const becomes = beforeOf(change) === undefined ? afterOf(change) : undefined;
    for (const fact of becomes === undefined ? [] : factsOf(change.address, becomes, kinds))
      if (fact.type === 'virtual-cluster') fresh.set(fact.name, idOf(change));
  }
  const clusters = fresh.size === 0 ? [] : otherClusters();
  if (clusters.length === 0) return [];
  const { all, stored, storedFor, isTaken } = topics();
  const itself = clusters.flatMap((of) =>
    listed.flatMap((name) =>
      isTaken(of, name) ? [] : { topic: (of === PASSTHROUGH ? '' : of) + name, virtualCluster: of, name },
    ),
  );
  const given = all.filter(({ target, isUsual }) => !hasHidden(target) && isUsual());
  const named = groupBy([...given, ...itself], ({ topic }) => topic);
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
  const inCluster = groupBy(now.all, (one) => one.virtualCluster);
  const known = groupBy(
    then.all.filter(({ target }) => !hasHidden(target)),
    (one) => one.virtualCluster,
  );
  return (of, virtualCluster) => {
    const given = (inCluster.get(virtualCluster) ?? []).map((one) => ({ one, is: one.name }));
    // The name of a topic without an object: as it is, or without the prefix.
    const own = (known.get(of) ?? []).flatMap((one) => {
      const names = one.isUsual() ? one.seenFrom(virtualCluster).itself : [];
      return names.flatMap((is) => (now.isTaken(virtualCluster, is) ? [] : { one, is }));
    });
    return [...given, ...new Map(own.map((each) => [each.is, each])).values()].flatMap(
      ({ one, is }): readonly Omit<NewName, 'from'>[] => {
        if (hasHidden(one.target)) return [{ virtualCluster, was: HIDDEN, stored: [], is }];
        const isUsual = one.isUsual();
        const names = namesOf(one.seenFrom(of), isUsual);
        const stored = isUsual ? then.storedFor(of, one.topic) : [];
        return names.was.length + stored.length === 0 ? [] : [{ virtualCluster, ...names, stored, is }];
      },
    );
  };
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
  const ownNames = (topic: string, { isTaken }: TopicState): TopicView['seen'] => {
    const prefix = lengths
      .map((length) => topic.slice(0, length))
      .find((one) => one !== topic && one !== PASSTHROUGH && clusters.has(one));
    const inside = prefix === undefined ? [] : [{ of: prefix, name: topic.slice(prefix.length) }];
    return [...inside, { of: PASSTHROUGH, name: topic }].filter(({ of, name }) => !isTaken(of, name));
  };
  const viewOf = (one: Physical, name: string, by: readonly Address[], virtualCluster: string): TopicView => {
    const isUsual = one.isUsual();
    const namesIn = (state: TopicState): TopicView['seen'] => [
      ...(state.byPhysical.get(one.physical) ?? []).map((each) => ({
        of: each.virtualCluster,
        name: each.name,
      })),
      ...(isUsual ? ownNames(one.topic, state) : []),
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
  /** Virtual topics, and by which names those have them that they read. */
  const viewsOfShown = (): readonly (readonly [string, TopicView])[] => {
    const { all, namesOf } = readVirtual(applyTo(live, changes), kinds, clusters);
    const named = groupBy([...is.inCluster.values()].flat(), (one) => keyOf(one.virtualCluster, one.name));
    return all.map(({ of, is: name, address, source }) => {
      const names = namesOf(of, source);
      const others = names
        .flatMap((each) => named.get(keyOf(of, each)) ?? [])
        .map((one) => viewOf(one, one.name, [], of));
      const seen = [...names.map((each) => ({ of, name: each })), ...others.flatMap((one) => one.seen)];
      const former = [...names, ...others.flatMap((one) => one.former)];
      return [of, { is: name, by: [address], through: address, isPerhaps: false, seen, stored: [], former }];
    });
  };
  const inClusters = once(() => {
    const found = new Map<string, TopicView[]>();
    for (const [of, view] of viewsOfShown()) addTo(found, of, view);
    for (const one of physicalIn(states))
      if (one.isUsual())
        for (const { of, name } of ownNames(one.topic, is)) addTo(found, of, viewOf(one, name, [], of));
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
    const own = [...stored].flatMap((topic) => ownNames(topic, is));
    return new Set([...found.map((one) => one.virtualCluster), ...own.map(({ of }) => of)]);
  };
  const leadsAway: Views['leadsAway'] = (virtualCluster, name, when) =>
    (when === 'after' ? [is] : states).every(({ isTaken }) => isTaken(virtualCluster, name));
  return { viewsIn, leadsAway, changedIn };
}

/** A topic of Kafka, as far as its names are asked for. */
type Physical = Pick<Named, 'topic' | 'physical' | 'isUsual'>;

/** The topics to which objects give names, or in which they store others, in any of some states. */
function physicalIn(states: readonly TopicState[]): readonly Physical[] {
  const named = new Map(
    states.flatMap(({ byPhysical }) =>
      [...byPhysical].map(([physical, [first]]) => [physical, first] as const),
    ),
  );
  const usual = new Set(Array.from(named.values(), (one) => (one.isUsual() ? one.topic : undefined)));
  const stored = new Set(states.flatMap((one) => [...one.stored.keys()]));
  return [
    ...named.values(),
    ...[...stored].flatMap((topic) =>
      usual.has(topic) ? [] : { topic, physical: topic, isUsual: () => true },
    ),
  ];
}
