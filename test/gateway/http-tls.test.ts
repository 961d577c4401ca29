import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority, makeCertificate, type Pair } from './certificates.ts';
import { always, closeAll, failureOf, gatewayAt, serve } from './opponent.ts';
import { shelf } from './toy-kinds.ts';

let authority: Pair;
let server: Pair;
let client: Pair;
beforeAll(async () => {
  authority = await makeAuthority();
  server = await makeCertificate(authority);
  client = await makeCertificate(authority);
});
afterEach(closeAll);

const empty = always(200, []);

describe('a gateway with a certificate of our own authority', () => {
  it('is trusted when the authority is', async () => {
    const { url } = await serve(empty, server);
    expect(await gatewayAt(url, { ca: authority.cert }).list(shelf)).toEqual([]);
  });

  it('is not trusted otherwise', async () => {
    const { url, received } = await serve(empty, server);
    const error = await failureOf(gatewayAt(url, { user: 'a', password: 'b' }).list(shelf));
    expect(error.code).toBe('untrusted');
    expect(error.message).toContain('is signed by an authority that is not trusted');
    expect(error.hint).toContain('--ca-cert FILE');
    expect(received).toEqual([]);
  });

  it('is not trusted by another authority', async () => {
    const { url } = await serve(empty, server);
    const other = await makeAuthority('another authority');
    const error = await failureOf(gatewayAt(url, { ca: other.cert }).list(shelf));
    expect(error.code).toBe('untrusted');
    expect(error.hint).toContain('check that the file of --ca-cert');
  });

  it('is taken unseen with insecure', async () => {
    const { url } = await serve(empty, server);
    expect(await gatewayAt(url, { insecure: true }).list(shelf)).toEqual([]);
  });
});

describe('a certificate that is not right', () => {
  it('signs itself', async () => {
    const { url } = await serve(empty, await makeCertificate(undefined));
    const error = await failureOf(gatewayAt(url).list(shelf));
    expect(error.code).toBe('untrusted');
    expect(error.message).toContain('is self-signed');
    expect(error.hint).toContain('--ca-cert');
  });

  it('is for another host, and says for which', async () => {
    const { url } = await serve(empty, await makeCertificate(authority, { host: 'gateway.example' }));
    const error = await failureOf(gatewayAt(url, { ca: authority.cert }).list(shelf));
    expect(error.code).toBe('untrusted');
    expect(error.message).toMatch(/is for other names: DNS:gateway\.example$/);
  });

  it('has expired', async () => {
    const { url } = await serve(empty, await makeCertificate(authority, { expired: true }));
    const error = await failureOf(gatewayAt(url, { ca: authority.cert }).list(shelf));
    expect(error.code).toBe('untrusted');
    expect(error.message).toContain('has expired');
  });
});

describe.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a gateway that asks for client certificates with %s',
  (version) => {
    const asking = () => ({
      ...server,
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: version,
      maxVersion: version,
    });

    it('takes one of its authority', async () => {
      const { url } = await serve(empty, asking());
      expect(await gatewayAt(url, { ca: authority.cert, ...client }).list(shelf)).toEqual([]);
    });

    it('does not talk to callers without one', async () => {
      const { url, received } = await serve(empty, asking());
      const error = await failureOf(gatewayAt(url, { ca: authority.cert }).list(shelf));
      expect(['untrusted', 'unreachable']).toContain(error.code);
      expect(error.hint).toContain('set --client-cert and --client-key');
      expect(received).toEqual([]);
    });

    it('does not take one of another authority', async () => {
      const { url } = await serve(empty, asking());
      const stranger = await makeCertificate(await makeAuthority('another authority'));
      const error = await failureOf(gatewayAt(url, { ca: authority.cert, ...stranger }).list(shelf));
      expect(error.hint).toContain('--client-cert');
    });
  },
);

describe('files that are not what they should be', () => {
  it.each([
    ['a key of another certificate', () => ({ cert: client.cert, key: server.key })],
    ['a certificate that is none', () => ({ cert: 'none', key: client.key })],
  ])('%s', async (_, pair) => {
    const { url } = await serve(empty, server);
    const error = await failureOf(gatewayAt(url, { ca: authority.cert, ...pair() }).list(shelf));
    expect(error.code).toBe('untrusted');
    expect(error.message).toContain('cannot be used');
  });

  it.each([
    ['--ca-cert (GWCONF_CA_CERT)', () => ({ ca: '' })],
    ['--client-cert (GWCONF_CLIENT_CERT)', () => ({ cert: '\n', key: client.key })],
    ['--client-key (GWCONF_CLIENT_KEY)', () => ({ cert: client.cert, key: '' })],
  ])('an empty file of %s, without which others would be trusted, or nothing shown', (flag, empty) => {
    expect(() => gatewayAt('https://gateway.example', empty())).toThrow(`the file of ${flag} is empty`);
  });

  it('a certificate without its key, or a key alone', () => {
    for (const half of [{ cert: client.cert }, { key: client.key }]) {
      expect(() => gatewayAt('https://gateway.example', half)).toThrow('must be given together');
    }
  });
});

it('plain HTTP to a TLS port is told apart', async () => {
  const { url } = await serve(empty, server);
  const error = await failureOf(gatewayAt(url.replace('https:', 'http:')).list(shelf));
  expect(error.code).toBe('unreachable');
  expect(error.hint).toContain('https://');
});
