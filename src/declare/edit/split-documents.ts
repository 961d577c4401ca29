import { firstLine, isBlank, isComment, linesFrom, type Span } from '../../schema/yaml/text-lines.ts';

/** The part of a file from a `---` line, or its beginning, to the next one. */
export type Part = Span & {
  readonly isMarked: boolean;
  /** The number of its document, as the reader counts; undefined for comments above the first `---`. */
  readonly number: number | undefined;
};

/** The parts of a file with a document each; undefined for a file with directives or explicit ends of documents. */
export function splitDocuments(text: string): readonly Part[] | undefined {
  if (/(?:^\uFEFF?|\n)(?:%|\.\.\.(?:\s|$))/.test(text)) return undefined;
  const starts = Array.from(text.matchAll(/(?<=^\uFEFF?|\n)---(?=[ \t\r\n]|$)/g), ({ index }) => index);
  const first = firstLine(text);
  const froms = starts[0] === first ? starts : [first, ...starts];
  let number = 0;
  return froms.map((from, at) => {
    const to = froms[at + 1] ?? text.length;
    const isMarked = starts.includes(from, Math.max(0, at - 1));
    const isDocument = isMarked || hasContent(text, { from, to });
    return { from, to, isMarked, number: isDocument ? number++ : undefined };
  });
}

function hasContent(text: string, { from, to }: Span): boolean {
  for (const line of linesFrom(text, from, to))
    if (!isBlank(text, line) && !isComment(text, line)) return true;
  return false;
}
