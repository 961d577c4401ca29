import { makeProtection, type ProtectionOf } from '../../effective/protection.ts';
import type { EffectiveState } from '../../effective/state.ts';
import type { ChainLink } from '../../model/principal.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { makeEffectiveReport, type EffectiveReport } from '../../outcome/effective.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { compareChains, type ComparedChains } from '../../workflow/effective/compare-chains.ts';
import {
  findDeclaredChains,
  findLiveChains,
  type DeclaredChains,
  type FoundChains,
  type LiveChains,
} from '../../workflow/effective/find-chains.ts';
import {
  findCoverage,
  findTopics,
  narrowToTopic,
  readTopics,
  TOPIC_KINDS,
  type FoundCoverage,
  type FoundTopics,
} from '../../workflow/effective/find-coverage.ts';
import type { Asked } from '../../workflow/effective/select-principals.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { filesOf } from '../connect/flags.ts';
import type { Given, Run } from '../given.ts';
import type { Io } from '../io.ts';
import type { Args } from '../table/commands.ts';
import { askedBy, checkFlags, checkProtection } from './effective-flags.ts';

/** Shows which interceptors run for whom, by files or on a gateway. It gets no gateway that can be written to. */
export const run: Run<'effective'> = async (given) => {
  const { operand: paths, args, io } = given;
  checkFlags(paths, args);
  const asked = askedBy(args);
  const workspace = await given.openWorkspace(args);
  const protectionOf = makeProtection(workspace.environment?.protection);
  checkProtection(args.protection, workspace.environment?.protection);
  const read = await find(given, asked, workspace);
  const found = args.uncovered === true ? await addCoverage(read, args, protectionOf, io) : read;
  const { desired, compared, coverage, gateway } = found;
  const problems = locateProblems(found.problems);
  const { topic } = args;
  const report = makeEffectiveReport(
    {
      result: found.result,
      topic,
      source: args.live === true ? 'gateway' : 'files',
      environment: workspace.environment?.name,
      gateway,
    },
    { chains: topic === undefined ? found.chains : narrowToTopic(found.chains, topic), compared, coverage },
    {
      protectionOf,
      why: args.why === true ? (address) => desired?.get(address)?.at : undefined,
    },
    problems,
  );
  const { result } = report;
  const hasChains = ['ok', 'drift', 'no-drift', 'incomplete', 'covered', 'uncovered'].includes(result);
  return {
    view: { report, problems, text: hasChains ? undefined : () => [] },
    changes: compared?.drift.length ?? report.summary.uncovered,
  };
};

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
  { operand: paths, args, io, connect }: Given<'effective'>,
  asked: Asked | undefined,
  workspace: Workspace,
): Promise<Found> {
  const { live, compare } = args;
  const options = live === true ? {} : { ...filesOf(paths, args, workspace, io), asked };
  if (live !== true && compare !== true) return findDeclaredChains(io, workspace, options);
  const connected = await connect(args, workspace);
  if ('problems' in connected) return { ...connected, chains: [], gateway: '' };
  const { gateway, warnings } = connected;
  const found =
    live === true
      ? await findLiveChains(workspace, gateway, asked, args.uncovered === true ? TOPIC_KINDS : [])
      : await comparing(compareChains(io, workspace, gateway, options));
  return { ...found, gateway: gateway.url, problems: [...warnings, ...found.problems] };
}

async function comparing(comparison: Promise<ComparedChains>): Promise<Found> {
  const { drift, unchecked, ...found } = await comparison;
  return { ...found, compared: { drift, unchecked } };
}

/** Adds which topics have no protection. */
async function addCoverage(
  found: Found,
  { topics: path, protection }: Args<'effective'>,
  protectionOf: ProtectionOf,
  io: Io,
): Promise<Found> {
  const { chains, state, desired = new Map<never, never>(), resources } = found;
  if (found.result !== 'ok' || state === undefined) return found;
  const declared = resources?.values() ?? Array.from(desired.values(), ({ resource }) => resource);
  const { topics, problems } = path === undefined ? findTopics(declared) : await readTopicsFile(path, io);
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

async function readTopicsFile(path: string, io: Io): Promise<FoundTopics> {
  const { value: sources, problems } = await io.readSources([path]);
  const read = sources.map(readTopics);
  return {
    topics: read[0]?.topics ?? new Map(),
    problems: [...problems, ...read.flatMap((one) => one.problems)],
  };
}
