import { excess } from '../../model/json/extent.ts';
import { isList, isObject, type Json } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Connection } from '../connection.ts';
import type { Answers, Facts, Reply } from '../facts.ts';
import { GatewayError } from '../gateway.ts';
import type { Call } from './call.ts';
import { isHtml, parseJson, readHeader, type HttpResponse, type Sanitize } from './response.ts';
import { isSuccess } from './read-response.ts';
import { makeHtmlError, readRefusal } from './refusal.ts';
import type { Target } from './target.ts';
import { readTls } from './tls.ts';

/** Enough for a median, without the first one, which includes the connection. */
const PINGS = 6;

export type Examination = {
  readonly connection: Connection;
  readonly target: Target;
  readonly send: (call: Call) => Promise<HttpResponse>;
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
    hasCredentials: target.given.credentials,
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
    const response = await send(call);
    const at = { sentAt, receivedAt: now().getTime(), ...readDate(response) };
    if (!isSuccess(response)) return { ...at, error: readRefusal(response, call, target) };
    if (isHtml(response)) return { ...at, error: makeHtmlError(response, target) };
    const { status, text } = response;
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

function readDate(response: HttpResponse): Pick<Reply, 'date'> {
  const date = Date.parse(readHeader(response, 'date') ?? '');
  return Number.isNaN(date) ? {} : { date };
}

/** Of a larger body, such as a list, no check needs anything. */
const MOST_CHARACTERS = 100_000;

function readSmall(text: string, { sanitize }: Target): Json | undefined {
  if (text.length > MOST_CHARACTERS || excess(text) !== undefined) return undefined;
  const body = parseJson(text);
  return body === undefined ? undefined : mapTexts(body, sanitize);
}

/** The same value with its texts and keys safe to show. */
function mapTexts(value: Json, sanitize: Sanitize): Json {
  if (typeof value === 'string') return sanitize(value);
  if (isList(value)) return value.map((item) => mapTexts(item, sanitize));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [sanitize(key), mapTexts(item, sanitize)]),
  );
}
