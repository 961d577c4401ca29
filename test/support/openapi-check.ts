import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import type { ApiResponse } from '../../src/emulator/responses/response.ts';
import {
  changeAt,
  entriesOf,
  parsePointer,
  printPointer,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../src/model/json/json.ts';

export type Exchange = {
  readonly request: { readonly method: string; readonly url: string };
  readonly response: ApiResponse;
};
export type ExchangeCheck = (exchange: Exchange) => readonly string[];

/** Holds exchanges to an OpenAPI document: what is wrong with the status or the body, in a line each. */
export function checkExchange(document: JsonObject): ExchangeCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, validateSchema: false });
  ajv.addSchema(document, 'api');
  return ({ request: { method, url }, response }) => {
    const about = `${method} ${url} ${response.status}`;
    const paths = pathsIn(document, url);
    const path = paths.find((described) => valueAt(document, operationAt(described, method)) !== undefined);
    if (path === undefined) {
      return response.status === (paths.length === 0 ? 404 : 405) ? [] : [`${about}: not described`];
    }
    const pointer: Pointer = `${operationAt(path, method)}/responses/${response.status}`;
    const described = valueAt(document, pointer);
    if (described === undefined) return [`${about}: the status is not described`];
    const content = valueOf(described, 'content');
    const [type, body] = typeAndBody(response);
    if (body === undefined) return content === undefined ? [] : [`${about}: expected a body`];
    if (valueOf(content, type) === undefined) return [`${about}: ${type} is not described`];
    const schema = `api#${pointer}${printPointer(['content', type, 'schema'])}`;
    const validate = ajv.getSchema(encodeURI(schema)) ?? ajv.compile({ $ref: encodeURI(schema) });
    return validate(body)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message }) => `${about}: ${instancePath} ${message ?? ''}`,
        );
  };
}

function typeAndBody({ body, text }: ApiResponse): readonly [string, Json | undefined] {
  return body === undefined ? ['text/plain', text] : ['application/json', body];
}

function operationAt(path: string, method: string): Pointer {
  return printPointer(['paths', path, method.toLowerCase()]);
}

/** The described paths that a real one may be of; those without braces first. */
function pathsIn(document: JsonObject, url: string): readonly string[] {
  const segments = url.split('?')[0]?.split('/') ?? [];
  const fits = (described: string): boolean => {
    const parts = described.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]))
    );
  };
  return entriesOf(document['paths'] ?? {})
    .map(([described]) => described)
    .filter(fits)
    .sort((one, other) => one.split('{').length - other.split('{').length);
}

/** Every `$ref` of a document that leads nowhere. */
export function danglingRefs(document: JsonObject): readonly string[] {
  const refs = (value: Json): readonly string[] =>
    entriesOf(value).flatMap(([key, child]) =>
      key === '$ref' && typeof child === 'string' ? [child] : refs(child),
    );
  return refs(document).filter(
    (ref) => !ref.startsWith('#/') || valueAt(document, ref.slice(1) as Pointer) === undefined,
  );
}

const upstreamUrl = new URL('../../../shared/upstream/gateway-v2-openapi.yaml', import.meta.url);

/** The vendor's own description, as far as it goes; undefined where it is not at hand. */
export function upstreamCheck(): ExchangeCheck | undefined {
  if (!existsSync(upstreamUrl)) return undefined;
  const document = parse(readFileSync(upstreamUrl, 'utf8')) as JsonObject; // an OpenAPI document is an object
  const check = checkExchange(DEVIATIONS.reduce((changed, { change }) => change(changed), document));
  // Newer paths, health and metrics are not in it.
  return (exchange) => (pathsIn(document, exchange.request.url).length === 0 ? [] : check(exchange));
}

type Deviation = { readonly because: string; readonly change: (document: JsonObject) => JsonObject };

/** Where the vendor's description of early 2025 is known to differ from what is on the wire, or to lag. */
export const DEVIATIONS: readonly Deviation[] = [
  {
    because: 'the axes of a scope are null where they are not set (gateway-api H.1)',
    change: (document) =>
      at(document, '/components/schemas/InterceptorScope/properties/*/type', () => ['string', 'null']),
  },
  {
    because: 'upsertResult is typed as an object and is a word on the wire (gateway-api B.5)',
    change: (document) => at(document, '/components/schemas/UpsertResult', () => ({ type: 'string' })),
  },
  {
    because: 'the two shapes of a service account are open, so that every account fits both',
    change: (document) =>
      at(document, '/components/schemas/GatewayServiceAccount', (schema) => ({
        anyOf: valueOf(schema, 'oneOf') ?? [],
      })),
  },
  {
    because: 'any body or query parameter that cannot be decoded is refused in plain text (gateway-api A.2)',
    change: (document) => eachResponse(document, '400', 'text/plain', { type: 'string' }),
  },
  {
    because: 'a PLAINTEXT gateway refuses virtual clusters and service accounts since 3.6 (gateway-api A.2)',
    change: (document) => eachResponse(document, '400', 'application/json', errorBody),
  },
  {
    because: 'users without admin may not write (gateway-api A.2)',
    change: (document) => eachResponse(document, '403', 'application/json', errorBody),
  },
  {
    because: 'the emulator bounds the size of a body',
    change: (document) => eachResponse(document, '413', 'application/json', errorBody),
  },
];

const errorBody = { $ref: '#/components/schemas/BadRequest' };

function at(document: JsonObject, pattern: Pointer, change: (value: Json | undefined) => Json): JsonObject {
  return changeAt(document, parsePointer(pattern), change) as JsonObject; // changed inside, an object still
}

/** One more content type of a status, at every operation. */
function eachResponse(document: JsonObject, status: string, type: string, schema: JsonObject): JsonObject {
  const paths = Object.entries(document['paths'] as JsonObject).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations as JsonObject).map(([method, operation]) => {
        const responses = valueOf(operation, 'responses') as JsonObject; // every operation has some
        const described = responses[status] ?? { description: '' };
        const content = valueOf(described, 'content') ?? {};
        const more = {
          ...(described as JsonObject),
          content: { [type]: { schema }, ...(content as JsonObject) },
        };
        return [method, { ...(operation as JsonObject), responses: { ...responses, [status]: more } }];
      }),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as JsonObject };
}
