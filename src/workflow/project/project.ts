import { join } from 'node:path';
import type { Pointer } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Declaration, Template } from '../../model/state.ts';
import { makeMasker, type Masker } from '../../plan/secrets/masker.ts';
import { secretTexts } from '../../plan/secrets/hide-secrets.ts';
import { catalog } from '../../schema/kinds/index.ts';
import {
  fillGateway,
  parseProject,
  type Environment,
  type GatewaySettings,
  type Project,
} from '../../schema/project/project.ts';
import { MISNAMED } from '../../schema/load/recognise.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import { isOurs } from '../../schema/yaml/ours.ts';
import { isCi } from '../ci.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../request-error.ts';
import { reasonOf } from '../system-error.ts';
import { MemoryBudget } from './memory.ts';
import { pathFrom } from './path-from.ts';
import { makeVariables, readVariableRule, secretValues, type VariableRule } from './variables.ts';

/** How a project is opened. */
export type ProjectOptions = {
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

/** One environment of a project, opened: what every use case is given. Without a gwconf.yaml most of it is missing. */
export type OpenProject = {
  /** The folder of gwconf.yaml. */
  readonly folder: string | undefined;
  /** The folder that the project may name files in: the git work tree, or that of gwconf.yaml if there is none. */
  readonly root: string;
  readonly environment: Environment | undefined;
  readonly lint: Project['lint'];
  readonly connection: ProjectConnection | undefined;
  /** The layers of the environment, as paths from here. */
  readonly files: readonly string[];
  /** The layers of all environments, by name. */
  readonly filesByEnvironment: ReadonlyMap<string, readonly string[]>;
  /** Opens each environment that has files, one after the other. The problems of gwconf.yaml are not repeated. */
  readonly openEach: () => Iterable<readonly [name: string, project: OpenProject]>;
  /** `${ENV}` and `${var.NAME}`; files and programs are not read yet. */
  readonly variables: Variables;
  /** Which environment variables files can use. */
  readonly variableRule: VariableRule;
  /** What variables fill in, in all resources that were declared so far. */
  readonly filled: Map<Address, ReadonlyMap<Pointer, Template>>;
  /** Values of variables, files and programs that may not be shown: all that were read, and those that files may have had before. */
  readonly secrets: ReadonlySet<string>;
  /** Adds to them. */
  readonly note: (secret: string) => void;
  /** Hides every secret that was met so far: in files, sources, connections and live resources. */
  readonly masker: Masker;
  /** Whether files and lists fit in memory. */
  readonly memory: MemoryBudget;
  readonly allowExec: boolean;
  readonly secretRoot: string;
  readonly problems: readonly Problem[];
};

/** What an environment says about its gateway, and where gwconf.yaml is. */
export type ProjectConnection = {
  readonly gateway: GatewaySettings;
  readonly folder: string;
  /** The folder that the files of the connection must lie in. */
  readonly root: string;
  /** Settings whose values must not be shown. */
  readonly secret: readonly string[];
  /** Why settings have no value: their variables are not set, not allowed or not public. */
  readonly unfilled: readonly Problem[];
};

export const PROJECT_FILE = 'gwconf.yaml';
/** A name that would be taken for it. */
const OTHER_NAME = 'gwconf.yml';

/** Finds gwconf.yaml and chooses the environment. Throws a RequestError for an environment that is not there. */
export async function openProject(host: Host, options: ProjectOptions = {}): Promise<OpenProject> {
  const folder = host.findUpwards(PROJECT_FILE, options.folder);
  const { environment: wanted, allowExec = false, masker = makeMasker() } = options;
  const memory = new MemoryBudget(host);
  const place = folder ?? host.findUpwards(OTHER_NAME, options.folder);
  const root = host.findUpwards('.git', place ?? options.folder) ?? place ?? '.';
  const filled = new Map<Address, ReadonlyMap<Pointer, Template>>();
  const secretRoot = options.secretRoot ?? folder ?? '.';
  const opened = { folder, root, masker, filled, memory, allowExec, secretRoot };
  const nothing = {
    environment: undefined,
    lint: {},
    connection: undefined,
    files: [],
    filesByEnvironment: new Map(),
    openEach: () => [],
  };
  const variablesFor = (environment: Environment | undefined): OpenVariables => {
    const variableRule = readVariableRule(host.env, environment, options.publicVariables);
    const secrets = new Set<string>();
    const note = (secret: string): void => {
      if (!secrets.has(secret)) masker.learn(secret);
      secrets.add(secret);
    };
    for (const value of secretValues(host, variableRule)) note(value);
    return { variables: makeVariables(host, environment, variableRule, note), variableRule, secrets, note };
  };
  const misnamed = await findMisnamed(host, root, place);
  if (misnamed !== undefined)
    return { ...nothing, ...opened, ...variablesFor(undefined), problems: [misnamed] };
  if (folder === undefined) {
    if (wanted !== undefined)
      throw new RequestError(`no ${PROJECT_FILE} here or above describes the environment ${wanted}`);
    return { ...nothing, ...opened, ...variablesFor(undefined), problems: [] };
  }
  const path = join(folder, PROJECT_FILE);
  const read = host.isOfAnother(path, options.folder) ? ofAnother(path) : await readProject(host, root, path);
  if ('problem' in read)
    return { ...nothing, ...opened, ...variablesFor(undefined), problems: [read.problem] };
  const file = { path, text: read.text, named: true };
  const { value: project, problems } = parseProject(file, catalog.kinds);
  if (project === undefined) return { ...nothing, ...opened, ...variablesFor(undefined), problems };
  const filesByEnvironment = new Map(
    [...project.environments].map(([name, { files = [] }]) => [
      name,
      files.map((file) => pathFrom(folder, file)),
    ]),
  );
  const open = (environment: Environment | undefined): Omit<OpenProject, 'openEach' | 'problems'> => {
    const own = variablesFor(environment);
    const settings = environment?.gateway === undefined ? undefined : fillGateway(environment, own.variables);
    return {
      ...opened,
      environment,
      lint: project.lint,
      connection: settings && {
        gateway: settings.value,
        folder,
        root,
        secret: settings.secret,
        unfilled: settings.problems,
      },
      files: filesByEnvironment.get(environment?.name ?? '') ?? [],
      filesByEnvironment,
      ...own,
    };
  };
  function* openEach(): ReturnType<OpenProject['openEach']> {
    let budget = memory;
    for (const [name, environment] of project?.environments ?? []) {
      const one = { ...open(environment), filled: new Map(), memory: budget, openEach, problems: [] };
      if (one.files.length > 0) yield [name, one];
      budget = budget.next();
    }
  }
  return { ...open(chooseEnvironment(project, wanted)), openEach, problems };
}

/** No project file is larger. */
const MOST_BYTES = 10_000_000;
type OpenVariables = Pick<OpenProject, 'variables' | 'variableRule' | 'secrets' | 'note'>;

async function readProject(
  host: Host,
  root: string,
  path: string,
): Promise<{ readonly text: string } | { readonly problem: Problem }> {
  try {
    return { text: await host.readWithin([root], path, MOST_BYTES) };
  } catch (error) {
    const message = `${path} cannot be read: ${reasonOf(error)}`;
    const hint = 'check what it is and its permissions';
    return { problem: { code: 'unreadable-file', severity: 'error', message, hint } };
  }
}

function ofAnother(path: string): { readonly problem: Problem } {
  return {
    problem: {
      code: 'unreadable-file',
      severity: 'error',
      message: `${path} is not used: it belongs to another user`,
      hint: `put a ${PROJECT_FILE} of your own here; or, if you trust its owner, name a folder of theirs with --chdir`,
    },
  };
}

/** The problem of a project file that would not be read. Other files of that name belong to other tools. */
async function findMisnamed(
  host: Host,
  root: string,
  folder: string | undefined,
): Promise<Problem | undefined> {
  const path = folder === undefined ? OTHER_NAME : join(folder, OTHER_NAME);
  if (folder === undefined || !host.exists(path)) return undefined;
  const read = await readProject(host, root, path);
  if ('problem' in read) return read.problem;
  const file = { path, text: read.text };
  if (!isOurs(file)) return undefined;
  return { severity: 'error', at: { file, offset: 0 }, ...MISNAMED };
}

/** Notes the secrets in resources, and what variables fill in. */
export function noteSecrets(
  { masker, filled }: Pick<OpenProject, 'masker' | 'filled'>,
  declared: readonly Pick<Declaration, 'address' | 'resource' | 'templates'>[],
): void {
  masker.learn(() => secretTexts(declared, catalog.kinds));
  for (const { address, templates = filled.get(address) ?? new Map() } of declared)
    filled.set(address, templates);
}

/** The project for use cases that write nothing: a variable that is not set leaves its value open. */
export function leaveVariablesOpen(project: OpenProject): OpenProject {
  const { variables } = project;
  const valueOf: Variables = (name) => variables(name);
  return { ...project, variables: Object.assign(valueOf, variables, { leavesOpen: true }) };
}

/**
 * The project for a comparison with a snapshot. A pull request may have written it, with guesses of secrets in it, so in CI hidden
 * values stay open although the job has them.
 */
export function leaveSecretsOpen({ env }: Pick<Host, 'env'>, project: OpenProject): OpenProject {
  const open = leaveVariablesOpen(project);
  const { variables } = open;
  const valueOf: Variables = (name) => variables(name);
  return { ...open, variables: Object.assign(valueOf, variables, { withholds: isCi(env) }) };
}

function chooseEnvironment({ environments }: Project, wanted: string | undefined): Environment | undefined {
  const names = [...environments.keys()];
  if (wanted === undefined) return names.length === 1 ? environments.get(names[0] ?? '') : undefined;
  const found = environments.get(wanted);
  if (found === undefined) {
    throw new RequestError(
      `${PROJECT_FILE} has no environment ${wanted}; it has ${names.length === 0 ? 'none' : names.join(', ')}`,
    );
  }
  return found;
}
