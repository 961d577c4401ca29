import { addTo, firstIndex, memoize } from '../model/collect.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';
import { compileRegex, TOO_LARGE } from '../model/regex/match-regex.ts';
import { doOverlap, isContained, matchesNoTopic, TOPIC_CHARACTERS } from '../model/regex/contain-regex.ts';
import { PRINTABLE } from '../model/regex/parse-regex.ts';
import { sameJson, type Json } from '../model/json/json.ts';
import type { Axis } from '../model/strength.ts';
import type { Limit } from './claims.ts';

export type Verdict = 'yes' | 'no' | 'unknown';

/** The names of an axis to which something applies. */
export type Names =
  | { readonly type: 'all' }
  | { readonly type: 'none' }
  | { readonly type: 'pattern'; readonly text: string }
  | { readonly type: 'one'; readonly name: string }
  /** It is not documented, or open: what the gateway fills in, or is no pattern. */
  | { readonly type: 'unknown'; readonly value: Json | undefined; readonly isOpen?: true };

/** What claims apply to: the names of each axis; an axis that is not there has all. */
export type Reach = ReadonlyMap<Axis, Names>;

/** Each list of limits is read once, and so is each pattern in it. */
export const reachOf = memoize((limits: readonly Limit[]): Reach => {
  const reach = new Map<Axis, Names>();
  for (const { strength, value } of limits)
    if (strength.type === 'reach') reach.set(strength.axis, namesOf(strength, value));
  return reach;
});

function namesOf(
  { axis, by, absent }: Limit['strength'] & { readonly type: 'reach' },
  value: Json | undefined,
): Names {
  if (by === 'undocumented') return value === undefined ? { type: 'all' } : { type: 'unknown', value };
  if (absent === 'nothing' && (value === undefined || value === '')) return { type: 'none' };
  if (typeof value !== 'string' || value === '' || hasPlaceholder(value))
    return { type: 'unknown', value, ...(value === undefined ? {} : { isOpen: true }) };
  if (by === 'name') return { type: 'one', name: value };
  if (axis === 'topic' && matchesNoTopic(value)) return { type: 'none' };
  return value === '.*' ? { type: 'all' } : { type: 'pattern', text: value };
}

/** Most claims of which each combination is looked at. */
const MOST_COMBINED = 8;

/** Whether claims together apply to all that one applies to. */
export function isCovered(inner: Reach, outers: readonly Reach[]): Verdict {
  if ([...inner.values()].some(({ type }) => type === 'none')) return 'yes';
  if (outers.length === 0) return 'no';
  const axes = new Set(inner.keys());
  for (const outer of outers) for (const axis of outer.keys()) axes.add(axis);
  const narrowing = [...axes].filter((axis) =>
    outers.some(
      (outer) =>
        !sameNames(namesIn(outer, axis), namesIn(inner, axis)) && namesIn(outer, axis).type !== 'all',
    ),
  );
  return coversAll(inner, outers, narrowing);
}

/**
 * A name of the first axis is covered by some claims, and these must cover the other axes. So for each choice of claims, either the
 * rest covers the first axis, or the choice covers the others.
 */
function coversAll(inner: Reach, outers: readonly Reach[], axes: readonly Axis[]): Verdict {
  const [axis, ...others] = axes;
  if (outers.length === 0) return 'no';
  if (axis === undefined) return 'yes';
  const covers = (some: readonly Reach[]): Verdict =>
    areContained(
      namesIn(inner, axis),
      some.map((one) => namesIn(one, axis)),
      axis,
    );
  if (others.length === 0) return covers(outers);
  const [first] = outers;
  if (outers.length === 1 && first !== undefined)
    return weaker(covers(outers), coversAll(inner, outers, others));
  if (outers.length > MOST_COMBINED) {
    const near = outers.filter((one) => !areApart(inner, one));
    if (near.length < outers.length) return coversAll(inner, near, axes);
    if (outers.some((one) => isCovered(inner, [one]) === 'yes')) return 'yes';
    const isLacking = (own: Axis): boolean => coversAll(inner, outers, [own]) === 'no';
    return axes.some(isLacking) ? 'no' : 'unknown';
  }
  let verdict: Verdict = 'yes';
  for (let choice = 0; choice < 2 ** outers.length && verdict !== 'no'; choice += 1) {
    const isChosen = (_: Reach, at: number): boolean => (choice & (1 << at)) !== 0;
    const rest = covers(outers.filter((one, at) => !isChosen(one, at)));
    if (rest === 'yes') continue;
    verdict = weaker(verdict, stronger(rest, coversAll(inner, outers.filter(isChosen), others)));
  }
  return verdict;
}

function namesIn(reach: Reach, axis: Axis): Names {
  return reach.get(axis) ?? ALL;
}

/** Whether names are all among others. */
export function areContained(inner: Names, outers: readonly Names[], axis: Axis): Verdict {
  if (inner.type === 'none' || outers.some((one) => one.type === 'all' || sameNames(one, inner)))
    return 'yes';
  const isUnsure = outers.some(({ type }) => type === 'unknown');
  if (inner.type === 'unknown') return outers.every(({ type }) => type === 'none') ? 'no' : 'unknown';
  const known = outers.filter((one) => one.type === 'pattern' || one.type === 'one');
  const found = inner.type === 'one' ? holdsOne(inner.name, known) : containsAll(inner, known, axis);
  return found !== 'yes' && isUnsure ? 'unknown' : found;
}

/** A topic by its name, or those that match an expression. */
export type Topics = Extract<Names, { type: 'pattern' | 'one' }>;

/** Whether a name is among others. */
function holdsOne(name: string, outers: readonly Topics[]): Verdict {
  return outers.reduce<Verdict>((found, one) => stronger(found, holds(one, name)), 'no');
}

/** Whether a name is one of these. */
export function holds(names: Names, name: string): Verdict {
  if (names.type === 'all') return 'yes';
  if (names.type === 'none') return 'no';
  if (names.type === 'unknown') return 'unknown';
  if (names.type === 'one') return names.name === name ? 'yes' : 'no';
  return matcherOf(names)(name);
}

/** Whether names apply to all of these topics. */
export function holdsAll(names: Names, topics: Topics): Verdict {
  if (topics.type === 'one') return holds(names, topics.name);
  return haveSameStart(topics, names) ? areContained(topics, [names], 'topic') : 'no';
}

/** What these begin with, each with one of some texts, where that is easy to see: it saves most comparisons of expressions. */
function startsOf(names: Names): readonly string[] {
  if (names.type === 'one') return [names.name];
  if (names.type !== 'pattern') return ANYHOW;
  const starts = alternativesOf(names.text).map((text) =>
    text.includes('|') ? '' : (/^[\w-]*(?![?*+{\w-])/.exec(text)?.[0] ?? ''),
  );
  return starts.includes('') ? ANYHOW : starts;
}

const ANYHOW = [''];

function haveSameStart(names: Names, others: Names): boolean {
  const starts = startsOf(others);
  return startsOf(names).some((one) =>
    starts.some((other) => one.startsWith(other) || other.startsWith(one)),
  );
}

/** Finds those of a list of which something may be called as something of others is, in its order, by how their names begin. */
export function startIndex<T>(
  list: readonly T[],
  namesOf: (one: T) => Names | undefined,
): (names: Names) => readonly T[] {
  const byStart = new Map<string, number[]>();
  for (const [at, one] of list.entries())
    for (const start of new Set(startsOf(namesOf(one) ?? ALL))) addTo(byStart, start, at);
  const starts = [...byStart.keys()].sort();
  const lengths = [...new Set(starts.map((start) => start.length))];
  return (names) => {
    const found = new Set<number>();
    const add = (start: string): void => {
      for (const at of byStart.get(start) ?? []) found.add(at);
    };
    for (const start of startsOf(names)) {
      if (start === '') return list;
      for (const length of lengths) if (length <= start.length) add(start.slice(0, length));
      // One name has nothing that begins with it and goes on.
      const next = names.type === 'one' ? starts.length : firstIndex(starts, (one) => one > start);
      for (let at = next; starts[at]?.startsWith(start) === true; at += 1) add(starts[at] ?? '');
    }
    return [...found].sort((one, other) => one - other).map((at) => list[at] as T); // at is one of its keys
  };
}

/** Finds those of a list that are, or perhaps are, for one of some names, in its order. Asks only those whose names begin like it. */
export function nameIndex<T>(
  list: readonly T[],
  namesOf: (one: T) => Names | undefined,
): (names: Iterable<string>) => readonly T[] {
  const entries = list.map((one, at) => ({ one, at, names: namesOf(one) ?? ALL }));
  const near = startIndex(entries, (entry) => entry.names);
  return (names) => {
    const found = new Set<(typeof entries)[number]>();
    for (const name of names)
      for (const entry of near({ type: 'one', name }))
        if (holds(entry.names, name) !== 'no') found.add(entry);
    return [...found].sort((one, other) => one.at - other.at).map(({ one }) => one);
  };
}

export const ALL: Names = { type: 'all' };

/** As many names are remembered for each pattern: lists of topics can be long, and patterns many. */
const MOST_NAMES = 10_000;
/** Matches each of these names once: the same topics are looked at for each interceptor of a chain. */
const matcherOf = memoize(({ text }: Names & { readonly type: 'pattern' }): ((name: string) => Verdict) => {
  const regex = compileRegex(text);
  const alternatives = alternativesOf(text);
  // A list of names is looked up: an expression is slow to ask, and can be asked only so much.
  const listed = new Set(alternatives.filter(isPlain));
  const isList = alternatives.every((one) => isPlain(one) && !one.includes('.'));
  const known = new Map<string, Verdict>();
  return (name) => {
    if (listed.has(name)) return 'yes';
    if (isList) return 'no';
    let verdict = known.get(name);
    if (verdict === undefined) {
      const met = 'unjudged' in regex ? undefined : regex.matches(name);
      verdict = met === undefined ? 'unknown' : met ? 'yes' : 'no';
      if (known.size < MOST_NAMES) known.set(name, verdict);
    }
    return verdict;
  };
});

/** Whether two claims apply to nothing in common, as far as that is known. */
export function areApart(one: Reach, other: Reach): boolean {
  return [...one.keys()].some((axis) => {
    const [names, others] = [namesIn(one, axis), namesIn(other, axis)];
    if (names.type === 'none' || others.type === 'none') return true;
    if (names.type === 'one') return holds(others, names.name) === 'no';
    if (others.type === 'one') return holds(names, others.name) === 'no';
    if (names.type !== 'pattern' || others.type !== 'pattern') return false;
    if (!haveSameStart(names, others)) return true;
    return doOverlap(names.text, others.text, charactersOf(axis)) === false;
  });
}

function charactersOf(axis: Axis): readonly string[] {
  return axis === 'topic' ? TOPIC_CHARACTERS : PRINTABLE;
}

/** These topics as they are called where each name has a prefix. */
export function withPrefix(names: Topics, prefix: string): Topics;
export function withPrefix(names: Names, prefix: string): Names;
export function withPrefix(names: Names, prefix: string): Names {
  if (prefix === '') return names;
  if (names.type === 'one') return { type: 'one', name: prefix + names.name };
  if (names.type === 'all') return { type: 'pattern', text: `${literal(prefix)}.*` };
  return names.type === 'pattern' ? { type: 'pattern', text: `${literal(prefix)}(?:${names.text})` } : names;
}

function containsAll(inner: Names, outers: readonly Topics[], axis: Axis): Verdict {
  const text = inner.type === 'pattern' ? inner.text : '.*';
  const texts = outers.map((one) => (one.type === 'pattern' ? one.text : literal(one.name)));
  const met = isContained(text, texts, charactersOf(axis));
  return met === undefined ? 'unknown' : met ? 'yes' : 'no';
}

function literal(name: string): string {
  return name.replaceAll(/[^\w]/g, (char) => `\\${char}`);
}

export function sameNames(one: Names, other: Names): boolean {
  if (one === other) return true;
  switch (one.type) {
    case 'unknown':
      return other.type === 'unknown' && sameJson(one.value, other.value);
    case 'pattern':
      return other.type === 'pattern' && other.text === one.text;
    case 'one':
      return other.type === 'one' && other.name === one.name;
    default:
      return other.type === one.type;
  }
}

export function stronger(one: Verdict, other: Verdict): Verdict {
  return ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other;
}

export function weaker(one: Verdict, other: Verdict): Verdict {
  return ORDER.indexOf(one) < ORDER.indexOf(other) ? one : other;
}
const ORDER: readonly Verdict[] = ['no', 'unknown', 'yes'];

export function textOfTopics(topics: Topics): string {
  return topics.type === 'one' ? topics.name : topics.text;
}

/** Whether one applies to names that can be judged, and another one to some that nobody can judge: an expression, or what the gateway fills in. */
export function isOpenFor(inner: Reach, outer: Reach): boolean {
  const isOpaque = (names: Names): boolean =>
    names.type === 'unknown' ? names.isOpen === true : names.type === 'pattern' && isUnjudged(names.text);
  return [...outer].some(([axis, names]) => isOpaque(names) && !isOpaque(namesIn(inner, axis)));
}

/** Whether gwconf cannot compare an expression with others, however short it is. */
export function isUnjudged(pattern: string): boolean {
  const regex = compileRegex(pattern);
  return 'unjudged' in regex ? regex.unjudged !== TOO_LARGE : regex.looksAround;
}

/** The value of a pattern that is not known. */
export function valueIn(names: Names): Json | undefined {
  return names.type === 'unknown' ? names.value : undefined;
}

/** The topics that a pattern names one by one: `a` and `b-.*` of `a|b-.*`. */
export function topicsNamedIn(names: Names | undefined): readonly Topics[] {
  if (names?.type === 'one') return [names];
  if (names?.type !== 'pattern') return [];
  return alternativesOf(names.text).map((text) => ({ type: 'pattern', text }));
}

/** Whether a pattern has no special character but dots, as names have them: it matches itself. */
export function isPlain(pattern: string): boolean {
  return /^[\w.-]+$/.test(pattern);
}

/** A regular expression by its alternatives, as far as they are easy to see. */
function alternativesOf(pattern: string): readonly string[] {
  if (/[\\()[\]]/.test(pattern)) return [pattern];
  return pattern.split('|').filter((text) => text !== '');
}
