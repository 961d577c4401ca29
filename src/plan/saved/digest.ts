import { createHash, createHmac, scryptSync, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a text, in hex: finds accidents, hides nothing. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The same of a text in pieces; with a key its HMAC-SHA256 too, which only who has the key can make. */
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

/** Whether `written` is this HMAC; how long that takes says nothing of how much of it is right. */
export function isMac(written: unknown, mac: string): boolean {
  const [one, other] = [Buffer.from(String(written)), Buffer.from(mac)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * A digest of a secret that may lie in a build artefact: salted, and slow enough (scrypt, about 50 ms) that guessing
 * a password from it costs more than it brings. The same secret and salt are worked out once.
 */
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
