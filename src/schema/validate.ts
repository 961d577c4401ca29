import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { memoize } from '../model/collect.ts';
import { isObject, valueAt, type Json, type JsonObject, type Pointer } from '../model/json/json.ts';

/** A violation of a JSON Schema. */
export type Violation = {
  /** The place in the value; for a missing or unknown key, that of the map. */
  readonly path: Pointer;
  readonly keyword: string;
  /** Parameters of the keyword. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly found: Json | undefined;
  /** The keys in the schema of this place. */
  readonly known: readonly string[];
  readonly message: string;
};

/** All violations of a JSON Schema; each schema object is compiled once. */
export function violationsOf(schema: JsonObject, value: Json): readonly Violation[] {
  if (holds(schema, value)) return [];
  const check = explains(schema);
  if (check(value)) return [];
  return (check.errors ?? []).map((error): Violation => {
    const path = error.instancePath as Pointer; // ajv writes pointers
    const properties: unknown = error.parentSchema?.['properties'];
    return {
      path,
      keyword: error.keyword,
      params: error.params as Readonly<Record<string, unknown>>, // typed per keyword by ajv's plugins only
      found: valueAt(value, path),
      known: isObject(properties) ? Object.keys(properties) : [],
      message: error.message ?? `fails ${error.keyword}`,
    };
  });
}

/** Whether a value is valid. */
export function holds(schema: JsonObject, value: Json): boolean {
  return judges(schema)(value);
}

// A check without details compiles in half the time; details are rarely needed.
const judges = compiler({ allErrors: false, verbose: false, messages: false });
const explains = compiler({ allErrors: true, verbose: true });

function compiler(options: Options): (schema: JsonObject) => ValidateFunction {
  let ajv: Ajv | undefined;
  return memoize((schema) => (ajv ??= new Ajv({ ...OWN_SCHEMAS, ...options })).compile(schema));
}

/** For speed: tests check the schemas against the meta schema, and optimized code does not pay off for 10,000 documents. */
const OWN_SCHEMAS: Options = { strict: false, meta: false, validateSchema: false, code: { optimize: false } };
