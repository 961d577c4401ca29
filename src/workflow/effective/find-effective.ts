import { earlyFinder } from '../../effective/early-masks.ts';
import { findUncovered, inspectInterceptors } from '../../effective/find-uncovered.ts';
import { makeProtection, type ProtectionOf } from '../../effective/protection.ts';
import { makeAudience } from '../../effective/audience.ts';
import type { EffectiveState } from '../../effective/effective-state.ts';
import { narrowChains, makeTopicCoverage, topicsOf } from '../../effective/topics.ts';
import type { ReadableGateway, ReadingOperations } from '../../gateway/gateway.ts';
import { addTo } from '../../model/collect.ts';
import type { ChainLink, Chained } from '../../model/principal.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import type { Resource } from '../../model/resource.ts';
import { makeEffectiveReport, type EffectiveReport, type FoundCoverage } from '../../outcome/effective.ts';
import { redactChains } from '../../plan/secrets/hide-in-chains.ts';
import type { Told } from '../../outcome/outcome.ts';
import { catalog as builtIn } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import type { Opened } from '../live/read-live.ts';
import { learnDeclared, type InputOptions } from '../project/input.ts';
import { noTopic, readTopics, sortNames } from '../project/topics-file.ts';
import type { Workspace } from '../project/workspace.ts';
import { compareChains, type ComparedChains } from './compare-chains.ts';
import {
  findDeclaredChains,
  findLiveChains,
  redactDeclaredChains,
  TOPIC_KINDS,
  type DeclaredChains,
  type FoundChains,
  type LiveChains,
} from './find-chains.ts';
import type { Asked } from './select-principals.ts';

type EffectiveOptions = {
  /** Whose chains: those of files, those on a gateway, or where both differ. */
  readonly of: 'files' | 'gateway' | 'both';
  /** The files; not looked at for those on a gateway. */
  readonly input: InputOptions;
  /** One principal; default: all. */
  readonly asked: Asked | undefined;
  /** Only the interceptors that act on this topic. */
  readonly topic?: string | undefined;
  /** Also what each interceptor overrides, and where it is declared. */
  readonly why?: boolean | undefined;
  /** The topics that nothing protects, or not with one sort of protection. */
  readonly uncovered?: { readonly protection?: string | undefined } | undefined;
  /** A file with a topic on each line, or `-`, in place of that of the project. */
  readonly topics?: string | undefined;
};

/** Which interceptors run for whom, by files or on a gateway. */
export async function findEffective(
  host: Host,
  workspace: Workspace,
  opened: Opened<ReadableGateway & ReadingOperations> | undefined,
  options: EffectiveOptions,
): Promise<Told<EffectiveReport>> {
  const { of, topic, why, uncovered } = options;
  const protectionOf = makeProtection(workspace.environment?.protection);
  if (of === 'gateway') await learnDeclared(host, workspace);
  const { value: topics, problems: unread } =
    of === 'both' || uncovered !== undefined ? await readTopics(host, workspace, options.topics) : NO_FILE;
  const read: ReadChains = hasErrors(unread)
    ? {
        result: 'error',
        chains: [],
        problems: unread,
        ...(opened && { gateway: 'problems' in opened ? '' : opened.gateway.url }),
      }
    : await find(host, workspace, opened, options, topics);
  const found = uncovered === undefined ? read : addCoverage(read, uncovered, topics, protectionOf);
  const { result, desired, compared, coverage, gateway, resources = new Map<never, never>() } = found;
  const live = redactChains(resources, [], workspace.catalog.kinds, {
    ...workspace.secrets.known,
    ...(desired && { declaredOf: (address) => desired.get(address) }),
  });
  const own = desired === undefined ? live : redactDeclaredChains(workspace, desired);
  const { chainFor } = makeAudience({
    ...{ kinds: workspace.catalog.kinds, states: found.state === undefined ? [] : [found.state] },
    showsAt: (address, at) => own.showsAt(address, at) && live.showsAt(address, at),
  });
  const chains = found.chains.map(({ principal, chain }) => ({
    principal,
    chain: chainFor(chain, principal),
  }));
  const problems = locateProblems(found.problems);
  const source = of === 'gateway' ? 'gateway' : 'files';
  const outcome = makeEffectiveReport(
    { result, topic, source, environment: workspace.environment?.name, gateway },
    { chains: topic === undefined ? chains : narrowToTopic(chains, topic), compared, coverage },
    {
      protectionOf,
      redaction: { own, live },
      why: why === true ? (address) => desired?.get(address)?.at : undefined,
    },
    problems,
  );
  return { outcome, problems };
}

const NO_FILE: Awaited<ReturnType<typeof readTopics>> = { value: undefined, problems: [] };

/** What one of the three ways to look found. */
type ReadChains = {
  readonly result: EffectiveReport['result'];
  readonly chains: FoundChains['chains'];
  readonly desired?: DeclaredChains['desired'];
  readonly state?: EffectiveState;
  readonly resources?: LiveChains['resources'];
  readonly coverage?: FoundCoverage;
  readonly compared?: Pick<ComparedChains, 'drift' | 'unchecked' | 'unmanaged'>;
  readonly gateway?: string;
  readonly problems: readonly Problem[];
};

async function find(
  host: Host,
  workspace: Workspace,
  opened: Opened<ReadableGateway & ReadingOperations> | undefined,
  { of, input, asked, uncovered }: EffectiveOptions,
  topics: readonly string[] | undefined,
): Promise<ReadChains> {
  const options = { ...input, asked };
  if (opened === undefined) return findDeclaredChains(host, workspace, options);
  if ('problems' in opened) return { ...opened, chains: [], gateway: '' };
  const { gateway, warnings } = opened;
  const found =
    of === 'gateway'
      ? await findLiveChains(workspace, gateway, asked, uncovered === undefined ? [] : TOPIC_KINDS)
      : await comparing(compareChains(host, workspace, gateway, { ...options, topics }));
  return { ...found, gateway: gateway.url, problems: [...warnings, ...found.problems] };
}

async function comparing(comparison: Promise<ComparedChains>): Promise<ReadChains> {
  const { drift, unchecked, unmanaged, ...found } = await comparison;
  return { ...found, compared: { drift, unchecked, unmanaged } };
}

/** Adds which topics have no protection. */
function addCoverage(
  found: ReadChains,
  { protection }: NonNullable<EffectiveOptions['uncovered']>,
  named: readonly string[] | undefined,
  protectionOf: ProtectionOf,
): ReadChains {
  const { chains, state, desired = new Map<never, never>(), resources } = found;
  if (found.result !== 'ok' || state === undefined) return found;
  const declared = resources?.values() ?? Array.from(desired.values(), ({ resource }) => resource);
  const { topics, problems } =
    named === undefined ? findTopics(declared) : { topics: new Map([[null, named]]), problems: [] };
  const all = [...found.problems, ...problems];
  if (hasErrors(problems)) return { ...found, result: 'error', problems: all };
  const isProtective = (link: ChainLink): boolean => {
    const sorts = protectionOf(link);
    return protection === undefined ? sorts.length > 0 : sorts.includes(protection);
  };
  const coverage = { ...findCoverage(chains, state, topics, isProtective), protection };
  const result = coverage.uncovered.length === 0 ? 'covered' : 'uncovered';
  return { ...found, result, coverage, problems: all };
}

/** Topics by virtual cluster; those under null are in each. */
type Topics = ReadonlyMap<string | null, readonly string[]>;

function findCoverage(
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
    uncovered: findUncovered(chains, topicsIn, {
      ...makeTopicCoverage(builtIn.kinds),
      isProtective,
      earlyOf: earlyFinder(builtIn.kinds)(state.links()),
    }),
    interceptors: inspectInterceptors(state),
  };
}

/** Chains without the interceptors that do not act on a topic. */
function narrowToTopic(chains: readonly Chained[], topic: string): ReturnType<typeof narrowChains> {
  return narrowChains(chains, topic, makeTopicCoverage(builtIn.kinds));
}

/** The topics that resources are. */
function findTopics(resources: Iterable<Resource>) {
  const found = new Map<string | null, string[]>();
  for (const resource of resources) {
    const one = topicsOf(resource, builtIn.kinds);
    if (one?.topics.type === 'one') addTo(found, one.virtualCluster, one.topics.name);
  }
  const topics = new Map(Array.from(found, ([virtualCluster, all]) => [virtualCluster, sortNames(all)]));
  if (found.size > 0) return { topics, problems: [] };
  const hint = 'name the topics with --topics FILE, or topics in gwconf.yaml, one per line';
  return { topics, problems: [noTopic('no alias topic or concentrated topic is known', hint)] };
}
