import { expect, it } from 'vitest';
import { makeProtection } from '../../src/effective/protection.ts';
import { weakeningJudge, type Weakened } from '../../src/effective/weakening.ts';
import { addressOf } from '../../src/model/kind.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Chain, Principal, ProtectionSort } from '../../src/model/principal.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { pluginOf } from '../../src/schema/plugins/index.ts';
import { PLUGIN_PREFIX } from '../../src/schema/plugins/plugin.ts';
import fc from '../support/fast-check.ts';
import { orAll } from '../support/soak.ts';
import { findWeaker, tellingNames, type Given } from '../support/weakening-oracle.ts';

const CLASSES: Readonly<Record<string, string>> = {
  mask: 'FieldLevelDataMaskingPlugin',
  audit: 'AuditPlugin',
  readOnly: 'safeguard.ReadOnlyTopicPolicyPlugin',
  create: 'safeguard.CreateTopicPolicyPlugin',
  limit: 'safeguard.LimitConnectionPolicyPlugin',
};
const KNOWN = ['a', 'ab', 'a-x', 'b', 'zzz'];
const PATTERNS = [
  'a',
  'b',
  'a|b',
  '[ab]',
  '(b|a)',
  'a.*',
  '.*',
  '.+',
  'a-.*',
  'a-x',
  '[^a].*',
  'b?a',
  '^a.*$',
  '\\w+',
  'x.|a',
  '..',
];
/** Expressions of concentration rules: known are all topics that match. */
const RULES = ['a-.*', 'x.|a'];
const TOPICS = [...new Set([...tellingNames(PATTERNS), ...KNOWN])];
const alice: Principal = { virtualCluster: 'prod', username: 'a', groups: [] };

const makeJudge = () =>
  weakeningJudge({
    protectionOf: makeProtection(),
    kinds: catalog.kinds,
    topicsIn: () => [
      ...KNOWN.map((name) => ({ type: 'one', name }) as const),
      ...RULES.map((text) => ({ type: 'pattern', text }) as const),
    ],
  });
const judge = makeJudge();

function optional<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined });
}

function config(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonObject> {
  return fc.record(fields).map((made) => JSON.parse(JSON.stringify(made)) as JsonObject); // without what is undefined
}

const pattern = optional(fc.constantFrom(...PATTERNS));
const some = <T>(...values: readonly T[]): fc.Arbitrary<readonly T[]> =>
  fc
    .subarray([...values], { minLength: 1 })
    .chain((chosen) => fc.shuffledSubarray(chosen, { minLength: chosen.length }));
const action = optional(fc.constantFrom('BLOCK', 'INFO'));
const characters = fc.integer({ min: 1, max: 4 });
const rule = fc.oneof(
  fc.constantFrom({}, { type: 'MASK_ALL', maskingChar: 'x' }),
  fc.record({ type: fc.constantFrom('MASK_FIRST_N', 'MASK_LAST_N'), numberOfChars: characters }),
);
const configs: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  mask: config({
    topic: pattern,
    policies: fc.array(fc.record({ name: fc.constantFrom('p', 'q'), fields: some('f', 'g'), rule }), {
      maxLength: 2,
    }),
    errorPolicy: optional(fc.constantFrom('fail_fetch', 'skip_masking')),
  }),
  audit: config({
    topic: pattern,
    apiKeys: some('P', 'F'),
    username: pattern,
    consumerGroupId: optional(fc.constantFrom('a', 'b', 'a|b', '.*', 'x-.*', 'z+')),
  }),
  readOnly: config({ topic: pattern, action }),
  create: config({
    topic: pattern,
    numPartition: optional(
      config({
        min: optional(fc.integer({ min: 1, max: 3 })),
        max: optional(fc.integer({ min: 4, max: 7 })),
        action,
      }),
    ),
    cleanupPolicy: optional(config({ values: some('delete', 'compact', 'delete,compact'), action })),
    namingConvention: optional(config({ value: fc.constantFrom('a.*', '.*', 'a|b', 'a'), action })),
  }),
  limit: config({
    maximumConnectionsPerSecond: fc.integer({ min: 1, max: 5 }),
    action: optional(fc.constantFrom('BLOCK', 'INFO', 'THROTTLE')),
    throttleTimeMs: optional(fc.constantFrom(50, 100, 200)),
  }),
};

const given = fc
  .constantFrom(...Object.keys(configs))
  .chain((is) => (configs[is] ?? fc.constant({})).map((made): Given => ({ is, config: made })));
/** Pairs that share much: most of a chain stays, or is of the same classes. */
const pairs = fc.array(given, { minLength: 1, maxLength: 4 }).chain((before) =>
  fc.record({
    before: fc.constant(before),
    after: fc
      .tuple(
        ...before.map((one) =>
          fc.oneof(
            fc.constant([one]),
            fc.constant([]),
            (configs[one.is] ?? fc.constant({})).map((made) => [{ ...one, config: made }]),
          ),
        ),
      )
      .chain((kept) => fc.array(given, { maxLength: 2 }).map((added) => [...kept.flat(), ...added])),
  }),
);

function chainOf(all: readonly Given[]): Chain {
  return all.map(({ is, config: made }, at) => {
    const pluginClass = PLUGIN_PREFIX + (CLASSES[is] ?? '');
    const name = `i${at}`;
    const { protects = [] } = pluginOf(pluginClass) ?? {};
    const address = addressOf('Interceptor', name);
    return {
      one: { address, name, scope: {}, priority: at, pluginClass, config: made, protects },
      overrides: [],
    };
  });
}

/** The classes whose sort of protection is not lost as a whole. */
function keptClasses(after: readonly Given[]): readonly string[] {
  const sortsOf = (is: string): readonly ProtectionSort[] =>
    pluginOf(PLUGIN_PREFIX + (CLASSES[is] ?? ''))?.protects ?? [];
  const kept = new Set(after.flatMap(({ is }) => sortsOf(is)));
  return Object.keys(CLASSES).filter((is) => sortsOf(is).some((sort) => kept.has(sort)));
}

function judgePair({
  before,
  after,
}: {
  readonly before: readonly Given[];
  readonly after: readonly Given[];
}) {
  return {
    told: judge(chainOf(before), chainOf(after), alice),
    weaker: findWeaker(before, after, { classes: keptClasses(after), topics: TOPICS }),
  };
}

/** Two patterns for one name may be narrower together than each of them: the only case here in which it cannot be told. */
const isDeclared = ({ certainty, claim }: Weakened): boolean =>
  certainty === 'weaker' || claim.facet.startsWith('/namingConvention');

it('it gets weaker exactly where somebody who tries everything finds it weaker', () => {
  fc.assert(
    fc.property(pairs, (pair) => {
      const { told, weaker } = judgePair(pair);
      const certain = told.filter(({ certainty }) => certainty === 'weaker');
      expect(told.filter((one) => !isDeclared(one))).toEqual([]);
      if (weaker.length === 0) expect(certain).toEqual([]);
      else expect(told).not.toEqual([]);
    }),
    { numRuns: orAll(150, 20_000) },
  );
});

it('what was judged for other clients makes no difference', () => {
  const share = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
  const client = fc.record({
    has: share,
    gets: share,
    principal: fc.constantFrom(alice, { ...alice, username: 'b' }),
  });
  fc.assert(
    fc.property(pairs, fc.array(client, { minLength: 2, maxLength: 4 }), (pair, clients) => {
      const [before, after] = [chainOf(pair.before), chainOf(pair.after)];
      const shared = makeJudge();
      for (const { has, gets, principal } of clients) {
        const own = [before.filter((_, at) => has[at]), after.filter((_, at) => gets[at])] as const;
        expect(shared(...own, principal)).toEqual(makeJudge()(...own, principal));
      }
    }),
    { numRuns: orAll(150, 5000) },
  );
});

it('the fields, requests and known topics that it names are those', () => {
  const single = fc.constantFrom('mask', 'audit').chain((is) => {
    const one = (configs[is] ?? fc.constant({})).map((made): Given => ({ is, config: made }));
    return fc.record({
      before: fc.array(one, { minLength: 1, maxLength: 2 }),
      after: fc.array(one, { minLength: 1, maxLength: 2 }),
    });
  });
  fc.assert(
    fc.property(single, (pair) => {
      const { told, weaker } = judgePair(pair);
      const names = new Set(told.map(({ claim }) => claim.name));
      const found = new Set(weaker.map(([what]) => what.split(' ')[1]));
      expect(names).toEqual(found);
      for (const name of found) {
        const own = told.filter(({ claim }) => claim.name === name);
        const named = own.flatMap((one) => one.topics ?? []);
        const topics = new Set(named.filter((topic) => !RULES.includes(topic)));
        for (const rule of named.filter((one) => RULES.includes(one))) {
          const isOfRule = new RegExp(`^(?:${rule})$`);
          expect(weaker.some(([what, topic]) => what.split(' ')[1] === name && isOfRule.test(topic))).toBe(
            true,
          );
        }
        const expected = weaker.filter(
          ([what, topic]) => what.split(' ')[1] === name && KNOWN.includes(topic),
        );
        // All of all topics needs no names.
        if (own.every((one) => one.topics?.length !== 0) && topics.size > 0)
          expect(topics).toEqual(new Set(expected.map(([, topic]) => topic)));
        else for (const topic of topics) expect(expected.map(([, one]) => one)).toContain(topic);
      }
    }),
    { numRuns: orAll(150, 10_000) },
  );
});
