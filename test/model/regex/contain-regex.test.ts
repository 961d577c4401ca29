import { expect, it } from 'vitest';
import { doOverlap, isContained } from '../../../src/model/regex/contain-regex.ts';
import fc from '../../support/fast-check.ts';
import { orAll } from '../../support/soak.ts';

it.each<[string, readonly string[], boolean | undefined]>([
  ['a', ['a|b'], true],
  ['a|b', ['b', 'a'], true],
  ['a.*|b', ['b|(a)(.*)'], true],
  ['^a.*$', ['a.*'], true],
  ['^a|b$', ['[ab]'], true],
  ['.*', ['.+'], true],
  ['a.*', ['a.+'], false],
  ['.*', ['[^x].*', 'x.*'], true],
  ['a{2,4}', ['a*'], true],
  ['(?i)A', ['a|A'], true],
  ['customers-.*', ['customers-(eu|us)'], false],
  ['a-b.*|c', ['c|d', 'a-.*'], true],
  ['a-.*|c', ['c|a-b.*', 'a-c.*|a-.+'], false],
  ['a.*|b', ['a.*|b.*'], true],
  ['a-.*', ['b-.*', 'a-x', 'a-y.*'], false],
  ['a', [], false],
  ['a++', ['a+'], undefined],
  ['(?!a).*', ['.*'], true],
  ['(?!a).*', ['[^a].*'], undefined],
])('whether all that %s matches is matched by one of %j', (inner, outers, expected) => {
  expect(isContained(inner, outers)).toBe(expected);
});

it('is what trying all short texts says', () => {
  const texts = ['a', 'b', 'c'].flatMap((one) => [
    one,
    ...['a', 'b', 'c'].flatMap((two) => [one + two, ...['a', 'b', 'c'].map((three) => one + two + three)]),
  ]);
  const patternOf = (atom: fc.Arbitrary<string>): fc.Arbitrary<string> => {
    const part = fc.tuple(atom, fc.constantFrom('', '', '*', '?', '+')).map((one) => one.join(''));
    const option = fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(''));
    return fc.array(option, { minLength: 1, maxLength: 2 }).map((options) => options.join('|'));
  };
  const simple = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]');
  const pattern = patternOf(
    fc.oneof(
      simple,
      simple,
      patternOf(simple).map((one) => `(${one})`),
    ),
  );
  fc.assert(
    fc.property(pattern, fc.array(pattern, { minLength: 1, maxLength: 2 }), (inner, outers) => {
      const matches = (one: string, text: string): boolean => new RegExp(`^(?:${one})$`).test(text);
      const found = isContained(inner, outers, ['a', 'b', 'c']);
      const missed = texts.filter(
        (text) => matches(inner, text) && !outers.some((one) => matches(one, text)),
      );
      if (missed.length > 0) expect(found).toBe(false);
      if (found === true) expect(missed).toEqual([]);
      expect(found).toBeDefined();
      const isShared = texts.some(
        (text) => outers.every((one) => matches(one, text)) && matches(inner, text),
      );
      if (isShared) for (const outer of outers) expect(doOverlap(inner, outer, ['a', 'b', 'c'])).toBe(true);
    }),
    { numRuns: orAll(300, 5000) },
  );
});

it.each([
  ['customers-.*', 'nothing-.*', false],
  ['a.*', '.*b', true],
  ['a|b', 'c|d', false],
  ['a-.*', 'b|a-x', true],
  ['a-.*|c', 'a-b.*', true],
  ['a-b.*', 'a-.*', true],
  ['a-.*', 'b-.*|a', false],
  ['a++', 'a', undefined],
] as const)('whether %s and %s match a text in common', (one, other, expected) => {
  expect(doOverlap(one, other)).toBe(expected);
});

it('gives up on patterns that would take long', () => {
  const many = (letters: string): string =>
    Array.from({ length: 60 }, (_, at) => `.*${letters}.{${at}}`).join('|');
  expect(isContained(many('a'), [many('b')])).not.toBe(true);
  expect(isContained('.*a.{200}', ['.*b.{200}'])).toBeUndefined();
  expect(isContained('.*a.{200}', ['.*.{200}[a].{200}|.*a.{200}.{0}'])).toBeUndefined();
});

it('lists of names are compared however long they are', () => {
  const names = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, at) => `topic-${from + at}`).join('|');
  expect(isContained(names(0, 5000), [names(0, 3000), names(2000, 6000)])).toBe(true);
  expect(isContained(names(0, 5001), [names(0, 3000), names(2000, 5000)])).toBe(false);
  expect(isContained(names(0, 3), ['topic-0', 'topic-[12]'])).toBe(true);
  expect(doOverlap(names(0, 5000), names(4999, 9000))).toBe(true);
  expect(doOverlap(names(0, 5000), names(5000, 9000))).toBe(false);
});
