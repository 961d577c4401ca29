import type { JsonObject } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import { Refusal } from '../responses/refusal.ts';
import type { State } from '../state/state.ts';
import { formatValue } from '../responses/text.ts';
import { ROLES, titles } from '../responses/wording.ts';

/**
 * A JWT for a local account, signed with HMAC-SHA256 (gateway-api A.6 Token, H.4). Throws a Refusal: 404 for an unknown
 * account or virtual cluster, 409 for an EXTERNAL account or a gateway without a user pool.
 */
export function makeToken(
  { vCluster = 'passthrough', username, lifeTimeSeconds }: JsonObject,
  state: State,
): string {
  const { userPool } = state.options;
  const [cluster, name] = [formatValue(vCluster), formatValue(username)];
  if (!state.exists(addressOf(ROLES.virtualCluster, cluster))) {
    throw new Refusal(404, titles.noSuchEntity, `The virtual cluster ${cluster} does not exist`);
  }
  const account = state.store.get(addressOf(ROLES.account, name, { vCluster: cluster }));
  if (account === undefined) {
    throw new Refusal(404, titles.noSuchEntity, `The service account ${name} does not exist in ${cluster}`);
  }
  if (userPool === undefined) throw new Refusal(409, titles.noToken, 'The gateway has no local user pool');
  if (account.spec['type'] !== 'LOCAL') {
    throw new Refusal(409, titles.noToken, `The service account ${name} is EXTERNAL`);
  }
  const exp = Math.floor(userPool.now() / 1000) + Number(lifeTimeSeconds);
  const text = [{ alg: 'HS256' }, { username: name, vcluster: cluster, exp }].map(base64url).join('.');
  return `${text}.${userPool.sign(text)}`;
}

function base64url(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
