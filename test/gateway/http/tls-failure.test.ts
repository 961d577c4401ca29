import { describe, expect, it } from 'vitest';
import { readTarget } from '../../../src/gateway/http/target.ts';
import { explainTlsFailure } from '../../../src/gateway/http/call-failure.ts';

describe('a gateway that breaks off the handshake', () => {
  // What Node.js 20, and Node.js 22 and 24, make of the same alert.
  it.each(['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'])(
    'may want a client certificate: %s',
    (code) => {
      const error = explainTlsFailure(
        code,
        undefined,
        readTarget({ url: 'https://gateway.example:8888', userAgent: 'gwconf' }),
      );
      expect(error).toMatchObject({
        code: 'untrusted',
        hint: expect.stringContaining('set --client-cert and --client-key') as string,
      });
    },
  );
});
