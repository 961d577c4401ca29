import { isObject, valueOf, type JsonObject } from '../../model/json/json.ts';
import { tellOthers } from './accounts.ts';
import { BadBody, nameIn, objectIn, otherKeys } from './body.ts';
import { modernise } from './modernise.ts';
import {
  groupAt,
  hold,
  keyOf,
  mention,
  release,
  tellAbsent,
  type Handler,
  type Request,
  type Scope,
} from './state.ts';

/** gateway-api C.7: the prefix of the path is the scope. */
export const putInterceptor: Handler = (request, state) => {
  const { call, params, body, tell } = request;
  const { name = '' } = params;
  const scope = scopeIn(params);
  const { spec, choices } = specIn(objectIn(body), tell);
  for (const choice of choices) tell('choice', choice);
  if (scope.vCluster !== null) mention(state, scope.vCluster, call);
  if (scope.group !== null) groupAt(state, scope.group).mentions.push(call);
  const key = keyOf(name, scope.vCluster, scope.group, scope.username);
  state.interceptors.set(key, hold(state.interceptors.get(key), { name, scope, spec }, call, state.ledger));
};

export const deleteInterceptor: Handler = (request, state) => {
  const { name = '' } = request.params;
  const scope = scopeIn(request.params);
  const key = keyOf(name, scope.vCluster, scope.group, scope.username);
  const held = state.interceptors.get(key);
  if (held === undefined) tellAbsent(request, `the interceptor ${name}`);
  else release(held, request.call, state.ledger);
  state.interceptors.delete(key);
};

function scopeIn({ vCluster, group, username, global }: Request['params']): Scope {
  if (global !== undefined) return { vCluster: null, group: null, username: null };
  return { vCluster: vCluster ?? 'passthrough', group: group ?? null, username: username ?? null };
}

function specIn(
  body: JsonObject,
  tell: Request['tell'],
): { readonly spec: JsonObject; readonly choices: readonly string[] } {
  const pluginClass = nameIn(body, 'pluginClass');
  const priority = valueOf(body, 'priority');
  const config = valueOf(body, 'config') ?? {};
  if (typeof priority !== 'number' || !Number.isInteger(priority))
    throw new BadBody('priority of its body is not an integer');
  if (!isObject(config)) throw new BadBody('config of its body is not a JSON object');
  // gateway-api H.6: timeoutMs comes from lists, and never had an effect that a script chose.
  tellOthers(otherKeys(body, ['name', 'pluginClass', 'priority', 'config', 'timeoutMs']), tell);
  if (valueOf(body, 'timeoutMs') !== undefined) tell('fact', 'timeoutMs is dropped');
  const today = modernise(pluginClass, config);
  return { spec: { pluginClass: today.pluginClass, priority, config: today.config }, choices: today.choices };
}
