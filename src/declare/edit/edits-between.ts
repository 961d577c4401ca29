import { addAll } from '../../model/collect.ts';
import {
  canonicalText,
  entriesOf,
  isList,
  isObject,
  joinPointer,
  parsePointer,
  sameJson,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import { IDENTIFYING } from '../../plan/diff/diff.ts';

/** A change of one place of a value. The pointers of later edits are those after the earlier ones. */
export type Edit =
  /** `before` is the index of the item that the new one precedes; in a map, the place is the key. */
  | { readonly op: 'add' | 'insert' | 'set'; readonly path: Pointer; readonly value: Json }
  | { readonly op: 'remove'; readonly path: Pointer };

/** The fewest edits that make one value another. No edit leaves a map or a list empty; it is then set as a whole. */
export function editsBetween(before: Json, after: Json, path: Pointer = ''): readonly Edit[] {
  if (sameJson(before, after)) return [];
  if (isObject(before) && isObject(after) && Object.keys(before).length > 0 && Object.keys(after).length > 0)
    return editsOfMap(before, after, path);
  if (isList(before) && isList(after) && before.length > 0 && after.length > 0) {
    const kept = matchItems(before, after);
    if (kept.length > 0) return editsOfList(before, after, kept, path);
  }
  return [{ op: 'set', path, value: after }];
}

function editsOfMap(before: JsonObject, after: JsonObject, path: Pointer): readonly Edit[] {
  const added: Edit[] = [];
  const changed: Edit[] = [];
  for (const [key, value] of entriesOf(after)) {
    const place = joinPointer(path, key);
    const former = valueOf(before, key);
    if (former === undefined) added.push({ op: 'add', path: place, value });
    else addAll(changed, editsBetween(former, value, place));
  }
  const removed = Object.keys(before)
    .filter((key) => !Object.hasOwn(after, key))
    .map((key): Edit => ({ op: 'remove', path: joinPointer(path, key) }));
  return [...changed, ...added, ...removed];
}

function editsOfList(
  before: readonly Json[],
  after: readonly Json[],
  kept: readonly Match[],
  path: Pointer,
): readonly Edit[] {
  const [stays, arrives] = [new Set(kept.map(({ from }) => from)), new Set(kept.map(({ to }) => to))];
  const removed = [...before.keys()]
    .filter((at) => !stays.has(at))
    .reverse()
    .map((at): Edit => ({ op: 'remove', path: joinPointer(path, at) }));
  const inserted = [...after.entries()]
    .filter(([at]) => !arrives.has(at))
    .map(([at, value]): Edit => ({ op: 'insert', path: joinPointer(path, at), value }));
  const changed = kept.flatMap(({ from, to }) =>
    editsBetween(before[from] ?? null, after[to] ?? null, joinPointer(path, to)),
  );
  return [...removed, ...inserted, ...changed];
}

/** Items that stay, by their indexes before and after; both ascend. */
export type Match = { readonly from: number; readonly to: number };

/** Equal items, items of the same name, and between them items that are probably the same ones, changed. */
export function matchItems(before: readonly Json[], after: readonly Json[]): readonly Match[] {
  const identify = identityOf([...before, ...after]);
  const places = new Map(numbered(before, identify).map((id, at) => [id, at]));
  const same = numbered(after, identify).flatMap((id, to): Match[] => {
    const from = places.get(id);
    return from === undefined ? [] : [{ from, to }];
  });
  const kept = longestAscending(same);
  const end: Match = { from: before.length, to: after.length };
  const all: Match[] = [];
  let last: Match = { from: -1, to: -1 };
  for (const next of [...kept, end]) {
    const isAsMany = next.from - last.from === next.to - last.to;
    for (let [from, to] = [last.from + 1, last.to + 1]; from < next.from && to < next.to; from += 1, to += 1)
      if (areAlike(before[from], after[to], isAsMany)) all.push({ from, to });
    if (next !== end) all.push(next);
    last = next;
  }
  return all;
}

function identityOf(items: readonly Json[]): (item: Json) => string {
  const name = IDENTIFYING.find((key) => items.every((item) => typeof valueOf(item, key) === 'string'));
  return name === undefined ? canonicalText : (item) => canonicalText(valueOf(item, name) ?? null);
}

/** The identity of each item, with its number among those that have the same one. */
function numbered(items: readonly Json[], identify: (item: Json) => string): readonly string[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const id = identify(item);
    const number = seen.get(id) ?? 0;
    seen.set(id, number + 1);
    return `${number} ${id}`;
  });
}

/** Whether two maps have at least half of their fields in common; where no item came or went, the same keys are enough. */
function areAlike(one: Json | undefined, other: Json | undefined, isAsMany: boolean): boolean {
  if (isList(one) && isList(other)) return isAsMany;
  if (!isObject(one) || !isObject(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  const common = [...keys].filter((key) => sameJson(valueOf(one, key), valueOf(other, key)));
  if (common.length * 2 >= keys.size && common.length > 0) return true;
  return (
    isAsMany &&
    keys.size > 0 &&
    [...keys].every((key) => Object.hasOwn(one, key) && Object.hasOwn(other, key))
  );
}

/** The longest part of the matches, which ascend in `to`, that ascends in `from` as well. */
export function longestAscending(matches: readonly Match[]): readonly Match[] {
  type Link = { readonly match: Match; readonly before: Link | undefined };
  const ends: Link[] = []; // by length, the sequence with the smallest end
  for (const match of matches) {
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.match.from ?? 0) < match.from) low = middle + 1;
      else high = middle;
    }
    ends[low] = { match, before: ends[low - 1] };
  }
  const longest: Match[] = [];
  for (let link = ends.at(-1); link !== undefined; link = link.before) longest.push(link.match);
  return longest.reverse();
}

/** A value after an edit. What is missing above the place is made: maps. */
export function valueAfter(value: Json, edit: Edit, tokens = parsePointer(edit.path)): Json {
  const [token, ...rest] = tokens;
  if (token === undefined) return 'value' in edit ? edit.value : null;
  if (isList(value)) {
    const at = Number(token);
    const [before, after] = [value.slice(0, at), value.slice(at + 1)];
    if (rest.length > 0 || edit.op === 'set')
      return [...before, valueAfter(value[at] ?? null, edit, rest), ...after];
    return 'value' in edit ? [...before, edit.value, ...value.slice(at)] : [...before, ...after];
  }
  const entries = new Map(isObject(value) ? Object.entries(value) : []);
  if (rest.length === 0 && edit.op === 'remove') entries.delete(token);
  else entries.set(token, valueAfter(entries.get(token) ?? null, edit, rest));
  return Object.fromEntries(entries);
}
