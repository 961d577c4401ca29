import { expect, it } from 'vitest';
import { areApart, startIndex, type Names } from '../../src/effective/reach.ts';
import fc from '../support/fast-check.ts';

const texts = ['a', 'ab', 'a-.*', 'ab?', 'a|b', '[ab].*', '^a', 'a{2}', 'ab+', 'abc', 'b.*', '.*', ''];
const names = fc.oneof(
  fc.constantFrom<Names>({ type: 'all' }, { type: 'none' }, { type: 'unknown', value: 1 }),
  fc.constantFrom(...texts).map((text): Names => ({ type: 'pattern', text })),
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
