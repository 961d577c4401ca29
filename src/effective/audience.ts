import { getOrAdd, memoize } from '../model/collect.ts';
import type { Pointer } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import type { Axis } from '../model/strength.ts';
import type { Claim } from './claims.ts';
import type { EffectiveState } from './effective-state.ts';
import { listPrincipals } from './principals.ts';
import { reachOf, type Names } from './reach.ts';
import { claimsReader, namesReader, reachFor } from './weakening.ts';

/** Interceptors as they are for a client: one whose config leaves it out gives it no protection, although it runs. */
export type Audience = {
  /** Whether the config of an interceptor can leave clients out. */
  readonly isLimited: (link: ChainLink) => boolean;
  /** Whether it certainly leaves a client out, or all of those that it stands for. */
  readonly leavesOut: (link: ChainLink, principal: Principal) => boolean;
  readonly linkFor: (link: ChainLink, principal: Principal) => ChainLink;
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
  const names = namesReader(kinds, read);
  const isLimited = memoize((link: ChainLink) => ({ is: names(link, AXES) }));
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
  const leavesOut = (link: ChainLink, principal: Principal): boolean =>
    isLimited(link).is &&
    claimsFor(link).every((claim) => {
      const reach = reachFor(claim, principal);
      if (reach === undefined) return true;
      return principal.username === null && isNobody(reach.get('username'), principal.virtualCluster);
    });
  const idle = memoize((link: ChainLink): ChainLink => ({ ...link, isIdle: true }));
  const linkFor = (link: ChainLink, principal: Principal): ChainLink =>
    leavesOut(link, principal) ? idle(link) : link;
  const limitedIn = memoize((chain: Chain) => chain.filter(({ one }) => isLimited(one).is));
  const chains = memoize<Chain, Map<string, Chain>>(() => new Map());
  return {
    isLimited: (link) => isLimited(link).is,
    leavesOut,
    linkFor,
    chainFor: (chain, principal) => {
      const left = limitedIn(chain).flatMap(({ one }) => (leavesOut(one, principal) ? [one] : []));
      if (left.length === 0) return chain;
      const key = JSON.stringify(left.map(({ address }) => address));
      return getOrAdd(chains(chain), key, () =>
        chain.map((link) => (left.includes(link.one) ? { ...link, one: idle(link.one) } : link)),
      );
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
