import type { Context, FieldProblem, Loosened } from '../../model/kind.ts';
import { defineKind } from '../define-kind.ts';
import { closed, naming } from '../closed.ts';
import { memoize } from '../../model/collect.ts';
import { isList, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { PASSTHROUGH, type Named } from '../../model/principal.ts';
import type { Resource } from '../../model/resource.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { atLeast } from '../../model/text/version.ts';
import { aclSchema, checkAclValues, type Acl } from './acls.ts';
import { aclsOn, findLooserAcls } from './looser-acls.ts';
import { BACKED_BY_KAFKA, gatewayV2, kafkaName } from './common.ts';

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

const DOT_IN_NAME = '3.7.0';

// gateway-api A.6 VirtualCluster
export const virtualCluster = defineKind<VirtualCluster>({
  name: 'VirtualCluster',
  summary: 'A logical cluster for some clients; its topics have a prefix on the physical cluster.',
  ...gatewayV2('virtual-cluster'),
  terraform: 'gateway_virtual_cluster_v2',
  removal: 'path',
  schema: {
    metadata: closed(['name'], {
      name: { ...kafkaName, description: 'Also the prefix of its physical topics and consumer groups.' },
    }),
    spec: closed([], {
      aclEnabled: { type: 'boolean', description: 'Whether ACLs are enforced. Default: false.' },
      superUsers: {
        type: 'array',
        items: naming('serviceAccount'),
        description: 'Service accounts of this virtual cluster with all permissions. They must exist.',
      },
      type: { enum: ['Standard', 'Partner'], description: 'Default: Standard.' },
      aclMode: {
        enum: ['KAFKA_API', 'REST_API'],
        description: 'How ACLs are managed: with Kafka commands of a super user, or with acls. Immutable.',
      },
      acls: {
        type: 'array',
        description: 'All ACLs of the virtual cluster. Needs aclMode REST_API.',
        items: aclSchema,
      },
      bootstrapServers: { type: 'string', description: 'Set by the gateway.' },
      clientProperties: { type: 'object', description: 'Set by the gateway.' },
    }),
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'VirtualCluster',
    metadata: { name: 'prod' },
    spec: { aclEnabled: true, aclMode: 'KAFKA_API', superUsers: ['prod-admin'] },
  },
  columns: [
    { title: 'TYPE', at: '/spec/type' },
    { title: 'ACLS', at: '/spec/aclEnabled' },
    { title: 'ACL MODE', at: '/spec/aclMode' },
    { title: 'SUPER USERS', at: '/spec/superUsers' },
  ],
  defaults: { '/spec/aclEnabled': false, '/spec/type': 'Standard', '/spec/superUsers': [], '/spec/acls': [] },
  normalise: fillAclMode,
  builtIn: [PASSTHROUGH],
  sets: ['/spec/superUsers', '/spec/acls'],
  serverManaged: ['/spec/bootstrapServers', '/spec/clientProperties'],
  immutable: ['/spec/aclMode'],
  holds: 'the topics, ACLs and consumer groups inside it',
  absentIn: ['PLAINTEXT', ...BACKED_BY_KAFKA],
  ages: [
    { at: ['spec', 'type'], it: { since: '3.5.0' } },
    { at: ['spec', 'aclMode'], it: { since: '3.11.0' } },
    { at: ['spec', 'acls'], it: { since: '3.11.0' } },
  ],
  facts: ({ metadata: { name } }) => [{ type: 'virtual-cluster', name }],
  loosens: findLoosened,
  renaming: giveName,
  forTopic: (cluster, { virtualCluster, name, as }) => {
    const { metadata, spec } = cluster;
    if (metadata.name !== virtualCluster) return undefined;
    // Super users are of all topics.
    return { ...cluster, spec: { ...spec, acls: aclsOn(spec.acls, name, as), superUsers: [] } };
  },
  rules: (rule) => [
    rule(['/spec/type', '/spec/aclEnabled'], ({ spec }) => checkPartner(spec)),
    rule(['/spec/aclEnabled', '/spec/aclMode', '/spec/superUsers', '/spec/acls'], ({ spec }) =>
      checkAcls(spec),
    ),
    rule(['/metadata/name'], ({ metadata }, context) => checkName(metadata.name, context)),
    rule(['/spec/acls'], ({ spec }) => checkAclValues(spec.acls ?? [])),
    rule(['/spec/superUsers'], ({ spec }) => checkSuperUsers(spec.superUsers ?? [])),
  ],
});

/** ACLs that are no longer checked, for everybody or for new super users, and those that let more through. */
function findLoosened(before: VirtualCluster, after: VirtualCluster): readonly Loosened[] {
  const acls = { protection: 'access', what: 'acls', virtualCluster: after.metadata.name } as const;
  const whole = { ...acls, loss: 'whole', topics: null, pattern: null } as const;
  const [was = false, is = false]: readonly unknown[] = [before.spec.aclEnabled, after.spec.aclEnabled]; // or what stands for a hidden value
  if (was === false) return [];
  const former = before.spec.superUsers ?? [];
  if (is !== true && is !== was) return [{ ...whole, at: '/spec/aclEnabled', who: { allBut: former } }];
  const added = (after.spec.superUsers ?? []).flatMap((username, index) =>
    former.includes(username)
      ? []
      : [{ ...whole, at: `/spec/superUsers/${index}` as const, who: { username } }],
  );
  const looser = findLooserAcls(before.spec.acls, after.spec.acls);
  return [...added, ...looser.map((one) => ({ ...acls, ...one }))];
}

/** What a client may do by its former name is none of it lost; what it must not do, it must not do by the other name. */
function giveName(cluster: VirtualCluster, was: Named, is: Named): VirtualCluster {
  const { metadata, spec } = cluster;
  if ([was, is].some(({ virtualCluster }) => virtualCluster !== metadata.name)) return cluster;
  const [former, now] = [was, is].map(({ username }) => `User:${username}`) as [string, string]; // one for each
  const { acls, superUsers } = spec;
  const isNamed = isList(acls) && principalsIn(acls).has(former);
  if (!isNamed && !isAmong(superUsers, was.username) && !isAmong(superUsers, is.username)) return cluster;
  const named = (isList(acls) ? acls : []).flatMap((acl) => {
    if (valueOf(acl, 'principal') !== former) return [acl];
    const renamed = { ...acl, principal: now };
    return acl.permissionType === 'DENY' ? [renamed] : [acl, renamed];
  });
  const supers = isList(superUsers) ? superUsers : [];
  // A super user that had the other name before was another client.
  const own = supers.filter((name) => name !== is.username);
  const all = supers.includes(was.username) ? [...own, is.username] : own;
  return { ...cluster, spec: { ...spec, acls: named, superUsers: all } };
}

/** Many accounts are looked up in the same ACLs. */
const principalsIn = memoize((acls: readonly Acl[]) => new Set(acls.map((acl) => valueOf(acl, 'principal'))));

function isAmong(names: Json | undefined, name: string): boolean {
  return isList(names) && names.includes(name);
}

// While ACLs are disabled the mode has no effect, but some servers print the default.
function fillAclMode({ aclMode, ...spec }: VirtualCluster['spec']): JsonObject {
  const mode =
    spec.aclEnabled === true ? (aclMode ?? 'KAFKA_API') : aclMode === 'KAFKA_API' ? undefined : aclMode;
  return mode === undefined ? spec : { ...spec, aclMode: mode };
}

function checkName(name: string, { version }: Context): readonly FieldProblem[] {
  if (version === undefined || atLeast(version, DOT_IN_NAME) || !name.includes('.')) return [];
  return [
    {
      code: 'newer-field',
      path: '/metadata/name',
      message: `a dot in the name of a virtual cluster needs gateway ${DOT_IN_NAME} or later; the environment has ${version}`,
      hint: 'use a name without a dot, or upgrade the gateway and change its version in gwconf.yaml',
    },
  ];
}

function checkPartner({
  type,
  aclEnabled,
}: Pick<VirtualCluster['spec'], 'type' | 'aclEnabled'>): readonly FieldProblem[] {
  if (type !== 'Partner' || aclEnabled === true || hasPlaceholder(aclEnabled)) return [];
  return [
    {
      code: 'conflicting-fields',
      path: '/spec/type',
      on: 'key',
      message: 'a Partner virtual cluster needs aclEnabled: true',
      hint: 'add aclEnabled: true to its spec',
    },
  ];
}

function checkSuperUsers(names: readonly string[]): readonly FieldProblem[] {
  return names.flatMap((found, at): readonly FieldProblem[] =>
    found.startsWith('User:')
      ? [
          {
            code: 'unusual-value',
            path: `/spec/superUsers/${at}`,
            message: 'expected the name of a service account as a super user',
            found,
            hint: 'leave out User:, which only acls have',
          },
        ]
      : [],
  );
}

function checkAcls(
  spec: Pick<VirtualCluster['spec'], 'aclEnabled' | 'aclMode' | 'superUsers' | 'acls'>,
): readonly FieldProblem[] {
  const faults: FieldProblem[] = [];
  const fault = (
    code: FieldProblem['code'],
    path: FieldProblem['path'],
    message: string,
    hint: string,
  ): void => {
    faults.push({ code, path, on: 'key', message, hint });
  };
  const superUsers = spec.superUsers?.length ?? 0;
  const acls = spec.acls?.length ?? 0;
  if (spec.aclMode === 'REST_API') {
    if (superUsers > 0) {
      fault(
        'conflicting-fields',
        '/spec/superUsers',
        'aclMode REST_API excludes superUsers',
        'grant permissions in acls, or set aclMode: KAFKA_API',
      );
    }
    if (spec.aclEnabled === true && spec.acls === undefined) {
      fault(
        'conflicting-fields',
        '/spec/aclMode',
        'aclMode REST_API needs acls',
        'add acls with all ACLs of the virtual cluster',
      );
    }
  } else if (spec.aclEnabled === true && !hasPlaceholder(spec.aclMode)) {
    if (superUsers === 0) {
      fault(
        'conflicting-fields',
        '/spec/aclEnabled',
        'ACLs managed with Kafka commands need superUsers',
        'add at least one super user',
      );
    }
    if (acls > 0) {
      const code = spec.aclMode === 'KAFKA_API' ? 'conflicting-fields' : 'unusual-value';
      fault(code, '/spec/acls', 'acls have no effect without aclMode REST_API', 'set aclMode: REST_API');
    }
  }
  if (spec.aclEnabled !== true && !hasPlaceholder(spec.aclEnabled) && acls > 0) {
    fault(
      'unusual-value',
      '/spec/acls',
      'acls have no effect while aclEnabled is false',
      'set aclEnabled: true',
    );
  }
  return faults;
}
