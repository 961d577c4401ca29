import { createHash, createHmac, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a text, in hex; detects accidental changes only. */
export function digest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** SHA-256 of a text in pieces, and with a key its HMAC-SHA256. */
export function digestPieces(
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

/**
 * Digests secrets for build artefacts. Without `mark`, a secret gets a salt of its own, whose mark begins its digest; with the
 * mark of a digest, its salt is used again. What is mixed of a secret and a text of the author gets a slow digest however random it
 * looks: the author knows a part of it.
 */
export type Digester = (secret: string, mark?: string, isMixed?: boolean) => string;

/** The mark of digests of random text, which is too long to guess and needs no slow digest. */
const RANDOM = 'r';

/** Digests secrets for comparisons in this process; the digests must not be stored. */
export const quickDigester: Digester = (secret) => `${RANDOM}.${digest(`:${secret}`)}`;

/** Computes each digest when it is needed, for callers with few secrets. */
export function slowDigester(salt: string): Digester {
  return digester(salt, (text, ownSalt) => scryptSync(text, ownSalt, BYTES, COST).toString('base64url'));
}

/** The secrets or salts in a file that anyone can write are too many for slow digests. */
export class TooManyDigests extends Error {
  override readonly name = 'TooManyDigests';
}

/** Some minutes on one core. */
export const MOST_DIGESTS = 2000;

/** Computes a slow digest. */
export type DeriveKey = (text: string, salt: string) => Promise<string>;

/**
 * Makes something with digests that are computed in parallel: `make` is called until it needs no further one. Throws
 * TooManyDigests.
 */
export async function withDigests<T>(
  salt: string,
  make: (slow: Digester) => T,
  derive: DeriveKey = deriveKey,
): Promise<T> {
  const known = new Map<string, string>();
  for (;;) {
    const wanted = new Map<string, () => Promise<string>>();
    const made = make(
      digester(salt, (text, ownSalt) => {
        const key = `${ownSalt}\n${text}`;
        const found = known.get(key);
        if (found === undefined && !wanted.has(key)) wanted.set(key, () => derive(text, ownSalt));
        return found ?? '';
      }),
    );
    if (wanted.size === 0) return made;
    if (known.size + wanted.size > MOST_DIGESTS) throw new TooManyDigests();
    const derived = [...wanted].map(async ([key, start]) => [key, await start()] as const);
    for (const [key, digest] of await Promise.all(derived)) known.set(key, digest);
  }
}

/** About 100 ms and 48 MB for each guess. */
const COST = { N: 32768, r: 12, p: 1, maxmem: 64 * 1024 * 1024 };
const BYTES = 24;

export const deriveKey: DeriveKey = (text, salt) =>
  new Promise((resolve, reject) => {
    scrypt(text, salt, BYTES, COST, (error, key) => {
      if (error === null) resolve(key.toString('base64url'));
      else reject(error);
    });
  });

function digester(salt: string, derive: (text: string, salt: string) => string): Digester {
  const marks = new Map<string, string>();
  const known = new Map<string, string>();
  return (secret, given, isMixed = false) => {
    const id = `${isMixed} ${secret}`;
    const isFast = !isMixed && isRandom(secret);
    const mark = given ?? marks.get(id) ?? (isFast ? RANDOM : String(marks.size));
    if (given === undefined) marks.set(id, mark);
    if (mark === RANDOM) return `${RANDOM}.${digest(`${salt}:${secret}`)}`;
    const key = `${mark}.${secret}`;
    const found = known.get(key) ?? `${mark}.${derive(secret, `${salt}:${mark}`)}`;
    known.set(key, found);
    return found;
  };
}

/**
 * Finds the value with a digest, `likely` first. Waits for the slow digest of one value before it needs that of the next; random
 * values are looked up.
 */
export function makeFinder<T>(
  values: readonly T[],
  textOf: (value: T) => string,
  slow: Digester,
): (wanted: string, likely?: T) => T | undefined {
  const isFast = (value: T): boolean => isRandom(textOf(value));
  const others = values.filter((value) => !isFast(value));
  const byDigest = new Map(
    values.filter(isFast).map((value) => [slow(textOf(value), RANDOM), value] as const),
  );
  return (wanted, likely) => {
    const mark = markOf(wanted);
    if (mark === RANDOM) return byDigest.get(wanted);
    for (const value of likely === undefined || isFast(likely) ? others : [likely, ...others]) {
      const made = slow(textOf(value), mark);
      if (made === wanted) return value;
      if (made === `${mark}.`) return undefined; // it is being computed
    }
    return undefined;
  };
}

export function markOf(digest: string): string {
  return digest.slice(0, Math.max(0, digest.indexOf('.')));
}

/**
 * Whether a text looks as random as a generated token: no words, no repetition, and so many characters that nobody finds it by
 * guessing. What people make up is not.
 */
export function isRandom(text: string): boolean {
  const inner = text.replace(/^"|"$/g, '');
  if (inner.length < 32 || !/^[\w.+/=:~-]+$/.test(inner)) return false;
  const classes = Array.from(inner, (letter) =>
    /\d/.test(letter) ? 0 : /[a-z]/.test(letter) ? 1 : /[A-Z]/.test(letter) ? 2 : 3,
  );
  const turns = classes.filter((one, at) => at > 0 && one !== classes[at - 1]).length;
  const threes = new Set(classes.slice(2).map((_, at) => inner.slice(at, at + 3)));
  // In hex, letters follow letters more often, and eight digits in a row are no date.
  const isHex = /^[\da-f]+$/i.test(inner);
  const hasWord = (isHex ? /[a-f]{9}|\d{14}/i : /[a-z]{6}|[A-Z]{6}|\d{8}/).test(inner);
  return turns * (isHex ? 5 : 3) >= inner.length && threes.size * 10 >= (inner.length - 2) * 9 && !hasWord;
}
