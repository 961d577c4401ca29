import { hasUnknown } from '../unknown.ts';
import type { State } from './shell-state.ts';

/**
 * The output of `jq -n --arg n "$x" '{name: $n, ttl: 60}'`, and of `jq .`, which changes nothing; undefined for other filters. Values
 * are kept as JSON texts.
 */
export function printJq(args: readonly string[], { stdin }: State): string | undefined {
  const { values, words, isEmpty, isRaw } = readArguments(args);
  const [filter = '.', ...files] = words;
  if (files.length > 0 || isRaw) return undefined;
  if (filter === '.')
    return isEmpty || stdin === undefined || hasUnknown(stdin.text) ? undefined : stdin.text;
  if (!isEmpty) return undefined;
  const tokens = (filter.match(TOKEN) ?? []).filter((token) => !/^\s/.test(token));
  const open: string[] = []; // the brackets around a token
  const texts = tokens.map((token, at) => {
    if (/^[{[]$/.test(token)) open.push(token);
    if (/^[}\]]$/.test(token)) open.pop();
    // `{$name}` stands for `{name: $name}`.
    const isField = open.at(-1) === '{' && /^[{,]$/.test(tokens[at - 1] ?? '');
    return isField ? fieldOf(token, tokens[at + 1] ?? '', values) : valueOf(token, values);
  });
  return texts.includes(undefined) ? undefined : `${texts.join('')}\n`;
}

const TOKEN =
  /\s+|"(?:[^"\\]|\\.)*"|\(\s*\$\w+\s*\|\s*(?:tonumber|fromjson)\s*\)|\$\w+|[A-Za-z_]\w*|-?\d+(?:\.\d+)?|./gs;

type Arguments = {
  readonly values: Values;
  readonly words: readonly string[];
  readonly isEmpty: boolean;
  readonly isRaw: boolean;
};

function readArguments(args: readonly string[]): Arguments {
  const values = new Map<string, string>();
  const words: string[] = [];
  let [isEmpty, isRaw] = [false, false];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--arg' || arg === '--argjson') {
      const value = args[at + 2] ?? '';
      values.set(args[at + 1] ?? '', arg === '--arg' ? JSON.stringify(value) : value);
      at += 2;
    } else if (arg === '--null-input') isEmpty = true;
    else if (/^-[a-zA-Z]+$/.test(arg)) {
      isEmpty ||= arg.includes('n');
      isRaw ||= /[rjRs]/.test(arg);
    } else if (!arg.startsWith('--')) words.push(arg);
  }
  return { values, words, isEmpty, isRaw };
}

type Values = ReadonlyMap<string, string>;

function fieldOf(token: string, next: string, values: Values): string | undefined {
  if (token.startsWith('"') || token === '}') return valueOf(token, values);
  if (!token.startsWith('$')) return next === ':' && /^\w/.test(token) ? JSON.stringify(token) : undefined;
  const value = values.get(token.slice(1));
  return next === ':' || value === undefined ? value : `${JSON.stringify(token.slice(1))}:${value}`;
}

/** A token as JSON; undefined for what is more than an object or a list. */
function valueOf(token: string, values: Values): string | undefined {
  if (/^(?:[{}[\],:]|-?\d.*|true|false|null)$/.test(token)) return token;
  if (token.startsWith('"')) return fillString(token, values);
  const value = values.get(/\$(\w+)/.exec(token)?.[1] ?? '');
  return token.startsWith('(') ? /^"([^"\\]*)"$/.exec(value ?? '')?.[1] : value;
}

/** A string with `\($name)`. */
function fillString(token: string, values: Values): string | undefined {
  const hole = /\\\(\s*\$(\w+)\s*\)/g;
  if ([...token.matchAll(hole)].some(([, name = '']) => !values.has(name))) return undefined;
  const text = token.replaceAll(hole, (_, name: string) => (values.get(name) ?? '').replaceAll(/^"|"$/g, ''));
  return text.includes('\\(') ? undefined : text;
}
