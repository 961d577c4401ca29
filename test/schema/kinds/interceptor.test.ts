import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { referencesOf } from '../../../src/model/normal/normal-form.ts';
import { interceptor } from '../../../src/schema/kinds/interceptor.ts';
import { loadText, problemsOf, sentencesOf } from '../../support/expect-problems.ts';
import { kindSuite, normal, refusals, refusalsOfSpec } from '../../support/kind-suite.ts';

kindSuite(interceptor, 'Interceptor/read-only@vCluster=prod');

const OWN = { pluginClass: 'com.example.Own', priority: 1, config: {} };

// gateway-api B.3
describe('the scope of an interceptor', () => {
  it.each<[string, readonly string[]]>([
    ['{ group: null, username: null }', ['warning omitted-scope']],
    ['{ username: null }', ['warning omitted-scope']],
    ['{}', []],
    ['{ vCluster: null }', []],
    ['{ vCluster: null, group: null, username: null }', []],
    ['{ vCluster: passthrough, group: null }', []],
    ['{ username: ann, group: null }', []],
  ])('is told apart from a global one: %s', (scope, expected) => {
    const { problems } = loadText(
      `
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: i, scope: ${scope} }
        spec:
          pluginClass: io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin
          priority: 1
          config: {}
      `,
      { advice: true },
    );
    expect(problems.map(({ severity, code }) => `${severity} ${code}`)).toEqual(expected);
  });

  it.each<[string, Json]>([
    ['everything', { vCluster: null, group: null, username: null }],
    ['everything, said once', { vCluster: null }],
    ['passthrough', {}],
    ['one user of passthrough', { username: 'ann' }],
    ['one group of passthrough', { group: 'pii' }],
    ['one virtual cluster', { vCluster: 'prod' }],
    ['one user of a virtual cluster', { vCluster: 'prod', username: 'ann.b' }],
    ['one group in a virtual cluster', { vCluster: 'prod', group: 'pii' }],
    ['one virtual cluster, the rest said to be nothing', { vCluster: 'prod', group: null, username: null }],
  ])('may be %s', (_, scope) => {
    expect(refusals(interceptor, { metadata: { name: 'i', scope } })).toEqual([]);
  });

  it.each<[string, Json, readonly string[]]>([
    [
      'a group and a user',
      { vCluster: 'prod', group: 'pii', username: 'ann' },
      ['conflicting-fields /metadata/scope/username'],
    ],
    [
      'a group and a user of passthrough',
      { group: 'pii', username: 'ann' },
      ['conflicting-fields /metadata/scope/username'],
    ],
    [
      'a group of everything',
      { vCluster: null, group: 'pii' },
      ['conflicting-fields /metadata/scope/vCluster'],
    ],
    [
      'a user of everything',
      { vCluster: null, username: 'ann' },
      ['conflicting-fields /metadata/scope/vCluster'],
    ],
    ['null', null, ['invalid-value /metadata/scope']],
    ['a text', 'prod', ['invalid-value /metadata/scope']],
    ['an unknown axis', { vcluster: 'prod' }, ['unknown-field /metadata/scope/vcluster']],
    ['a group with a dot', { group: 'a.b' }, ['invalid-value /metadata/scope/group']],
    ['a virtual cluster with a space', { vCluster: 'a b' }, ['invalid-value /metadata/scope/vCluster']],
    ['an empty user', { username: '' }, ['invalid-value /metadata/scope/username']],
  ])('may not be %s', (_, scope, expected) => {
    expect(refusals(interceptor, { metadata: { name: 'i', scope } })).toEqual(expected);
  });

  it('is told at the axis that is too many', () => {
    const file = `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata:
        name: mask
        scope:
          group: pii
          username: ann
      spec: { pluginClass: com.example.Own, priority: 1, config: {} }
    `;
    expect(problemsOf(file)).toEqual([
      { code: 'conflicting-fields', at: '7:5', path: '/metadata/scope/username' },
    ]);
    expect(sentencesOf(file)).toEqual([
      'Interceptor/mask@vCluster=passthrough,group=pii,username=ann: a scope can have a group or a username, not both; ' +
        'write two interceptors, one for each',
    ]);
  });

  it('is whole in the normal form', () => {
    expect(normal(interceptor, { name: 'i' }, OWN).metadata).toEqual({
      name: 'i',
      scope: { vCluster: 'passthrough', group: null, username: null },
    });
  });

  it('leans on a virtual cluster and a group, and not on a user', () => {
    const refer = (scope: JsonObject): readonly string[] =>
      referencesOf({ ...interceptor.example, metadata: { name: 'i', scope } }, interceptor).map(
        ({ to, path }) => `${path} ${to}`,
      );
    expect(refer({ vCluster: 'prod', group: 'pii' })).toEqual([
      '/metadata/scope/vCluster VirtualCluster/prod',
      '/metadata/scope/group GatewayGroup/pii',
    ]);
    expect(refer({ username: 'ann' })).toEqual(['/metadata/scope/vCluster VirtualCluster/passthrough']);
    expect(refer({ vCluster: null })).toEqual([]);
  });
});

describe('the spec of an interceptor', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['an empty comment', { comment: '' }, []],
    ['a comment that is null', { comment: null }, ['invalid-value /spec/comment']],
    ['an empty plugin class', { pluginClass: '' }, ['invalid-value /spec/pluginClass']],
    ['a priority of 1', { priority: 1 }, []],
    ['the largest priority', { priority: 2147483647 }, []],
    ['a priority beyond the largest', { priority: 2147483648 }, ['invalid-value /spec/priority']],
    ['a priority below the smallest', { priority: -2147483649 }, ['invalid-value /spec/priority']],
    ['a priority that other tools refuse', { priority: 0 }, ['unusual-value /spec/priority']],
    ['a priority with a fraction', { priority: 1.5 }, ['invalid-value /spec/priority']],
    ['a priority that is text', { priority: '1' }, ['invalid-value /spec/priority']],
    ['a config that is a list', { config: [] }, ['invalid-value /spec/config']],
    ['a config that is null', { config: null }, ['invalid-value /spec/config']],
    ['an unknown key in its config', { config: { topics: 'a' } }, ['unknown-field /spec/config/topics']],
    [
      'an action that its plugin has not',
      { config: { action: 'ALLOW' } },
      ['invalid-value /spec/config/action'],
    ],
  ])('with %s', (_, spec, expected) => {
    expect(refusalsOfSpec(interceptor, spec)).toEqual(expected);
  });

  it('needs a plugin class, a priority and a config', () => {
    expect(refusals(interceptor, { spec: {} })).toEqual([
      'missing-field /spec/pluginClass',
      'missing-field /spec/priority',
      'missing-field /spec/config',
    ]);
  });

  it('has an empty comment by default', () => {
    expect(normal(interceptor, { name: 'i' }, OWN).spec).toEqual({ ...OWN, comment: '' });
  });

  it('is free in the config of a class that is not known', () => {
    expect(refusals(interceptor, { spec: { ...OWN, config: { anything: { goes: [null] } } } })).toEqual([]);
  });

  it('can be changed in place, but not beside another of its name', () => {
    expect(interceptor.immutable).toEqual([]);
    expect(interceptor.oneAtATime).toBe('/metadata/name');
  });
});

it('the name of an interceptor has no pattern', () => {
  expect(refusals(interceptor, { metadata: { name: 'a b/c@d' } })).toEqual([]);
  expect(refusals(interceptor, { metadata: { name: '' } })).toEqual(['invalid-value /metadata/name']);
});
