import { hasDuplicateKeys, readExtent } from '../../model/json/extent.ts';
import { readJson } from '../../model/json/json-text.ts';
import { isList, valueOf, type Json } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { GatewayError, type UpsertResult, type GatewayErrorCode } from '../gateway.ts';
import { makeProxyRefusal } from './call-failure.ts';
import { type Call, isHtml, readErrorText, type HttpResponse, readHeader } from './call.ts';
import { parseUrl } from '../../model/text/url.ts';
import { type Target, urlNameOf } from './target.ts';

/** A response to a call, from a target. */
export type Answer = HttpResponse & { readonly call: Call; readonly target: Target };

/**
 * The resources of a list. Some versions send an empty body for a filtered list without a match (gateway-api B.7); lists
 * here are never filtered, and a server that drops bodies must not look like a gateway without resources.
 */
export function readList(kind: Kind, answer: Answer): readonly Resource[] {
  const body = readWhole(answer);
  if (body === undefined) throw makeNotUnderstood('is empty, and a list was expected', answer);
  if (!isList(body)) throw makeNotUnderstood('is not a list', answer);
  return body.map((item, at) => {
    try {
      return kind.read(item);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const why = answer.target.sanitize(error.message);
      throw makeNotUnderstood(`contains no resource at index ${at}: ${why}`, answer);
    }
  });
}

/** The JSON of a list, all of it; undefined when it is empty. Throws a GatewayError for any other response. */
export function readWhole(answer: Answer): Json | undefined {
  const body = readBody(answer);
  // The API has no pages (gateway-api A.1), but what is between may make them: what is missing is not gone.
  if (answer.status === 206 || HAS_MORE.test(readHeader(answer, 'link') ?? ''))
    throw makeNotUnderstood('is only a part of the list', answer);
  return body;
}

/** A link to the next page (RFC 8288). */
const HAS_MORE = /;\s*rel=[^;,]*\bnext\b/i;

/** The result of an upsert, in any spelling, in its envelope or alone (gateway-api 0.3, B.5). */
export function readUpsertResult(answer: Answer): UpsertResult {
  const body = readBody(answer);
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
      throw makeNotUnderstood('contains no upsertResult', answer);
  }
}

/** Only an error of the API means absent: any server responds with 404 to an unknown path. */
export function readRemoval(answer: Answer): 'removed' | 'absent' {
  if (answer.status === 404 && readErrorText(answer)?.fromApi === true) return 'absent';
  checkDone(answer);
  return 'removed';
}

/** Throws the error for an answer that is not successful, whatever is in it. */
export function checkDone(answer: Answer): void {
  if (!isSuccess(answer)) throw readRefusal(answer);
  if (isHtml(answer)) throw makeHtmlError(answer);
}

export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}

/** For a response that is not the API's; `fault` is a predicate: `is not JSON`. */
export function makeNotUnderstood(
  fault: string,
  { status, call: { method, path }, target }: Pick<Answer, 'status' | 'call' | 'target'>,
): GatewayError {
  const { authority } = target;
  return new GatewayError('not-understood', `the response of ${authority} to ${method} ${path} ${fault}`, {
    status,
    hint: `check that ${urlNameOf(target)} is the admin API of a gateway, and any proxy in between`,
  });
}

/** The JSON of a successful response; undefined when it is empty. Throws a GatewayError for any other. */
export function readBody(answer: Answer): Json | undefined {
  if (!isSuccess(answer)) throw readRefusal(answer);
  const { text } = answer;
  if (text.trim() === '') return undefined;
  const extent = readExtent(text);
  if (extent.excess !== undefined) throw makeNotUnderstood(extent.excess, answer);
  const body = readJson(text);
  if (body === undefined)
    throw isHtml(answer) ? makeHtmlError(answer) : makeNotUnderstood('is not JSON', answer);
  // Of equal keys the last would win, where the gateway or what is between may mean the first.
  if (hasDuplicateKeys(text, body, extent)) throw makeNotUnderstood('has a map with two equal keys', answer);
  return body;
}

/**
 * The error for a response that is not successful (gateway-api A.2). If the gateway gives a reason, that is the message.
 */
export function readRefusal(answer: Answer): GatewayError {
  const { status, call, target } = answer;
  const { authority } = target;
  const { text: written = '', fromApi = false } = readErrorText(answer) ?? {};
  const text = target.sanitize(written) || undefined;
  const more = text === undefined ? '' : `: ${text}`;
  // Beside a write stands the object that it is about; of a read, nothing else says what was asked.
  const isRead = call.method === 'GET';
  const told = (without: string): string => (isRead ? `${without}${more}` : (text ?? without));
  const url = urlNameOf(target);
  const error = (code: GatewayErrorCode, message: string, hint: string): GatewayError =>
    new GatewayError(code, message, { status, hint });

  if (status >= 300 && status < 400) return makeRedirectError(answer);
  if (wantsTls(answer))
    return error('unreachable', `${authority} speaks TLS only (${status})`, `write https:// in ${url}`);
  if (status === 407 && target.proxy !== undefined)
    return makeProxyRefusal(status, target.proxy.authority, authority);
  switch (status) {
    case 401:
      return makeUnauthorizedError(target);
    case 403:
      return error(
        'forbidden',
        told(`${authority} does not allow ${call.method} ${call.path} (403)`),
        `use a user with admin: true in GATEWAY_ADMIN_API_USERS${isRead ? ', and check any proxy in between' : '; for an interceptor, check the licence too'}`,
      );
    case 404:
      if (!isRead && fromApi)
        return error('not-found', text ?? 'not found', 'create the referenced object first, then plan again');
      if (call.path.startsWith('/admin/'))
        return error(
          'not-found',
          text ?? `${authority} does not serve ${call.path} (404)`,
          `gateway 3.21.0 and later have no v1 API; check ${url}, and the name in the path`,
        );
      return error(
        'not-found',
        `there is no v2 API at ${authority} (404)`,
        `check ${url}, which ends before /gateway/v2; the gateway must be 3.3.0 or later`,
      );
    case 429:
    case 502:
    case 503:
    case 504:
      return new GatewayError(
        'busy',
        `${authority} cannot handle the call now (${statusText(answer)})${more}`,
        { status, hint: hintOfBusy(answer, isRead), retryAfterMs: readRetryAfter(answer) },
      );
  }
  if (isHtml(answer)) return makeHtmlError(answer);
  switch (status) {
    case 400:
      return error(
        'refused',
        told(`${authority} refused ${call.method} ${call.path} (400)`),
        'fix what the gateway reports',
      );
    case 409:
      return error(
        'conflict',
        told(`${authority} has something that conflicts with ${call.method} ${call.path} (409)`),
        'resolve the reported conflict, then plan again',
      );
    default:
      return error(
        'failed',
        `${authority} failed to handle ${call.method} ${call.path} (${status})${more}`,
        'check the log of the gateway',
      );
  }
}

/** Who has no gateway to ask, or got no answer from it, is a proxy; so is who sends a page for people. */
function hintOfBusy(response: HttpResponse, isRead: boolean): string {
  const { status } = response;
  if (status === 502 || status === 504 || (status === 503 && isHtml(response)))
    return 'a proxy or load balancer answered in place of the gateway: check that the gateway behind it is running, then try again';
  // What only reads has no such flag.
  return isRead ? 'try again later' : 'try again later, or lower --parallelism';
}

/** For an HTML page. */
export function makeHtmlError({ status, target }: Answer): GatewayError {
  return new GatewayError(
    'not-understood',
    `${target.authority} responded with an HTML page (${status}), such as a login page or an error of a load balancer`,
    { status, hint: `check that ${urlNameOf(target)} is the admin API of the gateway itself` },
  );
}

/** Redirects are not followed: credentials must not go to another host. The message shows only the host. */
function makeRedirectError(answer: Answer): GatewayError {
  const { status, target } = answer;
  const { url, authority, sanitize } = target;
  const location = readHeader(answer, 'location') ?? '';
  const to = parseUrl(location, url);
  const where = to === undefined || location === '' ? '' : ` to ${sanitize(`${to.protocol}//${to.host}`)}`;
  return new GatewayError(
    'not-understood',
    `${authority} redirects${where} (${status}), which gwconf does not follow`,
    { status, hint: `set ${urlNameOf(target)} to the address of the admin API itself` },
  );
}

function makeUnauthorizedError({ authority, given: { credentials, origins } }: Target): GatewayError {
  const check =
    origins === undefined
      ? 'check the user and the password'
      : `check the user (from ${origins.user}) and the password (from ${origins.password})`;
  const cases: Readonly<Record<typeof credentials, readonly [what: string, hint: string]>> = {
    all: ['rejects the user or the password', check],
    user: ['requires a password, and none was given', 'set GWCONF_PASSWORD, or use --password-file'],
    password: ['requires a user, and none was given', 'set GWCONF_USER, or use --user'],
    none: [
      'requires a user and a password, and none was given',
      'set GWCONF_USER and GWCONF_PASSWORD, or use --user and --password-file',
    ],
  };
  const [what, hint] = cases[credentials];
  return new GatewayError('unauthorized', `${authority} ${what} (401)`, { status: 401, hint });
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

function statusText(answer: Answer): string {
  const wait = readHeader(answer, 'retry-after');
  const { status, target } = answer;
  return wait === undefined ? `${status}` : `${status}, Retry-After: ${target.sanitize(wait)}`;
}

/** A longer wait is cut. */
const LONGEST_MS = 60_000;

/**
 * The wait that a response asks for: seconds, or a date, which is compared with the sender's `Date`, so that our clock does
 * not matter. Undefined for a header that cannot be parsed.
 */
function readRetryAfter(response: HttpResponse): number | undefined {
  const asked = readHeader(response, 'retry-after')?.trim() ?? '';
  const wait = /^\d+$/.test(asked)
    ? Number(asked) * 1000
    : Date.parse(asked) - Date.parse(readHeader(response, 'date') ?? '');
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_MS);
}
