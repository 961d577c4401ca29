/** So long a piece of a secret is hidden wherever it stands; a shorter one may be in any text. */
export const SHORTEST_PIECE = 12;
/** No piece goes over one of these: words, hosts and class names have parts in common, and secrets are one run of characters. */
const SEPARATORS = new Set(Array.from(' \t\n\r./:,;\0', (one) => one.charCodeAt(0)));
/** More of one text is not looked at. */
const MOST = 100_000;
const FACTOR = 31;
const POWER = Array.from({ length: SHORTEST_PIECE - 1 }).reduce<number>(
  (power) => Math.imul(power, FACTOR),
  1,
);

/** Finds pieces of texts in another text, in one walk over it however many they are. */
export class PieceIndex {
  /** All texts, one after the other with a zero before each. */
  #chars = new Uint16Array(1024);
  #length = 1;
  /** Where in `#chars` a piece begins, by its hash; zero is free. Every run of `SHORTEST_PIECE` characters is there once. */
  #table = new Int32Array(2048);
  #count = 0;

  add(text: string): void {
    if (text.length < SHORTEST_PIECE) return;
    const from = this.#length;
    const chars = codesOf(text.slice(0, MOST));
    this.#length += chars.length + 1;
    if (this.#length > this.#chars.length) {
      const grown = new Uint16Array(this.#length * 2);
      grown.set(this.#chars);
      this.#chars = grown;
    }
    this.#chars.set(chars, from);
    forEachPiece(this.#chars, from, from + chars.length, (at, hash) => {
      const slot = this.#slotOf(this.#chars, at, hash);
      if (this.#table[slot] !== 0) return;
      this.#table[slot] = at;
      this.#count += 1;
      if (this.#count * 2 > this.#table.length) this.#grow();
    });
  }

  /** The text with every piece in it, and what belongs to it on either side, replaced. */
  hideIn(text: string, by: string): string {
    if (this.#count === 0 || text.length < SHORTEST_PIECE) return text;
    const chars = codesOf(text);
    let shown = '';
    let end = 0;
    forEachPiece(chars, 0, chars.length, (at, hash) => {
      if (at + SHORTEST_PIECE <= end) return;
      const found = this.#table[this.#slotOf(chars, at, hash)] ?? 0;
      if (found === 0) return;
      let [before, after] = [0, SHORTEST_PIECE];
      while (at - before > end && this.#isSame(found - before - 1, chars[at - before - 1])) before += 1;
      while (this.#isSame(found + after, chars[at + after])) after += 1;
      if (at - before > end || end === 0) shown += text.slice(end, at - before) + by;
      end = at + after;
    });
    return shown + text.slice(end);
  }

  #isSame(at: number, char: number | undefined): boolean {
    return char !== undefined && char !== 0 && this.#chars[at] === char;
  }

  /** Where the piece is in the table, or may be put. */
  #slotOf(chars: Uint16Array, at: number, hash: number): number {
    const mask = this.#table.length - 1;
    for (let slot = Math.imul(hash, 0x9e3779b1) >>> 7; ; slot += 1) {
      const known = this.#table[slot & mask] ?? 0;
      if (known === 0 || this.#isPiece(known, chars, at)) return slot & mask;
    }
  }

  #isPiece(known: number, chars: Uint16Array, at: number): boolean {
    for (let more = 0; more < SHORTEST_PIECE; more += 1)
      if (this.#chars[known + more] !== chars[at + more]) return false;
    return true;
  }

  #grow(): void {
    const known = this.#table.filter((at) => at !== 0);
    this.#table = new Int32Array(this.#table.length * 2);
    for (const at of known)
      forEachPiece(this.#chars, at, at + SHORTEST_PIECE, (from, hash) => {
        this.#table[this.#slotOf(this.#chars, from, hash)] = from;
      });
  }
}

/** A secret may come back in another case, as in the host of a URL. */
function codesOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, at) => {
    const code = text.charCodeAt(at);
    return code >= 65 && code <= 90 ? code + 32 : code;
  });
}

/** Visits each run of `SHORTEST_PIECE` characters without a separator, with its hash. */
function forEachPiece(
  chars: Uint16Array,
  from: number,
  to: number,
  visit: (at: number, hash: number) => void,
): void {
  let [hash, run] = [0, 0];
  for (let at = from; at < to; at += 1) {
    const char = chars[at] ?? 0;
    if (SEPARATORS.has(char)) {
      [hash, run] = [0, 0];
      continue;
    }
    if (run >= SHORTEST_PIECE) hash -= Math.imul(chars[at - SHORTEST_PIECE] ?? 0, POWER);
    hash = (Math.imul(hash, FACTOR) + char) | 0;
    run += 1;
    if (run >= SHORTEST_PIECE) visit(at - SHORTEST_PIECE + 1, hash);
  }
}
