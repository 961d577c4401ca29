import { changeAt, isList, parsePointer, valueAt, type Json, type Pointer } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { normalForm, requestBody, withDefaults } from '../../model/normal/normal-form.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { diffFields } from '../diff/diff.ts';
import { referencesOf } from '../../model/normal/references-of.ts';
import { beforeOf, uniqueValues, type Unordered } from '../change/draft-change.ts';
import type { Wait } from './dependencies.ts';

/** Those of the waits for a change that end when its object lets go first, in an extra step. */
export function liftable(change: Unordered, waits: readonly Wait[], kinds: KindSet): readonly Wait[] {
  const kind = kinds.get(kindOf(change.address));
  const before = beforeOf(change);
  if (kind === undefined || before === undefined) return [];
  const held = waits.flatMap(({ why }) => (why.type === 'is-held' ? [why.address] : []));
  const fixed = held.length === 0 ? new Set<Address>() : heldForGood(before, kind);
  const gives = waits.some(({ why }) => why.type === 'takes') && givesUp(before, waits, kind);
  return waits.filter(({ why }) =>
    why.type === 'takes' ? gives : why.type === 'is-held' && !fixed.has(why.address),
  );
}

/** The extra step in which an object lets go of what these waits are about, and keeps all else. */
export function releaseOf(change: Unordered, waits: readonly Wait[], kinds: KindSet): Unordered {
  const kind = kinds.get(kindOf(change.address));
  const before = beforeOf(change);
  if (kind === undefined || before === undefined)
    throw new Error(`${change.address} has nothing to let go of`);
  const after = requestBody(kind, released(before, waits, kind), before);
  return {
    address: change.address,
    action: 'update',
    step: 'release',
    reason: reasonOf(waits),
    ...(change.at === undefined ? {} : { at: change.at }),
    ...(change.templates === undefined ? {} : { templates: change.templates }),
    before,
    after,
    fields: diffFields(normalForm(kind, before), normalForm(kind, after), kind.sets(after)),
  };
}

function reasonOf(waits: readonly Wait[]): string {
  const held = [...new Set(waits.flatMap(({ why }) => (why.type === 'is-held' ? [why.address] : [])))].sort();
  const takes = waits.flatMap(({ change, why }) =>
    why.type === 'takes' ? [{ change, noun: why.value.noun }] : [],
  );
  const takers = [...new Set(takes.map(({ change }) => change))].sort();
  const nouns = [...new Set(takes.map(({ noun }) => noun))].sort();
  return [
    ...(held.length === 0
      ? []
      : [`lets go of ${someOf(held)} first, so that ${held.length === 1 ? 'it' : 'they'} can be deleted`]),
    ...(takers.length === 0
      ? []
      : [`gives up its ${nouns.join(' and ')} first, so that ${someOf(takers)} can take it`]),
  ].join('; ');
}

/** The first few of many names. */
export function someOf(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}

function released(before: Resource, waits: readonly Wait[], kind: Kind): Resource {
  const going = new Set(waits.flatMap(({ why }) => (why.type === 'is-held' ? [why.address] : [])));
  const places =
    going.size === 0
      ? []
      : referencesOf(before, kind).flatMap(({ to, path }) => (going.has(to) ? [path] : []));
  const values = waits.flatMap(({ why }) => (why.type === 'takes' ? [why.value.value] : []));
  const lighter = withoutItems(before, places);
  if (values.length === 0) return lighter;
  return kind.release?.(withDefaults(kind, lighter), values) ?? lighter;
}

/** Whether the kind's form says how to be without the values that others wait for. */
function givesUp(before: Resource, waits: readonly Wait[], kind: Kind): boolean {
  const wanted = waits.flatMap(({ why }) => (why.type === 'takes' ? [why.value] : []));
  const without = kind.release?.(
    withDefaults(kind, before),
    wanted.map(({ value }) => value),
  );
  if (without === undefined) return false;
  const kept = new Set(uniqueValues(without, kind));
  return wanted.every(({ key }) => !kept.has(key));
}

/** What it refers to otherwise than as an item of a set: that cannot be taken out by itself. */
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
