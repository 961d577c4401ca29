import { once } from '../../model/collect.ts';
import type { Action } from '../../plan/change/change.ts';
import { nameOf, type ChangeRecord } from '../../outcome/change-record.ts';
import { mapLazily, type LazyList } from '../../outcome/lazy.ts';
import { CAUSE_MEANINGS, CAUSE_TITLES, splitByCause } from './causes.ts';
import { editsOf, linesOfEdits } from './edits.ts';
import type { Changes, Entry, Section, Sign, Step } from './page.ts';
import { virtualClusterOf } from './totals.ts';

/** In the order in which a reviewer needs them. */
const SECTIONS: readonly (readonly [Action, title: string, Sign])[] = [
  ['delete', 'Delete', '-'],
  ['replace', 'Replace', '±'],
  ['update', 'Update', '~'],
  ['create', 'Create', '+'],
];
const TITLES = Object.fromEntries(SECTIONS) as Readonly<Record<Action, string>>; // every action has a section
const SIGNS = Object.fromEntries(SECTIONS.map(([action, , sign]) => [action, sign])) as Readonly<
  Record<Action, Sign>
>; // the same

export function signOf(action: Action): Sign {
  return SIGNS[action];
}

/** `3 to delete, 1 to create` */
export function countActions(counts: Readonly<Record<Action, number>>): string {
  return SECTIONS.filter(([action]) => counts[action] > 0)
    .map(([action]) => `${counts[action]} to ${action}`)
    .join(', ');
}

/** The changes of a plan: in their order, and those of this branch by action, then those of others by cause. */
export function listChanges(
  changes: LazyList<ChangeRecord>,
  hasCauses: boolean,
  risky: ReadonlySet<string>,
): Changes {
  const sections = (): readonly Section[] => {
    if (!hasCauses) return sectionsByAction(changes, risky);
    const { own, others } = splitByCause(changes);
    return [
      ...sectionsByAction(own, risky),
      ...others.map(([cause, theirs]): Section => {
        const byAction = sectionsByAction(theirs, risky);
        const entries = {
          *[Symbol.iterator]() {
            for (const { sign, entries: some } of byAction)
              for (const entry of some) yield { ...entry, sign };
          },
        };
        const about = { title: CAUSE_TITLES[cause], aside: CAUSE_MEANINGS[cause] };
        return { block: 'section', ...about, sign: '?', count: theirs.length, entries };
      }),
    ];
  };
  return {
    block: 'changes',
    list: changes,
    narrow: (some) => listChanges(some, hasCauses, risky),
    hasCauses,
    sections: once(sections),
    steps: mapLazily(changes, stepOf),
  };
}

function sectionsByAction(changes: LazyList<ChangeRecord>, names: ReadonlySet<string>): readonly Section[] {
  const risky = new Set<number>();
  const places: Record<Action, number[]> = { create: [], update: [], replace: [], delete: [] };
  const named: Record<Action, string[]> = { create: [], update: [], replace: [], delete: [] };
  let place = 0;
  for (const { action, address } of changes) {
    places[action].push(place);
    named[action].push(address);
    if (names.has(address)) risky.add(place);
    place += 1;
  }
  return SECTIONS.filter(([action]) => places[action].length > 0).map(([action, title, sign]) => {
    const all = places[action];
    const groups = action === 'update' ? groupEqual(all, changes) : all.map((one): Group => [one]);
    const about = { title, sign, count: all.length, names: named[action] };
    return { block: 'section', ...about, entries: entriesOf(groups, changes, risky) };
  });
}

/** Equal updates of this many objects are shown once. */
export const FEWEST_FOLDED = 3;

/** The places of changes in their list. */
type Group = readonly [number, ...number[]];

/** Changes, with those that have the same edits of the same kind and virtual cluster in one group. */
function groupEqual(places: readonly number[], changes: LazyList<ChangeRecord>): readonly Group[] {
  const byEdits = new Map<string, [number, ...number[]]>();
  const groups: [number, ...number[]][] = [];
  for (const place of places) {
    const change = changes.at(place);
    if (change === undefined) continue;
    const edits = identifyEdits(change);
    const group = byEdits.get(edits);
    if (group !== undefined) {
      group.push(place);
      continue;
    }
    const made: [number, ...number[]] = [place];
    byEdits.set(edits, made);
    groups.push(made);
  }
  return groups.flatMap((group): readonly Group[] =>
    group.length < FEWEST_FOLDED ? group.map((one) => [one]) : [group],
  );
}

function identifyEdits({ kind, address, fields, secrets, reason, step }: ChangeRecord): string {
  return JSON.stringify([kind, virtualClusterOf(address), fields, secrets, reason, step]);
}

/** What deserves a look comes first. */
function entriesOf(
  groups: readonly Group[],
  changes: LazyList<ChangeRecord>,
  risky: ReadonlySet<number>,
): Iterable<Entry> {
  const isRisky = (group: Group): boolean => group.some((place) => risky.has(place));
  return {
    *[Symbol.iterator]() {
      for (const group of groups) if (isRisky(group)) yield* entryOf(group, changes, true);
      for (const group of groups) if (!isRisky(group)) yield* entryOf(group, changes, false);
    },
  };
}

function* entryOf(
  [place, ...others]: Group,
  changes: LazyList<ChangeRecord>,
  isRisky: boolean,
): Generator<Entry> {
  const first = changes.at(place);
  if (first === undefined) return;
  yield {
    names: [first.address, ...others.flatMap((other) => changes.at(other)?.address ?? [])],
    at: others.length === 0 ? first.at : undefined,
    notes: describeChange(first),
    isRisky,
    lines: () => linesOfEdits(editsOf(first)),
  };
}

/** Why a delete is asked for by name, and what takes its place. */
export function removalNotes({
  removal,
  movedTo,
}: Pick<ChangeRecord, 'removal' | 'movedTo'>): readonly string[] {
  if (removal === undefined) return [];
  return [`${movedTo === undefined ? 'removed' : `moved to ${movedTo}`}: ${removal}`];
}

/** What there is to say about a change beside its fields. */
export function describeChange({
  reason,
  because,
  removal,
  movedFrom,
  movedTo,
}: ChangeRecord): readonly string[] {
  return [
    ...(movedFrom === undefined ? [] : [`moved from ${movedFrom}`]),
    ...removalNotes({ removal, movedTo }),
    ...(reason === undefined ? [] : [reason]),
    ...(because === undefined
      ? []
      : [`deleted and recreated: ${because.join(', ')} cannot be changed in place`]),
  ];
}

function stepOf(change: ChangeRecord): Step {
  const { address, action, dependsOn } = change;
  return { id: nameOf(change), name: address, section: TITLES[action], after: dependsOn };
}
