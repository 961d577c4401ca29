import { getOrAdd } from '../collect.ts';
import { startOf, type State } from './match-regex.ts';
import { PRINTABLE, type CharacterSet } from './parse-regex.ts';

const MOST_PAIRS = 3000;
const MOST_STEPS = 500_000;
const LONGEST_TEXT = 249;

/** The characters of a name that Kafka allows for a topic. */
export const TOPIC_CHARACTERS = PRINTABLE.filter((char) => /[\w.-]/.test(char));

/** Told of each step before it is made; may throw. */
type Spend = (steps: number) => void;

/** The states of two matches after the same text. */
type Pair = readonly [inner: readonly State[], outer: readonly State[]];

/**
 * Whether every text that one expression matches is matched by one of the others; undefined if that cannot be judged. Only texts
 * that have at least one character, and no others than these, count.
 */
export function isContained(
  inner: string,
  outers: readonly string[],
  alphabet: readonly string[] = PRINTABLE,
  spend?: Spend,
): boolean | undefined {
  if (outers.includes(inner) || outers.includes('.*')) return true;
  const told = isListAmong(listIn(inner), outers.map(listIn), alphabet);
  if (told !== undefined) return told;
  const isLost = (isInner: boolean, isOuter: boolean): boolean => isInner && !isOuter;
  const isMissed =
    spend === undefined
      ? findOnce(alphabet, `in ${JSON.stringify([inner, outers])}`, () =>
          findText(inner, outers, alphabet, isLost),
        )
      : findText(inner, outers, alphabet, isLost, spend);
  return isMissed === undefined ? undefined : !isMissed;
}

/** Whether some text is matched by both; undefined if that cannot be judged. */
export function doOverlap(
  one: string,
  other: string,
  alphabet: readonly string[] = PRINTABLE,
): boolean | undefined {
  const [some, others] = [listIn(one), listIn(other)];
  if (some !== undefined && others !== undefined) return doMeet(some, others);
  return findOnce(alphabet, JSON.stringify([one, other].sort()), () =>
    findText(one, [other], alphabet, (isOne, isOther) => isOne && isOther),
  );
}

/** Whether an expression certainly matches no name that a topic can have, such as `a,b`. */
export function matchesNoTopic(pattern: string): boolean {
  return !ANSWERED.test(pattern) && doOverlap(pattern, '.*', TOPIC_CHARACTERS) === false;
}

/** Of what names can have, repeated or chosen: most expressions, for which nothing has to be searched. */
const ANSWERED = /^\^?(?:[\w.|()*+-]|\\[.-])+\$?$/;

/** What was found in an alphabet: chains compare the same expressions for each client, and each with each. */
type Found = { readonly answers: Map<string, boolean | undefined>; room: number };
const foundIn = new WeakMap<readonly string[], Found>();
/** In characters, of what was compared. */
const MOST_KEPT = 20_000_000;

function findOnce(
  alphabet: readonly string[],
  key: string,
  find: () => boolean | undefined,
): boolean | undefined {
  const found = getOrAdd(foundIn, alphabet, (): Found => ({ answers: new Map(), room: MOST_KEPT }));
  if (found.answers.has(key)) return found.answers.get(key);
  const answer = find();
  if ((found.room -= key.length) >= 0) found.answers.set(key, answer);
  return answer;
}

/** The alternatives of `a|b.*`: names, and what others begin with. */
type List = { readonly names: ReadonlySet<string>; readonly beginnings: readonly string[] };

function isIn({ names, beginnings }: List, name: string): boolean {
  return names.has(name) || beginnings.some((one) => name.startsWith(one));
}

/** Whether all of a list is among others; undefined if that has to be searched for. */
function isListAmong(
  list: List | undefined,
  others: readonly (List | undefined)[],
  alphabet: readonly string[],
): boolean | undefined {
  if (list === undefined) return undefined;
  const known = others.filter((one) => one !== undefined);
  const isLost = (name: string): boolean => !known.some((one) => isIn(one, name));
  const isWithin = (text: string): boolean =>
    known.some(({ beginnings }) => beginnings.some((one) => text.startsWith(one)));
  const names = [...list.names].filter(isLost);
  const open = list.beginnings.filter((text) => !isWithin(text));
  if (names.length + open.length === 0) return true;
  if (known.length < others.length) return undefined;
  // All that begins with a text is among longer beginnings only if there is one for each next letter.
  const isMissed = (text: string): boolean =>
    known.flatMap(({ beginnings }) => beginnings).filter((one) => one.startsWith(text)).length <
    alphabet.length;
  return names.length > 0 || open.some(isMissed) ? false : undefined;
}

function doMeet(one: List, other: List): boolean {
  const [few, many] = one.names.size < other.names.size ? [one, other] : [other, one];
  for (const name of few.names) if (isIn(many, name)) return true;
  if (few.beginnings.length === 0) return false;
  for (const name of many.names) if (isIn(few, name)) return true;
  return few.beginnings.some((text) =>
    many.beginnings.some((another) => another.startsWith(text) || text.startsWith(another)),
  );
}

/** Each is compared with each of another list. */
const MOST_BEGINNINGS = 20;
/** Each is asked for by many; room for so many characters. */
const remembered = { lists: new Map<string, List | undefined>(), room: 5_000_000 };

/** The list that an expression is, as most are: nothing has to be searched for those. */
function listIn(pattern: string): List | undefined {
  const { lists } = remembered;
  if (lists.has(pattern)) return lists.get(pattern);
  const isList = /^[\w-]+(?:\.\*)?(?:\|[\w-]+(?:\.\*)?)*$/.test(pattern);
  const all = isList ? pattern.split('|') : [];
  const beginnings = all.filter((one) => one.endsWith('.*')).map((one) => one.slice(0, -2));
  const isShort = beginnings.length <= MOST_BEGINNINGS && all.every(({ length }) => length <= LONGEST_TEXT);
  const names = all.filter((one) => !one.endsWith('.*'));
  const found = isList && isShort ? { names: new Set(names), beginnings } : undefined;
  if ((remembered.room -= pattern.length) >= 0) lists.set(pattern, found);
  return found;
}

/** Whether there is a text of which it is so that the one expression matches it, or one of the others. */
function findText(
  inner: string,
  outers: readonly string[],
  alphabet: readonly string[],
  isFound: (isInner: boolean, isOuter: boolean) => boolean,
  spend?: Spend,
): boolean | undefined {
  const starts = [inner, ...outers].flatMap((text) => {
    const start = startOf(text);
    return 'unjudged' in start ? [] : [start];
  });
  const [first, ...rest] = starts;
  if (first === undefined || rest.length < outers.length) return undefined;
  const names = new Map<State, string>();
  const nameOf = (state: State): string => getOrAdd(names, state, () => String(names.size));
  const known = new Set<string>();
  let steps = 0;
  let level: Pair[] = [[[first], rest]];
  for (let length = 1; level.length > 0 && length <= LONGEST_TEXT; length += 1) {
    const next: Pair[] = [];
    for (const pair of level) {
      const [some, all] = pair.map(follow);
      if (some === undefined || all === undefined) return undefined;
      const cost = (some.length + all.length) * alphabet.length;
      spend?.(cost);
      steps += cost;
      if (steps > MOST_STEPS) return undefined;
      for (const char of distinguish([...some, ...all], alphabet)) {
        const after: Pair = [step(some, char), step(all, char)];
        const [ended, isMet] = after.map((states) => follow(states)?.some(({ type }) => type === 'end'));
        if (ended !== undefined && isMet !== undefined && isFound(ended, isMet)) return true;
        if (after[0].length === 0) continue;
        const key = after.map((states) => states.map(nameOf).sort().join()).join(';');
        if (known.has(key)) continue;
        known.add(key);
        if (known.size > MOST_PAIRS) return undefined;
        next.push(after);
      }
    }
    level = next;
  }
  return false;
}

/** The states that wait for a character, and the end; undefined where a place in the text decides. */
function follow(states: readonly State[]): readonly State[] | undefined {
  const open = [...states];
  const seen = new Set<State>();
  const found: State[] = [];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    if (state.type === 'place' || state.type === 'look') return undefined;
    if (state.type === 'split') for (const way of state.next) open.push(way);
    else found.push(state);
  }
  return found;
}

function step(states: readonly State[], char: string): readonly State[] {
  return [
    ...new Set(states.flatMap((state) => (state.type === 'one' && state.of.has(char) ? [state.next] : []))),
  ];
}

/** One character for each way in which the states tell characters apart. */
function distinguish(states: readonly State[], alphabet: readonly string[]): readonly string[] {
  const sets = [
    ...new Set(states.flatMap((state): CharacterSet[] => (state.type === 'one' ? [state.of] : []))),
  ];
  const found = new Map(alphabet.map((char) => [sets.map((set) => Number(set.has(char))).join(''), char]));
  return [...found.values()];
}
