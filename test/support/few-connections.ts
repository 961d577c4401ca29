import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What becomes of a connection beyond those that are taken. */
export const REJECTIONS = ['refused', 'reset', 'closed', '503'] as const;
export type FewConnections = {
  readonly url: string;
  /** How many it rejected so far. */
  readonly rejected: () => number;
  /** Resolves once none is open, so that it takes any. */
  readonly idle: () => Promise<void>;
};

export type Rejection = (typeof REJECTIONS)[number];

/** Something before a gateway that takes only so many connections at a time. */
export async function takeFewConnections(
  url: string,
  most: number,
  rejection: Rejection,
): Promise<FewConnections> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let rejected = 0;
  let isOver = false;
  const tell = (): void => {
    if (open.size === 0) for (const go of waiting.splice(0)) go();
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (open.size >= most) {
      rejected += 1;
      reject(socket, rejection);
      return;
    }
    open.add(socket);
    if (rejection === 'refused' && open.size === most) server.close(); // what is open stays
    const behind = connect(Number(port), hostname);
    behind.on('error', () => socket.destroy());
    socket.pipe(behind).pipe(socket);
    socket.on('close', () => {
      behind.destroy();
      open.delete(socket);
      if (isOver || server.listening) tell();
      else server.listen(place, '127.0.0.1', tell);
    });
  });
  await listen(server);
  const { port: place } = server.address() as AddressInfo; // it listens on a port
  onTestFinished(() => {
    isOver = true;
    for (const socket of open) socket.destroy();
    if (server.listening) server.close();
  });
  return {
    url: `http://127.0.0.1:${place}`,
    rejected: () => rejected,
    idle: () =>
      new Promise((resolve) => (open.size === 0 && server.listening ? resolve() : waiting.push(resolve))),
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function reject(socket: Socket, rejection: Rejection): void {
  if (rejection === '503')
    socket.once('data', () =>
      socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
    );
  else if (rejection === 'reset') socket.resetAndDestroy();
  else socket.destroy();
}
