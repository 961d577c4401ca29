import {
  findUncovered,
  type Uncovered,
  inspectInterceptors,
  type InterceptorFinding,
} from '../../effective/find-uncovered.ts';
import { narrowChains, makeTopicCoverage } from '../../effective/topics.ts';
import type { EffectiveState } from '../../effective/state.ts';
import { addTo } from '../../model/collect.ts';
import type { Kind } from '../../model/kind.ts';
import { PASSTHROUGH, type Chained, type ChainLink } from '../../model/principal.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Resource } from '../../model/resource.ts';
import { aliasTopic } from '../../schema/kinds/alias-topic.ts';
import { concentratedTopic } from '../../schema/kinds/concentrated-topic.ts';
import { catalog } from '../../schema/kinds/index.ts';

/** The kinds of objects that are topics of clients. */
export const TOPIC_KINDS: readonly Kind[] = [aliasTopic, concentratedTopic];

/** Topics by virtual cluster; those under null are in each. */
export type Topics = ReadonlyMap<string | null, readonly string[]>;

/** Which topics have no protection, for whom, and which interceptors never run. */
export type FoundCoverage = {
  /** How many topics were looked at. */
  readonly topics: number;
  readonly uncovered: readonly Uncovered[];
  readonly interceptors: readonly InterceptorFinding[];
};

export function findCoverage(
  chains: readonly Chained[],
  state: EffectiveState,
  topics: Topics,
  isProtective: (link: ChainLink) => boolean,
): FoundCoverage {
  const topicsIn = (virtualCluster: string): readonly string[] => [
    ...(topics.get(null) ?? []),
    ...(topics.get(virtualCluster) ?? []),
  ];
  return {
    topics: new Set([...topics.values()].flat()).size,
    uncovered: findUncovered(chains, topicsIn, { ...makeTopicCoverage(catalog.kinds), isProtective }),
    interceptors: inspectInterceptors(state),
  };
}

/** Chains without the interceptors that do not act on a topic. */
export function narrowToTopic(chains: readonly Chained[], topic: string): ReturnType<typeof narrowChains> {
  return narrowChains(chains, topic, makeTopicCoverage(catalog.kinds));
}

export type FoundTopics = { readonly topics: Topics; readonly problems: readonly Problem[] };

/** The topics that resources are. */
export function findTopics(resources: Iterable<Resource>): FoundTopics {
  const found = new Map<string | null, string[]>();
  const names = new Set(TOPIC_KINDS.map(({ name }) => name));
  for (const { kind, metadata } of resources) {
    const { name, vCluster = PASSTHROUGH } = metadata;
    if (names.has(kind) && typeof vCluster === 'string') addTo(found, vCluster, name);
  }
  const topics = new Map(Array.from(found, ([virtualCluster, all]) => [virtualCluster, sortNames(all)]));
  if (found.size > 0) return { topics, problems: [] };
  const hint = 'name the topics with --topics FILE, one per line';
  return { topics, problems: [noTopic('no alias topic or concentrated topic is known', hint)] };
}

function noTopic(message: string, hint: string): Problem {
  return { code: 'not-found', severity: 'error', message, hint };
}

/** Reads a file with a topic on each line. Empty lines, and those that begin with #, are left out. */
export function readTopics({ path, text }: Pick<SourceFile, 'path' | 'text'>): FoundTopics {
  const lines = text.split(/\r?\n/).map((line, at) => ({ name: line.trim(), at: at + 1 }));
  const named = lines.filter(({ name }) => name !== '' && !name.startsWith('#'));
  const problems = named
    .filter(({ name }) => !isTopicName(name))
    .map(({ at }): Problem => ({
      code: 'invalid-value',
      severity: 'error',
      message: `expected the name of a topic on line ${at} of ${path}`,
      hint: 'write one topic per line, up to 249 letters, digits, dots, - or _',
    }));
  if (named.length === 0) problems.push(noTopic(`there is no topic in ${path}`, 'write one topic per line'));
  return { topics: new Map([[null, sortNames(named.map(({ name }) => name))]]), problems };
}

function sortNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

export function isTopicName(text: string): boolean {
  return /^[\w.-]{1,249}$/.test(text);
}
