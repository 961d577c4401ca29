import type { Pointer } from './json/json.ts';
import { joinPointer, parsePointer, printPointer } from './json/json.ts';
import type { DocumentRef, Place, Position } from './problem.ts';
import type { Address, Parsed, Resource } from './resource.ts';

/** Where a value came from that was not written in the file as it is. */
export type Template = {
  /** The scalar as written: `Bearer ${TOKEN}`. */
  readonly text: string;
  /** Unquoted and one placeholder: the value takes the type that YAML gives it. */
  readonly plain: boolean;
  /** The environment variables that gave part of the value and may not be shown. */
  readonly variables: readonly string[];
  /** What has no value here, so that nobody knows what the field would be: it is still as it was written. */
  readonly open?: readonly string[];
};

/** What a document declares, and where; it need not hold the schema of its kind. */
export type Declaration = {
  readonly address: Address;
  readonly resource: Parsed;
  readonly document: DocumentRef;
  readonly at: Position;
  /** It says of itself that it is neither replaced nor changed in what its kind guards. */
  readonly protect?: true;
  /** Fields that stand somewhere else than in `document` at their own pointer. */
  readonly places?: ReadonlyMap<Pointer, Place>;
  /** Fields that `${…}` filled in. */
  readonly templates?: ReadonlyMap<Pointer, Template>;
};
/** A resource that files ask for. */
export type Declared = Declaration & { readonly resource: Resource };
export type DesiredState = ReadonlyMap<Address, Declared>;

/** What the gateway has. */
export type LiveState = {
  readonly resources: ReadonlyMap<Address, Resource>;
  /** Kinds that this gateway does not serve, with its own words (a PLAINTEXT gateway has no virtual clusters). */
  readonly unavailable: ReadonlyMap<string, string>;
};

/** Where a field of a declared resource stands; the nearest field above it when it is not written itself. */
export function placeOf(
  declared: Pick<Declaration, 'document' | 'places'>,
  path: Pointer,
  on: 'key' | 'value' = 'value',
): Place {
  const tokens = parsePointer(path);
  for (let length = tokens.length; declared.places !== undefined && length >= 0; length -= 1) {
    const found = declared.places.get(printPointer(tokens.slice(0, length)));
    if (found !== undefined && 'document' in found) {
      return { ...found, path: tokens.slice(length).reduce<Pointer>(joinPointer, found.path), on };
    }
  }
  return { document: declared.document, path, on };
}
