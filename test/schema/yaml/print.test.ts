import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { printThoroughly, printUsual } from '../../../src/schema/yaml/print.ts';
import type { Json } from '../../../src/model/json/json.ts';
import { parseJson } from '../../../src/model/json/json-text.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(
      ...Array.from(':#-?,[]{}&*!|>\'"%@`~=$.\\ \n'),
      'a',
      'B',
      '1',
      'null',
      'true',
      '0x',
      '.inf',
      '---',
    ),
    maxLength: 6,
  }),
  fc.constantFrom(
    'orders',
    'orders-.*',
    'io.conduktor.Plugin',
    'a b',
    'host:9092',
    '${NAME}',
    '2024-01-01',
    'y',
    'no',
    'NULL',
    '1e3',
    '.5',
    '+1',
    '0o7',
    '<<',
  ),
);
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const key = fc.oneof({ weight: 9, arbitrary: fc.stringMatching(/^[a-z][a-z.-]{0,4}$/) }, text);
const { map } = fc.letrec<{ any: Json; map: Json }>((tie) => ({
  any: fc.oneof({ maxDepth: 2 }, scalar, fc.array(tie('any'), { maxLength: 2 }), tie('map')),
  map: fc.dictionary(key, tie('any'), { minKeys: 1, maxKeys: 2 }),
}));

it('prints what it can as the thorough printer does', () => {
  let printed = 0;
  const isQuoted = (one: string): boolean => one.includes('a');
  fc.assert(
    fc.property(map, fc.boolean(), (one, quotes) => {
      const asked = quotes ? isQuoted : () => false;
      const usual = printUsual(one, asked);
      if (usual === undefined) return;
      printed += 1;
      expect(usual).toBe(printThoroughly(one, asked));
    }),
    { numRuns: 1000 },
  );
  expect(printed).toBeGreaterThan(300);
});

it('writes equal numbers that JavaScript would round as they are, and no aliases', () => {
  const value = parseJson('{"a":9223372036854775807,"b":[9223372036854775807],"c":"x\\ty"}');
  expect(printThoroughly(value, () => false)).toBe(
    'a: 9223372036854775807\nb:\n  - 9223372036854775807\nc: "x\\ty"\n',
  );
});
