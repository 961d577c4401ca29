import type { Checked, Problem, SourceFile } from '../model/problem.ts';
import type { Declared } from '../model/state.ts';
import { templatesOf, type Plan } from '../plan/change/plan.ts';
import { decodePlan } from '../plan/saved/decode-plan.ts';
import {
  inputDigest,
  sealPlan,
  type SavedChange,
  type SavedPlan,
  type SecretSource,
} from '../plan/saved/saved-plan.ts';
import { unsealPlan, type ResolveSecret } from '../plan/saved/unseal-plan.ts';
import { secretTexts } from '../plan/secrets/hide-secrets.ts';
import { catalog } from '../schema/kinds/index.ts';
import { readTemplate, readValue } from '../schema/load/reread.ts';
import { isSource, type Variables } from '../schema/yaml/interpolate.ts';
import { reasonOf } from './host/files.ts';
import { UsageError, type Io } from './io.ts';
import type { Planned } from './planning.ts';
import type { OpenProject } from './project.ts';
import { variable, type Variable } from './connect/settings.ts';
import { resolveSources, secretRoot, type SourceArgs } from './sources.ts';
import { TOOL } from './version.ts';

/** A plan fit to be kept, for the environment of the project; signed if there is a key. */
export function seal(
  made: Plan,
  { desired, files }: Planned,
  { environment }: OpenProject,
  key: Variable | undefined,
  io: Io,
): SavedPlan {
  const salt = io.random();
  const about = {
    tool: TOOL,
    createdAt: io.now().toISOString(),
    salt,
    ...(environment === undefined ? {} : { environment: environment.name }),
    input: inputDigest(files, salt),
  };
  return sealPlan(made, desired, catalog.kinds, about, key?.value);
}

/**
 * A saved plan, held to its signature where GWCONF_PLAN_KEY is set. Throws a UsageError when there is no such file, and
 * says what apply and show take.
 */
export async function openPlan(path: string, io: Io): Promise<Checked<SavedPlan | undefined>> {
  const key = await planKey(io);
  let text: string;
  try {
    text = await io.readFile(path);
  } catch (error) {
    const cure =
      'a saved plan is made with gwconf plan --out FILE; files and folders of resources are named with -f';
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}; ${cure}`, { cause: error });
  }
  return decodePlan(text, path, key?.value);
}

/** Shorter ones can be guessed by whoever has a plan that they signed. */
const SHORTEST_KEY = 32;

/** The key that saved plans are signed with. Throws a UsageError for one that is too short, or cannot be read. */
export async function planKey(io: Io): Promise<Variable | undefined> {
  const key = await findPlanKey(io);
  if (key !== undefined && 'problem' in key) throw new UsageError(key.problem.message);
  return key;
}

/** The same key, or what is wrong with it. */
export async function findPlanKey(io: Io): ReturnType<typeof variable> {
  const key = await variable('GWCONF_PLAN_KEY', io);
  if (key === undefined || 'problem' in key) return key;
  io.masker.learn(key.value);
  return key.value.length < SHORTEST_KEY ? { origin: key.origin, problem: tooShort(key.origin) } : key;
}

function tooShort(origin: string): Problem {
  return {
    code: 'invalid-value',
    severity: 'error',
    message: `the key in ${origin} is too short: expected at least ${SHORTEST_KEY} characters, as openssl rand -hex 32 prints them`,
    hint: 'take a longer one, where plans are made and where they are applied',
  };
}

/**
 * The changes of a saved plan with their secrets, which are asked for again; all that are not found are problems. What a
 * file or a program does not give is one, however many secrets would come of it.
 */
export async function withItsSecrets(
  saved: SavedPlan,
  args: SourceArgs,
  project: OpenProject,
  io: Io,
): Promise<Checked<readonly SavedChange[]>> {
  const { value: variables, faults } = await resolveSources(sourcesOf(saved), args, project, io);
  const folders = [project.folder ?? '.', secretRoot(args, project, io)];
  // One that lacks a variable as well has a cause of its own.
  const isTold = ({ template }: SecretSource): boolean => {
    const names = template?.variables ?? [];
    const isFound = (name: string): boolean => isSource(name) || variables(name) !== undefined;
    return names.some((name) => faults.has(name)) && names.every(isFound);
  };
  const { value, problems } = unsealPlan(saved, await secretsOf(saved, variables, folders, io), isTold);
  io.masker.learn(() => secretTexts(value.flatMap(afterOf), catalog.kinds));
  return { value, problems: [...faults.values(), ...problems] };
}

function afterOf(change: SavedChange): readonly Pick<Declared, 'address' | 'resource' | 'templates'>[] {
  if (change.action === 'delete') return [];
  const { address, after: resource, templates } = change;
  return [{ address, resource, templates: templatesOf(templates) }];
}

/**
 * Where the secrets of a saved plan are found again: in the environment, in files and programs that the project names, or
 * in the files that they were written in. A plan that was forged finds none outside of `folders`.
 */
async function secretsOf(
  saved: SavedPlan,
  variables: Variables,
  folders: readonly string[],
  io: Io,
): Promise<ResolveSecret> {
  const files = new Map<string, SourceFile>();
  for (const path of sourceFiles(saved)) {
    const text = await readWithinOne(folders, path, io);
    if (text !== undefined) files.set(path, { path, text, named: true }); // else unsealPlan says what is missing for it
  }
  return ({ template, file, document, path }) => {
    if (template !== undefined) return readTemplate(template, variables);
    const source = file === undefined ? undefined : files.get(file);
    if (source === undefined || document === undefined || path === undefined) return undefined;
    return readValue(source, document, path, variables);
  };
}

/** The `${file:…}` and `${exec:…}` that a saved plan asks for. */
function sourcesOf({ changes }: SavedPlan): ReadonlySet<string> {
  const sources = changes.flatMap(({ secrets }) => Object.values(secrets ?? {}));
  return new Set(sources.flatMap((source) => source?.template?.variables ?? []).filter(isSource));
}

async function readWithinOne(folders: readonly string[], path: string, io: Io): Promise<string | undefined> {
  for (const folder of folders) {
    try {
      return await io.readWithin(folder, path);
    } catch {
      continue;
    }
  }
  return undefined;
}

function sourceFiles({ changes }: SavedPlan): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ secrets }) => Object.values(secrets ?? {}).flatMap((source) => source?.file ?? [])),
  );
}
