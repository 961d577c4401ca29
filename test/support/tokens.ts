import type { JsonObject } from '../../src/model/json/json.ts';

/** A JWT with these claims, and a signature that is none. */
export function tokenWith(claims: JsonObject): string {
  const parts = [{ alg: 'HS256' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, 'c2lnbmF0dXJl'].join('.');
}
