import {
  entriesOf,
  isList,
  isObject,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
} from '../../model/json/json.ts';
import { joinPointer } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { catalog as own } from '../kinds/index.ts';
import { findKind, formNamed } from '../load/recognise.ts';
import { parseYaml } from '../yaml/parse.ts';
import { describedKind, type DescribedKind } from './describe-kind.ts';
import { reduceSchema, TooLarge } from './reduce-schema.ts';

/** No description is larger, nor has more kinds: that of version 3.21 has 0.1 MB, and each command reads it. */
const MOST_BYTES = 2_000_000;
const MOST_KINDS = 100;

/** What the description of a gateway's API (OpenAPI) says of kinds. */
export type Described = {
  /** The kinds that no file of ours names, in the order of the description. */
  readonly kinds: readonly Kind[];
  /** What it says of them and no more, with nothing to look up: it reads as the same kinds. */
  readonly description: JsonObject;
  /** Described kinds that gwconf cannot manage, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
  /** What it says of kinds of our own, by their names: the schema of an object. */
  readonly ours: ReadonlyMap<string, JsonObject>;
};

/** Reads a description, as YAML or JSON, beside the kinds of our own, which win. It is hostile input: a fault says what is wrong with it. */
export function readDescription(text: string): Described | { readonly fault: string } {
  if (text.length > MOST_BYTES) return { fault: `is longer than ${MOST_BYTES / 1e6} MB` };
  const [document, another] = parseYaml({ path: 'description', text }, { keep: () => undefined });
  const [problem] = document?.problems ?? [];
  if (problem !== undefined) return { fault: `cannot be read: ${problem.message}` };
  const root = document?.value;
  const paths = valueOf(root, 'paths');
  if (another !== undefined || !isObject(paths))
    return { fault: 'is not an OpenAPI description: it has no paths' };
  return readKinds(paths, valueAt(root, '/components/schemas'));
}

/** Kinds behind those that files can declare, and before those that only a gateway makes. */
export function addKinds(own: KindSet, more: readonly Kind[]): KindSet {
  const all = [...own.values()];
  const isReadOnly = ({ removal }: Kind): boolean => removal === undefined;
  const sorted = [...all.filter((kind) => !isReadOnly(kind)), ...more, ...all.filter(isReadOnly)];
  return new Map(sorted.map((kind) => [kind.name, kind]));
}

type Operation = { readonly method: string; readonly path: string; readonly of: Json };
type Tagged = {
  readonly word: string;
  readonly tag: string;
  readonly order: number;
  readonly operations: Operation[];
};

function readKinds(paths: JsonObject, definitions: Json | undefined): Described | { readonly fault: string } {
  const tagged = findTagged(paths);
  if (tagged.length > MOST_KINDS) return { fault: `has more than ${MOST_KINDS} kinds` };
  const described: DescribedKind[] = [];
  const refused = new Map<string, string>();
  const ours = new Map<string, JsonObject>();
  for (const one of tagged) {
    const name = one.word.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    const put = one.operations.find(({ method }) => method === 'put');
    if (put === undefined) continue;
    try {
      const known = isOurs(name);
      const found = known ? undefined : describeKind(name, one, put, definitions, described);
      if (known) ours.set(name, reduceSchema(bodyOf(put), definitions));
      else if (typeof found === 'string') refused.set(name, found);
      else if (found !== undefined) described.push(found);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      refused.set(name, `its schema ${error.message}`);
    }
  }
  const kinds = described.map(describedKind);
  return { kinds, description: describe(described), refused, ours };
}

function findTagged(paths: JsonObject): readonly Tagged[] {
  const byWord = new Map<string, Tagged>();
  for (const [path, methods] of entriesOf(paths))
    for (const [method, of] of entriesOf(methods)) {
      const tags = valueOf(of, 'tags');
      for (const tag of isList(tags) ? tags : []) {
        const [written = '', word = '', order = ''] = TAG.exec(typeof tag === 'string' ? tag : '') ?? [];
        if (word === '') continue;
        const known = byWord.get(word) ?? { word, tag: written, order: Number(order), operations: [] };
        known.operations.push({ method, path, of });
        byWord.set(word, known);
      }
    }
  return [...byWord.values()].sort((one, other) => one.order - other.order);
}

const TAG = /^cli_([a-z][a-z0-9]{0,40}(?:-[a-z0-9]{1,40}){0,8})_gateway_v2_(\d{1,6})$/;

/** A name that files have for something else. */
function isOurs(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    formNamed(name, own) !== undefined ||
    OTHER_DOCUMENTS.has(lower) ||
    [...own.kinds.keys(), ...own.ownKinds.keys()].some((known) => known.toLowerCase() === lower)
  );
}

const OTHER_DOCUMENTS = new Set(['project', 'test', 'list', 'policy']);

function bodyOf({ of }: Operation): Json | undefined {
  return valueAt(of, '/requestBody/content/application~1json/schema');
}

/** A kind by the conventions of the API; or why it is none. */
function describeKind(
  name: string,
  { tag, operations }: Tagged,
  put: Operation,
  definitions: Json | undefined,
  others: readonly DescribedKind[],
): DescribedKind | string {
  const alike = findKind(name, own.kinds);
  if (alike !== undefined) return `its name is one that people type for ${alike.name}`;
  const [, path] = COLLECTION.exec(put.path) ?? [];
  if (path === undefined) return 'its path is not one word or several below /gateway/v2/';
  const taken = [
    ...[...own.kinds.values()].map(({ collection }) => collection),
    ...others.map((one) => `/gateway/v2/${one.path}`),
    ...OPERATIONS,
  ];
  if (taken.some((one) => isWithin(put.path, one) || isWithin(one, put.path)))
    return `its path ${put.path} belongs to something else`;
  if (!operations.some((one) => one.method === 'get' && one.path === put.path)) return 'it has no list';
  const schema = reduceSchema(bodyOf(put), definitions);
  const [metadata, spec] = ['metadata', 'spec'].map((part) =>
    valueAt(schema, joinPointer('/properties', part)),
  );
  if (!isObject(metadata) || valueAt(metadata, '/properties/name/type') !== 'string')
    return 'its objects have no metadata.name';
  if (!isObject(spec)) return 'its objects have no spec';
  const removal = findRemoval(operations, put.path, metadata, definitions);
  if (typeof removal === 'string') return removal;
  const summary = [valueOf(schema, 'description'), valueOf(metadata, 'description')].find(
    (one) => typeof one === 'string',
  );
  return {
    ...{ name, tag, path, metadata: named(metadata), spec: { type: 'object', ...spec }, ...removal },
    summary: typeof summary === 'string' && summary !== '' ? summary : 'As the gateway describes it.',
    example: valueAt(put.of, '/requestBody/content/application~1json/example'),
  };
}

function named(metadata: JsonObject): JsonObject {
  const required = valueOf(metadata, 'required');
  return {
    type: 'object',
    ...metadata,
    required: [...new Set(['name', ...(isList(required) ? required : [])])],
  };
}

const COLLECTION = /^\/gateway\/v2\/([a-z0-9]{1,60}(?:[-/][a-z0-9]{1,60}){0,8})$/;
/** What the API has beside kinds (gateway-api A.3). */
const OPERATIONS = ['token', 'docs', 'plugin', 'analytics', 'cluster-switching'].map(
  (path) => `/gateway/v2/${path}`,
);

function isWithin(path: string, of: string): boolean {
  return `${path}/`.startsWith(`${of}/`);
}

/** How an object is named in a delete: by the path, by a body, or by both; the body has the scope. */
function findRemoval(
  operations: readonly Operation[],
  collection: string,
  metadata: JsonObject,
  definitions: Json | undefined,
): Pick<DescribedKind, 'removal' | 'scope'> | string {
  const [found, another] = operations.filter(({ method }) => method === 'delete');
  if (found === undefined) return 'its objects cannot be deleted';
  if (another !== undefined) return 'its objects can be deleted in two ways';
  const isByName = found.path !== collection;
  const parameter = /^\/\{(\w{1,60})\}$/.exec(found.path.slice(collection.length))?.[1];
  if (isByName && (!found.path.startsWith(collection) || parameter === undefined))
    return `the path of its delete is not ${collection} with a name`;
  const fields = valueOf(metadata, 'properties');
  // The parameter may have any name but that of another field.
  if (parameter !== undefined && parameter !== 'name' && isObject(fields) && Object.hasOwn(fields, parameter))
    return `the path of its delete names ${parameter}, not the object`;
  const body = reduceSchema(bodyOf(found), definitions);
  const axes = Object.keys((valueOf(body, 'properties') ?? {}) as JsonObject).filter((key) => key !== 'name');
  if (!isByName && valueAt(body, '/properties/name') === undefined)
    return 'the body of its delete has no name';
  if (axes.length > 8) return 'its identity has more than 9 fields';
  const scope: Record<string, `/metadata/${string}`> = {};
  for (const axis of axes) {
    const place = ([`/metadata/${axis}`, `/metadata/scope/${axis}`] as const).find((_, at) =>
      isTextAt(at === 0 ? fields : valueAt(fields, '/scope/properties'), axis),
    );
    if (place === undefined || !/^[A-Za-z]\w*$/.test(axis))
      return `the body of its delete names ${axis}, which its objects do not have`;
    scope[axis] = place;
  }
  return { removal: !isByName ? 'body' : axes.length > 0 ? 'path-and-body' : 'path', scope };
}

function isTextAt(fields: Json | undefined, key: string): boolean {
  return [valueOf(valueOf(fields, key), 'type') ?? null].flat().includes('string');
}

/** The description of these kinds alone. */
function describe(all: readonly DescribedKind[]): JsonObject {
  const paths = all.flatMap(
    ({
      name,
      tag,
      path,
      summary,
      metadata,
      spec,
      example,
      removal,
      scope,
    }): (readonly [string, JsonObject])[] => {
      const collection = `/gateway/v2/${path}`;
      const tags = { tags: [tag] };
      const body = (schema: JsonObject, more: JsonObject = {}): JsonObject => ({
        requestBody: { content: { 'application/json': { schema, ...more } } },
      });
      const text = { type: 'string' };
      const identity = Object.fromEntries(Object.keys(scope).map((axis) => [axis, text]));
      const remove = {
        delete: {
          ...tags,
          ...(removal === 'path'
            ? {}
            : body({
                type: 'object',
                properties: removal === 'body' ? { name: text, ...identity } : identity,
              })),
        },
      };
      const object = {
        type: 'object',
        description: summary,
        properties: { kind: { const: name }, apiVersion: { const: 'gateway/v2' }, metadata, spec },
      };
      const own = { get: tags, put: { ...tags, ...body(object, example === undefined ? {} : { example }) } };
      return removal === 'body'
        ? [[collection, { ...own, ...remove }]]
        : [
            [collection, own],
            [`${collection}/{name}`, remove],
          ];
    },
  );
  return {
    openapi: '3.1.0',
    info: { title: 'Kinds of the gateway', version: 'v2' },
    paths: Object.fromEntries(paths),
  };
}
