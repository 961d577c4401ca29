import { isObject, valueAt } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';
import { list, one, put, remove } from './operations.ts';
import { Refused } from '../responses/refusal.ts';
import { ok, withoutNulls } from '../responses/response.ts';
import type { Route } from './route.ts';
import { rulesOf } from '../rules/rules.ts';
import * as schemas from './schemas.ts';
import type { State } from '../state/state.ts';
import { textOf } from '../responses/text.ts';
import { upsertWord } from './version.ts';
import { titles, wordingOf } from '../responses/wording.ts';

/** The operations on the resources of a kind, as its form has them (gateway-api A.3). */
export function kindRoutes(kind: Kind, state: State): readonly Route[] {
  const { removal } = kind;
  const routes = [listRoute(kind, state)];
  if (removal === undefined) return routes;
  routes.push(putRoute(kind, state));
  if (removal === 'path') routes.push(oneRoute(kind, state));
  routes.push(removal === 'body' ? deleteByBody(kind, state) : deleteByPath(kind, state));
  return routes;
}

function listRoute(kind: Kind, state: State): Route {
  const { filters = {}, showDefaults } = rulesOf(kind);
  const parameters = Object.entries(filters).map(([name, { type }]) => [name, type] as const);
  const { noun } = wordingOf(kind);
  return {
    ...about(kind, state),
    method: 'GET',
    path: kind.collection,
    summary: `List the ${noun}s`,
    access: 'reader',
    query: {
      ...Object.fromEntries(parameters),
      ...(showDefaults === true ? { showDefaults: 'boolean' } : {}),
    },
    gives: { schema: { type: 'array', items: schemas.refTo(kind.name) } },
    refusals: {
      ...invalid(kind),
      ...(Object.values(filters).some(({ names }) => names !== undefined)
        ? { 404: [titles.noVirtualCluster] }
        : {}),
    },
    answer: ({ query }) => ok(list(kind, query, state)),
  };
}

function putRoute(kind: Kind, state: State): Route {
  const { noun, malformed, dangling, taken, fixed, clashes = [] } = wordingOf(kind);
  const conflicts = [taken, ...clashes, fixed].filter((title) => title !== undefined);
  return {
    ...about(kind, state),
    method: 'PUT',
    path: kind.collection,
    summary: `Upsert a ${noun}`,
    access: 'admin',
    query: { dryMode: 'boolean' },
    takes: { schema: schemas.refTo(kind.name) },
    gives: { schema: schemas.refTo(`ApplyResult_${kind.name}`) },
    refusals: {
      400: [malformed],
      ...(dangling === undefined ? {} : { 404: [dangling] }),
      ...(conflicts.length === 0 ? {} : { 409: conflicts }),
    },
    answer: ({ query, body = null }) => {
      const { resource, result } = put(kind, body, query['dryMode'] === 'true', state);
      return ok({ resource, upsertResult: upsertWord(result, state.version) });
    },
  };
}

function oneRoute(kind: Kind, state: State): Route {
  const { noun, missing } = wordingOf(kind);
  return {
    ...about(kind, state),
    method: 'GET',
    path: namedPath(kind),
    summary: `Get a ${noun}`,
    access: 'reader',
    query: rulesOf(kind).showDefaults === true ? { showDefaults: 'boolean' } : {},
    gives: { schema: schemas.refTo(kind.name) },
    refusals: { ...invalid(kind), 404: [missing] },
    answer: ({ name, query }) => ok(one(kind, name, query, state)),
  };
}

function deleteByBody(kind: Kind, state: State): Route {
  const check = schemas.identityOf(kind);
  return {
    ...deleteRoute(kind, state),
    path: kind.collection,
    takes: { schema: schemas.refTo(`${kind.name}Id`), check },
    answer: ({ body }) => {
      const identity = isObject(body) ? withoutNulls(body) : {};
      remove(kind, { ...identity, name: textOf(identity['name']) }, state);
      return { status: 204 };
    },
  };
}

function deleteByPath(kind: Kind, state: State): Route {
  const scoped = kind.removal === 'path-and-body';
  const scope = valueAt(kind.schema.metadata, '/properties/scope');
  const check = isObject(scope) ? scope : {};
  return {
    ...deleteRoute(kind, state),
    path: namedPath(kind),
    ...(scoped ? { takes: { schema: schemas.refTo(`${kind.name}Scope`), check, optional: true } } : {}),
    answer: ({ name, body }) => {
      // Up to 3.10 the scope that was filled in for a missing body was none that could be met (gateway-api B.7).
      if (scoped && body === undefined && !atLeast(state.version, '3.11.0')) {
        throw new Refused(404, wordingOf(kind).missing);
      }
      remove(kind, scoped ? { name, scope: body ?? {} } : { name }, state);
      return { status: 204 };
    },
  };
}

function deleteRoute(kind: Kind, state: State): Omit<Route, 'path' | 'answer'> {
  const { noun, missing, inUse, reserved } = wordingOf(kind);
  return {
    ...about(kind, state),
    method: 'DELETE',
    summary: `Delete a ${noun}`,
    access: 'admin',
    gives: undefined,
    refusals: {
      ...invalid(kind),
      ...(reserved === undefined ? {} : { 400: [reserved] }),
      404: [missing],
      ...(inUse === undefined ? {} : { 409: [inUse] }),
    },
  };
}

/** The tag from which the official command line learns a kind and its place in the order. */
function about(kind: Kind, { kinds }: State): { readonly tag: string } {
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
  return `${kind.collection}/{${rulesOf(kind).pathParameter ?? 'name'}}`;
}
