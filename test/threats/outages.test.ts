import { describe, expect, it } from 'vitest';
import { applyPlan, type ApplyOptions } from '../../src/apply/apply.ts';
import type { Ledger } from '../../src/apply/events.ts';
import { GatewayError, type Gateway } from '../../src/gateway/gateway.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { virtualClock } from '../support/clock.ts';
import { stateOf } from '../support/expect-problems.ts';
import { fileOf } from '../support/plans.ts';
import { cluster } from '../support/resources.ts';
import { gatewayWith, watched } from '../support/watched.ts';

const busy = (status: number, retryAfterMs?: number): GatewayError =>
  new GatewayError('busy', `busy ${status}`, { status, ...(retryAfterMs !== undefined && { retryAfterMs }) });
const broken = (): GatewayError => new GatewayError('unreachable', 'the connection broke');

/** A gateway that refuses the first so many writes that match. */
async function failing(
  times: number,
  error: () => GatewayError,
  which = /./,
): Promise<{ readonly gateway: Gateway; readonly tries: () => number }> {
  let tries = 0;
  const gateway = watched(await gatewayWith([]), (write) => {
    if (which.test(write)) tries += 1;
    return which.test(write) && tries <= times ? Promise.reject(error()) : Promise.resolve();
  });
  return { gateway, tries: () => tries };
}

/** Creates so many objects. */
async function create(count: number, gateway: Gateway, options: ApplyOptions): Promise<Ledger> {
  const wanted = Array.from({ length: count }, (_, at) => cluster(`c${at + 1}`));
  const plan = makePlan(
    stateOf(fileOf(...wanted)),
    { resources: new Map(), unavailable: new Map() },
    catalog.kinds,
    { gateway: gateway.url },
  );
  for await (const event of applyPlan(plan.value.changes, gateway, catalog.kinds, options))
    if (event.type === 'finished') return event.ledger;
  throw new Error('the run did not finish');
}

describe('threat: gateway: a run that waits', () => {
  it('is not resumed within the settle timeout when the gateway asks to wait for longer', async () => {
    const clock = virtualClock();
    const { gateway, tries } = await failing(2, () => busy(429, 50_000));
    const ledger = await create(1, gateway, { clock });
    expect([ledger.result, tries()]).toEqual(['failed', 1]);
    expect(clock.now()).toBeLessThan(1_000);
    const hint = expect.stringContaining('--settle-timeout') as string;
    expect(ledger.entries).toMatchObject([{ problem: { hint } }]);
    const patient = await create(1, gateway, { clock, settleTimeoutMs: 120_000 });
    expect(patient.result).toBe('applied');
  });

  it.each([
    ['is busy', () => busy(503)],
    ['asks to wait', () => busy(429, 25_000)],
    ['is gone', () => new GatewayError('unreachable', 'refused', { unsent: true })],
    ['breaks connections', broken],
    ['does not answer', () => new GatewayError('timeout', 'no answer')],
  ])('ends with the settle timeout where the gateway %s, also with --keep-going', async (_, error) => {
    const clock = virtualClock();
    const { gateway } = await failing(9_999, error);
    const ledger = await create(200, gateway, { clock, keepGoing: true });
    expect(ledger.result).toBe('failed');
    expect(ledger.entries.at(-1)).toMatchObject({ outcome: 'not-attempted' });
    expect(clock.now()).toBeLessThan(31_000);
  });

  it('goes on with --keep-going where the gateway answers some writes, retried or not', async () => {
    const clock = virtualClock();
    for (const settleTimeoutMs of [0, 30_000]) {
      const { gateway } = await failing(9_999, () => busy(503), /7$/);
      const ledger = await create(40, gateway, { clock, keepGoing: true, settleTimeoutMs });
      expect(ledger.entries.filter(({ outcome }) => outcome === 'done')).toHaveLength(36);
    }
  });
});
