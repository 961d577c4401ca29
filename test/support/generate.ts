import fc from './fast-check.ts';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { identify } from '../../src/model/identity.ts';
import type { Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindOf, resource } from './kinds.ts';

/** All that a made-up state holds, in an order in which a gateway takes it. */
export type Resources = readonly Resource[];

/** What stands in every secret place of a made-up state. */
export const SECRET = 'hvs.CAESIJ-made-up-secret';

const CLUSTERS = ['alpha', 'beta', 'gamma'];
/** The one that may be a Partner cluster; what its aliases point to may be another physical cluster. */
const PARTNER = 'alpha';
const PHYSICAL_CLUSTERS = ['main', 'other'];

/** A gateway that takes all that these generators make. */
export function generousGateway(): EmbeddedGateway {
  return memoryGateway(catalog.kinds, { physicalClusters: PHYSICAL_CLUSTERS });
}

/**
 * A state that a gateway could have, over all kinds: names and scopes come from small sets, so that two states share
 * some; everything that is referred to is there; no external name is there twice; what may be left out sometimes is.
 */
export const state: fc.Arbitrary<Resources> = stateOf({ partners: true });

/** The same without Partner clusters, whose aliases hang on a field of the cluster. */
export const standardState: fc.Arbitrary<Resources> = stateOf({ partners: false });

function stateOf(allowed: { readonly partners: boolean }): fc.Arbitrary<Resources> {
  return fc
    .record({
      clusters: fc.uniqueArray(fc.tuple(fc.constantFrom(...CLUSTERS), fc.nat(5)), {
        selector: ([name]) => name,
      }),
      accounts: fc.array(
        fc.record({
          name: fc.constantFrom('app-one', 'app-two', 'app-three'),
          where: fc.nat(3),
          external: fc.option(fc.constantFrom('sub-1', 'sub-2', 'sub-3', 'sub-4'), { nil: undefined }),
          terse: fc.boolean(),
        }),
        { maxLength: 6 },
      ),
      groups: fc.array(
        fc.record({
          name: fc.constantFrom('readers', 'writers', 'pii'),
          members: fc.array(fc.nat(5), { maxLength: 4 }),
          externalGroups: fc.option(fc.uniqueArray(fc.constantFrom('ldap-a', 'ldap-b')), { nil: undefined }),
          terse: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
      topics: fc.array(
        fc.record({
          name: fc.constantFrom('orders', 'events.v2', 'audit_log'),
          where: fc.nat(3),
          physical: fc.constantFrom('prod-orders', 'prod-events'),
          elsewhere: fc.boolean(),
          rule: fc.boolean(),
          flags: fc.nat(3),
          terse: fc.boolean(),
        }),
        { maxLength: 6 },
      ),
      interceptors: fc.array(
        fc.record({
          name: fc.constantFrom('mask', 'guard', 'vault/keys @ home'),
          scope: fc.nat(9),
          where: fc.nat(3),
          group: fc.nat(2),
          plugin: fc.nat(3),
          priority: fc.constantFrom(1, 50, 100),
          comment: fc.constantFrom(undefined, '', 'why'),
          terse: fc.boolean(),
        }),
        { maxLength: 6 },
      ),
    })
    .map(({ clusters, accounts, groups, topics, interceptors }) => {
      const names = clusters.map(([name]) => name);
      const inside = (where: number, terse: boolean): JsonObject => {
        const vCluster = names[where];
        return vCluster === undefined ? (terse ? {} : { vCluster: 'passthrough' }) : { vCluster };
      };
      const all: Resource[] = clusters.map(([name, variant]) => cluster(name, variant, allowed.partners));
      const partners = new Set(
        all.filter(({ spec }) => spec['type'] === 'Partner').map(({ metadata }) => metadata.name),
      );

      const taken = new Set<string>();
      const known = distinct(
        accounts.map(({ name, where, external, terse }) => {
          const free = external !== undefined && !taken.has(external);
          if (free) taken.add(external);
          const spec = free
            ? { type: 'EXTERNAL', externalNames: [external] }
            : { type: terse ? 'local' : 'LOCAL' };
          return resource('GatewayServiceAccount', { name, ...inside(where, terse) }, spec);
        }),
      );
      const groupsThere = distinct(
        groups.map(({ name, members, externalGroups, terse }) => {
          const list = members.flatMap((at): readonly JsonObject[] => {
            const member = known[at];
            if (member === undefined) return [];
            const { vCluster = 'passthrough', name: account } = member.metadata;
            return [vCluster === 'passthrough' && terse ? { name: account } : { name: account, vCluster }];
          });
          const unique = [...new Map(list.map((item) => [JSON.stringify(item), item])).values()];
          return resource(
            'GatewayGroup',
            { name },
            {
              ...(terse && unique.length === 0 ? {} : { members: unique }),
              ...(externalGroups === undefined ? {} : { externalGroups }),
            },
          );
        }),
      );
      all.push(...known, ...groupsThere);
      for (const { name, where, physical, elsewhere, rule, flags, terse } of topics) {
        const metadata = { name, ...inside(where, terse) };
        if (rule) {
          all.push(concentrationRule(metadata, physical, flags));
          continue;
        }
        const home = names[where] ?? '';
        // All aliases of a Partner cluster point to one physical cluster, so it gets one, always of the same name.
        if (home === PARTNER && name !== 'orders') continue;
        const physicalCluster = partners.has(home) && elsewhere ? 'other' : terse ? undefined : 'main';
        const spec = {
          physicalName: physical,
          ...(physicalCluster === undefined ? {} : { physicalCluster }),
        };
        all.push(resource('AliasTopic', metadata, spec));
      }
      for (const { name, scope, where, group, plugin, priority, comment, terse } of interceptors) {
        const target = scopeOf(scope, names[where], groupsThere[group]?.metadata.name, terse);
        const metadata = target === undefined ? { name } : { name, scope: target };
        const spec = { ...plugins[plugin], priority, ...(comment === undefined ? {} : { comment }) };
        all.push(resource(terse ? 'Interceptor' : 'GatewayInterceptor', metadata, spec));
      }
      return distinct(all);
    });
}

function cluster(name: string, variant: number, mayBePartner: boolean): Resource {
  const partner = { type: 'Partner', aclEnabled: true, superUsers: ['boss'] };
  const acl = {
    resourcePattern: { resourceType: 'TOPIC', name: '*', patternType: 'LITERAL' },
    principal: 'User:app-one',
    host: '*',
    operation: 'READ',
    permissionType: 'ALLOW',
  };
  const specs: readonly JsonObject[] = [
    {},
    { aclEnabled: false, type: 'Standard' },
    { aclEnabled: true, superUsers: ['boss', 'chief'] },
    { aclEnabled: true, aclMode: 'KAFKA_API', superUsers: ['chief', 'boss'] },
    name === PARTNER && mayBePartner ? partner : { superUsers: ['boss'] },
    name === 'gamma'
      ? { aclEnabled: true, aclMode: 'REST_API', acls: [acl, { ...acl, operation: 'WRITE' }] }
      : {},
  ];
  return resource('VirtualCluster', { name }, specs[variant] ?? {});
}

function concentrationRule(metadata: JsonObject, physical: string, flags: number): Resource {
  return resource('ConcentrationRule', metadata, {
    pattern: `${physical}-.*`,
    physicalTopics: { delete: physical, ...(flags > 1 ? { compact: `${physical}-compact` } : {}) },
    ...(flags === 0 ? {} : { autoManaged: flags > 1 }),
    ...(flags === 2 ? { offsetCorrectness: false } : {}),
  });
}

const plugins: readonly JsonObject[] = [
  {
    pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin',
    config: { topic: 'audit-.*', action: 'BLOCK' },
  },
  {
    pluginClass: 'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin',
    config: { topic: '.*', numPartition: { min: 3, max: 6, action: 'BLOCK' } },
  },
  {
    pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin',
    config: {
      topic: 'cards',
      kmsConfig: { vault: { uri: 'https://vault.example', type: 'TOKEN', version: 1, token: SECRET } },
      recordValue: {
        fields: [{ fieldName: 'pan', keySecretId: 'vault-kms://keys/pan', algorithm: 'AES256_GCM' }],
      },
    },
  },
  { pluginClass: 'com.example.OwnPlugin', config: { list: [3, 1, 2], nested: { 'a.b/c': [{ name: 'x' }] } } },
];

/** The scopes of gateway-api B.3; what is not there falls back to passthrough. */
function scopeOf(
  variant: number,
  vCluster: string | undefined,
  group: string | undefined,
  terse: boolean,
): JsonObject | undefined {
  const home = vCluster === undefined ? {} : { vCluster };
  const nulls = terse ? {} : { group: null, username: null };
  switch (variant) {
    case 0:
      return undefined;
    case 1:
      return { vCluster: null, group: null, username: null };
    case 2:
      return { vCluster: null };
    case 3:
    case 4:
      return group === undefined ? { username: 'app-two', ...home } : { group, ...home };
    case 5:
      return { ...home, username: 'nobody@example.com', ...(terse ? {} : { group: null }) };
    case 6:
      return {};
    default:
      return { ...nulls, ...home };
  }
}

/** One of each identity, the first. */
function distinct(resources: readonly Resource[]): Resources {
  const byAddress = new Map<string, Resource>();
  for (const one of resources) {
    const kind = kindOf(one.kind === 'GatewayInterceptor' ? 'Interceptor' : one.kind);
    const address = identify(kind, one);
    if (!byAddress.has(address)) byAddress.set(address, one);
  }
  return [...byAddress.values()];
}

/** Text of one file, a document for each resource. JSON is YAML. */
export function written(resources: Resources): string {
  return resources.map((one) => `${JSON.stringify(one as Json)}\n`).join('---\n');
}
