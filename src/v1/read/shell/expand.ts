import { posix } from 'node:path';
import type { ArithmeticExpression, ParsedScript, Word, WordPart } from 'unbash';
import { makePlaceholder } from '../../../declare/placeholder.ts';
import { hasUnknown } from '../unknown.ts';
import { evaluate } from './arithmetic.ts';
import { expandBraces, type Piece } from './braces.ts';
import { expandGlob } from './glob.ts';
import { expandParameter } from './parameter.ts';
import { deeper, fork, LimitError, MOST_FIELDS, spend, unknown, type State, type Value } from './state.ts';

/** More variables in one word take the parser too long. */
const MOST_EXPANSIONS = 200;

/** The text of a word, without splitting it: `x=$y`, here-documents, patterns. */
export function expandText(word: Word, state: State): string {
  return expandParts(partsOf(word, state), word.value, state)
    .map(({ text }) => text)
    .join('');
}

/** The fields that a word of a command becomes: several, one, or none. */
export function expandFields(word: Word, state: State): readonly string[] {
  const fields: string[] = [];
  for (const pieces of expandBraces(expandParts(partsOf(word, state), word.value, state), state)) {
    for (const field of splitFields(pieces)) {
      const names = field.isPattern ? expandGlob(field.text, state) : [field.text];
      for (const name of names) fields.push(name);
      if (fields.length > MOST_FIELDS) throw new LimitError(`a word becomes more than ${MOST_FIELDS} words`);
    }
  }
  return fields;
}

export function expandAll(words: readonly Word[], state: State): readonly string[] {
  return words.flatMap((word) => expandFields(word, state));
}

function partsOf(word: Word, state: State): readonly WordPart[] | undefined {
  spend(state, word.text.length);
  if (word.text.split('${', MOST_EXPANSIONS + 1).length > MOST_EXPANSIONS)
    throw new LimitError(`a word has more than ${MOST_EXPANSIONS} variables`);
  return word.parts;
}

function expandParts(parts: readonly WordPart[] | undefined, value: string, state: State): readonly Piece[] {
  if (parts === undefined) return [{ text: value, quoted: false, literal: true }];
  return parts.flatMap((part) => expandPart(part, state, false));
}

function expandPart(part: WordPart, state: State, quoted: boolean): readonly Piece[] {
  switch (part.type) {
    case 'Literal':
      return [{ text: part.value, quoted: quoted || part.text !== part.value, literal: true }];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ text: part.value, quoted: true }];
    case 'DoubleQuoted':
    case 'LocaleString': {
      const pieces = part.parts.flatMap((inner) => expandPart(inner, state, true));
      // An empty text in quotes is a field; "$@" without arguments is none.
      const isEmptyList = part.parts.length === 1 && /^"\$\{?@\}?"$/.test(part.text);
      return pieces.length === 0 && !isEmptyList ? [{ text: '', quoted: true }] : pieces;
    }
    case 'SimpleExpansion':
      return asPieces(readVariable(part.text.slice(1), state), quoted, part.text);
    case 'ParameterExpansion':
      return asPieces(
        expandParameter(part, state, {
          text: (word) => expandText(word, state),
          read: readVariable,
          arithmetic: (word) => calculate(word, state),
        }),
        quoted,
        part.text,
      );
    case 'CommandExpansion':
      return asPieces(substitute(part.script, part.end - part.pos, state), quoted);
    case 'ArithmeticExpansion':
      return asPieces(evaluateText(part.expression, state), quoted);
    case 'ProcessSubstitution':
      return [{ text: unknown(state, 'a process substitution'), quoted: true }];
    case 'BraceExpansion':
      return [{ text: part.text, quoted, braces: !quoted, literal: true }];
    case 'Glob':
    case 'ExtendedGlob':
      return [{ text: part.text, quoted, literal: true }];
  }
}

function asPieces(value: Value, quoted: boolean, written = ''): readonly Piece[] {
  if (typeof value === 'string') return [{ text: value, quoted }];
  if (quoted && /\*\}?$|\[\*\]\}$/.test(written)) return [{ text: value.join(' '), quoted }];
  return value.map((text, at) => ({ text, quoted, ...(at > 0 && { breaks: true }) }));
}

/** The value of a variable, `$1`, `$@` or the like; a placeholder if the file does not set it. */
export function readVariable(name: string, state: State): Value {
  const { args, variables } = state;
  const value = variables.get(name);
  if (value !== undefined) return value;
  if (name === '@' || name === '*') return args ?? [unknown(state, 'the arguments of the script')];
  if (name === '#')
    return args === undefined ? unknown(state, 'the number of arguments of the script') : String(args.length);
  // As if it were started in its own folder.
  if (name === '0' || name === 'BASH_SOURCE') return `./${posix.basename(state.script.path)}`;
  if (name === 'PWD') return state.folder;
  if (name === '?') return statusText(state);
  if (/^\d+$/.test(name))
    return args === undefined
      ? unknown(state, `$${name}, an argument of the script`)
      : (args[Number(name) - 1] ?? '');
  if (!/^[A-Za-z_]\w*$/.test(name) || ['RANDOM', 'SECONDS', 'LINENO', 'EPOCHSECONDS'].includes(name))
    return unknown(state, `$${name}`);
  return makePlaceholder(name);
}

function statusText(state: State): string {
  const { status } = state;
  if (typeof status === 'boolean') return status ? '0' : '1';
  return unknown(state, status.why, status.isAnswer);
}

/** The output of `$(…)`, without its last line breaks. */
function substitute(script: ParsedScript | undefined, length: number, state: State): string {
  spend(state, length);
  if (script === undefined) return '';
  const within = fork(state, {
    out: '',
    line: script.source === undefined ? state.line : (state.line ?? state.script.lineAt(script.pos)),
  });
  deeper(state, () => state.runCommands(script.commands, within));
  state.status = within.status;
  let end = within.out.length;
  while (within.out[end - 1] === '\n') end -= 1;
  return within.out.slice(0, end);
}

function evaluateText(expression: ArithmeticExpression | undefined, state: State): string {
  const number = expression === undefined ? undefined : evaluate(expression, state, readVariable);
  return number === undefined ? unknown(state, 'a calculation with unknown values') : String(number);
}

/** The number that a word is: `${x:2}`. */
function calculate(word: Word, state: State): number | undefined {
  const text = expandText(word, state).trim();
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  const value = /^[A-Za-z_]\w*$/.test(text) ? readVariable(text, state) : '';
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined;
}

type Field = { readonly text: string; readonly isPattern: boolean };

/** Joins pieces to fields; what is not quoted is split at white space. */
function splitFields(pieces: readonly Piece[]): readonly Field[] {
  const fields: Field[] = [];
  let open: { texts: string[]; isPattern: boolean } | undefined;
  const close = (): void => {
    if (open !== undefined) fields.push({ text: open.texts.join(''), isPattern: open.isPattern });
    open = undefined;
  };
  const add = (text: string, isPattern: boolean): void => {
    open ??= { texts: [], isPattern: false };
    open.texts.push(text);
    open.isPattern ||= isPattern;
  };
  for (const { text, quoted, literal, breaks } of pieces) {
    if (breaks === true) close();
    if (quoted) add(text, false);
    else if (literal === true) add(text, /[*?]/.test(text));
    else
      for (const [at, one] of text.split(/[ \t\n]+/).entries()) {
        if (at > 0) close();
        if (one !== '') add(one, /[*?]/.test(one) && !hasUnknown(one));
      }
  }
  close();
  return fields;
}
