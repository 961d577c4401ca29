import { memoize } from '../model/collect.ts';
import type { ChainLink, Link, Principal } from '../model/principal.ts';
import type { LocatedProblem, Position } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import type { Coverage } from '../effective/narrowings.ts';
import {
  describeCoverage,
  summariseCoverage,
  type CoverageRecord,
  type CoverageSummary,
  type FoundCoverage,
} from './coverage-record.ts';
import { mapLazily, type LazyList } from './lazy.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** An interceptor in a chain. */
export type LinkRecord = {
  readonly address: Address;
  readonly pluginClass: string;
  readonly priority: number;
  /** The sorts of protection that it gives. */
  readonly protects: readonly string[];
  /** With `--why`: those of its name that are for the principal, too, and do not run because of it. */
  readonly overrides?: readonly Address[] | undefined;
  /** With `--why`: where a file declares it. */
  readonly at?: Position | undefined;
  /** With `--topic`: why it acts on the topic, or why that is not certain. */
  readonly topic?: Pick<Coverage, 'reason'> & { readonly covers: 'yes' | 'unknown' };
};

/** A principal and its interceptors, in the order in which they run. Principals with equal chains share one list. */
export type ChainRecord = Principal & { readonly chain: readonly LinkRecord[] };

/** A principal for which the gateway runs another chain than the files say. */
export type ChainDriftRecord = Principal & {
  readonly declared: readonly LinkRecord[];
  readonly live: readonly LinkRecord[];
};

/** What `gwconf effective` found: which interceptors run for whom. */
export type EffectiveReport = {
  readonly format: 'gwconf/effective-report@1';
  readonly result:
    | 'ok'
    | 'covered'
    | 'uncovered'
    | 'no-drift'
    | 'drift'
    | 'incomplete'
    | 'not-found'
    | 'error'
    | 'blocked'
    | 'stale';
  /** Whether the chains are those of files or of a gateway. */
  readonly source: 'files' | 'gateway';
  readonly environment?: string | undefined;
  /** With `--live` and `--compare`. */
  readonly gateway?: string | undefined;
  /** With `--topic`: chains have only interceptors that act on it. */
  readonly topic?: string | undefined;
  readonly summary: Partial<CoverageSummary> & {
    readonly principals: number;
    /** How many different chains they have. */
    readonly chains: number;
    /** With `--compare`: how many have another chain on the gateway, and for how many it was not asked. */
    readonly drift?: number | undefined;
    readonly unchecked?: number | undefined;
  };
  readonly principals: LazyList<ChainRecord>;
  /** With `--compare`. */
  readonly drift?: LazyList<ChainDriftRecord> | undefined;
  /** With `--uncovered`. */
  readonly coverage?: CoverageRecord | undefined;
  readonly problems: readonly ProblemRecord[];
};

type Chain = readonly (Link<ChainLink> & { readonly coverage?: Coverage })[];

/** What was found, of principals that may be many: equal chains are one list as far as possible. */
export type FoundChains = {
  readonly chains: readonly { readonly principal: Principal; readonly chain: Chain }[];
  /** The principals for which a gateway runs another chain, and for how many it was not asked. */
  readonly compared?:
    | {
        readonly drift: readonly {
          readonly principal: Principal;
          readonly declared: Chain;
          readonly live: Chain;
        }[];
        readonly unchecked: number;
      }
    | undefined;
  readonly coverage?: FoundCoverage | undefined;
};

export type DescribeOptions = {
  readonly protectionOf: (link: ChainLink) => readonly string[];
  /** Explains each interceptor; gives the place where it is declared. */
  readonly why?: ((address: Address) => Position | undefined) | undefined;
};

export function makeEffectiveReport(
  about: Pick<EffectiveReport, 'result' | 'source' | 'environment' | 'gateway' | 'topic'>,
  { chains, compared, coverage }: FoundChains,
  options: DescribeOptions,
  problems: readonly LocatedProblem[],
): EffectiveReport {
  const describe = makeDescriber(options);
  const different = new Set(chains.map(({ chain }) => describe(chain)));
  return {
    format: 'gwconf/effective-report@1',
    ...about,
    summary: {
      principals: chains.length,
      chains: different.size,
      drift: compared?.drift.length,
      unchecked: compared?.unchecked,
      ...(coverage && summariseCoverage(coverage)),
    },
    principals: mapLazily(chains, ({ principal, chain }) => ({
      ...principal,
      chain: describe(chain),
    })),
    drift:
      compared &&
      mapLazily(compared.drift, ({ principal, declared, live }) => ({
        ...principal,
        declared: describe(declared),
        live: describe(live),
      })),
    coverage: coverage && describeCoverage(coverage),
    problems: problems.map(describeProblem),
  };
}

/** Describes chains; equal ones as one list. */
function makeDescriber({ protectionOf, why }: DescribeOptions): (chain: Chain) => readonly LinkRecord[] {
  const known = new Map<string, readonly LinkRecord[]>();
  return memoize((chain: Chain) => {
    const links = chain.map(({ one, overrides, coverage }): LinkRecord => {
      const { address, pluginClass, priority } = one;
      const about = { address, pluginClass, priority, protects: protectionOf(one), ...topicOf(coverage) };
      return why === undefined
        ? about
        : { ...about, overrides: overrides.map((other) => other.address), at: why(address) };
    });
    const key = JSON.stringify(links);
    const equal = known.get(key) ?? links;
    known.set(key, equal);
    return equal;
  });
}

function topicOf(coverage: Coverage | undefined): Pick<LinkRecord, 'topic'> {
  if (coverage === undefined) return {};
  return { topic: { covers: coverage.covers === 'yes' ? 'yes' : 'unknown', reason: coverage.reason } };
}
