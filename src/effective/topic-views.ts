import { PASSTHROUGH } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import {
  areApart,
  areContained,
  holds,
  holdsAll,
  type Names,
  type Reach,
  type Topics,
  type Verdict,
  stronger,
  weaker,
  withPrefix,
  topicsNamedIn,
  textOfTopics,
} from './reach.ts';
import { isApart } from './undoing.ts';

/** A name that clients of a virtual cluster have for a topic, and what it is to others. */
export type TopicView = {
  readonly is: string;
  /** The objects that make it so; none of a name that the topic has by itself. */
  readonly by: readonly Address[];
  /** Whether its clients are perhaps not meant to have the topics of others. */
  readonly isPerhaps: boolean;
  /** By which names clients of virtual clusters have it. */
  readonly seen: readonly { readonly of: string; readonly name: string }[];
  /** What of virtual clusters is stored in it, also before the changes. */
  readonly stored: readonly { readonly of: string; readonly topics: Topics; readonly isOld: boolean }[];
  /** By which names the clients had it before. */
  readonly former: readonly string[];
  /** The interceptor that shows it by this name to those for whom it runs. */
  readonly through?: Address;
};

/** What clients of a virtual cluster have of the topics of others. */
export type Views = {
  /** Those of topics that clients of a virtual cluster have, too, or of all. */
  readonly viewsOf: (virtualCluster: string | undefined) => readonly TopicView[];
  readonly clusters: ReadonlySet<string>;
  /** Whether a name leads to another topic than the one that is called so, after the changes, or also before. */
  readonly leadsAway: (virtualCluster: string, name: string, when: 'after' | 'always') => boolean;
  /** Told of what interceptors do that do the same before and after, or only of what others do. */
  readonly isKept: boolean;
};

/** Whether an interceptor for some topics gets what others protect by the names that they have for it, and did not get it before. */
export function isSeenAs(
  { is, isPerhaps, seen, stored, former, through }: TopicView,
  names: Names,
  lifted: Names,
  isOf: (virtualCluster: string) => boolean,
  already: readonly Names[],
): Verdict {
  const named = seen.reduce<Verdict>(
    (best, { of, name }) => (isOf(of) ? stronger(best, holds(names, name)) : best),
    'no',
  );
  const reach: Reach = new Map([['topic', names]]);
  const inside = stored.filter(
    ({ of, topics }) => isOf(of) && !areApart(reach, new Map([['topic', topics]])),
  );
  if (named === 'no' && inside.length === 0) return 'no';
  const had = named !== 'no' || inside.some(({ isOld }) => isOld) ? former : [];
  if (already.some((all) => had.some((name) => holds(all, name) === 'yes'))) return 'no';
  // What is decrypted of a virtual topic is not documented.
  if (through !== undefined || (isPerhaps && lifted.type === 'all')) return 'unknown';
  return weaker(holds(lifted, is), inside.length > 0 ? 'yes' : named);
}

/** The topics that an interceptor gets so where one of both virtual clusters has all topics by their physical names, of which those of the other one begin with its own. */
export function findPhysical(
  names: Names,
  of: string,
  lifted: Names,
  virtualCluster: string,
  already: readonly Names[],
  leadsAway: Views['leadsAway'],
): readonly { readonly topics: readonly string[]; readonly isMeant: boolean }[] {
  const prefixOf = (one: string): string => (one === PASSTHROUGH ? '' : one);
  const [theirs, own] = [prefixOf(of), prefixOf(virtualCluster)];
  const [there, here] = [withPrefix(names, theirs), withPrefix(lifted, own)];
  const name = names.type === 'pattern' && /^[\w-]+$/.test(names.text) ? names.text : undefined;
  const isHidden =
    name !== undefined &&
    (leadsAway(of, name, 'always') || leadsAway(virtualCluster, (theirs + name).slice(own.length), 'after'));
  if (isHidden) return [];
  const known: readonly Topics[] = name === undefined ? [] : [{ type: 'one', name: theirs + name }];
  const former = already.map((one) => withPrefix(one, own));
  const [topics] = findTopics(there, here, former, known);
  if (topics === undefined) return [];
  // What is for topics of all virtual clusters is perhaps not meant for these.
  const [wide, prefix] = own === '' ? [here, theirs] : [there, own];
  const isMeant = areContained(wide, [withPrefix({ type: 'all' }, prefix)], 'topic') === 'yes';
  return [{ topics: topics.map((one) => one.slice(own.length)), isMeant }];
}

/** The topics among both that are not among others: those that are known, and an empty list if there can be more. */
export function findTopics(
  names: Names,
  lifted: Names,
  already: readonly Names[],
  known: readonly Topics[],
): readonly (readonly string[])[] {
  if (isApart(names, lifted)) return [];
  const isNew = (topics: Topics): boolean =>
    [names, lifted].every((all) => holdsAll(all, topics) === 'yes') &&
    !already.some((all) => holdsAll(all, topics) === 'yes');
  const told = known.filter(isNew);
  const others = [...already, ...told];
  const isKnown = (all: Names, other: Names): boolean =>
    piecesOf(all).every((one) => isApart(one, other) || areContained(one, others, 'topic') === 'yes');
  return [
    ...(told.length > 0 ? [told.map(textOfTopics)] : []),
    ...(isKnown(names, lifted) || isKnown(lifted, names) ? [] : [[]]),
  ];
}

/** The topics that a pattern names one by one, or all that it is for. */
export function piecesOf(names: Names): readonly Names[] {
  const pieces = topicsNamedIn(names);
  return pieces.length === 0 ? [names] : pieces;
}
