import type { Problem } from '../../model/problem.ts';
import {
  checkAgreement,
  checkAvailability,
  checkCycles,
  checkNames,
  checkReferrers,
  checkReplacements,
  checkUniqueValues,
} from './conflicts.ts';
import { checkEarlyMasks } from './early-masks.ts';
import { checkExpiredExposures, checkExposures, checkWeakenings } from './exposures.ts';
import {
  checkExpiredRules,
  checkIgnoredValues,
  checkUnusedRules,
  checkLeftovers,
  checkMerges,
  checkExpiredRemovals,
  checkOwnership,
  checkPrune,
  checkOverlays,
} from './ownership.ts';
import { checkLimits } from './limits.ts';
import { checkTopicPatterns } from './patterns.ts';
import { checkProtection } from './protection.ts';
import { checkClusterNames, checkReferences, checkSelection, checkSimilarNames } from './name-checks.ts';
import { surveyChanges, surveyKinds } from './survey.ts';
import { isPlanned, type DesiredWorld, type PlannedWorld, type World } from './world.ts';

export type Check = { readonly name: string } & (
  | { readonly needs: 'files'; readonly run: (world: DesiredWorld) => Iterable<Problem> }
  /** Runs with the plan if there is one, otherwise with files alone. */
  | { readonly needs: 'files or plan'; readonly run: (world: World) => Iterable<Problem> }
  | { readonly needs: 'plan'; readonly run: (world: PlannedWorld) => Iterable<Problem> }
);

/** All checks over the whole set, in the order in which their problems are shown. */
export const CHECKS: readonly Check[] = [
  { name: 'ownership', needs: 'files', run: checkOwnership },
  { name: 'overlays', needs: 'files', run: checkOverlays },
  { name: 'moves to one object', needs: 'plan', run: checkMerges },
  { name: 'expired removals', needs: 'files', run: checkExpiredRemovals },
  { name: 'prune', needs: 'files', run: checkPrune },
  { name: 'selection', needs: 'plan', run: checkSelection },
  { name: 'what runs left behind', needs: 'plan', run: checkLeftovers },
  { name: 'expired ignore rules', needs: 'files or plan', run: checkExpiredRules },
  { name: 'unused ignore rules', needs: 'plan', run: checkUnusedRules },
  { name: 'ignored values', needs: 'plan', run: checkIgnoredValues },
  { name: 'rules of the kinds', needs: 'files or plan', run: surveyKinds },
  { name: 'rules of the kinds at the gateway', needs: 'plan', run: surveyChanges },
  { name: 'kinds that the gateway serves', needs: 'plan', run: checkAvailability },
  { name: 'patterns of topics', needs: 'files or plan', run: checkTopicPatterns },
  { name: 'masks before decryption', needs: 'files or plan', run: checkEarlyMasks },
  { name: 'similar names', needs: 'files or plan', run: checkSimilarNames },
  { name: 'names of virtual clusters', needs: 'files or plan', run: checkClusterNames },
  { name: 'references', needs: 'files or plan', run: checkReferences },
  { name: 'referrers of what is deleted', needs: 'plan', run: checkReferrers },
  { name: 'replacements', needs: 'plan', run: checkReplacements },
  { name: 'names of what is deleted', needs: 'plan', run: checkNames },
  { name: 'agreement', needs: 'plan', run: checkAgreement },
  { name: 'unique values', needs: 'plan', run: checkUniqueValues },
  { name: 'cycles', needs: 'plan', run: checkCycles },
  { name: 'protection', needs: 'plan', run: checkProtection },
  { name: 'limits', needs: 'plan', run: checkLimits },
  { name: 'expired acceptances of exposures', needs: 'files or plan', run: checkExpiredExposures },
  { name: 'exposures', needs: 'plan', run: checkExposures },
  { name: 'weakenings', needs: 'plan', run: checkWeakenings },
];

/** Problems that do not depend on the gateway. */
export function checkFiles(world: DesiredWorld): readonly Problem[] {
  return CHECKS.flatMap((check) => (check.needs === 'files' ? [...check.run(world)] : []));
}

/** All problems that can be found with files alone, or with a plan. */
export function checkWorld(world: World, checks = CHECKS): readonly Problem[] {
  if (isPlanned(world) || checks !== CHECKS) return runChecks(world, checks);
  const before = known.get(world.desired);
  if (before !== undefined && isSameWorld(before.world, world)) return before.problems;
  const problems = runChecks(world, checks);
  known.set(world.desired, { world, problems });
  return problems;
}

function runChecks(world: World, checks: readonly Check[]): readonly Problem[] {
  return checks.flatMap((check) => {
    if (check.needs !== 'plan') return [...check.run(world)];
    return isPlanned(world) ? [...check.run(world)] : [];
  });
}

/** What was found last of desired states: environments that share all files are checked once. */
const known = new WeakMap<
  DesiredWorld['desired'],
  { readonly world: DesiredWorld; readonly problems: readonly Problem[] }
>();

/** Whether two worlds with the same desired state have the same problems. Those of rules with places say where these are. */
function isSameWorld(one: DesiredWorld, other: DesiredWorld): boolean {
  const isBare = ({ rules: { external = [], ignore = [], exposures = [] } }: DesiredWorld): boolean =>
    external.length + ignore.length + exposures.length === 0;
  const textOf = ({
    rules: { manages, overlays, protection },
    topics,
    context,
    today,
    prune,
  }: DesiredWorld) => JSON.stringify([manages, overlays, protection, topics, context, today, prune]);
  return (
    one.declared === other.declared &&
    one.removals === other.removals &&
    one.kinds === other.kinds &&
    isBare(one) &&
    isBare(other) &&
    textOf(one) === textOf(other)
  );
}
