import { type Check, needsOneOf, overrideNeeds, unlistedOverride } from './config-checks.ts';
import { once } from '../../model/collect.ts';
import { matching, regex, scalar, type Field, type Fields } from './field.ts';
import { definePlugins, type PluginForm } from './plugin.ts';
import { actionKeys, overriding, rulesWith, type Rule } from './rule-fields.ts';
import { anyTopic, topic } from './shared.ts';

// gateway-api E.2: classes with a rule per setting.
const correcting = once(() => rulesWith('BLOCK', 'INFO', 'OVERRIDE'));
const producing = once(() => rulesWith('BLOCK', 'INFO', 'THROTTLE', 'OVERRIDE'));
const plain = once(() => rulesWith('BLOCK', 'INFO'));

const alterableTopicRules = (): Fields =>
  configRules('topic', {
    cleanupPolicy: correcting().cleanupPolicy,
    flushMessages: correcting().long,
    flushMs: correcting().long,
    maxMessageBytes: correcting().int,
    minInsyncReplicas: correcting().int,
    retentionBytes: correcting().long,
    retentionMs: correcting().long,
    segmentBytes: correcting().int,
    segmentJitterMs: correcting().long,
    segmentMs: correcting().long,
    uncleanLeaderElectionEnable: correcting().bool,
  });

const otherTopicRules = (): Fields =>
  configRules('topic', {
    compressionType: correcting().topicCompression,
    deleteRetentionMs: correcting().long,
    fileDeleteDelayMs: correcting().long,
    indexIntervalBytes: correcting().int,
    maxCompactionLagMs: correcting().long,
    messageDownconversionEnable: correcting().bool,
    messageTimestampDifferenceMaxMs: correcting().long,
    messageTimestampType: correcting().timestampType,
    minCleanableDirtyRatio: correcting().double,
    minCompactionLagMs: correcting().long,
    preallocate: correcting().bool,
    segmentIndexBytes: correcting().int,
  });

const brokerRules = (): Fields =>
  configRules('broker', {
    logRetentionBytes: correcting().long,
    logRetentionMs: correcting().long,
    logSegmentBytes: correcting().long,
  });

const blacklist = (): Field => correcting().blacklist('Configs that requests must not set.');

export const settingPolicies = definePlugins(
  {
    'safeguard.CreateTopicPolicyPlugin': policy(
      'Rules for the creation of topics.',
      () => ({
        namingConvention: correcting().regex('The name of the topic.'),
        numPartition: correcting().int('The number of partitions.'),
        replicationFactor: correcting().int('The number of replicas of a partition.'),
        ...alterableTopicRules(),
        ...otherTopicRules(),
        blacklist: blacklist(),
      }),
      { topic: anyTopic },
    ),
    'safeguard.AlterTopicConfigPolicyPlugin': policy(
      'Rules for changes of topic configs.',
      () => ({ ...alterableTopicRules(), blacklist: blacklist() }),
      { topic },
    ),
    'safeguard.AlterBrokerConfigPolicyPlugin': policy('Rules for changes of broker configs.', () => ({
      ...brokerRules(),
      blacklist: blacklist(),
    })),
    'safeguard.ProducePolicyPlugin': policy(
      'Rules for the settings of producers.',
      () => ({
        acks: producing().acks('The acks of the producer.'),
        recordHeaderRequired: producing().required('Whether records have headers.'),
        compressions: producing().produceCompression('The compression of records.'),
        idempotenceRequired: producing().required('Whether the producer is idempotent.'),
        transactionRequired: producing().required('Whether records belong to a transaction.'),
        version: producing().version('The version of the produce request.'),
      }),
      { topic },
      unlistedOverride,
    ),
    'safeguard.FetchPolicyPlugin': policy(
      'Rules for the settings of consumers.',
      () => ({
        isolationLevel: plain().isolationLevel('The isolation level of the consumer.'),
        rackIdRequired: plain().required('Whether the consumer sends its rack id.'),
        fetchMaxBytes: plain().int('The fetch.max.bytes of the consumer.'),
        fetchMinBytes: plain().int('The fetch.min.bytes of the consumer.'),
        maxWaitMs: plain().int('How long the consumer waits for records, in milliseconds.'),
        version: plain().version('The version of the fetch request.'),
      }),
      { topic },
    ),
    'safeguard.ConsumerGroupPolicyPlugin': policy('Rules for the settings of consumer groups.', () => ({
      groupId: correcting().regex('The id of the group.'),
      sessionTimeoutMs: correcting().int('The session timeout, in milliseconds.'),
      rebalanceTimeoutMs: correcting().int('The rebalance timeout, in milliseconds.'),
      memberId: correcting().regex('The id of the member.'),
      groupInstanceId: correcting().regex('The id of a static member.'),
    })),
    'safeguard.ClientIdRequiredPolicyPlugin': {
      summary: 'A naming convention for client ids.',
      config: () => ({
        namingConvention: matching(regex('Regular expression that client ids must match.', '.*')),
        clientIdTemplate: overriding(
          scalar('The client id that OVERRIDE sets, for example team-{{userIp}}.'),
        ),
        ...actionKeys('BLOCK', 'INFO', 'OVERRIDE'),
      }),
      checks: () => [overrideNeeds('clientIdTemplate', 'warning')],
    },
  },
  { protects: ['safeguard'] },
);

/** A class with rules, and other fields beside them. */
function policy(
  summary: string,
  makeRules: () => Fields,
  others: Fields = {},
  ...more: readonly Check[]
): PluginForm {
  const rules = once(makeRules);
  const checks = (): readonly Check[] => {
    const keys = Object.keys(rules());
    const hint = `add a rule, for example ${keys[0] ?? ''}`;
    return [needsOneOf(keys, 'it checks nothing', { words: 'rule', hint }), ...more];
  };
  return { summary, config: () => ({ ...others, ...rules() }), checks };
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
