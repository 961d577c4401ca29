import { type Gateway, GatewayError, type GatewayOperations } from '../gateway/gateway.ts';
import { printJson } from '../model/json/json-text.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import { connectionOf, makeToken, resolveInterceptors, switchCluster } from './api/operations.ts';
import { listResources, putResource, removeResource } from './api/resources.ts';
import { type ApiResponse, NotServed, Refusal } from './responses.ts';
import { atLeast } from '../model/text/version.ts';
import { findEndpoint, type Endpoint, type Operation, type RouteRequest } from './api/route.ts';
import { makeRoutes } from './api/routes.ts';
import { readSnapshot, restore, takeSnapshot, type Snapshot } from './saved-state.ts';
import { makeState, type Options, type State } from './embedded-state.ts';

/** A gateway in memory: the ports, and the API as a server needs it. */
export type EmbeddedGateway = Gateway &
  GatewayOperations & {
    readonly kinds: KindSet;
    readonly version: string;
    /** The operation for a method and a path. Throws a Refusal: 404, 405. */
    endpoint(method: string, path: string): Endpoint;
    /** The response to a request, without checking credentials; also for refusals. */
    handle(method: string, url: string, body?: Json): ApiResponse;
    /** All its resources. */
    snapshot(): Snapshot;
    /** Increases with every change, and only then. */
    revision(): number;
  };

/**
 * A gateway for practice and tests, without files, network or clock. It follows the forms of the kinds, and two tables of
 * what only a gateway knows (`rules.ts`, `wording.ts`), and serves v1 with the operations of `makeV1`. Calls of the ports reject with
 * a Refusal, which is a GatewayError.
 * Throws a GatewayError `not-understood` for an invalid initial state.
 */
export function memoryGateway(
  kinds: KindSet,
  options: Options = {},
  makeV1?: MakeOperations,
): EmbeddedGateway {
  const beginning = beginningOf(options);
  return makeGateway(makeState(kinds, beginning.version, options), beginning, makeV1);
}

/** The same. Its v1 API is loaded if its version has one. */
export async function openMemoryGateway(
  kinds: KindSet,
  options: Options,
  loadV1: LoadOperations | undefined,
): Promise<EmbeddedGateway> {
  const beginning = beginningOf(options);
  const hasV1 = !atLeast(beginning.version, '3.21.0');
  const all = await describedBy(kinds, options, beginning);
  const state = makeState(all.kinds, beginning.version, options, all.description);
  return makeGateway(state, beginning, hasV1 ? await loadV1?.() : undefined);
}

/** Makes further operations on a state: those of the removed v1 API, which are not in this folder. */
export type MakeOperations = (state: State) => readonly Operation[];
export type LoadOperations = () => Promise<MakeOperations>;

type Beginning = { readonly version: string; readonly before: Snapshot | undefined };

function beginningOf({ version, state }: Options): Beginning {
  const before = state === undefined ? undefined : readSnapshot(state);
  return { version: version ?? before?.version ?? '3.21.0', before };
}

/** All kinds: our own, and those of a description, or those that it has kept. Throws a GatewayError. */
async function describedBy(
  kinds: KindSet,
  { described }: Options,
  { before }: Beginning,
): Promise<{ readonly kinds: KindSet; readonly description?: JsonObject }> {
  const text = described ?? (before?.kinds === undefined ? undefined : printJson(before.kinds));
  if (text === undefined) return { kinds };
  const { readDescription, addKinds } = await import('../schema/described/read-description.ts');
  const read = readDescription(text);
  if ('fault' in read) throw new GatewayError('not-understood', `the description of kinds ${read.fault}`);
  const [refused] = read.refused;
  if (refused !== undefined)
    throw new GatewayError('not-understood', `the kind ${refused[0]} cannot be served: ${refused[1]}`);
  return { kinds: addKinds(kinds, read.kinds), description: read.description };
}

function makeGateway(
  state: State,
  { version, before }: Beginning,
  makeV1: MakeOperations = () => [],
): EmbeddedGateway {
  const { kinds } = state;
  if (before !== undefined) restore(before, kinds, state);
  const routes = [...makeRoutes(state), ...makeV1(state)];

  const served = (kind: Kind): Kind => {
    const own = kinds.get(kind.name);
    if (own === undefined) throw new NotServed(404, `the gateway has no ${kind.name}`);
    return own;
  };
  const get = (path: string): Promise<Json | undefined> =>
    promise(() =>
      unlessMissing(
        undefined,
        () => findEndpoint(routes, 'GET', path).handle({ query: {}, body: undefined }).body,
      ),
    );
  return {
    url: 'memory:gateway',
    kinds,
    version,
    list: (kind) => promise(() => listResources(served(kind), {}, state).map(kind.read)),
    put: (kind, resource) => promise(() => putResource(served(kind), resource, state).result),
    remove: (kind, { metadata }) =>
      promise(() =>
        unlessMissing<'removed' | 'absent'>('absent', () => {
          removeResource(served(kind), metadata, state);
          return 'removed';
        }),
      ),
    close: () => Promise.resolve(),
    issueToken: (request) => promise(() => makeToken({ ...request }, state)),
    resolveInterceptors: (kind, principal) =>
      promise(() => resolveInterceptors({ ...principal }, state).map(kind.read)),
    readHealth: () => Promise.resolve({ live: true, ready: true }),
    readVersion: () => Promise.resolve(version),
    switchCluster: ({ api, ...clusters }) =>
      promise(() => {
        checkApi(api, version);
        switchCluster(clusters, state);
      }),
    readConnection: (cluster) =>
      promise(() => {
        checkApi('v1', version);
        return connectionOf(cluster, state);
      }),
    readDescription: async () => {
      const body = await get('/gateway/v2/docs');
      return body === undefined ? undefined : printJson(body);
    },
    readV1: get,
    endpoint: (method, path) => findEndpoint(routes, method, path),
    handle(method, url, body) {
      const { path, query } = splitUrl(url);
      let refuse = ({ response }: Refusal): ApiResponse => response;
      try {
        const endpoint = findEndpoint(routes, method, path);
        refuse = endpoint.refuse;
        return endpoint.handle({ query, body });
      } catch (error) {
        if (error instanceof Refusal) return refuse(error);
        throw error;
      }
    },
    snapshot: () => takeSnapshot(state),
    revision: () => state.store.revision(),
  };
}

/** What the work returns; `missing` for a Refusal 404. */
function unlessMissing<T>(missing: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return missing;
    throw error;
  }
}

/** v2 has taken the place of v1 for clusters (gateway-api F). */
function checkApi(api: 'v1' | 'v2', version: string): void {
  if (atLeast(version, '3.21.0') !== (api === 'v2'))
    throw new NotServed(404, `gateway ${version} has no ${api} API for clusters`);
}

/** The path of a URL, and its query: what comes after the first question mark. */
export function splitUrl(url: string): { readonly path: string; readonly query: RouteRequest['query'] } {
  const [path = '', ...rest] = url.split('?');
  return { path, query: Object.fromEntries(new URLSearchParams(rest.join('?'))) };
}

/** Turns a throw into a rejection. */
function promise<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
