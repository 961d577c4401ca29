import { groupBy } from '../../model/collect.ts';
import type { Json } from '../../model/json/json.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { fieldOf, fieldsOf, isRequired, itemOf, othersOf } from '../fields.ts';
import { namesOfForm } from '../load/recognise.ts';
import { type Named, allNamed } from './names.ts';

/** A field, with the pattern that leads to it. */
export type FieldPlace = {
  readonly label: string;
  readonly tokens: readonly string[];
  readonly schema: Json;
  readonly required: boolean | undefined;
};

/** The root of a kind, or of the config of a plugin class. */
export function rootPlace(named: Named): FieldPlace {
  return { label: named.name, tokens: [], schema: schemaOf(named), required: undefined };
}

function schemaOf({ form, variant }: Named): Json {
  if (variant !== undefined) return variant.schema;
  if ('whole' in form) return form.whole;
  return {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { enum: [form.apiVersion] },
      kind: { enum: namesOfForm(form) },
      ...form.schema,
    },
  };
}

/** Takes the steps that lead to the next field; keys may have dots. */
export function stepInto(from: FieldPlace, steps: string[]): FieldPlace | undefined {
  const inside = itemsUnder(from);
  if (inside !== from && /^(?:\*|\d+)$/.test(steps[0] ?? '')) {
    steps.shift();
    return inside;
  }
  const known = fieldsOf(inside.schema);
  for (let length = steps.length; length > 0; length -= 1) {
    const key = steps.slice(0, length).join('.');
    const schema = known.get(key) ?? freeField(inside.schema, key, length === steps.length);
    if (schema === undefined) continue;
    steps.splice(0, length);
    return fieldAt(inside, key, schema);
  }
  return undefined;
}

/** A key that the user makes up: all that is left of the question, or a step that leads further. */
function freeField(schema: Json, key: string, isAll: boolean): Json | undefined {
  const free = fieldOf(schema, key);
  const leadsOn = fieldsOf(free).size > 0 || itemOf(free) !== undefined;
  return (leadsOn ? !key.includes('.') : isAll) ? free : undefined;
}

/** The items of a list; any other place is returned as it is. */
export function itemsUnder(place: FieldPlace): FieldPlace {
  const schema = itemOf(place.schema);
  if (schema === undefined) return place;
  return { label: `${place.label}[]`, tokens: [...place.tokens, '*'], schema, required: undefined };
}

/** A field of a map, by its key. */
function fieldAt(within: FieldPlace, key: string, schema: Json): FieldPlace {
  const required = isRequired(within.schema, key);
  return { label: `${within.label}.${key}`, tokens: [...within.tokens, key], schema, required };
}

/** The direct fields of a map, or of the items of a list. */
export function fieldsBelow(from: FieldPlace): readonly FieldPlace[] {
  const within = itemsUnder(from);
  return [...fieldsOf(within.schema)].map(([key, schema]) => fieldAt(within, key, schema));
}

/** The field of keys that the user makes up, as the key `*`; undefined if there are none. */
export function freeFieldBelow(from: FieldPlace): FieldPlace | undefined {
  const within = itemsUnder(from);
  const free = othersOf(within.schema);
  return free === undefined ? undefined : fieldAt(within, '*', free);
}

/** A place in a kind, a plugin class or the project file. */
export type NamedField = { readonly named: Named; readonly place: FieldPlace };

/** The fields with a name, in any case; those that are alike in several classes are together. */
export function findFields(name: string, catalog: Catalog): readonly (readonly NamedField[])[] {
  const wanted = name.toLowerCase();
  const found = [...allFields(catalog)].filter(({ place }) => place.tokens.at(-1)?.toLowerCase() === wanted);
  return [...groupBy(found, ({ place }) => JSON.stringify(place.schema)).values()];
}

export function fieldNames(catalog: Catalog): readonly string[] {
  return [...new Set([...allFields(catalog)].map(({ place }) => place.tokens.at(-1) ?? ''))];
}

function* allFields(catalog: Catalog): Generator<NamedField> {
  for (const named of allNamed(catalog))
    for (const place of fieldsIn(rootPlace(named))) yield { named, place };
}

function* fieldsIn(from: FieldPlace): Generator<FieldPlace> {
  for (const place of fieldsBelow(from)) {
    yield place;
    yield* fieldsIn(place);
  }
  const free = freeFieldBelow(from);
  if (free !== undefined) yield* fieldsIn(free);
}
