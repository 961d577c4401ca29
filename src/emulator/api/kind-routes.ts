import { isObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';
import { listResources, getResource, putResource, removeResource } from './resources.ts';
import { formatValue, makeOk, Refusal, withoutNulls } from '../responses/response.ts';
import type { Route, RouteRequest } from './route.ts';
import { rulesOf } from '../rules/rules.ts';
import * as schemas from './schemas.ts';
import type { State } from '../state/state.ts';
import { titles, wordingOf } from '../responses/wording.ts';

/** The routes of a kind, from its form (gateway-api A.3). */
export function makeKindRoutes(kind: Kind, state: State): readonly Route[] {
  const { removal } = kind;
  const routes = [makeListRoute(kind, state)];
  if (removal === undefined) return routes;
  routes.push(makePutRoute(kind, state));
  if (removal === 'path') routes.push(makeGetRoute(kind, state));
  routes.push(removal === 'body' ? makeDeleteByBody(kind, state) : makeDeleteByPath(kind, state));
  return routes;
}

function makeListRoute(kind: Kind, state: State): Route {
  const { filters = {}, showDefaults } = rulesOf(kind);
  const parameters = Object.entries(filters).map(([name, { type }]) => [name, type] as const);
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
    refusals: {
      ...invalid(kind),
      ...(Object.values(filters).some(({ names }) => names !== undefined)
        ? { 404: [titles.noVirtualCluster] }
        : {}),
    },
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
    body: { schema: schemas.makeRef(kind.name) },
    response: { schema: schemas.makeRef(`ApplyResult_${kind.name}`) },
    refusals: {
      400: [malformed],
      ...(dangling === undefined ? {} : { 404: [dangling] }),
      ...(conflicts.length === 0 ? {} : { 409: conflicts }),
    },
    handle: ({ query, body = null }) => {
      const { resource, result } = putResource(kind, body, state, {
        dryMode: query['dryMode'] === 'true',
      });
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

function makeDeleteByBody(kind: Kind, state: State): Route {
  const check = schemas.makeIdentitySchema(kind);
  return {
    ...makeDeleteRoute(kind, state),
    path: kind.collection,
    body: { schema: schemas.makeRef(`${kind.name}Id`), check },
    handle: ({ body }) => {
      const identity = isObject(body) ? withoutNulls(body) : {};
      removeResource(kind, { ...identity, name: formatValue(identity['name']) }, state);
      return { status: 204 };
    },
  };
}

function makeDeleteByPath(kind: Kind, state: State): Route {
  const scoped = kind.removal === 'path-and-body';
  const check = schemas.makeScopeSchema(kind);
  return {
    ...makeDeleteRoute(kind, state),
    path: namedPath(kind),
    ...(scoped ? { body: { schema: schemas.makeRef(`${kind.name}Scope`), check, optional: true } } : {}),
    handle: ({ params, body }) => {
      const name = nameIn(params, kind);
      // Up to 3.10 the default scope for a missing body matched nothing (gateway-api B.7).
      if (scoped && body === undefined && !atLeast(state.version, '3.11.0')) {
        throw new Refusal(404, wordingOf(kind).missing);
      }
      removeResource(kind, scoped ? { name, scope: body ?? {} } : { name }, state);
      return { status: 204 };
    },
  };
}

function makeDeleteRoute(kind: Kind, state: State): Omit<Route, 'path' | 'handle'> {
  const { noun, missing, inUse, reserved } = wordingOf(kind);
  return {
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
}

/** The official command line takes kinds and their order from tags. */
function makeTag(kind: Kind, { kinds }: State): { readonly tag: string } {
  const collection = kind.collection.slice(kind.collection.lastIndexOf('/') + 1);
  const writable = [...kinds.values()].filter(({ removal }) => removal !== undefined);
  const order = kind.removal === undefined ? 0 : writable.indexOf(kind) + 7;
  return { tag: `cli_${collection}_gateway_v2_${order}` };
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
