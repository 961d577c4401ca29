import { addAll } from '../../model/collect.ts';
import {
  canonicalText,
  isList,
  isObject,
  joinPointer,
  type Json,
  type JsonObject,
  type Pointer,
  valueAt,
  valueOf,
  isScalar,
} from '../../model/json/json.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { diff, type IChange } from 'json-diff-ts';

/**
 * The fields in which two values differ. Lists are matched by what identifies their items, so that one new item is one
 * new item; `sets` are the lists whose order means nothing.
 */
export function diffFields(
  before: Json,
  after: Json,
  sets: readonly (readonly string[])[],
): readonly FieldDifference[] {
  const pair = pairUp(before, after, sets);
  const fields = fieldsOf(diff(pair.before, pair.after), pair, '', '', { before, after });
  return [...fields, ...reorderings(pair, '', '', { before, after })].sort(byPath);
}

// The order of keys means nothing, so the same difference gives the same bytes.
function byPath({ path: one }: FieldDifference, { path: other }: FieldDifference): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * Two values prepared for comparison: lists have become objects whose keys identify the items, and keys carry a
 * prefix so that no key of a file (`__proto__`, `constructor`) means anything to the comparing code.
 */
type Pair = {
  readonly before: Json;
  readonly after: Json;
  readonly children: ReadonlyMap<string, Child>;
  readonly reordered: boolean;
};
/** The tokens by which a child is reached in either value. */
type Child = {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly pair: Pair | undefined;
};

function pairUp(before: Json, after: Json, sets: readonly (readonly string[])[]): Pair {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    const entries = [...keys].map((key) => ({
      id: `.${key}`,
      before: ownKey(before, key),
      after: ownKey(after, key),
    }));
    return joined(entries, before, after, (key) => setsBelow(sets, key.slice(1)), false);
  }
  if (isList(before) && isList(after)) {
    const isSet = sets.some((set) => set.length === 0);
    const identify = isSet ? canonicalText : identityOf([...before, ...after]);
    const from = indexed(before, identify);
    const to = indexed(after, identify);
    const repeatsShared = (id: string): boolean => {
      const first = id.replace(/#\d+$/, '#0');
      return id !== first && from.has(first) && to.has(first);
    };
    const all = new Set([...to.keys(), ...from.keys()]);
    const ids = isSet ? [...all].filter((id) => !repeatsShared(id)) : [...all];
    const entries = ids.map((id) => ({ id, before: from.get(id), after: to.get(id) }));
    return joined(entries, before, after, () => setsBelow(sets, '*'), !isSet && !sameOrder(from, to));
  }
  // Different sorts of value: opaque to the comparison, so that they are one change.
  const opaque = sorted(before) !== sorted(after) || canonicalText(before) !== canonicalText(after);
  return {
    before: opaque ? `1${canonicalText(before)}` : 0,
    after: opaque ? `2${canonicalText(after)}` : 0,
    children: new Map(),
    reordered: false,
  };
}

function sorted(value: Json): string {
  return isList(value) ? 'list' : isObject(value) ? 'map' : 'scalar';
}

type Entry = { readonly id: string; readonly before: string | undefined; readonly after: string | undefined };

function joined(
  entries: readonly Entry[],
  before: Json,
  after: Json,
  setsBelow: (id: string) => readonly (readonly string[])[],
  reordered: boolean,
): Pair {
  const children = new Map<string, Child>();
  const views: { before: Record<string, Json>; after: Record<string, Json> } = { before: {}, after: {} };
  for (const { id, before: from, after: to } of entries) {
    const both = from !== undefined && to !== undefined;
    const pair = both ? pairUp(child(before, from), child(after, to), setsBelow(id)) : undefined;
    children.set(id, { before: from, after: to, pair });
    if (from !== undefined) views.before[id] = pair?.before ?? 0;
    if (to !== undefined) views.after[id] = pair?.after ?? 0;
  }
  return { ...views, children, reordered };
}

function fieldsOf(
  changes: readonly IChange[],
  pair: Pair,
  from: Pointer,
  to: Pointer,
  whole: { readonly before: Json; readonly after: Json },
): readonly FieldDifference[] {
  return changes.flatMap((change): readonly FieldDifference[] => {
    const found = pair.children.get(change.key);
    const before = joinPointer(from, found?.before ?? '');
    const after = joinPointer(to, found?.after ?? '');
    if (found?.pair !== undefined && change.changes !== undefined) {
      return fieldsOf(change.changes, found.pair, before, after, whole);
    }
    const was = found?.before === undefined ? undefined : valueAt(whole.before, before);
    const is = found?.after === undefined ? undefined : valueAt(whole.after, after);
    if (was === undefined) return is === undefined ? [] : [{ op: 'add', path: after, after: is }];
    return [
      is === undefined
        ? { op: 'remove', path: before, before: was }
        : { op: 'set', path: after, before: was, after: is },
    ];
  });
}

/** Lists with the same items in another order: shown whole, since that is what differs. */
function reorderings(
  pair: Pair,
  from: Pointer,
  to: Pointer,
  whole: { readonly before: Json; readonly after: Json },
): readonly FieldDifference[] {
  const here: FieldDifference[] = pair.reordered
    ? [
        {
          op: 'set',
          path: to,
          before: valueAt(whole.before, from) ?? null,
          after: valueAt(whole.after, to) ?? null,
        },
      ]
    : [];
  for (const { before, after, pair: inner } of pair.children.values()) {
    if (inner === undefined || before === undefined || after === undefined) continue;
    addAll(here, reorderings(inner, joinPointer(from, before), joinPointer(to, after), whole));
  }
  return here;
}

/** Keys that name an item of a list, the first that all items have. */
export const IDENTIFYING = ['name', 'fieldName', 'id', 'key'];

/**
 * By value for scalars, by the first naming key that all objects have, otherwise by place. It must not depend on which items are
 * equal, because that would tell whether a secret equals a text beside it.
 */
function identityOf(items: readonly Json[]): (item: Json, at: number) => string {
  if (items.every(isScalar)) return canonicalText;
  const named = IDENTIFYING.find((key) => items.every((item) => typeof valueOf(item, key) === 'string'));
  return named === undefined
    ? (_: Json, at: number): string => `#${at}`
    : (item) => canonicalText(valueOf(item, named) ?? null);
}

/** The places of items by identity and number of occurrence: `a#0`, `a#1`. */
function indexed(list: readonly Json[], identify: (item: Json, at: number) => string): Map<string, string> {
  const seen = new Map<string, number>();
  return new Map(
    list.map((item, at) => {
      const identity = identify(item, at);
      const occurrence = seen.get(identity) ?? 0;
      seen.set(identity, occurrence + 1);
      return [`${identity}#${occurrence}`, String(at)];
    }),
  );
}

function sameOrder(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): boolean {
  const kept = [...to.keys()].filter((id) => from.has(id));
  return [...from.keys()].filter((id) => to.has(id)).every((id, at) => id === kept[at]);
}

function ownKey(object: JsonObject, key: string): string | undefined {
  return Object.hasOwn(object, key) ? key : undefined;
}

function child(value: Json, token: string): Json {
  return valueAt(value, joinPointer('', token)) ?? null;
}

/** The sets below a key of a value, by the patterns of those in it. */
export function setsBelow(
  sets: readonly (readonly string[])[],
  token: string,
): readonly (readonly string[])[] {
  return sets.flatMap(([first, ...rest]) =>
    first === '**'
      ? [[first, ...rest], ...(rest[0] === token || rest[0] === '*' ? [rest.slice(1)] : [])]
      : first === token || first === '*'
        ? [rest]
        : [],
  );
}
