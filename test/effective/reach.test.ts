import { expect, it } from 'vitest';
import { areApart, holds, holdsAll, startIndex, type Names } from '../../src/effective/reach.ts';
import fc from '../support/fast-check.ts';

const texts = ['a', 'ab', 'a-.*', 'ab?', 'a|b', '[ab].*', '^a', 'a{2}', 'ab+', 'abc', 'b.*', '.*', ''];
const grouped = ['a|b\\.x', 'ab|(b|c)', 'a|[bc]', 'b\\.x', '[b]\\.?x?', '(a|b)c?', 'a-(x|y)', 'a-[xy]'];
const names = fc.oneof(
  fc.constantFrom<Names>({ type: 'all' }, { type: 'none' }, { type: 'unknown', value: 1 }),
  fc.constantFrom(...texts, ...grouped).map((text): Names => ({ type: 'pattern', text })),
  fc.constantFrom('', 'a', 'ab', 'a-x', 'abc', 'b').map((name): Names => ({ type: 'one', name })),
);

it('an index by how names begin leaves out only what has no name in common, and keeps the order', () => {
  fc.assert(
    fc.property(fc.array(names), names, (list, asked) => {
      const found = startIndex(list, (one) => one)(asked);
      expect(list.filter((one) => found.includes(one))).toEqual(found);
      const left = list.filter((one) => !found.includes(one));
      for (const one of left)
        expect(areApart(new Map([['topic', one]]), new Map([['topic', asked]]))).toBe(true);
    }),
  );
});

it('nothing that has a name in common is apart, also where an alternative has more than characters', () => {
  const called = ['a', 'ab', 'aa', 'abb', 'a-x', 'a-y', 'abc', 'ac', 'b', 'bc', 'b.x', 'c'];
  fc.assert(
    fc.property(names, names, (one, other) => {
      fc.pre(called.some((name) => [one, other].every((each) => holds(each, name) === 'yes')));
      expect(areApart(new Map([['topic', one]]), new Map([['topic', other]]))).toBe(false);
      expect(startIndex([one], (it) => it)(other)).toEqual([one]);
    }),
  );
  expect(holdsAll({ type: 'pattern', text: 'a|b\\.x' }, { type: 'pattern', text: 'b\\.x' })).toBe('yes');
});
