import type { FieldDifference } from '../../../src/model/field-difference.ts';
import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { identify } from '../../../src/model/identity.ts';
import { type Pointer, anyItem } from '../../../src/model/json/json.ts';
import { secretPlaces } from '../../../src/model/secrets/secrets.ts';
import type { DesiredState } from '../../../src/model/state.ts';
import { compareStates, type Difference, type Side } from '../../../src/plan/compare/compare-states.ts';
import { planChanges } from '../../../src/plan/make-plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { load } from '../../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../../src/schema/yaml/interpolate.ts';
import { SECRET, state, written, type Resources } from '../../support/generate.ts';
import { kindOf } from '../../support/kinds.ts';

const { kinds } = catalog;

function sideOf(resources: Resources): Side {
  return {
    resources: new Map(resources.map((one) => [identify(kindOf(one.kind), one), one])),
    unavailable: new Map(),
    secretsOf: (_, resource, kind) => secretPlaces(kind, resource),
    placeOf: () => undefined,
  };
}

const compare = (from: Resources, to: Resources): readonly Difference[] =>
  compareStates(sideOf(from), sideOf(to), kinds, () => true).differences;

const declaredBy = (resources: Resources): DesiredState =>
  load([{ path: 'in.yaml', text: written(resources), named: true }], catalog, NO_VARIABLES).value;

function mirror(field: FieldDifference): FieldDifference {
  const { op, path } = field;
  if (op === 'add') return { op: 'remove', path, before: field.after };
  return op === 'remove'
    ? { op: 'add', path, after: field.before }
    : { op, path, before: field.after, after: field.before };
}

const MIRRORED = { 'only-from': 'only-to', 'only-to': 'only-from', differs: 'differs' } as const;

/** In a list, an item may be at another index on the other side. */
const byPlace = (found: readonly Difference[]): unknown =>
  found.map(({ fields, ...rest }) => ({
    ...rest,
    fields: fields
      .map(({ path, ...field }) => ({ ...field, path: anyItem(path) }))
      .map((field) => JSON.stringify(sorted(field)))
      .sort(),
  }));
const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));

describe('a comparison of two made-up states', () => {
  it('is empty for one and the same, in any order', () => {
    fc.assert(
      fc.property(state, (one) => {
        expect(compare(one, [...one].reverse())).toEqual([]);
      }),
    );
  });

  it('is mirrored when the sides are', () => {
    fc.assert(
      fc.property(state, state, (one, other) => {
        const mirrored = compare(other, one).map(({ difference, fields, ...rest }): Difference => ({
          ...rest,
          difference: MIRRORED[difference],
          fields: fields.map(mirror),
        }));
        expect(byPlace(mirrored)).toEqual(byPlace(compare(one, other)));
      }),
    );
  });

  it('finds the fields that a plan finds, and shows no secret', () => {
    fc.assert(
      fc.property(state, state, (live, desired) => {
        const found = compare(live, desired).filter(({ difference }) => difference === 'differs');
        expect(JSON.stringify(found)).not.toContain(SECRET);
        const there = { resources: sideOf(live).resources, unavailable: new Map<string, string>() };
        const { plan } = planChanges(declaredBy(desired), there, kinds, { gateway: 'here' });
        const planned = plan.changes.flatMap((change): readonly (readonly [string, readonly Pointer[]])[] =>
          'fields' in change && !('step' in change)
            ? [[change.address, change.fields.map(({ path }) => path)]]
            : [],
        );
        const byAddress = (list: readonly (readonly [string, readonly Pointer[]])[]): unknown =>
          new Map(list);
        expect(
          byAddress(found.map(({ address, fields }) => [address, fields.map(({ path }) => path)])),
        ).toEqual(byAddress(planned));
      }),
    );
  });
});
