// Writes src/model/text/confusables.json from confusables.txt of Unicode Technical Standard 39:
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
const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const print = (text) =>
  JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (one) =>
    readable.test(one) ? one : one.split('').map(escapeUnit).join(''),
  );
const rows = [];
for (const [look, letters] of [...byLook].sort(([one], [other]) => (one < other ? -1 : 1))) {
  const row = `${look} ${letters}`;
  const longer = `${rows.at(-1)}  ${row}`;
  if (rows.length > 0 && print(longer).length <= 110) rows[rows.length - 1] = longer;
  else rows.push(row);
}
const about = `Made by scripts/confusables.mjs from confusables.txt ${version} of Unicode Technical Standard 39. © Unicode, Inc.; Unicode License v3, https://www.unicode.org/license.txt`;
writeFileSync(
  'src/model/text/confusables.json',
  `{
  "about": ${JSON.stringify(about)},
  "rows": [
${rows.map((row) => `    ${print(row)}`).join(',\n')}
  ]
}
`,
);
