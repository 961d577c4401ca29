import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import {
  createServer as createNetServer,
  type AddressInfo,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { expect, onTestFinished, vi } from 'vitest';
import type { CallListener, Connection } from '../../src/gateway/connection.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { httpGateway } from '../../src/gateway/http/http.ts';

export type Received = {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
export type Answerer = (response: ServerResponse, request: Received) => void;
export type Opponent = {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
};

const toClose: (() => Promise<void>)[] = [];

/** For afterEach: lets go of all that the functions below opened. */
export async function closeAll(): Promise<void> {
  for (const close of toClose.splice(0).reverse()) await close();
}

/** A server that answers as the test wants; with TLS when it is given what that needs. */
export async function serve(answer: Answerer, tls?: ServerOptions): Promise<Opponent> {
  const received: Received[] = [];
  const server: Server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      answer(response, one);
    });
  });
  const port = await listen(server);
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, port, received };
}

/** On 127.0.0.1 and a free port, until closeAll. */
export async function listen(server: NetServer): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        sockets.forEach((socket) => socket.destroy());
      }),
  );
  return (server.address() as AddressInfo).port; // it listens on a port
}

/**
 * Stops time limits. `pass` waits for `start`, lets what the server has sent arrive, and moves time on by so many
 * milliseconds.
 */
export function stopTime(): { readonly start: () => void; readonly pass: (ms: number) => Promise<void> } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let start = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  return {
    start: () => start(),
    async pass(ms) {
      await started;
      // Both ends are in this process: what one has written the other reads in its next turn.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(ms);
    },
  };
}

/** Answers with this status, body and headers. */
export function always(status: number, body: unknown = '', headers: Record<string, string> = {}): Answerer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => response.writeHead(status, headers).end(text);
}

export function gatewayAt(
  url: string,
  more: Partial<Connection> & CallListener = {},
): ReturnType<typeof httpGateway> {
  const gateway = httpGateway({ url, userAgent: 'gwconf/1.2.3', ...more });
  toClose.push(() => gateway.close());
  return gateway;
}

/** What the call failed with, held to what all failures have in common. */
export async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await call.then(
    (value) => expect.fail(`expected a failure, got ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof GatewayError)) throw error;
  expect(error.message).toMatch(/^.{2,900}[^.]$/su);
  expect(error.message).not.toMatch(/\p{Cc}/u);
  expect(error.hint).toMatch(/^[a-z].*[^.]$/);
  expect(error.cause).toBeUndefined();
  return error;
}

/** A server that responds to each request with this function. */
export async function speak(respond: (socket: Socket) => void): Promise<string> {
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined).on('data', () => respond(socket));
  });
  return `http://127.0.0.1:${await listen(server)}`;
}
