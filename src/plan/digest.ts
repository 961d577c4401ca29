import { createHash, scryptSync } from 'node:crypto';

/** SHA-256 of a text, in hex: finds accidents, hides nothing. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
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
