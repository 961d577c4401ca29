import { defineKind } from '../define-kind.ts';
import { closed, text } from '../closed.ts';
import { PASSTHROUGH } from '../../model/principal.ts';
import type { Resource } from '../../model/resource.ts';
import { gatewayV2, groupName, vClusterName } from './common.ts';

export type Group = Resource<
  'GatewayGroup',
  { readonly name: string },
  { readonly members?: readonly Member[]; readonly externalGroups?: readonly string[] }
>;
type Member = { readonly name: string; readonly vCluster?: string };

// gateway-api A.6 GatewayGroup. A group has no virtual cluster; its members have.
export const group = defineKind<Group>({
  name: 'GatewayGroup',
  summary: 'A group of service accounts that interceptors can target.',
  ...gatewayV2('group'),
  removal: 'path',
  schema: {
    metadata: closed(['name'], { name: groupName }),
    spec: closed([], {
      members: {
        type: 'array',
        uniqueItems: true,
        description: 'Service accounts; each must exist.',
        items: closed(['name'], { name: text, vCluster: vClusterName }),
      },
      externalGroups: {
        type: 'array',
        uniqueItems: true,
        items: text,
        description: 'Names of LDAP, OIDC or similar groups that are mapped to this group.',
      },
    }),
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'GatewayGroup',
    metadata: { name: 'payments' },
    spec: { members: [{ name: 'payments-app', vCluster: 'prod' }], externalGroups: ['payments-readers'] },
  },
  columns: [
    { title: 'MEMBERS', at: '/spec/members' },
    { title: 'EXTERNAL GROUPS', at: '/spec/externalGroups' },
  ],
  defaults: { '/spec/members': [], '/spec/members/*/vCluster': 'passthrough', '/spec/externalGroups': [] },
  sets: ['/spec/members', '/spec/externalGroups'],
  shown: ['/spec/members'],
  references: { '/spec/members/*': { kind: 'GatewayServiceAccount', axes: ['vCluster'] } },
  facts: ({ metadata: { name: group }, spec: { members = [], externalGroups = [] } }) => [
    ...members.map(({ name: username, vCluster: virtualCluster = PASSTHROUGH }) => ({
      type: 'member' as const,
      ...{ group, virtualCluster, username },
    })),
    ...externalGroups.map((name) => ({ type: 'external-group' as const, group, name })),
  ],
});
