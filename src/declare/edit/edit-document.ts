import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
  type Pair,
  type Scalar,
} from 'yaml';
import {
  isList,
  isObject,
  parentOf,
  parsePointer,
  sameJson,
  valueAt,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import { endOf, lastLineOf } from '../../schema/yaml/extent.ts';
import { exactNumber } from '../../schema/yaml/plain.ts';
import { hasTooManyValues } from '../../schema/yaml/syntax.ts';
import { lineEnd, lineStart } from '../../schema/yaml/text-lines.ts';
import {
  blockOf,
  insertEntry,
  removeEntry,
  replaceBlock,
  flowEntriesOf,
  insertFlowEntry,
  removeFlowEntry,
  spliceText,
  startWithTag,
  type Splice,
} from './edit-block.ts';
import { editsBetween, valueAfter, type Edit } from './edits-between.ts';
import { findPlace, keyOf, offsetOf, type FoundPlace, type Obstacle } from './find-place.ts';
import { printBlock, printFlow, styleOf, type FileStyle } from './print-value.ts';

/** An edit that was not made, and where in the text its obstacle is. */
export type Refusal = { readonly path: Pointer; readonly obstacle: Obstacle; readonly offset: number };

/** The keys of a map of a document in canonical order. */
export type KeyOrder = (path: Pointer) => readonly string[];

/**
 * Edits the text of one document so that it means a value, `${…}` as written. Nothing but the places that differ changes. After
 * each edit the text is read again; an edit that means anything else is refused.
 */
export function editDocument(
  source: string,
  wanted: Json,
  keyOrder: KeyOrder,
): { readonly text: string; readonly refused: readonly Refusal[] } {
  const parsed = parseOne(source);
  if (parsed === undefined) return { text: source, refused: [{ path: '', obstacle: 'layout', offset: 0 }] };
  let { document, value } = parsed;
  let text = source;
  const refused: Refusal[] = [];
  const lost: Refusal[] = [];
  for (const edit of editsBetween(value, wanted)) {
    // The indexes of later edits count on those that add or remove items of the list.
    const former = lost.find(({ path }) => edit.path.startsWith(`${parentOf(path)}/`));
    const made: Attempt = former ?? tryEdit(text, document, edit, keyOrder);
    const next = made.text === undefined ? undefined : parseOne(made.text);
    if (made.text !== undefined && next !== undefined && sameJson(next.value, valueAfter(value, edit))) {
      ({ text } = made);
      ({ document, value } = next);
    } else {
      const refusal = { path: edit.path, obstacle: made.obstacle, offset: made.offset };
      refused.push(refusal);
      if (isList(valueAt(value, parentOf(edit.path))) && edit.op !== 'set') lost.push(refusal);
    }
  }
  return { text, refused };
}

/** The value of a text with one document, `${…}` as written; undefined if it cannot be read as one. */
export function readWritten(text: string): Json | undefined {
  return parseOne(text)?.value;
}

function parseOne(text: string): { readonly document: Document.Parsed; readonly value: Json } | undefined {
  if (hasTooManyValues(text)) return undefined;
  const parsed = parseAllDocuments(text, {
    merge: true,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const [document, second] = 'empty' in parsed ? [] : parsed;
  if (document === undefined || second !== undefined || document.errors.length > 0) return undefined;
  try {
    visit(document, { Scalar: keepDigits });
    return { document, value: document.toJS() as Json };
  } catch {
    return undefined; // aliases that expand to too much
  }
}

/** A number that JavaScript would round has its digits, as where files are read. */
function keepDigits(key: unknown, scalar: Scalar): void {
  if (key === 'key' || typeof scalar.value !== 'number') return;
  scalar.value = exactNumber(scalar.value, scalar.source ?? '') ?? scalar.value;
}

/** The text after an edit, if there can be one; and the obstacle if it does not mean what it should. */
type Attempt = Omit<Refusal, 'path'> & { readonly text?: string };

function tryEdit(text: string, document: Document.Parsed, edit: Edit, keyOrder: KeyOrder): Attempt {
  const place = findPlace(document.contents, edit.path, edit.op === 'add');
  if ('obstacle' in place) return place;
  const offset = offsetOf(place.node ?? place.parent);
  const obstacle = place.hasAnchor ? 'anchor' : 'layout';
  const splices = splicesOf({ text, style: styleOf(text, document), keyOrder }, edit, place);
  return { obstacle, offset, ...(splices && { text: spliceText(text, splices) }) };
}

type Editing = { readonly text: string; readonly style: FileStyle; readonly keyOrder: KeyOrder };

function splicesOf(editing: Editing, edit: Edit, place: FoundPlace): readonly Splice[] | undefined {
  const { text, style } = editing;
  const { parent } = place;
  if (edit.op === 'set') return replaceValue(editing, edit.value, place);
  if (parent === undefined) return undefined;
  const flow = parent.flow === true ? flowEntriesOf(text, parent) : undefined;
  const block = flow === undefined ? blockOf(text, parent, parentOf(edit.path) === '') : undefined;
  if (edit.op === 'remove') {
    if (flow !== undefined) return removeFlowEntry(text, flow, place.index);
    return block && removeEntry(text, block, place.index);
  }
  const key = isMap(parent) ? parsePointer(edit.path).at(-1) : undefined;
  const index =
    isMap(parent) && key !== undefined ? indexFor(editing, edit.path, parent.items, key) : place.index;
  if (flow !== undefined)
    return insertFlowEntry(text, flow, index, style.lineBreak, (column) =>
      printFlow(key, edit.value, style, column),
    );
  if (block === undefined) return undefined;
  const neighbour = parent.items[index - 1] ?? parent.items[0];
  const isLikeFlow = isCollection(neighbour) && neighbour.flow === true && !isScalarValue(edit.value);
  return insertEntry(text, block, index, style.lineBreak, (column) =>
    isLikeFlow ? `- ${printFlow(key, edit.value, style)}` : printBlock(key, edit.value, style, column),
  );
}

/** The index of a new key: in front of the first one that comes after it in canonical order. */
function indexFor({ keyOrder }: Editing, path: Pointer, pairs: readonly Pair[], key: string): number {
  const order = keyOrder(parentOf(path));
  const rankOf = (name: string | undefined): number => {
    const rank = order.indexOf(name ?? '');
    return rank === -1 ? order.length : rank;
  };
  const behind = pairs.findIndex((pair) => keyOf(pair) !== undefined && rankOf(keyOf(pair)) > rankOf(key));
  return behind === -1 ? pairs.length : behind;
}

/** A tag is of the former value, so it goes with it. */
function replaceValue(editing: Editing, value: Json, place: FoundPlace): readonly Splice[] | undefined {
  const splices = printOver(editing, value, place);
  const { node } = place;
  if (splices === undefined || node?.range == null) return splices;
  const [to] = node.range;
  const from = startWithTag(editing.text, node);
  return from === to ? splices : [{ from, to, text: '' }, ...splices];
}

function printOver(
  editing: Editing,
  value: Json,
  { parent, index, node }: FoundPlace,
): readonly Splice[] | undefined {
  const { text, style } = editing;
  if (parent === undefined) return undefined;
  const entry = parent.items[index];
  const pair = isPair(entry) && isMap(parent) ? entry : undefined;
  const type = isScalar(node) ? node.type : undefined;
  const isInFlow =
    parent.flow === true ||
    (isCollection(node) && node.flow === true) ||
    (!isScalarValue(value) && !isCollection(node));
  if (isInFlow && node?.range != null) {
    const [from] = node.range;
    const line = text.slice(lineStart(text, from));
    const column = style.isJson && /^\s*"/.test(line) ? line.length - line.trimStart().length : undefined;
    const printed = printFlow(undefined, value, style, column, type);
    return isBlockText(node)
      ? replaceScalar(text, node, printed, style.lineBreak)
      : fillIn(text, node, printed);
  }
  const block = blockOf(text, parent, false);
  if (block === undefined || node?.range == null) return undefined;
  const key = pair === undefined ? undefined : 'key';
  const whole = printBlock(key, value, style, block.column, type);
  const printed = whole.slice(key === undefined ? 1 : 'key:'.length);
  if (isCollection(node)) return replaceBlock(text, node, pair, printed, style.lineBreak);
  return replaceScalar(text, node, printed, style.lineBreak);
}

function isScalarValue(value: Json): boolean {
  return !isObject(value) && !isList(value);
}

/** Replaces a value that may be empty: `key:`. */
function fillIn(text: string, node: Node, printed: string): readonly Splice[] {
  const [from = 0, to = from] = node.range ?? [];
  if (to > from) return [{ from, to, text: printed }];
  const colon = Math.max(text.lastIndexOf(':', from), text.lastIndexOf('-', from)) + 1;
  return [{ from: colon, to: colon, text: ` ${printed}` }];
}

/** A text in block style ends with a line break, which is not of its value. */
function isBlockText(node: Node): boolean {
  return isScalar(node) && node.type?.startsWith('BLOCK') === true;
}

/** `printed` has the lines of a text in block style behind its first one. */
function replaceScalar(text: string, node: Node, printed: string, lineBreak: string): readonly Splice[] {
  const [from = 0] = node.range ?? [];
  const to = endOf(node);
  const [head = '', ...lines] = printed.trimStart().split(lineBreak);
  const body = lines.map((line) => lineBreak + line).join('');
  if (!isBlockText(node)) {
    const [value] = fillIn(text, node, head);
    const end = lineEnd(text, to);
    return value === undefined ? [] : [value, { from: end, to: end, text: body }];
  }
  const [, comment = ''] = /^[|>][-+\d]*([ \t]+#[^\r\n]*)?/.exec(text.slice(from)) ?? [];
  const last = lastLineOf(text, node);
  return [{ from, to: last, text: head + comment + body }];
}
