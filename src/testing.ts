/**
 * An embedded gateway for tests, imported as `gwconf/testing`; docs/reference/testing.md has examples.
 *
 *     await using gateway = await startGateway({ version: '3.20.0' });
 */

import { present } from './model/collect.ts';
import type { Json, JsonObject } from './model/json/json.ts';
import type { Kind } from './model/kind.ts';
import { asValid } from './model/resource.ts';
import { catalog } from './schema/kinds/index.ts';
import { openMemoryGateway, splitUrl } from './emulator/memory.ts';
import type { ApiResponse } from './emulator/responses.ts';
import {
  DEFAULT_USER,
  serveGateway,
  type SeenRequest,
  type User,
  type Interception,
  type ServerOptions,
} from './emulator/server.ts';
import { makeSigner } from './emulator/signer.ts';
import type { Options } from './emulator/embedded-state.ts';
import { parseJson, printJson } from './model/json/json-text.ts';
import { loadV1Operations } from './v1/door.ts';

export type { User } from './emulator/server.ts';
export type { SecurityMode } from './emulator/embedded-state.ts';
export type { Json, JsonObject } from './model/json/json.ts';
export { GatewayError } from './gateway/gateway.ts';

export type GatewayOptions = Pick<
  Options,
  'version' | 'security' | 'oauth' | 'mtls' | 'physicalClusters' | 'plugins' | 'state'
> & {
  /** The topics of the Kafka cluster with their cleanup.policy. Default: every topic exists. */
  readonly topics?: Readonly<Record<string, string>>;
  /** Default: any free one. */
  readonly port?: number;
  /** Users may read, and write with `admin`. Default: admin with the password conduktor. */
  readonly users?: readonly User[];
  /** The objects that it has from the start, each after the objects that it refers to. */
  readonly resources?: readonly JsonObject[];
  readonly faults?: readonly Fault[];
  /** The clock for the expiry of tokens, in milliseconds. Default: that of the system. */
  readonly now?: () => number;
};

/** A request as it came, and the status of the response. */
export type LoggedRequest = {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** By lower-case name, without the credentials. */
  readonly headers: SeenRequest['headers'];
  /** JSON if it is, else text; undefined if there is none. */
  readonly body: Json | undefined;
  /** Undefined if there was no response. */
  readonly status: number | undefined;
};

/** A resource as a gateway lists it. */
export type ListedResource = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string };
  readonly spec: JsonObject;
};

/** An embedded gateway for a test, served on 127.0.0.1 until it is closed. */
export type TestGateway = AsyncDisposable & {
  readonly url: string;
  readonly version: string;
  /** Variables with which gwconf, the official CLI and the Terraform provider use this gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** The requests that were answered or dropped so far. */
  readonly requests: readonly LoggedRequest[];
  clearRequests(): void;
  /** Plays another script from now on. */
  setFaults(faults: readonly Fault[]): void;
  /** Creates or replaces resources without a request. Rejects with a GatewayError for one that it refuses. */
  put(...resources: readonly JsonObject[]): Promise<void>;
  /** All of a kind, as the v2 API lists them. */
  list(kind: string): Promise<readonly ListedResource[]>;
  /** All that it has, as JSON: the `state` of another one. */
  snapshot(): JsonObject;
  close(): Promise<void>;
};

/** Starts an embedded gateway whose state is in memory. Rejects when it cannot listen, or refuses one of `resources`. */
export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const { port = 0, users = [DEFAULT_USER], resources = [], faults = [] } = options;
  const { topics, now = () => Date.now(), ...others } = options;
  const inMemory = {
    ...others,
    ...present({ topics: topics && new Map(Object.entries(topics)) }),
    userPool: { now, sign: makeSigner('gwconf/testing') },
  };
  const embedded = await openMemoryGateway(catalog.kinds, inMemory, loadV1Operations);
  const put = async (...all: readonly JsonObject[]): Promise<void> => {
    for (const one of all) await embedded.put(kindOf(one['kind'] ?? null), asValid(one)); // put checks it
  };
  await put(...resources);

  const requests: LoggedRequest[] = [];
  const log = (seen: SeenRequest, status: number | undefined): void =>
    void requests.push(makeEntry(seen, status));
  let play = playFaults(faults);
  const server = await serveGateway(embedded, {
    port,
    users,
    onExchange: (seen, { status }) => log(seen, status),
    async intercept(seen, handle) {
      const result = await play(seen, handle);
      if (typeof result === 'string') log(seen, undefined);
      return result;
    },
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= server.close());
  return {
    url: server.url,
    version: embedded.version,
    env: envFor(server.url, users),
    requests,
    clearRequests: () => void requests.splice(0),
    setFaults: (script) => void (play = playFaults(script)),
    put,
    list: (kind) => embedded.list(kindOf(kind)),
    snapshot: () => parseJson(printJson(embedded.snapshot())) as JsonObject, // an object of JSON
    close,
    [Symbol.asyncDispose]: close,
  };
}

function kindOf(name: Json): Kind {
  const kind = typeof name === 'string' ? catalog.kinds.get(name) : undefined;
  if (kind !== undefined) return kind;
  throw new TypeError(
    `expected a kind: ${[...catalog.kinds.keys()].join(', ')}; found ${JSON.stringify(name)}`,
  );
}

function envFor(url: string, users: readonly User[]): Readonly<Record<string, string>> {
  const { username, password } = users.find(({ admin }) => admin) ?? DEFAULT_USER;
  return {
    GWCONF_URL: url,
    GWCONF_USER: username,
    GWCONF_PASSWORD: password,
    CDK_GATEWAY_BASE_URL: url,
    CDK_GATEWAY_USER: username,
    CDK_GATEWAY_PASSWORD: password,
  };
}

function makeEntry({ method, url, headers, body }: SeenRequest, status: number | undefined): LoggedRequest {
  const { path, query } = splitUrl(url);
  const { authorization: _, ...others } = headers;
  return { method, path, query, headers: others, body: parse(body), status };
}

function parse(text: string): Json | undefined {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** What goes wrong with some calls. The first fault of a script that is for a call is played. */
export type Fault = {
  /** The method of the calls, such as PUT. Default: any. */
  readonly method?: string;
  /** Their path without the query: `*` is any one segment, `**` at the end any number of them. Default: any. */
  readonly path?: string;
  /** Which of these calls, from 1. Default: each of them. */
  readonly nth?: number;
} & Effect;

export type Effect =
  /** Responds with this instead of doing anything. A body that is a string is sent as text. */
  | {
      readonly status: number;
      readonly body?: Json;
      /** The header Retry-After, in seconds. */
      readonly retryAfter?: number;
      readonly delayMs?: number;
    }
  /** Does what the call asks for, and responds later. */
  | { readonly delayMs: number }
  /** Closes the connection without a response: before anything is done, or after it. */
  | { readonly drop: 'before' | 'after'; readonly delayMs?: number }
  /** Does nothing and never responds. */
  | { readonly noResponse: true };

/** Plays a script of faults; every fault counts its own calls. */
function playFaults(script: readonly Fault[]): NonNullable<ServerOptions['intercept']> {
  const counts = new Map<Fault, number>();
  return async ({ method, url }, handle) => {
    const { path } = splitUrl(url);
    const mine = script.filter((fault) => isFor(fault, method, path));
    for (const fault of mine) counts.set(fault, (counts.get(fault) ?? 0) + 1);
    const fault = mine.find((one) => one.nth === undefined || one.nth === counts.get(one));
    if (fault === undefined) return handle();
    if ('noResponse' in fault) return 'no-response';
    const result = resultOf(fault, handle);
    if (fault.delayMs !== undefined) await delay(fault.delayMs);
    return result;
  };
}

function resultOf(fault: Exclude<Effect, { noResponse: true }>, handle: () => ApiResponse): Interception {
  if ('drop' in fault) {
    if (fault.drop === 'after') handle();
    return 'drop-connection';
  }
  if (!('status' in fault)) return handle();
  const { status, body, retryAfter } = fault;
  const content = typeof body === 'string' ? { text: body } : present({ body });
  return { status, ...content, ...present({ retryAfter }) };
}

/** A process does not stay alive for it. */
function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function isFor({ method, path }: Fault, called: string, at: string): boolean {
  if (method !== undefined && method.toUpperCase() !== called) return false;
  if (path === undefined) return true;
  const [parts, segments] = [path.split('/'), at.split('/')];
  const isOpen = parts.at(-1) === '**';
  const fixed = isOpen ? parts.slice(0, -1) : parts;
  if (isOpen ? segments.length < fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((part, index) => part === '*' || part === segments[index]);
}
