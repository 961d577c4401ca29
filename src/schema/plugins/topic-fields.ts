import {
  allHarmless,
  checked,
  choice,
  from,
  harmless,
  integer,
  narrowing,
  numeric,
  object,
  scalar,
  secret,
  unordered,
  type Fields,
} from './field.ts';
import { definePlugins } from './plugin.ts';
import { needs, needsOneOf, neededBy, together } from './config-checks.ts';
import { anyTopic, celCacheSize, schemaRegistryConfig } from './shared.ts';
import { replicas, topicName, url } from './values.ts';

const virtualTopic = narrowing('topic', 'name', checked(scalar('The name of the virtual topic.'), topicName));

const largeRecords = (): Fields => ({
  topic: anyTopic,
  ...allHarmless({
    minimumSizeInBytes: numeric('Smaller records stay in Kafka.'),
    localDiskDirectory: scalar('A directory for temporary files.'),
    s3Config: checked(
      object(
        {
          accessKey: scalar('The access key.'),
          secretKey: secret('The secret key.'),
          sessionToken: secret('The token of a session.'),
          bucketName: scalar('The bucket.'),
          uri: checked(scalar('The URL of the service.'), url),
          region: scalar('The region of the bucket.'),
        },
        'Storage in S3.',
      ),
      needs('bucketName'),
      together('accessKey', 'secretKey'),
    ),
    azureConfig: checked(
      object(
        {
          tenantId: scalar('The tenant.'),
          clientId: scalar('The client.'),
          secret: secret('The secret of the client.'),
          blobEndpoint: checked(scalar('The URL of the storage account.'), url),
          bucketName: scalar('The container.'),
        },
        'Storage in Azure Blob.',
      ),
      needs('bucketName', 'blobEndpoint'),
      together('tenantId', 'clientId', 'secret'),
    ),
  }),
});

const keepsIn = [
  '/s3Config/bucketName',
  '/s3Config/uri',
  '/azureConfig/bucketName',
  '/azureConfig/blobEndpoint',
] as const;

const hasStorage = needsOneOf(
  ['s3Config', 'azureConfig', 'localDiskDirectory'],
  'it has no place for records',
);

// gateway-api E.4
export const topics = definePlugins({
  ProduceJsonataPlugin: {
    summary: 'Transforms records with a JSONata expression when they are produced.',
    config: () => ({
      topic: anyTopic,
      expression: unordered(scalar('The JSONata expression.')),
      schemaRegistryConfig: schemaRegistryConfig(),
      jsonataConfig: harmless(
        object(
          {
            cacheSize: integer('Number of compiled expressions in the cache.', 100),
            timeoutMs: integer('How long a transformation may take, in milliseconds.', 60_000),
            maxDepth: integer('How deep an expression may call itself.', 1000),
          },
          'Limits of the evaluation.',
        ),
      ),
    }),
    checks: () => [needs('expression')],
    deprecated: '3.16.0',
    removed: '3.19.0',
  },
  VirtualSqlTopicPlugin: {
    summary: 'A virtual topic defined by a SQL query; topic views replace it.',
    shows: { name: 'virtualTopic', of: 'statement' },
    config: () => ({
      virtualTopic,
      statement: unordered(scalar('The SQL query.')),
      schemaRegistryConfig: schemaRegistryConfig(),
    }),
    checks: () => [needs('virtualTopic', 'statement')],
    deprecated: '3.20.0',
    instead: 'use a topic view, which gwconf manages if the gateway describes it',
  },
  CelTopicPlugin: {
    summary: 'A virtual topic that filters another topic with a CEL expression.',
    shows: { name: 'virtualTopic', of: 'topic' },
    config: () => ({
      virtualTopic,
      topic: unordered(checked(scalar('The topic to read.'), topicName)),
      expression: unordered(scalar('The CEL expression that a record must meet.')),
      schemaRegistryConfig: schemaRegistryConfig(),
      celCacheSize,
    }),
    checks: () => [needs('virtualTopic', 'topic', 'expression')],
    deprecated: true,
  },
  CacheInterceptorPlugin: {
    summary: 'Caches records in the gateway.',
    config: () => ({
      topic: anyTopic,
      cacheConfig: harmless(
        checked(
          object(
            {
              type: choice(['IN_MEMORY', 'ROCKSDB'], 'Where records are cached.', 'IN_MEMORY'),
              rocksdbConfig: object(
                {
                  dbPath: scalar('The folder of the database.'),
                  cacheSize: numeric('Size of the cache. Default: 100 MB.'),
                },
                'For ROCKSDB.',
              ),
              inMemConfig: object(
                {
                  cacheSize: numeric('Size of the cache.'),
                  expireTimeMs: numeric('How long records are cached, in milliseconds.'),
                },
                'For IN_MEMORY.',
              ),
            },
            'The cache.',
          ),
          neededBy('type', { ROCKSDB: ['rocksdbConfig'] }),
        ),
      ),
    }),
  },
  LargeMessageHandlingPlugin: {
    summary: 'Stores large records outside Kafka.',
    config: largeRecords,
    keepsIn,
    checks: () => [hasStorage],
  },
  LargeBatchHandlingPlugin: {
    summary: 'Stores large batches of records outside Kafka.',
    config: largeRecords,
    keepsIn,
    checks: () => [hasStorage],
  },
  'observability.ObservabilityPlugin': {
    summary: 'Writes client activity to a topic.',
    config: () => ({
      topicName: unordered(checked(scalar('The topic to write to.'), topicName)),
      ...allHarmless({
        replicationFactor: checked(scalar('Replication factor of the topic.'), replicas),
        flushIntervalInSecond: from(1, integer('Interval between writes, in seconds.', 300)),
      }),
    }),
  },
});
