import type { Pointer } from '../model/json/json.ts';
import type { Policy, Waiver } from '../model/policy.ts';
import type { Place, Problem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { compileGlob } from '../model/text/glob.ts';
import type { Verdict } from './compile.ts';

/** What a verdict is about. */
export type Judged = {
  readonly who: string;
  readonly address?: Address;
  readonly placeOf?: ((path: Pointer) => Place) | undefined;
  readonly isOpen?: boolean;
};

/** The problem that a verdict is; undefined where the policy is met. */
export function problemOf(
  policy: Policy,
  verdict: Verdict,
  { who, address, placeOf, isOpen = false }: Judged,
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
export function shorten(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= MOST_SHOWN) return problems;
  return (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const all = problems.filter((problem) => problem.severity === severity);
    const [first] = all;
    if (first === undefined || all.length <= MOST_SHOWN) return all;
    const message = `${all.length - MOST_SHOWN} more do not meet ${first.code.replace('/', ' ')}`;
    return [...all.slice(0, MOST_SHOWN), { code: first.code, severity, message }];
  });
}
