import { connectionOf, switchCluster } from '../../emulator/api/operations.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { makeOk, Refusal } from '../../emulator/responses/response.ts';
import type { State } from '../../emulator/state/state.ts';
import { define } from './operation.ts';
import { messages } from './wording.ts';

/** gateway-api C.6: which cluster a physical cluster connects to, on this instance. */
export function makePhysicalClusters(state: State): readonly Operation[] {
  const path = '/admin/pclusters/v1/pcluster/{pcluster}';
  return [
    define('GET', path, ({ params }) => makeOk(connectionOf(idIn(params), state))),
    define(
      'POST',
      `${path}/switch`,
      ({ params, query: { to } }) => {
        if (to === undefined) throw new Refusal(400, messages.noParameter('to'));
        switchCluster({ from: idIn(params), to }, state);
        return makeOk({ message: messages.clusterSwitched });
      },
      { query: { to: 'string' } },
    ),
  ];
}

function idIn(params: RouteRequest['params']): string {
  return params['pcluster'] ?? '';
}
