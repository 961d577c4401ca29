import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import {
  comparable,
  normalForm,
  requestBody,
  wholeForm,
  withDefaults,
} from '../../../src/model/normal/normal-form.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { kindOf, resource } from '../../support/kinds.ts';

const normal = (given: Resource): Resource => normalForm(kindOf(given.kind), given);
const body = (declared: Resource, live?: Resource): Resource =>
  requestBody(kindOf(declared.kind), declared, live);

const account = (metadata: Json, spec: Json): Resource => resource('GatewayServiceAccount', metadata, spec);
const group = (spec: Json): Resource => resource('GatewayGroup', { name: 'g' }, spec);
const cluster = (spec: Json): Resource => resource('VirtualCluster', { name: 'vc' }, spec);
const alias = (metadata: Json, spec: Json): Resource => resource('AliasTopic', metadata, spec);
const interceptor = (metadata: Json, spec: Json = {}): Resource => resource('Interceptor', metadata, spec);

// The table of gateway-api A.5: what a server adds, omits and reorders is no change.
describe('one thing in two spellings has one normal form:', () => {
  it.each<[string, Resource, Resource]>([
    [
      'an alias topic without its virtual cluster is in passthrough',
      alias({ name: 'a' }, { physicalName: 't' }),
      alias({ name: 'a', vCluster: 'passthrough' }, { physicalName: 't' }),
    ],
    [
      'an alias topic without its physical cluster is on main',
      alias({ name: 'a' }, { physicalName: 't' }),
      alias({ name: 'a' }, { physicalName: 't', physicalCluster: 'main' }),
    ],
    [
      'null says no more than absence',
      alias({ name: 'a', vCluster: null }, { physicalName: 't', physicalCluster: null }),
      alias({ name: 'a' }, { physicalName: 't' }),
    ],
    [
      'a rule without its virtual cluster and switches has the defaults',
      resource('ConcentrationRule', { name: 'r' }, { pattern: 'x', physicalTopics: { delete: 't' } }),
      resource(
        'ConcentrationRule',
        { name: 'r', vCluster: 'passthrough' },
        {
          pattern: 'x',
          physicalTopics: { delete: 't', compact: null },
          autoManaged: false,
          offsetCorrectness: false,
        },
      ),
    ],
    [
      'an interceptor without a scope sees passthrough',
      interceptor({ name: 'i' }),
      interceptor({ name: 'i', scope: { vCluster: 'passthrough', group: null, username: null } }),
    ],
    [
      'a scope without a virtual cluster is in passthrough',
      interceptor({ name: 'i', scope: { username: 'ann' } }),
      interceptor({ name: 'i', scope: { vCluster: 'passthrough', group: null, username: 'ann' } }),
    ],
    [
      'a null virtual cluster alone is global',
      interceptor({ name: 'i', scope: { vCluster: null } }),
      interceptor({ name: 'i', scope: { vCluster: null, group: null, username: null } }),
    ],
    [
      'an interceptor without a comment has an empty one',
      interceptor({ name: 'i' }, { pluginClass: 'P', priority: 1, config: {} }),
      interceptor({ name: 'i' }, { pluginClass: 'P', priority: 1, config: {}, comment: '' }),
    ],
    [
      'a comment that is null is empty',
      interceptor({ name: 'i' }, { pluginClass: 'P', priority: 1, config: {}, comment: null }),
      interceptor({ name: 'i' }, { pluginClass: 'P', priority: 1, config: {}, comment: '' }),
    ],
    [
      'either name of the kind is an interceptor',
      interceptor({ name: 'i' }),
      { ...interceptor({ name: 'i' }), kind: 'Interceptor', apiVersion: 'gateway/v2' },
    ],
    [
      'the keys of a config have no order',
      interceptor({ name: 'i' }, { config: { a: { x: 1, y: 2 }, b: 3 } }),
      interceptor({ name: 'i' }, { config: { b: 3, a: { y: 2, x: 1 } } }),
    ],
    [
      'the type of an account has no case',
      account({ name: 'abc' }, { type: 'External', externalNames: ['x'] }),
      account({ name: 'abc' }, { type: 'EXTERNAL', externalNames: ['x'] }),
    ],
    [
      'a LOCAL account has no external names, however that is said',
      account({ name: 'abc' }, { type: 'LOCAL' }),
      account({ name: 'abc' }, { type: 'local', externalNames: [] }),
    ],
    [
      'external names that are null are absent',
      account({ name: 'abc' }, { type: 'LOCAL' }),
      account({ name: 'abc' }, { type: 'LOCAL', externalNames: null }),
    ],
    [
      'a bare virtual cluster is Standard without ACLs',
      cluster({}),
      cluster({ aclEnabled: false, type: 'Standard', superUsers: [], acls: [] }),
    ],
    [
      'ACLs that are on are those of Kafka',
      cluster({ aclEnabled: true }),
      cluster({ aclEnabled: true, aclMode: 'KAFKA_API' }),
    ],
    [
      'while ACLs are off the default mode says nothing',
      cluster({}),
      cluster({ aclEnabled: false, aclMode: 'KAFKA_API' }),
    ],
    [
      'what the gateway manages is not compared',
      cluster({}),
      cluster({ bootstrapServers: 'host:6969', clientProperties: { PLAIN: { 'sasl.mechanism': 'PLAIN' } } }),
    ],
    ['super users are a set', cluster({ superUsers: ['a', 'b'] }), cluster({ superUsers: ['b', 'a', 'b'] })],
    [
      'ACLs are a set',
      cluster({
        acls: [
          { host: '*', principal: 'a' },
          { host: '*', principal: 'b' },
        ],
      }),
      cluster({
        acls: [
          { principal: 'b', host: '*' },
          { principal: 'a', host: '*' },
        ],
      }),
    ],
    [
      'members are a set, and a member without its virtual cluster is of passthrough',
      group({ members: [{ name: 'a' }, { name: 'b', vCluster: 'v' }] }),
      group({
        members: [
          { vCluster: 'v', name: 'b' },
          { name: 'a', vCluster: 'passthrough' },
        ],
      }),
    ],
    [
      'external groups are a set, and lists that are absent are empty',
      group({ externalGroups: ['x', 'y'] }),
      group({ members: [], externalGroups: ['y', 'x'] }),
    ],
    ['an empty group is an empty group', group({}), group({ members: null, externalGroups: null })],
    [
      'the lists that a plugin takes as sets have no order',
      interceptor(
        { name: 'i' },
        {
          pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ProducePolicyPlugin',
          config: { acks: { value: [0, 1] } },
        },
      ),
      interceptor(
        { name: 'i' },
        {
          pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ProducePolicyPlugin',
          config: { acks: { value: [1, 0] } },
        },
      ),
    ],
    [
      'what gwconf does not know is not compared',
      group({ members: [{ name: 'a' }] }),
      {
        ...group({ members: [{ name: 'a', since: '2025' }], owner: 'me' }),
        metadata: { name: 'g', createdAt: 'today' },
      },
    ],
  ])('%s', (_, one, other) => {
    expect(normal(other)).toEqual(normal(one));
  });
});

describe('two things keep two normal forms:', () => {
  it.each<[string, Resource, Resource]>([
    [
      'a passthrough interceptor is not a global one',
      interceptor({ name: 'i' }),
      interceptor({ name: 'i', scope: { vCluster: null, group: null, username: null } }),
    ],
    [
      'the lists of a config have an order',
      interceptor({ name: 'i' }, { config: { fields: ['a', 'b'] } }),
      interceptor({ name: 'i' }, { config: { fields: ['b', 'a'] } }),
    ],
    [
      'null in a config is a value',
      interceptor({ name: 'i' }, { config: { a: null } }),
      interceptor({ name: 'i' }, { config: {} }),
    ],
    [
      'a number in a config is no text',
      interceptor({ name: 'i' }, { config: { a: 1 } }),
      interceptor({ name: 'i' }, { config: { a: '1' } }),
    ],
    [
      'ACLs by REST are not ACLs of Kafka',
      cluster({ aclEnabled: true }),
      cluster({ aclEnabled: true, aclMode: 'REST_API' }),
    ],
    ['REST stays set while ACLs are off', cluster({}), cluster({ aclMode: 'REST_API' })],
    [
      'an external name is a name, with its case',
      account({ name: 'abc' }, { type: 'EXTERNAL', externalNames: ['x'] }),
      account({ name: 'abc' }, { type: 'EXTERNAL', externalNames: ['X'] }),
    ],
  ])('%s', (_, one, other) => {
    expect(normal(other)).not.toEqual(normal(one));
  });
});

describe('a normal form', () => {
  it.each(['VirtualCluster', 'GatewayGroup', 'GatewayServiceAccount', 'Interceptor'])(
    'of a %s is its own normal form',
    (name) => {
      const once = normal(kindOf(name).example);
      expect(normal(once)).toEqual(once);
    },
  );

  it('leaves the resource that it was given alone', () => {
    const given = cluster({ superUsers: ['b', 'a'], bootstrapServers: 'x' });
    normal(given);
    expect(given).toEqual(cluster({ superUsers: ['b', 'a'], bootstrapServers: 'x' }));
  });

  it('keeps the order of a file only in what is shown', () => {
    const given = cluster({ superUsers: ['b', 'a'] });
    expect(comparable(kindOf('VirtualCluster'), given).spec['superUsers']).toEqual(['b', 'a']);
    expect(normal(given).spec['superUsers']).toEqual(['a', 'b']);
  });

  it('has what gwconf does not know where a whole resource is held against another', () => {
    const kind = kindOf('GatewayGroup');
    const other = { ...group({}), metadata: { name: 'g', createdAt: 'today' } };
    expect(wholeForm(kind, other)).not.toEqual(wholeForm(kind, group({})));
    expect(wholeForm(kind, other).metadata).toEqual({ name: 'g', createdAt: 'today' });
    expect(wholeForm(kindOf('VirtualCluster'), cluster({ bootstrapServers: 'x' }))).toEqual(
      wholeForm(kindOf('VirtualCluster'), cluster({})),
    );
  });

  it('fills in defaults only where a map is there to hold them', () => {
    const kind = kindOf('GatewayGroup');
    expect(withDefaults(kind, group({ members: 'nobody' })).spec).toEqual({
      members: 'nobody',
      externalGroups: [],
    });
  });
});

describe('the body of a PUT', () => {
  it('carries the full scope triple of an interceptor', () => {
    expect(body(interceptor({ name: 'i' })).metadata).toEqual({
      name: 'i',
      scope: { vCluster: 'passthrough', group: null, username: null },
    });
    expect(body(interceptor({ name: 'i', scope: { username: 'ann' } })).metadata['scope']).toEqual({
      vCluster: 'passthrough',
      group: null,
      username: 'ann',
    });
    expect(body(interceptor({ name: 'i', scope: { vCluster: null } })).metadata['scope']).toEqual({
      vCluster: null,
      group: null,
      username: null,
    });
  });

  it('carries the virtual cluster of what lives in one', () => {
    expect(body(alias({ name: 'a' }, { physicalName: 't' })).metadata).toEqual({
      name: 'a',
      vCluster: 'passthrough',
    });
  });

  it('leaves to the gateway what the file leaves to it', () => {
    expect(body(alias({ name: 'a' }, { physicalName: 't' })).spec).toEqual({ physicalName: 't' });
    expect(body(cluster({})).spec).toEqual({});
  });

  it('has the kind and version of the API, whatever name the file used', () => {
    const declared = { ...interceptor({ name: 'i' }), kind: 'GatewayInterceptor' };
    expect(requestBody(kindOf('Interceptor'), declared)).toMatchObject({
      apiVersion: 'gateway/v2',
      kind: 'Interceptor',
    });
  });

  it('never has what the gateway manages, of the file or of the gateway', () => {
    const managed = { bootstrapServers: 'x', clientProperties: { PLAIN: {} } };
    expect(body(cluster({ ...managed, type: 'Standard' }), cluster(managed)).spec).toEqual({
      type: 'Standard',
    });
  });

  it('has what the gateway returned beyond what gwconf knows, as it was read', () => {
    const declared = alias({ name: 'a' }, { physicalName: 'new' });
    const live = {
      ...alias({ name: 'a', labels: { team: 'pay' } }, { physicalName: 'old', retention: null }),
      status: { ready: true },
    };
    expect(body(declared, live)).toEqual({
      ...alias(
        { name: 'a', vCluster: 'passthrough', labels: { team: 'pay' } },
        { physicalName: 'new', retention: null },
      ),
      status: { ready: true },
    });
  });

  it('has it inside the items of lists, matched by what is known of them', () => {
    const declared = group({ members: [{ name: 'c' }, { name: 'b', vCluster: 'v' }, { name: 'a' }] });
    const live = group({
      members: [
        { name: 'a', vCluster: 'passthrough', since: 1 },
        { name: 'b', vCluster: 'v', since: 2 },
        { name: 'gone', since: 3 },
      ],
    });
    expect(body(declared, live).spec['members']).toEqual([
      { name: 'c' },
      { name: 'b', vCluster: 'v', since: 2 },
      { name: 'a', since: 1 },
    ]);
  });

  it('does not bring back a known field that the file took out', () => {
    const declared = resource(
      'ConcentrationRule',
      { name: 'r' },
      { pattern: 'x', physicalTopics: { delete: 't' } },
    );
    const live = resource(
      'ConcentrationRule',
      { name: 'r' },
      { pattern: 'x', physicalTopics: { delete: 't', compact: 'c', other: 'o' }, autoManaged: true },
    );
    expect(body(declared, live).spec).toEqual({ pattern: 'x', physicalTopics: { delete: 't', other: 'o' } });
  });

  it('has a config as it is written, and nothing of the old one', () => {
    const declared = interceptor({ name: 'i' }, { pluginClass: 'P', priority: 1, config: { a: 1 } });
    const live = interceptor(
      { name: 'i' },
      { pluginClass: 'P', priority: 1, config: { b: 2 }, comment: 'old' },
    );
    expect(body(declared, live).spec).toEqual({ pluginClass: 'P', priority: 1, config: { a: 1 } });
  });

  it('has a key named __proto__ that the gateway sent, and pollutes nothing', () => {
    const live = JSON.parse(
      '{"apiVersion":"gateway/v2","kind":"GatewayGroup","metadata":{"name":"g"},"spec":{"__proto__":{"polluted":true}}}',
    ) as Resource; // a resource as a server may send it
    expect(JSON.stringify(body(group({}), live).spec)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
