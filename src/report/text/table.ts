import { largestOf } from '../../model/collect.ts';
import { onOneLine } from '../escape.ts';
import type { TextOptions } from './layout.ts';
import { eastAsianWidth } from 'get-east-asian-width';

/** A table with a line of titles. It is as wide as the terminal at most: longer cells are cut. */
export function* renderTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { paint, width }: Pick<TextOptions, 'paint' | 'width'>,
): Generator<string> {
  const cells = rows.map((row) => row.map(onOneLine));
  const widths = fitColumns(
    titles.map((title, at) => largestOf([title, ...cells.map((row) => row[at] ?? '')].map(widthOf))),
    width,
  );
  const isCut = width !== undefined;
  yield `${paint.dim(renderRow(titles, widths, isCut))}\n`;
  for (const row of cells) yield `${renderRow(row, widths, isCut)}\n`;
}

/** Without a terminal, longer cells stick out: one long name would fill every row with blanks. */
const MOST_PADDING = 60;
const INDENT = '  ';
const GAP = '  ';

/** The widths of columns: on a terminal, the widest become narrower until all fit. */
function fitColumns(wanted: readonly number[], terminal: number | undefined): readonly number[] {
  if (terminal === undefined) return wanted.map((width) => Math.min(width, MOST_PADDING));
  let room = terminal - INDENT.length - GAP.length * (wanted.length - 1);
  const ascending = [...wanted].sort((one, other) => one - other);
  for (const [at, width] of ascending.entries()) {
    const share = Math.max(1, Math.floor(room / (ascending.length - at)));
    if (width > share) return wanted.map((one) => Math.min(one, share));
    room -= width;
  }
  return wanted;
}

function renderRow(cells: readonly string[], widths: readonly number[], isCut: boolean): string {
  const padded = cells.map((cell, at) => {
    const width = widths[at] ?? 0;
    const shown = isCut ? cutToWidth(cell, width) : cell;
    return at === cells.length - 1 ? shown : shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
  });
  return `${INDENT}${padded.join(GAP)}`;
}

const ASCII = /^[\x20-\x7e]*$/;

/** Made when a text needs it: it reads data of all languages, which takes longer than to check a file. */
let segments: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  return (segments ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })).segment(text);
}

/** The columns that a text takes on a terminal. It has no control characters. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += widthOfOne(segment);
  return width;
}

/** A text of at most so many columns; a longer one ends with …. */
export function cutToWidth(text: string, most: number): string {
  if (text.length <= most && ASCII.test(text)) return text;
  if (widthOf(text) <= most) return text;
  let [cut, width] = ['', 0];
  for (const { segment } of segmentsOf(text)) {
    width += widthOfOne(segment);
    if (width > most - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Marks on a letter take no column of their own. */
function widthOfOne(segment: string): number {
  return eastAsianWidth(segment.codePointAt(0) ?? 0);
}
