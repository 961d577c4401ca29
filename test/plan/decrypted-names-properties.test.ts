import { expect, it } from 'vitest';
import type { Resource } from '../../src/model/resource.ts';
import fc from '../support/fast-check.ts';
import { resource } from '../support/kinds.ts';
import { planned, PROD } from '../support/masks.ts';
import { orAll } from '../support/soak.ts';

const CLUSTERS = ['prod', 'passthrough'] as const;
const BOTH = ['before', 'after'] as const;
type Side = (typeof BOTH)[number];
/** On which sides of a plan something is: most of it on both. */
const sides = fc.constantFrom<Side[]>([...BOTH], [...BOTH], ['before'], ['after']);
const interceptor = (is: string) =>
  fc.record({
    is: fc.constant(is),
    vCluster: fc.constantFrom(...CLUSTERS, null),
    topic: fc.constantFrom<string>('a', 'b', 'raw', 'big', 'a|raw', '.*'),
    sides,
  });
const some = fc.record({
  aliases: fc.uniqueArray(
    fc.record({
      vCluster: fc.constantFrom(...CLUSTERS),
      name: fc.constantFrom('a', 'b'),
      topic: fc.constantFrom('raw', 'big'),
      sides,
    }),
    { maxLength: 3, selector: ({ vCluster, name }) => vCluster + name },
  ),
  /** Where topics of prod whose name is `a` are stored; what is stored there stays without the rule. */
  rules: fc.array(
    fc.record({
      topic: fc.constantFrom('big', 'raw'),
      sides: fc.constantFrom<Side[]>([...BOTH], ['after']),
    }),
    { maxLength: 1 },
  ),
  interceptors: fc
    .tuple(
      interceptor('EncryptPlugin'),
      interceptor('DecryptPlugin'),
      fc.array(interceptor('DecryptPlugin'), { maxLength: 1 }),
    )
    .map(([first, second, others]) => [first, second, ...others]),
});
type Some = typeof some extends fc.Arbitrary<infer T> ? T : never;

function resourcesOf({ aliases, rules, interceptors }: Some): readonly Resource[] {
  return [
    ...aliases.map(({ vCluster, name, topic }) =>
      resource('AliasTopic', { name, vCluster }, { physicalName: topic }),
    ),
    ...rules.map(({ topic }) =>
      resource(
        'ConcentrationRule',
        { name: 'r', ...PROD },
        { pattern: 'a', physicalTopics: { delete: topic } },
      ),
    ),
    ...interceptors.map(({ is, vCluster, topic }, at) => {
      const fields = [{ fieldName: 'card', keySecretId: 'in-memory-kms://k' }];
      const config = is === 'EncryptPlugin' ? { topic, recordValue: { fields } } : { topic };
      const spec = { pluginClass: `io.conduktor.gateway.interceptor.${is}`, priority: 1, config };
      return resource(
        'Interceptor',
        { name: `i${at}`, scope: { vCluster, group: null, username: null } },
        spec,
      );
    }),
  ];
}

/** What is there on one side. */
function on(side: Side, { aliases, rules, interceptors }: Some): Some {
  const isThere = (one: { readonly sides: readonly Side[] }): boolean => one.sides.includes(side);
  return {
    aliases: aliases.filter(isThere),
    rules: rules.filter(isThere),
    interceptors: interceptors.map((one) => (isThere(one) ? one : { ...one, topic: 'nothing' })),
  };
}

/** What clients call so: a topic of Kafka, or of prod, and then where it is stored. */
function topicOf(vCluster: string, name: string, { aliases, rules }: Some): string {
  const alias = aliases.find((one) => one.vCluster === vCluster && one.name === name);
  if (alias !== undefined) return alias.topic;
  if (vCluster === 'passthrough') return name;
  const [rule] = name === 'a' ? rules : [];
  return rule === undefined ? `prod${name}` : `a in ${rule.topic}`;
}

const NAMES = ['a', 'b', 'raw', 'big', 'proda'];

/** The topics that clients of a virtual cluster have by the names for which something does this. */
function reached(
  is: string,
  vCluster: string,
  all: Some,
  names: readonly string[] = NAMES,
): ReadonlySet<string> {
  const found = names.filter((name) =>
    all.interceptors.some(
      (one) =>
        one.is === is &&
        [null, vCluster].includes(one.vCluster) &&
        new RegExp(`^(?:${one.topic})$`).test(name),
    ),
  );
  return new Set(found.map((name) => topicOf(vCluster, name, all)));
}

/** Also as a part of the topic in which it is stored. */
function isAmong(topic: string, all: ReadonlySet<string>): boolean {
  return all.has(topic) || all.has(topic.replace('a in ', ''));
}

it('whoever has what others encrypt decrypted after a plan, by whichever name, and had not before, is told of', () => {
  let found = 0;
  fc.assert(
    fc.property(some, (given) => {
      const [before, after] = [on('before', given), on('after', given)];
      const { plan } = planned(resourcesOf(before), resourcesOf(after), {}, [
        resource('VirtualCluster', { name: 'prod' }, {}),
      ]);
      const encrypted = CLUSTERS.flatMap((one) => [...reached('EncryptPlugin', one, before)]);
      for (const vCluster of CLUSTERS) {
        // The topic behind the name of a deleted alias topic is not judged.
        const isFreed = (name: string): boolean =>
          given.aliases.some(
            (one) => one.vCluster === vCluster && one.name === name && !one.sides.includes('after'),
          );
        const had = reached('DecryptPlugin', vCluster, before);
        const has = reached(
          'DecryptPlugin',
          vCluster,
          after,
          NAMES.filter((name) => !isFreed(name)),
        );
        if (!encrypted.some((topic) => isAmong(topic, has) && !isAmong(topic, had))) continue;
        found += 1;
        const told = (plan.weakenings ?? []).filter(
          ({ virtualCluster, parts }) =>
            virtualCluster === vCluster && parts.some(({ loss }) => loss === 'undone'),
        );
        expect(told.length, vCluster).toBeGreaterThan(0);
      }
    }),
    { numRuns: orAll(60, 5_000) },
  );
  expect(found).toBeGreaterThan(5);
});
