import { join } from 'node:path';
import type { Problem } from '../model/problem.ts';
import { catalog } from '../schema/kinds/index.ts';
import { parseProject, unfilledIn, type Environment, type Project } from '../schema/project/project.ts';
import type { Variables } from '../schema/yaml/interpolate.ts';
import { UsageError, type Io } from './io.ts';
import { openSources } from './named-programs.ts';
import type { FromProject } from './connect/settings.ts';

export type ProjectArgs = { readonly env?: string };

/** The project that a command works in; all of it may be missing. */
export type OpenProject = {
  /** The folder of gwconf.yaml. */
  readonly folder: string | undefined;
  readonly environment: Environment | undefined;
  readonly lint: Project['lint'];
  readonly connection: FromProject | undefined;
  /** The layers of the environment, as paths from here. */
  readonly files: readonly string[];
  /** `${ENV}` and `${var.NAME}`; files and programs are not asked yet. */
  readonly variables: Variables;
  /** What the environment gave so far and may not be shown. */
  readonly secrets: ReadonlySet<string>;
  readonly problems: readonly Problem[];
};

const FILE = 'gwconf.yaml';

/**
 * Finds gwconf.yaml upwards from here and chooses the environment: the one that --env names, or the only one. Throws
 * a UsageError for an environment that is not there.
 */
export async function openProject(args: ProjectArgs, io: Io): Promise<OpenProject> {
  const wanted = wantedEnvironment(args, io)?.name;
  const folder = io.findUpwards(FILE);
  if (folder === undefined) {
    if (wanted !== undefined)
      throw new UsageError(`there is no ${FILE} here or above that could describe --env ${wanted}`);
    return withoutEnvironment(folder, io, []);
  }
  const path = join(folder, FILE);
  const file = { path, text: await io.readFile(path), named: true };
  const { value: project, problems } = parseProject(file, io.env, catalog.kinds);
  if (project === undefined) return withoutEnvironment(folder, io, problems);
  const environment = choose(project, wanted);
  const unfilled = environment === undefined ? [] : unfilledIn(file, environment.name, io.env);
  return {
    folder,
    environment,
    lint: project.lint,
    connection:
      environment?.gateway === undefined
        ? undefined
        : { gateway: environment.gateway, folder, unfilled: unfilled.filter(isOfConnection) },
    files: (environment?.files ?? []).map((name) => join(folder, name)),
    ...variablesOf(environment, io),
    // What only a connection needs is missed when somebody connects.
    problems: [...problems, ...unfilled.filter((problem) => !isOfConnection(problem))],
  };
}

/** The project for those who write nothing: what variables that are not set would fill in stays open. */
export function leavingOpen(project: OpenProject): OpenProject {
  const { variables } = project;
  const valueOf: Variables = (name) => variables(name);
  return { ...project, variables: Object.assign(valueOf, variables, { leavesOpen: true }) };
}

function isOfConnection({ path }: Problem): boolean {
  return path?.includes('/gateway/') === true;
}

function variablesOf(
  environment: Environment | undefined,
  io: Io,
): Pick<OpenProject, 'variables' | 'secrets'> {
  const typed = new Map(Object.entries(environment?.variables ?? {}));
  const open = new Set(environment?.publicVariables);
  const secrets = new Set<string>();
  const fromEnvironment = (name: string): string | undefined => {
    const value = io.env(name);
    if (value !== undefined && !open.has(name)) secrets.add(value);
    return value;
  };
  const valueOf: Variables = (name) =>
    name.startsWith('var.') ? typed.get(name.slice('var.'.length)) : fromEnvironment(name);
  const variables = Object.assign(valueOf, {
    isPublic: (name: string) => open.has(name),
    source: openSources(environment),
  });
  return { variables, secrets };
}

/** The environment that is asked for, and by what; an empty variable asks for none. */
export function wantedEnvironment(
  args: ProjectArgs,
  io: Io,
): { readonly name: string; readonly by: string } | undefined {
  if (args.env !== undefined) return { name: args.env, by: '--env' };
  const name = io.env('GWCONF_ENV') ?? '';
  return name === '' ? undefined : { name, by: 'GWCONF_ENV' };
}

function withoutEnvironment(folder: string | undefined, io: Io, problems: readonly Problem[]): OpenProject {
  const nothing = { environment: undefined, lint: {}, connection: undefined, files: [] };
  return { ...nothing, ...variablesOf(undefined, io), folder, problems };
}

function choose({ environments }: Project, wanted: string | undefined): Environment | undefined {
  const names = [...environments.keys()];
  if (wanted === undefined) return names.length === 1 ? environments.get(names[0] ?? '') : undefined;
  const found = environments.get(wanted);
  if (found === undefined) {
    throw new UsageError(
      `${FILE} has no environment ${wanted}; it has ${names.length === 0 ? 'none' : names.join(', ')}`,
    );
  }
  return found;
}
