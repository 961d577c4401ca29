import { isObject } from '../../model/json/json.ts';
import { GatewayError, type GatewayErrorCode } from '../gateway.ts';
import type { Target } from './target.ts';
import { explainTlsFailure } from './tls-failure.ts';

/** How far a call had come. Nothing of it was sent without a connection. */
export type Phase = 'connect' | 'request' | 'response';

/** The code of the error that ends a call after its timeout. */
export const OUT_OF_TIME = 'OUT_OF_TIME';

/** The code of the error of a proxy that closed a connection in place of opening a tunnel. */
export const PROXY_CLOSED = 'PROXY_CLOSED';

/**
 * Turns what the HTTP client threw into a GatewayError. It is not kept as `cause`, because it can contain what was sent and
 * received. A GatewayError is returned as it is, and so is an error without a code, which is a bug.
 */
export function explainFailure(error: unknown, target: Target, during: Phase): unknown {
  const code = readCode(error);
  if (code === undefined || error instanceof GatewayError) return error;
  return (
    explainTlsFailure(code, error, target) ??
    explainProxyError(code, error, target) ??
    explainNoConnection(code, target, during) ??
    explainBroken(code, target, during) ??
    make(
      'unreachable',
      `the call to ${target.authority} failed: ${target.sanitize(`${readMessage(error)} (${code})`)}`,
      'check --url, and the network and proxies in between',
    )
  );
}

function make(code: GatewayErrorCode, message: string, hint: string, unsent = false): GatewayError {
  return new GatewayError(code, message, { hint, unsent });
}

function readCode(error: unknown): string | undefined {
  if (isObject(error) && typeof error['code'] === 'string') return error['code'];
  return error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

function explainProxyError(
  code: string,
  error: unknown,
  { proxy, authority }: Target,
): GatewayError | undefined {
  if (proxy === undefined) return undefined;
  if (code === 'UND_ERR_PRX_TLS') {
    const hint = 'use the name in the certificate of the proxy in --proxy (HTTPS_PROXY)';
    return make('untrusted', `the certificate of the proxy ${proxy.authority} is for another name`, hint);
  }
  if (code === PROXY_CLOSED) {
    const hint = 'check --proxy (HTTPS_PROXY), and whether the proxy allows the gateway';
    const message = `the proxy ${proxy.authority} closed the connection without a response`;
    return make('unreachable', message, hint, true);
  }
  const [, status] = /^Proxy response \((\d+)\)/.exec(readMessage(error)) ?? [];
  return status === undefined ? undefined : makeProxyRefusal(Number(status), proxy.authority, authority);
}

/** The proxy responded instead of the gateway. */
export function makeProxyRefusal(status: number, proxy: string, authority: string): GatewayError {
  const [message, hint] =
    status === 407
      ? [
          'requires a user and a password',
          'set them in --proxy (HTTPS_PROXY, HTTP_PROXY), like http://USER:PASSWORD@proxy.example:3128',
        ]
      : [
          `refuses to connect to ${authority}`,
          'have the proxy allow the gateway, or add its host to NO_PROXY',
        ];
  return new GatewayError('unreachable', `the proxy ${proxy} ${message} (${status})`, { status, hint });
}

function explainNoConnection(
  code: string,
  { authority, proxy, timeoutMs, connectTimeoutMs }: Target,
  during: Phase,
): GatewayError | undefined {
  const who = proxy === undefined ? authority : `the proxy ${proxy.authority}`;
  const where =
    proxy === undefined
      ? 'the host and port of --url (CDK_GATEWAY_BASE_URL)'
      : '--proxy (HTTPS_PROXY, HTTP_PROXY)';
  if (
    ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'].includes(code) ||
    (code === OUT_OF_TIME && during === 'connect')
  ) {
    const seconds = (code === OUT_OF_TIME ? timeoutMs : connectTimeoutMs) / 1000;
    return make(
      'timeout',
      `${who} did not accept a connection within ${seconds} s`,
      'check the host and port of --url, and whether a firewall or a missing --proxy is in the way',
      code !== 'ETIMEDOUT',
    );
  }
  switch (code) {
    case 'ECONNREFUSED': {
      const hint = `check ${where}, and that it is running`;
      return make('unreachable', `${who} refused the connection (${code})`, hint, true);
    }
    case 'ENOTFOUND':
    case 'EAI_AGAIN': {
      const hint = `check ${where}, and the DNS of this machine`;
      return make('unreachable', `the host name of ${who} cannot be resolved (${code})`, hint, true);
    }
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL': {
      const hint = `check ${where}, and the network or VPN that leads there`;
      return make('unreachable', `there is no route to ${who} (${code})`, hint);
    }
    default:
      return undefined;
  }
}

function explainBroken(
  code: string,
  { authority, origin, given, timeoutMs }: Target,
  during: Phase,
): GatewayError | undefined {
  const secure = origin.startsWith('https:');
  // The parser of the HTTP client asserts where a response has no such status as 000.
  switch (code.replace(/^(HPE_.*|ERR_ASSERTION)$/, 'HPE')) {
    case OUT_OF_TIME:
    case 'UND_ERR_HEADERS_TIMEOUT': {
      const far = during === 'response' ? 'did not complete its response' : 'did not respond';
      const hint =
        'try again, or increase --timeout; the request may still take effect, so plan again before the next apply';
      return make('timeout', `${authority} ${far} within ${timeoutMs / 1000} s`, hint);
    }
    case 'UND_ERR_HEADERS_OVERFLOW': {
      const hint = 'check that --url is the admin API of a gateway, and any proxy in between';
      return make('not-understood', `${authority} sends too many response headers`, hint);
    }
    case 'HPE': {
      const hint = secure ? 'check the port of --url' : 'write https:// in --url, or check its port';
      return make('unreachable', `${authority} does not speak HTTP (${code})`, hint);
    }
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH': {
      if (during === 'response') {
        const hint = 'try again; check the log of the gateway and of any proxy in between';
        return make('unreachable', `the response of ${authority} was cut off (${code})`, hint);
      }
      const also = !secure
        ? ', and whether it has to begin with https://'
        : given.cert
          ? ', and that the gateway trusts the certificate of --client-cert'
          : '; if the gateway requires a client certificate, set --client-cert and --client-key';
      const hint = `check the port of --url${also}`;
      return make('unreachable', `${authority} closed the connection without a response (${code})`, hint);
    }
    default:
      return undefined;
  }
}
