import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/model/resource.ts';
import { checkReferences } from '../../../src/plan/checks/references.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { seen, stateOf } from '../../support/expect-problems.ts';

const files = stateOf(`
  apiVersion: gateway/v2
  kind: VirtualCluster
  metadata: { name: production }
  spec: {}
  ---
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata:
    name: orders
    vCluster: productio
  spec: { physicalName: orders }
  ---
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: i, scope: { vCluster: production, username: nobody } }
  spec: { pluginClass: com.example.Own, priority: 1, config: {} }
`);

describe('a reference that no file declares', () => {
  it('is a warning offline, at its place, with the name that is near', () => {
    const problems = checkReferences(files, catalog.kinds);
    expect(problems.map((problem) => seen(problem))).toEqual([
      { code: 'dangling-reference', at: '10:13', path: '/metadata/vCluster', severity: 'warning' },
    ]);
    expect(problems[0]).toMatchObject({
      address: 'AliasTopic/orders@vCluster=productio',
      message:
        'AliasTopic/orders@vCluster=productio refers to VirtualCluster/productio, which no file declares',
      hint: 'declare VirtualCluster/productio; or did you mean VirtualCluster/production?',
    });
  });

  it('is an error when the gateway does not have it either', () => {
    const nowhere = { has: () => false, addresses: ['VirtualCluster/product' as Address] };
    expect(checkReferences(files, catalog.kinds, nowhere)).toMatchObject([
      {
        severity: 'error',
        message:
          'AliasTopic/orders@vCluster=productio refers to VirtualCluster/productio, which no file declares and the gateway does not have',
      },
    ]);
  });

  it('is none when the gateway has it', () => {
    expect(checkReferences(files, catalog.kinds, { has: () => true, addresses: [] })).toEqual([]);
  });

  it('is none when it always exists', () => {
    const state = stateOf(
      '{ apiVersion: gateway/v2, kind: AliasTopic, metadata: { name: a }, spec: { physicalName: t } }',
    );
    expect(checkReferences(state, catalog.kinds, { has: () => false, addresses: [] })).toEqual([]);
  });
});
