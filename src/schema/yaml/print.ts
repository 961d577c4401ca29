import { Document, visit } from 'yaml';
import { forTerminal } from '../../model/text/escape.ts';
import type { Json } from '../../model/json/json.ts';

/** Never a line of its own for a line of a quoted text: it could begin with anything. */
const ON_ONE_LINE = { lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity };

/** Values as YAML documents, one after the other; harmless on a terminal and in a build log, and exact. */
export function printYaml(values: readonly Json[]): string {
  return values.map(printDocument).join('---\n');
}

function printDocument(value: Json): string {
  const document = new Document(value);
  visit(document, {
    Scalar: (_, node) => {
      // Only quoted text can spell things out.
      if (typeof node.value === 'string' && isOdd(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return forTerminal(document.toString(ON_ONE_LINE));
}

function isOdd(text: string): boolean {
  return forTerminal(text) !== text || (text.includes('\t') && !text.includes('\n'));
}
