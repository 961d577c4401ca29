import { addTo, groupBy } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { findDependants, sortGraph, type Graph } from './graph.ts';
import { type Change, type ChangeId, type DraftChange, idOf } from '../change/plan.ts';
import { makeExtraSteps, NO_EXTRA, type Extra } from './extra-steps.ts';
import { makeRelease, listSome } from './release.ts';
import { makeGraph, breakCycles } from './cycles.ts';
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
  const needs = makeGraph(
    dependencies.filter(({ why }) => why.type !== 'preferred'),
    nodes.keys(),
    steps,
  );

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
    return {
      ...change,
      ...(reason === undefined ? {} : { reason }),
      dependsOn,
      stage: late.has(id) ? 2 : 1,
    };
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
