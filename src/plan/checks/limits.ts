import { compareNaturally } from '../../model/text/natural-order.ts';
import { groupBy } from '../../model/collect.ts';
import { listSome } from '../../model/text/list.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Limit, Limited, Limits } from '../../model/rules.ts';
import { isStep, type Change } from '../change/change.ts';
import type { PlannedWorld } from './world.ts';

/** The limits of a run, unless the project or a flag sets others. */
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

/** Reports exceeded limits, in total or of one kind. A replaced object counts as deleted and as updated. */
export function* checkLimits({
  changes,
  managed,
  rules: { limits = {} },
}: Pick<PlannedWorld, 'changes' | 'managed' | 'rules'>): Generator<Problem> {
  const counted = [...changes.values()].filter(({ action }) => action !== 'create');
  const scopes: readonly (readonly [kind: string | undefined, own: Limited])[] = [
    [undefined, limits],
    ...Object.entries(limits.kinds ?? {}),
  ];
  for (const [kind, own] of scopes) {
    const all = kind === undefined ? sum(Object.values(managed)) : (managed[kind] ?? 0);
    for (const what of ['deletes', 'updates'] as const) {
      const actions = what === 'deletes' ? ['delete', 'replace'] : ['update', 'replace'];
      const addresses = counted
        .filter(({ action }) => actions.includes(action))
        .map(({ address }) => address)
        .filter((address) => kind === undefined || kindOf(address) === kind);
      const limit = own[what];
      const count = addresses.length;
      if (limit === undefined || !isOver(count, all, limit)) continue;
      const objects = `${kind === undefined ? '' : `${kind} `}${all === 1 ? 'object' : 'objects'}`;
      const part = all === 0 ? '' : ` (${Math.round((count * 100) / all)} %)`;
      const names = listSome(addresses.sort(compareNaturally), MOST_NAMES);
      yield makeProblem({
        code: 'over-limit',
        message: `the run ${what} ${count} of ${all} managed ${objects}${part}; the limit is ${limitText(limit)}: ${names}`,
        ...(limits.place === undefined ? {} : { at: limits.place }),
        extent: { of: `${what} ${kind ?? ''}`, each: addresses },
        hint: `to allow ${kind === undefined ? `this run, use --max-${what} ${count}; to allow all runs` : 'it'}, change limits in gwconf.yaml first, in a pull request of its own`,
      });
    }
  }
}

const MOST_NAMES = 10;

/** As many deletes and updates as changes need, where limits in objects do not allow them; limits in percent may. */
export function findNeeded(changes: readonly Change[], limits: Limited): NeededLimits {
  const count = (...actions: readonly Change['action'][]): number =>
    changes.filter((change) => !isStep(change) && actions.includes(change.action)).length;
  const [deletes, updates] = [count('delete', 'replace'), count('update', 'replace')];
  const isNeeded = (number: number, limit: Limit | undefined): boolean =>
    limit !== undefined && number > (limit.objects ?? 0);
  return {
    ...(isNeeded(deletes, limits.deletes) ? { deletes } : {}),
    ...(isNeeded(updates, limits.updates) ? { updates } : {}),
  };
}

export type NeededLimits = { readonly deletes?: number; readonly updates?: number };

function isOver(count: number, all: number, { objects, percent }: Limit): boolean {
  return (
    count > 0 &&
    (objects === undefined || count > objects) &&
    (percent === undefined || count * 100 > percent * all)
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** How many objects of each kind there are. */
export function countKinds(addresses: Iterable<Address>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...groupBy(addresses, kindOf)].sort().map(([kind, list]) => [kind, list.length]),
  );
}
