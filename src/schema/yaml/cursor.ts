import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { firstIndex } from '../../model/collect.ts';
import { printPointer, type Pointer } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { isMergeKey, syntaxOf } from './syntax.ts';

/** What is written at an offset of a file. */
export type PlaceAt = {
  /** The number of the document, from 0. */
  readonly document: number;
  /** The kind that the document says it has. */
  readonly kind: string | undefined;
  readonly path: Pointer;
  readonly on: 'key' | 'value';
};

/** The field of a document at an offset: that of its key, its value or the blanks around; undefined between documents. */
export function placeAt(file: SourceFile, offset: number): PlaceAt | undefined {
  const documents = syntaxOf(file);
  const document = firstIndex(documents, ({ range: [, , end] }) => offset <= end);
  const { contents, range: [start] = [] } = documents[document] ?? {};
  if (start === undefined || start > offset) return undefined;
  if (contents === undefined) return undefined;
  const kind = isMap(contents) ? contents.get('kind') : undefined;
  const path: string[] = [];
  const on = descend(contents, offset, path);
  return { document, kind: typeof kind === 'string' ? kind : undefined, path: printPointer(path), on };
}

/** Follows the values that the offset is in, and says what of the last one it is on. */
function descend(node: Node | null, offset: number, path: string[]): PlaceAt['on'] {
  if (isSeq(node)) {
    const items = node.items as readonly Node[];
    const at = firstIndex(items, ({ range }) => offset <= (range?.[1] ?? -1));
    const item = items[at];
    if (item === undefined || !isIn(item, offset)) return 'value';
    path.push(String(at));
    return descend(item, offset, path);
  }
  if (!isMap(node)) return 'value';
  const pairs = node.items as readonly Pair<Node, Node | null>[];
  const pair = pairs[firstIndex(pairs, ({ key }) => (key.range?.[0] ?? 0) > offset) - 1];
  if (pair === undefined || isMergeKey(pair) || !isScalar(pair.key)) return 'value';
  const { key, value } = pair;
  const isOnKey = offset <= (key.range?.[1] ?? 0);
  // A line further in or further out than its keys is of another map, unless the value goes on there.
  if (!isOnKey && !isIn(value, offset) && offset > (value?.range?.[1] ?? key.range?.[1] ?? 0) + 1)
    return 'value';
  path.push(String(key.source ?? key.value));
  return isOnKey ? 'key' : descend(value, offset, path);
}

function isIn(node: Node | null, offset: number): boolean {
  const [start, end] = node?.range ?? [0, -1];
  return start <= offset && offset <= end;
}
