/** Time and chance, handed in: a test's clock moves when somebody waits for it. */
export type Clock = {
  /** Milliseconds; only differences mean anything. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted; it never rejects. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
};
