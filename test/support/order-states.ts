import fc from './fast-check.ts';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { identify } from '../../src/model/identity.ts';
import type { Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindOf, resource } from './kinds.ts';

/** The virtual cluster that is always a Partner, and the physical cluster that its aliases are on unless they move. */
const PARTNER = 'partner';
const ELSEWHERE = 'elsewhere';
const CLUSTERS = ['alpha', 'beta', PARTNER];
const ACCOUNTS = ['app-a', 'app-b', 'app-c', 'app-d'];
const GROUPS = ['readers', 'writers', 'pii'];

/** A gateway that is strict, and takes what these states hold. */
export async function orderGateway(resources: readonly Resource[]): Promise<EmbeddedGateway> {
  const gateway = memoryGateway(catalog.kinds, { physicalClusters: ['main', ELSEWHERE] });
  for (const one of resources) await gateway.put(kindOf(one.kind), one);
  return gateway;
}

const account = fc.record({
  name: fc.constantFrom(...ACCOUNTS),
  home: fc.nat(3),
  external: fc.constantFrom(true, true, false),
});
const group = fc.record({
  name: fc.constantFrom(...GROUPS),
  members: fc.uniqueArray(fc.nat(9), { maxLength: 5 }),
  mapped: fc.boolean(),
});
const topic = fc.record({
  name: fc.constantFrom('orders', 'events'),
  home: fc.nat(3),
  rule: fc.boolean(),
  physical: fc.constantFrom('topic-1', 'topic-2'),
});
const interceptor = fc.record({
  name: fc.constantFrom('mask', 'guard'),
  scope: fc.constantFrom('everybody', 'home', 'group', 'group', 'group', 'user'),
  home: fc.nat(3),
  group: fc.nat(2),
  priority: fc.constantFrom(1, 2),
});

const externalNames = fc.shuffledSubarray(['sub-1', 'sub-2', 'sub-3', 'sub-4', 'sub-5', 'sub-6'], {
  minLength: 6,
});
const ingredientsOf = (partners: fc.Arbitrary<readonly string[]>, physicalCluster: fc.Arbitrary<string>) =>
  fc.record({
    partners,
    /** Of the aliases in Partner virtual clusters: the gateway wants one for all of them. */
    physicalCluster,
    clusters: fc.subarray(CLUSTERS),
    superUser: fc.constantFrom('boss', 'chief'),
    accounts: fc.array(account, { minLength: 3, maxLength: 10 }),
    externalNames,
    groups: fc.array(group, { maxLength: 4 }),
    topics: fc.array(topic, { maxLength: 4 }),
    interceptors: fc.array(interceptor, { maxLength: 6 }),
  });
type Ingredients = ReturnType<typeof ingredientsOf> extends fc.Arbitrary<infer T> ? T : never;

/**
 * Two states that a gateway could have, over all kinds, made so that they quarrel: few external names for many
 * accounts, groups of those accounts, interceptors for those groups, and virtual clusters that come and go. Some have
 * nothing to do with each other; most have the same accounts with other names, some gone and some new.
 */
export const orderPair = pairOf(ingredientsOf(fc.constant([PARTNER]), fc.constant(ELSEWHERE)));

/** The same without Partners: their secrets make a run slow. */
export const plainPair = pairOf(ingredientsOf(fc.constant([]), fc.constant(ELSEWHERE)));

/** The same with virtual clusters that become Partners or cease to be, and aliases in them that move. */
export const movingPair = pairOf(
  ingredientsOf(fc.subarray(['beta', PARTNER]), fc.constantFrom('main', ELSEWHERE)),
);

function pairOf(
  ingredients: fc.Arbitrary<Ingredients>,
): fc.Arbitrary<{ readonly there: readonly Resource[]; readonly wanted: readonly Resource[] }> {
  return fc
    .record({
      there: ingredients,
      other: ingredients,
      related: fc.constantFrom(true, true, false),
      sameClusters: fc.boolean(),
      sameGroups: fc.boolean(),
      sameInterceptors: fc.boolean(),
      gone: fc.nat(2),
    })
    .map(({ there, other, related, sameClusters, sameGroups, sameInterceptors, gone }) => {
      const wanted: Ingredients = {
        ...other,
        ...(related ? { accounts: [...there.accounts.slice(gone), ...other.accounts.slice(0, gone)] } : {}),
        ...(related && sameClusters ? { clusters: there.clusters } : {}),
        ...(related && sameGroups ? { groups: there.groups } : {}),
        ...(related && sameInterceptors ? { interceptors: there.interceptors } : {}),
      };
      return { there: stateOf(there), wanted: stateOf(wanted) };
    });
}

function stateOf(made: Ingredients): readonly Resource[] {
  const home = (at: number): string => made.clusters[at] ?? 'passthrough';
  const clusters = made.clusters.map((name) =>
    resource(
      'VirtualCluster',
      { name },
      {
        ...(made.partners.includes(name) ? { type: 'Partner', aclEnabled: true } : {}),
        superUsers: [made.superUser],
      },
    ),
  );
  const names = [...made.externalNames];
  const accounts = distinct(made.accounts, (one) => `${home(one.home)}/${one.name}`).map((one) => {
    const external = one.external ? names.pop() : undefined;
    return resource(
      'GatewayServiceAccount',
      { name: one.name, vCluster: home(one.home) },
      external === undefined ? { type: 'LOCAL' } : { type: 'EXTERNAL', externalNames: [external] },
    );
  });
  const groups = distinct(made.groups, ({ name }) => name).map(({ name, members, mapped }) =>
    resource(
      'GatewayGroup',
      { name },
      {
        members: members.flatMap((at) => accounts[at]?.metadata ?? []),
        ...(mapped ? { externalGroups: ['ldap'] } : {}),
      },
    ),
  );
  const topics = distinct(made.topics, (one) => `${home(one.home)}/${one.name}`).map((one) => {
    const metadata = { name: one.name, vCluster: home(one.home) };
    if (one.rule) {
      return resource('ConcentrationRule', metadata, {
        pattern: 'many-.*',
        physicalTopics: { delete: one.physical },
      });
    }
    const elsewhere = made.partners.includes(home(one.home)) ? { physicalCluster: made.physicalCluster } : {};
    return resource('AliasTopic', metadata, { physicalName: one.physical, ...elsewhere });
  });
  const interceptors = made.interceptors.map((one) => {
    const scope = scopeOf(one.scope, home(one.home), groups[one.group]?.metadata.name);
    return resource(
      'Interceptor',
      { name: one.name, scope },
      { pluginClass: 'com.example.Own', priority: one.priority, config: {} },
    );
  });
  const all = [...clusters, ...accounts, ...groups, ...topics, ...interceptors];
  return distinct(all, (one) => identify(kindOf(one.kind), one));
}

function scopeOf(scope: string, vCluster: string, group: string | undefined): JsonObject {
  if (scope === 'everybody') return { vCluster: null, group: null, username: null };
  if (scope === 'group' && group !== undefined) return { vCluster, group, username: null };
  if (scope === 'user') return { vCluster, group: null, username: 'app-a' };
  return { vCluster, group: null, username: null };
}

function distinct<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  const found = new Map<string, T>();
  for (const item of items) if (!found.has(key(item))) found.set(key(item), item);
  return [...found.values()];
}
