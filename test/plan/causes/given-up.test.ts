import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { checkUndeclared, findUndeclared } from '../../../src/plan/causes/given-up.ts';
import type { Undeclared } from '../../../src/plan/change/plan.ts';
import { makePlan, type PlanOptions } from '../../../src/plan/make-plan.ts';
import { removalOf, SOMEWHERE } from '../../support/rules.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';
import { orAll } from '../../support/soak.ts';

function givenUp(
  base: Toys,
  own: Toys,
  live: Toys,
  options: Partial<PlanOptions> = {},
  removed: readonly string[] = [],
): readonly Undeclared[] {
  const state = liveOf(live);
  const { value } = makePlan(desiredOf(own), state, toyKinds, { gateway: 'memory:', ...options });
  return findUndeclared(
    { value: desiredOf(base), removals: removed.map((address) => removalOf(address)) },
    desiredOf(own),
    state.resources,
    value,
  );
}

const ADDRESSES = ['Thing/a', 'Thing/b', 'Thing/c', 'Room/d', 'Room/e'];
const some = fc.subarray(ADDRESSES);
const glob = fc.constantFrom('*', 'Thing/*', 'Room/*', 'Thing/a', '!Thing/b');

it('what a branch no longer declares, or no longer removes, is deleted by its plan, or told', () => {
  let told = 0;
  const toysOf = (addresses: readonly string[]): Toys =>
    Object.fromEntries(addresses.map((address) => [address, { x: address }]));
  fc.assert(
    fc.property(
      some,
      some,
      some,
      some,
      fc.option(fc.array(glob, { minLength: 1, maxLength: 2 }), { nil: undefined }),
      fc.boolean(),
      some,
      some,
      (base, own, live, removed, manages, prune, left, byBase) => {
        const others = byBase.filter((address) => !base.includes(address));
        const [external, ignored] = [left.slice(0, 1), left.slice(1, 2)];
        const options = {
          removals: removed.map((address) => removalOf(address)),
          rules: {
            ...(manages === undefined ? {} : { manages }),
            external: external.map((address) => ({ address, place: SOMEWHERE })),
            ignore: ignored.map((address) => ({ address, reason: 'by hand', place: SOMEWHERE })),
          },
          ...(prune && manages !== undefined ? { prune: manages } : {}),
        };
        const { value } = makePlan(desiredOf(toysOf(own)), liveOf(toysOf(live)), toyKinds, {
          gateway: 'memory:',
          ...options,
        });
        const deleted = value.changes
          .filter(({ action }) => action === 'delete')
          .map(({ address }) => address);
        const found = givenUp(toysOf(base), toysOf(own), toysOf(live), options, others);
        told += found.length;
        const known = [...base, ...others];
        const gone = known.filter((address) => live.includes(address) && !own.includes(address));
        expect(
          [
            ...found.map(({ address }) => address as string),
            ...deleted.filter((one) => known.includes(one)),
          ].sort(),
        ).toEqual(gone.sort());
        for (const { address, managed } of found)
          expect(managed).toBe((manages === undefined ? value.unmanaged : value.unclaimed).includes(address));
      },
    ),
    { numRuns: orAll(250, 1000) },
  );
  expect(told).toBeGreaterThan(100);
});

describe('a name that changes', () => {
  const successors = (base: Toys, own: Toys): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(givenUp(base, own, base).map(({ address, to }) => [address, to]));

  it('is known by what stays the same', () => {
    expect(successors({ 'Thing/a': { x: 1 } }, { 'Thing/b': { x: 1 } })).toEqual({ 'Thing/a': 'Thing/b' });
  });

  it('is not guessed: not of another kind, of an empty spec, or where two are alike', () => {
    expect(successors({ 'Thing/a': { x: 1 } }, { 'Room/b': { x: 1 } })).toEqual({ 'Thing/a': undefined });
    expect(successors({ 'Thing/a': { x: 1 }, 'Thing/b': { x: 1 } }, { 'Thing/c': { x: 1 } })).toEqual({
      'Thing/a': undefined,
      'Thing/b': undefined,
    });
    expect(successors({ 'Thing/a': { x: 1 } }, { 'Thing/c': { x: 1 }, 'Thing/d': { x: 1 } })).toEqual({
      'Thing/a': undefined,
    });
  });

  it('has a cure that plans accept', () => {
    const [found] = givenUp({ 'Thing/a': { x: 1 } }, { 'Thing/b': { x: 1 } }, { 'Thing/a': { x: 1 } });
    const [problem] = checkUndeclared(found === undefined ? [] : [found], {});
    expect(problem?.hint).toBe('write a Removal with moved: [{ from: Thing/a, to: Thing/b }]');
  });
});
