import { describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { virtualClock } from '../support/clock.ts';
import { forEachScopedPair, make, PAIRS, planOf, someOrderOf, time } from '../support/order-pairs.ts';
import { orderGateway } from '../support/order-states.ts';
import { stateOf } from '../support/undos.ts';

const { kinds } = catalog;

describe('a plan of a part, with Partners, moves and differences that are ignored,', () => {
  it('is never refused in any of its orders, and is complete', time, () =>
    forEachScopedPair(async ({ there, desired, scope, plan }, choices) => {
      const gateway = await orderGateway(there);
      for (const change of someOrderOf(plan.changes, choices)) await make(change, gateway);
      expect((await planOf(desired, gateway, scope)).value.changes).toEqual([]);
    }),
  );

  it('is taken by apply without a second try, and touches nothing else', time, () =>
    forEachScopedPair(async ({ there, plan }) => {
      const gateway = await orderGateway(there);
      const before = await stateOf(gateway);
      for await (const event of applyPlan(plan.changes, gateway, kinds, { clock: virtualClock() })) {
        expect(event.type).not.toBe('retrying');
        if (event.type !== 'finished') continue;
        expect(event.ledger.entries.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
      }
      const planned = new Set(plan.changes.map(({ address }) => address));
      const after = await stateOf(gateway);
      for (const [address, one] of before)
        if (!planned.has(address)) expect(after.get(address), address).toEqual(one);
      for (const address of after.keys()) expect(before.has(address) || planned.has(address)).toBe(true);
    }),
  );

  it('is often possible, narrowed, and ignores something', async () => {
    const seen = { possible: 0, narrowed: 0, ignoring: 0 };
    await forEachScopedPair(({ plan }) => {
      if (plan.changes.length === 0) return;
      seen.possible += 1;
      if (plan.unselected.length > 0) seen.narrowed += 1;
      if (plan.ignored.length > 0) seen.ignoring += 1;
    });
    const least = PAIRS / 50;
    expect(
      Object.values(seen).every((count) => count > least),
      JSON.stringify(seen),
    ).toBe(true);
  });
});
