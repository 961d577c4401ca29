import { compareNaturally } from '../../model/text/natural-order.ts';
import { groupBy, present } from '../../model/collect.ts';
import { compileRules } from '../../model/text/glob.ts';
import { parsePointer, type Pattern, type Pointer } from '../../model/json/json.ts';
import { makeProblem, type Position, type Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { IgnoreRule } from '../../model/rules.ts';
import { checkExpiredRules, isExpired, nameOf } from '../checks/ownership.ts';
import type { FieldDifference, Uncompared } from '../../model/field-difference.ts';
import { fieldId, isStep, type Change } from '../change/change.ts';
import type { ShownPlan } from '../secrets/redact.ts';

/** An object that is not as files have it: gone, changed, in none of them, or still there though they remove it. */
export type Drift = {
  readonly address: Address;
  readonly drift: 'missing' | 'changed' | 'unclaimed' | 'remaining';
  readonly at?: Position | undefined;
  /** Who moved, where that is known: `mixed` where fields differ in it. */
  readonly moved?: Moved | 'mixed' | undefined;
  /** Only of what was changed: `before` is live, `after` declared. */
  readonly fields: readonly (FieldDifference & { readonly moved?: Moved | undefined })[];
};

/** The files, in a commit or since, or the gateway. */
type Moved = 'files' | 'gateway';

/** Drift that a rule ignores until a day. */
export type AcceptedDrift = Drift & {
  readonly reason: string;
  readonly owner: string;
  /** `YYYY-MM-DD`. */
  readonly expires: string;
};

/** A rule with a last day: drift shows what it ignores. */
type Acceptance = IgnoreRule & Required<Pick<IgnoreRule, 'owner' | 'until'>>;

export function isAcceptance(rule: IgnoreRule): rule is Acceptance {
  return rule.owner !== undefined && rule.until !== undefined;
}

/** A comparison for a drift report: what was compared, the drift, and what could not be compared. */
export type Compared = {
  readonly plan: ShownPlan;
  readonly split: SplitDrift;
  readonly uncompared: readonly Uncompared[];
};

/** Drift that counts, drift that is ignored until a day, and what is wrong with the rules that do so. */
export type SplitDrift = {
  readonly drift: readonly Drift[];
  readonly accepted: readonly AcceptedDrift[];
  readonly problems: readonly Problem[];
};

/**
 * A plan read backwards: not what would be done, but how the gateway differs, and who moved. Of what is unclaimed, what the gateway had
 * before tells.
 */
export function findDrift(
  { changes, unclaimed }: Pick<ShownPlan, 'changes' | 'unclaimed'>,
  since?: (address: Address) => { readonly resource: Resource | undefined } | undefined,
): readonly Drift[] {
  return [
    ...changes.flatMap((change) => (isStep(change) ? [] : driftOfChange(change))),
    ...unclaimed.map((address): Drift => {
      const former = since?.(address);
      const moved = former && (former.resource === undefined ? 'gateway' : 'files');
      return { address, drift: 'unclaimed', ...present({ moved }), fields: [] };
    }),
  ].sort(({ address: one }, { address: other }) => compareNaturally(one, other));
}

function driftOfChange(change: Change): readonly Drift[] {
  const { address, at, cause, fieldCauses } = change;
  const moved = cause === 'mixed' ? cause : movedBy(cause);
  const about = { address, ...present({ at, moved }) };
  switch (change.action) {
    case 'create':
      return [{ ...about, drift: 'missing', fields: [] }];
    case 'update':
    case 'replace':
      return [
        {
          ...about,
          drift: 'changed',
          fields:
            fieldCauses === undefined
              ? change.fields
              : change.fields.map((field) => ({ ...field, moved: movedBy(fieldCauses[fieldId(field)]) })),
        },
      ];
    case 'delete':
      return [{ ...about, drift: 'remaining', fields: [] }];
    default:
      return change satisfies never;
  }
}

function movedBy(cause: Change['cause']): Moved | undefined {
  if (cause === 'base') return 'files';
  return cause === 'drift' ? 'gateway' : undefined;
}

/**
 * Splits off the drift that a rule with a last day ignores. One that has expired is a problem; so is one that has nothing to
 * ignore, where everything was looked at.
 */
export function splitDrift(
  found: readonly Drift[],
  rules: readonly IgnoreRule[],
  { today, complete }: { readonly today: string; readonly complete: boolean },
): SplitDrift {
  const valid = rules.filter(isAcceptance).filter((rule) => !isExpired(rule, today));
  const { open: drift, closed } = splitByRules(found, valid);
  const accepted = closed.map(({ one, rule: { reason, owner, until } }): AcceptedDrift => ({
    ...{ ...one, reason, owner, expires: until },
  }));
  const used = new Set(closed.map(({ rule }) => rule));
  const unused = complete ? valid.filter((acceptance) => !used.has(acceptance)) : [];
  return {
    drift,
    accepted,
    problems: [...checkExpiredRules({ rules: { ignore: rules }, today }), ...unused.map(unusedProblem)],
  };
}

/** The differences that count, without what rules answer for; and that, by the rule. */
export function splitByRules<
  Found extends { readonly address: Address; readonly fields: readonly { readonly path: Pointer }[] },
  Rule extends { readonly address: string; readonly path?: Pattern },
>(
  found: readonly Found[],
  rules: readonly Rule[],
): {
  readonly open: readonly Found[];
  readonly closed: readonly { readonly one: Found; readonly rule: Rule }[];
} {
  const rulesFor = compileRules(rules, ({ address }) => address);
  const open: Found[] = [];
  const closed: { readonly one: Found; readonly rule: Rule }[] = [];
  for (const one of found) {
    const own = rulesFor(one.address);
    const whole = own.find(({ path }) => path === undefined);
    const byRule: ReadonlyMap<Rule | undefined, Found['fields']> =
      one.fields.length === 0
        ? new Map([[whole, one.fields]])
        : groupBy(
            one.fields,
            (field) => own.find(({ path }) => path !== undefined && isInside(path, field.path)) ?? whole,
          );
    for (const [rule, fields] of byRule)
      if (rule === undefined) open.push({ ...one, fields });
      else closed.push({ one: { ...one, fields }, rule });
  }
  return { open, closed };
}

/** Whether a field is the one that the pattern names, or lies below it. */
export function isInside(pattern: Pointer, path: Pointer): boolean {
  const tokens = parsePointer(path);
  return parsePointer(pattern).every(
    (token, at) => at < tokens.length && (token === '*' || token === tokens[at]),
  );
}

function unusedProblem(rule: Acceptance): Problem {
  return makeProblem({
    code: 'unused-acceptance',
    message: `there is no drift of ${nameOf(rule)} to ignore`,
    at: rule.place,
    hint: 'remove the entry',
  });
}
