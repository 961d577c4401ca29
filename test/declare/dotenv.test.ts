import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import fc from '../support/fast-check.ts';
import { expect, it, onTestFinished } from 'vitest';
import { printDotenv, readDotenv } from '../../src/declare/dotenv.ts';

const text = fc.oneof(
  fc.constantFrom(
    '',
    'plain',
    'a b # c',
    "it's",
    '"quoted"',
    '$HOME `id` $(id) \\n \\\\',
    '-----BEGIN KEY-----\nab+/=\n-----END KEY-----\n',
    'both \' and "',
    ' blanks ',
  ),
  fc.string({
    unit: fc.constantFrom('a', "'", '"', '$', '`', '\\', '\n', '#', ' ', '=', '!', 'é'),
    maxLength: 12,
  }),
);
const values = fc.array(text, { minLength: 1, maxLength: 20 });

function written(all: readonly (string | undefined)[]): ReturnType<typeof printDotenv> {
  return printDotenv(all.map((value, at) => ({ name: `NAME_${at}`, value, at: [] })));
}

it('gives a shell the same values', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gwconf-dotenv-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  fc.assert(
    fc.property(values, (all) => {
      writeFileSync(join(folder, 'it.env'), written(all).text);
      const print = `set -a; . ./it.env; exec '${process.execPath}' -p 'JSON.stringify(process.env)'`;
      const env = JSON.parse(
        execFileSync('sh', ['-c', print], { cwd: folder, env: {} }).toString(),
      ) as object;
      expect(env).toMatchObject(Object.fromEntries(all.map((value, at) => [`NAME_${at}`, value])));
    }),
    { numRuns: 15 },
  );
});

it('gives a parser of .env files the same values, but for those that it names', () => {
  fc.assert(
    fc.property(values, (all) => {
      all.forEach((value) => {
        const { text: printed, forShellsOnly } = written([value]);
        if (forShellsOnly.length === 0) expect(parseEnv(printed)).toEqual({ NAME_0: value });
        else expect(value).toMatch(/'/);
      });
    }),
  );
});

it('gives an unknown value a name only', () => {
  expect(written([undefined]).text).toMatch(/\n# NAME_0 is unknown.*\n# NAME_0=''\n$/);
});

it('reads what it wrote, and adds to a file without touching what it has', () => {
  fc.assert(
    fc.property(values, values, (first, second) => {
      const before = written(first).text;
      expect([...readDotenv(before).values()]).toEqual(first);
      const all = second.map((value, at) => ({ name: `NAME_${at}`, value }));
      const { text: after } = printDotenv(all, before);
      expect(after.startsWith(before)).toBe(true);
      expect([...readDotenv(after).values()]).toEqual([...first, ...second.slice(first.length)]);
      expect(printDotenv(all, after).text).toBe(after);
    }),
  );
});

it('knows no value that a shell would have to work out', () => {
  const text = 'A=$HOME\nexport B="x$(id)"\n  C=plain # note\nD="two words"\n# E=no\nF=a\\ b\nG=\'open\n';
  expect([...readDotenv(text)]).toEqual([
    ['A', undefined],
    ['B', undefined],
    ['C', 'plain'],
    ['D', 'two words'],
    ['F', 'a b'],
    ['G', ''],
  ]);
});
