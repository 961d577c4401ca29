import { type Pointer, isObject, valueOf, type Json, type JsonObject } from '../model/json/json.ts';
import type { Policy } from '../model/policy.ts';
import { makeProblem, type Problem, type Place } from '../model/problem.ts';
import { kindOf, type Address } from '../model/resource.ts';
import { compileGlob, type GlobMatcher } from '../model/text/glob.ts';
import { makeEngine, type Bindings, type Engine, type Expression } from './cel/expression.ts';
import { addDefaults } from '../model/defaults.ts';
import { addressIn } from '../model/identity.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import type { Principal } from '../model/principal.ts';

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

export function makePolicyCompiler(): PolicyCompiler {
  const engine = makeEngine(VARIABLES);
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
  return makeProblem({ code: 'invalid-policy', message, at: policy.placeOf(path), hint });
}

/**
 * The subjects of policies. Where a secret is stands `(hidden)`, which is unknown to an expression: it could tell of the secret, bit
 * by bit, and it must not take another value for the one that is sent.
 */
export type Subjects = {
  readonly objects: Iterable<ObjectSubject>;
  readonly changes: Iterable<ChangeSubject>;
  readonly principals: Iterable<PrincipalSubject>;
};

export type ObjectSubject = {
  readonly address: Address;
  readonly object: () => JsonObject;
  /** The places of its fields. */
  readonly placeOf?: (path: Pointer) => Place;
  /** Whether variables without a value are in it. */
  readonly isOpen?: boolean;
};

export type ChangeSubject = ChangeFacts & {
  readonly before: () => JsonObject | null;
  readonly after: () => JsonObject | null;
  readonly placeOf?: (path: Pointer) => Place;
};

/** A principal with its chains; principals with the same chain share it. */
export type PrincipalSubject = Principal & {
  readonly before: readonly ChainValue[];
  readonly after: readonly ChainValue[];
  /** What is hidden and decides which chains these are, by `placeIn` of its object. */
  readonly hidden?: Pointer | undefined;
};

export type ChainValue = JsonObject & { readonly address: Address; readonly priority: Json };

/** The variable `object`: with the defaults of its kind. */
export function objectValue(object: JsonObject, kinds: KindSet): JsonObject {
  const filled = addDefaults(object, kindFor(object, kinds)?.defaultTree ?? NOTHING);
  return isObject(filled) ? filled : object;
}

const NOTHING: Kind['defaultTree'] = { nullable: false, below: new Map() };

/** The address of an object; undefined for what is none. */
export function addressOfObject(object: JsonObject, kinds: KindSet): Address | undefined {
  const kind = kindFor(object, kinds);
  return kind === undefined ? undefined : addressIn(kind, object);
}

function kindFor(object: JsonObject, kinds: KindSet): Kind | undefined {
  const name = valueOf(object, 'kind');
  return typeof name === 'string' ? kinds.get(name) : undefined;
}

type ChangeFacts = {
  readonly address: Address;
  readonly action: string;
  /** The sorts of protection that clients lose for good by it, and those that get weaker. */
  readonly loses: readonly string[];
  readonly weakens: readonly string[];
};

/** The variables of a policy over changes. */
export function changeValues(
  { address, action, loses, weakens }: ChangeFacts,
  before: JsonObject | null,
  after: JsonObject | null,
): { readonly change: JsonObject; readonly object: Json } {
  return { change: { address, action, before, after, loses, weakens }, object: after ?? before };
}

/** The variable `principal`, but for its chains. */
export function principalValue({ virtualCluster, username, groups }: Principal): JsonObject {
  return { virtualCluster, username: username ?? '', groups };
}

/** The environment and the day of a run. */
export type PolicyEnvironment = {
  /** The name of the environment; empty without one. */
  readonly name: string;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly version?: string | undefined;
  readonly security?: string | undefined;
  /** The longest lifetime of tokens in seconds, if there is one. */
  readonly maxTokenSeconds?: number | undefined;
};

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The variable `environment` of expressions. */
export function environmentValue(environment: PolicyEnvironment): JsonObject {
  const { name, day, version = '', security = '', maxTokenSeconds = null } = environment;
  const weekday = WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? '';
  return { name, day, weekday, version, security, maxTokenSeconds };
}
