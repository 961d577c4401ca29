import { startOf, type State } from './match-regex.ts';
import type { CharacterSet } from './parse-regex.ts';

const MOST_PAIRS = 3000;
const MOST_STEPS = 500_000;
const LONGEST_TEXT = 249;

/** The characters of a name that Kafka allows for a topic, and all that are judged. */
export const TOPIC_CHARACTERS = charactersOf(/[\w.-]/);
export const ALL_CHARACTERS = charactersOf(/[^]/);

function charactersOf(pattern: RegExp): readonly string[] {
  return Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter((char) =>
    pattern.test(char),
  );
}

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
  alphabet: readonly string[] = ALL_CHARACTERS,
  spend?: Spend,
): boolean | undefined {
  if (outers.includes(inner) || outers.includes('.*')) return true;
  const [names, ...others] = [inner, ...outers].map(namesIn);
  const isNamed = (name: string): boolean => others.some((one) => one?.has(name));
  if (names !== undefined && [...names].every(isNamed)) return true;
  if (names !== undefined && others.every((one) => one !== undefined)) return false;
  const isMissed = findText(inner, outers, alphabet, (isInner, isOuter) => isInner && !isOuter, spend);
  return isMissed === undefined ? undefined : !isMissed;
}

/** Whether some text is matched by both; undefined if that cannot be judged. */
export function doOverlap(
  one: string,
  other: string,
  alphabet: readonly string[] = ALL_CHARACTERS,
): boolean | undefined {
  const [names, others] = [namesIn(one), namesIn(other)];
  if (names !== undefined && others !== undefined) return [...names].some((name) => others.has(name));
  return findText(one, [other], alphabet, (isOne, isOther) => isOne && isOther);
}

const MOST_REMEMBERED = 10_000;
const remembered = new Map<string, ReadonlySet<string> | undefined>();

/** The names of an expression that lists them, `a|b`: nothing has to be searched for those. */
function namesIn(pattern: string): ReadonlySet<string> | undefined {
  if (remembered.has(pattern)) return remembered.get(pattern);
  const names = /^[\w-]+(?:\|[\w-]+)*$/.test(pattern) ? pattern.split('|') : undefined;
  const found = names?.every(({ length }) => length <= LONGEST_TEXT) === true ? new Set(names) : undefined;
  if (pattern.length <= LONGEST_TEXT && remembered.size < MOST_REMEMBERED) remembered.set(pattern, found);
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
  const nameOf = namer();
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

function namer(): (state: State) => string {
  const names = new Map<State, string>();
  return (state) => {
    const name = names.get(state) ?? String(names.size);
    names.set(state, name);
    return name;
  };
}
