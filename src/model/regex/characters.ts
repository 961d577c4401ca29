/** The printable ASCII characters that match. Others are not judged. */
export type CharacterSet = ReadonlySet<string>;

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

/** All of them. */
export const ANY: CharacterSet = new Set(PRINTABLE);

/** What a character, an escape or a class in brackets matches, as Java reads it; undefined if that is not certain. */
export function charactersOf(met: string, insensitive: boolean): CharacterSet | undefined {
  if (met.length > 1 && met.startsWith('[')) return charactersOfClass(met, insensitive);
  const char = characterOf(met);
  return char === undefined ? namedSet(met, insensitive) : setOfCharacter(char, insensitive);
}

export function setOfCharacter(char: string, insensitive: boolean): CharacterSet {
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
