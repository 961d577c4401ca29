import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Endpoints = { readonly port: number; readonly close: () => Promise<void> };

type Answers = { readonly isReady: () => boolean; readonly metrics: () => Promise<string> };

/** Serves `/healthz`, `/readyz` and `/metrics`. Rejects when it cannot listen. */
export async function serveEndpoints(
  { host, port }: { readonly host: string; readonly port: number },
  { isReady, metrics }: Answers,
): Promise<Endpoints> {
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
