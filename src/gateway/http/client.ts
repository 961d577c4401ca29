import type { Dispatcher } from 'undici';
import { isSuccess, makeNotUnderstood } from './read-response.ts';
import type { Call } from './call.ts';
import { MAX_REFUSAL_BYTES, type Connection } from '../connection.ts';
import { explainFailure, OUT_OF_TIME } from './call-failure.ts';
import type { Target } from './target.ts';
import { readHeader, type HttpResponse } from './response.ts';

/** Kept open at once; more calls wait for one to be free. */
const MAX_CONNECTIONS = 64;

/** The HTTP client on its way to one gateway. */
export type Client = {
  /**
   * Makes one request and gathers its answer, within the target's `timeoutMs` for the whole of it: who sends a byte now
   * and then is not waited for without end. Rejects with a GatewayError, or for a bug.
   */
  readonly exchange: (call: Call) => Promise<HttpResponse>;
  readonly close: () => Promise<void>;
};

/** Loads the HTTP client; nothing is connected before the first call. */
export async function openClient(connection: Connection, target: Target): Promise<Client> {
  const dispatcher = await makeDispatcher(connection, target);
  const way = makeRequestBase(target);
  const withBody = { ...way, headers: { 'content-type': 'application/json', ...way.headers } };
  return {
    exchange: (call) => exchange(dispatcher, call, call.body === undefined ? way : withBody, target),
    close: () => dispatcher.close(),
  };
}

async function makeDispatcher(connection: Connection, target: Target): Promise<Dispatcher> {
  // Bundled, a CommonJS package has its default export only.
  const { Pool, ProxyAgent } = (await import('undici')).default;
  const pool = { connections: MAX_CONNECTIONS, headersTimeout: target.timeoutMs };
  const tls = {
    ...dropUndefined({ ca: connection.ca, cert: connection.cert, key: connection.key }),
    rejectUnauthorized: connection.insecure !== true,
    timeout: target.connectTimeoutMs,
  };
  const { proxy } = target;
  if (proxy === undefined || proxy.forwards)
    return new Pool(proxy?.origin ?? target.origin, { ...pool, connect: tls });
  return new ProxyAgent({
    ...pool,
    uri: proxy.origin,
    ...dropUndefined({ token: proxy.authorization }),
    requestTls: tls,
    proxyTls: { timeout: target.connectTimeoutMs },
    clientFactory: (origin, options) => new Pool(origin, { ...options, ...pool }),
  });
}

async function exchange(
  dispatcher: Dispatcher,
  call: Call,
  { origin, prefix, headers }: RequestBase,
  target: Target,
): Promise<HttpResponse> {
  const gathering = new ResponseCollector(call, target);
  const timer = setTimeout(() => {
    gathering.abort(Object.assign(new Error('out of time'), { code: OUT_OF_TIME }));
  }, target.timeoutMs);
  try {
    const { method } = call;
    const path = `${prefix}${call.path}`;
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    dispatcher.dispatch(
      { origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      gathering,
    );
    const { head, bytes } = await gathering.response;
    return { status: head.status, headers: head.headers, text: decode(bytes, head, call, target) };
  } catch (error) {
    throw explainFailure(error, target, gathering.phase);
  } finally {
    clearTimeout(timer);
  }
}

type ResponseHead = Omit<HttpResponse, 'text'>;
type RawResponse = { readonly head: ResponseHead; readonly bytes: Buffer };

/**
 * All of an answer that may become resources, and the beginning of a refusal. It takes what the HTTP client hands over as
 * it comes, since a stream costs as much as the rest of a call.
 */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly response: Promise<RawResponse>;
  phase: 'request' | 'answer' = 'request';
  readonly #call: Call;
  readonly #target: Target;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #head: ResponseHead = { status: 0, headers: {} };
  #resolve: (gathered: RawResponse) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp: Error | undefined;

  constructor(call: Call, target: Target) {
    this.#call = call;
    this.#target = target;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Breaks the request off; one that has no connection yet, when it gets it: to wait for that has a limit of its own. */
  abort(why: Error): void {
    this.#givenUp = why;
    this.#controller?.abort(why);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpResponse['headers']): void {
    if (status < 200) return; // the answer is still to come
    this.phase = 'answer';
    this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#length += chunk.length;
    this.#chunks.push(chunk);
    const { maxAnswerBytes } = this.#target;
    if (isSuccess(this.#head)) {
      if (this.#length <= maxAnswerBytes) return;
      const fault = `is longer than ${maxAnswerBytes / 1e6} MB`;
      this.abort(makeNotUnderstood(fault, this.#head, this.#call, this.#target));
    } else if (this.#length > MAX_REFUSAL_BYTES) {
      this.onResponseEnd();
      controller.abort(new Error('enough of it was read'));
    }
  }

  onResponseEnd(): void {
    this.#resolve({ head: this.#head, bytes: Buffer.concat(this.#chunks) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

/** What all requests have in common. */
type RequestBase = {
  readonly origin: string;
  /** What stands before the path of a call. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** A forwarding proxy is asked for the whole URL; everybody else for a path. */
function makeRequestBase({ origin, prefix, proxy, headers }: Target): RequestBase {
  if (proxy?.forwards !== true) return { origin, prefix, headers };
  const { host } = new URL(origin);
  const authorization = dropUndefined({ 'proxy-authorization': proxy.authorization });
  return {
    origin: proxy.origin,
    prefix: `${origin}${prefix}`,
    headers: { host, ...authorization, ...headers },
  };
}

const STRICT = new TextDecoder('utf-8', { fatal: true });
const LENIENT = new TextDecoder();

/** Strict where the text becomes resources; an error page may be in whatever encoding. */
function decode(bytes: Buffer, head: ResponseHead, call: Call, target: Target): string {
  const encoding = readHeader(head, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    if (!isSuccess(head)) return '';
    throw makeNotUnderstood('is compressed, though nobody asked for that', head, call, target);
  }
  try {
    return (isSuccess(head) ? STRICT : LENIENT).decode(bytes);
  } catch {
    throw makeNotUnderstood('is not UTF-8', head, call, target);
  }
}

/** Without the keys that have no value: for the HTTP client, a key that is there counts. */
function dropUndefined<T extends object>(values: T): { [key in keyof T]?: NonNullable<T[key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [key in keyof T]?: NonNullable<T[key]>; // what the filter leaves
  };
}
