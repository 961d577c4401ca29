import { memoize } from '../model/collect.ts';
import {
  isList,
  isObject,
  parsePointer,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
} from '../model/json/json.ts';
import { compileKind } from '../model/compile-kind.ts';
import { schemaAt, type Kind, type KindForm } from '../model/kind.ts';
import { judge } from '../model/problem.ts';
import { asValid, type Parsed, type Resource } from '../model/resource.ts';
import { envelopeOf } from './load/envelope.ts';
import { checkAges } from './plugins/ages.ts';
import { holds, violationsOf } from './validate.ts';
import { describe, describeTypeOf, describeTypes } from './wording.ts';

export function defineKind<R extends Resource>(form: KindForm<R>): Kind {
  const compiled = compileKind(form, (item) => {
    const { apiVersion, name } = form;
    const shaped =
      form.read !== undefined && isObject(item) ? { apiVersion, kind: name, ...form.read(item) } : item;
    return readItem(kind, shaped);
  });
  const kind: Kind = {
    ...compiled,
    check: (examined, context) => [
      ...compiled.check(examined, context),
      ...checkAges(compiled.ages, examined.resource, context).map(judge),
    ],
  };
  return kind;
}

/**
 * A listed item as a resource. Most items are valid against the schema for files. Of others only types are checked: a newer
 * gateway may have more fields and values, and null for absent fields. Throws a TypeError.
 */
function readItem(kind: Kind, item: Json): Resource {
  if (!isObject(item))
    throw new TypeError(`expected ${describeTypes('object')}, found ${describeTypeOf(item)}`);
  if (!holds(envelopeOf(kind), item)) checkTypes(kind, item);
  if (typeof valueAt(item, '/metadata/name') !== 'string' || !isObject(item['spec'])) {
    throw new TypeError('expected metadata.name and spec');
  }
  const written = valueOf(item, 'kind') ?? kind.name;
  if (written !== kind.name && !kind.aliases.some((alias) => alias === written)) {
    throw new TypeError(`expected kind ${kind.name}, found ${describe(written)}`);
  }
  return asValid(item);
}

function checkTypes(kind: Kind, item: Parsed): void {
  const [violation] = violationsOf(typesOf(kind), item);
  if (violation === undefined) return;
  const { keyword, params, path, found } = violation;
  throw new TypeError(
    keyword === 'required'
      ? `expected ${String(params['missingProperty'])} in ${path}`
      : `expected ${describeTypes(params['type'])} in ${path}, found ${describeTypeOf(found)}`,
  );
}

/** The JSON Schema of the types of the fields of a kind. */
export const typesOf = memoize((kind: Kind): JsonObject => {
  const properties: JsonObject = { kind: { type: 'string' }, ...kind.schema };
  // The part with variants may have any shape: one unknown item must not prevent reading the others.
  const part = kind.variants && schemaAt(kind.schema, parsePointer(kind.variants.part));
  return typesIn({ properties }, part);
});

/** The types in a schema. Null is allowed for absent fields, but not for items of lists and their required fields. */
function typesIn(schema: Json | undefined, open?: Json, isItem = false, isNeeded = isItem): JsonObject {
  if (schema !== undefined && schema === open) return {};
  const [type, items, properties] = ['type', 'items', 'properties'].map((key) => valueOf(schema, key));
  const required = isItem ? valueOf(schema, 'required') : undefined;
  const needed = isList(required) ? required : [];
  const types = [type ?? []].flat().map((one) => (one === 'integer' ? 'number' : one));
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return {
    ...(type === undefined ? {} : { type: isNeeded ? types : [...new Set([...types, 'null'])] }),
    required: needed,
    ...(items === undefined ? {} : { items: typesIn(items, open, true) }),
    properties: Object.fromEntries(
      fields.map(([key, field]) => [key, typesIn(field, open, false, needed.includes(key))]),
    ),
  };
}
