import { isObject } from '../../model/json/json.ts';
import { GatewayError } from '../gateway.ts';
import type { Target } from './target.ts';

/** The error for a TLS failure, by the code of Node.js or OpenSSL; undefined for another failure. */
export function explainTlsFailure(code: string, error: unknown, target: Target): GatewayError | undefined {
  return (
    explainCertificateError(code, error, target) ??
    explainClientCertificateError(code, target) ??
    explainLocalFileError(code) ??
    explainHandshakeError(code, target)
  );
}

function explainCertificateError(code: string, error: unknown, target: Target): GatewayError | undefined {
  const whose = `the certificate of ${target.authority}`;
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return makeUntrusted(`${whose} is self-signed and not trusted (${code})`, makeAuthorityHint(target));
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_UNTRUSTED':
    case 'INVALID_CA':
      return makeUntrusted(
        `${whose} is signed by an authority that is not trusted (${code})`,
        makeAuthorityHint(target),
      );
    case 'CERT_SIGNATURE_FAILURE':
      return makeUntrusted(
        `${whose} is not signed by the authority it names (${code})`,
        makeAuthorityHint(target),
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return makeUntrusted(
        `${whose} is for ${readNames(error, target)}`,
        'use a name that the certificate has in --url',
      );
    case 'CERT_HAS_EXPIRED':
      return makeUntrusted(
        `${whose} has expired (${code})`,
        'renew it, and check the file of --ca-cert and the clock of this machine',
      );
    case 'CERT_NOT_YET_VALID':
      return makeUntrusted(`${whose} is not valid yet (${code})`, 'check the clock of this machine');
    case 'CERT_REVOKED':
      return makeUntrusted(`${whose} was revoked (${code})`, 'renew it');
    default:
      return undefined;
  }
}

function makeAuthorityHint({ given }: Target): string {
  return given.ca
    ? 'check that the file of --ca-cert (CDK_CACERT) holds the authority that signed it'
    : 'set --ca-cert FILE (CDK_CACERT) to the certificate of its authority';
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
      ? makeUntrusted(
          `${authority} rejects the client certificate (${code})`,
          'check that --client-cert (CDK_CERT) is valid, and signed by an authority that the gateway trusts',
        )
      : makeUntrusted(
          `${authority} requires a client certificate (${code})`,
          'give --client-cert and --client-key (CDK_CERT, CDK_KEY)',
        );
  }
  return makeUntrusted(
    `${authority} aborted the TLS handshake (${code})`,
    given.cert
      ? 'check --client-cert (CDK_CERT), and which TLS versions and ciphers the gateway takes'
      : 'if it requires a client certificate, give --client-cert and --client-key (CDK_CERT, CDK_KEY)',
  );
}

function explainLocalFileError(code: string): GatewayError | undefined {
  if (!code.startsWith('ERR_OSSL_') && code !== 'ERR_MISSING_PASSPHRASE') return undefined;
  return makeUntrusted(
    `the client certificate and its key, or the CA certificate, cannot be used (${code})`,
    'check that --client-cert, --client-key and --ca-cert name PEM files, that certificate and key belong together, and that the key is not encrypted',
  );
}

function explainHandshakeError(code: string, { authority }: Target): GatewayError | undefined {
  if (
    code === 'EPROTO' ||
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code)
  ) {
    return new GatewayError('unreachable', `${authority} does not speak TLS (${code})`, {
      hint: 'write http:// in --url, or check its port',
    });
  }
  if (!code.startsWith('ERR_SSL_')) return undefined;
  return makeUntrusted(
    `the TLS handshake with ${authority} failed (${code})`,
    'check the port of --url, and which TLS versions and ciphers the gateway takes',
  );
}

function makeUntrusted(message: string, hint: string): GatewayError {
  return new GatewayError('untrusted', message, { hint });
}
