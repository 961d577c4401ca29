import type { TestExpression, Word } from 'unbash';
import { placeholdersIn } from '../../../declare/declared.ts';
import { compileRegex } from '../../../model/regex/match-regex.ts';
import { compileGlob } from '../../../model/text/glob.ts';
import { hasReserved } from '../unknown.ts';
import { readBeside } from './shell-files.ts';
import { notRead, setVariable, spend, type Doubt, type State, type Status } from './shell-state.ts';
import { expandPieces, expandText } from './words.ts';

/** The result of `[[ … ]]`. */
export function testExpression(expression: TestExpression, state: State): Status {
  const test = (one: TestExpression): Status => testExpression(one, state);
  const text = (word: Word): string => expandText(word, state);
  switch (expression.type) {
    case 'TestUnary':
      return testOne(expression.operator, text(expression.operand), state);
    case 'TestBinary':
      return testTwo(
        text(expression.left),
        expression.operator,
        text(expression.right),
        state,
        expression.right,
      );
    case 'TestGroup':
      return test(expression.expression);
    case 'TestNot':
      return expression.negations.length % 2 === 1
        ? negate(test(expression.operand))
        : test(expression.operand);
    case 'TestLogical':
      return combine(expression.operator, expression.operands.map(test));
  }
}

/** The result of `[ … ]`, without its brackets. */
export function testWords(words: readonly string[], state: State): Status {
  for (const [operator, name] of [
    ['||', '-o'],
    ['&&', '-a'],
  ] as const) {
    const at = words.indexOf(name, 1);
    if (at > 0 && at < words.length - 1)
      return combine(operator, [testWords(words.slice(0, at), state), testWords(words.slice(at + 1), state)]);
  }
  const [first = '', second, third] = words;
  if (first === '!' && second !== undefined) return negate(testWords(words.slice(1), state));
  if (words.length === 0) return false;
  if (second === undefined) return testOne('-n', first, state);
  if (third === undefined) return testOne(first, second, state);
  return testTwo(first, second, third, state);
}

function combine(operator: '&&' | '||', results: readonly Status[]): Status {
  const decides = operator === '||';
  if (results.includes(decides)) return decides;
  const doubts = results.filter((one) => typeof one !== 'boolean');
  const [doubt] = doubts;
  if (doubt === undefined) return !decides;
  if (doubts.some(({ assumed }) => assumed === decides)) return { ...doubt, assumed: decides };
  return doubts.find(({ assumed }) => assumed === undefined) ?? doubt;
}

export function negate(status: Status): Status {
  if (typeof status === 'boolean') return !status;
  return status.assumed === undefined ? status : { ...status, assumed: !status.assumed };
}

function testOne(operator: string, text: string, state: State): Status {
  if (operator === '-n' || operator === '-z') {
    // A variable that the file does not set counts as empty, as in ${X:-default}.
    if (/^\uE000\w+\uE001$/.test(text)) return { ...doubtOf(text, state), assumed: operator === '-z' };
    return state.run.reasons.find(text) ? doubtOf(text, state) : (text === '') === (operator === '-z');
  }
  if (
    /^-[efrs]$/.test(operator) &&
    !hasReserved(state.run.tracer.show(text)) &&
    readBeside(text, state) !== undefined
  )
    return true;
  return doubtOf(text, state);
}

/** With the word of a pattern, in `[[ … ]]`; `[ … ]` compares texts. */
function testTwo(written: string, operator: string, other: string, state: State, pattern?: Word): Status {
  const { show, take } = state.run.tracer;
  const [left, right] = [show(written), take(other)];
  if (hasReserved(left) || hasReserved(right)) return doubtOf(`${left}${right}`, state);
  if (operator === '=' || operator === '==' || operator === '!=') {
    const isSame = pattern === undefined ? left === right : matchesPattern(left, pattern, state);
    return operator === '!=' ? negate(isSame) : isSame;
  }
  if (operator === '=~' && pattern !== undefined) return matchesRegex(left, pattern, state);
  return NUMERIC[operator]?.(Number(left), Number(right)) ?? doubtOf('', state);
}

const NUMERIC: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '-eq': (left, right) => left === right,
  '-ne': (left, right) => left !== right,
  '-lt': (left, right) => left < right,
  '-le': (left, right) => left <= right,
  '-gt': (left, right) => left > right,
  '-ge': (left, right) => left >= right,
};

function doubtOf(text: string, state: State): Doubt {
  const reason = state.run.reasons.find(text);
  const [name] = placeholdersIn(text);
  const why =
    reason?.why ??
    (name === undefined ? 'a test of the machine that runs the script' : `$${name}, which is not set here`);
  return { ...reason, why, of: 'test' };
}

/** Whether a text matches a pattern of `case` or `[[ = ]]`. Of what is special in patterns, only `*` is known. */
export function matchesPattern(text: string, word: Word, state: State): Status {
  const { show } = state.run.tracer;
  const pieces = expandPieces(word, state);
  const pattern = show(pieces.map((piece) => piece.text).join(''));
  spend(state, text.length + pattern.length);
  if (hasReserved(pattern)) return doubtOf(pattern, state);
  const open = pieces.filter(({ quoted }) => !quoted).map((piece) => show(piece.text));
  if (!open.some((one) => /[*?[(]/.test(one))) return show(text) === pattern;
  // A star in quotes is a star.
  const isRead = !open.some((one) => /[?[(]/.test(one)) && !pieces.some(hasQuotedStar);
  return isRead ? compileGlob(pattern)(show(text)) : doubtOf(notRead(state, 'a pattern'), state);
}

/** `[[ x =~ pattern ]]`, for patterns that mean the same in Java. */
function matchesRegex(text: string, word: Word, state: State): Status {
  const pieces = expandPieces(word, state);
  const whole = pieces.some(({ quoted }) => quoted)
    ? undefined
    : toWhole(pieces.map((piece) => state.run.tracer.show(piece.text)).join(''));
  spend(state, text.length);
  setVariable(state, 'BASH_REMATCH', notRead(state, '$BASH_REMATCH'));
  const regex = whole === undefined ? undefined : compileRegex(whole);
  if (whole === undefined || regex === undefined || 'unjudged' in regex)
    return doubtOf(notRead(state, 'a pattern'), state);
  // Topics have names, so an empty text is not judged there.
  const met = text === '' ? new RegExp(`^${whole}$`).test('') : regex.matches(text);
  return met ?? doubtOf(notRead(state, 'a pattern'), state);
}

const CLASSES: Readonly<Record<string, string>> = {
  space: ' \\t',
  digit: '0-9',
  alpha: 'a-zA-Z',
  alnum: 'a-zA-Z0-9',
};

/** A pattern that is searched for, as one for the whole text; undefined for what Java takes for something else. */
function toWhole(pattern: string): string | undefined {
  const [, start = '', written = '', end = ''] = /^(\^?)(.*?)(\$?)$/s.exec(pattern) ?? [];
  const core = written.replaceAll(/\[:(\w+):\]/g, (all, name: string) => CLASSES[name] ?? all);
  const isOther = written.includes('\\') || /[*+?}][*+?{]|\(\?|&&|\$|(?<!\[)\^|\[[^\]]*\[/.test(core);
  const isChoice = core.includes('|') && !/^\([^()]*\)$/.test(core);
  if (isOther || (isChoice && start + end !== '')) return undefined;
  return `${start === '' ? '.*' : ''}(${core})${end === '' ? '.*' : ''}`;
}

function hasQuotedStar({ text, quoted }: { readonly text: string; readonly quoted: boolean }): boolean {
  return quoted && text.includes('*');
}
