import type { Json, Pointer } from '../../model/json/json.ts';
import type { DocumentRef, Place, Position, Problem } from '../../model/problem.ts';
import type { Template } from '../../model/state.ts';

/** One document of a file, as values; `templates` names the fields that `${…}` filled in. */
export type ParsedDocument = {
  readonly ref: DocumentRef;
  readonly at: Position;
  readonly value: Json;
  readonly templates: ReadonlyMap<Pointer, Template>;
  /** Fields that an overlay gave, where they stand. */
  readonly places?: ReadonlyMap<Pointer, Place>;
  readonly problems: readonly Problem[];
};
