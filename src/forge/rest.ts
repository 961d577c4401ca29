import { request } from '@octokit/request';
import { isList, isObject, valueAt, valueOf, type Json } from '../model/json/json.ts';
import type { Wire } from './fetch.ts';
import { ForgeError, type Access, type Comment } from './forge.ts';

export type Answer = { readonly data: Json; readonly headers: Readonly<Record<string, string | undefined>> };

type Parameters = Readonly<Record<string, Json>>;
type Request = readonly [route: string, parameters: Parameters];

/**
 * Requests in the form of `@octokit/request`, `GET /repos/{owner}/{repo}`: the placeholders are escaped, and all other parameters
 * are the query or the body.
 */
export type Rest = {
  /** For a request that may have its effect twice. */
  readonly repeat: (route: string, parameters?: Parameters) => Promise<Answer>;
  /** For one that must not. */
  readonly once: (route: string, parameters?: Parameters) => Promise<Answer>;
};

/** What tells a forge from others: words for messages, requests, and the form of comments. */
export type ForgeApi = {
  /** `GitHub` */
  readonly forge: string;
  /** `pull request acme/gateway#12` */
  readonly target: string;
  /** The right that the token needs, and where it is given, in the imperative. */
  readonly rights: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly whoAmI: (rest: Rest) => Promise<string | undefined>;
  /** For the pull request, and where its answer has the newest commit. */
  readonly about: Request;
  readonly head: readonly string[];
  /** For the first page of the comments. */
  readonly list: Request;
  /** The comments of a page; default: all of the answer. */
  readonly commentsIn?: (answer: Answer) => Json | undefined;
  /** For the page after an answer; default: the address in its Link header. */
  readonly next?: (answer: Answer) => Request | undefined;
  readonly create: (body: string) => Request;
  readonly update: (comment: Comment, body: string) => Request;
  readonly remove: (comment: Comment) => Request;
  readonly read: (item: Json) => Comment;
};

export function openRest(
  { pullRequest, token, userAgent }: Access,
  { repeat, once }: Wire,
  api: Pick<ForgeApi, 'forge' | 'target' | 'rights' | 'headers'>,
): Rest {
  const base = request.defaults({
    baseUrl: pullRequest.api,
    headers: { accept: 'application/json', 'user-agent': userAgent, ...api.headers },
    request: { log: { warn: () => undefined } }, // else it writes to the console
  });
  const send =
    (fetch: Wire['once']): Rest['once'] =>
    async (route, parameters = {}) => {
      try {
        return (await base(route, { ...parameters, request: { fetch } })) as Answer; // JSON, or text
      } catch (error) {
        throw explain(error, api, token.origin);
      }
    };
  return { repeat: send(repeat), once: send(once) };
}

/** The meaning of a refusal; the error of the package holds the request, and is not kept. */
function explain(
  error: unknown,
  { forge, target, rights }: Pick<ForgeApi, 'forge' | 'target' | 'rights'>,
  variable: string,
): unknown {
  if (!(error instanceof Error)) return error;
  if (error.cause instanceof ForgeError) return error.cause;
  if (!('status' in error) || typeof error.status !== 'number') return error;
  const { status } = error;
  const said = reasonOf(error);
  const fail = (message: string, hint?: string): ForgeError =>
    new ForgeError(`${message} (${status})${said === '' ? '' : `: ${said}`}`, {
      status,
      ...(hint === undefined ? {} : { hint }),
    });
  switch (status) {
    case 401:
      return fail(
        `${forge} rejects the token in ${variable} for ${target}`,
        `check that it is complete and has not expired; ${rights}`,
      );
    case 403:
      return fail(`the token in ${variable} must not do this on ${target}`, rights);
    case 404:
      return fail(`the token in ${variable} does not see ${target}`, `check the number; ${rights}`);
    case 429:
      return fail(`${forge} limits the requests of the token in ${variable}`, 'run the job again later');
    case 400:
    case 422:
      return fail(`${forge} rejects the comment on ${target}`);
    default:
      return fail(`${forge} failed`, 'run the job again later');
  }
}

/** The message of the forge, on one line of limited length. */
function reasonOf(error: Error): string {
  const data = 'response' in error ? valueOf(error.response as Json, 'data') : undefined;
  const said =
    valueOf(data, 'message') ??
    valueOf(data, 'error_description') ??
    valueAt(data, '/error/message') ??
    valueOf(data, 'error') ??
    valueAt(data, '/errors/0/message');
  const text = typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said, plainNumber);
  return text.slice(0, 300).replace(/\.$/, '');
}

/** The package reads large numbers as bigint, which JSON does not have. */
function plainNumber(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The comments of all pages. */
export async function readPages(
  { repeat }: Pick<Rest, 'repeat'>,
  {
    list,
    commentsIn = ({ data }) => data,
    next = ({ headers }) => pageAt(/<([^<>]+)>;\s*rel="next"/.exec(headers['link'] ?? '')?.[1]),
  }: Pick<ForgeApi, 'list' | 'commentsIn' | 'next'>,
): Promise<readonly Json[]> {
  const items: Json[] = [];
  let at: Request | undefined = list;
  for (let page = 1; at !== undefined; page += 1) {
    if (page > MOST_PAGES)
      throw new ForgeError(`the pull request has more than ${MOST_PAGES} pages of comments`);
    const answer: Answer = await repeat(...at);
    const found = commentsIn(answer);
    if (!isList(found))
      throw new ForgeError('the forge did not answer with a list of comments', { hint: 'check --api-url' });
    for (const item of found) if (isObject(item)) items.push(item);
    at = next(answer);
  }
  return items;
}

/** Against a server whose pages never end. */
const MOST_PAGES = 1000;

/** A page that an answer names. */
export function pageAt(url = ''): Request | undefined {
  return url === '' ? undefined : [`GET ${url.replace(/[{}]/g, encodeURIComponent)}`, {}];
}

/** A text at a place in an answer. */
export function textOf(value: Json | undefined, ...keys: readonly string[]): string {
  const found = keys.reduce<Json | undefined>(
    (at, key) => (at === undefined ? undefined : valueOf(at, key)),
    value,
  );
  return typeof found === 'object' || found === undefined ? '' : String(found);
}
