import { isObject } from '../../model/json/json.ts';
import { GatewayError } from '../gateway.ts';
import type { Target } from './target.ts';
import { explainTlsFailure } from './tls-failure.ts';

/** The code of the error that ends a call after its timeout. */
export const OUT_OF_TIME = 'OUT_OF_TIME';

/**
 * Turns what the HTTP client threw into a GatewayError. It is not kept as `cause`, because it can contain what was sent and
 * received. A GatewayError is returned as it is, and so is an error without a code, which is a bug.
 */
export function explainFailure(error: unknown, target: Target, during: 'request' | 'response'): unknown {
  const code = readCode(error);
  if (code === undefined || error instanceof GatewayError) return error;
  return (
    explainTlsFailure(code, error, target) ??
    explainProxyError(code, error, target) ??
    explainTimeout(code, target, during) ??
    explainNoConnection(code, target) ??
    explainBroken(code, target, during) ??
    new GatewayError(
      'unreachable',
      `the call to ${target.authority} failed: ${target.sanitize(`${readMessage(error)} (${code})`)}`,
      {
        hint: 'check --url, and the network and proxies in between',
      },
    )
  );
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
    return new GatewayError(
      'untrusted',
      `the certificate of the proxy ${proxy.authority} is for another name`,
      {
        hint: 'use the name in the certificate of the proxy in --proxy (HTTPS_PROXY)',
      },
    );
  }
  const [, status] = /^Proxy response \((\d+)\)/.exec(readMessage(error)) ?? [];
  return status === undefined ? undefined : makeProxyRefusal(Number(status), proxy.authority, authority);
}

/** The proxy responded instead of the gateway. */
export function makeProxyRefusal(status: number, proxy: string, authority: string): GatewayError {
  return status === 407
    ? new GatewayError('unreachable', `the proxy ${proxy} requires a user and a password (407)`, {
        status,
        hint: 'set them in --proxy (HTTPS_PROXY, HTTP_PROXY), like http://USER:PASSWORD@proxy.example:3128',
      })
    : new GatewayError('unreachable', `the proxy ${proxy} refuses to connect to ${authority} (${status})`, {
        status,
        hint: 'have the proxy allow the gateway, or add its host to NO_PROXY',
      });
}

function explainTimeout(
  code: string,
  { authority, proxy, timeoutMs, connectTimeoutMs }: Target,
  during: 'request' | 'response',
): GatewayError | undefined {
  switch (code) {
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return new GatewayError(
        'timeout',
        `${peerText(authority, proxy)} did not accept a connection within ${connectTimeoutMs / 1000} s`,
        {
          hint: 'check the host and port of --url, and whether a firewall or a missing --proxy is in the way',
          unsent: code === 'UND_ERR_CONNECT_TIMEOUT',
        },
      );
    case OUT_OF_TIME:
    case 'UND_ERR_HEADERS_TIMEOUT': {
      const far = during === 'request' ? 'did not respond' : 'did not complete its response';
      return new GatewayError('timeout', `${authority} ${far} within ${timeoutMs / 1000} s`, {
        hint: 'try again, or increase --timeout; the request may still take effect, so plan again before the next apply',
      });
    }
    default:
      return undefined;
  }
}

function explainNoConnection(code: string, { authority, proxy }: Target): GatewayError | undefined {
  const who = peerText(authority, proxy);
  const where =
    proxy === undefined
      ? 'the host and port of --url (CDK_GATEWAY_BASE_URL)'
      : '--proxy (HTTPS_PROXY, HTTP_PROXY)';
  switch (code) {
    case 'ECONNREFUSED':
      return new GatewayError('unreachable', `${who} refused the connection (${code})`, {
        hint: `check ${where}, and that it is running`,
        unsent: true,
      });
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new GatewayError('unreachable', `the host name of ${who} cannot be resolved (${code})`, {
        hint: `check ${where}, and the DNS of this machine`,
        unsent: true,
      });
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return new GatewayError('unreachable', `there is no route to ${who} (${code})`, {
        hint: `check ${where}, and the network or VPN that leads there`,
      });
    default:
      return undefined;
  }
}

function peerText(authority: string, proxy: Target['proxy']): string {
  return proxy === undefined ? authority : `the proxy ${proxy.authority}`;
}

function explainBroken(
  code: string,
  target: Target,
  during: 'request' | 'response',
): GatewayError | undefined {
  const secure = target.origin.startsWith('https:');
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new GatewayError('not-understood', `${target.authority} sends too many response headers`, {
      hint: 'check that --url is the admin API of a gateway, and any proxy in between',
    });
  }
  if (code.startsWith('HPE_')) {
    return new GatewayError('unreachable', `${target.authority} does not speak HTTP (${code})`, {
      hint: secure ? 'check the port of --url' : 'write https:// in --url, or check its port',
    });
  }
  if (
    ![
      'UND_ERR_SOCKET',
      'ECONNRESET',
      'EPIPE',
      'ECONNABORTED',
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    ].includes(code)
  ) {
    return undefined;
  }
  if (during === 'response') {
    return new GatewayError('unreachable', `the response of ${target.authority} was cut off (${code})`, {
      hint: 'try again; check the log of the gateway and of any proxy in between',
    });
  }
  return new GatewayError(
    'unreachable',
    `${target.authority} closed the connection without a response (${code})`,
    {
      hint: !secure
        ? 'check the port of --url, and whether it has to begin with https://'
        : target.given.cert
          ? 'check the port of --url, and that the gateway trusts the certificate of --client-cert'
          : 'check the port of --url; if the gateway requires a client certificate, give --client-cert and --client-key',
    },
  );
}
