import { memoize } from '../model/collect.ts';
import type { Json, JsonObject, Pointer } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Policy, Waiver } from '../model/policy.ts';
import type { Problem, Place } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { compileGlob } from '../model/text/glob.ts';
import type { Bindings } from './cel/expression.ts';
import type { CompiledPolicy, PolicyCompiler, Subject, Verdict } from './compile.ts';
import {
  environmentValue,
  type PolicyEnvironment,
  changeValues,
  objectValue,
  principalValue,
  type ChangeSubject,
  type ObjectSubject,
  type PrincipalSubject,
  type Subjects,
} from './subjects.ts';

type PolicyRun = {
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
  for (const { subject, values, ...about } of questions(run, subjects)) {
    const asked = policies.filter(
      (policy) => policy.subject === subject && policy.applies(environment.name, about.address),
    );
    const bindings = asked.length === 0 ? {} : values();
    for (const policy of asked) {
      const all = { ...bindings, environment: environmentBinding, ...paramsOf(policy) };
      const problem = problemOf(policy.policy, policy.evaluate(all), about, environment.day);
      if (problem !== undefined) found.get(policy)?.push(problem);
    }
  }
  return [...found.values()].flatMap(shorten);
}

/** Something that policies are asked about. */
type Question = PolicySubject & { readonly subject: Subject; readonly values: () => Bindings };

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

  function aboutChange({ before, after, placeOf, ...facts }: ChangeSubject): Question {
    const { address, action } = facts;
    const values = (): Bindings => bindAll(changeValues(facts, whole(before()), whole(after())));
    return { subject: 'change', address, who: `the ${action} of ${address}`, placeOf, values };
  }

  function aboutPrincipal(principal: PrincipalSubject): Question {
    const { virtualCluster, before, after } = principal;
    const username = principal.username ?? 'any other client';
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

/** The subject of a verdict. */
type PolicySubject = {
  readonly who: string;
  readonly address?: Address;
  readonly placeOf?: ((path: Pointer) => Place) | undefined;
  readonly isOpen?: boolean;
};

/** The problem that a verdict is; undefined where the policy is met. */
function problemOf(
  policy: Policy,
  verdict: Verdict,
  { who, address, placeOf, isOpen = false }: PolicySubject,
  day: string,
): Problem | undefined {
  if (verdict.result === 'pass') return undefined;
  const path = policy.path ?? '/metadata/name';
  const at = placeOf?.(path);
  if (isOpen) return unclear(policy, who, { ...(at === undefined ? {} : { at }) });
  const waivers = policy.waivers.filter((waiver) => compileGlob(waiver.address ?? '*')(address ?? who));
  const waiver = waivers.find(({ until }) => until >= day);
  const message =
    verdict.result === 'fail'
      ? `${who} does not meet the policy ${policy.name}: ${verdict.message}`
      : `the policy ${policy.name} cannot judge ${who}: ${verdict.message}`;
  const written = policy.placeOf('');
  return {
    code: `policy/${policy.name}`,
    severity: severityOf(policy, waiver),
    message: waiver === undefined ? message : `${message} (waived until ${waiver.until}: ${waiver.reason})`,
    ...(at === undefined ? { at: written } : { at, also: written }),
    ...(address === undefined ? {} : { address, path }),
    hint: hintFor(verdict, waiver, waivers.at(-1)),
  };
}

/** An object with variables that have no value may meet the policy once they have one. */
function unclear({ name }: Policy, who: string, where: Pick<Problem, 'at'>): Problem {
  const message = `variables of ${who} have no value, so whether it meets the policy ${name} cannot be told`;
  return {
    code: 'cannot-tell',
    severity: 'info',
    message,
    ...where,
    hint: 'set the variables, or make a plan',
  };
}

function severityOf({ severity }: Policy, waiver: Waiver | undefined): Problem['severity'] {
  if (waiver !== undefined) return 'info';
  return severity === 'mandatory' ? 'error' : 'warning';
}

function hintFor(verdict: Verdict, waiver: Waiver | undefined, past: Waiver | undefined): string {
  if (waiver !== undefined) return 'change it before that day';
  if (past !== undefined) return `change it: its waiver ended on ${past.until}`;
  if (verdict.result === 'error') return 'correct the policy: it must be true or false for every object';
  return 'change it, or add a waiver with a reason and a day to the policy';
}

/** Problems of a policy beyond this number are counted. */
const MOST_SHOWN = 50;

/** The first problems of a policy, of each severity, and how many more there are. */
function shorten(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= MOST_SHOWN) return problems;
  return (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const all = problems.filter((problem) => problem.severity === severity);
    const [first] = all;
    if (first === undefined || all.length <= MOST_SHOWN) return all;
    const message = `${all.length - MOST_SHOWN} more do not meet ${first.code.replace('/', ' ')}`;
    return [...all.slice(0, MOST_SHOWN), { code: first.code, severity, message }];
  });
}
