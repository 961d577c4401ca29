import {
  canonicalText,
  changeAt,
  isList,
  isObject,
  parsePointer,
  placesOf,
  sameJson,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from './json.ts';
import { isNullable, type Kind } from './kind.ts';
import { printAddress, type Address, type Resource } from './resource.ts';

/** The resource with what the gateway would fill in, and one spelling for what it spells in several ways. */
export function withDefaults(kind: Kind, resource: Resource): Resource {
  let filled: Json = resource;
  for (const { tokens, value, nullable } of kind.defaults) {
    filled = changeAt(filled, tokens, (found) =>
      found === undefined || (found === null && !nullable) ? value : found,
    );
  }
  for (const tokens of kind.upperCase) filled = changeAt(filled, tokens, upperCase);
  return kind.normalise(filled as Resource); // defaults add to a resource and take nothing away
}

/** The whole key of a resource: kind, name and scope. */
export function identify(kind: Kind, resource: Resource): Address {
  const { metadata } = withDefaults(kind, resource);
  return printAddress({ kind: kind.name, name: metadata.name, scope: kind.scope(metadata) });
}

/**
 * The resource as it is compared, field by field: `withDefaults`, without what the gateway owns or gwconf does not know.
 * Section A.5 of the API facts says what each kind's server adds, hides and reorders.
 */
export function comparable(kind: Kind, resource: Resource): Resource {
  let known: Json = knownPart(resource, envelope(kind));
  for (const tokens of kind.serverManaged) known = changeAt(known, tokens, () => undefined);
  return withDefaults(kind, { ...(known as Resource), apiVersion: kind.apiVersion, kind: kind.name });
}

/** `comparable` with sets in one order: two resources mean the same when their normal forms are equal. */
export function normalForm(kind: Kind, resource: Resource): Resource {
  let normal: Json = comparable(kind, resource);
  for (const tokens of kind.sets(resource)) normal = changeAt(normal, tokens, sortSet);
  return normal as Resource; // each step keeps the four keys of a resource
}

/** `comparable` with the fields that gwconf does not know. */
export function comparableWhole(kind: Kind, resource: Resource): Resource {
  let whole: Json = withDefaults(kind, { ...resource, kind: kind.name });
  for (const tokens of kind.serverManaged) whole = changeAt(whole, tokens, () => undefined);
  return whole as Resource; // each step keeps the four keys of a resource
}

/** `normalForm` with the fields that gwconf does not know: whether a live resource has moved at all. */
export function wholeForm(kind: Kind, resource: Resource): Resource {
  let whole: Json = comparableWhole(kind, resource);
  for (const tokens of kind.sets(resource)) whole = changeAt(whole, tokens, sortSet);
  return whole as Resource; // each step keeps the four keys of a resource
}

/** Whether a live resource is what is wanted, as far as the gateway lets anybody see. */
export function isAsWanted(kind: Kind, live: Resource, wanted: Resource): boolean {
  const { value } = withWithheld(kind, live, wanted);
  return sameJson(normalForm(kind, value), normalForm(kind, wanted));
}

/** The live resource with the secrets that the gateway keeps to itself taken from the wanted one, and where they stand. */
export function withWithheld(
  kind: Kind,
  live: Resource,
  wanted: Resource,
): { readonly value: Resource; readonly withheld: readonly Pointer[] } {
  const places = kind.withheld(wanted).flatMap((tokens) => [...placesOf(wanted as JsonObject, tokens)]);
  const withheld = places.filter(({ pointer }) => saysNothing(valueAt(live as JsonObject, pointer)));
  const value = withheld.reduce<Json>(
    (filled, place) => changeAt(filled, parsePointer(place.pointer), () => place.value),
    live,
  );
  return { value: value as Resource, withheld: withheld.map(({ pointer }) => pointer) }; // only secrets came in
}

/** Nothing, or what programs write in place of a secret. */
function saysNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'string' && /^(?:\*{3,}|[[(<]?(?:hidden|masked|redacted)[\])>]?)$/i.test(value);
}

/**
 * What is sent to the gateway: the declared resource with its whole identity spelled out, without what the gateway
 * owns, and with the fields of the live one that gwconf does not know, as they were read.
 */
export function requestBody(kind: Kind, declared: Resource, live?: Resource): Resource {
  let body: Json = declared;
  for (const tokens of kind.serverManaged) body = changeAt(body, tokens, () => undefined);
  const filled = withDefaults(kind, declared);
  body = { ...(body as JsonObject), apiVersion: kind.apiVersion, kind: kind.name, metadata: filled.metadata };
  if (live === undefined) return body as Resource;
  const liveFilled = withDefaults(kind, live) as JsonObject;
  return withUnknown(body, filled, liveFilled, envelope(kind)) as Resource; // adds to a resource
}

function envelope({ schema }: Kind): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    properties: { apiVersion: {}, kind: {}, metadata: schema.metadata, spec: schema.spec },
  };
}

/** A value without the fields that a closed schema does not name. */
function knownPart(value: Json, schema: Json | undefined): Json {
  if (isList(value)) {
    const items = valueOf(schema, 'items');
    return items === undefined ? value : value.map((item) => knownPart(item, items));
  }
  const properties = valueOf(schema, 'properties');
  if (!isObject(value) || !isObject(properties)) return value;
  const closed = valueOf(schema, 'additionalProperties') === false;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, field]) => {
        if (!Object.hasOwn(properties, key)) return !closed;
        return field !== null || !closed || isNullable(valueOf(properties, key)); // else null is one more way to say nothing
      })
      .map(([key, field]) => [key, knownPart(field, valueOf(properties, key))]),
  );
}

/**
 * `value` with the fields of `live` that the schema does not name, at any depth. Items of lists meet by what is known
 * of them; `filled` is `value` with its defaults, so that an item meets its live self however either is spelled.
 */
function withUnknown(
  value: Json,
  filled: Json | undefined,
  live: Json | undefined,
  schema: Json | undefined,
): Json {
  const items = valueOf(schema, 'items');
  if (isList(value) && isList(filled) && isList(live) && items !== undefined) {
    const byKnown = new Map(live.map((item) => [canonicalText(knownPart(item, items)), item]));
    return value.map((item, at) =>
      withUnknown(item, filled[at], byKnown.get(canonicalText(filled[at] ?? null)), items),
    );
  }
  const properties = valueOf(schema, 'properties');
  if (!isObject(value) || !isObject(live) || !isObject(properties)) return value;
  const known = Object.entries(value).map(([key, field]): [string, Json] => [
    key,
    withUnknown(field, valueOf(filled, key), valueOf(live, key), valueOf(properties, key)),
  ]);
  if (valueOf(schema, 'additionalProperties') !== false) return Object.fromEntries(known);
  const unknown = Object.entries(live).filter(([key]) => !Object.hasOwn(properties, key));
  return Object.fromEntries([...known, ...unknown]);
}

function upperCase(value: Json | undefined): Json | undefined {
  return typeof value === 'string' ? value.toUpperCase() : value;
}

function sortSet(value: Json | undefined): Json | undefined {
  if (!isList(value)) return value;
  const byText = new Map(value.map((item) => [canonicalText(item), item]));
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item);
}
