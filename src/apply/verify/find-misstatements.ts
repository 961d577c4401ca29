import { canonicalText, sameJson, type Json, anyItem } from '../../model/json/json.ts';
import { knownKind, type Kind, type KindSet } from '../../model/kind.ts';
import {
  comparableWhole,
  declarable,
  normalForm,
  requestBody,
  withDefaults,
} from '../../model/normal/normal-form.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { diffResources } from '../../plan/change/diff-resources.ts';
import {
  idOf,
  isStep,
  marksOf,
  type Change,
  type ChangeId,
  type DraftChange,
} from '../../plan/change/change.ts';
import { referrersOf } from '../../plan/change/preconditions.ts';
import { diffFields } from '../../plan/diff/diff.ts';
import { findDependencies, type Dependency } from '../../plan/order/dependencies.ts';
import { makeBridge, NO_EXTRA, type Extra } from '../../plan/order/extra-steps.ts';
import { findCycles } from '../../plan/order/graph.ts';
import { makeGraph, orderChanges } from '../../plan/order/order.ts';
import type { SavedChange, SavedPlan } from '../../plan/saved/saved-plan.ts';
import { hideSecrets } from '../../plan/secrets/redact.ts';

/**
 * Where a saved plan shows something else than what it would do. Anyone can write a plan, so each change is derived again from
 * the live state and compared with what reviewers saw. `changes` have their secrets; those in `already` are made.
 */
export function findMisstatements(
  { changes, relies }: Pick<SavedPlan, 'changes' | 'relies'>,
  already: ReadonlySet<ChangeId>,
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
): readonly Problem[] {
  const open = changes.filter((change) => !already.has(idOf(change)));
  const stepped = new Set(
    changes.filter((one) => isStep(one) && already.has(idOf(one))).map(({ address }) => address),
  );
  const drafts: DraftChange[] = [];
  const problems: Problem[] = [];
  for (const change of changes) {
    const { address } = change;
    const kind = knownKind(address, kinds);
    if (isStep(change)) continue;
    if (already.has(idOf(change))) {
      if (!showsItself(change, kind, kinds)) problems.push(misstated(address, 'other fields'));
      continue;
    }
    const now = live.get(address);
    const derived = derive(change, now, kind);
    if (derived === undefined) continue; // half of a replace is made
    drafts.push(derived);
    const what = stepped.has(address) ? undefined : findDifference(change, derived, kind, kinds);
    if (what !== undefined) problems.push(misstated(address, what));
  }
  const known = new Set(relies.map(({ address }) => address));
  const unseen = [...referrersOf(changes, kinds)].filter(
    ([address]) => live.has(address) && !known.has(address),
  );
  return [
    ...problems,
    ...unseen.flatMap(([address, names]) =>
      [...names].map((name) => misstated(name, `no dependency on ${address}`)),
    ),
    ...checkOrder(open, drafts, kinds),
  ];
}

/** What a change would do now; undefined if the half of it is made, or nothing is left. */
function derive(change: SavedChange, now: Resource | undefined, kind: Kind): DraftChange | undefined {
  const { address, at } = change;
  const about = {
    address,
    ...(at === undefined ? {} : { at }),
    ...marksOf(change),
  };
  switch (change.action) {
    case 'create':
      return { ...about, action: 'create', after: change.after };
    case 'delete':
      return now === undefined ? undefined : { ...about, action: 'delete', before: now };
    case 'update':
    case 'replace':
      // No field shows what gwconf does not know: it can only come from the gateway.
      return now === undefined ? undefined : diffResources(now, declarable(kind, change.after), kind, about);
    default:
      return change satisfies never;
  }
}

/** What the plan shows otherwise than it is. */
function findDifference(
  shown: SavedChange,
  draft: DraftChange,
  kind: Kind,
  kinds: KindSet,
): string | undefined {
  if (draft.action !== shown.action) return 'another action';
  if (shown.action === 'create')
    return sameJson(declarable(kind, shown.after), shown.after) ? undefined : 'another body';
  const derived = hideSecrets({ ...draft, dependsOn: [], stage: 1 }, kinds); // a change but for its place
  if ('before' in shown && 'before' in derived) {
    const [was, is] = [shown.before, derived.before].map((one) => comparableWhole(kind, one));
    if (was !== undefined && is !== undefined && !sameJson(was, is)) return 'another former value';
  }
  if (!('fields' in shown) || !('fields' in derived) || !('fields' in draft)) return undefined;
  if (textOf(shown.fields) !== textOf(derived.fields)) return 'other fields';
  if (textOf(shown.verdicts ?? {}) !== textOf(derived.verdicts ?? {})) return 'other changes of secrets';
  if (!sameJson(shown.after, draft.after)) return 'another body';
  const because = [shown, derived].map((one) => ('because' in one ? one.because : []));
  return textOf(because[0]) === textOf(because[1]) ? undefined : 'another reason to replace it';
}

/** Whether the fields that are no secrets are those in which the two values of a change differ that is made already. */
function showsItself(change: SavedChange, kind: Kind, kinds: KindSet): boolean {
  if (change.action !== 'update' && change.action !== 'replace') return true;
  const { before, after, fields } = hideSecrets(change, kinds);
  const derived = isStep(change) ? undefined : derive({ ...change, after }, before, kind);
  const found =
    derived !== undefined && 'fields' in derived
      ? derived.fields
      : diffFields(normalForm(kind, before), normalForm(kind, after), kind.sets(after)); // as of an extra step
  const visible = (all: typeof fields): string =>
    textOf(all.filter((field) => !JSON.stringify(field).includes(JSON.stringify(HIDDEN))));
  return visible(found) === visible(fields);
}

function textOf(value: unknown): string {
  return canonicalText(value as Json); // plain data
}

/** The order must keep everything that the changes need of each other, with the same extra steps. */
function checkOrder(
  open: readonly SavedChange[],
  drafts: readonly DraftChange[],
  kinds: KindSet,
): readonly Problem[] {
  const shown = new Map(open.map((change) => [idOf(change), change.dependsOn] as const));
  const keeps = (id: ChangeId, on: ChangeId): boolean =>
    !shown.has(on) || shown.get(id)?.includes(on) !== false;
  const own = findDependencies(drafts, kinds);
  const ties = open.flatMap((change) => change.dependsOn.map((on) => ({ change: idOf(change), on })));
  // A preferred dependency is given up where it would close a cycle with those that keep protection on the way.
  const isInCycle = cycleFinder([...own, ...ties]);
  const isKept = ({ change, on, why }: Dependency): boolean =>
    keeps(change, on) || (why.type === 'preferred' && isInCycle(change, on));
  // Nearly all plans keep every dependency; others are put in order again to know which may be given up.
  if (!open.some(isStep) && own.every(isKept)) return [];
  const ordered = orderChanges(drafts, kinds, [], extraOf(open, drafts, kinds));
  const derived = new Map(ordered.changes.map((change) => [idOf(change), change]));
  const all = ordered.changes.flatMap((one) => one.dependsOn.map((on) => ({ change: idOf(one), on })));
  const isInAnyCycle = cycleFinder([...own, ...ties, ...all]);
  const isInOrder = (id: ChangeId, on: ChangeId): boolean =>
    keeps(id, on) || (ordered.needs.get(id)?.has(on) !== true && isInAnyCycle(id, on));
  return open.flatMap((own): readonly Problem[] => {
    const change = derived.get(idOf(own));
    // A temporary object, which its body says it is, can go also when its own change is made.
    if (change === undefined)
      return isStep(own) && own.action !== 'delete' ? [misstated(own.address, 'an extra step')] : [];
    if (!change.dependsOn.every((on) => isInOrder(idOf(own), on)))
      return [misstated(own.address, 'another order')];
    return isStep(own) && !isSameStep(own, hideSecrets(change, kinds), change)
      ? [misstated(own.address, 'another extra step')]
      : [];
  });
}

/** Tells whether two changes depend on each other, at any distance. */
function cycleFinder(
  dependencies: readonly Pick<Dependency, 'change' | 'on'>[],
): (one: ChangeId, other: ChangeId) => boolean {
  const cycleOf = new Map(
    findCycles(makeGraph(dependencies)).flatMap((cycle, at) => cycle.map((id) => [id, at] as const)),
  );
  return (one, other) => cycleOf.has(one) && cycleOf.get(one) === cycleOf.get(other);
}

/** The objects whose extra steps a plan shows. */
function extraOf(open: readonly SavedChange[], drafts: readonly DraftChange[], kinds: KindSet): Extra {
  const shown = new Set(open.filter(isStep).map(idOf));
  if (shown.size === 0) return NO_EXTRA;
  const addressesOf = (is: (draft: DraftChange) => boolean): ReadonlySet<Address> =>
    new Set(drafts.filter(is).map(({ address }) => address));
  return {
    expanded: addressesOf(({ address }) => shown.has(idOf({ address, step: 'expand' }))),
    bridged: addressesOf((draft) => {
      const bridge = makeBridge(draft, kinds);
      return bridge !== undefined && shown.has(idOf(bridge.create));
    }),
  };
}

function isSameStep(own: SavedChange, hidden: Change, change: Change): boolean {
  if (own.action === 'delete' || change.action === 'delete') return own.action === change.action;
  if (own.action === 'create') return sameJson(own.after, change.after);
  if (own.action !== 'update' || hidden.action !== 'update') return false;
  return sameJson(own.after, change.after) && textOf(own.fields) === textOf(hidden.fields);
}

function misstated(address: Address, what: string): Problem {
  return makeProblem({
    code: 'invalid-plan',
    message: `the plan is not what apply would do to ${address}: it shows ${what}`,
    address,
    hint: 'plan again',
  });
}

/**
 * Where an undo shows something else than what it would do. It was made from what the run wrote, which the gateway may have
 * completed and put in order, and the run may have stopped anywhere. Its changes are made in the order that it shows.
 */
export function findUndoMisstatements(
  changes: readonly SavedChange[],
  already: ReadonlySet<ChangeId>,
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
): readonly Problem[] {
  return changes.flatMap((change) => {
    const now = already.has(idOf(change)) ? undefined : live.get(change.address);
    const what = findUndoDifference(change, now, kinds);
    return what === undefined ? [] : [misstated(change.address, what)];
  });
}

/** What a change shows otherwise than it is. */
function findUndoDifference(
  shown: SavedChange,
  now: Resource | undefined,
  kinds: KindSet,
): string | undefined {
  const kind = knownKind(shown.address, kinds);
  if (!showsItself(shown, kind, kinds)) return 'other fields';
  const draft = now === undefined ? undefined : derive(shown, now, kind);
  if (draft === undefined || isStep(shown)) return undefined;
  // The gateway may leave out a value that the run set to what it is anyway, and that is hidden.
  const filled = 'before' in draft ? { ...draft, before: withDefaults(kind, draft.before) } : draft;
  const derived = hideSecrets({ ...filled, dependsOn: [], stage: 1 }, kinds); // a change but for its place
  if (derived.action !== shown.action) return 'another action';
  if (!('before' in shown) || !('before' in derived)) return undefined;
  const [was, is] = [shown.before, derived.before].map((one) => normalForm(kind, one));
  const isHalfway = shown.halfway !== undefined; // an extra step of the run may stand
  if (!isHalfway && was !== undefined && is !== undefined && !sameJson(was, is))
    return 'another former value';
  if (!('fields' in shown) || !('fields' in derived)) return undefined;
  if (shown.action === 'update' && hasUnknown(kind, shown.after, now)) return 'another body';
  const paths = new Set(shown.fields.map(({ path }) => anyItem(path)));
  return derived.fields.every(({ path }) => paths.has(anyItem(path))) ? undefined : 'other fields';
}

/** Whether a body has fields that gwconf does not know and that are not on the gateway: nothing shows those. */
function hasUnknown(kind: Kind, body: Resource, now: Resource | undefined): boolean {
  return !sameJson(requestBody(kind, declarable(kind, body), now), requestBody(kind, body, now));
}
