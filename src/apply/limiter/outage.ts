/** A run ends when so many writes in a row were given up. */
const MOST_GIVEN_UP = 10;

/** A time in which the gateway answers no write: it is gone, or stays busy. */
export class Outage {
  #since: number | undefined;
  #givenUp = 0;

  /** When it began; undefined while writes are answered. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Whether the gateway has answered none of the last writes, so that it is of no use to go on. */
  get isLasting(): boolean {
    return this.#givenUp >= MOST_GIVEN_UP;
  }

  begin(now: number): void {
    this.#since ??= now;
  }

  end(): void {
    this.#since = undefined;
    this.#givenUp = 0;
  }

  /** A write is not retried any more. */
  giveUp(): void {
    if (this.#since !== undefined) this.#givenUp += 1;
  }
}
