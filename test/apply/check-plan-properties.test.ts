import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { bindPlan, checkPlan } from '../../src/apply/verify/check-plan.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { hasErrors } from '../../src/model/problem.ts';
import type { Resource } from '../../src/model/resource.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { virtualClock } from '../support/clock.ts';
import { written } from '../support/generate.ts';
import { kindOf } from '../support/kinds.ts';
import { PAIRS, runs, time } from '../support/order-pairs.ts';
import { orderGateway, orderPair } from '../support/order-states.ts';

const { kinds } = catalog;

/** What somebody else does: some objects of another state are written, some of the old one deleted. */
const meanwhile = fc.record({
  state: orderPair.map(({ there }) => there),
  puts: fc.array(fc.nat(), { maxLength: 2 }),
  removes: fc.array(fc.nat(), { maxLength: 1 }),
});

it('whatever others do between plan and apply, what is not stale is never refused', time, async () => {
  const seen = { stale: 0, fresh: 0 };
  await fc.assert(
    fc.asyncProperty(orderPair, meanwhile, async ({ wanted, there }, others) => {
      const files = [{ path: 'state.yaml', text: written(wanted), named: true }];
      const { value: desired } = load(files, catalog, NO_VARIABLES);
      const gateway = await orderGateway(there);
      const before = await readLive(gateway, [...kinds.values()]);
      const made = makePlan(desired, before, kinds, { gateway: gateway.url, prune: ['*'] });
      if (hasErrors(made.problems) || made.value.changes.length === 0) return;

      for (const at of others.removes) await taken(there[at % there.length], gateway, 'remove');
      for (const at of others.puts) await taken(others.state[at % others.state.length], gateway, 'put');

      const plan = bindPlan(made.value, kinds);
      const live = await readLive(gateway, [...kinds.values()]);
      const { already, stale } = checkPlan(plan, live, kinds);
      seen[stale.length > 0 ? 'stale' : 'fresh'] += 1;
      if (stale.length > 0) return;
      const options = { clock: virtualClock(), settleTimeoutMs: 0, already };
      for await (const event of applyPlan(plan.changes, gateway, kinds, options)) {
        if (event.type !== 'finished') continue;
        const { entries } = event.ledger;
        expect(entries.filter(({ outcome }) => outcome !== 'done' && outcome !== 'already')).toEqual([]);
      }
    }),
    runs,
  );
  expect(seen.stale).toBeGreaterThan(PAIRS / 10);
  expect(seen.fresh).toBeGreaterThan(PAIRS / 10);
});

/** Written or deleted, if the gateway lets somebody do that. */
async function taken(
  one: Resource | undefined,
  gateway: EmbeddedGateway,
  call: 'put' | 'remove',
): Promise<void> {
  if (one === undefined) return;
  try {
    await gateway[call](kindOf(one.kind), one);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}
