import { textOfTopics, type Topics } from '../../effective/reach.ts';
import { dependOnUser } from '../../effective/claim-reader.ts';
import type { ProtectionOf } from '../../effective/protection.ts';
import { topicsOf } from '../../effective/topics.ts';
import { weakeningJudge, type Weakened } from '../../effective/weakening.ts';
import { getOrAdd, groupBy, memoize } from '../../model/collect.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { ChainLink, Principal } from '../../model/principal.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { isStep, type ChangeId } from '../change/change.ts';
import type { WeakenedPart, Weakening } from '../change/plan.ts';
import type { ChainRedaction } from '../secrets/hide-in-chains.ts';
import type { PrincipalClass } from './classes.ts';
import { applyTo, type Transition } from './moved-clients.ts';
import { linkOf, type LinkTimeline, type Timeline } from './models.ts';

export type World = Transition & {
  readonly protectionOf: ProtectionOf;
  readonly redaction: ChainRedaction;
  /** Topics of each virtual cluster, beside those that objects are. */
  readonly topics?: readonly string[] | undefined;
};

/** The same world, with resources as they can be judged. */
export function judgeableWorld({ live, changes, ...world }: World): World {
  const { judgedAt } = world.redaction;
  let open: World['live'] | undefined;
  return {
    ...world,
    get live() {
      return (open ??= new Map(
        Array.from(live, ([address, one]) => [address, judgedAt(address, 'before') ?? one] as const),
      ));
    },
    changes: changes.map((change) => {
      if (isStep(change)) return change;
      const [before, after] = [judgedAt(change.address, 'before'), judgedAt(change.address, 'after')];
      if (before === undefined && after === undefined) return change;
      return {
        ...change,
        ...('before' in change && before !== undefined ? { before } : {}),
        ...('after' in change && after !== undefined ? { after } : {}),
      }; // the same sort of change, with other values
    }),
  };
}

/** The protection of principals that gets weaker with changes. Those for whom the same is judged share the lists. */
export function findWeakenings(
  classes: readonly PrincipalClass[],
  { live, changes, ...world }: World,
): readonly Weakening[] {
  const tell = weakeningTeller(() => [live, applyTo(live, changes)], world);
  return classes.flatMap((one) => {
    const told = tell(one);
    return one.principals.flatMap((principal) =>
      told(principal).map((weakening) => ({ ...principal, ...weakening })),
    );
  });
}

export type Told = Omit<Weakening, keyof Principal>;

/** The same for each of these principals. */
export function tellEach(principals: readonly Principal[], told: readonly Told[]): readonly Weakening[] {
  return principals.flatMap((principal) => told.map((one) => ({ ...principal, ...one })));
}

/** Tells of chains what gets weaker for a principal. `states` have the topics. */
export function weakeningTeller(
  states: () => readonly ReadonlyMap<Address, Resource>[],
  { kinds, protectionOf, redaction, topics: ofAll }: Omit<World, 'live' | 'changes'>,
): (one: Omit<PrincipalClass, 'principals'>) => (principal: Principal) => readonly Told[] {
  const judge = weakeningJudge({
    protectionOf,
    kinds,
    topicsIn: topicsIn(states, { kinds, redaction, topics: ofAll }),
  });
  return (one) => {
    const { before, after } = one;
    const isByUser = dependOnUser([before, after], kinds);
    const known = new Map<string, readonly Told[]>();
    return (principal) => {
      const { virtualCluster, username } = principal;
      return getOrAdd(known, JSON.stringify([virtualCluster, isByUser ? username : null]), () =>
        tellWeakenings(judge(before, after, principal), (by) => findChanges(by, one), redaction),
      );
    };
  };
}

/** The known topics of the clients of a virtual cluster. An expression that is a secret says nothing. */
export function topicsIn(
  states: () => readonly ReadonlyMap<Address, Resource>[],
  { kinds, redaction, topics: ofAll = [] }: Pick<World, 'kinds' | 'redaction' | 'topics'>,
): (virtualCluster: string) => readonly Topics[] {
  const named = ofAll.map((name): Topics => ({ type: 'one', name }));
  const together = (own: readonly Topics[]): readonly Topics[] => {
    const byText = new Map(
      [...own, ...named].map((topics) => [`${topics.type} ${textOfTopics(topics)}`, topics]),
    );
    return [...byText.values()].sort((one, other) => (textOfTopics(one) < textOfTopics(other) ? -1 : 1));
  };
  let known: ReadonlyMap<string, readonly Topics[]> | undefined;
  const findAll = (): ReadonlyMap<string, readonly Topics[]> => {
    const found = states().flatMap((state) =>
      [...state].flatMap(([address, resource]) => {
        const one = topicsOf(resource, kinds);
        return one === undefined || (one.topics.type !== 'one' && !redaction.showsAt(address, one.at))
          ? []
          : [one];
      }),
    );
    const groups = groupBy(found, ({ virtualCluster }) => virtualCluster);
    return new Map(
      Array.from(groups, ([virtualCluster, own]) => [
        virtualCluster,
        together(own.map(({ topics }) => topics)),
      ]),
    );
  };
  return (virtualCluster) => (known ??= findAll()).get(virtualCluster) ?? named;
}

/** By protection, certainty and interceptor. */
export function tellWeakenings(
  found: readonly Weakened[],
  changesOf: (by: ChainLink) => readonly ChangeId[],
  redaction: ChainRedaction,
): readonly Told[] {
  const groups = groupBy(found, ({ protection, certainty, by }) =>
    JSON.stringify([protection, certainty, by.address]),
  );
  return Array.from(groups.values(), (group) => {
    const [{ protection, certainty, by }] = group;
    const fields = [...new Set(group.flatMap(({ fields: some }) => some))].sort();
    const parts = partsOf(group, redaction);
    return { protection, certainty, by: by.address, fields, parts, from: changesOf(by) };
  });
}

/** Many are compared with the same interceptors. */
const shownBy = memoize<ChainRedaction, (links: readonly ChainLink[]) => Map<Pointer, boolean>>(() =>
  memoize(() => new Map()),
);

function showAllAt(links: readonly ChainLink[], at: Pointer, redaction: ChainRedaction): boolean {
  return getOrAdd(shownBy(redaction)(links), at, () =>
    links.every(({ address }) => redaction.showsAt(address, at)),
  );
}

/** What is weakened alike is one part. */
function partsOf(group: readonly Weakened[], redaction: ChainRedaction): readonly WeakenedPart[] {
  const parts = group.map(({ by, claim, loss, topics, against }): WeakenedPart => {
    const pattern = claim.limits.find(
      ({ strength }) => strength.type === 'reach' && strength.axis === 'topic',
    );
    const isShown =
      pattern === undefined ||
      (redaction.showsAt(by.address, pattern.at) && showAllAt(against, pattern.at, redaction));
    const name = claim.name === null || redaction.showsAt(by.address, claim.at) ? claim.name : HIDDEN;
    return {
      what: claim.what,
      names: [
        claim.what === 'interceptor' ? by.pluginClass.replace(/^.*\./, '') : (name ?? claim.label ?? []),
      ].flat(),
      loss,
      topics: isShown ? topics : null,
      pattern: isShown && typeof pattern?.value === 'string' ? pattern.value : null,
    };
  });
  const alike = groupBy(parts, ({ names: _, ...rest }) => JSON.stringify(rest));
  return Array.from(alike.values(), (same) => ({
    ...same[0],
    names: [...new Set(same.flatMap(({ names }) => names))].sort(),
  }));
}

/** The changes by which an interceptor no longer runs as it did: its own, of those that take its place, or of memberships. */
export function findChanges(
  { address, name }: ChainLink,
  { links, memberships }: Pick<PrincipalClass, 'links' | 'memberships'>,
): readonly ChangeId[] {
  const { byAddress, byName, all } = changesIn(links);
  const own = byAddress.get(address) ?? [];
  if (own.length > 0) return own;
  const near = [...new Set([...(byName.get(name) ?? []), ...idsOf(memberships.values())])];
  return near.length > 0 ? near : all;
}

const changesIn = memoize((links: readonly LinkTimeline[]) => {
  const by = (keyOf: (link: ChainLink) => string): ReadonlyMap<string, readonly ChangeId[]> =>
    new Map(
      Array.from(
        groupBy(links, (timeline) => keyOf(linkOf(timeline))),
        ([key, own]) => [key, idsOf(own)] as const,
      ),
    );
  return { byAddress: by((link) => link.address), byName: by((link) => link.name), all: idsOf(links) };
});

function idsOf(timelines: Iterable<Timeline<unknown>>): readonly ChangeId[] {
  const ids = new Set<ChangeId>();
  for (const { steps } of timelines) for (const { id } of steps) ids.add(id);
  return [...ids];
}
