import { join } from 'node:path';
import {
  parseProject,
  PROBLEM_CODES,
  unfilledIn,
  type Environment,
  type Problem,
  type Project,
  type Variables,
} from '../index.ts';
import { UsageError, type Io } from './io.ts';
import type { FromProject } from './settings.ts';

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
  /** `${ENV}` and `${var.NAME}`. */
  readonly variables: Variables;
  readonly problems: readonly Problem[];
};

const FILE = 'gwconf.yaml';

/**
 * Finds gwconf.yaml upwards from here and chooses the environment: the one that --env names, or the only one. Throws
 * a UsageError for an environment that is not there.
 */
export async function openProject(args: ProjectArgs, io: Io): Promise<OpenProject> {
  const wanted = args.env ?? io.env('GWCONF_ENV');
  const folder = io.findUpwards(FILE);
  if (folder === undefined) {
    if (wanted !== undefined)
      throw new UsageError(`there is no ${FILE} here or above that could describe --env ${wanted}`);
    return {
      folder,
      environment: undefined,
      lint: {},
      connection: undefined,
      files: [],
      variables: io.env,
      problems: [],
    };
  }
  const path = join(folder, FILE);
  const file = { path, text: await io.readFile(path), named: true };
  const { value: project, problems } = parseProject(file, io.env, Object.keys(PROBLEM_CODES));
  if (project === undefined) {
    return {
      folder,
      environment: undefined,
      lint: {},
      connection: undefined,
      files: [],
      variables: io.env,
      problems,
    };
  }
  const environment = choose(project, wanted);
  const unfilled = environment === undefined ? [] : unfilledIn(file, environment.name, io.env);
  const values = environment?.variables ?? {};
  return {
    folder,
    environment,
    lint: project.lint,
    connection: environment?.gateway === undefined ? undefined : { gateway: environment.gateway, folder },
    files: (environment?.files ?? []).map((name) => join(folder, name)),
    variables: (name) =>
      name.startsWith('var.')
        ? Object.hasOwn(values, name.slice(4))
          ? values[name.slice(4)]
          : undefined
        : io.env(name),
    // What only a connection needs is missed when somebody connects.
    problems: [...problems, ...unfilled.filter((problem) => problem.path?.includes('/gateway/') !== true)],
  };
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
