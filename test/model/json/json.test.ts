import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  canonicalText,
  changeAt,
  entriesOf,
  isList,
  isObject,
  joinPointer,
  parsePointer,
  placesOf,
  printPointer,
  sameJson,
  valueAt,
  valueOf,
  type Json,
  type Pointer,
} from '../../../src/model/json/json.ts';
import { json, key } from '../../support/arbitraries.ts';

const parse = (text: string): Json => JSON.parse(text) as Json;

describe('a pointer', () => {
  it.each<[Pointer, string[]]>([
    ['', []],
    ['/', ['']],
    ['/spec', ['spec']],
    ['/spec/clientProperties/sasl.mechanism', ['spec', 'clientProperties', 'sasl.mechanism']],
    ['/a~1b/m~0n', ['a/b', 'm~n']],
    ['/~01', ['~1']],
    ['//', ['', '']],
    ['/__proto__/constructor/0', ['__proto__', 'constructor', '0']],
  ])('%j has the tokens %j', (pointer, tokens) => {
    expect(parsePointer(pointer)).toEqual(tokens);
    expect(printPointer(tokens)).toBe(pointer);
  });

  it('is the same after parsing and printing, whatever its keys are', () => {
    fc.assert(
      fc.property(fc.array(key), (tokens) => {
        expect(parsePointer(printPointer(tokens))).toEqual(tokens);
      }),
    );
  });

  it('grows by one token, escaped', () => {
    expect(joinPointer('/spec', 'a/b~c')).toBe('/spec/a~1b~0c');
    expect(joinPointer('', 3)).toBe('/3');
    expect(printPointer(['a', 0])).toBe('/a/0');
  });
});

describe('the value at a pointer', () => {
  const value = parse('{"spec":{"a.b":1,"c/d":2,"e~f":3,"__proto__":{"x":4},"list":[{"y":5}],"none":null}}');

  it.each<[Pointer, Json | undefined]>([
    ['/spec/a.b', 1],
    ['/spec/c~1d', 2],
    ['/spec/e~0f', 3],
    ['/spec/__proto__/x', 4],
    ['/spec/list/0/y', 5],
    ['/spec/none', null],
    ['/spec/none/deeper', undefined],
    ['/spec/list/1', undefined],
    ['/spec/list/-', undefined],
    ['/spec/list/length', undefined],
    ['/spec/a', undefined],
    ['/constructor', undefined],
    ['/spec/toString', undefined],
    ['/spec/list/0/y/z', undefined],
  ])('%s is %j', (pointer, found) => {
    expect(valueAt(value, pointer)).toEqual(found);
  });

  it('is the whole for the empty pointer', () => {
    expect(valueAt(value, '')).toBe(value);
  });

  it('is never something that the object inherits', () => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
      expect(valueOf({}, name)).toBeUndefined();
    }
  });
});

describe('the places that a pattern meets', () => {
  const value: Json = { a: [{ b: 1 }, { b: 2, c: { b: 3 } }, 4], d: { b: 5 } };
  const met = (pattern: Pointer): readonly (readonly [Pointer, Json])[] =>
    placesOf(value, parsePointer(pattern)).map(({ pointer, value: found }) => [pointer, found]);

  it('are one for a pointer that is there, and none for one that is not', () => {
    expect(met('/d/b')).toEqual([['/d/b', 5]]);
    expect(met('/d/x')).toEqual([]);
    expect(met('')).toEqual([['', value]]);
  });

  it('are each item or key for *', () => {
    expect(met('/a/*/b')).toEqual([
      ['/a/0/b', 1],
      ['/a/1/b', 2],
    ]);
    expect(met('/*/b')).toEqual([['/d/b', 5]]);
  });

  it('are at any depth for **, each once', () => {
    expect([...met('/**/b')].sort()).toEqual([
      ['/a/0/b', 1],
      ['/a/1/b', 2],
      ['/a/1/c/b', 3],
      ['/d/b', 5],
    ]);
  });

  it('have pointers that lead back to what was met', () => {
    fc.assert(
      fc.property(json, (whole) => {
        for (const { pointer, value: found } of placesOf(whole, ['**'])) {
          expect(valueAt(whole, pointer)).toBe(found);
        }
      }),
    );
  });
});

describe('changeAt', () => {
  const twice = (found: Json | undefined): Json => (typeof found === 'number' ? found * 2 : 'new');

  it('changes what is there and leaves the value it was given alone', () => {
    const value = { a: { b: 1 }, c: { d: 2 } };
    expect(changeAt(value, ['a', 'b'], twice)).toEqual({ a: { b: 2 }, c: { d: 2 } });
    expect(value).toEqual({ a: { b: 1 }, c: { d: 2 } });
  });

  it('shares what is not on the way', () => {
    const value = { a: { b: 1 }, c: { d: 2 } };
    expect(valueOf(changeAt(value, ['a', 'b'], twice), 'c')).toBe(value.c);
    expect(changeAt(value, ['a', 'b'], (found) => found)).toBe(value);
  });

  it('adds the last key, and makes no map on the way', () => {
    expect(changeAt({ a: {} }, ['a', 'b'], twice)).toEqual({ a: { b: 'new' } });
    expect(changeAt({}, ['a', 'b'], twice)).toEqual({});
    expect(changeAt({ a: null }, ['a', 'b'], twice)).toEqual({ a: null });
    expect(changeAt('text', ['a'], twice)).toBe('text');
  });

  it('takes a key out when the change is undefined', () => {
    expect(changeAt({ a: { b: 1, c: 2 } }, ['a', 'b'], () => undefined)).toEqual({ a: { c: 2 } });
    expect(changeAt({ a: 1 }, ['b'], () => undefined)).toEqual({ a: 1 });
  });

  it('reaches an item of a list by its index, and all of them by *', () => {
    expect(changeAt([1, 2], ['1'], twice)).toEqual([1, 4]);
    expect(changeAt([1, 2], ['2'], twice)).toEqual([1, 2]);
    expect(changeAt([{ a: 1 }, { a: 2 }], ['*', 'a'], twice)).toEqual([{ a: 2 }, { a: 4 }]);
    expect(changeAt({ x: 1, y: 2 }, ['*'], twice)).toEqual({ x: 2, y: 4 });
    expect(changeAt(7, ['*'], twice)).toBe(7);
  });

  it('treats a key named __proto__ or constructor like any other', () => {
    const value = parse('{"__proto__":{"a":1},"constructor":2}');
    const changed = changeAt(changeAt(value, ['__proto__', 'a'], twice), ['constructor'], twice);
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"a":2},"constructor":4}');
    expect(JSON.stringify(changeAt({}, ['__proto__'], () => ({ polluted: true })))).toBe(
      '{"__proto__":{"polluted":true}}',
    );
    expect(valueOf({}, 'polluted')).toBeUndefined();
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });

  it('writes what valueAt reads back, at every place of any value', () => {
    fc.assert(
      fc.property(json, json, (whole, written) => {
        for (const { pointer } of placesOf(whole, ['**'])) {
          const tokens = parsePointer(pointer);
          if (tokens.includes('*')) continue;
          expect(
            valueAt(
              changeAt(whole, tokens, () => written),
              pointer,
            ),
          ).toEqual(written);
        }
      }),
    );
  });
});

describe('the canonical text', () => {
  it('sorts keys at every depth, and keeps the order of lists', () => {
    expect(canonicalText({ b: [2, 1], a: { d: null, c: '"' } })).toBe('{"a":{"c":"\\"","d":null},"b":[2,1]}');
  });

  it('has every own key, __proto__ too', () => {
    expect(canonicalText(parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}');
  });

  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(sameJson(parse(canonicalText(value)), value)).toBe(true);
      }),
    );
  });
});

describe('two values are the same', () => {
  it.each<[Json, Json]>([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [[], []],
    [{}, {}],
    [null, null],
    [0, -0],
  ])('%j and %j', (one, other) => {
    expect(sameJson(one, other)).toBe(true);
  });

  it.each<[Json | undefined, Json | undefined]>([
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [{}, []],
    [{ 0: 'a' }, ['a']],
    [null, undefined],
    [{ a: null }, {}],
    [1, '1'],
    [false, 0],
    [[1], [1, 1]],
    [{ a: 1 }, { b: 1 }],
    [parse('{"__proto__":{}}'), {}],
    [parse('{"__proto__":{}}'), { a: {} }],
    [{ toString: null }, {}],
  ])('but not %j and %j', (one, other) => {
    expect(sameJson(one, other)).toBe(false);
    expect(sameJson(other, one)).toBe(false);
  });

  it('exactly when their canonical texts are', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(sameJson(one, other)).toBe(canonicalText(one) === canonicalText(other));
      }),
    );
  });
});

it('maps, lists and scalars are told apart', () => {
  expect([{}, [], null, 'a', 1].map(isObject)).toEqual([true, false, false, false, false]);
  expect([{}, [], null, 'a', 1].map(isList)).toEqual([false, true, false, false, false]);
  expect(entriesOf(['a'])).toEqual([['0', 'a']]);
  expect(entriesOf('text')).toEqual([]);
  expect(entriesOf(null)).toEqual([]);
});
