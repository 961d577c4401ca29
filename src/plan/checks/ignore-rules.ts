import type { Problem } from '../../model/problem.ts';
import type { IgnoreRule } from '../../model/rules.ts';
import type { DesiredWorld, PlannedWorld } from './world.ts';

/** Whether the last day of the rule has passed. */
export function isExpired({ until }: IgnoreRule, today: string | undefined): boolean {
  return until !== undefined && today !== undefined && until < today;
}

/** Rules that hold no more: what they ignored would be changed. */
export function checkExpiredRules({
  rules,
  today,
}: Pick<DesiredWorld, 'rules' | 'today'>): readonly Problem[] {
  return (rules.ignore ?? [])
    .filter((rule) => isExpired(rule, today))
    .map((rule) => ({
      code: 'expired-acceptance',
      severity: 'error',
      message: `${nameOf(rule)} was to be ignored until ${rule.until ?? ''}`,
      at: rule.place,
      hint: `have ${rule.owner ?? 'its owner'} take it out, or set a later day`,
    }));
}

/** Rules that ignore nothing: a typing mistake, or an object that is gone. */
export function checkUnusedRules({ unusedRules }: PlannedWorld): readonly Problem[] {
  return unusedRules.map((rule) => ({
    code: 'unmatched-ignore',
    severity: 'warning',
    message:
      rule.path === undefined
        ? `nothing that is declared or live matches ${rule.address}, which is to be ignored`
        : `${nameOf(rule)} is to be ignored, and nothing that is declared or live has it`,
    at: rule.place,
    hint: 'correct the rule, or take it out',
  }));
}

/** What a rule is about, in words. */
export function nameOf({ address, path }: IgnoreRule): string {
  return path === undefined ? address : `${path} of ${address}`;
}
