import { checked, choice, flag, integer, regex, untyped, type Fields } from './field.ts';
import { checkPattern } from './patterns.ts';
import { definePlugin, type Plugin } from './plugin.ts';
import { settingPolicies } from './setting-policies.ts';
import { actionKeys, throttleTimeMs } from './rules.ts';
import { anyTopic, celCacheSize, schemaRegistryConfig } from './shared.ts';

const anyGroup = regex('A regular expression on the ids of the consumer groups it covers.', '.*');

// The two classes that look into records do the same with the bad ones.
const badRecords: Fields = {
  deadLetterTopic: untyped('The topic that bad records go to.'),
  addErrorHeader: flag('Whether records in the dead letter topic say in a header what is wrong.', true),
};

// gateway-api E.2
export const safeguard: readonly Plugin[] = [
  ...settingPolicies,
  definePlugin({
    name: 'safeguard.LimitConnectionPolicyPlugin',
    summary: 'At most so many new connections a second.',
    config: {
      maximumConnectionsPerSecond: integer('How many connections a second are allowed.'),
      ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
    },
  }),
  definePlugin({
    name: 'safeguard.LimitCommitOffsetPolicyPlugin',
    summary: 'At most so many commits a minute for each consumer group.',
    config: {
      groupId: anyGroup,
      maximumCommitsPerMinute: integer('How many commits a minute are allowed.'),
      ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
    },
  }),
  definePlugin({
    name: 'safeguard.LimitJoinGroupPolicyPlugin',
    summary: 'At most so many joins a minute for each consumer group.',
    config: {
      groupId: anyGroup,
      maximumJoinsPerMinute: integer('How many joins a minute are allowed.'),
      ...actionKeys('BLOCK', 'INFO'),
    },
  }),
  definePlugin({
    name: 'safeguard.ProducerRateLimitingPolicyPlugin',
    summary: 'At most so many bytes produced a second.',
    config: {
      maximumBytesPerSecond: integer('How many bytes a second are allowed.'),
      ...actionKeys('BLOCK', 'INFO'),
    },
  }),
  definePlugin({
    name: 'safeguard.ConsumerRateLimitingPolicyPlugin',
    summary: 'At most so many bytes consumed a second.',
    config: {
      maximumBytesPerSecond: integer('How many bytes a second are allowed.'),
      ...actionKeys('BLOCK', 'INFO'),
    },
  }),
  definePlugin({
    name: 'safeguard.ReadOnlyTopicPolicyPlugin',
    summary: 'Topics that nobody writes to.',
    config: { topic: anyTopic, ...actionKeys('BLOCK', 'INFO') },
  }),
  definePlugin({
    name: 'safeguard.TopicRequiredSchemaIdPolicyPlugin',
    summary: 'Records that must or must not have a schema id.',
    config: {
      topic: anyTopic,
      schemaIdRequired: flag('Whether a record must have a schema id, or must not.'),
      ...actionKeys('BLOCK', 'INFO'),
    },
  }),
  definePlugin({
    name: 'safeguard.MessageHeaderRemovalPlugin',
    summary: 'Headers that consumers do not get to see.',
    config: {
      topic: anyTopic,
      headerKeyRegex: checked(
        untyped('A regular expression on the keys of the headers to remove.'),
        checkPattern,
      ),
    },
  }),
  definePlugin({
    name: 'safeguard.SchemaPayloadValidationPolicyPlugin',
    summary: 'Records that must be valid by their schema.',
    config: {
      topic: anyTopic,
      schemaIdRequired: flag('Whether a record must have a schema id.', false),
      validateSchema: flag('Whether a record is held to its schema.', false),
      ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
      schemaRegistryConfig,
      celCacheSize,
      ...badRecords,
    },
  }),
  definePlugin({
    name: 'safeguard.DataQualityProducerPlugin',
    summary: 'Records that must meet a condition in SQL.',
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
  }),
];
