import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import { asValid, type Resource } from '../../src/model/resource.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import {
  applyChange,
  clientsOf,
  printClient,
  protectionOf,
  reachableStates,
  toClient,
  type Client,
  type State,
} from '../support/exposure-oracle.ts';
import fc from '../support/fast-check.ts';
import { resource } from '../support/kinds.ts';
import { group, mask, planned, PROD, WORLD } from '../support/masks.ts';
import { liveStateOf } from '../support/plans.ts';
import { orAll } from '../support/soak.ts';

const IN_GROUP = { ...PROD, group: 'g' };
const audit = (name: string, topic: string, scope: JsonObject = PROD): Resource =>
  resource(
    'Interceptor',
    { name, scope },
    { pluginClass: 'io.conduktor.gateway.interceptor.AuditPlugin', priority: 1, config: { topic } },
  );

describe('what one interceptor protects and another one takes over', () => {
  it('is taken over before it is given up: by one that is new', () => {
    const { order, told } = planned(
      [mask('a', 'x|y', ['card'])],
      [mask('a', 'x', ['card']), mask('b', 'y', ['card'])],
    );
    expect(order).toEqual(['create Interceptor/b@vCluster=prod', 'update Interceptor/a@vCluster=prod']);
    expect(told).toEqual([]);
  });

  it('by one that is there', () => {
    const { order, told } = planned(
      [mask('a', '.*', ['card', 'iban']), mask('b', '.*', ['name'])],
      [mask('a', '.*', ['card']), mask('b', '.*', ['name', 'iban'])],
    );
    expect(order).toEqual(['update Interceptor/b@vCluster=prod', 'update Interceptor/a@vCluster=prod']);
    expect(told).toEqual([]);
  });

  it('by one that clients only get with a group, which they join last', () => {
    const wide = mask('m', '.*', ['card']);
    const { order, told } = planned(
      [wide, mask('m', 'none', ['card'], IN_GROUP), group()],
      [wide, mask('m', '.*', ['card'], IN_GROUP), group('bob')],
    );
    expect(order).toEqual(['update Interceptor/m@vCluster=prod,group=g', 'update GatewayGroup/g']);
    expect(told).toEqual([]);
  });

  it('by one that protects less', () => {
    const first4 = (one: Resource): Resource => {
      const config = one.spec['config'] as JsonObject;
      const policies = [{ name: 'p', rule: { type: 'MASK_FIRST_N', numberOfChars: 4 }, fields: ['card'] }];
      return asValid({ ...one, spec: { ...one.spec, config: { ...config, policies } } });
    };
    const lasting =
      'clients of prod (all other clients, bob and eve) have weaker masking: card is masked less (topic)';
    const { order, told } = planned(
      [mask('a', '.*', ['card'])],
      [mask('a', 'x', ['card']), first4(mask('b', '.*', ['card']))],
    );
    expect(order).toEqual(['create Interceptor/b@vCluster=prod', 'update Interceptor/a@vCluster=prod']);
    expect(told).toEqual([lasting]);
    const swapped = planned(
      [mask('a', '.*', ['card']), mask('b', '.*', ['iban'])],
      [mask('a', '.*', ['iban']), first4(mask('b', '.*', ['card']))],
    );
    expect(swapped.told).toMatchInlineSnapshot(`
      [
        "clients of prod (all other clients, bob and eve) have weaker masking: card is masked less (fields)",
        "clients of prod (all other clients, bob and eve) have weaker masking for a while: card is shown in clear, between the update of Interceptor/a@vCluster=prod and the update of Interceptor/b@vCluster=prod",
      ]
    `);
  });

  it('is told where there is too much to look', () => {
    // None of the patterns tells how its topics begin, so each is compared with each.
    const masks = (count: number, comment: string) =>
      Array.from({ length: count }, (_, at) => mask(`m${at}`, `.*-t${at}`, ['card'])).map((one) =>
        asValid({ ...one, spec: { ...one.spec, comment } }),
      );
    const told = (count: number): readonly string[] =>
      planned(masks(count, 'a'), masks(count, 'b')).problems.flatMap(({ code, message }) =>
        code === 'unjudged-order' ? [message] : [],
      );
    expect(told(2)).toEqual([]);
    expect(told(160)).toEqual([
      'the plan changes too much at once to tell whether parts of protections are missing between two changes, for 3 clients',
    ]);
  });

  it.each<[string, (at: number) => string]>([
    ['of other topics', (at) => `t${at}`],
    ['of two topics each', (at) => `a${at}|b${at}`],
  ])('is found among many masks %s', (_, topicsOf) => {
    const swap = (one: string, other: string): readonly Resource[] => [
      ...Array.from({ length: 300 }, (_each, at) => mask(`m${at}`, topicsOf(at), [one])),
      mask('c', topicsOf(7), [one]),
      mask('d', topicsOf(7), [other]),
    ];
    const { problems } = planned(swap('card', 'iban'), swap('iban', 'card'));
    const codes = new Set(problems.map(({ code }) => code));
    expect([...codes].sort()).toEqual(['priority-tie', 'weakened-protection']);
  });

  it('by audits that do not list requests', () => {
    const BOB = { ...PROD, username: 'bob' };
    const toldOfBob = (...others: readonly Resource[]) =>
      planned(
        [audit('b', '.*'), mask('a', '.*', ['card'], BOB), audit('c', 'x'), ...others],
        [mask('b', '.*', ['card']), audit('a', '.*', BOB), audit('c', 'x'), ...others],
      ).told.filter((message) => message.startsWith('bob '));
    expect(toldOfBob()).toEqual([
      'bob in prod has weaker audit for a while: requests are no longer audited, between the update of Interceptor/b@vCluster=prod and the update of Interceptor/a@vCluster=prod,username=bob',
    ]);
    expect(toldOfBob(audit('all', '.*'))).toEqual([]);
  });

  it('or is kept all the time by one that no change is about', () => {
    const swap = (one: string, other: string) => [
      mask('c', 'x', [one], IN_GROUP),
      mask('d', 'x', [other], IN_GROUP),
      mask('c', 'y', ['name'], { ...PROD, username: 'zoe' }),
      group('bob'),
    ];
    const [before, after] = [swap('card', 'iban'), swap('iban', 'card')];
    const always = mask('a', '.*', ['card', 'iban']);
    expect(planned(before, after).told).not.toEqual([]);
    expect(planned([...before, always], [...after, always]).told).toEqual([]);
  });

  it('is taken over first also by one with a secret, which says nothing of what it protects', () => {
    const encrypt = (name: string, ...fields: readonly string[]): Resource =>
      resource(
        'Interceptor',
        { name, scope: PROD },
        {
          pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin',
          priority: 1,
          config: {
            topic: '.*',
            kmsConfig: { vault: { uri: 'https://vault', type: 'TOKEN', token: `of ${name}` } },
            recordValue: {
              fields: fields.map((fieldName) => ({ fieldName, keySecretId: 'vault-kms://key' })),
            },
          },
        },
      );
    const { order, told } = planned(
      [encrypt('a', 'card', 'iban'), encrypt('b', 'name')],
      [encrypt('a', 'card'), encrypt('b', 'name', 'iban')],
    );
    expect(order).toEqual(['update Interceptor/b@vCluster=prod', 'update Interceptor/a@vCluster=prod']);
    expect(told).toEqual([]);
    const swapped = planned(
      [encrypt('a', 'card'), encrypt('b', 'iban')],
      [encrypt('a', 'iban'), encrypt('b', 'card')],
    );
    expect(swapped.told).toEqual([expect.stringContaining('for a while')]);
  });

  it('is not told of a topic that is hidden', () => {
    const { told } = planned(
      [mask('a', '.*', ['card']), mask('b', '$TOPIC', ['iban'])],
      [mask('a', '.*', ['iban']), mask('b', '$TOPIC', ['card'])],
      { TOPIC: 'x' },
    );
    expect(told.filter((one) => one.includes('for a while'))).toEqual([]);
  });

  it('has an order that tells nothing of a hidden value', () => {
    const orderWith = (TOPIC: string): readonly string[] =>
      planned(
        [mask('a', 'x', ['card']), mask('b', 'z', ['card'])],
        [mask('a', 'none', ['card']), mask('b', '$TOPIC', ['card'])],
        { TOPIC },
      ).order;
    expect(orderWith('x|z')).toEqual(orderWith('y|z'));
  });
});

const FIELDS = ['f', 'g'];
/** What an audit does instead. */
const AUDITED = ['requests'];
const TOPICS = ['a', 'b', 'c'];
const someMask = fc.record({
  name: fc.constantFrom('m', 'n', 'o'),
  scope: fc.constantFrom(PROD, PROD, IN_GROUP, { ...PROD, username: 'bob' }),
  topic: fc.constantFrom('a', 'b', 'a|b', '.*'),
  fields: fc.oneof({ weight: 3, arbitrary: fc.subarray(FIELDS, { minLength: 1 }) }, fc.constant(AUDITED)),
});
const someState = fc
  .record({
    masks: fc.uniqueArray(someMask, {
      maxLength: 4,
      selector: ({ name, scope }) => JSON.stringify([name, scope]),
    }),
    members: fc.subarray(['bob', 'eve']),
  })
  .map(({ masks, members }) => [
    group(...members),
    ...masks.map(({ name, topic, fields, scope }) =>
      fields === AUDITED ? audit(name, topic, scope) : mask(name, topic, fields, scope),
    ),
  ]);

/** The fields of topics that are masked for a client, by trying each. */
function maskedFor(client: Client, state: State): ReadonlySet<string> {
  const { chain } = protectionOf(client, state);
  const configs = chain.map((address) => JSON.stringify(state.get(address as never)?.spec['config'] ?? {}));
  return new Set(
    configs.flatMap((text) => {
      const { topic, policies = [{ fields: AUDITED }] } = JSON.parse(text) as {
        topic: string;
        policies?: { fields: string[] }[];
      };
      const names = TOPICS.filter((name) => new RegExp(`^(?:${topic})$`).test(name));
      return policies.flatMap(({ fields }) =>
        fields.flatMap((field) => names.map((name) => `${field} ${name}`)),
      );
    }),
  );
}

const passing = ({ weakenings = [] }: Plan) => weakenings.filter(({ until }) => until !== undefined);

it('whoever tries every moment of a run finds the fields that clients lack for a while, and no others', () => {
  let found = 0;
  fc.assert(
    fc.property(someState, someState, (live, wanted) => {
      const { plan } = planned(live, wanted);
      const before: State = liveStateOf([...WORLD, ...live]).resources;
      const after = plan.changes.reduce(applyChange, before);
      const states = reachableStates(plan, before);
      for (const client of clientsOf(before, after)) {
        const own = printClient(client, '');
        const isOwn = (one: Parameters<typeof toClient>[0]): boolean =>
          printClient(toClient(one), '') === own;
        const is = maskedFor(client, after);
        const kept = [...maskedFor(client, before)].filter((one) => is.has(one));
        const lacking = new Set(
          states.flatMap((state) => {
            const now = maskedFor(client, state);
            return kept.filter((one) => !now.has(one)).map((one) => one.split(' ')[0]);
          }),
        );
        const told = new Set(
          passing(plan)
            .filter(isOwn)
            .flatMap(({ parts }) => parts.flatMap(({ names }) => (names.length === 0 ? AUDITED : names))),
        );
        found += told.size;
        const isWhole = plan.exposures?.some((one) => !one.lasting && isOwn(one)) === true;
        for (const field of told) expect(lacking).toContain(field);
        if (!isWhole) expect(told).toEqual(lacking);
      }
    }),
    { numRuns: orAll(60, 3_000) },
  );
  expect(found).toBeGreaterThan(0);
});
