import type { Json, Pointer } from '../../model/json/json.ts';

/** One field that differs, by its pointer in the resource as it will be; a removed one, as it was. */
export type FieldChange =
  | { readonly op: 'add'; readonly path: Pointer; readonly after: Json }
  | { readonly op: 'remove'; readonly path: Pointer; readonly before: Json }
  | { readonly op: 'set'; readonly path: Pointer; readonly before: Json; readonly after: Json };
