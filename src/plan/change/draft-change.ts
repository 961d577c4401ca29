import type { Resource } from '../../model/resource.ts';
import type { Change } from './plan.ts';

/** A change before it has its place: `dependsOn` and `stage` are worked out by `order`. */
export type DraftChange = Change extends infer C
  ? C extends Change
    ? Omit<C, 'dependsOn' | 'stage'>
    : never
  : never;

export function beforeOf(change: DraftChange): Resource | undefined {
  return change.action === 'create' ? undefined : change.before;
}

export function afterOf(change: DraftChange): Resource | undefined {
  return change.action === 'delete' ? undefined : change.after;
}
