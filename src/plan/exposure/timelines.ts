import { groupBy, addTo } from '../../model/collect.ts';
import { factsOf, linkOf as toLink, memberKeyOf } from '../../effective/state.ts';
import type { KindSet } from '../../model/kind.ts';
import type { ChainLink, Fact } from '../../model/principal.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { ChangeId } from '../change/change-id.ts';
import { afterOf, beforeOf, idOf, type DraftChange } from '../change/plan.ts';

/** A value before the changes, and what changes make of it, in their order. */
export type Timeline<T> = {
  readonly start: T;
  readonly steps: readonly { readonly id: ChangeId; readonly to: T }[];
};

/** What changes do to interceptors and memberships. */
export type Timelines = {
  /** Undefined while the interceptor is not there. */
  readonly links: readonly Timeline<ChainLink | undefined>[];
  /** By the key of a user or an external group: whether it is in a group. */
  readonly members: ReadonlyMap<string, readonly ({ readonly group: string } & Timeline<boolean>)[]>;
};

export function makeTimelines(
  live: ReadonlyMap<Address, Resource>,
  changes: readonly DraftChange[],
  kinds: KindSet,
): Timelines {
  const links: Timeline<ChainLink | undefined>[] = [];
  const members = new Map<string, ({ readonly group: string } & Timeline<boolean>)[]>();
  for (const [address, own] of groupBy(changes, (change) => change.address)) {
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

/** The interceptor of a timeline, as it is first. */
export function linkOf({ start, steps }: Timeline<ChainLink | undefined>): ChainLink {
  const link = start ?? steps.find(({ to }) => to !== undefined)?.to;
  if (link === undefined) throw new Error('an interceptor that is never there');
  return link;
}

/** Whether a change is one of an interceptor or a membership: others make no difference to chains. */
export function concernsChains(change: DraftChange, kinds: KindSet): boolean {
  return [beforeOf(change), afterOf(change)].some(
    (resource) =>
      resource !== undefined &&
      factsOf(change.address, resource, kinds).some(
        ({ type }) => type === 'interceptor' || type === 'member' || type === 'external-group',
      ),
  );
}
