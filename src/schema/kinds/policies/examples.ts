import type { JsonObject } from '../../../model/json/json.ts';

// Objects for the examples of built-in policies: only what a policy looks at differs.

export function interceptorWith(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'payments-mask', scope: { vCluster: 'prod' }, ...metadata },
    spec: { pluginClass: MASK, priority: 100, config: { topic: 'payments' }, ...spec },
  };
}

export const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';
export const ENCRYPT = 'io.conduktor.gateway.interceptor.EncryptPlugin';
export const CHAOS = 'io.conduktor.gateway.interceptor.chaos.SimulateSlowBrokerPlugin';

export function clusterWith(acl: JsonObject, pattern: JsonObject = {}): JsonObject {
  const resourcePattern = { resourceType: 'TOPIC', name: 'payments', patternType: 'LITERAL', ...pattern };
  const written = { principal: 'User:payments-app', host: '*', operation: 'READ', permissionType: 'ALLOW' };
  return {
    apiVersion: 'gateway/v2',
    kind: 'VirtualCluster',
    metadata: { name: 'prod' },
    spec: { aclEnabled: true, aclMode: 'REST_API', acls: [{ resourcePattern, ...written, ...acl }] },
  };
}

export function aliasNamed(name: string): JsonObject {
  return {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name, vCluster: 'prod' },
    spec: { physicalName: name },
  };
}

export function accountOf(type: string): JsonObject {
  return {
    apiVersion: 'gateway/v2',
    kind: 'GatewayServiceAccount',
    metadata: { name: 'payments-app', vCluster: 'prod' },
    spec: type === 'LOCAL' ? { type } : { type, externalNames: ['payments'] },
  };
}
