import { describe, expect, it } from 'vitest';
import type { Pointer } from '../../../src/model/json/json.ts';
import { normalForm } from '../../../src/model/normal/normal-form.ts';
import type { Address } from '../../../src/model/resource.ts';
import { placeOf, type DesiredState } from '../../../src/model/state.ts';
import { locate } from '../../../src/schema/yaml/places.ts';
import { loadText, problemsOf, resourcesOf, sentencesOf, stateOf } from '../../support/expect-problems.ts';
import { kindOf } from '../../support/kinds.ts';

const ann = `
  apiVersion: gwconf/v1
  kind: UserMapping
  metadata: { name: ann, vCluster: prod }
  spec:
    principal: 8d5e86b4
    groups: [payments, pii]
`;
const groups = `
  apiVersion: gateway/v2
  kind: GatewayGroup
  metadata: { name: payments }
  spec: { members: [{ name: bob }], externalGroups: [readers] }
  ---
  apiVersion: gateway/v2
  kind: GatewayGroup
  metadata: { name: pii }
  spec: {}
`;
const account = 'GatewayServiceAccount/ann@vCluster=prod';

describe('a user mapping', () => {
  it('becomes the EXTERNAL account of its principal, and a member of its groups', () => {
    expect(resourcesOf({ 'a.yaml': ann, 'b.yaml': groups })).toEqual({
      [account]: {
        apiVersion: 'gateway/v2',
        kind: 'GatewayServiceAccount',
        metadata: { name: 'ann', vCluster: 'prod' },
        spec: { type: 'EXTERNAL', externalNames: ['8d5e86b4'] },
      },
      'GatewayGroup/payments': {
        apiVersion: 'gateway/v2',
        kind: 'GatewayGroup',
        metadata: { name: 'payments' },
        spec: { members: [{ name: 'bob' }, { name: 'ann', vCluster: 'prod' }], externalGroups: ['readers'] },
      },
      'GatewayGroup/pii': {
        apiVersion: 'gateway/v2',
        kind: 'GatewayGroup',
        metadata: { name: 'pii' },
        spec: { members: [{ name: 'ann', vCluster: 'prod' }] },
      },
    });
  });

  it('is the same whichever file comes first', () => {
    expect(resourcesOf({ 'z.yaml': ann, 'b.yaml': groups })).toEqual(
      resourcesOf({ 'a.yaml': ann, 'b.yaml': groups }),
    );
  });

  it('lives in passthrough when it names no virtual cluster, and needs no groups', () => {
    expect(
      Object.keys(
        resourcesOf(
          '{ apiVersion: gwconf/v1, kind: UserMapping, metadata: { name: ann }, spec: { principal: p } }',
        ),
      ),
    ).toEqual(['GatewayServiceAccount/ann@vCluster=passthrough']);
  });

  it('keeps the place of each piece in the file', () => {
    const state = stateOf({ 'a.yaml': ann, 'b.yaml': groups });
    expect(at(state, account, '/spec/externalNames/0')).toBe('a.yaml:5:14');
    expect(at(state, account, '/spec/externalNames')).toBe('a.yaml:5:14');
    expect(at(state, account, '/spec/type')).toBe('a.yaml:4:1');
    expect(at(state, account, '/metadata/vCluster')).toBe('a.yaml:3:34');
    expect(at(state, 'GatewayGroup/payments', '/spec/members/1')).toBe('a.yaml:6:12');
    expect(at(state, 'GatewayGroup/payments', '/spec/members/1/name')).toBe('a.yaml:6:12');
    expect(at(state, 'GatewayGroup/payments', '/spec/members/0/name')).toBe('b.yaml:4:27');
    expect(at(state, 'GatewayGroup/pii', '/spec/members/0')).toBe('a.yaml:6:22');
    expect(at(state, 'GatewayGroup/pii', '')).toBe('b.yaml:6:1');
    expect(state.get(account as Address)?.at).toEqual({ file: 'a.yaml', line: 1, column: 1 });
  });

  it('knows that its principal came from the environment', () => {
    const state = stateOf(
      '{ apiVersion: gwconf/v1, kind: UserMapping, metadata: { name: ann }, spec: { principal: "${SUB}" } }',
      { variables: { SUB: 'abc' } },
    );
    const [declared] = state.values();
    expect([...(declared?.templates ?? [])]).toEqual([
      ['/spec/externalNames', { text: '${SUB}', plain: false, variables: ['SUB'] }],
      ['/spec/externalNames/0', { text: '${SUB}', plain: false, variables: ['SUB'] }],
    ]);
  });

  it('joins a group that has it already once', () => {
    const declared = groups.replace('{ name: bob }', '{ name: ann, vCluster: prod }');
    const group = resourcesOf({ 'a.yaml': ann, 'b.yaml': declared })['GatewayGroup/payments'];
    expect(group?.spec['members']).toEqual([{ name: 'ann', vCluster: 'prod' }]);
  });

  it('joins a group that spells it otherwise once, in what is compared', () => {
    const declared = groups.replace('{ name: bob }', '{ name: ann, vCluster: passthrough }');
    const mapping = ann.replace(', vCluster: prod', '').replace(', pii', '');
    const group = resourcesOf({ 'a.yaml': mapping, 'b.yaml': declared })['GatewayGroup/payments'];
    if (group === undefined) throw new Error('no group');
    expect(normalForm(kindOf('GatewayGroup'), group).spec['members']).toEqual([
      { name: 'ann', vCluster: 'passthrough' },
    ]);
  });

  it('may name a group twice', () => {
    const mapping = ann.replace('[payments, pii]', '[pii, pii]');
    const group = resourcesOf({ 'a.yaml': mapping, 'b.yaml': groups })['GatewayGroup/pii'];
    expect(group?.spec['members']).toEqual([{ name: 'ann', vCluster: 'prod' }]);
  });

  it('is a problem when no file declares its group', () => {
    const files = { 'a.yaml': ann.replace('pii', 'pi'), 'b.yaml': groups };
    expect(problemsOf(files)).toEqual([
      { code: 'undeclared-group', at: 'a.yaml:6:22', path: '/spec/groups/1' },
    ]);
    expect(sentencesOf(files)).toEqual([
      'the user mapping "ann" has the group GatewayGroup/pi, which no file declares; ' +
        'declare GatewayGroup/pi, or remove it from the groups of the mapping',
    ]);
  });

  it('is a problem beside a service account of the same name, at both places', () => {
    const declared = `
      apiVersion: gateway/v2
      kind: GatewayServiceAccount
      metadata: { name: ann, vCluster: prod }
      spec: { type: LOCAL }
    `;
    expect(problemsOf({ 'a.yaml': ann, 'b.yaml': groups, 'c.yaml': declared })).toEqual([
      { code: 'duplicate-resource', at: 'c.yaml:3:19', also: 'a.yaml:3:19', path: '/metadata/name' },
    ]);
  });

  it('is a problem beside another of the same principal, at both places', () => {
    const other = ann.replace('name: ann', 'name: zoe');
    expect(problemsOf({ 'a.yaml': ann, 'b.yaml': groups, 'c.yaml': other })).toEqual([
      { code: 'duplicate-value', at: 'c.yaml:5:14', also: 'a.yaml:5:14', path: '/spec/externalNames/0' },
    ]);
  });

  it('is a problem beside an account with its principal, at both places', () => {
    const declared = `
      apiVersion: gateway/v2
      kind: GatewayServiceAccount
      metadata: { name: someone }
      spec:
        type: External
        externalNames:
          - 8d5e86b4
    `;
    expect(problemsOf({ 'a.yaml': ann, 'b.yaml': groups, 'c.yaml': declared })).toEqual([
      { code: 'duplicate-value', at: 'c.yaml:7:7', also: 'a.yaml:5:14', path: '/spec/externalNames/0' },
    ]);
  });

  it('that is wrong becomes nothing', () => {
    const { value, problems } = loadText({ 'a.yaml': ann.replace('principal: 8d5e86b4', 'principle: x') });
    expect(value.size).toBe(0);
    expect(problems.map(({ code }) => code).sort()).toEqual(['missing-field', 'unknown-field']);
  });
});

function at(state: DesiredState, address: string, path: Pointer): string {
  const declared = state.get(address as Address);
  if (declared === undefined) throw new Error(`${address} is not declared`);
  const { file, line, column } = locate(placeOf(declared, path));
  return `${file}:${line}:${column}`;
}
