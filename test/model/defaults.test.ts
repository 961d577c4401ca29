import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  addDefaults,
  defaultTreeOf,
  sameWithDefaults,
  valueWithDefaults,
  type Default,
} from '../../src/model/defaults.ts';
import { parsePointer, sameJson, valueAt, type Json, type Pointer } from '../../src/model/json/json.ts';
import { comparable, normalForm, withDefaults } from '../../src/model/normal/normal-form.ts';
import type { Resource } from '../../src/model/resource.ts';
import { state } from '../support/generate.ts';
import { kindOf } from '../support/kinds.ts';

const tree = defaultTreeOf([
  entry('/count', 0),
  entry('/where', {}),
  entry('/where/here', 'home'),
  entry('/where/there', null, true),
  entry('/members', []),
  entry('/members/*/side', 'left'),
]);

function entry(pointer: Pointer, value: Json, nullable = false): Default {
  return { tokens: parsePointer(pointer), value, nullable };
}

describe('what is filled in', () => {
  it('at one place is what is there when all is filled in', () => {
    const member = fc.constantFrom<Json>(null, 'a', 1, {}, { here: 'x' }, { here: null }, [], [{ here: 1 }]);
    const value = fc.oneof(member, fc.dictionary(fc.constantFrom('count', 'where', 'other'), member));
    const place = fc.constantFrom('/count', '/where/here', '/where/there', '/other/here');
    fc.assert(
      fc.property(value, place, (found: Json, pointer) => {
        expect(valueWithDefaults(found, parsePointer(pointer), tree)).toEqual(
          valueAt(addDefaults(found, tree), pointer),
        );
      }),
    );
  });

  it.each<[string, Json, Json]>([
    ['where nothing is said', {}, { count: 0, where: { here: 'home', there: null }, members: [] }],
    [
      'where null is one more way to say nothing',
      { count: null, where: { here: null, there: null }, members: null },
      { count: 0, where: { here: 'home', there: null }, members: [] },
    ],
    [
      'in each item of a list',
      { count: 1, where: { here: 'a', there: 'b' }, members: [{ side: 'right' }, {}] },
      { count: 1, where: { here: 'a', there: 'b' }, members: [{ side: 'right' }, { side: 'left' }] },
    ],
    [
      'not below what is of another sort',
      { count: 1, where: 'x', members: 2 },
      { count: 1, where: 'x', members: 2 },
    ],
  ])('%s', (_, value, filled) => {
    expect(addDefaults(value, tree)).toEqual(filled);
  });

  it('leaves what is whole as it is, without a copy', () => {
    const whole = { count: 1, where: { here: 'a', there: 'b' }, members: [{ side: 'right' }] };
    expect(addDefaults(whole, tree)).toBe(whole);
  });
});

describe('two values', () => {
  const maybe = (...values: readonly Json[]): fc.Arbitrary<Json> => fc.constantFrom(...values);
  const some = fc.record(
    {
      count: maybe(0, 1, null),
      where: fc.oneof(
        maybe(null, 'x'),
        fc.record(
          { here: maybe('home', 'away', null), there: maybe('away', null), else: maybe(1, null) },
          { requiredKeys: [] },
        ),
      ),
      members: fc.oneof(
        maybe(null, []),
        fc.array(fc.record({ side: maybe('left', 'right') }, { requiredKeys: [] }), { maxLength: 2 }),
      ),
      other: maybe(1, null),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Json>;

  it('are the same once filled in when their copies with all filled in are', () => {
    fc.assert(
      fc.property(some, some, (one, other) => {
        const copied = sameJson(addDefaults(one, tree), addDefaults(other, tree));
        expect(sameWithDefaults(one, other, tree)).toBe(copied);
      }),
      { numRuns: 2000 },
    );
  });

  it('are the same once filled in when one says what is filled in to the other', () => {
    fc.assert(fc.property(some, (one) => sameWithDefaults(one, addDefaults(one, tree), tree)));
  });
});

describe('two resources', () => {
  it('that are the same once filled in mean the same, however they are spelled', () => {
    fc.assert(
      fc.property(state, (resources) => {
        for (const resource of resources) {
          const kind = kindOf(resource.kind.replace('GatewayInterceptor', 'Interceptor'));
          const spelled: readonly Resource[] = [
            resource,
            { ...resource, spec: { ...resource.spec, nosuch: null } },
            withDefaults(kind, resource),
            comparable(kind, resource),
            kind.example,
          ];
          const same = spelled.filter((other) => sameWithDefaults(resource, other, kind.defaultTree));
          expect(same).toContain(resource);
          for (const other of same) expect(normalForm(kind, other)).toEqual(normalForm(kind, resource));
        }
      }),
      { numRuns: 50 },
    );
  });
});
