import { expect, it } from 'vitest';
import { makeTopicCoverage } from '../../src/effective/topics.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { addressOf } from '../../src/model/kind.ts';
import type { ChainLink, Principal } from '../../src/model/principal.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { plugins } from '../../src/schema/plugins/index.ts';

const { coverageOf, namesTopics } = makeTopicCoverage(catalog.kinds);
const PREFIX = 'io.conduktor.gateway.interceptor.';
const bob: Principal = { virtualCluster: 'prod', username: 'bob', groups: [] };

function link(name: string, config: JsonObject = {}): ChainLink {
  const about = {
    address: addressOf('Interceptor', 'one'),
    name: 'one',
    scope: {},
    priority: 1,
    protects: [],
  } as const;
  return { ...about, pluginClass: name.includes('/') ? name.slice(1) : PREFIX + name, config };
}

function covers(name: string, config: JsonObject, topic = 'orders', principal = bob): string {
  const { covers: verdict, reason } = coverageOf(link(name, config), topic, principal);
  return `${verdict}: ${reason}`;
}

it.each<[string, JsonObject, string]>([
  ['EncryptPlugin', { topic: 'orders|refunds' }, 'yes: topic matches'],
  ['EncryptPlugin', { topic: 'order' }, 'no: topic does not match'],
  ['EncryptPlugin', {}, 'yes: topic matches everything'],
  ['EncryptPlugin', { topic: null }, 'yes: topic matches everything'],
  ['EncryptPlugin', { topic: 5 }, 'unknown: topic has no text'],
  ['EncryptPlugin', { topic: '${PREFIX}.*' }, 'unknown: topic has a placeholder'],
  [
    'EncryptPlugin',
    { topic: 'a++' },
    'unknown: the regular expression in topic has a quantifier that gwconf cannot judge',
  ],
  ['DecryptPlugin', {}, 'unknown: the default of topic is not documented'],
  ['safeguard.LimitConnectionPolicyPlugin', {}, 'yes: the class acts on all topics'],
  ['CelTopicPlugin', { virtualTopic: 'orders', topic: 'all-orders' }, 'yes: virtualTopic matches'],
  ['CelTopicPlugin', { virtualTopic: 'red', topic: 'orders' }, 'no: virtualTopic does not match'],
  ['/com.example.Own', { topic: 'orders' }, 'unknown: gwconf does not know the class'],
])('%s with %j', (name, config, expected) => {
  expect(covers(name, config)).toBe(expected);
});

it.each([
  ["SELECT * FROM orders WHERE state IN ('new from a, b', 'x') AND a > 1, 2", 'yes'],
  ['select * from "orders"', 'yes'],
  ['select o.a from orders as o order by a, b;', 'yes'],
  ['SELECT * FROM refunds', 'no'],
  ['SELECT * FROM orders, refunds', 'unknown'],
  ['SELECT * FROM orders JOIN refunds ON a = b', 'unknown'],
  ['SELECT * FROM (SELECT * FROM orders)', 'unknown'],
  ['SELECT * FROM orders -- FROM', 'unknown'],
  ['x', 'unknown'],
])('the query %s', (statement, expected) => {
  expect(covers('safeguard.DataQualityProducerPlugin', { statement })).toMatch(`${expected}: `);
});

it('an audit is also limited to users, virtual clusters and consumer groups', () => {
  const audit = (config: JsonObject, principal = bob): string =>
    covers('AuditPlugin', config, 'orders', principal);
  expect(audit({})).toBe('yes: topic matches everything');
  expect(audit({ username: 'b.*', vcluster: 'prod|test' })).toBe('yes: topic matches everything');
  expect(audit({ username: 'eve' })).toBe('no: username does not match');
  expect(audit({ vcluster: 'test', topicPartitions: [1] })).toBe('no: vcluster does not match');
  expect(audit({ consumerGroupId: 'apps' })).toBe('unknown: it is not certain what consumerGroupId matches');
  expect(audit({ topicPartitions: ['orders-1'] })).toBe(
    'unknown: what topicPartitions means is not documented',
  );
  const anybody = { virtualCluster: 'prod', username: null, groups: [] };
  expect(audit({ username: 'b.*' }, anybody)).toBe('unknown: it is not certain what username matches');
});

it('every field for topics of the catalogue is read', () => {
  const unread = plugins.flatMap(({ title, schema, narrowings }) =>
    Object.keys(schema['properties'] ?? {})
      .filter((key) => /topic|statement/i.test(key))
      .filter((key) => !narrowings.some(({ at }) => at.join() === key))
      .map((key) => `${title}: ${key}`),
  );
  // Topics that a plugin writes or reads for itself.
  expect(unread).toEqual([
    'safeguard.SchemaPayloadValidationPolicyPlugin: deadLetterTopic',
    'safeguard.DataQualityProducerPlugin: deadLetterTopic',
    'dataquality.DataQualityPlugin: dlqTopic',
    'VirtualSqlTopicPlugin: statement',
    'CelTopicPlugin: topic',
    'observability.ObservabilityPlugin: topicName',
  ]);
  const forTopics = ['EncryptPlugin', 'safeguard.LimitConnectionPolicyPlugin', 'Own'].map((name) =>
    namesTopics(link(name)),
  );
  expect(forTopics).toEqual([true, false, true]);
});
