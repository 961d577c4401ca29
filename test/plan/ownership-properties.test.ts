import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { hasErrors } from '../../src/model/problem.ts';
import type { Limit } from '../../src/model/rules.ts';
import { compileGlob } from '../../src/model/text/glob.ts';
import { makePlan, type PlanOptions } from '../../src/plan/make-plan.ts';
import { makeMatcher, makeSelector } from '../../src/plan/change/select.ts';
import { removalOf, SOMEWHERE } from '../support/rules.ts';
import { toys } from '../support/toy-states.ts';
import { desiredOf, liveOf, toyKinds } from '../support/toy-kinds.ts';
import { orAll } from '../support/soak.ts';

const glob = fc.constantFrom(
  '*',
  'Thing/*',
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `Thing/${name}`),
);
const globs = fc.array(
  fc.oneof(
    glob,
    glob.map((one) => `!${one}`),
  ),
  { maxLength: 3 },
);
const address = fc.constantFrom('Thing/a', 'Thing/b', 'Thing/c', 'Thing/d', 'Thing/e', 'Thing/f');
const limit: fc.Arbitrary<Limit> = fc.oneof(
  fc.record({ objects: fc.nat(4) }),
  fc.record({ percent: fc.nat(100) }),
  fc.record({ objects: fc.nat(4), percent: fc.nat(100) }),
);
const few = { maxLength: 1 };

/** Any flags, and any rules of a project. */
const options = fc.record({
  manages: fc.option(fc.array(glob, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  prune: fc.boolean(),
  target: globs,
  exclude: fc.array(glob, few),
  removals: fc.uniqueArray(address, { maxLength: 2 }),
  protect: fc.array(glob, few),
  external: fc.array(address, few),
  ignore: fc.array(address, few),
  deletes: limit,
  updates: limit,
});

it('nothing is written that rules and flags do not allow, whatever they are', () => {
  let written = 0;
  fc.assert(
    fc.property(toys, toys, options, (after, before, given) => {
      const { manages, removals } = given;
      const asked = optionsOf(given);
      const { value, problems } = makePlan(desiredOf(after), liveOf(before), toyKinds, asked);
      const mayGo = new Set<string>(removals);
      const isManaged = manages === undefined ? () => true : makeMatcher(manages, toyKinds);
      const isSelected = makeSelector(asked.selection ?? { target: [], exclude: [] }, toyKinds);
      for (const change of value.changes.filter(({ action }) => action === 'delete')) {
        expect(change.address in after).toBe(false);
        expect(isManaged(change.address)).toBe(true);
        expect(mayGo.has(change.address) || (given.prune && manages !== undefined)).toBe(true);
      }
      if (hasErrors(problems)) return;
      written += value.changes.length;
      const is = (list: readonly string[], of: string): boolean => list.some((one) => compileGlob(one)(of));
      for (const { address: of, action } of value.changes) {
        expect(isManaged(of) && isSelected(of), of).toBe(true);
        expect(is([...given.external, ...given.ignore], of)).toBe(false);
        if (action !== 'create') expect(is(given.protect, of)).toBe(false);
      }
      const count = (...actions: readonly string[]): number =>
        new Set(value.changes.filter(({ action }) => actions.includes(action)).map((one) => one.address))
          .size;
      const all = value.managed['Thing'] ?? 0;
      expect(isWithin(count('delete', 'replace'), all, given.deletes)).toBe(true);
      expect(isWithin(count('update', 'replace'), all, given.updates)).toBe(true);
    }),
    { numRuns: orAll(500, 2000) },
  );
  expect(written).toBeGreaterThan(20);
});

function isWithin(count: number, all: number, { objects = -1, percent = -1 }: Limit): boolean {
  return count === 0 || count <= objects || count <= (percent / 100) * all;
}

function optionsOf({
  manages,
  prune,
  removals,
  protect,
  external,
  ignore,
  ...given
}: typeof options extends fc.Arbitrary<infer Given> ? Given : never): PlanOptions {
  return {
    gateway: 'memory:',
    selection: { target: given.target, exclude: given.exclude },
    ...(prune && manages !== undefined ? { prune: manages } : {}),
    removals: removals.map((one) => removalOf(one)),
    rules: {
      ...(manages === undefined ? {} : { manages }),
      protect: protect.map((one) => ({ address: one, place: SOMEWHERE })),
      external: external.map((one) => ({ address: one, place: SOMEWHERE })),
      ignore: ignore.map((one) => ({ address: one, reason: 'by hand', place: SOMEWHERE })),
      limits: { deletes: given.deletes, updates: given.updates },
    },
  };
}
