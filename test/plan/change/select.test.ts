import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/model/resource.ts';
import { isBuiltIn, makeMatcher, makeSelector } from '../../../src/plan/change/select.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';

const { kinds } = catalog;
const ADDRESSES = [
  'VirtualCluster/prod',
  'VirtualCluster/passthrough',
  'AliasTopic/orders.v1@vCluster=prod',
  'AliasTopic/orders@vCluster=passthrough',
  'Interceptor/mask@global',
  'Interceptor/mask@vCluster=prod,group=pii',
] as Address[];

const matching = (...globs: readonly string[]): readonly string[] =>
  ADDRESSES.filter(makeMatcher(globs, kinds));

describe('globs over addresses', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['match an address as it is', ['VirtualCluster/prod'], ['VirtualCluster/prod']],
    ['match no part of an address', ['prod', 'VirtualCluster', 'AliasTopic/orders'], []],
    ['have * for any text, / and @ and , too', ['*prod*pii'], ['Interceptor/mask@vCluster=prod,group=pii']],
    ['have * for no text', ['VirtualCluster/prod*'], ['VirtualCluster/prod']],
    [
      'match everything but what is built in',
      ['*'],
      ADDRESSES.filter((address) => !address.endsWith('/passthrough')),
    ],
    ['never match what is built in', ['VirtualCluster/passthrough', 'VirtualCluster/pass*'], []],
    [
      'match what lives in what is built in',
      ['*@vCluster=passthrough'],
      ['AliasTopic/orders@vCluster=passthrough'],
    ],
    [
      'have a dot for a dot',
      ['AliasTopic/orders.v1@*', 'AliasTopic/ordersXv1@*'],
      ['AliasTopic/orders.v1@vCluster=prod'],
    ],
    [
      'have no other signs',
      ['Interceptor/mask@(global)', 'Interceptor/mas?@global', 'Interceptor/[m]ask@global'],
      [],
    ],
    [
      'exclude with a leading !',
      ['Interceptor/*', '!*@global'],
      ['Interceptor/mask@vCluster=prod,group=pii'],
    ],
    [
      'exclude wherever the exclusion stands',
      ['!*@global', 'Interceptor/*'],
      ['Interceptor/mask@vCluster=prod,group=pii'],
    ],
    ['that only exclude match all the others', ['!Alias*', '!Inter*'], ['VirtualCluster/prod']],
    [
      'may be several',
      ['Alias*prod', '*global'],
      ['AliasTopic/orders.v1@vCluster=prod', 'Interceptor/mask@global'],
    ],
    ['match nothing when there are none', [], []],
    ['match nothing when they are empty', [''], []],
  ])('%s', (_, globs, addresses) => {
    expect(matching(...globs)).toEqual(addresses);
  });
});

describe('a selection', () => {
  const selected = (target: readonly string[], exclude: readonly string[]): readonly string[] =>
    ADDRESSES.filter(makeSelector({ target, exclude }, kinds));

  it('is everything when nothing is said', () => {
    expect(selected([], [])).toEqual(ADDRESSES);
  });

  it('is what is targeted and not excluded', () => {
    expect(selected(['Inter*'], ['*global'])).toEqual(['Interceptor/mask@vCluster=prod,group=pii']);
    expect(selected([], ['Inter*', 'Alias*'])).toEqual(['VirtualCluster/prod', 'VirtualCluster/passthrough']);
  });

  it('may have exceptions in both', () => {
    expect(selected(['*prod*', '!Virtual*'], [])).toHaveLength(2);
    expect(selected(['Inter*'], ['*', '!*global'])).toEqual(['Interceptor/mask@global']);
  });
});

it('what is built in is so by kind and whole name', () => {
  expect(isBuiltIn('VirtualCluster/passthrough' as Address, kinds)).toBe(true);
  expect(isBuiltIn('VirtualCluster/passthrough2' as Address, kinds)).toBe(false);
  expect(isBuiltIn('GatewayGroup/passthrough' as Address, kinds)).toBe(false);
  expect(isBuiltIn('Thing/passthrough' as Address, kinds)).toBe(false);
});
