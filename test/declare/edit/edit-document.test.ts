import { describe, expect, it } from 'vitest';
import { editDocument, readWritten } from '../../../src/declare/edit/edit-document.ts';
import { ExactNumber } from '../../../src/model/json/exact-number.ts';
import type { Json } from '../../../src/model/json/json.ts';
import { printYaml } from '../../../src/schema/yaml/print.ts';
import { dedent } from '../../support/expect-problems.ts';

const ORDER = ['name', 'spec', 'last'];

function edit(text: string, wanted: Json): ReturnType<typeof editDocument> {
  return editDocument(dedent(text), wanted, () => ORDER);
}

function textOf(text: string, wanted: Json): string {
  const { text: after, refused } = edit(text, wanted);
  expect(refused).toEqual([]);
  expect(readWritten(after)).toEqual(wanted);
  return after;
}

describe('a value', () => {
  it.each([
    ['plain', 'a: one # why\n', 'a: two # why\n'],
    ['in single quotes', "a: 'one' # why\n", "a: 'two' # why\n"],
    ['in double quotes', 'a: "one" # why\n', 'a: "two" # why\n'],
    ['in braces', 'a: { b: 1, a: one } # why\n', 'a: { b: 1, a: two } # why\n'],
    ['as a block', 'a: |- # why\n    one\n\n# end\n', 'a: |- # why\n  two\n\n# end\n'],
    ['folded', 'a: >-\n  one\n', 'a: >-\n  two\n'],
    ['on two lines', 'a: one\n  more\nb: 1\n', 'a: two\nb: 1\n'],
    ['empty', 'a: # why\nb: 1\n', 'a: two # why\nb: 1\n'],
    ['in JSON', '{"a": "one"}', '{"a": "two"}'],
  ])('%s keeps its quotes and comment', (_, before, after) => {
    const wanted = JSON.parse(JSON.stringify(readWritten(after))) as Json;
    expect(textOf(before, wanted)).toBe(after);
  });

  it.each([
    ['a text that would be a number', 'a: one\n', { a: '12' }, 'a: "12"\n'],
    ['a text with a comment sign', 'a: one\n', { a: 'x # y' }, 'a: "x # y"\n'],
    ['a text with commas in brackets', 'a: [one]\n', { a: ['x, y'] }, 'a: ["x, y"]\n'],
    ['a quote in single quotes', "a: 'one'\n", { a: "it's" }, "a: 'it''s'\n"],
    ['an escape in single quotes', "a: 'one'\n", { a: 'x\u0007' }, 'a: "x\\a"\n'],
    ['a text of two lines', 'a: one\nb: 1\n', { a: 'x\ny\n', b: 1 }, 'a: |\n  x\n  y\nb: 1\n'],
    ['a text that ends with empty lines', 'a: one\nb: 1\n', { a: 'x\n\n', b: 1 }, 'a: "x\\n\\n"\nb: 1\n'],
    ['a blank text for a block', 'a: | # why\n  one\nb: 1\n', { a: ' ', b: 1 }, 'a: " " # why\nb: 1\n'],
    ['a number for a quoted text', 'a: "one"\n', { a: 5 }, 'a: 5\n'],
    ['a number for a block', 'a: | # why\n  one\nb: 1\n', { a: 5, b: 1 }, 'a: 5 # why\nb: 1\n'],
    [
      'a map for a block',
      'a: >- # why\n  one\n  two\nb: 1\n',
      { a: { c: 1 }, b: 1 },
      'a: { c: 1 } # why\nb: 1\n',
    ],
    ['a placeholder', 'a: one\n', { a: '${X}' }, 'a: "${X}"\n'],
    ['a list for a text with a tag', 'a: !!str one # why\n', { a: [1] }, 'a: [1] # why\n'],
    ['a text for a number with a tag, in brackets', 'a: [!!int "3", 4]\n', { a: ['x', 4] }, 'a: [x, 4]\n'],
    ['nothing for a map', 'a:\n  b: 1\nc: 2\n', { a: {}, c: 2 }, 'a: {}\nc: 2\n'],
    ['a map for nothing', 'a: {}\n', { a: { b: [1] } }, 'a: { b: [1] }\n'],
    ['a list for another', 'a: # why\n  - 1\nc: 2\n', { a: [2, 3], c: 2 }, 'a: # why\n  - 2\n  - 3\nc: 2\n'],
  ])('becomes %s', (_, before, wanted, after) => {
    expect(textOf(before, wanted)).toBe(after);
  });
});

it.each(['\n', 'x\n\n', 'x\n \n', ' \n', 'x\n\t', 'x \n', 'x\n'])('edits what is printed: %j', (text) => {
  const printed = printYaml([{ a: text, l: [text], b: 1 }]);
  expect(textOf(printed, { a: 'y', l: ['z', text], b: 1 })).not.toContain('+\n');
});

it('has all digits of numbers that JavaScript would round, changed or not', () => {
  const [one, two] = ['12345678901234567890', '12345678901234567891'].map((text) => ExactNumber.of(text));
  const text = `a: ${String(one)}\nb: [${String(one)}, 1e400]\n`;
  const wanted = { a: two ?? null, b: [two ?? null, ExactNumber.of('1e400')] };
  expect(textOf(text, wanted)).toBe(`a: ${String(two)}\nb: [${String(two)}, 1e400]\n`);
});

describe('a key', () => {
  it('goes with its comments, not with those of its neighbours', () => {
    const before = `
      a: 1
      # about b
      b: 2 # more about b
        # deeper

      # about c
      c: 3
    `;
    expect(textOf(before, { a: 1, c: 3 })).toBe('a: 1\n\n# about c\nc: 3\n');
  });

  it('goes from the line of a dash', () => {
    expect(textOf('- a: 1\n  b: 2\n', [{ b: 2 }])).toBe('- b: 2\n');
    expect(textOf('- a: 1\n  # about b\n  b: 2\n', [{ b: 2 }])).toBe('-\n  # about b\n  b: 2\n');
  });

  it('comes to its canonical place', () => {
    expect(textOf('last: 1\n', { name: 'x', last: 1 })).toBe('name: x\nlast: 1\n');
    expect(textOf('name: x\n# about last\nlast: 1\n', { name: 'x', spec: { a: { b: 1 } }, last: 1 })).toBe(
      'name: x\nspec:\n  a:\n    b: 1\n# about last\nlast: 1\n',
    );
    expect(textOf('{ last: 1 } # end\n', { name: 'x', last: 1 })).toBe('{ name: x, last: 1 } # end\n');
  });

  it('is written as its file is', () => {
    expect(textOf('spec:\r\n    a:\r\n    - 1', { spec: { a: [1], b: { c: [2] } } })).toBe(
      'spec:\r\n    a:\r\n    - 1\r\n    b:\r\n        c:\r\n        - 2',
    );
    expect(textOf('{\n  "a": 1, \n  "b": {}\n}\n', { a: 1, b: { c: [2] }, d: 'x' })).toBe(
      '{\n  "a": 1, \n  "b": {\n    "c": [\n      2\n    ]\n  },\n  "d": "x"\n}\n',
    );
  });

  it('keeps the comments in braces', () => {
    const before = '{\n  a: 1, # about a\n  # about b\n  b: 2 # more\n}\n';
    expect(textOf(before, { b: 2 })).toBe('{\n  # about b\n  b: 2 # more\n}\n');
    expect(textOf(before, { a: 1 })).toBe('{\n  a: 1 # about a\n}\n');
    expect(textOf(before, { a: 1, b: 2, c: 3 })).toBe(
      '{\n  a: 1, # about a\n  # about b\n  b: 2, # more\n  c: 3\n}\n',
    );
  });
});

it('leaves the items of a list that stay as they are', () => {
  const before = `
    list:
      - name: one # first
        size: 1
      # about two
      - name: two
        size: 2
      - { name: three, size: 3 }
  `;
  expect(
    textOf(before, {
      list: [
        { name: 'one', size: 10 },
        { name: 'three', size: 3 },
        { name: 'four', size: 4 },
      ],
    }),
  ).toBe(
    'list:\n  - name: one # first\n    size: 10\n  - { name: three, size: 3 }\n  - { name: four, size: 4 }\n',
  );
});

describe('it refuses', () => {
  const SHARED = 'base: &base { a: 1, b: 2 }\none: *base\ntwo: { <<: *base, c: 3 }\nlist: &list [1]\n';
  const value = readWritten(SHARED) as Record<string, Json>;

  it.each([
    ['a value of an alias', { ...value, one: { a: 5, b: 2 } }, '/one/a', 'alias'],
    ['a value that is merged in', { ...value, two: { a: 5, b: 2, c: 3 } }, '/two/a', 'alias'],
    ['a value that others repeat', { ...value, base: { a: 5, b: 2 } }, '/base/a', 'anchor'],
  ])('%s', (_, wanted, path, obstacle) => {
    const { text, refused } = edit(SHARED, wanted);
    expect(text).toBe(SHARED);
    expect(refused).toMatchObject([{ path, obstacle }]);
  });

  it('one edit, and makes the others', () => {
    const { text, refused } = edit(SHARED, { ...value, one: 1, list: [1, 2], two: { a: 1, b: 2, c: 4 } });
    expect(text).toBe(SHARED.replace('c: 3', 'c: 4').replace('[1]', '[1, 2]'));
    expect(refused).toMatchObject([{ path: '/one', obstacle: 'alias' }]);
  });

  it('what it cannot read', () => {
    expect(edit('a: [', { a: 1 })).toMatchObject({ text: 'a: [', refused: [{ obstacle: 'layout' }] });
    expect(edit('? a\n: 1\nb: 2\n', { b: 2 })).toMatchObject({
      refused: [{ path: '/a', obstacle: 'layout' }],
    });
  });
});
