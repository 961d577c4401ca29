import { findMisstatements } from '../../apply/verify/find-misstatements.ts';
import type { Problem } from '../../model/problem.ts';
import type { Limited } from '../../model/rules.ts';
import { idOf } from '../../plan/change/plan.ts';
import { guardPlan } from '../../plan/saved/guard-plan.ts';
import type { SavedPlan } from '../../plan/saved/saved-plan.ts';
import { canVerify } from '../../plan/saved/signature.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { readGateway } from '../live/read-live.ts';
import { readOrigin } from '../plan/origin.ts';
import { rulesOf } from '../plan/plan.ts';
import { findAppliedRun } from './journal-files.ts';
import type { Task } from './make-changes.ts';
import type { Run } from './run.ts';

/** What the command line says of a saved plan. */
export type PlanConditions = {
  /** The commit that the plan must be made of. */
  readonly expectCommit?: string | undefined;
  /** In place of `manages` of the project. */
  readonly manages?: readonly string[] | undefined;
  /** In place of the limits of the project and of the plan. */
  readonly limits?: Limited | undefined;
};

/** Why a saved plan is not applied in this job or not any more; undefined if it is. */
export function checkAdmission(
  host: Host,
  saved: SavedPlan,
  { expectCommit }: PlanConditions,
): Problem | undefined {
  const wrongOrigin = checkOrigin(host, saved, expectCommit);
  if (wrongOrigin !== undefined) return wrongOrigin;
  const { expiresAt } = saved;
  const now = host.now();
  if (expiresAt !== undefined && !(now.getTime() <= Date.parse(expiresAt))) {
    const message = `the plan expired at ${expiresAt}, and it is ${now.toISOString()}`;
    return refuse('expired-plan', message, 'plan again; plan --valid-for sets how long a plan is valid');
  }
  return undefined;
}

/** Whether a saved plan was made for another repository or commit. */
export function checkOrigin(
  host: Host,
  saved: SavedPlan,
  expectCommit: string | undefined,
): Problem | undefined {
  const { origin } = saved;
  const here = readOrigin(host.env)?.repository;
  const isSigned = (saved.mac ?? saved.signature) !== undefined;
  if (isSigned && origin?.repository !== undefined && here !== undefined && origin.repository !== here)
    return refuse(
      'wrong-target',
      `the plan was made for the repository ${origin.repository}, and this is ${here}`,
      'plan again in this repository',
    );
  if (expectCommit !== undefined && origin?.commit?.toLowerCase() !== expectCommit.toLowerCase()) {
    const made =
      origin?.commit === undefined ? 'does not say its commit' : `was made of the commit ${origin.commit}`;
    const message = `the plan ${made}; expected ${expectCommit}`;
    return refuse('wrong-target', message, 'plan again at that commit, in a job that names it');
  }
  return undefined;
}

/** Checks what is left of a run that is resumed against the rules that no flag overrides, as they are now. */
export function guardResumedRun({ project }: Run): NonNullable<Task['guard']> {
  const { protect = [], external = [] } = rulesOf(project);
  const rules = { protect, external };
  return ({ changes, already, live }) => {
    const left = changes.filter((change) => !already.has(idOf(change)));
    return Promise.resolve(guardPlan({}, left, live, rules, catalog.kinds));
  };
}

/** Checks, once the gateway is read, that a saved plan does what it shows and what the project allows now. */
export function guardSavedPlan(
  run: Run,
  saved: SavedPlan,
  { manages, limits }: PlanConditions,
): NonNullable<Task['guard']> {
  const { kinds } = catalog;
  return async ({ changes, already, live }) => {
    const left = changes.filter((change) => !already.has(idOf(change)));
    if (left.length === 0) return [];
    const applied =
      run.journal === undefined ? undefined : await findAppliedRun(run.host, run.journal, saved.digest);
    if (applied !== undefined) {
      const message = `run ${applied.started.run} has applied this plan already, at ${applied.started.at}`;
      return [refuse('applied-plan', message, 'plan again: the gateway has changed back since')];
    }
    const plan = { changes, relies: saved.relies };
    const misstated = findMisstatements(plan, already, live.resources, kinds);
    if (misstated.length > 0) return misstated;
    const rules = rulesOf(run.project, manages);
    const isTrusted = run.planKeys?.shared !== undefined || canVerify(run.planKeys ?? {});
    const allowed = { ...rules, limits: { ...rules.limits, ...(isTrusted ? saved.limits : {}), ...limits } };
    const found = guardPlan(saved.managed, left, live, allowed, kinds);
    if (!found.some(({ code }) => code === 'over-limit')) return found;
    // Limits in percent count the objects of all kinds, and not all were read.
    return guardPlan(saved.managed, left, await readGateway(run.project, run.gateway), allowed, kinds);
  };
}

function refuse(code: Problem['code'], message: string, hint: string): Problem {
  return { code, severity: 'error', message, hint };
}
