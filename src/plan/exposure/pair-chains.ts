import { makeAudience } from '../../effective/audience.ts';
import { chainsOf } from '../../effective/effective-state.ts';
import { listPrincipals } from '../../effective/principals.ts';
import { groupBy } from '../../model/collect.ts';
import type { Chain, Principal } from '../../model/principal.ts';
import { listFollowed, statesOf, type Transition } from './moved-clients.ts';
import { groupsOf, listPresent } from './list-present.ts';

/** Principals with the same chains before and after the changes. */
type ChainPair = {
  readonly before: Chain;
  readonly after: Chain;
  readonly principals: readonly Principal[];
};

/**
 * The principals of a virtual cluster that are there before and after, also those that no change concerns; of a new one all, for whom
 * nothing ran before.
 */
export function pairChains({
  live,
  changes,
  kinds,
}: Transition): (virtualCluster: string) => readonly ChainPair[] {
  const [before, after] = statesOf({ live, changes, kinds });
  const [chainBefore, chainAfter] = [chainsOf(before), chainsOf(after)];
  const { chainFor } = makeAudience({ kinds, states: [before, after], showsAt: () => true });
  const followed = [
    ...listPresent(before, after).flatMap(({ principal, isLasting }) =>
      isLasting ? [{ principal, was: principal }] : [],
    ),
    ...listFollowed({ live, changes, kinds }).filter(
      ({ principal, was }) => principal.virtualCluster === was.virtualCluster,
    ),
  ];
  const inClusters = groupBy(followed, ({ principal }) => principal.virtualCluster);
  const NOTHING: Chain = [];
  let all: ReadonlyMap<string, readonly Principal[]> | undefined;
  const newIn = (virtualCluster: string) => {
    all ??= groupBy(listPrincipals(after), (one) => one.virtualCluster);
    return (all.get(virtualCluster) ?? []).map((principal) => ({ principal, was: undefined }));
  };
  return (virtualCluster) => {
    const own = (inClusters.get(virtualCluster) ?? newIn(virtualCluster)).map(({ principal, was }) => ({
      ...{ principal, after: chainFor(chainAfter(principal), principal) },
      before:
        was === undefined ? NOTHING : chainFor(chainBefore({ ...was, groups: groupsOf(was, before) }), was),
    }));
    return [...groupBy(own, (one) => one.before).values()].flatMap((from) =>
      Array.from(groupBy(from, (one) => one.after).values(), (alike): ChainPair => ({
        ...{ before: alike[0].before, after: alike[0].after },
        principals: alike.map(({ principal }) => principal),
      })),
    );
  };
}
