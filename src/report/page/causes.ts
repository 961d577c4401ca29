import { addTo } from '../../model/collect.ts';
import { formatCount } from '../../model/text/list.ts';
import { CAUSES, type Cause } from '../../plan/change/change.ts';
import { mainCauseOf, type ChangeRecord, type FieldRecord } from '../../outcome/change-record.ts';
import type { LazyList } from '../../outcome/lazy.ts';
import type { BaseRecord } from '../../outcome/plan.ts';

/** What a cause is called between words. */
export const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  branch: 'this branch',
  drift: 'drift',
  'base-or-drift': 'pending or drift',
  base: 'pending on the base',
  behind: 'changed on the base, not in this branch',
};

/** What changes with a cause are called that are not of this branch. */
export const CAUSE_TITLES: Readonly<Record<Exclude<Cause, 'branch'>, string>> = {
  drift: 'Drift',
  'base-or-drift': 'Pending or drift',
  base: 'Pending on the base',
  behind: 'Changed on the base, not in this branch',
};

/** What a cause means, for a reader who meets it for the first time. */
export const CAUSE_MEANINGS: Readonly<Record<Exclude<Cause, 'branch'>, string>> = {
  drift: 'changed on the gateway',
  'base-or-drift': 'merged and not applied yet, or changed on the gateway',
  base: 'merged, but not applied yet',
  behind: 'this branch is behind: merge or rebase',
};

/** The changes of this branch, and those of others by cause; all are of this branch where causes are unknown. */
export function splitByCause(changes: LazyList<ChangeRecord>): {
  readonly own: LazyList<ChangeRecord>;
  readonly others: readonly (readonly [Exclude<Cause, 'branch'>, LazyList<ChangeRecord>])[];
} {
  const places = new Map<Cause, number[]>();
  let place = 0;
  for (const change of changes) {
    addTo(places, mainCauseOf(change) ?? 'branch', place);
    place += 1;
  }
  const others = CAUSES.flatMap((cause) => {
    const theirs = places.get(cause);
    return cause === 'branch' || theirs === undefined ? [] : [[cause, pick(changes, theirs)] as const];
  });
  return { own: others.length === 0 ? changes : pick(changes, places.get('branch') ?? []), others };
}

function pick(changes: LazyList<ChangeRecord>, places: readonly number[]): LazyList<ChangeRecord> {
  const at = (index: number): ChangeRecord | undefined => {
    const place = places.at(index);
    return place === undefined ? undefined : changes.at(place);
  };
  return {
    length: places.length,
    at,
    *[Symbol.iterator]() {
      for (let index = 0; index < places.length; index += 1) {
        const change = at(index);
        if (change !== undefined) yield change;
      }
    },
  };
}

/** How many commits of its base a branch does not have, and what to do; undefined if it has all. */
export function describeBehind({ behind, ref }: BaseRecord): string | undefined {
  if (behind === 0) return undefined;
  const commits = formatCount(behind, 'commit');
  return `${commits} behind ${ref}: merge or rebase to plan with what was merged since`;
}

/** The numbers of changes of others: `3 pending on the base, 1 drift`. */
export function countOthers({ causes }: BaseRecord): readonly string[] {
  if (causes === undefined) return [];
  return CAUSES.filter((cause) => cause !== 'branch').flatMap((cause) => {
    const count = Object.values(causes[cause] ?? {}).reduce((sum, one) => sum + one, 0);
    return count === 0 ? [] : [`${count} ${CAUSE_WORDS[cause]}`];
  });
}

/** What stands above a field of a change with several causes: its cause, where it is another than that of the field before. */
export function causeHeading(fields: readonly FieldRecord[], at: number): string | undefined {
  const cause = fields[at]?.cause;
  return cause === undefined || cause === fields[at - 1]?.cause ? undefined : CAUSE_WORDS[cause];
}
