import { makeMasker, type Masker } from '../../plan/secrets/masker.ts';
import { EMPTY_PROJECT, fillGateway, type Environment, type Project } from '../../schema/project/project.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../request-error.ts';
import { findProject, PROJECT_FILE, type FoundProject } from './find-project.ts';
import { MemoryBudget } from './memory.ts';
import { pathFrom } from './path-from.ts';
import type { Workspace, ProjectConnection } from './workspace.ts';
import { makeVariables, readVariableRule, secretValues } from './variables.ts';

/** How a project is opened. */
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
  /** Gets every secret that the project meets. Default: one of its own. */
  readonly masker?: Masker;
};

/** Finds gwconf.yaml and opens one environment. Throws a RequestError for an environment that is not there. */
export async function openWorkspace(host: Host, options: WorkspaceOptions = {}): Promise<Workspace> {
  const { environment: wanted, masker = makeMasker() } = options;
  const found = await findProject(host, options.folder);
  const { folder, project, problems } = found;
  if (wanted !== undefined && folder === undefined && problems.length === 0)
    throw new RequestError(`no ${PROJECT_FILE} here or above describes the environment ${wanted}`);
  const environment = project && chooseEnvironment(project, wanted);
  const filesByEnvironment = listFiles(project ?? EMPTY_PROJECT, folder ?? '.');
  const opening = { host, options, masker, found, filesByEnvironment };
  return { ...openEnvironment(opening, environment, new MemoryBudget(host)), problems };
}

/** What all environments of a project are opened with. */
type Opening = {
  readonly host: Host;
  readonly options: WorkspaceOptions;
  readonly masker: Masker;
  readonly found: FoundProject;
  readonly filesByEnvironment: Workspace['filesByEnvironment'];
};

/** One environment, or the project without one. Only the masker and the budget are shared with others. */
function openEnvironment(
  opening: Opening,
  environment: Environment | undefined,
  memory: MemoryBudget,
): Workspace {
  const { options, masker, found, filesByEnvironment } = opening;
  const { folder, root, project = EMPTY_PROJECT } = found;
  const own = openVariables(opening, environment);
  return {
    folder,
    root,
    environment,
    lint: project.lint,
    differs: project.differs,
    policies: project.policies,
    connection: openConnection(environment, found, own.variables),
    files: filesByEnvironment.get(environment?.name ?? '') ?? [],
    filesByEnvironment,
    openEach: () => openEach(opening, project, memory),
    openBeside: (name) => openEnvironment(opening, environmentOf(project, name), memory),
    ...own,
    filled: new Map(),
    masker,
    memory,
    allowExec: options.allowExec ?? false,
    secretRoot: options.secretRoot ?? folder ?? '.',
    problems: [],
  };
}

function* openEach(
  opening: Opening,
  { environments }: Project,
  memory: MemoryBudget,
): ReturnType<Workspace['openEach']> {
  let budget = memory;
  for (const [name, environment] of environments) {
    const one = openEnvironment(opening, environment, budget);
    if (one.files.length > 0) yield [name, one];
    budget = budget.next();
  }
}

function openVariables(
  { host, options, masker }: Opening,
  environment: Environment | undefined,
): Pick<Workspace, 'variables' | 'variableRule' | 'secrets' | 'note'> {
  const variableRule = readVariableRule(host.env, environment, options.publicVariables);
  const secrets = new Set<string>();
  const note = (secret: string): void => {
    if (!secrets.has(secret)) masker.learn(secret);
    secrets.add(secret);
  };
  for (const value of secretValues(host, variableRule)) note(value);
  return { variables: makeVariables(host, environment, variableRule, note), variableRule, secrets, note };
}

function openConnection(
  environment: Environment | undefined,
  { folder, root }: FoundProject,
  variables: Workspace['variables'],
): ProjectConnection | undefined {
  if (environment?.gateway === undefined || folder === undefined) return undefined;
  const { value: gateway, secret, problems: unfilled } = fillGateway(environment, variables);
  return { gateway, folder, root, secret, unfilled };
}

/** The layers of all environments, as paths from here. */
function listFiles({ environments }: Project, folder: string): Workspace['filesByEnvironment'] {
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
  throw new RequestError(
    `${PROJECT_FILE} has no environment ${name}; it has ${names.length === 0 ? 'none' : names.join(', ')}`,
  );
}
