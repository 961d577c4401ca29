/** What goes wrong, each at a call that is counted from 1. */
export type FaultScript = readonly ({
  readonly at: number;
  /** Default: writes. */
  readonly counting?: 'writes' | 'calls';
} & ScriptedFault)[];

export type ScriptedFault =
  /** Responds with this status and does nothing; Retry-After in seconds. */
  | { readonly fault: 'status'; readonly status: number; readonly retryAfter?: number }
  /** Handles the call and responds with 500. */
  | { readonly fault: 'failed-after' }
  /** Handles the call and responds later. */
  | { readonly fault: 'delay'; readonly ms: number }
  /** Does nothing and never responds. */
  | { readonly fault: 'hang' }
  /** Closes the connection before anything is done. */
  | { readonly fault: 'drop-before' }
  /** Handles the call, then closes the connection without a response. */
  | { readonly fault: 'drop-after' }
  /** Handles the call and sends a response that is not the API's. */
  | { readonly fault: 'garbage' }
  /** Handles the call; lists and checks see its effect only after so many further calls. */
  | { readonly fault: 'lag'; readonly calls: number };

/** A script in progress: it is told of each call, and returns the fault of that call. */
export type FaultPlayer = {
  nextFault(isWrite: boolean): ScriptedFault | undefined;
  /** Calls `show` after so many further calls. */
  showAfter(show: () => void, calls: number): void;
  /** Shows everything at once. */
  showAll(): void;
};

export function playFaults(script: FaultScript): FaultPlayer {
  const count = { calls: 0, writes: 0 };
  let hidden: { readonly show: () => void; readonly from: number }[] = [];
  const showUntil = (until: number): void => {
    for (const { show, from } of hidden) if (from <= until) show();
    hidden = hidden.filter(({ from }) => from > until);
  };
  return {
    nextFault(isWrite) {
      count.calls += 1;
      if (isWrite) count.writes += 1;
      showUntil(count.calls);
      return script.find(({ at, counting = 'writes' }) =>
        counting === 'calls' ? at === count.calls : isWrite && at === count.writes,
      );
    },
    showAfter: (show, calls) => void hidden.push({ show, from: count.calls + calls + 1 }),
    showAll: () => showUntil(Infinity),
  };
}
