import { defineKind } from '../define-kind.ts';
import { closed } from '../closed.ts';
import type { Resource } from '../../model/resource.ts';
import { BACKED_BY_KAFKA, gatewayV2, inVirtualCluster, vClusterName } from './common.ts';

export type ConcentratedTopic = Resource<
  'ConcentratedTopic',
  { readonly name: string; readonly vCluster?: string },
  { readonly physicalName: string }
>;

// gateway-api A.6: only listed.
export const concentratedTopic = defineKind<ConcentratedTopic>({
  name: 'ConcentratedTopic',
  summary: 'A topic that a concentration rule stores in a physical topic. Read-only.',
  ...gatewayV2('concentrated-topic'),
  ...inVirtualCluster,
  topics: { by: 'name', at: '/metadata/name' },
  storedIn: ['/spec/physicalName'],
  schema: {
    metadata: closed(['name'], { name: { type: 'string' }, vCluster: vClusterName }),
    spec: closed(['physicalName'], { physicalName: { type: 'string' } }),
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'ConcentratedTopic',
    metadata: { name: 'events-clicks', vCluster: 'prod' },
    spec: { physicalName: 'prod-events' },
  },
  columns: [{ title: 'PHYSICAL NAME', at: '/spec/physicalName' }],
  absentIn: BACKED_BY_KAFKA,
  defaults: { '/metadata/vCluster': 'passthrough' },
});
