import { effectiveChain, makeEffectiveState } from '../../effective/effective-state.ts';
import { identify } from '../../model/identity.ts';
import { isList, type Json, type JsonObject, textsIn } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import { PASSTHROUGH } from '../../model/principal.ts';
import type { Resource } from '../../model/resource.ts';
import { formatValue, Refusal, ROLES, titles } from '../responses.ts';
import { hasLocalAccounts } from '../../schema/kinds/service-account.ts';
import { rulesOf } from '../rules/kind-rules.ts';
import type { State, UserPool } from '../embedded-state.ts';

/**
 * A JWT for a local account, signed with HMAC-SHA256 (gateway-api A.6 Token, H.4). Throws a Refusal: 404 for an unknown
 * account or virtual cluster, 409 for an EXTERNAL account or a gateway without a user pool.
 */
export function makeToken(
  { vCluster = 'passthrough', username, lifeTimeSeconds }: JsonObject,
  state: State,
): string {
  checkUserPool(state);
  const [cluster, name] = [formatValue(vCluster), formatValue(username)];
  if (!state.exists(addressOf(ROLES.virtualCluster, cluster))) {
    throw new Refusal(404, titles.noSuchEntity, `The virtual cluster ${cluster} does not exist`);
  }
  const account = state.store.get(addressOf(ROLES.account, name, { vCluster: cluster }));
  if (account === undefined) {
    throw new Refusal(404, titles.noSuchEntity, `The service account ${name} does not exist in ${cluster}`);
  }
  if (account.spec['type'] !== 'LOCAL') {
    throw new Refusal(409, titles.noToken, `The service account ${name} is EXTERNAL`);
  }
  return signToken(cluster, name, lifeTimeSeconds, state);
}

/** A token for an account that need not exist. Throws a Refusal 409 if the gateway has no local users. */
export function signToken(
  vCluster: string,
  username: string,
  lifeTimeSeconds: Json | undefined,
  state: State,
): string {
  const userPool = checkUserPool(state);
  const exp = Math.floor(userPool.now() / 1000) + Number(lifeTimeSeconds);
  const text = [{ alg: 'HS256' }, { username, vcluster: vCluster, exp }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${userPool.sign(text)}`;
}

function checkUserPool({ options: { userPool, security } }: State): UserPool {
  if (userPool !== undefined && hasLocalAccounts(security)) return userPool;
  throw new Refusal(409, titles.noToken, 'The gateway has no local user pool');
}

/** The interceptors that run for a client, in order. Without a virtual cluster the client is in passthrough. */
export function resolveInterceptors(
  { vCluster, groups, username }: JsonObject,
  { kinds, store }: State,
): readonly Resource[] {
  const kind = kinds.get(ROLES.interceptor);
  if (kind === undefined) return [];
  const found = new Map(Array.from(store.all(kind.name), (one) => [identify(kind, one), one] as const));
  const client = {
    virtualCluster: formatValue(vCluster ?? PASSTHROUGH),
    groups: textsIn(isList(groups) ? groups : []),
    username: typeof username === 'string' ? username : null,
  };
  const chain = effectiveChain(makeEffectiveState(found, kinds), client);
  return chain.flatMap(({ address }) => found.get(address) ?? []);
}

/**
 * Makes a physical cluster use the connection of another one, or its own again (gateway-api C.6). Throws a Refusal 400 for an
 * unknown id.
 */
export function switchCluster(
  { from, to }: { readonly from: string; readonly to: string },
  state: State,
): void {
  for (const id of [from, to]) checkCluster(id, state);
  state.switched.set(from, to);
}

/** The connection that a physical cluster uses now. Throws a Refusal 400 for an unknown id. */
export function connectionOf(id: string, state: State): JsonObject {
  checkCluster(id, state);
  return { 'bootstrap.servers': `${state.switched.get(id) ?? id}.kafka.test:9092` };
}

function checkCluster(id: string, { physicalClusters }: State): void {
  if (physicalClusters.includes(id)) return;
  throw new Refusal(400, titles.badRequest, `The physical cluster ${id} does not exist`);
}

/** Counts of resources (gateway-api A.8). There is no traffic, so no topic is ever covered. */
export function countUsage({ kinds, store, version }: State): JsonObject {
  const instances = new Map<string, number>();
  for (const { spec } of store.all(ROLES.interceptor)) {
    const className = formatValue(spec['pluginClass']);
    instances.set(className, (instances.get(className) ?? 0) + 1);
  }
  const counts = [...kinds.values()].flatMap((kind): (readonly [string, number])[] => {
    const { countedAs } = rulesOf(kind);
    return countedAs === undefined ? [] : [[countedAs, store.count(kind.name)]];
  });
  return {
    interceptors: [...instances].map(([className, instanceCount]) => ({
      className,
      instanceCount,
      topicsCovered: 0,
    })),
    totalInterceptorTypes: instances.size,
    totalInterceptorInstances: store.count(ROLES.interceptor),
    uniqueTopicsCovered: 0,
    ...Object.fromEntries(counts),
    gatewayVersion: version,
    gatewayCommit: 'embedded',
    deploymentMethod: 'embedded',
  };
}
