const MOST_WRONG = 100;
const PERIOD_MS = 60_000;
const MOST_ADDRESSES = 1000;

/** Counts the wrong logins of each address that clients have. */
export type Attempts = ReturnType<typeof makeAttempts>;

/**
 * After a hundred wrong logins in a minute, an address has to wait until the minute is over, so that a password cannot be found by trying.
 * `now` is in milliseconds and never jumps.
 */
export function makeAttempts(now: () => number) {
  const known = new Map<string, { readonly until: number; readonly wrong: number }>();
  const find = (address: string): { readonly until: number; readonly wrong: number } => {
    const one = known.get(address);
    return one !== undefined && one.until > now() ? one : { until: now() + PERIOD_MS, wrong: 0 };
  };
  return {
    /** The seconds until a login from there is looked at again, right or wrong; 0 when it is looked at now. */
    secondsLeft(address: string): number {
      const { wrong, until } = find(address);
      return wrong < MOST_WRONG ? 0 : Math.ceil((until - now()) / 1000);
    },
    addWrong(address: string): void {
      const { wrong, until } = find(address);
      known.delete(address); // the newest stands last
      known.set(address, { wrong: wrong + 1, until });
      const [oldest] = known.keys();
      if (known.size > MOST_ADDRESSES && oldest !== undefined) known.delete(oldest);
    },
  };
}
