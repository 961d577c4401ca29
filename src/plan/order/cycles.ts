import { addTo } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { findCycles, type Graph } from './graph.ts';
import type { ChangeId } from '../change/plan.ts';
import { findReleasable } from './release.ts';
import type { DraftChange } from '../change/draft-change.ts';
import type { Dependency } from './dependencies.ts';

type Cycles = readonly (readonly ChangeId[])[];

/** What has to be done for no change to depend on itself. */
export type BrokenCycles = {
  /** What still holds. */
  readonly dependencies: readonly Dependency[];
  /** Those that end when their `on` has let go, in an extra step of its own. */
  readonly released: ReadonlySet<Dependency>;
  /** Cycles that no extra step opens. */
  readonly cycles: Cycles;
};

/**
 * Breaks the cycles among changes: dependencies that are only preferred are given up, then objects let go of something
 * in extra steps, as few as can be.
 */
export function breakCycles(
  all: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): BrokenCycles {
  const early = findEarlyDeletes(all, changes, kinds);
  let left = all.filter((dependency) => !early.has(dependency));
  let cycles = cyclesIn(left);
  const released = new Set(early);
  if (cycles.length === 0) return { dependencies: all, released, cycles };

  const dropped = new Set(withinCycles(left, cycles).filter(({ why }) => why.type === 'preferred'));
  const dependencies = all.filter((dependency) => !dropped.has(dependency));
  cycles = cyclesIn(left.filter((dependency) => !dropped.has(dependency)));
  left = withinCycles(left, cycles).filter((dependency) => !dropped.has(dependency));
  for (const [cycle, within] of groupByCycle(left, cycles)) {
    for (const dependency of dropNeedless(findReleases(cycle, within, changes, kinds), within))
      released.add(dependency);
  }
  return { dependencies, released, cycles: cyclesIn(left.filter((dependency) => !released.has(dependency))) };
}

/**
 * Deletes that would go early because somebody takes a value of theirs, and would pull other deletes along: those
 * may be guards whose successors are not in place yet. The object lets go of the value, and all of them go last.
 */
function findEarlyDeletes(
  dependencies: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): ReadonlySet<Dependency> {
  const isDelete = (id: ChangeId): boolean => changes.get(id)?.action === 'delete';
  const pulling = new Set(
    dependencies.filter(({ change, on }) => isDelete(change) && isDelete(on)).map(({ change }) => change),
  );
  const taking = new Map<ChangeId, Dependency[]>();
  for (const dependency of dependencies) {
    if (dependency.why.type === 'takes' && pulling.has(dependency.on))
      addTo(taking, dependency.on, dependency);
  }
  return new Set([...taking].flatMap(([id, takes]) => releasableOf(id, takes, changes, kinds)));
}

/** Dependencies of one cycle that have to end, in the order in which they were found. */
function findReleases(
  cycle: readonly ChangeId[],
  within: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): readonly (readonly Dependency[])[] {
  const releases: (readonly Dependency[])[] = [];
  const released = new Set<Dependency>();
  let work: readonly (readonly [readonly ChangeId[], readonly Dependency[]])[] = [[cycle, within]];
  while (work.length > 0) {
    const found = work.map(([ids, dependencies]) => ({
      dependencies,
      picked: pick(ids, dependencies, changes, kinds),
    }));
    for (const { picked } of found) {
      for (const dependencies of picked) {
        releases.push(dependencies);
        for (const dependency of dependencies) released.add(dependency);
      }
    }
    work = found
      .filter(({ picked }) => picked.length > 0) // what nobody can open is left as it is
      .flatMap(({ dependencies }) => {
        const left = dependencies.filter((dependency) => !released.has(dependency));
        return [...groupByCycle(left, cyclesIn(left))];
      });
  }
  return releases;
}

/** In cycles of thousands, several are picked at a time. */
const AT_A_TIME = 1 / 100;

/** The objects that open most by letting go; after each, what is in no cycle for sure is out of the question. */
function pick(
  cycle: readonly ChangeId[],
  dependencies: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): readonly (readonly Dependency[])[] {
  const [incoming, outgoing] = [new Map<ChangeId, Dependency[]>(), new Map<ChangeId, Dependency[]>()];
  for (const dependency of dependencies) {
    addTo(incoming, dependency.on, dependency);
    addTo(outgoing, dependency.change, dependency);
  }
  const candidates = cycle
    .map((id) => ({ id, releases: releasableOf(id, incoming.get(id) ?? [], changes, kinds) }))
    .filter(({ releases }) => releases.length > 0)
    .map(({ id, releases }) => ({
      id,
      releases,
      score: Math.max(releases.length, outgoing.get(id)?.length ?? 0),
    }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
  const gone = new Set<Dependency>();
  const removeLeaves = (starts: readonly ChangeId[]): void => {
    const open = [...starts];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const [into, out] = [incoming.get(id) ?? [], outgoing.get(id) ?? []];
      const leaf =
        into.every((dependency) => gone.has(dependency)) || out.every((dependency) => gone.has(dependency));
      if (!leaf) continue;
      for (const dependency of [...into, ...out]) {
        if (gone.has(dependency)) continue;
        gone.add(dependency);
        open.push(dependency.on === id ? dependency.change : dependency.on);
      }
    }
  };
  const picked: (readonly Dependency[])[] = [];
  for (const { id, releases } of candidates) {
    if (picked.length >= Math.max(1, cycle.length * AT_A_TIME)) break;
    const useful = releases.filter((dependency) => !gone.has(dependency));
    if (useful.length === 0) continue;
    picked.push(releases);
    for (const dependency of releases) gone.add(dependency);
    removeLeaves([id, ...releases.map(({ change }) => change)]);
  }
  return picked;
}

/** More work than this to see whether a step can be spared is not spent on one cycle. */
const WORTH_IT = 3_000_000;

/** The same without steps that the others make needless. */
function dropNeedless(
  releases: readonly (readonly Dependency[])[],
  within: readonly Dependency[],
): readonly Dependency[] {
  const released = new Set(releases.flat());
  const worthIt = releases.length > 1 && releases.length * within.length <= WORTH_IT;
  const cycles = worthIt ? cyclesIn(within.filter((dependency) => !released.has(dependency))).length : 0;
  for (const dependencies of worthIt ? releases : []) {
    for (const dependency of dependencies) released.delete(dependency);
    if (cyclesIn(within.filter((dependency) => !released.has(dependency))).length === cycles) continue;
    for (const dependency of dependencies) released.add(dependency);
  }
  return [...released];
}

function releasableOf(
  id: ChangeId,
  dependencies: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): readonly Dependency[] {
  const change = changes.get(id);
  return change === undefined || dependencies.length === 0 ? [] : findReleasable(change, dependencies, kinds);
}

function cyclesIn(dependencies: readonly Dependency[]): Cycles {
  return findCycles(makeGraph(dependencies));
}

/** What each of the changes dependencies for, its own extra step among it. */
export function makeGraph(
  dependencies: readonly Dependency[],
  ids: Iterable<ChangeId> = [],
  steps: ReadonlyMap<ChangeId, ChangeId> = new Map(),
): Graph {
  const graph = new Map<ChangeId, Set<ChangeId>>();
  for (const id of ids) {
    const step = steps.get(id);
    graph.set(id, new Set(step === undefined ? [] : [step]));
  }
  for (const { change, on } of dependencies) {
    const needs = graph.get(change);
    if (needs === undefined) graph.set(change, new Set([on]));
    else needs.add(on);
    if (!graph.has(on)) graph.set(on, new Set());
  }
  return graph;
}

/** The dependencies between changes of one and the same cycle. */
function withinCycles(dependencies: readonly Dependency[], cycles: Cycles): readonly Dependency[] {
  return [...groupByCycle(dependencies, cycles)].flatMap(([, within]) => within);
}

function groupByCycle(
  dependencies: readonly Dependency[],
  cycles: Cycles,
): ReadonlyMap<readonly ChangeId[], readonly Dependency[]> {
  const cycleOf = new Map(cycles.flatMap((cycle) => cycle.map((id) => [id, cycle] as const)));
  const within = new Map<readonly ChangeId[], Dependency[]>();
  for (const dependency of dependencies) {
    const cycle = cycleOf.get(dependency.change);
    if (cycle !== undefined && cycle === cycleOf.get(dependency.on)) addTo(within, cycle, dependency);
  }
  return within;
}
