import { getOrAdd } from '../../model/collect.ts';
import { entriesOf, joinPointer, valueOf, type Json, type Pointer } from '../../model/json/json.ts';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';
import type { Workspace } from '../project/workspace.ts';

type Side = { readonly workspace: Workspace | undefined; readonly files: readonly SourceFile[] };

const DEFAULTED = /(?<!\$)\$\{([A-Za-z_]\w*|var\.[\w-]+):-[^}]*\}/g;
const USED = /(?<!\$)\$\{([A-Za-z_]\w*)/g;

/** Where a default is written, and what it is the default of: a variable, or one of the project that a variable fills in. */
type Use = { readonly file: SourceFile; readonly written: string };

/**
 * Where a branch, and not its base, fills in fields with the default of a variable that has no value here: the job that applies may have one,
 * and then sends that.
 */
export function findNewDefaults(branch: Side, base: Side, variables: Variables): readonly Problem[] {
  const { valueOf, isPublic, missing } = variables;
  const hasValue = (name: string): boolean =>
    (missing !== 'withheld' || isPublic(name)) && (valueOf(name) ?? '') !== '';
  const known = placesOf(base);
  return [...placesOf(branch)].flatMap(([name, places]): readonly Problem[] => {
    const use = [...places].find(([place]) => known.get(name)?.has(place) !== true)?.[1];
    if (hasValue(name) || use === undefined) return [];
    const { file, written } = use;
    return [
      makeProblem({
        code: 'cannot-tell',
        message: `this branch fills in a field with \${${written}:-…}: the plan has the default, and a job that has ${name} sends its value`,
        at: { file, offset: Math.max(0, file.text.indexOf(`\${${written}:-`)) },
        hint: `write the value plainly, or plan with the ${name} of that job`,
      }),
    ];
  });
}

/** The fields that use each variable with a default, as their object and path, and the file of each. Items may have moved. */
function placesOf({ workspace, files }: Side): ReadonlyMap<string, ReadonlyMap<string, Use>> {
  const found = new Map<string, Map<string, Use>>();
  const own = workspace?.environment?.variables ?? {};
  const variablesIn = (written: string): readonly string[] => {
    if (!written.startsWith('var.')) return [written];
    const value = own[written.slice('var.'.length)];
    return value !== null && typeof value === 'object'
      ? Array.from(value.text.matchAll(USED), ([, name = '']) => name)
      : [];
  };
  const note = (text: string, file: SourceFile, of: Json, path: Pointer): void => {
    const place = JSON.stringify([of, path.replace(/\/\d+(?=\/|$)/g, '/0')]);
    for (const [, written = ''] of text.matchAll(DEFAULTED))
      for (const name of variablesIn(written))
        getOrAdd(found, name, () => new Map()).set(place, { file, written });
  };
  for (const file of files)
    for (const { value, templates } of parseYaml(file, { keep: () => undefined }))
      for (const [path, { text }] of templates)
        note(text, file, [valueOf(value, 'kind') ?? null, valueOf(value, 'metadata') ?? null], path);
  const written = workspace?.project.written;
  const at = written?.placeOf('');
  if (written === undefined || at === undefined) return found;
  const file = 'document' in at ? at.document.file : at.file;
  const walk = (value: Json, path: Pointer): void => {
    if (typeof value === 'string') note(value, file, null, path);
    else for (const [key, one] of entriesOf(value)) walk(one, joinPointer(path, key));
  };
  walk(written.value, '');
  return found;
}
