import { isIP } from 'node:net';
import { connect, type ConnectionOptions, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { present } from '../../model/collect.ts';
import { excess } from '../../model/json/extent.ts';
import { readJson } from '../../model/json/json-text.ts';
import { mapTexts, type Json } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Connection } from '../connection.ts';
import {
  type Answers,
  type Facts,
  type Reply,
  type Certificate,
  type Tls,
  GatewayError,
} from '../gateway.ts';
import { explainFailure } from './call-failure.ts';
import { isHtml, readHeader, type Call } from './call.ts';
import { isSuccess, makeHtmlError, readRefusal, type Answer } from './read-response.ts';
import { type Target, ALL_ADDRESSES } from './target.ts';

/** Enough for a median, without the first one, which includes the connection. */
const PINGS = 6;

type Examination = {
  readonly connection: Connection;
  readonly target: Target;
  readonly send: (call: Call) => Promise<Answer>;
  readonly now: () => Date;
};

/** Sends requests that change nothing. Without a connection, the others are not tried. */
export async function examine(reserved: Kind, examination: Examination): Promise<Facts> {
  const { connection, target, now } = examination;
  const started = now().getTime();
  const ping = { method: 'GET', path: '/health/live' } as const;
  const pings = [await attempt(ping, examination)];
  const isConnected = pings.some((reply) => 'status' in reply || reply.error.status !== undefined);
  while (isConnected && pings.length < PINGS) pings.push(await attempt(ping, examination));
  const answers = isConnected ? await readAnswers(reserved, examination) : undefined;
  const tls = target.origin.startsWith('https:') ? await readTls(connection, target) : undefined;
  await free();
  return {
    url: target.url,
    now: started,
    hasCredentials: target.given.credentials !== 'none',
    isVerified: connection.insecure !== true,
    tls,
    pings,
    answers,
  };
}

/** One after the other: some gateways take one connection at a time. */
async function readAnswers(reserved: Kind, examination: Examination): Promise<Answers> {
  const get = (path: string): Promise<Reply> => attempt({ method: 'GET', path }, examination);
  return {
    ready: await get('/health/ready'),
    health: await get('/health'),
    usage: await get('/gateway/v2/analytics/lived'),
    list: await get(reserved.collection),
    write: await attempt(makeRefusedCall(reserved), examination),
  };
}

/**
 * Two things keep it from writing: it is a dry run, and its name is reserved, which is refused with 400 (gateway-api A.2, B.6). The
 * resource is valid but for its name, so that rights are checked first.
 */
function makeRefusedCall({ collection, example, builtIn: [name = ''] }: Kind): Call {
  const body = { ...example, metadata: { ...example.metadata, name } };
  return { method: 'PUT', path: `${collection}?dryMode=true`, body };
}

async function attempt(call: Call, { send, target, now }: Examination): Promise<Reply> {
  await free();
  const sentAt = now().getTime();
  try {
    const answer = await send(call);
    const date = Date.parse(readHeader(answer, 'date') ?? '');
    const at = { sentAt, receivedAt: now().getTime(), date: Number.isNaN(date) ? undefined : date };
    if (!isSuccess(answer)) return { ...at, error: readRefusal(answer) };
    if (isHtml(answer)) return { ...at, error: makeHtmlError(answer) };
    const { status, text } = answer;
    return { ...at, status, body: readSmall(text, target) };
  } catch (error) {
    if (error instanceof GatewayError) return { sentAt, receivedAt: now().getTime(), error };
    throw error;
  }
}

/** Until the connection of the last request is free for the next: a gateway may take no second one. */
function free(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Of a larger body, such as a list, no check needs anything. */
const MOST_CHARACTERS = 100_000;

function readSmall(text: string, { sanitize }: Target): Json | undefined {
  if (text.length > MOST_CHARACTERS || excess(text) !== undefined) return undefined;
  const body = readJson(text);
  return body === undefined ? undefined : mapTexts(body, sanitize, sanitize);
}

/** No chain is longer; the last certificate of one names itself as its issuer. */
const MOST_CERTIFICATES = 10;

/** Reads the certificates of a gateway, trusted or not: over a connection of its own, on which nothing is sent. */
async function readTls(connection: Connection, target: Target): Promise<Tls> {
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
    ...present({ ca, cert, key }),
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
