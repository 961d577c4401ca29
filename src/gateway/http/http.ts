import { isList, valueOf, type Json } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { CallListener, Connection } from '../connection.ts';
import type { Examinable, GatewayOperations, Gateway } from '../gateway.ts';
import { makeRemoveCall, type Call, type HttpResponse } from './call.ts';
import { openClient, type Client } from './client.ts';
import {
  checkDone,
  makeNotUnderstood,
  readBody,
  readList,
  readWhole,
  readRefusal,
  readRemoval,
  readUpsertResult,
  type Answer,
} from './read-response.ts';
import { readTarget, type Target } from './target.ts';
import { makeTracer } from './trace.ts';

/** The admin API over HTTP. */
export type HttpGateway = Gateway & GatewayOperations & Examinable;

/** An HTTP client for a gateway, and the gateway for each of those that use it. */
export type HttpConnection = {
  readonly url: string;
  /** To close it is to close the connection. */
  readonly gatewayFor: (listener: CallListener) => HttpGateway;
  readonly close: () => Promise<void>;
};

/** The admin API over HTTP for one user. Throws a GatewayError as `connectHttp` does. */
export function httpGateway(connection: Connection & CallListener): HttpGateway {
  return connectHttp(connection).gatewayFor(connection);
}

/**
 * The HTTP client is loaded and connected with the first call. Throws a GatewayError for a connection that is not valid, such as an
 * address that is not a URL.
 */
export function connectHttp(connection: Connection): HttpConnection {
  const target = readTarget(connection);
  let client: Promise<Client> | undefined;
  const exchange = async (call: Call, checkSize: CallListener['checkSize']): Promise<HttpResponse> => {
    client ??= openClient(connection, target);
    return (await client).exchange(call, checkSize);
  };
  const close = async (): Promise<void> => {
    const open = await client;
    client = undefined;
    await open?.close();
  };
  return {
    url: target.url,
    gatewayFor: (listener) => ({ ...gatewayOver(connection, target, exchange, listener), close }),
    close,
  };
}

function gatewayOver(
  connection: Connection,
  target: Target,
  exchange: Client['exchange'],
  listener: CallListener,
): Omit<HttpGateway, 'close'> {
  const follow = makeTracer(listener, connection, target);
  const send = async (call: Call, kind?: Kind): Promise<Answer> => {
    const tracing = follow?.(call, kind);
    tracing?.sent();
    try {
      const response = await exchange(call, listener.checkSize);
      tracing?.received(response);
      return { ...response, call, target };
    } catch (error) {
      tracing?.failed(error);
      throw error;
    }
  };
  return {
    ...makeOperations(send),
    examine: async (reserved, now) => {
      const { examine } = await import('./examine.ts');
      return examine(reserved, { connection, target, send, now });
    },
    url: target.url,
    // There is no paging (gateway-api A.1).
    list: async (kind) => readList(kind, await send({ method: 'GET', path: kind.collection }, kind)),
    // The upsert goes to the collection; the body names the resource (gateway-api A.1).
    put: async (kind, body) =>
      readUpsertResult(await send({ method: 'PUT', path: kind.collection, body }, kind)),
    remove: async (kind, resource) => readRemoval(await send(makeRemoveCall(kind, resource), kind)),
  };
}

/** The operations over HTTP; `send` makes one call. */
function makeOperations(send: (call: Call) => Promise<Answer>): GatewayOperations {
  const get = async (path: string, absent: readonly number[] = [404]): Promise<Answer | undefined> => {
    const answer = await send({ method: 'GET', path });
    if (absent.includes(answer.status)) return undefined;
    if (answer.status !== 200) throw readRefusal(answer);
    return answer;
  };
  const getJson = async (path: string): Promise<Json | undefined> => {
    const answer = await get(path);
    return answer && readBody(answer);
  };
  return {
    async issueToken(request) {
      const answer = await send({ method: 'POST', path: '/gateway/v2/token', body: { ...request } });
      const token = valueOf(readBody(answer), 'token');
      // It goes into files of other programs: without blanks, line breaks and characters that act on a terminal.
      if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
      throw makeNotUnderstood('contains no token', answer);
    },
    async resolveInterceptors(interceptor, principal) {
      const path = `${interceptor.collection}/resolve`;
      return readList(interceptor, await send({ method: 'POST', path, body: { ...principal } }));
    },
    async readHealth() {
      // 503 is a response here: alive, and not ready.
      const [live, ready] = await Promise.all([get('/health/live'), get('/health/ready', [404, 503])]);
      if (live !== undefined) return { live: true, ready: ready !== undefined };
      const isUp = valueOf(await getJson('/health'), 'status') === 'UP'; // before 3.12.0
      return { live: isUp, ready: isUp };
    },
    async readVersion() {
      const usage = await getJson('/gateway/v2/analytics/lived');
      const checks = usage === undefined ? valueOf(await getJson('/health'), 'checks') : undefined; // before 3.9.0
      const build = isList(checks) ? checks.find((check) => valueOf(check, 'id') === 'buildInfo') : undefined;
      const version = valueOf(usage, 'gatewayVersion') ?? valueOf(valueOf(build, 'data'), 'version');
      return typeof version === 'string' ? version : undefined;
    },
    async switchCluster({ api, from, to }) {
      const path =
        api === 'v1'
          ? `${pathOfCluster(from)}/switch?to=${encodeURIComponent(to)}`
          : `/gateway/v2/cluster-switching?${new URLSearchParams({ from, to }).toString()}`;
      checkDone(await send({ method: 'POST', path }));
    },
    async readV1(path) {
      const answer = await get(path);
      const body = answer && readWhole(answer);
      // What is not there is 404: of an empty body, nobody knows what it stands for.
      if (answer !== undefined && body === undefined) throw makeNotUnderstood('is empty', answer);
      return body;
    },
    readDescription: async () => (await get('/gateway/v2/docs'))?.text,
    async readConnection(cluster) {
      const answer = await send({ method: 'GET', path: pathOfCluster(cluster) });
      const connection = readBody(answer);
      if (connection === undefined) throw makeNotUnderstood('is empty', answer);
      return connection;
    },
  };
}

function pathOfCluster(id: string): string {
  return `/admin/pclusters/v1/pcluster/${encodeURIComponent(id)}`;
}
