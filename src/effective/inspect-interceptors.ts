import type { Chain } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import { chainsOf } from './chain.ts';
import { listExternalPrincipals, listPrincipals } from './principals.ts';
import type { EffectiveState } from './state.ts';

/** An interceptor that never runs, or whose place in a chain is undefined. */
export type InterceptorFinding = {
  readonly address: Address;
  /** No principal is in its scope; others override it for all that are; or one before it in a chain has its priority. */
  readonly finding: 'unmatched' | 'overridden' | 'tied';
  /** Those that override it, or one of its priority. */
  readonly by: readonly Address[];
};

/** What is wrong with interceptors, by the chains of every principal that is known. */
export function inspectInterceptors(state: EffectiveState): readonly InterceptorFinding[] {
  const chainOf = chainsOf(state);
  const principals = [...listPrincipals(state), ...listExternalPrincipals(state)];
  const running = new Set<Address>();
  const overrides = new Map<Address, Set<Address>>();
  const ties = new Map<Address, Address>();
  for (const chain of new Set(principals.map(chainOf))) {
    for (const { one, overrides: others } of chain) {
      running.add(one.address);
      for (const { address } of others)
        overrides.set(address, (overrides.get(address) ?? new Set()).add(one.address));
    }
    for (const [one, other] of tiesOf(chain)) if (!ties.has(one)) ties.set(one, other);
  }
  return state.links().flatMap(({ address }): readonly InterceptorFinding[] => {
    const tied = ties.get(address);
    if (running.has(address)) return tied === undefined ? [] : [{ address, finding: 'tied', by: [tied] }];
    const by = [...(overrides.get(address) ?? [])].sort();
    return [{ address, finding: by.length === 0 ? 'unmatched' : 'overridden', by }];
  });
}

/** Each interceptor of a chain that has the priority of the one before it. */
function tiesOf(chain: Chain): readonly (readonly [Address, Address])[] {
  return chain.flatMap(({ one: { address, priority } }, at) => {
    const other = chain[at - 1]?.one;
    return other?.priority === priority ? [[address, other.address] as const] : [];
  });
}
