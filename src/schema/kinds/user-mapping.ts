import { addressOf } from '../../model/kind.ts';
import { defineOwnKind } from '../../model/own-kind.ts';
import { closed, text } from '../closed.ts';
import { valueAt, type Pointer } from '../../model/json/json.ts';
import type { Resource } from '../../model/resource.ts';
import { accountName, groupName, vClusterName } from './common.ts';

export type UserMapping = Resource<
  'UserMapping',
  { readonly name: string; readonly vCluster?: string },
  { readonly principal: string; readonly groups?: readonly string[] }
>;

/** Expands to an EXTERNAL service account and its memberships of declared groups. */
export const userMapping = defineOwnKind<UserMapping>({
  name: 'UserMapping',
  summary: 'A readable name for an external identity, and its groups.',
  schema: {
    metadata: closed(['name'], {
      name: {
        ...accountName,
        description: 'The name of the service account.',
      },
      vCluster: vClusterName,
    }),
    spec: closed(['principal'], {
      principal: { ...text, description: 'The external identity, such as the sub of a JWT.' },
      groups: {
        type: 'array',
        items: groupName,
        description: 'Groups that the account becomes a member of. They must be declared in files.',
      },
    }),
  },
  example: {
    apiVersion: 'gwconf/v1',
    kind: 'UserMapping',
    metadata: { name: 'payments-api', vCluster: 'prod' },
    spec: { principal: '8d5e86b4-6a41-4e94-b6a8-1e5b7723e858', groups: ['payments'] },
  },
  scope: { vCluster: '/metadata/vCluster' },
  defaults: { '/metadata/vCluster': 'passthrough' },
  shown: ['/spec/groups'],
  expand: ({ metadata, spec }) => [
    {
      type: 'resource',
      resource: {
        apiVersion: 'gateway/v2',
        kind: 'GatewayServiceAccount',
        metadata,
        spec: { type: 'EXTERNAL', externalNames: [spec.principal] },
      },
      places: {
        '/spec': '/spec',
        '/spec/externalNames': '/spec/principal',
        '/spec/externalNames/0': '/spec/principal',
      },
    },
    ...(spec.groups ?? []).map((name, at) => ({
      type: 'member' as const,
      of: addressOf('GatewayGroup', name),
      list: '/spec/members' as const,
      item: metadata,
      from: `/spec/groups/${at}` as Pointer,
    })),
  ],
  contract: (resource) => {
    const principal = valueAt(resource, '/spec/externalNames/0');
    const isFit =
      resource['kind'] === 'GatewayServiceAccount' &&
      valueAt(resource, '/spec/type') === 'EXTERNAL' &&
      valueAt(resource, '/spec/externalNames/1') === undefined;
    if (!isFit || typeof principal !== 'string') return undefined;
    const metadata = resource['metadata'] as UserMapping['metadata']; // that of a service account
    return { apiVersion: 'gwconf/v1', kind: 'UserMapping', metadata, spec: { principal } };
  },
});
