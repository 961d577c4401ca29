import { getOrAdd } from '../../model/collect.ts';
import { entriesOf, joinPointer, valueOf, type Json, type Pointer } from '../../model/json/json.ts';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';
import type { Workspace } from '../project/workspace.ts';

type Side = { readonly workspace: Workspace | undefined; readonly files: readonly SourceFile[] };

const PLACEHOLDER = /(?<!\$)\$\{([A-Za-z_]\w*|var\.[\w-]+)(?:(:-)[^}]*)?\}/g;

/** Where a default is used, and how that begins: with its variable, or one of the project that has it or is filled in from a variable. */
type Use = { readonly file: SourceFile; readonly start: string };

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
    const { file, start } = use;
    return [
      makeProblem({
        code: 'cannot-tell',
        message: `this branch fills in a field with ${start}${start.endsWith(':-') ? '…' : ''}}: the plan has the default, and a job that has ${name} sends its value`,
        at: { file, offset: Math.max(0, file.text.indexOf(start)) },
        hint: `write the value plainly, or plan with the ${name} of that job`,
      }),
    ];
  });
}

/** The fields that use each variable with a default, as their object, path and text, and the file of each. Items may have moved. */
function placesOf({ workspace, files }: Side): ReadonlyMap<string, ReadonlyMap<string, Use>> {
  const found = new Map<string, Map<string, Use>>();
  const own = workspace?.environment?.variables ?? {};
  const textOf = (name: string): string => {
    const value = name.startsWith('var.') ? own[name.slice('var.'.length)] : null;
    return value !== null && typeof value === 'object' ? value.text : '';
  };
  /** The variables of which a placeholder has a default, and those that fill in its variable of the project, or only their defaults. */
  const variablesIn = (name: string, hasDefault: boolean): readonly string[] => {
    if (!name.startsWith('var.')) return hasDefault ? [name] : [];
    return [...textOf(name).matchAll(PLACEHOLDER)].flatMap(([, inner = '', fallback]) =>
      hasDefault || fallback !== undefined ? [inner] : [],
    );
  };
  const note = (text: string, file: SourceFile, of: Json, path: Pointer): void => {
    for (const [, written = '', fallback = ''] of text.matchAll(PLACEHOLDER)) {
      const place = JSON.stringify([of, path.replace(/\/\d+(?=\/|$)/g, '/0'), text, textOf(written)]);
      for (const name of variablesIn(written, fallback !== ''))
        getOrAdd(found, name, () => new Map()).set(place, { file, start: `\${${written}${fallback}` });
    }
  };
  for (const file of files)
    for (const { value, templates } of parseYaml(file, { keep: () => undefined }))
      for (const [path, { text }] of templates)
        note(text, file, [valueOf(value, 'kind') ?? null, valueOf(value, 'metadata') ?? null], path);
  const written = workspace?.project.written;
  const at = written?.placeOf('');
  if (written === undefined || at === undefined) return found;
  const file = 'document' in at ? at.document.file : at.file;
  const environment = valueOf(valueOf(written.value, 'environments'), workspace?.environment?.name ?? '');
  for (const [key, text] of entriesOf(valueOf(environment, 'gateway') ?? null))
    if (typeof text === 'string') note(text, file, null, joinPointer('', key));
  return found;
}
