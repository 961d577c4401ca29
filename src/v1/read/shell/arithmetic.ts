import type { ArithmeticBinary, ArithmeticExpression, ArithmeticUnary } from 'unbash';
import { deeper, setVariable, spend, type State, type Value } from './state.ts';

type Read = (name: string, state: State) => Value;

/** The value of an arithmetic expression; undefined if it is not known. Assignments and `++` change variables. */
export function evaluate(expression: ArithmeticExpression, state: State, read: Read): number | undefined {
  spend(state);
  return deeper(state, () => evaluateOne(expression, state, read));
}

function evaluateOne(expression: ArithmeticExpression, state: State, read: Read): number | undefined {
  switch (expression.type) {
    case 'ArithmeticWord':
      return numberOf(expression.value, state, read);
    case 'ArithmeticGroup':
      return evaluate(expression.expression, state, read);
    case 'ArithmeticUnary':
      return unary(expression, state, read);
    case 'ArithmeticBinary':
      return binary(expression, state, read);
    case 'ArithmeticTernary': {
      const test = evaluate(expression.test, state, read);
      return test === undefined
        ? undefined
        : evaluate(test === 0 ? expression.alternate : expression.consequent, state, read);
    }
    case 'ArithmeticCommandExpansion':
      return undefined;
  }
}

function numberOf(text: string, state: State, read: Read): number | undefined {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  const name = nameOf(text);
  const value = name === undefined ? undefined : read(name, state);
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function nameOf(text: string): string | undefined {
  return /^\$?\{?(\w+|#)\}?$/.exec(text)?.[1];
}

function unary({ operator, operand, prefix }: ArithmeticUnary, state: State, read: Read): number | undefined {
  const value = evaluate(operand, state, read);
  if (value === undefined) return undefined;
  if (operator === '++' || operator === '--') {
    const next = operator === '++' ? value + 1 : value - 1;
    assign(operand, next, state);
    return prefix ? next : value;
  }
  return UNARY[operator]?.(value);
}

function binary({ operator, left, right }: ArithmeticBinary, state: State, read: Read): number | undefined {
  const value = evaluate(right, state, read);
  const isAssignment = /^[-+*/%]?=$/.test(operator);
  const before = operator === '=' ? 0 : evaluate(left, state, read);
  if (value === undefined || before === undefined) return undefined;
  if (!isAssignment) return finite(BINARY[operator]?.(before, value));
  const after = operator === '=' ? value : finite(BINARY[operator.slice(0, -1)]?.(before, value));
  if (after !== undefined) assign(left, after, state);
  return after;
}

function assign(target: ArithmeticExpression, value: number, state: State): void {
  const name = target.type === 'ArithmeticWord' ? nameOf(target.value) : undefined;
  if (name !== undefined && /^[A-Za-z_]/.test(name)) setVariable(state, name, String(value));
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
}

const UNARY: Readonly<Record<string, (one: number) => number>> = {
  '-': (one) => -one,
  '+': (one) => one,
  '!': (one) => Number(one === 0),
};

const BINARY: Readonly<Record<string, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => Math.trunc(one / other),
  '%': (one, other) => one % other,
  '**': (one, other) => one ** other,
  '<': (one, other) => Number(one < other),
  '>': (one, other) => Number(one > other),
  '<=': (one, other) => Number(one <= other),
  '>=': (one, other) => Number(one >= other),
  '==': (one, other) => Number(one === other),
  '!=': (one, other) => Number(one !== other),
  '&&': (one, other) => Number(one !== 0 && other !== 0),
  '||': (one, other) => Number(one !== 0 || other !== 0),
  ',': (_, other) => other,
};
