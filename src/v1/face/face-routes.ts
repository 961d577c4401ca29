import { signToken, connectionOf, switchCluster } from '../../emulator/api/operations.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { lifeTimeSeconds } from '../../emulator/api/schemas.ts';
import { makeOk, Refusal, formatValue, ROLES } from '../../emulator/responses.ts';
import { listPlugins } from '../../emulator/rules/plugins.ts';
import type { State } from '../../emulator/embedded-state.ts';
import { valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';
import { makeConcentrationRules } from './concentration-rules.ts';
import { makeInterceptors } from './interceptors.ts';
import { clusterIn, define, messages, object, putAs, withMentioned } from './operation.ts';
import { makeTopics } from './topics.ts';
import { makeUserMappings } from './user-mappings.ts';

/** v1, which was removed in 3.21.0 (gateway-api C): another view of the same resources. */
export function makeV1Routes(state: State): readonly Operation[] {
  if (atLeast(state.version, '3.21.0')) return [];
  return [
    ...makeUserMappings(state),
    ...makeVirtualClusters(state),
    ...makeTopics(state),
    ...makeConcentrationRules(state),
    ...makeInterceptors(state),
    ...makePlugins(state),
    ...makePhysicalClusters(state),
  ];
}

/** gateway-api C.3: virtual clusters, and tokens of their users. */
function makeVirtualClusters(state: State): readonly Operation[] {
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
  const token = signToken(vCluster, name, valueOf(body, 'lifeTimeSeconds'), state);
  withMentioned({ vCluster }, state, () => {
    if (state.exists(addressOf(ROLES.account, name, { vCluster }))) return;
    putAs('account', { name, vCluster }, { type: 'LOCAL' }, state);
  });
  return { status: 201, body: { token } };
}

/** gateway-api C.6: which cluster a physical cluster connects to, on this instance. */
function makePhysicalClusters(state: State): readonly Operation[] {
  const path = '/admin/pclusters/v1/pcluster/{pcluster}';
  return [
    define('GET', path, ({ params: { pcluster = '' } }) => makeOk(connectionOf(pcluster, state))),
    define(
      'POST',
      `${path}/switch`,
      ({ params: { pcluster = '' }, query: { to } }) => {
        if (to === undefined) throw new Refusal(400, messages.noParameter('to'));
        switchCluster({ from: pcluster, to }, state);
        return makeOk({ message: messages.clusterSwitched });
      },
      { query: { to: 'string' } },
    ),
  ];
}

/** gateway-api C.8. */
function makePlugins({ options, version }: State): readonly Operation[] {
  const list = (show: (plugin: JsonObject) => JsonObject | string) => () =>
    makeOk({ plugins: listPlugins(options.plugins ?? [], version).map(show) });
  return [
    define(
      'GET',
      '/admin/plugins/v1',
      list(({ plugin }) => formatValue(plugin)),
    ),
    define(
      'GET',
      '/admin/plugins/v1/extended',
      list(({ plugin = '', pluginId = '', readme = '', ...tags }) => ({ plugin, pluginId, tags, readme })),
    ),
  ];
}
