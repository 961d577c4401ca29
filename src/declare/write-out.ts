import { memoize } from '../model/collect.ts';
import {
  childOf,
  isList,
  isObject,
  printPointer,
  valueAt,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json/json.ts';
import type { Kind } from '../model/kind.ts';
import type { Catalog } from '../model/own-kind.ts';
import { forTerminal } from '../model/text/escape.ts';
import { fieldsOf, itemOf, othersOf } from '../schema/fields.ts';
import { byRank, formOf, kindRank, rankOf, type Rank } from '../schema/fmt/document-order.ts';
import { escapeText } from '../schema/load/as-declared.ts';
import { printYaml } from '../schema/yaml/print.ts';
import type { Document } from './declared.ts';

/** A resource as the value of a document: keys in the order of `fmt`, `${` escaped, and placeholders at these places. */
export function writeOut(
  value: JsonObject,
  kind: Kind,
  placeholders: ReadonlyMap<Pointer, string>,
): JsonObject {
  const found = kind.part(value);
  const part = found && { value: valueAt(value, found.path), schema: found.schema };
  return write(value, schemaOf(kind), { part, placeholders, path: [] }) as JsonObject; // an object stays one
}

const schemaOf = memoize(({ schema }: Kind): JsonObject => {
  return { properties: { apiVersion: {}, kind: {}, ...schema } };
});

type WriteContext = {
  /** What has a schema of its own. */
  readonly part: { readonly value: Json | undefined; readonly schema: JsonObject } | undefined;
  readonly placeholders: ReadonlyMap<Pointer, string>;
  /** Where the value is. */
  readonly path: string[];
};

function write(value: Json, schema: Json | undefined, context: WriteContext): Json {
  const { part, placeholders, path } = context;
  if (!isList(value) && !isObject(value)) {
    const placeholder = placeholders.size === 0 ? undefined : placeholders.get(printPointer(path));
    return placeholder ?? (typeof value === 'string' ? escapeText(value) : value);
  }
  const here = part?.value === value ? part.schema : schema;
  const shape = isObject(here) ? shapeOf(here) : SHAPELESS;
  const keys = Object.keys(value);
  const ordered = isList(value) ? keys : keys.toSorted(byPlace(shape));
  const entries: (readonly [string, Json])[] = [];
  let isSame = true; // most stay as they are, and need no copy
  for (const key of ordered) {
    const before = childOf(value, key);
    const field = isList(value) ? shape.item : (shape.fields.get(key)?.schema ?? shape.others);
    path.push(key);
    const after = write(before, field, context);
    path.pop();
    const name = escapeText(key);
    isSame &&= after === before && name === keys[entries.length];
    entries.push([name, after]);
  }
  if (isSame) return value;
  return isList(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** The fields and items of a schema; named fields have their places in the order of `fmt`. */
type Shape = {
  readonly fields: ReadonlyMap<string, { readonly rank: number; readonly schema: Json }>;
  readonly others: Json | undefined;
  readonly item: Json | undefined;
};

const SHAPELESS: Shape = { fields: new Map(), others: undefined, item: undefined };
const shapeOf = memoize((schema: JsonObject): Shape => ({
  fields: new Map([...fieldsOf(schema)].map(([key, field], rank) => [key, { rank, schema: field }])),
  others: othersOf(schema),
  item: itemOf(schema),
}));

function byPlace({ fields }: Shape): (one: string, other: string) => number {
  const rankOf = (key: string): number => fields.get(key)?.rank ?? fields.size;
  return (one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1);
}

/** The text of a file: these documents in the order of `fmt`, which does not change it, below lines of comment. */
export function printDocuments(
  documents: readonly Document[],
  head: readonly string[],
  catalog: Catalog,
): string {
  const comments = head.map((line) => `# ${forTerminal(line.replace(/\s+/g, ' ').trim())}\n`).join('');
  const ranked = documents.map((document) => ({ document, rank: rankIn(document, catalog) }));
  const values = ranked
    .sort((one, other) => byRank(one.rank, other.rank))
    .map(({ document }) => document.value);
  const plain = new Set(documents.flatMap((document) => [...(document.plain ?? [])]));
  const text = printYaml(values, (one) => one.includes('${') && !plain.has(one));
  return `${comments}${comments === '' ? '' : '\n'}${text}`;
}

function rankIn({ address, value }: Document, catalog: Catalog): Rank {
  const form = formOf(value, catalog);
  if (form === undefined) throw new Error(`${address} has a document of no kind`);
  return 'expand' in form ? rankOf(value, form, catalog) : { kind: kindRank(form, catalog), address };
}
