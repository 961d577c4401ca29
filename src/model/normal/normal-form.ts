import { byKey, memoize } from '../collect.ts';
import { addDefaults } from '../defaults.ts';
import {
  canonicalText,
  childOf,
  isList,
  isObject,
  sameJson,
  valueOf,
  withKey,
  type Json,
  type JsonObject,
  type Pointer,
  joinPointer,
} from '../json/json.ts';
import { isNullable, type Kind, type Reference } from '../kind.ts';
import { changeResource, type Resource, type Parsed } from '../resource.ts';

/** The resource with the defaults of the gateway, and one form of values that have several. */
export function withDefaults(kind: Kind, resource: Resource): Resource {
  return normaliseSpec(kind, foldCase(kind, fillDefaults(kind, resource)));
}

/** Why two different resources are equal. */
type Normalisation = 'unknown-field' | 'server-managed' | 'spelling' | 'default' | 'case' | 'order';
type Step = { readonly reason: Normalisation; readonly take: (kind: Kind, resource: Resource) => Resource };

/** A live resource as in a file: only fields that gwconf knows and the gateway does not set. */
export function declarable(kind: Kind, resource: Resource): Resource {
  return DECLARABLE.reduce((changed, { take }) => take(kind, changed), resource);
}

const DECLARABLE: readonly Step[] = [
  // Each step keeps the four keys of a resource.
  { reason: 'unknown-field', take: (kind, resource) => knownPart(resource, envelope(kind)) as Resource },
  { reason: 'server-managed', take: withoutManaged },
  {
    reason: 'spelling',
    take: (kind, resource) =>
      resource.apiVersion === kind.apiVersion && resource.kind === kind.name
        ? resource
        : { ...resource, apiVersion: kind.apiVersion, kind: kind.name },
  },
];

/** The steps from there to `comparable`: each removes one reason for a difference. */
const TO_COMPARABLE: readonly Step[] = [
  { reason: 'default', take: fillDefaults },
  { reason: 'case', take: foldCase },
  { reason: 'spelling', take: normaliseSpec },
];

/** The steps to `normalForm`, in order. */
const STEPS: readonly Step[] = [...DECLARABLE, ...TO_COMPARABLE, { reason: 'order', take: sortSets }];

/**
 * The resource for a comparison of fields: with defaults, and without fields that the gateway sets or gwconf does not know.
 * Section A.5 of the API facts lists the changes of the server for each kind.
 */
export function comparable(kind: Kind, resource: Resource): Resource {
  return toComparable(kind, declarable(kind, resource));
}

/** `comparable` with sorted sets: two resources are equal if their normal forms are. */
export function normalForm(kind: Kind, resource: Resource): Resource {
  return normalFormOfDeclarable(kind, declarable(kind, resource));
}

export function normalFormOfDeclarable(kind: Kind, resource: Resource): Resource {
  return sortSets(kind, toComparable(kind, resource));
}

function toComparable(kind: Kind, resource: Resource): Resource {
  return TO_COMPARABLE.reduce((changed, { take }) => take(kind, changed), resource);
}

/** `comparable` with the fields that gwconf does not know. */
export function comparableWhole(kind: Kind, resource: Resource): Resource {
  return withoutManaged(kind, withDefaults(kind, { ...resource, kind: kind.name }));
}

/** `normalForm` with the fields that gwconf does not know, to detect any change of a live resource. */
export function wholeForm(kind: Kind, resource: Resource): Resource {
  return sortSets(kind, comparableWhole(kind, resource));
}

export function isAsWanted(kind: Kind, live: Resource, wanted: Resource): boolean {
  return sameJson(normalForm(kind, live), normalForm(kind, wanted));
}

/**
 * The request body: the declared resource with its whole identity, without fields that the gateway sets, and with the fields of
 * the live resource that gwconf does not know.
 */
export function requestBody(kind: Kind, declared: Resource, live?: Resource): Resource {
  const filled = withDefaults(kind, declared);
  const body: Resource = {
    ...withoutManaged(kind, declared),
    apiVersion: kind.apiVersion,
    kind: kind.name,
    metadata: filled.metadata,
  };
  if (live === undefined) return body;
  const liveFilled = withDefaults(kind, live) as JsonObject;
  return withUnknown(body, filled, liveFilled, envelope(kind)) as Resource; // adds to a resource
}

const envelope = memoize(({ schema }: Kind): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties: { apiVersion: {}, kind: {}, metadata: schema.metadata, spec: schema.spec },
}));

/** A value without the fields that a closed schema does not name; unchanged parts are shared. */
function knownPart(value: Json, schema: Json | undefined): Json {
  if (isList(value)) {
    const items = valueOf(schema, 'items');
    if (items === undefined) return value;
    const known = value.map((item) => knownPart(item, items));
    return known.some((item, at) => item !== value[at]) ? known : value;
  }
  const properties = valueOf(schema, 'properties');
  if (!isObject(value) || !isObject(properties)) return value;
  const closed = valueOf(schema, 'additionalProperties') === false;
  let known = value;
  for (const key of Object.keys(value)) {
    const field = valueOf(properties, key);
    const before = childOf(value, key);
    const isKnown = !closed || (field !== undefined && (before !== null || isNullable(field))); // else null is the same as absent
    const after = isKnown ? knownPart(before, field) : undefined;
    if (after !== before) known = withKey(known, key, after);
  }
  return known;
}

/**
 * `value` with the unknown fields of `live`, at any depth. Items of lists are matched by their known fields, with the defaults
 * in `filled`.
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

function withoutManaged(kind: Kind, resource: Resource): Resource {
  return changeAll(resource, kind.serverManaged, () => undefined);
}

function fillDefaults(kind: Kind, resource: Resource): Resource {
  return addDefaults(resource, kind.defaultTree) as Resource; // defaults add to a resource and take nothing away
}

function normaliseSpec({ normalise }: Kind, resource: Resource): Resource {
  if (normalise === undefined) return resource;
  const spec = normalise(resource.spec);
  return spec === resource.spec ? resource : { ...resource, spec };
}

function foldCase(kind: Kind, resource: Resource): Resource {
  return changeAll(resource, kind.upperCase, upperCase);
}

function sortSets(kind: Kind, resource: Resource): Resource {
  return changeAll(resource, kind.sets(resource), sortSet);
}

function changeAll(
  resource: Resource,
  patterns: readonly (readonly string[])[],
  change: (value: Json | undefined) => Json | undefined,
): Resource {
  return patterns.reduce((changed, tokens) => changeResource(changed, tokens, change), resource);
}

export function upperCase(value: Json | undefined): Json | undefined {
  return typeof value === 'string' ? value.toUpperCase() : value;
}

function sortSet(value: Json | undefined): Json | undefined {
  if (!isList(value) || value.length < 2) return value;
  const byText = new Map(value.map((item) => [canonicalText(item), item]));
  return [...byText].sort(byKey).map(([, item]) => item);
}

/** The references of a resource, with its defaults; it need not be valid. */
export function referencesOf(resource: Parsed, kind: Kind): readonly Reference[] {
  return kind.references(addDefaults(resource, kind.defaultTree) as Parsed); // defaults add to a map
}

/** A field that is compared in another form, and why. */
export type Normalised = { readonly reason: Normalisation | 'null'; readonly path: Pointer };

/** The changes of each step to the normal form of a resource. */
export function normalisationsOf(kind: Kind, resource: Resource): readonly Normalised[] {
  const found: Normalised[] = [];
  STEPS.reduce((before, { reason, take }) => {
    const after = take(kind, before);
    for (const { path, value } of changed(before, after)) {
      found.push({ reason: reason === 'unknown-field' && value === null ? 'null' : reason, path });
    }
    return after;
  }, resource);
  return found;
}

/** The fields in which two values differ, with the former value; a reordered list is one field. */
function* changed(
  before: Json | undefined,
  after: Json | undefined,
  path: Pointer = '',
): Generator<{ readonly path: Pointer; readonly value: Json | undefined }> {
  if (before === after) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* changed(valueOf(before, key), valueOf(after, key), joinPointer(path, key));
    }
  } else if (
    isList(before) &&
    isList(after) &&
    before.length === after.length &&
    !isReordered(before, after)
  ) {
    for (const [at, item] of before.entries()) yield* changed(item, after[at], joinPointer(path, at));
  } else if (before === undefined || after === undefined || canonicalText(before) !== canonicalText(after)) {
    yield { path, value: before };
  }
}

function isReordered(before: readonly Json[], after: readonly Json[]): boolean {
  const [one, other] = [before.map(canonicalText), after.map(canonicalText)];
  return !sameJson(one, other) && sameJson(one.sort(), other.sort());
}
