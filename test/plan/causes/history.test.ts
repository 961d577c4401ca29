import { describe, expect, it } from 'vitest';
import { startHistory, type Finding, type HistoryEnd } from '../../../src/plan/causes/history.ts';
import { placeOfField } from '../../../src/plan/causes/places.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';

/** What the versions of a thing, newest first, say of a field; `missing` is a version without it. */
function find(
  live: Toys,
  versions: readonly Toys[],
  path: `/${string}`,
  end: HistoryEnd = 'complete',
): Finding {
  const [base = {}, ...older] = versions;
  const history = startHistory(desiredOf(base), liveOf(live), toyKinds);
  for (const version of older) if (!history.add(desiredOf(version))) break;
  const [address] = desiredOf(base).keys();
  if (address === undefined) throw new Error('the base has nothing');
  const place = placeOfField({ op: 'set', path, before: null, after: null }, {}, {});
  return history.find({ address, place }, end);
}

const thing = (x: number, y: number): Toys => ({ 'Thing/a': { x, y } });

describe('a field that is not as the base has it', () => {
  it('is pending as an older version has it, and drift as none has', () => {
    expect(find(thing(1, 1), [thing(2, 1), thing(1, 1), {}], '/spec/x')).toBe('pending');
    expect(find(thing(7, 1), [thing(2, 1), thing(1, 1), {}], '/spec/x')).toBe('drift');
  });

  it('is drift as an old version has it, if more speaks for a newer one than one object', () => {
    const files = (x: number, ...others: readonly number[]): Toys => ({
      'Thing/a': { x },
      ...Object.fromEntries(others.map((y, at) => [`Thing/${at}`, { y }])),
    });
    const versions = [files(2, 2, 2), files(2, 1, 1), files(1, 1, 1), {}];
    expect(find(files(1, 2, 2), versions, '/spec/x')).toBe('drift');
    expect(find(files(1, 2, 9), versions, '/spec/x')).toBe('unclear');
    expect(find(files(1, 9, 9), versions, '/spec/x')).toBe('pending');
  });

  it('is unclear where the history ends before anything of it is on the gateway', () => {
    const versions = [thing(3, 3), thing(2, 2)];
    expect(find(thing(1, 1), versions, '/spec/x', 'missing')).toBe('unclear');
    expect(find(thing(1, 1), versions, '/spec/x', 'limit')).toBe('unclear');
    expect(find(thing(2, 1), versions, '/spec/x', 'missing')).toBe('pending');
  });

  it('is not judged by a value that was taken back before it was applied', () => {
    // The version in the middle set x to 2 and y to 9; the newest took x back. Neither is applied.
    expect(find(thing(1, 8), [thing(1, 9), thing(2, 9), thing(1, 8), {}], '/spec/y')).toBe('pending');
  });

  it('needs no older version once it is clear which one is applied', () => {
    const files = (...values: readonly number[]): Toys =>
      Object.fromEntries(values.map((x, at) => [`Thing/${at}`, { x }]));
    const base = new Array<number>(10).fill(2);
    const history = startHistory(desiredOf(files(...base)), liveOf(files(7, ...base.slice(1))), toyKinds);
    const asked = base.findIndex(
      (_, at) => !history.add(desiredOf(files(...base.map((x, i) => x - Number(i <= at))))),
    );
    expect(asked).toBe(6);
  });
});
