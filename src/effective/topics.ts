import { memoize } from '../model/collect.ts';
import type { KindSet, Narrowing } from '../model/kind.ts';
import type { ChainLink, Principal } from '../model/principal.ts';
import { makeJudge, type Coverage, type Judge } from './narrowings.ts';

/** What the configs of interceptors say about topics. */
export type TopicCoverage = {
  /** Whether an interceptor of the chain of a principal acts on a topic, which has the name that clients use. */
  readonly coverageOf: (link: ChainLink, topic: string, principal: Principal) => Coverage;
  /** The same, as far as it depends on the principal. */
  readonly audienceOf: (link: ChainLink, principal: Principal) => Coverage;
  /** Whether its config can name topics. Limits for connections, for example, have nothing to do with topics. */
  readonly namesTopics: (link: ChainLink) => boolean;
};

/** Reads configs of interceptors by the forms of their classes. */
export function makeTopicCoverage(kinds: KindSet): TopicCoverage {
  const variants = new Map(
    [...kinds.values()].flatMap(({ variants: { known } = { known: [] } }) =>
      known.map((variant) => [variant.name, variant]),
    ),
  );
  const filtersOf = memoize(({ pluginClass, config }: ChainLink): Filters => {
    const variant = variants.get(pluginClass);
    const all = variant?.narrowings.map((one): Filter => [one.it.axis, makeJudge(one, variant, config)]);
    return { ofTopics: all?.filter(isOfTopics), ofOthers: all?.filter((one) => !isOfTopics(one)) };
  });
  return {
    coverageOf: (link, topic, principal) => {
      const { ofTopics, ofOthers } = filtersOf(link);
      if (ofTopics === undefined || ofOthers === undefined) return UNKNOWN_CLASS;
      return weakestOf([...ofTopics, ...ofOthers], { topic, ...namesOf(principal) });
    },
    audienceOf: (link, principal) => weakestOf(filtersOf(link).ofOthers ?? [], namesOf(principal)),
    namesTopics: ({ pluginClass }) =>
      variants.get(pluginClass)?.narrowings.some(({ it }) => it.axis === 'topic') !== false,
  };
}

type Axis = Narrowing['it']['axis'];
type Filter = readonly [axis: Axis, judge: Judge];
/** Of a class that is not known, nothing. */
type Filters = {
  readonly ofTopics: readonly Filter[] | undefined;
  readonly ofOthers: readonly Filter[] | undefined;
};
type Names = Readonly<Partial<Record<Axis, string | undefined>>>;

const UNKNOWN_CLASS: Coverage = { covers: 'unknown', reason: 'gwconf does not know the class' };
const ALL_TOPICS: Coverage = { covers: 'yes', reason: 'the class acts on all topics' };

function isOfTopics([axis]: Filter): boolean {
  return axis === 'topic';
}

function namesOf({ virtualCluster, username }: Principal): Names {
  return { virtualCluster, username: username ?? undefined };
}

function weakestOf(filters: readonly Filter[], names: Names): Coverage {
  let weakest: Coverage | undefined;
  for (const [axis, judge] of filters) {
    const coverage = judge(names[axis]);
    if (coverage.covers === 'no') return coverage;
    if (weakest === undefined || (weakest.covers === 'yes' && coverage.covers === 'unknown'))
      weakest = coverage;
  }
  return weakest ?? ALL_TOPICS;
}
