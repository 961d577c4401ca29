import { overrideNeeds, needsOneOf } from './checks.ts';
import { regex, scalar, type Fields } from './field.ts';
import { definePlugins, type PluginForm } from './plugin.ts';
import { actionKeys, rulesWith, type Rule } from './rules.ts';
import { anyTopic, topic } from './shared.ts';

// gateway-api E.2: classes with a rule per setting.
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

const blacklist = overriding.blacklist('Configs that requests must not set.');

export const settingPolicies = definePlugins(
  {
    'safeguard.CreateTopicPolicyPlugin': policy(
      'Rules for the creation of topics.',
      {
        namingConvention: overriding.regex('The name of the topic.'),
        numPartition: overriding.int('The number of partitions.'),
        replicationFactor: overriding.int('The number of replicas of a partition.'),
        ...alterableTopicRules,
        ...otherTopicRules,
        blacklist,
      },
      { topic: anyTopic },
    ),
    'safeguard.AlterTopicConfigPolicyPlugin': policy(
      'Rules for changes of topic configs.',
      { ...alterableTopicRules, blacklist },
      { topic },
    ),
    'safeguard.AlterBrokerConfigPolicyPlugin': policy('Rules for changes of broker configs.', {
      ...brokerRules,
      blacklist,
    }),
    'safeguard.ProducePolicyPlugin': policy(
      'Rules for the settings of producers.',
      {
        acks: throttling.acks('The acks of the producer.'),
        recordHeaderRequired: throttling.bool('Whether records have headers.'),
        compressions: throttling.produceCompression('The compression of records.'),
        idempotenceRequired: throttling.bool('Whether the producer is idempotent.'),
        transactionRequired: throttling.bool('Whether records belong to a transaction.'),
        version: throttling.version('The version of the produce request.'),
      },
      { topic },
    ),
    'safeguard.FetchPolicyPlugin': policy(
      'Rules for the settings of consumers.',
      {
        isolationLevel: plain.isolationLevel('The isolation level of the consumer.'),
        rackIdRequired: plain.bool('Whether the consumer sends its rack id.'),
        fetchMaxBytes: plain.int('The fetch.max.bytes of the consumer.'),
        fetchMinBytes: plain.int('The fetch.min.bytes of the consumer.'),
        maxWaitMs: plain.int('How long the consumer waits for records, in milliseconds.'),
        version: plain.version('The version of the fetch request.'),
      },
      { topic },
    ),
    'safeguard.ConsumerGroupPolicyPlugin': policy('Rules for the settings of consumer groups.', {
      groupId: overriding.regex('The id of the group.'),
      sessionTimeoutMs: overriding.int('The session timeout, in milliseconds.'),
      rebalanceTimeoutMs: overriding.int('The rebalance timeout, in milliseconds.'),
      memberId: overriding.regex('The id of the member.'),
      groupInstanceId: overriding.regex('The id of a static member.'),
    }),
    'safeguard.ClientIdRequiredPolicyPlugin': {
      summary: 'A naming convention for client ids.',
      config: {
        namingConvention: regex('Regular expression that client ids must match.', '.*'),
        clientIdTemplate: scalar('The client id that OVERRIDE sets, for example team-{{userIp}}.'),
        ...actionKeys('BLOCK', 'INFO', 'OVERRIDE'),
      },
      checks: [overrideNeeds('clientIdTemplate', 'warning')],
    },
  },
  { protects: ['safeguard'] },
);

/** A class with rules, and other fields beside them. */
function policy(summary: string, rules: Fields, others: Fields = {}): PluginForm {
  const keys = Object.keys(rules);
  const hint = `add a rule, for example ${keys[0] ?? ''}`;
  return {
    summary,
    config: { ...others, ...rules },
    checks: [needsOneOf(keys, 'it checks nothing', { words: 'rule', hint })],
  };
}

/** Rules named after Kafka configs: `retentionMs` is the rule for retention.ms. */
function configRules(owner: string, rules: Readonly<Record<string, Rule>>): Fields {
  return Object.fromEntries(
    Object.entries(rules).map(([key, rule]) => [key, rule(`The ${kafkaName(key)} of the ${owner}.`)]),
  );
}

function kafkaName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `.${letter.toLowerCase()}`);
}
