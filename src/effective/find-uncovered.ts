import { memoize } from '../model/collect.ts';
import type { Chain, Chained, ChainLink, Principal } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import type { TopicCoverage } from './topics.ts';

/** A topic without protection. */
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
export type ProtectionOptions = TopicCoverage & { readonly isProtective: (link: ChainLink) => boolean };

/**
 * The topics on which no protective interceptor acts, for groups of principals. An interceptor whose class has no setting for
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
    if (!numbers.has(chain)) numbers.set(chain, numbers.size);
    const audiences = links.map((link) => audienceOf(link, principal).covers);
    const key = JSON.stringify([numbers.get(chain), virtualCluster, audiences]);
    let topics = judged.get(key);
    if (topics === undefined) {
      const found = topicsIn(virtualCluster).flatMap((topic) => judge(topic, links, principal, options));
      const text = JSON.stringify(found);
      topics = equal.get(text) ?? found;
      equal.set(text, topics);
      judged.set(key, topics);
    }
    if (topics.length === 0) continue;
    const group = groups.get(topics);
    if (group === undefined) groups.set(topics, [principal]);
    else group.push(principal);
  }
  return Array.from(groups, ([topics, principals]) => ({ principals, topics }));
}

function judge(
  topic: string,
  links: readonly ChainLink[],
  principal: Principal,
  { coverageOf }: TopicCoverage,
): readonly UncoveredTopic[] {
  const uncertain: Address[] = [];
  for (const link of links) {
    const { covers } = coverageOf(link, topic, principal);
    if (covers === 'yes') return [];
    if (covers === 'unknown') uncertain.push(link.address);
  }
  return [{ topic, uncertain }];
}
