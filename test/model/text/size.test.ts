import { expect, it } from 'vitest';
import { parseSize } from '../../../src/model/text/size.ts';

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
