import { factsOf, linkOf as toLink, memberKeyOf } from '../../effective/effective-state.ts';
import { groupBy, addTo } from '../../model/collect.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import { rankOf, type ChainLink, type Fact } from '../../model/principal.ts';
import type { Address, Resource, Scope } from '../../model/resource.ts';
import type { Transition } from './moved-clients.ts';
import { type ChangeId, afterOf, beforeOf, idOf, type DraftChange } from '../change/change.ts';

/** What an interceptor does for one sort of protection. */
type Part = 'absent' | 'other' | 'gives' | ChainLink;

/**
 * What has to run: one of the interceptors that count (`one`), none of them (`none`, such as those that decrypt), or what a function
 * says of those that do.
 */
type Aim = 'one' | 'none' | ((running: readonly ChainLink[]) => boolean);

/** An interceptor that can give a principal protection, or override one that does. */
type Contender = {
  readonly name: string;
  readonly rank: number;
  /** The memberships that its clients need, as far as those change. */
  readonly needs: readonly string[];
} & Timeline<Part>;

/** Whether principals are in a group, or log in as an account: of the latter only the moment is known, and nothing eases it. */
export type Membership = Timeline<boolean> & { readonly isFixed?: true };

/** One sort of protection of principals who have the same interceptors throughout the plan. */
export type Model = {
  readonly protection: string;
  readonly aim: Aim;
  /** The change before which there is nothing to protect. */
  readonly since?: ChangeId | undefined;
  readonly contenders: readonly Contender[];
  /** Whether the principals are in the groups of the contenders. */
  readonly memberships: ReadonlyMap<string, Membership>;
  /** Every change that can make a difference. */
  readonly steps: readonly ChangeId[];
};

/** The interceptors and memberships of principals. */
export type Setting = {
  readonly links: readonly LinkTimeline[];
  readonly memberships: ReadonlyMap<string, Membership>;
};
/** Undefined while the interceptor is not there. Without `needs` it is for the group of its scope. */
export type LinkTimeline = Timeline<ChainLink | undefined> & { readonly needs?: readonly string[] };

/** The same of some interceptors and all of their names: what others do makes no difference to a model of these. */
export function narrower({ links, memberships }: Setting): (some: Iterable<ChainLink>) => Setting {
  const byName = groupBy(links, (one) => linkOf(one).name);
  return (some) => {
    const names = new Set(Array.from(some, ({ name }) => name));
    return { links: [...names].flatMap((name) => byName.get(name) ?? []), memberships };
  };
}

/** The model of a sort of protection, or of a part of it: of the names that count for it, all interceptors. */
export function makeModel(
  { links, memberships }: Setting,
  protection: string,
  counts: (link: ChainLink) => boolean,
  { aim = 'one', since }: Partial<Pick<Model, 'aim' | 'since'>> = {},
): Model {
  const partOf = (link: ChainLink | undefined): Part => {
    if (link === undefined) return 'absent';
    if (!counts(link)) return 'other';
    return typeof aim === 'function' ? link : 'gives';
  };
  // Most links have nothing to do with it.
  const named = new Set(links.filter((one) => versionsOf(one).some(counts)).map((one) => linkOf(one).name));
  const contenders = links.flatMap((timeline): readonly Contender[] => {
    const { name, scope } = linkOf(timeline);
    if (!named.has(name)) return [];
    const { needs = groupsIn(scope) } = timeline;
    const start = partOf(timeline.start);
    const steps = timeline.steps.map(({ id, to }) => ({ id, to: partOf(to) }));
    return [{ name, rank: rankOf(scope), needs, start, steps }];
  });
  return withSteps({ protection, aim, since, contenders, memberships });
}

function groupsIn({ group }: Scope): readonly string[] {
  return typeof group === 'string' ? [group] : [];
}

/** The models of each of its names. */
export function byName(model: Model): readonly Model[] {
  return Array.from(groupBy(model.contenders, ({ name }) => name).values(), (contenders) =>
    withSteps({ ...model, contenders }),
  );
}

/** The model without extra steps, given with the own change of each, which does what they would do. */
export function withoutSteps(model: Model, dropped: ReadonlyMap<ChangeId, ChangeId>): Model {
  const late = <T extends Timeline<unknown>>(timeline: T): T => ({
    ...timeline,
    steps: timeline.steps.map(({ id, to }) => ({ id: dropped.get(id) ?? id, to })),
  });
  return withSteps({
    ...model,
    contenders: model.contenders.filter(({ steps }) => !steps.some(({ id }) => dropped.has(id))),
    memberships: new Map([...model.memberships].map(([group, member]) => [group, late(member)])),
  });
}

function withSteps({ contenders, memberships: all, ...model }: Omit<Model, 'steps'>): Model {
  const needed = new Set(contenders.flatMap(({ needs }) => needs));
  const memberships = new Map([...all].filter(([key]) => needed.has(key)));
  const steps = new Set<ChangeId>(model.since === undefined ? [] : [model.since]);
  for (const { start, steps: moves } of [...contenders, ...memberships.values()]) {
    let last: Part | boolean = start;
    for (const { id, to } of moves) {
      if (to !== last) steps.add(id);
      last = to;
    }
  }
  return { ...model, contenders, memberships, steps: [...steps] };
}

/** Whether the principals have the protection once these changes are made: of each name the most specific interceptors count (gateway-api B.4). */
export function isProtected(
  { aim, since, contenders, memberships }: Model,
  isMade: (id: ChangeId) => boolean,
): boolean {
  if (since !== undefined && !isMade(since)) return true;
  const best = new Map<string, { rank: number; parts: Part[] }>();
  for (const contender of contenders) {
    const part = valueAt(contender, isMade);
    if (part === 'absent') continue;
    const { name, rank, needs } = contender;
    const isMember = needs.every((key) => {
      const membership = memberships.get(key);
      return membership === undefined || valueAt(membership, isMade);
    });
    if (!isMember) continue;
    const known = best.get(name);
    if (known === undefined || rank > known.rank) best.set(name, { rank, parts: [part] });
    else if (rank === known.rank) known.parts.push(part);
  }
  if (typeof aim === 'function')
    return aim([...best.values()].flatMap(({ parts }) => parts.filter((part) => typeof part === 'object')));
  for (const { parts } of best.values()) if (parts.includes('gives')) return aim === 'one';
  return aim === 'none';
}

function valueAt<T>({ start, steps }: Timeline<T>, isMade: (id: ChangeId) => boolean): T {
  let value = start;
  for (const { id, to } of steps) if (isMade(id)) value = to;
  return value;
}

type StepSort = 'gain' | 'loss' | 'mixed';

/** Whether each step can only add the protection, or only take it away; `mixed` if it can do both. */
export function classifySteps(model: Model): ReadonlyMap<ChangeId, StepSort> {
  const { aim, since } = model;
  if (typeof aim === 'function') return trySteps(model);
  const found = new Map<ChangeId, StepSort>(since === undefined ? [] : [[since, 'loss']]);
  const add = (id: ChangeId, ofOne: 'gain' | 'loss'): void => {
    const sort = aim === 'one' ? ofOne : ofOne === 'gain' ? 'loss' : 'gain';
    found.set(id, (found.get(id) ?? sort) === sort ? sort : 'mixed');
  };
  for (const { start, steps } of model.contenders) {
    let last = start;
    for (const { id, to } of steps) {
      // An interceptor that gives nothing can override one that does.
      if (to !== last) add(id, to === 'gives' || last === 'other' ? 'gain' : 'loss');
      last = to;
    }
  }
  for (const [key, { start, steps }] of model.memberships) {
    const parts = new Set(
      model.contenders
        .filter(({ needs }) => needs.includes(key))
        .flatMap((contender) => [contender.start, ...contender.steps.map(({ to }) => to)]),
    );
    const [canGain, canLose] = [parts.has('gives'), parts.has('other')];
    let last = start;
    for (const { id, to } of steps) {
      if (to === last) continue;
      if (canGain) add(id, to ? 'gain' : 'loss');
      if (canLose) add(id, to ? 'loss' : 'gain');
      last = to;
    }
  }
  return found;
}

/** Of so few steps, what each does can be looked at with any of the others made. */
const MOST_TRIED = 6;

/** The same, where only a look tells. */
function trySteps(model: Model): ReadonlyMap<ChangeId, StepSort> {
  const { steps } = model;
  if (steps.length > MOST_TRIED) return new Map(steps.map((id) => [id, 'mixed']));
  const bits = new Map(steps.map((id, at) => [id, 1 << at]));
  const verdicts = Array.from({ length: 2 ** steps.length }, (_, mask) =>
    isProtected(model, (id) => (mask & (bits.get(id) ?? 0)) !== 0),
  );
  return new Map(
    Array.from(bits, ([id, bit]): [ChangeId, StepSort] => {
      const moves = verdicts.flatMap((was, mask) =>
        (mask & bit) !== 0 || was === verdicts[mask | bit] ? [] : ([was ? 'loss' : 'gain'] as const),
      );
      const [first = 'gain'] = moves;
      return [id, moves.every((one) => one === first) ? first : 'mixed'];
    }),
  );
}

/** A value before the changes, and what changes make of it, in their order. */
export type Timeline<T> = {
  readonly start: T;
  readonly steps: readonly { readonly id: ChangeId; readonly to: T }[];
};

/** What changes do to interceptors and memberships. */
type Timelines = {
  readonly links: readonly LinkTimeline[];
  /** By the key of a user or an external group: whether it is in a group. */
  readonly members: ReadonlyMap<string, readonly ({ readonly group: string } & Timeline<boolean>)[]>;
};

export function makeTimelines({ live, changes, kinds }: Transition): Timelines {
  const links: LinkTimeline[] = [];
  const members = new Map<string, ({ readonly group: string } & Timeline<boolean>)[]>();
  const telling = changes.filter(({ address }) => knownKind(address, kinds).facts !== undefined);
  for (const [address, own] of groupBy(telling, (change) => change.address)) {
    const read = (resource: Resource | undefined): readonly Fact[] =>
      resource === undefined ? [] : factsOf(address, resource, kinds);
    const start = read(live.get(address));
    const steps = own.map((change) => ({ id: idOf(change), to: read(afterOf(change)) }));
    const link = followLink(address, { start, steps });
    if (link !== undefined) links.push(link);
    for (const [key, member] of followMembers({ start, steps })) addTo(members, key, member);
  }
  return { links, members };
}

function followLink(
  address: Address,
  { start, steps }: Timeline<readonly Fact[]>,
): Timeline<ChainLink | undefined> | undefined {
  const find = (facts: readonly Fact[]): ChainLink | undefined => {
    const fact = facts.find((one) => one.type === 'interceptor');
    return fact === undefined ? undefined : toLink(address, fact);
  };
  const followed = { start: find(start), steps: steps.map(({ id, to }) => ({ id, to: find(to) })) };
  const isLink = followed.start !== undefined || followed.steps.some(({ to }) => to !== undefined);
  return isLink ? followed : undefined;
}

/** Who joins or leaves a group, and when. */
function* followMembers({
  start,
  steps,
}: Timeline<readonly Fact[]>): Generator<[string, { readonly group: string } & Timeline<boolean>]> {
  const find = (facts: readonly Fact[]): ReadonlyMap<string, string> =>
    new Map(
      facts.flatMap((fact) =>
        fact.type === 'member' || fact.type === 'external-group'
          ? [[memberKeyOf(fact), fact.group] as const]
          : [],
      ),
    );
  const states = [start, ...steps.map(({ to }) => to)].map(find);
  const groups = new Map(states.flatMap((state) => [...state]));
  for (const [key, group] of groups) {
    const is = states.map((state) => state.has(key));
    const moves = steps.flatMap(({ id }, at) =>
      is[at] === is[at + 1] ? [] : [{ id, to: is[at + 1] === true }],
    );
    if (moves.length > 0) yield [key, { group, start: is[0] === true, steps: moves }];
  }
}

/** An interceptor before the changes, and after each. */
export function versionsOf({ start, steps }: LinkTimeline): readonly ChainLink[] {
  return [start, ...steps.map(({ to }) => to)].filter((one) => one !== undefined);
}

/** The interceptor of a timeline, as it is first. */
export function linkOf({ start, steps }: Timeline<ChainLink | undefined>): ChainLink {
  const link = start ?? steps.find(({ to }) => to !== undefined)?.to;
  if (link === undefined) throw new Error('an interceptor that is never there');
  return link;
}

/** Whether a change is one of an interceptor, a membership or whose an account is: others make no difference to chains. */
export function concernsChains(change: DraftChange, kinds: KindSet): boolean {
  if (change.action === 'delete' && change.movedTo !== undefined) return true;
  const [before, after] = [beforeOf(change), afterOf(change)].map((resource) =>
    resource === undefined ? [] : factsOf(change.address, resource, kinds),
  ) as [readonly Fact[], readonly Fact[]]; // one for each
  return [...before, ...after].some(({ type }) => type !== 'account' && type !== 'virtual-cluster');
}
