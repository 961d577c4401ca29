import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What becomes of a connection beyond those that are taken. */
export const REJECTIONS = ['refused', 'reset', 'closed', '503'] as const;
export type Rejection = (typeof REJECTIONS)[number];

/** Something before a gateway that takes only so many connections at a time. Returns its URL, and how many it rejected. */
export async function takeFewConnections(
  url: string,
  most: number,
  rejection: Rejection,
): Promise<{ readonly url: string; readonly rejected: () => number }> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let rejected = 0;
  let isOver = false;
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
      if (!isOver && !server.listening) server.listen(place, '127.0.0.1');
    });
  });
  await listen(server);
  const { port: place } = server.address() as AddressInfo; // it listens on a port
  onTestFinished(() => {
    isOver = true;
    for (const socket of open) socket.destroy();
    if (server.listening) server.close();
  });
  return { url: `http://127.0.0.1:${place}`, rejected: () => rejected };
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
