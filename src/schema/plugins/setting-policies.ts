import { overrideNeeds } from './checks.ts';
import { regex, untyped, type Fields } from './field.ts';
import { definePlugin, type Plugin } from './plugin.ts';
import { actionKeys, rulesWith, type Rule } from './rules.ts';
import { anyTopic, topic } from './shared.ts';

// gateway-api E.2, the classes that hold requests to a rule per setting.
const overriding = rulesWith('BLOCK', 'INFO', 'OVERRIDE');
const throttling = rulesWith('BLOCK', 'INFO', 'THROTTLE');
const plain = rulesWith('BLOCK', 'INFO');

const alterableTopicRules = configRules('topic', {
  cleanupPolicy: overriding.cleanupPolicy,
  flushMessages: overriding.long,
  flushMs: overriding.long,
  maxMessageBytes: overriding.int,
  minInsyncReplicas: overriding.int,
  retentionBytes: overriding.long,
  retentionMs: overriding.long,
  segmentBytes: overriding.int,
  segmentJitterMs: overriding.long,
  segmentMs: overriding.long,
  uncleanLeaderElectionEnable: overriding.bool,
});

const otherTopicRules = configRules('topic', {
  compressionType: overriding.topicCompression,
  deleteRetentionMs: overriding.long,
  fileDeleteDelayMs: overriding.long,
  indexIntervalBytes: overriding.int,
  maxCompactionLagMs: overriding.long,
  messageDownconversionEnable: overriding.bool,
  messageTimestampDifferenceMaxMs: overriding.long,
  messageTimestampType: overriding.timestampType,
  minCleanableDirtyRatio: overriding.double,
  minCompactionLagMs: overriding.long,
  preallocate: overriding.bool,
  segmentIndexBytes: overriding.int,
});

const brokerRules = configRules('broker', {
  logRetentionBytes: overriding.long,
  logRetentionMs: overriding.long,
  logSegmentBytes: overriding.long,
});

const blacklist = overriding.blacklist('Configs that a request may not set.');

export const settingPolicies: readonly Plugin[] = [
  definePlugin({
    name: 'safeguard.CreateTopicPolicyPlugin',
    summary: 'Rules on the creation of topics.',
    config: {
      topic: anyTopic,
      namingConvention: overriding.regex('The name of the topic.'),
      numPartition: overriding.int('How many partitions the topic has.'),
      replicationFactor: overriding.int('How many replicas a partition has.'),
      ...alterableTopicRules,
      ...otherTopicRules,
      blacklist,
    },
  }),
  definePlugin({
    name: 'safeguard.AlterTopicConfigPolicyPlugin',
    summary: 'Rules on changes of topic configs.',
    config: { topic, ...alterableTopicRules, blacklist },
  }),
  definePlugin({
    name: 'safeguard.AlterBrokerConfigPolicyPlugin',
    summary: 'Rules on changes of broker configs.',
    config: { ...brokerRules, blacklist },
  }),
  definePlugin({
    name: 'safeguard.ProducePolicyPlugin',
    summary: 'Rules on the settings of producers.',
    config: {
      topic,
      acks: throttling.acks('The acks that a producer asks for.'),
      recordHeaderRequired: throttling.bool('Whether records have headers.'),
      compressions: throttling.produceCompression('How records are compressed.'),
      idempotenceRequired: throttling.bool('Whether the producer is idempotent.'),
      transactionRequired: throttling.bool('Whether records belong to a transaction.'),
      version: throttling.version('The version of the produce request.'),
    },
  }),
  definePlugin({
    name: 'safeguard.FetchPolicyPlugin',
    summary: 'Rules on the settings of consumers.',
    config: {
      topic,
      isolationLevel: plain.isolationLevel('The isolation level that a consumer asks for.'),
      rackIdRequired: plain.bool('Whether the consumer names its rack.'),
      fetchMaxBytes: plain.int('The fetch.max.bytes of the consumer.'),
      fetchMinBytes: plain.int('The fetch.min.bytes of the consumer.'),
      maxWaitMs: plain.int('How long the consumer waits for records, in milliseconds.'),
      version: plain.version('The version of the fetch request.'),
    },
  }),
  definePlugin({
    name: 'safeguard.ConsumerGroupPolicyPlugin',
    summary: 'Rules on the settings of consumer groups.',
    config: {
      groupId: overriding.regex('The id of the group.'),
      sessionTimeoutMs: overriding.int('The session timeout, in milliseconds.'),
      rebalanceTimeoutMs: overriding.int('The rebalance timeout, in milliseconds.'),
      memberId: overriding.regex('The id of the member.'),
      groupInstanceId: overriding.regex('The id of a static member.'),
    },
  }),
  definePlugin({
    name: 'safeguard.ClientIdRequiredPolicyPlugin',
    summary: 'A naming convention for client ids.',
    config: {
      namingConvention: regex('A regular expression that the client id must match.', '.*'),
      clientIdTemplate: untyped(
        'The client id that OVERRIDE puts in its place, for example team-{{userIp}}.',
      ),
      ...actionKeys('BLOCK', 'INFO', 'OVERRIDE'),
    },
    checks: [overrideNeeds('clientIdTemplate', 'warning')],
  }),
];

/** Rules that are named after the Kafka configs they are on: `retentionMs` is on retention.ms. */
function configRules(owner: string, rules: Readonly<Record<string, Rule>>): Fields {
  return Object.fromEntries(
    Object.entries(rules).map(([key, rule]) => [key, rule(`The ${kafkaName(key)} of the ${owner}.`)]),
  );
}

function kafkaName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `.${letter.toLowerCase()}`);
}
