import { chainsOf, makeEffectiveState } from '../effective/effective-state.ts';
import { listExternalPrincipals, listPrincipals } from '../effective/principals.ts';
import { makeProtection } from '../effective/protection.ts';
import { makeTopicCoverage, topicsOf } from '../effective/topics.ts';
import { addTo, getOrAdd, memoize } from '../model/collect.ts';
import type { ChainLink, Principal } from '../model/principal.ts';
import { kindOf, type Address } from '../model/resource.ts';
import { isValid, type Declaration } from '../model/state.ts';
import { formatCount, list } from '../model/text/list.ts';
import type { EnvironmentLook, Look } from './look.ts';

/** For whom and for what an interceptor runs in an environment. */
export type Reach = {
  readonly principals: readonly Principal[];
  /** The declared topics that it acts on for some of them. */
  readonly topics: readonly string[];
  readonly protections: readonly string[];
};

/** An interceptor that protects a topic, and for whom. */
export type Protector = {
  readonly address: Address;
  readonly protections: readonly string[];
  readonly principals: readonly Principal[];
  /** Whether it certainly does: a pattern or a value that is not known here may be for other topics. */
  readonly isSure: boolean;
};

type Topic = { readonly name: string; readonly virtualCluster: string };

/** What runs for whom in an environment. Each question is answered once. */
const reachIn = memoize((look: Look) =>
  memoize(({ name, declared }: EnvironmentLook) => {
    const { kinds } = look.catalog;
    const resources = [...declared.values()].flatMap((one) =>
      isValid(one) ? [[one.address, one.resource] as const] : [],
    );
    const state = makeEffectiveState(resources, kinds);
    const { coverageOf, audienceOf, namesTopics } = makeTopicCoverage(kinds);
    const protectionOf = makeProtection(
      name === undefined ? {} : look.project.environments.get(name)?.protection,
    );
    const chainOf = chainsOf(state);
    const links = new Map<Address, ChainLink>();
    const principals = new Map<Address, Principal[]>();
    for (const principal of [...listPrincipals(state), ...listExternalPrincipals(state)]) {
      for (const { one } of chainOf(principal)) {
        links.set(one.address, one);
        addTo(principals, one.address, principal);
      }
    }
    const linksIn = new Map<string, Set<ChainLink>>();
    for (const link of links.values()) {
      for (const { virtualCluster } of principals.get(link.address) ?? [])
        getOrAdd(linksIn, virtualCluster, () => new Set()).add(link);
    }
    const topics = resources.flatMap(([, resource]): readonly Topic[] => {
      const found = topicsOf(resource, kinds);
      if (found?.topics.type !== 'one') return [];
      return [{ name: found.topics.name, virtualCluster: found.virtualCluster }];
    });
    /** Those of a virtual cluster for whom an interceptor acts, whatever the topic. */
    const audiences = memoize((link: ChainLink): ReadonlyMap<string, readonly Principal[]> => {
      const found = new Map<string, Principal[]>();
      for (const principal of principals.get(link.address) ?? [])
        if (audienceOf(link, principal).covers === 'yes') addTo(found, principal.virtualCluster, principal);
      return found;
    });
    const acting = (link: ChainLink, { name: topic, virtualCluster }: Topic) => {
      const all = audiences(link).get(virtualCluster) ?? [];
      const [first] = all; // all have the same answer for a topic
      const covers = first === undefined ? 'no' : coverageOf(link, topic, first).covers;
      return { covers, principals: all };
    };
    return {
      ofInterceptor: (address: Address): Reach => {
        const link = links.get(address);
        if (link === undefined) return { principals: [], topics: [], protections: [] };
        const covered = namesTopics(link)
          ? topics.filter((topic) => acting(link, topic).covers === 'yes')
          : [];
        return {
          principals: principals.get(address) ?? [],
          topics: [...new Set(covered.map((topic) => topic.name))].sort(),
          protections: protectionOf(link),
        };
      },
      protectorsOf: (topic: Topic): readonly Protector[] =>
        [...(linksIn.get(topic.virtualCluster) ?? [])].flatMap((link): readonly Protector[] => {
          const protections = protectionOf(link);
          if (protections.length === 0 || !namesTopics(link)) return [];
          const { covers, principals } = acting(link, topic);
          if (covers === 'no') return [];
          return [{ address: link.address, protections, principals, isSure: covers === 'yes' }];
        }),
    };
  }),
);

/** Whom an interceptor touches, or what protects a topic; undefined for what is declared as something else. */
export function effectIn(
  look: Look,
  environment: EnvironmentLook,
  declaration: Declaration,
): { readonly reach: Reach } | { readonly protectors: readonly Protector[] } | undefined {
  const { kinds } = look.catalog;
  if (!isValid(declaration)) return undefined;
  const { ofInterceptor, protectorsOf } = reachIn(look)(environment);
  const { address, resource } = declaration;
  if (kinds.get(kindOf(address))?.meantFor !== undefined) return { reach: ofInterceptor(address) };
  const own = topicsOf(resource, kinds);
  if (own?.topics.type !== 'one') return undefined;
  return { protectors: protectorsOf({ name: own.topics.name, virtualCluster: own.virtualCluster }) };
}

/** Clients, in words: 2 clients and all other clients. */
export function countPrincipals(principals: readonly Principal[]): string {
  const named = principals.filter(({ username }) => username !== null).length;
  const outside = principals.filter(({ externalGroup }) => externalGroup !== undefined).length;
  const others = principals.length - named - outside;
  const parts = [
    ...(named === 0 ? [] : [formatCount(named, 'client')]),
    ...(outside === 0 ? [] : [formatCount(outside, 'external group')]),
    ...(others === 0 ? [] : ['all other clients']),
  ];
  return parts.length === 0 ? 'no client' : list(parts);
}

const VERBS: Readonly<Record<string, string>> = {
  encryption: 'encrypts',
  masking: 'masks',
  audit: 'audits',
  access: 'guards',
  safeguard: 'safeguards',
  'data-quality': 'checks the data of',
};

/** What an interceptor does to topics, in words: masks 2 topics. */
export function countTopics({ topics, protections: [first] }: Reach): string {
  if (topics.length === 0) return '';
  const verb = first === undefined ? 'acts on' : (VERBS[first] ?? 'protects');
  return `${verb} ${formatCount(topics.length, 'topic')}`;
}
