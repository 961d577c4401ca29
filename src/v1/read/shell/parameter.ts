import type { ParameterExpansionPart, Word } from 'unbash';
import { compileGlob } from '../../../model/text/glob.ts';
import { makePlaceholder } from '../../../declare/placeholder.ts';
import { hasReserved } from '../unknown.ts';
import { setVariable, spend, unknown, type State, type Value } from './state.ts';

/** How words within an expansion are read; passed in, because words have expansions. */
type Words = {
  readonly text: (word: Word) => string;
  readonly read: (name: string, state: State) => Value;
  readonly arithmetic: (word: Word) => number | undefined;
};

/** Removing a pattern tries each beginning of a text. */
const MOST_TEXT = 2_000;

/** The value of `${…}`. */
export function expandParameter(part: ParameterExpansionPart, state: State, words: Words): Value {
  const { parameter, prefix, index, operation } = part;
  if (prefix === '!') return unknown(state, `\${!${parameter}}`);
  const value = atIndex(words.read(parameter, state), index, words);
  if (prefix === '#') return lengthOf(value, state, parameter);
  if (operation === undefined) return value;
  if (operation.type === 'Default') {
    const { operator, operand } = operation;
    const isSet =
      typeof value !== 'string'
        ? value.length > 0
        : value !== makePlaceholder(parameter) && !(operator.startsWith(':') && value === '');
    const kind = operator.replace(':', '');
    if (kind === '+') return isSet ? words.text(operand) : '';
    if (isSet || kind === '?') return value === '' ? makePlaceholder(parameter) : value;
    const text = words.text(operand);
    if (kind === '=') setVariable(state, parameter, text);
    return text;
  }
  if (typeof value !== 'string')
    return operation.type === 'Slice' ? (slice(value, operation, words) ?? value) : value;
  spend(state, value.length);
  const changed =
    hasReserved(value) || value.length > MOST_TEXT ? undefined : change(value, operation, words);
  return changed ?? unknown(state, `a changed form of $${parameter}`);
}

function atIndex(value: Value, index: Word | undefined, words: Words): Value {
  if (typeof value === 'string') return value;
  if (index === undefined) return value[0] ?? '';
  if (index.value === '@' || index.value === '*') return value;
  const at = words.arithmetic(index);
  return at === undefined ? '' : (value.at(at) ?? '');
}

function lengthOf(value: Value, state: State, name: string): string {
  if (typeof value === 'string' && hasReserved(value)) return unknown(state, `the length of $${name}`);
  return String(value.length);
}

type Operation = NonNullable<ParameterExpansionPart['operation']>;

function change(value: string, operation: Operation, words: Words): string | undefined {
  switch (operation.type) {
    case 'Remove':
      return remove(value, operation.operator, words.text(operation.operand));
    case 'Replace': {
      const pattern = words.text(operation.pattern);
      const text = words.text(operation.replacement);
      if (/[*?[\\]/.test(pattern) || pattern === '') return undefined;
      if (operation.operator === '//') return value.split(pattern).join(text);
      return operation.operator === '/' ? value.replace(pattern, () => text) : undefined;
    }
    case 'Slice':
      return slice(value, operation, words);
    case 'CaseModification': {
      const isAll = operation.operator.length === 2;
      const upper = operation.operator.startsWith('^');
      const turn = (text: string): string => (upper ? text.toUpperCase() : text.toLowerCase());
      return isAll ? turn(value) : `${turn(value.slice(0, 1))}${value.slice(1)}`;
    }
    default:
      return undefined;
  }
}

function slice<T extends string | readonly string[]>(
  value: T,
  { offset, length }: Extract<Operation, { type: 'Slice' }>,
  words: Words,
): T | undefined {
  const from = words.arithmetic(offset);
  const count = length === undefined ? value.length : words.arithmetic(length);
  if (from === undefined || count === undefined || count < 0) return undefined;
  const start = from < 0 ? Math.max(0, value.length + from) : from;
  return value.slice(start, start + count) as T;
}

/** `${x##*\/}` and the like: without the shortest or longest beginning or end that matches. */
function remove(value: string, operator: '#' | '##' | '%' | '%%', pattern: string): string | undefined {
  if (/[?[\\]/.test(pattern)) return undefined;
  const matches = compileGlob(pattern);
  const isPrefix = operator.startsWith('#');
  const isLongest = operator.length === 2;
  for (let at = 0; at <= value.length; at += 1) {
    const length = isLongest ? value.length - at : at;
    const cut = isPrefix ? value.slice(0, length) : value.slice(value.length - length);
    if (matches(cut)) return isPrefix ? value.slice(length) : value.slice(0, value.length - length);
  }
  return value;
}
