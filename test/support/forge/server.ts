import { createServer, type IncomingHttpHeaders } from 'node:http';
import { isObject, valueOf, type Json, type JsonObject } from '../../../src/model/json/json.ts';
import { listen } from '../listen.ts';

/** One request as a forge got it. */
export type ForgeRequest = {
  readonly method: string;
  /** Without the root of the API. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
};

export type ForgeAnswer = {
  readonly status: number;
  readonly data?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the connection is closed in place of an answer. */
  readonly cut?: true;
};

export type FakeComment = { readonly id: number; readonly author: string; body: string; version: number };

/** Who a token acts as, and what it may do. */
export type FakeToken = { readonly account: string; readonly rights: 'write' | 'read' | 'none' };

/** The comments of one pull request on a forge. */
export type FakeForge = {
  /** The root of its API. */
  readonly api: string;
  /** Oldest first. */
  readonly comments: FakeComment[];
  /** The newest commit of the pull request. */
  head: string;
  readonly tokens: Map<string, FakeToken>;
  readonly requests: readonly ForgeRequest[];
  /** What is not as the forge describes its API. */
  readonly faults: readonly string[];
  /** The variables of a job for the pull request, without a token. */
  readonly env: Readonly<Record<string, string>>;
  add(author: string, body: string): FakeComment;
  /** Answers, or waits, before the forge does; undefined leaves it to the forge. */
  intercept(
    handle: (request: ForgeRequest) => Promise<ForgeAnswer | undefined> | ForgeAnswer | undefined,
  ): void;
  /** Requests that are meant to change something, as `POST /path`. */
  writes(): readonly string[];
};

/** What is special about one forge. */
export type ForgeApi = {
  /** The path of the root. */
  readonly root: string;
  readonly envOf: (origin: string) => Readonly<Record<string, string>>;
  /** Requests that are a POST and change nothing. */
  readonly isRead?: (request: ForgeRequest) => boolean;
  readonly answer: (request: ForgeRequest, forge: FakeForge, who: FakeToken | undefined) => ForgeAnswer;
  /** What is wrong with an exchange. */
  readonly check?: (request: ForgeRequest, answer: ForgeAnswer) => readonly string[];
  readonly firstId?: number;
};

/** Serves a forge on a free port until the test ends. */
export async function serveForge(forge: ForgeApi): Promise<FakeForge> {
  const requests: ForgeRequest[] = [];
  const faults: string[] = [];
  const comments: FakeComment[] = [];
  const tokens = new Map<string, FakeToken>();
  let id = forge.firstId ?? 1000;
  let intercept: Parameters<FakeForge['intercept']>[0] = () => undefined;
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      void (async () => {
        const url = new URL(message.url ?? '', 'http://forge');
        const text = Buffer.concat(chunks).toString();
        const parsed = text === '' ? {} : (JSON.parse(text) as Json);
        const request: ForgeRequest = {
          method: message.method ?? '',
          path: url.pathname.startsWith(forge.root) ? url.pathname.slice(forge.root.length) : url.pathname,
          query: Object.fromEntries(url.searchParams),
          headers: message.headers,
          body: isObject(parsed) ? parsed : {},
        };
        requests.push(request);
        const who = tokens.get(tokenIn(request));
        const answer = (await intercept(request)) ?? forge.answer(request, fake, who);
        faults.push(...(forge.check?.(request, answer) ?? []));
        if (answer.cut === true) {
          message.socket.destroy();
          return;
        }
        const type = answer.data === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
        response.writeHead(answer.status, { ...type, ...answer.headers });
        response.end(answer.data === undefined ? undefined : JSON.stringify(answer.data));
      })();
    });
  });
  const port = await listen(server);
  const origin = `http://127.0.0.1:${port}`;
  const fake: FakeForge = {
    api: `${origin}${forge.root}`,
    comments,
    head: '0123456789abcdef0123456789abcdef01234567',
    tokens,
    requests,
    faults,
    env: forge.envOf(origin),
    add(author, body) {
      const made = { id: id++, author, body, version: 0 };
      comments.push(made);
      return made;
    },
    intercept: (handle) => {
      intercept = handle;
    },
    writes: () =>
      requests
        .filter((request) => request.method !== 'GET' && forge.isRead?.(request) !== true)
        .map(({ method, path }) => `${method} ${path}`),
  };
  return fake;
}

/** A token as bearer, or as the password of a user. */
function tokenIn({ headers }: ForgeRequest): string {
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(' ');
  return scheme === 'Basic' ? (Buffer.from(value, 'base64').toString().split(':')[1] ?? '') : value;
}

/** A page of items, and whether there are more. */
export function pageOf<T>(
  items: readonly T[],
  size: number,
  start: number,
): readonly [readonly T[], boolean] {
  return [items.slice(start, start + size), start + size < items.length];
}

/** A text in the body of a request; a forge refuses anything else. */
export function textIn(value: Json | undefined, key: string): string {
  const text = value === undefined ? undefined : valueOf(value, key);
  if (typeof text !== 'string') throw new Error(`${key} is not a text`);
  return text;
}
