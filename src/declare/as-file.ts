import { withoutDefaults } from '../model/defaults.ts';
import {
  changeAt,
  childOf,
  isObject,
  keysOf,
  placesOf,
  printPointer,
  sameJson,
  valueOf,
  withKey,
  type Json,
  type JsonObject,
  type Pattern,
} from '../model/json/json.ts';
import { isNullable, schemaAt, type Kind, type Tokens } from '../model/kind.ts';
import { declarable, normalForm } from '../model/normal/normal-form.ts';
import type { Resource } from '../model/resource.ts';
import { anyItem } from '../model/secrets/secrets.ts';

/** A live resource as a file would have it: one form of each value, and neither defaults nor fields that the gateway sets. */
export function asFile(kind: Kind, resource: Resource): JsonObject {
  const full = normalForm(kind, resource) as JsonObject; // a resource is an object, and stays one
  const short = withoutDefaults(full, kind.defaultTree) as JsonObject;
  return withScope(kind, withoutImplied(kind, short, full), full);
}

/** Without the fields that follow from others. */
function withoutImplied(kind: Kind, value: JsonObject, full: JsonObject): JsonObject {
  if (kind.normalise === undefined) return value;
  return keysOf(valueOf(value, 'spec') ?? {}).reduce((shorter, key) => {
    const candidate = changeAt(shorter, ['spec', key], () => undefined) as JsonObject; // without one key
    return sameJson(normalForm(kind, candidate as Resource), full) ? candidate : shorter;
  }, value);
}

/**
 * Puts back the parts of the scope that a reader could misunderstand if they were absent: where null means everything, the
 * default is written, too; and if all are null, all are written.
 */
function withScope({ axes, schema }: Kind, value: JsonObject, full: JsonObject): JsonObject {
  const nullable = axes
    .map((axis) => ({ tokens: ['metadata', ...axis.tokens] }))
    .filter(({ tokens }) => isNullable(schemaAt(schema, tokens)))
    .map(({ tokens }) => ({ tokens, found: tokens.reduce<Json | undefined>(valueOf, full) ?? null }));
  const isGlobal = nullable.every(({ found }) => found === null);
  return nullable
    .filter(({ found }) => isGlobal || found !== null)
    .reduce((changed, { tokens, found }) => put(changed, tokens, found), value);
}

function put(value: JsonObject, [token = '', ...rest]: Tokens, found: Json): JsonObject {
  const child = valueOf(value, token);
  return withKey(value, token, rest.length === 0 ? found : put(isObject(child) ? child : {}, rest, found));
}

/** The fields of a live resource that gwconf does not know. */
export function findUnknownFields(kind: Kind, resource: Resource): readonly Pattern[] {
  const found: Pattern[] = [];
  compare(resource, declarable(kind, resource), [], found);
  if (found.length === 0) return found;
  const managed = new Set(
    kind.serverManaged.flatMap((tokens) => placesOf(resource, tokens).map(({ pointer }) => pointer)),
  );
  return [...new Set(found.filter((place) => !managed.has(place)).map(anyItem))];
}

/** Collects the places of values that are absent in the other; null is the same as absent. */
function compare(value: Json, known: Json, path: string[], found: Pattern[]): void {
  if (value === known) return;
  for (const key of keysOf(value)) {
    const [child, other] = [childOf(value, key), valueOf(known, key)];
    path.push(key);
    if (other !== undefined) compare(child, other, path, found);
    else if (child !== null) found.push(printPointer(path));
    path.pop();
  }
}
