import type { Problem } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import { list } from '../../model/text/list.ts';
import { makeMatcher } from '../change/select.ts';
import type { PlannedWorld } from './world.ts';

/** Temporary objects of runs that stopped, which the project does not let this plan delete. */
export function* checkLeftovers({
  desired,
  live,
  rules: { manages },
  kinds,
}: PlannedWorld): Generator<Problem> {
  if (manages === undefined) return;
  const isManaged = makeMatcher(manages, kinds);
  for (const [address, resource] of live.resources) {
    const isLeft = kinds.get(kindOf(address))?.isBridge?.(resource) === true && !desired.has(address);
    if (!isLeft || isManaged(address)) continue;
    yield {
      code: 'not-managed',
      severity: 'warning',
      message: `a run that stopped left ${address} behind, and it is not matched by manages: ${list(manages)}`,
      address,
      hint: 'resume or undo that run, or delete it where it is managed',
    };
  }
}
