import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/model/rules.ts';
import { checkLimits, DEFAULT_LIMITS } from '../../../src/plan/checks/limits.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { limitOf } from '../../../src/schema/project/project-rules.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';

const rooms = (count: number, spec = {}): Toys =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`Room/r${at}`, spec]));

describe('a run', () => {
  it.each([
    [5, 5, true],
    [6, 60, true],
    [6, 59, false],
    [7, 60, false],
  ])('may delete %i of %i objects by default: %s', (deleted, all, isFine) => {
    const { value, problems } = planned(rooms(all - deleted), rooms(all), DEFAULT_LIMITS);
    expect(value.managed).toEqual({ Room: all });
    expect(problems.map(({ code }) => code)).toEqual(isFine ? [] : ['over-limit']);
  });

  it.each([
    [5, 5, true],
    [6, 12, true],
    [6, 11, false],
  ])('may update %i of %i objects by default: %s', (updated, all, isFine) => {
    const after = { ...rooms(all), ...rooms(updated, { a: 1 }) };
    const { problems } = planned(after, rooms(all), DEFAULT_LIMITS);
    expect(problems.map(({ code }) => code)).toEqual(isFine ? [] : ['over-limit']);
  });

  it('that is over is told with the numbers, the threshold and the list', () => {
    const [problem] = planned(rooms(8), rooms(20), DEFAULT_LIMITS).problems;
    expect(problem?.message).toBe(
      'the run deletes 12 of 20 managed objects (60 %); the limit is 5 objects or 10 %, whichever is more: Room/r8, Room/r9, Room/r10, Room/r11, Room/r12, Room/r13, Room/r14, Room/r15, Room/r16, Room/r17 and 2 more',
    );
    expect(problem?.hint).toBe(
      'to allow this run, use --max-deletes 12; to allow all runs, change limits in gwconf.yaml first, in a pull request of its own',
    );
  });

  it('may be given a number, or a part', () => {
    const over = (limits: Limits): number => planned(rooms(8), rooms(10), limits).problems.length;
    expect(over({ deletes: { objects: 2 } })).toBe(0);
    expect(over({ deletes: { objects: 1 } })).toBe(1);
    expect(over({ deletes: { percent: 20 } })).toBe(0);
    expect(over({ deletes: { percent: 19 } })).toBe(1);
    expect(over({ deletes: { objects: 0 } })).toBe(1);
    expect(over({})).toBe(0);
  });

  it('has limits for single kinds beside those for all', () => {
    const limits = { kinds: { Room: { deletes: { objects: 0 } }, Team: { deletes: { objects: 0 } } } };
    const { problems } = planned({ 'Team/t': {} }, { ...rooms(2), 'Team/t': {} }, limits);
    expect(problems).toMatchObject([{ code: 'over-limit' }]);
    expect(problems[0]?.message).toContain(
      'the run deletes 2 of 2 managed Room objects (100 %); the limit is 0 objects',
    );
  });

  it('counts an object that is replaced as deleted and as updated, and an extra step not at all', () => {
    const replaced = planned(
      { 'Person/p': { born: 2 } },
      { 'Person/p': { born: 1 } },
      {
        deletes: { objects: 0 },
        updates: { objects: 0 },
      },
    );
    expect(replaced.problems).toHaveLength(2);
    const swapped = planned(
      { 'Team/t': { members: ['new'] }, 'Person/new': { badge: 7 } },
      { 'Team/t': { members: ['old'] }, 'Person/old': { badge: 7 } },
      { deletes: { objects: 1 }, updates: { objects: 1 } },
    );
    expect(swapped.value.changes).toHaveLength(4);
    expect(swapped.problems).toEqual([]);
  });

  it('has the limits of this run in place of those of the project, kinds aside', () => {
    const make = (rules: Limits, limits: Limits): number =>
      makePlan(desiredOf({}), liveOf(rooms(3)), toyKinds, {
        gateway: 'memory:',
        prune: ['*'],
        rules: { limits: rules },
        limits,
      }).problems.length;
    expect(make({ deletes: { objects: 0 } }, { deletes: { objects: 3 } })).toBe(0);
    expect(make({ deletes: { objects: 3 } }, { deletes: { percent: 10 } })).toBe(1);
    expect(make({ kinds: { Room: { deletes: { objects: 0 } } } }, { deletes: { objects: 3 } })).toBe(1);
  });

  it('never exceeds its limits', () => {
    const bound = fc.option(fc.nat(12), { nil: undefined });
    const counts = fc.record({ all: fc.nat(12), gone: fc.nat(12), changed: fc.nat(12) });
    fc.assert(
      fc.property(counts, bound, fc.option(fc.nat(110), { nil: undefined }), (numbers, objects, percent) => {
        const kept = Math.max(0, numbers.all - numbers.gone);
        const after = { ...rooms(kept), ...rooms(Math.min(kept, numbers.changed), { a: 1 }) };
        const limit = {
          ...(objects === undefined ? {} : { objects }),
          ...(percent === undefined ? {} : { percent }),
        };
        const { value, problems } = planned(after, rooms(numbers.all), { deletes: limit, updates: limit });
        if (problems.length > 0) return;
        for (const action of ['delete', 'update'] as const) {
          const count = value.changes.filter((change) => change.action === action).length;
          const isWithin =
            count === 0 ||
            (objects !== undefined && count <= objects) ||
            (percent !== undefined && count / numbers.all <= percent / 100);
          expect(isWithin).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('that nothing is known of may do nothing to it', () => {
    const limits = { deletes: { objects: 0 }, updates: { percent: 0 } };
    expect([...checkLimits({ changes: new Map(), managed: {}, rules: { limits } })]).toEqual([]);
  });
});

describe('a limit', () => {
  it.each([
    ['0', { objects: 0 }],
    [12, { objects: 12 }],
    ['10%', { percent: 10 }],
    ['%', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['ten', undefined],
    ['', undefined],
  ])('reads %j', (text, limit) => {
    expect(limitOf(text)).toEqual(limit);
  });
});

function planned(after: Toys, before: Toys, limits: Limits): ReturnType<typeof makePlan> {
  return makePlan(desiredOf(after), liveOf(before), toyKinds, {
    gateway: 'memory:',
    prune: ['*'],
    rules: { limits },
  });
}
