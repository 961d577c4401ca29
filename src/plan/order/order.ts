import { addTo, getOrAdd, groupBy } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { findDependants, sortGraph, type Graph, findCycles } from './graph.ts';
import { type Change, type ChangeId, type DraftChange, idOf } from '../change/change.ts';
import { makeExtraSteps, NO_EXTRA, type Extra } from './extra-steps.ts';
import { listSome } from '../../model/text/list.ts';
import { makeRelease, findReleasable } from './release.ts';
import { findDependencies, type Dependency } from './dependencies.ts';

export type OrderedChanges = {
  readonly changes: readonly Change[];
  readonly cycles: readonly Cycle[];
  /** What each change depends on, without what is only preferred. */
  readonly needs: Graph;
  /** The change that each extra step of `extra` is for. */
  readonly owns: ReadonlyMap<ChangeId, ChangeId>;
};

/** Changes that depend on each other, where no extra step can help, and all that depend on one of them. */
export type Cycle = { readonly changes: readonly Change[]; readonly dependants: readonly Change[] };

/**
 * Puts changes in the order in which the gateway accepts them: each after what it refers to and after what frees a
 * value that it takes; deletes after everything that referred to them, and, unless something depends on them, after all
 * else: a new guard is in place before the old one goes. Where changes depend on each other in a cycle, one of them lets
 * go first, in an extra step. `keeps` are dependencies beside those that the gateway asks for; `extra` has the objects
 * whose updates have further extra steps.
 */
export function orderChanges(
  drafts: readonly DraftChange[],
  kinds: KindSet,
  keeps: readonly Dependency[] = [],
  extra: Extra = NO_EXTRA,
): OrderedChanges {
  const own = findDependencies(drafts, kinds);
  const added = makeExtraSteps(drafts, extra, own, kinds);
  const changes = new Map([...drafts, ...added.changes].map((change) => [idOf(change), change] as const));
  const broken = breakCycles([...own, ...added.dependencies, ...keeps], changes, kinds);
  const releasedOf = groupBy(broken.released, ({ on }) => on);

  const nodes = new Map(changes);
  const steps = new Map<ChangeId, ChangeId>();
  for (const [id, released] of releasedOf) {
    const change = changes.get(id);
    if (change === undefined) throw new Error(`${id} is to be released, and is not a change`);
    const step = makeRelease(change, released, kinds);
    nodes.set(idOf(step), step);
    steps.set(id, idOf(step));
  }
  const dependencies = broken.dependencies.map((dependency) =>
    broken.released.has(dependency)
      ? { ...dependency, on: steps.get(dependency.on) ?? dependency.on }
      : dependency,
  );
  const graph = makeGraph(dependencies, nodes.keys(), steps);
  const firm = dependencies.filter(({ why }) => why.type !== 'preferred');
  const needs = firm.length === dependencies.length ? graph : makeGraph(firm, nodes.keys(), steps);

  const isStepId = new Set([...steps.values(), ...added.changes.map(idOf)]);
  const { order: sequence, late } = sortGraph(
    graph,
    (id) => nodes.get(id)?.action === 'delete',
    (id) => isStepId.has(id),
  );
  const early = reasonsToGoEarly(
    broken.dependencies.filter((dependency) => !broken.released.has(dependency)),
    nodes,
    late,
  );
  const place = (id: ChangeId): Change => {
    const change = nodes.get(id);
    if (change === undefined) throw new Error(`the order names ${id}, which is no change`);
    const reason = early.get(id);
    const dependsOn = [...(graph.get(id) ?? [])].sort();
    const stage = late.has(id) ? 2 : 1;
    // Two objects spread into one take several times as long, and there may be 100,000.
    return reason === undefined ? { ...change, dependsOn, stage } : { ...change, reason, dependsOn, stage };
  };
  if (broken.cycles.length === 0)
    return { changes: sequence.map(place), cycles: [], needs, owns: added.owns };

  const stuck = new Set<ChangeId>();
  const cycles = broken.cycles.map((cycle) => {
    const waiting = [...findDependants(graph, new Set(cycle))].filter((id) => !stuck.has(id));
    for (const id of [...cycle, ...waiting]) stuck.add(id);
    return { cycle: [...cycle].sort(), waiting: waiting.sort() };
  });
  const inCycle = new Set(broken.cycles.flat());
  // An extra step of what is not done is not done either.
  for (const [id, step] of steps) if (stuck.has(id)) stuck.add(step);
  for (const [step, id] of added.owns) if (stuck.has(id)) stuck.add(step);
  return {
    ...{ needs, owns: added.owns },
    changes: sequence.filter((id) => !stuck.has(id)).map(place),
    cycles: cycles.map(({ cycle, waiting }) => ({
      changes: cycle.map(place),
      dependants: waiting.filter((id) => !inCycle.has(id)).map(place),
    })),
  };
}

/** What each delete has to say that goes before things are made. */
function reasonsToGoEarly(
  dependencies: readonly Dependency[],
  nodes: ReadonlyMap<ChangeId, DraftChange>,
  late: ReadonlySet<ChangeId>,
): ReadonlyMap<ChangeId, string> {
  const reasons = new Map<ChangeId, string[]>();
  for (const { change, on, why } of dependencies) {
    if (nodes.get(on)?.action !== 'delete' || late.has(on) || late.has(change)) continue;
    if (why.type === 'takes') addTo(reasons, on, `${change} takes its ${why.value.noun}`);
    else if (why.type === 'referenced') {
      const fate = nodes.get(change)?.action === 'delete' ? 'goes first too' : 'is replaced';
      addTo(reasons, on, `it refers to ${change}, which ${fate}`);
    } else if (why.type === 'shares') addTo(reasons, on, `${change} has another ${why.noun}`);
  }
  return new Map([...reasons].map(([id, list]) => [id, `goes first: ${listSome(list.sort())}`]));
}

/** How no change depends on itself. */
type BrokenCycles = {
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
function breakCycles(
  all: readonly Dependency[],
  changes: ReadonlyMap<ChangeId, DraftChange>,
  kinds: KindSet,
): BrokenCycles {
  const released = new Set(releaseForDeletes(all, changes, kinds));
  const isLeft = (dependency: Dependency): boolean => !released.has(dependency);
  const every = withinCycles(all.filter(isLeft));
  const preferred = new Set(every.filter(({ why }) => why.type === 'preferred'));
  const dependencies = preferred.size === 0 ? all : all.filter((dependency) => !preferred.has(dependency));
  const within = preferred.size === 0 ? every : withinCycles(dependencies.filter(isLeft));
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
  dependencies: readonly Pick<Dependency, 'change' | 'on'>[],
  ids: Iterable<ChangeId> = [],
  steps: ReadonlyMap<ChangeId, ChangeId> = new Map(),
): Graph {
  const graph = new Map<ChangeId, Set<ChangeId>>();
  for (const id of ids) {
    const step = steps.get(id);
    graph.set(id, new Set(step === undefined ? [] : [step]));
  }
  for (const { change, on } of dependencies) {
    getOrAdd(graph, change, () => new Set()).add(on);
    getOrAdd(graph, on, () => new Set());
  }
  return graph;
}
