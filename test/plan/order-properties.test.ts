import { describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { bindPlan, checkPlan, checkFresh } from '../../src/apply/verify/check-plan.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { normalForm } from '../../src/model/normal/normal-form.ts';
import { kindOf as kindNameOf, type Address, type Resource } from '../../src/model/resource.ts';
import { findCycles } from '../../src/plan/order/graph.ts';
import { idOf, isStep, type ChangeId } from '../../src/plan/change/change.ts';
import { findReleasable } from '../../src/plan/order/release.ts';
import { makeGraph } from '../../src/plan/order/order.ts';
import { findDependencies } from '../../src/plan/order/dependencies.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { virtualClock } from '../support/clock.ts';
import { kindOf } from '../support/kinds.ts';
import { forEachPair, make, planOf, someOrderOf, time, type Possible } from '../support/order-pairs.ts';
import { orderGateway } from '../support/order-states.ts';
import { orAll } from '../support/soak.ts';

const { kinds } = catalog;

describe('between any two states of a gateway, a plan without errors', () => {
  it('is taken call by call, ends in what is wanted, and needs nothing the second time', time, () =>
    forEachPair(async (given) => {
      const gateway = await orderGateway(given.there);
      for (const change of given.plan.changes) await make(change, gateway);
      await expectWanted(given, gateway);
    }),
  );

  it('is taken eight calls at a time', time, () =>
    forEachPair(async (given) => {
      const gateway = await orderGateway(given.there);
      const options = { clock: virtualClock(), parallelism: 8 };
      for await (const event of applyPlan(given.plan.changes, gateway, kinds, options)) {
        expect(event.type).not.toBe('retrying'); // a refusal, even one that a second try gets past
        if (event.type !== 'finished') continue;
        expect(event.ledger.entries.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
      }
      await expectWanted(given, gateway);
    }),
  );

  it('is taken in every order that what it waits for and its stages allow', time, () =>
    forEachPair(async (given, choices) => {
      const gateway = await orderGateway(given.there);
      for (const change of someOrderOf(given.plan.changes, choices)) await make(change, gateway);
      await expectWanted(given, gateway);
    }),
  );

  it('is stale at no point on its way, and what was made counts as made', time, () =>
    forEachPair(async ({ there, plan }) => {
      const { changes } = plan;
      const gateway = await orderGateway(there);
      const planned = bindPlan(plan, kinds);
      for (let made = 0; made <= changes.length; made += 1) {
        const live = await readLive(gateway, [...kinds.values()]);
        const fresh = checkFresh(planned.changes, live.resources, kinds, '');
        expect(checkPlan(planned, live, kinds).stale).toEqual([]);
        const expected = changes.map((change, at) => [idOf(change), at < made ? 'already' : 'as-planned']);
        expect(changes.map((change) => [idOf(change), fresh.get(idOf(change))])).toEqual(expected);
        const next = changes[made];
        if (next !== undefined) await make(next, gateway);
      }
    }),
  );

  it('has everything after what it waits for; what stands in an odd place says why', time, () =>
    forEachPair(({ plan: { changes } }) => {
      const done = new Set<ChangeId>();
      for (const [at, change] of changes.entries()) {
        expect(change.dependsOn.filter((id) => !done.has(id))).toEqual([]);
        if (change.stage === 1) expect(changes[at - 1]?.stage ?? 1).toBe(1);
        const early = change.action === 'delete' && change.stage === 1;
        if (early) expect(change.reason).toMatch(/^goes first: /);
        else if (isStep(change)) expect(change.reason).toMatch(/first, so that .+ can/);
        else expect(change.reason).toBeUndefined();
        done.add(idOf(change));
      }
    }),
  );
});

it(
  'a plan has no more extra steps than are needed, of which many pairs have one, or a delete that goes early',
  time,
  async () => {
    const seen = { planned: 0, steps: 0, early: 0 };
    await forEachPair(
      ({ plan: { changes } }) => {
        seen.planned += 1;
        if (changes.some(isStep)) seen.steps += 1;
        if (changes.some(({ action, stage }) => action === 'delete' && stage === 1)) seen.early += 1;
        const own = changes.filter((change) => !isStep(change));
        const byId = new Map(own.map((change) => [idOf(change), change]));
        const dependencies = findDependencies(own, kinds);
        const goes = (id: ChangeId): boolean => byId.get(id)?.action === 'delete';
        const opens = new Map(
          own.flatMap((change) => {
            const released = findReleasable(
              change,
              dependencies.filter(({ on }) => on === idOf(change)),
              kinds,
            );
            return released.length === 0 ? [] : [[idOf(change), new Set(released)] as const];
          }),
        );
        // A delete that would go early and pull others along lets go in any case.
        const pulls = (id: ChangeId): boolean =>
          goes(id) && dependencies.some(({ change, on }) => change === id && goes(on));
        const must = dependencies.flatMap(({ on, why }) => (why.type === 'takes' && pulls(on) ? [on] : []));
        const suffice = (chosen: readonly ChangeId[]): boolean => {
          const left = dependencies.filter(
            (dependency) =>
              dependency.why.type !== 'preferred' &&
              !chosen.some((id) => opens.get(id)?.has(dependency) === true),
          );
          return must.every((id) => chosen.includes(id)) && findCycles(makeGraph(left)).length === 0;
        };
        const steps = changes.length - own.length;
        if (steps === 0 || opens.size > 10) return;
        const fewer = [...subsets([...opens.keys()])].filter((chosen) => chosen.length < steps);
        expect(fewer.filter(suffice)).toEqual([]);
      },
      { numRuns: orAll(100, 300), seed: 1 },
    );
    expect(seen.planned).toBeGreaterThan(50);
    expect(seen.steps).toBeGreaterThan(8);
    expect(seen.early).toBeGreaterThan(10);
  }, // the search for the fewest is a good guess, no proof
);

function* subsets<T>(items: readonly T[]): Generator<readonly T[]> {
  const [first, ...rest] = items;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const subset of subsets(rest)) {
    yield subset;
    yield [first, ...subset];
  }
}

async function expectWanted(
  { desired, before, scope, plan }: Possible,
  gateway: EmbeddedGateway,
): Promise<void> {
  const { resources } = await readLive(gateway, [...kinds.values()]);
  const unmanaged = plan.unmanaged.map((address) => [address, before.get(address)] as const);
  const wanted = [...desired.values()].map(({ address, resource }) => [address, resource] as const);
  const normal = (
    entries: readonly (readonly [Address, Resource | undefined])[],
  ): ReadonlyMap<Address, Resource | undefined> =>
    new Map(
      entries.map(([address, one]) => [
        address,
        one === undefined ? undefined : normalForm(kindOf(kindNameOf(address)), one),
      ]),
    );
  expect(normal([...resources])).toEqual(normal([...wanted, ...unmanaged]));
  expect((await planOf(desired, gateway, scope)).value.changes).toEqual([]);
}
