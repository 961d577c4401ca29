import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/model/problem.ts';
import type { Resource } from '../../../src/model/resource.ts';
import type { DesiredState } from '../../../src/model/state.ts';
import { checkReferences } from '../../../src/plan/checks/name-checks.ts';
import { planChanges } from '../../../src/plan/make-plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { seen, stateOf } from '../../support/expect-problems.ts';
import { resource } from '../../support/kinds.ts';
import { liveStateOf } from '../../support/plans.ts';

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
    const problems = [...checkReferences({ desired: files, removals: [], rules: {}, kinds: catalog.kinds })];
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
    expect(withLive(files, resource('VirtualCluster', { name: 'product' }))).toMatchObject([
      {
        severity: 'error',
        message:
          'AliasTopic/orders@vCluster=productio refers to VirtualCluster/productio, which no file declares and the gateway does not have',
      },
    ]);
  });

  it('is none when the gateway has it', () => {
    expect(withLive(files, resource('VirtualCluster', { name: 'productio' }))).toEqual([]);
  });

  it('is an error when the plan deletes it, which is not to say that the gateway does not have it', () => {
    const { world } = planChanges(
      files,
      liveStateOf([resource('VirtualCluster', { name: 'productio' })]),
      catalog.kinds,
      {
        gateway: 'memory:',
        prune: ['*'],
      },
    );
    expect([...checkReferences(world)]).toMatchObject([
      {
        message:
          'AliasTopic/orders@vCluster=productio refers to VirtualCluster/productio, which no file declares and this plan deletes',
        hint: 'declare VirtualCluster/productio',
      },
    ]);
  });

  it('is none when it always exists', () => {
    const state = stateOf(
      '{ apiVersion: gateway/v2, kind: AliasTopic, metadata: { name: a }, spec: { physicalName: t } }',
    );
    expect(withLive(state)).toEqual([]);
  });
});

function withLive(desired: DesiredState, ...live: readonly Resource[]): readonly Problem[] {
  const { world } = planChanges(desired, liveStateOf(live), catalog.kinds, { gateway: 'memory:' });
  return [...checkReferences(world)];
}
