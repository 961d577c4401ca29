import type { ProtectionOf } from '../../effective/protection.ts';
import { rankOf } from '../../model/principal.ts';
import type { ChainLink } from '../../model/principal.ts';
import type { ChangeId } from '../change/change-id.ts';
import { linkOf, type Timeline } from './timelines.ts';

/** What an interceptor does for one sort of protection. */
type Part = 'absent' | 'other' | 'gives';

/** An interceptor that can give a principal protection, or override one that does. */
export type Player = {
  readonly name: string;
  readonly rank: number;
  /** The group of its scope. */
  readonly group: string | undefined;
} & Timeline<Part>;

/** One sort of protection of principals who have the same interceptors throughout the plan. */
export type Model = {
  readonly protection: string;
  readonly players: readonly Player[];
  /** Whether the principals are in the groups of the players. */
  readonly memberships: ReadonlyMap<string, Timeline<boolean>>;
  /** Every change that can make a difference. */
  readonly steps: readonly ChangeId[];
};

/** The interceptors and memberships of principals. */
export type Setting = {
  readonly links: readonly Timeline<ChainLink | undefined>[];
  readonly memberships: ReadonlyMap<string, Timeline<boolean>>;
};

/** The model of a sort of protection: of the names that can give it, all interceptors. */
export function makeModel(
  { links, memberships }: Setting,
  protection: string,
  protectionOf: ProtectionOf,
): Model {
  const partOf = (link: ChainLink | undefined): Part => {
    if (link === undefined) return 'absent';
    return protectionOf(link).includes(protection) ? 'gives' : 'other';
  };
  const players = links.map((timeline): Player => {
    const { name, scope } = linkOf(timeline);
    const { group } = scope;
    return {
      ...{ name, rank: rankOf(scope), group: typeof group === 'string' ? group : undefined },
      start: partOf(timeline.start),
      steps: timeline.steps.map(({ id, to }) => ({ id, to: partOf(to) })),
    };
  });
  const giving = new Set(
    players
      .filter(({ start, steps }) => start === 'gives' || steps.some(({ to }) => to === 'gives'))
      .map(({ name }) => name),
  );
  const relevant = players.filter(({ name }) => giving.has(name));
  return withSteps({ protection, players: relevant, memberships });
}

/** The model of one of its names. */
export function ofName(model: Model, name: string): Model {
  return withSteps({ ...model, players: model.players.filter((player) => player.name === name) });
}

/** The model without extra steps, given with the own change of each, which does what they would do. */
export function withoutSteps(model: Model, dropped: ReadonlyMap<ChangeId, ChangeId>): Model {
  const late = <T extends Timeline<unknown>>(timeline: T): T => ({
    ...timeline,
    steps: timeline.steps.map(({ id, to }) => ({ id: dropped.get(id) ?? id, to })),
  });
  return withSteps({
    ...model,
    players: model.players.filter(({ steps }) => !steps.some(({ id }) => dropped.has(id))),
    memberships: new Map([...model.memberships].map(([group, member]) => [group, late(member)])),
  });
}

function withSteps({ protection, players, memberships: all }: Omit<Model, 'steps'>): Model {
  const groups = new Set(players.flatMap(({ group }) => group ?? []));
  const memberships = new Map([...all].filter(([group]) => groups.has(group)));
  const steps = new Set<ChangeId>();
  for (const { start, steps: moves } of [...players, ...memberships.values()]) {
    let last: Part | boolean = start;
    for (const { id, to } of moves) {
      if (to !== last) steps.add(id);
      last = to;
    }
  }
  return { protection, players, memberships, steps: [...steps] };
}

/** Whether the principals have the protection once these changes are made: of each name the most specific interceptors count (gateway-api B.4). */
export function isProtected({ players, memberships }: Model, isMade: (id: ChangeId) => boolean): boolean {
  const best = new Map<string, { rank: number; gives: boolean }>();
  for (const player of players) {
    const part = valueAt(player, isMade);
    if (part === 'absent') continue;
    const { name, rank, group } = player;
    const membership = group === undefined ? undefined : memberships.get(group);
    if (membership !== undefined && !valueAt(membership, isMade)) continue;
    const gives = part === 'gives';
    const known = best.get(name);
    if (known === undefined || rank > known.rank) best.set(name, { rank, gives });
    else if (rank === known.rank) known.gives ||= gives;
  }
  for (const { gives } of best.values()) if (gives) return true;
  return false;
}

function valueAt<T>({ start, steps }: Timeline<T>, isMade: (id: ChangeId) => boolean): T {
  let value = start;
  for (const { id, to } of steps) if (isMade(id)) value = to;
  return value;
}

/** Whether each step can only add the protection, or only take it away; `mixed` if it can do both. */
export function classifySteps(model: Model): ReadonlyMap<ChangeId, 'gain' | 'loss' | 'mixed'> {
  const found = new Map<ChangeId, 'gain' | 'loss' | 'mixed'>();
  const add = (id: ChangeId, sort: 'gain' | 'loss' | 'mixed'): void => {
    found.set(id, (found.get(id) ?? sort) === sort ? sort : 'mixed');
  };
  for (const { start, steps } of model.players) {
    let last = start;
    for (const { id, to } of steps) {
      // An interceptor that gives nothing can override one that does.
      if (to !== last) add(id, to === 'gives' || last === 'other' ? 'gain' : 'loss');
      last = to;
    }
  }
  for (const [group, { start, steps }] of model.memberships) {
    const parts = new Set(
      model.players
        .filter((player) => player.group === group)
        .flatMap((player) => [player.start, ...player.steps.map(({ to }) => to)]),
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
