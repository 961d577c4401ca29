import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { Rules } from '../../src/model/rules.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { stateOf } from '../support/expect-problems.ts';
import { resource } from '../support/kinds.ts';
import { fileOf, liveStateOf } from '../support/plans.ts';
import { SOMEWHERE } from '../support/rules.ts';
import fc from '../support/fast-check.ts';

const PREFIX = 'io.conduktor.gateway.interceptor.';

function interceptor(name: string, simple: string, config: JsonObject, scope: JsonObject = {}): Resource {
  const pluginClass = simple.includes('.acme.') ? simple : PREFIX + simple;
  const metadata = { name, scope: { vCluster: 'prod', ...scope } };
  return resource('Interceptor', metadata, { pluginClass, priority: 1, config });
}
const mask = (name: string, topic: string, fields: readonly string[], scope: JsonObject = {}): Resource =>
  interceptor(
    name,
    'FieldLevelDataMaskingPlugin',
    { topic, policies: [{ name: 'p', rule: {}, fields }] },
    scope,
  );
const WORLD = [
  resource('VirtualCluster', { name: 'prod' }, {}),
  ...['customers-eu', 'customers-us', 'orders'].map((name) =>
    resource('AliasTopic', { name, vCluster: 'prod' }, { physicalName: `p-${name}` }),
  ),
  resource('GatewayServiceAccount', { name: 'bob', vCluster: 'prod' }, { type: 'LOCAL' }),
];
const group = (...members: readonly string[]): Resource =>
  resource('GatewayGroup', { name: 'g' }, { members: members.map((name) => ({ name, vCluster: 'prod' })) });

type Options = {
  readonly rules?: Rules;
  readonly acceptExposure?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly topics?: readonly string[];
};

function planned(
  live: readonly Resource[],
  after: readonly Resource[],
  { variables = {}, ...options }: Options = {},
) {
  const text = fileOf(...WORLD, ...after).replaceAll(/"?\$(\w+)"?/g, '${$1}');
  const { value, problems } = makePlan(
    stateOf(text, { variables }),
    liveStateOf([...WORLD, ...live]),
    catalog.kinds,
    {
      gateway: 'memory:',
      prune: ['*'],
      ...options,
    },
  );
  const told = problems
    .filter(({ code }) => code === 'weakened-protection' || code === 'unjudged-protection')
    .map(({ message }) => message);
  return { plan: value, told };
}

const whoIn = ({ weakenings = [] }: Plan): readonly string[] =>
  weakenings.map(({ username }) => username ?? '*');

describe('a plan tells what protection gets weaker', () => {
  it('for all whom it concerns, once', () => {
    const { plan, told } = planned(
      [mask('m', 'customers-.*', ['card', 'name'])],
      [mask('m', 'nothing-.*', ['card', 'name'])],
    );
    expect(told).toEqual([
      '2 principals of prod (anybody else and bob) have weaker masking: card and name of customers-eu and customers-us are shown in clear (topic)',
    ]);
    expect(whoIn(plan)).toEqual(['bob', '*']);
  });

  it('with the topics that only a list of topics knows', () => {
    const pair = [[mask('m', 'payments-.*', ['card'])], [mask('m', 'other', ['card'])]] as const;
    const { told } = planned(...pair, { topics: ['payments-eu', 'orders', 'other'] });
    expect(told).toEqual([
      '2 principals of prod (anybody else and bob) have weaker masking: card of payments-eu is shown in clear (topic)',
    ]);
    expect(planned(...pair).told[0]).not.toContain('payments-eu');
  });

  it('of two masks the one that goes', () => {
    const other = mask('other', '.*', ['name']);
    expect(planned([mask('m', 'orders', ['card']), other], [other]).told).toEqual([
      '2 principals of prod (anybody else and bob) have weaker masking: card of orders is shown in clear',
    ]);
  });

  it('and nothing where another interceptor makes it good, or the name is another one', () => {
    const wide = mask('m', '.*', ['card']);
    const halves = [mask('m', 'customers-.*', ['card']), mask('n', '[^c].*|c([^u].*)?|cu.*', ['card'])];
    expect(planned([wide], halves).told).toEqual([]);
    expect(planned([wide], [mask('renamed', '.*', ['card'])]).told).toEqual([]);
  });

  it('with the membership that does it', () => {
    const both = [mask('m', '.*', ['card']), mask('strong', '.*', ['iban'], { group: 'g' })];
    const { plan, told } = planned([...both, group('bob')], [...both, group()]);
    expect(told).toEqual(['bob in prod has weaker masking: iban is shown in clear, with GatewayGroup/g']);
    expect(plan.weakenings?.[0]?.from).toEqual(['GatewayGroup/g']);
  });

  it('with the interceptor that takes the place of another one', () => {
    const wide = mask('m', '.*', ['card']);
    const narrow = mask('m', '.*', ['name'], { username: 'bob' });
    expect(planned([wide], [wide, narrow]).told).toEqual([
      'bob in prod has weaker masking: card is shown in clear, with Interceptor/m@vCluster=prod,username=bob',
    ]);
  });

  it('of a custom class that the project calls protective that it cannot tell', () => {
    const own = (config: JsonObject): Resource => interceptor('own', 'com.acme.Own', config);
    const rules = { protection: { masking: ['com.acme.*'] } };
    expect(planned([own({ a: 1 })], [own({ a: 2 })]).told).toEqual([]);
    expect(planned([own({ a: 1 })], [own({ a: 2 })], { rules }).told).toEqual([
      'cannot tell whether 2 principals of prod (anybody else and bob) have as much masking: what Own does (config)',
    ]);
  });

  it('but not what is accepted', () => {
    const pair = [[mask('m', '.*', ['card', 'a'])], [mask('m', '.*', ['a'])]] as const;
    expect(planned(...pair, { acceptExposure: ['Interceptor/m@*'] }).told).toEqual([]);
    const rule = { address: 'Interceptor/m@*', reason: 'public', until: '2999-12-31', place: SOMEWHERE };
    const { plan, told } = planned(...pair, { rules: { exposures: [rule] } });
    expect(told).toEqual([]);
    expect(plan.weakenings?.map(({ accepted }) => accepted?.reason)).toEqual(['public', 'public']);
  });

  it('and nothing of what is lost as a whole, which is told as a loss', () => {
    const { plan, told } = planned([mask('m', '.*', ['card'])], []);
    expect(told).toEqual([]);
    expect(plan.exposures).toHaveLength(2);
  });
});

describe('a plan tells who is no longer under the ACLs of a virtual cluster', () => {
  const cluster = (spec: JsonObject): Resource => resource('VirtualCluster', { name: 'acl' }, spec);
  const users = ['ann', 'ben', 'cat'].map((name) =>
    resource('GatewayServiceAccount', { name, vCluster: 'acl' }, { type: 'LOCAL' }),
  );
  const told = (before: JsonObject, after: JsonObject, options?: Options) =>
    planned([cluster(before), ...users], [cluster(after), ...users], options);

  it('everybody where they are switched off, and each new super user', () => {
    const off = told({ aclEnabled: true }, { aclEnabled: false });
    expect(off.told).toEqual([
      '4 principals of acl (anybody else, ann, ben and cat) have weaker access control: the ACLs are no longer enforced (aclEnabled)',
    ]);
    expect(off.plan.weakenings?.[0]).toMatchObject({
      by: 'VirtualCluster/acl',
      fields: ['/spec/aclEnabled'],
    });
    expect(
      told({ aclEnabled: true, superUsers: ['ann'] }, { aclEnabled: true, superUsers: ['ben', 'ann', 'cat'] })
        .told,
    ).toEqual([
      '2 principals of acl (ben and cat) have weaker access control: the ACLs are no longer enforced (superUsers)',
    ]);
  });

  it('as somebody who asks for each user would', () => {
    const spec = fc.record({
      aclEnabled: fc.boolean(),
      superUsers: fc.uniqueArray(fc.constantFrom('ann', 'ben', 'cat'), { minLength: 1 }),
    });
    const isFree = (
      { aclEnabled, superUsers }: { aclEnabled: boolean; superUsers: string[] },
      user: string,
    ) => !aclEnabled || superUsers.includes(user);
    fc.assert(
      fc.property(spec, spec, (before, after) => {
        const freed = ['ann', 'ben', 'cat', '*'].filter(
          (user) => !isFree(before, user) && isFree(after, user),
        );
        expect(whoIn(told(before, after).plan)).toEqual(freed);
      }),
      { numRuns: 50 },
    );
  });

  it('unless it is accepted, and without the name of one that a secret variable fills', () => {
    const acceptExposure = ['VirtualCluster/*'];
    expect(told({ aclEnabled: true }, { aclEnabled: false }, { acceptExposure }).told).toEqual([]);
    const hidden = told(
      { aclEnabled: true },
      { aclEnabled: true, superUsers: ['$WHO'] },
      { variables: { WHO: 'ann' } },
    );
    expect(hidden.told).toEqual([
      '"(hidden)" in acl has weaker access control: the ACLs are no longer enforced (superUsers)',
    ]);
  });
});

it('a list of topics takes no warning away, so a plan made with it is not stale without it', () => {
  const patterns = ['.*', 'pay.*', 'payments-.*', 'payments-eu', 'pay.*|orders', '(?=p).*', 'other'];
  const masks = fc.uniqueArray(
    fc.record({ name: fc.constantFrom('m', 'n'), topic: fc.constantFrom(...patterns) }),
    { selector: ({ name }) => name, minLength: 1 },
  );
  const made = (some: readonly { readonly name: string; readonly topic: string }[]): readonly Resource[] =>
    some.map(({ name, topic }) => mask(name, topic, ['card']));
  const topics = fc.subarray(['payments-eu', 'payments', 'pays', 'orders', 'other', 'p-eu']);
  const weaker = ({ weakenings = [] }: Plan): readonly string[] =>
    weakenings.flatMap(({ certainty, username, by }) =>
      certainty === 'weaker' ? [`${username ?? '*'} ${by}`] : [],
    );
  fc.assert(
    fc.property(masks, masks, topics, (before, after, known) => {
      const [live, wanted] = [made(before), made(after)];
      const withList = weaker(planned(live, wanted, { topics: known }).plan);
      expect(withList).toEqual(expect.arrayContaining([...weaker(planned(live, wanted).plan)]));
    }),
    { numRuns: 60 },
  );
});

it('in words that a reader of the config knows', () => {
  const guard = (simple: string, config: JsonObject): readonly Resource[] => [
    interceptor('guard', simple, config),
  ];
  const told = (simple: string, before: JsonObject, after: JsonObject): string =>
    (planned(guard(simple, before), guard(simple, after)).told[0] ?? '').replace(/^.*? have weaker /, '');
  expect(
    told(
      'safeguard.ProducePolicyPlugin',
      { topic: 'orders', acks: { value: [-1] }, version: { min: 3 }, idempotenceRequired: { value: true } },
      { topic: 'orders', acks: { value: [-1, 0] }, version: { min: 1 } },
    ),
  ).toBe(
    'safeguards: the rules acks and version on orders are enforced less; the rule idempotenceRequired on orders is no longer enforced (value, min)',
  );
  expect(told('AuditPlugin', { apiKeys: ['FETCH'] }, { apiKeys: ['FETCH'], topic: 'orders' })).toBe(
    'audit: FETCH requests on customers-eu and customers-us are no longer audited (topic)',
  );
  expect(
    told(
      'safeguard.AlterTopicConfigPolicyPlugin',
      { topic: '.*', blacklist: { values: ['flush.ms', 'retention.ms'] } },
      { topic: '.*', blacklist: { values: ['flush.ms'] } },
    ),
  ).toBe('safeguards: the config retention.ms is no longer forbidden (values)');
  expect(
    told(
      'safeguard.MessageHeaderRemovalPlugin',
      { topic: 'a', headerKeyRegex: 'x.*' },
      { topic: 'a', headerKeyRegex: 'x' },
    ),
  ).toBe('safeguards: what MessageHeaderRemovalPlugin does on a is enforced less (headerKeyRegex)');
});

describe('no secret is told', () => {
  const variables = { FIELD: 's3cret.field', PATTERN: 'customers-us' };

  it('in the name of what is protected', () => {
    const live = mask('m', '.*', ['s3cret.field', 'card']);
    const { plan, told } = planned([live], [mask('m', 'orders', ['$FIELD', 'card'])], { variables });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('masking: (hidden) of customers-eu and customers-us is shown in clear');
    expect(JSON.stringify(plan.weakenings)).not.toContain('s3cret');
  });

  it('by the topics that a hidden pattern matches', () => {
    const { plan, told } = planned([mask('m', 'customers-.*', ['card'])], [mask('m', '$PATTERN', ['card'])], {
      variables,
    });
    expect(told).toHaveLength(1);
    expect(JSON.stringify([told, plan.weakenings])).not.toContain('customers-');
  });
});
