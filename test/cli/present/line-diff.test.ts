import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { applyPatch } from 'diff';
import { diffTexts } from '../../../src/cli/present/line-diff.ts';

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', 'one', 'two', ''), { maxLength: 30 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join('\n') + (isEnded ? '\n' : ''));

function print(before: string, after: string): string {
  const hunks = diffTexts(before, after).map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join('\n')}\n`,
  );
  return `--- a\n+++ b\n${hunks.join('')}`;
}

it('is a patch that makes one text of the other', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applyPatch(before, print(before, after))).toBe(after);
    }),
  );
});

it('shows three lines around a change', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
  expect(print(lines.join(''), lines.join('').replace('line 9\n', 'new\n'))).toBe(
    '--- a\n+++ b\n@@ -7,7 +7,7 @@\n line 6\n line 7\n line 8\n-line 9\n+new\n line 10\n line 11\n line 12\n',
  );
});

it('takes no longer for two long texts than their lines', () => {
  const make = (word: string): string =>
    Array.from({ length: 20_000 }, (_, at) => `same\nname: ${at}\n${word}: ${at}\n`).join('');
  const [hunk] = diffTexts(make('old'), make('new'));
  expect(hunk?.lines).toHaveLength(80_000);
});
