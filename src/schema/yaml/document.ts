import type { Json, Pointer } from '../../model/json/json.ts';
import type { DocumentRef, Place, Position, Problem } from '../../model/problem.ts';
import { placeOf, type Overlay, type Template } from '../../model/state.ts';

/** One document of a file, as values. */
export type ParsedDocument = {
  readonly ref: DocumentRef;
  readonly at: Position;
  readonly value: Json;
  /** Fields that `${…}` filled in. */
  readonly templates: ReadonlyMap<Pointer, Template>;
  /** The places of fields from an overlay. */
  readonly places?: ReadonlyMap<Pointer, Place>;
  /** The documents that were merged into it, in turn. */
  readonly overlays?: readonly Overlay[];
  readonly problems: readonly Problem[];
};

/** The place of a field of a document, also of one from an overlay. */
export function placeIn(
  { ref, places }: ParsedDocument,
  path: Pointer,
  on: 'key' | 'value' = 'value',
): Place {
  return placeOf(places === undefined ? { document: ref } : { document: ref, places }, path, on);
}
