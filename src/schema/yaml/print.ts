import { Document, visit } from 'yaml';
import { forTerminal } from '../../model/text/escape.ts';
import type { Json } from '../../model/json/json.ts';
import { printUsual } from './print-usual.ts';

/** Quoted text stays on one line: a new line could start with a command for a build log. */
const ON_ONE_LINE = { lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity };

/**
 * Prints values as YAML documents, exactly and safe for terminals and build logs. Texts for which `isQuoted` holds are in
 * quotes; others are where YAML needs it.
 */
export function printYaml(
  values: readonly Json[],
  isQuoted: (text: string) => boolean = () => false,
): string {
  return values.map((value) => printUsual(value, isQuoted) ?? printThoroughly(value, isQuoted)).join('---\n');
}

/** Prints any value. */
export function printThoroughly(value: Json, isQuoted: (text: string) => boolean): string {
  const document = new Document(value);
  visit(document, {
    Scalar: (_, node) => {
      // Only double-quoted text can contain escapes.
      if (typeof node.value !== 'string') return;
      if (needsEscapes(node.value) || isQuoted(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return forTerminal(document.toString(ON_ONE_LINE));
}

function needsEscapes(text: string): boolean {
  return forTerminal(text) !== text || (text.includes('\t') && !text.includes('\n'));
}
