import { describe, expect, it } from 'vitest';
import { chainsOf, makeEffectiveState } from '../../src/effective/effective-state.ts';
import { makeProtection } from '../../src/effective/protection.ts';
import { weakeningJudge } from '../../src/effective/weakening.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { addressOf } from '../../src/model/kind.ts';
import type { Chain, Principal } from '../../src/model/principal.ts';
import type { Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';

const PREFIX = 'io.conduktor.gateway.interceptor.';
const alice: Principal = { virtualCluster: 'prod', username: 'alice', groups: [] };
const TOPICS = ['customers-eu', 'customers-us', 'orders'];

const judge = weakeningJudge({
  protectionOf: makeProtection({
    own: ['com.example.*'],
    masking: ['com.example.mask.*'],
    storage: ['LargeMessageHandlingPlugin'],
  }),
  kinds: catalog.kinds,
  topicsIn: () => [
    ...TOPICS.map((name) => ({ type: 'one', name }) as const),
    { type: 'pattern', text: 'events-.*' }, // what a concentration rule stores
  ],
});

/** Consumers must send a rack, whatever else is asked of them. */
const FETCH = { topic: '.*', rackIdRequired: { value: true } };

type Given = readonly [pluginClass: string, config: JsonObject];

function chainOf(given: readonly Given[], names = given.map((_, at) => `i${at}`)): Chain {
  const resources = given.map(([pluginClass, config], at) => {
    const name = names[at] ?? '';
    const full = pluginClass.startsWith('com.') ? pluginClass : PREFIX + pluginClass;
    const metadata = { name, scope: { vCluster: 'prod', group: null, username: null } };
    const spec = { pluginClass: full, priority: at + 1, config };
    const resource = { apiVersion: 'gateway/v2', kind: 'Interceptor', metadata, spec } as unknown as Resource;
    return [addressOf('Interceptor', name, metadata.scope), resource] as const;
  });
  return chainsOf(makeEffectiveState(resources, catalog.kinds))(alice);
}

/** `weaker masking by i0: field card.number part of customers-eu (numberOfChars)` */
function told(
  before: readonly Given[],
  after: readonly Given[],
  names?: readonly string[],
): readonly string[] {
  return judge(chainOf(before), chainOf(after, names && [...names]), alice).map(
    ({ certainty, protection, by, claim, loss, topics, fields }) => {
      const where = topics === null ? '' : ` of ${topics.length === 0 ? 'topics' : topics.join()}`;
      const keys = fields.map((field) => field.replace('/spec/config/', '')).join();
      const subject = `${claim.what} ${claim.name ?? claim.label ?? '-'}`;
      return `${certainty} ${protection} by ${by.name}: ${subject} ${loss}${where} (${keys})`;
    },
  );
}

const named = (value: string): Given => [
  'safeguard.ConsumerGroupPolicyPlugin',
  { groupId: { value, action: 'BLOCK' } },
];
const mask = (topic: string, fields: readonly string[], rule: JsonObject = {}): Given => [
  'FieldLevelDataMaskingPlugin',
  { topic, policies: [{ name: 'p', fields, rule }] },
];
const first = (numberOfChars: number): JsonObject => ({ type: 'MASK_FIRST_N', numberOfChars });
const audit = (config: JsonObject): Given => ['AuditPlugin', config];
const readOnly = (config: JsonObject): Given => ['safeguard.ReadOnlyTopicPolicyPlugin', config];
const encrypt = (config: JsonObject): Given => ['EncryptPlugin', config];
const create = (config: JsonObject): Given => ['safeguard.CreateTopicPolicyPlugin', config];

describe('weaker is', () => {
  it.each<[string, Given, Given, readonly string[]]>([
    [
      'a mask for other topics',
      mask('customers-.*', ['card.number']),
      mask('nothing-.*', ['card.number']),
      [
        'weaker masking by i0: field card.number whole of customers-eu,customers-us (topic)',
        'weaker masking by i0: field card.number whole of topics (topic)',
      ],
    ],
    [
      'a mask for other topics, which are all known',
      mask('customers-eu|customers-us', ['card.number']),
      mask('nothing-.*', ['card.number']),
      ['weaker masking by i0: field card.number whole of customers-eu,customers-us (topic)'],
    ],
    [
      'a mask for none of the topics that a rule makes',
      mask('events-.*|orders', ['a']),
      mask('orders', ['a']),
      ['weaker masking by i0: field a whole of events-.* (topic)'],
    ],
    [
      'a mask for some of the topics that a rule makes',
      mask('.*-.*', ['a']),
      mask('events-eu-.*|customers-.*', ['a']),
      [
        'weaker masking by i0: field a part of events-.* (topic)',
        'weaker masking by i0: field a part of topics (topic)',
      ],
    ],
    [
      'a mask for fewer topics, of which none is known',
      mask('internal-.*', ['a']),
      mask('internal-a.*', ['a']),
      ['weaker masking by i0: field a part of topics (topic)'],
    ],
    [
      'a mask of other fields',
      mask('customers-eu', ['card.number']),
      mask('customers-eu', ['name']),
      ['weaker masking by i0: field card.number whole of customers-eu (policies/0/fields/0)'],
    ],
    [
      'a mask of fewer characters',
      mask('orders', ['a', 'b'], first(6)),
      mask('orders', ['b', 'a'], first(2)),
      [
        'weaker masking by i0: field a part of orders (policies/0/rule/numberOfChars)',
        'weaker masking by i0: field b part of orders (policies/0/rule/numberOfChars)',
      ],
    ],
    [
      'a mask of other characters',
      mask('orders', ['a'], { type: 'MASK_LAST_N', numberOfChars: 4 }),
      mask('orders', ['a'], first(8)),
      ['weaker masking by i0: field a part of orders (policies/0/rule/type)'],
    ],
    [
      'an audit of fewer requests',
      audit({ apiKeys: ['PRODUCE', 'FETCH'] }),
      audit({ apiKeys: ['PRODUCE'] }),
      ['weaker audit by i0: request FETCH whole of topics (apiKeys/1)'],
    ],
    [
      'an audit of other users',
      audit({ apiKeys: ['FETCH'], username: 'al.*' }),
      audit({ apiKeys: ['FETCH'], username: 'bo.*' }),
      ['weaker audit by i0: request FETCH whole of topics (username)'],
    ],
    [
      'a safeguard that only records',
      create({ numPartition: { max: 3, action: 'BLOCK' } }),
      create({ numPartition: { max: 3, action: 'INFO' } }),
      ['weaker safeguard by i0: rule numPartition part of topics (numPartition/action)'],
    ],
    [
      'a higher limit',
      create({ numPartition: { max: 3 } }),
      create({ numPartition: { max: 4 } }),
      ['weaker safeguard by i0: rule numPartition part of topics (numPartition/max)'],
    ],
    [
      'a name that may be another',
      create({ namingConvention: { value: 'team-[a-z]+' } }),
      create({ namingConvention: { value: 'team-.*' } }),
      ['weaker safeguard by i0: rule namingConvention part of topics (namingConvention/value)'],
    ],
    [
      'a list of forbidden configs with fewer',
      create({ blacklist: { values: ['a', 'b'] } }),
      create({ blacklist: { values: ['b'] } }),
      ['weaker safeguard by i0: config a whole of topics (blacklist/values/0)'],
    ],
    [
      'a rule without a value: it allows everything',
      create({ cleanupPolicy: { values: ['delete'] }, numPartition: { max: 3 } }),
      create({ cleanupPolicy: { values: [] }, numPartition: { max: 3 } }),
      [
        'weaker safeguard by i0: rule cleanupPolicy whole of topics (cleanupPolicy/values)',
        'weaker safeguard by i0: rule cleanupPolicy whole of topics (cleanupPolicy/values)',
      ],
    ],
    [
      'a payload without a key',
      [
        'EncryptPlugin',
        { recordKey: { payload: { keySecretId: 'x' } }, recordValue: { payload: { keySecretId: 'x' } } },
      ],
      ['EncryptPlugin', { recordKey: { payload: { keySecretId: 'x' } }, recordValue: { payload: {} } }],
      ['weaker encryption by i0: payload recordValue whole of topics (recordValue/payload)'],
    ],
    [
      'fewer headers',
      encrypt({ recordHeader: { header: 'x-.*', fields: [{ fieldName: 'a', keySecretId: 'x' }] } }),
      encrypt({ recordHeader: { header: 'x-a', fields: [{ fieldName: 'a', keySecretId: 'x' }] } }),
      ['weaker encryption by i0: field a part of topics (recordHeader/header)'],
    ],
    [
      'the key of a payload in place of the fields of its value',
      encrypt({ recordValue: { fields: [{ fieldName: 'a', keySecretId: 'x' }] } }),
      encrypt({ recordKey: { payload: { keySecretId: 'x' } } }),
      ['weaker encryption by i0: field a whole of topics (recordValue/fields/0)'],
    ],
    [
      'a lower bound that becomes none',
      create({ retentionMs: { min: 5, max: 10 } }),
      create({ retentionMs: { min: -1, max: 10 } }),
      ['weaker safeguard by i0: rule retentionMs whole of topics (retentionMs/min)'],
    ],
    [
      'a weaker isolation level',
      ['safeguard.FetchPolicyPlugin', { ...FETCH, isolationLevel: { value: 'read_committed' } }],
      ['safeguard.FetchPolicyPlugin', { ...FETCH, isolationLevel: { value: 'read_uncommitted' } }],
      ['weaker safeguard by i0: rule isolationLevel whole of topics (isolationLevel/value)'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(told([before], [after])).toEqual(expected);
  });

  it('one of two masks that goes, and one that another overrides', () => {
    const [cards, all] = [mask('customers-.*', ['card']), mask('.*', ['name'])];
    expect(told([cards, all], [all], ['i1'])).toEqual([
      'weaker masking by i0: field card whole of customers-eu,customers-us ()',
      'weaker masking by i0: field card whole of topics ()', // others that match
    ]);
  });

  it('only for the topics that nothing else protects', () =>
    expect(
      told([mask('.*', ['card'])], [mask('customers-.*', ['card']), mask('orders', ['card'], first(3))]),
    ).toEqual([
      'weaker masking by i0: field card whole of events-.* (topic)',
      'weaker masking by i0: field card part of orders (topic)',
      'weaker masking by i0: field card part of topics (topic)',
    ]));
});

describe('nothing is said of', () => {
  it.each<[string, readonly Given[], readonly Given[]]>([
    ['an equal pattern', [mask('a-.*|b', ['x'])], [mask('^b|(a-)(.*)$', ['x'])]],
    ['an order', [audit({ apiKeys: ['A', 'B'] })], [audit({ apiKeys: ['B', 'A'] })]],
    ['a default', [mask('.*', ['a'])], [mask('.*', ['a'], { type: 'MASK_ALL' })]],
    ['more', [mask('orders', ['a'], first(3))], [mask('orders|x', ['b', 'a'], first(4))]],
    [
      'what two make good',
      [readOnly({ topic: 'a.*' })],
      [readOnly({ topic: 'a' }), readOnly({ topic: 'a.+' })],
    ],
    [
      'another spelling',
      [create({ cleanupPolicy: { value: ['delete'] } })],
      [create({ cleanupPolicy: { values: ['delete'] } })],
    ],
    [
      'an older place of what is encrypted',
      [['EncryptPlugin', { fields: [{ fieldName: 'a', keySecretId: 'x' }], payload: { keySecretId: 'y' } }]],
      [
        [
          'EncryptPlugin',
          {
            recordValue: { fields: [{ fieldName: 'a', keySecretId: 'x' }], payload: { keySecretId: 'y' } },
          },
        ],
      ],
    ],
    [
      'a whole payload in place of its fields',
      [encrypt({ recordValue: { fields: [{ fieldName: 'a', keySecretId: 'x' }] } })],
      [encrypt({ recordValue: { payload: { keySecretId: 'x' } } })],
    ],
    [
      'more headers, of which some were encrypted by their name',
      [encrypt({ recordHeader: { header: 'x-a', payload: { keySecretId: 'x' } } })],
      [encrypt({ recordHeader: { header: 'x-.*', payload: { keySecretId: 'x' } } })],
    ],
    [
      'a lower bound below which nothing is',
      [create({ retentionMs: { min: -1, max: 10 } })],
      [create({ retentionMs: { max: 10 } })],
    ],
    ['an action that is stricter', [readOnly({ action: 'INFO' })], [readOnly({})]],
    [
      'a throttle of an action that blocks',
      [['safeguard.LimitConnectionPolicyPlugin', { maximumConnectionsPerSecond: 3, throttleTimeMs: 100 }]],
      [['safeguard.LimitConnectionPolicyPlugin', { maximumConnectionsPerSecond: 3, throttleTimeMs: 5 }]],
    ],
    [
      'another password for a registry',
      ...['a', 'b'].map((password): readonly Given[] => [
        [
          'FieldLevelDataMaskingPlugin',
          {
            schemaRegistryConfig: { additionalConfigs: { 'basic.auth.user.info': `user:${password}` } },
            policies: [{ fields: ['x'] }],
          },
        ],
      ]),
    ] as [string, readonly Given[], readonly Given[]],
    [
      'a comment, a cache, a policy name',
      [['FieldLevelDataMaskingPlugin', { policies: [{ name: 'a', fields: ['x'] }] }]],
      [
        [
          'FieldLevelDataMaskingPlugin',
          { schemaRegistryConfig: { cacheSize: 5 }, policies: [{ name: 'b', fields: ['x'] }] },
        ],
      ],
    ],
    [
      'an interceptor that did nothing',
      [['safeguard.MessageHeaderRemovalPlugin', { topic: '.*' }], readOnly({}), create({})],
      [readOnly({}), create({ blacklist: { values: ['x'] } })],
    ],
    ['the loss of the whole sort', [audit({ apiKeys: ['A'] })], [mask('.*', ['x'])]],
  ])('%s', (_, before, after) => {
    expect(told(before, after)).toEqual([]);
  });
});

describe('it cannot be told with', () => {
  it.each<[string, readonly Given[], readonly Given[], readonly string[]]>([
    [
      'a pattern that cannot be judged',
      [readOnly({ topic: 'x++' })],
      [readOnly({ topic: 'x+' })],
      ['cannot-tell access by i0: interceptor - part of topics (topic)'],
    ],
    [
      'a placeholder',
      [readOnly({ topic: 'orders' })],
      [readOnly({ topic: '${TOPICS}' })],
      ['hidden access by i0: interceptor - part of orders (topic)'],
    ],
    [
      'an expression that looks around, in place of one that does not',
      [readOnly({ topic: 'x-.*' })],
      [readOnly({ topic: '(?=y)y' })],
      ['hidden access by i0: interceptor - part of topics (topic)'],
    ],
    [
      'an expression that looks around, in place of another one',
      [readOnly({ topic: '(?!x)y.*' })],
      [readOnly({ topic: '(?!xx)y.*' })],
      ['cannot-tell access by i0: interceptor - part of topics (topic)'],
    ],
    [
      'a field that is not known, but not where the rest is weaker',
      [mask('orders', ['a'])],
      [mask('orders', ['a'], { type: 'MASK_FIRST_N', numberOfChars: 1, newer: 1 })],
      ['weaker masking by i0: field a part of orders (policies/0/rule)'],
    ],
    [
      'a placeholder that was there',
      [readOnly({ topic: '${TOPICS}' })],
      [readOnly({ topic: 'orders' })],
      ['cannot-tell access by i0: interceptor - part of topics (topic)'],
    ],
    [
      'an expression that is too large',
      [readOnly({ topic: 'orders|customers-.*' })],
      [readOnly({ topic: '(?:orders|customers-.*|(?:x{99}y){99})' })],
      ['cannot-tell access by i0: interceptor - part of customers-eu,customers-us,orders (topic)'],
    ],
    [
      'another key',
      [['EncryptPlugin', { recordValue: { fields: [{ fieldName: 'a', keySecretId: 'x' }] } }]],
      [['EncryptPlugin', { recordValue: { fields: [{ fieldName: 'a', keySecretId: 'y' }] } }]],
      ['cannot-tell encryption by i0: field a part of topics (recordValue/fields/0/keySecretId)'],
    ],
    [
      'another key, of the whole payload',
      [encrypt({ recordValue: { fields: [{ fieldName: 'a', keySecretId: 'x' }] } })],
      [encrypt({ recordValue: { payload: { keySecretId: 'y' } } })],
      ['cannot-tell encryption by i0: field a part of topics (recordValue/fields/0/keySecretId)'],
    ],
    [
      'another registry that says where the fields are',
      [
        [
          'FieldLevelDataMaskingPlugin',
          { schemaRegistryConfig: { host: 'https://a' }, policies: [{ fields: ['a'] }] },
        ],
      ],
      [['FieldLevelDataMaskingPlugin', { policies: [{ fields: ['a'] }] }]],
      ['cannot-tell masking by i0: field a part of topics (schemaRegistryConfig/host)'],
    ],
    ...[
      { additionalConfigs: { 'bearer.auth.logical.cluster': 'lsrc-1' } },
      { basicCredentials: { accessKey: 'AKIA1' } },
    ].map((registry): [string, readonly Given[], readonly Given[], readonly string[]] => {
      const masked = (schemaRegistryConfig: JsonObject): readonly Given[] => [
        ['FieldLevelDataMaskingPlugin', { schemaRegistryConfig, policies: [{ fields: ['a'] }] }],
      ];
      const key = Object.keys(registry).join();
      return [
        `another registry by its ${key}`,
        masked(registry),
        masked(JSON.parse(JSON.stringify(registry).replace('1', '2')) as JsonObject),
        [expect.stringContaining(`field a part of topics (schemaRegistryConfig/${key}`) as string],
      ];
    }),
    [
      'a field that is not known',
      [
        [
          'FieldLevelDataMaskingPlugin',
          { topic: 'orders', newer: 1, policies: [{ name: 'p', fields: ['a'] }] },
        ],
      ],
      [
        [
          'FieldLevelDataMaskingPlugin',
          { topic: 'orders', newer: 2, policies: [{ name: 'p', fields: ['a'] }] },
        ],
      ],
      ['cannot-tell masking by i0: field a part of orders (newer)'],
    ],
    [
      'a field that is not known, and is new, in a policy and in a rule',
      [mask('orders', ['a', 'b'])],
      [
        [
          'FieldLevelDataMaskingPlugin',
          {
            topic: 'orders',
            policies: [
              { name: 'p', fields: ['a'], newer: {} },
              { name: 'q', fields: ['b'], rule: { type: 'MASK_ALL', newer: 1 } },
            ],
          },
        ],
      ],
      [
        'cannot-tell masking by i0: field a part of orders (policies/0)',
        'cannot-tell masking by i0: field b part of orders (policies/0/rule)',
      ],
    ],
    [
      'requests that are no longer listed',
      [audit({ apiKeys: ['FETCH'] })],
      [audit({})],
      ['cannot-tell audit by i0: request FETCH part of topics (apiKeys/0)'],
    ],
    [
      'an empty list of requests, where there was none',
      [audit({})],
      [audit({ apiKeys: [] })],
      ['cannot-tell audit by i0: request - part of topics (apiKeys)'],
    ],
    [
      'an empty list of partitions, where there was none',
      [audit({ apiKeys: ['FETCH'] })],
      [audit({ apiKeys: ['FETCH'], topicPartitions: [] })],
      ['cannot-tell audit by i0: request FETCH part of topics (topicPartitions)'],
    ],
    [
      'a custom class',
      [['com.example.Own', { a: 1 }]],
      [['com.example.Own', { a: 2 }]],
      ['cannot-tell own by i0: interceptor - part (/spec/config)'],
    ],
    [
      'another class of the sort',
      [['EncryptPlugin', { recordValue: { payload: { keySecretId: 'x' } } }]],
      [['EncryptSchemaBasedPlugin', {}]],
      ['cannot-tell encryption by i0: payload recordValue whole of topics (/spec/pluginClass)'],
    ],
    [
      'another class of the sort, but for topics that this one is not for',
      [['EncryptPlugin', { topic: 'orders|customers-.*', recordValue: { payload: { keySecretId: 'x' } } }]],
      [['EncryptSchemaBasedPlugin', { topic: 'customers-us' }]],
      [
        'weaker encryption by i0: payload recordValue whole of customers-eu,orders (/spec/pluginClass)',
        'weaker encryption by i0: payload recordValue whole of topics (/spec/pluginClass)',
      ],
    ],
    [
      'many of its class, but for topics that none of them is for',
      [audit({})],
      Array.from({ length: 9 }, (_, at) => audit({ topic: `t${at}`, consumerGroupId: `g${at}` })),
      ['weaker audit by i0: request - whole of topics (topic,consumerGroupId)'],
    ],
    [
      'two patterns in place of one that both are wider than',
      [named('team-.*')],
      [named('[a-z].*'), named('.*[a-z*]')],
      ['hidden safeguard by i0: rule groupId part (groupId/value)'],
    ],
    [
      'another class that is not known',
      [mask('orders', ['a'])],
      [['com.example.mask.Own', { topic: 'x' }]],
      ['cannot-tell masking by i0: field a whole of orders (/spec/pluginClass)'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });
});
