import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('.', import.meta.url);
const page = readFileSync(new URL('attacks.md', folder), 'utf8');
const tests = readdirSync(folder)
  .filter((name) => name !== 'threat-model.test.ts')
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n');

test('every row of attacks.md names tests that exist', () => {
  const rows = page.split('\n').filter((line) => /^\| (?!Attacker |-)[^|]+\|(?:.*\|){4}/.test(line));
  const attacks = rows.map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  const missing = attacks
    .filter((cells) => cells.length === 7)
    .filter((cells) => !tests.includes(`'${cells[5] ?? ''}'`));
  expect(missing).toEqual([]);
});
