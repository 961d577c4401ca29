/** A number of bytes to spend on text. */
export class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes the bytes of a text, if they are left. */
  take(text: string): boolean {
    return this.#spend(bytesOf(text));
  }

  /** Takes a text in place of one that it has taken, if there are bytes left for that. */
  exchange(taken: string, text: string): boolean {
    return this.#spend(bytesOf(text) - bytesOf(taken));
  }

  #spend(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

const encoder = new TextEncoder();

export function bytesOf(text: string): number {
  return encoder.encode(text).length;
}
