import type { JsonObject } from '../../../model/json/json.ts';
import type { BuiltInName, RawPolicy } from '../../../model/policy.ts';

// Objects for the examples of built-in policies: only what a policy looks at differs.

function interceptorWith(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'payments-mask', scope: { vCluster: 'prod' }, ...metadata },
    spec: { pluginClass: MASK, priority: 100, config: { topic: 'payments' }, ...spec },
  };
}

const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';
const ENCRYPT = 'io.conduktor.gateway.interceptor.EncryptPlugin';
const FETCH = 'io.conduktor.gateway.interceptor.FetchEncryptSchemaBasedPlugin';
const CHAOS = 'io.conduktor.gateway.interceptor.chaos.SimulateSlowBrokerPlugin';

function clusterWith(acl: JsonObject, pattern: JsonObject = {}): JsonObject {
  const resourcePattern = { resourceType: 'TOPIC', name: 'payments', patternType: 'LITERAL', ...pattern };
  const written = { principal: 'User:payments-app', host: '*', operation: 'READ', permissionType: 'ALLOW' };
  return {
    apiVersion: 'gateway/v2',
    kind: 'VirtualCluster',
    metadata: { name: 'prod' },
    spec: { aclEnabled: true, aclMode: 'REST_API', acls: [{ resourcePattern, ...written, ...acl }] },
  };
}

function aliasNamed(name: string): JsonObject {
  return {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name, vCluster: 'prod' },
    spec: { physicalName: name },
  };
}

function accountOf(type: string): JsonObject {
  return {
    apiVersion: 'gateway/v2',
    kind: 'GatewayServiceAccount',
    metadata: { name: 'payments-app', vCluster: 'prod' },
    spec: type === 'LOCAL' ? { type } : { type, externalNames: ['payments'] },
  };
}

/** A part of a path that leads up it, however it is written. */
const UP = String.raw`(?i)(?:[/\\\\]|%2f|%5c)(?:[.]|%2e){2}(?:[/\\\\;?#]|%2f|%5c|$)`;

/** The policies that come with gwconf. A project switches them on, with parameters of its own. */
export const builtInPolicies: Readonly<Record<BuiltInName, RawPolicy>> = {
  'allowed-kms': {
    match: { kind: 'Interceptor' },
    expression: `(values(object.spec.config, "keySecretId") + values(object.spec.config, "defaultKeySecretId") +
        values(object.spec.config, "masterKeyId"))
      .all(key, !key.matches("${UP}") && params.prefixes.exists(prefix, key.startsWith(prefix))) &&
      texts(object.spec.config).all(key, !key.matches("(?i)^\\\\s*[a-z-]+-kms://") ||
        (!key.matches("${UP}") && params.prefixes.exists(prefix, key.startsWith(prefix))))`,
    message: 'an encryption key comes from a key management service that is not allowed',
    path: '/spec/config',
    examples: {
      pass: [
        {
          object: encryptsWith('vault-kms://vault.example.com/keys/a'),
          params: { prefixes: ['vault-kms://vault.example.com/'] },
        },
        { object: interceptorWith({}), params: { prefixes: ['vault-kms://vault.example.com/'] } },
      ],
      fail: [
        {
          object: encryptsWith('in-memory-kms://a'),
          params: { prefixes: ['vault-kms://vault.example.com/'] },
        },
        ...['/../../other/a', '/.%2E/%2e%2e/other/a', '%2f..%2Fother', '/..'].map((path) => ({
          object: encryptsWith(`vault-kms://vault.example.com/keys/a${path}`),
          params: { prefixes: ['vault-kms://vault.example.com/keys/'] },
        })),
        {
          object: interceptorWith({ config: { topic: 'a', defaultKeySecretId: 'in-memory-kms://a' } }),
          params: { prefixes: ['vault-kms://vault.example.com/'] },
        },
        {
          object: interceptorWith({
            config: { kmsConfig: { gateway: { masterKeyId: 'in-memory-kms://a' } } },
          }),
          params: { prefixes: ['vault-kms://vault.example.com/'] },
        },
        {
          object: interceptorWith({ config: { kmsConfig: { gateway: { masterKeyId: 'a' } } } }),
          params: { prefixes: ['vault-kms://vault.example.com/'] },
        },
      ],
    },
  },
  'no-chaos-in-prod': {
    match: { kind: 'Interceptor' },
    expression: `!object.spec.pluginClass.contains(".chaos.") ||
      !params.environments.exists(glob, environment.name.matchesGlob(glob))`,
    message: 'chaos plugins are not allowed in this environment',
    path: '/spec/pluginClass',
    params: { environments: ['prod*'] },
    examples: {
      pass: [
        { object: interceptorWith({}) },
        { object: interceptorWith({ pluginClass: CHAOS }), environment: { name: 'dev' } },
      ],
      fail: [
        { object: interceptorWith({ pluginClass: CHAOS }) },
        { object: interceptorWith({ pluginClass: CHAOS }), environment: { name: 'prod-eu' } },
      ],
    },
  },
  'no-deletes-on-fridays': {
    expression: `!(change.action in ["delete", "replace"]) || !(environment.weekday in params.days)`,
    message: 'nothing is deleted or replaced on this day of the week',
    params: { days: ['Friday'] },
    examples: {
      pass: [
        { change: { before: aliasNamed('a') }, environment: { day: '2026-01-08' } },
        { change: { after: aliasNamed('a') }, environment: { day: '2026-01-09' } },
      ],
      fail: [
        { change: { before: aliasNamed('a') }, environment: { day: '2026-01-09' } },
        {
          change: { action: 'replace', before: aliasNamed('a'), after: aliasNamed('a') },
          environment: { day: '2026-01-09' },
        },
      ],
    },
  },
  'no-global-interceptors': {
    match: { kind: 'Interceptor' },
    expression: `["vCluster", "group", "username"].exists(axis, object.metadata.scope[axis] != null)`,
    message: 'a global interceptor runs for every client',
    path: '/metadata/scope',
    examples: {
      pass: [{ object: interceptorWith({}) }, { object: interceptorWith({}, { scope: {} }) }],
      fail: [{ object: interceptorWith({}, { scope: { vCluster: null, group: null, username: null } }) }],
    },
  },
  'no-plain-http': {
    match: { kind: 'Interceptor' },
    expression: `(values(object.spec.config, "uri") + values(object.spec.config, "host") + values(object.spec.config, "url"))
      .all(url, type(url) != string || !url.matches("(?i)^[\\\\x00-\\\\x20]*(url:)*http:")) &&
      texts(object.spec.config).all(text, !text.matches("(?i)(^|[,;])[\\\\x00-\\\\x20]*(url:)*http:") ||
        text.matches("^http://json-schema\\\\.org/[-\\\\w/]+#?$"))`,
    message: 'an interceptor sends credentials or data over plain http',
    path: '/spec/config',
    examples: {
      pass: [
        {
          object: interceptorWith({
            config: { schemaRegistryConfig: { host: 'https://registry.example.com' } },
          }),
        },
        { object: interceptorWith({}) },
      ],
      fail: [
        {
          object: interceptorWith({
            config: { schemaRegistryConfig: { host: 'HTTP://registry.example.com' } },
          }),
        },
        {
          object: interceptorWith({ config: { kmsConfig: { vault: { uri: 'http://vault.example.com' } } } }),
        },
        {
          object: interceptorWith({
            config: { schemaRegistryConfig: { host: 'https://a.example.com, http://b.example.com' } },
          }),
        },
        { object: interceptorWith({ config: { azureConfig: { blobEndpoint: 'http://a.example.com' } } }) },
        { object: interceptorWith({ config: { own: '\u0001url:http://a.example.com' } }) },
        {
          object: interceptorWith({
            config: { $schema: 'http://evil.example.com', own: 'http://evil.example.com' },
          }),
        },
      ],
    },
  },
  'no-wildcard-acls': {
    match: { kind: 'VirtualCluster' },
    expression: `object.spec.acls.all(acl, acl.permissionType != "ALLOW" ||
      (acl.principal != "User:*" && !(acl.resourcePattern.resourceType != "CLUSTER" && acl.resourcePattern.name in ["*", ""])))`,
    message: 'an ACL allows something to every client or on every topic, group or transaction',
    path: '/spec/acls',
    examples: {
      pass: [
        { object: clusterWith({}) },
        { object: clusterWith({ permissionType: 'DENY', principal: 'User:*' }, { name: '*' }) },
        { object: clusterWith({}, { resourceType: 'CLUSTER', name: '*' }) },
      ],
      fail: [
        { object: clusterWith({ principal: 'User:*' }) },
        { object: clusterWith({}, { name: '*' }) },
        { object: clusterWith({}, { name: '', patternType: 'PREFIXED' }) },
      ],
    },
  },
  'no-wildcard-masks': {
    match: { kind: 'Interceptor' },
    expression: `!object.spec.pluginClass.matches("\\\\.(FieldLevelDataMasking|(Fetch)?Encrypt\\\\w*)Plugin$") ||
      (has(object.spec.config.topic) && !(object.spec.config.topic in ["", "*"]) &&
        !object.spec.config.topic.matchesEveryTopic())`,
    message: 'the interceptor masks or encrypts every topic',
    path: '/spec/config/topic',
    examples: {
      pass: [
        { object: interceptorWith({}) },
        { object: interceptorWith({ pluginClass: CHAOS, config: { topic: '.*' } }) },
      ],
      fail: [
        { object: interceptorWith({ config: { topic: '.*' } }) },
        { object: interceptorWith({ config: {} }) },
        { object: interceptorWith({ pluginClass: ENCRYPT, config: { topic: '.+' } }) },
        { object: interceptorWith({ config: { topic: '[^/]*' } }) },
        { object: interceptorWith({ config: { topic: '\\Q\\E.*' } }) },
        { object: interceptorWith({ pluginClass: FETCH, config: { topic: '[\\w.-]+' } }) },
      ],
    },
  },
  'priority-bands': {
    match: { kind: 'Interceptor' },
    expression: `params.bands.exists(band, object.metadata.name.startsWith(band.prefix) &&
      band.from <= object.spec.priority && object.spec.priority <= band.to)`,
    message: 'the priority is not in a band of the owner',
    path: '/spec/priority',
    examples: {
      pass: [
        {
          object: interceptorWith({ priority: 199 }),
          params: { bands: [{ prefix: 'payments-', from: 100, to: 199 }] },
        },
      ],
      fail: [
        {
          object: interceptorWith({ priority: 200 }),
          params: { bands: [{ prefix: 'payments-', from: 100, to: 199 }] },
        },
        {
          object: interceptorWith({ priority: 150 }),
          params: { bands: [{ prefix: 'platform-', from: 0, to: 199 }] },
        },
      ],
    },
  },
  'required-comment': {
    match: { kind: 'Interceptor' },
    expression: `object.spec.comment.matches(params.pattern)`,
    message: 'the interceptor has no comment of the required form',
    path: '/spec/comment',
    // A letter or a number, and none of the letters that cannot be seen.
    params: { pattern: '[^\\pC\\pM\\pP\\pS\\pZ\\x{115F}\\x{1160}\\x{3164}\\x{FFA0}]' },
    examples: {
      pass: [
        { object: interceptorWith({ comment: 'Hides card numbers' }) },
        { object: interceptorWith({ comment: 'PAY-7 hides cards' }), params: { pattern: '^[A-Z]+-\\d+ ' } },
      ],
      fail: [
        { object: interceptorWith({}) },
        { object: interceptorWith({ comment: ' \u200b\u00a0\u3164' }) },
        { object: interceptorWith({ comment: 'Hides cards' }), params: { pattern: '^[A-Z]+-\\d+ ' } },
      ],
    },
  },
  'required-protection': {
    expression: `params.protections.all(sort, principal.after.exists(link, sort in link.protects))`,
    message: 'no interceptor gives the client a protection that is required',
    messageExpression: `[params.protections.filter(sort, !principal.after.exists(link, sort in link.protects))]
      .map(lacks, "no interceptor gives the client a protection that is required: " + lacks[0] +
        (size(lacks) > 1 ? " and " + string(size(lacks) - 1) + " more" : ""))[0]`,
    examples: {
      pass: [
        {
          principal: { username: 'alice', after: [{ pluginClass: MASK, protects: ['masking'] }] },
          params: { protections: ['masking'] },
        },
      ],
      fail: [
        { principal: { username: 'alice' }, params: { protections: ['masking'] } },
        {
          principal: { username: 'alice', after: [{ protects: ['audit'] }] },
          params: { protections: ['audit', 'masking'] },
        },
      ],
    },
  },
  'team-prefix': {
    expression: `!(object.kind in params.kinds) ||
      params.prefixes.exists(prefix, object.metadata.name.startsWith(prefix))`,
    message: 'the name does not begin with the prefix of a team',
    params: {
      kinds: ['AliasTopic', 'ConcentrationRule', 'GatewayGroup', 'GatewayServiceAccount', 'Interceptor'],
    },
    examples: {
      pass: [
        { object: aliasNamed('payments-orders'), params: { prefixes: ['payments-'] } },
        { object: clusterWith({}), params: { prefixes: ['payments-'] } },
      ],
      fail: [{ object: aliasNamed('orders'), params: { prefixes: ['payments-', 'billing-'] } }],
    },
  },
  'token-lifetime': {
    match: { kind: 'GatewayServiceAccount' },
    expression: `object.spec.type != "LOCAL" || (environment.maxTokenSeconds != null &&
      environment.maxTokenSeconds <= params.maxDays * 86400)`,
    message: 'token.maxLifetime of the environment is not set or too long for an account with tokens',
    path: '/spec/type',
    params: { maxDays: 90 },
    examples: {
      pass: [
        { object: accountOf('EXTERNAL') },
        { object: accountOf('LOCAL'), environment: { maxTokenSeconds: 86400 } },
      ],
      fail: [
        { object: accountOf('LOCAL') },
        { object: accountOf('LOCAL'), environment: { maxTokenSeconds: 8640000 } },
      ],
    },
  },
};

function encryptsWith(keySecretId: string): ReturnType<typeof interceptorWith> {
  return interceptorWith({
    pluginClass: ENCRYPT,
    config: { topic: 'payments', recordValue: { fields: [{ fieldName: 'card', keySecretId }] } },
  });
}

export function isBuiltIn(name: string): name is BuiltInName {
  return Object.hasOwn(builtInPolicies, name);
}
