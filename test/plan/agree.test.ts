import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';

const partner = `apiVersion: gateway/v2
kind: VirtualCluster
metadata: { name: partner }
spec: { type: Partner, aclEnabled: true, superUsers: [boss] }
`;
const alias = (name: string, cluster: string): string => `---
apiVersion: gateway/v2
kind: AliasTopic
metadata: { name: ${name}, vCluster: partner }
spec: { physicalName: ${name}-v1, physicalCluster: ${cluster} }
`;

/** The problems of a plan for `wanted` on a gateway that has `there`. */
async function problemsOf(there: string, wanted: string): Promise<readonly string[]> {
  const gateway = memoryGateway(catalog.kinds, { physicalClusters: ['main', 'east', 'west'] });
  for (const { resource } of desired(there).values()) {
    const kind = catalog.kinds.get(resource.kind);
    if (kind !== undefined) await gateway.put(kind, resource);
  }
  const live = await readLive(gateway, [...catalog.kinds.values()]);
  const made = makePlan(desired(wanted), live, catalog.kinds, { gateway: gateway.url });
  return made.problems.map(({ code, address }) => `${code} ${address ?? ''}`);
}

function desired(text: string): ReturnType<typeof load>['value'] {
  return load([{ path: 'a.yaml', text, named: true }], catalog, () => undefined).value;
}

describe('alias topics of one Partner virtual cluster share a physical cluster at every moment, so', () => {
  it('one that has no fellows may move', async () => {
    expect(await problemsOf(partner + alias('a', 'east'), partner + alias('a', 'west'))).toEqual([]);
  });

  it('several that move together are told before anything is deleted', async () => {
    const there = partner + alias('a', 'east') + alias('b', 'east');
    const wanted = partner + alias('a', 'west') + alias('b', 'west');
    expect(await problemsOf(there, wanted)).toEqual([
      'cannot-replace AliasTopic/a@vCluster=partner',
      'cannot-replace AliasTopic/b@vCluster=partner',
    ]);
  });

  it('a new one must go where its fellows are', async () => {
    const there = partner + alias('a', 'east');
    expect(await problemsOf(there, there + alias('b', 'east'))).toEqual([]);
    expect(await problemsOf(there, there + alias('b', 'west'))).toEqual([
      'physical-cluster AliasTopic/b@vCluster=partner',
      'cannot-replace AliasTopic/b@vCluster=partner',
    ]);
  });
});
