import type { Rules } from '../../model/rules.ts';
import { DEFAULT_LIMITS } from '../../plan/checks/limits.ts';
import type { OpenProject } from './project.ts';

/** What the environment says may be touched; `manages`, if given, wins over its own. */
export function rulesOf(
  { environment }: Pick<OpenProject, 'environment'>,
  manages = environment?.manages,
): Rules {
  return {
    ...environment,
    ...(manages === undefined ? {} : { manages }),
    limits: { ...DEFAULT_LIMITS, ...environment?.limits },
  };
}
