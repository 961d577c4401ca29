import { describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import type { Entry, Ledger } from '../../src/apply/events.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { sameJson } from '../../src/model/json/json.ts';
import { normalForm } from '../../src/model/normal/normal-form.ts';
import { kindOf as kindNameOf, type Address, type Resource } from '../../src/model/resource.ts';
import { idOf, type Change } from '../../src/plan/change/change.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { virtualClock } from '../support/clock.ts';
import { makeFaultyGateway } from '../support/faults/faulty-gateway.ts';
import { makeLaggingStore } from '../support/faults/lagging-store.ts';
import type { FaultScript, ScriptedFault } from '../support/faults/script.ts';
import { kindOf, writableKinds } from '../support/kinds.ts';
import { gatewayBefore, planLeft } from '../support/sixty-calls.ts';
import { someOf } from '../support/soak.ts';

const { kinds } = catalog;
const PLAN = (await planLeft(await gatewayBefore())).changes;
const WRITES = PLAN.reduce((sum, { action }) => sum + (action === 'replace' ? 2 : 1), 0);
const EACH = Array.from({ length: WRITES }, (_, at) => at + 1);
/** A twelfth of the calls, others for each fault. */
const callsFor = (turn: number): readonly number[] => someOf(EACH, 12, turn);

describe('a plan of some sixty calls', () => {
  it('has every kind and every action', () => {
    expect(WRITES).toBeGreaterThanOrEqual(55);
    expect(WRITES).toBeLessThanOrEqual(70);
    expect([...new Set(PLAN.map(({ action }) => action))].sort()).toEqual([
      'create',
      'delete',
      'replace',
      'update',
    ]);
    expect(new Set(PLAN.map(({ address }) => kindNameOf(address)))).toEqual(
      new Set(writableKinds.map(({ name }) => name)),
    );
  });

  const passing: readonly ScriptedFault[] = [
    { fault: 'status', status: 429, retryAfter: 3 },
    { fault: 'status', status: 502 },
    { fault: 'status', status: 503 },
    { fault: 'status', status: 504 },
    { fault: 'hang' },
    { fault: 'delay', ms: 1000 },
    { fault: 'drop-before' },
    { fault: 'drop-after' },
    { fault: 'failed-after' },
    { fault: 'garbage' },
    { fault: 'lag', calls: 1 },
    { fault: 'lag', calls: 4 },
  ];
  it.each(passing)('comes true whichever of its calls meets with $fault $status $calls', async (scripted) => {
    for (const at of callsFor(passing.indexOf(scripted))) {
      const { ledger, gateway } = await runWith([{ at, ...scripted }]);
      expect(problemsOf(ledger), `at call ${at}`).toEqual([]);
      expect(ledger.result, `at call ${at}`).toBe('applied');
      expect((await planLeft(gateway)).changes, `at call ${at}`).toEqual([]);
    }
  });

  const refusals = [400, 401, 403, 404, 409, 500];
  it.each(refusals)(
    'comes true, or says truly how far it came, when one of its calls is refused with %i',
    async (status) => {
      for (const at of callsFor(refusals.indexOf(status))) {
        const { ledger, gateway } = await runWith([{ at, fault: 'status', status }]);
        await expectTrue(ledger, gateway, `at call ${at}`);
        await expectRerunConverges(gateway, `at call ${at}`);
      }
    },
  );

  it('comes true, or says truly how far it came, when the gateway lags too long behind', async () => {
    for (const at of callsFor(passing.length)) {
      const { ledger, gateway } = await runWith([{ at, fault: 'lag', calls: 30 }]);
      await expectTrue(ledger, gateway, `at call ${at}`);
      await expectRerunConverges(gateway, `at call ${at}`);
    }
  });

  const lasting = ['drop-before', 'drop-after', 'failed-after', 'hang', 'garbage'] as const;
  it.each(lasting)(
    'says truly how far it came when from one call on everything meets with %s',
    async (fault) => {
      for (const at of callsFor(lasting.indexOf(fault))) {
        const script: FaultScript = Array.from({ length: 400 }, (_, more) => ({
          at: at + more,
          counting: 'calls',
          fault,
        }));
        const { ledger, gateway } = await runWith(script);
        await expectTrue(ledger, gateway, `from call ${at} on`);
        await expectRerunConverges(gateway, `from call ${at} on`);
      }
    },
  );
});

async function runWith(script: FaultScript): Promise<{
  readonly ledger: Ledger;
  readonly gateway: EmbeddedGateway;
}> {
  const store = makeLaggingStore();
  const gateway = await gatewayBefore({ store });
  const faulty = makeFaultyGateway(gateway, store, script);
  const ledger = await applied(PLAN, faulty);
  faulty.showAll();
  return { ledger, gateway };
}

async function applied(changes: readonly Change[], gateway: Gateway): Promise<Ledger> {
  for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock() })) {
    if (event.type === 'finished') return event.ledger;
  }
  return expect.fail('the run ended without a ledger');
}

function problemsOf({ entries }: Ledger): readonly string[] {
  return entries.flatMap((entry) => (entry.outcome === 'failed' ? [entry.problem.message] : []));
}

async function expectRerunConverges(gateway: EmbeddedGateway, where: string): Promise<void> {
  const again = await applied((await planLeft(gateway)).changes, gateway);
  expect(problemsOf(again), where).toEqual([]);
  expect((await planLeft(gateway)).changes, where).toEqual([]);
}

/** Holds each line of a ledger against what the gateway has in truth. */
async function expectTrue({ entries }: Ledger, gateway: EmbeddedGateway, where: string): Promise<void> {
  const { resources } = await readLive(gateway, [...kinds.values()]);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const address of new Set(PLAN.map((change) => change.address))) {
    const ofIt = PLAN.filter((change) => change.address === address);
    const said = ofIt.map((change) => claimOf(change, byId.get(idOf(change))));
    // What stands there is what the last one that was made left behind, or else what was there before.
    const allowed = said.reduce<readonly (Resource | undefined)[]>(
      (standing, claim) => [...(claim.keeps ? standing : []), ...claim.makes],
      [firstOf(ofIt)],
    );
    const live = resources.get(address);
    expect(
      allowed.some((one) => same(address, one, live)),
      `${where}: ${address} is not what the ledger says: ${JSON.stringify(ofIt.map((change) => byId.get(idOf(change))))}`,
    ).toBe(true);
  }
}

/** What an entry says of its object: whether it may be as it was, and what else it may be. */
type Claim = { readonly keeps: boolean; readonly makes: readonly (Resource | undefined)[] };

function claimOf(change: Change, entry: Entry | undefined): Claim {
  const target = change.action === 'delete' ? undefined : change.after;
  switch (entry?.outcome) {
    case 'done':
    case 'already':
      return { keeps: false, makes: [target] };
    case 'blocked':
    case 'not-attempted':
      return { keeps: true, makes: [] };
    case 'failed': {
      const { message } = entry.problem;
      if (/unknown whether it was created again/.test(message))
        return { keeps: false, makes: [undefined, target] };
      if (/^unknown whether /.test(message))
        return { keeps: true, makes: change.action === 'replace' ? [undefined] : [target] };
      if (/deleted and not created again/.test(message)) return { keeps: false, makes: [undefined] };
      expect(message).toMatch(/^the gateway (refused to|did not) |was not made: /);
      return { keeps: true, makes: [] };
    }
    case undefined:
      return expect.fail(`${change.address} is missing in the ledger`);
  }
}

function firstOf([first]: readonly Change[]): Resource | undefined {
  return first !== undefined && 'before' in first ? first.before : undefined;
}

function same(address: Address, one: Resource | undefined, other: Resource | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const kind = kindOf(kindNameOf(address));
  return sameJson(normalForm(kind, one), normalForm(kind, other));
}
