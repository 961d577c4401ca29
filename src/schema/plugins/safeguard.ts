import type { Json } from '../../model/json/json.ts';
import {
  allHarmless,
  allows,
  checked,
  choice,
  essential,
  flag,
  from,
  integer,
  list,
  most,
  narrowing,
  numeric,
  ordered,
  protecting,
  regex,
  scalar,
  strengthOf,
  unordered,
  untyped,
  type Field,
  type Fields,
} from './field.ts';
import { checkPattern } from './pattern-fields.ts';
import { definePlugins } from './plugin.ts';
import { neededBy, needs, needsOneOf } from './config-checks.ts';
import { actionKeys, throttleTimeMs } from './rule-fields.ts';
import { anyTopic, celCacheSize, registryWithRules, schemaRegistryConfig, TOPIC } from './shared.ts';
import { above0, topicName } from './values.ts';

const anyGroup = strengthOf(
  { type: 'reach', axis: 'consumerGroup', by: 'pattern' },
  regex('Regular expression for ids of consumer groups.', '.*'),
);

// Shared by the classes that validate records.
const badRecords = (): Fields =>
  allHarmless({
    deadLetterTopic: checked(scalar('The topic for invalid records.'), topicName),
    addErrorHeader: flag('Whether records in the dead letter topic have a header with the error.', true),
  });

function limit(description: string): Field {
  return most(checked(from(0, integer(description)), above0));
}

// gateway-api E.2
export const safeguard = definePlugins(
  {
    'safeguard.LimitConnectionPolicyPlugin': {
      summary: 'Limits new connections per second.',
      config: () => ({
        maximumConnectionsPerSecond: limit('Allowed connections per second.'),
        ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
      }),
      checks: () => [needs('maximumConnectionsPerSecond')],
    },
    'safeguard.LimitCommitOffsetPolicyPlugin': {
      summary: 'Limits offset commits per minute for each consumer group.',
      config: () => ({
        groupId: anyGroup,
        maximumCommitsPerMinute: limit('Allowed commits per minute.'),
        ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
      }),
      checks: () => [needs('maximumCommitsPerMinute')],
    },
    'safeguard.LimitJoinGroupPolicyPlugin': {
      summary: 'Limits joins per minute for each consumer group.',
      config: () => ({
        groupId: anyGroup,
        maximumJoinsPerMinute: limit('Allowed joins per minute.'),
        ...actionKeys('BLOCK', 'INFO'),
      }),
      checks: () => [needs('maximumJoinsPerMinute')],
    },
    'safeguard.ProducerRateLimitingPolicyPlugin': {
      summary: 'Limits produced bytes per second.',
      config: () => ({
        maximumBytesPerSecond: limit('Allowed bytes per second.'),
        ...actionKeys('BLOCK', 'INFO'),
      }),
      checks: () => [needs('maximumBytesPerSecond')],
    },
    'safeguard.ConsumerRateLimitingPolicyPlugin': {
      summary: 'Limits consumed bytes per second.',
      config: () => ({
        maximumBytesPerSecond: limit('Allowed bytes per second.'),
        ...actionKeys('BLOCK', 'INFO'),
      }),
      checks: () => [needs('maximumBytesPerSecond')],
    },
    'safeguard.ReadOnlyTopicPolicyPlugin': {
      summary: 'Rejects writes to topics.',
      protects: ['access'],
      config: () => ({ topic: anyTopic, ...actionKeys('BLOCK', 'INFO') }),
    },
    'safeguard.TopicRequiredSchemaIdPolicyPlugin': {
      summary: 'Requires or forbids a schema id in records.',
      protects: ['data-quality'],
      config: () => ({
        topic: anyTopic,
        schemaIdRequired: allows(
          [true, false],
          flag('Whether records must have a schema id or must not have one.'),
        ),
        ...actionKeys('BLOCK', 'INFO'),
      }),
      checks: () => [needs('schemaIdRequired')],
    },
    'safeguard.MessageHeaderRemovalPlugin': {
      summary: 'Removes headers from consumed records.',
      config: () => ({
        topic: anyTopic,
        headerKeyRegex: essential(
          strengthOf(
            { type: 'reach', axis: 'header', by: 'pattern' },
            checked(scalar('Regular expression for the keys of headers to remove.'), checkPattern),
          ),
        ),
      }),
      checks: () => [needsOneOf(['headerKeyRegex'], 'it removes no header')],
    },
    'safeguard.SchemaPayloadValidationPolicyPlugin': {
      summary: 'Requires records that match their schema.',
      protects: ['data-quality'],
      config: () => ({
        topic: anyTopic,
        schemaIdRequired: protecting(flag('Whether records must have a schema id.', false)),
        validateSchema: protecting(flag('Whether records are validated against their schema.', false)),
        ...actionKeys('BLOCK', 'INFO', 'THROTTLE'),
        schemaRegistryConfig: registryWithRules(),
        celCacheSize,
        ...badRecords(),
      }),
      checks: () => [
        needsOneOf(['schemaIdRequired', 'validateSchema'], 'it checks nothing', { isSet: isOn }),
        neededBy('validateSchema', { true: ['schemaRegistryConfig'] }),
      ],
    },
    'safeguard.DataQualityProducerPlugin': {
      summary: 'Requires records that meet a SQL condition.',
      protects: ['data-quality'],
      config: () => ({
        statement: essential(narrowing('topic', 'query', scalar('The condition, as a SQL statement.'))),
        schemaRegistryConfig: registryWithRules(),
        action: ordered(
          [['AUDIT_LOG_ONLY'], ['THROTTLE'], ['BLOCK_WHOLE_BATCH', 'BLOCK_ONLY_INVALID_RECORDS']],
          choice(
            ['BLOCK_WHOLE_BATCH', 'BLOCK_ONLY_INVALID_RECORDS', 'AUDIT_LOG_ONLY', 'THROTTLE'],
            'What happens to records that do not meet it.',
          ),
        ),
        ...badRecords(),
        throttleTimeMs: throttleTimeMs(100),
      }),
      checks: () => [needs('statement')],
    },
    // Not in the API facts: the vendor documents it as the class that Console deploys for data quality policies.
    'dataquality.DataQualityPlugin': {
      summary: 'Checks produced records by rules, as the data quality policies of Console do.',
      protects: ['data-quality'],
      config: () => ({
        topicsRegex: narrowing('topic', 'query', list(regex(TOPIC), 'The topics that the rules are for.')),
        rules: essential(
          unordered(untyped('The rules by name: type, and expression of CEL or a JSON schema.')),
        ),
        block: protecting(flag('Whether records that break a rule are rejected.')),
        ...allHarmless({
          mark: flag('Whether records that break a rule get a header.'),
          report: flag('Whether broken rules are reported.'),
          dlq: flag('Whether records that break a rule go to the dead letter topic.'),
          dlqTopic: checked(scalar('The topic for records that break a rule.'), topicName),
          policyName: scalar('The name of the policy.'),
          maxNumberOfViolationReportPerSecond: numeric('Most reports per second.'),
          consoleDeploymentId: scalar('The deployment of Console that the policy is from.'),
        }),
        schemaRegistryConfig: schemaRegistryConfig(),
      }),
      checks: () => [needs('rules')],
    },
  },
  { protects: ['safeguard'] },
);

function isOn(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false;
}
