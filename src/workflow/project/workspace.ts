import type { Problem } from '../../model/problem.ts';
import type { Rules } from '../../model/rules.ts';
import type { PartOf } from '../../plan/saved/saved-plan.ts';
import { DEFAULT_LIMITS } from '../../plan/checks/limits.ts';
import type { Environment, GatewaySettings, Project } from '../../schema/project/project.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import { isCi } from '../ci.ts';
import type { Host } from '../host.ts';
import type { KnownKinds } from './known-kinds.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { Secrets } from './secrets.ts';
import type { VariableRule } from './variables.ts';

/**
 * One look at the files of a project, in one environment: what is learned in it goes with it. A program that looks again and again
 * opens one each time, and keeps the connection to the gateway.
 */
export type Workspace = {
  readonly project: LocatedProject;
  /** Undefined without a project file, and where several environments are there and none was chosen. */
  readonly environment: Environment | undefined;
  /** Where several environments are planned together: what their saved plans are part of. */
  readonly partOf?: PartOf;
  /** The layers of the environment, as paths from here. */
  readonly files: readonly string[];
  /** What the environment says about its gateway. */
  readonly gateway: NamedGateway | undefined;
  /** `${ENV}` and `${var.NAME}`; files and programs are not read yet. */
  readonly variables: Variables;
  /** The kinds that files and the gateway can have here. */
  readonly catalog: KnownKinds;
  readonly access: Access;
  readonly secrets: Secrets;
  /** Whether files and lists fit in memory. */
  readonly memory: MemoryBudget;
  /** Of gwconf.yaml; told once, where several environments are opened. */
  readonly problems: readonly Problem[];
};

/** What gwconf.yaml says, and where it is. Without one it says nothing. */
export type LocatedProject = Project & {
  /** The folder of gwconf.yaml. */
  readonly folder: string | undefined;
  /** The folder that the project may name files in: the git work tree, or that of gwconf.yaml if there is none. */
  readonly root: string;
  /** The layers of all environments by name, as paths from here. */
  readonly filesByEnvironment: ReadonlyMap<string, readonly string[]>;
};

/** What files can take from the machine. */
export type Access = {
  readonly variables: VariableRule;
  /** Environment variables whose values can be shown, whatever the environment says. */
  readonly publicVariables: readonly string[];
  /** Whether `${exec:NAME}` may run a program. */
  readonly allowExec: boolean;
  /** Globs for what `${vault:…}` and other stores may be asked for; undefined if all. */
  readonly allowedSources: readonly string[] | undefined;
  /** Where the paths of `${file:PATH}` begin. */
  readonly secretRoot: string;
};

/** What an environment says about its gateway, and where gwconf.yaml is. */
export type NamedGateway = {
  readonly settings: GatewaySettings;
  readonly folder: string;
  /** The folder that the files of the connection must lie in. */
  readonly root: string;
  /** Settings whose values must not be shown. */
  readonly secret: readonly string[];
  /** Why settings have no value: their variables are not set, not allowed or not public. */
  readonly unfilled: readonly Problem[];
};

/** Whether anything has to obey policies. */
export function hasPolicies({ policies }: Project): boolean {
  return Object.values(policies).some(({ length }) => length > 0);
}

/** The workspace for use cases that write nothing: a variable that is not set leaves its value open. */
export function leaveVariablesOpen(workspace: Workspace): Workspace {
  const { variables } = workspace;
  const missing = variables.missing === 'withheld' ? 'withheld' : 'open';
  return { ...workspace, variables: { ...variables, missing } };
}

/**
 * The workspace for answers to questions that a pull request may have written: a snapshot with guesses of secrets, tests that ask which
 * pattern a secret matches. In CI hidden values stay open although the job has them.
 */
export function leaveSecretsOpen({ env }: Pick<Host, 'env'>, workspace: Workspace): Workspace {
  return { ...workspace, variables: { ...workspace.variables, missing: isCi(env) ? 'withheld' : 'open' } };
}

/** What the environment says may be touched; `manages`, if given, wins over its own. */
export function rulesOf(
  { environment }: Pick<Workspace, 'environment'>,
  manages = environment?.manages,
): Rules {
  return {
    ...environment,
    ...(manages === undefined ? {} : { manages }),
    limits: { ...DEFAULT_LIMITS, ...environment?.limits },
  };
}
