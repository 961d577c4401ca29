import { isCollection, isMap, isPair, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { endOf, lastLineOf, startOf, topOf, withDeeperComments } from '../../schema/yaml/extent.ts';
import { isBlank, lineEnd, linesFrom, lineStart } from '../../schema/yaml/text-lines.ts';
import type { Splice } from './splice.ts';

/*
 *   # about a          the top of a
 *   a: 1   # why       its start, and its end
 *     # b: 2           indented more than a: its end is here
 *
 *   - c: 3             an item; c is in the line of its dash
 */
export type Entry = {
  /** Of the comments directly above it, at the start of their line; of the entry itself if it is in the line of a dash. */
  readonly top: number;
  /** Of the key or the dash. */
  readonly start: number;
  /** Of its last line, before the line break. */
  readonly end: number;
};
export type Block = {
  readonly column: number;
  /** Whether the first entry is in the line of a dash, or behind `---`. */
  readonly isInline: boolean;
  readonly entries: readonly Entry[];
};

/** The entries of a map or list in block style; undefined for a layout that cannot be edited. */
export function blockOf(text: string, collection: YAMLMap | YAMLSeq, isRoot: boolean): Block | undefined {
  const starts = isMap(collection) ? collection.items.map(startOf) : dashesOf(text, collection);
  const leads = starts.map((start) => text.slice(lineStart(text, start), start));
  const [lead = ''] = leads;
  if (!/^ *(?:- +)*$/.test(lead) || leads.slice(1).some((before) => !/^ *$/.test(before))) return undefined;
  if (starts.includes(-1)) return undefined;
  const column = lead.length;
  const isInline = lead.includes('-');
  const entries: Entry[] = [];
  for (const [index, start] of starts.entries()) {
    const item = collection.items[index];
    // A list item without a value ends at its dash.
    const last = isPair(item) || endOf(item) > start ? lastLineOf(text, item) : lineEnd(text, start);
    const end = withDeeperComments(text, last, column);
    const free = entries.at(-1)?.end ?? 0;
    const about = topOf(text, start, isRoot && index === 0 ? IGNORE : undefined);
    const top =
      isInline && index === 0 ? start : Math.max(lineStart(text, about), text.indexOf('\n', free) + 1);
    entries.push({ top: index === 0 && !isInline ? lineStart(text, about) : top, start, end });
  }
  return { column, isInline, entries };
}

/** A comment above the first key is about the document, unless it ignores a problem of that key. */
const IGNORE = /^\s*#\s*gwconf-ignore\b/;

/** The offsets of the dashes of a list. */
function dashesOf(text: string, { items, range }: YAMLSeq): readonly number[] {
  const first = range?.[0] ?? -1;
  const column = first - lineStart(text, first);
  const dashes: number[] = [];
  let from = first;
  for (const item of items) {
    let dash = dashes.length === 0 ? first : -1;
    for (const line of dash === -1 ? linesFrom(text, from) : []) {
      if (
        !/^-(?:\s|$)/.test(text.slice(line.from + column, line.to)) ||
        !isBlank(text, { from: line.from, to: line.from + column })
      )
        continue;
      dash = line.from + column;
      break;
    }
    if (dash === -1 || text[dash] !== '-') return [-1];
    dashes.push(dash);
    const end = Math.max(dash, endOf(item));
    from = (text[end - 1] === '\n' ? end : text.indexOf('\n', end) + 1) || text.length;
  }
  return dashes;
}

/** Puts an entry in front of the one at an index, or behind the last. `print` makes its text for the column that it begins in. */
export function insertEntry(
  text: string,
  { column, isInline, entries }: Block,
  index: number,
  lineBreak: string,
  print: (column: number) => string,
): readonly Splice[] {
  const indent = ' '.repeat(column);
  const before = entries[index - 1];
  const printed = print(column);
  if (before !== undefined) return [{ from: before.end, to: before.end, text: lineBreak + indent + printed }];
  const at = entries[0]?.top ?? 0;
  return isInline
    ? [{ from: at, to: at, text: printed + lineBreak + indent }]
    : [{ from: at, to: at, text: indent + printed + lineBreak }];
}

/** Takes out an entry that is not the only one, with the comments that belong to it. */
export function removeEntry(text: string, { isInline, entries }: Block, index: number): readonly Splice[] {
  const entry = entries[index];
  const next = entries[index + 1];
  if (entry === undefined) return [];
  if (index === 0 && isInline && next !== undefined) {
    const isNext =
      text.slice(entry.end, next.start).trim() === '' && !/\n\s*\n/.test(text.slice(entry.end, next.start));
    const dash = text.slice(0, entry.start).trimEnd().length;
    return [
      isNext ? { from: entry.start, to: next.start, text: '' } : { from: dash, to: entry.end, text: '' },
    ];
  }
  const below = text.indexOf('\n', entry.end) + 1;
  if (below > 0) return [{ from: entry.top, to: below, text: '' }];
  // The file ends without a line break, and so it stays.
  const above = entry.top - (text[entry.top - 2] === '\r' ? 2 : 1);
  return [{ from: above, to: entry.end, text: '' }];
}

/** Replaces a collection in block style that is the value of a key or a list item; `text` is what goes behind the colon or dash. */
export function replaceBlock(
  text: string,
  node: Node,
  holder: Pair | undefined,
  printed: string,
  lineBreak: string,
): readonly Splice[] {
  const from = node.range?.[0] ?? 0;
  const end = lastLineOf(text, node);
  const keyEnd = holder === undefined ? undefined : endOf(holder.key);
  const isBelow = keyEnd !== undefined && text.slice(keyEnd, from).includes('\n');
  if (!isBelow) return [{ from, to: isCollection(node) ? end : endOf(node), text: printed.trimStart() }];
  const colon = text.indexOf(':', keyEnd) + 1;
  const lineOfKey = lineEnd(text, colon);
  const [head = '', ...lines] = printed.split(lineBreak);
  return [
    { from: colon, to: colon, text: head },
    { from: lineOfKey, to: end, text: lines.map((line) => lineBreak + line).join('') },
  ];
}
