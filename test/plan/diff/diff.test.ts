import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { parsePointer, sameJson, valueAt, type Json, type Pattern } from '../../../src/model/json/json.ts';
import type { FieldDifference } from '../../../src/model/field-difference.ts';
import { diffFields } from '../../../src/plan/diff/diff.ts';
import { json, objectOf } from '../../support/arbitraries.ts';

const differ = (before: Json, after: Json, sets: readonly Pattern[] = []): readonly FieldDifference[] =>
  diffFields(before, after, sets.map(parsePointer));

describe('two values that are the same', () => {
  it.each<[string, Json, Json, readonly Pattern[]]>([
    ['differ in no field', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ['may have their keys in another order', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, []],
    ['may have a set in another order', { a: ['x', 'y'] }, { a: ['y', 'x'] }, ['/a']],
    [
      'may have a set of maps in another order',
      { a: [{ x: 1 }, { y: 2 }] },
      { a: [{ y: 2 }, { x: 1 }] },
      ['/a'],
    ],
    [
      'may have a set inside a list in another order',
      { a: [{ b: [1, 2] }] },
      { a: [{ b: [2, 1] }] },
      ['/a/*/b'],
    ],
    ['may have a set under any key in another order', { a: { b: [1, 2] } }, { a: { b: [2, 1] } }, ['/*/b']],
    [
      'may have a set at any depth in another order',
      { a: { b: { c: [1, 2] } } },
      { a: { b: { c: [2, 1] } } },
      ['/**/c'],
    ],
    ['may have an item of a set twice', { a: [1, 1, 2] }, { a: [2, 1] }, ['/a']],
    ['may be a set as a whole', [1, 2], [2, 1], ['']],
  ])('%s', (_, before, after, sets) => {
    expect(differ(before, after, sets)).toEqual([]);
  });

  it('differ in no field, whatever they are', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(differ(value, structuredClone(value))).toEqual([]);
      }),
    );
  });
});

describe('a field', () => {
  it.each<[string, Json, Json, readonly FieldDifference[]]>([
    ['that is new', { a: 1 }, { a: 1, b: 2 }, [{ op: 'add', path: '/b', after: 2 }]],
    ['that is gone', { a: 1, b: 2 }, { a: 1 }, [{ op: 'remove', path: '/b', before: 2 }]],
    ['that is another', { a: 1 }, { a: 2 }, [{ op: 'set', path: '/a', before: 1, after: 2 }]],
    [
      'deep inside',
      { a: { b: { c: [{ d: 1 }] } } },
      { a: { b: { c: [{ d: 2 }] } } },
      [{ op: 'set', path: '/a/b/c/0/d', before: 1, after: 2 }],
    ],
    ['that is null now', { a: 1 }, { a: null }, [{ op: 'set', path: '/a', before: 1, after: null }]],
    ['that was null', { a: null }, { a: 0 }, [{ op: 'set', path: '/a', before: null, after: 0 }]],
    ['that is null and new', {}, { a: null }, [{ op: 'add', path: '/a', after: null }]],
    ['that is a text now', { a: 1 }, { a: '1' }, [{ op: 'set', path: '/a', before: 1, after: '1' }]],
    [
      'that is a flag now',
      { a: 'true' },
      { a: true },
      [{ op: 'set', path: '/a', before: 'true', after: true }],
    ],
    ['that is a list now', { a: 'x' }, { a: ['x'] }, [{ op: 'set', path: '/a', before: 'x', after: ['x'] }]],
    [
      'that is a map now',
      { a: ['x'] },
      { a: { 0: 'x' } },
      [{ op: 'set', path: '/a', before: ['x'], after: { 0: 'x' } }],
    ],
    ['that is an empty map now', { a: [] }, { a: {} }, [{ op: 'set', path: '/a', before: [], after: {} }]],
    ['that is nothing now', { a: {} }, { a: null }, [{ op: 'set', path: '/a', before: {}, after: null }]],
    ['in a map that is empty now', { a: { b: 1 } }, { a: {} }, [{ op: 'remove', path: '/a/b', before: 1 }]],
    ['that is an empty text now', { a: 'x' }, { a: '' }, [{ op: 'set', path: '/a', before: 'x', after: '' }]],
    ['that is a new map', {}, { a: { b: { c: 1 } } }, [{ op: 'add', path: '/a', after: { b: { c: 1 } } }]],
  ])('%s', (_, before, after, fields) => {
    expect(differ(before, after)).toEqual(fields);
  });

  it('with dots, slashes and tildes in its key has its own pointer', () => {
    const before = {
      props: { 'sasl.mechanism': 'PLAIN', 'sasl.jaas.config': 'x', sasl: { mechanism: 'y' } },
    };
    const after = { props: { 'sasl.mechanism': 'SCRAM', 'sasl.jaas.config': 'x', sasl: { mechanism: 'z' } } };
    expect(differ(before, after).map(({ path }) => path)).toEqual([
      '/props/sasl.mechanism',
      '/props/sasl/mechanism',
    ]);
    expect(
      differ({ 'a/b': 1, 'm~n': 1, '': 1 }, { 'a/b': 2, 'm~n': 2, '': 2 }).map(({ path }) => path),
    ).toEqual(['/', '/a~1b', '/m~0n']);
  });

  it('named __proto__ or constructor is a field like any other', () => {
    const parse = (text: string): Json => JSON.parse(text) as Json;
    expect(
      differ(parse('{"__proto__":{"a":1},"constructor":1}'), parse('{"__proto__":{"a":2},"constructor":2}')),
    ).toEqual([
      { op: 'set', path: '/__proto__/a', before: 1, after: 2 },
      { op: 'set', path: '/constructor', before: 1, after: 2 },
    ]);
    expect(differ({}, parse('{"__proto__":{"polluted":1}}'))).toEqual([
      { op: 'add', path: '/__proto__', after: { polluted: 1 } },
    ]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('a list', () => {
  const named = (...names: readonly string[]): Json => names.map((name) => ({ name, x: 1 }));

  it.each(['name', 'fieldName', 'id', 'key'])('of maps meets by %s', (key) => {
    const before = [
      { [key]: 'a', x: 1 },
      { [key]: 'b', x: 1 },
    ];
    const after = [
      { [key]: 'new', x: 1 },
      { [key]: 'a', x: 1 },
      { [key]: 'b', x: 2 },
    ];
    expect(differ(before, after)).toEqual([
      { op: 'add', path: '/0', after: { [key]: 'new', x: 1 } },
      { op: 'set', path: '/2/x', before: 1, after: 2 },
    ]);
  });

  it('has one removed item at the place where it was', () => {
    expect(differ({ l: named('a', 'b', 'c') }, { l: named('a', 'c') })).toEqual([
      { op: 'remove', path: '/l/1', before: { name: 'b', x: 1 } },
    ]);
  });

  it('of scalars meets by value', () => {
    expect(differ({ l: ['a', 'b'] }, { l: ['new', 'a', 'b'] })).toEqual([
      { op: 'add', path: '/l/0', after: 'new' },
    ]);
    expect(differ({ l: ['a', 'b'] }, { l: ['a', 'c'] })).toEqual([
      { op: 'add', path: '/l/1', after: 'c' },
      { op: 'remove', path: '/l/1', before: 'b' },
    ]);
    expect(differ({ l: [1, '1'] }, { l: [1, '1', true] })).toEqual([
      { op: 'add', path: '/l/2', after: true },
    ]);
  });

  it('of equal items meets by value and occurrence', () => {
    expect(differ(['a', 'a'], ['b', 'a', 'a'])).toEqual([{ op: 'add', path: '/0', after: 'b' }]);
    expect(differ(['a'], ['a', 'b', 'b', 'a'])).toEqual([
      { op: 'add', path: '/1', after: 'b' },
      { op: 'add', path: '/2', after: 'b' },
      { op: 'add', path: '/3', after: 'a' },
    ]);
    expect(differ(['a'], ['a', 'b', 'b', 'a'], [''])).toEqual([
      { op: 'add', path: '/1', after: 'b' },
      { op: 'add', path: '/2', after: 'b' },
    ]);
  });

  it('in another order is shown whole', () => {
    expect(differ({ l: ['a', 'b'] }, { l: ['b', 'a'] })).toEqual([
      { op: 'set', path: '/l', before: ['a', 'b'], after: ['b', 'a'] },
    ]);
    expect(differ({ l: named('a', 'b') }, { l: named('b', 'a') })).toEqual([
      { op: 'set', path: '/l', before: named('a', 'b'), after: named('b', 'a') },
    ]);
  });

  it('whose items nothing tells apart meets by place', () => {
    expect(differ([{ x: 1 }, { x: 2 }], [{ x: 1 }, { x: 3 }])).toEqual([
      { op: 'set', path: '/1/x', before: 2, after: 3 },
    ]);
    expect(differ(named('a', 'a'), [{ name: 'a', x: 1 }])).toEqual([
      { op: 'remove', path: '/1', before: { name: 'a', x: 1 } },
    ]);
    expect(differ([['a'], ['b']], [['a'], ['c']])).toEqual([
      { op: 'add', path: '/1/0', after: 'c' },
      { op: 'remove', path: '/1/0', before: 'b' },
    ]);
  });

  it('whose items are of several sorts meets by place', () => {
    expect(differ([{ name: 'a' }, 'b'], [{ name: 'a' }, 'c'])).toEqual([
      { op: 'set', path: '/1', before: 'b', after: 'c' },
    ]);
  });

  it('that is a set has what came and what went', () => {
    expect(
      differ({ l: [{ name: 'a' }, { name: 'b' }] }, { l: [{ name: 'c' }, { name: 'a' }] }, ['/l']),
    ).toEqual([
      { op: 'add', path: '/l/0', after: { name: 'c' } },
      { op: 'remove', path: '/l/1', before: { name: 'b' } },
    ]);
  });

  it('inside a config shows the field of the item that changed', () => {
    const config = (keySecretId: string, names: readonly string[]): Json => ({
      recordValue: { fields: names.map((fieldName) => ({ fieldName, keySecretId })) },
    });
    expect(differ(config('k', ['password', 'visa']), config('k', ['visa']))).toEqual([
      { op: 'remove', path: '/recordValue/fields/0', before: { fieldName: 'password', keySecretId: 'k' } },
    ]);
    expect(differ(config('k', ['visa']), config('l', ['visa', 'name'])).map(({ path }) => path)).toEqual([
      '/recordValue/fields/0/keySecretId',
      '/recordValue/fields/1',
    ]);
  });
});

describe('the fields that differ', () => {
  it('are the same for the same difference, whatever the order of keys', () => {
    const before = { b: 1, a: 1, c: { e: 1, d: 1 } };
    const after = { c: { d: 2, e: 2 }, a: 2, b: 2 };
    const paths = ['/a', '/b', '/c/d', '/c/e'];
    expect(differ(before, after).map(({ path }) => path)).toEqual(paths);
    expect(differ({ c: { d: 1, e: 1 }, a: 1, b: 1 }, after).map(({ path }) => path)).toEqual(paths);
  });

  it('are none exactly when the values are the same', () => {
    const map = objectOf(json);
    fc.assert(
      fc.property(map, map, (before, after) => {
        expect(differ(before, after).length === 0).toBe(sameJson(before, after));
      }),
    );
  });

  it('say what was and what is, at pointers that lead there', () => {
    const map = objectOf(json);
    fc.assert(
      fc.property(map, map, (before, after) => {
        for (const field of differ(before, after)) {
          if (field.op !== 'remove') expect(valueAt(after, field.path)).toEqual(field.after);
          if (field.op === 'remove') expect(valueAt(before, field.path)).toEqual(field.before);
        }
      }),
    );
  });
});
