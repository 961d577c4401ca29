import { linksIn } from '../../effective/state.ts';
import { addTo } from '../../model/collect.ts';
import { printPointer, valueOf } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { PASSTHROUGH, type ChainLink } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import { compileRegex } from '../../model/regex/match-regex.ts';
import { kindOf } from '../../model/resource.ts';
import { asWritten } from '../../model/secrets/secrets.ts';
import { placeOf } from '../../model/state.ts';
import { isMisspelt } from '../../model/text/suggest.ts';
import { isPlanned, type World } from './world.ts';

/** Patterns of declared interceptors that match none of the topics that are known, and resemble one. */
export function* checkTopicPatterns(world: World): Generator<Problem> {
  const { desired, kinds } = world;
  const names = findTopics(world);
  if (names.size === 0) return;
  const known = new Map<string | null, Topics>();
  const topicsIn = (vCluster: string | null): Topics => {
    const found =
      known.get(vCluster) ??
      new Topics(vCluster === null ? [...names.values()].flat() : (names.get(vCluster) ?? []));
    known.set(vCluster, found);
    return found;
  };
  for (const declared of desired.values()) {
    const { address } = declared;
    const variants = kinds.get(kindOf(address))?.variants;
    if (variants === undefined) continue;
    for (const link of linksIn(address, asWritten(declared), kinds)) {
      for (const { at, value } of patternsOf(link, variants.known)) {
        const near = topicsIn(link.scope['vCluster'] ?? null).resembling(value);
        if (near === undefined) continue;
        const path = `${variants.part}${printPointer(at)}` as const;
        yield {
          code: 'unlikely-pattern',
          severity: 'warning',
          message: `${address}: ${value} matches none of the topics that are known, but resembles ${near.topic}`,
          at: placeOf(declared, path),
          address,
          path,
          hint: `if that is meant, write ${near.meant}; the expression is for the whole name`,
        };
      }
    }
  }
}

/** The names of the topics that objects in files or on the gateway are, by virtual cluster. */
function findTopics(world: World): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const isTopic = (kind: Kind | undefined): boolean => kind?.isTopic === true;
  const live = isPlanned(world) ? world.live.resources.values() : [];
  const declared = Array.from(world.desired.values(), ({ resource }) => resource);
  for (const { kind, metadata } of [...declared, ...live]) {
    const { name, vCluster = PASSTHROUGH } = metadata;
    if (isTopic(world.kinds.get(kind)) && typeof vCluster === 'string') addTo(found, vCluster, name);
  }
  return found;
}

type PatternOfTopics = { readonly at: readonly string[]; readonly value: string };

function patternsOf(
  link: ChainLink,
  known: NonNullable<Kind['variants']>['known'],
): readonly PatternOfTopics[] {
  const narrowings = known.find(({ name }) => name === link.pluginClass)?.narrowings ?? [];
  return narrowings.flatMap(({ at, it: { axis, by } }): readonly PatternOfTopics[] => {
    if (axis !== 'topic' || by !== 'pattern') return [];
    const value = at.reduce<ReturnType<typeof valueOf>>(valueOf, link.config);
    return typeof value === 'string' ? [{ at, value }] : [];
  });
}

// Text, and perhaps any text behind it. What such an expression matches can be looked up in a sorted list.
const SIMPLE = /^\^?((?:[\w-]|\\?\.(?![*+]))+)(\.[*+])?\$?$/;
/** As many names are looked at on either side of where a text would stand among them. */
const NEIGHBOURS = 30;
const MOST_TOPICS = 5000;

class Topics {
  readonly #names: readonly string[];
  #folded: readonly (readonly [folded: string, name: string])[] | undefined;

  constructor(names: readonly string[]) {
    this.#names = [...new Set(names)].sort();
  }

  /** A topic that a regular expression resembles which matches none, and the expression for it. */
  resembling(pattern: string): { readonly topic: string; readonly meant: string } | undefined {
    const [, text = '', any = ''] = SIMPLE.exec(pattern) ?? [];
    const start = text.replaceAll('\\', '');
    if (start === '' || this.#matches(pattern, start, any !== '')) return undefined;
    const folded = fold(start);
    this.#folded ??= this.#names
      .map((name) => [fold(name), name] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const place = placeIn(this.#folded, ([name]) => name >= folded);
    const near = this.#folded.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS);
    for (const resembles of [sameStart, misspelt]) {
      for (const [name, topic] of near) {
        const length = resembles(folded, name, any !== '');
        if (length === undefined) continue;
        const rest = length < name.length ? any || '.*' : any && '.*';
        return { topic, meant: `${topic.slice(0, length).replaceAll('.', '\\.')}${rest}` };
      }
    }
    return undefined;
  }

  #matches(pattern: string, start: string, isStart: boolean): boolean {
    const next = this.#names[placeIn(this.#names, (name) => name >= start)] ?? '';
    if (isStart ? next.startsWith(start) : next === start) return true;
    if (!/(?<!\\)\.(?![*+])/.test(pattern)) return false;
    // A dot is any character.
    const regex = compileRegex(pattern);
    if ('unjudged' in regex || this.#names.length > MOST_TOPICS) return true;
    return this.#names.some((name) => regex.matches(name) !== false);
  }
}

/** The length of the start of a name that is the text but for case and separators; without more text, up to a separator. */
function sameStart(text: string, name: string, any: boolean): number | undefined {
  const ends = any || name.length === text.length || text.endsWith('-') || name.charAt(text.length) === '-';
  return name.startsWith(text) && ends ? text.length : undefined;
}

/** The same, but for a typo in one of its words; numbers are no typos. */
function misspelt(text: string, name: string, any: boolean): number | undefined {
  const [words, others] = [text.split('-'), name.split('-')];
  if (words.length > others.length || (!any && words.length < others.length)) return undefined;
  const other = others.slice(0, words.length);
  if (words.at(-1) === '') other[other.length - 1] = '';
  const wrong = words.flatMap((word, at) => (word === other[at] ? [] : [[word, other[at] ?? ''] as const]));
  const [[word, meant] = ['', ''], ...more] = wrong;
  const isTypo =
    word.length > 4 && more.length === 0 && !/\d/.test(word + meant) && isMisspelt(word, [meant]);
  return isTypo ? other.join('-').length : undefined;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]/g, '-');
}

/** The place of the first item of a sorted list that is not before another. */
function placeIn<T>(sorted: readonly T[], isBehind: (item: T) => boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const item = sorted[middle];
    if (item !== undefined && isBehind(item)) to = middle;
    else from = middle + 1;
  }
  return from;
}
