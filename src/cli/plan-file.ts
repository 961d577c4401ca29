import {
  catalog,
  decodePlan,
  inputDigest,
  readTemplate,
  readValue,
  sealPlan,
  type Checked,
  type Plan,
  type ResolveSecret,
  type SavedPlan,
  type SourceFile,
  type Variables,
} from '../index.ts';
import { reasonOf } from './files.ts';
import { UsageError, type Io } from './io.ts';
import type { Planned } from './planning.ts';
import type { OpenProject } from './project.ts';
import { variable, type Variable } from './settings.ts';
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
  const key = await variable('GWCONF_PLAN_KEY', io);
  if (key !== undefined && key.value.length < SHORTEST_KEY) {
    throw new UsageError(
      `the key in ${key.origin} is too short: expected at least ${SHORTEST_KEY} characters, as openssl rand -hex 32 prints them`,
    );
  }
  return key;
}

/** Where the secrets of a saved plan are found again: in the environment, or in the files that they were written in. */
export async function secretsOf(saved: SavedPlan, variables: Variables, io: Io): Promise<ResolveSecret> {
  const files = new Map<string, SourceFile>();
  for (const path of sourceFiles(saved)) {
    try {
      files.set(path, { path, text: await io.readFile(path), named: true });
    } catch {
      continue; // unsealPlan says which secrets are missing for it
    }
  }
  return ({ template, file, document, path }) => {
    if (template !== undefined) return readTemplate(template, variables);
    const source = file === undefined ? undefined : files.get(file);
    if (source === undefined || document === undefined || path === undefined) return undefined;
    return readValue(source, document, path, variables);
  };
}

function sourceFiles({ changes }: SavedPlan): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ secrets }) => Object.values(secrets ?? {}).flatMap((source) => source?.file ?? [])),
  );
}
