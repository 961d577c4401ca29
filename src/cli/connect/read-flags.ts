import { join } from 'node:path';
import { hasErrors } from '../../model/problem.ts';
import type { Limit, Limited } from '../../model/rules.ts';
import { parseTimeout } from '../../model/text/quantities.ts';
import { globProblem, limitOf } from '../../schema/project/project-rules.ts';
import type { InputOptions } from '../../workflow/project/input.ts';
import { openWorkspace } from '../../workflow/project/open-workspace.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';
import { flagOf } from '../table/flag.ts';
import type { EnvironmentArgs, SourceArgs } from '../table/flags.ts';
import { isTrue, variableOf } from './settings.ts';

export type InputArgs = Pick<Args<'plan'>, 'file' | 'allowEmpty' | 'strict' | 'prune'>;

/** What only makes sense for a new plan; --manages and limits are decided by whoever applies one, too. */
export const PLANNING = ['file', 'target', 'exclude', 'prune', 'allowEmpty', 'strict', 'topics'] as const;

/** What positional paths and `-f` name. */
export function inputOf(
  positional: readonly string[],
  { file = [], allowEmpty, strict, prune }: InputArgs,
): InputOptions & { readonly paths: readonly string[] } {
  return { paths: [...file, ...positional], allowEmpty, strict, prune };
}

/** The same for a command that needs files: without a path and a project, those of this folder. */
export function filesOf(
  positional: readonly string[],
  args: InputArgs,
  { project: { folder }, problems }: Workspace,
  io: Io,
): ReturnType<typeof inputOf> {
  const input = inputOf(positional, args);
  if (input.paths.length > 0 || folder !== undefined || hasErrors(problems)) return input;
  io.err('Reading the files in this folder, because there is no gwconf.yaml.\n');
  return { ...input, paths: ['.'] };
}

/** Throws a UsageError where stdin would be read twice. */
export function checkTopicsPath(paths: readonly string[], topics: string | undefined): void {
  if (topics === '-' && paths.includes('-'))
    throw new UsageError('stdin holds the topics or the resources: name a file for one of them');
}

/** What takes the place of rules of the project. */
export type RuleArgs = Pick<Args<'plan'>, 'maxDeletes' | 'maxUpdates' | 'manages' | 'acceptExposure'>;

/** The limits of flags. Throws a UsageError for one that is neither a number nor a percentage. */
export function limitsOf({ maxDeletes, maxUpdates }: RuleArgs): Limited | undefined {
  if (maxDeletes === undefined && maxUpdates === undefined) return undefined;
  return {
    ...(maxDeletes === undefined ? {} : { deletes: parseLimit('--max-deletes', maxDeletes) }),
    ...(maxUpdates === undefined ? {} : { updates: parseLimit('--max-updates', maxUpdates) }),
  };
}

function parseLimit(flag: string, text: string): Limit {
  const limit = limitOf(text);
  if (limit === undefined)
    throw new UsageError(`expected ${flag} to be a number of objects, or a part such as 10%; found ${text}`);
  return limit;
}

/** The milliseconds of a flag such as `30s`, `500ms` or `2m`, or else of its variable. Throws a UsageError. */
export function durationOf<F extends string>(
  args: Readonly<Partial<Record<F, string>>>,
  flag: F,
  io: Pick<Io, 'env'>,
): number | undefined {
  const given = args[flag];
  const variable = variableOf(flag);
  return given === undefined
    ? millisecondsOf(io.env(variable), variable)
    : millisecondsOf(given, flagOf(flag));
}

/** The milliseconds of a setting with this name. Throws a UsageError. */
export function millisecondsOf(
  duration: string | undefined,
  name: string,
  parse = parseTimeout,
): number | undefined {
  if (duration === undefined || duration === '') return undefined;
  const ms = parse(duration);
  if (ms === undefined)
    throw new UsageError(`expected ${name} to be a duration such as 30s, 500ms or 2m; found ${duration}`);
  return ms;
}

/** The folder of the journals: beside gwconf.yaml, unless another is named; undefined when none is kept. */
export function journalFolder(
  { journal }: Pick<Args<'journal'>, 'journal'>,
  workspace: Workspace,
  io: Io,
): string | undefined {
  const named = journal ?? io.env('GWCONF_JOURNAL') ?? '';
  if (named === 'none') return undefined;
  return named === '' ? join(workspace.project.folder ?? '.', '.gwconf', 'journal') : named;
}

type ProjectArgs = EnvironmentArgs & SourceArgs & Pick<RuleArgs, 'manages'>;

/**
 * Opens the project that flags and variables name. Throws a RequestError for an environment that is not there, and a UsageError where
 * --manages matches no address.
 */
export async function openWorkspaceFor(args: ProjectArgs, io: Io): Promise<Workspace> {
  const root = args.secretRoot ?? io.env('GWCONF_SECRET_ROOT') ?? '';
  const workspace = await openWorkspace(io, {
    environment: wantedEnvironment(args, io)?.name,
    allowExec: args.allowExec === true || isTrue(io.env('GWCONF_ALLOW_EXEC')),
    secretRoot: root === '' ? undefined : root,
    publicVariables: args.publicVariable,
    masker: io.masker,
  });
  for (const glob of args.manages ?? []) checkManaged(glob, workspace);
  return workspace;
}

/** What --manages excludes by an address that is not whole would be deleted by --prune. Kinds can be those of a gateway that is not asked yet. */
function checkManaged(glob: string, { catalog }: Workspace): void {
  const [problem] = globProblem(glob.replace(/^!/, ''), catalog.kinds, {});
  if (problem === undefined || problem.code === 'unknown-kind') return;
  const { message, hint } = problem;
  throw new UsageError(`--manages: ${message}${hint === undefined ? '' : `; ${hint}`}`);
}

/** Opens the project without choosing one of several environments. */
export function openProjectFor(args: ProjectArgs, io: Io): Promise<Workspace> {
  const env: Io['env'] = (name) => (name === 'GWCONF_ENV' ? undefined : io.env(name));
  const { env: _, ...others } = args;
  return openWorkspaceFor(others, { ...io, env });
}

/** The environment that is asked for, and by what; an empty variable asks for none. */
export function wantedEnvironment(
  args: EnvironmentArgs,
  io: Io,
): { readonly name: string; readonly by: string } | undefined {
  if (args.env !== undefined) return { name: args.env, by: '--env' };
  const name = io.env('GWCONF_ENV') ?? '';
  return name === '' ? undefined : { name, by: 'GWCONF_ENV' };
}
