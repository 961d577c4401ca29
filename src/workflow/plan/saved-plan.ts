import { present } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { isPolicy, type ProblemCode } from '../../model/problem-codes.ts';
import { makeProblem, hasErrors, type Checked, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Declared, DesiredState } from '../../model/state.ts';
import { templatesOf } from '../../plan/change/change.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { decodePlan } from '../../plan/saved/decode-plan.ts';
import type {
  PlanWarning,
  SavedChange,
  SavedPlan,
  SecretSource,
  Origin,
} from '../../plan/saved/saved-plan.ts';
import { inputDigest, sealPlan, sign } from '../../plan/saved/seal-plan.ts';
import type { PlanKeys } from '../../plan/saved/signature.ts';
import { unsealPlan, type ResolveSecret } from '../../plan/saved/unseal-plan.ts';
import { readTemplate, readValue } from '../../schema/load/as-declared.ts';
import { isSource, type Variables } from '../../schema/yaml/interpolate.ts';
import { withDigests } from '../digests.ts';
import type { Host } from '../host.ts';
import { MemoryBudget } from '../project/memory-budget.ts';
import { resolveSources } from '../project/sources.ts';
import type { Workspace } from '../project/workspace.ts';
import { KnownKinds } from '../project/known-kinds.ts';
import { RequestError, reasonOf } from '../system-error.ts';
import { TOOL } from '../tool.ts';

export type SaveOptions = {
  readonly keys?: PlanKeys | undefined;
  /** After this the plan is not applied; without it the plan does not expire. */
  readonly validForMs?: number | undefined;
};

/** What a plan was made of, and what is to be said of it. */
type PlanInput = {
  readonly desired: DesiredState;
  /** Empty for a plan that nobody compares with files: their digest is slow. */
  readonly files: readonly SourceFile[];
  readonly problems: readonly Problem[];
  readonly topics?: readonly string[] | undefined;
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** A plan that is signed expires, because delivery may not know what was applied before. */
export function defaultValidity({ shared, private: own }: PlanKeys = {}): number | undefined {
  return (shared ?? own) === undefined ? undefined : DAY_MS;
}

/** A plan fit to be kept in a file, without secrets; signed with each key. `encodePlan` writes it as JSON. */
export async function savePlan(
  host: Host,
  workspace: Workspace,
  { desired, files, problems, topics }: PlanInput,
  plan: Plan,
  { keys = {}, validForMs }: SaveOptions = {},
): Promise<SavedPlan> {
  learnKeys(workspace, keys);
  const { environment, partOf } = workspace;
  const salt = host.random();
  const now = host.now();
  const origin = readOrigin(host.env);
  const kinds = workspace.catalog.descriptionFor(plan.changes.map(({ address }) => address));
  const about = {
    tool: TOOL,
    createdAt: now.toISOString(),
    salt,
    ...(environment === undefined ? {} : { environment: environment.name }),
    ...(partOf && { partOf }),
    ...present({ origin, kinds }),
    ...(topics !== undefined && { topics }),
    ...(validForMs === undefined ? {} : { expiresAt: new Date(now.getTime() + validForMs).toISOString() }),
  };
  const warnings = problems.filter(isKept).map((problem) => asWarning(problem, workspace));
  // The digest of the input is computed on another core.
  const [input, open] = await Promise.all([
    files.length === 0 ? undefined : withDigests(host, salt, inputDigest(files)),
    withDigests(host, salt, (slow) => sealPlan(plan, desired, workspace.catalog.kinds, about, slow)),
  ]);
  return sign({ ...open, ...(input && { input }), ...(warnings.length === 0 ? {} : { warnings }) }, keys);
}

/** Whether it is a warning that `show` cannot find again in the file, and not one of the base. */
function isKept({ code, severity, inBase }: Problem): boolean {
  return severity === 'warning' && inBase !== true && (KEPT.has(code) || isPolicy(code));
}

const KEPT: ReadonlySet<string> = new Set<ProblemCode>([
  'similar-names',
  'shared-prefix',
  'taken-over-loss',
  'unknown-causes',
]);

function asWarning(
  { code, message, address, hint }: Problem,
  { secrets: { masker } }: Workspace,
): PlanWarning {
  const told = present({ address, hint: hint && masker.net(hint) });
  return { code, severity: 'warning', message: masker.net(message), ...told };
}

/** Keeps keys that sign plans out of all output. */
export function learnKeys({ secrets: { masker } }: Workspace, keys: PlanKeys = {}): void {
  for (const key of [keys.shared, keys.private]) if (key !== undefined) masker.learn(key);
}

/** Reads a saved plan and checks its signature if there are keys. Throws a RequestError when there is no such file. */
export async function openSavedPlan(
  host: Host,
  path: string,
  keys?: PlanKeys,
  read: (path: string) => Promise<string> = host.readNamedFile,
): Promise<Checked<SavedPlan | undefined> & { readonly kinds: KindSet }> {
  let text: string;
  try {
    text = await read(path);
  } catch (error) {
    const message = `${path} cannot be read: ${reasonOf(error)}`;
    throw new RequestError(message, { code: 'unreadable-plan', cause: error });
  }
  const catalog = new KnownKinds();
  await catalog.learnFrom(text);
  const { kinds } = catalog;
  return { ...decodePlan(text, path, kinds, keys), kinds };
}

/** Checks that a plan was made from just these files, named as they were then. */
export async function checkPlanInput(
  host: Host,
  saved: SavedPlan,
  paths: readonly string[],
): Promise<readonly Problem[]> {
  if (saved.input === undefined)
    return [
      otherInput(
        'the plan does not say which files it was made from',
        'name a plan that gwconf plan --out wrote',
      ),
    ];
  const checkSize = new MemoryBudget(host).checkFiles();
  const { value: files, problems } = await host.readSources(paths, { checkSize });
  if (hasErrors(problems)) return problems;
  const input = await withDigests(host, saved.salt, inputDigest(files));
  if (input === saved.input) return problems;
  return [
    otherInput(
      `the plan was not made from ${paths.join(', ')}`,
      'check out the files that it was made from and name them as they were named for plan; or plan again',
    ),
  ];
}

function otherInput(message: string, hint: string): Problem {
  return makeProblem({ code: 'other-input', message, hint });
}

/**
 * The changes of a saved plan with their secrets, which are read again; each that is not found is a problem. A file or
 * a program that gives nothing is one problem, however many secrets depend on it.
 */
export async function restoreSecrets(
  host: Host,
  workspace: Workspace,
  saved: SavedPlan,
): Promise<Checked<readonly SavedChange[]>> {
  const { value: variables, faults: unread } = await resolveSources(host, workspace, sourcesOf(saved));
  const faults = new Map([...unread, ...findRefused(saved, variables)]);
  // A secret whose variable is missing is reported with that cause.
  const isReported = ({ template }: SecretSource): boolean => {
    const names = template?.variables ?? [];
    const isFound = (name: string): boolean => isSource(name) || variables.valueOf(name) !== undefined;
    return names.some((name) => faults.has(name)) && names.every(isFound);
  };
  const resolveSecret = await secretResolver(host, workspace, saved, variables);
  const { value, problems } = await withDigests(host, saved.salt, (slow) =>
    unsealPlan(saved, resolveSecret, isReported, slow),
  );
  workspace.secrets.noteDeclared(value.flatMap(declaredBy));
  return { value, problems: [...faults.values(), ...problems] };
}

function declaredBy(change: SavedChange): readonly Pick<Declared, 'address' | 'resource' | 'templates'>[] {
  if (change.action === 'delete') return [];
  const { address, after: resource, templates } = change;
  return [{ address, resource, templates: templatesOf(templates) }];
}

/**
 * Where the secrets of a saved plan are found again: in variables, in files and programs that the project names, or in
 * the files that they were written in. A forged plan finds none outside of the project.
 */
async function secretResolver(
  host: Host,
  { project: { root }, access: { secretRoot }, memory }: Workspace,
  saved: SavedPlan,
  variables: Variables,
): Promise<ResolveSecret> {
  const files = new Map<string, SourceFile>();
  for (const path of new Set(secretsOf(saved).flatMap(({ file }) => file ?? []))) {
    const text = await host.readWithin([root, secretRoot], path).catch(() => undefined);
    if (text === undefined) continue; // unsealPlan reports what is missing
    if (memory.note('file', path, text.length) !== undefined) break;
    files.set(path, { path, text, named: true });
  }
  return ({ template, file, document, path }) => {
    if (template !== undefined) return readTemplate(template, variables);
    const source = file === undefined ? undefined : files.get(file);
    if (source === undefined || document === undefined || path === undefined) return undefined;
    return readValue(source, document, path, variables);
  };
}

/** The `${file:…}` and `${exec:…}` that a saved plan needs. */
function sourcesOf(saved: SavedPlan): ReadonlySet<string> {
  return new Set(secretsOf(saved).flatMap(({ template }) => (template?.variables ?? []).filter(isSource)));
}

/** The environment variables that a saved plan needs and that the job does not allow. */
function findRefused(saved: SavedPlan, { refuse }: Variables): readonly (readonly [string, Problem])[] {
  const names = new Set(secretsOf(saved).flatMap(({ template }) => template?.variables ?? []));
  return [...names].flatMap((name) => {
    const fault = isSource(name) ? undefined : refuse(name);
    return fault === undefined ? [] : [[name, { severity: 'error', ...fault }] as const];
  });
}

function secretsOf({ changes }: SavedPlan): readonly SecretSource[] {
  return changes.flatMap(({ secrets }) => Object.values(secrets ?? {}).filter((one) => one !== undefined));
}

/** The variables in which build servers say which repository and commit a job runs. */
const VARIABLES: readonly { readonly repository: readonly string[]; readonly commit: string }[] = [
  { repository: ['GITHUB_REPOSITORY'], commit: 'GITHUB_SHA' },
  { repository: ['CI_PROJECT_PATH'], commit: 'CI_COMMIT_SHA' }, // GitLab
  { repository: ['BITBUCKET_REPO_FULL_NAME'], commit: 'BITBUCKET_COMMIT' },
  { repository: ['BUILD_REPOSITORY_NAME'], commit: 'BUILD_SOURCEVERSION' }, // Azure
  { repository: ['CIRCLE_PROJECT_USERNAME', 'CIRCLE_PROJECT_REPONAME'], commit: 'CIRCLE_SHA1' },
];

/** The repository and commit of this job; undefined outside of CI. */
export function readOrigin(env: (name: string) => string | undefined): Origin | undefined {
  for (const { repository: names, commit: variable } of VARIABLES) {
    const parts = names.map((name) => env(name) ?? '').filter((part) => part !== '');
    if (parts.length < names.length) continue;
    const commit = env(variable) ?? '';
    return { repository: parts.join('/'), ...(commit === '' ? {} : { commit }) };
  }
  return undefined;
}
