import type { ChangeId } from '../change/change.ts';
import type { Dependency } from '../order/dependencies.ts';
import { reach, type Graph } from '../order/graph.ts';
import { byName, classifySteps, isProtected, type Model } from './models.ts';

/** Of one name, or of all: what the steps do, and whether there is the protection before and after. */
type Role = {
  readonly gains: readonly ChangeId[];
  readonly losses: readonly ChangeId[];
  readonly before: boolean;
  readonly after: boolean;
};

/** More pairs of changes than this are not made dependent on each other for one model. */
const MOST_PAIRS = 2000;

/**
 * Dependencies by which one name gives the protection until another one does: everything that the new one gains comes before
 * anything that the old one loses. They leave all other changes free. Left out are models where this would close a cycle.
 */
export function chooseHandover(
  models: readonly Model[],
  needs: Graph,
  isDelete: (id: ChangeId) => boolean,
): readonly Dependency[] {
  const graph = new Map([...needs].map(([id, on]) => [id, new Set(on)]));
  return models.flatMap(takeApart).flatMap((model) => {
    const options = findOptions(model, isDelete);
    for (const { from, to } of options) {
      const added = addAll(graph, from, to);
      if (added === undefined) continue;
      return added.map(({ change, on }) => ({
        change,
        on,
        why: { type: 'keeps' as const, protection: model.protection },
      }));
    }
    return [];
  });
}

type Option = { readonly from: readonly ChangeId[]; readonly to: readonly ChangeId[] };

/**
 * The pairs of names of which one can take over from the other; first the pairs that make no delete early and tie the fewest changes
 * together.
 */
function findOptions(model: Model, isDelete: (id: ChangeId) => boolean): readonly Option[] {
  const sorts = [...classifySteps(model).values()];
  if (sorts.includes('mixed')) return [];
  // What none of the names gives alone is handed over by all of them together.
  const roles = (typeof model.aim === 'function' ? [model] : byName(model)).map(roleOf);
  const [old, next] = [roles.filter(({ before }) => before), roles.filter(({ after }) => after)];
  return old
    .flatMap(({ losses: to }) => next.map(({ gains: from }) => ({ from, to })))
    .filter(({ from, to }) => from.length * to.length <= MOST_PAIRS)
    .map((option) => ({ option, cost: costOf(option, isDelete) }))
    .sort((one, other) => one.cost - other.cost)
    .map(({ option }) => option);
}

/** What no name may do is kept for each on its own. */
function takeApart(model: Model): readonly Model[] {
  return model.aim === 'none' ? byName(model) : [model];
}

function roleOf(model: Model): Role {
  const sorts = [...classifySteps(model)];
  const of = (wanted: string): readonly ChangeId[] =>
    sorts.flatMap(([id, sort]) => (sort === wanted ? [id] : []));
  return {
    gains: of('gain'),
    losses: of('loss'),
    before: isProtected(model, () => false),
    after: isProtected(model, () => true),
  };
}

function costOf({ from, to }: Option, isDelete: (id: ChangeId) => boolean): number {
  const early = to.some((id) => !isDelete(id)) ? from.filter(isDelete).length : 0;
  return early * MOST_PAIRS + from.length * to.length;
}

/** Makes each of `to` depend on each of `from`; undefined, and nothing changed, if that would close a cycle. */
function addAll(
  graph: Map<ChangeId, Set<ChangeId>>,
  from: readonly ChangeId[],
  to: readonly ChangeId[],
): readonly { readonly change: ChangeId; readonly on: ChangeId }[] | undefined {
  const ends = new Set(to);
  if ([...from, ...reach(graph, from)].some((id) => ends.has(id))) return undefined;
  const pairs = to.flatMap((change) => from.map((on) => ({ change, on })));
  const added = pairs.filter(({ change, on }) => graph.get(change)?.has(on) !== true);
  for (const { change, on } of added) graph.get(change)?.add(on);
  return added;
}
