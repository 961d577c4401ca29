import { createHash, createHmac, scryptSync, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a text, in hex; detects accidental changes only. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** SHA-256 of a text in pieces, and with a key its HMAC-SHA256. */
export function seal(
  pieces: Iterable<string>,
  key?: string,
): { readonly digest: string; readonly mac?: string } {
  const [hash, hmac] = [createHash('sha256'), key === undefined ? undefined : createHmac('sha256', key)];
  for (const piece of pieces) {
    hash.update(piece);
    hmac?.update(piece);
  }
  return { digest: hash.digest('hex'), ...(hmac === undefined ? {} : { mac: hmac.digest('hex') }) };
}

/** Whether `written` is this HMAC, in constant time. */
export function isMac(written: unknown, mac: string): boolean {
  const [one, other] = [Buffer.from(String(written)), Buffer.from(mac)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Digests of secrets for build artefacts: salted, and slow to guess (scrypt, about 50 ms). Each secret is computed once. */
export function slowDigester(salt: string): (secret: string) => string {
  const known = new Map<string, string>();
  return (secret) => {
    const found = known.get(secret);
    if (found !== undefined) return found;
    const made = scryptSync(secret, salt, 24, { N: 16384, r: 8, p: 1 }).toString('base64url');
    known.set(secret, made);
    return made;
  };
}
