import { valueOf, type Json } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import { signToken } from '../../emulator/api/operations.ts';
import { lifeTimeSeconds } from '../../emulator/api/schemas.ts';
import { putResource } from '../../emulator/api/resources.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { makeOk } from '../../emulator/responses/response.ts';
import { ROLES } from '../../emulator/responses/wording.ts';
import type { State } from '../../emulator/state/state.ts';
import { withMentioned } from './mentions.ts';
import { clusterIn, define, kindOfRole } from './operation.ts';
import { object } from './schemas.ts';

/** gateway-api C.3: virtual clusters, and tokens of their users. */
export function makeVirtualClusters(state: State): readonly Operation[] {
  const post = (path: string): Operation =>
    define('POST', path, ({ params, body }) => postToken(params, body, state), { body: { check } });
  return [
    define('GET', '/admin/vclusters/v1', () =>
      makeOk({
        vclusters: Array.from(state.store.all(ROLES.virtualCluster), ({ metadata }) => metadata.name),
      }),
    ),
    post('/admin/vclusters/v1/vcluster/{vcluster}/username/{username}'),
    post('/admin/username/{username}'),
  ];
}

const check = object(['lifeTimeSeconds'], { lifeTimeSeconds });

/** Creates the account if there is none. v1 knows no types of accounts, so an EXTERNAL one gets a token, too. */
function postToken(params: RouteRequest['params'], body: Json | undefined, state: State) {
  const [vCluster, name] = [clusterIn(params), params['username'] ?? ''];
  const token = signToken({ vCluster, name, lifeTimeSeconds: valueOf(body, 'lifeTimeSeconds') }, state);
  withMentioned({ vCluster }, state, () => {
    if (state.exists(addressOf(ROLES.account, name, { vCluster }))) return;
    const { name: kind, apiVersion } = kindOfRole('account', state);
    const account = { kind, apiVersion, metadata: { name, vCluster }, spec: { type: 'LOCAL' } };
    putResource(kindOfRole('account', state), account, state, { api: 'v1' });
  });
  return { status: 201, body: { token } };
}
