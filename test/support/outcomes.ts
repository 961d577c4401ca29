import fc from './fast-check.ts';
import { publish } from '../../src/model/compile-shape.ts';
import {
  entriesOf,
  isList,
  isObject,
  valueOf,
  type Json,
  type JsonObject,
  type Scalar,
} from '../../src/model/json/json.ts';
import { SHAPES } from '../../src/outcome/shapes/published.ts';

export type ShapeName = keyof typeof SHAPES;

/**
 * Outcomes of a shape: every field is there, lists have one to three items, and no two texts or numbers are equal, so that each of
 * them can be looked for in what is printed of it. Words of an enum, and a choice of several shapes, vary.
 */
export function outcomesOf(name: ShapeName, fixed: JsonObject = {}): fc.Arbitrary<JsonObject> {
  const schema = publish(SHAPES[name]);
  return makersOf(schema, schema).map((make) => {
    let last = 100;
    return { ...(make(() => (last += 1)) as JsonObject), ...fixed }; // each is a map
  });
}

/** Every place of an outcome that holds a text, a number or a flag: what a reader may want to know. */
export function* factsOf(value: Json, path: readonly string[] = []): Generator<Fact> {
  if (isList(value) || isObject(value)) {
    const entries = isList(value) ? value.map((item, at) => [String(at), item] as const) : entriesOf(value);
    for (const [key, item] of entries) yield* factsOf(item, [...path, key]);
  } else yield { path, value };
}
export type Fact = { readonly path: readonly string[]; readonly value: Scalar };

/** Makes a value with numbers that are not yet used. */
type Make = (next: () => number) => Json;

function makersOf(schema: Json, root: JsonObject): fc.Arbitrary<Make> {
  const of = (key: string): Json | undefined => valueOf(schema, key);
  const ref = of('$ref');
  if (typeof ref === 'string')
    return makersOf(ref.split('/').slice(1).reduce<Json | undefined>(valueOf, root) ?? {}, root);
  const all = of('allOf');
  if (isList(all) && all.length === 1) return makersOf(all[0] ?? {}, root);
  const choices = of('oneOf') ?? of('anyOf');
  if (isList(choices) && of('properties') === undefined)
    return fc.oneof(...choices.map((one) => makersOf(one, root)));
  const words = of('const') === undefined ? of('enum') : [of('const') ?? null];
  if (isList(words)) return fc.constantFrom(...words).map((word) => () => word);
  const type = of('type');
  switch (isList(type) ? 'nullable' : type) {
    case 'nullable':
      return fc.constantFrom<Make>(
        (next) => textOf(schema, next),
        () => null,
      );
    case 'string':
      return fc.constant<Make>((next) => textOf(schema, next));
    case 'integer':
      return fc.constant<Make>((next) => next());
    case 'null':
      return fc.constant<Make>(() => null);
    case 'boolean':
      return fc.boolean().map((flag) => () => flag);
    case 'array':
      return fc
        .array(makersOf(of('items') ?? {}, root), { minLength: 1, maxLength: 3 })
        .map((items) => (next) => items.map((make) => make(next)));
    case 'object':
      return mapsOf(schema, root);
    default:
      return fc.constantFrom<Make>(
        (next) => `value-${next()}`,
        (next) => next(),
        (next) => ({ [`key-${next()}`]: [`item-${next()}`] }),
      );
  }
}

function mapsOf(schema: Json, root: JsonObject): fc.Arbitrary<Make> {
  const left = alternativesIn(schema);
  const fields = entriesOf(valueOf(schema, 'properties') ?? null).filter(([key]) => !left.includes(key));
  if (fields.length > 0)
    return fc
      .tuple(...fields.map(([, field]) => makersOf(field, root)))
      .map(
        (makers) => (next) =>
          Object.fromEntries(fields.map(([key], at) => [key, makers[at]?.(next) ?? null])),
      );
  const names = valueOf(schema, 'propertyNames');
  const others = valueOf(schema, 'additionalProperties');
  return makersOf(isObject(others) ? others : {}, root).map((make) => (next) => ({
    [names === undefined ? `key-${next()}` : `/spec/key-${next()}`]: make(next),
  }));
}

/** Fields that a map does not have beside the first of them. */
function alternativesIn(schema: Json): readonly Json[] {
  const choices = valueOf(schema, 'oneOf');
  return isList(choices) ? choices.slice(1).flatMap((one) => valueOf(one, 'required') ?? []) : [];
}

/** A text that its pattern allows, with a number of its own. */
function textOf(schema: Json, next: () => number): string {
  const pattern = valueOf(schema, 'pattern');
  if (typeof pattern !== 'string') return `text-${next()}`;
  const form = FORMS.find((one) => new RegExp(pattern, 'u').test(one(123)));
  if (form === undefined) throw new Error(`no text for ${pattern}`);
  return form(next());
}

/** One for each pattern. */
const FORMS: readonly ((number: number) => string)[] = [
  (number) => `/spec/field-${number}`,
  (number) => `AliasTopic/name-${number}@vCluster=prod`,
  (number) => `code-${String(number).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}`,
  (number) => `policy/p-${number}`,
  (number) => new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString(),
  (number) => `20260101T000000.${number}Z-ab12`,
  () => 'gwconf/plan-report@1',
  (number) => number.toString(16).padStart(40, '0'),
  (number) => number.toString(16).padStart(64, '0'),
  (number) => `${number}`.padEnd(86, 'A').concat('=='),
];
