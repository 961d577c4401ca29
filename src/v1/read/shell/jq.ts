import type { State } from './state.ts';
import { hasUnknown } from '../unknown.ts';

/**
 * The output of `jq -n --arg n "$x" '{name: $n, ttl: 60}'`, and of `jq .`, which changes nothing; undefined for other filters. Values
 * are kept as JSON texts.
 */
export function printJq(args: readonly string[], state: State): string | undefined {
  const { variables, words, isEmpty, isRaw } = readArguments(args);
  const [filter = '.', ...files] = words;
  if (files.length > 0 || isRaw) return undefined;
  if (filter === '.')
    return isEmpty || state.stdin === undefined || hasUnknown(state.stdin.text)
      ? undefined
      : state.stdin.text;
  if (!isEmpty) return undefined;
  const tokens = filter.match(TOKEN) ?? [];
  const reading = { tokens: tokens.filter((token) => !/^\s/.test(token)), at: 0, variables, levels: 0 };
  const value = readValue(reading);
  return reading.at === reading.tokens.length && value !== undefined ? `${value}\n` : undefined;
}

const TOKEN = /\s+|"(?:[^"\\]|\\.)*"|\$\w+|[A-Za-z_]\w*|-?\d+(?:\.\d+)?|./gs;

type Arguments = {
  readonly variables: ReadonlyMap<string, string>;
  readonly words: readonly string[];
  readonly isEmpty: boolean;
  readonly isRaw: boolean;
};

function readArguments(args: readonly string[]): Arguments {
  const variables = new Map<string, string>();
  const words: string[] = [];
  let [isEmpty, isRaw] = [false, false];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--arg' || arg === '--argjson') {
      const value = args[at + 2] ?? '';
      variables.set(args[at + 1] ?? '', arg === '--arg' ? JSON.stringify(value) : value);
      at += 2;
    } else if (arg === '--null-input') isEmpty = true;
    else if (/^-[a-zA-Z]+$/.test(arg)) {
      isEmpty ||= arg.includes('n');
      isRaw ||= /[rjRs]/.test(arg);
    } else if (!arg.startsWith('--')) words.push(arg);
  }
  return { variables, words, isEmpty, isRaw };
}

type Reading = {
  readonly tokens: readonly string[];
  at: number;
  readonly variables: ReadonlyMap<string, string>;
  levels: number;
};

function next(reading: Reading): string {
  return reading.tokens[reading.at++] ?? '';
}

/** A value as JSON text; undefined for filters that are not read here. */
function readValue(reading: Reading): string | undefined {
  reading.levels += 1;
  const value = reading.levels > 100 ? undefined : readOne(reading);
  reading.levels -= 1;
  if (value === undefined || reading.tokens[reading.at] !== '|') return value;
  reading.at += 1;
  const filter = next(reading);
  if (filter === 'tonumber' || filter === 'fromjson')
    return /^"[^"\\]*"$/.test(value) ? value.slice(1, -1) : undefined;
  return filter === 'tostring' ? (value.startsWith('"') ? value : JSON.stringify(value)) : undefined;
}

function readOne(reading: Reading): string | undefined {
  const token = next(reading);
  if (token.startsWith('$')) return reading.variables.get(token.slice(1));
  if (token.startsWith('"')) return readString(token, reading);
  if (/^(?:-?\d|true$|false$|null$)/.test(token)) return token;
  if (token === '(') {
    const value = readValue(reading);
    return next(reading) === ')' ? value : undefined;
  }
  if (token === '[') return readItems(reading, ']', readValue, '[');
  return token === '{' ? readItems(reading, '}', readEntry, '{') : undefined;
}

function readItems(
  reading: Reading,
  end: string,
  read: (reading: Reading) => string | undefined,
  start: string,
): string | undefined {
  const items: string[] = [];
  while (reading.tokens[reading.at] !== end) {
    const item = read(reading);
    if (item === undefined) return undefined;
    items.push(item);
    if (reading.tokens[reading.at] === ',') reading.at += 1;
    else if (reading.tokens[reading.at] !== end) return undefined;
  }
  reading.at += 1;
  return `${start}${items.join(',')}${end}`;
}

/** `name: value`, `"name": value`, `(name): value` or `$name`. */
function readEntry(reading: Reading): string | undefined {
  const token = next(reading);
  let key: string | undefined;
  if (token.startsWith('$')) {
    const value = reading.variables.get(token.slice(1));
    if (reading.tokens[reading.at] !== ':')
      return value === undefined ? undefined : `${JSON.stringify(token.slice(1))}:${value}`;
    key = value;
  } else if (token === '(') {
    key = readValue(reading);
    if (next(reading) !== ')') return undefined;
  } else
    key = token.startsWith('"')
      ? readString(token, reading)
      : /^\w/.test(token)
        ? JSON.stringify(token)
        : undefined;
  if (key?.startsWith('"') !== true || next(reading) !== ':') return undefined;
  const value = readValue(reading);
  return value === undefined ? undefined : `${key}:${value}`;
}

/** A string with `\($name)`. */
function readString(token: string, { variables }: Reading): string | undefined {
  const hole = /\\\(\s*\$(\w+)\s*\)/g;
  if ([...token.matchAll(hole)].some(([, name = '']) => !variables.has(name))) return undefined;
  const text = token.replaceAll(hole, (_, name: string) =>
    (variables.get(name) ?? '').replaceAll(/^"|"$/g, ''),
  );
  return text.includes('\\(') ? undefined : text;
}
