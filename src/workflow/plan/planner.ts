import type { Checked } from '../../model/problem.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { adoptUnsetFields, sinceBase, sinceSnapshot } from '../../plan/diff/unset-fields.ts';
import { makePlan, type PlanOptions } from '../../plan/make-plan.ts';
import { isSource } from '../../schema/yaml/interpolate.ts';
import type { Former } from '../base/open-base.ts';
import type { Judge } from '../base/judge-by-base.ts';
import type { LiveSource } from '../live/live-source.ts';
import { contextOf } from '../project/input.ts';
import { obeyPolicies } from '../project/obey-policies.ts';
import { readTopics } from '../project/topics-file.ts';
import { cureFor } from '../project/variables.ts';
import type { Workspace } from '../project/workspace.ts';

/** Makes plans for what is live: of the files, and of those of a base. */
export type Planner = {
  /** What is declared, with what is live where a variable has no value. */
  readonly adopt: (declared: DesiredState) => Checked<DesiredState>;
  readonly plan: (
    desired: DesiredState,
    by: Pick<PlanOptions, 'rules' | 'removals' | 'topics'>,
  ) => Checked<Plan>;
};

export function plannerOf(
  workspace: Workspace,
  { url: gateway, age }: Pick<LiveSource, 'url' | 'age'>,
  { former, live }: { readonly former: Former | undefined; readonly live: LiveState },
  flags: Pick<PlanOptions, 'selection' | 'prune' | 'limits' | 'acceptExposure' | 'today'>,
): Planner {
  const isSince = sinceSnapshot((name) => !isSource(name) && workspace.variables.isPublic(name));
  const isOther = sinceBase(former?.value, (name) => former?.otherSources.has(name) === true);
  return {
    adopt: (declared) =>
      adoptUnsetFields(
        declared,
        live,
        (name) => cureFor(name, workspace.variables),
        age && ((template, found, at) => isSince(template, found) || isOther(template, at)),
      ),
    plan: (desired, by) =>
      makePlan(desired, live, workspace.catalog.kinds, {
        ...{ gateway, context: contextOf(workspace), ...flags, ...by },
        ...workspace.secrets.known,
      }),
  };
}

/** Judges files by any rules, policies and topics; topics that a user names take the place of all others. */
export function judgeOf(
  { adopt, plan }: Planner,
  live: LiveState,
  named: readonly string[] | undefined,
): Judge {
  return async ({ value, removals }, rules, ...project) => {
    const topics = named ?? (await readTopics(...project, undefined)).value;
    const { value: desired } = adopt(value);
    const { value: losses, problems } = plan(desired, { rules, removals, topics });
    const subjects = { desired, changes: losses.changes, losses, live };
    return [...problems, ...(await obeyPolicies(...project, subjects))];
  };
}
