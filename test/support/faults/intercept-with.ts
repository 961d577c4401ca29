import type { ServerOptions } from '../../../src/emulator/server.ts';
import type { LaggingStore } from './lagging-store.ts';
import { playFaults, type FaultScript } from './script.ts';

/** Faults of a script for a server whose gateway keeps its resources in `store`. Calls without a right to be made do not count. */
export function interceptWith(
  script: FaultScript,
  store: LaggingStore,
): NonNullable<ServerOptions['intercept']> {
  const player = playFaults(script);
  return async ({ method }, handle) => {
    const scripted = player.nextFault(method !== 'GET');
    switch (scripted?.fault) {
      case undefined:
        return handle();
      case 'status': {
        const { status, retryAfter } = scripted;
        const after = retryAfter === undefined ? {} : { retryAfter };
        return { status, body: { title: 'A fault of the script' }, ...after };
      }
      case 'failed-after':
        handle();
        return { status: 500, body: { title: 'A fault of the script' } };
      case 'delay': {
        const response = handle();
        await new Promise((resolve) => setTimeout(resolve, scripted.ms));
        return response;
      }
      case 'hang':
        return 'no-response';
      case 'drop-before':
        return 'drop-connection';
      case 'drop-after':
        handle();
        return 'drop-connection';
      case 'garbage':
        handle();
        return { status: 200, text: 'Oh!' };
      case 'lag': {
        const { value, show } = store.hide(handle);
        player.showAfter(show, scripted.calls);
        return value;
      }
    }
  };
}
