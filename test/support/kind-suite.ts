import { describe, expect, it } from 'vitest';
import {
  parsePointer,
  placesOf,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
} from '../../src/model/json/json.ts';
import type { Kind } from '../../src/model/kind.ts';
import { identify } from '../../src/model/identity.ts';
import { normalForm, requestBody, withDefaults, referencesOf } from '../../src/model/normal/normal-form.ts';
import { asValid, type Resource } from '../../src/model/resource.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { printYaml } from '../../src/schema/yaml/print.ts';
import { problemsOf, resourceOf, stateOf } from './expect-problems.ts';

/** What holds for every kind that files can declare; `address` is that of its example. */
export function kindSuite(kind: Kind, address: string): void {
  describe(`every ${kind.name}`, () => {
    const { example } = kind;

    it('is in the catalogue, and says what it is', () => {
      expect(catalog.kinds.get(kind.name)).toBe(kind);
      expect(kind.summary).toMatch(/^[A-Z].*\.$/);
    });

    it('is as its example is', () => {
      expect(problemsOf(print(example))).toEqual([]);
      expect(resourceOf(print(example))).toEqual(example);
    });

    it('is identified', () => {
      expect(identify(kind, example)).toBe(address);
      expect(identify(kind, normalForm(kind, example))).toBe(address);
    });

    it('may be written in its normal form', () => {
      const normal = normalForm(kind, example);
      expect(problemsOf(print(normal))).toEqual([]);
      expect(normalForm(kind, resourceOf(print(normal)))).toEqual(normal);
    });

    it('is the same when its defaults are written out', () => {
      const filled = withDefaults(kind, example);
      expect(problemsOf(print(filled))).toEqual([]);
      expect(normalForm(kind, filled)).toEqual(normalForm(kind, example));
    });

    it('is the same when it is sent, and when it is read back with more', () => {
      const body = requestBody(kind, example);
      expect(normalForm(kind, body)).toEqual(normalForm(kind, example));
      const live = { ...body, spec: { ...body.spec, newInTheNextVersion: { a: 1 } }, status: 'fine' };
      expect(normalForm(kind, live)).toEqual(normalForm(kind, example));
      expect(requestBody(kind, example, live)).toMatchObject({
        spec: { newInTheNextVersion: { a: 1 } },
        status: 'fine',
      });
    });

    it('needs no change against itself', () => {
      const live = { resources: new Map([[identify(kind, example), example]]), unavailable: new Map() };
      const { value } = makePlan(stateOf(print(example)), live, catalog.kinds, { gateway: 'none' });
      expect(value).toMatchObject({ changes: [], unchanged: [address] });
    });

    it('refers to what it names, at the place where it does', () => {
      const filled = withDefaults(kind, example);
      for (const { to, path } of referencesOf(example, kind)) {
        const named = JSON.stringify(valueAt(filled, path));
        expect(named).toContain(to.slice(to.indexOf('/') + 1).replace(/@.*/, ''));
      }
    });

    it('has a form whose pointers are fields of it', () => {
      const pointers = [
        ...kind.defaults.map(({ tokens }) => tokens),
        ...kind.upperCase,
        ...kind.serverManaged,
        ...kind.unique,
        ...kind.immutable.map(parsePointer),
        ...(kind.oneAtATime === undefined ? [] : [parsePointer(kind.oneAtATime)]),
      ];
      for (const tokens of pointers) expect(schemaAt(kind, tokens), tokens.join('/')).toBeTypeOf('object');
      for (const tokens of kind.sets(example)) {
        const items = placesOf(withDefaults(kind, example), tokens).map(({ value }) => value);
        for (const list of items) expect(Array.isArray(list), tokens.join('/')).toBe(true);
      }
    });

    it('has no field that is not in its form', () => {
      expect(refusals(kind, { metadata: { ...example.metadata, nosuch: 1 } })).toEqual([
        'unknown-field /metadata/nosuch',
      ]);
      expect(refusals(kind, { spec: { ...example.spec, nosuch: 1 } })).toEqual([
        'unknown-field /spec/nosuch',
      ]);
    });

    it('needs a name and a spec', () => {
      const { name: _, ...unnamed } = example.metadata;
      expect(refusals(kind, { metadata: unnamed })).toEqual(['missing-field /metadata/name']);
      expect(refusals(kind, { spec: null })).toEqual(['invalid-value /spec']);
    });
  });
}

/** What is wrong with the example of a kind when these parts of it are others: `code path`. */
export function refusals(kind: Kind, parts: JsonObject): readonly string[] {
  return problemsOf(print({ ...kind.example, ...parts })).map(({ code, path = '' }) => `${code} ${path}`);
}

/** The same for single fields of the spec. */
export function refusalsOfSpec(kind: Kind, spec: JsonObject): readonly string[] {
  return refusals(kind, { spec: { ...kind.example.spec, ...spec } });
}

/** A resource of the kind in normal form. */
export function normal(kind: Kind, metadata: Resource['metadata'], spec: JsonObject): Resource {
  return normalForm(kind, asValid({ apiVersion: kind.apiVersion, kind: kind.name, metadata, spec }));
}

function print(resource: JsonObject | Resource): string {
  return printYaml([resource]);
}

function schemaAt(kind: Kind, [field = '', ...tokens]: readonly string[]): Json | undefined {
  return tokens.reduce<Json | undefined>(
    (schema, token) =>
      token === '*' ? valueOf(schema, 'items') : valueOf(valueOf(schema, 'properties'), token),
    valueOf(kind.schema, field),
  );
}
