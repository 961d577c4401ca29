import { groupBy } from '../../model/collect.ts';
import { entriesOf, isList, isObject, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';

/** No kind has a schema with more parts than this: what refers to itself in two places would double at each level. */
const MOST_PARTS = 3000;
const MOST_LEVELS = 24;
const MOST_CHOICES = 500;
const LONGEST_TEXT = 400;

const TYPES = new Set<Json>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const NUMBERS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const FLAGS = ['uniqueItems', 'readOnly', 'writeOnly'];

/** A part of a description that is larger than any kind. */
export class TooLarge extends Error {}

/**
 * A schema of a foreign description as one of few keywords that refers to nothing. What is not understood allows everything, so no valid
 * object is refused. Reducing it again changes nothing. Throws a TooLarge.
 */
export function reduceSchema(schema: Json | undefined, definitions: Json | undefined): JsonObject {
  const reduction: Reduction = { definitions, parts: 0 };
  return reduce(schema, reduction, []);
}

type Reduction = { readonly definitions: Json | undefined; parts: number };

function reduce(schema: Json | undefined, reduction: Reduction, open: readonly string[]): JsonObject {
  reduction.parts += 1;
  if (reduction.parts > MOST_PARTS) throw new TooLarge(`has more than ${MOST_PARTS} parts`);
  if (!isObject(schema) || open.length > MOST_LEVELS) return {};
  const below = (part: Json | undefined, name = ''): JsonObject => reduce(part, reduction, [...open, name]);

  const ref = valueOf(schema, '$ref');
  if (ref !== undefined) {
    const name = /^#\/components\/schemas\/([\w.-]+)$/.exec(typeof ref === 'string' ? ref : '')?.[1];
    // What contains itself may contain anything.
    if (name === undefined || open.includes(name)) return {};
    return below(valueOf(reduction.definitions, name), name);
  }
  const all = valueOf(schema, 'allOf');
  if (isList(all) && all.length > 0) return all.map((one) => below(one)).reduce(both);
  const choices = valueOf(schema, 'oneOf') ?? valueOf(schema, 'anyOf');
  if (isList(choices)) return oneOf(choices.slice(0, MOST_CHOICES).map((one) => below(one)));

  const { types, keywords } = scalarsOf(schema);
  const { properties, isWhole } = propertiesOf(schema, below);
  const [items, rest] = [valueOf(schema, 'items'), valueOf(schema, 'additionalProperties')];
  const others = isObject(rest) ? below(rest) : isWhole ? rest : true;
  const required = textsIn(valueOf(schema, 'required')).filter((key) => Object.hasOwn(properties, key));
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? (types[0] ?? null) : types }),
    ...keywords,
    ...(items === undefined ? {} : { items: below(items) }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(others === undefined || others === null ? {} : { additionalProperties: others }),
  };
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
  if (format === 'password') keywords['writeOnly'] = true;
  // The vendor writes patterns into `format`.
  const pattern = [written, format].find((one) => typeof one === 'string' && isLinear(one));
  if (pattern !== undefined) keywords['pattern'] = pattern;
  if (isList(choices) && choices.length > 0 && choices.length <= MOST_CHOICES && choices.every(isScalar))
    keywords['enum'] = choices;
  if (isScalar(only)) keywords['const'] = only;
  if (isScalar(preset)) keywords['default'] = preset;
  if (typeof words === 'string') keywords['description'] = onOneLine(words);
  return { types, keywords };
}

function onOneLine(words: string): string {
  return words
    .slice(0, LONGEST_TEXT)
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim();
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
): { readonly properties: JsonObject; readonly isWhole: boolean } {
  const written = valueOf(schema, 'properties');
  const all = isObject(written) ? Object.entries(written) : [];
  const fields = all.filter(([key]) => /^[\w.$-]{1,100}$/.test(key) && !(key in {}));
  return {
    properties: Object.fromEntries(fields.map(([key, field]) => [key, below(field)])),
    isWhole: fields.length === all.length,
  };
}

function both(one: JsonObject, other: JsonObject): JsonObject {
  const [first, second] = [one, other].map((part) => valueOf(part, 'properties'));
  const required = [...textsIn(valueOf(one, 'required')), ...textsIn(valueOf(other, 'required'))];
  return {
    ...one,
    ...other,
    ...(first === undefined && second === undefined
      ? {}
      : { properties: { ...(isObject(first) ? first : {}), ...(isObject(second) ? second : {}) } }),
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
    const part = secretsOf(same.map(([, field]) => field).filter((field) => isObject(field)));
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

function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((one) => typeof one === 'string') : [];
}
