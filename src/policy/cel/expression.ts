import { celEnv, isCelError, parse, plan, type CelEnv, type CelInput } from '@bufbuild/cel';
import type { Json, Pointer } from '../../model/json/json.ts';
import { findFault, partsOf, sizeOf, type Expr, type Fault } from './check.ts';
import { COUNT, COUNT_ALL, functionsFor, KNOWN, patternsFor, TICK, toCel, toCelHidden } from './functions.ts';
import { makeMeter, type Meter, placeInMessage, placeOfUnknown } from './meter.ts';

export type Expression = {
  readonly variables: ReadonlySet<string>;
  readonly evaluate: (variables: Bindings) => Evaluated;
};
/** The value of an expression, or the reason why it has none: it may depend on what is hidden at a place. */
export type Evaluated =
  | { readonly value: unknown; readonly fault?: undefined }
  | { readonly fault: string; readonly hiddenAt?: Pointer };
export type Bindings = Readonly<Record<string, CelInput>>;

/** Compiles and evaluates expressions, which share what they may spend. */
export type Engine = {
  readonly compile: (source: string) => Expression | Fault;
  readonly bind: (value: Json) => CelInput;
  /** The same for a value without its secrets, of some place: what is hidden in it is unknown to an expression. */
  readonly bindHidden: (value: Json, at?: Pointer) => CelInput;
};

/** No expression of a policy is longer. */
export const LONGEST_EXPRESSION = 2000;

export function makeEngine(variables: readonly string[], meter = makeMeter()): Engine {
  const env = celEnv({ funcs: [...functionsFor(meter)], re2: patternsFor(meter) });
  return {
    compile: (source) => compile(source, variables, env, meter),
    bind: toCel,
    bindHidden: toCelHidden,
  };
}

function compile(
  source: string,
  variables: readonly string[],
  env: CelEnv,
  meter: Meter,
): Expression | Fault {
  if (source.length > LONGEST_EXPRESSION) {
    const fault = `the expression has ${source.length} characters; at most ${LONGEST_EXPRESSION} are allowed`;
    return { fault, hint: 'split the policy' };
  }
  const parsed = parseExpression(source);
  if ('fault' in parsed) return parsed;
  const found = findFault(parsed.expr, variables, env);
  if ('fault' in found) return found;
  const run = plan(env, metered(parsed.expr));
  return { variables: found.variables, evaluate: (bindings) => evaluate(() => run(bindings), meter) };
}

function parseExpression(source: string): { readonly expr: Expr } | Fault {
  const hint = 'write an expression of CEL, such as object.spec.priority < 100';
  try {
    return { expr: parse(source).expr };
  } catch (error) {
    // A parser that runs out of stack says so; others say where and what they expected, at length.
    const [where = ''] = /(?<=<input>:)\d+:\d+/.exec(String(error)) ?? [];
    const fault = where === '' ? 'the expression cannot be read' : `the expression is no CEL at ${where}`;
    return { fault, hint };
  }
}

function evaluate(run: () => unknown, meter: Meter): Evaluated {
  meter.begin();
  const value = withoutStacks(run);
  // An error within `a || b` may be without effect, but not this one.
  if (meter.isExhausted()) return { fault: 'it takes too long' };
  const hiddenAt = placeOfUnknown(value) ?? placeOfError(value);
  if (hiddenAt !== undefined) return { fault: `the value of ${hiddenAt} is hidden`, hiddenAt };
  if (!isCelError(value)) return { value };
  return { fault: value.message.slice(0, LONGEST_FAULT) };
}

const LONGEST_FAULT = 200;

/** Of the errors of `a || b`, one that is about something unknown counts: others may be gone once that is known. */
function placeOfError(error: unknown): Pointer | undefined {
  if (!isCelError(error)) return undefined;
  const others: readonly unknown[] = Array.isArray(error.cause) ? error.cause : [];
  return placeInMessage(error.message) ?? others.map(placeOfError).find((place) => place !== undefined);
}

/** Every error of an expression has a stack otherwise, which takes a hundred times as long as all else. */
function withoutStacks<T>(run: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * What the loops, and the calls of functions, of an expression cost is counted before they are made: a turn of a loop costs as
 * much as there is in it.
 */
function metered(expr: Expr): Expr {
  const { exprKind } = expr;
  const size = sizeOf(expr);
  for (const part of partsOf(expr)) metered(part);
  if (exprKind.case === 'callExpr' && !LAZY.has(exprKind.value.function)) {
    const call = exprKind.value;
    const by = DEEP.has(call.function) ? COUNT_ALL : COUNT;
    call.args = call.args.map((arg) => wrap(arg, by));
    if (call.target !== undefined) call.target = wrap(call.target, by);
  }
  if (exprKind.case === 'callExpr') {
    const { value: call } = exprKind;
    const looksAt = LOOKS_AT[call.function];
    if (looksAt !== undefined)
      call.args = call.args.map((arg, at) => (looksAt.includes(at) && isField(arg) ? wrap(arg, KNOWN) : arg));
  }
  if (exprKind.case === 'comprehensionExpr') {
    const loop = exprKind.value;
    if (loop.iterRange !== undefined) loop.iterRange = wrap(loop.iterRange, COUNT);
    if (loop.loopCondition !== undefined) loop.loopCondition = wrap(loop.loopCondition, TICK, number(size));
  }
  return expr;
}

/** Operators that do not evaluate all that they have, or that look into it at one place. */
const LAZY: ReadonlySet<string> = new Set(['_&&_', '_||_', '_?_:_', '@not_strictly_false', '_[_]', '_?._']);
/** The arguments of these that have to be known, which is not asked where they are fields. */
const LOOKS_AT: Readonly<Record<string, readonly number[]>> = {
  '_&&_': [0, 1],
  '_||_': [0, 1],
  '_?_:_': [0],
  '_[_]': [1],
};
/** Functions that look at all that is in their arguments. */
const DEEP: ReadonlySet<string> = new Set(['_==_', '_!=_', '@in', 'texts', 'values']);

function isField({ exprKind }: Expr): boolean {
  return (
    exprKind.case === 'identExpr' ||
    exprKind.case === 'selectExpr' ||
    (exprKind.case === 'callExpr' && exprKind.value.function === '_[_]')
  );
}

function wrap(arg: Expr, by: string, ...more: readonly Expr[]): Expr {
  const call = { $typeName: 'cel.expr.Expr.Call' as const, function: by, args: [arg, ...more] };
  return { $typeName: 'cel.expr.Expr', id: arg.id, exprKind: { case: 'callExpr', value: call } };
}

function number(value: number): Expr {
  const constantKind = { case: 'int64Value' as const, value: BigInt(value) };
  const constant = { $typeName: 'cel.expr.Constant' as const, constantKind };
  return { $typeName: 'cel.expr.Expr', id: 0n, exprKind: { case: 'constExpr', value: constant } };
}
