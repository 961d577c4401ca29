import { valueAt, type Json, type Pointer } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Template } from '../../model/state.ts';
import { fillIn, valueIn, type Variables } from '../yaml/interpolate.ts';
import { parseYaml } from '../yaml/parse.ts';

/** The value of a template in this environment; undefined if a variable is missing. */
export function readTemplate(template: Template, variables: Variables): Json | undefined {
  const filled = fillIn(template.text, variables);
  return filled.faults.length > 0 ? undefined : valueIn(filled, template);
}

/** The value at a path in a document of a file, by number. */
export function readValue(
  file: SourceFile,
  document: number,
  path: Pointer,
  variables: Variables,
): Json | undefined {
  const found = parseYaml(file, variables).find(({ ref }) => ref.index === document);
  return found === undefined ? undefined : valueAt(found.value, path);
}
