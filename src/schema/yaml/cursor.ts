import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { firstIndex, present } from '../../model/collect.ts';
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
  /** The list that it is in, with what its item says; of lists in a list, the outer one. */
  readonly list?: { readonly path: Pointer; readonly item: string };
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
  let list: PlaceAt['list'];
  const on = descend(contents, offset, path, ({ range }) => {
    list ??= { path: printPointer(path), item: file.text.slice(range?.[0], range?.[1]) };
  });
  return {
    ...{ document, kind: typeof kind === 'string' ? kind : undefined, path: printPointer(path), on },
    ...present({ list }),
  };
}

/** Follows the values that the offset is in, and says what of the last one it is on. */
function descend(
  node: Node | null,
  offset: number,
  path: string[],
  onItem: (item: Node) => void,
): PlaceAt['on'] {
  if (isSeq(node)) {
    const items = node.items as readonly Node[];
    const at = firstIndex(items, ({ range }) => offset <= (range?.[1] ?? -1));
    const item = items[at];
    if (item === undefined || !isIn(item, offset)) return 'value';
    onItem(item);
    path.push(String(at));
    return descend(item, offset, path, onItem);
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
  return isOnKey ? 'key' : descend(value, offset, path, onItem);
}

function isIn(node: Node | null, offset: number): boolean {
  const [start, end] = node?.range ?? [0, -1];
  return start <= offset && offset <= end;
}
