import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { readBlocks } from '../../../src/schema/yaml/blocks.ts';
import { readThoroughly } from '../../../src/schema/yaml/parse.ts';
import { printYaml } from '../../../src/schema/yaml/print.ts';

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
    deep: a "b" c, d
`;

describe('a document in blocks', () => {
  it('is read line by line', () => {
    expect(readBlocks(BLOCKS)).toEqual({
      start: BLOCKS.indexOf('kind'),
      value: {
        kind: 'A',
        list: [{ a: 1, b: [['x: y', 'z'], 'http://localhost:80/?a=b'] }, -1],
        empty: {},
        none: [],
        nothing: null,
        last: { deep: 'a "b" c, d' },
      },
    });
    expect(agrees(BLOCKS)).toBe(true);
  });

  it('may have a line as long as it likes, and as many comments', () => {
    const long = `${'word '.repeat(1e6)}end`;
    expect(readBlocks(`a: ${long}\n`)?.value).toEqual({ a: long });
    expect(readBlocks(`${'# comment\n\n'.repeat(1e6)}a: b\n`)?.value).toEqual({ a: 'b' });
  });

  it.each([...catalog.kinds.values()].map(({ name, example }) => [name, example] as const))(
    'is the example of the kind %s as gwconf prints it',
    (_, example) => {
      expect(readBlocks(printYaml([example]))?.value).toEqual(example);
    },
  );

  it('means the same to the thorough reading wherever keys are hit at random', () => {
    const strike = fc.record({
      at: fc.nat(BLOCKS.length),
      cut: fc.nat(3),
      typed: fc.constantFrom(...TYPED),
    });
    fc.assert(
      fc.property(fc.array(strike, { minLength: 1, maxLength: 3 }), (strikes) => {
        agrees(
          strikes.reduce(
            (text, { at, cut, typed }) => text.slice(0, at) + typed + text.slice(at + cut),
            BLOCKS,
          ),
        );
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});

describe('a document is left to a parser', () => {
  it.each([
    ['a list on one line', 'a: [1]\n'],
    ['a text of many lines', 'a: |\n  b\n'],
    ['a text that goes on', 'a: b\n  c\n'],
    ['an escape', 'a: "\\n"\n'],
    ['a comment behind a value', 'a: b # c\n'],
    ['a placeholder', 'a: ${B}\n'],
    ['other letters than those of ASCII', 'a: é\n'],
    ['a tab', 'a:\tb\n'],
    ['a key that is there twice', 'a: 1\na: 2\n'],
    ['a key that an object does not take', '__proto__: 1\n'],
    ['a number that JSON cannot carry', 'a: 12345678901234567890\n'],
    ['a line that belongs nowhere', 'a:\n    b: 1\n  c: 2\n'],
    ['a list among keys', 'a:\n  b: 1\n  - c\n'],
    ['a key among items', 'a:\n  - b\n  c: 1\n'],
    ['lists without end', `a:\n${'- '.repeat(100_000)}b\n`],
    ['text alone', 'a\n'],
  ])('with %s', (_, text) => {
    expect(readBlocks(text)).toBeUndefined();
  });
});

const TYPED = [
  '',
  ' ',
  '  ',
  '\n',
  '\n  ',
  '- ',
  '\n- ',
  ': ',
  ':',
  '#',
  ' #',
  '"',
  "'",
  '{',
  ']',
  '~',
  '|',
  '0',
  '\t',
];

/** Whether a text is read in blocks; then it says the same as when it is read thoroughly. */
function agrees(text: string): boolean {
  const found = readBlocks(text);
  if (found === undefined) return false;
  const documents = readThoroughly({ path: 'made-up.yaml', text }, () => undefined);
  expect(documents, JSON.stringify(text)).toMatchObject([
    { ref: { offset: found.start }, value: found.value, problems: [] },
  ]);
  // Keys are in the order in which they are written, too.
  expect(JSON.stringify(documents[0]?.value)).toBe(JSON.stringify(found.value));
  return true;
}
