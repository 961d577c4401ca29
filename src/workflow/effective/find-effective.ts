import { makeProtection, type ProtectionOf } from '../../effective/protection.ts';
import type { EffectiveState } from '../../effective/state.ts';
import type { ReadableGateway } from '../../gateway/gateway.ts';
import type { ReadingOperations } from '../../gateway/operations.ts';
import type { ChainLink } from '../../model/principal.ts';
import { hasErrors, type LocatedProblem, type Problem } from '../../model/problem.ts';
import { makeEffectiveReport, type EffectiveReport } from '../../outcome/effective.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import type { Opened } from '../live/opened.ts';
import type { InputOptions } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';
import { compareChains, type ComparedChains } from './compare-chains.ts';
import {
  findDeclaredChains,
  findLiveChains,
  type DeclaredChains,
  type FoundChains,
  type LiveChains,
} from './find-chains.ts';
import {
  findCoverage,
  findTopics,
  narrowToTopic,
  readTopics,
  TOPIC_KINDS,
  type FoundCoverage,
  type FoundTopics,
} from './find-coverage.ts';
import type { Asked } from './select-principals.ts';

export type EffectiveOptions = {
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
  /** The topics that nothing protects: of those in a file, and of one sort of protection. */
  readonly uncovered?:
    { readonly topics?: string | undefined; readonly protection?: string | undefined } | undefined;
};

/** Which interceptors run for whom, by files or on a gateway. */
export async function findEffective(
  host: Host,
  workspace: Workspace,
  opened: Opened<ReadableGateway & ReadingOperations> | undefined,
  options: EffectiveOptions,
): Promise<{ readonly report: EffectiveReport; readonly problems: readonly LocatedProblem[] }> {
  const { of, topic, why, uncovered } = options;
  const protectionOf = makeProtection(workspace.environment?.protection);
  const read = await find(host, workspace, opened, options);
  const found = uncovered === undefined ? read : await addCoverage(host, read, uncovered, protectionOf);
  const { result, desired, compared, coverage, gateway } = found;
  const problems = locateProblems(found.problems);
  const source = of === 'gateway' ? 'gateway' : 'files';
  const report = makeEffectiveReport(
    { result, topic, source, environment: workspace.environment?.name, gateway },
    { chains: topic === undefined ? found.chains : narrowToTopic(found.chains, topic), compared, coverage },
    { protectionOf, why: why === true ? (address) => desired?.get(address)?.at : undefined },
    problems,
  );
  return { report, problems };
}

/** What one of the three ways to look found. */
type Found = {
  readonly result: EffectiveReport['result'];
  readonly chains: FoundChains['chains'];
  readonly desired?: DeclaredChains['desired'];
  readonly state?: EffectiveState;
  readonly resources?: LiveChains['resources'];
  readonly coverage?: FoundCoverage & { readonly protection: string | undefined };
  readonly compared?: Pick<ComparedChains, 'drift' | 'unchecked'>;
  readonly gateway?: string;
  readonly problems: readonly Problem[];
};

async function find(
  host: Host,
  workspace: Workspace,
  opened: Opened<ReadableGateway & ReadingOperations> | undefined,
  { of, input, asked, uncovered }: EffectiveOptions,
): Promise<Found> {
  const options = { ...input, asked };
  if (opened === undefined) return findDeclaredChains(host, workspace, options);
  if ('problems' in opened) return { ...opened, chains: [], gateway: '' };
  const { gateway, warnings } = opened;
  const found =
    of === 'gateway'
      ? await findLiveChains(workspace, gateway, asked, uncovered === undefined ? [] : TOPIC_KINDS)
      : await comparing(compareChains(host, workspace, gateway, options));
  return { ...found, gateway: gateway.url, problems: [...warnings, ...found.problems] };
}

async function comparing(comparison: Promise<ComparedChains>): Promise<Found> {
  const { drift, unchecked, ...found } = await comparison;
  return { ...found, compared: { drift, unchecked } };
}

/** Adds which topics have no protection. */
async function addCoverage(
  host: Host,
  found: Found,
  { topics: path, protection }: NonNullable<EffectiveOptions['uncovered']>,
  protectionOf: ProtectionOf,
): Promise<Found> {
  const { chains, state, desired = new Map<never, never>(), resources } = found;
  if (found.result !== 'ok' || state === undefined) return found;
  const declared = resources?.values() ?? Array.from(desired.values(), ({ resource }) => resource);
  const { topics, problems } = path === undefined ? findTopics(declared) : await readTopicsFile(host, path);
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

async function readTopicsFile(host: Host, path: string): Promise<FoundTopics> {
  const { value: sources, problems } = await host.readSources([path]);
  const read = sources.map(readTopics);
  return {
    topics: read[0]?.topics ?? new Map(),
    problems: [...problems, ...read.flatMap((one) => one.problems)],
  };
}
