import { addDefaults } from '../defaults.ts';
import {
  canonicalText,
  parsePointer,
  placesOf,
  valueAt,
  type Json,
  type Pointer,
  isList,
  joinPointer,
  somePlace,
  valueOf,
} from '../json/json.ts';
import { type Kind, schemaAt } from '../kind.ts';
import type { Parsed, Resource } from '../resource.ts';
import { withDefaults } from './normal-form.ts';

/** A value that no other resource of the kind may have. */
export type UniqueValue = {
  /** Equal for equal values of the same field. */
  readonly key: string;
  /** The name of the field: `external name`. */
  readonly noun: string;
  readonly value: Json;
  readonly pointer: Pointer;
};

export function uniqueValuesOf(kind: Kind, resource: Resource | undefined): readonly UniqueValue[] {
  if (kind.unique.length === 0 || resource === undefined) return [];
  return writtenUniqueValues(kind, withDefaults(kind, resource));
}

/** The same as they are written, also in what is no valid resource. */
export function writtenUniqueValues(kind: Kind, value: Parsed): readonly UniqueValue[] {
  return kind.unique.flatMap((tokens) =>
    placesOf(value, tokens).map(({ value, pointer }) => ({
      key: `${kind.name}/${tokens.join('/')} ${canonicalText(value)}`,
      noun: nounOf(tokens),
      value,
      pointer,
    })),
  );
}

export function uniqueKeysOf(kind: Kind, resource: Resource | undefined): ReadonlySet<string> {
  return new Set(uniqueValuesOf(kind, resource).map(({ key }) => key));
}

/** The value that a resource must share with all of its kind that are equal at `within`, as text. */
export type SharedValue = { readonly within: string; readonly value: string; readonly noun: string };

/** Undefined for a kind whose resources share no value. */
export function sharedValueOf(kind: Kind, resource: Resource): SharedValue | undefined {
  const { agree } = kind;
  if (agree === undefined) return undefined;
  const filled = withDefaults(kind, resource);
  const textAt = (path: Pointer): string => canonicalText(valueAt(filled, path) ?? null);
  return {
    within: `${kind.name} ${textAt(agree.within)}`,
    value: textAt(agree.on),
    noun: nounOf(parsePointer(agree.on)),
  };
}

/** `/spec/externalNames/*` holds an external name. */
function nounOf(tokens: readonly string[]): string {
  const name = tokens.findLast((token) => token !== '*') ?? '';
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return tokens.at(-1) === '*' ? words.replace(/s$/, '') : words;
}

/** A repeated item of a set, and whether the gateway rejects it. */
export type RepeatedItem = { readonly path: Pointer; readonly isRefused: boolean };

/** The resource need not be valid. */
export function findRepeatedItems(kind: Kind, resource: Parsed): readonly RepeatedItem[] {
  const sets = kind.sets(resource);
  const isLong = (value: Json): boolean => isList(value) && value.length > 1;
  // Defaults can make items equal, but do not add items.
  if (!sets.some((set) => somePlace(resource, set, isLong))) return [];
  const filled = addDefaults(resource, kind.defaultTree) as Parsed; // defaults add to a map
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
