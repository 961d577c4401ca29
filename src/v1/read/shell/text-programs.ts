import { posix } from 'node:path';
import { makePlaceholder } from '../../../declare/placeholder.ts';
import { hasUnknown } from '../unknown.ts';
import { rangeOf } from './braces.ts';
import { textOfFile, textOfInput } from './files.ts';
import { printJq } from './jq.ts';
import { writeFile } from './redirect.ts';
import { unknownOutput, write, type State } from './state.ts';

type Program = (args: readonly string[], state: State) => void;

/** Programs whose output follows from their arguments, input and files. */
export const TEXT_PROGRAMS: Readonly<Record<string, Program>> = {
  echo,
  printf,
  cat: (args, state) => write(state, textOf(args, state)),
  tee: (args, state) => {
    const text = textOfInput(state);
    write(state, text);
    const appends = args.some((arg) => /^(?:-a|--append)$/.test(arg));
    for (const path of args) if (!path.startsWith('-')) writeFile(path, text, appends, state);
  },
  seq: (args, state) => {
    const [first = '1', last] = args;
    const isKnown = args.length > 0 && args.length < 3 && args.every((arg) => /^-?\d{1,15}$/.test(arg));
    write(
      state,
      isKnown
        ? `${rangeOf(last === undefined ? '1' : first, last ?? first).join('\n')}\n`
        : unknownOutput(state, 'seq', args),
    );
  },
  basename: ([path = '', suffix = ''], state) =>
    write(state, `${hasUnknown(path) ? path : posix.basename(path, suffix)}\n`),
  dirname: ([path = ''], state) => write(state, `${hasUnknown(path) ? path : posix.dirname(path)}\n`),
  jq: (args, state) =>
    write(state, printJq(args, state) ?? unknownOutput(state, 'jq', [...args, ...inputOf(args, state)])),
  base64: (args, state) =>
    write(state, encodeBase64(args, state) ?? unknownOutput(state, 'base64', inputOf(args, state))),
  envsubst: (_, state) => write(state, substitute(textOfInput(state), state)),
  sed: (args, state) =>
    write(state, replaceAll(args, state) ?? unknownOutput(state, 'sed', [...args, ...inputOf(args, state)])),
};

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
  const isVariable = args[0] === '-v';
  const name = args[1] ?? '';
  const rest = (isVariable ? args.slice(2) : args).slice(args[0] === '--' ? 1 : 0);
  const [format = '', ...values] = rest;
  const text = format.includes('%') ? formatAll(format, values) : unescape(format);
  const known = text ?? unknownOutput(state, 'printf', args);
  if (isVariable) state.variables.set(name, known);
  else write(state, known);
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

/** `$NAME` and `${NAME}` in a text. */
function substitute(text: string, state: State): string {
  return text.replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (_, braced?: string, plain?: string) => {
    const name = braced ?? plain ?? '';
    const value = state.variables.get(name) ?? makePlaceholder(name);
    return typeof value === 'string' ? value : (value[0] ?? '');
  });
}

/** `sed -e 's/a/b/g' FILE` with plain text to replace; undefined for all else. */
function replaceAll(args: readonly string[], state: State): string | undefined {
  const scripts: string[] = [];
  const paths: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '-e') scripts.push(args[(at += 1)] ?? '');
    else if (arg === '-E' || arg === '-r') continue;
    else if (arg.startsWith('-')) return undefined;
    else if (scripts.length === 0 && !args.includes('-e')) scripts.push(arg);
    else paths.push(arg);
  }
  const changes = scripts.flatMap((script) => script.split(/[;\n]/)).map(readChange);
  if (changes.some((change) => change === undefined)) return undefined;
  let text = textOf(paths, state);
  for (const change of changes) {
    if (change === undefined) continue;
    const { from, to, isGlobal } = change;
    text = isGlobal
      ? text.split(from).join(to)
      : text
          .split('\n')
          .map((line) => line.replace(from, () => to))
          .join('\n');
  }
  return text;
}

function readChange(
  script: string,
): { readonly from: string; readonly to: string; readonly isGlobal: boolean } | undefined {
  const text = script.trim();
  const mark = text[1];
  if (!text.startsWith('s') || mark === undefined || /[\w\s]/.test(mark)) return undefined;
  const [, from = '', to = '', flags, ...more] = text.split(mark);
  const isPlain =
    from !== '' && !/[\^$*+?()[\]\\|]/.test(from.replaceAll(/\\([$.{}])/g, '')) && !/[&\\]/.test(to);
  if (!isPlain || more.length > 0 || !/^g?$/.test(flags ?? '-')) return undefined;
  return { from: from.replaceAll(/\\([$.{}])/g, '$1'), to, isGlobal: flags === 'g' };
}
