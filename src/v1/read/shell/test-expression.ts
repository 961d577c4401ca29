import type { TestExpression, Word } from 'unbash';
import { placeholdersIn } from '../../../declare/placeholder.ts';
import { hasReserved } from '../unknown.ts';
import { readBeside } from './files.ts';
import { matchesPattern } from './patterns.ts';
import type { Doubt, State, Status, Value } from './state.ts';

type Words = {
  readonly text: (word: Word, state: State) => string;
  readonly readVariable: (name: string, state: State) => Value;
};

/** The result of `[[ … ]]`. */
export function testExpression(expression: TestExpression, state: State, words: Words): Status {
  const test = (one: TestExpression): Status => testExpression(one, state, words);
  switch (expression.type) {
    case 'TestUnary':
      return testOne(expression.operator, words.text(expression.operand, state), state);
    case 'TestBinary':
      return testTwo(
        words.text(expression.left, state),
        expression.operator,
        words.text(expression.right, state),
        state,
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
  return results.find((one) => typeof one !== 'boolean') ?? !decides;
}

function negate(status: Status): Status {
  return typeof status === 'boolean' ? !status : status;
}

function testOne(operator: string, text: string, state: State): Status {
  if (operator === '-n' || operator === '-z') {
    // A variable that the file does not set counts as empty, as in ${X:-default}.
    const isEmpty = text === '' || /^\uE000\w+\uE001$/.test(text);
    const doubt = isEmpty || !state.run.reasons.find(text) ? undefined : doubtOf(text, state);
    return doubt ?? isEmpty === (operator === '-z');
  }
  if (/^-[efrs]$/.test(operator) && !hasReserved(text) && readBeside(text, state) !== undefined) return true;
  return doubtOf(text, state);
}

function testTwo(left: string, operator: string, right: string, state: State): Status {
  if (hasReserved(left) || hasReserved(right)) return doubtOf(`${left}${right}`, state);
  const [one, other] = [Number(left), Number(right)];
  switch (operator) {
    case '=':
    case '==':
      return matchesPattern(left, right, state);
    case '!=':
      return !matchesPattern(left, right, state);
    case '-eq':
      return one === other;
    case '-ne':
      return one !== other;
    case '-lt':
      return one < other;
    case '-le':
      return one <= other;
    case '-gt':
      return one > other;
    case '-ge':
      return one >= other;
    default:
      return doubtOf('', state);
  }
}

function doubtOf(text: string, state: State): Doubt {
  const reason = state.run.reasons.find(text);
  const [name] = placeholdersIn(text);
  const why =
    reason?.why ??
    (name === undefined ? 'a test of the machine that runs the script' : `$${name}, which is not set here`);
  return { why, isAnswer: reason?.isAnswer === true, of: 'test' };
}
