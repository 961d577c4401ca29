import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { applyPlan } from '../../src/apply/apply.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { hasErrors } from '../../src/model/problem.ts';
import { normalForm } from '../../src/model/normal/normal-form.ts';
import { kindOf as kindNameOf } from '../../src/model/resource.ts';
import type { Change } from '../../src/plan/change/change.ts';
import { makePlan, type PlanOptions } from '../../src/plan/make-plan.ts';
import { guardUndo } from '../../src/plan/checks/guard.ts';
import { makeUndo } from '../../src/plan/undo/undo.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { virtualClock } from '../support/clock.ts';
import { kindOf } from '../support/kinds.ts';
import { orAll } from '../support/soak.ts';
import { documentOf } from '../support/documents.ts';

const partner = documentOf(
  'VirtualCluster',
  '{ name: partner }',
  '{ type: Partner, aclEnabled: true, superUsers: [boss] }',
);
const alias = (name: string, cluster: string): string => `---
apiVersion: gateway/v2
kind: AliasTopic
metadata: { name: ${name}, vCluster: partner }
spec: { physicalName: ${name}-v1, physicalCluster: ${cluster} }
`;

/** The problems of a plan for `wanted` on a gateway that has `there`. */
async function problemsOf(there: string, wanted: string): Promise<readonly string[]> {
  const { problems } = await planFor(wanted, await gatewayWith(there));
  return problems.map(({ code, address }) => `${code} ${address ?? ''}`);
}

async function gatewayWith(there: string): Promise<EmbeddedGateway> {
  const gateway = memoryGateway(catalog.kinds, { physicalClusters: ['main', 'east', 'west'] });
  for (const { resource } of desired(there).values()) await gateway.put(kindOf(resource.kind), resource);
  return gateway;
}

async function planFor(
  wanted: string,
  gateway: EmbeddedGateway,
  options: Partial<PlanOptions> = {},
): Promise<ReturnType<typeof makePlan>> {
  const live = await readLive(gateway, [...catalog.kinds.values()]);
  return makePlan(desired(wanted), live, catalog.kinds, { gateway: gateway.url, ...options });
}

/** Makes the changes; all of them have to be done. */
async function expectDone(changes: readonly Change[], gateway: EmbeddedGateway): Promise<void> {
  const run = applyPlan(changes, gateway, catalog.kinds, { clock: virtualClock(), parallelism: 8 });
  for await (const event of run) {
    if (event.type === 'finished')
      expect(event.ledger.entries.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  }
}

async function stateOf(gateway: EmbeddedGateway): Promise<unknown> {
  const { resources } = await readLive(gateway, [...catalog.kinds.values()]);
  const forms = [...resources].map(
    ([address, one]) => [address, normalForm(kindOf(kindNameOf(address)), one)] as const,
  );
  return forms.sort(([one], [other]) => (one < other ? -1 : 1));
}

function desired(text: string): ReturnType<typeof load>['value'] {
  return load([{ path: 'a.yaml', text, named: true }], catalog, NO_VARIABLES).value;
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

  it.each([
    { what: 'under another name', there: alias('a', 'east'), wanted: alias('b', 'west') },
    {
      what: 'under the same name, while a fellow goes',
      there: alias('b', 'east') + alias('a', 'east'),
      wanted: alias('b', 'west'),
    },
    {
      what: 'under the same name, while a fellow comes',
      there: alias('b', 'east'),
      wanted: alias('a', 'west') + alias('b', 'west'),
    },
  ])('what gives the old one up goes first when they move $what, and on the way back', async (scene) => {
    const gateway = await gatewayWith(partner + scene.there);
    const before = await stateOf(gateway);
    const { value, problems } = await planFor(partner + scene.wanted, gateway, { prune: ['*'] });
    expect(problems).toEqual([]);
    const undo = makeUndo(value.changes, catalog.kinds);
    expect(undo.losses).toEqual([]);
    await expectDone(value.changes, gateway);
    await expectDone(undo.changes, gateway);
    expect(await stateOf(gateway)).toEqual(before);
  });

  it('a delete that goes first says why', async () => {
    const gateway = await gatewayWith(partner + alias('a', 'east'));
    const { value } = await planFor(partner + alias('b', 'west'), gateway, { prune: ['*'] });
    expect(value.changes.map(({ action, address, reason }) => ({ action, address, reason }))).toEqual([
      {
        action: 'delete',
        address: 'AliasTopic/a@vCluster=partner',
        reason: 'goes first: AliasTopic/b@vCluster=partner has another physical cluster',
      },
      { action: 'create', address: 'AliasTopic/b@vCluster=partner', reason: undefined },
    ]);
  });

  it('one does not move while the file that makes its virtual cluster Partner is left out', async () => {
    const standard = partner.replace('type: Partner', 'type: Standard');
    const gateway = await gatewayWith(standard + alias('a', 'main'));
    const wanted = partner + alias('a', 'east');
    const target = ['AliasTopic/a@vCluster=partner'];
    const { problems } = await planFor(wanted, gateway, { selection: { target, exclude: [] } });
    expect(problems.map(({ code, message, hint }) => ({ code, message, hint }))).toEqual([
      {
        code: 'physical-cluster',
        message:
          'AliasTopic/a@vCluster=partner is on east, but a Standard virtual cluster has all its topics on main; ' +
          'the files change VirtualCluster/partner, which this run leaves out',
        hint: 'select it too: --target VirtualCluster/partner',
      },
    ]);
    const whole = await planFor(wanted, gateway, {
      selection: { target: [...target, 'VirtualCluster/partner'], exclude: [] },
    });
    expect(whole.problems).toEqual([]);
    await expectDone(whole.value.changes, gateway);
  });

  it('a delete that is left out is named where the value it holds is in the way', async () => {
    const gateway = await gatewayWith(partner + alias('a', 'east'));
    const { problems } = await planFor(partner + alias('b', 'west'), gateway, {
      prune: ['*'],
      selection: { target: ['AliasTopic/b@vCluster=partner'], exclude: [] },
    });
    expect(problems.map(({ code, hint }) => ({ code, hint }))).toEqual([
      {
        code: 'cannot-replace',
        hint: 'select AliasTopic/a@vCluster=partner too if this run should delete it: --target AliasTopic/a@vCluster=partner',
      },
    ]);
  });

  it('no plan without a problem is refused, whatever moves and whatever is selected; nor is its undo', () =>
    fc.assert(
      fc.asyncProperty(clusters, clusters, selection, fc.boolean(), async (there, wanted, chosen, prunes) => {
        const gateway = await gatewayWith(there);
        const before = await stateOf(gateway);
        const { value, problems } = await planFor(wanted, gateway, {
          selection: chosen,
          ...(prunes ? { prune: ['*'] } : {}),
        });
        fc.pre(!hasErrors(problems));
        const undo = makeUndo(value.changes, catalog.kinds);
        await expectDone(value.changes, gateway);
        const live = await readLive(gateway, [...catalog.kinds.values()]);
        fc.pre(!hasErrors(guardUndo(undo.changes, live, {}, catalog.kinds)));
        await expectDone(undo.changes, gateway);
        if (undo.losses.length === 0) expect(await stateOf(gateway)).toEqual(before);
      }),
      { numRuns: orAll(40, 100) },
    ));
});

/** Two virtual clusters of either type with aliases, all of which share a physical cluster. */
const clusters = fc
  .tuple(
    ...['one', 'two'].map((name) =>
      fc
        .record({
          isPartner: fc.boolean(),
          on: fc.constantFrom('main', 'east', 'west'),
          names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
          physical: fc.constantFrom('v1', 'v2'),
        })
        .map(({ isPartner, on, names, physical }) => {
          const home = partner.replace('name: partner', `name: ${name}`);
          const aliases = names.map((one) =>
            alias(one, isPartner ? on : 'main')
              .replace('vCluster: partner', `vCluster: ${name}`)
              .replace('-v1', `-${physical}`),
          );
          return [isPartner ? home : home.replace('Partner', 'Standard'), ...aliases].join('');
        }),
    ),
  )
  .map((texts) => texts.join('---\n'));

const selection = fc.record({
  target: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.uniqueArray(
      fc.constantFrom(
        'VirtualCluster/one',
        'VirtualCluster/two',
        'AliasTopic/a@vCluster=one',
        'AliasTopic/b@vCluster=one',
        'AliasTopic/*@vCluster=two',
      ),
      { minLength: 1, maxLength: 4 },
    ),
  ),
  exclude: fc.constant([]),
});
