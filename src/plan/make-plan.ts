import { sameJson, valueAt } from '../model/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import { comparable, normalForm, requestBody } from '../model/normal-form.ts';
import type { Checked } from '../model/problem.ts';
import { kindOf, type Address, type Resource } from '../model/resource.ts';
import type { Declared, DesiredState, LiveState } from '../model/state.ts';
import { conflicts, cycleProblem } from './conflicts.ts';
import { diffFields } from './diff.ts';
import { order } from './order.ts';
import type { Plan, Selection } from './plan.ts';
import { reliedOn } from './relies.ts';
import { isBuiltIn, matcher, selector } from './select.ts';
import type { Unordered } from './unordered.ts';

export type PlanOptions = {
  /** The URL of the gateway that `live` was read from. */
  readonly gateway: string;
  readonly selection?: Selection;
  /** Delete what these globs match and no file mentions; absent, nothing is deleted. */
  readonly prune?: readonly string[];
};

/**
 * Compares what files ask for with what the gateway has. The plan's changes stand in the order in which they will be
 * made; what cannot be done, or would be refused, is a problem, and with an error among them the plan is not to be
 * applied.
 */
export function makePlan(
  desired: DesiredState,
  live: LiveState,
  kinds: KindSet,
  { gateway, selection = { target: [], exclude: [] }, prune }: PlanOptions,
): Checked<Plan> {
  const isSelected = selector(selection, kinds);
  const isOwned = prune === undefined ? () => false : matcher(prune, kinds);
  const unordered: Unordered[] = [];
  const lists = { unchanged: [] as Address[], unmanaged: [] as Address[], unselected: [] as Address[] };

  for (const declared of desired.values()) {
    const kind = kinds.get(kindOf(declared.address));
    if (kind === undefined || live.unavailable.has(kind.name)) continue;
    if (!isSelected(declared.address)) {
      lists.unselected.push(declared.address);
      continue;
    }
    const change = compare(declared, live.resources.get(declared.address), kind);
    if (change === undefined) lists.unchanged.push(declared.address);
    else unordered.push(change);
  }
  for (const [address, before] of live.resources) {
    if (desired.has(address) || isBuiltIn(address, kinds)) continue;
    if (!isSelected(address)) lists.unselected.push(address);
    else if (isOwned(address)) unordered.push({ action: 'delete', address, before });
    else lists.unmanaged.push(address);
  }

  const { changes, cycles } = order(unordered, kinds);
  const plan: Plan = {
    gateway,
    selection,
    ...(prune === undefined ? {} : { prune }),
    changes,
    relies: reliedOn(unordered, { desired, live, kinds }),
    unchanged: lists.unchanged.sort(),
    unmanaged: lists.unmanaged.sort(),
    unselected: lists.unselected.sort(),
  };
  const byAddress = new Map(unordered.map((change) => [change.address, change]));
  const problems = conflicts({ desired, live, kinds, changes: byAddress }, isSelected);
  return { value: plan, problems: [...problems, ...cycles.map((cycle) => cycleProblem(cycle, desired))] };
}

function compare(declared: Declared, before: Resource | undefined, kind: Kind): Unordered | undefined {
  const { address, resource, at } = declared;
  const templates =
    declared.templates === undefined ? {} : { templates: Object.fromEntries(declared.templates) };
  const after = requestBody(kind, resource, before);
  const about = { address, at, after, ...templates };
  if (before === undefined) return { action: 'create', ...about };
  const was = normalForm(kind, before);
  const is = normalForm(kind, resource);
  if (sameJson(was, is)) return undefined;
  const fields = diffFields(comparable(kind, before), comparable(kind, resource), kind.sets(resource));
  if (fields.length === 0) throw new Error(`${address} differs, but in no field`);
  // What is not there, before or after, is not changed into something else.
  const because = kind.immutable.filter((path) => {
    const [value, wanted] = [valueAt(was, path), valueAt(is, path)];
    return value !== undefined && wanted !== undefined && !sameJson(value, wanted);
  });
  return because.length === 0
    ? { action: 'update', ...about, before, fields }
    : { action: 'replace', ...about, after: requestBody(kind, resource), before, fields, because };
}
