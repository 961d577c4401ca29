import { isList, valueOf, type Json } from '../../model/json/json.ts';
import { fieldOf, fieldsOf, itemOf } from '../fields.ts';
import type { Named } from './names.ts';

/** A field, with the pattern that leads to it. */
export type Place = {
  readonly label: string;
  readonly tokens: readonly string[];
  readonly schema: Json;
  readonly required: boolean | undefined;
};

/** Where a question begins: a kind, or the config of a plugin class. */
export function placeOf(named: Named): Place {
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
      kind: { enum: [form.name, ...('aliases' in form ? form.aliases : [])] },
      ...form.schema,
    },
  };
}

/** Takes the steps that lead to the next field; keys may have dots. */
export function stepInto(from: Place, steps: string[]): Place | undefined {
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

/** What a list is a list of; the place itself where it is none. */
export function itemsUnder(place: Place): Place {
  const schema = itemOf(place.schema);
  if (schema === undefined) return place;
  return { label: `${place.label}[]`, tokens: [...place.tokens, '*'], schema, required: undefined };
}

/** A field of a map, by its key. */
export function fieldAt(within: Place, key: string, schema: Json): Place {
  const required = valueOf(within.schema, 'required');
  return {
    label: `${within.label}.${key}`,
    tokens: [...within.tokens, key],
    schema,
    required: isList(required) && required.includes(key),
  };
}
