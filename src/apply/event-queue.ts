/** Events from several producers for one consumer, in the order in which they were pushed. */
export class EventQueue<T> {
  readonly #events: T[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  readonly push = (event: T): void => {
    this.#events.push(event);
    this.#wake();
  };

  /** Makes the next call of `next` reject with this error. */
  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#wake();
  };

  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#failure === undefined;
  }

  /** Waits for an event. */
  async next(): Promise<T> {
    while (this.isEmpty) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#events.shift() as T; // it is not empty
  }
}
