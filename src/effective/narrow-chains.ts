import type { Chain, Chained, ChainLink, Link, Principal } from '../model/principal.ts';
import type { Coverage } from './narrowings.ts';
import type { TopicCoverage } from './topics.ts';

/** An interceptor that acts on a topic, or of which that is not certain. */
export type NarrowedLink = Link<ChainLink> & { readonly coverage: Coverage };

/** Chains without the interceptors that do not act on a topic. Principals for whom the same is left share one list. */
export function narrowChains(
  chains: readonly Chained[],
  topic: string,
  { coverageOf }: TopicCoverage,
): readonly { readonly principal: Principal; readonly chain: readonly NarrowedLink[] }[] {
  const narrowed = new Map<Chain, Map<string, readonly NarrowedLink[]>>();
  return chains.map(({ principal, chain }) => {
    const known = narrowed.get(chain) ?? new Map<string, readonly NarrowedLink[]>();
    narrowed.set(chain, known);
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
