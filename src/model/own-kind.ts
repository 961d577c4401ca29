import type { Json, Pointer } from './json/json.ts';
import { compileKey, type Kind, type KindForm, type KindSet } from './kind.ts';
import { asValid, type Address, type Resource, type Unchecked } from './resource.ts';

/**
 * What a kind of our own turns into: whole resources, members of lists that other resources have, and objects that are
 * to go.
 */
export type Piece =
  | {
      readonly type: 'resource';
      readonly resource: Unchecked;
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
export type OwnKindForm<R extends Resource> = Pick<
  KindForm<R>,
  'name' | 'summary' | 'schema' | 'example' | 'scope' | 'defaults'
> & { expand(resource: R): readonly Piece[] };
export type OwnKind = Pick<
  Kind,
  'name' | 'summary' | 'apiVersion' | 'schema' | 'example' | 'axes' | 'filling'
> &
  Pick<OwnKindForm<Resource>, 'expand'>;

export function defineOwnKind<R extends Resource>(form: OwnKindForm<R>): OwnKind {
  const { name, summary, schema, example } = form;
  return {
    ...{ name, summary, schema, ...compileKey(form) },
    apiVersion: 'gwconf/v1',
    example: asValid(example),
    expand: (resource) => form.expand(resource as R), // the schema has held it to R
  };
}

/** Everything that can stand in a file. */
export type Catalog = {
  readonly kinds: KindSet;
  readonly ownKinds: ReadonlyMap<string, OwnKind>;
};
