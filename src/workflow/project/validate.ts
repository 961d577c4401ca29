import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, type Problem, type SourceFile, applyLint } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { isSecretPlace } from '../../model/secrets/secrets.ts';
import { placeOf, type Declaration } from '../../model/state.ts';
import { checkWorld } from '../../plan/checks/world-checks.ts';
import { mergeProblems } from '../../outcome/problem-record.ts';
import type { Told } from '../../outcome/outcome.ts';
import { makeValidateReport, type ValidateReport } from '../../outcome/files.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { isSource } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import { obeyPolicies } from './obey-policies.ts';
import { loadFiles, loadInput, todayOf, variablesFor, type Input, type InputOptions } from './input.ts';
import { openEach } from './open-workspace.ts';
import { readTopics } from './topics-file.ts';
import { checkClaims, checkSameGateway, type Claims } from './same-gateway.ts';
import { leaveVariablesOpen, type Workspace } from './workspace.ts';

/** How many resources there are, what is wrong with them, and what that comes to. */
export type Validated = Omit<CheckedInput, 'workspace' | 'input'> & { readonly outcome: ValidateReport };
type CheckedInput = {
  readonly workspace: Workspace;
  readonly input: Input;
  readonly resources: number;
  readonly problems: readonly Problem[];
};

type ValidateOptions = InputOptions & {
  /** A file with a topic on each line, or `-`, in place of that of the project. */
  readonly topics?: string | undefined;
  /** The least severity that makes the input invalid. Default: error. */
  readonly failOn?: 'error' | 'warning' | undefined;
};

/**
 * Finds every mistake that can be found without a gateway. No variable needs a value. Environments with the same gateway must not
 * contradict each other. Throws a RequestError when there is nothing to read.
 */
export async function validateProject(
  host: Host,
  workspace: Workspace,
  { topics, failOn, ...options }: ValidateOptions = {},
): Promise<Validated> {
  const known = await readNamed(host, workspace, topics);
  return describe(await checkBeside(host, workspace, { ...options, known }), failOn);
}

/** The same for one of several environments: `before` is what those before it declare. */
async function checkBeside(
  host: Host,
  workspace: Workspace,
  { before, known, onLoaded, ...options }: InputOptions & { readonly before?: Claims } & EachOptions,
): Promise<CheckedInput> {
  const input = await loadInput(host, leaveVariablesOpen(workspace), options, { mayBePart: true });
  await onLoaded?.(workspace, input);
  const found = await checkInput(host, workspace, input, known);
  const isOwn = options.paths === undefined || options.paths.length === 0;
  const contradictions = !isOwn
    ? []
    : before === undefined
      ? await checkSameGateway(host, workspace, input)
      : checkClaims(workspace, input, before);
  return { ...found, problems: [...found.problems, ...contradictions] };
}

/**
 * The same for the given texts and nothing else: an editor adds the files that it has not opened to those that it has. A text that
 * is `named` is read as resources, whatever is in it.
 */
export async function validateDocuments(
  host: Host,
  workspace: Workspace,
  files: readonly SourceFile[],
): Promise<Validated> {
  return describe(await checkDocuments(host, workspace, files));
}

/** What these texts declare, and what is wrong with them. */
async function checkDocuments(
  host: Host,
  workspace: Workspace,
  files: readonly SourceFile[],
): Promise<CheckedInput> {
  const open = leaveVariablesOpen(workspace);
  const paths = files.map(({ path }) => path);
  return checkInput(
    host,
    workspace,
    loadFiles(open, { paths, files, variables: await variablesFor(host, open, files) }),
  );
}

function describe({ resources, problems }: CheckedInput, failOn?: 'error' | 'warning'): Validated {
  const outcome = makeValidateReport(resources, locateProblems(problems), failOn);
  return { resources, problems, outcome };
}

/** The same for every environment that has files; undefined if none has. */
export async function validateEnvironments(
  host: Host,
  workspace: Workspace,
  { failOn, topics, ...options }: ValidateOptions = {},
): Promise<Told<ValidateReport> | undefined> {
  const found = new Map<string, Pick<CheckedInput, 'resources' | 'problems'>>();
  const known = await readNamed(host, workspace, topics); // once, for stdin
  for await (const [name, { resources, problems }] of checkEach(host, workspace, { ...options, known }))
    found.set(name, { resources, problems });
  if (found.size === 0) return undefined;
  const merged = mergeProblems(
    new Map(Array.from(found, ([name, { problems }]) => [name, locateProblems(problems)])),
  );
  const problems = [...locateProblems(applyLint(workspace.problems, workspace.project.lint)), ...merged];
  const resources = [...found.values()].reduce((sum, one) => sum + one.resources, 0);
  return { outcome: makeValidateReport(resources, problems, failOn, [...found.keys()]), problems };
}

/** What each environment that has files declares, and what is wrong with it. */
export async function* checkEach(
  host: Host,
  workspace: Workspace,
  options: InputOptions & EachOptions,
): AsyncGenerator<readonly [name: string, found: CheckedInput]> {
  const before: Claims = new Map();
  for (const [name, one] of openEach(host, workspace))
    yield [name, await checkBeside(host, one, { ...options, before })];
}

type EachOptions = {
  /** Told what an environment declares before it is compared with the rest: what is wrong with each document is known by then. */
  readonly onLoaded?: ((workspace: Workspace, input: Input) => Promise<void>) | undefined;
  readonly known?: KnownTopics | undefined;
};

type KnownTopics = Awaited<ReturnType<typeof readTopics>>;

/** The topics of a file that a user names, for each environment; undefined where each has its own. */
async function readNamed(
  host: Host,
  workspace: Workspace,
  path: string | undefined,
): Promise<KnownTopics | undefined> {
  return path === undefined ? undefined : readTopics(host, workspace, path);
}

async function checkInput(
  host: Host,
  workspace: Workspace,
  input: Input,
  known?: KnownTopics,
): Promise<CheckedInput> {
  const { value: desired, declared, removals, problems } = input;
  const {
    project: { lint },
    environment: rules = {},
  } = workspace;
  const { value: topics, problems: unread } = known ?? (await readTopics(host, workspace, undefined));
  const found = checkWorld({
    topics,
    desired,
    declared,
    removals,
    rules,
    kinds: workspace.catalog.kinds,
    today: todayOf(host),
  });
  const policies = await obeyPolicies(host, workspace, { desired });
  return {
    ...{ workspace, input },
    resources: declared.size,
    problems: [
      ...problems,
      ...unread,
      ...applyLint([...unchecked(workspace.catalog, declared), ...found], lint),
      ...policies,
    ],
  };
}

/** Variables without a value, each where it is used first. Of secrets there is nothing to check. */
function unchecked({ kinds }: Catalog, declared: ReadonlyMap<Address, Declaration>): readonly Problem[] {
  const problems = new Map<string, Problem>();
  for (const declaration of declared.values()) {
    const { address, resource, templates = [] } = declaration;
    const kind = kinds.get(kindOf(address));
    for (const [path, { open = [] }] of templates) {
      const names = open.filter((one) => !isSource(one) && !problems.has(one));
      if (names.length === 0 || (kind !== undefined && isSecretPlace(kind, resource, path))) continue;
      for (const name of names)
        problems.set(
          name,
          makeProblem({
            code: 'cannot-tell',
            message: `${name} is not set, or not allowed here, so the values that it fills in are not checked`,
            at: placeOf(declaration, path),
            path,
            hint: `set ${name} to check them`,
          }),
        );
    }
  }
  return [...problems.values()];
}
