import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Server as TcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate, type Pair } from './certificates.ts';
import { gatewayAt } from './opponent.ts';
import { shelf } from './toy-kinds.ts';

const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const ADDRESSES = ['127.0.0.1', ...(HAS_IPV6 ? ['::1'] : [])];
const about = HAS_IPV6 ? '' : ' (::1 skipped: there is no IPv6)';

let pair: Pair;
beforeAll(async () => {
  pair = await makeCertificate(undefined, { host: 'localhost' });
});

async function portOf(server: TcpServer, address: string): Promise<number> {
  server.listen(0, address);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A gateway, and a proxy to whatever is asked for, on one address only. */
function gateway(secure: boolean, address: string): Promise<number> {
  const answer = (_: unknown, response: { end(text: string): unknown }): void => void response.end('[]');
  return portOf(secure ? createSecureServer(pair, answer) : createPlainServer(answer), address);
}

async function proxyTo(port: number, address: string): Promise<number> {
  const server = createPlainServer((_, response) => void response.end('[]'));
  server.on('connect', (_, socket) => {
    const onward = connect(port, address, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return portOf(server, address);
}

describe.each(ADDRESSES)(`localhost is found where only %s listens${about}`, (address) => {
  it.each([false, true])('directly, with TLS: %j', async (secure) => {
    const port = await gateway(secure, address);
    const there = gatewayAt(`${secure ? 'https' : 'http'}://localhost:${port}`, { ca: pair.cert });
    onTestFinished(() => there.close());
    expect(await there.list(shelf)).toEqual([]);
  });

  it.each([false, true])('as a proxy, with a tunnel: %j', async (secure) => {
    const port = await proxyTo(await gateway(true, address), address);
    const there = gatewayAt(secure ? 'https://localhost:1' : 'http://gateway.example', {
      ca: pair.cert,
      proxy: `http://localhost:${port}`,
    });
    onTestFinished(() => there.close());
    expect(await there.list(shelf)).toEqual([]);
  });
});
