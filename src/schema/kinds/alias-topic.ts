import { addressOf, defineKind } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { vClusterName } from './common.ts';

export type AliasTopic = Resource<
  'AliasTopic',
  { readonly name: string; readonly vCluster?: string },
  { readonly physicalName: string; readonly physicalCluster?: string }
>;

// gateway-api A.6 AliasTopic; physicalCluster since gateway 3.5.0.
export const aliasTopic = defineKind<AliasTopic>({
  name: 'AliasTopic',
  summary: 'A second name for a topic, inside one virtual cluster.',
  collection: '/gateway/v2/alias-topic',
  removal: 'body',
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', pattern: '^[a-zA-Z0-9._-]+$', description: 'The name that clients see.' },
        vCluster: vClusterName,
      },
    },
    spec: {
      type: 'object',
      required: ['physicalName'],
      additionalProperties: false,
      properties: {
        physicalName: {
          type: 'string',
          pattern: '^[a-zA-Z0-9._-]+$',
          description: 'A real topic, not another alias.',
        },
        physicalCluster: {
          type: 'string',
          minLength: 1,
          description: 'Only main in a Standard virtual cluster. It cannot be changed. Default: main.',
        },
      },
    },
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name: 'orders', vCluster: 'prod' },
    spec: { physicalName: 'orders-v3' },
  },
  defaults: { '/metadata/vCluster': 'passthrough', '/spec/physicalCluster': 'main' },
  immutable: ['/spec/physicalCluster'],
  scope: ({ vCluster }) => ({ vCluster: vCluster ?? null }),
  references: ({ metadata }) => [
    { to: addressOf('VirtualCluster', metadata.vCluster ?? ''), path: '/metadata/vCluster' },
  ],
});
