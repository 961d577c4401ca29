import { Document, isCollection, isMap, isScalar, Scalar, visit, type ScalarTag } from 'yaml';
import { ExactNumber } from '../../model/json/exact-number.ts';
import { isDeeper } from '../../model/json/extent.ts';
import { printJson } from '../../model/json/json-text.ts';
import { type Json, isList, isObject } from '../../model/json/json.ts';
import { forTerminal } from '../../model/text/escape.ts';
import { MOST_LEVELS } from './syntax.ts';

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
  return values
    .map((value) => printUsual(value, isQuoted) ?? printDeep(value) ?? printThoroughly(value, isQuoted))
    .join('---\n');
}

/** JSON is YAML, and a value of many levels is shorter so, and printed without many levels of calls. */
function printDeep(value: Json): string | undefined {
  return isDeeper(value, MOST_LEVELS) ? forTerminal(`${printJson(value)}\n`) : undefined;
}

/** Prints any value. */
export function printThoroughly(value: Json, isQuoted: (text: string) => boolean): string {
  return forTerminal(makeDocument(value, isQuoted).toString(ON_ONE_LINE));
}

function makeDocument(value: Json, isQuoted: (text: string) => boolean): Document {
  const document = new Document(value, {
    aliasDuplicateObjects: false, // equal exact numbers are one object
    customTags: (tags) => [...tags, EXACT],
  });
  visit(document, {
    Scalar: (_, node) => {
      // Only double-quoted text can contain escapes.
      if (typeof node.value !== 'string') return;
      if (needsEscapes(node.value) || isQuoted(node.value) || isOtherIn11(node.value))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return document;
}

/** Whether readers of YAML 1.1 take a text for something else: a flag, a number, a time, a date, a merge. */
export function isOtherIn11(text: string): boolean {
  return /^(?:[-+]?[.\d][-+\d_.,:a-fxotz ]*|[-+]?(?:e[-+]?\d+|\.(?:inf|nan))|y|n|yes|no|on|off|true|false|null|~|=|<<)$/i.test(
    text,
  );
}

const EXACT: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof ExactNumber,
  resolve: (text) => text,
  stringify: ({ value }) => String(value),
};

function needsEscapes(text: string): boolean {
  if (forTerminal(text) !== text || (text.includes('\t') && !text.includes('\n'))) return true;
  // As a block, `|+`, empty lines at its end would be part of it, and none that is edited can tell them from others. A blank text is no block.
  const end = text.slice(text.trimEnd().length);
  return end === text ? text !== '' : end.includes('\n') && end.indexOf('\n') < end.length - 1;
}

/** How a text is written: `PLAIN`, `QUOTE_SINGLE`, … */
export type ScalarStyle = Scalar.Type;

/** How an entry is printed into a file that is there. */
type EntryStyle = {
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
  const printed = forTerminal(text.slice(0, -1));
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

/**
 * A fast printer for common values, as `printThoroughly` prints them: maps and lists of short ASCII texts, numbers, true, false
 * and null. Undefined for other values.
 */
export function printUsual(value: Json, isQuoted: (text: string) => boolean): string | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  return printMap(value, '', isQuoted);
}

type IsQuoted = (text: string) => boolean;

/** The entries of a map; the first line has no indent. */
function printMap(
  map: { readonly [key: string]: Json },
  indent: string,
  isQuoted: IsQuoted,
): string | undefined {
  if (indent.length > 2 * MOST_LEVELS) return undefined;
  let text = '';
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined || !PLAIN_KEY.test(key) || isOtherIn11(key) || isQuoted(key)) return undefined;
    const below =
      typeof value === 'object' && !(value instanceof ExactNumber)
        ? printBelow(value, indent, isQuoted)
        : printScalar(value, isQuoted);
    if (below === undefined) return undefined;
    text += `${text === '' ? '' : indent}${key}:${below.startsWith('\n') ? '' : ' '}${below}`;
    if (!below.endsWith('\n')) text += '\n';
  }
  return text;
}

/** A map, a list or null behind a key: on the same line if there is nothing in it. */
function printBelow(value: Json, indent: string, isQuoted: IsQuoted): string | undefined {
  const deeper = `${indent}  `;
  if (isList(value)) {
    if (value.length === 0) return '[]';
    const items = printList(value, deeper, isQuoted);
    return items === undefined ? undefined : `\n${deeper}${items}`;
  }
  if (!isObject(value)) return 'null';
  if (Object.keys(value).length === 0) return '{}';
  const entries = printMap(value, deeper, isQuoted);
  return entries === undefined ? undefined : `\n${deeper}${entries}`;
}

function printList(items: readonly Json[], indent: string, isQuoted: IsQuoted): string | undefined {
  if (indent.length > 2 * MOST_LEVELS) return undefined;
  let text = '';
  for (const item of items) {
    const printed = printItem(item, `${indent}  `, isQuoted);
    if (printed === undefined) return undefined;
    text += `${text === '' ? '' : indent}- ${printed}${printed.endsWith('\n') ? '' : '\n'}`;
  }
  return text;
}

function printItem(item: Json, indent: string, isQuoted: IsQuoted): string | undefined {
  if (isList(item)) return item.length === 0 ? '[]' : printList(item, indent, isQuoted);
  if (!isObject(item)) return printScalar(item, isQuoted);
  return Object.keys(item).length === 0 ? '{}' : printMap(item, indent, isQuoted);
}

function printScalar(value: Json, isQuoted: IsQuoted): string | undefined {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : undefined;
  if (value instanceof ExactNumber) return value.toString();
  if (typeof value !== 'string') return JSON.stringify(value);
  if (value.length > LONGEST || UNUSUAL.test(value)) return undefined;
  if (isQuoted(value)) return JSON.stringify(value);
  return PLAIN.test(value) && !isOtherIn11(value) ? value : undefined;
}

const PLAIN_KEY = /^[A-Za-z_][\w.-]{0,99}$/;
/** Text that needs no quotes. */
const PLAIN = /^(?:[A-Za-z_/(^+\\]|\$\{|\.[A-Za-z*])(?:[^:# ]|:(?! |$)| (?![# ]|$))*$/;
/** Texts that build servers or terminals could take for a command, and text that is not ASCII. */
const UNUSUAL = /[^\x20-\x7e]|::|##/;
const LONGEST = 1000;
