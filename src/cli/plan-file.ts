import {
  readTemplate,
  readValue,
  type ResolveSecret,
  type SavedPlan,
  type SourceFile,
  type Variables,
} from '../index.ts';
import { reasonOf } from './files.ts';
import { UsageError, type Io } from './io.ts';

/** The text of a saved plan. Throws a UsageError when there is no such file, and says what apply and show take. */
export async function readPlanFile(path: string, io: Io): Promise<string> {
  try {
    return await io.readFile(path);
  } catch (error) {
    const cure =
      'a saved plan is made with gwconf plan --out FILE; files and folders of resources are named with -f';
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}; ${cure}`, { cause: error });
  }
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
