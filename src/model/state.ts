import { anyItem, joinPointer, parsePointer, printPointer, type Pattern, type Pointer } from './json/json.ts';
import type { DocumentRef, Place, Position } from './problem.ts';
import type { Address, Examined, Resource } from './resource.ts';

/** The source of a value with placeholders. */
export type Template = {
  /** The scalar in the file: `Bearer ${TOKEN}`. */
  readonly text: string;
  /** Whether it is one unquoted placeholder, whose value is typed as in YAML. */
  readonly plain: boolean;
  /** Environment variables and sources in the value that must not be shown. */
  readonly variables: readonly string[];
  /** Variables without a value: the field is unknown and unchanged. */
  readonly open?: readonly string[];
};

/** A resource in a document, and its place; it may be invalid. */
export type Declaration = Examined & About;
/** A valid resource in files. */
export type Declared = About & { readonly resource: Resource; readonly faults?: undefined };
type About = {
  readonly address: Address;
  readonly document: DocumentRef;
  readonly at: Position;
  /** It has `protect: true`. */
  readonly protect?: true;
  /** The places of fields that are not at their pointer in `document`. */
  readonly places?: ReadonlyMap<Pointer, Place>;
  /** Fields that `${…}` filled in. */
  readonly templates?: ReadonlyMap<Pointer, Template>;
  /** Where what is live is to be shown: the same, also of fields that are no secret as the files have them, but may be one on the gateway. */
  readonly liveTemplates?: ReadonlyMap<Pointer, Template> | undefined;
  /** The documents of later layers that change it, in turn. */
  readonly overlays?: readonly Overlay[];
};
/** A document that changes one of an earlier layer. */
export type Overlay = { readonly document: DocumentRef; readonly at: Position };
export type DesiredState = ReadonlyMap<Address, Declared>;

export function isValid(declaration: Declaration): declaration is Declared {
  return declaration.faults === undefined;
}

/** The state of the gateway. */
export type LiveState = {
  readonly resources: ReadonlyMap<Address, Resource>;
  /** Kinds that the gateway does not serve, with its message (a PLAINTEXT gateway has no virtual clusters). */
  readonly unavailable: ReadonlyMap<string, string>;
};

/** Templates by the shape of their places: a field may have had its former values at any index of a list. */
export function shapesOf(templates: ReadonlyMap<Pointer, Template>): ReadonlyMap<Pattern, Template> {
  return new Map([...templates].map(([pointer, template]) => [anyItem(pointer), template]));
}

/** The place of a field of a declared resource, or of its nearest parent in the file. */
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
