import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, failureOf, gatewayAt, listen, stopTime } from '../gateway/opponent.ts';
import { shelf } from '../gateway/toy-kinds.ts';

afterEach(closeAll);

type Respond = (socket: Socket, request: string) => void;

/** A proxy, or a gateway, that responds to each request with this function. Ends a loop of requests. */
async function speak(respond: Respond): Promise<{ readonly place: string; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      if (requests.push(String(bytes)) > 20) server.close();
      else respond(socket, String(bytes));
    });
  });
  return { place: `127.0.0.1:${await listen(server)}`, requests };
}

const password = 'p@ss/word-of-the-proxy';
const through = (place: string): { readonly proxy: string } => ({
  proxy: `http://bob:${encodeURIComponent(password)}@${place}`,
});

describe('threat: gateway: a proxy', () => {
  it.each<[string, Respond]>([
    ['closes each tunnel', (socket) => socket.destroy()],
    ['ends each tunnel', (socket) => socket.end()],
    [
      'switches the protocol',
      (socket) => socket.write('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    ['asks to continue', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
  ])('is asked once where it %s', async (_, respond) => {
    const { place, requests } = await speak(respond);
    const error = await failureOf(gatewayAt('https://127.0.0.1:1', through(place)).list(shelf));
    expect(error).toMatchObject({ code: 'unreachable', unsent: true });
    expect(error.message).toBe(`the proxy ${place} closed the connection without a response`);
    expect(requests).toHaveLength(1);
  });

  it.each<[string, string, Respond]>([
    ['a proxy that opens no tunnel', 'https', () => undefined],
    ['a proxy that begins a tunnel', 'https', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n')],
    ['a proxy that forwards nothing', 'http', () => undefined],
    ['a response of status 000', 'http', (socket) => socket.write('HTTP/1.1 000 X\r\n\r\n')],
    ['a status line without end', 'http', (socket) => socket.write(`HTTP/1.1 200 ${'a'.repeat(99_999)}`)],
  ])('does not hold a call, or its end, beyond the time limit: %s', async (_, scheme, respond) => {
    const time = stopTime();
    const { place } = await speak((socket, request) => {
      respond(socket, request);
      time.start();
    });
    const gateway = gatewayAt(`${scheme}://127.0.0.1:1`, { ...through(place), timeoutMs: 1000 });
    const failure = failureOf(gateway.list(shelf));
    await time.pass(1001);
    expect(['timeout', 'unreachable']).toContain((await failure).code);
    await gateway.close();
  });

  it('gets neither the password nor the headers for the gateway, and its own password is not shown', async () => {
    const { place, requests } = await speak((socket, request) =>
      socket.end(`HTTP/1.1 407 ${request.replaceAll(/\r\n/g, ' ')} ${password}\r\nContent-Length: 0\r\n\r\n`),
    );
    const given = {
      user: 'admin',
      password: 'secret-of-the-gateway',
      headers: { 'X-Token': 'secret-of-a-header' },
    };
    const error = await failureOf(
      gatewayAt('https://127.0.0.1:1', { ...given, ...through(place) }).list(shelf),
    );
    const token = Buffer.from(`bob:${password}`).toString('base64');
    expect(requests.join()).toContain(`proxy-authorization: Basic ${token}`);
    for (const secret of ['secret-of', Buffer.from('admin:secret-of-the-gateway').toString('base64')])
      expect(requests.join()).not.toContain(secret);
    for (const secret of [password, encodeURIComponent(password), token])
      expect(`${error.message} ${error.hint ?? ''}`).not.toContain(secret);
  });
});
