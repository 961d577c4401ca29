import { isCollection, isMap, isPair, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { endOf, lastLineOf, startOf, topOf, withDeeperComments } from '../../schema/yaml/extent.ts';
import { isBlank, lineEnd, linesFrom, lineStart, type Span } from '../../schema/yaml/text-lines.ts';

/*
 *   # about a          the top of a
 *   a: 1   # why       its start, and its end
 *     # b: 2           indented more than a: its end is here
 *
 *   - c: 3             an item; c is in the line of its dash
 */
type Entry = {
  /** Of the comments directly above it, at the start of their line; of the entry itself if it is in the line of a dash. */
  readonly top: number;
  /** Of the key or the dash. */
  readonly start: number;
  /** Of its last line, before the line break. */
  readonly end: number;
};
type Block = {
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

type FlowEntry = {
  readonly start: number;
  readonly end: number;
  /** Whether nothing else is before it in its line. */
  readonly isOnOwnLine: boolean;
};

/** The entries of a map in braces, or of a list in brackets. */
export function flowEntriesOf(text: string, collection: YAMLMap | YAMLSeq): readonly FlowEntry[] {
  return collection.items.map((item) => {
    const start = isPair(item) ? startOf(item) : startWithTag(text, item as Node);
    const end = isMap(collection) || isPair(item) ? endOf(item) : ((item as Node).range?.[1] ?? -1);
    return { start, end, isOnOwnLine: text.slice(lineStart(text, start), start).trim() === '' };
  });
}

/** Where a value begins, with a tag before it in its line: `!!str 5`. */
export function startWithTag(text: string, { range, tag }: Node): number {
  const start = range?.[0] ?? -1;
  const line = text.slice(lineStart(text, start), start);
  const at = tag === undefined ? -1 : line.lastIndexOf('!!');
  return at === -1 || /\s/.test(line.slice(at).trimEnd()) ? start : start - (line.length - at);
}

/** Puts an entry in front of the one at an index, or behind the last. `print` is given its column if it has its own line. */
export function insertFlowEntry(
  text: string,
  entries: readonly FlowEntry[],
  index: number,
  lineBreak: string,
  print: (column?: number) => string,
): readonly Splice[] {
  const neighbour = entries[index - 1] ?? entries[0];
  if (neighbour === undefined) return [];
  const { start, end, isOnOwnLine } = neighbour;
  const indent = text.slice(lineStart(text, start), start);
  const printed = print(isOnOwnLine ? indent.length : undefined);
  if (index === 0) {
    const top = isOnOwnLine ? lineStart(text, topOf(text, start)) : start;
    const put = isOnOwnLine ? `${indent}${printed},${lineBreak}` : `${printed}, `;
    return [{ from: top, to: top, text: put }];
  }
  if (!isOnOwnLine) return [{ from: end, to: end, text: `, ${printed}` }];
  const [behind = '', comma] = /^[ \t]*(?:(,)[ \t]*)?(?:#[^\r\n]*)?(?=\r?\n|$)/.exec(text.slice(end)) ?? [];
  if (behind === '' && lineEnd(text, end) !== end)
    return [{ from: end, to: end, text: `,${lineBreak}${indent}${printed}` }]; // it is closed in the same line
  const line = end + behind.length;
  const put = `${lineBreak}${indent}${printed}${comma === undefined ? '' : ','}`;
  if (comma !== undefined) return [{ from: line, to: line, text: put }];
  return line === end
    ? [{ from: end, to: end, text: `,${put}` }]
    : [
        { from: end, to: end, text: ',' },
        { from: line, to: line, text: put },
      ];
}

/** Takes out an entry that is not the only one, with its comma and the comments that belong to it. */
export function removeFlowEntry(
  text: string,
  entries: readonly FlowEntry[],
  index: number,
): readonly Splice[] {
  const [before, entry, next] = [entries[index - 1], entries[index], entries[index + 1]];
  if (entry === undefined) return [];
  const { start, end } = entry;
  const [behind] = /^[ \t]*(?:,[ \t]*)?(?:#[^\r\n]*)?\r?\n/.exec(text.slice(end)) ?? [];
  if (entry.isOnOwnLine && behind !== undefined) {
    const lines = { from: lineStart(text, topOf(text, start)), to: end + behind.length, text: '' };
    if (next !== undefined || behind.trimStart().startsWith(',') || before === undefined) return [lines];
    const comma = before.end + text.slice(before.end).indexOf(',');
    return [{ from: comma, to: comma + 1, text: '' }, lines];
  }
  if (next !== undefined) return [{ from: start, to: next.start, text: '' }];
  return [{ from: before?.end ?? start, to: end, text: '' }];
}

/** A part of a text, and what takes its place. */
export type Splice = Span & { readonly text: string };

export function spliceText(text: string, splices: readonly Splice[]): string {
  let done = '';
  let at = 0;
  for (const { from, to, text: put } of [...splices].sort((one, other) => one.from - other.from)) {
    done += text.slice(at, from) + put;
    at = to;
  }
  return done + text.slice(at);
}
