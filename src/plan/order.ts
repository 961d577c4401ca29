import {
  canonicalText,
  changeAt,
  isList,
  parsePointer,
  placesOf,
  valueAt,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import { normalForm, requestBody } from '../model/normal-form.ts';
import { kindOf, type Address, type Resource } from '../model/resource.ts';
import { diffFields } from './diff.ts';
import { idOf, type Change, type ChangeId } from './plan.ts';
import { referencesOf } from './references.ts';
import { cyclesOf, layersOf, type Graph } from './graph.ts';

/** A change before it has its place: `dependsOn` and `stage` are worked out here. */
export type Unordered = Change extends infer C
  ? C extends Change
    ? Omit<C, 'dependsOn' | 'stage'>
    : never
  : never;

export type Ordered = {
  readonly changes: readonly Change[];
  /** Changes that each wait for another, where no extra step can help. */
  readonly cycles: readonly (readonly Change[])[];
};

/**
 * Puts changes in the order in which the gateway accepts them: each after what it refers to and after what frees a
 * value that it takes; deletes after everything they were leaned on by, and, unless somebody waits for them, after
 * all else: a new guard is in place before the old one goes. Where changes wait for each other in a ring, one of them
 * lets go first, as an extra step.
 */
export function order(unordered: readonly Unordered[], kinds: KindSet): Ordered {
  let nodes = new Map(unordered.map((change) => [idOf(change), change] as const));
  let graph = dependencies([...nodes.values()], kinds);
  let rings = cyclesOf(graph);
  while (rings.length > 0) {
    const releases = rings.flatMap((ring) => firstRelease(ring, nodes, kinds) ?? []);
    if (releases.length === 0) break;
    nodes = new Map([...nodes, ...releases.map((release) => [idOf(release), release] as const)]);
    graph = dependencies([...nodes.values()], kinds);
    rings = cyclesOf(graph);
  }
  const inRing = new Set(rings.flat());
  const sequence = layersOf(graph, (id) => isLate(id, nodes));
  const place = (id: ChangeId): Change => {
    const change = nodes.get(id);
    if (change === undefined) throw new Error(`the order names ${id}, which is no change`);
    const dependsOn = [...(graph.get(id) ?? [])].sort();
    return { ...change, dependsOn, stage: sequence.late.has(id) ? 2 : 1 };
  };
  return {
    changes: sequence.order.filter((id) => !inRing.has(id)).map(place),
    cycles: rings.map((ring) => [...ring].sort().map(place)),
  };
}

function isLate(id: ChangeId, nodes: ReadonlyMap<ChangeId, Unordered>): boolean {
  return nodes.get(id)?.action === 'delete';
}

/** What each change waits for. */
function dependencies(changes: readonly Unordered[], kinds: KindSet): Graph {
  const byAddress = new Map(
    changes.filter((change) => stepOf(change) === undefined).map((change) => [change.address, change]),
  );
  const releases = new Map(
    changes.filter((change) => stepOf(change) !== undefined).map((change) => [change.address, change]),
  );
  const graph = new Map<ChangeId, Set<ChangeId>>(changes.map((change) => [idOf(change), new Set()]));
  const wait = (one: Unordered, other: Unordered): void => {
    if (one !== other) graph.get(idOf(one))?.add(idOf(other));
  };
  const freed = freedValues(changes, kinds);
  for (const change of changes) {
    const kind = kinds.get(kindOf(change.address));
    if (kind === undefined) continue;
    const release = releases.get(change.address);
    if (release !== undefined && release !== change) wait(change, release);
    const after = afterOf(change);
    const needed = new Set(after === undefined ? [] : referencesOf(after, kind).map(({ to }) => to));
    for (const to of needed) {
      const target = byAddress.get(to);
      if (target !== undefined && target.action !== 'delete') wait(change, target);
    }
    // What a release has let go of, its own change no longer holds back.
    const before = release !== undefined && release !== change ? afterOf(release) : beforeOf(change);
    for (const { to } of before === undefined ? [] : referencesOf(before, kind)) {
      const target = byAddress.get(to);
      const goes = target?.action === 'delete' || target?.action === 'replace';
      if (goes && !needed.has(to)) wait(target, change);
    }
    for (const value of after === undefined ? [] : uniqueValues(after, kind)) {
      const holder = freed.get(value);
      if (holder !== undefined) wait(change, holder);
    }
  }
  return graph;
}

function stepOf(change: Unordered): string | undefined {
  return change.action === 'update' ? change.step : undefined;
}

export function beforeOf(change: Unordered): Resource | undefined {
  return change.action === 'create' ? undefined : change.before;
}

export function afterOf(change: Unordered): Resource | undefined {
  return change.action === 'delete' ? undefined : change.after;
}

/** The values of a resource that no other of its kind may have, each with the name of the field. */
export function uniqueValues(resource: Resource, kind: Kind): readonly string[] {
  const normal = normalForm(kind, resource) as JsonObject;
  return kind.unique.flatMap((tokens) =>
    [...placesOf(normal, tokens)].map(
      ({ value }) => `${kind.name}/${tokens.join('/')} ${canonicalText(value)}`,
    ),
  );
}

/** Values that a change gives up, with the change that does. */
function freedValues(changes: readonly Unordered[], kinds: KindSet): ReadonlyMap<string, Unordered> {
  const freed = new Map<string, Unordered>();
  for (const change of changes) {
    const kind = kinds.get(kindOf(change.address));
    const before = beforeOf(change);
    if (kind === undefined || before === undefined || kind.unique.length === 0) continue;
    const after = afterOf(change);
    const kept = new Set(after === undefined ? [] : uniqueValues(after, kind));
    for (const value of uniqueValues(before, kind)) if (!kept.has(value)) freed.set(value, change);
  }
  return freed;
}

/** The first change of a ring that can let go of what others of the ring wait for, before it does the rest. */
function firstRelease(
  ring: readonly ChangeId[],
  nodes: ReadonlyMap<ChangeId, Unordered>,
  kinds: KindSet,
): Unordered | undefined {
  const changes = ring.flatMap((id) => nodes.get(id) ?? []);
  const going = new Set(changes.filter(({ action }) => action === 'delete').map(({ address }) => address));
  const released = new Set(
    [...nodes.values()].filter((change) => stepOf(change) !== undefined).map(({ address }) => address),
  );
  const candidates = changes
    .filter(({ address }) => !released.has(address))
    .sort((one, other) => (one.address < other.address ? -1 : 1));
  for (const change of candidates) {
    const kind = kinds.get(kindOf(change.address));
    const release = kind === undefined ? undefined : releaseOf(change, kind, going);
    if (release !== undefined) return release;
  }
  return undefined;
}

function releaseOf(change: Unordered, kind: Kind, going: ReadonlySet<Address>): Unordered | undefined {
  if (change.action !== 'update') return undefined;
  const filled = change.before;
  const leaving = referencesOf(filled, kind).filter(
    ({ to, path }) => going.has(to) && isItemOfSet(path, filled, kind),
  );
  if (leaving.length === 0) return undefined;
  const places = leaving.map(({ path }) => path);
  const after = requestBody(kind, withoutItems(change.before, places), change.before);
  const names = leaving.map(({ to }) => to).join(', ');
  return {
    address: change.address,
    action: 'update',
    step: 'release',
    reason: `lets go of ${names} first, so that ${leaving.length === 1 ? 'it' : 'they'} can be deleted`,
    ...(change.at === undefined ? {} : { at: change.at }),
    before: change.before,
    after,
    fields: diffFields(normalForm(kind, change.before), normalForm(kind, after), kind.sets(after)),
  };
}

function isItemOfSet(path: Pointer, resource: Resource, kind: Kind): boolean {
  const tokens = parsePointer(path);
  return kind
    .sets(resource)
    .some((set) => set.length === tokens.length - 1 && set.every((token, at) => token === tokens[at]));
}

function withoutItems(resource: Resource, paths: readonly Pointer[]): Resource {
  const gone = new Map<string, Set<string>>();
  for (const path of paths) {
    const list = path.slice(0, path.lastIndexOf('/'));
    const items = gone.get(list) ?? new Set();
    gone.set(list, items.add(path.slice(list.length + 1)));
  }
  let result: Json = resource;
  for (const [list, items] of gone) {
    const found = valueAt(result, list as Pointer);
    const kept = isList(found) ? found.filter((_, at) => !items.has(String(at))) : [];
    result = changeAt(result, parsePointer(list as Pointer), () => kept);
  }
  return result as Resource; // only lists have shrunk
}
