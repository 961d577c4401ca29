import type { Json, JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { resource } from './kinds.ts';

export const ENCRYPT = 'io.conduktor.gateway.interceptor.EncryptPlugin';

/** A config with which an interceptor of a class does what it is for: a mask without fields is none. */
export function workingConfig(pluginClass: string): JsonObject {
  if (pluginClass.endsWith('.EncryptPlugin'))
    return { topic: '.*', recordValue: { fields: [{ fieldName: 'card', keySecretId: 'key' }] } };
  if (pluginClass.endsWith('.FieldLevelDataMaskingPlugin'))
    return { topic: '.*', policies: [{ name: 'cards', rule: { type: 'MASK_ALL' }, fields: ['card'] }] };
  if (pluginClass.endsWith('.DataQualityPlugin')) return { rules: { some: { type: 'CEL' } }, block: true };
  return {};
}

export function cluster(name: string, spec: JsonObject = {}): Resource {
  return resource('VirtualCluster', { name }, spec);
}

/** An alias topic of `NAME-v1`; without a virtual cluster it is in passthrough. */
export function alias(name: string, vCluster?: string, spec: JsonObject = {}): Resource {
  return resource('AliasTopic', inside(name, vCluster), { physicalName: `${name}-v1`, ...spec });
}

/** A service account of passthrough: EXTERNAL if it has an external name, else LOCAL. */
export function account(name: string, ...externalNames: readonly string[]): Resource {
  return accountIn(undefined, name, ...externalNames);
}

export function accountIn(
  vCluster: string | undefined,
  name: string,
  ...externalNames: readonly string[]
): Resource {
  const spec = externalNames.length === 0 ? { type: 'LOCAL' } : { type: 'EXTERNAL', externalNames };
  return resource('GatewayServiceAccount', inside(name, vCluster), spec);
}

/** A group of these members, by name where they are in passthrough. */
export function group(name: string, ...members: readonly (string | JsonObject)[]): Resource {
  const list = members.map((member) => (typeof member === 'string' ? { name: member } : member));
  return resource('GatewayGroup', { name }, { members: list });
}

/** An interceptor without a scope, by default of a class that gwconf does not know. */
export function interceptor(name: string, config: Json, pluginClass = 'com.example.Own'): Resource {
  return resource('Interceptor', { name }, { pluginClass, priority: 1, comment: '', config });
}

/** An interceptor with a scope, of a class that gwconf does not know. */
export function scoped(name: string, scope: JsonObject): Resource {
  return resource(
    'Interceptor',
    { name, scope },
    { pluginClass: 'com.example.Own', priority: 1, config: {} },
  );
}

/** An interceptor whose config holds a secret, the token. */
export function vault(token: Json, more: JsonObject = {}, name = 'i'): Resource {
  return interceptor(name, { kmsConfig: { vault: { token, ...more } } }, ENCRYPT);
}

function inside(name: string, vCluster: string | undefined): JsonObject {
  return vCluster === undefined ? { name } : { name, vCluster };
}
