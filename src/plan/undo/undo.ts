import { compareNaturally } from '../../model/text/natural-order.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { findMismatches, findReferrers, findTakenValues } from '../checks/constraints.ts';
import type { PlannedChanges } from '../checks/world.ts';
import { list } from '../../model/text/list.ts';
import { orderChanges, type OrderedChanges } from '../order/order.ts';
import {
  afterOf,
  beforeOf,
  type Change,
  type ChangeId,
  type DraftChange,
  idOf,
  isStep,
  marksOf,
} from '../change/change.ts';
import type { Loss } from '../change/plan.ts';
import { diffResources } from '../change/diff-resources.ts';
import { isAsWanted, referencesOf } from '../../model/normal/normal-form.ts';
import { reverseChange, type Reversal } from './reverse.ts';

/** The changes that revert a run, in order, and what is not restored. */
export type Undo = {
  readonly changes: readonly Change[];
  readonly reversals: ReadonlyMap<Address, Reversal>;
  /** The results of extra steps of the run. */
  readonly halfway: ReadonlyMap<Address, Resource>;
  /** By address. */
  readonly losses: readonly Loss[];
};

/**
 * Reverts the changes of a run, given with their secrets: a plan in an order that the gateway accepts. Changes that cannot be
 * reverted, and changes that depend on them, stay. `order` puts them in order.
 */
export function makeUndo(
  changes: readonly Change[],
  kinds: KindSet,
  order: (drafts: readonly DraftChange[]) => OrderedChanges = (drafts) => orderChanges(drafts, kinds),
): Undo {
  const own = changes.filter((change) => !isStep(change));
  const after = new Map(own.map((change) => [change.address, afterOf(change)]));
  const reversals = new Map<Address, Reversal>();
  const leftOut = new Map<Address, string>();
  for (const change of own) {
    const reversal = reverseChange(change, knownKind(change.address, kinds));
    if ('change' in reversal) reversals.set(change.address, reversal);
    else leftOut.set(change.address, reversal.reason);
  }
  const drop = (reasons: ReadonlyMap<Address, string>): void => {
    for (const [address, reason] of reasons) {
      reversals.delete(address);
      leftOut.set(address, reason);
    }
  };
  drop(replacements(own, leftOut));
  for (const change of changes) {
    const temporary = change.action === 'create' ? change.after : beforeOf(change);
    if (isStep(change) && change.action !== 'update' && temporary !== undefined)
      reversals.set(change.address, removeTemporary(change.address, temporary));
  }
  for (;;) {
    const reasons = blocked(reversals, after, kinds);
    if (reasons.size > 0) {
      drop(reasons);
      continue;
    }
    const back = renamedBack([...reversals.values()], own);
    const { changes: inOrder, cycles } = order(back);
    if (cycles.length === 0) {
      return {
        changes: inOrder,
        reversals,
        halfway: new Map(
          changes.flatMap((change) =>
            change.action === 'update' && isStep(change) ? [[change.address, change.after]] : [],
          ),
        ),
        losses: lossesOf(reversals, leftOut),
      };
    }
    drop(explainCycles(cycles.map(({ changes }) => changes)));
  }
}

/** The changes of reversals: what the run has renamed gets its former name, and is one client or topic before and after. */
function renamedBack(reversals: readonly Reversal[], made: readonly Change[]): readonly DraftChange[] {
  const back = new Map(reversals.map(({ change }) => [change.address, change]));
  for (const { address: former, ...one } of made) {
    const name = one.action === 'delete' ? one.movedTo : undefined;
    const [gone, there] = [name === undefined ? undefined : back.get(name), back.get(former)];
    if (gone?.action !== 'delete' || there?.action !== 'create') continue;
    back.set(gone.address, { ...gone, movedTo: former });
    back.set(former, { ...there, movedFrom: gone.address });
  }
  return [...back.values()];
}

/** Deletes what a run has created for a while, if it stopped before it did so itself. */
function removeTemporary(address: Address, before: Resource): Reversal {
  const reason = 'the run that is undone needed it for a while';
  return {
    change: { address, action: 'delete', step: 'unbridge', reason, before },
    origins: new Map(),
    losses: [],
  };
}

/** Created objects of a kind with a deleted object that cannot be restored: they may replace it, so they stay. */
function replacements(
  made: readonly Change[],
  leftOut: ReadonlyMap<Address, string>,
): ReadonlyMap<Address, string> {
  const gone = made.filter(({ action, address }) => action === 'delete' && leftOut.has(address));
  const lost = new Map(gone.map(({ address }) => [kindOf(address), address]));
  return new Map(
    made.flatMap(({ action, address }) => {
      const former = action === 'create' ? lost.get(kindOf(address)) : undefined;
      return former === undefined
        ? []
        : [[address, `it may replace ${former}, which is not restored`] as const];
    }),
  );
}

function lossesOf(
  reversals: ReadonlyMap<Address, Reversal>,
  leftOut: ReadonlyMap<Address, string>,
): readonly Loss[] {
  const losses = [
    ...[...leftOut].map(([address, reason]) => ({ address, leftOut: true, reason })),
    ...[...reversals.values()].flatMap((reversal) => reversal.losses),
  ];
  return losses.sort(({ address: one }, { address: other }) => compareNaturally(one, other));
}

/**
 * The changes of a plan that are not made yet, with the live values: a saved plan has no secrets, and a run can continue
 * another one.
 */
export function remainingChanges(
  changes: readonly Change[],
  already: ReadonlySet<ChangeId>,
  live: ReadonlyMap<Address, Resource>,
): readonly Change[] {
  return changes.flatMap((change): readonly Change[] => {
    if (already.has(idOf(change))) return [];
    if (change.action === 'create') return [change];
    const now = live.get(change.address);
    if (now !== undefined) return [{ ...change, before: now }];
    if (change.action !== 'replace') return [];
    const { action: _, before: __, fields: ___, because: ____, ...about } = change;
    return [{ ...about, action: 'create' }];
  });
}

/**
 * The changes of a saved plan as they are now: what an earlier run has deleted to create it again is only created, and what an undo is to
 * create, and its run has not come to delete after an extra step, is updated.
 */
export function withoutHalves<C extends Change & { readonly halfway?: string }>(
  changes: readonly C[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
): readonly C[] {
  return changes.map((change) => {
    const now = live.get(change.address);
    if (change.action === 'replace' && now === undefined) {
      const { before: _, fields: __, because: ___, ...about } = change;
      return { ...about, action: 'create' } as typeof change; // as an object that is not there
    }
    if (change.action !== 'create' || now === undefined || change.halfway === undefined) return change;
    const { address, after, halfway: result, movedFrom: _, ...about } = change;
    const update = diffResources(now, after, knownKind(address, kinds), { address, ...marksOf(change) });
    return update === undefined ? change : ({ ...about, ...update, result } as unknown as typeof change); // as one that is there
  });
}

/**
 * An undo in order without what is taken back already, as far as `isSure` says that the gateway does not only show it late: its run may
 * have stopped before it, or somebody took it back since. The extra steps that nothing else needs go with it.
 */
export function withoutTaken<C extends Change>(
  changes: readonly C[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  isSure: (change: C) => boolean = () => true,
): readonly C[] {
  return leaveOut(changes, live, (change) => {
    const [now, after] = [live.get(change.address), afterOf(change)];
    if (!isSure(change)) return false;
    if (now === undefined || after === undefined) return now === after;
    return isAsWanted(knownKind(change.address, kinds), now, after);
  });
}

/** An undo in order without such changes, and without the extra steps that nothing else needs. */
export function leaveOut<C extends Change>(
  changes: readonly C[],
  live: ReadonlyMap<Address, Resource>,
  isOut: (change: C) => boolean,
): readonly C[] {
  const taken = changes.filter((change) => !isStep(change) && isOut(change));
  const addresses = new Set(taken.map(({ address }) => address));
  const needed = new Set(taken.flatMap(({ dependsOn }) => dependsOn));
  const created = new Set(changes.flatMap(({ action, address }) => (action === 'create' ? [address] : [])));
  // What only this needed for a while, and what its run had for a while and that is gone.
  for (const change of changes) {
    const { address } = change;
    const isSpare = needed.has(idOf(change)) || !created.has(address);
    if (isStep(change) && !live.has(address) && isSpare) addresses.add(address);
  }
  if (addresses.size === 0) return changes;
  // Each comes after what it depends on; what depended on something that is left out depends on what that did.
  const instead = new Map<ChangeId, readonly ChangeId[]>();
  return changes.flatMap((change): readonly C[] => {
    const dependsOn = [...new Set(change.dependsOn.flatMap((id) => instead.get(id) ?? [id]))];
    if (!addresses.has(change.address)) return [{ ...change, dependsOn }];
    instead.set(idOf(change), dependsOn);
    return [];
  });
}

/** Changes that cannot be reverted because of others that stay, with the reason. */
function blocked(
  reversals: ReadonlyMap<Address, Reversal>,
  left: ReadonlyMap<Address, Resource | undefined>,
  kinds: KindSet,
): ReadonlyMap<Address, string> {
  const changes = new Map([...reversals].map(([address, { change }]) => [address, change]));
  const resources = new Map(
    [...left].flatMap(([address, one]) => (one === undefined ? [] : [[address, one]])),
  );
  const planned: PlannedChanges = { live: { resources, unavailable: new Map() }, kinds, changes };
  const found = new Map<Address, string>();
  const note = (address: Address, reason: string): void => {
    if (!found.has(address)) found.set(address, reason);
  };
  for (const change of changes.values()) {
    const kind = kinds.get(kindOf(change.address));
    const after = afterOf(change);
    const needed = kind === undefined || after === undefined ? [] : referencesOf(after, kind);
    for (const { to } of needed)
      if (left.has(to) && !resources.has(to) && !changes.has(to))
        note(change.address, `it needs ${to}, which is not restored`);
  }
  const users = findReferrers(planned, ({ action }) => action === 'delete' || action === 'replace');
  for (const [address, names] of users)
    note(address, `${list(names)} ${names.length === 1 ? 'refers' : 'refer'} to it`);
  for (const { address, on, other } of findMismatches(planned))
    note(address, `${other} has another ${on}, which they have to share`);
  for (const { taker, holder, value } of findTakenValues(planned))
    note(taker, `it needs the ${value.noun} that ${holder} keeps`);
  return found;
}

/** The reasons for changes in cycles that no extra step breaks. */
function explainCycles(cycles: readonly (readonly Change[])[]): ReadonlyMap<Address, string> {
  return new Map(
    cycles.flatMap((cycle) => {
      const names = [...new Set(cycle.map(({ address }) => address))].sort();
      return names.map((name) => [name, `${list(names)} depend on each other`] as const);
    }),
  );
}
