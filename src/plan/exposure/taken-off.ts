import type { Topics } from '../../effective/reach.ts';
import { topicsOf } from '../../effective/topics.ts';
import { otherNameJudge, type TopicNames, undoingClasses, undoneFinder } from '../../effective/undone.ts';
import { listPrincipals } from '../../effective/principals.ts';
import { linksIn, makeEffectiveState } from '../../effective/effective-state.ts';
import { strengthsOf, weakeningJudge, type Weakened } from '../../effective/weakening.ts';
import { addTo, groupBy } from '../../model/collect.ts';
import { parsePointer, printPointer, valueAt } from '../../model/json/json.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import { PASSTHROUGH, type Chain, type ChainLink, type Principal } from '../../model/principal.ts';
import type { KindSet } from '../../model/kind.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { hasHidden, HIDDEN } from '../../model/secrets/secrets.ts';
import { afterOf, beforeOf, idOf, type ChangeId, type DraftChange } from '../change/change.ts';
import type { Weakening } from '../change/plan.ts';
import { applyTo, listRenamed, pairChains, type PrincipalClass, type Renamed } from './classes.ts';
import { findChanges, tellWeakenings, topicsIn, type Told, type World } from './weakenings.ts';

// What clients read without its protection although no interceptor that protects has changed.

/** What changes let clients read without the protection that interceptors give it for others, as decryption does. */
export function findUndone(
  classes: readonly PrincipalClass[],
  { live, changes, kinds, protectionOf, redaction, topics }: World,
): readonly Weakening[] {
  const undoesOf = undoingClasses(kinds);
  const find = undoneFinder({
    protectionOf,
    strengthOf: strengthsOf(kinds),
    undoesOf,
    topicsIn: topicsIn(() => [live, applyTo(live, changes)], { kinds, redaction, topics }),
  });
  const isUndoing = ({ one }: Chain[number]): boolean => undoesOf(one.pluginClass) !== undefined;
  let protecting: readonly ChainLink[] | undefined;
  return classes.flatMap((one) => {
    if (!one.after.some(isUndoing)) return [];
    protecting ??= [...live].flatMap(([address, resource]) => linksIn(address, resource, kinds));
    return one.principals.flatMap((principal) => {
      const found = find(one, principal, protecting ?? []);
      return [...groupBy(found, ({ through }) => through.address).values()].flatMap((group) => {
        const from = findChanges(group[0].through, one);
        const weakened = group.map((each): Weakened => ({ ...each, ...BY_ANOTHER, loss: 'undone' }));
        return tellWeakenings(weakened, () => from, redaction).map((told) => ({ ...principal, ...told }));
      });
    });
  });
}

const BY_ANOTHER = { fields: [], against: [] } as const;

/** What objects enforce themselves, and no longer do with their changes. */
export function findLoosened({ changes, ...world }: World): readonly Weakening[] {
  const { live, kinds } = world;
  const renamed = listRenamed(live, changes, kinds);
  const own = changes.flatMap((change) =>
    loosenedBy(change.address, [beforeOf(change), afterOf(change)], idOf(change), world, renamed),
  );
  if (renamed.length === 0) return own;
  const changed = new Set(changes.map(({ address }) => address));
  const [{ by }] = renamed as [Renamed]; // has one
  const others = [...live].flatMap(([address, one]) =>
    changed.has(address) ? [] : loosenedBy(address, [one, one], by, world, renamed),
  );
  return [...own, ...others];
}

function loosenedBy(
  address: Address,
  [before, after]: readonly [Resource | undefined, Resource | undefined],
  from: ChangeId,
  { live, kinds, redaction }: Omit<World, 'changes'>,
  renamed: readonly Renamed[],
): readonly Weakening[] {
  const kind = kinds.get(kindOf(address));
  if (kind?.loosens === undefined || before === undefined || after === undefined) return [];
  const was = renamed.reduce(
    (one, { was: former, is }) => kind.renaming?.(one, former, is) ?? one,
    withDefaults(kind, before),
  );
  const found = kind.loosens(was, withDefaults(kind, after));
  return found.flatMap(({ protection, what, at, virtualCluster, who, ...lost }): readonly Weakening[] => {
    const isOne = 'username' in who;
    const fields = [isOne ? printPointer(parsePointer(at).slice(0, -1)) : at];
    const parts: Weakening['parts'] = [{ what, names: [], ...lost }];
    const told = {
      protection,
      certainty: isOne || redaction.showsAt(address, at) ? 'weaker' : 'hidden',
      by: address,
      fields,
      parts,
      from: [from],
    } as const;
    if (isOne) {
      const username = redaction.showsAt(address, at) ? who.username : HIDDEN;
      return [{ virtualCluster, username, groups: [], ...told }];
    }
    return listPrincipals(makeEffectiveState(live, kinds)).flatMap((one) =>
      one.virtualCluster === virtualCluster && !who.allBut.includes(one.username ?? '')
        ? [{ ...one, ...told }]
        : [],
    );
  });
}

/** Topics that changes give another name, by which they are protected less than by the names that clients have for them. */
export function findOtherNames({
  live,
  changes,
  kinds,
  protectionOf,
  redaction,
}: World): readonly Weakening[] {
  const renamed = findNewNames(changes, live, kinds);
  if (renamed.length === 0) return [];
  const options = { protectionOf, strengthOf: strengthsOf(kinds) };
  const judge = otherNameJudge(options);
  const { namesUsers } = weakeningJudge({ ...options, topicsIn: () => [] });
  const pairsIn = pairChains(live, changes, kinds);
  return renamed.flatMap(({ from, virtualCluster, ...names }) =>
    pairsIn(virtualCluster).flatMap(({ principals, ...chains }) => {
      const tell = (principal: Principal): readonly Told[] => {
        const found = judge(chains, principal, names);
        const weakened = found.map((each): Weakened => ({
          ...each,
          ...BY_ANOTHER,
          loss: 'whole',
          topics: [names.is],
        }));
        return tellWeakenings(weakened, () => [from], redaction);
      };
      const isByUser = [...chains.before, ...chains.after].some(({ one }) => namesUsers(one));
      const ofAll = isByUser ? undefined : tell(principals[0]);
      if (ofAll?.length === 0) return [];
      return principals.flatMap((principal) =>
        (ofAll ?? tell(principal)).map((told) => ({ ...principal, ...told })),
      );
    }),
  );
}

type NewName = TopicNames & { readonly virtualCluster: string; readonly from: ChangeId };

/** The new names of topics for which clients of the same virtual cluster have another name, or in which topics of theirs are stored. */
function findNewNames(
  changes: readonly DraftChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
): readonly NewName[] {
  let known: ReturnType<typeof readNames> | undefined;
  return changes.flatMap((change): readonly NewName[] => {
    const [before, after] = [beforeOf(change), afterOf(change)].map((one) => one && nameOf(one, kinds));
    if (after === undefined || before?.target === after.target) return [];
    const { name: is, virtualCluster, target } = after;
    const from = idOf(change);
    if (hasHidden(target)) return [{ virtualCluster, was: HIDDEN, stored: [], is, from }];
    known ??= readNames(live.values(), kinds);
    const stored = [
      ...(known.stored.get(JSON.stringify([virtualCluster, after.topic])) ?? []),
      ...after.stored,
    ];
    const was = [...(known.names.get(target) ?? []), ...after.itself].filter((name) => name !== is);
    return was.length + stored.length === 0 ? [] : [{ virtualCluster, was, stored, is, from }];
  });
}

/** The names of topics that clients have by another one, and the topics that physical topics hold. */
function readNames(live: Iterable<Resource>, kinds: KindSet) {
  const [names, stored] = [new Map<string, string[]>(), new Map<string, Topics[]>()];
  for (const one of live) {
    const named = nameOf(one, kinds);
    if (named !== undefined) addTo(names, named.target, named.name);
    const { storedIn = [] } = kinds.get(one.kind) ?? {};
    const own = storedIn.length === 0 ? undefined : topicsOf(one, kinds);
    for (const place of storedIn) {
      const topic = valueAt({ metadata: one.metadata, spec: one.spec }, place);
      if (own !== undefined && typeof topic === 'string' && !hasHidden(own.topics))
        addTo(stored, JSON.stringify([own.virtualCluster, topic]), own.topics);
    }
  }
  return { names, stored };
}

/** A name of a topic, and which topic in which virtual cluster that is. */
type Named = {
  readonly name: string;
  readonly virtualCluster: string;
  readonly topic: string;
  readonly target: string;
  /** The names that it has without an object, where its clients see it as it is. */
  readonly itself: readonly string[];
  /** The topic of the virtual cluster that it is, if it has the prefix of the topics of that. */
  readonly stored: readonly Topics[];
};

function nameOf(resource: Resource, kinds: KindSet): Named | undefined {
  const kind = kinds.get(resource.kind);
  if (kind?.standsFor === undefined) return undefined;
  const { metadata, spec } = withDefaults(kind, resource);
  const { name, vCluster = PASSTHROUGH } = metadata;
  const [topic, ...rest] = kind.standsFor.map((place) => valueAt({ metadata, spec }, place) ?? null);
  if (typeof topic !== 'string' || typeof vCluster !== 'string') return undefined;
  const isItself = vCluster === PASSTHROUGH;
  const isOwn = !isItself && topic.startsWith(vCluster) && topic !== vCluster;
  return {
    name,
    virtualCluster: vCluster,
    topic,
    target: JSON.stringify([vCluster, topic, ...rest]),
    itself: isItself ? [topic] : [],
    stored: isOwn ? [{ type: 'one', name: topic.slice(vCluster.length) }] : [],
  };
}
