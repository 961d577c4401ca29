import confusables from './confusables.json' with { type: 'json' };
import { once } from '../collect.ts';

const ASCII = /^[\0-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * What a text looks like (Unicode Technical Standard 39): equal for texts that differ only in case, in invisible characters
 * or in letters that look alike. Coarser than the standard, since it also ignores case.
 */
export function lookOf(text: string): string {
  const visible = text.normalize('NFKD').replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '');
  const looks = isAscii(visible) ? visible : Array.from(visible, lookOfLetter).join('');
  return looks
    .toLowerCase()
    .replace(/[i1|]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('m', 'rn')
    .normalize('NFKD');
}

/** The text with each character outside of ASCII as its code: `ord[U+0435]rs`. */
export function spellOut(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (one) => {
    const code = one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
    return `[U+${code}]`;
  });
}

/** The look of each letter. Two spaces are between looks; a look is a letter, or letters, in lower case, and those like it. */
const looks = once(
  () =>
    new Map(
      confusables.rows
        .join('  ')
        .split('  ')
        .flatMap((row) => {
          const [look = '', letters = ''] = row.split(' ');
          return Array.from(letters, (one) => [one, look] as const);
        }),
    ),
);

/** The table is read only when there is a letter outside of ASCII. */
function lookOfLetter(letter: string): string {
  if (isAscii(letter)) return letter;
  return looks().get(letter) ?? looks().get(letter.toLowerCase()) ?? letter;
}
