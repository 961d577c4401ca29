import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { memoize } from '../model/collect.ts';
import { isObject, valueAt, type Json, type JsonObject, type Pointer } from '../model/json/json.ts';

/** One way in which a value misses its JSON Schema. */
export type Violation = {
  /** Where, rooted at the value; for a missing or unknown key, the map that should or should not have it. */
  readonly path: Pointer;
  readonly keyword: string;
  /** What the keyword asks for; its shape hangs on the keyword. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly found: Json | undefined;
  /** The keys that the schema knows at this place. */
  readonly known: readonly string[];
  readonly message: string;
};

/** All violations of a JSON Schema, not the first; each schema object is compiled once. */
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

/** Whether a value is as a schema has it. */
export function holds(schema: JsonObject, value: Json): boolean {
  return judges(schema)(value);
}

// Compiled in half the time of what also says why not, which is seldom asked.
const judges = compiler({ allErrors: false, verbose: false, messages: false });
const explains = compiler({ allErrors: true, verbose: true });

function compiler(options: Options): (schema: JsonObject) => ValidateFunction {
  let ajv: Ajv | undefined;
  return memoize((schema) => (ajv ??= new Ajv({ ...OWN_SCHEMAS, ...options })).compile(schema));
}

/**
 * The schemas are our own, and tests hold them to the meta schema, which takes longer to compile than all of them. To make
 * the code of a check smaller takes longer than ten thousand documents gain by it.
 */
const OWN_SCHEMAS: Options = { strict: false, meta: false, validateSchema: false, code: { optimize: false } };
