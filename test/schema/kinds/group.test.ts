import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { referencesOf } from '../../../src/model/normal/normal-form.ts';
import { group } from '../../../src/schema/kinds/group.ts';
import { kindSuite, normal, refusals } from '../../support/kind-suite.ts';

kindSuite(group, 'GatewayGroup/payments');

describe('the name of a group', () => {
  it.each(['a', 'team-A_1', 'a'.repeat(100)])('may be %s', (name) => {
    expect(refusals(group, { metadata: { name } })).toEqual([]);
  });

  it.each(['', 'a.b', 'a b', 'a'.repeat(101)])('may not be %j', (name) => {
    expect(refusals(group, { metadata: { name } })).toEqual(['invalid-value /metadata/name']);
  });

  it('is all of its identity: a group belongs to no virtual cluster', () => {
    expect(refusals(group, { metadata: { name: 'a', vCluster: 'prod' } })).toEqual([
      'unknown-field /metadata/vCluster',
    ]);
  });
});

describe('a group', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['nothing', {}, []],
    ['empty lists', { members: [], externalGroups: [] }, []],
    ['members of several virtual clusters', { members: [{ name: 'a' }, { name: 'a', vCluster: 'b.c' }] }, []],
    ['a member by its name alone', { members: ['a'] }, ['invalid-value /spec/members/0']],
    ['a member without a name', { members: [{ vCluster: 'a' }] }, ['missing-field /spec/members/0/name']],
    ['a member with an empty name', { members: [{ name: '' }] }, ['invalid-value /spec/members/0/name']],
    [
      'a member as old pages spell it',
      { members: [{ username: 'a' }] },
      ['missing-field /spec/members/0/name', 'unknown-field /spec/members/0/username'],
    ],
    ['an external group that is empty', { externalGroups: [''] }, ['invalid-value /spec/externalGroups/0']],
    ['an external group that is a number', { externalGroups: [1] }, ['invalid-value /spec/externalGroups/0']],
  ])('with %s', (_, spec, expected) => {
    expect(refusals(group, { spec })).toEqual(expected);
  });

  it('has two sets, empty by default, and members of passthrough', () => {
    expect(normal(group, { name: 'a' }, {}).spec).toEqual({ members: [], externalGroups: [] });
    expect(
      normal(
        group,
        { name: 'a' },
        { members: [{ name: 'b' }, { name: 'a' }], externalGroups: ['y', 'x', 'y'] },
      ).spec,
    ).toEqual({
      members: [
        { name: 'a', vCluster: 'passthrough' },
        { name: 'b', vCluster: 'passthrough' },
      ],
      externalGroups: ['x', 'y'],
    });
  });

  it('needs its members, each at its place', () => {
    const spec = { members: [{ name: 'ann' }, { name: 'bob', vCluster: 'prod' }] };
    expect(referencesOf({ ...group.example, spec }, group)).toEqual([
      { to: 'GatewayServiceAccount/ann@vCluster=passthrough', path: '/spec/members/0' },
      { to: 'GatewayServiceAccount/bob@vCluster=prod', path: '/spec/members/1' },
    ]);
    expect(referencesOf({ ...group.example, spec: {} }, group)).toEqual([]);
  });
});
