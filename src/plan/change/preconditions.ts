import { getOrAdd } from '../../model/collect.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { afterOf, isStep, type DraftChange } from './change.ts';
import type { Precondition } from './plan.ts';
import { referencesOf } from '../../model/normal/normal-form.ts';
import { markFormerSecrets, type IsSecret } from './former-secrets.ts';
import { isBuiltIn } from './select.ts';

/** What changes rely on, each object once, by address. What always exists is not among it. */
export function preconditionsOf(
  changes: readonly DraftChange[],
  {
    desired,
    live,
    kinds,
    isSecret,
  }: { desired: DesiredState; live: LiveState; kinds: KindSet; isSecret?: IsSecret | undefined },
): readonly Precondition[] {
  return [...referrersOf(changes, kinds).keys()].sort().flatMap((address): readonly Precondition[] => {
    const seen = live.resources.get(address);
    if (seen === undefined) return [];
    const templates = desired.get(address)?.templates;
    const relied = {
      address,
      seen,
      ...(templates === undefined ? {} : { templates: Object.fromEntries(templates) }),
    };
    return [{ ...relied, ...markFormerSecrets(seen, knownKind(address, kinds), relied, { isSecret }) }];
  });
}

/** Who of these refers to what none of them changes. An extra step adds no reference. */
export function referrersOf(
  changes: readonly DraftChange[],
  kinds: KindSet,
): ReadonlyMap<Address, ReadonlySet<Address>> {
  const own = new Set(changes.map(({ address }) => address));
  const found = new Map<Address, Set<Address>>();
  for (const change of changes) {
    const kind = kinds.get(kindOf(change.address));
    const after = afterOf(change);
    if (kind === undefined || after === undefined || isStep(change)) continue;
    for (const { to } of referencesOf(after, kind)) {
      if (own.has(to) || isBuiltIn(to, kinds)) continue;
      getOrAdd(found, to, () => new Set()).add(change.address);
    }
  }
  return found;
}
