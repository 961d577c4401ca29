import { present } from '../../model/collect.ts';
import { changeAt, isList, isObject, valueAt, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import type { Route } from './route.ts';
import { laterFields } from '../rules/forms.ts';
import { rulesOf } from '../rules/kind-rules.ts';
import * as schemas from './schemas.ts';
import { titles } from '../responses.ts';

/** The OpenAPI 3.1 description, from the routes and the forms of the kinds. */
export function makeOpenApiDocument(routes: readonly Route[], kinds: KindSet, version: string): JsonObject {
  const paths = new Map<string, Record<string, Json>>();
  for (const route of routes) {
    const operations = paths.get(route.path) ?? {};
    paths.set(route.path, { ...operations, [route.method.toLowerCase()]: operation(route) });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Embedded gateway',
      version,
      description:
        "The admin API that gwconf's embedded gateway serves, after the public one of Conduktor Gateway.",
    },
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { httpAuth: { type: 'http', scheme: 'basic' } },
      schemas: Object.assign(
        {},
        sharedSchemas,
        ...[...kinds.values()].map((kind) => kindSchemas(kind, version)),
      ) as JsonObject, // of JSON objects
    },
  };
}

function operation(route: Route): JsonObject {
  const { method, path, summary, tag, access, body } = route;
  const name = /\{([^{}]+)\}/.exec(path)?.[1];
  const parameters = [
    ...(name === undefined ? [] : [{ name, in: 'path', required: true, schema: { type: 'string' } }]),
    ...Object.entries(route.query ?? {}).map(([parameter, type]) => ({
      name: parameter,
      in: 'query',
      required: false,
      schema: { type },
    })),
  ];
  return {
    operationId: `${method} ${path}`,
    summary,
    tags: [tag],
    ...(route.isExperimental === true ? { 'x-experimental': true } : {}),
    ...(route.run === undefined
      ? {}
      : { 'x-cdk-run-version': '1', 'x-cdk-run-name': route.run, 'x-cdk-run-doc': summary }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...present({ requestBody: body && requestBody(body) }),
    responses: responses(route),
    ...(access === 'anyone' ? {} : { security: [{ httpAuth: [] }] }),
  };
}

function requestBody({ schema, example, optional = false }: NonNullable<Route['body']>): JsonObject {
  const content = example === undefined ? { schema } : { schema, example };
  return { required: !optional, content: { 'application/json': content } };
}

function responses({ response, access, query = {}, body, refusals }: Route): JsonObject {
  const text = { 'text/plain': { schema: { type: 'string' } } };
  const decodes = body !== undefined || Object.values(query).includes('boolean');
  const invalid = refusals[400] ?? (decodes ? [] : undefined);
  const known: readonly (readonly [number, readonly string[] | undefined])[] = [
    [400, invalid],
    [401, access === 'anyone' ? undefined : [titles.unauthorized]],
    [403, access === 'admin' ? [titles.forbidden] : undefined],
    [404, refusals[404]],
    [409, refusals[409]],
    [413, body === undefined ? undefined : [titles.tooLarge]],
    [500, [titles.serverError]],
  ];
  const refused = known.flatMap(([status, all]): (readonly [string, JsonObject])[] =>
    all === undefined ? [] : [[String(status), refusal(all, status === 400 && decodes ? text : {})]],
  );
  if (response === undefined) return { 204: { description: 'Done' }, ...Object.fromEntries(refused) };
  const content = 'text' in response ? text : { 'application/json': { schema: response.schema } };
  return { 200: { description: 'Well done', content }, ...Object.fromEntries(refused) };
}

function refusal(all: readonly string[], others: JsonObject): JsonObject {
  const description = all.join('; ') || 'Invalid value';
  const [title] = all;
  if (title === undefined) return { description, content: others };
  const json = { schema: schemas.makeRef('Error'), example: { title } };
  return { description, content: { 'application/json': json, ...others } };
}

const sharedSchemas: JsonObject = {
  Error: schemas.errorBody,
  UpsertResult: { enum: schemas.UPSERT_RESULTS },
  TokenRequest: schemas.tokenRequest,
  TokenResponse: schemas.tokenResponse,
  InterceptorResolverRequest: schemas.resolverRequest,
  LivedEvent: schemas.livedEvent,
};

function kindSchemas(kind: Kind, version: string): JsonObject {
  const { name, apiVersion, summary, removal } = kind;
  const { itemSchema } = rulesOf(kind);
  if (itemSchema !== undefined) return { [name]: itemSchema };
  const schema = laterFields(kind, version).reduce<Kind['schema']>(
    (all, [part = '', ...tokens]) =>
      changeAt(
        all,
        [part, ...tokens.flatMap((token) => ['properties', token])],
        () => undefined,
      ) as Kind['schema'], // no part of it ends
    kind.schema,
  );
  const scope = valueAt(schema.metadata, '/properties/scope');
  const applyResult = {
    type: 'object',
    required: ['resource', 'upsertResult'],
    properties: { resource: schemas.makeRef(name), upsertResult: schemas.makeRef('UpsertResult') },
  };
  return {
    [name]: {
      type: 'object',
      description: summary,
      required: ['kind', 'apiVersion', 'metadata', 'spec'],
      properties: {
        kind: { type: 'string' },
        apiVersion: { const: apiVersion },
        metadata: schemas.makeRef(`${name}Metadata`),
        spec: schemas.makeRef(`${name}Spec`),
      },
    },
    [`${name}Metadata`]: open(schema.metadata),
    [`${name}Spec`]: open(schema.spec),
    ...(removal !== undefined && { [`ApplyResult_${name}`]: applyResult }),
    ...(removal === 'body' && { [`${name}Id`]: schemas.makeIdentitySchema(kind) }),
    ...(removal === 'path-and-body' && { [`${name}Scope`]: open(scope ?? schemas.makeScopeSchema(kind)) }),
  };
}

/** Unknown fields are stored as they are, so the published schemas are open. */
function open(schema: Json): Json {
  if (isList(schema)) return schema.map(open);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !(key === 'additionalProperties' && value === false))
      .map(([key, value]) => [key, open(value)]),
  );
}
