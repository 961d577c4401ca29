import { addAll } from '../collect.ts';
import { checkRegex, type Token } from './java-regex.ts';

export type Node =
  | { readonly type: 'one'; readonly of: CharacterSet }
  /** Matches no character, but holds at some places. */
  | { readonly type: 'place'; readonly holds: (text: string, at: number) => boolean }
  | { readonly type: 'look'; readonly of: Node; readonly negated: boolean }
  | { readonly type: 'sequence' | 'choice'; readonly of: readonly Node[] }
  | { readonly type: 'repeat'; readonly of: Node; readonly least: number; readonly most: number };

/** A regular expression that cannot be judged, and why: words that go on after "the regular expression". */
export type Unjudged = { readonly unjudged: string };

/** A group that is being read. */
type Group = {
  readonly options: Node[][];
  insensitive: boolean;
  readonly close: (inside: Node) => Node;
};

const DEEPEST = 100;

/** Reads a regular expression as Java does. */
export function parseRegex(text: string): Node | Unjudged {
  const judged = checkRegex(text);
  if ('broken' in judged) return { unjudged: 'is not valid' };
  const groups = [newGroup(false)];
  for (const [at, token] of judged.tokens.entries()) {
    // Java repeats nothing there, not what is before the flag.
    const isBehindFlag = token.type === 'quantifier' && judged.tokens[at - 1]?.type === 'other';
    if (isBehindFlag || !readToken(groups, token))
      return { unjudged: `has ${nameOf(token)} that gwconf cannot judge` };
    if (groups.length > DEEPEST) return { unjudged: `has more than ${DEEPEST} nested groups` };
  }
  const [all] = groups;
  return all === undefined ? { unjudged: 'is not valid' } : insideOf(all);
}

/** Adds a token to the groups that are open. False if it cannot be judged. */
function readToken(groups: Group[], { type, met }: Token): boolean {
  const group = groups.at(-1);
  const items = group?.options.at(-1);
  if (group === undefined || items === undefined) return false;
  switch (type) {
    case 'atom': {
      const nodes = atomsOf(met, group.insensitive);
      addAll(items, nodes ?? []);
      return nodes !== undefined;
    }
    case 'quantifier': {
      const of = items.pop();
      const times = timesOf(met);
      if (of === undefined || of.type === 'repeat' || times === undefined) return false;
      // Java ends such a repetition when a round is empty, though another round may not be.
      if (times.least > 1 && hasPlaces(of)) return false;
      items.push({ type: 'repeat', of, ...times });
      return true;
    }
    case 'open': {
      const opened = open(met, group.insensitive);
      if (opened !== undefined) groups.push(opened);
      return opened !== undefined;
    }
    case 'close':
      groups.pop();
      groups
        .at(-1)
        ?.options.at(-1)
        ?.push(group.close(insideOf(group)));
      return true;
    case 'other': {
      if (met === '|') group.options.push([]);
      const insensitive = met === '|' ? group.insensitive : flagsIn(met, group.insensitive);
      group.insensitive = insensitive ?? false;
      return insensitive !== undefined;
    }
    case 'comments':
      return false;
    default:
      return type satisfies never;
  }
}

function newGroup(insensitive: boolean, close: Group['close'] = (inside) => inside): Group {
  return { options: [[]], insensitive, close };
}

function insideOf({ options }: Group): Node {
  return { type: 'choice', of: options.map((of): Node => ({ type: 'sequence', of })) };
}

function open(met: string, insensitive: boolean): Group | undefined {
  if (met === '(' || met === '(?:' || /^\(\?<[^=!]/.test(met)) return newGroup(insensitive);
  if (met === '(?=' || met === '(?!')
    return newGroup(insensitive, (of) => ({ type: 'look', of, negated: met === '(?!' }));
  const flags = flagsIn(met, insensitive);
  return flags === undefined ? undefined : newGroup(flags);
}

/** Whether case does not matter after flags such as (?i) or (?s-i:. In one line of ASCII d, m and s make no difference. */
function flagsIn(met: string, before: boolean): boolean | undefined {
  const [on = '', off = ''] = met.slice(2, -1).split('-');
  if (met === '(?>' || /[^dims]/.test(on)) return undefined;
  return !off.includes('i') && (before || on.includes('i'));
}

function atomsOf(met: string, insensitive: boolean): readonly Node[] | undefined {
  const holds = PLACES[met];
  if (holds !== undefined) return [{ type: 'place', holds }];
  const quoted = /^\\Q([^]*?)(?:\\E)?$/.exec(met)?.[1];
  if (quoted !== undefined)
    return Array.from(quoted, (char): Node => ({ type: 'one', of: setOfCharacter(char, insensitive) }));
  const of = met === '.' ? ANY : charactersOf(met, insensitive);
  return of === undefined ? undefined : [{ type: 'one', of }];
}

const isWordAt = (text: string, at: number): boolean => /\w/.test(text.charAt(at));
const isBoundary = (text: string, at: number): boolean => isWordAt(text, at - 1) !== isWordAt(text, at);
const atStart = (_: string, at: number): boolean => at === 0;
const atEnd = (text: string, at: number): boolean => at === text.length;
const PLACES: Readonly<Record<string, (text: string, at: number) => boolean>> = {
  '^': atStart,
  '\\A': atStart,
  $: atEnd,
  '\\z': atEnd,
  '\\Z': atEnd,
  '\\b': isBoundary,
  '\\B': (text, at) => !isBoundary(text, at),
};

/** The same for a match of the whole text, where ^ at the beginning and $ at the end say nothing. */
export function withoutAnchors(node: Node): Node {
  return dropPlace(dropPlace(node, atStart), atEnd);
}

function dropPlace(node: Node, holds: typeof atStart): Node {
  switch (node.type) {
    case 'place':
      return node.holds === holds ? { type: 'sequence', of: [] } : node;
    case 'choice':
      return { ...node, of: node.of.map((one) => dropPlace(one, holds)) };
    case 'sequence': {
      const end = holds === atStart ? 0 : node.of.length - 1;
      return { ...node, of: node.of.map((one, at) => (at === end ? dropPlace(one, holds) : one)) };
    }
    default:
      return node;
  }
}

/** The bounds of a quantifier; whether it is lazy makes no difference to a match of the whole text. */
function timesOf(met: string): { readonly least: number; readonly most: number } | undefined {
  const sign = met.charAt(0);
  if (met.length > 1 && met.endsWith('+')) return undefined;
  if (sign !== '{') return { least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
  const [from, to = from] = met.replaceAll(/[{}?]/g, '').split(',');
  const least = Number(from);
  const most = to === '' ? Infinity : Number(to);
  return least > MOST_IN_JAVA || (most > MOST_IN_JAVA && most !== Infinity) ? undefined : { least, most };
}
const MOST_IN_JAVA = 2 ** 31 - 1;

/** Whether what is met depends on more of a text than the characters so far. */
export function hasPlaces(node: Node): boolean {
  switch (node.type) {
    case 'one':
      return false;
    case 'place':
    case 'look':
      return true;
    case 'sequence':
    case 'choice':
      return node.of.some(hasPlaces);
    case 'repeat':
      return hasPlaces(node.of);
    default:
      return node satisfies never;
  }
}

/** The sort of a token. The token itself may be a part of a secret. */
function nameOf({ type, met }: Token): string {
  if (type === 'atom') return met.startsWith('[') ? 'a character class' : 'an escape';
  return {
    quantifier: 'a quantifier',
    open: 'a group',
    close: 'a group',
    other: 'a flag',
    comments: 'a flag',
  }[type];
}

/** The printable ASCII characters that match. Others are not judged. */
export type CharacterSet = ReadonlySet<string>;

/** All that are judged. */
export const PRINTABLE: readonly string[] = Array.from({ length: 95 }, (_, index) =>
  String.fromCharCode(32 + index),
);

const ANY: CharacterSet = new Set(PRINTABLE);

/** The characters that a character, an escape or a class in brackets matches in Java; undefined if that is not certain. */
function charactersOf(met: string, insensitive: boolean): CharacterSet | undefined {
  if (met.length > 1 && met.startsWith('[')) return charactersOfClass(met, insensitive);
  const char = characterOf(met);
  return char === undefined ? namedSet(met, insensitive) : setOfCharacter(char, insensitive);
}

function setOfCharacter(char: string, insensitive: boolean): CharacterSet {
  return range(char, char, insensitive);
}

// A character or an escape. Java reads && and brackets in a class in ways of its own.
const ITEM = /\\(?:[pP](?:\{[^}]*\}|[^])|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^])|(?!&&)[^[\\]/y;

function charactersOfClass(text: string, insensitive: boolean): CharacterSet | undefined {
  const negated = text.startsWith('[^');
  const inside = text.slice(negated ? 2 : 1, -1);
  const found = new Set<string>();
  for (let at = 0; at < inside.length;) {
    const first = itemAt(inside, at);
    at += first.length;
    const last = inside.charAt(at) === '-' ? itemAt(inside, at + 1) : '';
    const isRange = last !== '' || (at + 1 < inside.length && inside.charAt(at) === '-');
    const chars = isRange ? rangeOf(first, last, insensitive) : charactersOf(first, insensitive);
    if (first === '' || chars === undefined) return undefined;
    for (const char of chars) found.add(char);
    at += isRange ? last.length + 1 : 0;
  }
  return negated ? matching((char) => !found.has(char)) : found;
}

function itemAt(text: string, at: number): string {
  ITEM.lastIndex = at;
  return ITEM.exec(text)?.[0] ?? '';
}

function rangeOf(from: string, to: string, insensitive: boolean): CharacterSet | undefined {
  const [first, last] = [characterOf(from), characterOf(to)];
  return first === undefined || last === undefined ? undefined : range(first, last, insensitive);
}

function range(first: string, last: string, insensitive: boolean): CharacterSet {
  const has = (char: string): boolean => char >= first && char <= last;
  return matching(
    (char) => has(char) || (insensitive && (has(char.toLowerCase()) || has(char.toUpperCase()))),
  );
}

/** The one character that is meant, if it is one. */
function characterOf(met: string): string | undefined {
  if (met.length === 1) return /[\ud800-\udfff]/.test(met) ? undefined : met;
  const code = /^\\(?:x|u)([\da-fA-F]+)$/.exec(met)?.[1];
  if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
  if (/^\\[^A-Za-z\d]$/.test(met)) return met.slice(1);
  return CONTROLS[met];
}
const CONTROLS: Readonly<Record<string, string>> = {
  '\\t': '\t',
  '\\n': '\n',
  '\\r': '\r',
  '\\f': '\f',
  '\\a': '\x07',
  '\\e': '\x1b',
};

function namedSet(met: string, insensitive: boolean): CharacterSet | undefined {
  const sort = met.charAt(1);
  const name = /^p$/i.test(sort) ? met.slice(2).replace(/^\{(\w+)\}$/, '$1') : sort.toLowerCase();
  const pattern = met.startsWith('\\') && Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  // Whether such a name also stands for the other case differs between versions of Java.
  if (pattern === undefined || (insensitive && /^(?:Lower|Upper|Lu|Ll)$/.test(name))) return undefined;
  const negated = sort !== sort.toLowerCase();
  return matching((char) => pattern.test(char) !== negated);
}
const NAMED: Readonly<Record<string, RegExp>> = {
  d: /\d/,
  s: / /,
  w: /\w/,
  h: / /,
  v: /[]/,
  Lower: /[a-z]/,
  Upper: /[A-Z]/,
  ASCII: /[^]/,
  Alpha: /[A-Za-z]/,
  Digit: /\d/,
  Alnum: /[A-Za-z\d]/,
  Punct: /[!-/:-@[-`{-~]/,
  Graph: /[!-~]/,
  Print: /[^]/,
  Blank: / /,
  XDigit: /[\da-fA-F]/,
  Space: / /,
  L: /[A-Za-z]/,
  Ll: /[a-z]/,
  Lu: /[A-Z]/,
  N: /\d/,
  Nd: /\d/,
};

function matching(has: (char: string) => boolean): CharacterSet {
  return new Set(PRINTABLE.filter(has));
}
