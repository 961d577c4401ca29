import {
  isList,
  isObject,
  printPointer,
  textsIn,
  valueOf,
  type Json,
  type JsonObject,
} from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Policy, PolicyExample } from '../model/policy.ts';
import { makeProblem, type Place, type Problem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import {
  makePolicyCompiler,
  type CompiledPolicy,
  type PolicyCompiler,
  type Verdict,
  environmentValue,
  addressOfObject,
  changeValues,
  objectValue,
} from './compile.ts';
import { mapValues } from '../model/collect.ts';

export type ExampleResult = {
  readonly policy: string;
  /** Its name, or which one of the passing or failing ones it is: `pass 1`. */
  readonly example: string;
  readonly expected: 'pass' | 'fail';
  readonly found: Verdict['result'];
  /** The message of the policy; absent if the example passes. */
  readonly message?: string;
  readonly isAsExpected: boolean;
  readonly place: Place;
};

/** The policies that can be used, what came of the examples of all, and why others cannot be used. */
export type CheckedPolicies = {
  readonly policies: readonly CompiledPolicy[];
  readonly results: readonly ExampleResult[];
  readonly problems: readonly Problem[];
};

/** Compiles policies, and holds each to its examples: one with another result is not used. */
export function checkExamples(
  policies: readonly Policy[],
  kinds: KindSet,
  compiler: PolicyCompiler = makePolicyCompiler(),
): CheckedPolicies {
  const each = policies.map((policy): CheckedPolicies => {
    const compiled = compiler.compile(policy);
    if ('problem' in compiled) return { policies: [], results: [], problems: [compiled.problem] };
    const results = resultsOf(compiled, kinds, compiler);
    const problems = results.filter(({ isAsExpected }) => !isAsExpected).map(exampleProblem);
    return { policies: problems.length > 0 ? [] : [compiled], results, problems };
  });
  return {
    policies: each.flatMap((one) => one.policies),
    results: each.flatMap((one) => one.results),
    problems: each.flatMap((one) => one.problems),
  };
}

function resultsOf(
  compiled: CompiledPolicy,
  kinds: KindSet,
  compiler: PolicyCompiler,
): readonly ExampleResult[] {
  const { policy } = compiled;
  return (['pass', 'fail'] as const).flatMap((expected) =>
    policy.examples[expected].map((example, at): ExampleResult => {
      const found = evaluateExample(compiled, example, kinds, compiler);
      return {
        policy: policy.name,
        example: example.name ?? `${expected} ${at + 1}`,
        expected,
        found: found.result,
        ...(found.result === 'pass' ? {} : { message: found.message }),
        isAsExpected: found.result === expected,
        place: policy.placeOf(printPointer(['examples', expected, at])),
      };
    }),
  );
}

function evaluateExample(
  { policy, subject, applies, evaluate }: CompiledPolicy,
  example: PolicyExample,
  kinds: KindSet,
  { bind }: PolicyCompiler,
): Verdict {
  if (example[subject] === undefined) return { result: 'error', message: `the example has no ${subject}` };
  const environment = environmentOf(example);
  const { address, values } = subjectOf(example, kinds);
  if (!applies(textOf(environment['name'], ''), address)) return { result: 'pass' };
  const all: JsonObject = { ...values, environment, params: { ...policy.params, ...example.params } };
  return evaluate(mapValues(all, bind));
}

/** A Monday in prod, where the example says nothing else. */
function environmentOf({ environment = {} }: PolicyExample): JsonObject {
  const { name = 'prod', day = '2026-01-05' } = environment;
  return { ...environmentValue({ name: textOf(name, ''), day: textOf(day, '') }), ...environment };
}

/** The values of an example, with what it leaves out. */
function subjectOf(
  { object, change, principal }: PolicyExample,
  kinds: KindSet,
): { readonly address?: Address | undefined; readonly values: JsonObject } {
  if (principal !== undefined) {
    const chains = { before: linksIn(principal['before']), after: linksIn(principal['after']) };
    return {
      values: {
        principal: { virtualCluster: 'passthrough', username: '', groups: [], ...principal, ...chains },
      },
    };
  }
  const fill = (value: Json | undefined): JsonObject | null =>
    isObject(value) ? objectValue(value, kinds) : null;
  const addressIn = (value: Json): Address | undefined =>
    isObject(value) ? addressOfObject(value, kinds) : undefined;
  if (change === undefined) return { address: addressIn(object ?? null), values: { object: fill(object) } };
  const [before, after] = ['before', 'after'].map((side) => fill(valueOf(change, side)));
  const action = before == null ? 'create' : after == null ? 'delete' : 'update';
  const address = addressIn(after ?? before ?? null);
  const [loses, weakens] = ['loses', 'weakens'].map((key) => textsIn(valueOf(change, key)));
  const about = {
    action: textOf(change['action'], action),
    address: address ?? ('' as Address), // of no kind
    ...{ loses: loses ?? [], weakens: weakens ?? [] },
  };
  return { address, values: changeValues(about, before ?? null, after ?? null) };
}

function textOf(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

/** The interceptors of a chain, each with what its example leaves out. */
function linksIn(written: Json | undefined): readonly Json[] {
  const neutral = { name: '', address: '', pluginClass: '', priority: 0, config: {}, protects: [] };
  return isList(written) ? written.map((link) => (isObject(link) ? { ...neutral, ...link } : link)) : [];
}

function exampleProblem({ policy, example, expected, found, message = '', place }: ExampleResult): Problem {
  const words = found === 'pass' ? 'it passes' : found === 'fail' ? `it fails: ${message}` : message;
  return makeProblem({
    code: 'invalid-policy',
    message: `the policy ${policy} is not used: its example ${example} should ${expected}; ${words}`,
    at: place,
    hint: 'correct the expression or the example',
  });
}
