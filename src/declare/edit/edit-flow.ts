import { isMap, isPair, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import { endOf, startOf, topOf } from '../../schema/yaml/extent.ts';
import { lineEnd, lineStart } from '../../schema/yaml/text-lines.ts';
import type { Splice } from './splice.ts';

type Entry = {
  readonly start: number;
  readonly end: number;
  /** Whether nothing else is before it in its line. */
  readonly isOnOwnLine: boolean;
};

/** The entries of a map in braces, or of a list in brackets. */
export function flowEntriesOf(text: string, collection: YAMLMap | YAMLSeq): readonly Entry[] {
  return collection.items.map((item) => {
    const start = isPair(item) ? startOf(item) : ((item as Node).range?.[0] ?? -1);
    const end = isMap(collection) || isPair(item) ? endOf(item) : ((item as Node).range?.[1] ?? -1);
    return { start, end, isOnOwnLine: text.slice(lineStart(text, start), start).trim() === '' };
  });
}

/** Puts an entry in front of the one at an index, or behind the last. `print` is given its column if it has its own line. */
export function insertFlowEntry(
  text: string,
  entries: readonly Entry[],
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
export function removeFlowEntry(text: string, entries: readonly Entry[], index: number): readonly Splice[] {
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
