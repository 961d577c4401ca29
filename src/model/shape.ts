import {
  Type,
  type TArray,
  type TBoolean,
  type TEnum,
  type TInteger,
  type TLiteral,
  type TNumber,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TString,
  type TUnsafe,
} from 'typebox';
import type { Json, JsonObject, Pointer } from './json/json.ts';
import type { Address } from './resource.ts';

// The shapes of what gwconf writes for others: the type, the published schema and the checker are made from one value. Files with
// shapes are imported for their types only, except by the build, which publishes and compiles them: so no run loads TypeBox.

/** The type of values of a shape: read-only, and what may be absent may be `undefined` as well. */
export type Plain<T> =
  T extends TOneOf<infer Shapes>
    ? Plain<Shapes[number]>
    : T extends TUnsafe<infer Value>
      ? Value
      : T extends TObject<infer Fields>
        ? PlainFields<Fields>
        : T extends TArray<infer Item>
          ? readonly Plain<Item>[]
          : T extends TEnum<infer Values>
            ? Values[number]
            : T extends TLiteral<infer Value>
              ? Value
              : T extends TString
                ? string
                : T extends TInteger | TNumber
                  ? number
                  : T extends TBoolean
                    ? boolean
                    : never;

/** The same for the fields of a map. */
export type PlainFields<Fields> = {
  readonly [Key in keyof Fields as Fields[Key] extends TOptional ? never : Key]: Plain<Fields[Key]>;
} & {
  readonly [Key in keyof Fields as Fields[Key] extends TOptional ? Key : never]?:
    | Plain<Fields[Key]>
    | undefined;
};

/** A map with these fields and no other; a reader of a published format passes over others. */
export function object<Fields extends TProperties>(
  fields: Fields,
  description?: string,
  options: TSchemaOptions = {},
): TObject<Fields> {
  return Type.Object(fields, { ...about(description), additionalProperties: false, ...options });
}

/** A map that may have any fields. */
export function open<Value = JsonObject>(description?: string, options: TSchemaOptions = {}): TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...about(description), type: 'object', ...options });
}

/** A map of values of one shape. */
export function mapOf<Item extends TSchema>(
  item: Item,
  description?: string,
  options: TSchemaOptions = {},
): TUnsafe<Readonly<Record<string, Plain<Item>>>> {
  return open(description, { additionalProperties: item, ...options });
}

export function list<Item extends TSchema>(
  item: Item,
  description?: string,
  options: TSchemaOptions = {},
): TArray<Item> {
  return Type.Array(item, { ...about(description), ...options });
}

export function text(description?: string, options: TSchemaOptions = {}): TString {
  return Type.String({ ...about(description), ...options });
}

/** An ISO 8601 time in UTC. */
export function time(description?: string): TString {
  return text(description, {
    format: 'date-time',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$',
  });
}

export function count(description?: string, minimum = 0): TInteger {
  return Type.Integer({ ...about(description), minimum });
}

export function integer(description?: string): TInteger {
  return Type.Integer(about(description));
}

export function flag(description?: string, options: TSchemaOptions = {}): TBoolean {
  return Type.Boolean({ ...about(description), ...options });
}

export function anything(): TUnsafe<Json> {
  return Type.Unsafe<Json>({});
}

/** One of these words. */
export function words<const Words extends readonly string[]>(
  list: Words,
  description?: string,
  options: TSchemaOptions = {},
): TUnsafe<Words[number]> {
  return Type.Unsafe<Words[number]>({ ...about(description), enum: [...list], ...options });
}

export function exactly<const Value extends string | number | boolean>(
  value: Value,
  description?: string,
): TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...about(description), const: value });
}

/** One of several shapes. */
export function either<const Shapes extends readonly TSchema[]>(
  shapes: Shapes,
  description?: string,
): TUnsafe<Plain<Shapes[number]>> {
  return Type.Unsafe({ ...about(description), anyOf: shapes });
}

/** One of several maps, which differ in the value of one field. */
export function oneBy<const Shapes extends readonly TSchema[]>(
  field: string,
  shapes: Shapes,
  description?: string,
): TOneOf<Shapes> {
  const discriminator = { propertyName: field };
  const written = { ...about(description), type: 'object', discriminator, oneOf: shapes };
  return Type.Unsafe<unknown>(written) as TSchema as TOneOf<Shapes>; // it has them
}

/** One of some shapes; by name, because the published types would have each of them in full. */
export type TOneOf<Shapes extends readonly TSchema[]> = TSchema & { readonly oneOf: Shapes };

export function maybe<Shape extends TSchema>(shape: Shape): TOptional<Shape> {
  return Type.Optional(shape) as TOptional<Shape>; // no shape of ours is so already
}

/** A shape with a name among the definitions of published schemas. */
export function define<Shape extends TSchema>(definition: string, shape: Shape): Shape {
  return { ...shape, definition };
}

/** A named shape, described for this place. */
export function described<Shape extends TSchema>(description: string, shape: Shape): TUnsafe<Plain<Shape>> {
  return Type.Unsafe({ description, allOf: [shape] });
}

function about(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

export const position = define(
  'position',
  object(
    { file: text(), line: count(undefined, 1), column: count(undefined, 1) },
    'A place in a file, counted from 1 as editors do.',
  ),
);

export const POINTER_PATTERN = '^(/|$)';

export const pointer = define(
  'pointer',
  Type.Unsafe<Pointer>(text('A JSON Pointer (RFC 6901) into the resource.', { pattern: POINTER_PATTERN })),
);

export const address = define(
  'address',
  Type.Unsafe<Address>(
    text('What makes two resources the same one: AliasTopic/orders@vCluster=prod.', { pattern: '^[^/]+/' }),
  ),
);

/** Counts by these names. */
export function numbers<const Names extends readonly string[]>(
  names: Names,
): { readonly [Name in Names[number]]: TInteger } {
  const fields = Object.fromEntries(names.map((name) => [name, count()]));
  return fields as { readonly [Name in Names[number]]: TInteger }; // one for each name
}

export function nullable(description?: string): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ ...about(description), type: ['string', 'null'] });
}
