import type { Json, Pointer } from './json/json.ts';
import type { Address } from './resource.ts';

/**
 * A field in which two values of an object differ, such as the live and the declared one. The path is that in `after`; of a field that
 * only `before` has, it is that in `before`.
 */
export type FieldDifference =
  | { readonly op: 'add'; readonly path: Pointer; readonly after: Json }
  | { readonly op: 'remove'; readonly path: Pointer; readonly before: Json }
  | { readonly op: 'set'; readonly path: Pointer; readonly before: Json; readonly after: Json };

/** What could not be compared, and why: a kind that a side does not have, with `objects` of the other, or a field whose value is not known. */
export type Uncompared<OfKind = unknown, OfField = unknown> =
  | ({
      readonly reason: 'unavailable';
      readonly kind: string;
      readonly words: string;
      readonly objects: number;
    } & OfKind)
  | ({ readonly reason: 'cannot-tell'; readonly address: Address; readonly path: Pointer } & OfField);

/** Whether there are objects that were not compared. */
export function hasUnread(one: Uncompared): boolean {
  return one.reason === 'unavailable' && one.objects > 0;
}
