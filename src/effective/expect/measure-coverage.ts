import type { ChainLink } from '../../model/principal.ts';
import type { Principal } from '../../model/principal.ts';
import type { EffectiveState } from '../state.ts';
import type { CheckedCase } from './check-case.ts';
import { knownPrincipals, namePrincipal } from './tested.ts';

/** What of a state the cases are about. */
export type TestCoverage = {
  readonly principals: number;
  readonly interceptors: number;
  /** Principals that no case is for. */
  readonly untestedPrincipals: readonly Principal[];
  /** Interceptors that no expectation depends on. */
  readonly untestedInterceptors: readonly ChainLink[];
};

export function measureCoverage(state: EffectiveState, cases: readonly CheckedCase[]): TestCoverage {
  const tested = new Set(cases.flatMap(({ principals }) => principals.map(namePrincipal)));
  const touched = new Set(cases.flatMap((one) => [...one.touched].map(({ address }) => address)));
  const principals = knownPrincipals(state);
  const interceptors = state.links();
  return {
    principals: principals.length,
    interceptors: interceptors.length,
    untestedPrincipals: principals.filter((one) => !tested.has(namePrincipal(one))),
    untestedInterceptors: interceptors.filter(({ address }) => !touched.has(address)),
  };
}
