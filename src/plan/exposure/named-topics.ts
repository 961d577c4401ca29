import { makeEffectiveState } from '../../effective/effective-state.ts';
import { listClusters } from '../../effective/principals.ts';
import type { Topics } from '../../effective/reach.ts';
import { addTo, groupBy, once } from '../../model/collect.ts';
import { sameJson, valueAt } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import { PASSTHROUGH } from '../../model/principal.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { hasHidden } from '../../model/secrets/hidden.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { applyTo, type Transition } from './moved-clients.ts';

// What resources call topics, and in which physical ones they store them.

/** Topics of a virtual cluster that an object stores. */
type Stored = { readonly of: string; readonly topics: Topics; readonly address: Address };

/** The names that resources give topics, and what they store in physical ones. What is hidden is found by nothing. */
export function readTopics(resources: ReadonlyMap<Address, Resource>, kinds: KindSet) {
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
export type TopicState = ReturnType<typeof readTopics>;

/** The names that clients have for topics before changes, and those of them that no change is about. */
export function readNames({ live, changes, kinds }: Transition) {
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

/** A physical topic, and which topics of a virtual cluster are stored in it. */
export type StoredTopics = {
  readonly virtualCluster: string;
  readonly topic: string;
  readonly topics: Topics;
};

/** The physical topics in which a resource stores topics. */
export function storesOf(one: Resource, kinds: KindSet): readonly StoredTopics[] {
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

export const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);

/** What a topic is to clients of a virtual cluster, and the name that it has there without an object: as it is, or without the prefix. */
type Seen = { readonly virtualCluster: string; readonly target: string; readonly itself: readonly string[] };

/** A name of a topic, and which topic in which virtual cluster that is. */
export type Named = Seen & {
  readonly name: string;
  readonly topic: string;
  /** Which one it is, whoever calls it what. */
  readonly physical: string;
  readonly seenFrom: (virtualCluster: string) => Seen;
  /** Whether it is where the topics of virtual clusters are. */
  readonly isUsual: () => boolean;
};

export function nameOf(resource: Resource, kinds: KindSet): Named | undefined {
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
