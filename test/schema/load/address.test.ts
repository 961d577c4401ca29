import { describe, expect, it } from 'vitest';
import { parseAddress, printAddress } from '../../../src/model/resource.ts';
import { readAddress } from '../../../src/schema/load/address.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';

describe('an address', () => {
  it.each([
    'VirtualCluster/prod',
    'AliasTopic/orders@vCluster=prod',
    'AliasTopic/a/b%40c%25@vCluster=prod',
    'GatewayGroup/payments',
    'Interceptor/mask@global',
    'Interceptor/mask@vCluster=prod',
    'Interceptor/mask@vCluster=prod,username=a%2Cb',
  ])('%s is read as it is printed', (text) => {
    expect(readAddress(text, catalog.kinds)).toEqual({ address: text });
  });

  it.each([
    ['AliasTopic/*', 'invalid-value', 'list each address; gwconf plan prints them'],
    ['!AliasTopic/a', 'invalid-value', 'list each address; gwconf plan prints them'],
    ['orders', 'invalid-value', 'write it as AliasTopic/orders@vCluster=prod'],
    ['AliasTopic/', 'invalid-value', 'write it as AliasTopic/orders@vCluster=prod'],
    ['AliasTopic/orders', 'invalid-value', 'did you mean AliasTopic/orders@vCluster=passthrough?'],
    ['AliasTopic/orders@global', 'invalid-value', 'did you mean AliasTopic/orders@vCluster=passthrough?'],
    ['AliasTopic/orders@group=a', 'invalid-value', 'did you mean AliasTopic/orders@vCluster=passthrough?'],
    ['AliasTopic/orders@cluster=a', 'invalid-value', 'did you mean AliasTopic/orders@vCluster=passthrough?'],
    ['VirtualCluster/prod@vCluster=prod', 'invalid-value', 'did you mean VirtualCluster/prod?'],
    ['Interceptor/mask', 'invalid-value', 'did you mean Interceptor/mask@vCluster=passthrough?'],
    [
      'Interceptor/mask@group=a,vCluster=b',
      'invalid-value',
      'did you mean Interceptor/mask@vCluster=b,group=a?',
    ],
    ['Interceptr/mask@global', 'unknown-kind', 'did you mean Interceptor?'],
    ['Plugin/io.example', 'read-only-kind', 'remove it'],
    ['VirtualCluster/passthrough', 'reserved-name', 'remove it'],
  ])('%s is a fault, with the cure', (text, code, hint) => {
    expect(readAddress(text, catalog.kinds)).toMatchObject({ fault: { code, hint } });
  });

  it('is printed as it was parsed', () => {
    const identity = { kind: 'Interceptor', name: 'a@b%', scope: { vCluster: 'x,y' } };
    expect(parseAddress(printAddress(identity))).toEqual(identity);
  });
});
