import { groupBy } from '../../model/collect.ts';
import {
  entriesOf,
  isList,
  isObject,
  valueOf,
  type Json,
  type JsonObject,
  textsIn,
} from '../../model/json/json.ts';
import { isSecretKey } from '../../model/secrets/secret-texts.ts';
import { toOneLine } from '../../model/text/escape.ts';

/** No kind has a schema with more parts than this: what refers to itself in two places would double at each level. */
const MOST_PARTS = 3000;
const MOST_LEVELS = 24;
/** How many parts that are not understood are looked at for secrets. */
const MOST_LOOKS = 100_000;
const MOST_CHOICES = 500;
const LONGEST_TEXT = 400;

const TYPES = new Set<Json>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const NUMBERS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const FLAGS = ['uniqueItems', 'readOnly', 'writeOnly'];
/** What a reduced schema has of others, and values and words, which describe nothing. */
const KEPT = new Set([
  ...['type', 'nullable', 'pattern', 'format', 'enum', 'const', 'default', 'description', 'required'],
  ...['properties', 'items', 'additionalProperties', ...NUMBERS, ...FLAGS],
]);
const WORDS = new Set([
  'example',
  'examples',
  'default',
  'enum',
  'const',
  'description',
  'title',
  'required',
]);

/** A part of a description that is larger than any kind. */
export class TooLarge extends Error {}

/**
 * A schema of a foreign description as one of few keywords that refers to nothing. What is not understood allows everything, so no valid
 * object is refused; if there is a secret in that part, all of it is one. Reducing it again changes nothing. Throws a TooLarge.
 */
export function reduceSchema(schema: Json | undefined, definitions: Json | undefined): JsonObject {
  const reduction: Reduction = { definitions, parts: 0, looks: 0 };
  return reduce(schema, reduction, []);
}

type Reduction = { readonly definitions: Json | undefined; parts: number; looks: number };

function reduce(schema: Json | undefined, reduction: Reduction, open: readonly string[]): JsonObject {
  reduction.parts += 1;
  if (reduction.parts > MOST_PARTS) throw new TooLarge(`has more than ${MOST_PARTS} parts`);
  if (!isObject(schema)) return {};
  const below = (part: Json | undefined, name = ''): JsonObject => reduce(part, reduction, [...open, name]);
  /** A schema of which these parts are not understood. */
  const without = (reduced: JsonObject, ...parts: readonly Json[]): JsonObject =>
    hasSecret(parts, reduction) ? { ...reduced, writeOnly: true } : reduced;
  if (open.length > MOST_LEVELS) return without({}, schema);

  const { $ref: ref, allOf: all, oneOf: one, anyOf: any, ...rest } = schema;
  if (ref !== undefined) {
    const name = nameIn(ref);
    // What contains itself may contain anything.
    if (name === undefined || open.includes(name)) return without({}, schema);
    return without(below(valueOf(reduction.definitions, name), name), omit(schema, '$ref'));
  }
  if (isList(all) && all.length > 0)
    return without(all.map((part) => below(part)).reduce(both), omit(schema, 'allOf'));
  const choices = one ?? any;
  if (isList(choices)) {
    const known = choices.slice(0, MOST_CHOICES).map((part) => below(part));
    const others = omit(schema, one === undefined ? 'anyOf' : 'oneOf');
    return without(oneOf(known), choices.slice(MOST_CHOICES), others);
  }

  const { types, keywords } = scalarsOf(rest);
  const { properties, left } = propertiesOf(rest, below);
  const [items, written] = [valueOf(rest, 'items'), valueOf(rest, 'additionalProperties')];
  const others = isObject(written) ? below(written) : left.length === 0 ? written : true;
  const required = textsIn(valueOf(rest, 'required')).filter((key) => Object.hasOwn(properties, key));
  const reduced = {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? (types[0] ?? null) : types }),
    ...keywords,
    ...(items === undefined ? {} : { items: below(items) }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(others === undefined || others === null ? {} : { additionalProperties: others }),
  };
  return without(reduced, omit(schema, ...KEPT), left, isList(items) ? items : []);
}

function nameIn(ref: Json): string | undefined {
  return /^#\/components\/schemas\/([\w.-]+)$/.exec(typeof ref === 'string' ? ref : '')?.[1];
}

function omit(schema: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

/** Keys of secrets, beside those that are secret in free configs. */
export function isSecretField(key: string): boolean {
  return isSecretKey(key) || /credentials?$/i.test(key);
}

/** Whether these parts say of anything, however deep, that it is a secret. */
function hasSecret(parts: readonly Json[], reduction: Reduction): boolean {
  const seen = new Set<string>();
  const rest: Json[] = [...parts];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if ((reduction.looks += 1) > MOST_LOOKS)
      throw new TooLarge(`has more than ${MOST_LOOKS} parts where it is not understood`);
    if (isSecret(part)) return true;
    const name = nameIn(valueOf(part, '$ref') ?? null);
    if (name !== undefined && !seen.has(name)) {
      seen.add(name);
      rest.push(valueOf(reduction.definitions, name) ?? null);
    }
    for (const [key, below] of entriesOf(part)) if (!WORDS.has(key)) rest.push(below);
    const fields = entriesOf(valueOf(part, 'properties') ?? null);
    if (fields.some(([key]) => isSecretField(key))) return true;
  }
  return false;
}

function isSecret(schema: Json): boolean {
  return valueOf(schema, 'writeOnly') === true || valueOf(schema, 'format') === 'password';
}

function scalarsOf(schema: JsonObject): { readonly types: readonly Json[]; readonly keywords: JsonObject } {
  const type = valueOf(schema, 'type');
  const named = (isList(type) ? type : [type ?? null]).filter((one) => one !== null && TYPES.has(one));
  const types =
    valueOf(schema, 'nullable') === true && named.length > 0 ? [...new Set([...named, 'null'])] : named;
  const keywords: Record<string, Json> = {};
  for (const key of NUMBERS) {
    const value = valueOf(schema, key);
    if (typeof value === 'number' && Number.isFinite(value)) keywords[key] = value;
  }
  for (const key of FLAGS) if (valueOf(schema, key) === true) keywords[key] = true;
  const [format, written, choices, only, preset, words] = [
    'format',
    'pattern',
    'enum',
    'const',
    'default',
    'description',
  ].map((key) => valueOf(schema, key));
  if (isSecret(schema)) keywords['writeOnly'] = true;
  // The vendor writes patterns into `format`.
  const pattern = [written, format].find((one) => typeof one === 'string' && isLinear(one));
  if (pattern !== undefined) keywords['pattern'] = pattern;
  if (isList(choices) && choices.length > 0 && choices.length <= MOST_CHOICES && choices.every(isScalar))
    keywords['enum'] = choices;
  if (isScalar(only)) keywords['const'] = only;
  if (isScalar(preset)) keywords['default'] = preset;
  if (typeof words === 'string') keywords['description'] = toOneLine(words.slice(0, LONGEST_TEXT));
  return { types, keywords };
}

/** A value on one line that would be the same in a file: `${…}` there is a variable. */
function isScalar(value: Json | undefined): value is string | number | boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string')
    return value.length <= LONGEST_TEXT && !/[\p{Cc}\p{Zl}\p{Zp}]|\$\{/u.test(value);
  return typeof value === 'boolean';
}

/** A key that means something to the language, or is no word, is no field: then the map may have any. */
function propertiesOf(
  schema: JsonObject,
  below: (part: Json, name?: string) => JsonObject,
): { readonly properties: JsonObject; readonly left: readonly Json[] } {
  const written = valueOf(schema, 'properties');
  const all = isObject(written) ? Object.entries(written) : [];
  const isField = (key: string): boolean => /^[\w.$-]{1,100}$/.test(key) && !(key in {});
  return {
    properties: Object.fromEntries(
      all.filter(([key]) => isField(key)).map(([key, field]) => [key, below(field)]),
    ),
    left: all.filter(([key]) => !isField(key)).map(([, field]) => field),
  };
}

function both(one: JsonObject, other: JsonObject): JsonObject {
  const required = [...textsIn(valueOf(one, 'required')), ...textsIn(valueOf(other, 'required'))];
  const parts = (['items', 'additionalProperties'] as const).flatMap((key) => {
    const [first, second] = [valueOf(one, key), valueOf(other, key)];
    if (!isObject(first)) return [];
    return [[key, isObject(second) ? both(first, second) : first] as const];
  });
  const fields = [one, other].flatMap((part) => entriesOf(valueOf(part, 'properties') ?? null));
  const properties = [...groupBy(fields, ([key]) => key)].map(
    ([key, same]) => [key, same.map(([, part]) => (isObject(part) ? part : {})).reduce(both)] as const,
  );
  return {
    ...one,
    ...other,
    ...Object.fromEntries(parts),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

/** One of several shapes: only their type is known, and what is secret in one of them; but for a shape that may be null. */
function oneOf(shapes: readonly JsonObject[]): JsonObject {
  const rest = shapes.filter((shape) => valueOf(shape, 'type') !== 'null');
  const [only, another] = rest;
  const types = new Set(rest.map((shape) => JSON.stringify(valueOf(shape, 'type') ?? null)));
  const type = types.size > 1 ? undefined : valueOf(only, 'type');
  if (type === undefined) return secretsOf(rest);
  const nullable = rest.length < shapes.length ? { type: [type, 'null'].flat() } : { type };
  return another === undefined ? { ...only, ...nullable } : { ...nullable, ...secretsOf(rest) };
}

/** A shape that allows everything, with the fields that are secret in one of these. */
function secretsOf(shapes: readonly JsonObject[]): JsonObject {
  if (shapes.length === 0) return {};
  if (shapes.some((shape) => valueOf(shape, 'writeOnly') === true)) return { writeOnly: true };
  const [items, others] = (['items', 'additionalProperties'] as const).map((key) =>
    secretsOf(shapes.map((shape) => valueOf(shape, key)).filter((part) => isObject(part))),
  );
  const fields = shapes.flatMap((shape) => entriesOf(valueOf(shape, 'properties') ?? null));
  const secret = [...groupBy(fields, ([key]) => key)].flatMap(([key, same]) => {
    const part = isSecretField(key)
      ? { writeOnly: true }
      : secretsOf(same.map(([, field]) => field).filter((field) => isObject(field)));
    return isEmpty(part) ? [] : [[key, part] as const];
  });
  const hasOthers = !isEmpty(others);
  return {
    ...(isEmpty(items) ? {} : { items: items ?? {} }),
    ...(secret.length === 0 ? {} : { properties: Object.fromEntries(secret) }),
    ...(secret.length === 0 && !hasOthers ? {} : { additionalProperties: hasOthers ? (others ?? {}) : true }),
  };
}

function isEmpty(part: JsonObject = {}): boolean {
  return Object.keys(part).length === 0;
}

/**
 * Whether a pattern takes time in proportion to the text, in any engine: characters and classes in a row from the first on, of which
 * one at most may repeat without an end. Other patterns are left to the gateway.
 */
export function isLinear(pattern: string): boolean {
  if (pattern.length > 200) return false;
  const inside =
    /^\^((?:[\w-]|\\[.dws-]|\[(?:[^[\]\\]|\\[.dws\]-]){1,100}\]|[+*?]|\{\d{1,3}(?:,\d{0,3})?\})*)\$$/.exec(
      pattern,
    )?.[1];
  if (inside === undefined) return false;
  const outside = inside.replaceAll(/\[(?:[^[\]\\]|\\.)*\]/g, 'x');
  const varied = outside.match(/[+*?]|\{\d+,\d*\}/g) ?? [];
  if (varied.length > 1) return false;
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
