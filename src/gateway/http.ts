import type { Dispatcher } from 'undici';
import type { Kind } from '../model/kind.ts';
import { isSuccess, notUnderstood, readList, readRemoval, readUpsertResult } from './answers.ts';
import { listCall, putCall, removeCall, type Call } from './call.ts';
import { MAX_REFUSAL_BYTES, type Connection } from './connection.ts';
import type { Gateway } from './gateway.ts';
import { noAnswer, OUT_OF_TIME } from './no-answer.ts';
import { readTarget, type Target } from './target.ts';
import { tracer } from './trace.ts';
import { headerOf, type Answer } from './words.ts';

/** Kept open at once; more calls wait for one to be free. */
const MAX_CONNECTIONS = 64;

/**
 * The admin API over HTTP. Nothing is connected, nor the HTTP client loaded, before the first call. Throws a GatewayError
 * at once when the connection cannot be one, such as an address that is no URL.
 */
export function httpGateway(connection: Connection): Gateway {
  const target = readTarget(connection);
  let dispatcher: Promise<Dispatcher> | undefined;
  const follow = tracer(connection, target);
  const send = async (kind: Kind, call: Call): Promise<Answer> => {
    dispatcher ??= connect(connection, target);
    const open = await dispatcher;
    const tracing = follow?.(kind, call);
    tracing?.sent();
    try {
      const answer = await exchange(open, call, target);
      tracing?.answered(answer);
      return answer;
    } catch (error) {
      tracing?.failed(error);
      throw error;
    }
  };
  return {
    url: target.url,
    list: async (kind) => {
      const call = listCall(kind);
      return readList(kind, await send(kind, call), call, target);
    },
    put: async (kind, resource) => {
      const call = putCall(kind, resource);
      return readUpsertResult(await send(kind, call), call, target);
    },
    remove: async (kind, resource) => {
      const call = removeCall(kind, resource);
      return readRemoval(await send(kind, call), call, target);
    },
    close: async () => {
      const open = await dispatcher;
      dispatcher = undefined;
      await open?.close();
    },
  };
}

async function connect(connection: Connection, target: Target): Promise<Dispatcher> {
  // Bundled, a CommonJS package has its default export only.
  const { Agent, Pool, ProxyAgent } = (await import('undici')).default;
  const pool = { connections: MAX_CONNECTIONS, headersTimeout: target.timeoutMs };
  const tls = {
    ...defined({ ca: connection.ca, cert: connection.cert, key: connection.key }),
    rejectUnauthorized: connection.insecure !== true,
    timeout: target.connectTimeoutMs,
  };
  const { proxy } = target;
  if (proxy === undefined || proxy.forwards) return new Agent({ ...pool, connect: tls });
  return new ProxyAgent({
    ...pool,
    uri: proxy.origin,
    ...defined({ token: proxy.authorization }),
    requestTls: tls,
    proxyTls: { timeout: target.connectTimeoutMs },
    clientFactory: (origin, options) => new Pool(origin, { ...options, ...pool }),
  });
}

async function exchange(dispatcher: Dispatcher, call: Call, target: Target): Promise<Answer> {
  const body = call.body === undefined ? null : JSON.stringify(call.body);
  // One for the whole of it: who sends a byte now and then is not waited for without end.
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort(Object.assign(new Error('out of time'), { code: OUT_OF_TIME }));
  }, target.timeoutMs);
  let during: 'request' | 'answer' = 'request';
  try {
    const response = await dispatcher.request({
      ...address(call, target),
      method: call.method,
      body,
      signal: deadline.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    during = 'answer';
    const { statusCode: status, headers } = response;
    const bytes = await readBytes(response, call, target);
    return { status, headers, text: decode(bytes, { status, headers, text: '' }, call, target) };
  } catch (error) {
    throw noAnswer(error, target, during);
  } finally {
    clearTimeout(timer);
  }
}

/** A forwarding proxy is asked for the whole URL; everybody else for a path. */
function address(
  { path, body }: Call,
  { origin, prefix, proxy, headers }: Target,
): Pick<Dispatcher.RequestOptions, 'origin' | 'path' | 'headers'> {
  const sent = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
  if (proxy?.forwards !== true) return { origin, path: `${prefix}${path}`, headers: sent };
  return {
    origin: proxy.origin,
    path: `${origin}${prefix}${path}`,
    headers: {
      host: new URL(origin).host,
      ...defined({ 'proxy-authorization': proxy.authorization }),
      ...sent,
    },
  };
}

/** All of an answer that may become resources, and the beginning of a refusal. */
async function readBytes(response: Dispatcher.ResponseData, call: Call, target: Target): Promise<Buffer> {
  const { statusCode: status, body } = response;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    // no encoding is set, so the chunks are bytes
    length += chunk.length;
    if (isSuccess({ status }) && length > target.maxAnswerBytes) {
      throw notUnderstood(`is longer than ${target.maxAnswerBytes / 1e6} MB`, { status }, call, target);
    }
    chunks.push(chunk);
    if (!isSuccess({ status }) && length > MAX_REFUSAL_BYTES) break;
  }
  return Buffer.concat(chunks);
}

/** Strict where the text becomes resources; an error page may be in whatever encoding. */
function decode(bytes: Buffer, answer: Answer, call: Call, target: Target): string {
  const encoding = headerOf(answer, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    if (!isSuccess(answer)) return '';
    throw notUnderstood('is compressed, though nobody asked for that', answer, call, target);
  }
  try {
    return new TextDecoder('utf-8', { fatal: isSuccess(answer) }).decode(bytes);
  } catch {
    throw notUnderstood('is not UTF-8', answer, call, target);
  }
}

/** Without the keys that have no value: for the HTTP client, a key that is there counts. */
function defined<T extends object>(values: T): { [key in keyof T]?: NonNullable<T[key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [key in keyof T]?: NonNullable<T[key]>; // what the filter leaves
  };
}
