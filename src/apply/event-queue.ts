/** What several tell at their own time, for one reader. */
export class EventQueue<T> {
  readonly #letters: T[] = [];
  #failure: { readonly error: unknown } | undefined;
  #look: () => void = () => undefined;

  readonly push = (letter: T): void => {
    this.#letters.push(letter);
    this.#look();
  };

  /** The next `take` rejects with this. */
  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#look();
  };

  get isEmpty(): boolean {
    return this.#letters.length === 0 && this.#failure === undefined;
  }

  /** Waits until there is something. */
  async next(): Promise<T> {
    while (this.isEmpty) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#letters.shift() as T; // it is not empty
  }
}
