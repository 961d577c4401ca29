import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { someOf } from '../../support/soak.ts';
import { compileRegex } from '../../../src/model/regex/match-regex.ts';

/** Whether a pattern matches a whole text; the reason, if the pattern cannot be judged. */
function match(pattern: string, text: string): boolean | string | undefined {
  const regex = compileRegex(pattern);
  return 'unjudged' in regex ? regex.unjudged : regex.matches(text);
}

describe('a regular expression', () => {
  it('matches what Java 17 matches', () => {
    // Random patterns, and texts that Java's Pattern.matches accepts and rejects.
    const file = new URL('../../fixtures/java-17-regex.json', import.meta.url);
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as [string, string[], string[]][];
    expect(recorded.length).toBeGreaterThan(100);
    for (const [pattern, matching, others] of recorded) {
      const matches = (text: string): boolean => match(pattern, text) === true;
      expect([pattern, [...matching, ...others].filter(matches)]).toEqual([pattern, matching]);
    }
  });

  it.each<[string, string, boolean]>([
    ['orders-.*', 'orders-eu', true],
    ['orders-.*', 'my-orders-eu', false],
    ['orders', 'orders-eu', false],
    ['^(?!internal-).*$', 'internal-audit', false],
    ['^(?!internal-).*$', 'orders', true],
    ['(?i)orders', 'ORDERS', true],
    ['(?i:o)rders', 'ORDERS', false],
    ['(orders|refunds)(\\.dlq)?', 'refunds.dlq', true],
    ['[a-z]{1,249}', 'z'.repeat(249), true],
    ['a{1000}', 'a'.repeat(249), false],
    ['\\Qa.b\\E-\\d{2,}', 'a.b-12', true],
    ['\\Q\\E.', 'a', true],
    ['orders\n', 'orders', false],
  ])('%j against %j', (pattern, text, expected) => {
    expect(match(pattern, text)).toBe(expected);
  });

  it.each([
    ['(', 'is not valid'],
    ['*', 'is not valid'],
    ['a++', 'has a quantifier that gwconf cannot judge'],
    ['a{2}{3}', 'has a quantifier that gwconf cannot judge'],
    ['a{99999999999}', 'has a quantifier that gwconf cannot judge'],
    ['(^|a){2}b', 'has a quantifier that gwconf cannot judge'],
    ['a(?i){2}', 'has a quantifier that gwconf cannot judge'],
    ['(?<=a)b', 'has a group that gwconf cannot judge'],
    ['(?>a)b', 'has a group that gwconf cannot judge'],
    ['(?x)a b', 'has a flag that gwconf cannot judge'],
    ['(?u)a', 'has a flag that gwconf cannot judge'],
    ['(?iu:a)', 'has a group that gwconf cannot judge'],
    ['(a)\\1', 'has an escape that gwconf cannot judge'],
    ['(?i)\\p{Lower}', 'has an escape that gwconf cannot judge'],
    ['\\p{IsGreek}', 'has an escape that gwconf cannot judge'],
    ['😀*', 'has an escape that gwconf cannot judge'],
    ['[a-z&&[^b]]', 'has a character class that gwconf cannot judge'],
    ['[a-\\d]', 'has a character class that gwconf cannot judge'],
    ['((a{250}){250}){250}', 'is too large'],
    ['('.repeat(200) + ')'.repeat(200), 'has more than 100 nested groups'],
  ])('%.20s is not judged', (pattern, reason) => {
    expect(match(pattern, 'a')).toBe(reason);
  });

  it('is not judged for a text that no topic has as its name', () => {
    for (const text of ['', 'a'.repeat(250), 'é', 'a\n']) expect(match('.*', text)).toBeUndefined();
  });

  it('is judged in few steps, or not at all', () => {
    const text = `${'a'.repeat(248)}!`;
    for (const pattern of ['(a+)+', '(a|a)*', '(a*)*b', '(a?){249}a{100}', '(?:(?:a*)*)*'])
      expect(match(pattern, text)).toBe(false);
    expect(match('(?=(?:a*a*a*){100}b)?(?:(?=(?:a?){200}b)?a)*!', text)).toBeUndefined();
  });

  it('judges any number of topics by an ordinary expression, as JavaScript does', () => {
    const pattern = '(customers|orders-[a-z]+)(-(eu|us))?(-\\d{1,3})*';
    const regex = compileRegex(pattern);
    if ('unjudged' in regex) throw new Error(regex.unjudged);
    const own = new RegExp(`^(?:${pattern})$`);
    for (let at = 0; at < 100_000; at += 1) {
      const name = `${at % 3 === 0 ? 'customers' : `orders-${'abcdefghij'.slice(at % 7)}`}${at % 5 === 0 ? '-eu' : ''}-${at}`;
      if (regex.matches(name) !== own.test(name))
        expect([name, regex.matches(name)]).toEqual([name, own.test(name)]);
    }
  });

  it('judges no more by an expression that has taken too many steps over many texts', () => {
    const textAt = (at: number): string =>
      ((at * 2_654_435_761) >>> 0).toString(2).padStart(32, '0').repeat(6);
    for (const pattern of someOf(['(0|1)*0(0|1){90}2?', '(?=.*2?)(0|1)*0(0|1){90}2?'], 2)) {
      const regex = compileRegex(pattern);
      if ('unjudged' in regex) throw new Error(regex.unjudged);
      const own = new RegExp(`^(?:${pattern})$`);
      let [judged, at] = [0, 0];
      for (; at < 20_000; at += 1) {
        const met = regex.matches(textAt(at));
        if (met === undefined) break;
        judged += 1;
        if (met !== own.test(textAt(at))) expect([textAt(at), met]).toEqual([textAt(at), !met]);
      }
      expect(judged, pattern).toBeGreaterThan(50);
      expect(at, pattern).toBeLessThan(20_000);
    }
  });
});
