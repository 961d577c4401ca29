import { asMap, sameJson, type Json, type JsonObject } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { resolveInterceptors } from '../../emulator/api/operations.ts';
import { makeMissing } from '../../emulator/api/resources.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { makeOk, Refusal, withoutNulls, ROLES } from '../../emulator/responses.ts';
import type { State } from '../../emulator/embedded-state.ts';
import type { Scope } from '../translate/v1-state.ts';
import {
  checkCluster,
  define,
  dropUnmentioned,
  kindOfRole,
  messages,
  object,
  putAs,
  refuse,
  removeAs,
  text,
  textOrNull,
  withMentioned,
} from './operation.ts';

type Params = RouteRequest['params'];

const ROOT = '/admin/interceptors/v1';
/** The prefixes, each of which is a scope, and whether its list has an older path. */
const PREFIXES: readonly { readonly path: string; readonly hasOldList?: true }[] = [
  { path: '' },
  { path: '/global' },
  { path: '/username/{username}' },
  { path: '/group/{group}' },
  { path: '/vcluster/{vcluster}', hasOldList: true },
  { path: '/vcluster/{vcluster}/username/{username}', hasOldList: true },
  { path: '/vcluster/{vcluster}/group/{group}' },
];

/** gateway-api C.7. */
export function makeInterceptors(state: State): readonly Operation[] {
  const all = (path: string): Operation =>
    define('GET', ROOT + path, ({ query }) => makeOk(listAll(query['pluginClass'], state)), {
      query: { pluginClass: 'string' },
    });
  return [
    ...PREFIXES.flatMap((prefix) => makePrefix(prefix, state)),
    all('/all'),
    all('/interceptors'),
    define('POST', `${ROOT}/resolve`, ({ body }) => makeOk(resolve(body, state)), {
      access: 'reader',
      body: { check: client },
    }),
  ];
}

function makePrefix({ path, hasOldList }: (typeof PREFIXES)[number], state: State): readonly Operation[] {
  const one = `${ROOT}${path}/interceptor/{interceptorName}`;
  const scopeIn = ({ vcluster = 'passthrough', group, username }: Params): Scope => ({
    vCluster: path === '/global' ? null : vcluster,
    group: group ?? null,
    username: username ?? null,
  });
  const list = (at: string): Operation =>
    define('GET', at, ({ params }) => makeOk(listScope(scopeIn(params), state)));
  return [
    define('POST', one, ({ params, body }) => post(nameIn(params), scopeIn(params), body, state), {
      body: { check },
      // A POST answers 400 where a PUT answers 404.
      refuse: (refusal) => ({ ...refuse(refusal), status: refusal.status === 404 ? 400 : refusal.status }),
    }),
    define('PUT', one, ({ params, body }) => put(nameIn(params), scopeIn(params), body, state), {
      body: { check },
    }),
    define('GET', one, ({ params }) => makeOk(show(get(nameIn(params), scopeIn(params), state)))),
    define('DELETE', one, ({ params }) => remove(nameIn(params), scopeIn(params), state)),
    list(ROOT + path),
    ...(hasOldList === true ? [list(`${ROOT}${path}/interceptors`)] : []),
  ];
}

const check = object(['pluginClass', 'priority', 'config'], {
  pluginClass: text,
  priority: { type: 'integer' },
  config: { type: 'object' },
});
const client = object([], {
  vcluster: textOrNull,
  username: textOrNull,
  groups: { type: ['array', 'null'], items: text },
});

function post(name: string, scope: Scope, body: Json | undefined, state: State) {
  if (find(name, scope, state) !== undefined) throw new Refusal(409, messages.interceptorExists);
  set(name, scope, body, state);
  return { status: 201, body: { message: messages.created(name) } };
}

/** Creates it, too: PUT is an upsert (gateway-api C.7). */
function put(name: string, scope: Scope, body: Json | undefined, state: State) {
  set(name, scope, body, state);
  return makeOk({ message: messages.updated(name) });
}

function set(name: string, scope: Scope, body: Json | undefined, state: State): void {
  const { pluginClass = '', priority = 0, config = {} } = asMap(body);
  // v1 has no comments, and keeps that of v2.
  const spec = { ...find(name, scope, state)?.spec, pluginClass, priority, config };
  withMentioned(scope, state, () => putAs('interceptor', { name, scope }, spec, state));
}

function remove(name: string, scope: Scope, state: State) {
  removeAs('interceptor', get(name, scope, state), state);
  dropUnmentioned(scope, state);
  return { status: 204 };
}

function find(name: string, scope: Scope, { store }: State): Resource | undefined {
  return store.get(addressOf(ROLES.interceptor, name, scope));
}

/** Throws a Refusal 404. */
function get(name: string, scope: Scope, state: State): Resource {
  const found = find(name, scope, state);
  if (found === undefined) throw makeMissing(kindOfRole('interceptor', state), name);
  return found;
}

/** Those of exactly this scope. Throws a Refusal 404 for an unknown virtual cluster. */
function listScope(scope: Scope, state: State): JsonObject {
  if (scope.vCluster !== null) checkCluster(scope.vCluster, state);
  const found = [...state.store.all(ROLES.interceptor)].filter(({ metadata }) =>
    sameJson(metadata['scope'], scope),
  );
  // Recorded: the largest number of 64 bits, which no one can set.
  return { interceptors: found.map((one) => ({ ...show(one), timeoutMs: 2 ** 63 })) };
}

function listAll(pluginClass: string | undefined, { store }: State): JsonObject {
  const found = [...store.all(ROLES.interceptor)].filter(
    ({ spec }) => pluginClass === undefined || spec['pluginClass'] === pluginClass,
  );
  return { interceptors: found.map((one) => ({ ...scopeOf(one), ...show(one) })) };
}

function resolve(body: Json | undefined, state: State): readonly JsonObject[] {
  const { vcluster, ...others } = withoutNulls(asMap(body));
  const asked = { ...others, ...(vcluster === undefined ? {} : { vCluster: vcluster }) };
  return resolveInterceptors(asked, state).map((one) => {
    const { name: configName, ...rest } = show(one);
    const scope = scopeOf(one);
    return { configName: configName ?? '', scope: nameOfScope(scope), ...scope, ...rest };
  });
}

/** Not documented; the words of the paths. */
function nameOfScope(scope: JsonObject): string {
  return ['username', 'group', 'vcluster'].find((axis) => axis in scope)?.toUpperCase() ?? 'GLOBAL';
}

function scopeOf({ metadata }: Resource): JsonObject {
  const { vCluster = null, group = null, username = null } = asMap(metadata['scope']);
  return withoutNulls({ vcluster: vCluster, group, username });
}

function show({ metadata, spec }: Resource): JsonObject {
  const { pluginClass = '', priority = 0, config = {} } = spec;
  return { name: metadata.name, pluginClass, priority, config };
}

function nameIn(params: Params): string {
  return params['interceptorName'] ?? '';
}
