import { posix } from 'node:path';
import type { ParameterExpansionPart, ParsedScript, Word, WordPart } from 'unbash';
import { makePlaceholder } from '../../../declare/declared.ts';
import { hasReserved, hasUnknown } from '../unknown.ts';
import { expandBraces, type Piece } from './braces.ts';
import { expandGlob } from './shell-files.ts';
import {
  deeper,
  fork,
  LimitError,
  MOST_FIELDS,
  notRead,
  setVariable,
  spend,
  unknown,
  type State,
  type Value,
} from './shell-state.ts';

/** More variables in one word take the parser too long. */
const MOST_EXPANSIONS = 200;

/** The text of a word, without splitting it: `x=$y`, here-documents, patterns. Items of a list get blanks: `x=$*`. */
export function expandText(word: Word, state: State): string {
  return expandPieces(word, state)
    .map(({ text, breaks }) => (breaks === true ? ` ${text}` : text))
    .join('');
}

/** The fields that a word of a command becomes: several, one, or none. */
export function expandFields(word: Word, state: State): readonly string[] {
  const fields: string[] = [];
  for (const pieces of expandBraces(expandPieces(word, state), state)) {
    for (const field of splitFields(pieces, separatorsIn(state))) {
      const names = field.isPattern ? expandGlob(field.text, state) : [field.text];
      for (const name of names) fields.push(name);
      if (fields.length > MOST_FIELDS) throw new LimitError(`a word becomes more than ${MOST_FIELDS} words`);
    }
  }
  return fields;
}

/** A word as what it is made of, with what is quoted. */
export function expandPieces({ text, value, parts }: Word, state: State): readonly Piece[] {
  spend(state, text.length);
  if (text.split('${', MOST_EXPANSIONS + 1).length > MOST_EXPANSIONS)
    throw new LimitError(`a word has more than ${MOST_EXPANSIONS} variables`);
  if (parts === undefined) return [{ text: value, quoted: text !== value, literal: true }];
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
      return part.parts.length === 0 ? [{ text: '', quoted: true }] : pieces;
    }
    case 'SimpleExpansion':
      return asPieces(readVariable(part.text.slice(1), state), quoted, state, part.text);
    case 'ParameterExpansion':
      return asPieces(expandParameter(part, state), quoted, state, part.text);
    case 'CommandExpansion':
      return asPieces(substitute(part.script, part.end - part.pos, state), quoted, state);
    case 'ArithmeticExpansion':
      forgetCalculated(part.text, state);
      return [{ text: notRead(state, 'a calculation'), quoted }];
    case 'ProcessSubstitution':
      return [{ text: notRead(state, 'a process substitution'), quoted: true }];
    case 'BraceExpansion':
      return [{ text: part.text, quoted, braces: !quoted, literal: true }];
    case 'Glob':
    case 'ExtendedGlob':
      return [{ text: part.text, quoted, literal: true }];
  }
}

function asPieces(value: Value, quoted: boolean, { variables }: State, written = ''): readonly Piece[] {
  if (typeof value === 'string') return [{ text: value, quoted }];
  if (quoted && /\*\}?$|\[\*\]\}$/.test(written)) {
    const glue = variables.get('IFS');
    return [{ text: value.join(typeof glue === 'string' ? glue.slice(0, 1) : ' '), quoted }];
  }
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
  if (status.assumed !== undefined) return status.assumed ? '0' : '1';
  return unknown(state, status.why, status);
}

/** The output of `$(…)`, without its last line breaks. */
function substitute(script: ParsedScript | undefined, length: number, state: State): string {
  spend(state, length);
  if (script === undefined) return '';
  const within = fork(state, {
    stopsOnFailure: false,
    out: '',
    line: script.source === undefined ? state.line : (state.line ?? state.script.lineAt(script.pos)),
  });
  deeper(state, () => state.runCommands(script.commands, within));
  state.status = within.status;
  let end = within.out.length;
  while (within.out[end - 1] === '\n') end -= 1;
  const text = within.out.slice(0, end);
  // Lines of which it is not known whether they are printed are no list.
  return /\n(\uE002\d+\uE003)/.exec(text)?.[1] ?? text;
}

/** Calculations are not read: the variables that one may set are not known any more. */
export function forgetCalculated(text: string, state: State): void {
  if (!/\+\+|--|(?<![=!<>])=(?!=)/.test(text)) return;
  for (const [name] of text.matchAll(/(?<!\w)[A-Za-z_]\w*/g))
    setVariable(state, name, notRead(state, 'a calculation'));
}

function expandParameter(part: ParameterExpansionPart, state: State): Value {
  const { parameter, prefix, index, operation } = part;
  const whole = readVariable(parameter, state);
  if (prefix !== undefined || (index !== undefined && !/^(?:[@*]|\d{1,4})$/.test(index.value)))
    return notRead(state, `a form of $${parameter}`);
  const isWhole =
    typeof whole === 'string' || /^[@*]$/.test(parameter) || index?.value === '@' || index?.value === '*';
  const value = isWhole ? whole : (whole[Number(index?.value ?? 0)] ?? '');
  if (operation === undefined) return value;
  if (operation.type === 'Slice' && typeof value !== 'string') {
    const [from, count] = [operation.offset, operation.length].map((word) => word && expandText(word, state));
    // `${@:1}` begins with the first argument.
    const start = Number(from) - (/^[@*]$/.test(parameter) ? 1 : 0);
    if (
      /^\d{1,4}$/.test(from ?? '') &&
      start >= 0 &&
      /^\d{0,4}$/.test(count ?? '') &&
      !value.some(hasUnknown)
    )
      return value.slice(start, count === undefined ? undefined : start + Number(count));
  }
  if (operation.type === 'Default') {
    const { operator, operand } = operation;
    const isMissing = value === makePlaceholder(parameter) || isBeyond(parameter, state);
    const isSet =
      typeof value !== 'string'
        ? value.length > 0
        : !isMissing && !(operator.startsWith(':') && value === '');
    const kind = operator.replace(':', '');
    // One that the script sets to what is not known may have any value.
    if (value === makePlaceholder(parameter) && state.variables.has(parameter))
      return kind === '+' ? unknown(state, `whether $${parameter} has a value`) : value;
    if (kind === '+') return isSet ? expandText(operand, state) : '';
    if (isSet) return value;
    if (kind === '?') return value === '' ? unknown(state, `$${parameter}, which has no value`) : value;
    const text = expandText(operand, state);
    if (kind === '=') setVariable(state, parameter, text);
    return text;
  }
  const changed =
    operation.type === 'Remove' && typeof value === 'string' && !hasReserved(state.run.tracer.show(value))
      ? removeFrom(value, operation.operator, expandText(operation.operand, state), state)
      : undefined;
  return changed ?? notRead(state, `a form of $${parameter}`);
}

/** Whether `$3` is one more than there are arguments. */
function isBeyond(name: string, { args }: State): boolean {
  return args !== undefined && /^[1-9]\d*$/.test(name) && Number(name) > args.length;
}

/** A use of v1 that is cut, or is what is cut, goes nowhere else. */
function removeFrom(
  value: string,
  operator: Parameters<typeof remove>[1],
  pattern: string,
  { run: { tracer } }: State,
): string | undefined {
  const shown = remove(tracer.show(value), operator, tracer.take(pattern));
  const marked = remove(value, operator, pattern);
  if (marked !== undefined && tracer.show(marked) === shown) return marked;
  tracer.take(value);
  return shown;
}

/** `${x%.json}`, `${x#prefix}`, `${x%.*}` and `${x##*\/}`: without an end or a beginning; undefined for other patterns. */
function remove(value: string, operator: '#' | '##' | '%' | '%%', pattern: string): string | undefined {
  const isStart = operator.startsWith('#');
  const text = isStart ? pattern.replace(/^\*/, '') : pattern.replace(/\*$/, '');
  if (/[*?[\\]/.test(text) || text === '') return undefined;
  if (text === pattern)
    return isStart
      ? value.slice(value.startsWith(text) ? text.length : 0)
      : value.slice(0, value.endsWith(text) ? -text.length : undefined);
  const isLast = operator === '##' || operator === '%';
  const at = isLast ? value.lastIndexOf(text) : value.indexOf(text);
  if (at === -1) return value;
  return isStart ? value.slice(at + text.length) : value.slice(0, at);
}

type Field = { readonly text: string; readonly isPattern: boolean };

/** Where text that is not quoted is split; undefined for nowhere. */
function separatorsIn({ variables }: State): RegExp | undefined {
  const separators = variables.get('IFS') ?? ' \t\n';
  // What is not known is as it usually is.
  if (typeof separators !== 'string' || separators.length > 20 || hasUnknown(separators)) return /[ \t\n]+/;
  if (separators === '') return undefined;
  return new RegExp(`[${separators.replaceAll(/[\]\\^-]/g, String.raw`\$&`)}]+`);
}

/** Whether the shell looks for files by a text. */
function isPatternText(text: string): boolean {
  return /[*?]/.test(text) || (text.includes('[') && text.lastIndexOf(']') > text.indexOf('[') + 1);
}

/** Joins pieces to fields. */
function splitFields(pieces: readonly Piece[], separators: RegExp | undefined): readonly Field[] {
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
    else if (literal === true) add(text, isPatternText(text));
    else
      for (const [at, one] of (separators === undefined ? [text] : text.split(separators)).entries()) {
        if (at > 0) close();
        if (one !== '') add(one, isPatternText(one) && !hasUnknown(one));
      }
  }
  close();
  return fields;
}
