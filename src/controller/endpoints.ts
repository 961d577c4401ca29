import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves `/healthz`, `/readyz` and `/metrics`. Rejects when it cannot listen. */
export async function serveEndpoints(
  { host, port }: { readonly host: string; readonly port: number },
  { isReady, metrics }: { readonly isReady: () => boolean; readonly metrics: () => Promise<string> },
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'only GET\n');
    else if (request.url === '/healthz') answer(200, 'ok\n');
    else if (request.url === '/readyz')
      answer(isReady() ? 200 : 503, isReady() ? 'ok\n' : 'resources are not read yet\n');
    else if (request.url === '/metrics')
      metrics().then(
        (text) => answer(200, text, 'text/plain; version=0.0.4; charset=utf-8'),
        () => answer(500, 'no metrics\n'),
      );
    else answer(404, 'there are /healthz, /readyz and /metrics\n');
  });
  await once(server.listen(port, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}
