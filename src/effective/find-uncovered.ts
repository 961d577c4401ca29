import { getOrAdd, memoize, once } from '../model/collect.ts';
import type { Chain, Chained, ChainLink, Principal } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import type { earlyFinder } from './early-masks.ts';
import { listExternalPrincipals, listPrincipals } from './principals.ts';
import { chainsOf, type EffectiveState } from './effective-state.ts';
import type { TopicCoverage } from './topics.ts';

export type UncoveredTopic = {
  readonly topic: string;
  /** Interceptors of which it is not certain whether they act on it. */
  readonly uncertain: readonly Address[];
};

/** Principals for whom the same topics have no protection. */
export type Uncovered = {
  readonly principals: readonly [Principal, ...Principal[]];
  readonly topics: readonly UncoveredTopic[];
};

/** What decides which interceptors protect topics. */
type ProtectionOptions = TopicCoverage & {
  readonly isProtective: (link: ChainLink) => boolean;
  /** The masks of a chain that are of no use for a topic. */
  readonly earlyOf: ReturnType<ReturnType<typeof earlyFinder>>;
};

/**
 * The topics on which no protective interceptor acts, for groups of principals; a mask before what it masks is decrypted is none. An interceptor whose class has no setting for
 * topics, such as a limit for connections, protects none. Topics are judged once for principals with the same chain.
 */
export function findUncovered(
  chains: Iterable<Chained>,
  topicsIn: (virtualCluster: string) => readonly string[],
  options: ProtectionOptions,
): readonly Uncovered[] {
  const { audienceOf, namesTopics, isProtective } = options;
  const numbers = new Map<Chain, number>();
  const protectorsOf = memoize((chain: Chain) =>
    chain.map(({ one }) => one).filter((link) => namesTopics(link) && isProtective(link)),
  );
  const judged = new Map<string, readonly UncoveredTopic[]>();
  const equal = new Map<string, readonly UncoveredTopic[]>();
  const groups = new Map<readonly UncoveredTopic[], [Principal, ...Principal[]]>();
  for (const { principal, chain } of chains) {
    const { virtualCluster } = principal;
    const links = protectorsOf(chain);
    const number = getOrAdd(numbers, chain, () => numbers.size);
    const audiences = links.map((link) => audienceOf(link, principal).covers);
    const key = JSON.stringify([number, virtualCluster, audiences]);
    const topics = getOrAdd(judged, key, () => {
      const found = topicsIn(virtualCluster).flatMap((topic) =>
        findUncoveredTopic(topic, chain, links, principal, options),
      );
      return getOrAdd(equal, JSON.stringify(found), () => found);
    });
    if (topics.length === 0) continue;
    const group = groups.get(topics);
    if (group === undefined) groups.set(topics, [principal]);
    else group.push(principal);
  }
  return Array.from(groups, ([topics, principals]) => ({ principals, topics }));
}

function findUncoveredTopic(
  topic: string,
  chain: Chain,
  links: readonly ChainLink[],
  principal: Principal,
  { coverageOf, earlyOf }: ProtectionOptions,
): readonly UncoveredTopic[] {
  const uncertain: Address[] = [];
  const early = once(() =>
    earlyOf(
      chain.map(({ one }) => one),
      principal.virtualCluster,
      topic,
    ),
  );
  for (const link of links) {
    const { covers } = coverageOf(link, topic, principal);
    if (covers === 'yes' && !early().has(link)) return [];
    if (covers === 'unknown') uncertain.push(link.address);
  }
  return [{ topic, uncertain }];
}

/** An interceptor that never runs, or whose place in a chain is undefined. */
export type InterceptorFinding = {
  readonly address: Address;
  /** No principal is in its scope; others override it for all that are; or one before it in a chain has its priority. */
  readonly finding: 'unmatched' | 'overridden' | 'tied';
  /** The interceptors that override it, or one of its priority. */
  readonly by: readonly Address[];
};

/** What is wrong with interceptors, by the chains of every principal that is known. */
export function inspectInterceptors(state: EffectiveState): readonly InterceptorFinding[] {
  const chainOf = chainsOf(state);
  const principals = [...listPrincipals(state), ...listExternalPrincipals(state)];
  const running = new Set<Address>();
  const overrides = new Map<Address, Set<Address>>();
  const ties = new Map<Address, Address>();
  for (const chain of new Set(principals.map(chainOf))) {
    for (const { one, overrides: others } of chain) {
      running.add(one.address);
      for (const { address } of others) getOrAdd(overrides, address, () => new Set()).add(one.address);
    }
    for (const [one, other] of tiesOf(chain)) if (!ties.has(one)) ties.set(one, other);
  }
  return state.links().flatMap(({ address }): readonly InterceptorFinding[] => {
    const tied = ties.get(address);
    if (running.has(address)) return tied === undefined ? [] : [{ address, finding: 'tied', by: [tied] }];
    const by = [...(overrides.get(address) ?? [])].sort();
    return [{ address, finding: by.length === 0 ? 'unmatched' : 'overridden', by }];
  });
}

/** Each interceptor of a chain that has the priority of the one before it. */
function tiesOf(chain: Chain): readonly (readonly [Address, Address])[] {
  return chain.flatMap(({ one: { address, priority } }, at) => {
    const other = chain[at - 1]?.one;
    return other?.priority === priority ? [[address, other.address] as const] : [];
  });
}
