import { makeMasker, type Masker } from '../../plan/secrets/masker.ts';
import { EMPTY_PROJECT, fillGateway, type Environment, type Project } from '../../schema/project/project.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../system-error.ts';
import { findProject, PROJECT_FILE, pathFrom } from './find-project.ts';
import { isSeveral } from './select-environments.ts';
import { KnownKinds } from './known-kinds.ts';
import { MemoryBudget } from './memory-budget.ts';
import { Secrets } from './secrets.ts';
import { credentials, makeVariables, readSourceRule, readVariableRule, secretValues } from './variables.ts';
import type { Access, LocatedProject, NamedGateway, Workspace } from './workspace.ts';

export type WorkspaceOptions = {
  /** The name of the environment. Default: the only one that there is. */
  readonly environment?: string | undefined;
  /** Where to look for gwconf.yaml, from there upwards. Default: here. */
  readonly folder?: string;
  /** Whether `${exec:NAME}` may run the program that gwconf.yaml gives this name. Default: no. */
  readonly allowExec?: boolean;
  /** Where the paths of `${file:PATH}` begin. Default: the folder of the project. */
  readonly secretRoot?: string | undefined;
  /** Environment variables whose values can be shown, in addition to GWCONF_PUBLIC_VARIABLES. Default: none. */
  readonly publicVariables?: readonly string[] | undefined;
  /** Gets every secret that the workspace meets. Default: one of its own. */
  readonly masker?: Masker;
};

/** Finds gwconf.yaml and opens one environment. Throws a RequestError for an environment that is not there. */
export async function openWorkspace(host: Host, options: WorkspaceOptions = {}): Promise<Workspace> {
  const { environment: wanted, allowExec = false, publicVariables = [], masker = makeMasker() } = options;
  const catalog = new KnownKinds();
  const { folder, root, project, problems } = await findProject(host, catalog, options.folder);
  if (wanted !== undefined && folder === undefined && problems.length === 0)
    throw new RequestError(`no ${PROJECT_FILE} here or above describes the environment ${wanted}`);
  const environment = project && chooseEnvironment(project, wanted);
  const said = project ?? EMPTY_PROJECT;
  const located = { ...said, folder, root, filesByEnvironment: listFiles(said, folder ?? '.') };
  const opening: Opening = {
    project: located,
    access: {
      publicVariables,
      allowExec,
      allowedSources: readSourceRule(host.env),
      secretRoot: options.secretRoot ?? folder ?? '.',
    },
    masker,
    memory: new MemoryBudget(host),
    catalog,
  };
  return { ...openEnvironment(host, opening, environment), problems };
}

/**
 * Opens each environment that has files, one after the other: what was read for one is released before the next. The problems of
 * gwconf.yaml are not repeated.
 */
export function* openEach(
  host: Host,
  workspace: Workspace,
): Generator<readonly [name: string, workspace: Workspace]> {
  let { memory } = workspace;
  for (const [name, environment] of workspace.project.environments) {
    const one = openEnvironment(host, { ...openingOf(workspace), memory }, environment);
    if (one.files.length > 0) yield [name, one];
    memory = memory.next();
  }
}

/**
 * Opens another environment beside this one, with variables, secrets and a gateway of its own. The problems of gwconf.yaml are not
 * repeated. Throws a RequestError for one that is not there.
 */
export function openBeside(host: Host, workspace: Workspace, name: string): Workspace {
  return openEnvironment(host, openingOf(workspace), environmentOf(workspace.project, name));
}

/**
 * Opens one of several environments that are worked on side by side: what it learns of secrets and of its gateway stays its own, and
 * it has a budget of its own. Throws a RequestError for one that is not there.
 */
export function openApart(host: Host, workspace: Workspace, name: string, masker: Masker): Workspace {
  const opening = openingOf(workspace);
  const own = { ...opening, masker, catalog: opening.catalog.fork(), memory: new MemoryBudget(host) };
  return openEnvironment(host, own, environmentOf(workspace.project, name));
}

/** What environments are opened with: only the masker and the budget are shared between them. */
type Opening = Pick<Workspace, 'project' | 'memory' | 'catalog'> & {
  readonly access: Omit<Access, 'variables'>;
  readonly masker: Masker;
};

function openingOf({ project, access, secrets, memory, catalog }: Workspace): Opening {
  return { project, access, masker: secrets.masker, memory, catalog };
}

/** One environment, or the project without one. */
function openEnvironment(
  host: Host,
  { project, access, masker, memory, catalog }: Opening,
  environment: Environment | undefined,
): Workspace {
  const rule = readVariableRule(host.env, environment, access.publicVariables);
  const secrets = new Secrets(masker, catalog);
  for (const value of secretValues(host, rule)) secrets.note(value);
  for (const value of credentials(host)) masker.learn(value);
  const variables = makeVariables(host, environment, rule, secrets.note);
  return {
    project,
    environment,
    files: project.filesByEnvironment.get(environment?.name ?? '') ?? [],
    gateway: gatewayOf(environment, project, variables),
    variables,
    catalog,
    access: { ...access, variables: rule },
    secrets,
    memory,
    problems: [],
  };
}

function gatewayOf(
  environment: Environment | undefined,
  { folder, root }: LocatedProject,
  variables: Variables,
): NamedGateway | undefined {
  if (environment?.gateway === undefined || folder === undefined) return undefined;
  const { value: settings, secret, problems: unfilled } = fillGateway(environment, variables);
  return { settings, folder, root, secret, unfilled };
}

/** The layers of all environments, as paths from here. */
function listFiles({ environments }: Project, folder: string): LocatedProject['filesByEnvironment'] {
  return new Map(
    [...environments].map(([name, { files = [] }]) => [name, files.map((file) => pathFrom(folder, file))]),
  );
}

function chooseEnvironment(project: Project, wanted: string | undefined): Environment | undefined {
  if (wanted !== undefined) return environmentOf(project, wanted);
  const [only, another] = [...project.environments.values()];
  return another === undefined ? only : undefined;
}

function environmentOf({ environments }: Project, name: string): Environment {
  const found = environments.get(name);
  if (found !== undefined) return found;
  const names = [...environments.keys()];
  const several = isSeveral(name) ? 'one environment is needed here: ' : '';
  throw new RequestError(
    `${several}${PROJECT_FILE} has no environment ${name}; it has ${names.length === 0 ? 'none' : names.join(', ')}`,
  );
}
