import { parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';
import { wordSyntax } from '../../../src/schema/yaml/syntax.ts';
import { problemsOf, sentencesOf } from '../../support/expect-problems.ts';

const HEAD = 'kind: AliasTopic\n';

describe('a mistake in YAML', () => {
  it.each([
    ['a: Note: x', 'text has a colon and a space in it'],
    ['a: b\n   c: d', 'the next line is indented more'],
    ['a:\n  b: 1\n c: 2', 'the indentation does not fit'],
    ['\ta: 1', 'indented with a tab'],
    ['a:\n\tb: 1', 'indented with a tab'],
    ['a: "x', 'a quote is not closed'],
    ["a: 'it's'", 'text follows a value'],
    ['a: [a-z]+', 'text follows a value'],
    ['a: "\\d"', 'a backslash in double quotes'],
    ['a: @x', 'starts with a character that YAML reserves'],
    ['a: `x`', 'starts with a character that YAML reserves'],
    ['a: *', 'the name of an anchor or alias is missing'],
    ['a: *x', 'no anchor before it'],
    ['a: | x', 'text follows | or >'],
    ['a: { b: 1', 'a brace or bracket is not closed'],
    ['a: { b: 1\nc: 2', 'a brace or bracket is not closed'],
    ['a: { b: 1,, c: 2 }', 'a comma has no entry'],
    ['a: { b: 1 c: 2 }', 'a comma is missing'],
    ['a: ]', 'a brace or bracket is not expected'],
    ['a: { b: ${X} }', 'a brace or bracket is not expected'],
    ['b\nc: 1', 'a line has no colon'],
    ['a: - b', 'a list starts on the line of its key'],
    ['a: &x &y b', 'a value has two anchors'],
    ['a: !x !y b', 'a value has two tags'],
    ['b: 1\nb: 2', 'the key "b" is already in this map'],
    ['b:\n  <<: { c: 1 }\n  <<: { c: 2 }', 'the key "<<" is already in this map'],
    ['kind: X', 'the key "kind" is already in this map'],
  ])('is told in plain words: %j', (text, words) => {
    const [sentence = ''] = sentencesOf(HEAD + text).filter((one) => one.includes(words));
    expect(sentence, sentencesOf(HEAD + text).join('\n')).toContain(words);
    expect(sentence).not.toMatch(/flow map|block|mapping|scalar|implicit|token|indicator/i);
  });

  it('is put where a quote opens', () => {
    expect(problemsOf(`${HEAD}a: "x\nb: 1\n`)[0]).toMatchObject({ code: 'invalid-yaml', at: '2:4' });
  });

  it.each(['a: { b: 1\nc: 2\n', 'a: { b: [1, 2\n', 'a: { b: 1,\n   c: 2\n'])(
    'is put where a brace opens: %j',
    (text) => {
      const { at = '' } = problemsOf(HEAD + text)[0] ?? {};
      expect(at).toBe(text.includes('[') ? '2:9' : '2:4');
    },
  );

  it('is a merge conflict where there are its marks', () => {
    const text = `${HEAD}spec:\n<<<<<<< HEAD\n  a: 1\n=======\n  a: 2\n>>>>>>> branch\n`;
    expect(problemsOf(text)).toMatchObject([{ code: 'invalid-yaml', at: '3:1' }]);
    expect(sentencesOf(text)[0]).toContain('a merge conflict');
  });

  it('has words for what the parser says of broken text', () => {
    const broken = [
      'a: [',
      'a: }',
      '%x\n',
      'a: &',
      '? [',
      '- a\nb',
      'a: !<x',
      '"a" b',
      '---x: 1\n- b',
      'a:b\n c: d',
    ];
    const errors = broken
      .flatMap((text) => parseAllDocuments(text, { prettyErrors: false }))
      .flatMap(({ errors }) => errors);
    expect(errors.length).toBeGreaterThan(broken.length / 2);
    for (const error of errors) expect(wordSyntax(error, 'x').message).not.toBe(error.message);
  });
});
