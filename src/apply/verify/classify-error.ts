import type { GatewayError } from '../../gateway/gateway.ts';

/** Whether the write may have been done all the same: nobody said that it was not. */
export function hasUnknownOutcome({ code, status, unsent }: GatewayError): boolean {
  switch (code) {
    case 'unreachable':
    case 'timeout':
      return status === undefined && !unsent;
    case 'not-understood':
      return status === undefined || status < 300 || status >= 500;
    case 'busy':
      return status === 502 || status === 504; // of somebody in between, who had no answer either
    case 'failed':
      return status !== undefined && status >= 500;
    default:
      return false;
  }
}

/** Whether the gateway has more to do than it can. */
export function isOverload({ code, status }: GatewayError): boolean {
  return code === 'timeout' || (code === 'busy' && status !== 502);
}

/** Whether it may come of writes of the same kind that were in flight with it (gateway-api B.7). */
export function isPossibleRace({ code, status }: GatewayError): boolean {
  return code === 'not-found' || code === 'conflict' || (code === 'failed' && status !== undefined);
}

/** Whether the same call may be answered otherwise a moment later; a refusal is not among them. */
export function isRetryable(error: GatewayError): boolean {
  return error.unsent || error.code === 'busy' || (hasUnknownOutcome(error) && error.code !== 'failed');
}
