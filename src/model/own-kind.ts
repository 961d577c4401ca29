import { parsePointer, type Json, type JsonObject, type Pointer } from './json/json.ts';
import { compileKey } from './compile-kind.ts';
import type { Kind, KindForm, KindSet } from './kind.ts';
import { asValid, type Address, type Resource, type Unchecked } from './resource.ts';

/** A kind of gwconf expands to resources, members of lists of other resources, and removals. */
export type Piece =
  | {
      readonly type: 'resource';
      readonly resource: Unchecked;
      /** The places of its fields in the document. */
      readonly places: Readonly<Partial<Record<Pointer, Pointer>>>;
    }
  | {
      readonly type: 'member';
      readonly of: Address;
      readonly list: Pointer;
      readonly item: Json;
      /** Its place in the document. */
      readonly from: Pointer;
    }
  | {
      readonly type: 'removal';
      /** The address to remove. */
      readonly of: Written;
      /** The new address. */
      readonly to?: Written;
      readonly reason: string;
      /** ISO 8601. */
      readonly expires?: string;
    };

/** An unchecked text of the document, and its place. */
export type Written = { readonly text: string; readonly path: Pointer };

/** The form of a kind that exists only in gwconf; load expands it. */
export type OwnKindForm<R extends Resource> = Pick<
  KindForm<R>,
  'name' | 'summary' | 'schema' | 'example' | 'scope' | 'defaults' | 'shown'
> & {
  expand(resource: R): readonly Piece[];
  /** The document that expands to exactly this resource of the gateway, which is as in a file. */
  readonly contract?: (resource: JsonObject) => Unchecked<R> | undefined;
};
export type OwnKind = Pick<
  Kind,
  'name' | 'summary' | 'apiVersion' | 'schema' | 'example' | 'axes' | 'defaultTree' | 'shown'
> &
  Pick<OwnKindForm<Resource>, 'expand' | 'contract'>;

export function defineOwnKind<R extends Resource>(form: OwnKindForm<R>): OwnKind {
  const { name, summary, schema, example, contract } = form;
  return {
    ...{ name, summary, schema, ...compileKey(form) },
    apiVersion: 'gwconf/v1',
    shown: (form.shown ?? []).map(parsePointer),
    example: asValid(example),
    expand: (resource) => form.expand(resource as R), // valid against the schema of R
    ...(contract === undefined ? {} : { contract }),
  };
}

/** All kinds of files. */
export type Catalog = { readonly kinds: KindSet; readonly ownKinds: ReadonlyMap<string, OwnKind> };
