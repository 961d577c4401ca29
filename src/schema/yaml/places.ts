import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Pair, type YAMLMap } from 'yaml';
import { addTo, memoize } from '../../model/collect.ts';
import { parsePointer } from '../../model/json/json.ts';
import type { DocumentRef, Place, Position, SourceFile } from '../../model/problem.ts';
import { positionAt } from './text-lines.ts';
import { isMergeKey, syntaxOf, targetsOf } from './syntax.ts';

/** The position of a place, one-based, with the length of its text on the first line. */
export const locate = memoize((place: Place): Position & { readonly length: number } => {
  const { file, start, end } = spanOf(place);
  const text = file.text.slice(start, end).split('\n', 1)[0] ?? '';
  return { ...positionAt(file, start), length: Math.max(1, text.trimEnd().length) };
});

/** A part of a file; the end is behind its last character. */
export type Range = { readonly start: Point; readonly end: Point };
type Point = Position & { readonly offset: number };

/** All of a place: of a value its lines, without the blanks behind it. */
export function rangeOf(place: Place): Range {
  const { file, start, end } = spanOf(place);
  const last = start + Math.max(1, file.text.slice(start, end).trimEnd().length);
  const pointAt = (offset: number): Point => ({ ...positionAt(file, offset), offset });
  return { start: pointAt(start), end: pointAt(Math.min(last, Math.max(start, file.text.length))) };
}

/** The text at a place, as in the file. */
export function writtenAt(place: Place): string {
  const { file, start, end } = spanOf(place);
  return file.text.slice(start, end);
}

/** Locates many places in advance, file by file, so that each file is parsed once. */
export function locateAll(places: Iterable<Place>): void {
  const byFile = new Map<SourceFile, Place[]>();
  for (const place of places) addTo(byFile, fileOf(place), place);
  for (const inFile of byFile.values()) inFile.forEach(locate);
}

export function fileOf(place: Place): SourceFile {
  return 'document' in place ? place.document.file : place.file;
}

type Span = { readonly file: SourceFile; readonly start: number; readonly end: number };

function spanOf(place: Place): Span {
  if ('offset' in place) return { file: place.file, start: place.offset, end: place.offset + 1 };
  const { document, path, on } = place;
  const syntax = syntaxOf(document.file)[document.index];
  let node: Node | null | undefined = syntax?.contents;
  let key: Node | undefined;
  for (const token of parsePointer(path)) {
    const next = stepInto(node, token, syntax);
    if (next === undefined) return spanOfNode(document, key ?? node); // not in the file: the nearest parent
    ({ key, node } = next);
  }
  const target = on === 'key' ? (key ?? node) : isWritten(node) ? node : (key ?? node);
  return spanOfNode(document, target);
}

function spanOfNode({ file, offset }: DocumentRef, node: Node | null | undefined): Span {
  const [start = offset, end = start + 1] = node?.range ?? [];
  return { file, start, end };
}

function isWritten(node: Node | null | undefined): boolean {
  return node?.range !== null && node?.range !== undefined && node.range[1] > node.range[0];
}

/** The first pair of each key of a map, and its merge keys. */
const entriesOf = memoize((map: YAMLMap) => {
  const pairs = new Map<string, Pair>();
  for (const pair of map.items) {
    const key = isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : undefined;
    if (key !== undefined && !pairs.has(key)) pairs.set(key, pair);
  }
  return { pairs, merges: map.items.filter(isMergeKey) };
});

function stepInto(
  node: Node | null | undefined,
  token: string,
  document: Document.Parsed | undefined,
): { readonly key: Node | undefined; readonly node: Node | null | undefined } | undefined {
  const here = isAlias(node) && document !== undefined ? targetsOf(document).get(node) : node;
  if (isSeq(here)) {
    const item = here.items[Number(token)] as Node | undefined;
    return item === undefined ? undefined : { key: undefined, node: item };
  }
  if (!isMap(here)) return undefined;
  const { pairs, merges } = entriesOf(here);
  const pair = pairs.get(token);
  if (pair !== undefined) return { key: pair.key as Node, node: pair.value as Node | null };
  for (const { value } of merges) {
    for (const source of isSeq(value) ? value.items : [value]) {
      const found = stepInto(source as Node, token, document);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
