import type { Catalog } from '../../model/own-kind.ts';
import { fieldAt, itemsUnder, placeOf, type Place } from './explain-place.ts';
import { fieldOf, fieldsOf } from '../fields.ts';
import { allNamed, type Named } from './names.ts';

/** A place in a kind, a plugin class or the project file. */
export type Found = { readonly named: Named; readonly place: Place };

/** The fields with a name, in any case; those that are alike in several classes are together. */
export function findFields(name: string, catalog: Catalog): readonly (readonly Found[])[] {
  const wanted = name.toLowerCase();
  const groups = new Map<string, Found[]>();
  for (const found of allFields(catalog)) {
    if (found.place.tokens.at(-1)?.toLowerCase() !== wanted) continue;
    const shape = JSON.stringify(found.place.schema);
    groups.set(shape, [...(groups.get(shape) ?? []), found]);
  }
  return [...groups.values()];
}

/** The names of all fields. */
export function fieldNames(catalog: Catalog): readonly string[] {
  return [...new Set([...allFields(catalog)].map(({ place }) => place.tokens.at(-1) ?? ''))];
}

function* allFields(catalog: Catalog): Generator<Found> {
  for (const named of allNamed(catalog)) for (const place of fieldsIn(placeOf(named))) yield { named, place };
}

function* fieldsIn(from: Place): Generator<Place> {
  const within = itemsUnder(from);
  for (const [key, schema] of fieldsOf(within.schema)) {
    const place = fieldAt(within, key, schema);
    yield place;
    yield* fieldsIn(place);
  }
  const free = fieldOf(within.schema, '*');
  if (free !== undefined) yield* fieldsIn(fieldAt(within, '*', free));
}
