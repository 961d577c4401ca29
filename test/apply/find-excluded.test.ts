import { expect, it } from 'vitest';
import { findExcluded } from '../../src/apply/run-state.ts';
import type { Address } from '../../src/model/resource.ts';
import type { Change, ChangeId } from '../../src/plan/change/change.ts';

const made = (name: string, ...dependsOn: readonly string[]): Change =>
  ({ action: 'create', address: name, stage: 1, dependsOn }) as unknown as Change; // what it looks at
const deleted = (name: string): Change =>
  ({ action: 'delete', address: name, stage: 2, dependsOn: [] }) as unknown as Change; // the same
const held = (changes: readonly Change[], ...withheld: readonly string[]): readonly ChangeId[] => [
  ...findExcluded(changes, new Set(withheld as Address[])), // names as the changes have them
];

it('is nothing when nothing is withheld', () => {
  expect(held([made('a'), deleted('b')])).toEqual([]);
});

it('is what is withheld, what waits for it, and what waits for that', () => {
  expect(held([made('a'), made('b', 'a'), made('c', 'b'), made('d')], 'a')).toEqual(['a', 'b', 'c']);
});

it('is every delete that would come after it, too', () => {
  expect(held([made('a'), made('b'), deleted('c')], 'a')).toEqual(['a', 'c']);
});
