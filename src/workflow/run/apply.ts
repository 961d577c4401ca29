import { bindPlan } from '../../apply/verify/check-plan.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { hasErrors, isBlocked } from '../../model/problem.ts';
import { idOf } from '../../plan/change/change.ts';
import { reasonsOf } from '../../plan/checks/exposures.ts';
import { makeUndo } from '../../plan/undo/undo.ts';
import type { Host } from '../host.ts';
import { gatewaySource } from '../live/live-source.ts';
import { checkTarget } from '../live/target.ts';
import { planProject, type PlanOptions } from '../plan/plan.ts';
import { defaultValidity, savePlan } from '../plan/saved-plan.ts';
import type { Workspace } from '../project/workspace.ts';
import { assessNow, findUnseen } from './find-exposures.ts';
import { checkAndMakeChanges, type CheckedChanges, makeChanges } from './make-changes.ts';
import { askApproval, endEarly, type Run, type RunOptions, type Ended, type RunResult } from './start-run.ts';
import { withRun } from './with-run.ts';

/** Plans and makes the changes. Throws a RequestError when there is nothing to read. */
export function applyProject(
  host: Host,
  workspace: Workspace,
  gateway: Gateway,
  options: PlanOptions & RunOptions = {},
): Promise<RunResult> {
  return withRun(host, workspace, gateway, options, (run) => planAndApply(run, options));
}

async function planAndApply(run: Run, options: PlanOptions): Promise<Ended> {
  const { host, workspace, gateway } = run;
  const elsewhere = checkTarget(undefined, gateway.url, workspace);
  if (elsewhere !== undefined) return endEarly('stale', [elsewhere]);
  const source = gatewaySource(workspace, gateway, host.clock);
  const planned = await planProject(host, workspace, source, { ...options, warnings: [] }); // the run tells them
  const { plan, shown, problems } = planned;
  const failed = isBlocked(problems) ? 'blocked' : 'error';
  if (plan === undefined || shown === undefined || (hasErrors(problems) && failed === 'error'))
    return endEarly(failed, problems);
  run.emit({ type: 'planned', shown });
  if (hasErrors(problems)) return endEarly(failed, problems, shown);
  if (plan.changes.length === 0) return endEarly('no-changes', problems, shown);
  run.emit({ type: 'warned', problems });
  const keys = run.planKeys;
  const task = {
    ...bindPlan(plan, workspace.catalog.kinds),
    shown,
    problems,
    ...(planned.live === undefined ? {} : { before: planned.live.resources }),
    guard: ({ changes, already, held, live }: CheckedChanges) => {
      const left = changes.filter((change) => !already.has(idOf(change)) && !held.has(idOf(change)));
      const { acceptExposure } = options;
      const judging = { accepted: acceptExposure, topics: planned.topics };
      const moved = findUnseen(run, plan, { changes, already, live }, judging);
      const removed = reasonsOf(left);
      return Promise.resolve(
        moved.length > 0 ? moved : assessNow(run, live.resources, left, { ...judging, removed }).problems,
      );
    },
    saved: () =>
      savePlan(host, workspace, { ...planned, files: [] }, plan, { keys, validForMs: defaultValidity(keys) }),
  };
  if (run.approve === undefined) return makeChanges(run, task);
  if (run.journal !== undefined)
    run.emit({ type: 'losses', losses: makeUndo(plan.changes, workspace.catalog.kinds).losses });
  const refused = await askApproval(run, { shown, part: 'all' });
  if (refused !== undefined) return endEarly(refused, problems, shown);
  // The gateway may have changed while the question stood.
  return checkAndMakeChanges(run, { ...task, areLossesReported: true });
}
