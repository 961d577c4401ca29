import type { Position } from '../model/problem.ts';
import { forOutput, forTerminal } from '../model/text/escape.ts';

export { forOutput, forTerminal };

/** Escapes text for a terminal, and line breaks and tabs too. Text that looks like one of the escapes is escaped as well. */
export function onOneLine(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  const distinct = text.includes('\\u') ? text.replace(/\\(?=u[\da-f]{4})/g, '\\u005c') : text;
  return forTerminal(distinct).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

export function escapedLines(text: string): readonly string[] {
  return text.split('\n').map(onOneLine);
}

/** A fast test: most text has nothing to escape. */
const UNUSUAL = /[^\x20-\x7e]|::|##|\\u/;

export function formatPlace({ file, line, column }: Position): string {
  return `${onOneLine(file)}:${line}:${column}`;
}
