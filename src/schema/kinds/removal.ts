import { defineOwnKind, type Piece } from '../../model/own-kind.ts';
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
  type: 'string',
  minLength: 1,
  description: 'As plans print it: AliasTopic/orders@vCluster=prod. No globs.',
};

/** Expands to no resource: it names objects that are to go, or that live on under another address. */
export const removal = defineOwnKind<Removal>({
  name: 'Removal',
  summary: 'Objects that are to be deleted or are renamed, named one by one, and why.',
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string', minLength: 1, description: 'For people only.' } },
    },
    spec: {
      type: 'object',
      required: ['reason'],
      additionalProperties: false,
      properties: {
        remove: { type: 'array', items: address, description: 'What is deleted; no --prune is needed.' },
        moved: {
          type: 'array',
          description: 'Renames: the new one is declared, and the old one goes when it is in place.',
          items: {
            type: 'object',
            required: ['from', 'to'],
            additionalProperties: false,
            properties: { from: address, to: address },
          },
        },
        reason: { type: 'string', minLength: 1, description: 'Plans and ledgers show it.' },
        expires: {
          type: 'string',
          pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
          description: 'The last day on which the entry is needed, as 2027-01-31.',
        },
      },
    },
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
  expand: ({ spec: { remove = [], moved = [], reason, expires } }) => {
    const why = { text: reason, path: '/spec/reason' as const };
    const about = { type: 'removal' as const, reason: why, ...(expires === undefined ? {} : { expires }) };
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
