import { textOfTopics, topicsNamedIn } from '../../effective/reach.ts';
import { topicsOf } from '../../effective/topics.ts';
import { firstIndex, getOrAdd, groupBy, memoize } from '../../model/collect.ts';
import { printPointer, valueAt, type Pointer } from '../../model/json/json.ts';
import type { Variant, Variants } from '../../model/kind.ts';
import { printJson } from '../../model/json/json-text.ts';
import { doOverlap, matchesNoTopic, TOPIC_CHARACTERS } from '../../model/regex/contain-regex.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { axisOf, kindOf } from '../../model/resource.ts';
import { asWritten } from '../../model/secrets/secrets.ts';
import { isSecretText } from '../../model/secrets/secret-texts.ts';
import { placeOf } from '../../model/state.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { isMisspelt } from '../../model/text/suggest.ts';
import { isPlanned, type World } from './world.ts';

/** Patterns of declared interceptors that no topic can match, and those that match none of the topics that are known, and resemble one. */
export function* checkTopicPatterns(world: World): Generator<Problem> {
  const { desired, kinds, topics = [] } = world;
  const found: Found[] = [];
  for (const one of desired.values()) {
    const own = topicsOf(asWritten(one), kinds);
    if (own !== undefined) found.push(own);
  }
  for (const [address, resource] of isPlanned(world) ? world.live.resources : []) {
    const own = desired.has(address) ? undefined : topicsOf(resource, kinds);
    if (own?.topics.type === 'one') found.push(own); // an expression on the gateway may be a secret
  }
  const own = groupBy(found, ({ virtualCluster }) => virtualCluster);
  const ofRules = new Set(found.flatMap((one) => (one.topics.type === 'pattern' ? one.topics.text : [])));
  const judged = new Map<string, boolean>();
  const isOfRule = (value: string): boolean =>
    getOrAdd(
      judged,
      value,
      () =>
        ofRules.has(value) || [...ofRules].some((rule) => doOverlap(value, rule, TOPIC_CHARACTERS) !== false),
    );
  const all = new Topics(found, topics);
  const known = new Map<string, Topics>();
  const topicsIn = (vCluster: string | undefined): Topics =>
    vCluster === undefined ? all : getOrAdd(known, vCluster, () => new Topics(own.get(vCluster) ?? []));
  const ofAll = new Topics([], topics);
  const placesIn = memoize(placesOfPatterns);
  const variantsIn = memoize(
    ({ known }: Variants) => new Map<unknown, Variant>(known.map((one) => [one.name, one])),
  );
  for (const declared of desired.values()) {
    const { address } = declared;
    const variants = kinds.get(kindOf(address))?.variants;
    if (variants === undefined) continue;
    const resource = asWritten(declared);
    const variant = variantsIn(variants).get(valueAt(resource, variants.by));
    for (const place of variant === undefined ? [] : placesIn(variant)) {
      const at: Pointer = `${variants.part}${place}`;
      const value = valueAt(resource, at);
      if (typeof value !== 'string' || value === '' || hasPlaceholder(value) || isSecretText(value)) continue;
      const where = { code: 'unlikely-pattern', at: placeOf(declared, at), address, path: at } as const;
      const fault = emptyIn(value);
      if (fault !== undefined)
        yield makeProblem({ ...where, ...fault, message: `${address}: ${fault.message}` });
      if (fault !== undefined || !all.hasNoMatch(value)) continue;
      const near = topicsIn(axisOf(address, 'vCluster')).resembling(value) ?? ofAll.resembling(value);
      if (near === undefined || isOfRule(value)) continue;
      yield makeProblem({
        ...where,
        message: `${address}: ${value} matches none of the topics that are known, but resembles ${near.topic}`,
        hint: `if that is meant, write ${near.meant}; the expression is for the whole name`,
        maybe: near.meant,
      });
    }
  }
}

/** What is wrong where no topic can match a pattern, or one of its alternatives, such as a list with commas. */
function emptyIn(pattern: string): Pick<Problem, 'message' | 'hint' | 'maybe'> | undefined {
  const findEmpty = (text: string): string | undefined =>
    topicsNamedIn({ type: 'pattern', text }).map(textOfTopics).find(matchesNoTopic);
  const empty = findEmpty(pattern);
  if (empty === undefined) return undefined;
  const message = `no topic matches ${printJson(empty)}: names have letters, digits, dots, - and _ only`;
  const meant = pattern
    .split(/[,;|]/)
    .map((text) => text.trim())
    .join('|');
  return findEmpty(meant) === undefined
    ? { message, hint: `if that is meant, write ${meant}`, maybe: meant }
    : { message, hint: 'write a regular expression for names of topics' };
}

/** The places of the patterns of topics in the part with variants. */
function placesOfPatterns({ narrowings }: Variant): readonly Pointer[] {
  return narrowings.flatMap(({ at, it: { axis, by } }) =>
    axis === 'topic' && by === 'pattern' ? [printPointer(at)] : [],
  );
}

// Text, and perhaps any text behind it. What such an expression matches can be looked up in a sorted list.
const SIMPLE = /^\^?((?:[\w-]|\\?\.(?![*+]))+)(\.[*+])?\$?$/;
/** As many names are looked at on either side of where a text would stand among them. */
const NEIGHBOURS = 30;
/** Patterns with dots at as many different places are compared with all names. */
const MOST_SHAPES = 100;

type Found = NonNullable<ReturnType<typeof topicsOf>>;

class Topics {
  readonly #names: readonly string[];
  readonly #patterns: readonly string[];
  readonly #starts = new Map<string, Pick<Set<string>, 'has'>>();
  #folded: readonly Folded[] | undefined;

  constructor(found: Iterable<Found>, others: readonly string[] = []) {
    const names = new Set(others);
    const patterns = new Set<string>();
    for (const { topics } of found)
      if (topics.type === 'one') names.add(topics.name);
      else patterns.add(topics.text);
    this.#names = [...names].sort();
    this.#patterns = [...patterns].filter((pattern) => readSimple(pattern).start !== '');
  }

  /** Whether an expression of text, and perhaps any text behind it, matches none. */
  hasNoMatch(pattern: string): boolean {
    const { start, any } = readSimple(pattern);
    return start !== '' && !this.#matches(pattern, start, any !== '');
  }

  /** A topic that such an expression resembles, and the expression for it. */
  resembling(pattern: string): { readonly topic: string; readonly meant: string } | undefined {
    const { start, any } = readSimple(pattern);
    this.#folded ??= [
      ...this.#names.map((name) => ({ name: fold(name), text: name, topic: name })),
      ...this.#patterns.map((pattern) => {
        const { start: text } = readSimple(pattern);
        return { name: fold(text), text, topic: pattern };
      }),
    ].sort(({ name: one }, { name: other }) => (one < other ? -1 : 1));
    const wanted = fold(start);
    const place = firstIndex(this.#folded, ({ name }) => name >= wanted);
    const near = this.#folded.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS);
    for (const resembles of wordsOf(wanted).some(canBeMisspelt) ? [sameStart, misspelt] : [sameStart]) {
      for (const one of near) {
        const length = resembles(wanted, one.name, any !== '');
        if (length === undefined) continue;
        // More text follows in the name, or may.
        const follows = any !== '' || length < one.name.length;
        const rest = !follows ? '' : length < one.name.length && any !== '' ? any : '.*';
        return { topic: one.topic, meant: `${one.text.slice(0, length).replaceAll('.', '\\.')}${rest}` };
      }
    }
    return undefined;
  }

  #matches(pattern: string, start: string, isStart: boolean): boolean {
    const next = this.#names[firstIndex(this.#names, (name) => name >= start)] ?? '';
    if (isStart ? next.startsWith(start) : next === start) return true;
    // A dot that is not escaped is any character.
    const text = pattern.replaceAll(/^\^|\.[*+]\$?$|\$$/g, '').replaceAll(/\\\./g, '_');
    const dots = [...text.matchAll(/\./g)].map(({ index }) => index);
    if (dots.length === 0) return false;
    const key = JSON.stringify([isStart, start.length, dots]);
    const starts = getOrAdd(this.#starts, key, () => this.#startsWithDots(start.length, dots, isStart));
    return starts.has(start);
  }

  /** What names begin with, or are, with dots at these places. None is known of too many different patterns. */
  #startsWithDots(length: number, dots: readonly number[], isStart: boolean): Pick<Set<string>, 'has'> {
    if (this.#starts.size >= MOST_SHAPES) return { has: () => true };
    const found = new Set<string>();
    for (const name of this.#names) {
      if (isStart ? name.length < length : name.length !== length) continue;
      const characters = name.slice(0, length).split('');
      for (const at of dots) characters[at] = '.';
      found.add(characters.join(''));
    }
    return found;
  }
}

function readSimple(pattern: string): { readonly start: string; readonly any: string } {
  const [, text = '', any = ''] = SIMPLE.exec(pattern) ?? [];
  return { start: text.replaceAll('\\', ''), any };
}

/** `name` is the text without case, and with one sort of separator. */
type Folded = { readonly name: string; readonly text: string; readonly topic: string };

/** The length of the start of a name that is the text but for case and separators; without more text, up to a separator. */
function sameStart(text: string, name: string, any: boolean): number | undefined {
  const ends = any || name.length === text.length || text.endsWith('-') || name.charAt(text.length) === '-';
  return name.startsWith(text) && ends ? text.length : undefined;
}

/** The same, but for a typo in one of its words; numbers are no typos. */
function misspelt(text: string, name: string, any: boolean): number | undefined {
  const [words, others] = [wordsOf(text), wordsOf(name)];
  if (words.length > others.length || (!any && words.length < others.length)) return undefined;
  let wrong: number | undefined;
  let length = words.length - 1;
  for (const [at, word] of words.entries()) {
    const other = at === words.length - 1 && word === '' ? '' : (others[at] ?? '');
    length += other.length;
    if (word === other) continue;
    if (wrong !== undefined) return undefined;
    wrong = at;
  }
  const [word = '', meant = ''] = wrong === undefined ? [] : [words[wrong], others[wrong]];
  return canBeMisspelt(word) && !/\d/.test(meant) && isMisspelt(word, [meant]) ? length : undefined;
}

function canBeMisspelt(word: string): boolean {
  return word.length > 4 && !/\d/.test(word);
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[._-]/g, '-');
}

function wordsOf(folded: string): readonly string[] {
  return folded.split('-');
}
