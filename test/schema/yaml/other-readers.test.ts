import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import type { Json } from '../../../src/model/json/json.ts';
import { template } from '../../../src/schema/explain/template.ts';
import { formatFile } from '../../../src/schema/fmt/fmt.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { group } from '../../../src/schema/kinds/group.ts';
import { plugins } from '../../../src/schema/plugins/index.ts';
import { printEntry, printThoroughly, printYaml } from '../../../src/schema/yaml/print.ts';
import fc from '../../support/fast-check.ts';
import { templateText } from '../../support/template-text.ts';

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
    'E0',
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

/** A group with one value in its spec, as somebody may write it. */
function groupWith(text: string): string {
  return `apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: a }\nspec:\n  note: ${text}\n  list: [ ${text}, b ] # why\n`;
}

describe('what fmt has formatted', () => {
  const fmt = (text: string): string => formatFile({ path: 'a.yaml', text }, catalog).value ?? text;

  it('is text for readers of YAML 1.1 where it is text for us', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...MEANT), fc.stringMatching(/^[\d.:_eExobTZ-]{1,12}$/)),
        (text) => {
          const written = groupWith(text.replace(',', ''));
          const document = parseDocument(written);
          if (document.errors.length > 0 || typeof document.getIn(['spec', 'note']) !== 'string') return;
          const [ours, formatted] = [document.toJS() as Json, fmt(written)];
          expect(parse(formatted)).toEqual(ours);
          expect(parse(formatted, { version: '1.1' })).toEqual(ours);
          expect(fmt(formatted)).toBe(formatted);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('has quotes where they change something, and nowhere else', () => {
    expect(fmt(groupWith('yes'))).toBe(groupWith('"yes"'));
    for (const text of ['12:30', '1_000', '2026-01-01', '=', '<<', 'off', 'y'])
      expect(fmt(groupWith(text))).toBe(groupWith(`"${text}"`));
    for (const text of [
      '10.0.0.1',
      '3.21.0',
      'true',
      '17',
      '0o17',
      '1.5',
      '~',
      'yesterday',
      "'no'",
      '!!str no',
    ])
      expect(fmt(groupWith(text))).toBe(groupWith(text));
    expect(fmt('on: yes\n')).toBe('on: yes\n');
    expect(fmt(`---\n${groupWith('1').replace('note', 'on')}---\n---\n${groupWith('no')}`)).toBe(
      `---\n${groupWith('1').replace('note', '"on"')}---\n---\n${groupWith('"no"')}`,
    );
  });
});

it('the examples of template are read the same, also of values that have another meaning in YAML 1.1', () => {
  const odd = { note: 'no', list: ['12:30'], on: { y: '1_000' } };
  const example = { ...group.example, spec: odd };
  const made = template('GatewayGroup', {
    ...catalog,
    kinds: new Map([['GatewayGroup', { ...group, example }]]),
  });
  const texts = [...catalog.kinds.keys(), ...plugins.map(({ name }) => name)].map(templateText);
  for (const text of [...texts, 'text' in made ? made.text : undefined])
    if (text !== undefined) expect(parse(text, { version: '1.1', merge: true })).toEqual(parse(text));
  expect('text' in made && (parse(made.text, { version: '1.1' }) as Json)).toEqual(example);
});

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
