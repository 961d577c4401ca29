import { groupsOf, identityOf, keyOf, listPresent } from '../../effective/list-present.ts';
import {
  chainsOf,
  hasInterceptor,
  makeEffectiveState,
  possibleScopes,
  scopeKeyOf,
  type EffectiveState,
} from '../../effective/effective-state.ts';
import { makeAudience } from '../../effective/audience.ts';
import { getOrAdd, groupBy } from '../../model/collect.ts';
import { standsForMany, type Chain, type ChainLink, type Principal } from '../../model/principal.ts';
import type { Scope } from '../../model/resource.ts';
import type { ChangeId } from '../change/change.ts';
import type { ChainRedaction } from '../secrets/hide-in-chains.ts';
import { judgeable } from './judgeable.ts';
import {
  applyTo,
  followClients,
  listRenamed,
  takersOf,
  type Moved,
  type Transition,
} from './moved-clients.ts';
import {
  type LinkTimeline,
  type Membership,
  type Setting,
  concernsChains,
  linkOf,
  versionsOf,
  makeTimelines,
  type Timeline,
} from './models.ts';

/**
 * Principals with the same interceptors before, during and after the changes, of which the same give them nothing because their configs
 * leave them out.
 */
export type PrincipalClass = Setting & {
  readonly principals: readonly Principal[];
  readonly before: Chain;
  readonly after: Chain;
};

/** Judged without what is hidden: verdicts and the order of changes would tell of it. Whether a priority changes is shown. */
export type JudgedClass = PrincipalClass & { readonly shown: Pick<PrincipalClass, 'before' | 'after'> };

type Redacted = Transition & { readonly redaction: Pick<ChainRedaction, 'showsAt' | 'judgedAt' | 'movesAt'> };

/** The principals that changes of interceptors or memberships concern. Left out are those that go with the changes. */
export type Classes = {
  /** Those that are there before and after. */
  readonly lasting: readonly JudgedClass[];
  /**
   * Those that come with the changes, as if they had been there before, in the groups that they are in then: what changes of
   * interceptors take from them, and not what follows from where they come to.
   */
  readonly coming: readonly JudgedClass[];
};

export function classifyPrincipals({ live, changes, kinds, redaction }: Redacted): Classes {
  if (!changes.some((change) => concernsChains(change, kinds))) return NO_CLASSES;
  const runsBefore = hasInterceptor(live, kinds);
  const before = makeEffectiveState(live, kinds);
  const timelines = makeTimelines({ live, changes, kinds });
  const takers = takersOf({ live, changes, kinds });
  const renamed = listRenamed({ live, changes, kinds });
  const isConcerned = timelines.links.length + timelines.members.size > 0;
  if (!isConcerned && takers.size + renamed.length === 0) return NO_CLASSES;
  if (timelines.links.length === 0 && !runsBefore) return NO_CLASSES;
  const after = makeEffectiveState(applyTo(live, changes), kinds);
  const around = lookAround({ before, after, timelines, kinds, showsAt: redaction.showsAt });
  const { movers, renames } = followClients(before, after, takers, renamed);
  const comers = new Set([...movers, ...renames].map(({ principal }) => identityOf(principal)));
  const leavers = new Set(movers.flatMap(({ was, hadAccount }) => (hadAccount ? [] : [identityOf(was)])));
  const present = !isConcerned
    ? []
    : listPresent(before, after).filter(
        ({ principal, isLasting }) =>
          // An account that comes has lost nothing where nothing ran.
          (isLasting || runsBefore || standsForMany(principal)) &&
          !(isLasting ? leavers : comers).has(identityOf(principal)),
      );
  const presentOf = (lasting: boolean) =>
    present.flatMap(({ principal, isLasting }) => (isLasting === lasting ? [principal] : []));
  const judge = (classes: readonly PrincipalClass[]) => judgeable(classes, redaction, kinds);
  return {
    lasting: judge([
      ...classifyPresent(presentOf(true), false, around),
      ...movers.map((one) => classOfMoved(one, around)),
      ...renames.map((one) => classOfRenamed(one, around)),
    ]),
    coming: judge(classifyPresent(presentOf(false), true, around)),
  };
}

type Around = ReturnType<typeof lookAround>;

/** Finds where principals have their interceptors from, and what changes make of these. */
function lookAround({
  before,
  after,
  timelines: { links: changing, members },
  kinds,
  showsAt,
}: {
  readonly before: EffectiveState;
  readonly after: EffectiveState;
  readonly timelines: ReturnType<typeof makeTimelines>;
  readonly kinds: Transition['kinds'];
  readonly showsAt: ChainRedaction['showsAt'];
}) {
  const moving = groupBy(changing, (link) => scopeKeyOf(linkOf(link).scope));
  const movingAddresses = new Set(changing.map((link) => linkOf(link).address));
  const [chainBefore, chainAfter] = [chainsOf(before), chainsOf(after)];
  const { isLimited, servedBy, idle, chainFor } = makeAudience({ kinds, states: [before, after], showsAt });
  const limited = new Map<string, readonly ChainLink[]>();
  const limitedIn = (scope: string): readonly ChainLink[] =>
    getOrAdd(limited, scope, () =>
      [...after.linksOf([scope]), ...(moving.get(scope) ?? []).flatMap(versionsOf)].filter(isLimited),
    );
  return {
    // Those that come are in their groups from the start: these make no class of their own.
    placeOf: (principal: Principal, isComing = false): Place => {
      const memberships = isComing ? [] : (members.get(keyOf(principal)) ?? []);
      const ever = [...principal.groups, ...memberships.map(({ group }) => group)];
      const possible = possibleScopes({ ...principal, groups: [...new Set(ever)].sort() });
      const scopes = possible.filter((scope) => moving.has(scope) || after.hasLinks(scope));
      const isConcerned = memberships.length > 0 || scopes.some((scope) => moving.has(scope));
      return { scopes, memberships, isConcerned };
    },
    /** The limited interceptors of its scopes that do not leave it out. */
    servedIn: ({ scopes }: Place, principal: Principal): ReadonlySet<ChainLink> =>
      new Set(scopes.flatMap((scope) => servedBy(limitedIn(scope), principal))),
    linksIn: ({ scopes }: Place, served: ReadonlySet<ChainLink>): readonly LinkTimeline[] => {
      const links = [
        ...after
          .linksOf(scopes)
          .filter(({ address }) => !movingAddresses.has(address))
          .map((link): LinkTimeline => ({ start: link, steps: [] })),
        ...scopes.flatMap((scope) => moving.get(scope) ?? []),
      ];
      if (scopes.every((scope) => limitedIn(scope).length === 0)) return links;
      return links.map((link) =>
        mapLink(link, (one) => (isLimited(one) && !served.has(one) ? idle(one) : one)),
      );
    },
    chainBefore: (principal: Principal, groups = groupsOf(principal, before)): Chain =>
      chainFor(chainBefore({ ...principal, groups }), principal),
    chainAfter: (principal: Principal): Chain => chainFor(chainAfter(principal), principal),
  };
}

/** Those that changes concern, of principals with the same account before and after. */
function classifyPresent(
  principals: readonly Principal[],
  isComing: boolean,
  { placeOf, servedIn, linksIn, chainBefore, chainAfter }: Around,
): readonly PrincipalClass[] {
  const numbered = new Map<ChainLink, number>();
  const classes = new Map<string, PrincipalClass & { readonly principals: Principal[] }>();
  for (const principal of principals) {
    const place = placeOf(principal, isComing);
    if (!place.isConcerned) continue;
    const served = servedIn(place, principal);
    const numbers = Array.from(served, (link) => getOrAdd(numbered, link, () => numbered.size));
    const { principals: alike } = getOrAdd(
      classes,
      JSON.stringify([place.scopes, place.memberships, numbers]),
      () => ({
        principals: [],
        before: chainBefore(principal, isComing ? principal.groups : undefined),
        after: chainAfter(principal),
        links: linksIn(place, served),
        memberships: new Map(place.memberships.map((one) => [one.group, one])),
      }),
    );
    alike.push(principal);
  }
  return [...classes.values()];
}

/** A client whose external name another account gets: it has the interceptors of one account until that change, and those of the other from then on. */
function classOfMoved(
  { principal, was, taker }: Moved,
  { placeOf, servedIn, linksIn, chainBefore, chainAfter }: Around,
): PrincipalClass {
  const places = [was, principal].map((whom) => {
    const place = placeOf(whom);
    return { place, links: linksIn(place, servedIn(place, whom)) };
  });
  return {
    principals: [principal],
    before: chainBefore(was),
    after: chainAfter(principal),
    links: places.flatMap(({ links }, side) =>
      links.map((link) => ({ ...link, needs: needsOf(linkOf(link).scope, side) })),
    ),
    memberships: new Map(places.flatMap(({ place }, side) => membershipsOf(place, side, taker))),
  };
}

/** The clients of an account that is renamed, all at once. */
function classOfRenamed(
  { principal, was, taker }: Moved,
  { chainBefore, chainAfter }: Around,
): PrincipalClass {
  const [before, after] = [chainBefore(was), chainAfter(principal)];
  const turn = (start: ChainLink | undefined, to: ChainLink | undefined): LinkTimeline => ({
    ...{ start, steps: [{ id: taker, to }], needs: [] },
  });
  const links = [
    ...before.map(({ one }) => turn(one, undefined)),
    ...after.map(({ one }) => turn(undefined, one)),
  ];
  return { principals: [principal], before, after, links, memberships: new Map() };
}

const NO_CLASSES: Classes = { lasting: [], coming: [] };

function mapLink(link: LinkTimeline, map: (one: ChainLink) => ChainLink): LinkTimeline {
  const { start, steps } = link;
  const to = (one: ChainLink | undefined): ChainLink | undefined => one && map(one);
  return { ...link, start: to(start), steps: steps.map((step) => ({ ...step, to: to(step.to) })) };
}

/** Where a principal finds its interceptors. */
type Place = {
  /** Those of its scopes, at any time, that have interceptors. */
  readonly scopes: readonly string[];
  readonly memberships: readonly ({ readonly group: string } & Timeline<boolean>)[];
  /** Whether the changes are about any of them. */
  readonly isConcerned: boolean;
};

/** What an interceptor asks of a client with two accounts: that it has this one, and that the account is in the group. */
function needsOf({ group }: Scope, side: number): readonly string[] {
  const groups = typeof group === 'string' ? [groupKey(group, side)] : [];
  return [accountKey(side), ...groups];
}

function membershipsOf(
  { memberships }: Place,
  side: number,
  taker: ChangeId,
): readonly (readonly [string, Membership])[] {
  const isSecond = side === 1;
  const account: Membership = { start: !isSecond, steps: [{ id: taker, to: isSecond }], isFixed: true };
  return [
    [accountKey(side), account],
    ...memberships.map((one) => [groupKey(one.group, side), one] as const),
  ];
}

function accountKey(side: number): string {
  return JSON.stringify([side]);
}

function groupKey(group: string, side: number): string {
  return JSON.stringify([side, group]);
}
