import { makeProtection } from '../../effective/protection.ts';
import type { Problem } from '../../model/problem.ts';
import { makeEffectiveReport, type EffectiveReport } from '../../report/view/effective-report.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { compareChains, type ComparedChains } from '../../workflow/effective/compare-chains.ts';
import {
  findDeclaredChains,
  findLiveChains,
  type DeclaredChains,
  type FoundChains,
} from '../../workflow/effective/find-chains.ts';
import type { Asked } from '../../workflow/effective/select-principals.ts';
import type { OpenProject } from '../../workflow/project/project.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { type InputArgs, filesOf, openProjectFor, type ProjectArgs } from '../connect/flags.ts';
import { FLAGS, flagOf, type ConnectionArgs } from '../connect/settings.ts';
import { UsageError, type Io } from '../io.ts';
import { finish } from '../present/finish.ts';
import { PAGE_FORMATS, parseOutput } from '../present/output.ts';
import type { ExitCode } from '../verdict.ts';

export type EffectiveArgs = ProjectArgs &
  ConnectionArgs &
  Omit<InputArgs, 'prune'> & {
    readonly as?: string;
    readonly virtualCluster?: string;
    readonly group?: readonly string[];
    readonly externalGroup?: string;
    readonly live?: boolean;
    readonly compare?: boolean;
    readonly why?: boolean;
    readonly detailedExitcode?: boolean;
    readonly output?: readonly string[];
  };

/** Shows which interceptors run for whom, by files or on a gateway. It gets no gateway that can be written to. */
export async function effective(paths: readonly string[], args: EffectiveArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output, io, { formats: PAGE_FORMATS });
  checkFlags(paths, args);
  const asked = askedBy(args);
  const project = await openProjectFor(args, io);
  const found = await find(paths, args, asked, project, io);
  const { desired, compared, gateway } = found;
  const problems = locateProblems(found.problems);
  const report = makeEffectiveReport(
    {
      result: found.result,
      source: args.live === true ? 'gateway' : 'files',
      environment: project.environment?.name,
      gateway,
    },
    { chains: found.chains, compared },
    {
      protectionOf: makeProtection(project.environment?.protection),
      why: args.why === true ? (address) => desired?.get(address)?.at : undefined,
    },
    problems,
  );
  const { result } = report;
  const hasChains = ['ok', 'drift', 'no-drift', 'incomplete'].includes(result);
  const view = { report, problems, text: hasChains ? undefined : () => [] };
  const changes = compared?.drift.length;
  return finish({ result, isDetailed: args.detailedExitcode, changes, problems, view }, io, output);
}

function checkFlags(paths: readonly string[], args: EffectiveArgs): void {
  const { live, compare, file = [], as: username, virtualCluster, group = [], externalGroup } = args;
  if (live === true && compare === true)
    throw new UsageError('--live shows the gateway, --compare both: leave out one of them');
  const [path] = [...file, ...paths];
  if (live === true && path !== undefined)
    throw new UsageError(`--live shows the chains of the gateway and reads no files: leave out ${path}`);
  const flag = [...FLAGS, 'header' as const].find((name) => args[name] !== undefined);
  if (live !== true && compare !== true && flag !== undefined)
    throw new UsageError(
      `the files are read, and nothing is called: add --live or --compare, or leave out ${flagOf(flag)}`,
    );
  if (compare !== true && args.detailedExitcode === true)
    throw new UsageError('--detailed-exitcode needs --compare: without it there is no drift');
  for (const name of [username, virtualCluster, externalGroup, ...group])
    if (name?.trim() === '')
      throw new UsageError('--as, --virtual-cluster, --group and --external-group need a name; found none');
}

/** The principal that flags name; undefined: all. */
function askedBy({
  as: username,
  virtualCluster,
  group: groups,
  externalGroup,
}: EffectiveArgs): Asked | undefined {
  const asked = { username, virtualCluster, groups, externalGroup };
  return Object.values(asked).every((one) => one === undefined) ? undefined : asked;
}

/** What one of the three ways to look found. */
type Found = {
  readonly result: EffectiveReport['result'];
  readonly chains: FoundChains['chains'];
  readonly desired?: DeclaredChains['desired'];
  readonly compared?: Pick<ComparedChains, 'drift' | 'unchecked'>;
  readonly gateway?: string;
  readonly problems: readonly Problem[];
};

async function find(
  paths: readonly string[],
  args: EffectiveArgs,
  asked: Asked | undefined,
  project: OpenProject,
  io: Io,
): Promise<Found> {
  const { live, compare } = args;
  const options = live === true ? {} : { ...filesOf(paths, args, project, io), asked };
  if (live !== true && compare !== true) return findDeclaredChains(io, project, options);
  const connected = await tryConnectToRead(args, io, project);
  if ('problems' in connected) return { ...connected, chains: [], gateway: '' };
  const { gateway, warnings } = connected;
  try {
    const found =
      live === true
        ? await findLiveChains(project, gateway, asked)
        : await comparing(compareChains(io, project, gateway, options));
    return { ...found, gateway: gateway.url, problems: [...warnings, ...found.problems] };
  } finally {
    await gateway.close();
  }
}

async function comparing(comparison: Promise<ComparedChains>): Promise<Found> {
  const { drift, unchecked, ...found } = await comparison;
  return { ...found, compared: { drift, unchecked } };
}
