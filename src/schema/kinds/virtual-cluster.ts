import type { Context, FieldProblem } from '../../model/kind.ts';
import { defineKind } from '../define-kind.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import { checkAges } from '../plugins/ages.ts';
import { BACKED_BY_KAFKA, gatewayV2 } from './common.ts';

export type VirtualCluster = Resource<
  'VirtualCluster',
  { readonly name: string },
  {
    readonly aclEnabled?: boolean;
    readonly superUsers?: readonly string[];
    readonly type?: 'Standard' | 'Partner';
    readonly aclMode?: 'KAFKA_API' | 'REST_API';
    readonly acls?: readonly Acl[];
    readonly bootstrapServers?: string;
    readonly clientProperties?: JsonObject;
  }
>;
type Acl = {
  readonly resourcePattern: {
    readonly resourceType: string;
    readonly name: string;
    readonly patternType: string;
  };
  readonly principal: string;
  readonly host: string;
  readonly operation: string;
  readonly permissionType: string;
};

const AGES = [
  { at: ['spec', 'type'], it: { since: '3.5.0' } },
  { at: ['spec', 'aclMode'], it: { since: '3.11.0' } },
  { at: ['spec', 'acls'], it: { since: '3.11.0' } },
];
const DOT_IN_NAME = '3.7.0';

// gateway-api A.6 VirtualCluster
export const virtualCluster = defineKind<VirtualCluster>({
  name: 'VirtualCluster',
  summary: 'A cluster of its own for some clients, with its topics prefixed on the physical one.',
  ...gatewayV2('virtual-cluster'),
  removal: 'path',
  schema: {
    metadata: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: {
        name: {
          type: 'string',
          pattern: '^[a-zA-Z0-9._-]+$',
          description: 'Also the prefix of its physical topics and groups, verbatim.',
        },
      },
    },
    spec: {
      type: 'object',
      additionalProperties: false,
      properties: {
        aclEnabled: { type: 'boolean', description: 'Whether ACLs are enforced in it. Default: false.' },
        superUsers: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          description:
            'Service accounts of this virtual cluster that may do everything; they are not created for you.',
        },
        type: { enum: ['Standard', 'Partner'], description: 'Default: Standard.' },
        aclMode: {
          enum: ['KAFKA_API', 'REST_API'],
          description:
            'Who manages the ACLs: Kafka commands of a super user, or this file. It cannot be changed.',
        },
        acls: {
          type: 'array',
          description: 'With REST_API: all ACLs of the virtual cluster.',
          items: {
            type: 'object',
            required: ['resourcePattern', 'principal', 'host', 'operation', 'permissionType'],
            additionalProperties: false,
            properties: {
              resourcePattern: {
                type: 'object',
                required: ['resourceType', 'name', 'patternType'],
                additionalProperties: false,
                properties: {
                  resourceType: {
                    enum: [
                      'ANY',
                      'CLUSTER',
                      'DELEGATION_TOKEN',
                      'GROUP',
                      'TOPIC',
                      'TRANSACTIONAL_ID',
                      'UNKNOWN',
                    ],
                  },
                  name: { type: 'string', minLength: 1 },
                  patternType: { enum: ['ANY', 'LITERAL', 'MATCH', 'PREFIXED', 'UNKNOWN'] },
                },
              },
              principal: { type: 'string', minLength: 1, description: 'For example User:payments-app.' },
              host: { type: 'string', minLength: 1, description: 'Usually *.' },
              operation: {
                enum: [
                  'ALL',
                  'ALTER',
                  'ALTER_CONFIGS',
                  'CLUSTER_ACTION',
                  'CREATE',
                  'CREATE_TOKENS',
                  'DELETE',
                  'DESCRIBE',
                  'DESCRIBE_CONFIGS',
                  'DESCRIBE_TOKENS',
                  'IDEMPOTENT_WRITE',
                  'READ',
                  'UNKNOWN',
                  'WRITE',
                ],
              },
              permissionType: { enum: ['ALLOW', 'DENY'] },
            },
          },
        },
        bootstrapServers: { type: 'string', description: 'Set by the gateway.' },
        clientProperties: { type: 'object', description: 'Set by the gateway.' },
      },
    },
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'VirtualCluster',
    metadata: { name: 'prod' },
    spec: { aclEnabled: true, aclMode: 'KAFKA_API', superUsers: ['prod-admin'] },
  },
  defaults: {
    '/spec/aclEnabled': false,
    '/spec/type': 'Standard',
    '/spec/superUsers': [],
    '/spec/acls': [],
  },
  normalise: fillAclMode,
  builtIn: ['passthrough'],
  sets: ['/spec/superUsers', '/spec/acls'],
  serverManaged: ['/spec/bootstrapServers', '/spec/clientProperties'],
  immutable: ['/spec/aclMode'],
  holds: 'the topics, ACLs and consumer groups inside it',
  absentIn: ['PLAINTEXT', ...BACKED_BY_KAFKA],
  ages: AGES,
  check: (cluster, context) => [
    ...checkAcls(cluster),
    ...checkName(cluster, context),
    ...checkAges(AGES, cluster, context),
  ],
});

// While ACLs are off no mode is in force, and some servers print the default one all the same.
function fillAclMode({ aclMode, ...spec }: VirtualCluster['spec']): JsonObject {
  const mode =
    spec.aclEnabled === true ? (aclMode ?? 'KAFKA_API') : aclMode === 'KAFKA_API' ? undefined : aclMode;
  return mode === undefined ? spec : { ...spec, aclMode: mode };
}

function checkName({ metadata }: VirtualCluster, { version }: Context): readonly FieldProblem[] {
  if (version === undefined || atLeast(version, DOT_IN_NAME) || !metadata.name.includes('.')) return [];
  return [
    {
      code: 'newer-field',
      severity: 'error',
      path: '/metadata/name',
      message: `a dot in the name of a virtual cluster needs gateway ${DOT_IN_NAME} or later; the environment has ${version}`,
      hint: 'write it without the dot, or upgrade the gateway and its version in gwconf.yaml first',
    },
  ];
}

function checkAcls({ spec }: VirtualCluster): readonly FieldProblem[] {
  const faults: FieldProblem[] = [];
  const fault = (
    severity: FieldProblem['severity'],
    path: FieldProblem['path'],
    message: string,
    hint: string,
  ): void => {
    faults.push({ severity, path, on: 'key', message, hint });
  };
  const superUsers = spec.superUsers?.length ?? 0;
  const acls = spec.acls?.length ?? 0;
  if (spec.type === 'Partner' && spec.aclEnabled !== true) {
    fault(
      'error',
      '/spec/type',
      'a Partner virtual cluster needs aclEnabled: true',
      'add aclEnabled: true to its spec',
    );
  }
  if (spec.aclMode === 'REST_API') {
    if (superUsers > 0) {
      fault(
        'error',
        '/spec/superUsers',
        'aclMode REST_API excludes superUsers',
        'grant rights in acls, or take KAFKA_API',
      );
    }
    if (spec.aclEnabled === true && spec.acls === undefined) {
      fault(
        'error',
        '/spec/aclMode',
        'aclMode REST_API needs acls',
        'list all ACLs of the virtual cluster in acls',
      );
    }
  } else if (spec.aclEnabled === true) {
    if (superUsers === 0) {
      fault(
        'error',
        '/spec/aclEnabled',
        'ACLs managed with Kafka commands need superUsers',
        'name at least one super user',
      );
    }
    if (acls > 0) {
      const severity = spec.aclMode === 'KAFKA_API' ? 'error' : 'warning';
      fault(severity, '/spec/acls', 'acls have no effect without aclMode REST_API', 'set aclMode: REST_API');
    }
  }
  if (spec.aclEnabled !== true && acls > 0) {
    fault('warning', '/spec/acls', 'acls have no effect while aclEnabled is false', 'set aclEnabled: true');
  }
  return faults;
}
