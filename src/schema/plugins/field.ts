import { joinPointer, type Json, type JsonObject, type Pattern } from '../../model/json/json.ts';
import type { Narrowing } from '../../model/kind.ts';
import type { Protected, Strength } from '../../model/strength.ts';
import type { Age, AtPattern } from './ages.ts';
import type { Check } from './config-checks.ts';
import { checkPattern } from './pattern-fields.ts';
import { notEmpty, numberFrom } from './values.ts';
import { mapValues } from '../../model/collect.ts';

/** A field of a config: its JSON Schema, and properties of it and its subfields, rooted at the field. */
export type Field = {
  readonly schema: JsonObject;
  readonly sets?: readonly Pattern[];
  readonly secrets?: readonly Pattern[];
  readonly checks?: readonly AtPattern<Check>[];
  readonly ages?: readonly AtPattern<Age>[];
  readonly narrowings?: readonly Narrowing[];
  /** What of it protects less; every field of a plugin has one, or the field that it is in. */
  readonly strength?: Strength;
};
export type Fields = Readonly<Record<string, Field>>;

/** A value without a documented type. */
export function untyped(description?: string): Field {
  return leaf({}, description);
}

/** A value without a documented type that is no list or map. */
export function scalar(description?: string): Field {
  return leaf({ type: SCALARS }, description);
}
const SCALARS = ['string', 'number', 'boolean', 'null'];

/** A number that can be written as text. */
export function numeric(description: string, least = 0): Field {
  return checked(scalar(description), numberFrom(least));
}

/** A value that is hidden in all output; none has a documented type. */
export function secret(description: string): Field {
  return harmless({ ...scalar(description), secrets: [''] });
}

/** A field with additional rules. */
export function checked(field: Field, ...checks: readonly Check[]): Field {
  return { ...field, checks: [...(field.checks ?? []), ...checks.map((it) => ({ at: [], it }))] };
}

/** A field, or a value of it, that not all gateway versions have. */
export function aged(field: Field, age: Age): Field {
  return { ...field, ages: [...(field.ages ?? []), { at: [], it: age }] };
}

/** A field that limits what the plugin applies to. */
export function narrowing(axis: Narrowing['it']['axis'], by: Narrowing['it']['by'], field: Field): Field {
  const strength: Strength =
    by === 'query'
      ? { type: 'unknown' }
      : { type: 'reach', axis: by === 'undocumented' ? 'partition' : axis, by };
  return { ...strengthOf(strength, field), narrowings: [{ at: [], it: { axis, by } }] };
}

/** A field with what protects less. */
export function strengthOf(strength: Strength, field: Field): Field {
  const fallback = field.schema['default'];
  return { ...field, strength: { ...(fallback === undefined ? {} : { fallback }), ...strength } };
}

/** A field that does not protect: no value is weaker. */
export function harmless(field: Field): Field {
  return { ...field, strength: { type: 'none' } };
}

export function allHarmless(fields: Fields): Fields {
  return mapValues(fields, harmless);
}

/** A field whose values have no documented order: whether another one is weaker cannot be told. */
export function unordered(field: Field): Field {
  return strengthOf({ type: 'unknown' }, field);
}

/** A field whose values protect more and more. */
export function ordered(values: readonly (readonly Json[])[], field: Field): Field {
  return strengthOf({ type: 'order', values }, field);
}

/** A list of what is protected. */
export function each(what: Protected, field: Field): Field {
  return strengthOf({ type: 'each', what }, field);
}

/** A field without which nothing is protected. */
export function essential(field: Field): Field {
  return field.strength === undefined
    ? field
    : { ...field, strength: { ...field.strength, absent: 'nothing' } };
}

/** Values of which each of these is forbidden unless it is allowed. */
export function allows(values: readonly Json[], field: Field): Field {
  return strengthOf({ type: 'allows', values }, field);
}

/** Another spelling of a field, or an older place of it. */
export function alias(same: string, field: Field): Field {
  return field.strength === undefined ? field : { ...field, strength: { ...field.strength, same } };
}

/** The name of what the object protects. */
export function named(field: Field): Field {
  return strengthOf({ type: 'name' }, field);
}

/** A limit. */
export function most(field: Field): Field {
  return strengthOf({ type: 'most' }, field);
}

export function least(field: Field): Field {
  return strengthOf({ type: 'least' }, field);
}

/** A pattern that values must match. */
export function matching(field: Field): Field {
  return strengthOf({ type: 'matches' }, field);
}

/** A switch that protects when it is on. */
export function protecting(field: Field): Field {
  return strengthOf({ type: 'allows', values: [false] }, field);
}

/** An object that protects something by itself. */
export function part(what: Protected, field: Field): Field {
  const { strength } = field;
  return strength?.type === 'object' ? { ...field, strength: { ...strength, what } } : field;
}

/** A regular expression in Java syntax. */
export function regex(description: string, fallback?: string): Field {
  return checked(text(description, fallback), checkPattern, notEmpty);
}

export function text(description?: string, fallback?: string): Field {
  return leaf({ type: 'string' }, description, fallback);
}

export function integer(description: string, fallback?: number): Field {
  return leaf({ type: 'integer' }, description, fallback);
}

export function number(description: string, fallback?: number): Field {
  return leaf({ type: 'number' }, description, fallback);
}

/** A number within bounds. */
export function from(minimum: number, field: Field): Field {
  return { ...field, schema: { ...field.schema, minimum } };
}

export function upTo(maximum: number, field: Field): Field {
  return { ...field, schema: { ...field.schema, maximum } };
}

export function flag(description: string, fallback?: boolean): Field {
  return leaf({ type: 'boolean' }, description, fallback);
}

export function choice<T extends string | number>(
  values: readonly T[],
  description?: string,
  fallback?: NoInfer<T>,
): Field {
  return leaf({ enum: values }, description, fallback);
}

export function list(items: Field, description: string): Field {
  return {
    schema: { type: 'array', items: items.schema, description },
    sets: below('*', items.sets),
    secrets: below('*', items.secrets),
    checks: under('*', items.checks),
    ages: under('*', items.ages),
    ...(items.strength === undefined ? {} : { strength: { type: 'list', of: items.strength } }),
  };
}

/** A list whose order does not matter. */
export function setOf(items: Field, description: string): Field {
  return { ...list(items, description), sets: [''] };
}

/** A map from any keys to text. */
export function textMap(description: string): Field {
  return { schema: { type: 'object', additionalProperties: { type: 'string' }, description } };
}

/** A closed object; all fields are optional. */
export function object(fields: Fields, description?: string, fallback?: JsonObject): Field {
  const entries = Object.entries(fields);
  const properties = Object.fromEntries(entries.map(([key, field]) => [key, field.schema]));
  return {
    ...leaf({ type: 'object', additionalProperties: false, properties }, description, fallback),
    sets: entries.flatMap(([key, field]) => below(key, field.sets)),
    secrets: entries.flatMap(([key, field]) => below(key, field.secrets)),
    checks: entries.flatMap(([key, field]) => under(key, field.checks)),
    ages: entries.flatMap(([key, field]) => under(key, field.ages)),
    narrowings: entries.flatMap(([key, field]) => under(key, field.narrowings)),
    strength: {
      type: 'object',
      fields: Object.fromEntries(entries.map(([key, { strength }]) => [key, strength])),
    },
  };
}

/** The same, rooted one step above. */
function under<T>(key: string, placed: readonly AtPattern<T>[] = []): readonly AtPattern<T>[] {
  return placed.map(({ at, it }) => ({ at: [key, ...at], it }));
}

function below(key: string, patterns: readonly Pattern[] = []): readonly Pattern[] {
  return patterns.map((pattern): Pattern => `${joinPointer('', key)}${pattern}`);
}

function leaf(schema: JsonObject, description?: string, fallback?: Json): Field {
  if (fallback === undefined) {
    return { schema: description === undefined ? schema : { ...schema, description } };
  }
  const shown = typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
  const sentences = [description, `Default: ${shown}.`].filter((sentence) => sentence !== undefined);
  return { schema: { ...schema, description: sentences.join(' '), default: fallback } };
}
