// Writes src/model/text/confusables.ts from confusables.txt of Unicode Technical Standard 39:
// node scripts/confusables.mjs confusables.txt
import { readFileSync, writeFileSync } from 'node:fs';

const text = readFileSync(process.argv[2], 'utf8');
const version = /Version: (\S+)/.exec(text)?.[1] ?? 'unknown';
const parse = (codes) => String.fromCodePoint(...codes.split(' ').map((code) => parseInt(code, 16)));

// Rows that NFKD or lower case make superfluous, and those of ASCII and of marks, are left out.
const byLook = new Map();
for (const [, from, to] of text.matchAll(/^([\dA-F]+) ;\s*([\dA-F ]+?) ;\s*MA/gm)) {
  const [letter, look] = [parse(from), parse(to).normalize('NFKD').toLowerCase()];
  const isNeeded = letter.normalize('NFKD') === letter && letter.toLowerCase() !== look;
  if (!isNeeded || /[\0-\x7f]|\p{M}/u.test(letter) || !/[\p{L}\p{N}\p{P}\p{S}]/u.test(look)) continue;
  byLook.set(look, (byLook.get(look) ?? '') + letter);
}
// Right-to-left letters and symbols would make the file hard to read.
const readable = /(?![\p{Script=Arabic}\p{Script=Hebrew}])[\p{L}\p{N}]/u;
const print = (letters) =>
  [...letters].map((one) => (readable.test(one) ? one : `\\u{${one.codePointAt(0).toString(16)}}`)).join('');
const lines = [''];
for (const [look, letters] of [...byLook].sort(([one], [other]) => (one < other ? -1 : 1))) {
  const row = `${print(look)} ${print(letters)}`;
  if (lines.at(-1).length + row.length > 110) lines.push('');
  lines.push(`${lines.pop()}${row}  `);
}
writeFileSync(
  'src/model/text/confusables.ts',
  `// Made by scripts/confusables.mjs from confusables.txt ${version} of Unicode Technical Standard 39.
// © Unicode, Inc.; Unicode License v3, https://www.unicode.org/license.txt

/** Rows that end with two spaces: a letter, or letters, in lower case, a space, and the letters that look like it. */
export const CONFUSABLES = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('');
`,
);
