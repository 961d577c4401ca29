import type { Plain } from '../model/shape.ts';
import type { effectiveReport, link, coverage, uncovered } from './shapes/effective.ts';
import { memoize } from '../model/collect.ts';
import type { ChainLink, Link, Principal } from '../model/principal.ts';
import type { LocatedProblem, Position } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import type { WeakerProtection } from '../plan/change/plan.ts';
import type { ChainRedaction } from '../plan/secrets/hide-in-chains.ts';
import type { Coverage } from '../effective/topics.ts';
import { mapLazily } from './lazy.ts';
import { describeProblem } from './problem-record.ts';
import type { Uncovered, InterceptorFinding } from '../effective/find-uncovered.ts';

/** An interceptor in a chain. */
export type LinkRecord = Plain<typeof link>;

/** What `gwconf effective` found: which interceptors run for whom. */
export type EffectiveReport = Plain<typeof effectiveReport>;

type Chain = readonly (Link<ChainLink> & { readonly coverage?: Coverage })[];

/** A principal for which a gateway runs another chain than the files say, or protects less. */
export type ChainDrift = {
  readonly principal: Principal;
  readonly declared: Chain;
  readonly live: Chain;
  /** What of the declared protection does less there, or may; without the values of secrets. Absent: nothing. */
  readonly weaker?: readonly WeakerProtection[] | undefined;
};

/** What was found, of principals that may be many: equal chains are one list as far as possible. */
export type FoundChains = {
  readonly chains: readonly { readonly principal: Principal; readonly chain: Chain }[];
  /** The principals with another chain, for how many the gateway was not asked, and how many interceptors were left out. */
  readonly compared?:
    | { readonly drift: readonly ChainDrift[]; readonly unchecked: number; readonly unmanaged: number }
    | undefined;
  readonly coverage?: FoundCoverage | undefined;
};

export type DescribeOptions = {
  readonly protectionOf: (link: ChainLink) => readonly string[];
  /** What is shown of the chains, and of those that a comparison found live. */
  readonly redaction: { readonly own: ChainRedaction; readonly live: ChainRedaction };
  /** Explains each interceptor; gives the place where it is declared. */
  readonly why?: ((address: Address) => Position | undefined) | undefined;
};

export function makeEffectiveReport(
  about: Pick<EffectiveReport, 'result' | 'source' | 'environment' | 'gateway' | 'topic'>,
  { chains, compared, coverage }: FoundChains,
  options: DescribeOptions,
  problems: readonly LocatedProblem[],
): EffectiveReport {
  const { own, live: there } = options.redaction;
  const shownAs = <P extends Principal>(principal: P): P => own.principalOf(there.principalOf(principal));
  const describe = makeDescriber(options, own);
  const describeLive = makeDescriber(options, there);
  const shareList = makeSharer<WeakerProtection>();
  const different = new Set(chains.map(({ chain }) => describe(chain)));
  return {
    format: 'gwconf/effective-report@1',
    ...about,
    summary: {
      principals: chains.length,
      chains: different.size,
      drift: compared?.drift.length,
      unchecked: compared?.unchecked,
      unmanaged: compared?.unmanaged,
      ...(coverage && summariseCoverage(coverage)),
    },
    principals: mapLazily(chains, ({ principal, chain }) => ({
      ...shownAs(principal),
      chain: describe(chain),
    })),
    drift:
      compared &&
      mapLazily(compared.drift, ({ principal, declared, live, weaker }) => ({
        ...shownAs(principal),
        declared: describe(declared),
        live: describeLive(live),
        ...(weaker && { weaker: shareList(weaker) }),
      })),
    coverage: coverage && describeCoverage(coverage, shownAs),
    problems: problems.map(describeProblem),
  };
}

/** Describes chains; equal ones as one list. */
function makeDescriber(
  { protectionOf, why }: DescribeOptions,
  { priorityOf }: ChainRedaction,
): (chain: Chain) => readonly LinkRecord[] {
  const share = makeSharer<LinkRecord>();
  return memoize((chain: Chain) => {
    const links = chain.map(({ one, overrides, coverage }): LinkRecord => {
      const { address, pluginClass } = one;
      const protects = protectionOf(one);
      const about = {
        ...{ address, pluginClass, priority: priorityOf(one), protects },
        ...topicOf(coverage),
      };
      return why === undefined
        ? about
        : { ...about, overrides: overrides.map((other) => other.address), at: why(address) };
    });
    return share(links);
  });
}

/** Gives equal lists as one. */
function makeSharer<T>(): (list: readonly T[]) => readonly T[] {
  const known = new Map<string, readonly T[]>();
  return (list) => {
    const key = JSON.stringify(list);
    const equal = known.get(key) ?? list;
    known.set(key, equal);
    return equal;
  };
}

function topicOf(coverage: Coverage | undefined): Pick<LinkRecord, 'topic'> {
  if (coverage === undefined) return {};
  return { topic: { covers: coverage.covers === 'yes' ? 'yes' : 'unknown', reason: coverage.reason } };
}

/** Topics without protection, and the principals for whom that is so. */
export type UncoveredRecord = Plain<typeof uncovered>;

/** What `gwconf effective --uncovered` found. */
export type CoverageRecord = Plain<typeof coverage>;

/** Which topics have no protection, for whom, and which interceptors never run. */
export type FoundCoverage = {
  /** The sort that was asked for. */
  readonly protection?: string | undefined;
  /** How many topics were looked at. */
  readonly topics: number;
  readonly uncovered: readonly Uncovered[];
  readonly interceptors: readonly InterceptorFinding[];
};

function describeCoverage(
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

/** How many topics were looked at, have no protection for somebody, and perhaps have none. */
function summariseCoverage({ topics, uncovered }: FoundCoverage): Partial<EffectiveReport['summary']> {
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
