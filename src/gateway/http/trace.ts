import { present, mapValues } from '../../model/collect.ts';
import { excess } from '../../model/json/extent.ts';
import { readJson } from '../../model/json/json-text.ts';
import {
  changeAt,
  isList,
  isObject,
  parsePointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { shapesOf, type Template } from '../../model/state.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { identify } from '../../model/identity.ts';
import { type Call, type HttpResponse } from './call.ts';
import type { CallListener, Connection } from '../connection.ts';
import type { Target } from './target.ts';

const NOTHING_FILLED: ReadonlyMap<Pointer, Template> = new Map();
/** Of a list; the rest is counted. */
const MOST_ITEMS = 20;
/** Headers that gwconf sets itself and that contain no secret. */
const OPEN = new Set(['accept', 'accept-encoding', 'content-type', 'user-agent']);

/** Headers of responses that help with a problem; others can repeat what was sent, in any form, or tell how long it is. */
const ANSWERED = new Set([
  ...['content-type', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive'],
  ...['date', 'server', 'via', 'retry-after', 'allow', 'x-request-id', 'x-correlation-id', 'traceparent'],
]);

/**
 * Reports calls to `connection.trace`, without anything that could be secret: credentials, headers of the user, fields that
 * the kind marks. Of a response that is not a resource only the size is reported.
 */
export function makeTracer(
  { trace, filled }: CallListener,
  { headers: given = {} }: Connection,
  target: Target,
) {
  if (trace === undefined) return undefined;
  const byHand = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  let count = 0;
  return ({ method, path, body }: Call, kind: Kind | undefined) => {
    const call = (count += 1);
    const report = (event: JsonObject): void =>
      trace({ call, method, url: `${target.url}${path}`, ...event });
    return {
      sent(): void {
        const headers = mapValues(
          body === undefined ? target.headers : { ...target.headers, 'content-type': 'application/json' },
          (value, name) => (OPEN.has(name) && !byHand.has(name) ? value : HIDDEN),
        );
        const shown =
          body !== undefined && kind !== undefined && method === 'PUT' ? maskItem(kind, body, filled) : body;
        report({ event: 'request', headers, ...present({ body: shown }) });
      },
      received({ status, headers: received, text }: HttpResponse): void {
        const headers = mapValues(received, (value, name) =>
          ANSWERED.has(name) ? target.sanitize([value ?? []].flat().join(', ')) : HIDDEN,
        );
        report({ event: 'answer', status, headers, body: maskBody(text, kind, filled) });
      },
      failed(error: unknown): void {
        report({ event: 'failure', why: error instanceof Error ? target.sanitize(error.message) : '' });
      },
    };
  };
}

type Filled = CallListener['filled'];

function maskBody(text: string, kind: Kind | undefined, filled: Filled): Json {
  const size = `(${text.length} characters)`;
  if (kind === undefined) return size;
  const body = excess(text) === undefined ? readJson(text) : undefined;
  if (isList(body)) {
    const left = body.length - MOST_ITEMS;
    const items = body.slice(0, MOST_ITEMS).map((item) => maskItem(kind, item, filled));
    return left > 0 ? [...items, `(${left} more)`] : items;
  }
  const [resource, result] = ['resource', 'upsertResult'].map((key) => valueOf(body, key));
  if (resource === undefined || typeof result !== 'string') return size;
  return { resource: maskItem(kind, resource, filled), upsertResult: result };
}

/**
 * A resource with its secrets hidden; anything else is hidden as a whole. Of a resource whose declaration is not known, any
 * value can be from a variable.
 */
function maskItem(kind: Kind, item: Json, filled: Filled): Json {
  try {
    const resource = kind.read(item);
    const templates = filled === undefined ? NOTHING_FILLED : filled(identify(kind, resource));
    if (templates === undefined) return { ...resource, spec: hideValues(resource.spec) };
    const places = [...secretPlaces(kind, resource, shapesOf(templates))].map(parsePointer);
    return places.reduce<Json>((shown, place) => changeAt(shown, place, () => HIDDEN), resource);
  } catch {
    return HIDDEN;
  }
}

function hideValues(value: Json): Json {
  if (isList(value)) return value.map(hideValues);
  if (!isObject(value)) return HIDDEN;
  return mapValues(value, hideValues);
}
