import { generate } from 'selfsigned';

/** PEM texts. */
export type Pair = { readonly cert: string; readonly key: string };

const past = { from: '2020-01-01', until: '2021-01-01' };
const always = { from: '2020-01-01', until: '2120-01-01' };

export async function makeAuthority(name = 'test authority'): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...ecdsa(always),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** A certificate for servers and clients, by default for 127.0.0.1; without an authority it signs itself. */
export async function makeCertificate(
  authority: Pair | undefined,
  about: { readonly host?: string; readonly expired?: boolean } = {},
): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: 'gateway' }], {
    ...ecdsa(about.expired === true ? past : always),
    ...(authority === undefined ? {} : { ca: authority }),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [about.host === undefined ? { type: 7, ip: '127.0.0.1' } : { type: 2, value: about.host }],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}

function ecdsa({ from, until }: { readonly from: string; readonly until: string }) {
  return {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(from),
    notAfterDate: new Date(until),
  } as const;
}
