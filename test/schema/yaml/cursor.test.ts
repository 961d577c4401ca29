import { describe, expect, it } from 'vitest';
import { placeAt } from '../../../src/schema/yaml/cursor.ts';

const MARK = '|';

/** The place of the mark, which is not part of the text. */
function at(marked: string): string | undefined {
  const offset = marked.indexOf(MARK);
  const found = placeAt({ path: 'a.yaml', text: marked.replace(MARK, '') }, offset);
  return found && `${found.document} ${found.kind ?? '-'} ${found.on} ${found.path}`;
}

describe('the place at an offset', () => {
  it.each([
    ['kind: Alias|Topic\n', '0 AliasTopic value /kind'],
    ['ki|nd: AliasTopic\n', '0 AliasTopic key /kind'],
    ['kind:| AliasTopic\n', '0 AliasTopic value /kind'],
    ['kind: X\nspec:\n  a.b/c: |1\n', '0 X value /spec/a.b~1c'],
    ['spec:\n  list:\n    - one\n    - t|wo\n', '0 - value /spec/list/1'],
    ['spec:\n  list:\n    - name: a\n      ro|le: b\n', '0 - key /spec/list/0/role'],
    ['spec: { a: 1, b: [x, |y] }\n', '0 - value /spec/b/1'],
    ['spec:\n  a: 1\n  text: >\n    one\n    tw|o\n', '0 - value /spec/text'],
    ['a: 1\n---\nkind: X\nb: |2\n', '1 X value /b'],
    ['a: |\n', '0 - value /a'],
    ['|', undefined],
  ])('of %j is %s', (marked, found) => {
    expect(at(marked)).toBe(found);
  });

  it('is the map around it where no field is', () => {
    expect(at('spec:\n  a: 1\n\n\n|')).toBe('0 - value ');
  });

  it('is found in a broken file, too', () => {
    expect(at('kind: X\nspec:\n  a: [1, |2\n')).toContain('/spec/a');
  });
});
