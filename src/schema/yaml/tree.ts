import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Pair } from 'yaml';
import { childOf, isObject, keysOf, type Json } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { hasTooManyValues, isMergeKey, MOST_LEVELS, syntaxOf, targetsOf, TOO_MANY_VALUES } from './syntax.ts';
import { exactNumber } from './plain.ts';
import { ExactNumber } from '../../model/json/exact-number.ts';

/** A value in a YAML or JSON file of another program, and where it starts. */
export type Tree = {
  readonly value: Json;
  readonly offset: number;
  /** The offset of the first line of the text of a block scalar: `|` or `>`. */
  readonly textOffset?: number;
  /** By key or index. */
  readonly children: ReadonlyMap<string, Tree>;
};

/** The documents of a file, or why it cannot be read, as a predicate, with the offset. Nothing in it is filled in. */
export function readTrees(
  file: SourceFile,
): readonly Tree[] | { readonly fault: string; readonly offset: number } {
  if (hasTooManyValues(file.text)) return { fault: `cannot be read: ${TOO_MANY_VALUES}`, offset: 0 };
  const documents = syntaxOf(file);
  const error = documents.flatMap(({ errors }) => errors)[0];
  if (error !== undefined) return { fault: 'is not valid YAML or JSON', offset: error.pos[0] };
  return documents.flatMap((document) => {
    const { contents } = document;
    return contents === null ? [] : [treeOf(document, file.text)];
  });
}

/** The values of a document of a text, as far as they can be read. */
export function treeOf(document: Document.Parsed, text: string): Tree {
  return readTree(document.contents, { document, open: new Set(), levels: 0, nodes: 0, text });
}

type TreeReader = {
  readonly document: Document.Parsed;
  readonly text: string;
  /** The anchored nodes that are currently read. */
  readonly open: Set<Node>;
  levels: number;
  /** How many nodes aliases have repeated. */
  nodes: number;
};
const MOST_REPEATED = 100_000;

function readTree(node: unknown, reader: TreeReader): Tree {
  if (isAlias(node)) return follow(node, reader);
  const offset = (node as Node | null)?.range?.[0] ?? 0;
  if (reader.open.size > 0) reader.nodes += 1;
  const isDeep = reader.levels >= MOST_LEVELS || reader.nodes > MOST_REPEATED;
  if (isScalar(node)) return readScalar(node, offset, reader.text);
  if (isDeep) return { value: null, offset, children: new Map() };
  reader.levels += 1;
  const children = childrenOf(node, reader);
  reader.levels -= 1;
  const values = [...children].map(([key, { value }]) => [key, value] as const);
  const value = isSeq(node) ? values.map(([, item]) => item) : Object.fromEntries(values);
  return { value, offset, children };
}

type Scalar = { readonly value: unknown; readonly source?: string; readonly type?: string };

function readScalar({ value, source, type }: Scalar, offset: number, text: string): Tree {
  const read = typeof value === 'number' ? (exactNumber(value, source ?? '') ?? source ?? null) : value;
  const json =
    read === null || read instanceof ExactNumber || ['string', 'number', 'boolean'].includes(typeof read)
      ? (read as Json)
      : (source ?? null);
  const tree = { value: json, offset, children: new Map() };
  return type?.startsWith('BLOCK_') === true ? { ...tree, textOffset: text.indexOf('\n', offset) + 1 } : tree;
}

function childrenOf(node: unknown, reader: TreeReader): Map<string, Tree> {
  const children = new Map<string, Tree>();
  if (isSeq(node)) node.items.forEach((item, at) => children.set(String(at), readTree(item, reader)));
  if (!isMap(node)) return children;
  for (const pair of node.items) {
    if (!isMergeKey(pair)) children.set(keyOf(pair), readTree(pair.value, reader));
  }
  for (const pair of node.items) if (isMergeKey(pair)) merge(readTree(pair.value, reader), children);
  return children;
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.source ?? key.value) : '';
}

/** A key of the map overrides a merged one; of two merged ones, the first counts. */
function merge(source: Tree, children: Map<string, Tree>): void {
  if (isObject(source.value)) {
    for (const [key, child] of source.children) if (!children.has(key)) children.set(key, child);
  } else {
    for (const item of source.children.values()) if (isObject(item.value)) merge(item, children);
  }
}

function follow(alias: Node, reader: TreeReader): Tree {
  const target = isAlias(alias) ? targetsOf(reader.document).get(alias) : undefined;
  const offset = alias.range?.[0] ?? 0;
  if (target === undefined || reader.open.has(target)) return { value: null, offset, children: new Map() };
  reader.open.add(target);
  const tree = readTree(target, reader);
  reader.open.delete(target);
  return tree;
}

/** All text in a value, also keys. */
export function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  for (const key of keysOf(value)) {
    yield key;
    yield* textsIn(childOf(value, key));
  }
}
