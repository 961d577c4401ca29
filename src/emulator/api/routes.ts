import { isObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { atLeast } from '../../model/text/version.ts';
import { makeKindRoutes } from './kind-routes.ts';
import { countUsage, makeToken, resolveInterceptors, switchCluster } from './operations.ts';
import { makeOpenApiDocument } from './openapi.ts';
import { makeOk, withoutNulls, type ApiResponse } from '../responses/response.ts';
import type { Route } from './route.ts';
import * as schemas from './schemas.ts';
import type { State } from '../state/state.ts';
import { ROLES, titles } from '../responses/wording.ts';

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
    tag: 'interceptor',
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
    body: { schema: schemas.makeRef('TokenRequest'), check: schemas.tokenRequest },
    response: { schema: schemas.makeRef('TokenResponse') },
    refusals: { 404: [titles.noSuchEntity], 409: [titles.noToken] },
    handle: ({ body }) => makeOk({ token: makeToken(toObject(body), state) }),
  };
  const lived: Route = {
    method: 'GET',
    path: '/gateway/v2/analytics/lived',
    summary: 'Count the resources of the gateway',
    tag: 'analytics',
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
  return isObject(body) ? withoutNulls(body) : {};
}
