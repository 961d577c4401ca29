import { isList, isObject, printPointer, valueAt, valueOf, type Json } from '../model/json/json.ts';
import type { Catalog } from '../model/own-kind.ts';
import { POLICY_FILE_ENDING } from '../model/policy.ts';
import { TEST_FILE_ENDING } from '../model/test-case.ts';
import { NAMES, NAMES_WHERE, type Nameable } from '../schema/closed.ts';
import { fieldsOf } from '../schema/fields.ts';
import {
  itemsUnder,
  rootPlace,
  stepInto,
  type FieldPlace,
  type NamedField,
} from '../schema/explain/explain-place.ts';
import { readName, shortName, type Named } from '../schema/explain/names.ts';
import type { Typed } from '../schema/yaml/typed-at.ts';
import { hasEnding } from '../model/text/file-ending.ts';
import { MarkupKind, type MarkupContent } from 'vscode-languageserver-types';
import { forTerminal } from '../model/text/escape.ts';
import { aboutField } from '../schema/explain/about-field.ts';

/** The kind of a document; of one that does not say it, the only one that its file can have. */
export function namedOf({ value, file }: Pick<Typed, 'value' | 'file'>, catalog: Catalog): Named | undefined {
  const kind = valueOf(value, 'kind');
  const only = ONLY_KINDS.find(([ending]) => hasEnding(file.path, ending))?.[1];
  const named = typeof kind === 'string' ? readName(kind, catalog) : only && readName(only, catalog);
  return named?.rest === '' && named.variant === undefined ? named : undefined;
}

const ONLY_KINDS = [
  ['gwconf.yaml', 'Project'],
  [TEST_FILE_ENDING, 'Test'],
  [POLICY_FILE_ENDING, 'Policy'],
] as const;

/** The field that keys and indexes lead to in a document of a kind; a part that another field selects has a form of its own. */
export function followTokens(named: Named, value: Json, tokens: readonly string[]): NamedField | undefined {
  let of = named;
  let place = resolved(of, rootPlace(of));
  const variants = 'variants' in named.form ? named.form.variants : undefined;
  for (const [at, token] of tokens.entries()) {
    const next = stepInto(place, [token]);
    if (next === undefined) return undefined;
    // A key that the user makes up is no part of a label: where a colon is missing, a secret may follow in it.
    const isOwn = next.tokens.at(-1) === token && !fieldsOf(itemsUnder(place).schema).has(token);
    place = resolved(of, isOwn ? { ...next, label: `${place.label}.<name>` } : next);
    if (variants?.part !== printPointer(tokens.slice(0, at + 1))) continue;
    const variant = variants.known.find(({ name }) => name === valueAt(value, variants.by));
    if (variant === undefined) continue;
    of = { form: named.form, variant, name: shortName(variant), rest: '' };
    place = rootPlace(of);
  }
  return { named: of, place };
}

/** A place whose schema refers to a definition, with what is defined. */
function resolved({ form }: Named, place: FieldPlace): FieldPlace {
  const reference = valueOf(place.schema, '$ref');
  if (typeof reference !== 'string' || !('whole' in form)) return place;
  const schema = valueAt(form.whole, reference.slice(1) as `/${string}`); // ours: #/definitions/NAME
  return schema === undefined ? place : { ...place, schema };
}

/** What the text of a field can name, by its schema and the values beside it. */
export function nameablesOf(
  { schema }: FieldPlace,
  value: Json,
  path: readonly string[],
): readonly Nameable[] {
  const names = valueOf(schema, NAMES);
  const where = valueOf(schema, NAMES_WHERE);
  const beside = valueAt(value, printPointer(path.slice(0, -1)));
  if (isObject(where) && !Object.entries(where).every(([key, one]) => valueOf(beside, key) === one))
    return [];
  return isList(names) ? (names as readonly Nameable[]) : []; // ours
}

type NamingText = {
  readonly path: readonly string[];
  readonly text: string;
  readonly what: readonly Nameable[];
};

/** The texts of a document that name something by the schema of their field. */
export function* namingTexts(named: Named, value: Json, path: readonly string[] = []): Generator<NamingText> {
  const here = valueAt(value, printPointer(path));
  if (typeof here === 'string') {
    const field = followTokens(named, value, path);
    const what = field === undefined ? [] : nameablesOf(field.place, value, path);
    if (what.length > 0) yield { path, text: here, what };
  } else if (isList(here) || isObject(here)) {
    for (const key of Object.keys(here)) yield* namingTexts(named, value, [...path, key]);
  }
}

/** The documentation of a kind, a plugin class or a field. All of it is ours, or of the description of a gateway. */
export function describeField(field: NamedField): MarkupContent {
  const { heading, summary, facts } = aboutField(field);
  const lines = [
    `**${escapeMarkdown(heading)}**`,
    ...(summary === '' ? [] : ['', escapeMarkdown(summary)]),
    ...(facts.length === 0 ? [] : ['']),
    ...facts.map(([name, fact]) => `- ${name}: ${escapeMarkdown(fact)}`),
  ];
  return { kind: MarkupKind.Markdown, value: lines.join('\n') };
}

/** Text that is no Markdown, no HTML and no link, whatever is in it. */
export function escapeMarkdown(text: string): string {
  return forTerminal(text)
    .replaceAll(/[\\`*_{}[\]()#+!|<>&~]|:(?=\/\/)|(?<=www)\.|@(?=[\w-]+\.)/gi, '\\$&')
    .replaceAll('\n', ' ');
}
