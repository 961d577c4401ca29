import { describe, expect, it } from 'vitest';
import { parseDuration, parseTimeout, parseSize } from '../../../src/model/text/quantities.ts';

describe('a duration', () => {
  it.each([
    ['30s', 30_000],
    ['500ms', 500],
    ['1.5m', 90_000],
    ['2', 2_000],
    ['7d', 604_800_000],
    ['36500d', 3_153_600_000_000],
    ['36501d', undefined],
    ['99999999999999999999d', undefined],
    [`${'9'.repeat(400)}s`, undefined],
    ['-1s', undefined],
    ['1e3s', undefined],
    ['', undefined],
  ])('%s is %s ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it('is what a timer can wait for, which otherwise does not wait at all', () => {
    expect(parseTimeout('60d')).toBe(2_147_483_647);
    expect(parseTimeout('30s')).toBe(30_000);
    expect(parseTimeout('36501d')).toBeUndefined();
  });
});

it.each([
  ['256MB', 256_000_000],
  ['2 gb', 2_000_000_000],
  ['1.5KB', 1500],
  ['0KB', 0],
  ['256', undefined],
  ['-1MB', undefined],
  ['1TB', undefined],
  ['1MBx', undefined],
  ['', undefined],
])('%s is %s bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});
