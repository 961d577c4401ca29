import { asMap, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';
import {
  makeOk,
  withoutNulls,
  type ApiResponse,
  formatValue,
  Refusal,
  ROLES,
  titles,
  wordingOf,
} from '../responses.ts';
import { withoutLater } from '../rules/forms.ts';
import { rulesOf } from '../rules/kind-rules.ts';
import type { State } from '../embedded-state.ts';
import { makeOpenApiDocument } from './openapi.ts';
import { countUsage, makeToken, resolveInterceptors, switchCluster } from './operations.ts';
import { listResources, getResource, putResource, removeResource } from './resources.ts';
import type { Route, RouteRequest } from './route.ts';
import * as schemas from './schemas.ts';

/** All routes of this version: those of the kinds, and a few others (gateway-api A.3, F). */
export function makeRoutes(state: State): readonly Route[] {
  const { version } = state;
  const v2 = atLeast(version, '3.3.0')
    ? [
        ...[...state.kinds.values()].flatMap((kind) => makeKindRoutes(kind, state)),
        ...makeOperationRoutes(state),
      ]
    : [];
  const routes = [...v2, ...makeHealthRoutes(version), makeMetricsRoute(state)];
  return [...routes, ...(v2.length === 0 ? [] : [makeDocsRoute(routes, state)])];
}

function makeOperationRoutes(state: State): readonly Route[] {
  const { version } = state;
  const resolved: Route = {
    method: 'POST',
    path: '/gateway/v2/interceptor/resolve',
    summary: 'Resolve the interceptors of a client',
    tag: makeCliTag(ROLES.interceptor, state),
    access: 'reader',
    body: { schema: schemas.makeRef('InterceptorResolverRequest'), check: schemas.resolverRequest },
    response: { schema: { type: 'array', items: schemas.makeRef(ROLES.interceptor) } },
    refusals: { 400: [titles.badRequest] },
    handle: ({ body }) => makeOk(resolveInterceptors(toObject(body), state)),
  };
  const token: Route = {
    method: 'POST',
    path: '/gateway/v2/token',
    summary: 'Issue a token for a local service account',
    tag: 'token',
    access: 'admin',
    ...(atLeast(version, '3.6.0') ? { run: 'generateServiceAccountToken' } : {}),
    body: {
      schema: schemas.makeRef('TokenRequest'),
      check: schemas.tokenRequest,
      example: { vCluster: 'prod', username: 'app', lifeTimeSeconds: 3600 },
    },
    response: { schema: schemas.makeRef('TokenResponse') },
    refusals: { 404: [titles.noSuchEntity], 409: [titles.noToken] },
    handle: ({ body }) => makeOk({ token: makeToken(toObject(body), state) }),
  };
  const lived: Route = {
    method: 'GET',
    path: '/gateway/v2/analytics/lived',
    summary: 'Count the resources of the gateway',
    tag: 'cli_analytics_gateway_v2_13',
    access: 'reader',
    response: { schema: schemas.makeRef('LivedEvent') },
    refusals: { 400: [titles.badRequest] },
    handle: () => makeOk(countUsage(state)),
  };
  const switching: Route = {
    method: 'POST',
    path: '/gateway/v2/cluster-switching',
    summary: 'Send the traffic of a physical cluster to another one',
    tag: 'cluster-switching',
    isExperimental: true,
    access: 'admin',
    query: { from: 'string', to: 'string' },
    response: { schema: { type: 'object' } },
    refusals: { 400: [titles.badRequest] },
    handle: ({ query: { from = 'main', to = '' } }) => {
      switchCluster({ from, to }, state);
      return makeOk({ message: 'Cluster switched' });
    },
  };
  return [
    ...[resolved, token],
    ...(atLeast(version, '3.9.0') ? [lived] : []),
    ...(atLeast(version, '3.21.0') ? [switching] : []),
  ];
}

function makeDocsRoute(routes: readonly Route[], state: State): Route {
  const route: Route = {
    method: 'GET',
    path: '/gateway/v2/docs',
    summary: 'This description',
    tag: 'docs',
    access: 'reader',
    response: { schema: { type: 'object' } },
    refusals: {},
    handle: () => makeOk(makeOpenApiDocument([...routes, route], state.kinds, state.version)),
  };
  return route;
}

/** Health needs no credentials (gateway-api A.7). */
function makeHealthRoutes(version: string): readonly Route[] {
  const health = (path: string, summary: string, response: ApiResponse): Route => {
    const { text } = response;
    return {
      ...{ method: 'GET', path, summary, tag: 'health', access: 'anyone' },
      response: text === undefined ? { schema: { type: 'object' } } : { text },
      refusals: {},
      handle: () => response,
    };
  };
  const data = { version, time: '1970-01-01T00:00:00Z', commit: 'embedded' };
  const checks = [
    { id: 'buildInfo', status: 'UP', data },
    { id: 'live', status: 'UP' },
  ];
  const old = health('/health', 'Health and version', makeOk({ status: 'UP', checks, outcome: 'UP' }));
  const live = health('/health/live', 'Liveness', { status: 200, text: 'LIVE' });
  const ready = health('/health/ready', 'Readiness', { status: 200, text: 'READY' });
  return [...(atLeast(version, '3.21.0') ? [] : [old]), ...(atLeast(version, '3.12.0') ? [live, ready] : [])];
}

function makeMetricsRoute({ kinds, store }: State): Route {
  return {
    method: 'GET',
    path: '/metrics',
    summary: 'Counters in the text format of Prometheus',
    tag: 'metrics',
    access: 'reader',
    response: { text: 'gateway_resources' },
    refusals: {},
    handle: () => {
      const lines = [...kinds.keys()].map(
        (kind) => `gateway_resources{kind="${kind}"} ${store.count(kind)}\n`,
      );
      return { status: 200, text: `# TYPE gateway_resources gauge\n${lines.join('')}` };
    },
  };
}

function toObject(body: Json | undefined): JsonObject {
  return withoutNulls(asMap(body));
}

/** The routes of a kind, from its form (gateway-api A.3). */
function makeKindRoutes(kind: Kind, state: State): readonly Route[] {
  const { removal } = kind;
  if (removal === undefined) return [makeListRoute(kind, state)];
  const one = removal === 'path' ? [makeGetRoute(kind, state)] : [];
  return [makeListRoute(kind, state), makePutRoute(kind, state), ...one, makeDeleteRoute(kind, state)];
}

function makeListRoute(kind: Kind, state: State): Route {
  const { filters = {}, showDefaults } = rulesOf(kind);
  const parameters = Object.entries(filters).map(([name, { type }]) => [name, type] as const);
  const namesCluster = Object.values(filters).some(({ names }) => names !== undefined);
  const { noun } = wordingOf(kind);
  return {
    ...makeTag(kind, state),
    method: 'GET',
    path: kind.collection,
    summary: `List the ${noun}s`,
    access: 'reader',
    query: {
      ...Object.fromEntries(parameters),
      ...(showDefaults === true ? { showDefaults: 'boolean' } : {}),
    },
    response: { schema: { type: 'array', items: schemas.makeRef(kind.name) } },
    refusals: { ...invalid(kind), ...(namesCluster ? { 404: [titles.noVirtualCluster] } : {}) },
    handle: ({ query }) => makeOk(listResources(kind, query, state)),
  };
}

function makePutRoute(kind: Kind, state: State): Route {
  const { noun, malformed, dangling, taken, fixed, clashes = [] } = wordingOf(kind);
  const conflicts = [taken, ...clashes, fixed].filter((title) => title !== undefined);
  return {
    ...makeTag(kind, state),
    method: 'PUT',
    path: kind.collection,
    summary: `Upsert a ${noun}`,
    access: 'admin',
    query: { dryMode: 'boolean' },
    body: { schema: schemas.makeRef(kind.name), example: withoutLater(kind, kind.example, state.version) },
    response: { schema: schemas.makeRef(`ApplyResult_${kind.name}`) },
    refusals: {
      400: [malformed],
      ...(dangling === undefined ? {} : { 404: [dangling] }),
      ...(conflicts.length === 0 ? {} : { 409: conflicts }),
    },
    handle: ({ query, body = null }) => {
      const dryMode = query['dryMode'] === 'true';
      const { resource, result } = putResource(kind, body, state, { dryMode });
      return makeOk({ resource, upsertResult: schemas.formatUpsertResult(result, state.version) });
    },
  };
}

function makeGetRoute(kind: Kind, state: State): Route {
  const { noun, missing } = wordingOf(kind);
  return {
    ...makeTag(kind, state),
    method: 'GET',
    path: namedPath(kind),
    summary: `Get a ${noun}`,
    access: 'reader',
    query: rulesOf(kind).showDefaults === true ? { showDefaults: 'boolean' } : {},
    response: { schema: schemas.makeRef(kind.name) },
    refusals: { ...invalid(kind), 404: [missing] },
    handle: ({ params, query }) => makeOk(getResource(kind, nameIn(params, kind), query, state)),
  };
}

/** By the whole identity in the body, or by the name in the path, with the scope in the body. */
function makeDeleteRoute(kind: Kind, state: State): Route {
  const { noun, missing, inUse, reserved } = wordingOf(kind);
  const route: Omit<Route, 'path' | 'handle'> = {
    ...makeTag(kind, state),
    method: 'DELETE',
    summary: `Delete a ${noun}`,
    access: 'admin',
    response: undefined,
    refusals: {
      ...invalid(kind),
      ...(reserved === undefined ? {} : { 400: [reserved] }),
      404: [missing],
      ...(inUse === undefined ? {} : { 409: [inUse] }),
    },
  };
  const remove = (metadata: JsonObject & { readonly name: string }): ApiResponse => {
    removeResource(kind, metadata, state);
    return { status: 204 };
  };
  if (kind.removal === 'body')
    return {
      ...route,
      path: kind.collection,
      body: { schema: schemas.makeRef(`${kind.name}Id`), check: schemas.makeIdentitySchema(kind) },
      handle: ({ body }) => remove({ ...toObject(body), name: formatValue(toObject(body)['name']) }),
    };
  const isScoped = kind.removal === 'path-and-body';
  const schema = schemas.makeRef(`${kind.name}Scope`);
  return {
    ...route,
    path: namedPath(kind),
    ...(isScoped ? { body: { schema, check: schemas.makeScopeSchema(kind), optional: true } } : {}),
    handle: ({ params, body }) => {
      // Up to 3.10 the default scope for a missing body matched nothing (gateway-api B.7).
      if (isScoped && body === undefined && !atLeast(state.version, '3.11.0'))
        throw new Refusal(404, missing);
      return remove({ name: nameIn(params, kind), ...(isScoped ? scopeIn(kind, body) : {}) });
    },
  };
}

/** The scope of a body as the metadata have it: in a map of its own, or beside the name. */
function scopeIn(kind: Kind, body: Json = {}): JsonObject {
  return kind.axes.some(({ tokens }) => tokens.length > 1) ? { scope: body } : toObject(body);
}

function makeTag(kind: Kind, state: State): { readonly tag: string } {
  const isResource = rulesOf(kind).itemSchema === undefined;
  return { tag: isResource ? makeCliTag(kind.name, state) : wordingOf(kind).noun };
}

/** The official command line takes kinds and their order from tags (gateway-api A.9). */
function makeCliTag(name: string, { kinds }: State): string {
  const writable = [...kinds.values()].filter(({ removal }) => removal !== undefined);
  const at = writable.findIndex((kind) => kind.name === name);
  const kebab = name.replaceAll(/(?<=.)(?=[A-Z])/g, '-').toLowerCase();
  return `cli_${kebab}_gateway_v2_${at === -1 ? 0 : at + 7}`;
}

function invalid(kind: Kind): { readonly 400: readonly string[] } {
  const { needsSecurity } = wordingOf(kind);
  return { 400: [needsSecurity ?? titles.badRequest] };
}

function namedPath(kind: Kind): string {
  return `${kind.collection}/{${parameterOf(kind)}}`;
}

function nameIn(params: RouteRequest['params'], kind: Kind): string {
  return params[parameterOf(kind)] ?? '';
}

function parameterOf(kind: Kind): string {
  return rulesOf(kind).pathParameter ?? 'name';
}
