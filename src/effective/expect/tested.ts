import { memoize } from '../../model/collect.ts';
import { type ChainLink, type Named, type Principal, PASSTHROUGH } from '../../model/principal.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { PrincipalPattern } from '../../model/test-case.ts';
import { compileGlob } from '../../model/text/glob.ts';
import { suggest } from '../../model/text/suggest.ts';
import { chainsOf, type EffectiveState } from '../effective-state.ts';
import { listExternalPrincipals, listPrincipals } from '../principals.ts';
import type { ProtectionOf } from '../protection.ts';
import type { TopicCoverage } from '../topics.ts';

/** A state whose chains are tested. */
export type Tested = {
  readonly state: EffectiveState;
  /** The state before the plan, if the state is that after one. */
  readonly before?: EffectiveState;
  /** The accounts that the plan renames. */
  readonly renamed?: readonly { readonly was: Named; readonly is: Named }[];
  readonly protectionOf: ProtectionOf;
  /** The names of all sorts of protection. */
  readonly sorts: readonly string[];
  /** The names of the plugin classes of the vendor. */
  readonly classes: readonly string[];
  /** A principal without its secrets. */
  readonly shownAs: (principal: Principal) => Principal;
} & Pick<TopicCoverage, 'coverageOf' | 'audienceOf'>;

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
      ? (username ?? 'all other clients')
      : `${username ?? 'members'} of the external group ${externalGroup}`;
  return `${name} in ${virtualCluster}`;
}

/** The principals that a case is for, and what no file knows of them. */
export function matchPrincipals(
  pattern: PrincipalPattern,
  state: EffectiveState,
): { readonly value: readonly Principal[]; readonly problems: readonly Problem[] } {
  const { username = '', virtualCluster = '' } = pattern;
  if (!username.includes('*') && !virtualCluster.includes('*')) return selectOne(pattern, state);
  const isNamed = compileGlob(username);
  const isInCluster = compileGlob(virtualCluster === '' ? '*' : virtualCluster);
  const value = knownPrincipals(state).filter(
    (one) =>
      isNamed(one.username ?? '') &&
      isInCluster(one.virtualCluster) &&
      (pattern.groups ?? []).every((group) => one.groups.includes(group)),
  );
  return { value, problems: value.length > 0 ? [] : [matchesNothing(pattern)] };
}

function selectOne(
  { at, username, virtualCluster = PASSTHROUGH, groups }: PrincipalPattern,
  state: EffectiveState,
): ReturnType<typeof matchPrincipals> {
  const known = knownPrincipals(state);
  const clusters = new Set(known.map((one) => one.virtualCluster));
  const unknown = (what: string, name: string, others: Iterable<string>, hint: string): Problem => {
    const near = suggest(name, others);
    return makeProblem({
      code: 'unmatched-expectation',
      message: `no file knows ${what}`,
      at,
      hint: near === undefined ? hint : `did you mean ${near}?`,
    });
  };
  if (!clusters.has(virtualCluster)) {
    const hint = 'check the name, and which files are read';
    return {
      value: [{ virtualCluster, username: username || null, groups: groups ?? [] }],
      problems: [unknown(`the virtual cluster ${virtualCluster}`, virtualCluster, clusters, hint)],
    };
  }
  if (username === undefined)
    return { value: [{ virtualCluster, username: null, groups: groups ?? [] }], problems: [] };
  const inCluster = known.filter((one) => one.virtualCluster === virtualCluster);
  const found = inCluster.find((one) => one.username === username);
  const names = inCluster.flatMap((one) => one.username ?? []);
  const hint = 'leave out username for all other clients';
  return {
    value: [{ ...(found ?? { virtualCluster, username }), groups: groups ?? found?.groups ?? [] }],
    problems: found === undefined ? [unknown(`${username} in ${virtualCluster}`, username, names, hint)] : [],
  };
}

function matchesNothing({ at }: PrincipalPattern): Problem {
  return makeProblem({
    code: 'failed-expectation',
    message: 'no client matches',
    at,
    hint: 'gwconf effective lists the clients',
  });
}
