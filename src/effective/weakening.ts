import { memoize } from '../model/collect.ts';
import { sameJson, valueAt, type Json, type Pointer } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import type { Axis, Strength } from '../model/strength.ts';
import { claimsOf, type Claim } from './claims.ts';
import { compareLimits, placeOf, type Comparison } from './compare-limits.ts';
import type { ProtectionOf } from './protection.ts';
import { areContained, holds, isCovered, reachOf, type Names, type Reach } from './reach.ts';

/** Something that a chain protects less than before. */
export type Weakened = {
  readonly protection: string;
  /** `cannot-tell`: it changes, and which of both is stronger is not documented or cannot be judged. */
  readonly certainty: 'weaker' | 'cannot-tell';
  /** The interceptor that protected it, and what of its config makes the difference; none if the interceptor no longer runs. */
  readonly by: ChainLink;
  readonly fields: readonly Pointer[];
  readonly claim: Claim;
  /** Whether nothing protects it any more, there. */
  readonly loss: 'whole' | 'part';
  /** The known topics where that is so; null if its class has nothing to do with topics. */
  readonly topics: readonly string[] | null;
};

export type JudgeOptions = {
  readonly protectionOf: ProtectionOf;
  /** What is known of a plugin class; undefined for a custom one. */
  readonly strengthOf: (pluginClass: string) => Strength | undefined;
  /** The topics of the clients of a virtual cluster, as far as they are known. */
  readonly topicsIn: (virtualCluster: string) => readonly string[];
};

/** What is known of the classes of interceptors. */
export function strengthsOf(kinds: KindSet): JudgeOptions['strengthOf'] {
  const strengths = new Map(
    [...kinds.values()].flatMap(({ variants }) =>
      (variants?.known ?? []).map(({ name, strength }) => [name, strength] as const),
    ),
  );
  return (pluginClass) => strengths.get(pluginClass);
}

type Applied = { readonly link: ChainLink; readonly claim: Claim; readonly reach: Reach };
type Compared = Applied & Comparison;

type WeakeningJudge = {
  readonly judge: (before: Chain, after: Chain, principal: Principal) => readonly Weakened[];
  /** Whether what an interceptor protects depends on the name of a user. */
  readonly namesUsers: (link: ChainLink) => boolean;
};

/**
 * Judges chains: what the one before protected, and the one after no longer does as strongly, wherever that is. Several interceptors
 * of a class can make good together what one of them no longer does.
 */
export function weakeningJudge({ protectionOf, strengthOf, topicsIn }: JudgeOptions): WeakeningJudge {
  const read = memoize((link: ChainLink) => claimsOf(strengthOf(link.pluginClass), link.config));
  const applied = (link: ChainLink, principal: Principal): readonly Applied[] =>
    read(link).flatMap((claim) => {
      const reach = reachFor(claim, principal);
      return reach === undefined ? [] : [{ link, claim, reach }];
    });

  const judgeFor = (before: Chain, after: Chain, principal: Principal): readonly Weakened[] => {
    const now = after.map(({ one }) => one);
    const isKept = (link: ChainLink, other: ChainLink): boolean =>
      link.pluginClass === other.pluginClass && sameJson(link.config, other.config);
    const changed = before.flatMap(({ one }) => (now.some((link) => isKept(one, link)) ? [] : [one]));
    return changed.flatMap((link) => {
      const same = now.filter(({ pluginClass }) => pluginClass === link.pluginClass);
      const added = now.filter((one) => !before.some(({ one: old }) => isKept(old, one)));
      return protectionOf(link).flatMap((protection) => {
        const gives = (one: ChainLink): boolean => protectionOf(one).includes(protection);
        if (!now.some(gives)) return []; // the loss of all of it is told as such
        const mayReplace = added.some(
          (one) =>
            gives(one) &&
            one.pluginClass !== link.pluginClass &&
            (protection !== 'safeguard' || strengthOf(one.pluginClass) === undefined),
        );
        const rivals = same.filter(gives).flatMap((one) => applied(one, principal));
        return applied(link, principal).flatMap((one) => {
          const compared = compare(one, rivals);
          const found = judge(one.reach, compared, mayReplace, () => topicsIn(principal.virtualCluster));
          const fields = found.length === 0 ? [] : fieldsOf(one, compared, now, read);
          return found.map((each) => ({ protection, by: link, claim: one.claim, fields, ...each }));
        });
      });
    });
  };
  const namesUsers = (link: ChainLink): boolean =>
    read(link).some(({ limits }) => (reachOf(limits).get('username')?.type ?? 'all') !== 'all');
  return { judge: judgeFor, namesUsers };
}

/** What a claim applies to for a principal; undefined if not to the principal at all. */
function reachFor({ limits }: Claim, { virtualCluster, username }: Principal): Reach | undefined {
  const reach = new Map(reachOf(limits));
  const known: readonly (readonly [Axis, string | null])[] = [
    ['virtualCluster', virtualCluster],
    ['username', username],
  ];
  for (const [axis, name] of known) {
    const names = reach.get(axis);
    if (names === undefined || name === null) continue;
    const verdict = holds(names, name);
    if (verdict === 'no') return undefined;
    if (verdict === 'yes') reach.delete(axis);
  }
  return reach;
}

/** The claims after that are about the same. */
function compare({ claim }: Applied, rivals: readonly Applied[]): readonly Compared[] {
  const found = rivals.flatMap((rival): readonly Compared[] => {
    const other = rival.claim;
    if (other.facet === claim.facet && other.name === claim.name)
      return [{ ...rival, ...compareLimits(claim, other) }];
    const isPerhaps =
      (other.isVague && claim.facet.startsWith(other.facet)) ||
      (claim.isVague && other.facet.startsWith(claim.facet));
    return isPerhaps ? [{ ...rival, verdict: 'unknown', failing: [] }] : [];
  });
  // Of two patterns, what both match may be narrower than each of them.
  const wider = found.filter(
    ({ verdict, failing }) =>
      verdict === 'no' && failing.every(({ strength }) => strength.type === 'matches'),
  );
  return wider.length < 2
    ? found
    : found.map((one) => (wider.includes(one) ? { ...one, verdict: 'unknown' as const } : one));
}

type Judged = Pick<Weakened, 'certainty' | 'loss' | 'topics'>;

function judge(
  reach: Reach,
  compared: readonly Compared[],
  mayReplace: boolean,
  knownTopics: () => readonly string[],
): readonly Judged[] {
  const reachesOf = (...verdicts: readonly string[]): readonly Reach[] =>
    compared.flatMap(({ verdict, reach: one }) => (verdicts.includes(verdict) ? [one] : []));
  const [sure, perhaps, any] = [
    reachesOf('yes'),
    reachesOf('yes', 'unknown'),
    reachesOf('yes', 'unknown', 'no'),
  ];
  if (isCovered(reach, sure) === 'yes') return [];
  const names = reach.get('topic');
  const topics = names === undefined ? [] : topicsAmong(names, knownTopics());
  const at = (topic: string): Reach => new Map([...reach, ['topic', { type: 'one', name: topic }]]);
  const lost = topics.filter((topic) => isCovered(at(topic), sure) !== 'yes');
  const weakenedAt = lost.filter((topic) => isCovered(at(topic), perhaps) === 'no');
  const isWeaker = weakenedAt.length > 0 || isCovered(reach, perhaps) === 'no';
  const certainty = isWeaker && !mayReplace ? 'weaker' : 'cannot-tell';
  const told = weakenedAt.length > 0 ? weakenedAt : lost;
  if (names === undefined || told.length === 0) {
    const loss = isCovered(reach, any) === 'no' ? 'whole' : 'part';
    return [{ certainty, loss, topics: names === undefined ? null : [] }];
  }
  const gone = told.filter((topic) => isCovered(at(topic), any) === 'no');
  const less = told.filter((topic) => !gone.includes(topic));
  const judged = (loss: Judged['loss'], some: readonly string[]): readonly Judged[] => {
    const isAll = names.type === 'all' && some.length === topics.length; // needs no names
    return some.length === 0 ? [] : [{ certainty, loss, topics: isAll ? [] : some }];
  };
  return [...judged('whole', gone), ...judged('part', less)];
}

function topicsAmong(names: Names, topics: readonly string[]): readonly string[] {
  return topics.filter((topic) => holds(names, topic) === 'yes');
}

/** What of the config of an interceptor makes that it no longer protects so much. */
function fieldsOf(
  { link, claim, reach }: Applied,
  compared: readonly Compared[],
  now: readonly ChainLink[],
  read: (link: ChainLink) => readonly Claim[],
): readonly Pointer[] {
  const is = now.find(({ address }) => address === link.address);
  if (is === undefined) return [];
  if (is.pluginClass !== link.pluginClass) return ['/spec/pluginClass'];
  const own = compared.filter((one) => one.link === is);
  const [best] = own.toSorted((one, other) => one.failing.length - other.failing.length);
  const found =
    best === undefined
      ? missingIn(claim, read(is))
      : [...failingIn(best), ...narrowerIn(claim, reach, best.reach)];
  const isChanged = (pointer: Pointer): boolean =>
    !sameJson(at(link.config, pointer), at(is.config, pointer));
  const places = found.length === 0 ? [claim.at] : found;
  const lists = places.map((pointer) => (isChanged(pointer) ? pointer : listOf(pointer)));
  return [...new Set(lists)].filter(isChanged);
}

/** Where it no longer says so, or says so for others. */
function missingIn(claim: Claim, others: readonly Claim[]): readonly Pointer[] {
  const isThere = others.some(({ facet, name }) => facet === claim.facet && name === claim.name);
  if (!isThere) return [claim.at];
  return claim.limits.flatMap(({ strength, at: place }) =>
    strength.type === 'reach' && (strength.axis === 'username' || strength.axis === 'virtualCluster')
      ? [place]
      : [],
  );
}

function failingIn({ failing, claim }: Compared): readonly Pointer[] {
  return failing.map((limit) => placeOf(limit, claim.limits.find(({ path }) => path === limit.path)?.value));
}

function narrowerIn({ limits }: Claim, reach: Reach, other: Reach): readonly Pointer[] {
  return limits.flatMap(({ strength, at: place }) => {
    if (strength.type !== 'reach') return [];
    const { axis } = strength;
    const all: Names = { type: 'all' };
    const isWithin = areContained(reach.get(axis) ?? all, [other.get(axis) ?? all], axis);
    return isWithin === 'yes' ? [] : [place];
  });
}

function at(config: Json, pointer: Pointer): Json | undefined {
  return valueAt(config, pointer.replace(/^\/spec\/config/, '') as Pointer);
}

/** The list that an item is in: which index it has says nothing. */
function listOf(pointer: Pointer): Pointer {
  return pointer.replace(/\/\d+(?:\/.*)?$/, '') as Pointer;
}
