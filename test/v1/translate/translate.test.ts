import { readFileSync } from 'node:fs';
import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { groupBy } from '../../../src/model/collect.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { makePlaceholder } from '../../../src/declare/declared.ts';
import { translate } from '../../../src/v1/translate/translate.ts';
import { readDocument } from '../../support/markdown.ts';
import {
  callsOf,
  CHECKS,
  outcomesOf,
  readAlone,
  specsOf,
  translated,
  unread,
  type Written,
} from './calls.ts';
import { sharedFolder } from '../../support/shared.ts';

const READ_ONLY = 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin';
const ENCRYPT = 'io.conduktor.gateway.interceptor.EncryptPlugin';
const token = (vc: string, user: string): Written => [
  `POST /admin/vclusters/v1/vcluster/${vc}/username/${user}`,
  { lifeTimeSeconds: 3600 },
];
const audit = { pluginClass: READ_ONLY, priority: 5, config: { topic: 'audit' } };

describe('user mappings and tokens', () => {
  it('become accounts, groups over all mappings, and virtual clusters', () => {
    const made = translated(
      ['POST /admin/userMappings/v1', { username: 'alice', principal: 'uuid-1', groups: ['readers'] }],
      [
        'PUT /admin/userMappings/v1/vcluster/prod/username/bob',
        { username: 'bob', groups: ['readers', 'ops'] },
      ],
      token('prod', 'carol'),
      ['POST /admin/username/dave', { lifeTimeSeconds: 60 }],
    );
    expect(specsOf(made)).toEqual({
      'VirtualCluster/prod': {},
      'GatewayServiceAccount/alice@vCluster=passthrough': { type: 'EXTERNAL', externalNames: ['uuid-1'] },
      'GatewayServiceAccount/bob@vCluster=prod': { type: 'EXTERNAL', externalNames: ['bob'] },
      'GatewayServiceAccount/carol@vCluster=prod': { type: 'LOCAL' },
      'GatewayServiceAccount/dave@vCluster=passthrough': { type: 'LOCAL' },
      'GatewayGroup/readers': {
        members: [
          { name: 'alice', vCluster: 'passthrough' },
          { name: 'bob', vCluster: 'prod' },
        ],
        externalGroups: [],
      },
      'GatewayGroup/ops': { members: [{ name: 'bob', vCluster: 'prod' }], externalGroups: [] },
    });
    expect(made.calls[1]?.to).toEqual([
      'VirtualCluster/prod',
      'GatewayServiceAccount/bob@vCluster=prod',
      'GatewayGroup/readers',
      'GatewayGroup/ops',
    ]);
    expect(outcomesOf(made)).toEqual([
      ['converted', ''],
      ['converted', ''],
      [
        'converted',
        'to get a token: gwconf token issue GatewayServiceAccount/carol@vCluster=prod --lifetime 3600s',
      ],
      [
        'converted',
        'to get a token: gwconf token issue GatewayServiceAccount/dave@vCluster=passthrough --lifetime 60s',
      ],
    ]);
  });

  it('get new names where v2 refuses the old ones, and scopes, groups and external names follow', () => {
    const dn = encodeURIComponent('CN=alice,OU=Payments');
    const made = translated(
      ['POST /admin/userMappings/v1', { username: 'CN=alice,OU=Payments', groups: ['pay team'] }],
      token('prod', 'sa'),
      [`PUT /admin/interceptors/v1/username/${dn}/interceptor/audit`, audit],
      ['PUT /admin/interceptors/v1/group/pay%20team/interceptor/audit', audit],
      ['PUT /admin/interceptors/v1/vcluster/prod/username/sa/interceptor/audit', audit],
      ['PUT /admin/interceptors/v1/username/CN=nobody/interceptor/audit', audit],
    );
    expect(Object.keys(specsOf(made))).toEqual([
      'VirtualCluster/prod',
      'GatewayServiceAccount/alice@vCluster=passthrough',
      'GatewayServiceAccount/sa-account@vCluster=prod',
      'GatewayGroup/pay-team',
      'Interceptor/audit@vCluster=passthrough,username=alice',
      'Interceptor/audit@vCluster=passthrough,group=pay-team',
      'Interceptor/audit@vCluster=prod,username=sa-account',
      'Interceptor/audit@vCluster=passthrough,username=CN=nobody',
    ]);
    expect(specsOf(made)['GatewayServiceAccount/alice@vCluster=passthrough']).toEqual({
      type: 'EXTERNAL',
      externalNames: ['CN=alice,OU=Payments'],
    });
    expect(outcomesOf(made).slice(2)).toEqual([
      ['converted with a choice', 'its user is now alice'],
      ['converted with a choice', 'v2 refuses the name of the group, which is now pay-team'],
      ['converted with a choice', 'its user is now sa-account'],
      [
        'converted',
        'the account CN=nobody was not found; if it is LOCAL, it needs a new name in v2, also in this scope',
      ],
    ]);
  });

  it('keep one account for an identity, and tokens for LOCAL accounts', () => {
    const made = translated(
      ['POST /admin/userMappings/v1', { username: 'one', principal: 'same', groups: ['g'] }],
      ['POST /admin/userMappings/v1/vcluster/prod', { username: 'two', principal: 'same' }],
      ['POST /admin/userMappings/v1', { username: 'three', principal: 'other' }],
      ['POST /admin/username/three', { lifeTimeSeconds: 60 }],
      ['POST /admin/userMappings/v1', { username: 'four', groups: ['h'] }],
      ['POST /admin/username/four', { lifeTimeSeconds: 60 }],
    );
    expect(specsOf(made)).toMatchObject({
      'GatewayServiceAccount/two@vCluster=prod': { externalNames: ['same'] },
      'GatewayServiceAccount/three@vCluster=passthrough': { type: 'EXTERNAL' },
      'GatewayServiceAccount/four@vCluster=passthrough': { type: 'LOCAL' },
      'GatewayGroup/h': { members: [{ name: 'four', vCluster: 'passthrough' }] },
    });
    expect(Object.keys(specsOf(made))).not.toContain('GatewayGroup/g');
    expect(outcomesOf(made).map(([outcome]) => outcome)).toEqual([
      'cannot',
      'converted',
      'converted',
      'cannot',
      'converted with a choice',
      'converted',
    ]);
    expect(made.calls[0]?.why).toContain('old.sh:2 maps this one to two in prod');
    expect(made.calls[3]?.why).toContain('three is EXTERNAL because of old.sh:3');
  });
});

describe('topics and concentration rules', () => {
  it('become alias topics, interceptors that block writes, and rules with a name', () => {
    const topics = '/admin/vclusters/v1/vcluster/prod/topics';
    const rules = '/admin/vclusters/v1/vcluster/prod/concentration-rules';
    const made = translated(
      [`POST ${topics}/orders.v1`, { physicalTopicName: 'real', readOnly: true, type: 'alias' }],
      [`POST ${topics}/events`, { physicalTopicName: 'all', readOnly: false, type: 'CONCENTRATED' }],
      [`POST ${topics}/old.one`, { physicalTopicName: 'all', concentrated: true }],
      ['POST /internal/alias-topic/prod/eu_cars', { clusterId: 'main', physicalTopicName: 'cars' }],
      ['POST /internal/alias-topic/prod/us_cars', { clusterId: 'us', physicalTopicName: 'cars' }],
      [`POST ${rules}`, { pattern: 'events-.*', physicalTopicName: 'a', physicalTopicCompactedName: 'b' }],
      [`POST ${rules}`, { pattern: 'events', physicalTopicName: 'a', autoManaged: true }],
      [`POST ${rules}`, { pattern: '.*', physicalTopicName: 'a', physicalTopicCompactedDeletedName: 'c' }],
    );
    const specs = specsOf(made);
    expect(specs).toMatchObject({
      'VirtualCluster/prod': {},
      'AliasTopic/orders.v1@vCluster=prod': { physicalName: 'real' },
      'AliasTopic/eu_cars@vCluster=prod': { physicalName: 'cars' },
      'Interceptor/read-only-orders.v1@vCluster=prod': {
        comment: 'Clients must not write to orders.v1',
        pluginClass: READ_ONLY,
        priority: 1,
        config: { topic: 'orders\\.v1', action: 'BLOCK' },
      },
    });
    expect(Object.keys(specs)).toHaveLength(9);
    const named = Object.entries(specs).filter(([address]) => address.startsWith('ConcentrationRule'));
    expect(named.map(([, spec]) => spec)).toEqual([
      { pattern: 'events', physicalTopics: { delete: 'all' } },
      { pattern: 'old\\.one', physicalTopics: { delete: 'all' } },
      { pattern: 'events-.*', physicalTopics: { delete: 'a', compact: 'b' } },
      { pattern: 'events', physicalTopics: { delete: 'a' }, autoManaged: true },
      { pattern: '.*', physicalTopics: { delete: 'a', deleteCompact: 'c' } },
    ]);
    expect(made.calls.map(({ outcome }) => outcome)).toEqual([
      'converted with a choice',
      'converted with a choice',
      'converted with a choice',
      'converted',
      'cannot',
      'converted with a choice',
      'converted with a choice',
      'converted with a choice',
    ]);
  });

  it('were concentrated by a pattern in 2.x, which is a rule now', () => {
    const topics = '/admin/vclusters/v1/vcluster/prod/topics';
    const body = { physicalTopicName: 'all', concentrated: true, readOnly: false };
    const made = translated(
      [`POST ${topics}/events-.%2A`, body],
      [`POST ${topics}/gone.%2A`, body],
      [`DELETE ${topics}/gone.%2A`],
      [`POST ${topics}/us-.%2A`, { ...body, concentrated: false }],
      [`POST ${topics}/a%20b`, body],
    );
    expect(specsOf(made)).toEqual({
      'VirtualCluster/prod': {},
      'ConcentrationRule/events@vCluster=prod': {
        pattern: 'events-.*',
        physicalTopics: { delete: 'all' },
      },
    });
    expect(outcomesOf(made)).toEqual([
      [
        'converted with a choice',
        'rules of v1 have no name: this one is ConcentrationRule/events@vCluster=prod',
      ],
      ['converted', 'deleted by old.sh:3'],
      ['converted', ''],
      ['cannot', 'it maps topics by a pattern, and an alias of v2 is for one topic'],
      ['cannot', 'Kafka has no topic of that name'],
    ]);
  });

  it('are taken away by later calls', () => {
    const topics = '/admin/vclusters/v1/vcluster/prod/topics';
    const rules = '/admin/vclusters/v1/vcluster/prod/concentration-rules';
    const made = translated(
      [`POST ${topics}/a`, { physicalTopicName: 'x', type: 'alias', readOnly: true }],
      [`POST ${topics}/b`, { physicalTopicName: 'x', type: 'alias' }],
      [`DELETE ${topics}/a`],
      [`DELETE ${topics}`],
      [`DELETE ${topics}/a`],
      [`POST ${rules}`, { pattern: 'a.*', physicalTopicName: 'a' }],
      [`POST ${rules}`, { pattern: 'b.*', physicalTopicName: 'a' }],
      [`DELETE ${rules}?pattern=a.*`],
      [`DELETE ${rules}`],
    );
    expect(Object.keys(specsOf(made))).toEqual(['VirtualCluster/prod']);
    expect(outcomesOf(made)[0]).toEqual(['converted', 'deleted by old.sh:3']);
    expect(outcomesOf(made)[4]?.[0]).toBe('converted with a choice');
    expect(outcomesOf(made)[4]?.[1]).toContain('no call before it creates the topic mapping a');
    expect(outcomesOf(made)[6]).toEqual(['converted', 'deleted by old.sh:9']);
  });

  it.each([
    ['a script runs', 'old.sh', 'converted', 'deleted by lib.sh:2'],
    [
      'nobody runs',
      'lib.sh',
      'converted with a choice',
      'deleted by lib.sh:2, if that is run later, as it is taken to be',
    ],
  ])('are taken away by a file that %s', (_, part, outcome, why) => {
    const topic = '/admin/vclusters/v1/vcluster/prod/topics/a';
    const [first, ...more] = callsOf(
      [`POST ${topic}`, { physicalTopicName: 'x', type: 'alias' }],
      [`DELETE ${topic}`],
    );
    const calls = [{ ...first, part: 'old.sh' }, ...more.map((one) => ({ ...one, file: 'lib.sh', part }))];
    expect(outcomesOf(translate(calls as typeof more, CHECKS))[0]).toEqual([outcome, why]);
  });
});

describe('interceptors', () => {
  it('have the scope of their path; a later call wins, and timeoutMs is dropped', () => {
    const paths = [
      '',
      '/global',
      '/username/ann',
      '/group/g',
      '/vcluster/v',
      '/vcluster/v/username/u',
      '/vcluster/v/group/g',
    ];
    const made = translated(
      ...paths.map((path): Written => [`POST /admin/interceptors/v1${path}/interceptor/audit`, audit]),
      [
        'PUT /admin/interceptors/v1/vcluster/passthrough/interceptor/audit',
        { ...audit, priority: 7, timeoutMs: 9 },
      ],
      ['DELETE /admin/interceptors/v1/global/interceptor/audit'],
    );
    expect(Object.keys(specsOf(made)).filter((address) => address.startsWith('Interceptor'))).toEqual([
      'Interceptor/audit@vCluster=passthrough',
      'Interceptor/audit@vCluster=passthrough,username=ann',
      'Interceptor/audit@vCluster=passthrough,group=g',
      'Interceptor/audit@vCluster=v',
      'Interceptor/audit@vCluster=v,username=u',
      'Interceptor/audit@vCluster=v,group=g',
    ]);
    expect(specsOf(made)['Interceptor/audit@vCluster=passthrough']).toMatchObject({ priority: 7 });
    expect(outcomesOf(made)[0]).toEqual(['converted', 'replaced by old.sh:8']);
    expect(outcomesOf(made)[7]).toEqual(['converted', 'timeoutMs is dropped']);
    expect(outcomesOf(made)[3]?.[1]).toContain('declared without any');
  });

  it.each([
    [
      'DataQualityProducerPlugin',
      { statement: 'SELECT 1' },
      'safeguard.DataQualityProducerPlugin',
      { statement: 'SELECT 1' },
    ],
    [
      'EncryptPlugin',
      {
        topic: 't',
        fields: [{ fieldName: 'f', keySecretId: 'k', algorithm: { type: 'AES_GCM', kms: 'IN_MEMORY' } }],
      },
      'EncryptPlugin',
      {
        topic: 't',
        recordValue: {
          fields: [{ fieldName: 'f', keySecretId: 'in-memory-kms://k', algorithm: 'AES128_GCM' }],
        },
      },
    ],
    [
      'EncryptPlugin',
      {
        kmsConfig: { vault: { uri: 'http://v:8200' } },
        payload: { keySecretId: 'k', algorithm: { type: 'TINK/AES128_EAX', kms: 'VAULT' } },
      },
      'EncryptPlugin',
      {
        kmsConfig: { vault: { uri: 'http://v:8200' } },
        recordValue: {
          payload: { keySecretId: 'vault-kms://v:8200/transit/keys/k', algorithm: 'AES128_EAX' },
        },
      },
    ],
    [
      'DecryptPlugin',
      { topic: 't', fields: ['a'] },
      'DecryptPlugin',
      { topic: 't', recordValueFields: ['a'] },
    ],
    [
      'LargeMessageHandlingPlugin',
      { topic: 't', s3Config: { bucketName: 'b', localDiskDirectory: 'd/' } },
      'LargeMessageHandlingPlugin',
      { topic: 't', s3Config: { bucketName: 'b' }, localDiskDirectory: 'd/' },
    ],
    [
      'safeguard.CreateTopicPolicyPlugin',
      { topic: 't', numPartition: { max: 3, whatToDo: 'BLOCK' }, namingConvention: { value: 'a.*' } },
      'safeguard.CreateTopicPolicyPlugin',
      { topic: 't', numPartition: { max: 3, action: 'BLOCK' }, namingConvention: { value: 'a.*' } },
    ],
  ])('turn an old %s into that of today', (pluginClass, config, today, expected) => {
    const prefix = 'io.conduktor.gateway.interceptor.';
    const made = translated([
      'POST /admin/interceptors/v1/interceptor/x',
      { pluginClass: prefix + pluginClass, priority: 1, config },
    ]);
    expect(Object.values(specsOf(made))).toEqual([
      { pluginClass: prefix + today, priority: 1, config: expected },
    ]);
    expect(made.calls[0]?.outcome).toBe('converted with a choice');
  });

  it('are a choice where an answer decides whether they are made', () => {
    const calls = callsOf(['PUT /admin/interceptors/v1/interceptor/x', audit]).map((call) => ({
      ...call,
      choice: 'the answer of a call in line 1',
    }));
    expect(outcomesOf(translate(calls, CHECKS))).toEqual([
      ['converted with a choice', 'the answer of a call in line 1 decides whether it is made'],
    ]);
  });

  it.each([
    ['io.conduktor.gateway.interceptor.AclsInterceptorPlugin', {}, 'was removed in gateway 3.1.0'],
    ['io.conduktor.gateway.interceptor.MaskingPlugin', {}, 'does not exist'],
    [ENCRYPT, { topic: 't', fields: 'f' }, '/fields of EncryptPlugin: expected a list'],
    [READ_ONLY, { nothing: 'a' }, 'has no field nothing'],
    [READ_ONLY, { topics: 'a' }, 'has no field topics'],
  ])('cannot be %s with %o', (pluginClass, config, why) => {
    const made = translated([
      'POST /admin/interceptors/v1/interceptor/x',
      { pluginClass, priority: 1, config },
    ]);
    expect(specsOf(made)).toEqual({});
    expect(made.calls[0]).toMatchObject({ outcome: 'cannot', to: [] });
    expect(made.calls[0]?.why).toContain(why);
  });
});

describe('every call has an outcome', () => {
  it.each<[Written, string, string]>([
    [['GET /admin/interceptors/v1/all'], 'imperative', 'use gwconf get Interceptor'],
    [['GET /admin/interceptors/v1/global'], 'imperative', 'use gwconf get Interceptor'],
    [['POST /admin/interceptors/v1/resolve', {}], 'imperative', 'use gwconf resolve --as USER'],
    [
      ['POST /admin/pclusters/v1/pcluster/main/switch?to=dr'],
      'imperative',
      'use gwconf cluster switch --to dr',
    ],
    [
      ['POST /admin/pclusters/v1/pcluster/main/switch?to=$(id)'],
      'imperative',
      'use gwconf cluster switch --to CLUSTER',
    ],
    [['GET /admin/plugins/v1/extended'], 'imperative', 'use gwconf plugins'],
    [['GET /health'], 'imperative', 'use gwconf doctor'],
    [['GET /lb/admin/vclusters/v1/'], 'imperative', 'use gwconf get VirtualCluster'],
    [['POST /admin/vclusters/v1/rerouting/a/b'], 'cannot', 'gateway 3.0 removed rerouting'],
    [['PATCH /admin/userMappings/v1', {}], 'cannot', 'gwconf knows no PATCH of this path'],
    [['GET /'], 'cannot', 'gwconf knows no GET of this path'],
    [['POST /admin/userMappings/v1'], 'cannot', 'it has no body'],
    [['POST /admin/userMappings/v1', { username: 7 }], 'cannot', 'username of its body is not text'],
    [
      ['POST /admin/userMappings/v1', { username: '{{userIp}}' }],
      'cannot',
      'username has a template: {{userIp}}',
    ],
    [['POST /admin/username/%zz'], 'cannot', 'its path has a broken escape'],
    [['POST /admin/username/..'], 'cannot', 'the username in its path is not a name'],
    [
      ['POST /admin/interceptors/v1/interceptor/x', { pluginClass: 'a.B' }],
      'cannot',
      'priority of its body is not an integer',
    ],
    [
      token('my%20cluster', 'ann'),
      'cannot',
      'v2 refuses the name of the virtual cluster, and under another name it would not have its topics',
    ],
    [
      [`POST /admin/username/${makePlaceholder('USER')}`],
      'cannot',
      'the username in its path depends on the variable USER, whose value the file does not say',
    ],
  ])('%s', (written, outcome, why) => {
    expect(outcomesOf(translated(written))).toEqual([[outcome, why]]);
  });

  it('also one that could not be read', () => {
    expect(translate([unread('its URL comes from a program')], CHECKS).calls).toEqual([
      { file: 'old.sh', line: 1, outcome: 'cannot', why: 'its URL comes from a program', to: [] },
    ]);
  });

  it('calls of other gateways make another state', () => {
    const [one] = callsOf(token('prod', 'ann'));
    if (one === undefined) throw new Error('no call');
    const { gateways } = translate([one, { ...one, gateway: 'http://other:8888' }], CHECKS);
    expect(gateways.map(({ gateway }) => gateway)).toEqual(['http://old:8888', 'http://other:8888']);
  });
});

it('leaves what there is as it is where a call to v2 cannot be converted', () => {
  const group = (spec: JsonObject): Written => [
    'PUT /gateway/v2/group',
    { metadata: { name: 'team' }, spec },
  ];
  const made = translated(
    ['POST /admin/userMappings/v1', { username: 'ann', principal: 'uuid-1' }],
    group({ members: [{ name: 'ann' }] }),
    group({ members: 'ann' }),
    group({ members: [{ vCluster: 'prod' }] }),
    ['PUT /gateway/v2/concentration-rule', { metadata: { name: 'all', vCluster: 'prod' }, spec: {} }],
  );
  expect(specsOf(made)).toEqual({
    'GatewayServiceAccount/ann@vCluster=passthrough': { type: 'EXTERNAL', externalNames: ['uuid-1'] },
    'GatewayGroup/team': { members: [{ name: 'ann', vCluster: 'passthrough' }], externalGroups: [] },
  });
  expect(outcomesOf(made)).toEqual([
    ['converted', ''],
    ['converted', ''],
    ['cannot', 'spec of its body has no lists of members'],
    ['cannot', 'its body has no name'],
    ['cannot', 'its body has no pattern'],
  ]);
});

it('takes calls to v2, too, as one state with those to v1', () => {
  const made = translated(
    [
      'PUT /gateway/v2/virtual-cluster',
      { metadata: { name: 'prod' }, spec: { type: 'Partner', aclEnabled: true, superUsers: ['ann'] } },
    ],
    ['POST /internal/alias-topic/prod/cars', { clusterId: 'us', physicalTopicName: 'cars' }],
    [
      'PUT /gateway/v2/service-account',
      { metadata: { name: 'ann', vCluster: 'prod' }, spec: { type: 'local' } },
    ],
    [
      'PUT /gateway/v2/group',
      { metadata: { name: 'g' }, spec: { members: [{ name: 'ann', vCluster: 'prod' }] } },
    ],
    ['PUT /gateway/v2/interceptor', { metadata: { name: 'audit', scope: { username: 'ann' } }, spec: audit }],
    ['PUT /gateway/v2/interceptor', { metadata: { name: 'audit', scope: { vCluster: null } }, spec: audit }],
    ['DELETE /gateway/v2/interceptor/audit', { username: 'ann' }],
    ['DELETE /gateway/v2/alias-topic', { name: 'other' }],
  );
  expect(specsOf(made)).toEqual({
    'VirtualCluster/prod': { type: 'Partner', aclEnabled: true, superUsers: ['ann'] },
    'AliasTopic/cars@vCluster=prod': { physicalName: 'cars', physicalCluster: 'us' },
    'GatewayServiceAccount/ann@vCluster=prod': { type: 'LOCAL' },
    'GatewayGroup/g': { members: [{ name: 'ann', vCluster: 'prod' }], externalGroups: [] },
    'Interceptor/audit@global': audit,
  });
});

describe('what calls to v1 have made, as v2 lists it', () => {
  const cluster = (name: string, spec: JsonObject): Written => [
    'PUT /gateway/v2/virtual-cluster',
    { metadata: { name }, spec },
  ];

  it('keeps concentration rules: a gateway lists one of v1 under its pattern', () => {
    const made = translated(
      cluster('prod', {}),
      ...['ev-.*', 'EV-.*', 'events'].map((name): Written => [
        'PUT /gateway/v2/concentration-rule',
        { metadata: { name, vCluster: 'prod' }, spec: { pattern: name, physicalTopics: { delete: 'd' } } },
      ]),
    );
    expect(Object.keys(specsOf(made)).filter((address) => address.startsWith('Conc'))).toEqual([
      'ConcentrationRule/ev@vCluster=prod',
      'ConcentrationRule/EV@vCluster=prod',
      'ConcentrationRule/events@vCluster=prod',
    ]);
    expect(made.calls.map(({ outcome }) => outcome).slice(1)).toEqual([
      'converted with a choice',
      'converted with a choice',
      'converted',
    ]);
  });

  it('gives super users and principals the names that their accounts have now', () => {
    const acl = (principal: string): JsonObject => ({
      resourcePattern: { resourceType: 'TOPIC', name: '*', patternType: 'LITERAL' },
      ...{ principal, host: '*', operation: 'READ', permissionType: 'ALLOW' },
    });
    const account = (vCluster: string): Written => [
      'PUT /gateway/v2/service-account',
      { metadata: { name: 'sa', vCluster }, spec: { type: 'LOCAL' } },
    ];
    const made = translated(
      cluster('one', { aclEnabled: true, superUsers: ['sa', 'ann'] }),
      cluster('two', { aclEnabled: true, aclMode: 'REST_API', acls: [acl('User:sa'), acl('User:ann')] }),
      account('one'),
      account('two'),
    );
    expect(specsOf(made)).toMatchObject({
      'VirtualCluster/one': { superUsers: ['sa-account', 'ann'] },
      'VirtualCluster/two': { acls: [acl('User:sa-account'), acl('User:ann')] },
    });
  });

  it('tells which interceptors are for an account that is not there and will have another name', () => {
    const at = '/admin/interceptors/v1/vcluster/prod/username';
    const made = translated(
      [`PUT ${at}/sa/interceptor/one`, audit],
      [`PUT ${at}/ann/interceptor/two`, audit],
    );
    expect(outcomesOf(made)).toEqual([
      [
        'converted',
        'the account sa was not found; if it is LOCAL, it needs a new name in v2, also in this scope',
      ],
      ['converted', ''],
    ]);
  });

  it('is not converted only because its virtual cluster is', () => {
    const removed = 'io.conduktor.gateway.interceptor.AclsInterceptorPlugin';
    const made = translated(cluster('prod', {}), [
      'POST /admin/interceptors/v1/vcluster/prod/interceptor/acl',
      { ...audit, pluginClass: removed },
    ]);
    expect(outcomesOf(made).map(([outcome]) => outcome)).toEqual(['converted', 'cannot']);
  });
});

it('shows a variable in a path as a variable', () => {
  const made = translated([`POST /admin/username/${makePlaceholder('WHO')}`, { lifeTimeSeconds: 1 }]);
  expect(made.calls).toMatchObject([{ path: '/admin/username/${WHO}', outcome: 'cannot' }]);
});

it('does not take the square of the number of calls', () => {
  const many = Array.from({ length: 800 }, (_, at): Written[] => [
    token('prod', `u${at}`),
    ['PUT /admin/interceptors/v1/interceptor/same', { ...audit, config: { topics: String(at) } }],
    [`POST /admin/interceptors/v1/interceptor/x${at}`, { ...audit, config: { topics: 'a' } }],
  ]).flat();
  expect(outcomesOf(translated(...many)).filter(([outcome]) => outcome === 'cannot')).toHaveLength(1600);
});

it('is total: any call of any shape has an outcome', () => {
  const segment = fc.constantFrom(
    'admin',
    'interceptors',
    'v1',
    'vcluster',
    'a',
    'username',
    'interceptor',
    'userMappings',
    '%20',
    '..',
    'gateway',
    'v2',
    'group',
  );
  const call = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
    path: fc.array(segment, { maxLength: 8 }).map((segments) => `/${segments.join('/')}`),
    body: fc.option(fc.jsonValue({ maxDepth: 3 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 5 }), (calls) => {
      const made = calls.map((one) => ({
        file: 'f',
        line: 1,
        gateway: '',
        query: {},
        ...one,
        body: one.body as never,
      }));
      expect(translate(made, CHECKS).calls).toHaveLength(calls.length);
    }),
    { numRuns: 300 },
  );
});

const CORPUS = sharedFolder('corpus-v1');

it.skipIf(CORPUS.isAbsent)(`converts the calls of ${CORPUS.title}`, () => {
  const calls = CORPUS.files.flatMap((name) => {
    const text = readFileSync(new URL(name, CORPUS.url), 'utf8');
    return translate(readAlone(name, text).calls, CHECKS).calls;
  });
  const byOutcome = groupBy(calls, ({ outcome }) => outcome);
  const [converted, chosen, imperative, cannot] = (
    ['converted', 'converted with a choice', 'imperative', 'cannot'] as const
  ).map((outcome) => byOutcome.get(outcome)?.length ?? 0);
  expect([converted, chosen, imperative, cannot]).toEqual([43, 35, 28, 3]);
  const page = readDocument('docs/reference/v1.md').replace(/\s+/g, ' ');
  expect(page).toContain(
    `make ${calls.length} calls to v1. Of these gwconf converts ${converted} as they are and ${chosen} with a choice, names a command for ${imperative}, and cannot convert ${cannot}:`,
  );
});
