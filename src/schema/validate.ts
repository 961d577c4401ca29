import type { Ajv, Options, ValidateFunction } from 'ajv';
import { memoize } from '../model/collect.ts';
import {
  canonicalText,
  entriesOf,
  isList,
  isObject,
  placesOf,
  somePlace,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json/json.ts';
import { loadAjv } from './load-ajv.ts';
import { precompiled, type Validator } from './precompiled.ts';
import { withNearestNumbers } from '../model/json/json-text.ts';

export type Violation = {
  /** The place in the value; for a missing or unknown key, that of the map. */
  readonly path: Pointer;
  readonly keyword: string;
  /** Parameters of the keyword. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly found: Json | undefined;
  /** Whether what was found is a key at the path. */
  readonly isKey?: true;
  /** The keys in the schema of this place, or of the items of a list. */
  readonly known: readonly string[];
  /** The keys that a map at this place, or each item of a list, must have. */
  readonly required: readonly string[];
  /** The form of a text with a pattern, in words. */
  readonly form?: string;
  readonly message: string;
};

/** All violations of a JSON Schema; each schema object is compiled once. */
export function violationsOf(schema: JsonObject, value: Json): readonly Violation[] {
  if (holds(schema, value)) return [];
  const check = explains(schema);
  check(withNearestNumbers(value));
  const violations = (check.errors ?? []).map((error): Violation => {
    const path = error.instancePath as Pointer; // ajv writes pointers
    const parent = (error.parentSchema ?? {}) as JsonObject; // ours
    const { properties, items, patternErrorMessage: form } = parent;
    const known = properties ?? valueOf(items, 'properties');
    const required = valueOf(items, 'required') ?? parent['required'];
    return {
      path,
      keyword: error.keyword,
      params: error.params as Readonly<Record<string, unknown>>, // typed per keyword by ajv's plugins only
      found: error.propertyName ?? valueAt(value, path),
      ...(error.propertyName === undefined ? {} : { isKey: true }),
      known: isObject(known) ? Object.keys(known) : [],
      required: isList(required) ? required.map(String) : [],
      ...(typeof form === 'string' ? { form } : {}),
      message: error.message ?? `fails ${error.keyword}`,
    };
  });
  return [...violations, ...repetitionsIn(schema, value)];
}

export function holds(schema: JsonObject, value: Json): boolean {
  return judges(schema)(withNearestNumbers(value)) && repetitionsIn(schema, value).length === 0;
}

/** For speed: tests check the schemas against the meta schema, and optimized code does not pay off for 10,000 documents. */
const OWN_SCHEMAS: Options = {
  strict: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
  inlineRefs: false,
};

/** A check without details compiles in half the time; details are rarely needed. */
export const JUDGING: Options = { ...OWN_SCHEMAS, allErrors: false, verbose: false, messages: false };

const compileJudge = compiler(JUDGING);
const judges = memoize(
  (schema: JsonObject): Validator => precompiled.get(digestOf(schema))?.() ?? compileJudge(schema),
);
const explains = memoize(compiler({ ...OWN_SCHEMAS, allErrors: true, verbose: true }));

function compiler(options: Options): (schema: JsonObject) => ValidateFunction {
  let ajv: Ajv | undefined;
  return (schema) => (ajv ??= makeAjv(options)).compile(schema);
}

/** Without `uniqueItems`, which is checked here. */
function makeAjv(options: Options): Ajv {
  const ajv = new (loadAjv().Ajv)(options);
  ajv.removeKeyword('uniqueItems');
  return ajv;
}

/** Violations of `uniqueItems`, the first of each list. ajv compares every item with every other one. */
function repetitionsIn(schema: JsonObject, value: Json): readonly Violation[] {
  const isLong = (list: Json): boolean => isList(list) && list.length > 1;
  const lists = uniqueListsOf(schema).filter((tokens) => somePlace(value, tokens, isLong));
  return lists.flatMap((tokens) =>
    placesOf(value, tokens).flatMap(({ pointer: path, value: list }): readonly Violation[] => {
      if (!isList(list)) return [];
      const seen = new Map<string, number>();
      for (const [i, item] of list.entries()) {
        const text = canonicalText(item);
        const j = seen.get(text);
        const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
        if (j !== undefined)
          return [
            { path, keyword: 'uniqueItems', params: { i, j }, found: list, known: [], required: [], message },
          ];
        seen.set(text, i);
      }
      return [];
    }),
  );
}

const uniqueListsOf = memoize((schema: JsonObject) => [...findUniqueLists(schema, [])]);

function* findUniqueLists(schema: Json | undefined, at: readonly string[]): Generator<readonly string[]> {
  if (valueOf(schema, 'uniqueItems') === true) yield at;
  for (const [key, child] of entriesOf(valueOf(schema, 'properties') ?? null))
    yield* findUniqueLists(child, [...at, key]);
  if (isObject(valueOf(schema, 'items'))) yield* findUniqueLists(valueOf(schema, 'items'), [...at, '*']);
}

/**
 * Identifies the text of a schema, so that a validator is used only for the schema that it was made of: cyrb53, since the digests of
 * `node:crypto` take longer to load than a file to check. Who describes a kind could make its schema collide with one of gwconf,
 * and would have that check instead of the own one.
 */
export function digestOf(schema: JsonObject): string {
  const text = JSON.stringify(schema);
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  const mixed = (one: number, other: number): number =>
    Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  return [mixed(high, low), mixed(low, high)]
    .map((half) => (half >>> 0).toString(16).padStart(8, '0'))
    .join('');
}
