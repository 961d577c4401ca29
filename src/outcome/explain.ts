import { listSome } from '../model/text/list.ts';
import type { Plain } from '../model/shape.ts';
import { fateOf } from '../plan/causes/given-up.ts';
import { nameOf, type ChangeRecord } from './change-record.ts';
import type { Lazy } from './lazy.ts';
import type { PlanReport } from './plan.ts';
import type { explained, explainReport } from './shapes/plan.ts';

/** Why a plan changes an object or leaves it alone, and what each of its changes waits for. */
export type ExplainReport = Plain<typeof explainReport>;

export type ExplainedChange = Plain<typeof explained>;

/** Undefined for an address that the plan does not know, or that needs no change. An extra step can be named like one. */
export function makeExplainReport(plan: Lazy<PlanReport>, address: string): ExplainReport | undefined {
  const changes = [...plan.changes];
  const found = changes.flatMap((change, index) =>
    change.address === address || nameOf(change) === address ? [explain(plan, changes, change, index)] : [],
  );
  const unchanged = found.length > 0 ? [] : explainUnchanged(plan, address);
  if (found.length + unchanged.length === 0) return undefined;
  const { result, gateway, environment, snapshot, problems } = plan;
  return {
    format: 'gwconf/explain-report@1',
    ...{ result, gateway, environment, snapshot, address },
    summary: { changes: changes.length, firstStage: changes.filter(({ stage }) => stage === 1).length },
    explained: found,
    unchanged,
    problems,
  };
}

function explainUnchanged(
  { unclaimed, ignored, unmanaged, base }: Lazy<PlanReport>,
  address: string,
): ExplainReport['unchanged'] {
  const given = base?.undeclared?.find((one) => one.address === address);
  if (given !== undefined) {
    const what = `${address} is no longer ${given.removed === true ? 'removed' : 'declared'} by this branch`;
    const where = `The base has it in ${given.was.file}:${given.was.line}.`;
    return [{ why: 'undeclared', message: `${what}: it ${fateOf(given)}. ${where}` }];
  }
  if (unclaimed.includes(address)) {
    const message = `${address} is orphaned: this project manages it, but it is in no file. This plan does not change it. --prune deletes it.`;
    return [{ why: 'unclaimed', message }];
  }
  const rules = ignored.filter((one) => one.address === address);
  if (rules.length > 0)
    return rules.map(({ path, reason }) => {
      const what = path === undefined ? address : `${path} of ${address}`;
      return { why: 'ignored', message: `${what} is ignored and stays as it is on the gateway: ${reason}` };
    });
  if (!unmanaged.includes(address)) return [];
  const message = `${address} is on the gateway, but in no file. This plan does not change it.`;
  return [{ why: 'unmanaged', message }];
}

function explain(
  plan: Lazy<PlanReport>,
  changes: readonly ChangeRecord[],
  change: ChangeRecord,
  index: number,
): ExplainedChange {
  const { action, at, reason, step, stage, dependsOn } = change;
  const name = nameOf(change);
  const actions = new Map(changes.map((one) => [nameOf(one), one.action]));
  const neighbour = (one: string): ExplainedChange['dependsOn'][number] => ({
    change: one,
    action: actions.get(one),
  });
  const dependents = changes.filter((other) => other.dependsOn.includes(name)).map(nameOf);
  return {
    ...{ action, change: name, why: reasonFor(plan, change), causes: causesOf(change) },
    ...{ order: step === undefined ? reason : undefined, at, position: index + 1, stage },
    dependsOn: dependsOn.map(neighbour),
    requiredBy: dependents.map(neighbour),
  };
}

function reasonFor({ prune = [], undoes }: Lazy<PlanReport>, change: ChangeRecord): string {
  const { action, step, reason, movedFrom, movedTo, removal, because = [] } = change;
  if (step !== undefined) return `extra step: ${reason ?? step}`;
  if (undoes !== undefined) return `undoes run ${undoes.run}`;
  const differs = `different on the gateway: ${listPaths(change)}`;
  switch (action) {
    case 'create':
      return `declared, but not on the gateway${movedFrom === undefined ? '' : `; moved from ${movedFrom}`}`;
    case 'update':
      return differs;
    case 'replace':
      return `${differs}; deleted and recreated, because ${because.join(' and ')} cannot be changed in place`;
    case 'delete':
      if (removal === undefined) return `orphaned: in no file, and pruned by ${prune.join(', ')}`;
      return `${movedTo === undefined ? 'removed by name' : `moved to ${movedTo}`}: ${removal}`;
    default:
      return action satisfies never;
  }
}

function listPaths({ fields }: ChangeRecord): string {
  return listSome([...new Set(fields.map(({ path }) => path))]);
}

/** Of several causes, each with its fields. */
function causesOf({ cause, fields }: ChangeRecord): ExplainedChange['causes'] {
  if (cause !== 'mixed') return cause && [{ cause }];
  return fields.flatMap(({ path, cause: own }) => (own === undefined ? [] : [{ cause: own, path }]));
}
