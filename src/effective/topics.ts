import { memoize } from '../model/collect.ts';
import type { KindSet, Narrowing } from '../model/kind.ts';
import type { ChainLink, Principal } from '../model/principal.ts';
import { makeJudge, type Coverage, type Judge } from './narrowings.ts';

export type TopicCoverage = {
  /** Whether an interceptor of the chain of a principal acts on a topic, which has the name that clients use. */
  readonly coverageOf: (link: ChainLink, topic: string, principal: Principal) => Coverage;
  /** Whether the class acts on topics that its config names. Others, such as limits for connections, have nothing to do with topics. */
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
    return { all };
  });
  return {
    coverageOf: (link, topic, { virtualCluster, username }) => {
      const names: Names = { topic, virtualCluster, username, consumerGroup: undefined };
      const judged = filtersOf(link).all?.map(([axis, judge]) => judge(names[axis]));
      return judged === undefined ? UNKNOWN_CLASS : weakestOf(judged);
    },
    namesTopics: ({ pluginClass }) =>
      variants.get(pluginClass)?.narrowings.some(({ it }) => it.axis === 'topic') === true,
  };
}

type Axis = Narrowing['it']['axis'];
type Filter = readonly [axis: Axis, judge: Judge];
type Filters = { readonly all: readonly Filter[] | undefined };
type Names = Readonly<Record<Axis, string | undefined>>;

const UNKNOWN_CLASS: Coverage = { covers: 'unknown', reason: 'gwconf does not know the class' };
const ALL_TOPICS: Coverage = { covers: 'yes', reason: 'the class acts on all topics' };

function weakestOf(judged: readonly Coverage[]): Coverage {
  const found = (covers: Coverage['covers']): Coverage | undefined =>
    judged.find((one) => one.covers === covers);
  return found('no') ?? found('unknown') ?? judged[0] ?? ALL_TOPICS;
}
