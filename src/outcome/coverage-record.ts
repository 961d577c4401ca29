import type { Uncovered, UncoveredTopic } from '../effective/find-uncovered.ts';
import type { InterceptorFinding } from '../effective/inspect-interceptors.ts';
import type { Principal } from '../model/principal.ts';

/** Topics without protection, and the principals for whom that is so. */
export type UncoveredRecord = {
  readonly topics: readonly UncoveredTopic[];
  readonly principals: readonly [Principal, ...Principal[]];
};

/** What `gwconf effective --uncovered` found. */
export type CoverageRecord = {
  /** The requested sort of protection. Default: any. */
  readonly protection?: string | undefined;
  readonly uncovered: readonly UncoveredRecord[];
  /** Interceptors that never run, or whose place is undefined. */
  readonly interceptors: readonly InterceptorFinding[];
};

/** How many topics were looked at, have no protection for somebody, and perhaps have none. */
export type CoverageSummary = {
  readonly topics: number;
  readonly uncovered: number;
  readonly uncertain: number;
};

/** What was found, by its topics and principals. */
export type FoundCoverage = {
  readonly protection?: string | undefined;
  readonly topics: number;
  readonly uncovered: readonly Uncovered[];
  readonly interceptors: readonly InterceptorFinding[];
};

export function describeCoverage({ protection, uncovered, interceptors }: FoundCoverage): CoverageRecord {
  return {
    protection,
    uncovered: uncovered.map(({ topics, principals }) => ({ topics, principals })),
    interceptors,
  };
}

export function summariseCoverage({ topics, uncovered }: FoundCoverage): CoverageSummary {
  const certain = new Set<string>();
  const open = new Set<string>();
  for (const group of uncovered)
    for (const { topic, uncertain } of group.topics) (uncertain.length === 0 ? certain : open).add(topic);
  return {
    topics,
    uncovered: certain.size,
    uncertain: [...open].filter((topic) => !certain.has(topic)).length,
  };
}
