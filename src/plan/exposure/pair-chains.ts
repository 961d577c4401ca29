import { groupsOf, identityOf, listPresent } from '../../effective/list-present.ts';
import { makeAudience } from '../../effective/audience.ts';
import { chainsOf } from '../../effective/effective-state.ts';
import { listClusters } from '../../effective/principals.ts';
import { groupBy } from '../../model/collect.ts';
import type { Chain, Principal } from '../../model/principal.ts';
import { listFollowed, statesOf, type Transition } from './moved-clients.ts';

/** Principals with the same chains before and after the changes. */
type ChainPair = {
  readonly before: Chain;
  readonly after: Chain;
  readonly principals: readonly Principal[];
};

/** A principal after the changes, and before; undefined for one in a new virtual cluster, for whom nothing ran. */
type Pair = { readonly principal: Principal; readonly was: Principal | undefined };

/**
 * The principals of a virtual cluster that are there after the changes, also those that no change concerns. Those that come with the
 * changes count as if they had been there before, in the groups that they are in then; in a new virtual cluster, nothing ran for anybody.
 */
export function pairChains({
  live,
  changes,
  kinds,
}: Transition): (virtualCluster: string) => readonly ChainPair[] {
  const [before, after] = statesOf({ live, changes, kinds });
  const [chainBefore, chainAfter] = [chainsOf(before), chainsOf(after)];
  const { chainFor } = makeAudience({ kinds, states: [before, after], showsAt: () => true });
  const clusters = listClusters(before);
  const followed = listFollowed({ live, changes, kinds });
  const comers = new Set(followed.map(({ principal }) => identityOf(principal)));
  const all = [
    ...listPresent(before, after).flatMap(({ principal, isLasting }): readonly Pair[] => {
      if (isLasting) return [{ principal, was: { ...principal, groups: groupsOf(principal, before) } }];
      if (!clusters.has(principal.virtualCluster)) return [{ principal, was: undefined }];
      return comers.has(identityOf(principal)) ? [] : [{ principal, was: principal }];
    }),
    ...followed.flatMap(({ principal, was }): readonly Pair[] =>
      principal.virtualCluster === was.virtualCluster
        ? [{ principal, was: { ...was, groups: groupsOf(was, before) } }]
        : [],
    ),
  ];
  const inClusters = groupBy(all, ({ principal }) => principal.virtualCluster);
  const NOTHING: Chain = [];
  return (virtualCluster) => {
    const own = (inClusters.get(virtualCluster) ?? []).map(({ principal, was }) => ({
      ...{ principal, after: chainFor(chainAfter(principal), principal) },
      before: was === undefined ? NOTHING : chainFor(chainBefore(was), was),
    }));
    return [...groupBy(own, (one) => one.before).values()].flatMap((from) =>
      Array.from(groupBy(from, (one) => one.after).values(), (alike): ChainPair => ({
        ...{ before: alike[0].before, after: alike[0].after },
        principals: alike.map(({ principal }) => principal),
      })),
    );
  };
}
