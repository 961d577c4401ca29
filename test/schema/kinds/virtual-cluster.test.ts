import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { virtualCluster } from '../../../src/schema/kinds/virtual-cluster.ts';
import { printYaml } from '../../../src/schema/yaml/print.ts';
import { problemsOf, sentencesOf } from '../../support/expect-problems.ts';
import { kindSuite, normal, refusals, refusalsOfSpec } from '../../support/kind-suite.ts';

kindSuite(virtualCluster, 'VirtualCluster/prod');

const acl = {
  resourcePattern: { resourceType: 'TOPIC', name: 'customers', patternType: 'LITERAL' },
  principal: 'User:username1',
  host: '*',
  operation: 'READ',
  permissionType: 'ALLOW',
};
const rest = { aclEnabled: true, aclMode: 'REST_API', acls: [acl] };

describe('the name of a virtual cluster', () => {
  it.each(['a', 'team-A_1', 'team.payments', '0'])('may be %s', (name) => {
    expect(refusals(virtualCluster, { metadata: { name } })).toEqual([]);
  });

  it.each(['', 'a b', 'a/b', 'é', 'a@b'])('may not be %j', (name) => {
    expect(refusals(virtualCluster, { metadata: { name } })).toEqual(['invalid-value /metadata/name']);
  });

  it('is not that of the one that always exists', () => {
    expect(refusals(virtualCluster, { metadata: { name: 'passthrough' } })).toEqual([
      'reserved-name /metadata/name',
    ]);
  });

  it('is all of its identity', () => {
    expect(virtualCluster.axes).toEqual([]);
  });
});

describe('the spec of a virtual cluster', () => {
  it('may be empty, and then has the defaults', () => {
    expect(refusals(virtualCluster, { spec: {} })).toEqual([]);
    expect(normal(virtualCluster, { name: 'a' }, {}).spec).toEqual({
      aclEnabled: false,
      type: 'Standard',
      superUsers: [],
      acls: [],
    });
    expect(normal(virtualCluster, { name: 'a' }, { aclEnabled: true }).spec).toMatchObject({
      aclMode: 'KAFKA_API',
    });
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['aclEnabled is a flag', { aclEnabled: 'true' }, ['invalid-value /spec/aclEnabled']],
    [
      'superUsers are texts',
      { superUsers: [1, ''] },
      ['invalid-value /spec/superUsers/0', 'invalid-value /spec/superUsers/1'],
    ],
    ['superUsers are a list', { superUsers: 'admin' }, ['invalid-value /spec/superUsers']],
    ['type is one of two', { type: 'Shared' }, ['invalid-value /spec/type']],
    ['type has its case', { type: 'standard' }, ['invalid-value /spec/type']],
    ['aclMode is one of two', { aclMode: 'REST' }, ['invalid-value /spec/aclMode']],
    ['acls are a list', { acls: {} }, ['invalid-value /spec/acls']],
  ])('%s', (_, spec, expected) => {
    expect(refusalsOfSpec(virtualCluster, spec)).toEqual(expected);
  });

  it.each([
    ['aclEnabled', true],
    ['type', 'Partner'],
    ['superUsers', ['a', 'b']],
  ])('takes %s: %j', (field, value) => {
    expect(refusalsOfSpec(virtualCluster, { [field]: value })).toEqual([]);
  });
});

it('has super users without User:', () => {
  const spec = { aclEnabled: true, superUsers: ['admin', 'User:root'] };
  expect(refusals(virtualCluster, { spec })).toEqual(['unusual-value /spec/superUsers/1']);
});

describe('the ACLs of a virtual cluster', () => {
  it('are accepted with REST_API', () => {
    expect(refusals(virtualCluster, { spec: rest })).toEqual([]);
    expect(refusals(virtualCluster, { spec: { ...rest, acls: [] } })).toEqual([]);
  });

  const OPERATIONS: Readonly<Record<string, string>> = {
    CLUSTER: 'ALTER ALTER_CONFIGS CLUSTER_ACTION CREATE DESCRIBE DESCRIBE_CONFIGS IDEMPOTENT_WRITE',
    DELEGATION_TOKEN: 'DESCRIBE',
    GROUP: 'DELETE DESCRIBE READ',
    TOPIC: 'ALTER ALTER_CONFIGS CREATE DELETE DESCRIBE DESCRIBE_CONFIGS READ WRITE',
    TRANSACTIONAL_ID: 'DESCRIBE WRITE',
  };
  const EVERY =
    'ALL ALTER ALTER_CONFIGS CLUSTER_ACTION CREATE CREATE_TOKENS DELETE DESCRIBE DESCRIBE_CONFIGS DESCRIBE_TOKENS IDEMPOTENT_WRITE READ UNKNOWN WRITE'.split(
      ' ',
    );
  const on = (resourceType: string, name = '*'): JsonObject => ({
    resourcePattern: { resourceType, name, patternType: 'LITERAL' },
  });

  it.each(Object.entries(OPERATIONS))('may be for %s, with the operations %s', (type, operations) => {
    const accepted = EVERY.filter((operation) => withAcl({ ...on(type), operation }).length === 0);
    expect(accepted).toEqual(['ALL', ...operations.split(' ')]);
    expect(withAcl({ ...on(type), operation: 'UNKNOWN' })).toEqual(['unusual-value /spec/acls/0/operation']);
  });

  it.each(['LITERAL', 'PREFIXED'])('may have patterns of type %s', (patternType) => {
    expect(withAcl({ resourcePattern: { ...acl.resourcePattern, patternType } })).toEqual([]);
  });

  it.each(['User:alice', 'User:*', 'User:CN=alice,O=Shop'])('may be for %s', (principal) => {
    expect(withAcl({ principal })).toEqual([]);
  });

  it.each(['*', '10.0.0.7', '10.0.0.0/8', '::1', 'fe80::1'])('may be for the host %s', (host) => {
    expect(withAcl({ host })).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ['a type for searches', on('ANY'), 'resourcePattern/resourceType'],
    ['a type that is not known', on('UNKNOWN'), 'resourcePattern/resourceType'],
    ...['ANY', 'MATCH', 'UNKNOWN'].map((patternType): [string, JsonObject, string] => [
      `a pattern of type ${patternType}`,
      { resourcePattern: { ...acl.resourcePattern, patternType } },
      'resourcePattern/patternType',
    ]),
    ['a name with a wildcard', on('TOPIC', 'orders-*'), 'resourcePattern/name'],
    [
      'a prefix with a wildcard',
      { resourcePattern: { resourceType: 'TOPIC', name: '*', patternType: 'PREFIXED' } },
      'resourcePattern/name',
    ],
    [
      'another name of the cluster',
      { ...on('CLUSTER', 'main'), operation: 'CREATE' },
      'resourcePattern/name',
    ],
    ['a principal without its type', { principal: 'alice' }, 'principal'],
    ['a principal of another type', { principal: 'Group:shop' }, 'principal'],
    ['the name of a host', { host: 'app.shop.example' }, 'host'],
  ])('apply to nothing with %s', (_, change, field) => {
    expect(withAcl(change)).toEqual([`unusual-value /spec/acls/0/${field}`]);
  });

  it.each(['ALLOW', 'DENY'])('may %s', (permissionType) => {
    expect(withAcl({ permissionType })).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ['an unknown operation', { operation: 'READS' }, 'invalid-value /spec/acls/0/operation'],
    ['an unknown permission', { permissionType: 'allow' }, 'invalid-value /spec/acls/0/permissionType'],
    ['an empty host', { host: '' }, 'invalid-value /spec/acls/0/host'],
    ['an empty principal', { principal: '' }, 'invalid-value /spec/acls/0/principal'],
    ['an unknown field', { pattern: {} }, 'unknown-field /spec/acls/0/pattern'],
    ['no pattern', { resourcePattern: {} }, 'missing-field /spec/acls/0/resourcePattern/resourceType'],
    [
      'an unknown resource',
      { resourcePattern: { ...acl.resourcePattern, resourceType: 'TOPICS' } },
      'invalid-value /spec/acls/0/resourcePattern/resourceType',
    ],
  ])('may not have %s', (_, change, expected) => {
    expect(withAcl(change)[0]).toBe(expected);
  });

  it('have five fields, each of them needed', () => {
    expect(refusals(virtualCluster, { spec: { ...rest, acls: [{}] } })).toEqual(
      ['resourcePattern', 'principal', 'host', 'operation', 'permissionType'].map(
        (field) => `missing-field /spec/acls/0/${field}`,
      ),
    );
  });

  it('are a set, as super users are', () => {
    const other = { ...acl, operation: 'WRITE' };
    expect(normal(virtualCluster, { name: 'a' }, { acls: [acl, other], superUsers: ['x', 'y'] })).toEqual(
      normal(virtualCluster, { name: 'a' }, { acls: [other, acl], superUsers: ['y', 'x'] }),
    );
  });
});

// gateway-api A.6, ACL rules by mode.
describe('the mode of the ACLs', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['off, with super users', { superUsers: ['a'] }, []],
    ['off, with super users and KAFKA_API, as in the wild', { aclMode: 'KAFKA_API', superUsers: ['a'] }, []],
    ['off, with acls', { acls: [acl] }, ['warning unusual-value /spec/acls']],
    ['Kafka, with super users', { aclEnabled: true, superUsers: ['a'] }, []],
    ['Kafka, without super users', { aclEnabled: true }, ['conflicting-fields /spec/aclEnabled']],
    [
      'Kafka, with an empty list of them',
      { aclEnabled: true, superUsers: [] },
      ['conflicting-fields /spec/aclEnabled'],
    ],
    [
      'Kafka said, with acls',
      { aclEnabled: true, aclMode: 'KAFKA_API', superUsers: ['a'], acls: [acl] },
      ['conflicting-fields /spec/acls'],
    ],
    [
      'Kafka unsaid, with acls',
      { aclEnabled: true, superUsers: ['a'], acls: [acl] },
      ['warning unusual-value /spec/acls'],
    ],
    ['REST, with acls', rest, []],
    ['REST, without acls', { aclEnabled: true, aclMode: 'REST_API' }, ['conflicting-fields /spec/aclMode']],
    ['REST, with super users', { ...rest, superUsers: ['a'] }, ['conflicting-fields /spec/superUsers']],
    ['Partner, without ACLs', { type: 'Partner' }, ['conflicting-fields /spec/type']],
    ['Partner, with ACLs', { type: 'Partner', aclEnabled: true, superUsers: ['a'] }, []],
    ['hidden, with acls', { ...rest, aclEnabled: '${ON}' }, []],
    ['on, of a hidden mode, with acls', { ...rest, aclMode: '${MODE}' }, []],
    ['Partner, hidden', { type: 'Partner', aclEnabled: '${ON}', superUsers: ['a'] }, []],
  ])('%s', (_, spec, expected) => {
    const file = { apiVersion: 'gateway/v2', kind: 'VirtualCluster', metadata: { name: 'a' }, spec };
    const text = printYaml([file]).replace(/"(\$.*)"/, '$1');
    const found = problemsOf(text, { variables: { ON: 'true', MODE: 'REST_API' } });
    expect(
      found.map(
        ({ severity, code, path = '' }) => `${severity === undefined ? '' : `${severity} `}${code} ${path}`,
      ),
    ).toEqual(expected);
  });

  it('is told at the key that is too many, with a way out', () => {
    const file = `
      apiVersion: gateway/v2
      kind: VirtualCluster
      metadata: { name: vc }
      spec:
        aclEnabled: true
        aclMode: REST_API
        superUsers: [admin]
        acls: []
    `;
    expect(problemsOf(file)).toEqual([{ code: 'conflicting-fields', at: '7:3', path: '/spec/superUsers' }]);
    expect(sentencesOf(file)).toEqual([
      'VirtualCluster/vc: aclMode REST_API excludes superUsers; grant permissions in acls, or set aclMode: KAFKA_API',
    ]);
  });

  it('cannot be changed, and what is inside a virtual cluster would be lost with it', () => {
    expect(virtualCluster.immutable).toEqual(['/spec/aclMode']);
    expect(virtualCluster.holds).toBe('the topics, ACLs and consumer groups inside it');
  });
});

describe('what the gateway manages in a virtual cluster', () => {
  it.each<[string, Json]>([
    ['bootstrapServers', 'host:6969'],
    ['clientProperties', { 'security.protocol': 'SASL_PLAINTEXT' }],
    ['clientProperties', { PLAIN: { 'sasl.mechanism': 'PLAIN' } }],
  ])('is %s', (field, value) => {
    expect(refusalsOfSpec(virtualCluster, { [field]: value })).toEqual([`server-managed /spec/${field}`]);
    expect(normal(virtualCluster, { name: 'a' }, { [field]: value })).toEqual(
      normal(virtualCluster, { name: 'a' }, {}),
    );
  });
});

function withAcl(change: JsonObject): readonly string[] {
  return refusals(virtualCluster, { spec: { ...rest, acls: [{ ...acl, ...change }] } });
}
