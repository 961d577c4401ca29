import { claimsReader, namesReader, reachFor } from './claim-reader.ts';
import { getOrAdd, memoize } from '../model/collect.ts';
import type { Pointer } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import type { Axis } from '../model/strength.ts';
import type { Claim } from './claims.ts';
import type { EffectiveState } from './effective-state.ts';
import { listPrincipals } from './principals.ts';
import { nameIndex, reachOf, type Names } from './reach.ts';
import { emptyReader } from './topics.ts';

/** Interceptors as they are for a client: one whose config leaves it out, or every topic, gives it no protection, although it runs. */
export type Audience = {
  /** Whether the config of an interceptor can leave clients out: by their names, or all of them by a pattern that no topic matches. */
  readonly isLimited: (link: ChainLink) => boolean;
  /** Those of a list of limited interceptors that do not certainly leave a client out, or all of those that it stands for. */
  readonly servedBy: (limited: readonly ChainLink[], principal: Principal) => readonly ChainLink[];
  /** The interceptor as it is for those whom it leaves out. */
  readonly idle: (link: ChainLink) => ChainLink;
  /** Those for whom a chain is the same share it. */
  readonly chainFor: (chain: Chain, principal: Principal) => Chain;
};

export type AudienceOptions = {
  readonly kinds: KindSet;
  /** All other clients of a virtual cluster are none of the users that these name. */
  readonly states: readonly EffectiveState[];
  /** Whether an object shows the value at a pointer: what a hidden one leaves out is not judged. */
  readonly showsAt: (address: Address, pointer: Pointer) => boolean;
};

const AXES: readonly Axis[] = ['virtualCluster', 'username'];

export function makeAudience({ kinds, states, showsAt }: AudienceOptions): Audience {
  const read = claimsReader(kinds);
  const names = namesReader(kinds);
  const emptyAt = emptyReader(kinds);
  const isForNothing = memoize((link: ChainLink) => {
    const at = emptyAt(link);
    return { is: at !== undefined && showsAt(link.address, at) };
  });
  const isLimited = memoize((link: ChainLink) => ({ is: isForNothing(link).is || names(link, AXES) }));
  const claimsFor = memoize((link: ChainLink): readonly Claim[] => {
    const open = read(link).map((claim): Claim => ({
      ...claim,
      limits: claim.limits.filter(
        ({ strength, at }) =>
          strength.type === 'reach' && AXES.includes(strength.axis) && showsAt(link.address, at),
      ),
    }));
    // Most claims of an interceptor have their limits in common.
    return [...new Map(open.map((claim) => [JSON.stringify([...reachOf(claim.limits)]), claim])).values()];
  });
  let users: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  const isNamed = (name: string, virtualCluster: string): boolean =>
    (users ??= listUsers(states)).get(virtualCluster)?.has(name) === true;
  const isNobody = (users: Names | undefined, virtualCluster: string): boolean =>
    users?.type === 'pattern' &&
    wordsOf(users).length > 0 &&
    wordsOf(users).every((name) => isNamed(name, virtualCluster));
  const serves = (claim: Claim, principal: Principal): boolean => {
    const reach = reachFor(claim, principal);
    return (
      reach !== undefined &&
      !(principal.username === null && isNobody(reach.get('username'), principal.virtualCluster))
    );
  };
  const indexed = memoize((limited: readonly ChainLink[]) => {
    const claims = limited.flatMap((link) =>
      isForNothing(link).is ? [] : claimsFor(link).map((claim) => ({ link, claim })),
    );
    return { claims, near: nameIndex(claims, ({ claim }) => reachOf(claim.limits).get('username')) };
  });
  const servedBy = (limited: readonly ChainLink[], principal: Principal): readonly ChainLink[] => {
    const { claims, near } = indexed(limited);
    const some = principal.username === null ? claims : near([principal.username]);
    return [...new Set(some.flatMap(({ link, claim }) => (serves(claim, principal) ? [link] : [])))];
  };
  const idle = memoize((link: ChainLink): ChainLink => ({ ...link, isIdle: true }));
  const limitedIn = memoize((chain: Chain) => chain.map(({ one }) => one).filter((one) => isLimited(one).is));
  const chains = memoize<Chain, Map<string, Chain>>(() => new Map());
  return {
    ...{ isLimited: (link) => isLimited(link).is, servedBy, idle },
    chainFor: (chain, principal) => {
      const limited = limitedIn(chain);
      const served = limited.length === 0 ? limited : servedBy(limited, principal);
      if (served.length === limited.length) return chain;
      const key = JSON.stringify(served.map(({ address }) => address));
      return getOrAdd(chains(chain), key, () => {
        const left = new Set(limited.filter((one) => !served.includes(one)));
        return chain.map((link) => (left.has(link.one) ? { ...link, one: idle(link.one) } : link));
      });
    },
  };
}

function listUsers(states: readonly EffectiveState[]): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const { virtualCluster, username } of states.flatMap(listPrincipals))
    if (username !== null) getOrAdd(users, virtualCluster, () => new Set()).add(username);
  return users;
}

/** The names that a pattern lists, where it does nothing else. */
const wordsOf = memoize(({ text }: Names & { readonly type: 'pattern' }): readonly string[] => {
  const words = text.split('|');
  const isWord = (word: string): boolean => /^(?:[\w-]|\\\.)+$/.test(word);
  return words.every(isWord) ? words.map((word) => word.replaceAll('\\.', '.')) : [];
});
