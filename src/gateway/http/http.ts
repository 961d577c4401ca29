import type { Kind } from '../../model/kind.ts';
import { readList, readRemoval, readUpsertResult } from './read-response.ts';
import { makeListCall, makePutCall, makeRemoveCall, type Call } from './call.ts';
import { openClient, type Client } from './client.ts';
import type { Connection } from '../connection.ts';
import type { Examinable } from '../facts.ts';
import type { Gateway } from '../gateway.ts';
import type { GatewayOperations } from '../operations.ts';
import { makeOperations } from './operations.ts';
import { readTarget } from './target.ts';
import { makeTracer } from './trace.ts';
import type { HttpResponse } from './response.ts';

/**
 * The admin API over HTTP. The HTTP client is loaded and connected with the first call. Throws a GatewayError for a
 * connection that is not valid, such as an address that is not a URL.
 */
export function httpGateway(connection: Connection): Gateway & GatewayOperations & Examinable {
  const target = readTarget(connection);
  let client: Promise<Client> | undefined;
  const follow = makeTracer(connection, target);
  const send = async (call: Call, kind?: Kind): Promise<HttpResponse> => {
    client ??= openClient(connection, target);
    const { exchange } = await client;
    const tracing = follow?.(call, kind);
    tracing?.sent();
    try {
      const response = await exchange(call);
      tracing?.received(response);
      return response;
    } catch (error) {
      tracing?.failed(error);
      throw error;
    }
  };
  return {
    ...makeOperations(send, target),
    examine: async (reserved, now) => {
      const { examine } = await import('./examine.ts');
      return examine(reserved, { connection, target, send, now });
    },
    url: target.url,
    list: async (kind) => {
      const call = makeListCall(kind);
      return readList(kind, await send(call, kind), call, target);
    },
    put: async (kind, resource) => {
      const call = makePutCall(kind, resource);
      return readUpsertResult(await send(call, kind), call, target);
    },
    remove: async (kind, resource) => {
      const call = makeRemoveCall(kind, resource);
      return readRemoval(await send(call, kind), call, target);
    },
    close: async () => {
      const open = await client;
      client = undefined;
      await open?.close();
    },
  };
}
