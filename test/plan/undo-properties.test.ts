import { describe, expect, it } from 'vitest';
import { makeUndo } from '../../src/plan/undo/undo.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { forEachPair, make, PAIRS, time } from '../support/order-pairs.ts';
import { orderGateway } from '../support/order-states.ts';
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
