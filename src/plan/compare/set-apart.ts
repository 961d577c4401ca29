import type { Problem } from '../../model/problem.ts';
import type { DiffersRule } from '../../model/rules.ts';
import { compileRules } from '../../model/text/glob.ts';
import { nameOf } from '../checks/ignore-rules.ts';
import { isInside, splitByRules } from '../drift/drift.ts';
import type { Difference } from './compare-states.ts';
import type { Uncompared } from './uncompared.ts';

/** A difference that is meant to be. */
export type Expected = Difference & { readonly reason: string };

export type SetApart = {
  readonly differences: readonly Difference[];
  readonly expected: readonly Expected[];
  readonly problems: readonly Problem[];
};

/** The rules for two environments; none are for two states of one environment, which should be equal. */
export function rulesBetween(
  rules: readonly DiffersRule[],
  from: string | undefined,
  to: string | undefined,
): readonly DiffersRule[] {
  if (from !== undefined && from === to) return [];
  return rules.filter(
    ({ between }) =>
      between === undefined || [from, to].every((name) => name !== undefined && between.includes(name)),
  );
}

/**
 * Sets the differences apart that rules name. A rule without a difference is a problem where everything was compared; fields that
 * could not be compared may differ.
 */
export function setApart(
  found: readonly Difference[],
  uncompared: readonly Uncompared[],
  rules: readonly DiffersRule[],
  isComplete: boolean,
): SetApart {
  const rulesFor = compileRules(rules, ({ address }) => address);
  const used = new Set<DiffersRule>();
  const differences: Difference[] = [];
  const expected: Expected[] = [];
  for (const one of found) {
    const { isOpen, open, closed } = splitByRules(one.fields, rulesFor(one.address));
    if (isOpen) differences.push({ ...one, fields: open });
    for (const [rule, fields] of closed) {
      used.add(rule);
      expected.push({ ...one, fields, reason: rule.reason });
    }
  }
  for (const one of uncompared)
    if (one.reason === 'cannot-tell')
      for (const rule of rulesFor(one.address))
        if (rule.path === undefined || isInside(rule.path, one.path)) used.add(rule);
  const unused = isComplete ? rules.filter((rule) => !used.has(rule)) : [];
  return { differences, expected, problems: unused.map(unusedProblem) };
}

function unusedProblem(rule: DiffersRule): Problem {
  return {
    code: 'unmatched-differs',
    severity: 'warning',
    message: `${nameOf(rule)} does not differ`,
    at: rule.place,
    hint: 'correct or remove the entry of differs',
  };
}
