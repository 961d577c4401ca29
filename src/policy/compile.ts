import type { Pointer } from '../model/json/json.ts';
import type { Policy } from '../model/policy.ts';
import type { Problem } from '../model/problem.ts';
import { kindOf, type Address } from '../model/resource.ts';
import { compileGlob, type GlobMatcher } from '../model/text/glob.ts';
import { makeEngine, type Bindings, type Engine, type Expression } from './cel/expression.ts';
import type { Meter } from './cel/meter.ts';

/** The sorts of subjects; a policy looks at one at a time. */
export type Subject = 'object' | 'change' | 'principal';

/** A policy whose expressions compile. */
export type CompiledPolicy = {
  readonly policy: Policy;
  readonly subject: Subject;
  /** Whether it looks at this object; `address` is absent for a principal. */
  readonly applies: (environment: string, address?: Address) => boolean;
  readonly evaluate: (bindings: Bindings) => Verdict;
};

export type Verdict =
  | { readonly result: 'pass' }
  | { readonly result: 'fail'; readonly message: string }
  /** It has no answer, which counts as a failure; perhaps since it depends on what is hidden at a place. */
  | { readonly result: 'error'; readonly message: string; readonly hiddenAt?: Pointer };

const SUBJECTS: readonly Subject[] = ['object', 'change', 'principal'];
const VARIABLES = [...SUBJECTS, 'environment', 'params'];

/** Compiles policies. What one run evaluates shares what it may spend. */
export type PolicyCompiler = {
  readonly compile: (policy: Policy) => CompiledPolicy | { readonly problem: Problem };
} & Pick<Engine, 'bind' | 'bindHidden'>;

export function makePolicyCompiler(meter?: Meter): PolicyCompiler {
  const engine = makeEngine(VARIABLES, meter);
  const { bind, bindHidden } = engine;
  return { compile: (policy) => compile(policy, engine), bind, bindHidden };
}

function compile(policy: Policy, engine: Engine): CompiledPolicy | { readonly problem: Problem } {
  const expression = engine.compile(policy.expression);
  if ('fault' in expression) return { problem: fault(policy, '/expression', expression) };
  const wording =
    policy.messageExpression === undefined ? undefined : engine.compile(policy.messageExpression);
  if (wording !== undefined && 'fault' in wording)
    return { problem: fault(policy, '/messageExpression', wording) };
  const subject = subjectOf(expression);
  if (typeof subject !== 'string') return { problem: fault(policy, '/expression', subject) };
  const stray = [...(wording?.variables ?? [])].find((name) => !availableIn(subject).includes(name));
  if (stray !== undefined) {
    const words = `${stray} has no value in a policy over ${subject}`;
    const hint = `use ${availableIn(subject).join(', ')}`;
    return { problem: fault(policy, '/messageExpression', { fault: words, hint }) };
  }
  return {
    policy,
    subject,
    applies: matcherOf(policy.match),
    evaluate: (bindings) => evaluatePolicy(policy, expression, wording, bindings),
  };
}

/** The subject of an expression follows from the variables that it uses. */
function subjectOf({ variables }: Expression): Subject | { readonly fault: string; readonly hint: string } {
  const has = (name: Subject): boolean => variables.has(name);
  if (has('principal') && (has('change') || has('object')))
    return { fault: 'the expression uses principal and also object or change', hint: 'write two policies' };
  if (has('principal')) return 'principal';
  if (has('change')) return 'change';
  if (has('object')) return 'object';
  return { fault: 'the expression uses none of object, change and principal', hint: 'use one of them' };
}

function availableIn(subject: Subject): readonly string[] {
  return [...(subject === 'change' ? ['change', 'object'] : [subject]), 'environment', 'params'];
}

function evaluatePolicy(
  policy: Policy,
  expression: Expression,
  wording: Expression | undefined,
  bindings: Bindings,
): Verdict {
  const found = expression.evaluate(bindings);
  if (found.fault !== undefined) {
    const { fault: message, hiddenAt } = found;
    return { result: 'error', message, ...(hiddenAt !== undefined && { hiddenAt }) };
  }
  if (found.value === true) return { result: 'pass' };
  if (found.value !== false) return { result: 'error', message: 'the expression is neither true nor false' };
  const worded = wording?.evaluate(bindings);
  const text = worded?.fault === undefined ? worded?.value : undefined;
  const message = typeof text === 'string' && text !== '' ? text : policy.message;
  return { result: 'fail', message: message.slice(0, LONGEST_MESSAGE) };
}

const LONGEST_MESSAGE = 500;

function matcherOf({ kind, address, environment }: Policy['match']): CompiledPolicy['applies'] {
  const [isKind, isAddress, isEnvironment] = [kind, address, environment].map((glob): GlobMatcher => {
    return glob === undefined ? () => true : compileGlob(glob);
  });
  return (name, of) =>
    isEnvironment?.(name) === true &&
    (of === undefined || (isKind?.(kindOf(of)) === true && isAddress?.(of) === true));
}

function fault(
  policy: Policy,
  path: Pointer,
  { fault: words, hint }: { readonly fault: string; readonly hint: string },
): Problem {
  const message = `the policy ${policy.name} cannot be used: ${words}`;
  return { code: 'invalid-policy', severity: 'error', message, at: policy.placeOf(path), hint };
}
