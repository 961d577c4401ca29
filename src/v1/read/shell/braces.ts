import { LimitError, MOST_FIELDS, notRead, spend, type State } from './shell-state.ts';

/** A piece of a word. Unquoted text is split at white space, and may be a pattern. */
export type Piece = {
  readonly text: string;
  readonly quoted: boolean;
  /** Starts a field of its own: the second item of `"$@"`. */
  readonly breaks?: boolean;
  /** Was in braces in the file. */
  readonly braces?: boolean;
  /** Written in the file, so it is not split. */
  readonly literal?: boolean;
};

/** The words that `a{b,c}{1..3}` stands for. */
export function expandBraces(pieces: readonly Piece[], state: State): readonly (readonly Piece[])[] {
  let words: readonly (readonly Piece[])[] = [[]];
  for (const piece of pieces) {
    const choices =
      piece.braces === true ? (choicesOf(piece.text) ?? [notRead(state, 'a form of braces')]) : undefined;
    const next = choices?.map((text) => ({ ...piece, text, braces: false })) ?? [piece];
    if (next.length === 1 && words.length === 1) {
      (words[0] as Piece[]).push(next[0] ?? piece);
      continue;
    }
    refuseTooMany(words.length * next.length);
    spend(state, words.length * next.length);
    words = words.flatMap((word) => next.map((one) => [...word, one]));
  }
  return words;
}

function refuseTooMany(count: number): void {
  if (count > MOST_FIELDS) throw new LimitError(`braces or seq stand for more than ${MOST_FIELDS} words`);
}

/** What braces stand for; undefined for those with braces or expansions in them, letters from one to another, or steps. */
function choicesOf(text: string): readonly string[] | undefined {
  const range = /^\{(-?\d{1,15})\.\.(-?\d{1,15})\}$/.exec(text);
  if (range !== null) return rangeOf(range[1] ?? '', range[2] ?? '');
  const inner = text.slice(1, -1);
  return /[{}$'"\\`]/.test(inner) || !inner.includes(',') ? undefined : inner.split(',');
}

/** Also the lines of `seq`. */
export function rangeOf(first: string, last: string): readonly string[] {
  const [from, to] = [Number(first), Number(last)];
  refuseTooMany(Math.abs(to - from) + 1);
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) =>
    String(from + at * step).padStart(width, '0'),
  );
}
