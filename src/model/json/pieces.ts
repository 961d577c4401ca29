import { byKey } from '../collect.ts';
import { forTerminal } from '../text/escape.ts';
import { canonicalText, type Json } from './json.ts';
import { printJson } from './json-text.ts';

/** The indented JSON of an object and a line break, in pieces, safe for build logs; its lists are written item by item. */
export function* jsonPieces(object: object): Generator<string> {
  for (const piece of inPieces(indentedParts(object, inTwoLists))) yield forTerminal(piece);
}

/** The same for a file that programs read: each item of a list has one line. */
export function* linePieces(object: object): Generator<string> {
  for (const piece of inPieces(indentedParts(object, printJson))) yield forTerminal(piece);
}

/** The `canonicalText` of an object, in the same pieces. */
export function canonicalPieces(object: object): Iterable<string> {
  return inPieces(canonicalParts(object));
}

function* indentedParts(object: object, printItem: (item: unknown) => string): Generator<string> {
  const fields = fieldsOf(object);
  yield '{';
  for (const [at, [key, value]] of fields.entries()) {
    yield `${at === 0 ? '' : ','}\n  ${JSON.stringify(key)}: `;
    if (isList(value) && value.length > 0) {
      let before = '[';
      for (const item of value) {
        yield `${before}\n    ${printItem(item)}`;
        before = ',';
      }
      yield '\n  ]';
    } else yield inList(value);
  }
  yield fields.length === 0 ? '}\n' : '\n}\n';
}

/** An array, or a list that creates its items during iteration. */
function isList(value: unknown): value is Iterable<unknown> & { readonly length: number } {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'length' in value;
}

/** Indented by a level: as an item of a list, without the list. */
function inList(value: unknown): string {
  return printJson([value], 2).slice('[\n  '.length, -'\n]'.length);
}

function inTwoLists(value: unknown): string {
  return printJson([[value]], 2).slice('[\n  [\n    '.length, -'\n  ]\n]'.length);
}

function* canonicalParts(object: object): Generator<string> {
  const fields = fieldsOf(object).sort(byKey);
  yield '{';
  for (const [at, [key, value]] of fields.entries()) {
    yield `${at === 0 ? '' : ','}${JSON.stringify(key)}:`;
    if (Array.isArray(value)) {
      yield '[';
      for (const [at, item] of value.entries()) yield `${at === 0 ? '' : ','}${canonicalText(item as Json)}`;
      yield ']';
    } else yield canonicalText(value as Json);
  }
  yield '}';
}

/** The fields with a value, as in JSON. */
function fieldsOf(object: object): [string, unknown][] {
  return (Object.entries(object) as [string, unknown][]).filter(([, value]) => value !== undefined);
}

/** The length of a piece: passing on each small part would be slow. */
const PIECE = 64 * 1024;

/** Joins the parts of a text into larger pieces. */
export function* inPieces(parts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
