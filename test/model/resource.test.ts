import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { identify } from '../../src/model/identity.ts';
import { kindOf, printAddress, type Address, type Identity, type Scope } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { resourcesOf } from '../support/expect-problems.ts';

describe('an address', () => {
  it('is kind and name for what belongs to no virtual cluster', () => {
    expect(addressesOf('VirtualCluster', 'metadata: { name: prod }, spec: {}')).toBe('VirtualCluster/prod');
    expect(addressesOf('GatewayGroup', 'metadata: { name: pii }, spec: {}')).toBe('GatewayGroup/pii');
  });

  it.each([
    ['AliasTopic', 'spec: { physicalName: t }'],
    ['ConcentrationRule', 'spec: { pattern: t, physicalTopics: { delete: t } }'],
    ['GatewayServiceAccount', 'spec: { type: LOCAL }'],
  ])('has the virtual cluster of a %s, passthrough written out too', (kind, spec) => {
    expect(addressesOf(kind, `metadata: { name: abc, vCluster: prod }, ${spec}`)).toBe(
      `${kind}/abc@vCluster=prod`,
    );
    expect(addressesOf(kind, `metadata: { name: abc, vCluster: passthrough }, ${spec}`)).toBe(
      `${kind}/abc@vCluster=passthrough`,
    );
    expect(addressesOf(kind, `metadata: { name: abc }, ${spec}`)).toBe(`${kind}/abc@vCluster=passthrough`);
  });

  it.each([
    ['no scope', '', '@vCluster=passthrough'],
    ['an empty scope', 'scope: {}', '@vCluster=passthrough'],
    ['three nulls', 'scope: { vCluster: null, group: null, username: null }', '@global'],
    ['a null virtual cluster alone', 'scope: { vCluster: null }', '@global'],
    ['a virtual cluster', 'scope: { vCluster: prod }', '@vCluster=prod'],
    ['a group of passthrough', 'scope: { group: pii }', '@vCluster=passthrough,group=pii'],
    ['a user of passthrough', 'scope: { username: ann }', '@vCluster=passthrough,username=ann'],
    ['a group first', 'scope: { group: pii, vCluster: prod }', '@vCluster=prod,group=pii'],
    ['a username first', 'scope: { username: ann, vCluster: prod }', '@vCluster=prod,username=ann'],
    [
      'explicit nulls beside a virtual cluster',
      'scope: { username: null, group: null, vCluster: prod }',
      '@vCluster=prod',
    ],
  ])('of an interceptor with %s ends in its axes', (_, scope, where) => {
    const spec = 'spec: { pluginClass: com.example.Own, priority: 1, config: {} }';
    expect(addressesOf('Interceptor', `metadata: { name: mask, ${scope} }, ${spec}`)).toBe(
      `Interceptor/mask${where}`,
    );
  });

  it('encodes only what would be mistaken for a border', () => {
    const scope = { vCluster: 'a,b%@/=' };
    expect(printAddress({ kind: 'Interceptor', name: 'x@y%z,/=', scope })).toBe(
      'Interceptor/x%40y%25z,/=@vCluster=a%2Cb%25@/=',
    );
  });

  it('starts with the kind', () => {
    expect(kindOf('Interceptor/a/b@global' as Address)).toBe('Interceptor');
  });

  it('is the same for an interceptor under either name of its kind', () => {
    const interceptor = catalog.kinds.get('Interceptor');
    if (interceptor === undefined) throw new Error('no Interceptor');
    const { example } = interceptor;
    expect(identify(interceptor, { ...example, kind: 'GatewayInterceptor' })).toBe(
      identify(interceptor, example),
    );
  });

  it('is never shared by two identities of one kind', () => {
    const text = fc.oneof(
      fc.constantFrom('a', 'a@global', 'a@vCluster=b', 'b,group=c', '%40', '%', 'global', '', 'c,username=d'),
      fc.string({ unit: fc.constantFrom('a', '@', ',', '=', '%', '/', '4', '0', '2', 'C'), maxLength: 5 }),
    );
    const axis = fc.option(text, { nil: null });
    const scope = fc.record({ vCluster: axis, group: axis, username: axis });
    const identity = fc.record({ kind: fc.constantFrom('Interceptor', 'AliasTopic'), name: text, scope });
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        expect(printAddress(one) === printAddress(other)).toBe(sameIdentity(one, other));
      }),
      { numRuns: 2000 },
    );
  });
});

function addressesOf(kind: string, rest: string): string {
  return Object.keys(resourcesOf(`{ apiVersion: gateway/v2, kind: ${kind}, ${rest} }`)).join();
}

function sameIdentity(one: Identity, other: Identity): boolean {
  const axes: readonly (keyof Scope)[] = ['vCluster', 'group', 'username'];
  return (
    one.kind === other.kind &&
    one.name === other.name &&
    axes.every((axis) => one.scope[axis] === other.scope[axis])
  );
}
