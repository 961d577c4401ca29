import type { Kind, KindSet } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { findMismatches, findReferrers, findTakenValues } from '../../plan/checks/constraints.ts';
import type { PlannedChanges } from '../../plan/checks/world.ts';
import { slowDigester } from '../../plan/saved/digest.ts';
import { list } from '../../model/text/list.ts';
import { idOf, isStep, type ChangeId, type Plan } from '../../plan/change/plan.ts';
import { referrersOf } from '../../plan/change/preconditions.ts';
import {
  basisOf,
  sealPrecondition,
  type SavedPrecondition,
  type SavedChange,
} from '../../plan/saved/saved-plan.ts';
import { describeMismatch, describeStaleness } from './compare.ts';
import { checkFresh, toSavedChange } from './check-fresh.ts';

/** A plan with what must still be true for it. */
export type BoundPlan = {
  readonly changes: readonly SavedChange[];
  readonly relies: readonly SavedPrecondition[];
  readonly salt: string;
  /** What this run, or the one that it takes back, has deleted to create it anew. */
  readonly deleted?: ReadonlySet<Address>;
};

/** A plan that was made in this process and never left it. */
export function bindPlan({ changes, relies }: Plan, kinds: KindSet): BoundPlan {
  const slow = slowDigester('');
  return {
    changes: changes.map(toSavedChange),
    relies: relies.map((relied) => sealPrecondition(relied, kinds, slow)),
    salt: '',
  };
}

/** The kinds to read before a plan is carried out: those of what it changes, of what it relies on, and of what may hang on it. */
export function selectKindsToCheck({ changes, relies }: BoundPlan, kinds: KindSet): readonly Kind[] {
  // Only the objects themselves say what they refer to, so where something goes all of them are asked.
  if (changes.some(({ action }) => action === 'delete' || action === 'replace')) return [...kinds.values()];
  const needed = [...referrersOf(changes, kinds).keys()].map(kindOf);
  const touched = new Set([...needed, ...[...changes, ...relies].map(({ kind }) => kind)]);
  return [...kinds.values()].filter(({ name }) => touched.has(name));
}

/** What a plan finds when it looks again: changes that are made already, and all that moved since it was made. */
export type PlanCheck = { readonly already: ReadonlySet<ChangeId>; readonly stale: readonly Problem[] };

/** Holds a plan against what the gateway has now. What nothing in the plan has to do with may change as it likes. */
export function checkPlan(plan: BoundPlan, live: LiveState, kinds: KindSet): PlanCheck {
  const fresh = checkFresh(plan.changes, live.resources, kinds, plan.salt, plan.deleted);
  const already = new Set([...fresh].flatMap(([id, state]) => (state === 'already' ? [id] : [])));
  const ahead = plan.changes.filter((change) => !already.has(idOf(change)));
  const own = ahead.filter((change) => !isStep(change));
  const moved = own.filter((change) => fresh.get(idOf(change)) === 'stale');
  const planned = { live, kinds, changes: new Map(own.map((change) => [change.address, change])) };
  return {
    already,
    stale: [
      ...moved.map((change) => reportMoved(change, live, kinds)),
      ...checkRelied({ ...plan, changes: ahead }, live, kinds),
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
    return makeStaleProblem(address, `${subject} is no longer there`);
  return change.action === 'create'
    ? makeStaleProblem(
        address,
        `${subject} is there by now, and not as the plan would make it: ${describeMismatch(change, now, kinds)}`,
      )
    : makeStaleProblem(
        address,
        `${subject} is no longer as ${basisText(change)}: ${describeStaleness(change, now, kind, kinds)}`,
      );
}

/** An undo looks for what the run has left. */
function basisText({ result }: SavedChange): string {
  return result === undefined ? 'the plan saw it' : 'that run left it';
}

function checkRelied(
  { changes, relies, salt }: BoundPlan,
  { resources }: LiveState,
  kinds: KindSet,
): readonly Problem[] {
  const slow = slowDigester(salt);
  const relying = referrersOf(changes, kinds);
  const known = new Set(relies.map(({ address }) => address));
  const missing = [...relying].flatMap(([address, who]) =>
    known.has(address) || resources.has(address)
      ? []
      : [
          makeStaleProblem(
            address,
            `${list([...who])} ${who.size === 1 ? 'needs' : 'need'} ${address}, which is not there`,
          ),
        ],
  );
  const moved = relies.flatMap(({ address, basis, templates }) => {
    const who = relying.get(address);
    const kind = kinds.get(kindOf(address));
    if (who === undefined || kind === undefined) return [];
    const now = resources.get(address);
    if (now !== undefined && basisOf(kind, now, templates, slow) === basis) return [];
    const fate = now === undefined ? 'is no longer there' : 'is no longer as the plan saw it';
    return [
      makeStaleProblem(
        address,
        `${list([...who])} ${who.size === 1 ? 'relies' : 'rely'} on ${address}, which ${fate}`,
      ),
    ];
  });
  return [...missing, ...moved];
}

/** What would be refused in the middle, for something that was not there when the plan was made. */
function checkConstraints(planned: PlannedChanges): readonly Problem[] {
  const taken = findTakenValues(planned).map(({ taker, holder, value }) =>
    makeStaleProblem(holder, `${taker} is to have the ${value.noun} that ${holder} has by now`),
  );
  const held = [...findReferrers(planned, ({ action }) => action === 'delete' || action === 'replace')].map(
    ([address, names]) => {
      const fate = planned.changes.get(address)?.action === 'delete' ? 'deleted' : 'deleted and created anew';
      const who = `${list(names)} ${names.length === 1 ? 'refers' : 'refer'}`;
      return makeStaleProblem(address, `${address} is to be ${fate}, and ${who} to it by now`);
    },
  );
  const differing = findMismatches(planned).map(({ address, on, other }) =>
    makeStaleProblem(other, `${address} must agree with ${other} on ${on}, which has another value by now`),
  );
  return [...taken, ...held, ...differing];
}

function makeStaleProblem(address: Address, message: string): Problem {
  return { code: 'stale-plan', severity: 'error', message, address, hint: 'plan again' };
}
