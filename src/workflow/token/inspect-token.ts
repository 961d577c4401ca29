import { excess } from '../../model/json/extent.ts';
import { type JsonObject, isObject, type Json } from '../../model/json/json.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { Told } from '../../outcome/outcome.ts';
import type { TokenInspection } from '../../outcome/gateway.ts';
import { describeProblem } from '../../outcome/problem-record.ts';
import type { Masker } from '../../plan/secrets/masker.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';

type ReadToken = Omit<TokenInspection, 'format' | 'signatureChecked' | 'problems'> & {
  readonly problems: readonly Problem[];
};

/** Reads the token in a file of any format. Its signature is not checked. */
export async function inspectToken(
  host: Pick<Host, 'readSources' | 'now'>,
  masker: Pick<Masker, 'learn'>,
  file: string,
  warnWithinMs = 0,
): Promise<Told<TokenInspection>> {
  // Who names the token itself, in place of its file, must not find it in a log.
  for (const { token } of findJwts(file)) masker.learn(token);
  const { value: sources, problems: unread } = await host.readSources([file]);
  const text = sources.map((source) => source.text).join('\n');
  const name = file === '-' ? 'stdin' : file;
  const { problems: found, ...about }: ReadToken =
    unread.length > 0
      ? { result: 'error', problems: unread }
      : inspect(text, name, masker, { now: host.now().getTime(), warnWithinMs });
  const problems = locateProblems(found);
  const outcome: TokenInspection = {
    format: 'gwconf/token-inspection@1',
    signatureChecked: false,
    ...about,
    problems: problems.map(describeProblem),
  };
  return { outcome, problems };
}

function inspect(
  text: string,
  file: string,
  { learn }: Pick<Masker, 'learn'>,
  { now, warnWithinMs }: { readonly now: number; readonly warnWithinMs: number },
): ReadToken {
  const [jwt, ...others] = findJwts(text);
  for (const { token } of [...(jwt === undefined ? [] : [jwt]), ...others]) learn(token);
  if (jwt === undefined || others.length > 0)
    return { result: 'error', problems: [notOne(file, jwt === undefined ? 0 : others.length + 1)] };
  const { header, claims } = jwt;
  const expiry = expiryOf(jwt);
  const left = expiry === undefined ? Infinity : expiry - now;
  return {
    result: left <= 0 ? 'expired' : left <= warnWithinMs ? 'expiring' : 'ok',
    ...{ header, claims },
    ...(expiry === undefined
      ? {}
      : { expiresAt: new Date(expiry).toISOString(), secondsLeft: Math.floor(left / 1000) }),
    problems: expiry === undefined ? [noExpiry(claims)] : [],
  };
}

function notOne(file: string, count: number): Problem {
  return makeProblem({
    code: 'invalid-token',
    message: `${file} contains ${count === 0 ? 'no token' : `${count} different tokens`}; expected one`,
    hint: 'name a file that gwconf token issue wrote, in any of its formats',
  });
}

export function noExpiry(claims: JsonObject): Problem {
  const isThere = claims['exp'] !== undefined;
  return makeProblem({
    code: 'unusual-value',
    message: isThere ? 'the claim exp is no time' : 'the token has no claim exp',
    hint: 'ask the gateway for a new token: whether this one ends is not known',
  });
}

/** A token, with what it says. Whether its signature is right is not known here. */
type Jwt = { readonly token: string; readonly header: JsonObject; readonly claims: JsonObject };

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
