import type { Call } from './call.ts';
import { GatewayError, type GatewayErrorCode } from '../gateway.ts';
import { makeProxyRefusal } from './call-failure.ts';
import { parseUrl } from './proxy.ts';
import { readRetryAfter } from './retry-after.ts';
import type { Target } from './target.ts';
import { readHeader, isHtml, readErrorText, type HttpResponse } from './response.ts';

/**
 * An answer whose status is none of success as an error; gateway-api A.2. Where the gateway gave its reason, the message
 * is that reason.
 */
export function readRefusal(answer: HttpResponse, call: Call, target: Target): GatewayError {
  const { status } = answer;
  const words = readGatewayText(answer, target);
  const error = (code: GatewayErrorCode, message: string, hint: string): GatewayError =>
    new GatewayError(code, message, { status, hint });

  if (status >= 300 && status < 400) return makeRedirectError(answer, target);
  if (wantsTls(answer)) {
    return error('unreachable', `${target.authority} speaks TLS only (${status})`, 'write https:// in --url');
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
        words ?? `${target.authority} does not allow ${call.method} ${call.path} (403)`,
        'use a user with admin: true in GATEWAY_ADMIN_API_USERS; for an interceptor, check the licence too',
      );
    case 404:
      if (call.method !== 'GET' && readErrorText(answer)?.fromApi === true) {
        return error(
          'not-found',
          words ?? 'not found',
          'create what it refers to first, then make a new plan',
        );
      }
      return error(
        'not-found',
        `there is no v2 API at ${target.url} (404)`,
        'check --url, which ends before /gateway/v2; the gateway must be 3.3.0 or later',
      );
    case 429:
    case 502:
    case 503:
    case 504:
      return new GatewayError(
        'busy',
        `${target.authority} cannot take the call now (${statusText(answer, target)})${prefixColon(words)}`,
        { status, hint: 'try again later, or lower --parallelism', ...readRetryAfter(answer) },
      );
  }
  if (isHtml(answer)) return makeHtmlError(answer, target);
  switch (status) {
    case 400:
      return error(
        'refused',
        words ?? `${target.authority} refused ${call.method} ${call.path} (400)`,
        'put right what the gateway names',
      );
    case 409:
      return error(
        'conflict',
        words ?? `${target.authority} has something that conflicts with ${call.method} ${call.path} (409)`,
        'resolve the conflict that the gateway names, then make a new plan',
      );
    default:
      return error(
        'failed',
        `${target.authority} failed at ${call.method} ${call.path} (${status})${prefixColon(words)}`,
        'look into the log of the gateway',
      );
  }
}

/** An answer that was made for people, not for programs. */
export function makeHtmlError({ status }: HttpResponse, { authority }: Target): GatewayError {
  return new GatewayError(
    'not-understood',
    `${authority} answered with an HTML page (${status}), as a login page or a load balancer does`,
    { status, hint: 'check that --url is the admin API of the gateway itself' },
  );
}

/** Credentials must not go where somebody else points, so nothing is followed. The host is all that is shown of it. */
function makeRedirectError(answer: HttpResponse, { url, authority, sanitize }: Target): GatewayError {
  const location = readHeader(answer, 'location') ?? '';
  const to = parseUrl(location, url);
  const where = to === undefined || location === '' ? '' : ` to ${sanitize(`${to.protocol}//${to.host}`)}`;
  return new GatewayError(
    'not-understood',
    `${authority} redirects${where} (${answer.status}), and gwconf does not follow`,
    { status: answer.status, hint: 'give the address of the admin API itself in --url' },
  );
}

function makeUnauthorizedError({ authority, given }: Target): GatewayError {
  return given.credentials
    ? new GatewayError('unauthorized', `${authority} does not accept the user or the password (401)`, {
        status: 401,
        hint: 'check --user and --password-file (CDK_GATEWAY_USER, CDK_GATEWAY_PASSWORD)',
      })
    : new GatewayError('unauthorized', `${authority} wants a user and a password (401)`, {
        status: 401,
        hint: 'give --user and --password-file, or set CDK_GATEWAY_USER and CDK_GATEWAY_PASSWORD',
      });
}

/** What common servers say to plain HTTP on their TLS port. */
function wantsTls({ status, text }: HttpResponse): boolean {
  return (
    status === 400 &&
    /HTTP request was sent to HTTPS port|sent an HTTP request to an HTTPS server|requires TLS/i.test(
      text.slice(0, 2000),
    )
  );
}

function statusText(answer: HttpResponse, { sanitize }: Target): string {
  const wait = readHeader(answer, 'retry-after');
  return wait === undefined ? `${answer.status}` : `${answer.status}, Retry-After: ${sanitize(wait)}`;
}

function readGatewayText(answer: HttpResponse, { sanitize }: Target): string | undefined {
  const words = sanitize(readErrorText(answer)?.text ?? '');
  return words === '' ? undefined : words;
}

function prefixColon(words: string | undefined): string {
  return words === undefined ? '' : `: ${words}`;
}
