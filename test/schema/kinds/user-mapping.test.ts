import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { userMapping } from '../../../src/schema/kinds/user-mapping.ts';
import { load } from '../../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../../src/schema/yaml/interpolate.ts';
import { printYaml } from '../../../src/schema/yaml/print.ts';
import { problemsOf, resourcesOf } from '../../support/expect-problems.ts';

const payments = printYaml([
  { apiVersion: 'gateway/v2', kind: 'GatewayGroup', metadata: { name: 'payments' }, spec: {} },
]);

describe('a user mapping', () => {
  it('is a kind of our own', () => {
    expect(catalog.ownKinds.get('UserMapping')).toBe(userMapping);
    expect(catalog.kinds.has('UserMapping')).toBe(false);
  });

  it('is as its example is, beside the group that it names', () => {
    expect(
      Object.keys(resourcesOf({ 'a.yaml': printYaml([userMapping.example]), 'b.yaml': payments })),
    ).toEqual(['GatewayServiceAccount/payments-api@vCluster=prod', 'GatewayGroup/payments']);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['a name of two characters', { metadata: { name: 'ab' } }, ['invalid-value /metadata/name']],
    ['a name with a dot', { metadata: { name: 'ann.b' } }, ['invalid-value /metadata/name']],
    ['a name of 64 characters', { metadata: { name: 'a'.repeat(64) } }, []],
    ['no name', { metadata: {} }, ['missing-field /metadata/name']],
    ['an unknown field', { metadata: { name: 'ann', group: 'a' } }, ['unknown-field /metadata/group']],
    [
      'a bad virtual cluster',
      { metadata: { name: 'ann', vCluster: 'a b' } },
      ['invalid-value /metadata/vCluster'],
    ],
    ['no principal', { spec: {} }, ['missing-field /spec/principal']],
    ['an empty principal', { spec: { principal: '' } }, ['invalid-value /spec/principal']],
    ['a principal that is a number', { spec: { principal: 7 } }, ['invalid-value /spec/principal']],
    ['groups that are no list', { spec: { principal: 'a', groups: 'b' } }, ['invalid-value /spec/groups']],
    [
      'a group that no group can be',
      { spec: { principal: 'a', groups: ['b.c'] } },
      ['invalid-value /spec/groups/0'],
    ],
    ['no groups', { spec: { principal: 'a', groups: [] } }, []],
  ])('with %s', (_, parts, expected) => {
    const { metadata, spec } = userMapping.example;
    const file = printYaml([{ ...userMapping.example, metadata, spec: { ...spec, groups: [] }, ...parts }]);
    expect(problemsOf(file).map(({ code, path = '' }) => `${code} ${path}`)).toEqual(expected);
  });

  it.each([
    ['PLAINTEXT', 'error', '/kind'],
    ['SASL_SSL', 'info', '/spec'],
    ['DELEGATED_SASL_SSL', undefined, undefined],
  ])('is held to what the account can be that it stands for: %s', (security, severity, path) => {
    const mapping = printYaml([{ ...userMapping.example, spec: { principal: 'p' } }]);
    const { problems } = load([{ path: 'a.yaml', text: mapping }], catalog, NO_VARIABLES, { security });
    expect(problems.map((one) => [one.code, one.severity, one.path])).toEqual(
      severity === undefined ? [] : [['security-mode', severity, path]],
    );
  });
});
