/** Time and randomness are passed in, so that tests need neither. */
export type Clock = {
  /** Milliseconds since an arbitrary point. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds, or when the signal is aborted; never rejects. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A random number from 0 to 1. */
  readonly random: () => number;
};
