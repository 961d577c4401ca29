import { sameJson } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { isAsWanted, normalForm, wholeForm } from '../../model/normal/normal-form.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { list } from '../../model/text/list.ts';
import { idOf, isStep, type ChangeId, type Change } from '../../plan/change/change.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { referrersOf } from '../../plan/change/preconditions.ts';
import { findMismatches, findReferrers, findTakenValues } from '../../plan/checks/constraints.ts';
import type { PlannedChanges } from '../../plan/checks/world.ts';
import { quickDigester, slowDigester, type Digester } from '../../plan/saved/digest.ts';
import type { SavedPrecondition, SavedChange } from '../../plan/saved/saved-plan.ts';
import { isBasisOf, sealPrecondition } from '../../plan/saved/seal-plan.ts';
import { describeMismatch, describeStaleness } from './match-live.ts';

/** A plan with what must still hold for it. */
export type BoundPlan = {
  readonly changes: readonly SavedChange[];
  readonly relies: readonly SavedPrecondition[];
  readonly salt: string;
  /** What this run, or the one that it undoes, deleted to create again. */
  readonly deleted?: ReadonlySet<Address>;
};

/** For a plan that was made in this process. */
export function bindPlan({ changes, relies }: Plan, kinds: KindSet): BoundPlan {
  return {
    changes: changes.map(toSavedChange),
    relies: relies.map((relied) => sealPrecondition(relied, kinds, quickDigester)),
    salt: '',
  };
}

/** Changes that are already in effect, and everything else that has changed since the plan was made. */
type PlanCheck = { readonly already: ReadonlySet<ChangeId>; readonly stale: readonly Problem[] };

/** Compares a plan with the live state. Objects that have nothing to do with the plan may have changed. */
export function checkPlan(
  plan: BoundPlan,
  live: LiveState,
  kinds: KindSet,
  slow: Digester = slowDigester(plan.salt),
): PlanCheck {
  const fresh = checkFresh(plan.changes, live.resources, kinds, plan.salt, plan.deleted, slow);
  const already = new Set([...fresh].flatMap(([id, state]) => (state === 'already' ? [id] : [])));
  const open = plan.changes.filter((change) => !already.has(idOf(change)));
  const checked = open.filter((change) => !isStep(change) || change.action === 'create');
  const moved = checked.filter((change) => fresh.get(idOf(change)) === 'stale');
  // An object's own change comes after its extra step.
  const planned = { live, kinds, changes: new Map(open.map((change) => [change.address, change])) };
  return {
    already,
    stale: [
      ...moved.map((change) => reportMoved(change, live, kinds)),
      ...checkPreconditions({ ...plan, changes: open }, live, kinds, slow),
      ...checkConstraints(planned),
    ],
  };
}

function reportMoved(change: SavedChange, { resources }: LiveState, kinds: KindSet): Problem {
  const { address, at } = change;
  const now = resources.get(address);
  const kind = kinds.get(kindOf(address));
  const subject = `${address}${at === undefined ? '' : ` (${at.file}:${at.line})`}`;
  if (now === undefined || kind === undefined)
    return makeStaleProblem(address, `${subject} no longer exists`);
  return change.action === 'create'
    ? makeStaleProblem(
        address,
        `${subject} now exists and differs from the plan: ${describeMismatch(change, now, kinds)}`,
      )
    : makeStaleProblem(
        address,
        `${subject} has changed since ${basisText(change)}: ${describeStaleness(change, now, kind, kinds)}`,
      );
}

function basisText({ result }: SavedChange): string {
  return result === undefined ? 'the plan was made' : 'the run that this undoes';
}

/** The objects that planned ones refer to: each must exist, and be as the plan saw it. */
function checkPreconditions(
  { changes, relies }: BoundPlan,
  { resources }: LiveState,
  kinds: KindSet,
  slow: Digester,
): readonly Problem[] {
  const referrers = referrersOf(changes, kinds);
  const known = new Set(relies.map(({ address }) => address));
  const report = (address: Address, state: string): readonly Problem[] => {
    const names = [...(referrers.get(address) ?? [])];
    if (names.length === 0) return [];
    const depend = names.length === 1 ? 'depends' : 'depend';
    return [makeStaleProblem(address, `${list(names)} ${depend} on ${address}, which ${state}`)];
  };
  const missing = [...referrers.keys()].flatMap((address) =>
    known.has(address) || resources.has(address) ? [] : report(address, 'does not exist'),
  );
  const changed = relies.flatMap(({ address, basis, ...marks }) => {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || !referrers.has(address)) return [];
    const now = resources.get(address);
    if (now === undefined) return report(address, 'no longer exists');
    if (isBasisOf(basis, kind, now, marks, { slow })) return [];
    return report(address, 'has changed since the plan was made');
  });
  return [...missing, ...changed];
}

/** What the gateway would refuse in the middle of the run, because of objects that the plan has not seen. */
function checkConstraints(planned: PlannedChanges): readonly Problem[] {
  const taken = findTakenValues(planned).map(({ taker, holder, value }) =>
    makeStaleProblem(holder, `${taker} needs the ${value.noun} that ${holder} now has`),
  );
  const held = [...findReferrers(planned, ({ action }) => action === 'delete' || action === 'replace')].map(
    ([address, names]) => {
      const fate =
        planned.changes.get(address)?.action === 'delete' ? 'deleted' : 'deleted and created again';
      const who = `${list(names)} ${names.length === 1 ? 'refers' : 'refer'}`;
      return makeStaleProblem(address, `${address} would be ${fate}, but ${who} to it now`);
    },
  );
  const differing = findMismatches(planned).map(({ address, on, other }) =>
    makeStaleProblem(other, `${address} needs the same ${on} as ${other}, which now has another value`),
  );
  return [...taken, ...held, ...differing];
}

function makeStaleProblem(address: Address, message: string): Problem {
  return makeProblem({ code: 'stale-plan', message, address, hint: 'plan again' });
}

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
