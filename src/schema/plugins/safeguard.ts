import { checked, choice, flag, integer, regex, untyped, type Fields } from './field.ts';
import { checkPattern } from './patterns.ts';
import { definePlugins } from './plugin.ts';
import { actionKeys, throttleTimeMs } from './rules.ts';
import { anyTopic, celCacheSize, schemaRegistryConfig } from './shared.ts';

const anyGroup = regex('Regular expression for ids of consumer groups.', '.*');

// Shared by the classes that validate records.
const badRecords: Fields = {
  deadLetterTopic: untyped('The topic for invalid records.'),
  addErrorHeader: flag('Whether records in the dead letter topic have a header with the error.', true),
};

// gateway-api E.2
export const safeguard = definePlugins(
  {
    'safeguard.LimitConnectionPolicyPlugin': {
      summary: 'Limits new connections per second.',
      config: {
        maximumConnectionsPerSecond: integer('Allowed connections per second.'),
        ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
      },
    },
    'safeguard.LimitCommitOffsetPolicyPlugin': {
      summary: 'Limits offset commits per minute for each consumer group.',
      config: {
        groupId: anyGroup,
        maximumCommitsPerMinute: integer('Allowed commits per minute.'),
        ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
      },
    },
    'safeguard.LimitJoinGroupPolicyPlugin': {
      summary: 'Limits joins per minute for each consumer group.',
      config: {
        groupId: anyGroup,
        maximumJoinsPerMinute: integer('Allowed joins per minute.'),
        ...actionKeys('BLOCK', 'INFO'),
      },
    },
    'safeguard.ProducerRateLimitingPolicyPlugin': {
      summary: 'Limits produced bytes per second.',
      config: { maximumBytesPerSecond: integer('Allowed bytes per second.'), ...actionKeys('BLOCK', 'INFO') },
    },
    'safeguard.ConsumerRateLimitingPolicyPlugin': {
      summary: 'Limits consumed bytes per second.',
      config: { maximumBytesPerSecond: integer('Allowed bytes per second.'), ...actionKeys('BLOCK', 'INFO') },
    },
    'safeguard.ReadOnlyTopicPolicyPlugin': {
      summary: 'Rejects writes to topics.',
      config: { topic: anyTopic, ...actionKeys('BLOCK', 'INFO') },
    },
    'safeguard.TopicRequiredSchemaIdPolicyPlugin': {
      summary: 'Requires or forbids a schema id in records.',
      config: {
        topic: anyTopic,
        schemaIdRequired: flag('Whether records must have a schema id or must not have one.'),
        ...actionKeys('BLOCK', 'INFO'),
      },
    },
    'safeguard.MessageHeaderRemovalPlugin': {
      summary: 'Removes headers from consumed records.',
      config: {
        topic: anyTopic,
        headerKeyRegex: checked(
          untyped('Regular expression for the keys of headers to remove.'),
          checkPattern,
        ),
      },
    },
    'safeguard.SchemaPayloadValidationPolicyPlugin': {
      summary: 'Requires records that match their schema.',
      config: {
        topic: anyTopic,
        schemaIdRequired: flag('Whether records must have a schema id.', false),
        validateSchema: flag('Whether records are validated against their schema.', false),
        ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
        schemaRegistryConfig,
        celCacheSize,
        ...badRecords,
      },
    },
    'safeguard.DataQualityProducerPlugin': {
      summary: 'Requires records that meet a SQL condition.',
      config: {
        statement: untyped('The condition, as a SQL statement.'),
        schemaRegistryConfig,
        action: choice(
          ['BLOCK_WHOLE_BATCH', 'BLOCK_ONLY_INVALID_RECORDS', 'AUDIT_LOG_ONLY', 'THROTTLE'],
          'What happens to records that do not meet it.',
        ),
        ...badRecords,
        throttleTimeMs: throttleTimeMs(100),
      },
    },
  },
  { effect: 'protects' },
);
