import { memoize } from '../../model/collect.ts';
import {
  isList,
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import { isNullable, type Kind } from '../../model/kind.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { violationsOf, type Violation } from '../../schema/validate.ts';

/** The fault of the body of a PUT, in one clause; undefined if there is none. Unknown fields are accepted and stored. */
export function bodyFault(kind: Kind, body: Json, anyName: boolean): string | undefined {
  const violation = violationsOf(bodySchemaOf(kind), body).find(
    ({ keyword }) => keyword !== 'additionalProperties' && !(anyName && keyword === 'pattern'),
  );
  return violation === undefined ? undefined : clauseOf(violation);
}

/** The same for a part with its own, closed schema; placeholders that the gateway replaces match any schema. */
export function partFault(schema: JsonObject, value: Json, at: Pointer): string | undefined {
  const violation = violationsOf(schema, value).find(({ found }) => !hasPlaceholder(found));
  return violation === undefined ? undefined : clauseOf(violation, at);
}

/** A body without the nulls that mean the same as an absent field. */
export function withoutNulls(kind: Kind, body: Json): Json {
  return strip(body, bodySchemaOf(kind));
}

export const bodySchemaOf = memoize((kind: Kind): JsonObject => ({
  type: 'object',
  required: ['kind', 'apiVersion', 'metadata', 'spec'],
  properties: {
    kind: { enum: [kind.name, ...kind.aliases] },
    apiVersion: { enum: [kind.apiVersion] },
    metadata: kind.schema.metadata,
    spec: kind.schema.spec,
  },
}));

// Never the value: it may be a secret.
function clauseOf({ path, keyword, params, message }: Violation, from: Pointer = ''): string {
  const unknown = params['additionalProperty'];
  const place = keyword === 'additionalProperties' ? joinPointer(path, String(unknown)) : path;
  const name = `${from}${place}`.slice(1).replaceAll('/', '.') || 'the body';
  return keyword === 'additionalProperties' ? `${name} is not known` : `${name} ${message}`;
}

function strip(value: Json, schema: Json | undefined): Json {
  if (isList(value)) {
    const items = valueOf(schema, 'items');
    return items === undefined ? value : value.map((item) => strip(item, items));
  }
  const properties = valueOf(schema, 'properties');
  if (!isObject(value) || !isObject(properties)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, field]) => ({ key, field, form: valueOf(properties, key) }))
      .filter(({ field, form }) => field !== null || form === undefined || isNullable(form))
      .map(({ key, field, form }) => [key, strip(field, form)]),
  );
}
