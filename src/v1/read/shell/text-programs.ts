import { posix } from 'node:path';
import { makePlaceholder } from '../../../declare/declared.ts';
import { hasUnknown } from '../unknown.ts';
import { resolvePath, textOfFile, textOfInput, writeFile } from './shell-files.ts';
import { fork, setVariable, unknownOutput, write, type Builtin, type State } from './shell-state.ts';
import { rangeOf } from './braces.ts';

/** Programs whose output follows from their arguments, input and files. */
export const TEXT_PROGRAMS: Readonly<Record<string, Builtin>> = {
  echo,
  printf,
  cat: (args, state) =>
    write(state, args.some(isOption) ? unknownOutput(state, 'cat', args) : textOf(args, state)),
  tee: (args, state) => {
    const text = textOfInput(state);
    write(state, text);
    const appends = args.some((arg) => /^(?:-a|--append)$/.test(arg));
    for (const path of args) if (!path.startsWith('-')) writeFile(path, text, appends, state);
  },
  pv: (_, state) => write(state, textOfInput(state)),
  cp: copy,
  mv: copy,
  ln: copy,
  install: copy,
  seq: (args, state) => {
    const [first = '1', last] = args;
    const isKnown = args.length > 0 && args.length < 3 && args.every((arg) => /^-?\d{1,15}$/.test(arg));
    const [from, to] = last === undefined ? [1, Number(first)] : [Number(first), Number(last)];
    if (!isKnown) write(state, unknownOutput(state, 'seq', args));
    else if (from <= to) write(state, `${rangeOf(String(from), String(to)).join('\n')}\n`);
  },
  basename: nameOf('basename', (path, suffix) => posix.basename(path, suffix)),
  dirname: nameOf('dirname', (path) => posix.dirname(path)),
  readlink: resolve,
  realpath: resolve,
  jq: (args, state) =>
    write(state, printJq(args, state) ?? unknownOutput(state, 'jq', [...args, ...inputOf(args, state)])),
  base64: (args, state) =>
    write(state, encodeBase64(args, state) ?? unknownOutput(state, 'base64', inputOf(args, state))),
  envsubst: ([names], state) => write(state, substitute(textOfInput(state), names, state)),
};

function isOption(arg: string): boolean {
  return /^-./.test(arg);
}

function nameOf(name: string, part: (path: string, suffix: string) => string): Builtin {
  return (args, state) => {
    const [path = '', suffix = ''] = args[0] === '--' ? args.slice(1) : args;
    const text = hasUnknown(path) ? path : part(path, suffix);
    write(state, isOption(path) ? unknownOutput(state, name, args) : `${text}\n`);
  };
}

function resolve(args: readonly string[], state: State): void {
  const path = args.findLast((arg) => !arg.startsWith('-')) ?? '';
  write(state, `${hasUnknown(path) ? path : resolvePath(path, state)}\n`);
}

/** To a file, or into a folder: what is there afterwards. */
function copy(args: readonly string[], state: State): void {
  const paths = args.filter((arg) => !arg.startsWith('-'));
  const to = paths.pop() ?? '';
  for (const path of paths) {
    const text = textOfFile(path, state);
    for (const target of [to, posix.join(to, posix.basename(path))])
      if (!hasUnknown(target)) writeFile(target, text, false, state);
  }
}

/** Of input that is known, as for a header; undefined for all else. */
function encodeBase64(args: readonly string[], state: State): string | undefined {
  const text = state.stdin?.text;
  const isKnown =
    text !== undefined &&
    /^[\x01-\x7f]*$/.test(text) &&
    args.every((arg) => /^(?:-w ?0?|-w0|0|--wrap=0)$/.test(arg));
  return isKnown ? `${btoa(text)}\n` : undefined;
}

function inputOf(args: readonly string[], state: State): readonly string[] {
  return args.includes('-n') || args.includes('--null-input') ? [] : [state.stdin?.text ?? ''];
}

function textOf(args: readonly string[], state: State): string {
  const paths = args.filter((arg) => arg === '-' || !arg.startsWith('-'));
  return paths.length === 0 ? textOfInput(state) : paths.map((path) => textOfFile(path, state)).join('');
}

function echo(args: readonly string[], state: State): void {
  const from = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const flags = args.slice(0, from === -1 ? args.length : from).join('');
  const text = from === -1 ? '' : args.slice(from).join(' ');
  write(state, `${flags.includes('e') ? unescape(text) : text}${flags.includes('n') ? '' : '\n'}`);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"' };

function unescape(text: string): string {
  return text.replaceAll(/\\([ntr\\"])/g, (_, letter: string) => ESCAPES[letter] ?? '');
}

/** `printf '%s' x`; the format is used again for more arguments. */
function printf(args: readonly string[], state: State): void {
  if (args[0] === '-v') {
    const within = fork(state, { out: '' });
    printf(args.slice(2), within);
    setVariable(state, args[1] ?? '', within.out);
    return;
  }
  const [format = '', ...values] = args[0] === '--' ? args.slice(1) : args;
  const text = format.includes('%') ? formatAll(format, values) : unescape(format);
  write(state, text ?? unknownOutput(state, 'printf', args));
}

function formatAll(format: string, values: readonly string[]): string | undefined {
  const pieces = format.split(/(%%|%[-+ #.\d]*[a-zA-Z])/);
  const holes = pieces.filter((piece) => /^%[^%]/.test(piece));
  if (holes.some((hole) => !/^%[sdi]$/.test(hole))) return undefined;
  const texts: string[] = [];
  let next = 0;
  do {
    for (const piece of pieces) {
      if (piece === '%%') texts.push('%');
      else if (/^%[sdi]$/.test(piece)) texts.push(values[next++] ?? '');
      else texts.push(unescape(piece));
    }
  } while (holes.length > 0 && next < values.length);
  return texts.join('');
}

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** `$NAME` and `${NAME}` in a text; of `only`, if that is given. */
function substitute(text: string, only: string | undefined, state: State): string {
  const names = only === undefined ? undefined : new Set(Array.from(only.matchAll(VARIABLE), nameIn));
  return text.replaceAll(VARIABLE, (whole, ...groups: readonly (string | undefined)[]) => {
    const name = nameIn([whole, ...groups]);
    if (names?.has(name) === false) return whole;
    const value = state.variables.get(name) ?? makePlaceholder(name);
    return typeof value === 'string' ? value : (value[0] ?? '');
  });
}

function nameIn([, braced, plain]: readonly (string | undefined)[]): string {
  return braced ?? plain ?? '';
}

/**
 * The output of `jq -n --arg n "$x" '{name: $n, ttl: 60}'`, and of `jq .`, which changes nothing; undefined for other filters. Values
 * are kept as JSON texts.
 */
function printJq(args: readonly string[], { stdin }: State): string | undefined {
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

function readArguments(args: readonly string[]) {
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
