import { mapTexts, type Json, valueAt, type Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { declarable } from '../../model/normal/normal-form.ts';
import type { SourceFile } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import type { LiveState, Template } from '../../model/state.ts';
import { fillIn, valueIn, type Variables } from '../yaml/interpolate.ts';
import { parseYaml } from '../yaml/parse.ts';

/**
 * Live resources as files that declare them, named by address: without fields that gwconf does not know or the gateway sets,
 * and with `${…}` escaped. Built-in resources, which cannot be declared, are left out.
 */
export function asDeclared({ resources }: LiveState, kinds: KindSet): readonly SourceFile[] {
  return [...resources].flatMap(([address, resource]): readonly SourceFile[] => {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || kind.builtIn.includes(resource.metadata.name)) return [];
    const text = JSON.stringify(escapePlaceholders(declarable(kind, resource)));
    return [{ path: address, text, named: true }];
  });
}

/** A value that `fillIn` does not change. */
export function escapePlaceholders(value: Json): Json {
  return mapTexts(value, escapeText, escapeText);
}

/** A text that `fillIn` changes into this one. */
export function escapeText(text: string): string {
  if (!text.includes('${')) return text; // which is faster
  return text.replace(/\$\{[^}]*\}?/g, (found) => (found.endsWith('}') ? `$${found}` : found));
}

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
