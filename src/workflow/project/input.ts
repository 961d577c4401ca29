import { join, normalize } from 'node:path';
import { present } from '../../model/collect.ts';
import type { Context } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { POLICY_FILE_ENDING } from '../../model/policy.ts';
import {
  makeProblem,
  hasErrors,
  type Checked,
  type Place,
  type Problem,
  type SourceFile,
  applyLint,
} from '../../model/problem.ts';
import type { LocatedText } from '../../model/test-case.ts';
import { load, sourcesIn, type Loaded } from '../../schema/load/load.ts';
import { type Variables, NO_VARIABLES } from '../../schema/yaml/interpolate.ts';
import { fileOf } from '../../schema/yaml/places.ts';
import type { Host, SourceOptions } from '../host.ts';
import { RequestError } from '../system-error.ts';
import { isInside, PROJECT_FILE } from './find-project.ts';
import { MemoryBudget } from './memory-budget.ts';
import { readPublished, resolveSources } from './sources.ts';
import { leaveVariablesOpen, type Workspace, type LocatedProject } from './workspace.ts';
import { hasEnding } from '../../model/text/file-ending.ts';

export type InputOptions = {
  /** Files, folders, or `-` for stdin. Default: the files of the environment. */
  readonly paths?: readonly string[];
  /** What a file of the project names in place of the files of the environment. */
  readonly files?: readonly LocatedText[] | undefined;
  /** Whether it is fine that nothing is declared. */
  readonly allowEmpty?: boolean | undefined;
  /** Whether documents of other tools in folders are errors. */
  readonly strict?: boolean | undefined;
  /** Whether files and folders that do not exist are read as empty: all, or these. */
  readonly allowMissing?: boolean | ((path: string) => boolean) | undefined;
  /** Whether what no file declares is to be deleted. */
  readonly prune?: boolean | undefined;
};

const NOTHING = { value: new Map(), declared: new Map(), removals: [], declaring: new Set<SourceFile>() };

/** What files declare, those files, and the variables that they were filled in with. */
export type Input = Loaded & {
  /** The paths that were read, which are the layers. */
  readonly paths: readonly string[];
  readonly files: readonly SourceFile[];
  readonly variables: Variables;
};

/**
 * Reads what files declare. With `readSources`, `${file:…}` is read and `${exec:…}` is run; without, they stay open, but for files
 * that git has.
 * A part of it in a sparse checkout is an error, and a warning with `mayBePart`, where nothing is said of what is not there.
 * Throws a RequestError when there is nothing to read.
 */
export async function loadInput(
  host: Host,
  workspace: Workspace,
  options: InputOptions = {},
  { readSources = false, mayBePart = false } = {},
): Promise<Input> {
  const { paths: named = [], files: own, allowEmpty, strict, allowMissing = false, prune } = options;
  const paths = named.length > 0 ? named : (own?.map(({ text }) => text) ?? workspace.files);
  const places = own?.map(({ at }) => at) ?? workspace.environment?.filePlaces;
  const about = { paths, variables: workspace.variables };
  if (paths.length === 0) {
    if (!hasErrors(workspace.problems)) throw nothingToRead(workspace);
    return { ...NOTHING, ...about, files: [], problems: workspace.problems };
  }
  const notThere = await findNotCheckedOut(host, workspace, paths, { prune });
  if (notThere !== undefined && !mayBePart)
    return { ...NOTHING, ...about, files: [], problems: [...workspace.problems, notThere] };
  const mayLack = typeof allowMissing === 'function' ? allowMissing : () => allowMissing;
  const wanted = paths.filter((path) => !mayLack(path) || host.exists(path));
  const placeOf = (path: string): Place | undefined =>
    named.length > 0 ? undefined : places?.[paths.indexOf(path)];
  const { value: files, problems } = await readFiles(host, workspace, wanted, {
    isConfined: named.length === 0,
    places: wanted.map(placeOf),
  });
  const unread =
    notThere === undefined ? problems : [...problems, { ...notThere, severity: 'warning' as const }];
  if (workspace.memory.findExcess() !== undefined)
    return { ...NOTHING, ...about, files: [], problems: [...workspace.problems, ...unread] };
  const variables = await variablesFor(host, workspace, files, readSources);
  let loaded = loadFiles(workspace, { paths, files, variables }, unread);
  // Only a file that names a kind that nobody knows makes a request for the description.
  if (loaded.problems.some(isOfNobody) && (await workspace.catalog.ask()))
    loaded = loadFiles(workspace, { paths, files, variables }, unread);
  const input = strict === true ? { ...loaded, problems: loaded.problems.map(asStrict) } : loaded;
  host.log.info({ files: files.length, resources: input.declared.size }, 'loaded');
  if (allowEmpty === true || hasErrors(input.problems)) return input;
  const empty = findEmpty(input);
  const isBare = input.declared.size === 0 && (input.removals.length === 0 || prune === true);
  // A layer of gwconf.yaml can be empty for now, but for a prune; a path that somebody names may be a mistake.
  const isMeant = named.length === 0 && prune !== true;
  const faults = empty.length > 0 && !isMeant ? empty : isBare ? [paths.join(', ')] : [];
  const all = input.declared.size === 0;
  return { ...input, problems: [...input.problems, ...faults.map((path) => emptyInput(path, all, prune))] };
}

/** What files are filled in with. */
export async function variablesFor(
  host: Host,
  workspace: Workspace,
  files: readonly SourceFile[],
  readSources = false,
): Promise<Variables> {
  const names = sourcesIn(files, workspace.catalog);
  return readSources && workspace.variables.missing !== 'withheld'
    ? (await resolveSources(host, workspace, names)).value
    : readPublished(host, workspace, names);
}

/** Git is asked only where the checkout may be a part: in a worktree that is not seen from outside. A prune deletes what is not there. */
export async function findNotCheckedOut(
  host: Host,
  { project }: Pick<Workspace, 'project'>,
  paths: readonly string[],
  { ending, prune = false }: { readonly ending?: string; readonly prune?: boolean | undefined },
): Promise<Problem | undefined> {
  const git = join(project.root, '.git');
  const isPart =
    prune ||
    host.exists(join(git, 'info', 'sparse-checkout')) ||
    host.exists(join(project.root, '.gitmodules'));
  if (!isPart && (!host.exists(git) || host.exists(join(git, 'HEAD')))) return undefined;
  const { findNotCheckedOut: find } = await import('./sparse-checkout.ts');
  return find(host, project.root, paths, ending);
}

async function readFiles(
  host: Host,
  workspace: Workspace,
  paths: readonly string[],
  options: Pick<SourceOptions, 'isConfined' | 'places'>,
): Promise<Checked<readonly SourceFile[]>> {
  const { memory, environment, project } = workspace;
  const { value: read, problems } = await host.readSources(paths, {
    ...options,
    root: project.root,
    checkSize: memory.checkFiles(`files of ${environment?.name ?? ''}`),
  });
  const value = read.filter(({ path, named }) => named === true || !isProjectFile(path, workspace));
  return { value, problems };
}

/** The files of an environment, as text. */
export function readFilesOf(host: Host, workspace: Workspace): Promise<Checked<readonly SourceFile[]>> {
  return readFiles(host, workspace, workspace.files, { isConfined: true });
}

/**
 * What some files of an environment declare, and what is wrong with them whatever the others say; of these, only the overlays are
 * loaded, which may mend it.
 */
export async function loadFirst(
  host: Host,
  workspace: Workspace,
  isFirst: (file: SourceFile) => boolean,
): Promise<Input> {
  const open = leaveVariablesOpen(workspace);
  const { value: all } = await readFilesOf(host, workspace);
  const files = all.filter((file) => isFirst(file) || MAY_OVERLAY.test(file.text));
  const paths = open.files;
  const variables = await variablesFor(host, open, files);
  const input = loadAlone(workspace, { paths, files, variables });
  const problems = input.problems.filter(({ at }) => at === undefined || isFirst(fileOf(at)));
  return { ...input, files: all, problems };
}

/** What these files declare, and what is wrong with them whatever others say. */
export function loadAlone(workspace: Workspace, given: Pick<Input, 'paths' | 'files' | 'variables'>): Input {
  const input = loadFiles(workspace, given);
  return { ...input, problems: input.problems.filter(({ code }) => !BETWEEN.has(code)) };
}

/** The key may be written with escapes. */
const MAY_OVERLAY = /overlay|\\[uUx]/;

/** What loading says of a document because of others. */
const BETWEEN: ReadonlySet<Problem['code']> = new Set([
  'unreachable-overlay',
  'undeclared-group',
  'foreign-document',
]);

/**
 * Learns which fields of the environment's files variables fill in, for commands that show live objects and read no files. What
 * is wrong with the files is no matter here.
 */
export async function learnDeclared(host: Host, workspace: Workspace): Promise<void> {
  const open = leaveVariablesOpen(workspace);
  const { files: paths, project } = open;
  const memory = new MemoryBudget(host);
  const { value: files } = await host.readSources(paths.filter(host.exists), {
    root: project.root,
    isConfined: true,
    checkSize: memory.checkFiles(),
  });
  // Also what git has: what is live may be what a job had in such a file.
  if (files.some(({ text }) => text.includes('${')))
    loadFiles(workspace, { paths, files, variables: open.variables });
}

/** What these files declare; `unread` are problems of files that could not be read. */
export function loadFiles(
  workspace: Workspace,
  { paths, files, variables }: Pick<Input, 'paths' | 'files' | 'variables'>,
  unread: readonly Problem[] = [],
): Input {
  const loaded = load(files, workspace.catalog, variables, contextOf(workspace));
  workspace.secrets.noteDeclared([...loaded.declared.values()]);
  const unlisted = findUnlistedPolicies(files, workspace.project);
  const problems = applyLint(
    [...workspace.problems, ...unread, ...unlisted, ...loaded.problems],
    workspace.project.lint,
  );
  return { ...loaded, paths, files, variables, problems };
}

/** Whether it is a kind that nobody knows, and not the version of one. */
function isOfNobody({ code, at }: Problem): boolean {
  return code === 'unknown-kind' && at !== undefined && 'path' in at && at.path === '/kind';
}

function asStrict(problem: Problem): Problem {
  return problem.code === 'foreign-document' ? { ...problem, severity: 'error' } : problem;
}

/** It is read as a project, with problems of its own. */
function isProjectFile(path: string, { project: { folder } }: Workspace): boolean {
  return folder !== undefined && normalize(path) === join(folder, PROJECT_FILE);
}

/** The paths that give nothing: a plan rejects them, because a file may be missing. */
export function findEmpty({ paths, declaring }: Pick<Input, 'paths' | 'declaring'>): readonly string[] {
  return paths.filter((path, layer) => !declares(path, layer, declaring));
}

/** Whether a path gave anything; a file that two paths name counts for the first. */
function declares(path: string, layer: number, declaring: Loaded['declaring']): boolean {
  return [...declaring].some((file) => (file.layer ?? 0) === layer || isInside(file.path, path));
}

/** What the environment says of its gateway. */
export function contextOf({ environment }: Workspace): Context {
  const { version, security } = environment ?? {};
  return present({ version, security });
}

function nothingToRead({ project: { folder, filesByEnvironment }, environment }: Workspace): RequestError {
  if (environment === undefined && filesByEnvironment.size > 0)
    return new RequestError(
      `choose an environment of ${PROJECT_FILE} with --env: ${[...filesByEnvironment.keys()].join(', ')}`,
    );
  const why =
    folder === undefined
      ? ''
      : environment === undefined
        ? `: ${PROJECT_FILE} has no environments`
        : `: ${environment.name} has no files in ${PROJECT_FILE}`;
  return new RequestError(`nothing to read${why}`, { code: 'no-input' });
}

/** `all`: nothing is declared anywhere. */
function emptyInput(paths: string, all: boolean, prune: boolean | undefined): Problem {
  const message = `no resource is declared in ${paths === '.' ? 'this folder' : paths}`;
  const start =
    paths === '.' ? 'gwconf init makes a project, and gwconf template a resource' : 'check the path';
  const hint = `${start}; if nothing is to be declared, add --allow-empty`;
  return prune === true
    ? makeProblem({
        code: 'empty-prune',
        message: `${message}, so prune would delete ${all ? 'everything' : 'what it declared before'}`,
        hint,
      })
    : makeProblem({ code: 'no-resources', message, hint });
}

/** The date in UTC, as ISO 8601. */
export function todayOf({ now }: Host): string {
  return now().toISOString().slice(0, 10);
}

/** The files in a folder that have resources, also invalid ones. */
export async function findResources(
  host: Host,
  catalog: Catalog,
  folder: string,
): Promise<readonly string[]> {
  if (!host.exists(folder)) return [];
  const checkSize = new MemoryBudget(host).checkFiles();
  const { value } = await host.readSources([folder], { checkSize });
  const { declaring } = load(value, catalog, NO_VARIABLES);
  return [...declaring].map(({ path }) => path);
}

/** Policy files among those of resources that the project does not list: they would be without effect. */
function findUnlistedPolicies(
  files: readonly SourceFile[],
  { folder = '.', policies }: LocatedProject,
): readonly Problem[] {
  const listed = policies.files.map(({ path }) => join(folder, path));
  return files
    .filter(({ path }) => hasEnding(path, POLICY_FILE_ENDING) && !listed.some((one) => isInside(path, one)))
    .map((file) =>
      makeProblem({
        code: 'unlisted-policy',
        message: `${file.path} is without effect: policies.files of gwconf.yaml does not list it`,
        at: { file, offset: 0 },
        hint: 'list it or its folder there, or remove it',
      }),
    );
}
