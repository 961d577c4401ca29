import { addTo } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { cyclesOf, type Graph } from './graph.ts';
import type { ChangeId } from '../change/plan.ts';
import { liftable } from './release.ts';
import type { Unordered } from '../change/draft-change.ts';
import type { Wait } from './dependencies.ts';

type Rings = readonly (readonly ChangeId[])[];

/** What has to be done for no change to wait for itself. */
export type Opened = {
  /** What still holds. */
  readonly waits: readonly Wait[];
  /** Waits that end when their `on` has let go, in an extra step of its own. */
  readonly lifted: ReadonlySet<Wait>;
  /** Rings that no extra step opens. */
  readonly rings: Rings;
};

/**
 * Opens the rings among waiting changes: waits that are only preferred are given up, then objects let go of something
 * in extra steps, as few as can be.
 */
export function openRings(
  all: readonly Wait[],
  changes: ReadonlyMap<ChangeId, Unordered>,
  kinds: KindSet,
): Opened {
  const early = heldUp(all, changes, kinds);
  let left = all.filter((wait) => !early.has(wait));
  let rings = ringsOf(left);
  const lifted = new Set(early);
  if (rings.length === 0) return { waits: all, lifted, rings };

  const dropped = new Set(inside(left, rings).filter(({ why }) => why.type === 'prefers'));
  const waits = all.filter((wait) => !dropped.has(wait));
  rings = ringsOf(left.filter((wait) => !dropped.has(wait)));
  left = inside(left, rings).filter((wait) => !dropped.has(wait));
  for (const [ring, within] of perRing(left, rings)) {
    for (const wait of fewest(opening(ring, within, changes, kinds), within)) lifted.add(wait);
  }
  return { waits, lifted, rings: ringsOf(left.filter((wait) => !lifted.has(wait))) };
}

/**
 * Deletes that would go early because somebody takes a value of theirs, and would pull other deletes along: those
 * may be guards whose successors are not in place yet. The object lets go of the value, and all of them go last.
 */
function heldUp(
  waits: readonly Wait[],
  changes: ReadonlyMap<ChangeId, Unordered>,
  kinds: KindSet,
): ReadonlySet<Wait> {
  const isDelete = (id: ChangeId): boolean => changes.get(id)?.action === 'delete';
  const pulling = new Set(
    waits.filter(({ change, on }) => isDelete(change) && isDelete(on)).map(({ change }) => change),
  );
  const taking = new Map<ChangeId, Wait[]>();
  for (const wait of waits) {
    if (wait.why.type === 'takes' && pulling.has(wait.on)) addTo(taking, wait.on, wait);
  }
  return new Set([...taking].flatMap(([id, takes]) => liftableOf(id, takes, changes, kinds)));
}

/** Waits of one ring that have to end, in the order in which they were found. */
function opening(
  ring: readonly ChangeId[],
  within: readonly Wait[],
  changes: ReadonlyMap<ChangeId, Unordered>,
  kinds: KindSet,
): readonly (readonly Wait[])[] {
  const releases: (readonly Wait[])[] = [];
  const lifted = new Set<Wait>();
  let work: readonly (readonly [readonly ChangeId[], readonly Wait[]])[] = [[ring, within]];
  while (work.length > 0) {
    const found = work.map(([ids, waits]) => ({ waits, picked: pick(ids, waits, changes, kinds) }));
    for (const { picked } of found) {
      for (const waits of picked) {
        releases.push(waits);
        for (const wait of waits) lifted.add(wait);
      }
    }
    work = found
      .filter(({ picked }) => picked.length > 0) // what nobody can open is left as it is
      .flatMap(({ waits }) => {
        const left = waits.filter((wait) => !lifted.has(wait));
        return [...perRing(left, ringsOf(left))];
      });
  }
  return releases;
}

/** In rings of thousands, several are picked at a time. */
const AT_A_TIME = 1 / 100;

/** The objects that open most by letting go; after each, what is in no ring for sure is out of the question. */
function pick(
  ring: readonly ChangeId[],
  waits: readonly Wait[],
  changes: ReadonlyMap<ChangeId, Unordered>,
  kinds: KindSet,
): readonly (readonly Wait[])[] {
  const [incoming, outgoing] = [new Map<ChangeId, Wait[]>(), new Map<ChangeId, Wait[]>()];
  for (const wait of waits) {
    addTo(incoming, wait.on, wait);
    addTo(outgoing, wait.change, wait);
  }
  const candidates = ring
    .map((id) => ({ id, lifts: liftableOf(id, incoming.get(id) ?? [], changes, kinds) }))
    .filter(({ lifts }) => lifts.length > 0)
    .map(({ id, lifts }) => ({ id, lifts, score: Math.max(lifts.length, outgoing.get(id)?.length ?? 0) }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
  const gone = new Set<Wait>();
  const peel = (starts: readonly ChangeId[]): void => {
    const open = [...starts];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const [into, out] = [incoming.get(id) ?? [], outgoing.get(id) ?? []];
      const leaf = into.every((wait) => gone.has(wait)) || out.every((wait) => gone.has(wait));
      if (!leaf) continue;
      for (const wait of [...into, ...out]) {
        if (gone.has(wait)) continue;
        gone.add(wait);
        open.push(wait.on === id ? wait.change : wait.on);
      }
    }
  };
  const picked: (readonly Wait[])[] = [];
  for (const { id, lifts } of candidates) {
    if (picked.length >= Math.max(1, ring.length * AT_A_TIME)) break;
    const useful = lifts.filter((wait) => !gone.has(wait));
    if (useful.length === 0) continue;
    picked.push(lifts);
    for (const wait of lifts) gone.add(wait);
    peel([id, ...lifts.map(({ change }) => change)]);
  }
  return picked;
}

/** More work than this to see whether a step can be spared is not spent on one ring. */
const WORTH_IT = 3_000_000;

/** The same without steps that the others make needless. */
function fewest(releases: readonly (readonly Wait[])[], within: readonly Wait[]): readonly Wait[] {
  const lifted = new Set(releases.flat());
  const worthIt = releases.length > 1 && releases.length * within.length <= WORTH_IT;
  const rings = worthIt ? ringsOf(within.filter((wait) => !lifted.has(wait))).length : 0;
  for (const waits of worthIt ? releases : []) {
    for (const wait of waits) lifted.delete(wait);
    if (ringsOf(within.filter((wait) => !lifted.has(wait))).length === rings) continue;
    for (const wait of waits) lifted.add(wait);
  }
  return [...lifted];
}

function liftableOf(
  id: ChangeId,
  waits: readonly Wait[],
  changes: ReadonlyMap<ChangeId, Unordered>,
  kinds: KindSet,
): readonly Wait[] {
  const change = changes.get(id);
  return change === undefined || waits.length === 0 ? [] : liftable(change, waits, kinds);
}

function ringsOf(waits: readonly Wait[]): Rings {
  return cyclesOf(graphOf(waits));
}

/** What each of the changes waits for, its own extra step among it. */
export function graphOf(
  waits: readonly Wait[],
  ids: Iterable<ChangeId> = [],
  steps: ReadonlyMap<ChangeId, ChangeId> = new Map(),
): Graph {
  const graph = new Map<ChangeId, Set<ChangeId>>();
  for (const id of ids) {
    const step = steps.get(id);
    graph.set(id, new Set(step === undefined ? [] : [step]));
  }
  for (const { change, on } of waits) {
    const needs = graph.get(change);
    if (needs === undefined) graph.set(change, new Set([on]));
    else needs.add(on);
    if (!graph.has(on)) graph.set(on, new Set());
  }
  return graph;
}

/** The waits between changes of one and the same ring. */
function inside(waits: readonly Wait[], rings: Rings): readonly Wait[] {
  return [...perRing(waits, rings)].flatMap(([, within]) => within);
}

function perRing(waits: readonly Wait[], rings: Rings): ReadonlyMap<readonly ChangeId[], readonly Wait[]> {
  const ringOf = new Map(rings.flatMap((ring) => ring.map((id) => [id, ring] as const)));
  const within = new Map<readonly ChangeId[], Wait[]>();
  for (const wait of waits) {
    const ring = ringOf.get(wait.change);
    if (ring !== undefined && ring === ringOf.get(wait.on)) addTo(within, ring, wait);
  }
  return within;
}
