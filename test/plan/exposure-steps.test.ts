import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { bindPlan, checkPlan } from '../../src/apply/verify/check-plan.ts';
import { findMisstatements } from '../../src/apply/verify/find-misstatements.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import type { Resource } from '../../src/model/resource.ts';
import { afterOf, idOf, isStep, type Plan } from '../../src/plan/change/plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { virtualClock } from '../support/clock.ts';
import { protectionOf, type State } from '../support/exposure-oracle.ts';
import { written } from '../support/generate.ts';
import { resource } from '../support/kinds.ts';
import { make, planOf, runs, time } from '../support/order-pairs.ts';
import { orderGateway } from '../support/order-states.ts';
import { fileOf, liveStateOf, planFor } from '../support/plans.ts';
import { stateOf, takeBack, undoOf } from '../support/undos.ts';

const { kinds } = catalog;
const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';

const group = (name: string, ...members: readonly string[]): Resource =>
  resource('GatewayGroup', { name }, { members: members.map((one) => ({ name: one, vCluster: 'prod' })) });
const ACCOUNTS = [
  resource('VirtualCluster', { name: 'prod' }, {}),
  ...['bob', 'eve', 'kim'].map((name) =>
    resource('GatewayServiceAccount', { name, vCluster: 'prod' }, { type: 'LOCAL' }),
  ),
];
const MASKS = ['first', 'second'].map((name) =>
  resource(
    'Interceptor',
    { name: `mask-${name}`, scope: { vCluster: 'prod', group: name } },
    { pluginClass: MASK, priority: 1, config: {} },
  ),
);
/** A state in which all members of these groups have an interceptor. */
const stateWith = (...groups: readonly Resource[]): readonly Resource[] => [...ACCOUNTS, ...groups, ...MASKS];
const NAMES = ['bob', 'eve', 'kim'];
/** Each client is in one group, and all have an interceptor by it. */
const someState: fc.Arbitrary<readonly Resource[]> = fc
  .array(fc.boolean(), { minLength: NAMES.length, maxLength: NAMES.length })
  .map((places) =>
    stateWith(
      group('first', ...NAMES.filter((_, at) => places[at])),
      group('second', ...NAMES.filter((_, at) => !places[at])),
    ),
  );
const stepsOf = ({ changes }: Plan): readonly string[] => changes.map((change) => idOf(change));

it('fills a group in an extra step where its members swap with those of another one', () => {
  const live = stateWith(group('first', 'bob'), group('second', 'eve'));
  const file = fileOf(...stateWith(group('first', 'eve'), group('second', 'bob')));
  const { plan } = planFor(file, live);
  expect(plan.exposures).toBeUndefined();
  expect(stepsOf(plan)).toEqual([
    'GatewayGroup/second (expand)',
    'GatewayGroup/first',
    'GatewayGroup/second',
  ]);
  expect(plan.changes[0]).toMatchObject({
    action: 'update',
    reason: 'adds to members before anything is removed, so that no principal lacks protection in between',
    after: { spec: { members: [{ name: 'eve' }, { name: 'bob' }] } },
    fields: [{ op: 'add', path: '/spec/members/0' }],
  });
});

it('needs no extra step where members only come, or an order is safe', () => {
  const live = stateWith(group('first', 'bob'), group('second'));
  const moved = planFor(fileOf(...stateWith(group('first'), group('second', 'bob'))), live);
  expect(stepsOf(moved.plan)).toEqual(['GatewayGroup/second', 'GatewayGroup/first']);
});

it('refuses a saved plan with another extra step than its update needs', () => {
  const live = stateWith(group('first', 'bob'), group('second', 'eve'));
  const { plan } = planFor(fileOf(...stateWith(group('first', 'eve'), group('second', 'bob'))), live);
  const { changes, relies } = bindPlan(plan, kinds);
  const forged = changes.map((change) =>
    isStep(change) && change.action === 'update'
      ? { ...change, after: group('second', 'eve', 'bob', 'mallory') }
      : change,
  );
  const found = findMisstatements({ changes: forged, relies }, new Set(), liveStateOf(live).resources, kinds);
  expect(found.map(({ message }) => message)).toEqual([
    'the plan is not what apply would do to GatewayGroup/second: it shows another extra step',
  ]);
});

it('an extra step is resumed, undone or planned over wherever a run stops', time, async () => {
  const numRuns = Math.ceil(runs.numRuns / 8); // each applies a plan many times
  let stepped = 0;
  await fc.assert(
    fc.asyncProperty(someState, someState, fc.nat(), async (there, wanted, cut) => {
      const { value: desired } = load(
        [{ path: 'state.yaml', text: written(wanted), named: true }],
        catalog,
        () => undefined,
      );
      const first = await orderGateway(there);
      const before = await stateOf(first);
      const scope = { prune: ['*'] };
      const { value: plan } = await planOf(desired, first, scope);
      if (!plan.changes.some(isStep)) return;
      stepped += 1;
      expect(plan.exposures).toBeUndefined();
      expect(unmaskedOn(plan, before)).toEqual([]);
      await applyAll(plan, first);
      const after = await stateOf(first);
      expect((await planOf(desired, first, scope)).value.changes).toEqual([]);

      const made = plan.changes.slice(0, cut % (plan.changes.length + 1));
      const stopped = async (): Promise<EmbeddedGateway> => {
        const gateway = await orderGateway(there);
        for (const change of made) await make(change, gateway);
        return gateway;
      };
      const resumed = await stopped();
      await applyAll(plan, resumed);
      expect(await stateOf(resumed)).toEqual(after);

      const undone = await stopped();
      await takeBack(undoOf(plan.changes), undone);
      expect(await stateOf(undone)).toEqual(before);

      const planned = await stopped();
      await applyAll((await planOf(desired, planned, scope)).value, planned);
      expect(await stateOf(planned)).toEqual(after);
    }),
    { ...runs, numRuns },
  );
  expect(stepped).toBeGreaterThan(numRuns / 10);
});

/** Who lacks masking at some point of the plan. */
function unmaskedOn({ changes }: Plan, before: State): readonly string[] {
  const state = new Map(before);
  return changes.flatMap((change) => {
    const after = afterOf(change);
    if (after === undefined) state.delete(change.address);
    else state.set(change.address, after);
    return NAMES.filter((username) => {
      const client = { vCluster: 'prod', username, external: null };
      return !protectionOf(client, state).sorts.has('masking');
    });
  });
}

/** Applies what is left of a plan; it is not stale, and is what it shows. */
async function applyAll(plan: Plan, gateway: EmbeddedGateway): Promise<void> {
  const live = await readLive(gateway, [...kinds.values()]);
  const bound = bindPlan(plan, kinds);
  const { already, stale } = checkPlan(bound, live, kinds);
  expect(stale).toEqual([]);
  expect(findMisstatements(bound, already, live.resources, kinds)).toEqual([]);
  for await (const event of applyPlan(bound.changes, gateway, kinds, { clock: virtualClock(), already })) {
    expect(event.type).not.toBe('retrying');
    if (event.type !== 'finished') continue;
    const failed = event.ledger.entries.filter(({ outcome }) => outcome !== 'done' && outcome !== 'already');
    expect(failed).toEqual([]);
  }
}
