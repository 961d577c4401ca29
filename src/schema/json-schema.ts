import { changeAt, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Catalog, Kind, OwnKind } from '../model/kind.ts';
import { kindNamed } from './check.ts';

/**
 * One JSON Schema for every kind that a file can declare, for editors: `kind` picks the shape. `only` narrows it to
 * one kind, by any of its names; undefined for a kind that there is none of.
 */
export function editorSchema(catalog: Catalog, only?: string): JsonObject | undefined {
  const declarable = [...catalog.kinds.values()].filter(({ removal }) => removal !== undefined);
  const forms: readonly (Kind | OwnKind)[] = [...declarable, ...catalog.ownKinds.values()];
  const wanted = only === undefined ? undefined : (kindNamed(only, catalog)?.name ?? only);
  const chosen = forms.filter(({ name }) => wanted === undefined || name === wanted);
  if (chosen.length === 0) return undefined;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title:
      wanted === undefined
        ? 'Resources of Conduktor Gateway, as gwconf reads them'
        : `A ${wanted}, as gwconf reads it`,
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { enum: [...new Set(chosen.map(({ apiVersion }) => apiVersion))] },
      kind: { enum: chosen.flatMap(namesOf) },
      metadata: { type: 'object' },
      spec: { type: 'object' },
    },
    allOf: chosen.map((form) => ({
      if: { required: ['kind'], properties: { kind: { enum: namesOf(form) } } },
      then: shapeOf(form),
    })),
  };
}

function namesOf(form: Kind | OwnKind): readonly string[] {
  return [form.name, ...('aliases' in form ? form.aliases : [])];
}

function shapeOf(form: Kind | OwnKind): JsonObject {
  const shape: JsonObject = {
    description: form.summary,
    additionalProperties: false,
    properties: {
      apiVersion: { const: form.apiVersion },
      kind: {},
      metadata: placeholdersToo(form.schema.metadata),
      spec: placeholdersToo(withAnyCase(form)),
    },
    examples: [form.example],
  };
  return shape;
}

// What is compared without case is completed in one case and accepted in any.
function withAnyCase(form: Kind | OwnKind): Json {
  if (!('upperCase' in form)) return form.schema.spec;
  return form.upperCase
    .map(([, ...tokens]) => tokens)
    .reduce<Json>((schema, tokens) => {
      const inSchema = tokens.flatMap((token) => ['properties', token]);
      return changeAt(schema, inSchema, (found) => ({
        anyOf: [found ?? {}, { type: 'string', not: found ?? {} }],
      }));
    }, form.schema.spec);
}

/** Before it is filled in, `${VAR}` is text wherever a scalar may stand. */
function placeholdersToo(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { properties, items, additionalProperties, description, ...rest } = schema;
  const shape: JsonObject = {
    ...rest,
    ...(isObject(properties) ? { properties: eachField(properties) } : {}),
    ...(items === undefined ? {} : { items: placeholdersToo(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: placeholdersToo(additionalProperties) }),
  };
  const said = description === undefined ? {} : { description };
  const picky = 'pattern' in rest || 'enum' in rest || SCALARS.has(rest['type']);
  return picky
    ? { ...said, anyOf: [shape, { type: 'string', pattern: '\\$\\{[^}]*\\}' }] }
    : { ...said, ...shape };
}

const SCALARS: ReadonlySet<Json | undefined> = new Set(['integer', 'number', 'boolean']);

function eachField(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, placeholdersToo(field)]));
}
