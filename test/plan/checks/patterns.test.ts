import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.ts';
import type { LiveState } from '../../../src/model/state.ts';
import { compileRegex } from '../../../src/model/regex/match-regex.ts';
import { checkTopicPatterns } from '../../../src/plan/checks/patterns.ts';
import type { World } from '../../../src/plan/checks/world.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { stateOf } from '../../support/expect-problems.ts';

const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';

function document(kind: string, metadata: object, spec: object): string {
  return `${JSON.stringify({ apiVersion: 'gateway/v2', kind, metadata, spec })}\n`;
}
const alias = (name: string, vCluster = 'passthrough'): string =>
  document('AliasTopic', { name, vCluster }, { physicalName: 'p' });
const mask = (topic: string, vCluster: string | null = 'passthrough', pluginClass = MASK): string =>
  document(
    'Interceptor',
    { name: 'mask', scope: { vCluster, group: null, username: null } },
    { pluginClass, priority: 1, config: { topic } },
  );

function told(...documents: readonly string[]): readonly string[] {
  const world = { desired: stateOf(documents.join('---\n')), removals: [], rules: {}, kinds: catalog.kinds };
  return sentences(world);
}
it('looks at the topics of all virtual clusters', () => {
  const desired = stateOf(mask('custmers-.*', 'prod').replace('"mask"', '"m"'));
  const world = { desired, removals: [], rules: {}, kinds: catalog.kinds, topics: ['customers-eu'] };
  expect(sentences(world)).toEqual([
    expect.stringContaining(
      'custmers-.* matches none of the topics that are known, but resembles customers-eu',
    ),
  ]);
  expect(sentences({ ...world, topics: ['custmers-eu'] })).toEqual([]);
});
function sentences(world: World): readonly string[] {
  return Array.from(
    checkTopicPatterns(world),
    ({ message, hint = '', path = '' }) => `${path} ${message}; ${hint}`,
  );
}
const telling = (pattern: string, topic: string, meant: string): readonly string[] => [
  `/spec/config/topic Interceptor/mask@vCluster=passthrough: ${pattern} matches none of the topics that are known, ` +
    `but resembles ${topic}; if that is meant, write ${meant}; the expression is for the whole name`,
];

describe('a pattern, or an alternative of it, that no topic can match', () => {
  it.each([
    ['orders, payments', 'orders, payments', 'if that is meant, write orders|payments'],
    ['cards|payments ', 'payments ', 'if that is meant, write cards|payments'],
    ['/cards/.*', '/cards/.*', 'write a regular expression for names of topics'],
    ['(a|b)@c', '(a|b)@c', 'write a regular expression for names of topics'],
  ])('is told: %s', (pattern, empty, hint) => {
    expect(told(mask(pattern))).toEqual([
      `/spec/config/topic Interceptor/mask@vCluster=passthrough: no topic matches "${empty}": names have letters, digits, dots, - and _ only; ${hint}`,
    ]);
  });

  it.each([
    ...['cards|payments', '^cards-[0-9]+$', 'a\\.b', 'cards/*', '(?<=x)cards', '.{2,5}', 'a,?b', '[^ ]+'],
    ...['$${TOPIC}', ''],
  ])('is not told: %s', (pattern) => {
    expect(told(mask(pattern))).toEqual([]);
  });
});

describe('a pattern that matches none of the topics that are known', () => {
  it.each([
    ['customers', 'customers-.*'],
    ['customers-', 'customers-.*'],
    ['^customers-', 'customers-.*'],
    ['Customers-.*', 'customers-.*'],
    ['customers_.*', 'customers-.*'],
    ['customers.EU', 'customers-eu'],
    ['custmers-.*', 'customers-.*'],
    ['cutsomers-.+', 'customers-.+'],
    ['custommers-eu', 'customers-eu'],
  ])('is told with the expression for the topic that it resembles: %s', (pattern, meant) => {
    const expected = pattern === 'customers' ? 'customers.*' : meant;
    expect(told(alias('customers-eu'), mask(pattern))).toEqual(telling(pattern, 'customers-eu', expected));
  });

  it.each(['orders-.*', 'customers-us', 'customers-eu2', 'cust', '.*-eu2', '(?i)X', 'nothing', ''])(
    'is not told if it resembles none: %s',
    (pattern) => {
      expect(told(alias('customers-eu'), mask(pattern))).toEqual([]);
    },
  );

  it('is told with the expression of the concentration rule that it resembles, unless they have topics in common', () => {
    const rule = document(
      'ConcentrationRule',
      { name: 'events', vCluster: 'passthrough' },
      { pattern: 'events-.*', physicalTopics: { delete: 'p' } },
    );
    expect(told(rule, mask('Events-.*'))).toEqual(telling('Events-.*', 'events-.*', 'events-.*'));
    expect(told(rule, alias('events_eu'), mask('events-eu'))).toEqual([]);
    expect(told(rule, mask('orders'))).toEqual([]);
  });

  it('has dots escaped in what was meant', () => {
    expect(told(alias('com.acme.Orders'), mask('com.acme.orders'))).toEqual(
      telling('com.acme.orders', 'com.acme.Orders', 'com\\.acme\\.Orders'),
    );
  });

  it('has dots that are any character, unless they are escaped', () => {
    const topics = [alias('com-acme-orders'), alias('com.acme.Orders')];
    expect(told(...topics, mask('com.acme.orders'))).toEqual([]);
    expect(told(...topics, mask('com.acme.or.*'))).toEqual([]);
    expect(told(...topics, mask('com\\.acme\\.orders'))).toHaveLength(1);
    expect(told(...topics, mask('^com.acme.order$'))).toHaveLength(1);
  });

  it('is compared with the topics of the clients in its scope', () => {
    expect(told(alias('customers-eu', 'other'), mask('customers'))).toEqual([]);
    expect(told(alias('customers-eu', 'other'), mask('customers', null))).toHaveLength(1);
  });

  it('is compared with the topics on the gateway, too', () => {
    const desired = stateOf(mask('customers'));
    const topic = document('AliasTopic', { name: 'customers-eu' }, { physicalName: 'p' });
    const resources = new Map([...stateOf(topic)].map(([address, { resource }]) => [address, resource]));
    const live: LiveState = { resources, unavailable: new Map() };
    const world = { desired, live, changes: new Map(), removals: [], rules: {}, kinds: catalog.kinds };
    expect(sentences(world as unknown as World)).toHaveLength(1); // all that this check reads
  });

  it('is nothing that clients fill in, and none of an unknown class', () => {
    expect(told(alias('customers-eu'), mask('$${customers}'))).toEqual([]);
    expect(told(alias('customers-eu'), mask('customers', 'passthrough', 'com.acme.Own'))).toEqual([]);
  });
});

it('a pattern is never told that matches a topic, and what is proposed matches the topic', () => {
  const word = fc.constantFrom('order', 'orders', 'Orders', 'ordesr', 'eu', 'v1', 'x');
  const separator = fc.constantFrom('-', '.', '_');
  const name = fc
    .tuple(word, separator, word)
    .chain(([one, by, other]) => fc.constantFrom(one, `${one}${by}${other}`, `${one}${by}`));
  const pattern = fc
    .tuple(name, fc.constantFrom('', '.*', '.+'), fc.boolean())
    .map(([text, end, anchored]) => `${anchored ? '^' : ''}${text}${end}`);
  let found = 0;
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), pattern, (names, text) => {
      const [problem] = told(...names.map((one) => alias(one)), mask(text));
      if (problem === undefined) return;
      found += 1;
      const regex = compileRegex(text);
      expect('matches' in regex && names.some((one) => regex.matches(one))).toBe(false);
      const [, topic = '', meant = ''] =
        /resembles (\S+); if that is meant, write (\S+);/.exec(problem) ?? [];
      const proposed = compileRegex(meant);
      expect('matches' in proposed && proposed.matches(topic), `${meant} for ${topic}`).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(found).toBeGreaterThan(20);
});
