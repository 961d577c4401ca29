import {
  changeAt,
  isList,
  isObject,
  joinPointer,
  parentOf,
  parsePointer,
  printPointer,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind, Variant } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { fieldOf, fieldsOf, isRequired, itemOf } from '../fields.ts';
import { findField, type Choices, type FoundField, type UnknownName } from './explain.ts';
import { allNamed, shortName, type Form, type Named } from './names.ts';
import { printYaml } from '../yaml/print.ts';

/**
 * A document to start from: the example of a kind, or one with this plugin class and the keys of its config that have
 * a default; of a field, the lines to put under the one above it. What else there is stands in comments.
 */
export function template(name: string, catalog: Catalog): { readonly text: string } | Choices | UnknownName {
  const found = findField(name, catalog);
  if (!('place' in found)) return found;
  const { place, named } = found;
  if ('aliases' in named.form && named.form.removal === undefined)
    return { unknown: name, within: undefined, near: undefined };
  const lines = place.tokens.length === 0 ? wholeOf(named) : fragmentOf(found);
  return { text: [...lines, ''].join('\n') };
}

/** The names with a template: kinds that a file can declare, the project file, and plugin classes. */
export function templateNames(catalog: Catalog): readonly Named[] {
  return allNamed(catalog).filter(({ form }) => !('aliases' in form) || form.removal !== undefined);
}

function wholeOf({ form, variant }: Named): readonly string[] {
  const chosen = variant !== undefined && 'variants' in form ? form.variants : undefined;
  const document =
    variant === undefined || chosen === undefined || 'whole' in form
      ? form.example
      : exampleWith(form, variant, chosen);
  const shape = 'whole' in form ? form.whole : { properties: { apiVersion: {}, kind: {}, ...form.schema } };
  const lines = mapLines(document, shape, '', {
    form,
    part: chosen === undefined ? undefined : { path: chosen.part, schema: variant?.schema ?? {} },
    leftOut: leaningOnOthers(form),
  });
  return [...headOf(form, variant), ...lines];
}

/** A field as lines of its own. */
function fragmentOf({ place, named: { form, variant }, others }: FoundField): readonly string[] {
  const key = place.tokens.at(-1) ?? '';
  const path = printPointer(place.tokens);
  const written = variant === undefined ? valueAt(form.example, path) : undefined;
  const value = written ?? (fieldsOf(place.schema).size > 0 ? startOf(place.schema) : sampleOf(place.schema));
  const writing = { form, part: undefined, leftOut: new Set<Pointer>() };
  return [
    `# ${place.label}${others.length === 0 ? '' : `; also in ${others.join(', ')}`}`,
    ...descriptionOf(place.schema),
    ...entryLines(key, value, place.schema, path, writing),
  ];
}

function headOf({ summary }: Form, variant: Variant | undefined): readonly string[] {
  const { since, deprecated, removed } = variant ?? {};
  return [
    `# ${variant?.summary ?? summary}`,
    ...(since === undefined ? [] : [`# Since gateway ${since}.`]),
    ...(deprecated === undefined
      ? []
      : [`# Deprecated${deprecated === true ? '' : ` since gateway ${deprecated}`}.`]),
    ...(removed === undefined ? [] : [`# Removed in gateway ${removed}.`]),
  ];
}

/** The example of a kind with another shape of its part, and nothing in its spec that need not be there. */
function exampleWith(
  form: Kind | OwnKind,
  variant: Variant,
  { by, part }: NonNullable<Kind['variants']>,
): JsonObject {
  const spec = Object.entries(form.example.spec).filter(([key]) => isRequired(form.schema.spec, key));
  const name = shortName(variant)
    .replace(/Plugin$/, '')
    .replaceAll(/(?!^)[A-Z]/g, '-$&')
    .toLowerCase();
  const { metadata } = form.example;
  const bare = { ...form.example, metadata: { ...metadata, name }, spec: Object.fromEntries(spec) };
  const picked = changeAt(bare, parsePointer(by), () => variant.name);
  return changeAt(picked, parsePointer(part), () => ({
    ...startOf(variant.schema),
    ...variant.example,
  })) as JsonObject; // it was one
}

/** The keys that have a default or must be there. */
function startOf(schema: Json): JsonObject {
  const entries = [...fieldsOf(schema)].flatMap(([key, field]): readonly (readonly [string, Json])[] =>
    isRequired(schema, key) || valueOf(field, 'default') !== undefined ? [[key, sampleOf(field)]] : [],
  );
  return Object.fromEntries(entries);
}

/** Lists whose items need other documents to be there. */
function leaningOnOthers(form: Form): ReadonlySet<Pointer> {
  if (!('expand' in form)) return new Set();
  const members = form.expand(form.example).flatMap((piece) => (piece.type === 'member' ? [piece.from] : []));
  return new Set(members.map(parentOf));
}

type TemplateContext = {
  readonly form: Form;
  /** The part whose shape is another one here. */
  readonly part: { readonly path: Pointer; readonly schema: JsonObject } | undefined;
  /** Fields of the example that the template only mentions. */
  readonly leftOut: ReadonlySet<Pointer>;
};

function mapLines(
  value: Json,
  schema: Json | undefined,
  path: Pointer,
  writing: TemplateContext,
): readonly string[] {
  const shape = writing.part !== undefined && writing.part.path === path ? writing.part.schema : schema;
  const fields = fieldsOf(shape);
  const keys = new Set([...fields.keys(), ...(isObject(value) ? Object.keys(value) : [])]);
  return [...keys].flatMap((key) => {
    const place = joinPointer(path, key);
    const field = fieldOf(shape, key);
    const written = valueOf(value, key);
    if (written !== undefined && !writing.leftOut.has(place)) {
      return [...descriptionOf(field), ...entryLines(key, written, field, place, writing)];
    }
    if (isServerManaged(writing.form, place)) return [];
    const sample = written ?? defaultIn(writing.form, place) ?? sampleOf(field);
    return [...descriptionOf(field), `# ${inFlow(key)}: ${inFlow(sample)}`];
  });
}

function entryLines(
  key: string,
  value: Json,
  schema: Json | undefined,
  place: Pointer,
  writing: TemplateContext,
): readonly string[] {
  if (!isObject(value))
    return printYaml([{ [key]: value }])
      .trimEnd()
      .split('\n');
  const inside = mapLines(value, schema, place, writing).map((line) => `  ${line}`);
  if (Object.keys(value).length > 0) return [`${inFlow(key)}:`, ...inside];
  return [
    `${inFlow(key)}: {}${inside.length === 0 ? '' : ' # in place of {}, what you need of this:'}`,
    ...inside,
  ];
}

function descriptionOf(schema: Json | undefined): readonly string[] {
  const description = valueOf(schema, 'description');
  return typeof description === 'string' ? [`# ${description}`] : [];
}

function isServerManaged(form: Form, place: Pointer): boolean {
  return 'serverManaged' in form && form.serverManaged.map(printPointer).includes(place);
}

function defaultIn(form: Form, place: Pointer): Json | undefined {
  if (!('defaults' in form)) return undefined;
  return form.defaults.find(({ tokens }) => printPointer(tokens) === place)?.value;
}

/** A value that a schema allows, as far as it says: its default, or what is easiest to replace. */
export function sampleOf(schema: Json | undefined, isNested = false): Json {
  const first = valueAt(schema, '/enum/0') ?? valueOf(schema, 'const');
  const fallback = valueOf(schema, 'default') ?? first;
  if (fallback !== undefined) return fallback;
  const items = itemOf(schema);
  if (items !== undefined) return isNested ? [] : [sampleOf(items, true)];
  const fields = fieldsOf(schema);
  if (fields.size > 0) {
    const entries = [...fields].map(([key, field]): [string, Json] => [key, sampleOf(field, true)]);
    return isNested ? {} : Object.fromEntries(entries);
  }
  switch (valueOf(schema, 'type')) {
    case 'integer':
    case 'number':
      return valueOf(schema, 'minimum') ?? 1;
    case 'boolean':
      return false;
    case 'object':
      return {};
    case 'array':
      return [];
    default:
      return '…';
  }
}

/** On one line. */
function inFlow(value: Json): string {
  if (isList(value)) return `[${value.map(inFlow).join(', ')}]`;
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${inFlow(key)}: ${inFlow(item)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  const isRisky = typeof value === 'string' && /[,[\]{}\n]/.test(value);
  return isRisky ? JSON.stringify(value) : printYaml([value]).trimEnd();
}
