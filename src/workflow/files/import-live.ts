import { declareLive } from '../../declare/declare-live.ts';
import type { DeclareOptions, IsTaken, SecretName, SecretVariable } from '../../declare/declared.ts';
import { addAll } from '../../model/collect.ts';
import { makeProblem, hasErrors, type Problem, type SourceFile, applyLint } from '../../model/problem.ts';
import type { LiveState } from '../../model/state.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import { makeMatcher, makeSelector } from '../../plan/change/select.ts';
import { checkFiles } from '../../plan/checks/world-checks.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import { planChanges } from '../../plan/make-plan.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import type { LiveSource } from '../live/live-source.ts';
import { readConsistently, gatewayProblem } from '../live/read-live.ts';
import { planInput, type Planned, type ScopeOptions } from '../plan/plan.ts';
import { findEmpty, loadFiles, loadInput, todayOf, type Input } from '../project/input.ts';
import { rulesOf, leaveVariablesOpen, type Workspace } from '../project/workspace.ts';
import { cureFor } from '../project/variables.ts';
import { isSystemError } from '../system-error.ts';
import { addDocuments, findPath } from './add-documents.ts';
import { adoptDrift, type Adoptions } from './adopt-drift.ts';
import { changeFiles, type FileChange } from './change-files.ts';
import { type Foreign, declareManaged, proposeFromCli } from './foreign.ts';
import { attempt, type SecretsFile, unwritable, writeFile, writeSecrets } from '../write-file.ts';
import { acceptLive, mayBeLive } from '../plan/accept-live.ts';

export type ImportOptions = Omit<ScopeOptions, 'prune'> & {
  /** Whether declared objects that differ get the values of the gateway. Default: what no file declares is added. */
  readonly drift?: boolean | undefined;
  /** With `drift`: whether the documents of objects that are gone are taken out. */
  readonly deleted?: boolean | undefined;
  /** The file for what is added. */
  readonly to?: string | undefined;
  /** What another tool manages, to be taken over in place of what is live and in no file. */
  readonly from?: Foreign | undefined;
  readonly secretNames?: readonly SecretName[] | undefined;
  /** The file for the values of secrets. */
  readonly secrets?: SecretsFile | undefined;
};

export type Imported = {
  /** What is to be written. */
  readonly changes: readonly FileChange[];
  /** The variables of secrets that the files then need. */
  readonly variables: readonly SecretVariable[];
  /** The plan with the files as they will be; undefined if nothing could be read. */
  readonly left: Planned | undefined;
  readonly problems: readonly Problem[];
};

/**
 * Works out how files take in what is live: objects that no file declares, or the values of those that differ. Writes nothing.
 * Throws a RequestError when there is nothing to read.
 */
export async function importLive(
  host: Host,
  opened: Workspace,
  source: LiveSource,
  options: ImportOptions = {},
): Promise<Imported> {
  const workspace = leaveVariablesOpen(opened);
  // What no file declares may be of any kind.
  if (options.drift !== true) await workspace.catalog.ask();
  // The folder that gwconf.yaml names may be one that this import makes.
  const allowMissing = (options.paths ?? []).length === 0;
  const input = await loadInput(
    host,
    workspace,
    { ...options, allowEmpty: true, allowMissing },
    { readSources: true },
  );
  const rules = rulesOf(workspace, options.manages);
  const world = {
    desired: input.value,
    removals: input.removals,
    rules,
    kinds: workspace.catalog.kinds,
    today: todayOf(host),
  };
  const inFiles = [...input.problems, ...applyLint(checkFiles(world), workspace.project.lint)];
  const nothing = { changes: [], variables: [], left: undefined };
  if (hasErrors(inFiles.filter((one) => !mayBeLive(one, input.value))))
    return { ...nothing, problems: inFiles };
  let live: LiveState;
  try {
    live = await readConsistently(workspace, () => source.read(input.value));
  } catch (error) {
    return { ...nothing, problems: [...inFiles, gatewayProblem(error)] };
  }
  const accepted = acceptLive(inFiles, input.value, live, workspace.catalog.kinds);
  if (hasErrors(accepted)) return { ...nothing, problems: accepted };
  const proposed = propose(host, workspace, { input, live, url: source.url }, options);
  const changed = changeFiles(workspace, input, proposed.proposal);
  const variables = proposed.variables.filter(({ name }) =>
    changed.changes.some(({ before, after }) => isNamed(name, after) && !isNamed(name, before?.text)),
  );
  for (const { value } of variables) if (value !== undefined) workspace.secrets.note(value);
  const known = { ...source, read: () => Promise.resolve(live) };
  const after = variables.length === 0 ? changed.input : fillIn(workspace, changed.input, variables);
  const left = await planInput(host, workspace, known, after, options);
  const emptied = findEmpty(changed.input).filter((path) => !findEmpty(input).includes(path));
  // Without --prune, an empty layer of gwconf.yaml is fine beside others.
  const isRefused = (options.paths ?? []).length > 0 || changed.input.value.size === 0;
  const ofEmptied = emptied.map((path) => emptiedProblem(path, isRefused ? '' : ' with --prune'));
  const found = [...proposed.problems, ...changed.problems, ...ofEmptied];
  const problems = applyLint(found, workspace.project.lint);
  return { changes: changed.changes, variables, left, problems };
}

function emptiedProblem(path: string, when: string): Problem {
  const where = path === '.' ? 'this folder' : path;
  return {
    code: 'no-resources',
    severity: 'warning',
    message: `no resource is declared in ${where} any more, which plan and apply reject${when}`,
    hint: 'take it out of files in gwconf.yaml, or add --allow-empty to them',
  };
}

type Seen = { readonly input: Input; readonly live: LiveState; readonly url: string };

function propose(
  host: Host,
  workspace: Workspace,
  { input, live, url }: Seen,
  {
    target = [],
    exclude = [],
    manages,
    drift,
    deleted = false,
    to,
    from,
    secretNames,
    secrets,
  }: ImportOptions,
): Adoptions {
  const rules = rulesOf(workspace, manages);
  const isSecret = makeSecretFinder(workspace.secrets.values);
  const { value: complete } = adoptUnsetFields(input.value, live, (name) =>
    cureFor(name, workspace.variables),
  );
  const { plan, world } = planChanges(complete, live, workspace.catalog.kinds, {
    gateway: url,
    selection: { target, exclude },
    rules,
    removals: input.removals,
    today: todayOf(host),
    isSecret,
  });
  const inFiles = new Set(input.files.flatMap(namesIn));
  const isTaken: IsTaken = (name, value) => {
    const known = host.env(name) ?? secrets?.values.get(name);
    if (known !== undefined) return known !== value;
    return secrets?.values.has(name) === true || inFiles.has(name);
  };
  const naming: DeclareOptions = { isTaken, isSecret, secretNames };
  if (drift === true)
    return adoptDrift(workspace.catalog, plan, world.desired, input, { ...naming, deleted });
  const limits = {
    isSelected: makeSelector({ target, exclude }, workspace.catalog.kinds),
    isManaged: rules.manages === undefined ? () => true : makeMatcher(rules.manages, workspace.catalog.kinds),
  };
  const seen = { input, live };
  if (from?.tool === 'cli') return proposeComments(host, workspace, seen, { from, to }, limits);
  const missing = new Set(rules.manages === undefined ? plan.unmanaged : plan.unclaimed);
  const { documents, variables, problems } =
    from === undefined
      ? declareLive(live, workspace.catalog, { ...naming, isSelected: (address) => missing.has(address) })
      : declareManaged(workspace.catalog, from.state, seen, limits, naming);
  const added = addDocuments(host, workspace, input, documents, to);
  return { proposal: added.proposal, variables, problems: [...problems, ...added.problems] };
}

/** A new file of comments. */
function proposeComments(
  host: Host,
  workspace: Workspace,
  seen: Pick<Seen, 'input' | 'live'>,
  { from, to }: { readonly from: Extract<Foreign, { tool: 'cli' }>; readonly to: string | undefined },
  limits: Parameters<typeof proposeFromCli>[3],
): Adoptions {
  const { text, problems } = proposeFromCli(workspace.catalog, from, seen, limits);
  const nothing = { changed: new Map(), added: new Map(), addressOf: () => undefined };
  if (text === '') return { proposal: nothing, variables: [], problems };
  const path = findPath(host, workspace, seen.input, to, 'removals.yaml');
  const there = seen.input.files.find((file) => file.path === path);
  const isFree = path !== undefined && there === undefined && !host.exists(path);
  if (isFree) return { proposal: { ...nothing, comments: { path, text } }, variables: [], problems };
  const isSame = there?.text === text;
  return { proposal: nothing, variables: [], problems: isSame ? problems : [...problems, noPlace(path)] };
}

function noPlace(path: string | undefined): Problem {
  return makeProblem({
    code: 'not-imported',
    message: `no removal is proposed: ${path === undefined ? 'no folder of the environment is its own' : `${path} exists`}`,
    hint: 'name a new file with --to FILE',
  });
}

/** The names of variables that a file may have. */
function namesIn({ text }: SourceFile): readonly string[] {
  return Array.from(text.matchAll(/\$\{([A-Za-z_]\w*)/g), ([, name = '']) => name);
}

function isNamed(name: string, text: string | undefined): boolean {
  return text?.includes(`\${${name}}`) === true;
}

/** The same files with values for variables that the environment does not have yet. */
function fillIn(workspace: Workspace, input: Input, variables: readonly SecretVariable[]): Input {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  const { variables: former } = input;
  const filled: Variables = {
    ...former,
    valueOf: (name) => values.get(name) ?? former.valueOf(name),
    refuse: (name) => (values.has(name) ? undefined : former.refuse(name)),
  };
  return loadFiles(workspace, { ...input, variables: filled });
}

type ImportFilesOptions = ImportOptions & {
  /** Write nothing. */
  readonly dryRun?: boolean | undefined;
  /** What is wrong with the state of another tool. */
  readonly ofState?: readonly Problem[] | undefined;
  /** Told of each change that is written, or that would be. */
  readonly onChange: (change: FileChange) => void;
};

/** `incomplete`: what was asked for stays as it was somewhere, or could not be compared, and a problem says each; the rest is written. */
type ImportResult = 'error' | 'incomplete' | 'changes' | 'no-changes';
const INCOMPLETE: ReadonlySet<string> = new Set(['not-imported', 'kind-unavailable', 'unmatched-target']);

/** Takes what is live into files. Its problems are those of writing, too; then only what was written counts. */
export async function importFiles(
  host: Host,
  workspace: Workspace,
  source: LiveSource,
  { dryRun = false, ofState = [], onChange, ...options }: ImportFilesOptions,
): Promise<Imported & { readonly result: ImportResult }> {
  const imported = await importLive(host, workspace, source, options);
  const { changes, variables, problems } = imported;
  const unwritten = dryRun ? [] : [...(await keepSecrets(variables, options.secrets, host))];
  const written: FileChange[] = [];
  for (const change of hasErrors(unwritten) ? [] : changes) {
    const failed = dryRun ? [] : await write(change, workspace, host);
    addAll(unwritten, failed);
    if (failed.length > 0) continue;
    written.push(change);
    onChange(change);
  }
  const found = [...applyLint(ofState, workspace.project.lint), ...problems, ...unwritten];
  const ofPlan = imported.left?.problems ?? [];
  // Files that no plan can be made of do not say what the gateway has.
  const isLeft = hasErrors(ofPlan) || [...found, ...ofPlan].some(({ code }) => INCOMPLETE.has(code));
  const well = isLeft ? 'incomplete' : changes.length > 0 ? 'changes' : 'no-changes';
  const result = hasErrors(found) ? 'error' : well;
  if (!hasErrors(unwritten)) return { ...imported, problems: found, result };
  // The plan is that of files that are not there.
  const named = variables.filter(({ name }) => written.some(({ after }) => isNamed(name, after)));
  return { changes: written, variables: named, left: undefined, problems: found, result };
}

/** Writes the values of variables first: without them the files cannot be applied. */
async function keepSecrets(
  variables: readonly SecretVariable[],
  secrets: SecretsFile | undefined,
  host: Host,
): Promise<readonly Problem[]> {
  if (secrets === undefined || variables.length === 0) return [];
  return attempt(secrets.path, () => writeSecrets(secrets, variables, host));
}

/** Writes a file unless it is not any more what was read. */
async function write(
  { path, before, after }: FileChange,
  { project: { folder, root } }: Workspace,
  host: Host,
): Promise<readonly Problem[]> {
  if (path === 'stdin') return [unwritable(path, 'it is no file', 'name the file with -f')];
  if (before === undefined && host.exists(path)) return [unwritable(path, 'it exists', 'import again')];
  if (before !== undefined && (await readAgain(path, host)) !== before.text)
    return [unwritable(path, 'it has changed since it was read', 'import again')];
  if (after === undefined) {
    await host.removeFile(path);
    return [];
  }
  return writeFile(path, after, host, { isShared: true, ...(folder === undefined ? {} : { root }) });
}

/** Undefined if it cannot be read any more. */
async function readAgain(path: string, host: Host): Promise<string | undefined> {
  try {
    return await host.readFile(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}
