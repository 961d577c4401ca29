import type { Clock } from '../../apply/events.ts';
import { ConcurrencyLimit, Limiter, type Permit } from '../../apply/limiter/limiter.ts';
import { RetryBudget } from '../../apply/limiter/retries.ts';
import { GatewayError, type Gateway, type GatewayOperations } from '../../gateway/gateway.ts';

type Reads = Pick<Gateway, 'list'> &
  Partial<Pick<GatewayOperations, 'readV1' | 'readDescription' | 'resolveInterceptors'>>;

/** How many reads are made at once from a gateway that takes them. */
const WIDTH = 8;
/** How long a read is retried, if the gateway has answered another one. One that asks to wait longer fails at once. */
const PATIENCE_MS = 30_000;
/** The same for one that has answered nothing but that it is busy. */
const PATIENCE_WHILE_BUSY_MS = 3_000;

/** The same gateway, whose reads are retried; `onFirstRetry` is told why. */
export type RetryReads = <G extends Reads>(gateway: G, onFirstRetry?: (why: string) => void) => G;

/**
 * Lists, reads of v1 and resolved interceptors are retried when a connection fails or the gateway is busy, fewer at once each time: it,
 * or a proxy, may take only one or two connections. A gateway that has answered nothing yet fails at once. What is learnt of a gateway
 * holds for all that use the connection.
 */
export function makeRetryReads(clock: Clock): RetryReads {
  const limit = new ConcurrencyLimit({ start: WIDTH, max: WIDTH });
  const limiter = new Limiter(limit, clock, new AbortController().signal);
  const inFlight = new Set<Promise<unknown>>();
  let hasAnswered = false;
  let hasRetried = false;

  const mayRetry = async (error: GatewayError): Promise<boolean> => {
    if (!isTemporary(error) || (error.retryAfterMs ?? 0) > PATIENCE_MS) return false;
    while (!hasAnswered && inFlight.size > 0) await Promise.race(inFlight);
    return hasAnswered || error.code === 'busy';
  };
  const retried = async <T>(
    name: string,
    read: () => Promise<T>,
    onFirstRetry: (why: string) => void,
  ): Promise<T> => {
    const retries = new RetryBudget({ clock, settleTimeoutMs: PATIENCE_MS });
    for (;;) {
      const permit = await limiter.acquire(name);
      const call = attempt(read(), permit, clock);
      inFlight.add(call);
      const result = await call;
      inFlight.delete(call);
      hasAnswered ||= !('error' in result) || isAnswer(result.error);
      if (!('error' in result)) return result.value;
      const { error } = result;
      if (!(await mayRetry(error))) throw error;
      if (!hasAnswered) retries.shorten(PATIENCE_WHILE_BUSY_MS);
      const ms = retries.nextDelay(error.retryAfterMs);
      if (ms === undefined) throw error;
      if (!hasRetried) onFirstRetry(error.message);
      hasRetried = true;
      await clock.wait(ms, new AbortController().signal);
    }
  };
  return (gateway, onFirstRetry = () => undefined) => {
    const { list, readV1, readDescription, resolveInterceptors } = gateway;
    return {
      ...gateway,
      list: (kind) => retried(kind.name, () => list(kind), onFirstRetry),
      ...(readDescription && {
        readDescription: () => retried('description', readDescription, onFirstRetry),
      }),
      ...(readV1 && { readV1: (path) => retried(path, () => readV1(path), onFirstRetry) }),
      ...(resolveInterceptors && {
        resolveInterceptors: (kind, principal) =>
          retried('resolve', () => resolveInterceptors(kind, principal), onFirstRetry),
      }),
    } satisfies Reads;
  };
}

/** Whether another try, with fewer connections, may succeed. A timeout has taken long enough. */
function isTemporary({ code, status, unsent }: GatewayError): boolean {
  return code === 'busy' || unsent || (code === 'unreachable' && (status === undefined || status >= 500));
}

function isAnswer(error: GatewayError): boolean {
  return !isTemporary(error) && error.code !== 'timeout';
}

type ReadResult<T> = { readonly value: T } | { readonly error: GatewayError };

async function attempt<T>(
  reading: Promise<T>,
  permit: Permit | undefined,
  clock: Clock,
): Promise<ReadResult<T>> {
  const start = clock.now();
  let how: Parameters<Permit['release']>[0] = 'ignored';
  try {
    const value = await reading;
    how = clock.now() - start;
    return { value };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (isTemporary(error)) how = 'overloaded';
    return { error };
  } finally {
    permit?.release(how);
  }
}
