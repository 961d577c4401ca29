import { memoize } from '../../model/collect.ts';
import { type ChainLink, type Principal, PASSTHROUGH } from '../../model/principal.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { PrincipalPattern } from '../../model/test-case.ts';
import { compileGlob } from '../../model/text/glob.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { earlyFinder } from '../early-masks.ts';
import { chainsOf, type EffectiveState } from '../effective-state.ts';
import { listPresent } from '../list-present.ts';
import { inShownOrder } from '../principals.ts';
import type { ProtectionOf } from '../protection.ts';
import type { TopicCoverage } from '../topics.ts';

/** A state whose chains are tested. */
export type Tested = {
  readonly state: EffectiveState;
  /** The state before the plan, if the state is that after one. */
  readonly before?: EffectiveState;
  /** The clients that have another account after the plan, and their account before. */
  readonly followed?: readonly { readonly principal: Principal; readonly was: Principal }[];
  readonly protectionOf: ProtectionOf;
  /** The names of all sorts of protection. */
  readonly sorts: readonly string[];
  /** The names of the plugin classes of the vendor. */
  readonly classes: readonly string[];
  /** The masks of a chain that are of no use, with what decrypts after them. */
  readonly earlyOf: ReturnType<ReturnType<typeof earlyFinder>>;
  /** A principal without its secrets. */
  readonly shownAs: (principal: Principal) => Principal;
} & Pick<TopicCoverage, 'coverageOf' | 'audienceOf'>;

/** All principals that a state knows, with somebody of each external group, and those that are there since before the plan. */
export const knownPrincipals = memoize(({ state, before = state }: Pick<Tested, 'state' | 'before'>) =>
  listPresent(before, state),
);

/** The same, in an order that tells nothing of a hidden name. */
export const shownPrincipals = memoize(
  (about: Pick<Tested, 'state' | 'before' | 'shownAs'>): readonly Principal[] => {
    const known = knownPrincipals(about).map(({ principal }) => principal);
    const isExternal = ({ externalGroup }: Principal): boolean => externalGroup !== undefined;
    return [
      ...known.filter((one) => !isExternal(one)),
      ...inShownOrder(known.filter(isExternal), about.shownAs),
    ];
  },
);

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
  tested: Pick<Tested, 'state' | 'before' | 'shownAs'>,
): { readonly value: readonly Principal[]; readonly problems: readonly Problem[] } {
  if (!isGlob(pattern)) return selectOne(pattern, tested);
  const { username = '', virtualCluster = '' } = pattern;
  const isNamed = compileGlob(username);
  const isInCluster = compileGlob(virtualCluster === '' ? '*' : virtualCluster);
  const value = shownPrincipals(tested).filter(
    (one) =>
      isNamed(one.username ?? '') &&
      isInCluster(one.virtualCluster) &&
      (pattern.groups ?? []).every((group) => one.groups.includes(group)),
  );
  return { value, problems: value.length > 0 ? [] : [matchesNothing(pattern)] };
}

/** Whether a case is for all clients that match; if not, for one, in the groups that it names. */
export function isGlob({ username = '', virtualCluster = '' }: PrincipalPattern): boolean {
  return username.includes('*') || virtualCluster.includes('*');
}

function selectOne(
  { at, username, virtualCluster = PASSTHROUGH, groups }: PrincipalPattern,
  tested: Pick<Tested, 'state' | 'before'>,
): ReturnType<typeof matchPrincipals> {
  const { state } = tested;
  const known = knownPrincipals(tested).map(({ principal }) => principal);
  const unknown = (message: string, name: string, others: Iterable<string>, cure: string): Problem => {
    const near = suggest(name, others);
    const hint = near === undefined ? cure : `did you mean ${near}?`;
    return makeProblem({ code: 'unmatched-expectation', message, at, hint });
  };
  const problems = (groups ?? [])
    .filter((group) => !groupsIn(state).has(group))
    .map((group) =>
      unknown(
        `no file has a member of the group ${group}, or an interceptor for it`,
        group,
        groupsIn(state),
        CHECK,
      ),
    );
  const clusters = new Set(known.map((one) => one.virtualCluster));
  const found = known.find((one) => one.virtualCluster === virtualCluster && one.username === username);
  if (!clusters.has(virtualCluster))
    problems.push(
      unknown(`no file knows the virtual cluster ${virtualCluster}`, virtualCluster, clusters, CHECK),
    );
  else if (username !== undefined && found === undefined) {
    const names = known.flatMap((one) => (one.virtualCluster === virtualCluster ? (one.username ?? []) : []));
    const hint = 'leave out username for all other clients';
    problems.push(unknown(`no file knows ${username} in ${virtualCluster}`, username, names, hint));
  }
  const client = found ?? { virtualCluster, username: username || null };
  return { value: [{ ...client, groups: groups ?? found?.groups ?? [] }], problems };
}

const CHECK = 'check the name, and which files are read';

/** The groups that have a member, or an interceptor. */
const groupsIn = memoize(
  (state: EffectiveState): ReadonlySet<string> =>
    new Set(
      [...state.facts()].flatMap((fact) =>
        fact.type === 'member' || fact.type === 'external-group'
          ? fact.group
          : fact.type === 'interceptor'
            ? (fact.scope['group'] ?? [])
            : [],
      ),
    ),
);

function matchesNothing({ at }: PrincipalPattern): Problem {
  return makeProblem({
    code: 'failed-expectation',
    message: 'no client matches',
    at,
    hint: 'gwconf effective lists the clients',
  });
}
