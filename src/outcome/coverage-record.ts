import type { Plain } from '../model/shape.ts';
import type { coverage, uncovered } from './shapes/effective.ts';
import type { Principal } from '../model/principal.ts';
import type { Uncovered, InterceptorFinding } from '../effective/find-uncovered.ts';

/** Topics without protection, and the principals for whom that is so. */
export type UncoveredRecord = Plain<typeof uncovered>;

/** What `gwconf effective --uncovered` found. */
export type CoverageRecord = Plain<typeof coverage>;

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

export function describeCoverage(
  { protection, uncovered, interceptors }: FoundCoverage,
  shownAs: (principal: Principal) => Principal,
): CoverageRecord {
  return {
    protection,
    uncovered: uncovered.map(({ topics, principals: [first, ...others] }) => ({
      topics,
      principals: [shownAs(first), ...others.map(shownAs)],
    })),
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
