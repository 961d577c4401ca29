import { addTo } from '../../model/collect.ts';
import type { Place, Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Limit, Limited, Limits } from '../../model/rules.ts';
import type { PlannedWorld } from './world.ts';

/** What a run may do unless the project or a flag says otherwise. */
export const DEFAULT_LIMITS: Limits = {
  deletes: { objects: 5, percent: 10 },
  updates: { objects: 5, percent: 50 },
};

/** `5 objects or 10 %, whichever is more`: a run is over a limit when it is over both bounds. */
export function limitText({ objects, percent }: Limit): string {
  const count = `${objects ?? ''} ${objects === 1 ? 'object' : 'objects'}`;
  if (percent === undefined) return count;
  return objects === undefined ? `${percent} %` : `${count} or ${percent} %, whichever is more`;
}

/**
 * Where a plan deletes or updates more objects than a run may, all in all or of one kind. An object that is replaced is
 * both deleted and updated.
 */
export function checkLimits({
  changes,
  managed,
  rules: { limits = {} },
}: Pick<PlannedWorld, 'changes' | 'managed' | 'rules'>): readonly Problem[] {
  const all = [...changes.values()].sort(({ address: one }, { address: other }) => (one < other ? -1 : 1));
  const touched = {
    deletes: all.filter(({ action }) => action === 'delete' || action === 'replace'),
    updates: all.filter(({ action }) => action === 'update' || action === 'replace'),
  };
  const check = (limited: Limited, kind?: string): readonly Problem[] =>
    (['deletes', 'updates'] as const).flatMap((what): readonly Problem[] => {
      const limit = limited[what];
      const mine = touched[what].filter(({ address }) => kind === undefined || kindOf(address) === kind);
      const all = kind === undefined ? sum(Object.values(managed)) : (managed[kind] ?? 0);
      if (limit === undefined || !isOver(mine.length, all, limit)) return [];
      return [
        over(
          what,
          mine.map(({ address }) => address),
          { all, limit, kind, place: limits.place },
        ),
      ];
    });
  return [...check(limits), ...Object.entries(limits.kinds ?? {}).flatMap(([kind, own]) => check(own, kind))];
}

function isOver(count: number, all: number, { objects, percent }: Limit): boolean {
  return (
    count > 0 &&
    (objects === undefined || count > objects) &&
    (percent === undefined || count * 100 > percent * all)
  );
}

const MOST_NAMES = 10;

function over(
  what: 'deletes' | 'updates',
  addresses: readonly Address[],
  about: {
    readonly all: number;
    readonly limit: Limit;
    readonly kind: string | undefined;
    readonly place: Place | undefined;
  },
): Problem {
  const { all, limit, kind, place } = about;
  const count = addresses.length;
  const objects = `${kind === undefined ? '' : `${kind} `}${all === 1 ? 'object' : 'objects'}`;
  const more = count > MOST_NAMES ? ` and ${count - MOST_NAMES} more` : '';
  const part = all === 0 ? '' : ` (${Math.round((count * 100) / all)} %)`;
  const names = `${addresses.slice(0, MOST_NAMES).join(', ')}${more}`;
  return {
    code: 'over-limit',
    severity: 'error',
    message: `the run ${what} ${count} of ${all} managed ${objects}${part}; the limit is ${limitText(limit)}: ${names}`,
    ...(place === undefined ? {} : { at: place }),
    hint: `to allow it, ${kind === undefined ? `use --max-${what} ${count}, or ` : ''}change limits in gwconf.yaml`,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** How many objects of each kind there are. */
export function countKinds(addresses: Iterable<Address>): Readonly<Record<string, number>> {
  const byKind = new Map<string, Address[]>();
  for (const address of addresses) addTo(byKind, kindOf(address), address);
  return Object.fromEntries([...byKind].sort().map(([kind, list]) => [kind, list.length]));
}
