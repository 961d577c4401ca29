import type { Json, Pointer } from '../../model/json/json.ts';
import type { Place } from '../../model/problem.ts';
import { placeOf } from '../../model/state.ts';
import type { ParsedDocument } from '../yaml/parse.ts';

/** Whether nobody knows yet what stands there, so that it may turn out to be anything. */
export function hasOpen({ templates }: ParsedDocument, path: Pointer): boolean {
  return templates.get(path)?.open !== undefined;
}

/** What the gateway fills in by itself has a type that cannot be known here (gateway-api D.4). */
export function isForTheGateway(value: Json | undefined): boolean {
  return typeof value === 'string' && /\$\{[^}]*\}|\{\{/.test(value);
}

/** The place of a field of a document, also of one that an overlay gave. */
export function placeIn({ ref, places }: ParsedDocument, path: Pointer, on: 'key' | 'value'): Place {
  return placeOf(places === undefined ? { document: ref } : { document: ref, places }, path, on);
}
