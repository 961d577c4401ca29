import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  changeAt,
  entriesOf,
  joinPointer,
  parsePointer,
  type Json,
  type Pointer,
} from '../../../src/model/json/json.ts';
import { findInexactNumbers } from '../../../src/model/json/numbers.ts';

describe('a number of a JSON text is inexact', () => {
  it.each([
    ['9007199254740993', true],
    ['9007199254740992', false],
    ['-9223372036854775807', true],
    ['9223372036854775808', true],
    ['1e400', true],
    ['-1E400', true],
    ['1e-400', true],
    ['1.5e3', false],
    ['1E20', false],
    ['0.1', false],
    ['0.10000000000000000', false],
    ['0.10000000000000000555', true],
    ['123456789012345678', true],
    ['0.0000000000000000', false],
  ])('%s: %s', (text, isInexact) => {
    const expected = isInexact ? [{ path: '/0/a/1', text }] : [];
    expect(findInexactNumbers(`[{"a": [true, ${text}]}]`)).toEqual(expected);
    expect(findInexactNumbers(`[{"a":[ 7 ,${text} ],"b":{}}]`)).toEqual(expected);
  });

  it('and not one in a string or a key, wherever it stands', () => {
    const text = String.raw`{"a":"x,9007199254740993","\",9007199254740993":[":1e400"],"b\\":1e400}`;
    expect(findInexactNumbers(text)).toEqual([{ path: '/b\\', text: '1e400' }]);
  });

  function* numbersIn(value: Json, at: Pointer = ''): Generator<Pointer> {
    if (typeof value === 'number') yield at;
    for (const [key, child] of entriesOf(value)) yield* numbersIn(child, joinPointer(at, key));
  }

  it('exactly where one was put', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('9007199254740993', '1e999'),
        (given, pick, text) => {
          const value = JSON.parse(JSON.stringify(given)) as Json; // without -0
          expect(findInexactNumbers(JSON.stringify(value))).toEqual([]);
          const places = [...numbersIn(value)];
          const path = places[pick % Math.max(1, places.length)];
          if (path === undefined || path === '' || path.includes('*')) return; // a wildcard to changeAt
          const mark = '@@here@@';
          const marked = JSON.stringify(
            changeAt(value, parsePointer(path), () => mark),
            null,
            pick % 3,
          );
          expect(findInexactNumbers(marked.replace(`"${mark}"`, text))).toEqual([{ path, text }]);
        },
      ),
    );
  });
});
