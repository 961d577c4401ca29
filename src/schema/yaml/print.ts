import { Document, isCollection, isMap, isScalar, Scalar, visit } from 'yaml';
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
  return forTerminal(makeDocument(value, isQuoted).toString(ON_ONE_LINE));
}

function makeDocument(value: Json, isQuoted: (text: string) => boolean): Document {
  const document = new Document(value);
  visit(document, {
    Scalar: (_, node) => {
      // Only double-quoted text can contain escapes.
      if (typeof node.value !== 'string') return;
      if (needsEscapes(node.value) || isQuoted(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document;
}

function needsEscapes(text: string): boolean {
  return forTerminal(text) !== text || (text.includes('\t') && !text.includes('\n'));
}

/** How a text is written: `PLAIN`, `QUOTE_SINGLE`, … */
export type ScalarStyle = Scalar.Type;

/** How an entry is printed into a file that is there. */
export type EntryStyle = {
  /** Columns of a level. */
  readonly indent: number;
  /** In braces or brackets. */
  readonly isFlow: boolean;
  /** Of a text, if it can be written so. */
  readonly scalar?: ScalarStyle | undefined;
};

/** One entry with a single value: of a map, `key: value`, or of a list, `- value`; in flow style without the dash. */
export function printEntry(key: string | undefined, value: Json, style: EntryStyle): string {
  const { indent, isFlow, scalar } = style;
  const document = makeDocument(key === undefined ? [value] : Object.fromEntries([[key, value]]), isTemplate);
  const { contents } = document;
  if (isCollection(contents)) {
    contents.flow = isFlow;
    const only: unknown = isMap(contents) ? contents.items[0]?.value : contents.items[0];
    if (isScalar(only) && scalar !== undefined && mayBe(scalar, only)) only.type = scalar;
  }
  const text = document.toString({ ...ON_ONE_LINE, indent });
  const printed = forTerminal(keepsEnd(text) ? text : text.slice(0, -1));
  return isFlow ? printed.slice(1, -1).trim() : printed;
}

function mayBe(style: ScalarStyle, { type, value }: Scalar): boolean {
  const text = typeof value === 'string' ? value : '';
  if (style === Scalar.PLAIN) return type !== Scalar.QUOTE_DOUBLE && !text.includes('\n');
  return type !== Scalar.QUOTE_DOUBLE || !needsEscapes(text);
}

/** In quotes, `${…}` stays text, whatever its value is. */
function isTemplate(value: Json): boolean {
  return typeof value === 'string' && value.includes('${');
}

/** Whether a text ends with empty lines that count: `|+`. */
function keepsEnd(text: string): boolean {
  return /[|>]\d?\+\n/.test(text);
}
