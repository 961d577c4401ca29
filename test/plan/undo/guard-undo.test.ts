import { describe, expect, it } from 'vitest';
import type { Rules } from '../../../src/model/rules.ts';
import { guardUndo } from '../../../src/plan/checks/guard.ts';
import { DEFAULT_LIMITS } from '../../../src/plan/checks/limits.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { makeUndo } from '../../../src/plan/undo/undo.ts';
import { SOMEWHERE } from '../../support/rules.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';

const rooms = (from: number, to: number): Toys =>
  Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`Room/r${from + at}`, {}]));

describe('an undo', () => {
  it('of six objects is over the limit where they are all that is managed, and within it among sixty', () => {
    const limits = DEFAULT_LIMITS;
    expect(codesOf(rooms(0, 6), {}, { limits })).toEqual(['over-limit']);
    expect(codesOf(rooms(0, 6), rooms(6, 60), { limits })).toEqual(['over-limit']);
    expect(codesOf(rooms(0, 6), rooms(6, 60), { limits, manages: ['Room/*'] })).toEqual([]);
    expect(codesOf(rooms(0, 6), rooms(6, 59), { limits, manages: ['Room/*'] })).toEqual(['over-limit']);
  });

  it('harms nothing that a rule protects', () => {
    const protect = [{ address: 'Room/r1', place: SOMEWHERE }];
    expect(codesOf(rooms(0, 1), {}, { protect })).toEqual([]);
    expect(codesOf(rooms(0, 2), {}, { protect })).toEqual(['protected']);
  });
});

/** What speaks against taking back the creation of these rooms, beside those that stay. */
function codesOf(created: Toys, others: Toys, rules: Rules): readonly string[] {
  const { value } = makePlan(desiredOf(created), liveOf({}), toyKinds, { gateway: 'memory:' });
  const undo = makeUndo(value.changes, toyKinds);
  const live = liveOf({ ...created, ...others });
  return guardUndo(undo.changes, live, rules, toyKinds).map(({ code }) => code);
}
