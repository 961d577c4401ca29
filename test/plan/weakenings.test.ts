import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { Rules } from '../../src/model/rules.ts';
import { idOf } from '../../src/plan/change/change.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { stateOf } from '../support/expect-problems.ts';
import { resource } from '../support/kinds.ts';
import { fileOf, liveStateOf } from '../support/plans.ts';
import { SOMEWHERE } from '../support/rules.ts';
import fc from '../support/fast-check.ts';
import { orAll } from '../support/soak.ts';

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
      'clients of prod (all other clients and bob) have weaker masking: card and name of customers-eu and customers-us, and others that match customers-.* are shown in clear (topic)',
    ]);
    expect(whoIn(plan)).toEqual(['bob', '*']);
  });

  it('with the topics that only a list of topics knows', () => {
    const pair = [[mask('m', 'payments-.*', ['card'])], [mask('m', 'other', ['card'])]] as const;
    const { told } = planned(...pair, { topics: ['payments-eu', 'orders', 'other'] });
    expect(told).toEqual([
      'clients of prod (all other clients and bob) have weaker masking: card of payments-eu and others that match payments-.* is shown in clear (topic)',
    ]);
    expect(planned(...pair).told[0]).not.toContain('payments-eu');
  });

  it('of two masks the one that goes', () => {
    const other = mask('other', '.*', ['name']);
    expect(planned([mask('m', 'orders', ['card']), other], [other]).told).toEqual([
      'clients of prod (all other clients and bob) have weaker masking: card of orders is shown in clear',
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

  it('with what may be the difference where no topic is known that the other one leaves out', () => {
    const wide = mask('m', 'payments-.*', ['card']);
    const narrow = mask('m', 'payments-eu', ['card'], { username: 'bob' });
    expect(planned([wide], [wide, narrow]).told).toEqual([
      'bob in prod has weaker masking: card of topics that match payments-.* is masked less, or for fewer topics, with Interceptor/m@vCluster=prod,username=bob',
    ]);
  });

  it('of a custom class that the project calls protective that it cannot tell', () => {
    const own = (config: JsonObject): Resource => interceptor('own', 'com.acme.Own', config);
    const rules = { protection: { masking: ['com.acme.*'] } };
    expect(planned([own({ a: 1 })], [own({ a: 2 })]).told).toEqual([]);
    expect(planned([own({ a: 1 })], [own({ a: 2 })], { rules }).told).toEqual([
      'cannot tell whether clients of prod (all other clients and bob) have as strong masking: what Own does (config)',
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

describe('an audit that its config limits counts for those whom it audits, and for nobody else', () => {
  const audit = (config: JsonObject, scope: JsonObject = {}, name = 'a'): Resource =>
    interceptor(name, 'AuditPlugin', config, scope);
  const lost = (before: readonly Resource[], after: readonly Resource[]) =>
    planned(before, after).plan.exposures?.map(({ username, lasting }) => [username ?? '*', lasting]) ?? [];

  it.each<[string, readonly Resource[], readonly Resource[], readonly string[]]>([
    ['one of another virtual cluster goes', [audit({ vcluster: 'test' })], [], []],
    ['one of a user goes', [audit({ username: 'bob' })], [], ['bob']],
    ['one of users of whom no object tells goes', [audit({ username: 'svc-.*' })], [], ['*']],
    ['its scope limits it instead', [audit({ username: 'bob' })], [audit({}, { username: 'bob' })], []],
    ['it becomes one of another user', [audit({ username: 'bob' })], [audit({ username: 'eve' })], ['bob']],
    ['it is for one user in place of all', [audit({})], [audit({ username: 'bob' })], ['*']],
    [
      'one for all goes, and one of another user stays',
      [audit({}), audit({ username: 'eve' }, {}, 'b')],
      [audit({ username: 'eve' }, {}, 'b')],
      ['bob'],
    ],
  ])('%s', (_, before, after, who) => {
    expect(lost(before, after)).toEqual(who.map((one) => [one, true]));
  });

  it('also with a type that the project gives it', () => {
    const rules = { protection: { pci: ['AuditPlugin'] } };
    const { plan } = planned([audit({ username: 'bob' })], [], { rules });
    expect(plan.exposures?.map(({ username, protection }) => `${username ?? '*'} ${protection}`)).toEqual([
      'bob audit',
      'bob pci',
    ]);
  });

  it('where it is not certain whom it leaves out, what they lose is told as weaker', () => {
    expect(planned([audit({})], [audit({ username: 'svc-.*' })])).toMatchObject({
      plan: { exposures: [{ username: 'bob' }] },
      told: [expect.stringContaining('all other clients in prod have weaker audit')],
    });
  });

  it('nor does a hidden value tell whom it leaves out, of one that changes and of one that does not', () => {
    const told = (who: string, before: JsonObject) => {
      const own = audit({ username: '$WHO' }, {}, 'b');
      const live = [audit({}), audit(before, {}, 'b')];
      const { plan } = planned(live, [own], { variables: { WHO: who } });
      return [plan.changes.map(idOf), plan.exposures, plan.weakenings];
    };
    expect(told('bob', {})).toEqual(told('zed', {}));
    expect(told('bob', { username: 'bob' })).toEqual(told('zed', { username: 'zed' }));
  });
});

describe('a plan tells who reads in clear what others have protected', () => {
  const enc = interceptor('enc', 'EncryptPlugin', {
    topic: 'customers-.*',
    recordValue: { fields: ['ssn', 'iban'].map((fieldName) => ({ fieldName, keySecretId: 'k' })) },
    kmsConfig: { vault: { uri: 'http://v', token: 't', version: 1 } },
  });
  const dec = (config: JsonObject, scope: JsonObject = {}): Resource =>
    interceptor(
      'dec',
      'DecryptPlugin',
      { kmsConfig: { vault: { uri: 'http://v', token: 't', version: 1 } }, ...config },
      scope,
    );

  it('by an interceptor that decrypts, for more clients, topics or fields than before', () => {
    const bob = { username: 'bob' };
    expect(planned([enc], [enc, dec({ topic: 'customers-eu' }, bob)]).told).toEqual([
      'bob in prod has weaker encryption: iban and ssn of customers-eu are decrypted, with Interceptor/dec@vCluster=prod,username=bob',
    ]);
    const some = dec({ topic: 'customers-eu', recordValueFields: ['ssn'] });
    expect(
      planned([enc, some], [enc, dec({ topic: 'customers-.*', recordValueFields: ['ssn'] })]).told,
    ).toEqual([
      'clients of prod (all other clients and bob) have weaker encryption: ssn of customers-us and others that match customers-.* is decrypted, with Interceptor/dec@vCluster=prod',
    ]);
    expect(planned([enc, some], [enc, dec({ topic: 'customers-eu' })]).told).toEqual([
      'clients of prod (all other clients and bob) have weaker encryption: iban of customers-eu is decrypted, with Interceptor/dec@vCluster=prod',
    ]);
    expect(planned([enc, dec({ topic: 'customers-.*' })], [enc, some]).told).toEqual([]);
    expect(planned([enc], [enc, dec({ topic: 'orders' })]).told).toEqual([]);
    // Known topics are examples, unless the patterns are for no others.
    const all = interceptor('enc', 'EncryptPlugin', { ...(enc.spec['config'] as JsonObject), topic: '.*' });
    const decrypted = (topic: string): string =>
      planned([all], [all, dec({ topic, recordValueFields: ['ssn'] })]).told[0] ?? '';
    expect(decrypted('.*')).toContain(
      ': ssn of customers-eu, customers-us and orders, and others is decrypted',
    );
    expect(decrypted('orders|customers-eu')).toContain(': ssn of customers-eu and orders is decrypted');
    const both = dec({ topic: 'orders|customers-eu' });
    expect(planned([enc, dec({ topic: 'customers-eu' })], [enc, both]).told).toEqual([]);
    expect(planned([], [enc, dec({ topic: '.*' })]).told).toEqual([]);
  });

  it('by a mask that runs before decryption, and ran after it', () => {
    const at = (priority: number, one: Resource): Resource => ({ ...one, spec: { ...one.spec, priority } });
    const m = at(5, mask('m', 'customers-.*', ['ssn']));
    const told = [
      'cannot tell whether clients of prod (all other clients and bob) have as strong masking: ssn of customers-eu and customers-us, and others that match customers-.*, with Interceptor/dec@vCluster=prod',
    ];
    const [early, same, late] = [1, 5, 9].map((priority) => at(priority, dec({ topic: '.*' }))) as [
      Resource,
      Resource,
      Resource,
    ];
    expect(planned([m, early], [m, late]).told).toEqual(told);
    expect(planned([m, early], [m, same]).told).toEqual(told);
    expect(planned([m, late], [m, early]).told).toEqual([]);
    expect(planned([early], [m, late]).told).toEqual([]);
    const of = (config: JsonObject): Resource => at(9, dec(config));
    expect(planned([m, early], [m, of({ topic: 'orders' })]).told).toEqual([]);
    expect(planned([m, early], [m, of({ topic: '.*', recordValueFields: ['iban'] })]).told).toEqual([]);
  });

  it('by a mask that runs before decryption of what is encrypted from then on', () => {
    const at = (priority: number, one: Resource): Resource => ({ ...one, spec: { ...one.spec, priority } });
    const [m, late] = [at(5, mask('m', 'customers-.*', ['ssn'])), at(9, dec({ topic: '.*' }))];
    const encrypted = (value: JsonObject): Resource =>
      interceptor('enc', 'EncryptPlugin', { topic: 'customers-.*', recordValue: value });
    const field = (fieldName: string): JsonObject => ({
      fields: [{ fieldName, keySecretId: 'in-memory-kms://k' }],
    });
    const told = [
      'cannot tell whether clients of prod (all other clients and bob) have as strong masking: ssn of customers-eu and customers-us, and others that match customers-.*, with Interceptor/enc@vCluster=prod',
    ];
    const all = encrypted({ payload: { keySecretId: 'in-memory-kms://k' } });
    expect(planned([m, late], [m, late, encrypted(field('ssn'))]).told).toEqual(told);
    expect(planned([m, late], [m, late, all]).told).toEqual(told);
    expect(planned([m, late], [m, late, encrypted(field('iban'))]).told).toEqual([]);
    expect(planned([at(10, m), late], [at(10, m), late, all]).told).toEqual([]);
    expect(planned([m, late, encrypted(field('ssn'))], [m, late, all]).told).toEqual([]);
    expect(planned([], [m, late, all]).told).toEqual([]);
  });

  it('by a virtual topic that shows a masked one, for whom it runs', () => {
    const m = mask('m', 'customers-.*', ['ssn']);
    const sql = (statement: string, virtualTopic = 'view', scope: JsonObject = {}): Resource =>
      interceptor('sql', 'VirtualSqlTopicPlugin', { virtualTopic, statement }, scope);
    const of = (who: string, topic: string, scope = ''): string =>
      `cannot tell whether ${who} as strong masking: ssn of ${topic}, with Interceptor/sql@vCluster=prod${scope}`;
    const all = 'clients of prod (all other clients and bob) have';
    expect(planned([m], [m, sql('SELECT ssn AS s FROM "customers-eu"')]).told).toEqual([of(all, 'view')]);
    expect(planned([m], [m, sql('select * from customers-eu', 'view', { username: 'bob' })]).told).toEqual([
      of('bob in prod has', 'view', ',username=bob'),
    ]);
    const orders = sql('SELECT a FROM orders');
    expect(planned([m], [m, orders]).told).toEqual([]);
    expect(planned([m], [m, sql('SELECT ssn FROM customers-eu', 'customers-view')]).told).toEqual([]);
    for (const several of [
      'FROM orders JOIN customers-us',
      'FROM orders AS o, `customers-us` WHERE a IN (1, 2)',
      'FROM orders-- all of them, and\n, /* FROM x */ (customers-us)',
    ])
      expect(planned([m, orders], [m, sql(`SELECT a ${several}`)]).told).toEqual([of(all, 'view')]);
    expect(planned([m], [m, sql('SELECT a FROM orders WHERE a IN (b, customers-us)')]).told).toEqual([]);
    const cel = interceptor('sql', 'CelTopicPlugin', {
      virtualTopic: 'v',
      topic: 'customers-us',
      expression: 'true',
    });
    expect(planned([m], [m, cel]).told).toEqual([of(all, 'v')]);
  });

  const sql = (from: string, scope: JsonObject = {}, virtualTopic = 'view'): Resource =>
    interceptor('sql', 'VirtualSqlTopicPlugin', { virtualTopic, statement: `SELECT * FROM ${from}` }, scope);
  const staff = (...members: readonly string[]): Resource =>
    resource(
      'GatewayGroup',
      { name: 'staff' },
      { members: members.map((name) => ({ name, vCluster: 'prod' })) },
    );

  it('by a virtual topic of a masked one that a client gets with a group', () => {
    const [m, view] = [mask('m', 'customers-.*', ['ssn']), sql('customers-eu', { group: 'staff' })];
    expect(planned([m, view, staff()], [m, view, staff('bob')]).told).toEqual([
      'cannot tell whether bob in prod has as strong masking: ssn of view, with GatewayGroup/staff',
    ]);
    expect(planned([m, view, staff('bob')], [m, view, staff()]).told).toEqual([]);
  });

  it('by a virtual topic that is decrypted, where what it reads was not', () => {
    const cards = interceptor('enc', 'EncryptPlugin', {
      topic: 'cards',
      recordValue: { fields: [{ fieldName: 'card', keySecretId: 'in-memory-kms://k' }] },
    });
    const [view, open] = [sql('cards'), dec({ topic: 'view' })];
    const told = (who: string, by: string): readonly string[] => [
      `cannot tell whether ${who} as strong encryption: card of view, with ${by}`,
    ];
    const all = 'clients of prod (all other clients and bob) have';
    const byView = told(all, 'Interceptor/sql@vCluster=prod');
    expect(planned([cards, open], [cards, open, view]).told).toEqual(byView);
    expect(planned([cards, open, sql('orders')], [cards, open, view]).told).toEqual(byView);
    const byDecryption = told(all, 'Interceptor/dec@vCluster=prod');
    expect(planned([cards, view], [cards, view, open]).told).toEqual(byDecryption);
    expect(planned([cards], [cards, view, open]).told).toEqual(byDecryption);
    // What is virtual can be read by another virtual topic, and by an alias topic.
    const second = { ...sql('view', {}, 'view2'), metadata: { name: 'sql2', scope: { vCluster: 'prod' } } };
    expect(planned([cards, view], [cards, view, second, dec({ topic: 'view2' })]).told.join()).toContain(
      'card of view2',
    );
    const pan = resource('AliasTopic', { name: 'pan', vCluster: 'prod' }, { physicalName: 'p' });
    const twin = resource('AliasTopic', { name: 'cards', vCluster: 'prod' }, { physicalName: 'p' });
    expect(planned([cards, open, pan, twin], [cards, open, pan, twin, sql('pan')]).told).toEqual(byView);
    // For whom it runs.
    const ofStaff = sql('cards', { group: 'staff' });
    expect(planned([cards, open, ofStaff, staff()], [cards, open, ofStaff, staff('bob')]).told).toEqual(
      told('bob in prod has', 'GatewayGroup/staff'),
    );
    expect(planned([cards, ofStaff, staff()], [cards, ofStaff, staff(), open]).told).toEqual([]);
    // What is no news.
    const wide = dec({ topic: '.*' });
    expect(planned([cards, wide], [cards, wide, view]).told).toEqual([]);
    expect(planned([cards, view, open], [cards, view, dec({ topic: 'view|x' })]).told).toEqual([]);
    expect(planned([cards, open], [cards, open, sql('orders')]).told).toEqual([]);
    expect(planned([view, open], [view, open, cards]).told).toEqual([]);
  });

  it('by decryption, as somebody who tries each topic and field would', () => {
    const shape = fc.record({
      topic: fc.constantFrom('customers-eu', 'customers-.*', '.*', 'orders'),
      fields: fc.constantFrom([], ['ssn'], ['iban'], ['other']),
      isForBob: fc.boolean(),
    });
    const some = fc.array(shape, { maxLength: 2 });
    const toLinks = (all: readonly { topic: string; fields: readonly string[]; isForBob: boolean }[]) =>
      all.map(({ topic, fields, isForBob }, at) =>
        resource(
          'Interceptor',
          { name: `dec${at}`, scope: { vCluster: 'prod', ...(isForBob ? { username: 'bob' } : {}) } },
          dec({ topic, recordValueFields: fields }).spec,
        ),
      );
    const reads = (all: readonly { topic: string; fields: readonly string[] }[]) =>
      ['customers-eu', 'customers-us'].flatMap((topic) =>
        ['ssn', 'iban'].flatMap((field) =>
          all.some(
            (one) =>
              new RegExp(`^(?:${one.topic})$`).test(topic) &&
              (one.fields.length === 0 || one.fields.includes(field)),
          )
            ? [`${topic} ${field}`]
            : [],
        ),
      );
    fc.assert(
      fc.property(some, some, (before, after) => {
        const { plan } = planned([enc, ...toLinks(before)], [enc, ...toLinks(after)]);
        const bob = (plan.weakenings ?? []).filter(({ username }) => username === 'bob');
        const found = bob.flatMap(({ parts }) =>
          parts.flatMap(({ topics, names }) =>
            (topics ?? []).flatMap((topic) => names.map((field) => `${topic} ${field}`)),
          ),
        );
        const already = reads(before);
        expect([...new Set(found)].sort()).toEqual(
          reads(after)
            .filter((one) => !already.includes(one))
            .sort(),
        );
      }),
      { numRuns: orAll(25, 60) },
    );
  });

  const alias = (name: string, physicalName: string): Resource =>
    resource('AliasTopic', { name, vCluster: 'prod' }, { physicalName });

  it('by an interceptor that decrypts for other names of what is encrypted, and nobody who had it anyway', () => {
    const lab = resource('VirtualCluster', { name: 'lab' }, {});
    const inside = (name: string, vCluster: string, physicalName: string): Resource =>
      resource('AliasTopic', { name, vCluster }, { physicalName });
    const cards = (topic: string, vCluster: string | null = 'prod'): Resource =>
      interceptor('enc', 'EncryptPlugin', { ...(enc.spec['config'] as JsonObject), topic }, { vCluster });
    const of = (topic: string, vCluster = 'prod'): Resource => dec({ topic }, { vCluster });
    const e = cards('cards');
    const told = (all: readonly Resource[], ...fresh: readonly Resource[]) =>
      planned([lab, ...all], [lab, ...all, ...fresh]).told.filter(
        (one) => !one.includes('no longer encrypted'),
      );
    const read = (who: string, what: string, by: string): string =>
      `${who} weaker encryption: iban and ssn${what} are decrypted, with ${by}`;
    const [prod, labs, all] = [
      'clients of prod (all other clients and bob) have',
      'all other clients in lab have',
      'all other clients in passthrough have',
    ] as const;
    const unsure = (who: string, what: string): string =>
      `cannot tell whether ${who} as strong encryption: iban and ssn${what}, with Interceptor/dec@vCluster=passthrough`;

    const view = inside('view', 'lab', 'prodcards');
    const byLab = [read(labs, ' of view', 'Interceptor/dec@vCluster=lab')];
    expect(told([e, view], of('view', 'lab'))).toEqual(byLab);
    expect(told([e, of('view', 'lab')], view)).toEqual([
      read(labs, ' of view', 'AliasTopic/view@vCluster=lab'),
    ]);
    expect(told([cards('cards', null), view], of('view', 'lab'))).toEqual(byLab);
    expect(told([e, inside('view', 'lab', 'prodother')], of('view', 'lab'))).toEqual([]);
    expect(told([cards('other'), view], of('view', 'lab'))).toEqual([]);
    expect(told([e, view], of('other', 'lab'))).toEqual([]);
    expect(told([e, view, of('view|copy', 'lab')], inside('copy', 'lab', 'prodcards'))).toEqual([]);

    const copy = inside('copy', 'prod', 'raw');
    const both = [e, inside('cards', 'prod', 'raw'), copy];
    expect(told(both, of('copy'))).toEqual([read(prod, ' of copy', 'Interceptor/dec@vCluster=prod')]);
    expect(told([cards('copy'), ...both.slice(1)], of('copy')).join()).toContain('of copy are decrypted');

    const hiding = inside('cards', 'prod', 'raw');
    expect(told([e], hiding, inside('copy', 'prod', 'prodcards'), of('copy')).join()).toContain(
      'of copy are decrypted',
    );

    const store = { pattern: 'c-.*', physicalTopics: { delete: 'raw' } };
    const rule = resource('ConcentrationRule', { name: 'c', vCluster: 'prod' }, store);
    const stored = [cards('c-1'), copy];
    expect(told([...stored, rule], of('copy'))).toEqual([
      read(prod, ' of copy', 'Interceptor/dec@vCluster=prod'),
    ]);
    expect(told([...stored, of('copy')], rule)).toEqual([
      read(prod, ' of copy', 'ConcentrationRule/c@vCluster=prod'),
    ]);
    expect(told([cards('o-1'), copy, rule], of('copy'))).toEqual([]);

    const physically = 'Interceptor/dec@vCluster=passthrough';
    expect(told([e], of('prodcards', 'passthrough'))).toEqual([read(all, ' of prodcards', physically)]);
    expect(told([e], of('.*', 'passthrough'))).toEqual([unsure(all, ' of prodcards')]);
    expect(told([e], of('labcards', 'passthrough'))).toEqual([]);
    expect(told([e, inside('cards', 'prod', 'raw')], of('prodcards', 'passthrough'))).toEqual([]);
    expect(told([e, inside('prodcards', 'passthrough', 'raw')], of('prodcards', 'passthrough'))).toEqual([]);
    expect(told([cards('.*')], of('cards', 'lab'))).toEqual([]);
    expect(told([cards('prodcards', 'passthrough')], of('cards'))).toEqual([
      read(prod, ' of cards', 'Interceptor/dec@vCluster=prod'),
    ]);
  });

  it('by another name of a topic, at the line of that name', () => {
    const all = [mask('m', 'customers-.*', ['card']), mask('n', '.*', ['name'])];
    const { told, plan } = planned(all, [...all, alias('copy', 'p-customers-eu')]);
    expect(told).toEqual([
      'clients of prod (all other clients and bob) have weaker masking: card of copy is shown in clear, with AliasTopic/copy@vCluster=prod',
    ]);
    expect(plan.weakenings?.[0]).toMatchObject({
      by: 'Interceptor/m@vCluster=prod',
      from: ['AliasTopic/copy@vCluster=prod'],
    });
    expect(
      planned(all, [...all, alias('customers-copy', 'p-customers-eu'), alias('new', 'p-new')]).told,
    ).toEqual([]);
    expect(planned(all, [...all, mask('o', 'copy', ['card']), alias('copy', 'p-customers-eu')]).told).toEqual(
      [],
    );
    expect(planned(all, [alias('copy', 'p-customers-eu')]).told).toEqual([]); // all masking is lost, and told so
  });

  it('by a name of a topic that another virtual cluster masks for all other clients', () => {
    const inside = (name: string, vCluster: string, physicalName: string): Resource =>
      resource('AliasTopic', { name, vCluster }, { physicalName });
    const toldOf = (rule: Resource, physicalName: string, ...already: readonly Resource[]) => {
      const live = [resource('VirtualCluster', { name: 'lab' }, {}), rule, ...already];
      return planned(live, [...live, inside('copy', 'lab', physicalName)]).told;
    };
    const shown = [
      'all other clients in lab have weaker masking: card of copy is shown in clear, with AliasTopic/copy@vCluster=lab',
    ];
    const rule = mask('m', 'cards', ['card']);
    expect(toldOf(rule, 'prodcards')).toEqual(shown);
    expect(toldOf(rule, 'raw', inside('cards', 'prod', 'raw'))).toEqual(shown);
    const store = { pattern: 'c.*', physicalTopics: { delete: 'store' } };
    expect(
      toldOf(rule, 'store', resource('ConcentrationRule', { name: 'c', vCluster: 'prod' }, store)),
    ).toEqual(shown);
    expect(toldOf(mask('m', 'cards', ['card'], { vCluster: 'passthrough' }), 'cards')).toEqual(shown);
    expect(toldOf(rule, 'prodorders')).toEqual([]);
    expect(toldOf(rule, 'prodcards', inside('older', 'lab', 'prodcards'))).toEqual([]);
    expect(toldOf(rule, 'prodcards', mask('n', 'copy', ['card'], { vCluster: 'lab' }))).toEqual([]);
    expect(toldOf(mask('m', 'cards', ['card'], { username: 'bob' }), 'prodcards')).toEqual([]);
    expect(toldOf(interceptor('m', 'AuditPlugin', {}), 'prodcards')).toEqual([]);
    const everywhere = mask('m', 'cards', ['card'], { vCluster: null });
    const lab = resource('VirtualCluster', { name: 'lab' }, {});
    expect(planned([lab, everywhere], [lab, inside('copy', 'lab', 'prodcards')]).told).toEqual([]); // it is lost
    const bob = resource('GatewayServiceAccount', { name: 'bob', vCluster: 'lab' }, { type: 'LOCAL' });
    const inNew = (...others: readonly Resource[]) =>
      planned([rule], [rule, lab, bob, inside('copy', 'lab', 'prodcards'), ...others]).told;
    expect(inNew()).toEqual([
      shown[0]?.replace('all other clients in lab', 'clients of lab (all other clients and bob)'),
    ]);
    const own = mask('n', 'copy', ['card'], { vCluster: 'lab' });
    expect(inNew(own)).toEqual([]);
    expect(inNew(mask('n', 'copy', ['card'], { vCluster: 'lab', username: 'bob' }))).toEqual(shown);
  });

  it('as somebody who tries each name, topic and field would', () => {
    const OWN = { name: 'o1', topic: 'prodo1' }; // its clients have it by this name, unless that leads to another topic
    const HIDES = { name: 'o1', topic: 'p' };
    const topics = ['p', 'q', OWN.topic];
    const names = ['a1', 'a2', 'b1', 'b2'];
    const aliases = fc.uniqueArray(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({ name: fc.constantFrom(...names), topic: fc.constantFrom(...topics) }),
        },
        { weight: 2, arbitrary: fc.constantFrom(OWN, HIDES) },
      ),
      {
        selector: ({ name }) => name,
      },
    );
    const masks = fc.uniqueArray(
      fc.record({
        topic: fc.constantFrom('a.|o1', 'b1|b2', '.1', 'a1', '.*'),
        field: fc.constantFrom('x', 'y'),
        count: fc.constantFrom(99, 99, 4),
      }),
      { maxLength: 3, selector: ({ topic, field }) => topic + field },
    );
    fc.assert(
      fc.property(aliases, aliases, masks, (before, after, rules) => {
        const kept = rules.map(({ topic, field, count }, at) => {
          const rule = { type: 'MASK_FIRST_N', numberOfChars: count };
          const policies = [{ name: 'p', rule, fields: [field] }];
          return interceptor(`m${at}`, 'FieldLevelDataMaskingPlugin', { topic, policies });
        });
        const declare = (some: typeof before) => some.map(({ name, topic }) => alias(name, topic));
        const { plan } = planned([...kept, ...declare(before)], [...kept, ...declare(after)]);
        const masked = (name: string, field: string): number =>
          Math.max(
            ...rules.map((rule) =>
              rule.field === field && new RegExp(`^(?:${rule.topic})$`).test(name) ? rule.count : 0,
            ),
            0,
          );
        const expected = after.flatMap(({ name, topic }) => {
          const isHidden = before.some((one) => one.name === OWN.name);
          const seen = [...before, ...(isHidden ? [] : [OWN])].filter((one) => one.topic === topic);
          const all = seen.map((one) => one.name);
          if (all.length === 0 || all.includes(name)) return [];
          return ['x', 'y']
            .filter((field) => Math.min(...all.map((one) => masked(one, field))) > masked(name, field))
            .map((field) => `${name} ${field}`);
        });
        const bob = (plan.weakenings ?? []).filter(({ username }) => username === 'bob');
        const found = bob.flatMap(({ parts }) =>
          parts.flatMap((part) =>
            (part.topics ?? []).flatMap((topic) => part.names.map((field) => `${topic} ${field}`)),
          ),
        );
        expect([...new Set(found)].sort()).toEqual(expected.sort());
      }),
    );
  });
});

describe('a plan tells who reads in clear what is stored in a topic that has a name already', () => {
  const alias = (physicalName: string): Resource =>
    resource('AliasTopic', { name: 'view', vCluster: 'prod' }, { physicalName });
  const rule = (name: string, pattern: string, topic: string): Resource =>
    resource('ConcentrationRule', { name, vCluster: 'prod' }, { pattern, physicalTopics: { delete: topic } });
  const secret = mask('m', 'secret-.*', ['card']);

  it('at the line of the rule that stores it, whether that is new or changes', () => {
    const all = [secret, alias('big')];
    const told = (...before: readonly Resource[]) => planned([...all, ...before], [...all, store]).told;
    const store = rule('r', 'secret-.*|open-.*', 'big');
    const weaker = [
      'clients of prod (all other clients and bob) have weaker masking: card of view is shown in clear, with ConcentrationRule/r@vCluster=prod',
    ];
    expect(told()).toEqual(weaker);
    expect(told(rule('r', 'open-.*', 'big'))).toEqual(weaker);
    expect(told(rule('r', 'secret-.*|open-.*', 'other'))).toEqual(weaker);
    expect(told(rule('r', '.*', 'big'))).toEqual([]);
    expect(told(rule('former', 'open-.*|secret-.*', 'big'))).toEqual([]);
    expect(planned([secret], [secret, alias('big'), store]).told[0]).toContain('card of view');
    expect(planned(all, [...all, rule('r', 'open-.*', 'big')]).told).toEqual([]);
    expect(planned(all, [...all, mask('n', 'view', ['card']), store]).told).toEqual([]);
  });

  it('also where clients of another virtual cluster have the name', () => {
    const lab = [
      resource('VirtualCluster', { name: 'lab' }, {}),
      { ...alias('big'), metadata: { name: 'view', vCluster: 'lab' } },
    ];
    const told = (...others: readonly Resource[]) =>
      planned([...lab, secret, ...others], [...lab, secret, ...others, rule('r', 'secret-.*', 'big')]).told;
    expect(told()).toEqual([
      'all other clients in lab have weaker masking: card of view is shown in clear, with ConcentrationRule/r@vCluster=prod',
    ]);
    expect(told(mask('n', 'view', ['card'], { vCluster: 'lab' }))).toEqual([]);
    expect(told(rule('former', 'secret-.*', 'big'))).toEqual([]);
  });

  it('also by its physical name, which all know in passthrough', () => {
    const here = { vCluster: 'passthrough' };
    const secrets = mask('m', 'secret-.*', ['card'], here);
    const store = (topic: string): Resource => ({
      ...rule('r', 'secret-.*', topic),
      metadata: { name: 'r', ...here },
    });
    const told = (topic: string, ...others: readonly Resource[]) =>
      planned([secrets, ...others], [secrets, ...others, store(topic)], { variables: { VALUE: 'big' } }).told;
    expect(told('big').join()).toContain(
      'weaker masking: card of big is shown in clear, with ConcentrationRule/r',
    );
    expect(told('secret-all')).toEqual([]);
    expect(told('big', mask('n', 'big', ['card'], here))).toEqual([]);
    const other = resource('AliasTopic', { name: 'big', ...here }, { physicalName: 'other' });
    expect(told('big', other)).toEqual([]);
    expect(told('$VALUE').join()).toContain(
      'since a value is hidden or cannot be judged: card of "(hidden)"',
    );
  });

  it('also in passthrough, where it would be called by the name of the virtual cluster, too', () => {
    const here = { vCluster: 'passthrough' };
    const told = (topics: string, ...others: readonly Resource[]) => {
      const all = [mask('m', topics, ['card'], here), ...others];
      return planned(all, [...all, rule('r', 'secret-.*', 'big')]).told;
    };
    const weaker = (name: string) =>
      `all other clients in passthrough have weaker masking: card of ${name} is shown in clear, with ConcentrationRule/r@vCluster=prod`;
    const view = resource('AliasTopic', { name: 'view', ...here }, { physicalName: 'big' });
    expect(told('prodsecret-.*')).toEqual([weaker('big')]);
    expect(told('prod.*', view)).toEqual([weaker('big'), weaker('view')]);
    expect(told('prodsecret-.*', mask('n', 'big', ['card'], here))).toEqual([]);
    expect(told('prodsecret-.*', rule('former', 'secret-.*', 'big'))).toEqual([]);
    expect(told('secret-.*|prodother')).toEqual([]);
    expect(planned([secret, view], [secret, view, rule('r', 'secret-.*', 'big')]).told).toEqual([]);
    expect(told('.*')).toEqual([]);
  });

  it('and what a hidden value may store counts as stored, whatever it is', () => {
    const all = [secret, alias('big')];
    const told = (VALUE: string, hidden: Resource) =>
      planned(all, [...all, hidden], { variables: { VALUE } }).told;
    for (const hidden of [rule('r', '$VALUE', 'big'), rule('r', 'secret-.*', '$VALUE')]) {
      expect(told('secret-.*', hidden).join()).toContain(
        'since a value is hidden or cannot be judged: card of view',
      );
      expect(told('big', hidden)).toEqual(told('secret-.*', hidden));
    }
  });

  it('as somebody who tries each name and topic would', () => {
    const some = fc.record({
      view: fc.constantFrom('p', 'q', 'r'),
      rules: fc.uniqueArray(
        fc.record({
          name: fc.constantFrom('r1', 'r2'),
          pattern: fc.constantFrom('s-1', 's-2', 's-1|s-2', 'o-1', 's-.*|o-.*'),
          topic: fc.constantFrom('p', 'q'),
        }),
        { selector: ({ name }) => name },
      ),
    });
    type Some = { view: string; rules: readonly { name: string; pattern: string; topic: string }[] };
    const declare = ({ view, rules }: Some) => [
      ...['s-1', 's-2'].map((topic) => mask(topic, topic, [topic])),
      alias(view),
      ...rules.map(({ name, pattern, topic }) => rule(name, pattern, topic)),
    ];
    const seen = ({ rules }: Some, view: string) =>
      ['s-1', 's-2'].filter((name) =>
        rules.some(({ pattern, topic }) => topic === view && new RegExp(`^(?:${pattern})$`).test(name)),
      );
    fc.assert(
      fc.property(some, some, (before, after) => {
        const { plan } = planned(declare(before), declare(after));
        const isMoved = before.view !== after.view;
        const shown = isMoved ? [] : seen(before, after.view);
        // What a rule has stored stays there without it.
        const stored = [...seen(after, after.view), ...(isMoved ? seen(before, after.view) : [])];
        const found = (plan.weakenings ?? []).flatMap(({ username, parts }) =>
          username === 'bob' ? parts.flatMap(({ names }) => names) : [],
        );
        const expected = stored.filter((name) => !shown.includes(name));
        expect([...new Set(found)].sort()).toEqual([...new Set(expected)].sort());
      }),
      { numRuns: orAll(60, 2000) },
    );
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
      'clients of acl (all other clients, ann, ben and cat) have weaker access control: the ACLs are no longer enforced (aclEnabled)',
    ]);
    expect(off.plan.weakenings?.[0]).toMatchObject({
      by: 'VirtualCluster/acl',
      fields: ['/spec/aclEnabled'],
    });
    expect(
      told({ aclEnabled: true, superUsers: ['ann'] }, { aclEnabled: true, superUsers: ['ben', 'ann', 'cat'] })
        .told,
    ).toEqual([
      '2 clients of acl (ben and cat) have weaker access control: the ACLs are no longer enforced (superUsers)',
    ]);
  });

  it('also members of external groups', () => {
    const world = (aclEnabled: boolean): readonly Resource[] => [
      cluster({ aclEnabled }),
      resource('GatewayGroup', { name: 'partners' }, { externalGroups: ['okta'] }),
      mask('m', 'orders', ['card'], { vCluster: 'acl', group: 'partners' }),
    ];
    expect(planned(world(true), world(false)).told).toEqual([
      'clients of acl (all other clients and members of the external group okta) have weaker access control: the ACLs are no longer enforced (aclEnabled)',
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
      { numRuns: orAll(20, 50) },
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

describe('a plan tells for whom ACLs are looser', () => {
  type Acl = {
    readonly name: string;
    readonly patternType: string;
    readonly principal: string;
    readonly host: string;
    readonly operation: string;
    readonly permissionType: string;
  };
  const acl = (words: string): Acl => {
    const [permissionType = '', user = '', operation = '', name = '', host = '*'] = words.split(' ');
    const isPrefix = name.length > 1 && name.endsWith('*');
    const patternType = isPrefix ? 'PREFIXED' : 'LITERAL';
    return {
      name: isPrefix ? name.slice(0, -1) : name,
      ...{ patternType, principal: `User:${user}`, host, operation, permissionType },
    };
  };
  const cluster = (acls: readonly Acl[]): Resource =>
    resource(
      'VirtualCluster',
      { name: 'acl' },
      {
        aclEnabled: true,
        aclMode: 'REST_API',
        acls: acls.map(({ name, patternType, ...acl }) => ({
          resourcePattern: { resourceType: 'TOPIC', name, patternType },
          ...acl,
        })),
      },
    );
  const users = ['ann', 'ben'].map((name) =>
    resource('GatewayServiceAccount', { name, vCluster: 'acl' }, { type: 'LOCAL' }),
  );
  const planOf = (before: readonly Acl[], after: readonly Acl[], options?: Options) =>
    planned([cluster(before), ...users], [cluster(after), ...users], options);

  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    [
      'a DENY that ends where something is allowed',
      ['ALLOW ann READ cards', 'DENY ann READ cards'],
      ['ALLOW ann READ cards'],
      ['ann in acl has weaker access control: the ACLs on cards are looser (acls)'],
    ],
    [
      'a DENY of everyone that ends for those who are allowed',
      ['ALLOW ann ALL *', 'DENY * WRITE pay*'],
      ['ALLOW ann ALL *'],
      ['ann in acl has weaker access control: the ACLs on topics that match pay.* are looser (acls)'],
    ],
    [
      'an ALLOW for everyone, but not those who have it',
      ['ALLOW ann READ c*'],
      ['ALLOW * DESCRIBE cards'],
      [
        'clients of acl (all other clients and ben) have weaker access control: the ACLs on cards are looser (acls)',
      ],
    ],
    [
      'once, where a DENY ends and an ALLOW is new',
      ['DENY * ALL cards'],
      ['ALLOW * ALL cards'],
      [
        'clients of acl (all other clients, ann and ben) have weaker access control: the ACLs on cards are looser (acls)',
      ],
    ],
    ['an ALLOW for one client, which is what ACLs are for', [], ['ALLOW ann ALL *'], []],
    ['a DENY that ends where nothing is allowed', ['DENY ann READ cards'], ['ALLOW ann READ other'], []],
    [
      'a DENY that another one is about',
      ['DENY ann READ cards', 'ALLOW ann READ *'],
      ['DENY * ALL c*', 'ALLOW ann READ *'],
      [],
    ],
    [
      'a DENY of all that ends for those of each operation that is allowed',
      ['DENY ann ALL cards', 'ALLOW ann READ cards'],
      ['DENY ann READ cards', 'DENY ann DESCRIBE cards', 'ALLOW ann READ cards'],
      [],
    ],
    [
      'a DENY of everyone and a prefix that ends for one of the client and the topic that are allowed',
      ['DENY * READ c*', 'ALLOW ann READ cards'],
      ['DENY ann READ cards', 'ALLOW ann READ cards'],
      [],
    ],
    [
      'a DENY of all that ends for one of a part of what is allowed',
      ['DENY ann ALL cards', 'ALLOW ann READ cards'],
      ['DENY ann READ cards', 'ALLOW ann READ cards'],
      ['ann in acl has weaker access control: the ACLs on cards are looser (acls)'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(planOf(before.map(acl), after.map(acl)).told).toEqual(expected);
  });

  it('without a principal that a secret variable fills, which may be everyone', () => {
    const [hidden] = [{ ...acl('ALLOW $WHO READ cards'), principal: '$WHO' }];
    const told = (WHO: string) => planOf([], [hidden], { variables: { WHO } }).told;
    expect(told('User:*')).toEqual([
      'cannot tell whether clients of acl (all other clients, ann and ben) have as strong access control, since a value is hidden or cannot be judged: the ACLs on cards (acls)',
    ]);
    expect(told('User:ann')).toEqual(told('User:*'));
  });

  const acls = fc.uniqueArray(
    fc
      .tuple(
        fc.constantFrom('ALLOW', 'DENY'),
        fc.constantFrom('ann', 'ben', '*'),
        fc.constantFrom('ALL', 'READ', 'DESCRIBE', 'WRITE'),
        fc.constantFrom('a', 'ab', 'a*', '*'),
        fc.constantFrom('*', '10.0.0.1'),
      )
      .map((words) => words.join(' ')),
    { maxLength: 4 },
  );
  const requests = ['READ', 'DESCRIBE', 'WRITE', 'DELETE'].flatMap((operation) =>
    ['a', 'ab', 'abc', 'b'].flatMap((name) =>
      ['10.0.0.1', '10.0.0.2'].map((host) => ({ operation, name, host })),
    ),
  );
  const matches = (one: Acl, user: string, { operation, name, host }: (typeof requests)[number]): boolean => {
    const describes = one.permissionType === 'ALLOW' && operation === 'DESCRIBE';
    return (
      (one.patternType === 'PREFIXED' ? name.startsWith(one.name) : ['*', name].includes(one.name)) &&
      ['User:*', `User:${user}`].includes(one.principal) &&
      ['*', host].includes(one.host) &&
      (['ALL', operation].includes(one.operation) || (describes && ['READ', 'WRITE'].includes(one.operation)))
    );
  };

  it('and leaves out nobody whom somebody who asks for each request would name', () => {
    fc.assert(
      fc.property(acls, acls, (before, after) => {
        const [was, is] = [before.map(acl), after.map(acl)];
        const freed = ['ann', 'ben', '*'].filter((user) =>
          requests.some((request) => {
            const of = (list: readonly Acl[], sort: string) =>
              list.filter((one) => one.permissionType === sort && matches(one, user, request));
            const allowed = of(is, 'ALLOW');
            if (allowed.length === 0 || of(is, 'DENY').length > 0) return false;
            if (of(was, 'DENY').length > 0) return true;
            return of(was, 'ALLOW').length === 0 && allowed.some(({ principal }) => principal === 'User:*');
          }),
        );
        expect(whoIn(planOf(was, is).plan)).toEqual(expect.arrayContaining(freed));
      }),
      { numRuns: orAll(60, 500) },
    );
  });

  it('nor whom ACLs let through by another name of a topic, which an alias gives it', () => {
    const alias = (name: string): Resource =>
      resource('AliasTopic', { name, vCluster: 'acl' }, { physicalName: 'p' });
    const names = fc.constantFrom('a', 'ab', 'abc', 'b');
    const others = fc.uniqueArray(names, { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(acls, others, names, (words, former, name) => {
        fc.pre(!former.includes(name));
        const own = words.map(acl);
        const isFree = (user: string, request: (typeof requests)[number], topic: string): boolean => {
          const of = (sort: string): boolean =>
            own.some((one) => one.permissionType === sort && matches(one, user, { ...request, name: topic }));
          return of('ALLOW') && !of('DENY');
        };
        const isDenied = (user: string, request: (typeof requests)[number], topic: string): boolean =>
          own.some((one) => one.permissionType === 'DENY' && matches(one, user, { ...request, name: topic }));
        const freed = ['ann', 'ben', '*'].filter((user) =>
          requests.some(
            (request) =>
              isFree(user, request, name) && former.every((topic) => isDenied(user, request, topic)),
          ),
        );
        const live = [cluster(own), ...users, ...former.map(alias)];
        const found = whoIn(planned(live, [...live, alias(name)]).plan);
        expect(found).toEqual(expect.arrayContaining(freed));
        const isOpen = ['ann', 'ben', '*'].some((user) =>
          requests.some(
            (request) => isFree(user, request, name) && !former.some((topic) => isFree(user, request, topic)),
          ),
        );
        if (!isOpen) expect(found).toEqual([]);
      }),
      { numRuns: orAll(60, 500) },
    );
  });

  it('but not by the name that an alias gives, too, where the ACLs themselves end', () => {
    const alias = (name: string): Resource =>
      resource('AliasTopic', { name, vCluster: 'acl' }, { physicalName: 'p' });
    const denied = cluster([acl('ALLOW ann READ *'), acl('DENY ann READ a')]);
    const { plan } = planned(
      [denied, ...users, alias('a')],
      [cluster([acl('ALLOW ann READ *')]), ...users, alias('a'), alias('b')],
    );
    const { weakenings = [] } = plan;
    expect(weakenings.length).toBeGreaterThan(0);
    expect(weakenings.flatMap(({ from }) => from)).not.toContain('AliasTopic/b@vCluster=acl');
  });

  it('and nobody where only grants end and denials are new', () => {
    fc.assert(
      fc.property(acls, acls, (before, more) => {
        const after = [
          ...before.filter((one, index) => one.startsWith('DENY') || index % 2 === 0),
          ...more.filter((one) => one.startsWith('DENY')),
        ];
        expect(planOf(before.map(acl), [...new Set(after)].map(acl)).told).toEqual([]);
      }),
      { numRuns: orAll(20, 200) },
    );
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
    { numRuns: orAll(25, 60) },
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
    'audit: FETCH requests on customers-eu and customers-us are no longer audited; FETCH requests on others are audited less (topic)',
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

describe('a hidden value that may decide how strong a protection is counts as weaker', () => {
  const variables = {
    HIDDEN: 'customers-e.*',
    NUMBER: '9',
    OTHER: 'x',
    INFO: 'INFO',
    KIND: 'MASK_LAST_N',
    OFF: 'false',
  };
  const codes = (live: readonly Resource[], after: readonly Resource[]): readonly string[] => {
    const { plan, told } = planned(live, after, { variables });
    expect(plan.changes.length).toBeGreaterThan(0);
    for (const message of told) expect(message).toContain(', since a value is hidden or cannot be judged: ');
    return [...new Set(plan.weakenings?.map(({ certainty }) => certainty))];
  };
  const limit = (maximum: string | number): Resource =>
    interceptor('l', 'safeguard.CreateTopicPolicyPlugin', {
      topic: '.*',
      numPartition: { min: 1, max: maximum, action: 'BLOCK' },
    });
  const guard = (action: string): Resource =>
    interceptor('g', 'safeguard.ReadOnlyTopicPolicyPlugin', { topic: 'orders', action });
  const audit = (...apiKeys: readonly string[]): Resource =>
    interceptor('a', 'AuditPlugin', { topic: '.*', apiKeys });
  const masked = (rule: JsonObject): Resource =>
    interceptor('m', 'FieldLevelDataMaskingPlugin', {
      topic: '.*',
      policies: [{ name: 'p', rule, fields: ['a'] }],
    });
  const encrypt = (topic: string): Resource =>
    interceptor('e', 'EncryptPlugin', {
      topic,
      recordValue: { fields: [{ fieldName: 'card', keySecretId: 'in-memory-kms://k' }] },
    });
  const decrypt = (topic: string): Resource => interceptor('d', 'DecryptPlugin', { topic });
  const acls = (spec: JsonObject): Resource => resource('VirtualCluster', { name: 'acl' }, spec);
  const alias = (physicalName: string): Resource =>
    resource('AliasTopic', { name: 'free', vCluster: 'prod' }, { physicalName });

  it.each<[string, readonly Resource[], readonly Resource[]]>([
    ['a pattern', [mask('m', 'customers-.*', ['a'])], [mask('m', '$HIDDEN', ['a'])]],
    ['another interceptor in its place', [mask('m', 'customers-.*', ['a'])], [mask('n', '$HIDDEN', ['a'])]],
    ['a limit', [limit(3)], [limit('$NUMBER')]],
    ['an action', [guard('BLOCK')], [guard('$INFO')]],
    ['a request', [audit('PRODUCE', 'FETCH')], [audit('PRODUCE', '$OTHER')]],
    ['a kind of mask', [masked({ type: 'MASK_ALL' })], [masked({ type: '$KIND', numberOfChars: 1 })]],
    [
      'the characters of a mask',
      [masked({ type: 'MASK_LAST_N', numberOfChars: 4 })],
      [masked({ type: 'MASK_LAST_N', numberOfChars: '$NUMBER' })],
    ],
    ['what is decrypted', [encrypt('orders')], [encrypt('orders'), decrypt('$HIDDEN')]],
    ['ACLs', [acls({ aclEnabled: true })], [acls({ aclEnabled: '$OFF' })]],
    [
      'the topic of a mask that is new with a name of its topic',
      [mask('m', 'customers-.*', ['a'])],
      [mask('m', 'customers-.*', ['a']), mask('n', '$HIDDEN', ['a']), alias('p-customers-eu')],
    ],
    [
      'a name of a topic',
      [mask('m', 'customers-.*', ['a'])],
      [mask('m', 'customers-.*', ['a']), alias('$HIDDEN')],
    ],
  ])('%s', (_, live, after) => {
    expect(codes(live, after)).toEqual(['hidden']);
  });

  it('but not one that does not change, or of which nothing is documented', () => {
    const key = (keySecretId: string, disabled = false): Resource =>
      interceptor('e', 'EncryptPlugin', {
        topic: 'orders',
        recordValue: {
          fields: [{ fieldName: 'card', keySecretId, algorithm: disabled ? 'AES128_GCM' : 'AES256_GCM' }],
        },
      });
    const told = (before: Resource, after: Resource): unknown =>
      planned([before], [after], { variables }).plan.weakenings?.map(({ certainty }) => certainty)[0];
    expect(told(key('vault-kms://a'), key('$OTHER'))).toBe('cannot-tell');
    expect(told(key('x'), key('$OTHER', true))).toBe('cannot-tell');
    expect(told(key('$OTHER', true), key('$OTHER'))).toBe('cannot-tell');
  });
});

it('no client is looked at where no change concerns one', () => {
  let looks = 0;
  const kinds = new Map(
    [...catalog.kinds].map(([name, kind]) => [
      name,
      {
        ...kind,
        facts: (one: Resource) => {
          looks += 1;
          return kind.facts?.(one) ?? [];
        },
      },
    ]),
  );
  const live = [...WORLD, group('bob'), mask('m', 'orders', ['card'])];
  const { value } = makePlan(stateOf(fileOf(...live)), liveStateOf(live), kinds, { gateway: 'memory:' });
  expect(value.changes).toEqual([]);
  expect(looks).toBe(0);
});

it('a client whose external name moves to an account of a new virtual cluster is told of', () => {
  const account = (vCluster: string): Resource =>
    resource(
      'GatewayServiceAccount',
      { name: 'ann', vCluster },
      { type: 'EXTERNAL', externalNames: ['sub-1'] },
    );
  const guard = (vCluster: string): Resource => mask(`m-${vCluster}`, 'orders', ['card'], { vCluster });
  const { plan } = planned(
    [account('prod'), guard('prod')],
    [guard('prod'), account('new'), guard('new'), resource('VirtualCluster', { name: 'new' }, {})],
  );
  expect(plan.effects).toMatchObject([
    {
      identity: { externalName: 'sub-1', was: { virtualCluster: 'prod', username: 'ann' } },
      virtualCluster: 'new',
      before: [{ address: 'Interceptor/m-prod@vCluster=prod' }],
      after: [{ address: 'Interceptor/m-new@vCluster=new' }],
    },
  ]);
});

it('a client whose external name moves is told of what audits only its former account or virtual cluster', () => {
  const account = (name: string, vCluster: string, ...externalNames: readonly string[]): Resource =>
    resource(
      'GatewayServiceAccount',
      { name, vCluster },
      externalNames.length === 0 ? { type: 'LOCAL' } : { type: 'EXTERNAL', externalNames },
    );
  const all = [
    interceptor('of-ann', 'AuditPlugin', { username: 'ann', apiKeys: ['FETCH'] }, { vCluster: null }),
    interceptor('of-prod', 'AuditPlugin', { vcluster: 'prod', apiKeys: ['PRODUCE'] }, { vCluster: null }),
  ];
  const toldOf = (vCluster: string) => {
    const live = [...all, account('ann', 'prod', 'sub-1'), account('eve', vCluster)];
    const wanted = [...all, account('ann', 'prod'), account('eve', vCluster, 'sub-1')];
    const { weakenings = [], exposures = [] } = planned(live, wanted).plan;
    const told = [...weakenings, ...exposures];
    expect(told.every(({ identity }) => identity?.externalName === 'sub-1')).toBe(true);
    return [weakenings.map(({ by }) => by), exposures.map(({ lost, from }) => [from, ...lost])];
  };
  const [ofAnn, ofProd] = ['Interceptor/of-ann@global', 'Interceptor/of-prod@global'];
  expect(toldOf('prod')).toEqual([[ofAnn], []]);
  const eve = 'GatewayServiceAccount/eve@vCluster=passthrough';
  expect(toldOf('passthrough')).toEqual([[], [[eve, ofAnn, ofProd]]]);
});

it.each<[string, readonly string[]]>([
  ['prod.*', ['passthrough']],
  ['prodorders', ['passthrough']],
  ['elsewhere', []],
])(
  'what is encrypted in a virtual cluster alone can be decrypted by its physical names: %s',
  (topic, whom) => {
    const encryption = interceptor(
      'enc',
      'EncryptPlugin',
      {
        topic: '.*',
        kmsConfig: {},
        recordValue: { fields: [{ fieldName: 'card', keySecretId: 'in-memory-kms://k' }] },
      },
      { vCluster: 'prod' },
    );
    const decryption = interceptor(
      'dec',
      'DecryptPlugin',
      { topic, kmsConfig: {} },
      { vCluster: 'passthrough' },
    );
    const { weakenings = [] } = planned([encryption], [encryption, decryption]).plan;
    expect([...new Set(weakenings.map(({ virtualCluster }) => virtualCluster))]).toEqual(whom);
  },
);

describe('what clients of a virtual cluster encrypt is told of where others can decrypt it by the physical name of its topic', () => {
  const passthrough = { vCluster: 'passthrough' };
  const fields = [{ fieldName: 'card', keySecretId: 'in-memory-kms://k' }];
  const encryption = interceptor('enc', 'EncryptPlugin', { topic: 'cards', recordValue: { fields } });
  const decrypt = (topic: string): Resource => interceptor('dec', 'DecryptPlugin', { topic }, passthrough);
  const cards = (physicalName: string): Resource =>
    resource('AliasTopic', { name: 'cards', vCluster: 'prod' }, { physicalName });
  const rule = resource(
    'ConcentrationRule',
    { name: 'r', vCluster: 'prod' },
    { pattern: 'card.*', physicalTopics: { delete: 'big' } },
  );
  const toldOf = (live: readonly Resource[], wanted: readonly Resource[]) =>
    planned([encryption, ...live], wanted).plan.weakenings?.flatMap(({ virtualCluster, parts, from }) =>
      virtualCluster === 'passthrough' ? [parts[0]?.topics, from] : [],
    );
  const by = 'Interceptor/dec@vCluster=passthrough';

  it('also by an alias topic that the same plan deletes, or leads to another topic', () => {
    const told = [['raw'], [by]];
    expect(toldOf([cards('raw')], [encryption, decrypt('raw')])).toEqual(told);
    expect(toldOf([cards('raw')], [decrypt('raw')])).toEqual(told);
    expect(toldOf([cards('raw')], [encryption, cards('other'), decrypt('raw')])).toEqual(told);
    expect(toldOf([cards('raw')], [encryption, decrypt('other')])).toBeUndefined();
  });

  it('also where a concentration rule stores it, whether that is new, or goes', () => {
    expect(toldOf([rule], [encryption, rule, decrypt('big')])).toEqual([['big'], [by]]);
    expect(toldOf([rule], [encryption, decrypt('big')])).toEqual([['big'], [by]]);
    const stored = [['big'], ['ConcentrationRule/r@vCluster=prod']];
    expect(toldOf([decrypt('big')], [encryption, rule, decrypt('big')])).toEqual(stored);
    expect(toldOf([rule, decrypt('big')], [encryption, rule, decrypt('big')])).toBeUndefined();
    expect(toldOf([rule], [encryption, rule, decrypt('other')])).toBeUndefined();
  });
});

it('a listed topic that begins with the name of a new virtual cluster is told of, where it is masked by its physical name', () => {
  const secret = mask('m', 'payments[.].*', ['card'], { vCluster: 'passthrough' });
  const fresh = resource('VirtualCluster', { name: 'payments.' }, {});
  const toldOf = (topics: readonly string[], ...others: readonly Resource[]) =>
    planned([secret], [secret, fresh, ...others], { topics }).told;
  expect(toldOf(['payments.cards', 'orders'])).toEqual([
    'all other clients in payments. have weaker masking: card of cards is shown in clear, with VirtualCluster/payments.',
  ]);
  expect(toldOf(['payments.cards'], mask('n', 'cards', ['card'], { vCluster: 'payments.' }))).toEqual([]);
  expect(toldOf(['orders'])).toEqual([]);
  const away = resource(
    'AliasTopic',
    { name: 'payments.cards', vCluster: 'passthrough' },
    { physicalName: 'x' },
  );
  expect(planned([secret, away], [secret, away, fresh], { topics: ['payments.cards'] }).told).toEqual([]);
});
