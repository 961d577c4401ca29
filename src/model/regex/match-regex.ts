import { getOrAdd } from '../collect.ts';
import {
  type CharacterSet,
  hasPlaces,
  parseRegex,
  type Node,
  type Unjudged,
  withoutAnchors,
} from './parse-regex.ts';

/** A regular expression of Java. Texts longer than 249 characters, or with others than printable ASCII, are not judged. */
export type Regex = {
  /** Whether it matches the whole text; undefined if that cannot be judged. */
  readonly matches: (text: string) => boolean | undefined;
  /** Whether it looks around, so that it is judged by texts only, and not compared with others. */
  readonly looksAround: boolean;
};

// As long as the name of a topic can be.
const LONGEST_TEXT = 249;
const MOST_STATES = 5000;
export const TOO_LARGE = 'is too large';
const MOST_STEPS = 500_000;

/**
 * Reads a regular expression as Java does. The time of a match is bounded, whatever the expression, and so is that of all matches
 * together: an expression that has taken too long judges no more.
 */
export function compileRegex(pattern: string): Regex | Unjudged {
  const read = readWhole(pattern);
  if ('unjudged' in read) return read;
  const start = compile(read, END);
  const looksAround = hasPlaces(read);
  const matches = looksAround ? followEach(start) : new Table(start).matches;
  return {
    looksAround,
    matches: (text) => (text.length > LONGEST_TEXT || !/^[ -~]+$/.test(text) ? undefined : matches(text)),
  };
}

/** Of all matches of an expression that looks around: a second or two, and enough for most expressions and fifty thousand topics. */
const MOST_STEPS_AROUND = 10_000_000;

function followEach(start: State): Regex['matches'] {
  let left = MOST_STEPS_AROUND;
  return (text) => {
    if (left <= 0) return undefined;
    const run = new Run(text);
    const met = run.matches(start);
    left -= run.steps;
    return met;
  };
}

/** The state in which a match begins. */
export function startOf(pattern: string): State | Unjudged {
  const read = readWhole(pattern);
  return 'unjudged' in read ? read : compile(read, END);
}

/** An expression for whole texts. */
function readWhole(pattern: string): Node | Unjudged {
  const parsed = parseRegex(pattern);
  if ('unjudged' in parsed) return parsed;
  const whole = withoutAnchors(parsed);
  return sizeOf(whole) > MOST_STATES ? { unjudged: TOO_LARGE } : whole;
}

/** A state of a match, with the states behind it. */
export type State =
  | { readonly type: 'end' }
  | { readonly type: 'one'; readonly of: CharacterSet; readonly next: State }
  | { readonly type: 'split'; readonly next: readonly State[] }
  | { readonly type: 'place'; readonly holds: (text: string, at: number) => boolean; readonly next: State }
  | { readonly type: 'look'; readonly start: State; readonly negated: boolean; readonly next: State };

const END: State = { type: 'end' };

function compile(node: Node, next: State): State {
  switch (node.type) {
    case 'one':
    case 'place':
      return { ...node, next };
    case 'look':
      return { type: 'look', start: compile(node.of, END), negated: node.negated, next };
    case 'sequence':
      return node.of.reduceRight((after, one) => compile(one, after), next);
    case 'choice':
      return { type: 'split', next: node.of.map((one) => compile(one, next)) };
    case 'repeat':
      return compileRepeat(node, next);
    default:
      return node satisfies never;
  }
}

function compileRepeat({ of, least, most }: Extract<Node, { type: 'repeat' }>, next: State): State {
  let state = next;
  if (most === Infinity) {
    const ways: State[] = [next];
    state = { type: 'split', next: ways };
    ways.push(compile(of, state));
  } else {
    for (let count = atMost(least); count < atMost(most); count += 1)
      state = { type: 'split', next: [next, compile(of, state)] };
  }
  for (let count = 0; count < atMost(least); count += 1) state = compile(of, state);
  return state;
}

/** More repetitions than a text has characters make no difference. */
function atMost(count: number): number {
  return Math.min(count, LONGEST_TEXT + 1);
}

/** The number of states. */
function sizeOf(node: Node): number {
  switch (node.type) {
    case 'one':
    case 'place':
      return 1;
    case 'look':
      return 1 + sizeOf(node.of);
    case 'sequence':
    case 'choice':
      return node.of.reduce((sum, one) => sum + sizeOf(one), 1);
    case 'repeat': {
      const copies = node.most === Infinity ? atMost(node.least) + 1 : atMost(node.most);
      return 1 + copies * (1 + sizeOf(node.of));
    }
    default:
      return node satisfies never;
  }
}

/** All ways through the beginning of a text, with what follows each character as far as it was asked for. */
type Ways = {
  readonly ones: readonly Extract<State, { type: 'one' }>[];
  readonly isEnd: boolean;
  readonly after: Map<string, Ways>;
};

/** Remembers the ways through beginnings, which are few for most expressions, however many the texts. */
class Table {
  readonly #known = new Map<string, Ways>();
  readonly #numbers = new Map<State, number>();
  readonly #start: Ways;
  #steps = 0;

  constructor(start: State) {
    this.#start = this.#waysFrom([start]);
  }

  readonly matches = (text: string): boolean | undefined => {
    let ways = this.#start;
    for (const char of text) {
      let next = ways.after.get(char);
      if (next === undefined) {
        if (this.#steps > MOST_STEPS_OF_TABLE) return undefined;
        next = this.#waysFrom(ways.ones.flatMap((one) => (one.of.has(char) ? [one.next] : [])));
        if (this.#known.size < MOST_WAYS) ways.after.set(char, next);
      }
      ways = next;
      if (ways.ones.length === 0 && !ways.isEnd) return false;
    }
    return ways.isEnd;
  };

  #waysFrom(open: State[]): Ways {
    const seen = new Set<State>();
    const ones: Extract<State, { type: 'one' }>[] = [];
    let isEnd = false;
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (seen.has(state)) continue;
      seen.add(state);
      this.#steps += 1;
      if (state.type === 'end') isEnd = true;
      else if (state.type === 'one') ones.push(state);
      else if (state.type === 'split') for (const way of state.next) open.push(way);
    }
    const numbers = ones.map((one) => getOrAdd(this.#numbers, one, () => this.#numbers.size));
    numbers.sort((one, other) => one - other);
    const key = `${numbers.join(' ')}${isEnd ? ' end' : ''}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const ways: Ways = { ones, isEnd, after: new Map() };
    if (this.#known.size < MOST_WAYS) this.#known.set(key, ways);
    return ways;
  }
}

const MOST_WAYS = 1000;
/** Of what is not remembered; a fraction of a second. */
const MOST_STEPS_OF_TABLE = 3_000_000;

/** Follows all ways at once through one text. */
class Run {
  readonly #text: string;
  readonly #looks = new Map<State, (boolean | undefined)[]>();
  #steps = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get steps(): number {
    return this.#steps;
  }

  matches(start: State): boolean | undefined {
    const met = this.#reaches(start, 0, true);
    return this.#steps > MOST_STEPS ? undefined : met;
  }

  /** Whether the end is reached from a place: at the end of the text, or anywhere. */
  #reaches(start: State, from: number, whole: boolean): boolean {
    let ways: State[] = [start];
    for (let at = from; ways.length > 0 && this.#steps <= MOST_STEPS; at += 1) {
      const next: State[] = [];
      if (this.#advance(ways, at, next) && (!whole || at === this.#text.length)) return true;
      ways = next;
    }
    return false;
  }

  /** Adds what follows the character at a place. True if the end is among the states there. */
  #advance(ways: State[], at: number, next: State[]): boolean {
    const seen = new Set<State>();
    const char = this.#text.charAt(at);
    let ended = false;
    for (let state = ways.pop(); state !== undefined; state = ways.pop()) {
      if (seen.has(state)) continue;
      seen.add(state);
      this.#steps += 1;
      switch (state.type) {
        case 'end':
          ended = true;
          break;
        case 'one':
          if (state.of.has(char)) next.push(state.next);
          break;
        case 'split':
          for (const way of state.next) ways.push(way);
          break;
        case 'place':
          if (state.holds(this.#text, at)) ways.push(state.next);
          break;
        case 'look':
          if (this.#looksAt(state, at) !== state.negated) ways.push(state.next);
          break;
        default:
          state satisfies never;
      }
    }
    return ended;
  }

  #looksAt(look: Extract<State, { type: 'look' }>, at: number): boolean {
    const known = getOrAdd(this.#looks, look, () => []);
    return (known[at] ??= this.#reaches(look.start, at, false));
  }
}
