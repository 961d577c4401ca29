import { expect, it } from 'vitest';
import { suggest } from '../../../src/model/text/suggest.ts';

const kinds = ['VirtualCluster', 'AliasTopic', 'Interceptor', 'GatewayGroup'];

it.each([
  ['Interceptr', 'Interceptor'],
  ['interceptor', 'Interceptor'],
  ['Group', 'GatewayGroup'],
  ['AliasTopics', 'AliasTopic'],
  ['VirtualCuster', 'VirtualCluster'],
])('%s was meant to be %s', (written, meant) => {
  expect(suggest(written, kinds)).toBe(meant);
});

it.each(['Deployment', 'x-y', 'ConfigMap'])('%s is near to none', (written) => {
  expect(suggest(written, kinds)).toBeUndefined();
});

it('suggests nothing where nothing is known', () => {
  expect(suggest('name', [])).toBeUndefined();
});

it('suggests the nearest of two', () => {
  expect(suggest('superUser', ['superUsers', 'superUsed', 'supper'])).toBe('superUsers');
});

it('suggests no address for its kind and scope alone, whose names are others', () => {
  const at = (name: string, scope = 'prod'): string => `GatewayServiceAccount/${name}@vCluster=${scope}`;
  expect(suggest(at('toto1'), [at('user1'), at('admin')])).toBeUndefined();
  expect(suggest(at('orders-ap'), [at('user1'), at('orders-app')])).toBe(at('orders-app'));
  expect(suggest(at('orders'), [at('orders', 'passthrough')])).toBe(at('orders', 'passthrough'));
});
