import { getOrAdd, memoize } from '../model/collect.ts';
import { isList, printPointer, valueAt, valueOf, type Json, type Pointer } from '../model/json/json.ts';
import { type KindSet, type Narrowing, schemaAt, type Variant } from '../model/kind.ts';
import {
  PASSTHROUGH,
  type ChainLink,
  type Principal,
  type Chain,
  type Chained,
  type Link,
} from '../model/principal.ts';
import { matchesNoTopic } from '../model/regex/contain-regex.ts';
import { compileRegex } from '../model/regex/match-regex.ts';
import type { Resource } from '../model/resource.ts';
import { HIDDEN } from '../model/secrets/hidden.ts';
import type { Topics } from './reach.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';

/** What the configs of interceptors say about topics. */
export type TopicCoverage = {
  /** Whether an interceptor of the chain of a principal acts on a topic, which has the name that clients use. */
  readonly coverageOf: (link: ChainLink, topic: string, principal: Principal) => Coverage;
  /** The same, as far as it depends on the principal; one for no topic at all acts for nobody. */
  readonly audienceOf: (link: ChainLink, principal: Principal) => Coverage;
  /** Whether its config can name topics. Limits for connections, for example, have nothing to do with topics. */
  readonly namesTopics: (link: ChainLink) => boolean;
};

/** Reads configs of interceptors by the forms of their classes. */
export function makeTopicCoverage(kinds: KindSet): TopicCoverage {
  const variantOf = variantsOf(kinds);
  const filtersOf = memoize(({ pluginClass, config }: ChainLink): Filters => {
    const variant = variantOf(pluginClass);
    const all = variant?.narrowings.map((one): Filter => [
      one.it.axis,
      makeNameCoverage(one, variant, config),
    ]);
    return { ofTopics: all?.filter(isOfTopics), ofOthers: all?.filter((one) => !isOfTopics(one)) };
  });
  const emptyAt = emptyReader(kinds);
  return {
    coverageOf: (link, topic, principal) => {
      const { ofTopics, ofOthers } = filtersOf(link);
      if (ofTopics === undefined || ofOthers === undefined) return UNKNOWN_CLASS;
      return weakestOf([...ofTopics, ...ofOthers], { topic, ...namesOf(principal) });
    },
    audienceOf: (link, principal) =>
      emptyAt(link) === undefined ? weakestOf(filtersOf(link).ofOthers ?? [], namesOf(principal)) : NO_TOPIC,
    namesTopics: ({ pluginClass }) =>
      variantOf(pluginClass)?.narrowings.some(({ it }) => it.axis === 'topic') !== false,
  };
}

/** What is known of the classes of interceptors, by their names. */
export const variantsOf = memoize((kinds: KindSet): ((pluginClass: string) => Variant | undefined) => {
  const variants = [...kinds.values()].flatMap((kind) => kind.variants?.known ?? []);
  const known = new Map(variants.map((one) => [one.name, one]));
  return (pluginClass) => known.get(pluginClass);
});

/** Finds where an interceptor has a pattern that no topic can match, so that it acts on none. */
export const emptyReader = memoize((kinds: KindSet): ((link: ChainLink) => Pointer | undefined) => {
  const variantOf = variantsOf(kinds);
  return ({ pluginClass, config }) => {
    const found = variantOf(pluginClass)?.narrowings.find(({ at, it: { axis, by } }) => {
      const value =
        axis === 'topic' && by === 'pattern' ? at.reduce<Json | undefined>(valueOf, config) : undefined;
      return typeof value === 'string' && value !== '' && !hasPlaceholder(value) && matchesNoTopic(value);
    });
    return found && printPointer(['spec', 'config', ...found.at]);
  };
});

type Axis = Narrowing['it']['axis'];
type Filter = readonly [axis: Axis, coverageOf: NameCoverage];
/** Of a class that is not known, nothing. */
type Filters = {
  readonly ofTopics: readonly Filter[] | undefined;
  readonly ofOthers: readonly Filter[] | undefined;
};
type Names = Readonly<Partial<Record<Axis, string | undefined>>>;

const UNKNOWN_CLASS: Coverage = { covers: 'unknown', reason: 'gwconf does not know the class' };
const NO_TOPIC: Coverage = { covers: 'no', reason: 'no topic matches its pattern' };
const ALL_TOPICS: Coverage = { covers: 'yes', reason: 'the class acts on all topics' };

function isOfTopics([axis]: Filter): boolean {
  return axis === 'topic';
}

function namesOf({ virtualCluster, username }: Principal): Names {
  return { virtualCluster, username: username ?? undefined };
}

function weakestOf(filters: readonly Filter[], names: Names): Coverage {
  let weakest: Coverage | undefined;
  for (const [axis, coverageOf] of filters) {
    const coverage = coverageOf(names[axis]);
    if (coverage.covers === 'no') return coverage;
    const isWeaker = weakest?.covers === 'yes' ? coverage.covers === 'unknown' : coverage.isHidden === true;
    if (weakest === undefined || isWeaker) weakest = coverage;
  }
  return weakest ?? ALL_TOPICS;
}

/** Whether an interceptor acts on something, by its config. The reason holds no value of the config, which may be a secret. */
export type Coverage = {
  readonly covers: 'yes' | 'no' | 'unknown';
  readonly reason: string;
  /** A hidden value decides it. */
  readonly isHidden?: boolean;
};

/** Whether one field of a config covers a name; undefined is a name that is not known. */
type NameCoverage = (name: string | undefined) => Coverage;

function makeNameCoverage({ at, it: { by } }: Narrowing, { schema }: Variant, config: Json): NameCoverage {
  const field = at.join('.');
  const given = at.reduce<Json | undefined>(valueOf, config);
  const value = given ?? valueOf(schemaAt({ config: schema }, ['config', ...at]), 'default');
  if (by === 'undocumented') {
    const isAbsent = value === undefined || value === null || (isList(value) && value.length === 0);
    return always(isAbsent ? 'yes' : 'unknown', `what ${field} means is not documented`);
  }
  if (value === undefined) return always('unknown', `the default of ${field} is not documented`);
  if (value === HIDDEN)
    return (name) => ({ covers: 'unknown', reason: `${field} is hidden`, isHidden: name !== undefined });
  if (hasPlaceholder(value)) return always('unknown', `${field} has a placeholder`);
  if (typeof value !== 'string' || value === '') return always('unknown', `${field} has no text`);
  return coverageBy[by](value, field);
}

const coverageBy: Readonly<
  Record<Exclude<Narrowing['it']['by'], 'undocumented'>, (value: string, field: string) => NameCoverage>
> = {
  name: (value, field) => (name) => told(name === undefined ? undefined : name === value, field),
  pattern: coverByPattern,
  query: (value, field) => {
    const queried = topicOf(value);
    if (queried === undefined) return always('unknown', `the topic of ${field} is not certain`);
    return coverageBy.name(queried, field);
  },
};

function coverByPattern(value: string, field: string): NameCoverage {
  if (value === '.*') return always('yes', `${field} matches everything`);
  const regex = compileRegex(value);
  if ('unjudged' in regex) return always('unknown', `the regular expression in ${field} ${regex.unjudged}`);
  return (name) => told(name === undefined ? undefined : regex.matches(name), field);
}

function told(matches: boolean | undefined, field: string): Coverage {
  if (matches === undefined) return { covers: 'unknown', reason: `it is not certain what ${field} matches` };
  return matches
    ? { covers: 'yes', reason: `${field} matches` }
    : { covers: 'no', reason: `${field} does not match` };
}

function always(covers: Coverage['covers'], reason: string): NameCoverage {
  const coverage = { covers, reason };
  return () => coverage;
}

/** The one topic of a SQL query; undefined if there are several, or if it is not certain. */
function topicOf(query: string): string | undefined {
  const [, after = '', ...others] = query.replaceAll(/'[^']*'/g, "''").split(/\bfrom\b/i);
  const [source = ''] = after.split(/\b(?:where|group|having|order|limit)\b|;/i);
  const [, quoted, plain] = /^\s+(?:"([\w.-]+)"|([\w.-]+))(?:\s+(?:as\s+)?\w+)?\s*$/i.exec(source) ?? [];
  return others.length > 0 || /--|\/\*/.test(query) ? undefined : (quoted ?? plain);
}

/** An interceptor that acts on a topic, or of which that is not certain. */
type NarrowedLink = Link<ChainLink> & { readonly coverage: Coverage };

/** Chains without the interceptors that do not act on a topic. Principals for whom the same is left share one list. */
export function narrowChains(
  chains: readonly Chained[],
  topic: string,
  { coverageOf }: TopicCoverage,
): readonly { readonly principal: Principal; readonly chain: readonly NarrowedLink[] }[] {
  const narrowed = new Map<Chain, Map<string, readonly NarrowedLink[]>>();
  return chains.map(({ principal, chain }) => {
    const known = getOrAdd(narrowed, chain, () => new Map<string, readonly NarrowedLink[]>());
    const coverages = chain.map(({ one }) => coverageOf(one, topic, principal));
    const key = JSON.stringify(coverages);
    const links =
      known.get(key) ??
      chain.flatMap((link, at) => {
        const coverage = coverages[at];
        return coverage === undefined || coverage.covers === 'no' ? [] : [{ ...link, coverage }];
      });
    known.set(key, links);
    return { principal, chain: links };
  });
}

/** Reads the topics that a resource is, or that it makes of all names that match, and where it says so. */
export function topicsOf(
  { kind: name, metadata, spec }: Resource,
  kinds: KindSet,
): { readonly topics: Topics; readonly virtualCluster: string; readonly at: Pointer } | undefined {
  const kind = kinds.get(name);
  const { vCluster = PASSTHROUGH } = metadata;
  if (kind?.topics === undefined || typeof vCluster !== 'string') return undefined;
  const { by, at } = kind.topics;
  const text = by === 'name' ? metadata.name : valueAt({ metadata, spec }, at); // names of many are read often
  if (typeof text !== 'string' || hasPlaceholder(text)) return undefined;
  const topics: Topics = by === 'name' ? { type: 'one', name: text } : { type: 'pattern', text };
  return { topics, virtualCluster: vCluster, at };
}
