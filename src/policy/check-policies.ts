import { memoize } from '../model/collect.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Problem } from '../model/problem.ts';
import type { Bindings } from './cel/expression.ts';
import type { CompiledPolicy, PolicyCompiler, Subject } from './compile.ts';
import { environmentValue, type PolicyEnvironment } from './environment.ts';
import { problemOf, shorten, type Judged } from './findings.ts';
import {
  changeValues,
  objectValue,
  principalValue,
  type ChangeSubject,
  type ObjectSubject,
  type PrincipalSubject,
  type Subjects,
} from './subjects.ts';

export type PolicyRun = {
  readonly policies: readonly CompiledPolicy[];
  readonly bind: PolicyCompiler['bind'];
  readonly environment: PolicyEnvironment;
  readonly kinds: KindSet;
};

/** All that is against a policy, and what a policy cannot judge: of each policy the first ones. */
export function checkPolicies(run: PolicyRun, subjects: Subjects): readonly Problem[] {
  const { policies, bind, environment } = run;
  const environmentBinding = bind(environmentValue(environment));
  const paramsOf = memoize((policy: CompiledPolicy) => ({ params: bind(policy.policy.params) }));
  const found = new Map(policies.map((policy): [CompiledPolicy, Problem[]] => [policy, []]));
  for (const { subject, values, ...judged } of questions(run, subjects)) {
    const asked = policies.filter(
      (policy) => policy.subject === subject && policy.applies(environment.name, judged.address),
    );
    const bindings = asked.length === 0 ? {} : values();
    for (const policy of asked) {
      const all = { ...bindings, environment: environmentBinding, ...paramsOf(policy) };
      const problem = problemOf(policy.policy, policy.judge(all), judged, environment.day);
      if (problem !== undefined) found.get(policy)?.push(problem);
    }
  }
  return [...found.values()].flatMap(shorten);
}

/** Something that policies are asked about. */
type Question = Judged & { readonly subject: Subject; readonly values: () => Bindings };

/** Nothing is looked at that no policy asks for. */
function* questions({ policies, bind, kinds }: PolicyRun, subjects: Subjects): Generator<Question> {
  const isAsked = (subject: Subject): boolean => policies.some((policy) => policy.subject === subject);
  const bindAll = (values: Readonly<Record<string, Json>>): Bindings =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, bind(value)]));
  const whole = (object: JsonObject | null): JsonObject | null =>
    object === null ? null : objectValue(object, kinds);
  const bindChain = memoize((chain: readonly JsonObject[]) => ({ bound: bind(chain) }));

  if (isAsked('object')) for (const object of subjects.objects) yield aboutObject(object);
  if (isAsked('change')) for (const change of subjects.changes) yield aboutChange(change);
  if (isAsked('principal')) for (const principal of subjects.principals) yield aboutPrincipal(principal);

  function aboutObject({ address, object, ...about }: ObjectSubject): Question {
    const values = (): Bindings => bindAll({ object: whole(object()) });
    return { subject: 'object', address, who: address, ...about, values };
  }

  function aboutChange({ address, action, before, after, placeOf }: ChangeSubject): Question {
    const values = (): Bindings =>
      bindAll(changeValues({ address, action }, whole(before()), whole(after())));
    return { subject: 'change', address, who: `the ${action} of ${address}`, placeOf, values };
  }

  function aboutPrincipal(principal: PrincipalSubject): Question {
    const { virtualCluster, username = 'any other client', before, after } = principal;
    const values = (): Bindings => {
      const about = Object.entries(bindAll(principalValue(principal)));
      const chains = [
        ['before', bindChain(before).bound],
        ['after', bindChain(after).bound],
      ] as const;
      return { principal: new Map([...about, ...chains]) };
    };
    return { subject: 'principal', who: `${username} in ${virtualCluster}`, values };
  }
}
