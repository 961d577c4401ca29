import { identify } from '../../model/identity.ts';
import { canonicalText, isList, valueOf, type Json } from '../../model/json/json.ts';
import type { KindSet, Tokens } from '../../model/kind.ts';
import { declarable, requestBody, comparable, normalForm } from '../../model/normal/normal-form.ts';
import { type Address, kindOf, changeResource, type Resource } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { list } from '../../model/text/list.ts';
import {
  idOf,
  type ChangeId,
  type DraftChange,
  formerSources,
  marksOf,
  templatesOf,
} from '../change/change.ts';
import { diffFields } from '../diff/diff.ts';
import type { Dependency } from './dependencies.ts';

/** The objects whose updates have extra steps: some add before they remove, others have a temporary copy meanwhile. */
export type Extra = { readonly expanded: ReadonlySet<Address>; readonly bridged: ReadonlySet<Address> };
export const NO_EXTRA: Extra = { expanded: new Set(), bridged: new Set() };

type ExtraSteps = {
  readonly changes: readonly DraftChange[];
  readonly dependencies: readonly Dependency[];
  /** The own change of each that comes before it. */
  readonly owns: ReadonlyMap<ChangeId, ChangeId>;
};

/** The extra steps of changes. Each that comes first waits for what the change itself needs. */
export function makeExtraSteps(
  drafts: readonly DraftChange[],
  { expanded, bridged }: Extra,
  all: readonly Dependency[],
  kinds: KindSet,
): ExtraSteps {
  const changes: DraftChange[] = [];
  const owns = new Map<ChangeId, ChangeId>();
  const expansions = new Map<ChangeId, ChangeId>();
  const dependencies: Dependency[] = [];
  const wait = (change: ChangeId, on: ChangeId): void => {
    dependencies.push({ change, on, why: { type: 'step' } });
  };
  for (const draft of expanded.size + bridged.size === 0 ? [] : drafts) {
    const own = idOf(draft);
    const expansion = expanded.has(draft.address) ? makeExpansion(draft, kinds) : undefined;
    if (expansion !== undefined) {
      changes.push(expansion);
      owns.set(idOf(expansion), own);
      expansions.set(own, idOf(expansion));
      wait(own, idOf(expansion));
    }
    const bridge = bridged.has(draft.address) ? makeBridge(draft, kinds) : undefined;
    if (bridge === undefined) continue;
    const { create, remove } = bridge;
    changes.push(create, remove);
    for (const step of [create, remove]) owns.set(idOf(step), own);
    wait(own, idOf(create));
    wait(idOf(remove), own);
    wait(idOf(remove), idOf(create));
  }
  const needs = (expansions.size === 0 ? [] : all).flatMap((dependency) => {
    const step = expansions.get(dependency.change);
    return step === undefined ? [] : [{ ...dependency, change: step }];
  });
  return { changes, dependencies: [...dependencies, ...needs], owns };
}

/** The extra steps around an update: a temporary copy of the object as it was is there meanwhile. */
type Bridge = { readonly create: DraftChange; readonly remove: DraftChange };

/** Undefined where the kind has no such copy, or where it would have a secret. */
export function makeBridge(change: DraftChange, kinds: KindSet): Bridge | undefined {
  const kind = kinds.get(kindOf(change.address));
  if (kind?.bridge === undefined || change.action !== 'update' || change.step !== undefined) return undefined;
  const { before, address } = change;
  if (secretPlaces(kind, before, formerSources(change)).size > 0) return undefined;
  const copy = kind.bridge(declarable(kind, before));
  if (copy === undefined) return undefined;
  const after = requestBody(kind, copy);
  const own = identify(kind, after);
  return {
    create: {
      ...{ address: own, action: 'create', step: 'bridge', after },
      reason: `takes the place of ${address} while it changes, so that no client lacks protection in between`,
    },
    remove: {
      ...{ address: own, action: 'delete', step: 'unbridge', before: after },
      reason: `was only needed while ${address} changed`,
    },
  };
}

/**
 * The extra step before an update in which its object gets the items of sets that the update adds, and keeps those that it
 * removes: what has to be added early no longer waits for what has to be removed late. Undefined where the update does not
 * do both.
 */
export function makeExpansion(change: DraftChange, kinds: KindSet): DraftChange | undefined {
  const kind = kinds.get(kindOf(change.address));
  if (kind === undefined || change.action !== 'update' || change.step !== undefined) return undefined;
  const { before, after, address, at } = change;
  // A template of the update names a place in another list.
  if (secretPlaces(kind, after, templatesOf(change.templates)).size > 0) return undefined;
  const [was, is] = [before, after].map((one) => comparable(kind, one));
  if (was === undefined || is === undefined) return undefined;
  let merged = before;
  const grown: string[] = [];
  for (const set of kind.sets(after)) {
    const more = itemsMissing(is, was, set);
    if (more.length === 0) continue;
    merged = changeResource(merged, set, (found) => [...(isList(found) ? found : []), ...more]);
    grown.push(set.at(-1) ?? '');
  }
  const [own, full, wanted] = [before, merged, after].map((one) => normalForm(kind, one));
  if (own === undefined || full === undefined || wanted === undefined) return undefined;
  const fields = diffFields(own, full, kind.sets(merged));
  if (fields.length === 0 || diffFields(full, wanted, kind.sets(after)).length === 0) return undefined;
  return {
    ...{ address, action: 'update', step: 'expand' },
    reason: `adds to ${list(grown)} before anything is removed, so that no client lacks protection in between`,
    ...(at === undefined ? {} : { at }),
    ...marksOf(change),
    before,
    after: requestBody(kind, merged, before),
    fields,
  };
}

/** The items of a set that another resource does not have. */
function itemsMissing(from: Resource, other: Resource, set: Tokens): readonly Json[] {
  const known = new Set(itemsOf(other, set).map(canonicalText));
  return itemsOf(from, set).filter((item) => !known.has(canonicalText(item)));
}

function itemsOf(resource: Resource, set: Tokens): readonly Json[] {
  const found = set.reduce<Json | undefined>(valueOf, resource);
  return isList(found) ? found : [];
}
