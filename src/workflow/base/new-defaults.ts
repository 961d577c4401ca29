import { getOrAdd } from '../../model/collect.ts';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';
import type { Workspace } from '../project/workspace.ts';

type Side = { readonly workspace: Workspace | undefined; readonly files: readonly SourceFile[] };

const DEFAULTED = /(?<!\$)\$\{([A-Za-z_]\w*):-[^}]*\}/g;

/**
 * Where a branch, and not its base, fills in fields with the default of a variable that has no value here: the job that applies may have one,
 * and then sends that.
 */
export function findNewDefaults(branch: Side, base: Side, variables: Variables): readonly Problem[] {
  const { valueOf, isPublic, missing } = variables;
  const hasValue = (name: string): boolean =>
    (missing !== 'withheld' || isPublic(name)) && (valueOf(name) ?? '') !== '';
  const known = placesOf(base);
  return [...placesOf(branch)].flatMap(([name, files]): readonly Problem[] => {
    const [file] = files;
    if (hasValue(name) || file === undefined || files.length <= (known.get(name)?.length ?? 0)) return [];
    return [
      makeProblem({
        code: 'cannot-tell',
        message: `this branch fills in a field with \${${name}:-…}: the plan has the default, and a job that has ${name} sends its value`,
        at: { file, offset: Math.max(0, file.text.indexOf(`\${${name}:-`)) },
        hint: `write the value plainly, or plan with the ${name} of that job`,
      }),
    ];
  });
}

/** The files that use each variable with a default, once for each use. */
function placesOf({ workspace, files }: Side): ReadonlyMap<string, readonly SourceFile[]> {
  const found = new Map<string, SourceFile[]>();
  const note = (text: string, file: SourceFile): void => {
    for (const [, name = ''] of text.matchAll(DEFAULTED)) getOrAdd(found, name, () => []).push(file);
  };
  for (const file of files)
    for (const { templates } of parseYaml(file, { keep: () => undefined }))
      for (const { text } of templates.values()) note(text, file);
  const written = workspace?.project.written;
  const place = written?.placeOf('');
  if (written !== undefined && place !== undefined)
    note(JSON.stringify(written.value), 'document' in place ? place.document.file : place.file);
  return found;
}
