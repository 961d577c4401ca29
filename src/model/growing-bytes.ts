/**
 * Bytes that arrive in chunks, copied into one place. A list of the chunks would need a hundred bytes of memory for a
 * chunk of one byte, and whoever sends them decides how many there are.
 */
export class GrowingBytes {
  length = 0;
  #bytes = new Uint8Array();

  append(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.length);
    this.length = length;
  }

  /** All bytes so far; the next chunk does not change them. */
  all(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}
