/** What goes wrong, each at a call that is counted from 1. */
export type FaultScript = readonly ({
  readonly at: number;
  /** Default: writes. */
  readonly counting?: 'writes' | 'calls';
} & Mishap)[];

export type Mishap =
  /** Answers this status and does nothing; with Retry-After in seconds. */
  | { readonly fault: 'status'; readonly status: number; readonly retryAfter?: number }
  /** Does it, and answers later. */
  | { readonly fault: 'delay'; readonly ms: number }
  /** Does nothing and never answers. */
  | { readonly fault: 'hang' }
  /** The connection is closed before anything is done. */
  | { readonly fault: 'drop-before' }
  /** It is done, and then the connection is closed without an answer. */
  | { readonly fault: 'drop-after' }
  /** It is done, and what is answered makes no sense. */
  | { readonly fault: 'garbage' }
  /** It is done, and lists and checks see it only after so many further calls. */
  | { readonly fault: 'lag'; readonly calls: number };

/** A script as it is played: it is told of each call, and says what goes wrong with it. */
export type Played = {
  next(isWrite: boolean): Mishap | undefined;
  /** Keeps what was done out of sight for so many further calls. */
  hide(show: () => void, calls: number): void;
  /** Shows everything at once. */
  settle(): void;
};

export function play(script: FaultScript): Played {
  const count = { calls: 0, writes: 0 };
  let hidden: { readonly show: () => void; readonly from: number }[] = [];
  const show = (until: number): void => {
    for (const one of hidden) if (one.from <= until) one.show();
    hidden = hidden.filter(({ from }) => from > until);
  };
  return {
    next(isWrite) {
      count.calls += 1;
      if (isWrite) count.writes += 1;
      show(count.calls);
      return script.find(({ at, counting = 'writes' }) =>
        counting === 'calls' ? at === count.calls : isWrite && at === count.writes,
      );
    },
    hide: (one, calls) => void hidden.push({ show: one, from: count.calls + calls + 1 }),
    settle: () => show(Infinity),
  };
}
