import type { KindSet } from '../../model/kind.ts';
import type { Address } from '../../model/resource.ts';
import { idOf, type ChangeId, type DraftChange } from '../change/plan.ts';
import { makeBridge } from './bridge.ts';
import type { Dependency } from './dependencies.ts';
import { makeExpansion } from './expand.ts';

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
