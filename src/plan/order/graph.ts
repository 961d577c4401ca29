import { compareNaturally } from '../../model/text/natural-order.ts';
import { addTo, getOrAdd } from '../../model/collect.ts';
import type { ChangeId } from '../change/change.ts';

/** What each change depends on. */
export type Graph = ReadonlyMap<ChangeId, ReadonlySet<ChangeId>>;

/**
 * A sequence in which everything comes after what it depends on. `isLate` puts a change behind all that are not, unless
 * one of those depends on it; then it comes as shortly before that one as can be, and so does what `isBrief` names. Ties
 * go by name, so that the same graph gives the same sequence. Nodes in a cycle, and those that depend on one, come last.
 */
export function sortGraph(
  graph: Graph,
  isLate: (id: ChangeId) => boolean,
  isBrief: (id: ChangeId) => boolean = () => false,
): { readonly order: readonly ChangeId[]; readonly late: ReadonlySet<ChangeId> } {
  const urgent = reach(
    graph,
    [...graph.keys()].filter((id) => !isLate(id)),
  );
  const late = new Set([...graph.keys()].filter((id) => isLate(id) && !urgent.has(id)));
  const dependants = invert(graph);
  const depth = measureDepths(graph, dependants);
  const ranks = new Map<ChangeId, number>();
  const isShort = (id: ChangeId): boolean => !late.has(id) && (isLate(id) || isBrief(id));
  const deepestFirst = [...graph.keys()].sort(
    (one, other) => (depth.get(other) ?? graph.size) - (depth.get(one) ?? graph.size),
  );
  for (const id of deepestFirst) {
    const own = (late.has(id) ? graph.size : 0) + (depth.get(id) ?? graph.size);
    let next = Infinity;
    if (isShort(id) && depth.has(id))
      for (const dependant of dependants.get(id) ?? [])
        next = Math.min(next, ranks.get(dependant) ?? Infinity);
    ranks.set(id, next === Infinity ? own : next - 1);
  }
  const ranked = [...graph.keys()].map((id) => ({ id, rank: ranks.get(id) ?? 0, last: isShort(id) ? 1 : 0 }));
  ranked.sort(
    (one, other) => one.rank - other.rank || one.last - other.last || compareNaturally(one.id, other.id),
  );
  return { order: ranked.map(({ id }) => id), late };
}

/** Everything that depends on one of these, at any distance, without them. */
export function findDependants(graph: Graph, chosen: ReadonlySet<ChangeId>): ReadonlySet<ChangeId> {
  const found = reach(invert(graph), chosen);
  for (const id of chosen) found.delete(id);
  return found;
}

/** Whether `other` depends on `one`, at any distance. */
export function ancestry(
  needs: ReadonlyMap<ChangeId, Iterable<ChangeId>>,
): (one: ChangeId, other: ChangeId) => boolean {
  const known = new Map<ChangeId, ReadonlySet<ChangeId>>();
  return (one, other) => getOrAdd(known, other, () => reach(needs, [other])).has(one);
}

/** The nodes that can be reached from these along the edges. */
export function reach(
  edges: ReadonlyMap<ChangeId, Iterable<ChangeId>>,
  starts: Iterable<ChangeId>,
): Set<ChangeId> {
  const found = new Set<ChangeId>();
  const open = [...starts];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const next of edges.get(id) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

function invert(graph: Graph): ReadonlyMap<ChangeId, readonly ChangeId[]> {
  const dependants = new Map<ChangeId, ChangeId[]>();
  for (const [id, needs] of graph) {
    for (const need of needs) addTo(dependants, need, id);
  }
  return dependants;
}

/** The longest chain of dependencies of each change; absent for what is in a cycle or depends on one. */
function measureDepths(
  graph: Graph,
  dependants: ReadonlyMap<ChangeId, readonly ChangeId[]>,
): ReadonlyMap<ChangeId, number> {
  const waiting = new Map([...graph].map(([id, needs]) => [id, needs.size]));
  const depth = new Map<ChangeId, number>();
  let layer = [...graph.keys()].filter((id) => waiting.get(id) === 0);
  for (let level = 0; layer.length > 0; level += 1) {
    const next: ChangeId[] = [];
    for (const id of layer) {
      depth.set(id, level);
      for (const dependant of dependants.get(id) ?? []) {
        const left = (waiting.get(dependant) ?? 0) - 1;
        waiting.set(dependant, left);
        if (left === 0) next.push(dependant);
      }
    }
    layer = next;
  }
  return depth;
}

/** The cycles of a graph: the strongly connected groups of more than one change (Tarjan, without recursion). */
export function findCycles(graph: Graph): readonly (readonly ChangeId[])[] {
  const depth = measureDepths(graph, invert(graph));
  if (depth.size === graph.size) return [];
  const found: ChangeId[][] = [];
  const index = new Map<ChangeId, number>();
  const low = new Map<ChangeId, number>();
  const stack: ChangeId[] = [];
  const onStack = new Set<ChangeId>();
  for (const root of graph.keys()) {
    if (index.has(root) || depth.has(root)) continue;
    const work: { readonly id: ChangeId; readonly needs: Iterator<ChangeId> }[] = [];
    const enter = (id: ChangeId): void => {
      index.set(id, index.size);
      low.set(id, index.size - 1);
      stack.push(id);
      onStack.add(id);
      work.push({ id, needs: (graph.get(id) ?? new Set<ChangeId>())[Symbol.iterator]() });
    };
    enter(root);
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const { id, needs } = top;
      const next = needs.next();
      if (next.done !== true) {
        if (depth.has(next.value)) continue;
        if (!index.has(next.value)) enter(next.value);
        else if (onStack.has(next.value)) low.set(id, Math.min(low.get(id) ?? 0, index.get(next.value) ?? 0));
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.id;
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent) ?? 0, low.get(id) ?? 0));
      if (low.get(id) !== index.get(id)) continue;
      const cycle = stack.splice(stack.lastIndexOf(id));
      for (const member of cycle) onStack.delete(member);
      if (cycle.length > 1) found.push(cycle);
    }
  }
  return found;
}
