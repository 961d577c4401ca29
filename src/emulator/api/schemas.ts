import { isObject, valueAt, valueOf, type JsonObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';

/** A reference to a schema of the API description. */
export function makeRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

const text = { type: 'string' };
const optionalText = { type: ['string', 'null'] };
const count = { type: 'integer' };

/** The body of a delete by identity. */
export function makeIdentitySchema(kind: Kind): JsonObject {
  return {
    type: 'object',
    required: ['name'],
    properties: { name: text, ...Object.fromEntries(kind.axes.map(({ name }) => [name, optionalText])) },
  };
}

/** The scope in the body of a delete. v1 has made names that v2 takes nowhere else. */
export function makeScopeSchema(kind: Kind): JsonObject {
  const scope = valueAt(kind.schema.metadata, '/properties/scope');
  const properties = valueOf(scope, 'properties');
  if (!isObject(scope) || !isObject(properties))
    return {
      type: 'object',
      properties: Object.fromEntries(kind.axes.map(({ name }) => [name, optionalText])),
    };
  const axes = Object.keys(properties).map((axis) => [axis, optionalText] as const);
  return { ...scope, properties: Object.fromEntries(axes) };
}

// gateway-api A.6 Token
// An int64, without documented bounds.
export const lifeTimeSeconds: JsonObject = { type: 'integer', minimum: 1, maximum: 2 ** 63 };
export const tokenRequest: JsonObject = {
  type: 'object',
  required: ['username', 'lifeTimeSeconds'],
  properties: { vCluster: optionalText, username: text, lifeTimeSeconds },
};
export const tokenResponse: JsonObject = { type: 'object', required: ['token'], properties: { token: text } };

export const resolverRequest: JsonObject = {
  type: 'object',
  properties: {
    vCluster: optionalText,
    groups: { type: ['array', 'null'], items: text },
    username: optionalText,
  },
};

const totals = [
  'totalInterceptorTypes',
  'totalInterceptorInstances',
  'uniqueTopicsCovered',
  'totalGatewayServiceAccounts',
  'totalGatewayGroups',
  'totalAliasTopics',
  'totalConcentratedTopics',
  'totalVirtualClusters',
];

// gateway-api A.8
export const livedEvent: JsonObject = {
  type: 'object',
  required: ['interceptors', ...totals],
  properties: {
    interceptors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['className', 'instanceCount', 'topicsCovered'],
        properties: { className: text, instanceCount: count, topicsCovered: count },
      },
    },
    ...Object.fromEntries(totals.map((name) => [name, count])),
    gatewayVersion: text,
    gatewayCommit: text,
    deploymentMethod: text,
  },
};

export const errorBody: JsonObject = {
  type: 'object',
  required: ['title'],
  properties: { title: text, msg: text, cause: text },
};

/** The upsert result in the spelling of that version (gateway-api B.5). */
export function formatUpsertResult(result: 'created' | 'updated' | 'unchanged', version: string): string {
  return atLeast(version, '3.4.0') && !atLeast(version, '3.7.0') ? upperWords[result] : words[result];
}
const words = { created: 'Created', updated: 'Updated', unchanged: 'NotChanged' };
const upperWords = { created: 'CREATED', updated: 'UPDATED', unchanged: 'NOT_CHANGED' };

/** The spellings of all versions. */
export const UPSERT_RESULTS: readonly string[] = [...Object.values(words), ...Object.values(upperWords)];
