import { Ajv, type ValidateFunction } from 'ajv';
import { isObject, valueAt, type Json, type JsonObject, type Pointer } from '../model/json.ts';

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

let ajv: Ajv | undefined;
const compiled = new WeakMap<JsonObject, ValidateFunction>();

/** All violations of a JSON Schema, not the first; each schema object is compiled once. */
export function violationsOf(schema: JsonObject, value: Json): readonly Violation[] {
  const check = compile(schema);
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

function compile(schema: JsonObject): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  // The schemas are our own, and tests hold them to the meta schema, which takes longer to compile than all of them.
  // To make the code of a check smaller takes ajv longer than it saves in ten thousand documents.
  ajv ??= new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  const check = ajv.compile(schema);
  compiled.set(schema, check);
  return check;
}
