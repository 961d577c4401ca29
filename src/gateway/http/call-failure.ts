import { isObject } from '../../model/json/json.ts';
import { GatewayError, type GatewayErrorCode } from '../gateway.ts';
import type { Call } from './call.ts';
import type { Target } from './target.ts';

/** How far a call had come. Nothing of it was sent without a connection. */
export type Phase = 'connect' | 'request' | 'response';

/** What is known beside the failure: the call, and whether another one was answered before. */
export type Seen = { readonly call?: Pick<Call, 'method' | 'path'>; readonly hasAnswered?: boolean };

/** The code of the error that ends a call after its timeout. */
export const OUT_OF_TIME = 'OUT_OF_TIME';

/** The code of the error of a proxy that closed a connection in place of opening a tunnel. */
export const PROXY_CLOSED = 'PROXY_CLOSED';

/**
 * Turns what the HTTP client threw into a GatewayError. It is not kept as `cause`, because it can contain what was sent and
 * received. A GatewayError is returned as it is, and so is an error without a code, which is a bug.
 */
export function explainFailure(error: unknown, target: Target, during: Phase, seen: Seen = {}): unknown {
  const code = readCode(error);
  if (code === undefined || error instanceof GatewayError) return error;
  const found =
    explainTlsFailure(code, error, target) ??
    explainProxyError(code, error, target) ??
    explainNoConnection(code, target, during, seen) ??
    explainBroken(code, target, during, seen) ??
    make(
      'unreachable',
      `the call to ${target.authority} failed: ${target.sanitize(`${readMessage(error)} (${code})`)}`,
      'check --url, and the network and proxies in between',
    );
  const { urlName } = target.given;
  // A hint that names a flag which nobody gave is followed in vain: with several environments there is no --url.
  return urlName === undefined ? found : found.mapText((text) => text.replace('--url', urlName));
}

function make(code: GatewayErrorCode, message: string, hint: string, unsent = false): GatewayError {
  return new GatewayError(code, message, { hint, unsent });
}

function readCode(error: unknown): string | undefined {
  if (isObject(error) && typeof error['code'] === 'string') return error['code'];
  return error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
}

/** Whether the other side ended a connection that had brought something before; one beyond its limit brings nothing. */
export function isResetAfterUse(error: unknown): boolean {
  if (!/^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/.test(readCode(error) ?? '')) return false;
  const socket = isObject(error) ? error['socket'] : undefined;
  return isObject(socket) && Number(socket['bytesRead']) > 0;
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
      : status >= 500
        ? [
            `cannot connect to ${authority}`,
            'check the host and port of --url, and that the gateway is running; or add its host to NO_PROXY',
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
  { hasAnswered = false }: Seen,
): GatewayError | undefined {
  const [who, where] =
    proxy === undefined
      ? [authority, 'the host and port of --url']
      : [`the proxy ${proxy.authority}`, '--proxy (HTTPS_PROXY, HTTP_PROXY)'];
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
      const hint = hasAnswered ? STOPPED : `check ${where}, and that it is running`;
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

/** What has answered before has the right address. */
const STOPPED = 'it has answered before: check that it still runs, its log, and that of any proxy in between';

function explainBroken(
  code: string,
  { authority, origin, given, timeoutMs }: Target,
  during: Phase,
  { call, hasAnswered = false }: Seen,
): GatewayError | undefined {
  const secure = origin.startsWith('https:');
  // The parser of the HTTP client asserts where a response has no such status as 000.
  switch (code.replace(/^(HPE_.*|ERR_ASSERTION)$/, 'HPE')) {
    case OUT_OF_TIME:
    case 'UND_ERR_HEADERS_TIMEOUT': {
      const far = during === 'response' ? 'did not complete its response' : 'did not respond';
      const to = call === undefined ? '' : ` to ${call.method} ${call.path}`;
      const message = `${authority} ${far}${to} within ${timeoutMs / 1000} s`;
      return make('timeout', message, 'try again, or increase --timeout');
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
      const behind = 'a proxy or load balancer may do so where no gateway runs behind it';
      const hint = hasAnswered ? STOPPED : `check the port of --url${also}; ${behind}`;
      return make('unreachable', `${authority} closed the connection without a response (${code})`, hint);
    }
    default:
      return undefined;
  }
}

/** The error for a TLS failure, by the code of Node.js or OpenSSL; undefined for another failure. */
export function explainTlsFailure(code: string, error: unknown, target: Target): GatewayError | undefined {
  return (
    explainCertificateError(code, error, target) ??
    explainClientCertificateError(code, target) ??
    explainLocalFileError(code) ??
    explainHandshakeError(code, target)
  );
}

const UNKNOWN_SIGNER = 'is signed by an authority that is not trusted';
/** The fault of a certificate, and its cure. Default: check the trusted authorities. */
const CERTIFICATE_FAULTS: Readonly<Record<string, readonly [fault: string, hint?: string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['is self-signed and not trusted'],
  SELF_SIGNED_CERT_IN_CHAIN: [UNKNOWN_SIGNER],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [UNKNOWN_SIGNER],
  UNABLE_TO_GET_ISSUER_CERT: [UNKNOWN_SIGNER],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [UNKNOWN_SIGNER],
  CERT_UNTRUSTED: [UNKNOWN_SIGNER],
  INVALID_CA: [UNKNOWN_SIGNER],
  CERT_SIGNATURE_FAILURE: ['is not signed by the authority it names'],
  CERT_HAS_EXPIRED: [
    'has expired',
    'renew it, and check the file of --ca-cert and the clock of this machine',
  ],
  CERT_NOT_YET_VALID: ['is not valid yet', 'check the clock of this machine'],
  CERT_REVOKED: ['was revoked', 'renew it'],
};

function explainCertificateError(code: string, error: unknown, target: Target): GatewayError | undefined {
  const whose = `the certificate of ${target.authority}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return make(
      'untrusted',
      `${whose} is for ${readNames(error, target)}`,
      'use a name that the certificate has in --url',
    );
  const authority = target.given.ca
    ? 'check that the file of --ca-cert (GWCONF_CA_CERT) holds the authority that signed it'
    : 'set --ca-cert FILE (GWCONF_CA_CERT) to the certificate of its authority';
  const [fault, hint = authority] = CERTIFICATE_FAULTS[code] ?? [];
  return fault === undefined ? undefined : make('untrusted', `${whose} ${fault} (${code})`, hint);
}

function readNames(error: unknown, { sanitize }: Target): string {
  const certificate = isObject(error) ? error['cert'] : undefined;
  const names = isObject(certificate) ? certificate['subjectaltname'] : undefined;
  return typeof names === 'string' && names !== '' ? `other names: ${sanitize(names)}` : 'another name';
}

/** The gateway rejects it during the handshake, or with TLS 1.3 right after it. */
function explainClientCertificateError(code: string, { authority, given }: Target): GatewayError | undefined {
  // OpenSSL 3.5, from Node 22 on, calls the family of what all versions have in common SSL/TLS.
  const [, alert] = /^ERR_SSL_(?:TLSV1|SSLV3|TLSV13|SSL\/TLS)_(?:ALERT_)?(\w+)$/.exec(code) ?? [];
  if (alert === undefined) return undefined;
  if (/CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED/.test(alert)) {
    return given.cert
      ? make(
          'untrusted',
          `${authority} rejects the client certificate (${code})`,
          'check that --client-cert (GWCONF_CLIENT_CERT) is valid, and signed by an authority that the gateway trusts',
        )
      : make(
          'untrusted',
          `${authority} requires a client certificate (${code})`,
          'set --client-cert and --client-key (GWCONF_CLIENT_CERT, GWCONF_CLIENT_KEY)',
        );
  }
  return make(
    'untrusted',
    `${authority} aborted the TLS handshake (${code})`,
    given.cert
      ? 'check --client-cert (GWCONF_CLIENT_CERT), and which TLS versions and ciphers the gateway takes'
      : 'if it requires a client certificate, set --client-cert and --client-key (GWCONF_CLIENT_CERT, GWCONF_CLIENT_KEY)',
  );
}

function explainLocalFileError(code: string): GatewayError | undefined {
  if (!code.startsWith('ERR_OSSL_') && code !== 'ERR_MISSING_PASSPHRASE') return undefined;
  return make(
    'untrusted',
    `the client certificate and its key, or the CA certificate, cannot be used (${code})`,
    'check that --client-cert, --client-key and --ca-cert name PEM files, that certificate and key belong together, and that the key is not encrypted',
  );
}

function explainHandshakeError(code: string, { authority }: Target): GatewayError | undefined {
  if (
    code === 'EPROTO' ||
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code)
  ) {
    const hint = 'write http:// in --url, or check its port';
    return make('unreachable', `${authority} does not speak TLS (${code})`, hint);
  }
  if (!code.startsWith('ERR_SSL_')) return undefined;
  return make(
    'untrusted',
    `the TLS handshake with ${authority} failed (${code})`,
    'check the port of --url, and which TLS versions and ciphers the gateway takes',
  );
}
