import {
  claimsReader,
  namesReader,
  nearReader,
  topicsOfClaim,
  type NearTopics,
} from '../../effective/claim-reader.ts';
import type { Claim } from '../../effective/claims.ts';
import { linksIn } from '../../effective/effective-state.ts';
import { holds, type Topics, type Verdict } from '../../effective/reach.ts';
import { topicsKept } from '../../effective/other-names.ts';
import { undoingReader } from '../../effective/undoing.ts';
import { doSame } from '../../effective/weakening.ts';
import { getOrAdd, groupBy, memoize } from '../../model/collect.ts';
import type { KindSet, Undoes } from '../../model/kind.ts';
import { standsForMany, type Chain, type ChainLink } from '../../model/principal.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import type { Classes, PrincipalClass } from './classes.ts';
import { findProtectedFirst, type MayLook } from './protected-first.ts';
import {
  findKeptParts,
  groupAlike,
  keepTogether,
  movingIn,
  type Kept,
  type KeptPart,
  type KeptParts,
} from './kept-parts.ts';
import { makeModel, narrower, versionsOf, type Setting } from './models.ts';
import { findFirstNames, type NewName } from './new-names.ts';
import { concerns, listOtherNames } from './taken-off.ts';
import { judgeableWorld, type World } from './weakenings.ts';

// What clients could get in clear between two calls although no interceptor that protects goes: a topic by a name that is not protected
// yet, and what is decrypted for a moment.

/**
 * What clients keep of protections, so that no order should take it from them for a while. Of those that come, that is what protects a
 * topic by a new name for anybody in a new virtual cluster; what an account lacks while it comes is not looked at.
 */
export function findKept({ lasting, coming }: Classes, world: World): KeptParts {
  const anybody = coming.flatMap((one) => {
    const principals = one.principals.filter(standsForMany);
    return principals.length === 0 ? [] : [{ ...one, principals }];
  });
  const parts = findKeptParts(lasting, world);
  const passing = findPassing(lasting, anybody, world);
  return { kept: [...parts.kept, ...passing.kept], unjudged: parts.unjudged + passing.unjudged };
}

/** As many interceptors are asked for claims in one plan. */
const MOST_LOOKS = 500_000;

function findPassing(
  lasting: readonly PrincipalClass[],
  coming: readonly PrincipalClass[],
  world: World,
): KeptParts {
  if (lasting.length + coming.length === 0) return { kept: [], unjudged: 0 };
  let [looks, unjudged] = [0, 0];
  const mayLook: MayLook = (more, whom) => {
    looks += more;
    if (looks > MOST_LOOKS) unjudged += whom.length;
    return looks <= MOST_LOOKS;
  };
  const judged = judgeableWorld(world);
  const others = listOtherNames(judged);
  const first = findFirstNames(judged, others.renamed);
  const kept = [
    ...findNamesBehind([...lasting, ...coming], others, judged, mayLook),
    ...findProtectedFirst([...lasting, ...coming], first, judged, mayLook),
    ...findOpenings(lasting, judged, mayLook),
  ];
  return { kept, unjudged };
}

/** New names of topics that are protected by their names so far, and by the new one only once other changes are made. */
function findNamesBehind(
  classes: readonly PrincipalClass[],
  { renamed, judgeIn, namesNear }: ReturnType<typeof listOtherNames>,
  world: World,
  mayLook: MayLook,
): readonly KeptPart[] {
  const inCluster = groupBy(
    renamed.filter(({ was }) => was !== HIDDEN),
    (name) => name.virtualCluster,
  );
  if (inCluster.size === 0) return [];
  const nearIn = new Map(Array.from(inCluster, ([of, names]) => [of, namesNear(names)] as const));
  const [keptOn, namesOf] = [topicsKept(world), namesReader(world.kinds)];
  const { near } = nearReader(world.kinds);
  const { undoesOf, liftsBy } = undoingReader(world.kinds);
  return classes.flatMap((one) => {
    const moving = movingIn(one);
    if (moving.links.length === 0) return [];
    const within = narrower({ ...one, links: moving.links });
    const nearMoving = near(moving.links.flatMap(versionsOf));
    const isByUser = one.links.flatMap(versionsOf).some((link) => namesOf(link, ['username']));
    return groupAlike(one.principals, true, isByUser).flatMap((whom) => {
      const [principal] = whom;
      const names = nearIn.get(principal.virtualCluster)?.(one.before) ?? [];
      if (names.length === 0) return [];
      const linksBy = ({ is: name }: NewName) => nearMoving({ type: 'one', name });
      const looked = names.reduce((sum, name) => sum + linksBy(name).length, one.links.length);
      if (!mayLook(looked, whom)) return [];
      const judge = judgeIn(one, principal);
      const kept = names.flatMap((name) =>
        judge(name).flatMap(({ verdict, holders, left, isHidden, ...lost }): readonly Kept[] => {
          if (isHidden || !concerns(name, lost.protection)) return [];
          const topics = { type: 'one', name: name.is } as const;
          const opens = (link: ChainLink): boolean =>
            undoesOf(link)?.protection === lost.protection && liftsBy(link, lost.claim, name.is);
          const links = linksBy(name);
          const modelOf = (protection: string, counts: (link: ChainLink) => boolean, aim: 'one' | 'none') => {
            const counting = new Set(links.filter(counts));
            const isOne = (link: ChainLink): boolean => counting.has(link);
            return makeModel(within(counting), protection, isOne, { aim, since: name.from });
          };
          const closed: Kept = {
            part: { ...lost, topics, loss: 'undone', certainty: 'weaker' },
            model: modelOf(lost.protection, opens, 'none'),
          };
          const whole = verdict === 'yes' ? [{ ...lost, holders }] : [];
          const others = left.map((own) => ({ ...own, holders: [own.by] }));
          const protectedBy = [...whole, ...others].flatMap(({ holders, ...own }): readonly Kept[] => {
            // What stays protects it throughout.
            if (holders.some((link) => !moving.names.has(link.name))) return [];
            const kept = keptOn(own, principal);
            const counts = (link: ChainLink): boolean =>
              kept(link).some((all) => holds(all, name.is) === 'yes');
            const model = modelOf(own.protection, counts, 'one');
            return [{ part: { ...own, topics, loss: 'whole', certainty: 'weaker' }, model }];
          });
          return [...protectedBy, closed];
        }),
      );
      return keepTogether(whom, kept);
    });
  });
}

/** What masks before changes or after them, and what takes encryption off only on the other side. */
type Side = { readonly masks: readonly ChainLink[]; readonly others: readonly ChainLink[] };

/** What nobody takes the encryption off before and after, what is masked after that, and what is masked before the changes or after them, and encrypted otherwise. */
function findOpenings(
  classes: readonly PrincipalClass[],
  world: World,
  mayLook: MayLook,
): readonly KeptPart[] {
  const { live, kinds, protectionOf } = world;
  const { isUndoing, undoesOf, lifts } = undoingReader(kinds);
  const [read, { near, topicsOf }] = [claimsReader(kinds), nearReader(kinds)];
  let protecting: readonly ChainLink[] | undefined;
  // What an interceptor takes off is found once: many clients have the same ones.
  const liftedBy = memoize((link: ChainLink) =>
    (protecting ??= [...live].flatMap(([address, resource]) => linksIn(address, resource, kinds))).flatMap(
      (by) => {
        const undoes = undoesOf(link);
        if (undoes === undefined || !protectionOf(by).includes(undoes.protection)) return [];
        return read(by).flatMap((claim) => {
          const verdict = lifts(link, claim);
          return verdict === 'no' ? [] : [{ by, claim, verdict }];
        });
      },
    ),
  );
  return classes.flatMap((one) => {
    const versions = one.links.flatMap(versionsOf);
    const undoing = versions.filter(isUndoing);
    const [first] = undoing;
    const undoes = first && undoesOf(first);
    if (undoes === undefined) return [];
    const around = { within: narrower(one), near: near(versions), undoes, kinds };
    return groupAlike(one.principals, true, false).flatMap((whom) => {
      const [{ virtualCluster }] = whom;
      const sideOf = (chain: Chain): Side => ({
        masks: chain.flatMap(({ one: by }) => (protectionOf(by).includes(undoes.after) ? by : [])),
        others: undoing.filter((link) => !chain.some((own) => doSame(own.one, link))),
      });
      const [then, now] = [sideOf(one.before), sideOf(one.after)];
      const masked = [...then.masks, ...(then.others.length === 0 ? [] : now.masks)];
      const looked = masked.reduce((sum, link) => sum + around.near(topicsOf(link)).length, 0);
      if (!mayLook(looked, whom)) return [];
      const lifted = new Map<Claim, Lifted>();
      for (const link of undoing)
        for (const { by, claim, verdict } of liftedBy(link))
          if ((by.scope['vCluster'] ?? virtualCluster) === virtualCluster)
            getOrAdd(lifted, claim, () => ({ by, through: new Map() })).through.set(link, verdict);
      if (!mayLook(lifted.size, whom)) return [];
      return keepTogether(whom, [
        ...[...lifted].flatMap(([claim, by]) => keepClosed(claim, by, around)),
        ...keepLate(then.masks, around),
        ...keepEither(then.masks, now, around),
        ...keepEither(now.masks, then, around),
      ]);
    });
  });
}

/** What is protected, and which interceptors take it off. */
type Lifted = { readonly by: ChainLink; readonly through: Map<ChainLink, Verdict> };
type Around = {
  readonly within: (some: Iterable<ChainLink>) => Setting;
  /** Of all interceptors that the clients have at any time. */
  readonly near: NearTopics;
  readonly undoes: Undoes;
  readonly kinds: KindSet;
};

/** What nobody takes the encryption off, on all its topics, on those that a pattern names, and on those that others do not have. */
function keepClosed(
  claim: Claim,
  { by, through }: Lifted,
  { within, undoes: { protection }, kinds }: Around,
): readonly Kept[] {
  const { topicsNamed, coverAll, lifts } = undoingReader(kinds);
  const certainty = [...through.values()].includes('unknown') ? 'cannot-tell' : 'weaker';
  const links = [...through.keys()];
  const setting = within(links);
  const keptOn = (topics: Topics | undefined, counts: (link: ChainLink) => boolean): Kept => ({
    part: { protection, by, claim, topics, loss: 'undone', certainty },
    model: makeModel(setting, protection, (link) => through.has(link) && counts(link), { aim: 'none' }),
  });
  const pieces = links.length < 2 ? [] : links.flatMap(topicsNamed);
  const beyond = links.flatMap((link) => {
    const others = links.filter((one) => !coverAll([one], link, claim));
    return others.length === 0 || coverAll(others, link, claim) ? [] : [new Set(others)];
  });
  return [
    keptOn(undefined, () => true),
    ...pieces.map((topics) => keptOn(topics, (link) => lifts(link, claim, topics) !== 'no')),
    ...beyond.map((others) => keptOn(undefined, (link) => !others.has(link))),
  ];
}

/** What is masked after it is in clear. */
function keepLate(
  masks: readonly ChainLink[],
  { within, near, undoes: { after: protection }, kinds }: Around,
): readonly Kept[] {
  const { lifts, protects, runsLate } = undoingReader(kinds);
  return masks.flatMap((by) =>
    claimsReader(kinds)(by).map((claim): Kept => {
      const isMask = (link: ChainLink): boolean =>
        link.pluginClass === by.pluginClass && protects(link, claim);
      const counting = new Set(
        near(topicsOfClaim(claim)).filter((link) => isMask(link) || lifts(link, claim) !== 'no'),
      );
      return {
        part: { protection, by, claim, loss: 'undone', certainty: 'cannot-tell' },
        model: makeModel(within(counting), protection, (link) => counting.has(link), {
          // Where nothing masks it, that is told as such.
          aim: (running) => !running.some(isMask) || runsLate(claim, by, running),
        }),
      };
    }),
  );
}

/** What is masked on one side of the changes, and encrypted on the other one, is either of both throughout. */
function keepEither(
  masks: readonly ChainLink[],
  encrypted: Side,
  { within, near, undoes: { after: protection }, kinds }: Around,
): readonly Kept[] {
  if (encrypted.others.length === 0) return [];
  const { lifts, protectsAll } = undoingReader(kinds);
  const nearMasks = nearReader(kinds).near(encrypted.masks);
  return masks.flatMap((by) =>
    claimsReader(kinds)(by).flatMap((claim): readonly Kept[] => {
      const isMask = (link: ChainLink): boolean =>
        link.pluginClass === by.pluginClass && protectsAll(link, claim);
      const opening = encrypted.others.filter((link) => lifts(link, claim) !== 'no');
      const topics = topicsOfClaim(claim);
      if (opening.length === 0 || nearMasks(topics).some(isMask)) return [];
      const counting = new Set([...near(topics).filter(isMask), ...opening]);
      const model = makeModel(within(counting), protection, (link) => counting.has(link), {
        aim: (running) => running.some(isMask) || running.length === 0,
      });
      return [{ part: { protection, by, claim, loss: 'whole', certainty: 'weaker' }, model }];
    }),
  );
}
