import { defineKind } from '../define-kind.ts';
import { closed, text } from '../closed.ts';
import { isList, valueOf, type Json } from '../../model/json/json.ts';
import type { Fact } from '../../model/principal.ts';
import type { Parsed, Resource } from '../../model/resource.ts';
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
  facts: tellFacts,
});

// A gateway or a forged snapshot may have values of any type.
function tellFacts({ metadata, spec }: Parsed): readonly Fact[] {
  const group = valueOf(metadata, 'name');
  if (typeof group !== 'string') return [];
  const listAt = (key: string): readonly Json[] => {
    const list = valueOf(spec, key);
    return isList(list) ? list : [];
  };
  return [
    ...listAt('members').flatMap((member): readonly Fact[] => {
      const [username, virtualCluster] = [valueOf(member, 'name'), valueOf(member, 'vCluster')];
      if (typeof username !== 'string' || typeof virtualCluster !== 'string') return [];
      return [{ type: 'member', group, virtualCluster, username }];
    }),
    ...listAt('externalGroups').flatMap((name): readonly Fact[] =>
      typeof name === 'string' ? [{ type: 'external-group', group, name }] : [],
    ),
  ];
}
