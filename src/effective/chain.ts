import { explainChain, type Chain, type ChainLink, type Principal } from '../model/principal.ts';
import type { EffectiveState } from './state.ts';

/**
 * The interceptors that run for a principal, in order: of each name the most specific ones, by ascending priority
 * (gateway-api B.4). The order of equal priorities is undefined on the gateway; here they are sorted by address.
 */
export function effectiveChain(state: EffectiveState, principal: Principal): readonly ChainLink[] {
  return explainEffectiveChain(state, principal).map(({ one }) => one);
}

/** The same, with what each one overrides. */
export function explainEffectiveChain(state: EffectiveState, principal: Principal): Chain {
  return explainScopes(state, principal, state.scopesOf(principal));
}

function explainScopes(state: EffectiveState, principal: Principal, scopes: readonly string[]): Chain {
  const links = [...state.linksOf(scopes)].sort((one, other) => (one.address < other.address ? -1 : 1));
  return explainChain(principal, links);
}

/**
 * `explainEffectiveChain` for many principals, while the state does not change. Principals with the same interceptors share
 * one list.
 */
export function chainsOf(state: EffectiveState): (principal: Principal) => Chain {
  const known = new Map<string, Chain>();
  return (principal) => {
    const scopes = state.scopesOf(principal);
    const key = scopes.join();
    let chain = known.get(key);
    if (chain === undefined) known.set(key, (chain = explainScopes(state, principal, scopes)));
    return chain;
  };
}
