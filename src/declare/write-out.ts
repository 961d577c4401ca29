import { memoize } from '../model/collect.ts';
import {
  isList,
  isObject,
  joinPointer,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json/json.ts';
import type { Kind, Part } from '../model/kind.ts';
import type { Catalog } from '../model/own-kind.ts';
import { forTerminal } from '../model/text/escape.ts';
import { fieldsOf, itemOf, othersOf } from '../schema/fields.ts';
import { byRank, formOf, rankOf, type Rank } from '../schema/fmt/document-order.ts';
import { escapeText } from '../schema/load/as-declared.ts';
import { printYaml } from '../schema/yaml/print.ts';
import type { Document } from './declared.ts';

/** A resource as the value of a document: keys in the order of `fmt`, `${` escaped, and placeholders at these places. */
export function writeOut(
  value: JsonObject,
  kind: Kind,
  placeholders: ReadonlyMap<Pointer, string>,
): JsonObject {
  const part = kind.part(value);
  const schema = schemaOf(kind);
  return write(value, schema, '', { part, placeholders }) as JsonObject; // an object stays one
}

const schemaOf = memoize(({ schema }: Kind): JsonObject => {
  return { properties: { apiVersion: {}, kind: {}, ...schema } };
});

type WriteContext = {
  readonly part: Part | undefined;
  readonly placeholders: ReadonlyMap<Pointer, string>;
};

function write(value: Json, schema: Json | undefined, at: Pointer, context: WriteContext): Json {
  const { part, placeholders } = context;
  if (!isList(value) && !isObject(value))
    return placeholders.get(at) ?? (typeof value === 'string' ? escapeText(value) : value);
  const here = part?.path === at ? part.schema : schema;
  const shape = isObject(here) ? shapeOf(here) : SHAPELESS;
  if (isList(value))
    return value.map((child, index) => write(child, shape.item, joinPointer(at, index), context));
  const keys = Object.keys(value);
  const ordered = keys.toSorted(
    (one, other) => keyRank(one, shape) - keyRank(other, shape) || (one < other ? -1 : 1),
  );
  const entries = ordered.map((key): readonly [string, Json] => {
    const field = shape.fields.get(key)?.schema ?? shape.others;
    return [escapeText(key), write(value[key] ?? null, field, joinPointer(at, key), context)];
  });
  // Most maps stay as they are, and need no copy.
  const isSame = entries.every(([key, child], index) => key === keys[index] && child === value[key]);
  return isSame ? value : Object.fromEntries(entries);
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

function keyRank(key: string, { fields }: Shape): number {
  return fields.get(key)?.rank ?? fields.size;
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
  const rank = rankOf(value, form, catalog);
  return 'expand' in form ? rank : { ...rank, address };
}
