import { eastAsianWidth } from 'get-east-asian-width';

const ASCII = /^[\x20-\x7e]*$/;
const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The columns that a text takes on a terminal. It has no control characters. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segments.segment(text)) width += widthOfOne(segment);
  return width;
}

/** A text of at most so many columns; a longer one ends with …. */
export function cutToWidth(text: string, most: number): string {
  if (text.length <= most && ASCII.test(text)) return text;
  if (widthOf(text) <= most) return text;
  let [cut, width] = ['', 0];
  for (const { segment } of segments.segment(text)) {
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
