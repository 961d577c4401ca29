import { getOrAdd } from '../../model/collect.ts';
import { listSome } from '../../model/text/list.ts';
import { isList, parsePointer, valueAt, type Pointer } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { normalForm, requestBody, withDefaults, referencesOf } from '../../model/normal/normal-form.ts';
import { changeResource, kindOf, type Address, type Resource } from '../../model/resource.ts';
import { diffFields } from '../diff/diff.ts';
import { uniqueKeysOf } from '../../model/normal/constrained-values.ts';
import { beforeOf, marksOf, type DraftChange } from '../change/change.ts';
import type { Dependency } from './dependencies.ts';

/** The dependencies on a change that an extra step before it removes, in which its object gives up references or unique values. */
export function findReleasable(
  change: DraftChange,
  dependencies: readonly Dependency[],
  kinds: KindSet,
): readonly Dependency[] {
  const kind = kinds.get(kindOf(change.address));
  const before = beforeOf(change);
  if (kind === undefined || before === undefined || !isWritable(before, kind)) return [];
  const held = dependencies.flatMap(({ why }) => (why.type === 'referenced' ? [why.address] : []));
  const fixed = held.length === 0 ? new Set<Address>() : heldForGood(before, kind);
  const gives = dependencies.some(({ why }) => why.type === 'takes') && givesUp(before, dependencies, kind);
  return dependencies.filter(({ why }) =>
    why.type === 'takes' ? gives : why.type === 'referenced' && !fixed.has(why.address),
  );
}

/** The removed API v1 made names that v2 takes only in a DELETE. */
function isWritable({ metadata }: Resource, kind: Kind): boolean {
  const pattern = valueAt(kind.schema.metadata, '/properties/name/pattern');
  return typeof pattern !== 'string' || new RegExp(pattern).test(metadata.name);
}

/** The extra step in which an object drops what these dependencies are about, and keeps all else. */
export function makeRelease(
  change: DraftChange,
  dependencies: readonly Dependency[],
  kinds: KindSet,
): DraftChange {
  const kind = kinds.get(kindOf(change.address));
  const before = beforeOf(change);
  if (kind === undefined || before === undefined)
    throw new Error(`${change.address} has nothing to let go of`);
  const after = requestBody(kind, released(before, dependencies, kind), before);
  return {
    address: change.address,
    action: 'update',
    step: 'release',
    reason: reasonOf(dependencies),
    ...(change.at === undefined ? {} : { at: change.at }),
    ...marksOf(change),
    before,
    after,
    fields: diffFields(normalForm(kind, before), normalForm(kind, after), kind.sets(after)),
  };
}

function reasonOf(dependencies: readonly Dependency[]): string {
  const held = [
    ...new Set(dependencies.flatMap(({ why }) => (why.type === 'referenced' ? [why.address] : []))),
  ].sort();
  const takes = dependencies.flatMap(({ change, why }) =>
    why.type === 'takes' ? [{ change, noun: why.value.noun }] : [],
  );
  const takers = [...new Set(takes.map(({ change }) => change))].sort();
  const nouns = [...new Set(takes.map(({ noun }) => noun))].sort();
  return [
    ...(held.length === 0
      ? []
      : [`drops ${listSome(held)} first, so that ${held.length === 1 ? 'it' : 'they'} can be deleted`]),
    ...(takers.length === 0
      ? []
      : [`releases its ${nouns.join(' and ')} first, so that ${listSome(takers)} can take it`]),
  ].join('; ');
}

function released(before: Resource, dependencies: readonly Dependency[], kind: Kind): Resource {
  const going = new Set(dependencies.flatMap(({ why }) => (why.type === 'referenced' ? [why.address] : [])));
  const places =
    going.size === 0
      ? []
      : referencesOf(before, kind).flatMap(({ to, path }) => (going.has(to) ? [path] : []));
  const values = dependencies.flatMap(({ why }) => (why.type === 'takes' ? [why.value.value] : []));
  const lighter = withoutItems(before, places);
  if (values.length === 0) return lighter;
  return kind.release?.(withDefaults(kind, lighter), values) ?? lighter;
}

/** Whether the kind's form says how to be without the values that others take. */
function givesUp(before: Resource, dependencies: readonly Dependency[], kind: Kind): boolean {
  const wanted = dependencies.flatMap(({ why }) => (why.type === 'takes' ? [why.value] : []));
  const without = kind.release?.(
    withDefaults(kind, before),
    wanted.map(({ value }) => value),
  );
  if (without === undefined) return false;
  const kept = uniqueKeysOf(kind, without);
  return wanted.every(({ key }) => !kept.has(key));
}

/** The objects that it refers to otherwise than as items of a set: these cannot be taken out by themselves. */
function heldForGood(resource: Resource, kind: Kind): ReadonlySet<Address> {
  const sets = kind.sets(resource);
  return new Set(
    referencesOf(resource, kind).flatMap(({ to, path }) => (isItemOfSet(path, sets) ? [] : [to])),
  );
}

function isItemOfSet(path: Pointer, sets: readonly (readonly string[])[]): boolean {
  const tokens = parsePointer(path);
  return sets.some(
    (set) => set.length === tokens.length - 1 && set.every((token, at) => token === tokens[at]),
  );
}

function withoutItems(resource: Resource, paths: readonly Pointer[]): Resource {
  const gone = new Map<string, Set<string>>();
  for (const path of paths) {
    const list = path.slice(0, path.lastIndexOf('/'));
    getOrAdd(gone, list, () => new Set()).add(path.slice(list.length + 1));
  }
  let result = resource;
  for (const [list, items] of gone) {
    const found = valueAt(result, list as Pointer);
    const kept = isList(found) ? found.filter((_, at) => !items.has(String(at))) : [];
    result = changeResource(result, parsePointer(list as Pointer), () => kept);
  }
  return result;
}
