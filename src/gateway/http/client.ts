import type { buildConnector, Dispatcher } from 'undici';
import { isSuccess, makeNotUnderstood } from './read-response.ts';
import { type Call, readHeader, type HttpResponse } from './call.ts';
import { MAX_REFUSAL_BYTES, type CallListener, type Connection } from '../connection.ts';
import { GatewayError } from '../gateway.ts';
import { present } from '../../model/collect.ts';
import { countValues } from '../../model/json/extent.ts';
import { printJson } from '../../model/json/json-text.ts';
import { GrowingBytes } from '../../model/growing-bytes.ts';
import { explainFailure, isResetAfterUse, OUT_OF_TIME, PROXY_CLOSED, type Phase } from './call-failure.ts';
import { type Target, ALL_ADDRESSES } from './target.ts';

/** A response to a write of at most so many bytes counts for nothing beside what a run has in memory. */
const FEW_BYTES = 100_000;
/** More calls than connections wait for a free one. */
const MAX_CONNECTIONS = 64;

/** An HTTP client for one gateway. */
export type Client = Awaited<ReturnType<typeof openClient>>;

/** Loads the HTTP package; connects with the first call. */
export async function openClient(connection: Connection, target: Target) {
  let dispatcher = await makeDispatcher(connection, target);
  const opened = [dispatcher];
  let unshared: Promise<Dispatcher> | undefined;
  // Some servers and load balancers reset connections that carried a call before.
  const stopSharing = async (): Promise<void> => {
    dispatcher = await (unshared ??= makeDispatcher(connection, target, ONE_CALL_EACH));
    opened[1] = dispatcher;
  };
  const base = makeRequestBase(target);
  const withBody = { ...base, headers: { 'content-type': 'application/json', ...base.headers } };
  const inFlight = new Set<Promise<HttpResponse>>();
  const seen = { hasAnswered: false };
  return {
    /**
     * Makes one request and reads its response. `timeoutMs` of the target limits all of it, so that a server that sends a
     * byte now and then does not block. Rejects with a GatewayError, or for a bug.
     */
    exchange(call: Call, checkSize: CallListener['checkSize']): Promise<HttpResponse> {
      const request = call.body === undefined ? base : withBody;
      const response = exchange(dispatcher, call, request, { target, checkSize, stopSharing, seen });
      inFlight.add(response);
      return response.finally(() => inFlight.delete(response));
    },
    async close(): Promise<void> {
      await Promise.allSettled(inFlight);
      // Unlike close, it does not wait for what timed out and still has no connection.
      await Promise.all(opened.map((one) => one.destroy()));
    },
  };
}

/** Each call closes its connection. */
const ONE_CALL_EACH = { pipelining: 0 };

async function makeDispatcher(
  connection: Connection,
  target: Target,
  more: Partial<typeof ONE_CALL_EACH> = {},
): Promise<Dispatcher> {
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  const { default: makeConnector } = await import('undici/lib/core/connect.js');
  const pool = { connections: MAX_CONNECTIONS, headersTimeout: target.timeoutMs, ...more };
  const connect = { ...ALL_ADDRESSES, timeout: target.connectTimeoutMs };
  const tls = {
    ...connect,
    ...present({ ca: connection.ca, cert: connection.cert, key: connection.key }), // it takes no undefined
    rejectUnauthorized: connection.insecure !== true,
  };
  const { proxy } = target;
  if (proxy === undefined || proxy.forwards)
    return new Pool(proxy?.origin ?? target.origin, { ...pool, connect: tellUse(makeConnector(tls)) });
  // In the bundle a CommonJS package has only its default export.
  const { ProxyAgent } = (await import('undici')).default;
  return new ProxyAgent({
    ...pool,
    uri: proxy.origin,
    ...present({ token: proxy.authorization }),
    requestTls: tls,
    proxyTls: connect,
    clientFactory: (origin, options) => new Pool(origin, { ...options, ...pool }),
    factory: (origin, options: { readonly connect: buildConnector.connector }) =>
      new Pool(origin, { ...options, connect: tellUse(endWithProxy(options.connect)) }),
  });
}

/** A connector that fails where undici would try again at once, for ever: the proxy has closed the connection. */
function endWithProxy(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error === null) done(null, socket);
      else done(isClosed(error) ? Object.assign(new Error(), { code: PROXY_CLOSED }) : error, null);
    });
}

/** A connector whose connections tell with an error of the system how much they had read, as errors of undici do. */
function tellUse(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      socket?.on('error', (failure) => {
        Object.assign(failure, { socket: { bytesRead: socket.bytesRead } });
      });
      if (error === null) done(null, socket);
      else done(error, null);
    });
}

function isClosed(error: Error): boolean {
  return 'code' in error && (error.code === 'UND_ERR_SOCKET' || error.code === 'UND_ERR_INFO');
}

/** What the calls of a client share. */
type Exchange = Pick<CallListener, 'checkSize'> & {
  readonly target: Target;
  readonly stopSharing: () => Promise<void>;
  readonly seen: { hasAnswered: boolean };
};

async function exchange(
  dispatcher: Dispatcher,
  call: Call,
  { origin, prefix, headers }: RequestBase,
  { target, checkSize, stopSharing, seen }: Exchange,
): Promise<HttpResponse> {
  const gathering = new ResponseCollector(call, target, checkSize);
  const timer = setTimeout(() => {
    gathering.abort(Object.assign(new Error('out of time'), { code: OUT_OF_TIME }));
  }, target.timeoutMs);
  try {
    const { method } = call;
    const path = `${prefix}${call.path}`;
    const body = call.body === undefined ? null : printJson(call.body);
    // With `reset: false` the connection of a DELETE with a body, which the API asks for, is used again.
    dispatcher.dispatch(
      { origin, path, method, headers, body, reset: false, headersTimeout: 0, bodyTimeout: 0 },
      gathering,
    );
    const { head, bytes } = await gathering.response;
    seen.hasAnswered = true;
    gathering.checkValues();
    return { status: head.status, headers: head.headers, text: decode(bytes, head, call, target) };
  } catch (error) {
    if (gathering.phase === 'request' && isResetAfterUse(error)) await stopSharing();
    throw explainFailure(error, target, gathering.phase, { ...seen, call });
  } finally {
    clearTimeout(timer);
  }
}

type ResponseHead = Omit<HttpResponse, 'text'>;
type RawResponse = { readonly head: ResponseHead; readonly bytes: Uint8Array };

/**
 * Collects a response: all of a successful one, the beginning of a refusal. It handles the dispatcher's events itself,
 * because a stream costs as much as the rest of a call.
 */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly response: Promise<RawResponse>;
  phase: Phase = 'connect';
  readonly #call: Call;
  readonly #target: Target;
  readonly #checkSize: CallListener['checkSize'];
  readonly #bytes = new GrowingBytes();
  #head: ResponseHead = { status: 0, headers: {} };
  #resolve: (gathered: RawResponse) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;

  constructor(call: Call, target: Target, checkSize: CallListener['checkSize']) {
    this.#call = call;
    this.#target = target;
    this.#checkSize = checkSize;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends the request, also one that waits for a connection, which is aborted as soon as it has one. */
  abort(why: Error): void {
    this.#aborted = why;
    this.#reject(why);
    this.#controller?.abort(why);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.phase = 'request';
    this.#controller = controller;
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpResponse['headers']): void {
    if (status < 200) return; // informational; the response follows
    this.phase = 'response';
    this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes.append(chunk);
    const { maxAnswerBytes } = this.#target;
    if (isSuccess(this.#head)) {
      if (this.#isTold) {
        const tooLarge = this.#makeTooLarge(this.#checkSize?.(this.#call.path, this.#bytes.length));
        if (tooLarge !== undefined) this.abort(tooLarge);
      }
      if (this.#bytes.length <= maxAnswerBytes) return;
      const about = { ...this.#head, call: this.#call, target: this.#target };
      this.abort(makeNotUnderstood(`is longer than ${maxAnswerBytes / 1e6} MB`, about));
    } else if (this.#bytes.length > MAX_REFUSAL_BYTES) {
      this.onResponseEnd();
      controller.abort(new Error('enough was read'));
    }
  }

  /** Throws a GatewayError where all of a successful response has more values than fit in memory. */
  checkValues(): void {
    if (!isSuccess(this.#head) || !this.#isTold) return;
    const bytes = this.#bytes.all();
    const tooLarge = this.#checkSize?.(this.#call.path, bytes.length, countValues(bytes));
    const error = this.#makeTooLarge(tooLarge);
    if (error !== undefined) throw error;
  }

  /** The response to a write is a resource, and so small that it is of no account. */
  get #isTold(): boolean {
    return this.#call.method === 'GET' || this.#bytes.length > FEW_BYTES;
  }

  #makeTooLarge(found: ReturnType<NonNullable<CallListener['checkSize']>>): GatewayError | undefined {
    const { status } = this.#head;
    return found && new GatewayError('failed', found.message, { status, hint: found.hint });
  }

  onResponseEnd(): void {
    this.#resolve({ head: this.#head, bytes: this.#bytes.all() });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

/** What all requests share. */
type RequestBase = {
  readonly origin: string;
  /** Comes before the path of a call. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** A forwarding proxy gets the whole URL in the request; otherwise the path is enough. */
function makeRequestBase({ origin, prefix, proxy, headers }: Target): RequestBase {
  if (proxy?.forwards !== true) return { origin, prefix, headers };
  const { host } = new URL(origin);
  const authorization = present({ 'proxy-authorization': proxy.authorization });
  return {
    origin: proxy.origin,
    prefix: `${origin}${prefix}`,
    headers: { host, ...authorization, ...headers },
  };
}

const STRICT = new TextDecoder('utf-8', { fatal: true });
const LENIENT = new TextDecoder();

/** Strict for resources; an error page may have any encoding. */
function decode(bytes: Uint8Array, head: ResponseHead, call: Call, target: Target): string {
  const encoding = readHeader(head, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    if (!isSuccess(head)) return '';
    throw makeNotUnderstood('is compressed, which was not requested', { ...head, call, target });
  }
  try {
    return (isSuccess(head) ? STRICT : LENIENT).decode(bytes);
  } catch {
    throw makeNotUnderstood('is not UTF-8', { ...head, call, target });
  }
}
