import { workingConfig } from './resources.ts';
import fc from './fast-check.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { resource } from './kinds.ts';

const ACCOUNTS = [
  { name: 'bob', vCluster: 'prod' },
  { name: 'eve', vCluster: 'prod' },
  { name: 'kim', vCluster: 'passthrough' },
];
const NAMES = ['sub-1', 'sub-2', 'sub-3'];
const group = (name: string) =>
  fc.record({
    name: fc.constant(name),
    members: fc.subarray(ACCOUNTS),
    externalGroups: fc.constantFrom([], [], ['ldap']),
  });
const scope = fc.constantFrom(
  { vCluster: null, group: null, username: null },
  { vCluster: 'prod' },
  { vCluster: 'passthrough' },
  { vCluster: 'prod', group: 'first' },
  { vCluster: 'prod', group: 'second' },
  { vCluster: 'passthrough', group: 'second' },
  { vCluster: 'prod', username: 'bob' },
  { vCluster: 'prod', username: 'zoe' },
);
const MASK = 'FieldLevelDataMaskingPlugin';
const interceptor = (...names: readonly string[]) =>
  fc.record({
    name: fc.constantFrom(...names),
    scope,
    pluginClass: fc.constantFrom('EncryptPlugin', MASK, MASK, 'AuditPlugin', 'Own'),
    /** Whom an audit is for. */
    limits: fc.constantFrom<JsonObject>(
      ...[{}, {}, {}, { username: 'bob' }, { username: 'bob|eve' }, { username: 'e.*' }, { username: 'zed' }],
      ...[{ vcluster: 'prod' }, { vcluster: 'pass.*', username: 'kim' }],
    ),
  });

/** States with few names, so that interceptors override each other, classes change in place, and members move. */
function statesOf(
  one: ReturnType<typeof interceptor>,
  count: { readonly minLength?: number; readonly maxLength: number },
): fc.Arbitrary<readonly Resource[]> {
  return fc
    .record({
      accounts: fc.subarray(ACCOUNTS, { minLength: 1 }),
      /** Mostly all are LOCAL, or have the same external names. */
      externalNames: fc.oneof(fc.constantFrom([], [], NAMES), fc.shuffledSubarray(NAMES)),
      groups: fc.tuple(group('first'), group('second')),
      interceptors: fc.uniqueArray(one, { ...count, selector: (it) => JSON.stringify([it.name, it.scope]) }),
    })
    .map(({ accounts, externalNames, groups, interceptors }) => [
      resource('VirtualCluster', { name: 'prod' }, {}),
      ...accounts.map((metadata, at) => {
        const name = externalNames[at];
        const spec = name === undefined ? { type: 'LOCAL' } : { type: 'EXTERNAL', externalNames: [name] };
        return resource('GatewayServiceAccount', metadata, spec);
      }),
      ...groups.map(({ name, members, externalGroups }) => {
        const there = members.filter((member) => accounts.includes(member));
        return resource('GatewayGroup', { name }, { members: there, externalGroups });
      }),
      ...interceptors.map(({ name, scope: where, pluginClass, limits }) =>
        own(name, where, pluginClass, pluginClass === 'AuditPlugin' ? limits : {}),
      ),
    ]);
}
export const someState = statesOf(interceptor('a', 'a', 'b', 'c'), { maxLength: 5 });
export const largeState = statesOf(interceptor('a', 'b', 'c', 'd', 'e', 'f'), {
  minLength: 12,
  maxLength: 30,
});

export function own(name: string, where: JsonObject, pluginClass: string, limits: JsonObject = {}): Resource {
  const prefix = pluginClass === 'Own' ? 'com.example.' : 'io.conduktor.gateway.interceptor.';
  const spec = {
    pluginClass: prefix + pluginClass,
    priority: 1,
    config: { ...workingConfig(prefix + pluginClass), ...limits },
  };
  return resource('Interceptor', { name, scope: where }, spec);
}

type States = readonly [before: readonly Resource[], after: readonly Resource[]];

/** A group gets its first clients and loses its only interceptor, which overrides what protects all other clients. */
export const emptyInBetween: States = [
  [
    resource('GatewayGroup', { name: 'g' }, { members: [], externalGroups: [] }),
    own('n1', { vCluster: 'passthrough' }, 'AuditPlugin'),
    own('n1', { vCluster: 'passthrough', group: 'g' }, 'Own'),
  ],
  [
    resource('GatewayGroup', { name: 'g' }, { members: [], externalGroups: ['X2'] }),
    own('n1', { vCluster: 'passthrough' }, 'AuditPlugin'),
  ],
];

/** What is meant for an account alone overrides what gives its user masking once the account has left its group. */
export const goesBeforeItsAccount: States = [
  [
    resource('VirtualCluster', { name: 'prod' }, {}),
    resource('GatewayServiceAccount', { name: 'bob', vCluster: 'prod' }, { type: 'LOCAL' }),
    resource('GatewayGroup', { name: 'second' }, { members: [{ name: 'bob', vCluster: 'prod' }] }),
    own('c', { vCluster: 'prod', username: 'bob' }, 'EncryptPlugin'),
    own('a', { vCluster: 'prod', group: 'second' }, MASK),
  ],
  [
    resource('VirtualCluster', { name: 'prod' }, {}),
    resource('GatewayGroup', { name: 'second' }, { members: [] }),
    own('a', { vCluster: 'prod', username: 'bob' }, 'EncryptPlugin'),
    own('c', { vCluster: null, group: null, username: null }, MASK),
  ],
];

/** Accounts swap external names, and a group that both are in gets its interceptor before one of them has its new name. */
export const swappedNames: States = [
  [
    resource('VirtualCluster', { name: 'prod' }, {}),
    ...named('sub-2', 'sub-3'),
    resource('GatewayGroup', { name: 'second' }, { members: [{ name: 'kim', vCluster: 'passthrough' }] }),
    own('a', { vCluster: null, group: null, username: null }, 'AuditPlugin'),
    own('a', { vCluster: 'passthrough' }, 'EncryptPlugin'),
  ],
  [
    resource('VirtualCluster', { name: 'prod' }, {}),
    ...named('sub-3', 'sub-2'),
    resource(
      'GatewayGroup',
      { name: 'second' },
      {
        members: [
          { name: 'eve', vCluster: 'prod' },
          { name: 'kim', vCluster: 'passthrough' },
        ],
      },
    ),
    own('a', { vCluster: 'passthrough', group: 'second' }, 'AuditPlugin'),
  ],
];

function named(eve: string, kim: string): readonly Resource[] {
  return [
    resource(
      'GatewayServiceAccount',
      { name: 'eve', vCluster: 'prod' },
      { type: 'EXTERNAL', externalNames: [eve] },
    ),
    resource(
      'GatewayServiceAccount',
      { name: 'kim', vCluster: 'passthrough' },
      { type: 'EXTERNAL', externalNames: [kim] },
    ),
  ];
}

/** An account that goes loses its protection before: nobody who stays has another chain. */
export const goneWithProtection: States = [
  [
    resource('VirtualCluster', { name: 'prod' }, {}),
    resource('GatewayServiceAccount', { name: 'eve', vCluster: 'prod' }, { type: 'LOCAL' }),
    resource('GatewayGroup', { name: 'g' }, { members: [{ name: 'eve', vCluster: 'prod' }] }),
    own('a', { vCluster: 'prod', group: 'g' }, MASK),
  ],
  [
    resource('VirtualCluster', { name: 'prod' }, {}),
    resource('GatewayGroup', { name: 'g' }, { members: [] }),
    own('a', { vCluster: 'prod', group: 'g' }, MASK),
  ],
];
