import { memoize, mapValues } from '../model/collect.ts';
import {
  joinPointer,
  parsePointer,
  printPointer,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Policy, Waiver } from '../model/policy.ts';
import { makeProblem, type Problem, type Place } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { HIDDEN } from '../model/secrets/hidden.ts';
import { compileGlob } from '../model/text/glob.ts';
import type { Bindings } from './cel/expression.ts';
import {
  type CompiledPolicy,
  type PolicyCompiler,
  type Subject,
  type Verdict,
  type ChainValue,
  environmentValue,
  type PolicyEnvironment,
  changeValues,
  objectValue,
  principalValue,
  type ChangeSubject,
  type ObjectSubject,
  type PrincipalSubject,
  type Subjects,
} from './compile.ts';

type PolicyRun = {
  readonly policies: readonly CompiledPolicy[];
  readonly bind: PolicyCompiler['bind'];
  readonly bindHidden: PolicyCompiler['bindHidden'];
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
    const possible = asked.length === 0 ? [] : values();
    for (const policy of asked) {
      const more = { environment: environmentBinding, ...paramsOf(policy) };
      const verdicts = possible.map((bindings) => policy.evaluate({ ...bindings, ...more }));
      const problem = problemOf(policy.policy, agree(verdicts, about.doubt), about, environment.day);
      if (problem !== undefined) found.get(policy)?.push(problem);
    }
  }
  return [...found.values()].flatMap(shorten);
}

/** Something that policies are asked about, with all the values that it may have: several where something is hidden. */
type Question = PolicySubject & { readonly subject: Subject; readonly values: () => readonly Bindings[] };

/** What all of the verdicts say; if they differ, or cannot be had, that depends on what is hidden at `doubt`. */
function agree(verdicts: readonly Verdict[], doubt: Pointer = ''): Verdict {
  const [first] = verdicts;
  if (first !== undefined && verdicts.every(({ result }) => result === first.result)) return first;
  return { result: 'error', message: 'it depends on what is hidden', hiddenAt: doubt };
}

/** Nothing is looked at that no policy asks for. */
function* questions({ policies, bindHidden, kinds }: PolicyRun, subjects: Subjects): Generator<Question> {
  const isAsked = (subject: Subject): boolean => policies.some((policy) => policy.subject === subject);
  const bindAll = (values: Readonly<Record<string, Json>>): Bindings =>
    mapValues(values, (value) => bindHidden(value));
  const whole = (object: JsonObject | null): JsonObject | null =>
    object === null ? null : objectValue(object, kinds);
  const bindLink = memoize((link: ChainValue) => ({ bound: bindHidden(link, placeIn(link.address)) }));
  const bindOrders = memoize((chain: readonly ChainValue[]) => ({
    orders: possibleOrders(chain).map((order) => order.map((link) => bindLink(link).bound)),
  }));

  if (isAsked('object')) for (const object of subjects.objects) yield aboutObject(object);
  if (isAsked('change')) for (const change of subjects.changes) yield aboutChange(change);
  if (isAsked('principal')) for (const principal of subjects.principals) yield aboutPrincipal(principal);

  function aboutObject({ address, object, ...about }: ObjectSubject): Question {
    const values = (): readonly Bindings[] => [bindAll({ object: whole(object()) })];
    return { subject: 'object', address, who: address, ...about, values, fieldOf: (at) => at };
  }

  function aboutChange({ before, after, placeOf, ...facts }: ChangeSubject): Question {
    const { address, action } = facts;
    const values = (): readonly Bindings[] => [bindAll(changeValues(facts, whole(before()), whole(after())))];
    const fieldOf = (at: Pointer): Pointer => at.replace(/^\/(?:before|after)(?=\/)/, '') as Pointer; // begins with another slash
    return { subject: 'change', address, who: `the ${action} of ${address}`, placeOf, values, fieldOf };
  }

  function aboutPrincipal(principal: PrincipalSubject): Question {
    const { virtualCluster, externalGroup, before, after, hidden } = principal;
    const anybody =
      externalGroup === undefined ? 'any other client' : `any member of the external group ${externalGroup}`;
    const values = (): readonly Bindings[] => {
      if (hidden !== undefined) return [];
      const about = Object.entries(bindAll(principalValue(principal)));
      const [were, are] = [bindOrders(before).orders, bindOrders(after).orders];
      if (were.length * are.length > MOST_ORDERS) return [];
      return were.flatMap((was) =>
        are.map((is) => ({ principal: new Map([...about, ['before', was], ['after', is]]) })),
      );
    };
    const unclear = [...after, ...before].find(({ priority }) => priority === HIDDEN);
    const doubt = hidden ?? (unclear && joinPointer(placeIn(unclear.address), 'priority'));
    return {
      subject: 'principal',
      who: `${principal.username ?? anybody} in ${virtualCluster}`,
      values,
      doubt,
    };
  }
}

/** Where the values of an object are in chains. */
export function placeIn(address: string): Pointer {
  return joinPointer('', address);
}

type PolicySubject = {
  readonly who: string;
  readonly address?: Address;
  readonly placeOf?: ((path: Pointer) => Place) | undefined;
  readonly isOpen?: boolean;
  /** The field of the object that is at a place of its values; absent where they are of several objects, by `placeIn`. */
  readonly fieldOf?: (at: Pointer) => Pointer;
  /** What is hidden and makes its values differ. */
  readonly doubt?: Pointer | undefined;
};

/** The problem that a verdict is; undefined where the policy is met. */
function problemOf(
  policy: Policy,
  verdict: Verdict,
  { who, address, placeOf, isOpen = false, fieldOf }: PolicySubject,
  day: string,
): Problem | undefined {
  if (verdict.result === 'pass') return undefined;
  const hiddenAt = 'hiddenAt' in verdict ? verdict.hiddenAt : undefined;
  const path = (hiddenAt && fieldOf?.(hiddenAt)) ?? policy.path ?? '/metadata/name';
  const at = placeOf?.(path);
  if (isOpen && verdict.result === 'error')
    return unclear(policy, who, { ...(at === undefined ? {} : { at }) });
  const waivers = policy.waivers.filter((waiver) => compileGlob(waiver.address ?? '*')(address ?? who));
  const waiver = waivers.find(({ until }) => until >= day);
  const message =
    verdict.result === 'fail'
      ? `${who} does not meet the policy ${policy.name}: ${verdict.message}`
      : `the policy ${policy.name} cannot judge ${who}: ${hiddenAt === undefined ? verdict.message : `the value of ${nameField(hiddenAt, fieldOf)} is hidden`}`;
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

function nameField(at: Pointer, fieldOf: PolicySubject['fieldOf']): string {
  if (fieldOf !== undefined) return fieldOf(at);
  const [address = '', ...field] = parsePointer(at);
  // What an interceptor protects follows from its config.
  const written = field[0] === 'protects' ? ['config'] : field;
  return `${printPointer(['spec', ...written])} of ${address}`;
}

/** An object with variables that have no value may meet the policy once they have one. */
function unclear({ name }: Policy, who: string, where: Pick<Problem, 'at'>): Problem {
  const message = `variables of ${who} have no value, so whether it meets the policy ${name} cannot be told`;
  return makeProblem({
    code: 'cannot-tell',
    message,
    ...where,
    hint: 'set the variables, or make a plan',
  });
}

function severityOf({ severity }: Policy, waiver: Waiver | undefined): Problem['severity'] {
  if (waiver !== undefined) return 'info';
  return severity === 'mandatory' ? 'error' : 'warning';
}

function hintFor(verdict: Verdict, waiver: Waiver | undefined, past: Waiver | undefined): string {
  if (waiver !== undefined) return 'change it before that day';
  if ('hiddenAt' in verdict)
    return 'write the value plainly, publish its variable, or add a waiver with a reason and a day to the policy';
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

/** Where a chain may have more orders, no policy can judge it. */
const MOST_ORDERS = 100;

/**
 * All the orders that a chain may have: one, unless priorities are hidden. None if there are too many. Equal priorities are sorted
 * by address, which the gateway does not promise.
 */
function possibleOrders(chain: readonly ChainValue[]): readonly (readonly ChainValue[])[] {
  const hidden = chain.filter(({ priority }) => priority === HIDDEN);
  if (hidden.length === 0) return [chain];
  const known = chain.filter(({ priority }) => priority !== HIDDEN);
  known.sort((one, other) => Number(one.priority) - Number(other.priority));
  let orders: readonly (readonly ChainValue[])[] = [known];
  for (const link of hidden) {
    orders = orders.flatMap((order) =>
      Array.from({ length: order.length + 1 }, (_, at) => order.toSpliced(at, 0, link)),
    );
    if (orders.length > MOST_ORDERS) return [];
  }
  return orders;
}
