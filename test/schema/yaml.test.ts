import fc from '../support/fast-check.ts';
import { ExactNumber } from '../../src/model/json/exact-number.ts';
import { describe, expect, it } from 'vitest';
import type { Json, Pointer } from '../../src/model/json/json.ts';
import { variablesFrom } from '../../src/schema/yaml/interpolate.ts';
import { parseYaml, type ParsedDocument } from '../../src/schema/yaml/parse.ts';
import { locate } from '../../src/schema/yaml/places.ts';
import { readPlain } from '../../src/schema/yaml/plain.ts';
import { printYaml } from '../../src/schema/yaml/print.ts';
import { json } from '../support/arbitraries.ts';
import { dedent, seen, type Seen } from '../support/expect-problems.ts';

const BOM = '\uFEFF';

describe('documents', () => {
  it('are told apart, and those with nothing in them are passed over', () => {
    const documents = parse('---\n# nothing\n---\na: 1\n---\n---\nb: 2\n...\n');
    expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(documents.map(({ ref }) => ref.index)).toEqual([1, 3]);
    expect(documents.map(({ at }) => `${at.line}:${at.column}`)).toEqual(['4:1', '7:1']);
  });

  it.each([
    ['an empty file', ''],
    ['white space', '  \n\n'],
    ['comments only', '# one\n# two\n'],
    ['an empty document', '---\n'],
    ['a byte order mark', BOM],
  ])('are none in %s', (_, text) => {
    expect(parse(text)).toEqual([]);
  });

  it('are not passed over when they say null', () => {
    expect(valuesIn('--- null\n--- ~\n')).toEqual([null, null]);
  });

  it('may be JSON, with tabs', () => {
    expect(valuesIn('{\n\t"a": [\n\t\t1,\n\t\ttrue\n\t],\n\t"b": null\n}\n')).toEqual([
      { a: [1, true], b: null },
    ]);
  });

  it('may be of any JSON value, as JSON prints it', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value, null, 2).replaceAll('${', '$${').replaceAll('"<<"', '"x"');
        expect(valuesIn(text)).toEqual([JSON.parse(JSON.stringify(value).replaceAll('"<<"', '"x"'))]);
      }),
    );
  });

  it('are read again from what was printed', () => {
    const values: Json[] = [{ a: ['x', { b: null }] }, { 'sasl.mechanism': '0777', c: 'null', d: 'yes' }];
    expect(valuesIn(printYaml(values))).toEqual(values);
  });

  it('with Windows line ends are the same, at the same places', () => {
    const text = 'a: 1\nb:\n  - c: ${MISSING}\n';
    expect(valuesIn(text.replaceAll('\n', '\r\n'))).toEqual(valuesIn(text));
    expect(problemsIn(text.replaceAll('\n', '\r\n'))).toEqual([
      { code: 'missing-variable', at: '3:8', path: '/b/0/c' },
    ]);
  });

  it('with a byte order mark are the same, at the same places', () => {
    const text = 'a: ${MISSING}\nb: 1\n';
    expect(valuesIn(BOM + text)).toEqual(valuesIn(text));
    expect(problemsIn(BOM + text)).toEqual([{ code: 'missing-variable', at: '1:4', path: '/a' }]);
    const [document] = parse(BOM + text);
    expect(document?.at).toEqual({ file: 'in.yaml', line: 1, column: 1 });
    expect(placeIn(BOM + text, '/b', 'key')).toBe('2:1+1');
    expect(placeIn(BOM + text, '/a', 'key')).toBe('1:1+1');
  });
});

describe('what is no YAML', () => {
  it('is a problem where it begins, and the other documents are read', () => {
    const text = 'a: [1, 2\n---\nb: 2\n';
    const documents = parse(text);
    expect(documents.at(-1)?.value).toEqual({ b: 2 });
    expect(problemsIn(text).map(({ code }) => code)).toContain('invalid-yaml');
  });

  it('is told once for each fault, and nothing of its document is read', () => {
    expect(problemsIn('a: 1\na: 2\nb: 1\nb: 2\n')).toEqual([
      { code: 'invalid-yaml', at: '2:1' },
      { code: 'invalid-yaml', at: '4:1' },
    ]);
    expect(valuesIn('a: 1\nb: 2: 3\n')).toEqual([null]);
  });

  it.each([
    ['a number and a text', '1: a\n"1": b\n', '2:1'],
    ['two that a variable makes alike', '${SHOWN}: 1\nvalue: 2\n', '2:1'],
  ])('is also a key twice: %s', (_, text, at) => {
    expect(problemsIn(text)).toEqual([{ code: 'invalid-yaml', at }]);
  });

  it.each([
    ['{{…}} without quotes', 'template: {{x}}', '1:12'],
    ['a list as a key', '[a, b]: 1', '1:1'],
    ['a map as a key', '? { a: 1 }\n: 2', '1:3'],
  ])('is also %s', (_, text, at) => {
    expect(problemsIn(text)).toMatchObject([{ code: 'invalid-yaml', at }]);
  });

  it('says to put quotes around {{…}}', () => {
    expect(parse('template: {{x}}')[0]?.problems[0]?.hint).toBe(
      'put quotes around text with braces: "{{…}}"',
    );
  });

  it.each([
    ['a: !vault abc\n', '1:11'],
    ['a: !S3cret\n', '1:11'],
    ['a: [!Ref b]\n', '1:10'],
    ['a: !!binary aGVsbG8=\n', '1:13'],
    ['a: !!set { b }\n', '1:10'],
    ['a: &x !vault { b: c }\n', '1:14'],
    ['!vault\na: b\n', '2:1'],
  ])('is a value with a tag: %s', (text, at) => {
    const [first, ...more] = parse(text)[0]?.problems ?? [];
    expect(problemsIn(text)).toEqual([{ code: 'invalid-yaml', at }]);
    expect([first?.message, more]).toEqual(['a tag, which starts with !, is not supported here', []]);
  });

  it.each(['a: !!str 5\n', 'a: !!int 5\n', 'a: !!map { b: c }\n', 'a: ! b\n'])(
    'is no tag of a type that JSON has: %s',
    (text) => {
      expect(problemsIn(text)).toEqual([]);
    },
  );

  it('leaves a quoted {{…}} to the gateway', () => {
    expect(valuesIn('key: "{{record.key}}-${SET}"\n')).toEqual([{ key: '{{record.key}}-value' }]);
  });
});

describe('scalars', () => {
  it.each<[string, Json]>([
    ['1', 1],
    ['-1.5', -1.5],
    ['1e3', 1000],
    ['0x1F', 31],
    ['0o17', 15],
    ['0', 0],
    ['0.5', 0.5],
    ['9007199254740991', 9007199254740991],
    ['true', true],
    ['False', false],
    ['null', null],
    ['~', null],
    ['', null],
    ['yes', 'yes'],
    ['2024-01-01', '2024-01-01'],
    ['12:30', '12:30'],
    ['2024-01-31T10:00:00Z', '2024-01-31T10:00:00Z'],
    ['1_000', '1_000'],
    ['no', 'no'],
    ['NO', 'NO'],
    ['on', 'on'],
    ['off', 'off'],
    ['y', 'y'],
    ['+7', 7],
    ['.5', 0.5],
    ['3.10', 3.1],
    ['1.2.3', '1.2.3'],
    ['-9007199254740991', -9007199254740991],
    ['=', '='],
    ['"\\u0000"', '\u0000'],
    ['"\\ud83d\\ude00"', '\u{1f600}'],
    ['"0777"', '0777'],
    ["'null'", 'null'],
    ['"12345678901234567890"', '12345678901234567890'],
  ])('%j is %j', (text, value) => {
    expect(valuesIn(`a: ${text}\n`)).toEqual([{ a: value }]);
    expect(problemsIn(`a: ${text}\n`)).toEqual([]);
  });

  it.each(['0xFFFFFFFFFFFFFFFF', `1${'0'.repeat(400)}1`, '.inf', '-.inf', '.nan', '0777', '-007', '00'])(
    'the number %s cannot be carried exactly',
    (text) => {
      expect(problemsIn(`a: ${text}\n`)).toEqual([{ code: 'inexact-number', at: '1:4' }]);
    },
  );

  it('are text as keys', () => {
    expect(valuesIn('{ 1: a, 1.5: b, true: c, ~: d }')).toEqual([
      { '1': 'a', '1.5': 'b', true: 'c', '~': 'd' },
    ]);
  });

  it('of many lines are one text', () => {
    expect(valuesIn('a: |\n  one\n  two\nb: >-\n  one\n  two\n')).toEqual([
      { a: 'one\ntwo\n', b: 'one two' },
    ]);
  });

  it('that are read from the environment have the type that YAML gives them, or stay text', () => {
    const texts = [
      '1',
      'true',
      'null',
      '',
      '1.5',
      'x',
      '0777',
      '1e999',
      '12345678901234567890',
      '[1]',
      '{a: 1}',
    ];
    expect(texts.map(readPlain)).toEqual([
      1,
      true,
      null,
      null,
      1.5,
      'x',
      '0777',
      ExactNumber.of('1e999'),
      ExactNumber.of('12345678901234567890'),
      '[1]',
      '{a: 1}',
    ]);
  });
});

describe('aliases and merge keys', () => {
  it('stand for what was anchored', () => {
    expect(valuesIn('a: &x { b: [1] }\nc: *x\nd: [*x]\n')).toEqual([
      { a: { b: [1] }, c: { b: [1] }, d: [{ b: [1] }] },
    ]);
  });

  it('give way to keys of the map itself, wherever the merge stands', () => {
    const text = `
      base: &base { a: 1, b: 1 }
      before: { <<: *base, b: 2 }
      after: { b: 2, <<: *base }
    `;
    expect(valuesIn(text)).toEqual([{ base: { a: 1, b: 1 }, before: { a: 1, b: 2 }, after: { a: 1, b: 2 } }]);
  });

  it('merge several maps, of which the first wins', () => {
    const text = `
      one: &one { a: 1 }
      two: &two { a: 2, b: 2 }
      list: { <<: [*one, *two], c: 3 }
      inline: { <<: { a: 0 } }
    `;
    expect(valuesIn(text)[0]).toMatchObject({ list: { a: 1, b: 2, c: 3 }, inline: { a: 0 } });
  });

  it('merge only maps', () => {
    expect(problemsIn('a: { <<: text, b: 1 }\n')).toEqual([{ code: 'invalid-yaml', at: '1:10' }]);
  });

  it('are a problem without an anchor', () => {
    expect(problemsIn('a: *nobody\n')).toMatchObject([{ code: 'invalid-yaml', at: '1:4' }]);
    expect(problemsIn('a: { <<: *nobody }\n')).toMatchObject([{ code: 'invalid-yaml', at: '1:10' }]);
  });

  it.each([
    ['a list in itself', 'a: &a [*a]\n', '1:8'],
    ['a map in itself', 'a: &a { b: *a }\n', '1:12'],
    ['a merge of itself', 'a: &a { <<: *a }\n', '1:13'],
    ['a list that merges itself', 'a: &a [{ <<: *a }]\n', '1:14'],
  ])('are a problem when they never end: %s', (_, text, at) => {
    expect(problemsIn(text)).toMatchObject([{ code: 'invalid-yaml', at }]);
  });

  it('are one problem, and soon, when they multiply beyond measure', () => {
    const lines = Array.from({ length: 12 }, (_, at) => {
      const items = at === 0 ? 'x' : `*a${at - 1}`;
      return `a${at}: &a${at} [${Array(10).fill(items).join(', ')}]`;
    });
    expect(problemsIn(lines.join('\n')).map(({ code }) => code)).toEqual(['invalid-yaml']);
  });

  it('may be many where they are not nested', () => {
    const text = `a: &a { b: 1 }\nlist: [${Array(20_000).fill('*a').join(', ')}]\n`;
    expect(problemsIn(text)).toEqual([]);
  });

  it('tell of what is missing in an anchor once, not at each use', () => {
    expect(problemsIn('a: &x ${MISSING}\nb: *x\nc: *x\n')).toEqual([
      { code: 'missing-variable', at: '1:7', path: '/a' },
    ]);
  });

  it('carry along where a value came from', () => {
    const text = `
      base: &base { token: "\${SET}", user: ann }
      alias: *base
      merged: { <<: *base }
      listed: { <<: [*base] }
      own: { token: written, <<: *base }
      other: { <<: [*base], token: "\${OTHER}" }
    `;
    const [document] = parse(text);
    const sources = [...(document?.templates ?? [])].map(([path, { variables }]) => [path, ...variables]);
    expect(sources.sort()).toEqual([
      ['/alias/token', 'SET'],
      ['/base/token', 'SET'],
      ['/listed/token', 'SET'],
      ['/merged/token', 'SET'],
      ['/other/token', 'OTHER'],
    ]);
  });
});

describe('places', () => {
  const text = dedent(`
    metadata:
      name: orders # the name
    spec:
      config:
        "quoted.key": 'text'
        list:
          - one
          - { b: 2, c: [x, yy] }
        empty:
        <<: &merged { far: away }
        again: &anchor { deep: value }
    uses: *anchor
  `);

  it.each<[Pointer, 'key' | 'value', string]>([
    ['', 'value', '1:1+9'],
    ['/metadata/name', 'value', '2:9+6'],
    ['/metadata/name', 'key', '2:3+4'],
    ['/spec/config/quoted.key', 'value', '5:19+6'],
    ['/spec/config/quoted.key', 'key', '5:5+12'],
    ['/spec/config/list/0', 'value', '7:9+3'],
    ['/spec/config/list/1/c/1', 'value', '8:24+2'],
    ['/spec/config/list/1/b', 'key', '8:11+1'],
    ['/spec/config/list/0', 'key', '7:9+3'],
  ])('of %j, its %s, is %s', (path, on, place) => {
    expect(placeIn(text, path, on)).toBe(place);
  });

  it('of a value that is not written is its key', () => {
    expect(placeIn(text, '/spec/config/empty', 'value')).toBe('9:5+5');
  });

  it('of a field that is not there is the nearest above it', () => {
    expect(placeIn(text, '/metadata/vCluster', 'value')).toBe('1:1+8');
    expect(placeIn(text, '/spec/config/list/7/x', 'key')).toBe('6:5+4');
    expect(placeIn(text, '/nowhere/at/all', 'value')).toBe('1:1+9');
  });

  it('of a merged or aliased field is where it was written', () => {
    expect(placeIn(text, '/spec/config/far', 'value')).toBe('10:24+4');
    expect(placeIn(text, '/uses/deep', 'value')).toBe('11:28+5');
    expect(placeIn('a: &a { x: 1 }\nb: { <<: [*a] }\n', '/b/x', 'value')).toBe('1:12+1');
  });

  it('count from one, in the document that was meant', () => {
    expect(placeIn('---\n---\na: 1\n---\na: 22\n', '/a', 'value', 1)).toBe('5:4+2');
  });

  it('of a text of many lines have the length of its first', () => {
    expect(placeIn('a: |\n  one\n  two\n', '/a', 'value')).toBe('1:4+1');
  });
});

const variables = variablesFrom((name) => ({ SET: 'value', SHOWN: 'value', OTHER: 'other' })[name], {
  isPublic: (name) => name === 'SHOWN',
});

function parse(text: string): readonly ParsedDocument[] {
  return parseYaml({ path: 'in.yaml', text: dedent(text) }, variables);
}

function valuesIn(text: string): readonly Json[] {
  return parse(text).map(({ value }) => value);
}

function problemsIn(text: string): readonly Seen[] {
  return parse(text).flatMap(({ problems }) => problems.map((problem) => seen(problem)));
}

function placeIn(text: string, path: Pointer, on: 'key' | 'value', at = 0): string {
  const document = parse(text)[at];
  if (document === undefined) throw new Error('no document');
  const { line, column, length } = locate({ document: document.ref, path, on });
  return `${line}:${column}+${length}`;
}
