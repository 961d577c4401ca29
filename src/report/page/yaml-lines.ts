import { addAll } from '../../model/collect.ts';
import { childOf, isList, isObject, keysOf, type Json, isScalar } from '../../model/json/json.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { forTerminal, onOneLine } from '../escape.ts';
import { printJson } from '../../model/json/json-text.ts';

/** A value as lines of YAML for people to read: texts that could be taken for something else are in quotes. */
export function yamlLines(value: Json, levels = 0): readonly string[] {
  if (levels > MOST_LEVELS) return [forTerminal(printJson(value))];
  if (isList(value)) return value.length === 0 ? ['[]'] : value.flatMap((item) => renderItem(item, levels));
  if (!isObject(value)) return renderText(value);
  const lines: string[] = [];
  for (const key of keysOf(value)) addAll(lines, renderEntry(key, childOf(value, key), levels));
  return lines.length === 0 ? ['{}'] : lines;
}

/** What is nested deeper is on one line, which is shorter than that of its indents. */
const MOST_LEVELS = 20;

/** A field: on its line if the value is short, below it if not. */
export function renderEntry(key: string, value: Json, levels = 0): readonly string[] {
  const name = renderScalar(key);
  const lines = renderShort(value) ?? yamlLines(value, levels + 1);
  if (typeof lines === 'string') return [`${name}: ${lines}`];
  const [first = '', ...rest] = lines;
  return isMultiline(value) ? [`${name}: ${first}`, ...rest.map(indent)] : [`${name}:`, ...lines.map(indent)];
}

function renderItem(value: Json, levels: number): readonly string[] {
  const [first = '', ...rest] = isList(value) ? [renderShort(value) ?? ''] : yamlLines(value, levels + 1);
  if (isList(value) && first === '') return ['-', ...yamlLines(value, levels + 1).map(indent)];
  return [`- ${first}`, ...rest.map(indent)];
}

/** The longest list that stays on one line. */
const LONGEST_LIST = 72;

function renderShort(value: Json): string | undefined {
  if (isMultiline(value)) return undefined;
  if (isList(value)) {
    if (!value.every((item) => isScalar(item) && !isMultiline(item))) return undefined;
    const text = `[${value.map((item) => renderScalar(item, true)).join(', ')}]`;
    return text.length <= LONGEST_LIST ? text : undefined;
  }
  if (isObject(value)) return Object.keys(value).length === 0 ? '{}' : undefined;
  return renderScalar(value);
}

export function isMultiline(value: Json): value is string {
  return typeof value === 'string' && value.includes('\n');
}

function renderText(value: Json): readonly string[] {
  if (!isMultiline(value)) return [renderScalar(value)];
  const lines = value.split('\n');
  return [
    lines.at(-1) === '' ? '|' : '|-',
    ...(lines.at(-1) === '' ? lines.slice(0, -1) : lines).map(onOneLine),
  ];
}

function renderScalar(value: Json, isInList = false): string {
  if (typeof value !== 'string') return printJson(value);
  const isPlain = value === HIDDEN || (PLAIN.test(value) && !AMBIGUOUS.test(value));
  // JSON has escapes of its own, and is on one line.
  return isPlain && !(isInList && /[,[\]{}]/.test(value)) ? onOneLine(value) : forTerminal(printJson(value));
}

/** Texts that YAML takes for themselves, of letters that nobody overlooks. */
const PLAIN = /^[\w./$(][\w ./$()*+^|\\?=,;@:<>~&%![\]{}'"-]*$/;
const AMBIGUOUS = /^(?:true|false|yes|no|on|off|null|[-+.]?\d[\d_.,:xoeE+-]*|\.inf|\.nan)$|: | #|:$|\s$/i;

function indent(line: string): string {
  return `  ${line}`;
}
