import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  changeAt,
  entriesOf,
  isList,
  isObject,
  valueAt,
  valueOf,
  withKey,
  type Json,
  type JsonObject,
} from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { digestOf } from '../../src/schema/validate.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { parseYaml } from '../../src/schema/yaml/parse.ts';
import { corpus } from '../support/corpus.ts';
import { ROOT } from '../support/sandbox.ts';
import { someOf } from '../support/soak.ts';

type Precompiled = ReadonlyMap<string, { readonly schema: JsonObject; readonly code: string }>;
type Check = (value: Json) => boolean;

const documents: readonly Json[] = [
  ...corpus.flatMap(({ name, text }) =>
    parseYaml({ path: name, text }, NO_VARIABLES).map(({ value }) => value),
  ),
  ...[...catalog.kinds.values(), ...catalog.ownKinds.values()].map(({ example }) => example),
];
const configs = documents.map((document) => valueAt(document, '/spec/config') ?? null);

let precompiled: Precompiled;
beforeAll(async () => {
  const script = (await import(join(ROOT, 'scripts/validators.mjs'))) as {
    readonly precompile: () => Promise<Precompiled>;
  };
  precompiled = await script.precompile();
});

describe('a validator that is compiled at build time', () => {
  it('accepts and rejects what the same schema does when it is compiled at run time', () => {
    let turn = 0;
    for (const { schema, code } of precompiled.values()) {
      const [made, expected] = [
        run(code),
        new Ajv({ strict: false }).removeKeyword('uniqueItems').compile(schema) as Check,
      ];
      const values = [...documents, ...configs, sampleOf(schema)];
      const accepted = values.filter(expected);
      expect(accepted, JSON.stringify(schema)).not.toEqual([]);
      const rejects = (value: Json): boolean => !expected(value);
      expect(accepted.some((value) => [...variationsOf(value)].some(rejects))).toBe(true);
      const changed = accepted.flatMap((value) => someOf(variationsOf(value), 29, turn++));
      const differing = [...values, ...changed].filter((value) => made(value) !== expected(value));
      expect(differing).toEqual([]);
    }
  });

  it('is found by the schema that it was made of, and not by a changed one', () => {
    for (const [digest, { schema }] of precompiled) {
      expect(digestOf(schema)).toBe(digest);
      expect(precompiled.has(digestOf({ ...schema, maxProperties: 1 }))).toBe(false);
    }
  });
});

function run(code: string): Check {
  const module: { exports?: Check } = {};
  const define = compileFunction(code, ['module', 'require']) as (...given: readonly unknown[]) => void;
  define(module, createRequire(import.meta.url));
  return module.exports as Check;
}

/** A value with everything that a schema names. */
function sampleOf(schema: Json, root = schema): Json {
  const [type, named, items, properties, ref] = ['type', 'enum', 'items', 'properties', '$ref'].map((key) =>
    valueOf(schema, key),
  );
  if (typeof ref === 'string') {
    const target = ref.split('/').slice(1).reduce<Json | undefined>(valueOf, root);
    return sampleOf(target ?? null, root);
  }
  if (isList(named)) return named[0] ?? null;
  if (isObject(properties)) {
    return Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, sampleOf(field, root)]));
  }
  switch (isList(type) ? type[0] : type) {
    case 'array':
      return Array.from({ length: Number(valueOf(schema, 'minItems') ?? 1) }, () =>
        sampleOf(items ?? {}, root),
      );
    case 'object':
      return {};
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default: {
      const pattern = valueOf(schema, 'pattern');
      const fits = new RegExp(typeof pattern === 'string' ? pattern : '', 'u');
      return TEXTS.find((text) => fits.test(text)) ?? null;
    }
  }
}

/** One for each pattern. */
const TEXTS = ['text', '/spec', '3.21', '30s', '10%', '2027-01-31'];

const OTHERS: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'text',
  '${A}',
  'é'.repeat(300),
  [],
  ['a', 'a'],
  {},
  { a: 1 },
];

/** The value with one place changed, removed or added. */
function* variationsOf(value: Json, path: readonly string[] = [], whole = value): Generator<Json> {
  for (const other of OTHERS) yield changeAt(whole, path, () => other);
  if (isObject(value)) yield changeAt(whole, path, () => withKey(value, 'unknown', 1));
  for (const [key, child] of entriesOf(value)) {
    yield changeAt(whole, [...path, key], () => undefined);
    yield* variationsOf(child, [...path, key], whole);
  }
}
