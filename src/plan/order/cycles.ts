import { groupBy } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import type { ChangeId, DraftChange } from '../change/plan.ts';
import type { Dependency } from './dependencies.ts';
import { findCycles, type Graph } from './graph.ts';
import { findReleasable } from './release.ts';

/** How no change depends on itself. */
export type BrokenCycles = {
  /** What still holds. */
  readonly dependencies: readonly Dependency[];
  /** Dependencies that an extra step of their `on` removes: it gives up its references or unique values first. */
  readonly released: ReadonlySet<Dependency>;
  /** Cycles that no extra step breaks. */
  readonly cycles: readonly (readonly ChangeId[])[];
};

/**
 * Breaks the cycles among changes: dependencies that are only preferred are given up, then objects let go of something in
 * extra steps.
 */
export function breakCycles(
  all: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): BrokenCycles {
  const released = new Set(releaseForDeletes(all, changes, kinds));
  const isLeft = (dependency: Dependency): boolean => !released.has(dependency);
  const preferred = new Set(withinCycles(all.filter(isLeft)).filter(({ why }) => why.type === 'preferred'));
  const dependencies = preferred.size === 0 ? all : all.filter((dependency) => !preferred.has(dependency));
  const within = withinCycles(dependencies.filter(isLeft));
  for (const dependency of chooseReleases(within, changes, kinds)) released.add(dependency);
  return { dependencies, released, cycles: findCycles(makeGraph(within.filter(isLeft))) };
}

/**
 * Deletes that would go early because another change takes a value of theirs, and would pull other deletes along: those
 * may be guards whose successors are not in place yet. The object drops the value, and all of them go last.
 */
function releaseForDeletes(
  dependencies: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): readonly Dependency[] {
  const isDelete = (id: ChangeId): boolean => changes.get(id)?.action === 'delete';
  const pulling = new Set(
    dependencies.filter(({ change, on }) => isDelete(change) && isDelete(on)).map(({ change }) => change),
  );
  const taking = dependencies.filter(({ on, why }) => why.type === 'takes' && pulling.has(on));
  return [...groupBy(taking, ({ on }) => on)].flatMap(([id, takes]) =>
    releasableOf(id, takes, changes, kinds),
  );
}

/**
 * Chooses the objects that get an extra step, one at a time: first those with the most dependencies, which break the most
 * cycles. An object gets none if its cycles are already broken.
 */
function chooseReleases(
  within: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): readonly Dependency[] {
  const incoming = groupBy(within, ({ on }) => on);
  const outgoing = groupBy(within, ({ change }) => change);
  const gone = new Set<Dependency>();
  const isGone = (dependency: Dependency): boolean => gone.has(dependency);
  // What nothing depends on, or what depends on nothing, is in no cycle any more.
  const removeLeaves = (starts: readonly ChangeId[]): void => {
    const open = [...starts];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const [into, out] = [incoming.get(id) ?? [], outgoing.get(id) ?? []];
      if (!into.every(isGone) && !out.every(isGone)) continue;
      for (const dependency of [...into, ...out]) {
        if (isGone(dependency)) continue;
        gone.add(dependency);
        open.push(dependency.on === id ? dependency.change : dependency.on);
      }
    }
  };
  return [...incoming]
    .map(([id, into]) => {
      const releases = releasableOf(id, into, changes, kinds);
      return { id, releases, score: Math.max(releases.length, outgoing.get(id)?.length ?? 0) };
    })
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    .flatMap(({ id, releases }) => {
      if (releases.every(isGone)) return [];
      for (const dependency of releases) gone.add(dependency);
      removeLeaves([id, ...releases.map(({ change }) => change)]);
      return releases;
    });
}

function releasableOf(
  id: ChangeId,
  dependencies: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): readonly Dependency[] {
  const change = changes.get(id);
  return change === undefined ? [] : findReleasable(change, dependencies, kinds);
}

/** The dependencies between changes of one and the same cycle. */
function withinCycles(dependencies: readonly Dependency[]): readonly Dependency[] {
  const cycles = findCycles(makeGraph(dependencies));
  if (cycles.length === 0) return [];
  const cycleOf = new Map(cycles.flatMap((cycle, at) => cycle.map((id) => [id, at])));
  return dependencies.filter(({ change, on }) => {
    const cycle = cycleOf.get(change);
    return cycle !== undefined && cycle === cycleOf.get(on);
  });
}

/** What each of the changes depends on, its own extra step among it. */
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
