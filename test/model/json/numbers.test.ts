import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { ExactNumber, isRounded } from '../../../src/model/json/exact-number.ts';
import { parseJson, printJson, withNearestNumbers } from '../../../src/model/json/json-text.ts';
import { canonicalText, sameJson, type Json } from '../../../src/model/json/json.ts';

describe('JavaScript rounds a number', () => {
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
    ['-0', false],
  ])('%s: %s', (text, expected) => {
    expect(isRounded(text)).toBe(expected);
  });
});

/** Any number of JSON, in any spelling. */
const numbers = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/),
    fc.option(fc.stringMatching(/^\d{1,24}$/), { nil: '' }),
    fc.option(fc.integer({ min: -500, max: 500 }), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) => {
    const point = fraction === '' ? '' : `.${fraction}`;
    return `${sign}${whole}${point}${exponent === undefined ? '' : `e${exponent}`}`;
  });

describe('a number of JSON', () => {
  it('is the same after any number of trips, in the midst of anything', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        numbers,
        fc.constantFrom(undefined, 2),
        (other, text, space) => {
          const around = printJson(JSON.parse(JSON.stringify(other)), space); // without -0
          const value = parseJson(`{"a": [true, ${text}], "b":${around},"x,9007199254740993":":1e400"}`);
          const again = parseJson(printJson(value, space));
          expect(sameJson(again, value)).toBe(true);
          expect(canonicalText(again)).toBe(canonicalText(value));
        },
      ),
    );
  });

  it('equals another one if it is the same number in another spelling', () => {
    const same = (one: string, other: string): boolean =>
      sameJson(parseJson(`[${one}]`), parseJson(`[${other}]`));
    expect(same('1e400', '10.0e399')).toBe(true);
    expect(same('9007199254740993', '9007199254740993.00')).toBe(true);
    expect(same('9007199254740993', '9007199254740992')).toBe(false);
    expect(same('9007199254740993', '-9007199254740993')).toBe(false);
    expect(same('9007199254740993', '"9007199254740993"')).toBe(false);
    expect(same('0.10000000000000000555', '0.1')).toBe(false);
  });

  it('means what was written', () => {
    fc.assert(
      fc.property(numbers, (text) => {
        const [found] = parseJson(`[${text}]`) as [Json];
        const scaled = (written: string): string => {
          const [mantissa = '', exponent = '0'] = written.replace('+', '').toLowerCase().split('e');
          const [whole = '', fraction = ''] = mantissa.split('.');
          return `${BigInt(`${whole}${fraction.padEnd(1100 + Number(exponent), '0')}`)}`;
        };
        if (found instanceof ExactNumber) expect(scaled(String(found))).toBe(scaled(text));
        else expect(found).toBe(Number(text));
      }),
    );
  });

  it('is the nearest one for code that knows only numbers, and nothing else is copied', () => {
    const value = parseJson('{"a":[1e400,{"b":9007199254740993}],"c":{"d":1}}');
    expect(withNearestNumbers(value)).toEqual({
      a: [Number.MAX_VALUE, { b: 9007199254740992 }],
      c: { d: 1 },
    });
    const plain = parseJson('{"c":{"d":[1]}}');
    expect(withNearestNumbers(plain)).toBe(plain);
  });

  it('stays as it is with an exponent that nobody means, and is JSON again', () => {
    for (const text of ['1e99999999999999999999', '1.5E-99999999999999999999', `-1e${'9'.repeat(400)}`]) {
      const printed = printJson(parseJson(`[${text}]`));
      expect(printed).toBe(`[${text}]`);
      expect(parseJson(printed)).toEqual(parseJson(`[${text}]`));
    }
  });

  it('is the last of equal keys', () => {
    expect(parseJson('{"a":9007199254740993,"a":5}')).toEqual({ a: 5 });
  });
});
