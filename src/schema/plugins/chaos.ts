import { inOrder, needs } from './config-checks.ts';
import {
  checked,
  choice,
  from,
  integer,
  number,
  numeric,
  object,
  scalar,
  upTo,
  type Field,
  type Fields,
} from './field.ts';
import { definePlugins } from './plugin.ts';
import { anyTopic } from './shared.ts';
import { percent } from './values.ts';

const FETCH_ERRORS = [
  'OFFSET_OUT_OF_RANGE',
  'TOPIC_AUTHORIZATION_FAILED',
  'REPLICA_NOT_AVAILABLE',
  'NOT_LEADER_OR_FOLLOWER',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'KAFKA_STORAGE_ERROR',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'CORRUPT_MESSAGE',
  'UNKNOWN_TOPIC_ID',
  'FETCH_SESSION_TOPIC_ID_ERROR',
  'INCONSISTENT_TOPIC_ID',
  'UNKNOWN_SERVER_ERROR',
];
const PRODUCE_ERRORS = [
  'CORRUPT_MESSAGE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'NOT_LEADER_OR_FOLLOWER',
  'INVALID_TOPIC_EXCEPTION',
  'RECORD_LIST_TOO_LARGE',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'INVALID_REQUIRED_ACKS',
  'TOPIC_AUTHORIZATION_FAILED',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'INVALID_PRODUCER_EPOCH',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  'INVALID_RECORD',
];

const RATE = 'Percentage of affected requests.';
const rate = percentage(number(RATE));
const always = percentage(number(RATE, 100));

const target: Field = choice(
  ['CONSUME', 'PRODUCE'],
  'Whether consumed or produced records are affected.',
  'CONSUME',
);

const slowness = (): Fields => ({
  rateInPercent: rate,
  minLatencyMs: numeric('Minimum delay, in milliseconds.'),
  maxLatencyMs: numeric('Maximum delay, in milliseconds.'),
});

const latencies = inOrder('minLatencyMs', 'maxLatencyMs');

const corruption = (): Fields => ({
  topic: anyTopic,
  sizeInBytes: from(0, integer('Number of random bytes that are added to a record.', 10)),
  rateInPercent: always,
});

// gateway-api E.5
export const chaos = definePlugins(
  {
    'chaos.SimulateBrokenBrokersPlugin': {
      summary: 'Answers some requests with broker errors.',
      config: () => ({
        rateInPercent: rate,
        errorMap: object(
          {
            FETCH: choice(FETCH_ERRORS, 'The error that consumers get.'),
            PRODUCE: choice(PRODUCE_ERRORS, 'The error that producers get.'),
          },
          'The error for each kind of request.',
          { FETCH: 'UNKNOWN_SERVER_ERROR', PRODUCE: 'CORRUPT_MESSAGE' },
        ),
      }),
      checks: () => [needs('rateInPercent')],
    },
    'chaos.DuplicateMessagesPlugin': {
      summary: 'Duplicates some records.',
      config: () => ({ topic: anyTopic, rateInPercent: always, target }),
    },
    'chaos.SimulateInvalidSchemaIdPlugin': {
      summary: 'Writes a wrong schema id to records.',
      config: () => ({
        topic: anyTopic,
        invalidSchemaId: numeric('The wrong schema id; random if omitted.'),
        target,
      }),
    },
    'chaos.SimulateLatencyPlugin': {
      summary: 'Delays some requests.',
      config: () => ({
        appliedPercentage: checked(scalar(RATE), percent),
        latencyMs: numeric('The delay, in milliseconds.'),
      }),
      checks: () => [needs('appliedPercentage', 'latencyMs')],
    },
    'chaos.SimulateLeaderElectionsErrorsPlugin': {
      summary: 'Answers some requests as if the leader had just changed.',
      config: () => ({ rateInPercent: rate }),
      checks: () => [needs('rateInPercent')],
    },
    'chaos.ProduceSimulateMessageCorruptionPlugin': {
      summary: 'Corrupts some records when they are produced.',
      config: corruption,
    },
    'chaos.FetchSimulateMessageCorruptionPlugin': {
      summary: 'Corrupts some records when they are consumed.',
      config: corruption,
    },
    'chaos.SimulateSlowBrokerPlugin': {
      summary: 'Delays some requests, as a slow broker would.',
      config: slowness,
      checks: () => [latencies, needs('rateInPercent', 'minLatencyMs', 'maxLatencyMs')],
    },
    'chaos.SimulateSlowProducersConsumersPlugin': {
      summary: 'Delays some producers and consumers.',
      config: () => ({ topic: anyTopic, ...slowness() }),
      checks: () => [latencies, needs('rateInPercent', 'minLatencyMs', 'maxLatencyMs')],
    },
  },
  { effect: 'chaos' },
);

function percentage(field: Field): Field {
  return from(0, upTo(100, field));
}
