import { describe, expect, it } from 'vitest';
import { estimateRun, formatEstimate, timeExposures } from '../../src/apply/estimate.ts';
import type { Change } from '../../src/plan/change/change.ts';
import type { Exposure } from '../../src/plan/change/plan.ts';

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

describe('an exposure', () => {
  const bounds = { start: 2, max: 4 };
  const seconds = (exposure: { from: string; until?: string }, changes: readonly Change[]): unknown =>
    timeExposures([exposure as unknown as Exposure], changes, bounds, 1000)[0]?.seconds; // what the time depends on

  it.each([
    ['the two calls of a replace', 1, 'Thing/1', [change('replace', 1)]],
    ['calls in one round', 1, 'Thing/2', [change('replace', 1), change('create', 2)]],
    [
      'a chain',
      2,
      'Thing/3',
      [change('create', 1), change('create', 2, 'Thing/1'), change('create', 3, 'Thing/2')],
    ],
    ['rounds of many', 2, 'Thing/10', Array.from({ length: 10 }, (_, at) => change('create', at + 1))],
  ])('lasts as long as %s: %i s', (_, expected, until, changes) => {
    expect(seconds({ from: 'Thing/1', until }, changes)).toBe(expected);
  });

  it('of changes in two stages lasts until the first is complete', () => {
    const inStage = (stage: 1 | 2, one: Change): Change => ({ ...one, stage });
    const early = [change('create', 1), change('create', 2), change('create', 3, 'Thing/2')];
    const changes = [...early.map((one) => inStage(1, one)), inStage(2, change('create', 4))];
    expect(seconds({ from: 'Thing/1', until: 'Thing/4' }, changes)).toBe(2);
  });

  it('that does not end, or of a gateway of unknown pace, has no time', () => {
    const lasting = { from: 'Thing/1', lasting: true } as unknown as Exposure;
    expect(timeExposures([lasting], [change('create', 1)], bounds, 1000)).toEqual([lasting]);
    const passing = { from: 'Thing/1', until: 'Thing/1', lasting: false } as unknown as Exposure;
    expect(timeExposures([passing], [change('replace', 1)], bounds, undefined)).toEqual([passing]);
  });
});
