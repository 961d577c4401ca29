import { describe, expect, it } from 'vitest';
import { compareNaturally } from '../../src/model/text/natural-order.ts';
import fc from '../support/fast-check.ts';

describe('texts in the order of people', () => {
  it('have numbers by their size', () => {
    const sorted = ['a', 'a-1', 'a01', 'a1', 'a1@x', 'a1b', 'a2', 'a2b10', 'a2b9', 'a10', 'a10@x', 'b'];
    const wanted = ['a', 'a-1', 'a01', 'a1', 'a1@x', 'a1b', 'a2', 'a2b9', 'a2b10', 'a10', 'a10@x', 'b'];
    expect(sorted.toSorted(compareNaturally)).toEqual(wanted);
    expect(wanted.toReversed().toSorted(compareNaturally)).toEqual(wanted);
  });

  it('are in one order, whatever they are', () => {
    const text = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', '-', '@', 'é'), maxLength: 6 });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0);
        expect(compareNaturally(a, b) === 0).toBe(a === b);
        if (compareNaturally(a, b) <= 0 && compareNaturally(b, c) <= 0)
          expect(compareNaturally(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
