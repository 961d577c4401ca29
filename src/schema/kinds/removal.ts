import { defineOwnKind, type Piece } from '../../model/own-kind.ts';
import { closed, date, naming, text, why } from '../closed.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { Resource } from '../../model/resource.ts';

export type Removal = Resource<
  'Removal',
  { readonly name: string },
  {
    readonly remove?: readonly string[];
    readonly moved?: readonly { readonly from: string; readonly to: string }[];
    readonly reason: string;
    readonly expires?: string;
  }
>;

const address: JsonObject = {
  ...naming('address'),
  description: 'An address as in plans, for example AliasTopic/orders@vCluster=prod; not a glob.',
};

/** Expands to no resource: it lists objects to delete or rename. */
export const removal = defineOwnKind<Removal>({
  name: 'Removal',
  summary: 'Objects to delete or rename, with a reason.',
  schema: {
    metadata: closed(['name'], { name: { ...text, description: 'Not used by gwconf.' } }),
    spec: closed(['reason'], {
      remove: { type: 'array', items: address, description: 'Objects to delete; --prune is not needed.' },
      moved: {
        type: 'array',
        description: 'Renames. Declare the new object; the old one is deleted after the new one exists.',
        items: closed(['from', 'to'], { from: address, to: address }),
      },
      reason: { ...why, description: 'Shown in plans and results.' },
      expires: {
        ...date,
        description: 'Last day on which the entry is needed, for example 2027-01-31.',
      },
    }),
  },
  example: {
    apiVersion: 'gwconf/v1',
    kind: 'Removal',
    metadata: { name: 'retire-old-masking' },
    spec: {
      remove: ['Interceptor/mask-v1@vCluster=prod'],
      reason: 'replaced by mask-v2',
      expires: '2027-01-31',
    },
  },
  shown: ['/spec'],
  expand: ({ spec: { remove = [], moved = [], reason, expires } }) => {
    const about = { type: 'removal' as const, reason, ...(expires === undefined ? {} : { expires }) };
    return [
      ...remove.map((text, at): Piece => ({ ...about, of: { text, path: `/spec/remove/${at}` } })),
      ...moved.map(({ from, to }, at): Piece => ({
        ...about,
        of: { text: from, path: `/spec/moved/${at}/from` },
        to: { text: to, path: `/spec/moved/${at}/to` },
      })),
    ];
  },
});

/** A document that removes or renames these objects. */
export function makeRemoval(
  name: string,
  spec: Pick<Removal['spec'], 'remove' | 'moved' | 'reason'>,
): JsonObject {
  const { apiVersion, kind } = removal.example;
  return { apiVersion, kind, metadata: { name }, spec };
}
