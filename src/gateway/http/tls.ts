import { isIP } from 'node:net';
import { connect, type ConnectionOptions, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import type { Connection } from '../connection.ts';
import type { Certificate, Tls } from '../facts.ts';
import { GatewayError } from '../gateway.ts';
import { ALL_ADDRESSES } from './addresses.ts';
import { explainFailure } from './call-failure.ts';
import type { Target } from './target.ts';

/** No chain is longer; the last certificate of one names itself as its issuer. */
const MOST_CERTIFICATES = 10;

/** Reads the certificates of a gateway, trusted or not: over a connection of its own, on which nothing is sent. */
export async function readTls(connection: Connection, target: Target): Promise<Tls> {
  if (target.proxy !== undefined) return { unread: 'the connection goes through a proxy' };
  try {
    const socket = await shakeHands(connection, target);
    const chain = chainOf(socket, target);
    // The type has an Error; what is there is its code.
    const fault = socket.authorized ? undefined : target.sanitize(String(socket.authorizationError));
    socket.destroy();
    return chain.length === 0 ? { unread: 'the gateway sent none' } : { chain, fault };
  } catch (error) {
    const explained = explainFailure(error, target, 'connect');
    if (explained instanceof GatewayError) return { unread: explained.message };
    throw explained;
  }
}

function shakeHands({ ca, cert, key }: Connection, target: Target): Promise<TLSSocket> {
  const { hostname, port } = new URL(target.origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const options: ConnectionOptions = {
    ...ALL_ADDRESSES,
    host,
    port: port === '' ? 443 : Number(port),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => resolve(socket));
    socket.on('error', reject);
    socket.setTimeout(target.connectTimeoutMs, () => {
      socket.destroy(Object.assign(new Error('out of time'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
    });
  });
}

function chainOf(socket: TLSSocket, { sanitize }: Target): readonly Certificate[] {
  const chain: Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (isCertificate(next) && chain.length < MOST_CERTIFICATES) {
    chain.push({
      subject: sanitize(printName(next.subject)),
      issuer: sanitize(printName(next.issuer)),
      ...datesOf(next),
    });
    const issuer: DetailedPeerCertificate | undefined = next.issuerCertificate;
    next = issuer === next ? undefined : issuer;
  }
  return chain;
}

/** A date that cannot be parsed is that of a certificate which was never valid. */
function datesOf({ valid_from, valid_to }: DetailedPeerCertificate): Omit<Certificate, 'subject' | 'issuer'> {
  const [validFrom = 0, validTo = 0] = [valid_from, valid_to].map((text) => Date.parse(text) || 0);
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, -'T00:00:00.000Z'.length);
  return { validFrom, validTo, from: dayOf(validFrom), until: dayOf(validTo) };
}

/** Without a certificate Node.js has an empty object, which its types do not say. */
function isCertificate(
  found: Partial<DetailedPeerCertificate> | undefined,
): found is DetailedPeerCertificate {
  return found?.valid_to !== undefined;
}

function printName(name: object): string {
  const parts = Object.entries(name).map(([key, value]) => `${key}=${[value].flat().join('+')}`);
  return parts.join(', ');
}
