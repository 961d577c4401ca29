import type { Problem } from '../../model/problem.ts';
import type { PlannedWorld } from './world.ts';

/** Rules that ignore nothing: a typing mistake, or an object that is gone. */
export function checkUnusedRules({ unusedRules }: PlannedWorld): readonly Problem[] {
  return unusedRules.map(({ address, path, place }) => ({
    code: 'unmatched-ignore',
    severity: 'warning',
    message:
      path === undefined
        ? `nothing that is declared or live matches ${address}, which is to be ignored`
        : `${path} of ${address} is to be ignored, and nothing that is declared or live has it`,
    at: place,
    hint: 'correct the rule, or take it out',
  }));
}
