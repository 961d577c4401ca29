import { isObject, valueOf, type Json } from '../../model/json/json.ts';
import { PUBLISHED_PASSWORD } from '../../model/secrets/secrets.ts';

/** Foreign text made safe to show: one line, of a sane length, without control characters and our own secrets. */
export type Sanitize = (text: string) => string;

const MAX_LENGTH = 500;

/** A cleaner that also hides these values, wherever the other side echoes them. */
export function makeSanitizer(secrets: readonly string[]): Sanitize {
  const hidden = secrets
    .map(toOneLine)
    .filter((secret) => secret !== '' && secret !== PUBLISHED_PASSWORD)
    .sort((one, other) => other.length - one.length);
  return (text) =>
    truncate(
      hidden.reduce((shown, secret) => shown.replaceAll(secret, '***'), toOneLine(text.slice(0, 100_000))),
    );
}

/** Controls, format characters (they turn text around) and line separators become spaces; runs of them become one. */
function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
}

function truncate(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`; // no half of a character
}

/** What an answer says: enough of it to be judged without knowing who carried it. */
export type HttpResponse = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
};

export function readHeader({ headers }: Pick<HttpResponse, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** A page for people: a load balancer's, a login, another program's. */
export function isHtml(answer: HttpResponse): boolean {
  return (
    /^(text\/html|application\/xhtml)/i.test(readHeader(answer, 'content-type') ?? '') ||
    /^\s*<(!doctype|html|head|body)\b/i.test(answer.text.slice(0, 1000))
  );
}

/**
 * The gateway's own words: `cause`, else `msg`, else `title` (gateway-api A.2), or what it says in plain text. Only the
 * first three make it likely that a gateway is speaking.
 */
export function readErrorText(
  answer: HttpResponse,
): { readonly text: string; readonly fromApi: boolean } | undefined {
  if (isHtml(answer)) return undefined;
  const body = parseJson(answer.text);
  if (body === undefined) {
    const text = answer.text.trim();
    return text === '' ? undefined : { text, fromApi: false };
  }
  if (typeof body === 'string' && body !== '') return { text: body, fromApi: false };
  const said = ['cause', 'msg', 'title'].map((key) => (isObject(body) ? valueOf(body, key) : undefined));
  const text = said.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  return text === undefined ? undefined : { text, fromApi: true };
}

/** The value of a JSON text; `undefined` when it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives nothing else
  } catch {
    return undefined;
  }
}
