import { hasDuplicateKeys, readExtent } from '../../model/json/extent.ts';
import { isList, valueOf, type Json } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { GatewayError, type UpsertResult, type GatewayErrorCode } from '../gateway.ts';
import { makeProxyRefusal } from './call-failure.ts';
import { type Call, isHtml, readErrorText, type HttpResponse, readHeader } from './call.ts';
import { parseUrl, type Target, urlNameOf } from './target.ts';
import { readJson } from '../../model/json/json-text.ts';

/**
 * The resources of a list. Some versions send an empty body for a filtered list without a match (gateway-api B.7); lists
 * here are never filtered, and a server that drops bodies must not look like a gateway without resources.
 */
export function readList(
  kind: Kind,
  response: HttpResponse,
  call: Call,
  target: Target,
): readonly Resource[] {
  const body = readBody(response, call, target);
  // The API has no pages (gateway-api A.1), but what is between may make them: what is missing is not gone.
  if (response.status === 206 || HAS_MORE.test(readHeader(response, 'link') ?? ''))
    throw makeNotUnderstood('is only a part of the list', response, call, target);
  if (body === undefined)
    throw makeNotUnderstood('is empty, and a list was expected', response, call, target);
  if (!isList(body)) throw makeNotUnderstood('is not a list', response, call, target);
  return body.map((item, at) => {
    try {
      return kind.read(item);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw makeNotUnderstood(
        `contains no resource at index ${at}: ${target.sanitize(error.message)}`,
        response,
        call,
        target,
      );
    }
  });
}

/** A link to the next page (RFC 8288). */
const HAS_MORE = /;\s*rel=[^;,]*\bnext\b/i;

/** The result of an upsert, in any spelling, in its envelope or alone (gateway-api 0.3, B.5). */
export function readUpsertResult(response: HttpResponse, call: Call, target: Target): UpsertResult {
  const body = readBody(response, call, target);
  const said = typeof body === 'string' ? body : valueOf(body, 'upsertResult');
  switch (typeof said === 'string' ? said.toLowerCase().replaceAll(/[^a-z]/g, '') : undefined) {
    case 'created':
      return 'created';
    case 'updated':
      return 'updated';
    case 'notchanged':
    case 'unchanged':
      return 'unchanged';
    default:
      throw makeNotUnderstood('contains no upsertResult', response, call, target);
  }
}

/** Only an error of the API means absent: any server responds with 404 to an unknown path. */
export function readRemoval(response: HttpResponse, call: Call, target: Target): 'removed' | 'absent' {
  if (response.status === 404 && readErrorText(response)?.fromApi === true) return 'absent';
  if (!isSuccess(response)) throw readRefusal(response, call, target);
  if (isHtml(response)) throw makeHtmlError(response, target);
  return 'removed';
}

export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}

/** For a response that is not the API's; `fault` is a predicate: `is not JSON`. */
export function makeNotUnderstood(
  fault: string,
  { status }: { readonly status: number },
  { method, path }: Call,
  target: Target,
): GatewayError {
  const { authority } = target;
  return new GatewayError('not-understood', `the response of ${authority} to ${method} ${path} ${fault}`, {
    status,
    hint: `check that ${urlNameOf(target)} is the admin API of a gateway, and any proxy in between`,
  });
}

/** The JSON of a successful response; undefined when it is empty. Throws a GatewayError for any other. */
export function readBody(response: HttpResponse, call: Call, target: Target): Json | undefined {
  if (!isSuccess(response)) throw readRefusal(response, call, target);
  if (response.text.trim() === '') return undefined;
  const extent = readExtent(response.text);
  if (extent.excess !== undefined) throw makeNotUnderstood(extent.excess, response, call, target);
  const body = readJson(response.text);
  if (body !== undefined) {
    // Of equal keys the last would win, where the gateway or what is between may mean the first.
    if (!hasDuplicateKeys(response.text, body, extent)) return body;
    throw makeNotUnderstood('has a map with two equal keys', response, call, target);
  }
  throw isHtml(response)
    ? makeHtmlError(response, target)
    : makeNotUnderstood('is not JSON', response, call, target);
}

/**
 * The error for a response that is not successful (gateway-api A.2). If the gateway gives a reason, that is the message.
 */
export function readRefusal(response: HttpResponse, call: Call, target: Target): GatewayError {
  const { status } = response;
  const text = readGatewayText(response, target);
  const url = urlNameOf(target);
  const error = (code: GatewayErrorCode, message: string, hint: string): GatewayError =>
    new GatewayError(code, message, { status, hint });

  if (status >= 300 && status < 400) return makeRedirectError(response, target);
  if (wantsTls(response)) {
    return error(
      'unreachable',
      `${target.authority} speaks TLS only (${status})`,
      `write https:// in ${url}`,
    );
  }
  if (status === 407 && target.proxy !== undefined) {
    return makeProxyRefusal(status, target.proxy.authority, target.authority);
  }
  switch (status) {
    case 401:
      return makeUnauthorizedError(target);
    case 403:
      return error(
        'forbidden',
        text ?? `${target.authority} does not allow ${call.method} ${call.path} (403)`,
        'use a user with admin: true in GATEWAY_ADMIN_API_USERS; for an interceptor, check the licence too',
      );
    case 404:
      if (call.method !== 'GET' && readErrorText(response)?.fromApi === true) {
        return error('not-found', text ?? 'not found', 'create the referenced object first, then plan again');
      }
      if (call.path.startsWith('/admin/'))
        return error(
          'not-found',
          text ?? `${target.authority} does not serve ${call.path} (404)`,
          `gateway 3.21.0 and later have no v1 API; check ${url}, and the name in the path`,
        );
      return error(
        'not-found',
        `there is no v2 API at ${target.url} (404)`,
        `check ${url}, which ends before /gateway/v2; the gateway must be 3.3.0 or later`,
      );
    case 429:
    case 502:
    case 503:
    case 504:
      return new GatewayError(
        'busy',
        `${target.authority} cannot handle the call now (${statusText(response, target)})${prefixColon(text)}`,
        { status, hint: hintOfBusy(response), ...readRetryAfter(response) },
      );
  }
  if (isHtml(response)) return makeHtmlError(response, target);
  switch (status) {
    case 400:
      return error(
        'refused',
        text ?? `${target.authority} refused ${call.method} ${call.path} (400)`,
        'fix what the gateway reports',
      );
    case 409:
      return error(
        'conflict',
        text ?? `${target.authority} has something that conflicts with ${call.method} ${call.path} (409)`,
        'resolve the reported conflict, then plan again',
      );
    default:
      return error(
        'failed',
        `${target.authority} failed to handle ${call.method} ${call.path} (${status})${prefixColon(text)}`,
        'check the log of the gateway',
      );
  }
}

/** Who has no gateway to ask, or got no answer from it, is a proxy; so is who sends a page for people. */
function hintOfBusy(response: HttpResponse): string {
  const { status } = response;
  if (status === 502 || status === 504 || (status === 503 && isHtml(response)))
    return 'a proxy or load balancer answered in place of the gateway: check that the gateway behind it is running, then try again';
  return 'try again later, or lower --parallelism';
}

/** For an HTML page. */
export function makeHtmlError({ status }: HttpResponse, target: Target): GatewayError {
  return new GatewayError(
    'not-understood',
    `${target.authority} responded with an HTML page (${status}), such as a login page or an error of a load balancer`,
    { status, hint: `check that ${urlNameOf(target)} is the admin API of the gateway itself` },
  );
}

/** Redirects are not followed: credentials must not go to another host. The message shows only the host. */
function makeRedirectError(response: HttpResponse, target: Target): GatewayError {
  const { url, authority, sanitize } = target;
  const location = readHeader(response, 'location') ?? '';
  const to = parseUrl(location, url);
  const where = to === undefined || location === '' ? '' : ` to ${sanitize(`${to.protocol}//${to.host}`)}`;
  return new GatewayError(
    'not-understood',
    `${authority} redirects${where} (${response.status}), which gwconf does not follow`,
    { status: response.status, hint: `set ${urlNameOf(target)} to the address of the admin API itself` },
  );
}

function makeUnauthorizedError({ authority, given: { credentials, origins } }: Target): GatewayError {
  const made = (what: string, hint: string): GatewayError =>
    new GatewayError('unauthorized', `${authority} ${what} (401)`, { status: 401, hint });
  switch (credentials) {
    case 'all':
      return made(
        'rejects the user or the password',
        origins === undefined
          ? 'check the user and the password'
          : `check the user (from ${origins.user}) and the password (from ${origins.password})`,
      );
    case 'user':
      return made('requires a password, and none was given', 'set GWCONF_PASSWORD, or use --password-file');
    case 'password':
      return made('requires a user, and none was given', 'set GWCONF_USER, or use --user');
    case 'none':
      return made(
        'requires a user and a password, and none was given',
        'set GWCONF_USER and GWCONF_PASSWORD, or use --user and --password-file',
      );
    default:
      return credentials satisfies never;
  }
}

/** What common servers respond to plain HTTP on a TLS port. */
function wantsTls({ status, text }: HttpResponse): boolean {
  return (
    status === 400 &&
    /HTTP request was sent to HTTPS port|sent an HTTP request to an HTTPS server|requires TLS/i.test(
      text.slice(0, 2000),
    )
  );
}

function statusText(response: HttpResponse, { sanitize }: Target): string {
  const wait = readHeader(response, 'retry-after');
  return wait === undefined ? `${response.status}` : `${response.status}, Retry-After: ${sanitize(wait)}`;
}

function readGatewayText(response: HttpResponse, { sanitize }: Target): string | undefined {
  const text = sanitize(readErrorText(response)?.text ?? '');
  return text === '' ? undefined : text;
}

function prefixColon(text: string | undefined): string {
  return text === undefined ? '' : `: ${text}`;
}

/** A longer wait is cut. */
const LONGEST_MS = 60_000;

/**
 * The wait that a response asks for: seconds, or a date, which is compared with the sender's `Date`, so that our clock does
 * not matter. Nothing for a header that cannot be parsed.
 */
function readRetryAfter(response: HttpResponse): { readonly retryAfterMs?: number } {
  const asked = readHeader(response, 'retry-after')?.trim() ?? '';
  const wait = /^\d+$/.test(asked)
    ? Number(asked) * 1000
    : Date.parse(asked) - Date.parse(readHeader(response, 'date') ?? '');
  return Number.isNaN(wait) ? {} : { retryAfterMs: Math.min(Math.max(wait, 0), LONGEST_MS) };
}
