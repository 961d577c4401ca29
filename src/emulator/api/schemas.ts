import { isObject, type JsonObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';

/** A reference to a schema of the API description. */
export function makeRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

const text = { type: 'string' };
const optionalText = { type: ['string', 'null'] };
const count = { type: 'integer' };

/** The body of a delete by identity. */
export function makeIdentitySchema(kind: Kind): JsonObject {
  const { properties } = kind.schema.metadata;
  const others = Object.keys(isObject(properties) ? properties : {}).filter((key) => key !== 'name');
  return {
    type: 'object',
    required: ['name'],
    properties: { name: text, ...Object.fromEntries(others.map((key) => [key, optionalText])) },
  };
}

// gateway-api A.6 Token; the lifetime has no documented bounds.
export const tokenRequest: JsonObject = {
  type: 'object',
  required: ['username', 'lifeTimeSeconds'],
  properties: { vCluster: optionalText, username: text, lifeTimeSeconds: { type: 'integer', minimum: 1 } },
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
