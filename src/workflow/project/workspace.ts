import type { Pointer } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Declaration, Template } from '../../model/state.ts';
import type { Masker } from '../../plan/secrets/masker.ts';
import { secretTexts } from '../../plan/secrets/hide-secrets.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Environment, GatewaySettings, Project } from '../../schema/project/project.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import { isCi } from '../ci.ts';
import type { Host } from '../host.ts';
import type { MemoryBudget } from './memory.ts';
import type { VariableRule } from './variables.ts';

/** One look at the files of a project, in one environment. Without a gwconf.yaml most of it is missing. */
export type Workspace = {
  /** The folder of gwconf.yaml. */
  readonly folder: string | undefined;
  /** The folder that the project may name files in: the git work tree, or that of gwconf.yaml if there is none. */
  readonly root: string;
  readonly environment: Environment | undefined;
  readonly lint: Project['lint'];
  readonly differs: Project['differs'];
  readonly policies: Project['policies'];
  readonly connection: ProjectConnection | undefined;
  /** The layers of the environment, as paths from here. */
  readonly files: readonly string[];
  /** The layers of all environments, by name. */
  readonly filesByEnvironment: ReadonlyMap<string, readonly string[]>;
  /**
   * Opens each environment that has files, one after the other: what was read for one is released before the next. The problems
   * of gwconf.yaml are not repeated.
   */
  readonly openEach: () => Iterable<readonly [name: string, workspace: Workspace]>;
  /**
   * Opens another environment beside this one, with variables, secrets and a connection of its own. The problems of gwconf.yaml
   * are not repeated. Throws a RequestError for one that is not there.
   */
  readonly openBeside: (name: string) => Workspace;
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

/** Whether anything has to obey policies. */
export function hasPolicies({ policies }: Pick<Workspace, 'policies'>): boolean {
  return Object.values(policies).some(({ length }) => length > 0);
}

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

/** Notes the secrets in resources, and what variables fill in. */
export function noteSecrets(
  { masker, filled }: Pick<Workspace, 'masker' | 'filled'>,
  declared: readonly Pick<Declaration, 'address' | 'resource' | 'templates'>[],
): void {
  masker.learn(() => secretTexts(declared, catalog.kinds));
  for (const { address, templates = filled.get(address) ?? new Map() } of declared)
    filled.set(address, templates);
}

/** The project for use cases that write nothing: a variable that is not set leaves its value open. */
export function leaveVariablesOpen(workspace: Workspace): Workspace {
  const { variables } = workspace;
  const missing = variables.missing === 'withheld' ? 'withheld' : 'open';
  return { ...workspace, variables: { ...variables, missing } };
}

/**
 * The project for a comparison with a snapshot. A pull request may have written it, with guesses of secrets in it, so in CI hidden
 * values stay open although the job has them.
 */
export function leaveSecretsOpen({ env }: Pick<Host, 'env'>, workspace: Workspace): Workspace {
  return { ...workspace, variables: { ...workspace.variables, missing: isCi(env) ? 'withheld' : 'open' } };
}
