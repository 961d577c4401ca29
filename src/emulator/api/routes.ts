import { isObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { atLeast } from '../../model/text/version.ts';
import { kindRoutes } from './kind-routes.ts';
import { livedEvent } from './analytics.ts';
import { openApiDocument } from './openapi.ts';
import { resolve } from './resolve.ts';
import { ok, withoutNulls, type Answer } from '../responses/response.ts';
import type { Route } from './route.ts';
import * as schemas from './schemas.ts';
import type { State } from '../state/state.ts';
import { makeToken } from './token.ts';
import { ROLES, titles } from '../responses/wording.ts';

/** All that this version of the gateway serves: what follows from the kinds, and a few things beside (gateway-api A.3, F). */
export function routesOf(state: State): readonly Route[] {
  const { version } = state;
  const v2 = atLeast(version, '3.3.0')
    ? [...[...state.kinds.values()].flatMap((kind) => kindRoutes(kind, state)), ...otherRoutes(state)]
    : [];
  const routes = [...v2, ...healthRoutes(version), metrics(state)];
  return [...routes, ...(v2.length === 0 ? [] : [docs(routes, state)])];
}

function otherRoutes(state: State): readonly Route[] {
  const { version } = state;
  const resolved: Route = {
    method: 'POST',
    path: '/gateway/v2/interceptor/resolve',
    summary: 'Say which interceptors see the traffic of a client',
    tag: 'interceptor',
    access: 'reader',
    takes: { schema: schemas.refTo('InterceptorResolverRequest'), check: schemas.resolverRequest },
    gives: { schema: { type: 'array', items: schemas.refTo(ROLES.interceptor) } },
    refusals: { 400: [titles.badRequest] },
    answer: ({ body }) => ok(resolve(objectOf(body), state)),
  };
  const token: Route = {
    method: 'POST',
    path: '/gateway/v2/token',
    summary: 'Make a token for a local service account',
    tag: 'token',
    access: 'admin',
    takes: { schema: schemas.refTo('TokenRequest'), check: schemas.tokenRequest },
    gives: { schema: schemas.refTo('TokenResponse') },
    refusals: { 404: [titles.noSuchEntity], 409: [titles.noToken] },
    answer: ({ body }) => ok({ token: makeToken(objectOf(body), state) }),
  };
  const lived: Route = {
    method: 'GET',
    path: '/gateway/v2/analytics/lived',
    summary: 'Count what the gateway holds',
    tag: 'analytics',
    access: 'reader',
    gives: { schema: schemas.refTo('LivedEvent') },
    refusals: { 400: [titles.badRequest] },
    answer: () => ok(livedEvent(state)),
  };
  return [resolved, token, ...(atLeast(version, '3.9.0') ? [lived] : [])];
}

function docs(routes: readonly Route[], state: State): Route {
  const route: Route = {
    method: 'GET',
    path: '/gateway/v2/docs',
    summary: 'This description',
    tag: 'docs',
    access: 'reader',
    gives: { schema: { type: 'object' } },
    refusals: {},
    answer: () => ok(openApiDocument([...routes, route], state.kinds, state.version)),
  };
  return route;
}

/** Health is asked without credentials (gateway-api A.7). */
function healthRoutes(version: string): readonly Route[] {
  const health = (path: string, summary: string, gives: Route['gives'], answer: Answer): Route => {
    return {
      method: 'GET',
      path,
      summary,
      tag: 'health',
      access: 'anyone',
      gives,
      refusals: {},
      answer: () => answer,
    };
  };
  const data = { version, time: '1970-01-01T00:00:00Z', commit: 'embedded' };
  const checks = [
    { id: 'buildInfo', status: 'UP', data },
    { id: 'live', status: 'UP' },
  ];
  const old = health(
    '/health',
    'Whether it is well, and its version',
    { schema: { type: 'object' } },
    {
      status: 200,
      body: { status: 'UP', checks, outcome: 'UP' },
    },
  );
  const live = health('/health/live', 'Whether it is alive', { text: 'LIVE' }, { status: 200, text: 'LIVE' });
  const ready = health(
    '/health/ready',
    'Whether it is ready',
    { text: 'READY' },
    { status: 200, text: 'READY' },
  );
  return [...(atLeast(version, '3.21.0') ? [] : [old]), ...(atLeast(version, '3.12.0') ? [live, ready] : [])];
}

function metrics({ kinds, store }: State): Route {
  return {
    method: 'GET',
    path: '/metrics',
    summary: 'Counters in the text format of Prometheus',
    tag: 'metrics',
    access: 'reader',
    gives: { text: 'gateway_resources' },
    refusals: {},
    answer: () => {
      const lines = [...kinds.keys()].map(
        (kind) => `gateway_resources{kind="${kind}"} ${store.count(kind)}\n`,
      );
      return { status: 200, text: `# TYPE gateway_resources gauge\n${lines.join('')}` };
    },
  };
}

function objectOf(body: Json | undefined): JsonObject {
  return isObject(body) ? withoutNulls(body) : {};
}
