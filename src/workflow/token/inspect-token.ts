import type { JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import type { Masker } from '../../plan/secrets/masker.ts';
import { expiryOf, findJwts } from './jwt.ts';

/** What a token says about itself. */
export type Inspection = {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** Milliseconds since 1970; undefined for a token that says no time. */
  readonly expiry: number | undefined;
};
export type InspectionResult = {
  readonly result: 'ok' | 'expired' | 'expiring' | 'error';
  readonly inspection?: Inspection;
  readonly problems: readonly Problem[];
};

/** Reads the token in a text of any format; `file` names the text. Its signature is not checked. */
export function inspectToken(
  text: string,
  file: string,
  { learn }: Pick<Masker, 'learn'>,
  { now, warnWithinMs = 0 }: { readonly now: number; readonly warnWithinMs?: number | undefined },
): InspectionResult {
  const [jwt, ...others] = findJwts(text);
  for (const { token } of [...(jwt === undefined ? [] : [jwt]), ...others]) learn(token);
  if (jwt === undefined || others.length > 0)
    return { result: 'error', problems: [notOne(file, jwt === undefined ? 0 : others.length + 1)] };
  const { header, claims } = jwt;
  const expiry = expiryOf(jwt);
  const left = expiry === undefined ? Infinity : expiry - now;
  return {
    result: left <= 0 ? 'expired' : left <= warnWithinMs ? 'expiring' : 'ok',
    inspection: { header, claims, expiry },
    problems: expiry === undefined ? [noExpiry(claims)] : [],
  };
}

function notOne(file: string, count: number): Problem {
  return {
    code: 'invalid-token',
    severity: 'error',
    message: `${file} contains ${count === 0 ? 'no token' : `${count} different tokens`}; expected one`,
    hint: 'name a file that gwconf token issue wrote, in any of its formats',
  };
}

function noExpiry(claims: JsonObject): Problem {
  const isThere = claims['exp'] !== undefined;
  return {
    code: 'unusual-value',
    severity: 'warning',
    message: isThere ? 'the claim exp is no time' : 'the token has no claim exp',
    hint: 'ask the gateway for a new token: whether this one ends is not known',
  };
}
