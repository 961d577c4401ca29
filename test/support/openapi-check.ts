import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import type { ApiResponse } from '../../src/emulator/responses.ts';
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
import { sharedFolder } from './shared.ts';

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

const V2_DOCUMENTS = ['gateway-v2-openapi.yaml', 'gateway-v2-openapi-2025-02.yaml'];

/** A document of an API by others, which is not part of the repository; undefined where it is not at hand. */
export function readUpstream(name: string): JsonObject | undefined {
  const url = new URL(name, sharedFolder('upstream').url);
  return existsSync(url) ? (parse(readFileSync(url, 'utf8')) as JsonObject) : undefined; // an OpenAPI document is an object
}

/** Holds exchanges to a description of v2 by the vendor, save for the deviations. */
export function checkV2Exchange(document: JsonObject): ExchangeCheck {
  return checkExchange(DEVIATIONS.reduce((changed, { change }) => change(changed), document));
}

/** Holds exchanges to the reconstructed description of v1, save for its deviations. */
export function checkV1Exchange(document: JsonObject): ExchangeCheck {
  const resolved = changeResponses(document, ({ response }) => {
    const ref = valueOf(response, '$ref');
    return typeof ref === 'string' ? (valueAt(document, ref.slice(1) as Pointer) ?? null) : response;
  });
  return checkExchange(V1_DEVIATIONS.reduce((changed, { change }) => change(changed), resolved));
}

/** The vendor's own descriptions of v2, as far as they go; undefined where they are not at hand. */
export function upstreamCheck(): ExchangeCheck | undefined {
  const checks = V2_DOCUMENTS.flatMap((name): readonly ExchangeCheck[] => {
    const document = readUpstream(name);
    if (document === undefined) return [];
    const check = checkV2Exchange(document);
    // Newer paths, health and metrics are not in it.
    return [(exchange) => (pathsIn(document, exchange.request.url).length === 0 ? [] : check(exchange))];
  });
  return checks.length === 0 ? undefined : (exchange) => checks.flatMap((check) => check(exchange));
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

/** Where the description of v1 says less than there is to say. */
const V1_DEVIATIONS: readonly Deviation[] = [
  {
    because: 'the body of a refusal is described for a few operations only (gateway-api C.1)',
    change: (document) =>
      changeResponses(document, ({ status, response }) =>
        /^4(?!01)/.test(status) && valueOf(response, 'content') === undefined
          ? { ...(response as JsonObject), content: message }
          : response,
      ),
  },
  {
    because: 'the connection of a physical cluster is described without its shape',
    change: (document) =>
      at(document, '/paths/~1admin~1pclusters~1v1~1pcluster~1{pcluster}/get/responses/200/content', () => ({
        'application/json': { schema: { type: 'object' } },
      })),
  },
  {
    because: 'a write can be refused where no refusal is described: it shares the rules of v2 since 3.3.0',
    change: (document) =>
      changeOperations(document, (operation) => {
        if (operation['requestBody'] === undefined) return operation;
        const refused = { content: message };
        const described = operation['responses'] as JsonObject; // every operation has some
        return { ...operation, responses: { 400: refused, 404: refused, 409: refused, ...described } };
      }),
  },
  {
    because: 'what cannot be decoded is refused as in v2 (gateway-api A.2)',
    change: (document) =>
      changeResponses(document, ({ status, response }) =>
        status === '400'
          ? at(response as JsonObject, '/content/text~1plain', () => ({ schema: { type: 'string' } }))
          : response,
      ),
  },
];

const message: JsonObject = { 'application/json': { schema: { $ref: '#/components/schemas/Message' } } };

const errorBody = { $ref: '#/components/schemas/BadRequest' };

function at(document: JsonObject, pattern: Pointer, change: (value: Json | undefined) => Json): JsonObject {
  return changeAt(document, parsePointer(pattern), change) as JsonObject; // changed inside, an object still
}

function changeOperations(document: JsonObject, change: (operation: JsonObject) => JsonObject): JsonObject {
  return changeAt(document, ['paths', '*', '*'], (operation) =>
    change(operation as JsonObject),
  ) as JsonObject;
}

type Response = { readonly status: string; readonly response: Json };

function changeResponses(document: JsonObject, change: (response: Response) => Json): JsonObject {
  return changeOperations(document, (operation) => {
    const responses = entriesOf(operation['responses'] ?? {}).map(([status, response]) => [
      status,
      change({ status, response }),
    ]);
    return { ...operation, responses: Object.fromEntries(responses) as JsonObject };
  });
}

/** One more content type of a status, at every operation. */
function eachResponse(document: JsonObject, status: string, type: string, schema: JsonObject): JsonObject {
  return changeOperations(document, (operation) => {
    const responses = operation['responses'] as JsonObject; // every operation has some
    const described = (responses[status] ?? { description: '' }) as JsonObject;
    const content = { [type]: { schema }, ...(valueOf(described, 'content') as JsonObject | undefined) };
    return { ...operation, responses: { ...responses, [status]: { ...described, content } } };
  });
}
