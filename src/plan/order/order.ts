import { addTo } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { behind, layersOf } from './graph.ts';
import { idOf, type Change, type ChangeId } from '../change/plan.ts';
import { releaseOf, someOf } from './release.ts';
import { graphOf, openRings } from './cycles.ts';
import type { Unordered } from '../change/draft-change.ts';
import { waitsOf, type Wait } from './dependencies.ts';

export type Ordered = {
  readonly changes: readonly Change[];
  readonly cycles: readonly Cycle[];
};

/** Changes that each wait for another, where no extra step can help, and all that waits for one of them. */
export type Cycle = { readonly ring: readonly Change[]; readonly behind: readonly Change[] };

/**
 * Puts changes in the order in which the gateway accepts them: each after what it refers to and after what frees a
 * value that it takes; deletes after everything they were leaned on by, and, unless somebody waits for them, after
 * all else: a new guard is in place before the old one goes. Where changes wait for each other in a ring, one of them
 * lets go first, as an extra step.
 */
export function order(unordered: readonly Unordered[], kinds: KindSet): Ordered {
  const changes = new Map(unordered.map((change) => [idOf(change), change] as const));
  const opened = openRings(waitsOf(unordered, kinds), changes, kinds);
  const liftedOf = new Map<ChangeId, Wait[]>();
  for (const wait of opened.lifted) addTo(liftedOf, wait.on, wait);

  const nodes = new Map(changes);
  const steps = new Map<ChangeId, ChangeId>();
  for (const [id, lifted] of liftedOf) {
    const change = changes.get(id);
    if (change === undefined) throw new Error(`${id} lets go, and is no change`);
    const step = releaseOf(change, lifted, kinds);
    nodes.set(idOf(step), step);
    steps.set(id, idOf(step));
  }
  const graph = graphOf(
    opened.waits.map((wait) =>
      opened.lifted.has(wait) ? { ...wait, on: steps.get(wait.on) ?? wait.on } : wait,
    ),
    nodes.keys(),
    steps,
  );

  const isStepId = new Set(steps.values());
  const { order: sequence, late } = layersOf(
    graph,
    (id) => nodes.get(id)?.action === 'delete',
    (id) => isStepId.has(id),
  );
  const early = reasonsToGoEarly(
    opened.waits.filter((wait) => !opened.lifted.has(wait)),
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
  if (opened.rings.length === 0) return { changes: sequence.map(place), cycles: [] };

  const stuck = new Set<ChangeId>();
  const cycles = opened.rings.map((ring) => {
    const waiting = [...behind(graph, new Set(ring))].filter((id) => !stuck.has(id));
    for (const id of [...ring, ...waiting]) stuck.add(id);
    return { ring: [...ring].sort(), waiting: waiting.sort() };
  });
  const inRing = new Set(opened.rings.flat());
  // An extra step of what is not done is not done either.
  for (const [id, step] of steps) if (stuck.has(id)) stuck.add(step);
  return {
    changes: sequence.filter((id) => !stuck.has(id)).map(place),
    cycles: cycles.map(({ ring, waiting }) => ({
      ring: ring.map(place),
      behind: waiting.filter((id) => !inRing.has(id)).map(place),
    })),
  };
}

/** What each delete has to say that goes before things are made. */
function reasonsToGoEarly(
  waits: readonly Wait[],
  nodes: ReadonlyMap<ChangeId, Unordered>,
  late: ReadonlySet<ChangeId>,
): ReadonlyMap<ChangeId, string> {
  const reasons = new Map<ChangeId, string[]>();
  for (const { change, on, why } of waits) {
    if (nodes.get(on)?.action !== 'delete' || late.has(on) || late.has(change)) continue;
    if (why.type === 'takes') addTo(reasons, on, `${change} takes its ${why.value.noun}`);
    else if (why.type === 'is-held') {
      const fate = nodes.get(change)?.action === 'delete' ? 'goes first too' : 'is replaced';
      addTo(reasons, on, `it refers to ${change}, which ${fate}`);
    }
  }
  return new Map([...reasons].map(([id, list]) => [id, `goes first: ${someOf(list.sort())}`]));
}
