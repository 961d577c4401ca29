import { memoize } from '../../model/collect.ts';
import type { ChainLink, Principal } from '../../model/principal.ts';
import { chainsOf } from '../chain.ts';
import { listExternalPrincipals, listPrincipals } from '../principals.ts';
import type { ProtectionOf } from '../protection.ts';
import type { EffectiveState } from '../state.ts';
import type { TopicCoverage } from '../topics.ts';

/** A state whose chains are tested. */
export type Tested = {
  readonly state: EffectiveState;
  /** The state before the plan, if the state is that after one. */
  readonly before?: EffectiveState;
  readonly protectionOf: ProtectionOf;
  /** The names of all sorts of protection. */
  readonly sorts: readonly string[];
  /** The names of the plugin classes of the vendor. */
  readonly classes: readonly string[];
  readonly coverageOf: TopicCoverage['coverageOf'];
};

/** All principals that a state knows, with somebody of each external group. */
export const knownPrincipals = memoize((state: EffectiveState): readonly Principal[] => [
  ...listPrincipals(state),
  ...listExternalPrincipals(state),
]);

/** The interceptors that run for a principal; principals with the same ones share the list. */
export const linksOf = memoize((state: EffectiveState) => {
  const explain = chainsOf(state);
  const withoutOverrides = memoize((chain: ReturnType<typeof explain>): readonly ChainLink[] =>
    chain.map(({ one }) => one),
  );
  return (principal: Principal): readonly ChainLink[] => withoutOverrides(explain(principal));
});

/** A principal, for people. */
export function namePrincipal({ virtualCluster, username, externalGroup }: Principal): string {
  const name =
    externalGroup === undefined
      ? (username ?? 'anybody else')
      : `${username ?? 'anybody'} of the external group ${externalGroup}`;
  return `${name} in ${virtualCluster}`;
}
