import { sameJson } from '../../model/json/json.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import { normalForm } from '../../model/normal/normal-form.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { ProtectionRules } from '../../model/rules.ts';
import {
  afterOf,
  beforeOf,
  type Change,
  type ChangeId,
  type DraftChange,
  idOf,
  isStep,
} from '../change/change.ts';
import { assessChanges } from '../exposure/assess.ts';
import { orderSafely } from '../exposure/order-safely.ts';
import { makeBridge } from '../order/extra-steps.ts';
import type { KnownSecrets } from '../secrets/hide-in-chains.ts';
import { leaveOut } from './undo.ts';

/**
 * The changes of an undo in an order for what its run has left, which may have stopped anywhere: the order was worked out for a run
 * that ends. They stay as they are if no principal lacks protection on the way, or if another order would not change that. It has
 * temporary copies where they are needed, and deletes those of an earlier try; `seal` makes these steps ready.
 */
export function orderLeft<C extends Change>(
  undo: readonly C[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  seal: (step: Change) => C,
  protection: ProtectionRules = {},
  known: KnownSecrets = {},
): readonly C[] {
  const isAsIn = (address: Address, one: Resource | undefined, other: Resource | undefined): boolean => {
    if (one === undefined || other === undefined) return one === other;
    const kind = knownKind(address, kinds);
    return sameJson(normalForm(kind, one), normalForm(kind, other));
  };
  const isOpen = (change: C): boolean => !isAsIn(change.address, live.get(change.address), afterOf(change));
  const copies = findCopies(undo, kinds);
  const isCopy = (address: Address, body: Resource | undefined): boolean =>
    body !== undefined && isAsIn(address, body, copies.get(address)?.body);
  const found = new Set([...copies.keys()].filter((address) => isCopy(address, live.get(address))));
  for (const one of undo) if (one.action === 'create') found.delete(one.address);
  // The delete of a copy of the run itself has the same id.
  const changes = [
    ...undo.filter(({ address }) => !found.has(address)),
    ...[...copies].flatMap(([address, { own, remove }]) =>
      found.has(address) ? [seal({ ...remove, dependsOn: [own], stage: 2 })] : [],
    ),
  ];

  const made = new Set(changes.filter((one) => !isStep(one) && !isOpen(one)).map(({ address }) => address));
  // Nor are the extra steps made that only these needed.
  const left = leaveOut(changes, live, ({ address }) => made.has(address));
  const gaps = countGaps(assessChanges(live, left, kinds, protection, known).exposures);
  if (gaps === 0) return changes;

  const isTemporary = (change: C): boolean =>
    isStep(change) && change.action === 'delete' && live.has(change.address);
  const drafts = left
    .filter((change) => !isStep(change) || isTemporary(change))
    .map((change): DraftChange => {
      const now = live.get(change.address);
      return change.action === 'create' || now === undefined ? change : { ...change, before: now };
    });
  const { changes: anew, cycles, exposures } = orderSafely(drafts, live, kinds, protection, undefined, known);
  const kept = new Map(changes.map((change) => [idOf(change), change]));
  const placed = anew.flatMap((change): readonly C[] => {
    const own = kept.get(idOf(change));
    const isSame = own !== undefined && (!isStep(change) || sameBody(own, change));
    if (isSame) return [{ ...own, dependsOn: change.dependsOn, stage: change.stage }];
    // What the undo cannot copy, the next try would not find again; and what is live may hold a secret that it knows of.
    const isNewCopy = isStep(change) && isCopy(change.address, afterOf(change) ?? beforeOf(change));
    return isNewCopy ? [seal(change)] : [];
  });
  if (cycles.length > 0 || placed.length < anew.length || countGaps(exposures) >= gaps) return changes;
  const rest = changes
    .filter(({ address }) => made.has(address))
    .map((change) => ({ ...change, dependsOn: [], stage: 1 as const }));
  return [...rest, ...placed];
}

type Copy = { readonly body: Resource; readonly own: ChangeId; readonly remove: DraftChange };

/** The temporary copies of what the updates of an undo find, by address; an object with a secret has none. */
function findCopies(undo: readonly Change[], kinds: KindSet): ReadonlyMap<Address, Copy> {
  return new Map(
    undo.flatMap((change) => {
      const bridge = makeBridge(change, kinds);
      const body = bridge && afterOf(bridge.create);
      if (bridge === undefined || body === undefined) return [];
      return [[bridge.create.address, { body, own: idOf(change), remove: bridge.remove }] as const];
    }),
  );
}

function countGaps(exposures: readonly { readonly lasting: boolean }[]): number {
  return exposures.filter(({ lasting }) => !lasting).length;
}

function sameBody(one: Change, other: Change): boolean {
  return one.action === other.action && sameJson(afterOf(one) ?? null, afterOf(other) ?? null);
}
