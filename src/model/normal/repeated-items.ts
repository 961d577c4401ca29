import {
  canonicalText,
  isList,
  joinPointer,
  placesOf,
  somePlace,
  valueOf,
  type Json,
  type Pointer,
} from '../json/json.ts';
import { schemaAt, type Kind } from '../kind.ts';
import { fill } from '../defaults.ts';
import type { Parsed } from '../resource.ts';

/** A repeated item of a set, and whether the gateway rejects it. */
export type RepeatedItem = { readonly path: Pointer; readonly isRefused: boolean };

/** The resource need not be valid. */
export function findRepeatedItems(kind: Kind, resource: Parsed): readonly RepeatedItem[] {
  const sets = kind.sets(resource);
  const isLong = (value: Json): boolean => isList(value) && value.length > 1;
  // Defaults can make items equal, but do not add items.
  if (!sets.some((set) => somePlace(resource, set, isLong))) return [];
  const filled = fill(resource, kind.filling) as Parsed; // defaults add to a map
  return sets.flatMap((set) => {
    const isRefused = valueOf(schemaAt(kind.schema, set), 'uniqueItems') === true;
    return placesOf(filled, set).flatMap(({ pointer, value }) => {
      const seen = new Set<string>();
      return (isList(value) ? value : []).flatMap((item, at) => {
        const text = canonicalText(item);
        const again = seen.has(text);
        seen.add(text);
        return again ? [{ path: joinPointer(pointer, at), isRefused }] : [];
      });
    });
  });
}
