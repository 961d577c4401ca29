import { GatewayError, type Gateway } from '../../../src/gateway/gateway.ts';
import type { LaggingStore } from './lagging-store.ts';
import { playFaults, type FaultScript } from './script.ts';

export type FaultyGateway = Gateway & {
  /** Shows what a lag still hides. */
  showAll(): void;
};

/**
 * The port of an embedded gateway that keeps its resources in `store`, with faults reported as the HTTP adapter would.
 * Nothing waits: a call that hangs has run into the client's timeout at once, and a delay is over.
 */
export function makeFaultyGateway(gateway: Gateway, store: LaggingStore, script: FaultScript): FaultyGateway {
  const player = playFaults(script);
  const run = async <T>(isWrite: boolean, work: () => Promise<T>): Promise<T> => {
    const scripted = player.nextFault(isWrite);
    switch (scripted?.fault) {
      case undefined:
      case 'delay':
        return work();
      case 'status':
        throw makeStatusError(scripted.status, scripted.retryAfter);
      case 'failed-after':
        await work();
        throw makeStatusError(500, undefined);
      case 'hang':
        throw new GatewayError('timeout', 'the gateway did not respond within 60 s');
      case 'drop-before':
        throw makeDropError();
      case 'drop-after':
        await work();
        throw makeDropError();
      case 'garbage':
        await work();
        throw new GatewayError('not-understood', 'the answer of the gateway is not JSON', { status: 200 });
      case 'lag': {
        const { value, show } = store.hide(work);
        player.showAfter(show, scripted.calls);
        return value;
      }
    }
  };
  return {
    url: gateway.url,
    list: (kind) => run(false, () => gateway.list(kind)),
    put: (kind, resource) => run(true, () => gateway.put(kind, resource)),
    remove: (kind, resource) => run(true, () => gateway.remove(kind, resource)),
    close: () => gateway.close(),
    showAll: () => player.showAll(),
  };
}

function makeDropError(): GatewayError {
  return new GatewayError('unreachable', 'the gateway closed the connection without a response (ECONNRESET)');
}

function makeStatusError(status: number, retryAfter: number | undefined): GatewayError {
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
