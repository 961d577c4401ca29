import { claimsReader, namesReader, reachFor } from '../../effective/claim-reader.ts';
import type { Claim } from '../../effective/claims.ts';
import { compareLimits } from '../../effective/compare-limits.ts';
import { ALL, holds, nameIndex, startIndex, type Names } from '../../effective/reach.ts';
import { undoingReader } from '../../effective/undoing.ts';
import { getOrAdd, groupBy, memoize } from '../../model/collect.ts';
import type { ChainLink, Principal } from '../../model/principal.ts';
import type { PrincipalClass } from './classes.ts';
import { groupAlike, isKept, movingIn, type KeptPart, type LackedPart } from './kept-parts.ts';
import { makeModel, narrower, versionsOf, type Model } from './models.ts';
import type { NewName } from './new-names.ts';
import { concerns } from './taken-off.ts';
import type { World } from './weakenings.ts';

/** Whether there may be as many more looks; counts the clients for whom there may not. */
export type MayLook = (more: number, whom: readonly Principal[]) => boolean;

/** What protects a topic by a name that nobody had does so as soon as there is the name, and what nobody decrypts by it is closed from then on. */
export function findProtectedFirst(
  classes: readonly PrincipalClass[],
  first: readonly NewName[],
  world: Pick<World, 'kinds' | 'protectionOf'>,
  mayLook: MayLook,
): readonly KeptPart[] {
  if (first.length === 0) return [];
  const nearIn = new Map(
    Array.from(
      groupBy(first, ({ virtualCluster }) => virtualCluster),
      ([of, names]) => [of, startIndex(names, ({ is: name }) => ({ type: 'one', name }))] as const,
    ),
  );
  const dependsOn = namesReader(world.kinds);
  return classes.flatMap((one) => {
    const isByUser = one.links.flatMap(versionsOf).some((link) => dependsOn(link, ['username']));
    return groupAlike(one.principals, true, isByUser).flatMap((whom) => {
      const near = nearIn.get(whom[0].virtualCluster);
      return near === undefined ? [] : keepFirst(one, whom, near, world, mayLook);
    });
  });
}

/** Something that an interceptor protects for a client, and where. */
type Own = {
  readonly protection: string;
  readonly by: ChainLink;
  readonly claim: Claim;
  readonly topics: Names;
};

function keepFirst(
  one: PrincipalClass,
  whom: readonly [Principal, ...Principal[]],
  near: (topics: Names) => readonly NewName[],
  { kinds, protectionOf }: Pick<World, 'kinds' | 'protectionOf'>,
  mayLook: MayLook,
): readonly KeptPart[] {
  const [principal] = whom;
  const { undoesOf, liftsBy } = undoingReader(kinds);
  const moving = movingIn(one);
  const protectedBy = (by: ChainLink): readonly Own[] =>
    claimsReader(kinds)(by).flatMap((claim) => {
      const reach = reachFor(claim, principal);
      if (reach === undefined) return [];
      return protectionOf(by).map((protection) => ({
        ...{ protection, by, claim, topics: reach.get('topic') ?? ALL },
      }));
    });
  const after = one.after.flatMap(({ one: link }) => protectedBy(link));
  const isMoving = ({ by }: Own): boolean => moving.names.has(by.name);
  const running = new Set(one.after.map(({ one: link }) => link.address));
  const isShown = ({ through }: NewName): boolean => through === undefined || running.has(through);
  const staying = new Set(after.filter((own) => !isMoving(own)));
  const links = moving.links.flatMap(versionsOf);
  const alike = groupBy([...links.flatMap(protectedBy), ...staying], aboutOf);
  const undoing = groupBy(links, (link) => undoesOf(link)?.protection);
  const places = new Map(links.map((link, at) => [link, at]));
  const within = narrower({ ...one, links: moving.links });
  const models = new Map<string, { readonly model: Model; readonly parts: LackedPart[] }>();
  const keep = (
    own: Own,
    { is, from }: NewName,
    counting: readonly ChainLink[],
    aim: 'one' | 'none',
  ): void => {
    const { protection, by, claim } = own;
    const key = JSON.stringify([protection, from, aim, counting.map((link) => places.get(link))]);
    const { parts } = getOrAdd(models, key, () => {
      const counts = new Set(counting);
      const isOne = (link: ChainLink): boolean => counts.has(link);
      return {
        model: makeModel(within(counts), protection, isOne, { aim, since: from }),
        parts: [],
      };
    });
    const loss = aim === 'one' ? 'whole' : 'undone';
    parts.push({ protection, by, claim, topics: { type: 'one', name: is }, loss, certainty: 'weaker' });
  };
  for (const own of after) {
    const { protection, claim, topics } = own;
    const opening = undoing.get(protection) ?? [];
    if (!isMoving(own) && opening.length === 0) continue;
    const names = near(topics).filter(({ is }) => holds(topics, is) === 'yes');
    const rivals: readonly Own[] = isMoving(own) && names.length > 0 ? (alike.get(aboutOf(own)) ?? []) : [];
    if (!mayLook(names.length * (opening.length + 1) + rivals.length, whom)) return [];
    const find = nameIndex(rivals, (other) => other.topics);
    const compare = memoize((other: Own) => compareLimits(claim, other.claim));
    for (const name of names) {
      if (!concerns(name, protection) || !isShown(name)) continue;
      const opens = opening.filter((link) => liftsBy(link, claim, name.is));
      if (opens.length > 0) keep(own, name, opens, 'none');
      const keepers = find([name.is]).filter(
        (other) => holds(other.topics, name.is) === 'yes' && compare(other).verdict === 'yes',
      );
      // What stays protects it throughout.
      if (keepers.length === 0 || keepers.some((other) => staying.has(other))) continue;
      keep(
        own,
        name,
        keepers.map((other) => other.by),
        'one',
      );
    }
  }
  return [...models.values()]
    .filter(({ model }) => isKept(model))
    .map((each) => ({ ...each, principals: whom.length, whom }));
}

/** What is about the same, on whichever topics, by interceptors of one class. */
function aboutOf({ protection, by, claim }: Own): string {
  return JSON.stringify([protection, by.pluginClass, claim.facet, claim.name]);
}
