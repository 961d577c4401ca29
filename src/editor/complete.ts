import { CompletionItemKind, InsertTextFormat, type CompletionItem } from 'vscode-languageserver-types';
import { memoize } from '../model/collect.ts';
import { isList, isObject, parsePointer, printPointer, valueOf, type Json } from '../model/json/json.ts';
import type { Catalog } from '../model/own-kind.ts';
import type { SourceFile } from '../model/problem.ts';
import { fieldsOf, itemOf } from '../schema/fields.ts';
import { defaultOf } from '../schema/explain/about-field.ts';
import {
  fieldsBelow,
  freeFieldBelow,
  type FieldPlace,
  type NamedField,
} from '../schema/explain/explain-place.ts';
import { fileForms, type Form, type Named } from '../schema/explain/names.ts';
import { template, templateNames } from '../schema/explain/template.ts';
import { marksOf } from '../schema/load/envelope.ts';
import { tokensAround, typedAt, type Typed } from '../schema/yaml/typed-at.ts';
import { lineStart } from '../schema/yaml/text-lines.ts';
import { describeField, followTokens, namedOf } from './field-at.ts';
import type { Look } from './look.ts';
import { offersAt, printText, printValue } from './offers.ts';
import { rangeBetween } from './ranges.ts';

/** What can be written at an offset. */
export function completeAt(look: Look, file: SourceFile, offset: number): readonly CompletionItem[] {
  const variable = /\$\{([^}${]*)$/.exec(file.text.slice(lineStart(file.text, offset), offset));
  if (variable !== null)
    return variablesAt(look, file, { from: offset - (variable[1] ?? '').length, to: offset });
  const typed = typedAt(file, offset);
  if (typed === undefined) return [];
  const named = namedOf(typed, look.catalog);
  const items = itemsAt(look, typed, named);
  const range = rangeBetween(file, typed.span);
  return items.map(({ newText, ...item }, at) => ({
    sortText: String(at).padStart(5, '0'),
    ...item,
    textEdit: { range, newText },
  }));
}

/** An item without its place. */
type Item = Omit<CompletionItem, 'textEdit'> & { readonly newText: string };

function itemsAt(look: Look, typed: Typed, named: Named | undefined): readonly Item[] {
  const isRoot = tokensAround(typed).length === 0;
  const templates = isRoot && typed.keys.length === 0 ? templatesFor(look, typed.file) : [];
  if (typed.path === '/kind' && typed.on === 'value') return kindItems(look, typed.file);
  if (named === undefined) {
    if (typed.path === '/apiVersion' && typed.on === 'value') return versionItems(look);
    return isRoot ? [...keyItems(ROOT, typed, ''), ...templates] : [];
  }
  const field = followTokens(named, typed.value, tokensAround(typed));
  if (typed.on === 'key') {
    const marks = isRoot && !('whole' in named.form) ? keyItems(marksPlace(named), typed, '') : [];
    return [...(field === undefined ? [] : keyItems(field, typed, '')), ...marks, ...templates];
  }
  const below = field !== undefined && typed.mayBeKey ? itemsBelow(look, field, typed) : [];
  return below.length > 0 ? below : valueItems(look, typed, named, field);
}

/** Where a map or a list may begin below a key, or as an item of a list. */
function itemsBelow(look: Look, { named, place }: NamedField, typed: Typed): readonly Item[] {
  const item = itemOf(place.schema);
  if (item === undefined) return keyItems({ named, place }, typed, '');
  const inside = followTokens(named, typed.value, [...place.tokens, '0']);
  if (inside === undefined || !typed.mayBeKey) return [];
  const keys = keyItems(inside, typed, '- ');
  if (keys.length > 0) return keys;
  const ofItem = { ...typed, path: printPointer([...parsePointer(typed.path), '0']) };
  return valueItems(look, ofItem, named, inside).map((one) => ({ ...one, newText: `- ${one.newText}` }));
}

const ROOT: NamedField = {
  named: {
    form: { name: '', apiVersion: '', summary: '', whole: {}, example: {} },
    variant: undefined,
    name: '',
    rest: '',
  },
  place: {
    label: 'document',
    tokens: [],
    required: undefined,
    schema: {
      required: ['apiVersion', 'kind'],
      properties: {
        apiVersion: { description: 'The version of the kind: gateway/v2 for objects of the gateway.' },
        kind: { description: 'What the document declares.' },
      },
    },
  },
};

/** Fields of a document that are not part of the object. */
function marksPlace(named: Named): NamedField {
  const { form } = named;
  const overlay = {
    type: 'boolean',
    description: 'Whether the document changes the object of this address in an earlier layer.',
  };
  const properties = { ...('whole' in form ? {} : marksOf(form)), overlay };
  return { named, place: { label: named.name, tokens: [], required: undefined, schema: { properties } } };
}

/** The keys of a map that are not there yet; those that must be there are first. */
function keyItems({ named, place }: NamedField, typed: Typed, before: string): readonly Item[] {
  const fields = fieldsBelow(place).filter(({ tokens }) => !typed.keys.includes(tokens.at(-1) ?? ''));
  const required = fields.filter((one) => one.required === true);
  return [...required, ...fields.filter((one) => one.required !== true)].map((one): Item => {
    const key = one.tokens.at(-1) ?? '';
    return {
      label: key,
      kind: CompletionItemKind.Property,
      ...(one.required === true ? { detail: 'required' } : {}),
      documentation: describeField({ named, place: one }),
      newText: `${inSnippet(`${before}${key}`)}${typed.hasColon ? '' : startOfValue(one, named, typed)}`,
      insertTextFormat: InsertTextFormat.Snippet,
    };
  });
}

/** What follows a key: its default to write over, or the start of a map or list. */
function startOfValue(place: FieldPlace, named: Named, { isInFlow }: Typed): string {
  const { schema } = place;
  const type = valueOf(schema, 'type');
  const isMap = fieldsOf(schema).size > 0 || type === 'object' || freeFieldBelow(place) !== undefined;
  if (itemOf(schema) !== undefined) return isInFlow ? ': [$0]' : ':\n  - $0';
  if (isMap && !isInFlow) return ':\n  $0';
  const fallback = defaultOf(place, named);
  if (fallback === undefined || isObject(fallback) || isList(fallback)) return ': $0';
  return `: \${0:${inSnippet(printValue(fallback))}}`;
}

function inSnippet(text: string): string {
  return text.replaceAll(/[\\$}]/g, '\\$&');
}

function valueItems(look: Look, typed: Typed, named: Named, field: NamedField | undefined): readonly Item[] {
  const quote = typed.file.text[typed.span.from - 1];
  return offersAt(look, typed, named, field).map(({ value, ...offer }) => ({
    ...offer,
    newText: written(value ?? offer.label, quote),
  }));
}

function written(value: Json, quote: string | undefined): string {
  return typeof value === 'string' ? printText(value, quote) : printValue(value);
}

function kindItems({ catalog: { kinds, ownKinds } }: Look, { path }: SourceFile): readonly Item[] {
  const declarable = [...kinds.values()].filter(({ removal }) => removal !== undefined);
  const ofFile = namedOf({ value: {}, file: { path, text: '' } }, { kinds, ownKinds })?.form;
  const forms = ofFile === undefined ? [...declarable, ...ownKinds.values()] : [ofFile];
  return forms.map(({ name, summary, apiVersion }) => ({
    ...{ label: name, kind: CompletionItemKind.Class, newText: name },
    ...{ detail: apiVersion, documentation: summary },
  }));
}

function versionItems({ catalog: { kinds, ownKinds } }: Look): readonly Item[] {
  const all = [...kinds.values(), ...ownKinds.values(), ...fileForms].map(({ apiVersion }) => apiVersion);
  return [...new Set(all)].map((label) => ({ label, kind: CompletionItemKind.Constant, newText: label }));
}

/** Whole documents to start from. */
function templatesFor({ catalog }: Look, file: SourceFile): readonly Item[] {
  const only = namedOf({ value: {}, file }, catalog)?.form.name;
  const isFit = (form: Form): boolean => (only === undefined ? !('whole' in form) : form.name === only);
  return templatesOf(catalog).flatMap(({ form, item }) => (isFit(form) ? [item] : []));
}

const templatesOf = memoize((catalog: Catalog) =>
  templateNames(catalog).flatMap((named): readonly { readonly form: Form; readonly item: Item }[] => {
    const made = template(named.variant?.name ?? named.name, catalog);
    if (!('text' in made)) return [];
    const item = {
      label: `${named.name} …`,
      kind: CompletionItemKind.Snippet,
      detail: 'template',
      documentation: (named.variant ?? named.form).summary,
      filterText: named.name,
      newText: made.text.trimEnd(),
      insertTextFormat: InsertTextFormat.PlainText,
    };
    return [{ form: named.form, item }];
  }),
);

/** Variables of the project, and the environment variables and sources that its files name. */
function variablesAt(
  { project, files }: Look,
  file: SourceFile,
  span: { readonly from: number; readonly to: number },
): readonly CompletionItem[] {
  const found = new Map<string, string>();
  for (const { variables = {}, publicVariables = [], exec = {} } of project.environments.values()) {
    for (const name of Object.keys(variables)) found.set(`var.${name}`, 'of gwconf.yaml');
    for (const name of publicVariables)
      if (!name.includes('*')) found.set(name, 'environment variable, shown');
    for (const name of Object.keys(exec)) found.set(`exec:${name}`, 'program of gwconf.yaml');
  }
  for (const { text } of files.values()) {
    for (const [, name = ''] of text.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)[:}]/g))
      if (!found.has(name) && !SOURCES.has(name)) found.set(name, 'environment variable');
  }
  const closes = file.text[span.to] === '}' ? '' : '}';
  const range = rangeBetween(file, span);
  return [...found].map(([label, detail]) => ({
    ...{ label, detail, kind: CompletionItemKind.Variable },
    textEdit: { range, newText: `${label}${closes}` },
  }));
}

/** Words before a colon that are no variables with a default. */
const SOURCES = new Set(['file', 'exec', 'vault', 'sops', 'aws', 'k8s', 'var']);
