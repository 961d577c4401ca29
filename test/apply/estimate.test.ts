import { expect, it } from 'vitest';
import { estimateRun, formatEstimate } from '../../src/apply/estimate.ts';
import type { Change } from '../../src/plan/change/plan.ts';

const change = (action: 'create' | 'replace', at: number, ...dependsOn: readonly string[]): Change =>
  ({ action, address: `Thing/${at}`, dependsOn }) as unknown as Change; // what an estimate looks at

it.each([
  [1, 8, undefined, '1 write'],
  [212, 8, 340, '212 writes, about 9 s'],
  [16, 8, 10, '16 writes, less than a second'],
  [10_000, 8, 1000, '10000 writes, about 21 min'],
  [10_000, 64, 1000, '10000 writes, about 3 min'],
])('%i creates, %i at most, at %s ms are %s', (count, max, latency, text) => {
  const changes = Array.from({ length: count }, (_, at) => change('create', at));
  expect(formatEstimate(estimateRun(changes, { start: 8, max }, latency))).toBe(text);
});

it('a run takes as long as its longest chain', () => {
  const chain = [change('create', 1), change('create', 2, 'Thing/1'), change('create', 3)];
  expect(formatEstimate(estimateRun(chain, { start: 8, max: 64 }, 3000))).toBe('3 writes, about 6 s');
});

it('a replace is two writes, one after the other', () => {
  expect(
    estimateRun([change('replace', 1), change('create', 2, 'Thing/1')], { start: 8, max: 64 }, 1000),
  ).toEqual({
    writes: 3,
    ms: 3000,
  });
});
