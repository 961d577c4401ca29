import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { PLUGIN_PREFIX } from '../../src/schema/plugins/plugin.ts';
import { plugins } from '../../src/schema/plugins/index.ts';
import { loadText } from '../support/expect-problems.ts';

/** A class, a config that is complete, and values that are wrong in it, each with what they break. */
type Case = readonly [plugin: string, at: string, wrong: Json, expected: string];

const COMPLETE: Readonly<Record<string, JsonObject>> = {
  'safeguard.CreateTopicPolicyPlugin': { numPartition: { min: 1, max: 6 } },
  'safeguard.AlterTopicConfigPolicyPlugin': { retentionMs: { min: -1, max: 6 } },
  'safeguard.AlterBrokerConfigPolicyPlugin': { logRetentionMs: { max: 6 } },
  'safeguard.ProducePolicyPlugin': { acks: { value: [-1] } },
  'safeguard.FetchPolicyPlugin': { maxWaitMs: { min: 1 } },
  'safeguard.ConsumerGroupPolicyPlugin': { groupId: { value: 'a.*' } },
  'safeguard.ClientIdRequiredPolicyPlugin': { namingConvention: 'a.*' },
  'safeguard.LimitConnectionPolicyPlugin': { maximumConnectionsPerSecond: 5 },
  'safeguard.LimitCommitOffsetPolicyPlugin': { maximumCommitsPerMinute: 5 },
  'safeguard.LimitJoinGroupPolicyPlugin': { maximumJoinsPerMinute: 5 },
  'safeguard.ProducerRateLimitingPolicyPlugin': { maximumBytesPerSecond: 5 },
  'safeguard.ConsumerRateLimitingPolicyPlugin': { maximumBytesPerSecond: 5 },
  'safeguard.ReadOnlyTopicPolicyPlugin': {},
  'safeguard.TopicRequiredSchemaIdPolicyPlugin': { schemaIdRequired: false },
  'safeguard.MessageHeaderRemovalPlugin': { headerKeyRegex: 'a.*' },
  'safeguard.SchemaPayloadValidationPolicyPlugin': {
    validateSchema: true,
    schemaRegistryConfig: { host: 'http://registry:8081' },
  },
  'safeguard.DataQualityProducerPlugin': { statement: 'SELECT * FROM a WHERE b = 1' },
  'dataquality.DataQualityPlugin': {
    topicsRegex: ['a.*'],
    rules: { a: { type: 'CEL', expression: 'true' } },
  },
  EncryptPlugin: {
    recordValue: { payload: { keySecretId: 'vault-kms://vault:8200/transit/keys/a' } },
    kmsConfig: { vault: { uri: 'http://vault:8200', type: 'TOKEN', token: '$${TOKEN}' } },
  },
  EncryptSchemaBasedPlugin: {},
  DecryptPlugin: {},
  FieldLevelDataMaskingPlugin: { policies: [{ fields: ['a'], rule: { type: 'MASK_ALL' } }] },
  DynamicHeaderInjectionPlugin: { headers: { a: 'b' } },
  AuditPlugin: {},
  VirtualSqlTopicPlugin: { virtualTopic: 'a', statement: 'SELECT 1' },
  CelTopicPlugin: { virtualTopic: 'a', topic: 'b', expression: 'true' },
  CacheInterceptorPlugin: {},
  LargeMessageHandlingPlugin: { localDiskDirectory: '/var/tmp' },
  LargeBatchHandlingPlugin: { azureConfig: { bucketName: 'a', blobEndpoint: 'https://a.example' } },
  'observability.ObservabilityPlugin': {},
  'chaos.SimulateBrokenBrokersPlugin': { rateInPercent: 5 },
  'chaos.DuplicateMessagesPlugin': {},
  'chaos.SimulateInvalidSchemaIdPlugin': {},
  'chaos.SimulateLatencyPlugin': { appliedPercentage: 5, latencyMs: '20' },
  'chaos.SimulateLeaderElectionsErrorsPlugin': { rateInPercent: 5 },
  'chaos.ProduceSimulateMessageCorruptionPlugin': {},
  'chaos.FetchSimulateMessageCorruptionPlugin': {},
  'chaos.SimulateSlowBrokerPlugin': { rateInPercent: 5, minLatencyMs: 1, maxLatencyMs: 2 },
  'chaos.SimulateSlowProducersConsumersPlugin': { rateInPercent: 5, minLatencyMs: 1, maxLatencyMs: 2 },
};
const current = plugins.filter(({ removed }) => removed === undefined).map(({ title }) => title);

const WRONG: readonly Case[] = [
  ['safeguard.CreateTopicPolicyPlugin', 'topic', '', 'warning unusual-value'],
  ['safeguard.CreateTopicPolicyPlugin', 'numPartition.min', -5, 'warning unusual-value'],
  ['safeguard.CreateTopicPolicyPlugin', 'minCleanableDirtyRatio', { min: 50 }, 'warning unusual-value /min'],
  [
    'safeguard.CreateTopicPolicyPlugin',
    'numPartition',
    { max: 3, overrideValue: 5, action: 'OVERRIDE' },
    'warning unusual-value /overrideValue',
  ],
  [
    'safeguard.CreateTopicPolicyPlugin',
    'cleanupPolicy',
    { values: ['delete'], overrideValue: 'compact', action: 'OVERRIDE' },
    'warning unusual-value /overrideValue',
  ],
  ...['retentionMs', 'namingConvention', 'preallocate', 'cleanupPolicy', 'blacklist'].map((rule): Case => [
    'safeguard.CreateTopicPolicyPlugin',
    rule,
    { action: 'BLOCK' },
    'warning incomplete-config',
  ]),
  ['safeguard.ProducePolicyPlugin', 'version', { min: 'two' }, 'warning unusual-value /min'],
  ['safeguard.ProducePolicyPlugin', 'acks', { value: [] }, 'warning incomplete-config'],
  ['safeguard.ClientIdRequiredPolicyPlugin', 'clientIdTemplate', ['a'], 'error invalid-value'],
  ...[
    ['LimitConnectionPolicyPlugin', 'maximumConnectionsPerSecond'],
    ['LimitCommitOffsetPolicyPlugin', 'maximumCommitsPerMinute'],
    ['LimitJoinGroupPolicyPlugin', 'maximumJoinsPerMinute'],
    ['ProducerRateLimitingPolicyPlugin', 'maximumBytesPerSecond'],
    ['ConsumerRateLimitingPolicyPlugin', 'maximumBytesPerSecond'],
  ].flatMap(([plugin = '', key = '']): readonly Case[] => [
    [`safeguard.${plugin}`, key, -5, 'error invalid-value'],
    [`safeguard.${plugin}`, key, 0, 'warning unusual-value'],
  ]),
  ['safeguard.LimitConnectionPolicyPlugin', 'throttleTimeMs', -1, 'error invalid-value'],
  ['safeguard.SchemaPayloadValidationPolicyPlugin', 'celCacheSize', -1, 'error invalid-value'],
  ['safeguard.SchemaPayloadValidationPolicyPlugin', 'deadLetterTopic', 'dead letters', 'error invalid-value'],
  [
    'safeguard.SchemaPayloadValidationPolicyPlugin',
    'schemaRegistryConfig.host',
    'registry',
    'error invalid-value',
  ],
  [
    'safeguard.SchemaPayloadValidationPolicyPlugin',
    'schemaRegistryConfig.cacheSize',
    -1,
    'error invalid-value',
  ],
  [
    'safeguard.SchemaPayloadValidationPolicyPlugin',
    'schemaRegistryConfig.basicCredentials',
    { accessKey: 'a' },
    'warning incomplete-config',
  ],
  ['safeguard.DataQualityProducerPlugin', 'statement', { select: 1 }, 'error invalid-value'],
  ['EncryptPlugin', 'recordValue', { fields: [] }, 'warning incomplete-config'],
  [
    'EncryptPlugin',
    'recordHeader',
    { payload: { keySecretId: 'in-memory-kms://k' } },
    'warning incomplete-config',
  ],
  ['FieldLevelDataMaskingPlugin', 'policies', [{ fields: [''] }], 'warning incomplete-config /0'],
  ...['card, iban', 'card ', ' card', '$.card', '/card'].map(
    (field) =>
      [
        'FieldLevelDataMaskingPlugin',
        'policies',
        [{ fields: ['a.b c', field] }],
        'warning unusual-value /0/fields/1',
      ] as const,
  ),
  ['DecryptPlugin', 'recordValueFields', ['card,iban'], 'warning unusual-value /0'],
  [
    'EncryptPlugin',
    'recordKey',
    { fields: [{ fieldName: 'card ', keySecretId: 'in-memory-kms://a' }] },
    'warning unusual-value /fields/0/fieldName',
  ],
  ['EncryptPlugin', 'recordValue.payload', { algorithm: 'AES128_GCM' }, 'warning incomplete-config'],
  [
    'EncryptPlugin',
    'recordKey',
    { fields: [{ keySecretId: 'in-memory-kms://a' }] },
    'warning incomplete-config /fields/0',
  ],
  ['EncryptPlugin', 'recordValue.payload.keySecretId', 'a', 'warning unknown-kms'],
  ['EncryptPlugin', 'recordValue.payload.keySecretId', 's3://a', 'error unknown-kms'],
  ['EncryptPlugin', 'kmsConfig.keyTtlMs', -5, 'warning unusual-value'],
  ['EncryptPlugin', 'kmsConfig.vault.uri', 'not a url', 'error invalid-value'],
  ['EncryptPlugin', 'kmsConfig.vault.uri', 'vault:8200', 'error invalid-value'],
  ['EncryptPlugin', 'kmsConfig.vault', { type: 'TOKEN', token: '$${T}' }, 'warning incomplete-config'],
  ['EncryptPlugin', 'kmsConfig.vault.version', 'two', 'error invalid-value'],
  ...[
    ['TOKEN', 1],
    ['GITHUB', 1],
    ['USERNAME_PASSWORD', 2],
    ['LDAP', 2],
    ['APP_ROLE', 2],
    ['GCP', 2],
    ['JWT', 1],
  ].map(([type = '', count]): Case => [
    'EncryptPlugin',
    'kmsConfig.vault',
    { uri: 'http://vault:8200', type },
    Array(count).fill('warning incomplete-config').join('; '),
  ]),
  ['EncryptPlugin', 'kmsConfig.gateway', { maxKeys: 'many' }, 'error invalid-value /maxKeys'],
  [
    'EncryptPlugin',
    'kmsConfig.azure',
    { tokenCredential: { clientId: 'a', tenantId: 'b' } },
    'warning incomplete-config /tokenCredential',
  ],
  [
    'EncryptPlugin',
    'kmsConfig.aws',
    { basicCredentials: { accessKey: 'a' } },
    'warning incomplete-config /basicCredentials',
  ],
  ['FieldLevelDataMaskingPlugin', 'policies', [], 'warning incomplete-config '],
  ['FieldLevelDataMaskingPlugin', 'policies', [{ name: 'a' }], 'warning incomplete-config /0'],
  ['FieldLevelDataMaskingPlugin', 'policies.0.rule.maskingChar', 'XX', 'warning unusual-value'],
  ['FieldLevelDataMaskingPlugin', 'policies.0.rule.maskingChar', '', 'warning unusual-value'],
  ['FieldLevelDataMaskingPlugin', 'policies.0.rule.numberOfChars', 'four', 'error invalid-value'],
  ['FieldLevelDataMaskingPlugin', 'policies.0.rule.numberOfChars', -4, 'error invalid-value'],
  ['DynamicHeaderInjectionPlugin', 'headers', {}, 'warning incomplete-config '],
  ['AuditPlugin', 'apiKeys', ['PRODUCE', 'FETSH'], 'warning unusual-value /1'],
  ['CacheInterceptorPlugin', 'cacheConfig', { type: 'ROCKSDB' }, 'warning incomplete-config'],
  [
    'CacheInterceptorPlugin',
    'cacheConfig',
    { inMemConfig: { cacheSize: 'big' } },
    'error invalid-value /inMemConfig/cacheSize',
  ],
  [
    'CacheInterceptorPlugin',
    'cacheConfig',
    { inMemConfig: { expireTimeMs: -1 } },
    'error invalid-value /inMemConfig/expireTimeMs',
  ],
  ['LargeMessageHandlingPlugin', 'minimumSizeInBytes', 'big', 'error invalid-value'],
  ['LargeMessageHandlingPlugin', 's3Config', { uri: 's3', bucketName: 'a' }, 'error invalid-value /uri'],
  ['LargeMessageHandlingPlugin', 's3Config', { region: 'a' }, 'warning incomplete-config'],
  ['LargeBatchHandlingPlugin', 'azureConfig.blobEndpoint', 'a.example', 'error invalid-value'],
  ['observability.ObservabilityPlugin', 'topicName', 'a b', 'error invalid-value'],
  ['observability.ObservabilityPlugin', 'replicationFactor', 0, 'warning unusual-value'],
  ['observability.ObservabilityPlugin', 'flushIntervalInSecond', 0, 'error invalid-value'],
  ['VirtualSqlTopicPlugin', 'virtualTopic', 'a b', 'error invalid-value'],
  ...['SimulateBrokenBrokersPlugin', 'DuplicateMessagesPlugin', 'SimulateSlowBrokerPlugin'].flatMap(
    (plugin): readonly Case[] => [
      [`chaos.${plugin}`, 'rateInPercent', -5, 'error invalid-value'],
      [`chaos.${plugin}`, 'rateInPercent', 500, 'error invalid-value'],
    ],
  ),
  ['chaos.SimulateLatencyPlugin', 'appliedPercentage', 101, 'error invalid-value'],
  ['chaos.SimulateLatencyPlugin', 'latencyMs', 'slow', 'error invalid-value'],
  ['chaos.SimulateSlowBrokerPlugin', 'minLatencyMs', -1, 'error invalid-value'],
  ['chaos.SimulateInvalidSchemaIdPlugin', 'invalidSchemaId', 'a', 'error invalid-value'],
  ['chaos.ProduceSimulateMessageCorruptionPlugin', 'sizeInBytes', -1, 'error invalid-value'],
];

describe('values of a plugin config', () => {
  it('are complete configs for all classes', () => {
    expect(Object.keys(COMPLETE).sort()).toEqual([...current].sort());
  });

  it.each(Object.entries(COMPLETE))('are right: %s %j', (plugin, config) => {
    expect(told(plugin, config)).toEqual([]);
  });

  it.each(WRONG)('are wrong: %s %s: %j', (plugin, at, wrong, expected) => {
    const path = at.split('.');
    const found = told(plugin, withValue(COMPLETE[plugin] ?? {}, path, wrong));
    const base = `/spec/config/${path.join('/')}`;
    const lines = expected.split('; ').map((line) => {
      const [severity = '', code = '', inside] = line.split(' ');
      const isWhole = line.endsWith(' ');
      return `${severity} ${code} ${isWhole ? '/spec/config' : base + (inside ?? '')}`;
    });
    expect(found).toEqual(lines);
  });

  it.each(Object.entries(COMPLETE).filter(([, config]) => Object.keys(config).length > 0))(
    'are missed where a class does nothing without them: %s',
    (plugin) => {
      const optional = ['safeguard.ClientIdRequiredPolicyPlugin'];
      const found = told(plugin, {});
      if (optional.includes(plugin)) expect(found).toEqual([]);
      else expect(new Set(found)).toEqual(new Set(['warning incomplete-config /spec/config']));
    },
  );

  it('say what is missing, and what it means', () => {
    const [problem] = problemsOf('EncryptPlugin', { topic: 'a.*' });
    expect(`${problem?.message ?? ''}; ${problem?.hint ?? ''}`).toBe(
      'Interceptor/i@vCluster=passthrough: config has no recordValue, recordKey or recordHeader, so it encrypts nothing; add recordValue, recordKey or recordHeader',
    );
  });

  it('are unknown where a placeholder stands for them', () => {
    const config = {
      recordValue: { payload: { keySecretId: '$${KEY}' } },
      kmsConfig: { vault: { uri: 'http://$${VAULT}', type: '$${TYPE}', version: '{{version}}' } },
    };
    expect(told('EncryptPlugin', config)).toEqual([]);
  });
});

function told(plugin: string, config: JsonObject): readonly string[] {
  return problemsOf(plugin, config)
    .filter(({ code }) => code !== 'deprecated-class')
    .map(({ severity, code, path }) => `${severity} ${code} ${path ?? ''}`);
}

function problemsOf(plugin: string, config: JsonObject) {
  const resource = {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'i', scope: { vCluster: 'passthrough' } },
    spec: { pluginClass: PLUGIN_PREFIX + plugin, priority: 1, config },
  };
  return loadText(JSON.stringify(resource), { advice: true }).problems;
}

/** The same value with another one at a path. */
function withValue(value: Json, [key, ...path]: readonly string[], to: Json): JsonObject {
  if (key === undefined) return to as JsonObject; // the path of a case leads to it
  const inner = { ...(value as JsonObject) }[key] ?? {};
  const changed = path.length === 0 ? to : withValue(inner, path, to);
  if (Array.isArray(value))
    return value.map((item: Json, at) => (String(at) === key ? changed : item)) as never;
  return { ...(value as JsonObject), [key]: changed };
}
