import {
  changeAt,
  isObject,
  parsePointer,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json/json.ts';
import type { Kind, Variant } from '../model/kind.ts';
import type { Catalog, OwnKind } from '../model/own-kind.ts';
import { marksOf } from './load/envelope.ts';
import { kindNamed, namesOfForm } from './load/recognise.ts';

/**
 * A JSON Schema for editors with all kinds that files can declare. `kind` selects the schema, and a field with variants that of
 * its part. `only` limits it to one kind, by name or alias; undefined if there is no such kind.
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
      kind: { enum: chosen.flatMap(namesOfForm) },
      metadata: { type: 'object' },
      spec: { type: 'object' },
    },
    allOf: chosen.map((form) => ({
      if: { required: ['kind'], properties: { kind: { enum: namesOfForm(form) } } },
      then: shapeOf(form),
    })),
  };
}

function shapeOf(form: Kind | OwnKind): JsonObject {
  const shape: JsonObject = {
    description: form.summary,
    additionalProperties: false,
    properties: {
      apiVersion: { const: form.apiVersion },
      kind: {},
      ...marksOf(form),
      metadata: placeholdersToo(form.schema.metadata),
      spec: placeholdersToo(withAnyCase(form)),
    },
    examples: [form.example],
  };
  return 'variants' in form ? withVariants(shape, form.variants) : shape;
}

/** Completes the field that selects a variant, allows any other text, and applies the schema of the selected variant. */
function withVariants(shape: JsonObject, { by, part, known }: NonNullable<Kind['variants']>): JsonObject {
  const completed = {
    enum: known.map(({ name }) => name),
    enumDescriptions: known.map(({ summary }) => summary),
  };
  const field = parsePointer(by).flatMap((token) => ['properties', token]);
  const open = changeAt(shape, field, (found) => {
    const { description, ...rest } = isObject(found) ? found : {};
    return { ...(description === undefined ? {} : { description }), anyOf: [completed, rest] };
  });
  const allOf = known.map((variant: Variant) => ({
    if: asking(by, { const: variant.name }),
    then: asking(part, {
      description: variant.summary,
      ...(placeholdersToo(variant.schema, ANY_TEMPLATE) as JsonObject), // the schema of a map stays one
    }),
  }));
  return { ...(open as JsonObject), allOf }; // a field was changed
}

/** A schema for one field, which is required. */
function asking(pointer: Pointer, schema: JsonObject): JsonObject {
  return parsePointer(pointer).reduceRight<JsonObject>(
    (inside, token) => ({ required: [token], properties: { [token]: inside } }),
    schema,
  );
}

// Values without case are completed in one case and accepted in any.
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

const VARIABLE = '\\$\\{[^}]*\\}';
// Configs of plugins can contain templates for the gateway.
const ANY_TEMPLATE = `${VARIABLE}|\\{\\{`;

/** Allows `${VAR}` in place of any scalar. */
function placeholdersToo(schema: Json, pattern = VARIABLE): Json {
  if (!isObject(schema)) return schema;
  const { properties, items, additionalProperties, description, ...rest } = schema;
  const shape: JsonObject = {
    ...rest,
    ...(isObject(properties) ? { properties: eachField(properties, pattern) } : {}),
    ...(items === undefined ? {} : { items: placeholdersToo(items, pattern) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: placeholdersToo(additionalProperties, pattern) }),
  };
  const said = description === undefined ? {} : { description };
  const picky = 'pattern' in rest || 'enum' in rest || SCALARS.has(rest['type']);
  return picky ? { ...said, anyOf: [shape, { type: 'string', pattern }] } : { ...said, ...shape };
}

const SCALARS: ReadonlySet<Json | undefined> = new Set(['integer', 'number', 'boolean']);

function eachField(properties: JsonObject, pattern: string): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([key, field]) => [key, placeholdersToo(field, pattern)]),
  );
}
