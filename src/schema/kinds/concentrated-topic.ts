import { addressOf } from '../../model/kind.ts';
import { defineKind } from '../define-kind.ts';
import type { Resource } from '../../model/resource.ts';
import { gatewayV2, vClusterName } from './common.ts';

export type ConcentratedTopic = Resource<
  'ConcentratedTopic',
  { readonly name: string; readonly vCluster?: string },
  { readonly physicalName: string }
>;

// gateway-api A.6: only listed.
export const concentratedTopic = defineKind<ConcentratedTopic>({
  name: 'ConcentratedTopic',
  summary: 'A topic that a concentration rule keeps in a physical one. Read-only.',
  ...gatewayV2('concentrated-topic'),
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string' }, vCluster: vClusterName },
    },
    spec: {
      type: 'object',
      required: ['physicalName'],
      additionalProperties: false,
      properties: { physicalName: { type: 'string' } },
    },
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'ConcentratedTopic',
    metadata: { name: 'events-clicks', vCluster: 'prod' },
    spec: { physicalName: 'prod-events' },
  },
  defaults: { '/metadata/vCluster': 'passthrough' },
  scope: { vCluster: '/metadata/vCluster' },
  references: ({ metadata }) => [
    { to: addressOf('VirtualCluster', metadata.vCluster ?? ''), path: '/metadata/vCluster' },
  ],
});
