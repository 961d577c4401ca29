import { GatewayError, type Gateway } from '../gateway/gateway.ts';
import { play, type FaultScript } from './faults.ts';
import type { EmbeddedGateway } from './memory.ts';

export type FaultyGateway = Gateway & {
  /** Shows what a lag still keeps out of sight. */
  settle(): void;
};

/**
 * The port of an embedded gateway with things that go wrong, as the HTTP adapter would tell of them. Nothing waits: what
 * hangs has run into the client's timeout at once, and what is delayed has come.
 */
export function faultyGateway(embedded: EmbeddedGateway, script: FaultScript): FaultyGateway {
  const played = play(script);
  const through = async <T>(isWrite: boolean, work: () => Promise<T>): Promise<T> => {
    const mishap = played.next(isWrite);
    switch (mishap?.fault) {
      case undefined:
      case 'delay':
        return work();
      case 'status':
        throw answered(mishap.status, mishap.retryAfter);
      case 'hang':
        throw new GatewayError('timeout', 'the gateway did not answer within 60 s');
      case 'drop-before':
        throw dropped();
      case 'drop-after':
        await work();
        throw dropped();
      case 'garbage':
        await work();
        throw new GatewayError('not-understood', 'the answer of the gateway is not JSON', { status: 200 });
      case 'lag': {
        const { value, show } = embedded.withhold(work);
        played.hide(show, mishap.calls);
        return value;
      }
    }
  };
  return {
    url: embedded.url,
    list: (kind) => through(false, () => embedded.list(kind)),
    put: (kind, resource) => through(true, () => embedded.put(kind, resource)),
    remove: (kind, resource) => through(true, () => embedded.remove(kind, resource)),
    close: () => embedded.close(),
    settle: () => played.settle(),
  };
}

function dropped(): GatewayError {
  return new GatewayError('unreachable', 'the gateway closed the connection without an answer (ECONNRESET)');
}

function answered(status: number, retryAfter: number | undefined): GatewayError {
  return new GatewayError(CODES[status] ?? 'failed', `the gateway answered ${status}`, {
    status,
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 }),
  });
}

const CODES: { readonly [status: number]: GatewayError['code'] } = {
  400: 'refused',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  429: 'busy',
  502: 'busy',
  503: 'busy',
  504: 'busy',
};
