import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { parsePointer, type Pointer } from '../../model/json/json.ts';
import { isMergeKey } from '../../schema/yaml/syntax.ts';

/** Why a place of a file cannot be edited. */
export type Obstacle = 'alias' | 'anchor' | 'layout';

/** A place of a document: the collection that has it, its index there, and its value. */
export type FoundPlace = {
  /** Undefined for the whole document. */
  readonly parent: YAMLMap | YAMLSeq | undefined;
  /** Of the entry in its parent; -1 if there is none yet. */
  readonly index: number;
  readonly node: Node | undefined;
  readonly hasAnchor: boolean;
};

/** The place of a pointer, or the obstacle on the way and where it is; `isNew` for the key of a map that is not there yet. */
export function findPlace(
  root: Node | null,
  path: Pointer,
  isNew: boolean,
): FoundPlace | { readonly obstacle: Obstacle; readonly offset: number } {
  let place: FoundPlace = { parent: undefined, index: 0, node: root ?? undefined, hasAnchor: false };
  const tokens = parsePointer(path);
  for (const [depth, token] of tokens.entries()) {
    const { node } = place;
    if (isAlias(node)) return { obstacle: 'alias', offset: offsetOf(node) };
    const hasAnchor = place.hasAnchor || (isCollection(node) && node.anchor !== undefined);
    if (isSeq(node)) {
      place = {
        parent: node,
        index: Number(token),
        node: node.items[Number(token)] as Node | undefined,
        hasAnchor,
      };
    } else if (isMap(node)) {
      const index = node.items.findIndex((pair) => keyOf(pair) === token);
      const merge = node.items.find(isMergeKey);
      if (index === -1 && !(isNew && depth === tokens.length - 1))
        return {
          obstacle: merge === undefined ? 'layout' : 'alias',
          offset: offsetOf((merge?.key ?? node) as Node),
        };
      place = {
        parent: node,
        index,
        node: (node.items[index]?.value ?? undefined) as Node | undefined,
        hasAnchor,
      };
    } else return { obstacle: 'layout', offset: offsetOf(node) };
  }
  const { node } = place;
  if (isAlias(node)) return { obstacle: 'alias', offset: offsetOf(node) };
  return { ...place, hasAnchor: place.hasAnchor || hasAnchorIn(node) };
}

/** The key of a pair as a token of a pointer. */
export function keyOf({ key }: Pair): string | undefined {
  if (!isScalar(key) || typeof key.value === 'symbol') return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

export function offsetOf(node: Node | undefined): number {
  return node?.range?.[0] ?? 0;
}

/** Whether a value, or one in it, has an anchor. */
function hasAnchorIn(node: unknown): boolean {
  if (isScalar(node)) return node.anchor !== undefined;
  if (!isCollection(node)) return false;
  if (node.anchor !== undefined) return true;
  return node.items.some((item) =>
    isMap(node) ? hasAnchorIn((item as Pair).key) || hasAnchorIn((item as Pair).value) : hasAnchorIn(item),
  );
}
