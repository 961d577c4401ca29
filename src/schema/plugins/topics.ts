import { choice, integer, object, secret, untyped, type Fields } from './field.ts';
import { definePlugins } from './plugin.ts';
import { anyTopic, celCacheSize, schemaRegistryConfig } from './shared.ts';

const virtualTopic = untyped('The name of the virtual topic.');

const largeRecords: Fields = {
  topic: anyTopic,
  minimumSizeInBytes: untyped('Smaller records stay in Kafka.'),
  localDiskDirectory: untyped('A directory for temporary files.'),
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
export const topics = definePlugins({
  VirtualSqlTopicPlugin: {
    summary: 'A virtual topic defined by a SQL query; superseded by TopicView.',
    config: { virtualTopic, statement: untyped('The SQL query.'), schemaRegistryConfig },
    deprecated: '3.20.0',
    instead: 'migrate to a TopicView',
  },
  CelTopicPlugin: {
    summary: 'A virtual topic that filters another topic with a CEL expression.',
    config: {
      virtualTopic,
      topic: untyped('The topic to read.'),
      expression: untyped('The CEL expression that a record must meet.'),
      schemaRegistryConfig,
      celCacheSize,
    },
    deprecated: true,
  },
  CacheInterceptorPlugin: {
    summary: 'Caches records in the gateway.',
    config: {
      topic: anyTopic,
      cacheConfig: object(
        {
          type: choice(['IN_MEMORY', 'ROCKSDB'], 'Where records are cached.', 'IN_MEMORY'),
          rocksdbConfig: object(
            {
              dbPath: untyped('The folder of the database.'),
              cacheSize: untyped('Size of the cache. Default: 100 MB.'),
            },
            'For ROCKSDB.',
          ),
          inMemConfig: object(
            {
              cacheSize: untyped('Size of the cache.'),
              expireTimeMs: untyped('How long records are cached, in milliseconds.'),
            },
            'For IN_MEMORY.',
          ),
        },
        'The cache.',
      ),
    },
  },
  LargeMessageHandlingPlugin: { summary: 'Stores large records outside Kafka.', config: largeRecords },
  LargeBatchHandlingPlugin: {
    summary: 'Stores large batches of records outside Kafka.',
    config: largeRecords,
  },
  'observability.ObservabilityPlugin': {
    summary: 'Writes client activity to a topic.',
    config: {
      topicName: untyped('The topic to write to.'),
      replicationFactor: untyped('Replication factor of the topic.'),
      flushIntervalInSecond: integer('Interval between writes, in seconds.', 300),
    },
  },
});
