import { addressOf } from '../../model/kind.ts';
import { defineKind } from '../define-kind.ts';
import type { Resource } from '../../model/resource.ts';
import { gatewayV2, vClusterName } from './common.ts';

export type Group = Resource<
  'GatewayGroup',
  { readonly name: string },
  { readonly members?: readonly Member[]; readonly externalGroups?: readonly string[] }
>;
type Member = { readonly name: string; readonly vCluster?: string };

// gateway-api A.6 GatewayGroup: groups belong to no virtual cluster, their members do.
export const group = defineKind<Group>({
  name: 'GatewayGroup',
  summary: 'Service accounts that interceptors can target together.',
  ...gatewayV2('group'),
  removal: 'path',
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,100}$' } },
    },
    spec: {
      type: 'object',
      additionalProperties: false,
      properties: {
        members: {
          type: 'array',
          uniqueItems: true,
          description: 'Service accounts; each must exist.',
          items: {
            type: 'object',
            required: ['name'],
            additionalProperties: false,
            properties: { name: { type: 'string', minLength: 1 }, vCluster: vClusterName },
          },
        },
        externalGroups: {
          type: 'array',
          uniqueItems: true,
          items: { type: 'string', minLength: 1 },
          description: 'Names of groups in LDAP, OIDC and the like that are mapped to this one.',
        },
      },
    },
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'GatewayGroup',
    metadata: { name: 'payments' },
    spec: { members: [{ name: 'payments-app', vCluster: 'prod' }], externalGroups: ['payments-readers'] },
  },
  defaults: {
    '/spec/members': [],
    '/spec/members/*/vCluster': 'passthrough',
    '/spec/externalGroups': [],
  },
  sets: ['/spec/members', '/spec/externalGroups'],
  references: ({ spec }) =>
    (spec.members ?? []).map(({ name, vCluster }, at) => ({
      to: addressOf('GatewayServiceAccount', name, { vCluster: vCluster ?? null }),
      path: `/spec/members/${at}` as const,
    })),
});
