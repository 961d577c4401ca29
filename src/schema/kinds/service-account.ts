import { addressOf, defineKind, type Fault } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { vClusterName } from './common.ts';

export type ServiceAccount = Resource<
  'GatewayServiceAccount',
  { readonly name: string; readonly vCluster?: string },
  { readonly type: 'LOCAL' | 'EXTERNAL'; readonly externalNames?: readonly string[] }
>;

// gateway-api A.6 GatewayServiceAccount; `type` in any case on input.
export const serviceAccount = defineKind<ServiceAccount>({
  name: 'GatewayServiceAccount',
  summary: 'A client: one that the gateway gives credentials to, or a name for an external identity.',
  collection: '/gateway/v2/service-account',
  removal: 'body',
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{3,64}$' }, vCluster: vClusterName },
    },
    spec: {
      type: 'object',
      required: ['type'],
      additionalProperties: false,
      properties: {
        type: { enum: ['LOCAL', 'EXTERNAL'], description: 'Who keeps the credentials.' },
        externalNames: {
          type: 'array',
          maxItems: 1,
          items: { type: 'string', minLength: 1 },
          description:
            'EXTERNAL: the one identity it stands for, such as the sub of a JWT. No two accounts share it.',
        },
      },
    },
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'GatewayServiceAccount',
    metadata: { name: 'payments-app', vCluster: 'prod' },
    spec: { type: 'EXTERNAL', externalNames: ['00u9vme99nxudvxZA0h7'] },
  },
  defaults: { '/metadata/vCluster': 'passthrough' },
  upperCase: ['/spec/type'],
  normalise: dropNamesOfLocal,
  sets: ['/spec/externalNames'],
  unique: ['/spec/externalNames/*'],
  scope: ({ vCluster }) => ({ vCluster: vCluster ?? null }),
  references: ({ metadata }) => [
    { to: addressOf('VirtualCluster', metadata.vCluster ?? ''), path: '/metadata/vCluster' },
  ],
  faults: nameFaults,
});

// A LOCAL account has no external names; some servers print an empty list.
function dropNamesOfLocal(resource: Resource): Resource {
  const { externalNames: _, ...spec } = resource.spec;
  return spec['type'] === 'LOCAL' ? { ...resource, spec } : resource;
}

function nameFaults({ spec }: ServiceAccount): readonly Fault[] {
  const names = spec.externalNames?.length ?? 0;
  if (spec.type === 'EXTERNAL' && names === 0) {
    return [
      {
        severity: 'error',
        path: spec.externalNames === undefined ? '/spec/type' : '/spec/externalNames',
        message: 'an EXTERNAL account needs exactly one external name',
        hint: 'add externalNames: [NAME] with the identity it stands for',
      },
    ];
  }
  if (spec.type === 'LOCAL' && names > 0) {
    return [
      {
        severity: 'error',
        path: '/spec/externalNames',
        on: 'key',
        message: 'a LOCAL account has no external names',
        hint: 'take externalNames out, or make it type: EXTERNAL',
      },
    ];
  }
  return [];
}
