import { sameJson } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { isAsWanted, normalForm, wholeForm } from '../../model/normal/normal-form.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { slowDigester, type Digester } from '../../plan/saved/digest.ts';
import { idOf, isStep, type Change, type ChangeId } from '../../plan/change/plan.ts';
import { isBasisOf, type SavedChange } from '../../plan/saved/saved-plan.ts';

/** How a live object compares with a plan: as it was then, already as planned, or neither. */
export type Freshness = 'as-planned' | 'already' | 'stale';

/**
 * Compares each change of a plan with the live state. `salt` is the saved plan's; `deleted` is what this run deleted to
 * create again, and may not have created.
 */
export function checkFresh(
  changes: readonly SavedChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  salt: string,
  deleted: ReadonlySet<Address> = new Set(),
  slow: Digester = slowDigester(salt),
): ReadonlyMap<ChangeId, Freshness> {
  const released = new Map(
    changes
      .filter((change) => isStep(change) && change.action === 'update')
      .map((change) => [change.address, change]),
  );
  const found = new Map<ChangeId, Freshness>();
  // An object's own change comes after its extra step and decides: an object that is as planned needs no step.
  for (const change of [...changes].reverse()) {
    const kind = kinds.get(kindOf(change.address));
    if (kind === undefined) continue;
    const now = live.get(change.address);
    const own =
      isStep(change) && change.action === 'update'
        ? found.get(change.address as string as ChangeId)
        : undefined;
    const release = released.get(change.address);
    const halfway =
      now !== undefined &&
      ((release !== undefined && 'after' in release && isAsWanted(kind, now, release.after)) ||
        isDigest(change.halfway, change, now, kind, slow));
    const fresh =
      own === 'already' || own === 'stale'
        ? own
        : halfway
          ? isStep(change)
            ? 'already'
            : 'as-planned'
          : compareChange(change, now, kind, slow, deleted);
    found.set(idOf(change), fresh);
  }
  for (const change of changes)
    if (isStep(change) && change.action === 'create') followTemporary(change, changes, live, found);
  return found;
}

/** A temporary object that is not there has not been made yet, or is not needed any more: a change that waits for it is made. */
function followTemporary(
  create: SavedChange,
  changes: readonly SavedChange[],
  live: ReadonlyMap<Address, Resource>,
  found: Map<ChangeId, Freshness>,
): void {
  if (live.has(create.address)) return;
  const isPast = changes.some(
    (change) =>
      change.dependsOn.includes(idOf(create)) && !isStep(change) && found.get(idOf(change)) === 'already',
  );
  const fresh = isPast ? 'already' : 'as-planned';
  for (const step of changes) if (step.address === create.address) found.set(idOf(step), fresh);
}

function compareChange(
  change: SavedChange,
  now: Resource | undefined,
  kind: Kind,
  slow: Digester,
  deleted: ReadonlySet<Address>,
): Freshness {
  switch (change.action) {
    case 'create':
      return now === undefined ? 'as-planned' : isAsWanted(kind, now, change.after) ? 'already' : 'stale';
    case 'delete':
      return now === undefined ? 'already' : isBasis(change, now, kind, slow) ? 'as-planned' : 'stale';
    case 'update':
    case 'replace':
      if (now === undefined) {
        return change.action === 'replace' && deleted.has(change.address) ? 'as-planned' : 'stale';
      }
      if (isAsWanted(kind, now, change.after)) return 'already';
      return isBasis(change, now, kind, slow) ? 'as-planned' : 'stale';
    default:
      return change satisfies never;
  }
}

function isBasis(
  change: Exclude<SavedChange, { action: 'create' }>,
  now: Resource,
  kind: Kind,
  slow: Digester,
): boolean {
  if (change.result !== undefined) return isDigest(change.result, change, now, kind, slow);
  if (change.basis !== undefined) return isBasisOf(change.basis, kind, now, change, { slow });
  return sameJson(wholeForm(kind, now), wholeForm(kind, change.before));
}

/** Whether the digest is that of the live object, as far as gwconf knows its fields. */
function isDigest(
  digest: string | undefined,
  change: SavedChange,
  now: Resource,
  kind: Kind,
  slow: Digester,
): boolean {
  return digest !== undefined && isBasisOf(digest, kind, now, change, { slow, form: normalForm });
}

/** For a change that was planned in this process. */
export function toSavedChange(change: Change): SavedChange {
  return { ...change, kind: kindOf(change.address) };
}
