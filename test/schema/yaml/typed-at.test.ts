import { describe, expect, it } from 'vitest';
import { typedAt } from '../../../src/schema/yaml/typed-at.ts';

/** What is written at the mark, which is not part of the text. */
function at(marked: string): string | undefined {
  const found = typedAt({ path: 'a.yaml', text: marked.replace('|', '') }, marked.indexOf('|'));
  if (found === undefined) return undefined;
  const { path, on, text, keys, mayBeKey } = found;
  const others = keys.length === 0 ? '' : ` beside ${keys.join(',')}`;
  return `${on} ${path} ${JSON.stringify(text)}${mayBeKey ? '?' : ''}${others}`;
}

describe('what is being written', () => {
  it.each([
    // whole documents
    ['kind: Alias|Topic\n', 'value /kind "AliasTopic"'],
    ['ki|nd: AliasTopic\n', 'key /kind "kind"'],
    ['spec:\n  list:\n    - one\n    - t|wo\n', 'value /spec/list/1 "two"?'],
    ['spec:\n  list:\n    - name: a\n      ro|le: b\n', 'key /spec/list/0/role "role" beside name'],
    ['spec: { a: 1, b: [x, |y] }\n', 'value /spec/b/1 "y"'],
    ['a: "o|ne"\n', 'value /a "one"'],
    // a value that nobody has written yet
    ['kind: |', 'value /kind ""'],
    ['spec:\n  type: |\n  externalNames: []\n', 'value /spec/type ""'],
    ['spec: { vCluster: | }\n', 'value /spec/vCluster ""'],
    ['spec: { vCluster: |\nother: 1\n', 'value /spec/vCluster ""'],
    ['spec:\n  members: [a, |]\n', 'value /spec/members/1 ""'],
    ['spec:\n  members:\n    - |\n', 'value /spec/members/0 ""?'],
    ['spec:\n  password: "${|\n  other: 1\n', 'value /spec/password "${"'],
    // a key without its colon
    ['kind: X\nme|\n', 'key /me "me" beside kind'],
    ['kind: X\n|\n', 'key / "" beside kind'],
    ['spec:\n  |\n', 'value /spec ""?'],
    ['spec:\n  ty|\n', 'value /spec "ty"?'],
    ['spec:\n  na|\n  vCluster: prod\n', 'key /spec/na "na" beside vCluster'],
    ['spec:\n  |\n  vCluster: prod\n', 'key /spec/ "" beside vCluster'],
    ['spec:\n  name: x\n  |\nother: 1\n', 'key /spec/ "" beside name'],
    ['list:\n  - name: x\n    |\n', 'key /list/0/ "" beside name'],
    ['list:\n  - |\n  - name: x\n', 'value /list/0 ""?'],
    ['spec: { na| }\n', 'key /spec/na "na"'],
    ['|', 'value  ""?'],
    ['a: 1\n---\nkind: X\nb|\n', 'key /b "b" beside kind'],
  ])('in %j it is %s', (marked, found) => {
    expect(at(marked)).toBe(found);
  });

  it.each([
    '# a com|ment\n',
    'a: x # a com|ment\n',
    'a: >\n  text|\n',
    'a: x\n    |\n',
    'a: *b|\n',
    'a:| b\n',
  ])('is not known in %j', (marked) => {
    expect(at(marked)).toBeUndefined();
  });

  it('has the document around it, without what belongs to another', () => {
    const found = typedAt(
      { path: 'a.yaml', text: 'kind: A\n---\nkind: B\nspec: { c: x }\n---\nkind: C\n' },
      32,
    );
    expect(found?.value).toEqual({ kind: 'B', spec: { c: 'x' } });
  });

  it('is found beside faults of every sort', () => {
    expect(at('a: [1, 2\nkind: "x\nb: |\n')).toBeUndefined();
    expect(at('kind: X\n\tbad: 1\nspec:\n  name: a\n  vC|\n')).toContain('vC');
  });
});
