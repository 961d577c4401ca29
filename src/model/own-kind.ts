import type { Json, JsonObject, Pointer } from './json/json.ts';
import type { Address, Resource } from './resource.ts';

/**
 * What a kind of our own turns into: whole resources, members of lists that other resources have, and objects that are
 * to go.
 */
export type Piece =
  | {
      readonly type: 'resource';
      readonly resource: Resource;
      /** Where a field of the piece stands in the document it came from. */
      readonly places: Readonly<Partial<Record<Pointer, Pointer>>>;
    }
  | {
      readonly type: 'member';
      readonly of: Address;
      readonly list: Pointer;
      readonly item: Json;
      /** Where the document asks for it. */
      readonly from: Pointer;
    }
  | {
      readonly type: 'removal';
      /** The address of what goes. */
      readonly of: Written;
      /** The address under which it lives on. */
      readonly to?: Written;
      readonly reason: Written;
      /** ISO 8601. */
      readonly expires?: string;
    };

/** A text as the document has it, not looked at yet, and where. */
export type Written = { readonly text: string; readonly path: Pointer };

/** The form of a kind that only gwconf knows: it is expanded in load, and nothing after load sees it. */
export type OwnKind = {
  readonly name: string;
  readonly summary: string;
  readonly apiVersion: 'gwconf/v1';
  readonly schema: { readonly metadata: JsonObject; readonly spec: JsonObject };
  readonly example: Resource;
  /** What makes two documents of the kind the same one. */
  readonly address: (metadata: Resource['metadata']) => Address;
  readonly expand: (resource: Resource) => readonly Piece[];
};

export function defineOwnKind<R extends Resource>(form: {
  readonly name: R['kind'];
  readonly summary: string;
  readonly schema: { readonly metadata: JsonObject; readonly spec: JsonObject };
  readonly example: R;
  address(metadata: R['metadata']): Address;
  expand(resource: R): readonly Piece[];
}): OwnKind {
  return {
    ...form,
    apiVersion: 'gwconf/v1',
    address: (metadata) => form.address(metadata), // as far as it is read, an address takes anything
    expand: (resource) => form.expand(resource as R), // the schema has held it to R
  };
}
