import type { GatewayError } from '../../gateway/gateway.ts';

/** Whether the call may have had its effect: no response says otherwise. */
export function hasUnknownOutcome({ code, status, unsent }: GatewayError): boolean {
  switch (code) {
    case 'unreachable':
    case 'timeout':
      return status === undefined && !unsent;
    case 'not-understood':
      return status === undefined || status < 300 || status >= 500;
    case 'busy':
      return status === 502 || status === 504; // from a proxy that got no response itself
    case 'failed':
      return status !== undefined && status >= 500;
    default:
      return false;
  }
}

/** Whether fewer calls at once may help: the gateway is overloaded, or it or a proxy takes few connections. */
export function isOverload({ code, status }: GatewayError): boolean {
  return (
    code === 'timeout' ||
    (code === 'busy' && status !== 502) ||
    (code === 'unreachable' && status === undefined)
  );
}

/** Whether it may be caused by writes of the same kind that were in flight at the same time (gateway-api B.7). */
export function isPossibleRace({ code, status }: GatewayError): boolean {
  return code === 'not-found' || code === 'conflict' || (code === 'failed' && status !== undefined);
}

/** Whether the same call may succeed a moment later; not so for a refusal. */
export function isRetryable(error: GatewayError): boolean {
  return error.unsent || error.code === 'busy' || (hasUnknownOutcome(error) && error.code !== 'failed');
}
