import type { Position } from '../model/problem.ts';
import { forTerminal } from '../model/text/escape.ts';

export { forTerminal };

/** Escapes text for a terminal, and line breaks and tabs too. */
export function onOneLine(text: string): string {
  return forTerminal(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

export function formatPlace({ file, line, column }: Position): string {
  return `${onOneLine(file)}:${line}:${column}`;
}
