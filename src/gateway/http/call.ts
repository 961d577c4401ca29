import { scopeOf } from '../../model/identity.ts';
import { type Json, isObject, valueOf } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { fitsInPath, type Resource } from '../../model/resource.ts';
import { PUBLISHED_PASSWORD } from '../../model/secrets/secret-texts.ts';
import { GatewayError } from '../gateway.ts';
import { readJson } from '../../model/json/json-text.ts';
import { toOneLine } from '../../model/text/escape.ts';
import { cutWithin } from '../../model/text/list.ts';

/** A request, without the address of the gateway. */
export type Call = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** From the root of the gateway on: `/gateway/v2/group`. */
  readonly path: string;
  readonly body?: Json;
};

/**
 * The delete by whole identity, in the form that the kind's `removal` names (gateway-api A.3). A scope in the body has all
 * its axes: old gateways misread a missing one (B.7).
 */
export function makeRemoveCall(kind: Kind, resource: Resource): Call {
  const { name } = resource.metadata;
  const scope = scopeOf(kind, resource);
  switch (kind.removal) {
    case 'path':
      return { method: 'DELETE', path: `${kind.collection}/${encodeSegment(name)}` };
    case 'body':
      return { method: 'DELETE', path: kind.collection, body: { name, ...scope } };
    case 'path-and-body':
      return { method: 'DELETE', path: `${kind.collection}/${encodeSegment(name)}`, body: scope };
    default:
      throw new Error(`${kind.name} can only be read`);
  }
}

// Anything on the way may resolve dots, escaped or not, and the delete would go to another path.
function encodeSegment(name: string): string {
  if (fitsInPath(name)) return encodeURIComponent(name);
  const message = `the name ${name} cannot be part of a path, so the object cannot be deleted`;
  throw new GatewayError('refused', message, { hint: 'delete it with another client, or keep it' });
}

/** Makes foreign text safe to show: one line of limited length, without control characters and our own secrets. */
export type Sanitize = (text: string) => string;

const MAX_LENGTH = 500;

/** Hides these values, too, where the other side echoes them. */
export function makeSanitizer(secrets: readonly string[]): Sanitize {
  const hidden = secrets
    .map(toOneLine)
    .filter((secret) => secret !== '' && secret !== PUBLISHED_PASSWORD)
    .sort((one, other) => other.length - one.length);
  return (text) =>
    cutWithin(
      hidden.reduce((shown, secret) => shown.replaceAll(secret, '***'), toOneLine(text.slice(0, 100_000))),
      MAX_LENGTH,
    );
}

/** A response, independent of the HTTP client. */
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

/** Such as the page of a load balancer, a login or another program. */
export function isHtml(response: HttpResponse): boolean {
  return (
    /^(text\/html|application\/xhtml)/i.test(readHeader(response, 'content-type') ?? '') ||
    /^\s*<(!doctype|html|head|body)\b/i.test(response.text.slice(0, 1000))
  );
}

/**
 * The message of an error: `cause`, `msg` or `title` (gateway-api A.2), `message`, or plain text. `fromApi` for the first three,
 * which make it likely that a gateway responded. Of others, such as proxies, a `title` has its `detail` beside it.
 */
export function readErrorText(
  response: HttpResponse,
): { readonly text: string; readonly fromApi: boolean } | undefined {
  if (isHtml(response)) return undefined;
  const body = readJson(response.text);
  if (body === undefined) {
    const text = response.text.trim();
    return text === '' ? undefined : { text, fromApi: false };
  }
  if (typeof body === 'string' && body !== '') return { text: body, fromApi: false };
  const find = (keys: readonly string[]): string | undefined =>
    keys
      .map((key) => (isObject(body) ? valueOf(body, key) : undefined))
      .find((value): value is string => typeof value === 'string' && value.trim() !== '');
  const title = [find(['title']), find(['detail'])].filter((one) => one !== undefined).join(': ');
  const text = find(['cause', 'msg']) ?? (find(['title']) === undefined ? undefined : title);
  if (text !== undefined) return { text, fromApi: true };
  const message = find(['message']); // of v1 (C.1), and of many other servers
  return message === undefined ? undefined : { text: message, fromApi: false };
}
