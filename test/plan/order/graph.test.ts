import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { findCycles, sortGraph, type Graph } from '../../../src/plan/order/graph.ts';
import type { ChangeId } from '../../../src/plan/change/change.ts';

const graph = (needs: Readonly<Record<string, readonly string[]>>): Graph =>
  new Map(Object.entries(needs).map(([id, ids]) => [id as ChangeId, new Set(ids as ChangeId[])]));
const none = (): boolean => false;
const capital = (id: ChangeId): boolean => /^[A-Z]/.test(id);

describe('a sequence', () => {
  it('has everything after what it waits for, and ties by name', () => {
    expect(sortGraph(graph({ c: [], a: ['b'], b: ['c'], d: [] }), none).order).toEqual(['c', 'd', 'b', 'a']);
  });

  it('has what is late behind all that is not', () => {
    const { order, late } = sortGraph(graph({ A: [], b: [], c: ['b'], D: [] }), capital);
    expect(order).toEqual(['b', 'c', 'A', 'D']);
    expect([...late]).toEqual(['A', 'D']);
  });

  it('has what is late before what waits for it, with all that it waits for itself', () => {
    const { order, late } = sortGraph(graph({ a: ['B'], B: ['C'], C: ['d'], d: [], E: [] }), capital);
    expect(order).toEqual(['d', 'C', 'B', 'a', 'E']);
    expect([...late]).toEqual(['E']);
  });

  it('has a cycle and what depends on it at the end', () => {
    expect(sortGraph(graph({ a: ['b'], b: ['a'], c: ['a'], d: [] }), none).order[0]).toBe('d');
  });

  it('is the same for the same graph, however it was built', () => {
    const entries: readonly (readonly [string, readonly string[]])[] = [
      ['a', ['c', 'b']],
      ['b', []],
      ['c', ['b']],
      ['D', ['a']],
    ];
    const { order } = sortGraph(graph(Object.fromEntries(entries)), capital);
    fc.assert(
      fc.property(fc.shuffledSubarray([...entries], { minLength: entries.length }), (shuffled) => {
        expect(sortGraph(graph(Object.fromEntries(shuffled)), capital).order).toEqual(order);
      }),
    );
  });

  it('of any graph without cycles has everything after what it waits for', () => {
    fc.assert(
      fc.property(acyclic, (found) => {
        const { order } = sortGraph(found, capital);
        expect([...order].sort()).toEqual([...found.keys()].sort());
        for (const [id, needs] of found) {
          for (const need of needs) expect(order.indexOf(need)).toBeLessThan(order.indexOf(id));
        }
        expect(findCycles(found)).toEqual([]);
      }),
    );
  });
});

describe('cycles', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, readonly (readonly string[])[]]>([
    ['are none in a chain', { a: ['b'], b: ['c'], c: [] }, []],
    ['are none in a diamond', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
    ['may be of two', { a: ['b'], b: ['a'] }, [['a', 'b']]],
    [
      'may be of three, without what waits for them',
      { a: ['b'], b: ['c'], c: ['a'], x: ['a'], y: [] },
      [['a', 'b', 'c']],
    ],
    [
      'may be several',
      { a: ['b'], b: ['a'], c: ['d', 'a'], d: ['c'] },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['that share a member are one', { a: ['b', 'c'], b: ['a'], c: ['a'] }, [['a', 'b', 'c']]],
  ])('%s', (_, needs, rings) => {
    const found = findCycles(graph(needs)).map((ring) => [...ring].sort());
    expect(found.sort()).toEqual(rings);
  });

  it('are found in a chain of tens of thousands', () => {
    const long = Array.from({ length: 30_000 }, (_, at) => [`n${at}`, [`n${at + 1}`]] as const);
    const ring = graph({ ...Object.fromEntries(long), n30000: ['n0'] });
    expect(findCycles(ring).map(({ length }) => length)).toEqual([30_001]);
  });
});

const acyclic = fc
  .array(fc.tuple(fc.boolean(), fc.array(fc.nat(19), { maxLength: 4 })), { maxLength: 20 })
  .map((nodes): Graph => {
    const ids = nodes.map(([isLate], at) => (isLate ? `N${at}` : `n${at}`) as ChangeId);
    return new Map(
      nodes.map(([, needs], at) => [
        ids[at] ?? ('' as ChangeId),
        new Set(needs.filter((need) => need < at).flatMap((need) => ids[need] ?? [])),
      ]),
    );
  });
