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

const UNKNOWN_SIGNER = 'is signed by an authority that is not trusted';
/** What is wrong with a certificate, and what to do about it. Default: check the trusted authorities. */
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
    return makeUntrusted(
      `${whose} is for ${readNames(error, target)}`,
      'use a name that the certificate has in --url',
    );
  const [fault, hint = makeAuthorityHint(target)] = CERTIFICATE_FAULTS[code] ?? [];
  return fault === undefined ? undefined : makeUntrusted(`${whose} ${fault} (${code})`, hint);
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
          'set --client-cert and --client-key (CDK_CERT, CDK_KEY)',
        );
  }
  return makeUntrusted(
    `${authority} aborted the TLS handshake (${code})`,
    given.cert
      ? 'check --client-cert (CDK_CERT), and which TLS versions and ciphers the gateway takes'
      : 'if it requires a client certificate, set --client-cert and --client-key (CDK_CERT, CDK_KEY)',
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
