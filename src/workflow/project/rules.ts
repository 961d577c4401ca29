import type { Rules } from '../../model/rules.ts';
import { DEFAULT_LIMITS } from '../../plan/checks/limits.ts';
import type { Workspace } from './workspace.ts';

/** What the environment says may be touched; `manages`, if given, wins over its own. */
export function rulesOf(
  { environment }: Pick<Workspace, 'environment'>,
  manages = environment?.manages,
): Rules {
  return {
    ...environment,
    ...(manages === undefined ? {} : { manages }),
    limits: { ...DEFAULT_LIMITS, ...environment?.limits },
  };
}
