import { ALL, textOfTopics, type Names } from '../../effective/reach.ts';
import { claimsReader, namesReader, nearReader, type NearTopics } from '../../effective/claim-reader.ts';
import type { Claim } from '../../effective/claims.ts';
import { partJudge, type ProtectedPart } from '../../effective/protected-parts.ts';
import { type Weakened } from '../../effective/weakening.ts';
import { getOrAdd, groupBy, memoize } from '../../model/collect.ts';
import type { Json } from '../../model/json/json.ts';
import type { ChainLink, Principal } from '../../model/principal.ts';
import { hasHidden } from '../../model/secrets/hidden.ts';
import type { Axis } from '../../model/strength.ts';
import type { Change, ChangeId } from '../change/change.ts';
import type { Exposure, Weakening } from '../change/plan.ts';
import type { JudgedClass } from './classes.ts';
import { findGaps, orderOf } from './gaps.ts';
import {
  isProtected,
  linkOf,
  makeModel,
  narrower,
  versionsOf,
  type LinkTimeline,
  type Model,
  type Setting,
} from './models.ts';
import type { KeptProtection } from './safest-order.ts';
import { shownKeyOf } from '../secrets/hide-in-chains.ts';
import { tellWeakenings, type World } from './weakenings.ts';

// Clients who keep a sort of protection can lack a part of it for a while: one mask gives up a field before another one takes it.

/** Parts of a protection that clients have before and after the changes, and lack together where they lack them. */
export type KeptPart = KeptProtection & {
  readonly whom: readonly Principal[];
  readonly parts: readonly LackedPart[];
};

/** What clients lack where they lack a part. */
export type LackedPart = Omit<ProtectedPart, 'reach'> & Pick<Weakened, 'loss' | 'certainty'>;

/** What is kept, and of how many clients that was not looked for. */
export type KeptParts = { readonly kept: readonly KeptPart[]; readonly unjudged: number };

/** As many interceptors are asked for parts in one plan; of changes beyond that, gaps in parts are not looked for. */
const MOST_LOOKS = 50_000;

/** Interceptors are left out where a hidden value says what they protect: the order of changes would tell of it. */
export function findKeptParts(
  classes: readonly JudgedClass[],
  { kinds, protectionOf }: Pick<World, 'kinds' | 'protectionOf'>,
): KeptParts {
  const [judge, names] = [partJudge({ protectionOf, kinds }), namesReader(kinds)];
  const { topicsOf, near } = nearReader(kinds);
  const read = claimsReader(kinds);
  const hidden = memoize((link: ChainLink) => ({
    is: hasHidden([link.pluginClass, ...read(link).flatMap(valuesOf)]),
  }));
  const isOpen = (link: ChainLink): boolean => !hidden(link).is;
  let [looks, unjudged] = [0, 0];
  const kept = classes.flatMap((one): readonly KeptPart[] => {
    const { names: moving, links, changes } = movingIn(one);
    if (changes < 2) return []; // nothing is between two changes
    const versions = links.flatMap(versionsOf).filter(isOpen);
    const within = narrower({ links, memberships: one.memberships });
    // Where nothing of a class is left, nothing of it is kept.
    const classesAfter = new Set(one.after.map(({ one: link }) => link.pluginClass));
    const before = one.before
      .map(({ one: link }) => link)
      .filter((link) => moving.has(link.name) && classesAfter.has(link.pluginClass) && isOpen(link));
    if (before.length === 0) return [];
    const after = one.after
      .map(({ one: link }) => link)
      .filter((link) => moving.has(link.name) && isOpen(link));
    const staying = one.before.flatMap(({ one: link }) =>
      moving.has(link.name) || !isOpen(link) ? [] : link,
    );
    const dependsOn = (axis: Axis): boolean => versions.some((link) => names(link, [axis]));
    const moved: Moved = {
      ...{ judge, before, after, topicsOf, within },
      near: { moving: near(versions), staying: near(staying), before: near(before), after: near(after) },
    };
    const groups = groupAlike(one.principals, dependsOn('virtualCluster'), dependsOn('username'));
    return groups.flatMap((whom): readonly KeptPart[] => {
      const parts = keepParts(whom[0], moved, (more) => {
        looks += more;
        return looks <= MOST_LOOKS;
      });
      if (looks > MOST_LOOKS) unjudged += whom.length;
      return keepTogether(whom, parts);
    });
  });
  return { kept, unjudged };
}

function valuesOf({ facet, name, limits }: Claim): readonly Json[] {
  return [facet, name, ...limits.map(({ value = null }) => value)];
}

/** The interceptors of clients that changes are about, before and after these, and how to find those for some topics. */
type Moved = Record<'before' | 'after', readonly ChainLink[]> & {
  readonly judge: ReturnType<typeof partJudge>;
  readonly topicsOf: (link: ChainLink) => Names;
  readonly within: ReturnType<typeof narrower>;
  readonly near: Readonly<Record<'moving' | 'staying' | 'before' | 'after', NearTopics>>;
};

/** What a client keeps: what it has before the changes, and what is weaker after them, which is as strong as that throughout. */
function keepParts(
  principal: Principal,
  { judge, before, after, topicsOf, within, near }: Moved,
  mayLook: (more: number) => boolean,
): readonly Kept[] {
  const partsOf = (some: readonly ChainLink[]): readonly PartNear[] => {
    const found = some.map((link) => ({ link, others: near.moving(topicsOf(link)) }));
    if (!mayLook(found.reduce((sum, { others }) => sum + others.length, 0))) return [];
    const parts = found.flatMap(({ link, others }) =>
      judge.partsOf(link, others, principal).map((part): PartNear => {
        const topics = part.reach.get('topic') ?? ALL;
        return { part, topics, moving: near.moving(topics), staying: near.staying(topics) };
      }),
    );
    const looked = parts.reduce((sum, { moving, staying }) => sum + moving.length + staying.length, 0);
    return mayLook(looked) ? parts : [];
  };
  const keepersOf = ({ part, moving }: PartNear): readonly [ReadonlySet<ChainLink>, Model] => {
    const keepers = new Set(moving.filter((link) => judge.holds(part, link, principal)));
    return [keepers, makeModel(within(keepers), part.protection, (link) => keepers.has(link))];
  };
  const keep = (one: PartNear): readonly Kept[] => {
    const { part, topics, moving, staying } = one;
    if (staying.some((link) => judge.holds(part, link, principal))) return [];
    const [keepers, model] = keepersOf(one);
    if (!isKept(model)) return [];
    const isLess = moving.some((link) => !keepers.has(link) && judge.touches(part, link, principal));
    const by = near.before(topics).find((link) => judge.holds(part, link, principal)) ?? part.by;
    return [{ part: { ...part, by, loss: isLess ? 'part' : 'whole', certainty: 'weaker' }, model }];
  };
  const parts = partsOf(before);
  const lost = parts.filter((one) => !isProtected(keepersOf(one)[1], () => true));
  const less = new Set(
    lost.flatMap(({ part, topics }) =>
      near.after(topics).filter((link) => judge.touches(part, link, principal)),
    ),
  );
  return [...parts, ...partsOf(after.filter((link) => less.has(link)))].flatMap(keep);
}

/** A part, and which interceptors have perhaps something to do with its topics, of those that move and of those that stay. */
type PartNear = {
  readonly part: ProtectedPart;
  readonly topics: Names;
  readonly moving: readonly ChainLink[];
  readonly staying: readonly ChainLink[];
};

/** Principals in groups whom changes concern alike, where that depends on their virtual cluster or on their name. */
export function groupAlike(
  principals: readonly Principal[],
  byCluster: boolean,
  byUser: boolean,
): readonly (readonly [Principal, ...Principal[]])[] {
  const groups = groupBy(principals, ({ virtualCluster, username }) =>
    JSON.stringify([byCluster && virtualCluster, byUser && username]),
  );
  return [...groups.values()];
}

/** A part, and what has to be so that clients do not lack it. */
export type Kept = { readonly part: LackedPart; readonly model: Model };

/** Of parts, those that clients have before and after; where they lack them at the same moments, as one. */
export function keepTogether(whom: readonly Principal[], parts: readonly Kept[]): readonly KeptPart[] {
  const aims = new Map<unknown, number>();
  const idOf = (aim: unknown): number => getOrAdd(aims, aim, () => aims.size);
  const alike = groupBy(
    parts.filter(({ model }) => isKept(model)),
    ({ model: { protection, aim, since, contenders } }) =>
      JSON.stringify([protection, typeof aim === 'function' ? idOf(aim) : aim, since, contenders]),
  );
  return Array.from(alike.values(), (group) => ({
    ...{ model: group[0].model, principals: whom.length, whom },
    parts: group.map(({ part }) => part),
  }));
}

/** Whether clients have it before and after, and changes could take it in between. */
export function isKept(model: Model): boolean {
  return model.steps.length > 1 && isProtected(model, () => false) && isProtected(model, () => true);
}

/** The interceptors whose name has some that change for principals, or whose memberships do: what runs of others stays as it is. */
export function movingIn({ links, memberships }: Setting): {
  readonly names: ReadonlySet<string>;
  readonly links: readonly LinkTimeline[];
  /** How many changes move them. */
  readonly changes: number;
} {
  const ids = new Set([...memberships.values()].flatMap(({ steps }) => steps.map(({ id }) => id)));
  const names = new Set<string>();
  for (const link of links) {
    const { name, scope } = linkOf(link);
    for (const { id } of link.steps) ids.add(id);
    const needs = link.needs ?? [scope['group']];
    if (link.steps.length > 0 || needs.some((key) => typeof key === 'string' && memberships.has(key)))
      names.add(name);
  }
  return { names, links: links.filter((link) => names.has(linkOf(link).name)), changes: ids.size };
}

/** The parts of protections that clients lack between two changes. What they lack altogether is an exposure. */
export function findPartGaps(
  kept: KeptParts['kept'],
  changes: readonly Change[],
  exposures: readonly Exposure[],
  redaction: World['redaction'],
): readonly Weakening[] {
  if (kept.length === 0) return [];
  const order = orderOf(changes);
  const known = new Set(exposures.map((one) => keyOf(one, one.from)));
  return kept.flatMap(({ model, parts, whom }): readonly Weakening[] =>
    findGaps(model, order).gaps.flatMap(({ from, until }) => {
      const found = withoutWholes(parts).map((part): Weakened => ({
        ...part,
        ...{ fields: [], against: [] },
        topics: part.claim.limits.some(
          ({ strength }) => strength.type === 'reach' && strength.axis === 'topic',
        )
          ? part.topics === undefined
            ? []
            : [textOfTopics(part.topics)]
          : null,
      }));
      const told = tellWeakenings(found, () => [from], redaction);
      return whom
        .map(redaction.principalOf)
        .flatMap((principal) =>
          told
            .filter((one) => !known.has(keyOf({ ...principal, ...one }, from)))
            .map((one) => ({ ...principal, ...one, until })),
        );
    }),
  );
}

/** Where a claim lacks some of its topics, these are told, not all of it. */
function withoutWholes(parts: KeptPart['parts']): KeptPart['parts'] {
  return parts.filter(
    ({ claim, topics }) =>
      topics !== undefined || !parts.some((one) => one.claim === claim && one.topics !== undefined),
  );
}

function keyOf(one: Principal & { readonly protection: string }, from: ChangeId): string {
  return JSON.stringify([shownKeyOf(one), one.protection, from]);
}
