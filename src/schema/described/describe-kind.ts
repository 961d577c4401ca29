import {
  isList,
  isObject,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pattern,
} from '../../model/json/json.ts';
import type { Kind, KindForm, Referred } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { defineKind } from '../define-kind.ts';
import { FIELDS_THAT_REFER, gatewayV2 } from '../kinds/common.ts';
import { holds } from '../validate.ts';
import { isSecretField } from './reduce-schema.ts';

/** What a description says of a kind, reduced: its schemas refer to nothing. */
export type DescribedKind = {
  readonly name: string;
  readonly tag: string;
  /** The collection below `/gateway/v2/`. */
  readonly path: string;
  readonly summary: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly example: Json | undefined;
  readonly removal: 'path' | 'body' | 'path-and-body';
  /** The fields of the identity beside the name: metadata by axis. */
  readonly scope: Readonly<Record<string, `/metadata/${string}`>>;
};

const PASSTHROUGH = 'passthrough';

/** The kind of a description as a form like those of our own. */
export function describedKind(described: DescribedKind): Kind {
  const { name, summary, metadata, spec, removal, scope } = described;
  const schema = { metadata: closeAll(metadata), spec: closeAll(spec) };
  const places = [...placesIn(metadata, '/metadata'), ...placesIn(spec, '/spec')];
  const at = (test: (schema: JsonObject, key: string) => boolean): readonly Pattern[] =>
    places.filter((place) => test(place.schema, place.key)).map(({ pattern }) => pattern);
  return defineKind<Resource>({
    ...gatewayV2(described.path),
    ...{ name, summary, schema, removal, scope, isDescribed: true },
    example: exampleOf(described, schema),
    defaults: defaultsOf(places, scope),
    columns: columnsOf(spec),
    references: Object.fromEntries(referencesIn(places)),
    sets: at((part) => part['uniqueItems'] === true),
    serverManaged: at((part) => part['readOnly'] === true),
    // Whatever type it says: a description may be wrong, or of a branch, and what the gateway has must not be shown.
    secrets: at((part, key) => part['writeOnly'] === true || isSecretField(key)),
  } as KindForm<Resource>); // its example is held to the schema below
}

/** Fields that the description does not have are mistakes, unless it says that there may be any. */
function closeAll(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(isObject(items) ? { items: closeAll(items) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: closeAll(additionalProperties) } : {}),
    ...(isObject(properties) ? { properties: mapFields(properties, closeAll) } : {}),
    ...(isObject(properties) && additionalProperties === undefined ? { additionalProperties: false } : {}),
  };
}

function mapFields(fields: JsonObject, map: (field: JsonObject) => JsonObject): JsonObject {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map(([key, field]) => [key, isObject(field) ? map(field) : field]));
}

type PlaceInSchema = {
  readonly pattern: Pattern;
  readonly key: string;
  readonly schema: JsonObject;
  readonly isDeep: boolean;
};

/** The fields of a schema, of its items and of what other keys have, by their patterns. */
function placesIn(schema: JsonObject, from: string, isDeep = false): readonly PlaceInSchema[] {
  const { properties, items, additionalProperties } = schema;
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return [
    ...fields.flatMap(([key, field]) => {
      if (!isObject(field)) return [];
      // The keys of a reduced schema hold nothing that a pointer escapes.
      const pattern = `${from}/${key}` as Pattern;
      return [{ pattern, key, schema: field, isDeep }, ...placesIn(field, pattern, isDeep)];
    }),
    ...[items, additionalProperties].flatMap((part) => {
      if (!isObject(part)) return [];
      const pattern = `${from}/*` as Pattern;
      return [{ pattern, key: '', schema: part, isDeep: true }, ...placesIn(part, pattern, true)];
    }),
  ];
}

function defaultsOf(
  places: readonly PlaceInSchema[],
  scope: DescribedKind['scope'],
): Readonly<Record<string, Json>> {
  const references = referencesIn(places);
  const axes = new Set<string>([
    ...Object.values(scope),
    ...references.flatMap(([at, to]) =>
      typeof to === 'string' ? [] : to.axes.map((axis) => `${at}/${axis}`),
    ),
  ]);
  return Object.fromEntries(
    places.flatMap(({ pattern, key, schema, isDeep }) => {
      const written = schema['default'];
      if (written !== undefined && !isDeep) return [[pattern, written]];
      const isOfCluster = FIELDS_THAT_REFER[key] === FIELDS_THAT_REFER['vCluster'];
      return isOfCluster && axes.has(pattern) ? [[pattern, PASSTHROUGH]] : [];
    }),
  );
}

/** What is part of the name of another object refers to nothing by itself. */
function referencesIn(places: readonly PlaceInSchema[]): readonly (readonly [string, string | Referred])[] {
  const all = places.flatMap(referenceAt);
  const whole = all.filter(([, to]) => typeof to !== 'string').map(([at]) => `${at}/`);
  return all.filter(([at]) => !whole.some((one) => at.startsWith(one)));
}

function referenceAt({
  pattern,
  key,
  schema,
}: PlaceInSchema): readonly (readonly [string, string | Referred])[] {
  const to = Object.hasOwn(FIELDS_THAT_REFER, key) ? FIELDS_THAT_REFER[key] : undefined;
  if (to === undefined) return [];
  const items = schema['items'];
  const [part, at] = isObject(items) ? [items, `${pattern}/*`] : [schema, pattern];
  if (typeof to === 'string') return [part['type']].flat().includes('string') ? [[at, to]] : [];
  const named = ['name', ...to.axes].every((field) => valueAt(part, `/properties/${field}`) !== undefined);
  return named ? [[at, to]] : [];
}

/** The first texts and numbers of the spec. */
function columnsOf({ properties }: JsonObject): KindForm<Resource>['columns'] {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return fields
    .filter(([, field]) =>
      ['string', 'integer', 'boolean'].includes(JSON.stringify(valueOf(field, 'type') ?? '').slice(1, -1)),
    )
    .slice(0, 3)
    .map(([key]) => ({
      title: key.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toUpperCase(),
      at: `/spec/${key}`,
    }));
}

function exampleOf(
  { name, example, metadata, spec }: DescribedKind,
  schema: { readonly metadata: JsonObject; readonly spec: JsonObject },
): JsonObject {
  const head = { apiVersion: 'gateway/v2', kind: name };
  const given = { metadata: valueOf(example, 'metadata'), spec: valueOf(example, 'spec') };
  // A template of it would name variables of whoever fills it in.
  const isOpen = JSON.stringify(given).includes('${');
  if (
    !isOpen &&
    isObject(given.metadata) &&
    isObject(given.spec) &&
    holds(schema.metadata, given.metadata) &&
    holds(schema.spec, given.spec)
  )
    return { ...head, metadata: given.metadata, spec: given.spec };
  return { ...head, metadata: { ...objectFor(metadata), name: 'example' }, spec: objectFor(spec) };
}

function objectFor(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  const keys = isList(required) ? required.map(String) : [];
  return Object.fromEntries(keys.map((key) => [key, valueFor(valueOf(properties, key))]));
}

function valueFor(schema: Json | undefined): Json {
  if (!isObject(schema)) return {};
  const { enum: choices, const: only, default: preset, minimum } = schema;
  const [type] = [schema['type'] ?? 'object'].flat();
  const known = only ?? preset ?? (isList(choices) ? choices[0] : undefined);
  if (known !== undefined) return known;
  switch (type) {
    case 'string':
      return 'example';
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return objectFor(schema);
    default:
      return null;
  }
}
