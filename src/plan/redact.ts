import { changeAt, parsePointer, type Json, type Pointer } from '../model/json.ts';
import type { KindSet } from '../model/kind.ts';
import { kindOf, type Resource } from '../model/resource.ts';
import { secretPlaces } from '../model/secrets.ts';
import { countChanges, templatesOf, type Change, type Counts, type FieldChange, type Plan } from './plan.ts';

/** What stands where a secret stood. */
export const HIDDEN = '(hidden)';

/** What renderers need to know of a plan, made in this process or read from a file. */
export type PlanView = Pick<Plan, 'gateway' | 'selection' | 'prune' | 'changes' | 'unmanaged'> & {
  readonly counts: Counts;
  /** How many declared or live objects the selection left out. */
  readonly unselected: number;
};

/** A plan that is safe to show. Renderers accept no other. */
export type ShownPlan = PlanView & { readonly __brand: 'ShownPlan' };

/** Takes every secret out of a plan, old and new ones; renderers know no other way to a plan. */
export function redact(plan: Plan | PlanView, kinds: KindSet): ShownPlan {
  const view: PlanView = {
    gateway: plan.gateway,
    selection: plan.selection,
    ...(plan.prune === undefined ? {} : { prune: plan.prune }),
    changes: plan.changes.map((change) => hideSecrets(change, kinds)),
    counts: 'counts' in plan ? plan.counts : countChanges(plan),
    unmanaged: plan.unmanaged,
    unselected: 'counts' in plan ? plan.unselected : plan.unselected.length,
  };
  return view as ShownPlan; // the one place that makes them
}

/** The change with every secret in its resources and fields hidden; a hidden field that differs still shows as one. */
export function hideSecrets<C extends Change>(change: C, kinds: KindSet): C {
  const kind = kinds.get(kindOf(change.address));
  if (kind === undefined) return change;
  const templates = templatesOf(change.templates);
  const inAfter =
    change.action === 'delete' ? new Set<Pointer>() : secretPlaces(kind, change.after, templates);
  const inBefore = change.action === 'create' ? new Set<Pointer>() : secretPlaces(kind, change.before);
  // A place that is secret on one side is secret on the other: what the environment gives now was given before, too.
  const secret = new Set([...inAfter, ...inBefore]);
  return {
    ...change,
    ...('after' in change ? { after: hide(change.after, secret) } : {}),
    ...('before' in change ? { before: hide(change.before, secret) } : {}),
    ...('fields' in change ? { fields: change.fields.map((field) => hideField(field, secret)) } : {}),
  };
}

function hide(resource: Resource, secret: ReadonlySet<Pointer>): Resource {
  return hideUnder(resource, '', secret) as Resource; // only leaves have changed
}

function hideField(field: FieldChange, secret: ReadonlySet<Pointer>): FieldChange {
  const cover = (value: Json): Json =>
    coveredBy(field.path, secret) ? HIDDEN : hideUnder(value, field.path, secret);
  return {
    ...field,
    ...('before' in field ? { before: cover(field.before) } : {}),
    ...('after' in field ? { after: cover(field.after) } : {}),
  }; // the same sort of field, with other values
}

/** Whether the place is secret, or lies in something that is. */
function coveredBy(path: Pointer, secret: ReadonlySet<Pointer>): boolean {
  return [...secret].some((place) => path === place || path.startsWith(`${place}/`));
}

function hideUnder(value: Json, base: Pointer, secret: ReadonlySet<Pointer>): Json {
  let covered = value;
  for (const place of secret) {
    if (!place.startsWith(`${base}/`)) continue;
    const inside = place.slice(base.length) as Pointer; // begins with the slash that was just seen
    covered = changeAt(covered, parsePointer(inside), (found) => (found === undefined ? undefined : HIDDEN));
  }
  return covered;
}
