import { excess } from '../../model/json/extent.ts';
import { isObject, type Json, type JsonObject } from '../../model/json/json.ts';

/** A token, with what it says. Whether its signature is right is not known here. */
export type Jwt = { readonly token: string; readonly header: JsonObject; readonly claims: JsonObject };

/** Every JWT in a text of any format, once. */
export function findJwts(text: string): readonly Jwt[] {
  const words = new Set(text.split(/[^\w.-]+/));
  return [...words].map(readJwt).filter((jwt) => jwt !== undefined);
}

/** The parts of a JWT; undefined for other text. */
export function readJwt(token: string): Jwt | undefined {
  const [head = '', body = '', signature, more] = token.split('.', 4);
  if (signature === undefined || more !== undefined) return undefined;
  const [header, claims] = [head, body].map(decode);
  return isObject(header) && isObject(claims) ? { token, header, claims } : undefined;
}

function decode(part: string): Json | undefined {
  const text = Buffer.from(part, 'base64url').toString();
  if (!text.startsWith('{') || excess(text) !== undefined) return undefined;
  try {
    return JSON.parse(text) as Json; // what JSON.parse returns
  } catch {
    return undefined;
  }
}

/** When it ends, in milliseconds; undefined if it does not say, or says something else than a number of seconds. */
export function expiryOf({ claims }: Pick<Jwt, 'claims'>): number | undefined {
  const seconds = claims['exp'];
  return typeof seconds === 'number' && Math.abs(seconds) <= LATEST_S ? seconds * 1000 : undefined;
}

/** The last second that a date can have. */
const LATEST_S = 8.64e12;
