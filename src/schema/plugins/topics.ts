import { choice, integer, object, secret, untyped, type Fields } from './field.ts';
import { definePlugin, type Plugin } from './plugin.ts';
import { anyTopic, celCacheSize, schemaRegistryConfig } from './shared.ts';

const virtualTopic = untyped('The topic that clients see.');

const largeRecords: Fields = {
  topic: anyTopic,
  minimumSizeInBytes: untyped('What is smaller than this stays in Kafka.'),
  localDiskDirectory: untyped('Where the gateway keeps what is on its way.'),
  s3Config: object(
    {
      accessKey: untyped('The access key.'),
      secretKey: secret('The secret key.'),
      sessionToken: secret('The token of a session.'),
      bucketName: untyped('The bucket.'),
      uri: untyped('The URL of the service.'),
      region: untyped('The region of the bucket.'),
    },
    'Storage in S3.',
  ),
  azureConfig: object(
    {
      tenantId: untyped('The tenant.'),
      clientId: untyped('The client.'),
      secret: secret('The secret of the client.'),
      blobEndpoint: untyped('The URL of the storage account.'),
      bucketName: untyped('The container.'),
    },
    'Storage in Azure Blob.',
  ),
};

// gateway-api E.4
export const topics: readonly Plugin[] = [
  definePlugin({
    name: 'VirtualSqlTopicPlugin',
    summary: 'A topic that is a SQL query on another one; superseded by TopicView.',
    config: {
      virtualTopic,
      statement: untyped('The SQL query.'),
      schemaRegistryConfig,
    },
    deprecated: '3.20.0',
    instead: 'plan its move to a TopicView',
  }),
  definePlugin({
    name: 'CelTopicPlugin',
    summary: 'A topic that is another one filtered by a CEL expression.',
    config: {
      virtualTopic,
      topic: untyped('The topic to read.'),
      expression: untyped('The CEL expression that a record must meet.'),
      schemaRegistryConfig,
      celCacheSize,
    },
    deprecated: true,
  }),
  definePlugin({
    name: 'CacheInterceptorPlugin',
    summary: 'Keeps records at the gateway, for consumers that come later.',
    config: {
      topic: anyTopic,
      cacheConfig: object(
        {
          type: choice(['IN_MEMORY', 'ROCKSDB'], 'Where records are kept.', 'IN_MEMORY'),
          rocksdbConfig: object(
            {
              dbPath: untyped('The folder of the database.'),
              cacheSize: untyped('How large the cache is. Default: 100 MB.'),
            },
            'For ROCKSDB.',
          ),
          inMemConfig: object(
            {
              cacheSize: untyped('How large the cache is.'),
              expireTimeMs: untyped('How long a record is kept, in milliseconds.'),
            },
            'For IN_MEMORY.',
          ),
        },
        'The cache.',
      ),
    },
  }),
  definePlugin({
    name: 'LargeMessageHandlingPlugin',
    summary: 'Keeps large records outside Kafka.',
    config: largeRecords,
  }),
  definePlugin({
    name: 'LargeBatchHandlingPlugin',
    summary: 'Keeps large batches of records outside Kafka.',
    config: largeRecords,
  }),
  definePlugin({
    name: 'observability.ObservabilityPlugin',
    summary: 'Writes what clients do to a topic.',
    config: {
      topicName: untyped('The topic to write to.'),
      replicationFactor: untyped('How many replicas that topic has.'),
      flushIntervalInSecond: integer('How often it is written to, in seconds.', 300),
    },
  }),
];
