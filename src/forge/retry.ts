/** Time and chance are passed in, so that tests need neither. */
export type Timing = {
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => Date;
  /** A random number from 0 to 1. */
  readonly random: () => number;
};

/** A response with its whole body, or the code of the failure that prevented it. */
export type Outcome =
  | { readonly status: number; readonly headers: Headers; readonly text: string }
  | { readonly failure: string };

/** How often a request is sent at most. */
const MOST_ATTEMPTS = 5;
/** A limit that lasts longer is left to the next run. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** What GitHub asks for where it names no time. */
const SECONDARY_LIMIT_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
/** Failures of a connection that may pass; an unknown name or a wrong certificate does not. */
const PASSING: ReadonlySet<string> = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'TimeoutError'],
  ...['ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
]);

/**
 * The milliseconds after which a request is sent again; undefined if it is not. One that a limit stopped had no effect, and can
 * always be sent again; after any other failure, only one that may have its effect twice.
 */
export function waitBefore(
  outcome: Outcome,
  { attempt, mayRepeat }: { readonly attempt: number; readonly mayRepeat: boolean },
  { random, now }: Pick<Timing, 'random' | 'now'>,
): number | undefined {
  if (attempt >= MOST_ATTEMPTS) return undefined;
  const backOff = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + random() / 2);
  if ('failure' in outcome) return mayRepeat && PASSING.has(outcome.failure) ? backOff : undefined;
  const asked = askedWait(outcome, now());
  if (isLimit(outcome)) return within(asked ?? (isSecondary(outcome) ? SECONDARY_LIMIT_MS : backOff));
  const isBusy = [500, 502, 503, 504].includes(outcome.status);
  return isBusy && mayRepeat ? within(asked ?? backOff) : undefined;
}

type Response = Exclude<Outcome, { readonly failure: string }>;

/** Whether the server refused a request only because there were too many. */
export function isLimit(response: Response): boolean {
  if (response.status === 429) return true;
  const { headers } = response;
  const isOver = headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0';
  return response.status === 403 && (isOver || isSecondary(response));
}

function isSecondary({ text }: Response): boolean {
  return /secondary rate limit/i.test(text);
}

/** What the headers of GitHub, GitLab and Bitbucket ask for. */
function askedWait({ headers }: Response, now: Date): number | undefined {
  const after = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(after)) return Number(after) * 1000;
  const date = Date.parse(after);
  if (!Number.isNaN(date)) return Math.max(0, date - now.getTime());
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? '';
  // A second more, because the time is rounded.
  return /^\d+$/.test(reset) ? Math.max(0, Number(reset) * 1000 - now.getTime()) + 1000 : undefined;
}

function within(ms: number): number | undefined {
  return ms > LONGEST_WAIT_MS ? undefined : ms;
}
