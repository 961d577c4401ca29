import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../../src/model/json/json.ts';
import { printEntry, printThoroughly, printYaml } from '../../../src/schema/yaml/print.ts';
import fc from '../../support/fast-check.ts';

/** Texts that readers of one version of YAML or another take for something else. */
const MEANT = [
  ...[
    'y',
    'N',
    'yes',
    'No',
    'on',
    'OFF',
    'true',
    'False',
    'null',
    'NULL',
    '~',
    '',
    '=',
    '<<',
    '.inf',
    '-.INF',
    '.nan',
  ],
  ...[
    '0o17',
    '0x1F',
    '017',
    '0b101',
    '1_000',
    '+1',
    '1e3',
    '1.5',
    '.5',
    '-.5e+1',
    '1,000',
    '12:30',
    '190:20:30.15',
  ],
  ...[
    '2026-01-01',
    '2001-12-14t21:59:43.10-05:00',
    '2001-12-14 21:59:43.10 -5',
    '3.21',
    '3.21.0',
    '10.0.0.1',
  ],
  ...['- a', '? a', 'a: b', '# a', '%a', '@a', '`a', '!a', '&a', '*a', '{a', '[a', '|', '>', '---', '...'],
];
const texts = fc.oneof(
  fc.constantFrom(...MEANT),
  fc.stringMatching(/^[-+.\d:_eExob, tTzZ]{1,12}$/),
  fc.string({ maxLength: 8 }),
);
const values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      texts.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value;

describe('what is written is read the same', () => {
  it.each<[string, (text: string) => unknown]>([
    ['by a reader of YAML 1.1', (text) => parse(text, { version: '1.1' }) as unknown],
    ['by another library', (text) => load(text)],
  ])('%s', (_, read) => {
    fc.assert(
      fc.property(values, (value) => {
        expect(read(printYaml([value]))).toEqual(value);
        expect(read(printThoroughly(value, () => false))).toEqual(value);
        expect(read(printEntry('key', value, { indent: 2, isFlow: false }))).toEqual({ key: value });
      }),
      { numRuns: 300 },
    );
  });
});
