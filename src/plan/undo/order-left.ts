import { knownKind, type KindSet } from '../../model/kind.ts';
import { sameJson } from '../../model/json/json.ts';
import { normalForm } from '../../model/normal/normal-form.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { ProtectionRules } from '../../model/rules.ts';
import { afterOf, type Change, type DraftChange, idOf, isStep } from '../change/plan.ts';
import { assessChanges } from '../exposure/assess.ts';
import { orderSafely } from '../exposure/order-safely.ts';

/**
 * The changes of an undo in an order for what its run has left, which may have stopped anywhere: the order was worked out for a run
 * that ends. They stay as they are if no principal lacks protection on the way, or if another order would not change that, or needs
 * extra steps that the undo does not have.
 */
export function orderLeft<C extends Change>(
  changes: readonly C[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  protection: ProtectionRules = {},
): readonly C[] {
  const isOpen = (change: C): boolean => {
    const [now, after] = [live.get(change.address), afterOf(change)];
    if (now === undefined || after === undefined) return now !== after;
    const kind = knownKind(change.address, kinds);
    return !sameJson(normalForm(kind, now), normalForm(kind, after));
  };
  const made = new Set(changes.filter((one) => !isStep(one) && !isOpen(one)).map(({ address }) => address));
  const left = changes.filter(({ address }) => !made.has(address));
  const gaps = countGaps(assessChanges(live, left, kinds, protection).exposures);
  if (gaps === 0) return changes;

  const isTemporary = (change: C): boolean =>
    isStep(change) && change.action === 'delete' && live.has(change.address);
  const drafts = left
    .filter((change) => !isStep(change) || isTemporary(change))
    .map((change): DraftChange => {
      const now = live.get(change.address);
      return change.action === 'create' || now === undefined ? change : { ...change, before: now };
    });
  const { changes: anew, cycles, exposures } = orderSafely(drafts, live, kinds, protection);
  const known = new Map(changes.map((change) => [idOf(change), change]));
  const placed = anew.flatMap((change) => {
    const own = known.get(idOf(change));
    const isSame = own !== undefined && (!isStep(change) || sameBody(own, change));
    return isSame ? [{ ...own, dependsOn: change.dependsOn, stage: change.stage }] : [];
  });
  if (cycles.length > 0 || placed.length < anew.length || countGaps(exposures) >= gaps) return changes;
  const rest = changes
    .filter(({ address }) => made.has(address))
    .map((change) => ({ ...change, dependsOn: [], stage: 1 as const }));
  return [...rest, ...placed];
}

function countGaps(exposures: readonly { readonly lasting: boolean }[]): number {
  return exposures.filter(({ lasting }) => !lasting).length;
}

function sameBody(one: Change, other: Change): boolean {
  return one.action === other.action && sameJson(afterOf(one) ?? null, afterOf(other) ?? null);
}
