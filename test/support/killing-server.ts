import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { isObject, type Json, type JsonObject } from '../../src/model/json/json.ts';
import type { Kind } from '../../src/model/kind.ts';
import { identify } from '../../src/model/identity.ts';
import type { Address, Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';

/** A write as the gateway saw it, and how it answered. */
export type SeenWrite = {
  readonly call: 'put' | 'delete';
  readonly address: Address;
  readonly status: number;
};

/** An embedded gateway over HTTP that kills its client at one of its writes. */
export type KillingServer = {
  readonly url: string;
  /** Serves this gateway. At write number `at` it calls `kill`: before the write is done, or after it and without an answer. */
  serve(gateway: EmbeddedGateway, last?: Last): void;
  /** The writes that were done since, in their order. */
  readonly writes: readonly SeenWrite[];
  close(): void;
};
type Last = { readonly at: number; readonly when: 'before' | 'after'; readonly kill: () => void };

export async function startKillingServer(): Promise<KillingServer> {
  const writes: SeenWrite[] = [];
  let gateway: EmbeddedGateway | undefined;
  let last: Last | undefined;
  let came = 0;
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body = text === '' ? undefined : (JSON.parse(text) as Json); // what our own client sent
      const isWrite = method !== 'GET';
      if (isWrite) came += 1;
      const isLast = isWrite && came === last?.at;
      if (isLast && last?.when === 'before') {
        last.kill();
        return;
      }
      const answer = gateway?.handle(method, url, body) ?? { status: 503 };
      if (isWrite) writes.push({ ...writeOf(method, url, body), status: answer.status });
      if (isLast) {
        last?.kill();
        return;
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    writes,
    serve(next, kill) {
      gateway = next;
      last = kill;
      came = 0;
      writes.splice(0);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function writeOf(method: string, url: string, body: Json | undefined): Omit<SeenWrite, 'status'> {
  const kind = [...catalog.kinds.values()].find(
    ({ collection }) => url === collection || url.startsWith(`${collection}/`),
  );
  if (kind === undefined) throw new Error(`no kind is at ${url}`);
  if (method === 'PUT') return { call: 'put', address: identify(kind, body as unknown as Resource) }; // an upsert's body
  const named = url.slice(kind.collection.length + 1);
  const metadata = metadataOf(kind, decodeURIComponent(named), isObject(body) ? body : {});
  return { call: 'delete', address: identify(kind, { metadata, spec: {} } as unknown as Resource) }; // all that identifies it
}

/** What identifies the resource that a delete names; gateway-api A.3. */
function metadataOf(kind: Kind, name: string, body: JsonObject): JsonObject {
  switch (kind.removal) {
    case 'body':
      return body;
    case 'path-and-body':
      return { name, scope: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) };
    default:
      return { name };
  }
}
