import { isList, isObject, type Json } from '../../model/json/json.ts';

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
  let text = '';
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined || !PLAIN_KEY.test(key) || NO_TEXT.test(key) || isQuoted(key)) return undefined;
    const below =
      typeof value === 'object' ? printBelow(value, indent, isQuoted) : printScalar(value, isQuoted);
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
  if (typeof value !== 'string') return JSON.stringify(value);
  if (value.length > LONGEST || UNUSUAL.test(value)) return undefined;
  if (isQuoted(value)) return JSON.stringify(value);
  return PLAIN.test(value) && !NO_TEXT.test(value) ? value : undefined;
}

const PLAIN_KEY = /^[A-Za-z_][\w.-]{0,99}$/;
/** Text that needs no quotes. */
const PLAIN = /^(?:[A-Za-z_/(^+\\]|\$\{|\.[A-Za-z*])(?:[^:# ]|:(?! |$)| (?![# ]|$))*$/;
/** What would be null, true, false or a number without quotes, or is between documents. */
const NO_TEXT = /^(?:null|true|false|[-+\d].*|\.(?:inf|nan))$/i;
/** What build servers or terminals could take for a command, and text that is not ASCII. */
const UNUSUAL = /[^\x20-\x7e]|::|##/;
const LONGEST = 1000;
