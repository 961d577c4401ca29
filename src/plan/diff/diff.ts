import { addAll } from '../../model/collect.ts';
import {
  canonicalText,
  isList,
  isObject,
  joinPointer,
  type Json,
  valueOf,
  isScalar,
} from '../../model/json/json.ts';
import type { FieldDifference } from '../../model/field-difference.ts';

/** The patterns of lists whose order means nothing. */
type Sets = readonly (readonly string[])[];

/**
 * The fields in which two values differ. Lists are matched by what identifies their items, so that one new item is one
 * new item; `sets` are the lists whose order means nothing.
 */
export function diffFields(before: Json, after: Json, sets: Sets): readonly FieldDifference[] {
  const { fields, reordered } = compare(before, after, sets);
  return [...fields, ...reordered].sort(byPath);
}

// The order of keys means nothing, so the same difference gives the same bytes.
function byPath({ path: one }: FieldDifference, { path: other }: FieldDifference): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** What differs, by paths from the values. */
type Found = {
  readonly fields: FieldDifference[];
  /** Lists with the same items in another order: shown whole, since that is what differs. */
  readonly reordered: FieldDifference[];
};
/** The tokens of one child in either value; undefined where a list does not have the item. */
type Child = { readonly before: string | undefined; readonly after: string | undefined };

function compare(before: Json, after: Json, sets: Sets): Found {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    const children = [...keys].map((key) => ({ before: key, after: key }));
    return compareChildren(before, after, children, (key) => setsBelow(sets, key));
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
    const children = ids.map((id) => ({ before: from.get(id), after: to.get(id) }));
    const below = setsBelow(sets, '*');
    const found = compareChildren(before, after, children, () => below);
    if (!isSet && !sameOrder(from, to)) found.reordered.unshift({ op: 'set', path: '', before, after });
    return found;
  }
  const isSame = before === after || canonicalText(before) === canonicalText(after);
  return { fields: isSame ? [] : [{ op: 'set', path: '', before, after }], reordered: [] };
}

function compareChildren(
  before: Json,
  after: Json,
  children: readonly Child[],
  setsIn: (token: string) => Sets,
): Found {
  const found: Found = { fields: [], reordered: [] };
  const added: FieldDifference[] = [];
  const removed: FieldDifference[] = [];
  for (const child of children) {
    const was = child.before === undefined ? undefined : valueOf(before, child.before);
    const is = child.after === undefined ? undefined : valueOf(after, child.after);
    const place = (one: FieldDifference): FieldDifference => {
      const token = (one.op === 'remove' ? child.before : child.after) ?? '';
      return { ...one, path: `${joinPointer('', token)}${one.path}` };
    };
    if (was === undefined) {
      if (is !== undefined) added.push(place({ op: 'add', path: '', after: is }));
    } else if (is === undefined) removed.push(place({ op: 'remove', path: '', before: was }));
    else {
      const inner = compare(was, is, setsIn(child.after ?? ''));
      for (const one of inner.fields) found.fields.push(place(one));
      for (const one of inner.reordered) found.reordered.push(place(one));
    }
  }
  addAll(found.fields, added);
  addAll(found.fields, removed);
  return found;
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

/** The sets below a key of a value, by the patterns of those in it. */
export function setsBelow(sets: Sets, token: string): Sets {
  return sets.flatMap(([first, ...rest]) =>
    first === '**'
      ? [[first, ...rest], ...(rest[0] === token || rest[0] === '*' ? [rest.slice(1)] : [])]
      : first === token || first === '*'
        ? [rest]
        : [],
  );
}
