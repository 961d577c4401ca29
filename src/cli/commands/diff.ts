import { list } from '../../model/text/list.ts';
import { openSnapshot, snapshotAge } from '../../workflow/live/live-source.ts';
import { compareNamed, type OpenedSource } from '../../workflow/plan/compare.ts';
import { openBeside } from '../../workflow/project/open-workspace.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { asOneOfSeveral, saysSetting, FLAGS, OWN_FLAGS } from '../connect/settings.ts';
import type { Given, Run } from '../given.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';
import { flagOf } from '../table/flag.ts';
import type { ConnectionArgs } from '../table/flags.ts';

/** Compares two environments, gateways or snapshots. */
export const run: Run<'diff'> = async (given) => {
  const { args } = given;
  const [from, to] = sidesOf(args);
  if (from === undefined || to === undefined)
    throw new UsageError(
      'gwconf diff needs --from and --to: name two environments, live:ENVIRONMENT for a gateway, or snapshot files; gwconf plan compares files with a gateway',
    );
  checkConnectionFlags([from, to], args);
  const { env: _, ...others } = args;
  const base = await given.openWorkspace(others);
  const named = (name: string, other: string) => ({
    name,
    open: () => openSource(name, other, args, base, given).catch(problemsOf),
  });
  const { target = [], exclude = [] } = args;
  const compared = await compareNamed(given.io, base, [named(from, to), named(to, from)], {
    target,
    exclude,
  });
  const { outcome: report, problems, isCompared } = compared;
  return {
    view: { report, problems, text: isCompared ? undefined : () => [] },
    isNarrowed: report.selection !== undefined,
  };
};

/** What is compared; `live:` alone is the gateway of the environment of `--env`, which is the second side unless `--to` says more. */
function sidesOf({ from, to, env }: Args<'diff'>): readonly (string | undefined)[] {
  if (env !== undefined && to !== undefined && to !== LIVE)
    throw new UsageError('--env and --to both name what --from is compared with: leave out one of them');
  return [from, env === undefined ? to : `${to ?? ''}${env}`];
}

function problemsOf(error: unknown): Extract<OpenedSource, { problems: unknown }> {
  if (error instanceof ProblemsError) return error;
  throw error;
}

/** How the name of a gateway begins: `live:staging`. */
const LIVE = 'live:';

/**
 * Opens what `--from` or `--to` names, beside the other: an environment of gwconf.yaml, its gateway, or a snapshot. Throws a
 * UsageError for one that does not exist, and a ProblemsError for one that cannot be opened.
 */
async function openSource(
  name: string,
  other: string,
  args: ConnectionArgs,
  base: Workspace,
  { io, connect }: Pick<Given<'diff'>, 'io' | 'connect'>,
): Promise<OpenedSource> {
  if (name === other) throw new UsageError(`--from and --to are both ${name}: there is nothing to compare`);
  const isLive = name.startsWith(LIVE);
  const environment = isLive ? name.slice(LIVE.length) : name;
  if (!base.project.filesByEnvironment.has(environment)) {
    if (isLive || !io.exists(name)) throw unknownSource(name, base);
    return openFile(name, base, io);
  }
  const workspace = openBeside(io, base, environment);
  if (!isLive) return { source: { name, environment, workspace, type: 'files' }, warnings: [] };
  const tried = await connect(args, workspace, other.startsWith(LIVE) ? asOneOfTwo(workspace, name, io) : io);
  if ('problems' in tried) {
    const problems = tried.problems.map((one) => ({ ...one, message: `${name}: ${one.message}` }));
    throw new ProblemsError(problems, tried.result);
  }
  const { gateway, warnings } = tried;
  return { source: { name, environment, workspace, type: 'live', gateway }, warnings };
}

/** Refuses flags of a connection where there is none, and those for one gateway where there are two. */
function checkConnectionFlags(names: readonly string[], args: ConnectionArgs): void {
  const gateways = names.filter((name) => name.startsWith(LIVE));
  const refused = gateways.length === 0 ? FLAGS : gateways.length === 2 ? OWN_FLAGS : [];
  const given = refused.find((flag) => args[flag] !== undefined);
  if (given === undefined) return;
  throw new UsageError(
    gateways.length === 0
      ? `${list(names)} are not gateways, and nothing is called: leave out ${flagOf(given)}`
      : `${list(gateways)} are two gateways, and ${flagOf(given)} is for one: write it in gwconf.yaml for each environment, or set the variable of that setting if it is the same for both`,
  );
}

/** Throws a UsageError if gwconf.yaml does not say which gateway is meant: a variable would name the same one twice. */
function asOneOfTwo(workspace: Workspace, name: string, io: Io): Io {
  if (!saysSetting(workspace, 'url'))
    throw new UsageError(
      `two gateways are compared: write url under gateway of ${name.slice(LIVE.length)} in gwconf.yaml`,
    );
  return asOneOfSeveral(workspace, io);
}

/** A snapshot of any environment. */
async function openFile(name: string, base: Workspace, io: Io): Promise<OpenedSource> {
  const any = { ...base, environment: undefined, gateway: undefined };
  const opened = await openSnapshot(io, any, name);
  if ('failed' in opened) throw new ProblemsError(opened.problems);
  const { value: snapshot, problems: warnings } = opened;
  const { environment } = snapshot;
  const isKnown = environment !== undefined && base.project.filesByEnvironment.has(environment);
  const workspace = isKnown ? openBeside(io, base, environment) : any;
  return {
    source: { name, environment, workspace, type: 'snapshot', snapshot, age: snapshotAge(io, snapshot) },
    warnings,
  };
}

function unknownSource(name: string, { project: { folder, filesByEnvironment } }: Workspace): UsageError {
  const names = [...filesByEnvironment.keys()];
  const known =
    folder === undefined
      ? 'there is no gwconf.yaml here or above'
      : `gwconf.yaml has ${names.length === 0 ? 'no environments' : `the environments ${list(names)}`}`;
  const what = name.startsWith(LIVE) ? 'an environment' : 'an environment or a snapshot file';
  return new UsageError(`${name} is not ${what}: ${known}; use NAME, live:NAME, or the path of a snapshot`);
}
