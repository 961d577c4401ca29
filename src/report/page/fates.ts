import type { ChangeStatus } from '../../apply/journal/journal.ts';
import { groupBy } from '../../model/collect.ts';
import { capitalise } from '../phrases.ts';
import { listSection } from './make-page.ts';
import type { Entry, Section, Sign, State } from './page.ts';

/** What people are told of a change: a write that another client took the place of has not failed in the gateway. */
export type Fate = ChangeStatus | 'overtaken';

/** What a terminal calls it, and its sign in a document; what is unfinished stands between what was done and what was not. */
export const FATES: Readonly<Record<Fate, { readonly state: State; readonly sign: Sign }>> = {
  done: { state: ['done', 'green'], sign: '✓' },
  already: { state: ['already up to date', 'green'], sign: '✓' },
  'in-flight': { state: ['in doubt', 'yellow'], sign: '!' },
  half: { state: ['half replaced', 'red'], sign: '!' },
  failed: { state: ['failed', 'red'], sign: '!' },
  overtaken: { state: ['overtaken', 'red'], sign: '!' },
  blocked: { state: ['blocked', 'yellow'], sign: '!' },
  'not-attempted': { state: ['not attempted', 'dim'], sign: '?' },
};

const ALL = Object.keys(FATES) as readonly Fate[]; // the keys of a literal

/** What needs a look comes first. */
const URGENT_FIRST: readonly Fate[] = [
  'half',
  'in-flight',
  'failed',
  'overtaken',
  'blocked',
  'not-attempted',
  'done',
  'already',
];

/** How many changes have which fate. */
export type FateCounts = Readonly<Partial<Record<Fate, number>>>;

/** `2 failed, 1 done`, of a title; the last line of a terminal begins with what was done. */
export function wordFates(counts: FateCounts, isTitle: boolean): string {
  return (isTitle ? URGENT_FIRST : ALL)
    .flatMap((fate) => ((counts[fate] ?? 0) > 0 ? [`${counts[fate] ?? 0} ${FATES[fate].state[0]}`] : []))
    .join(', ');
}

/** A section for each fate that changes have. */
export function sectionsByFate<T>(
  changes: Iterable<T>,
  fateOf: (change: T) => Fate,
  entryOf: (change: T) => Entry,
): readonly Section[] {
  const byFate = groupBy(changes, fateOf);
  return URGENT_FIRST.flatMap((fate) => {
    const { state, sign } = FATES[fate];
    return listSection(capitalise(state[0]), sign, (byFate.get(fate) ?? []).map(entryOf));
  });
}
