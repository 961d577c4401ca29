import type { Call } from './call.ts';
import { GatewayError, type GatewayErrorCode } from '../gateway.ts';
import { proxyRefusal } from './call-failure.ts';
import { parseUrl } from './proxy.ts';
import { retryAfter } from './retry-after.ts';
import type { Target } from './target.ts';
import { headerOf, isHtml, wordsOf, type Answer } from './response.ts';

/**
 * An answer whose status is none of success as an error; gateway-api A.2. Where the gateway gave its reason, the message
 * is that reason.
 */
export function refusal(answer: Answer, call: Call, target: Target): GatewayError {
  const { status } = answer;
  const words = ownWords(answer, target);
  const error = (code: GatewayErrorCode, message: string, hint: string): GatewayError =>
    new GatewayError(code, message, { status, hint });

  if (status >= 300 && status < 400) return redirect(answer, target);
  if (wantsTls(answer)) {
    return error('unreachable', `${target.place} speaks TLS only (${status})`, 'write https:// in --url');
  }
  if (status === 407 && target.proxy !== undefined) {
    return proxyRefusal(status, target.proxy.place, target.place);
  }
  switch (status) {
    case 401:
      return unauthorized(target);
    case 403:
      return error(
        'forbidden',
        words ?? `${target.place} does not allow ${call.method} ${call.path} (403)`,
        'use a user with admin: true in GATEWAY_ADMIN_API_USERS; for an interceptor, check the licence too',
      );
    case 404:
      if (call.method !== 'GET' && wordsOf(answer)?.fromApi === true) {
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
        `${target.place} cannot take the call now (${after(answer, target)})${colon(words)}`,
        { status, hint: 'try again later, or lower --parallelism', ...retryAfter(answer) },
      );
  }
  if (isHtml(answer)) return htmlPage(answer, target);
  switch (status) {
    case 400:
      return error(
        'refused',
        words ?? `${target.place} refused ${call.method} ${call.path} (400)`,
        'put right what the gateway names',
      );
    case 409:
      return error(
        'conflict',
        words ?? `${target.place} has something that conflicts with ${call.method} ${call.path} (409)`,
        'resolve the conflict that the gateway names, then make a new plan',
      );
    default:
      return error(
        'failed',
        `${target.place} failed at ${call.method} ${call.path} (${status})${colon(words)}`,
        'look into the log of the gateway',
      );
  }
}

/** An answer that was made for people, not for programs. */
export function htmlPage({ status }: Answer, { place }: Target): GatewayError {
  return new GatewayError(
    'not-understood',
    `${place} answered with an HTML page (${status}), as a login page or a load balancer does`,
    { status, hint: 'check that --url is the admin API of the gateway itself' },
  );
}

/** Credentials must not go where somebody else points, so nothing is followed. The host is all that is shown of it. */
function redirect(answer: Answer, { url, place, clean }: Target): GatewayError {
  const location = headerOf(answer, 'location') ?? '';
  const to = parseUrl(location, url);
  const where = to === undefined || location === '' ? '' : ` to ${clean(`${to.protocol}//${to.host}`)}`;
  return new GatewayError(
    'not-understood',
    `${place} redirects${where} (${answer.status}), and gwconf does not follow`,
    { status: answer.status, hint: 'give the address of the admin API itself in --url' },
  );
}

function unauthorized({ place, gave }: Target): GatewayError {
  return gave.credentials
    ? new GatewayError('unauthorized', `${place} does not accept the user or the password (401)`, {
        status: 401,
        hint: 'check --user and --password-file (CDK_GATEWAY_USER, CDK_GATEWAY_PASSWORD)',
      })
    : new GatewayError('unauthorized', `${place} wants a user and a password (401)`, {
        status: 401,
        hint: 'give --user and --password-file, or set CDK_GATEWAY_USER and CDK_GATEWAY_PASSWORD',
      });
}

/** What common servers say to plain HTTP on their TLS port. */
function wantsTls({ status, text }: Answer): boolean {
  return (
    status === 400 &&
    /HTTP request was sent to HTTPS port|sent an HTTP request to an HTTPS server|requires TLS/i.test(
      text.slice(0, 2000),
    )
  );
}

function after(answer: Answer, { clean }: Target): string {
  const wait = headerOf(answer, 'retry-after');
  return wait === undefined ? `${answer.status}` : `${answer.status}, Retry-After: ${clean(wait)}`;
}

function ownWords(answer: Answer, { clean }: Target): string | undefined {
  const words = clean(wordsOf(answer)?.text ?? '');
  return words === '' ? undefined : words;
}

function colon(words: string | undefined): string {
  return words === undefined ? '' : `: ${words}`;
}
