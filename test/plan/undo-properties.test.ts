import { describe, expect, it } from 'vitest';
import { checkFresh } from '../../src/apply/verify/check-plan.ts';
import { findUndoMisstatements } from '../../src/apply/verify/find-misstatements.ts';
import type { Resource } from '../../src/model/resource.ts';
import { idOf, isStep } from '../../src/plan/change/change.ts';
import { assessChanges } from '../../src/plan/exposure/assess.ts';
import { orderSafely } from '../../src/plan/exposure/order-safely.ts';
import { planChanges } from '../../src/plan/make-plan.ts';
import type { SavedChange } from '../../src/plan/saved/saved-plan.ts';
import { sealStepOfUndo } from '../../src/plan/saved/seal-plan.ts';
import { orderLeft } from '../../src/plan/undo/order-left.ts';
import { makeUndo, withoutHalves, withoutTaken } from '../../src/plan/undo/undo.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { workingConfig } from '../support/resources.ts';
import { stateOf as declaredIn } from '../support/expect-problems.ts';
import { applyChange, type State } from '../support/exposure-oracle.ts';
import fc from '../support/fast-check.ts';
import { resource } from '../support/kinds.ts';
import { forEachPair, make, PAIRS, time } from '../support/order-pairs.ts';
import { orderGateway } from '../support/order-states.ts';
import { fileOf, liveStateOf } from '../support/plans.ts';
import { stateOf, takeBack, undoOf } from '../support/undos.ts';

const { kinds } = catalog;
const runs = { numRuns: Math.ceil(PAIRS / 2) };

describe('the undo of a plan between any two states, kept as a file,', () => {
  it('is never refused, and leads back to what was there', time, () =>
    forEachPair(async ({ there, plan: { changes } }) => {
      const gateway = await orderGateway(there);
      const before = await stateOf(gateway);
      for (const change of changes) await make(change, gateway);
      await takeBack(undoOf(changes), gateway);
      expect(await stateOf(gateway)).toEqual(before);
    }, runs),
  );

  it('does so wherever the run was cut off', time, () =>
    forEachPair(async ({ there, plan: { changes } }, choices) => {
      const gateway = await orderGateway(there);
      const before = await stateOf(gateway);
      const made = Number(choices.next().value) % (changes.length + 1);
      for (const change of changes.slice(0, made)) await make(change, gateway);
      await takeBack(undoOf(changes), gateway);
      expect(await stateOf(gateway)).toEqual(before);
    }, runs),
  );

  it('can itself be undone', time, () =>
    forEachPair(async ({ there, plan: { changes } }) => {
      const gateway = await orderGateway(there);
      for (const change of changes) await make(change, gateway);
      const wanted = await stateOf(gateway);
      const back = makeUndo(changes, kinds).changes;
      for (const change of back) await make(change, gateway);
      await takeBack(undoOf(back), gateway);
      expect(await stateOf(gateway)).toEqual(wanted);
    }, runs),
  );
});

/** Bob's interceptors of two names, those of his group and his own; each name can be in the way of the other. */
const stateOfBob = (isMember: boolean, classes: readonly string[]): readonly Resource[] => [
  resource('VirtualCluster', { name: 'prod' }, {}),
  resource('GatewayServiceAccount', { name: 'bob', vCluster: 'prod' }, { type: 'LOCAL' }),
  resource(
    'GatewayGroup',
    { name: 'first' },
    { members: isMember ? [{ name: 'bob', vCluster: 'prod' }] : [] },
  ),
  ...classes.flatMap((name, at) => {
    if (name === '') return [];
    const scope = { vCluster: 'prod', ...(at < 2 ? { group: 'first' } : { username: 'bob' }) };
    const pluginClass = `io.conduktor.gateway.interceptor.${name}`;
    const spec = { pluginClass, priority: at % 2, config: workingConfig(pluginClass) };
    return [resource('Interceptor', { name: at % 2 === 0 ? 'a' : 'b', scope }, spec)];
  }),
];
const [MASK, AUDIT, ENCRYPT] = ['FieldLevelDataMaskingPlugin', 'AuditPlugin', 'EncryptPlugin'] as const;
const bobsState = fc
  .tuple(fc.boolean(), fc.array(fc.constantFrom('', MASK, AUDIT, ENCRYPT), { minLength: 4, maxLength: 4 }))
  .map(([isMember, classes]) => stateOfBob(isMember, classes));
/** What is left of the undo needs none of the copies that the whole of it does. */
const HALF_BACK = [
  stateOfBob(true, [AUDIT, AUDIT, ENCRYPT, '']),
  stateOfBob(false, [MASK, '', AUDIT, ENCRYPT]),
] as const;
/** The run and its undo need a copy of the same interceptor. */
const ONE_NAME = [stateOfBob(true, [AUDIT, '', '', MASK]), stateOfBob(true, ['', '', MASK, AUDIT])] as const;

describe('the undo of a run that was cut off at any call', () => {
  const options = { gateway: 'memory:', prune: ['*'] };
  const seal = (step: Parameters<typeof sealStepOfUndo>[0]): SavedChange =>
    sealStepOfUndo(step, kinds, 'salt');
  const planTo = (wanted: readonly Resource[], live: State) =>
    planChanges(declaredIn(fileOf(...wanted)), { resources: live, unavailable: new Map() }, kinds, options)
      .plan;
  const hasGap = (live: State, changes: Parameters<typeof assessChanges>[1]): boolean =>
    assessChanges(live, changes, kinds).exposures.some(({ lasting }) => !lasting);
  /** What is left to do of an undo that is begun, or begun again; all of it is as it says. */
  const leftOf = (undo: readonly SavedChange[], live: State): readonly SavedChange[] => {
    const inOrder = orderLeft(withoutHalves(undo, live, kinds), live, kinds, seal);
    const changes = withoutTaken(inOrder, live, kinds);
    expect(hasGap(live, changes)).toBe(hasGap(live, inOrder));
    const fresh = [...checkFresh(changes, live, kinds, 'salt')];
    expect(fresh.filter(([, state]) => state === 'stale')).toEqual([]);
    const already = new Set(fresh.flatMap(([id, state]) => (state === 'already' ? [id] : [])));
    expect(findUndoMisstatements(changes, already, live, kinds)).toEqual([]);
    expect(changes.filter((change) => !isStep(change) && already.has(idOf(change)))).toEqual([]);
    return changes.filter((change) => !already.has(idOf(change)));
  };
  const pair = fc.tuple(bobsState, bobsState, fc.nat(), fc.nat());

  it('protects everybody on the way wherever a plan from there can, and leaves no copy when it is cut off, too', () => {
    fc.assert(
      fc.property(pair, ([there, wanted, cutAt, cutAgainAt]) => {
        const before = liveStateOf(there).resources;
        const { changes: run } = planTo(wanted, before);
        const undo = undoOf(run, (drafts) => orderSafely(drafts, run.reduce(applyChange, before), kinds));
        const live = run.slice(0, cutAt % (run.length + 1)).reduce(applyChange, before);
        const first = leftOf(undo, live);
        if (!hasGap(live, planTo(there, live).changes)) expect(hasGap(live, first)).toBe(false);
        const stopped = first.slice(0, cutAgainAt % (first.length + 1)).reduce(applyChange, live);
        const again = leftOf(undo, stopped);
        expect([...again.reduce(applyChange, stopped).keys()].sort()).toEqual([...before.keys()].sort());
      }),
      {
        numRuns: PAIRS * 2,
        examples: [
          ...[0, 1, 2, 3, 4, 5].map((again) => ({ states: ONE_NAME, cut: 5, again })),
          { states: HALF_BACK, cut: 2, again: 0 },
        ].map(({ states, cut, again }) => [[...states, cut, again]]),
      },
    );
  });
});
