import { describe, expect, it } from 'vitest';
import { makeEffectiveState } from '../../src/effective/effective-state.ts';
import { makeProtection } from '../../src/effective/protection.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Address, Resource } from '../../src/model/resource.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld } from '../support/cli.ts';
import { stateOf } from '../support/expect-problems.ts';
import { resource } from '../support/kinds.ts';
import { group, mask, planned, PROD } from '../support/masks.ts';
import { fileOf, liveStateOf } from '../support/plans.ts';
import { removalOf } from '../support/rules.ts';
import { ENCRYPT, workingConfig } from '../support/resources.ts';

const DECRYPT = 'io.conduktor.gateway.interceptor.DecryptPlugin';
const QUALITY = 'io.conduktor.gateway.interceptor.dataquality.DataQualityPlugin';
const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';

describe('threat: author: a change of protection that looks like none', () => {
  it('is told where a part of a protection is missing between two writes, and no order can avoid it', () => {
    const { plan, told } = planned(
      [mask('a', '.*', ['card']), mask('b', '.*', ['iban'])],
      [mask('a', '.*', ['iban']), mask('b', '.*', ['card'])],
    );
    expect(told).toEqual([
      'clients of prod (all other clients, bob and eve) have weaker masking for a while: iban is shown in clear, between the update of Interceptor/b@vCluster=prod and the update of Interceptor/a@vCluster=prod',
    ]);
    expect(plan.weakenings?.map(({ until }) => until)).toEqual(
      Array.from({ length: 3 }, () => 'Interceptor/a@vCluster=prod'),
    );
  });
  it.each([
    ['a mask without policies', MASK, { topic: '.*', policies: [] }],
    [
      'a mask without fields',
      MASK,
      { topic: '.*', policies: [{ name: 'p', rule: { type: 'MASK_ALL' }, fields: [] }] },
    ],
    [
      'a mask of a field without a name',
      MASK,
      { topic: '.*', policies: [{ name: 'p', rule: { type: 'MASK_ALL' }, fields: [''] }] },
    ],
    ['an encryption of no fields', ENCRYPT, { topic: '.*', recordValue: { fields: [] } }],
    [
      'an encryption of a field without a name',
      ENCRYPT,
      { topic: '.*', recordValue: { fields: [{ fieldName: '', keySecretId: 'in-memory-kms://k' }] } },
    ],
    ['data quality without a rule', QUALITY, { rules: {}, block: true }],
    ['data quality with an empty list of rules', QUALITY, { rules: [], block: true }],
    ['an encryption of no header', ENCRYPT, { topic: '.*', recordHeader: { payload: { keySecretId: 'x' } } }],
    [
      'an encryption of a header without a name',
      ENCRYPT,
      { topic: '.*', recordHeader: { header: '', payload: { keySecretId: 'x' } } },
    ],
  ])('is told where the last protection becomes %s, which protects nobody', (_, pluginClass, config) => {
    const own = (one: JsonObject): Resource =>
      resource('Interceptor', { name: 'a', scope: PROD }, { pluginClass, priority: 1, config: one });
    const { plan } = planned([own(workingConfig(pluginClass))], [own(config)]);
    expect(plan.exposures?.map(({ lasting, lost }) => [lasting, lost])).toContainEqual([
      true,
      ['Interceptor/a@vCluster=prod'],
    ]);
    const state = makeEffectiveState(
      [['Interceptor/a@vCluster=prod' as Address, own(config)]],
      catalog.kinds,
    );
    expect(state.links().map(makeProtection())).toEqual([[]]);
  });

  it('is told where the last protection becomes a mask for a list with a comma, which no topic matches', () => {
    const { plan } = planned([mask('a', 'cards|orders', ['card'])], [mask('a', 'cards,orders', ['card'])]);
    expect(plan.exposures?.map(({ lasting, lost }) => [lasting, lost])).toContainEqual([
      true,
      ['Interceptor/a@vCluster=prod'],
    ]);
    const back = planned([mask('a', 'cards,orders', ['card'])], []).plan;
    expect(back.exposures).toBeUndefined();
  });

  it.each<[string, Resource]>([
    ['an expression that gwconf cannot read', mask('a', '(?<=x)cards', ['card'])],
    ['a topic that the gateway fills in', mask('a', '$${TOPIC}', ['card'])],
    ['no topic', mask('a', '', ['card'])],
    ['a field that the gateway fills in', mask('a', 'cards', ['{{field}}'])],
  ])('is told where a protection is for %s, in place of one that can be judged', (_, after) => {
    const alias = (name: string): Resource =>
      resource('AliasTopic', { name, ...PROD }, { physicalName: 'p' });
    const told = [
      expect.stringContaining(
        'have as strong masking, since a value is hidden or cannot be judged: card of ',
      ),
    ];
    expect(planned([mask('a', 'cards', ['card'])], [after]).told).toEqual(told);
    const always = [alias('first'), mask('b', 'first', ['card'])];
    expect(planned(always, [...always, alias('cards'), after]).told).toEqual(told);
  });

  it('is told where another class that gives the same comes for other topics', () => {
    const own = (pluginClass: string, topic: string, more: JsonObject): Resource =>
      resource(
        'Interceptor',
        { name: topic, scope: PROD },
        { pluginClass, priority: 1, config: { topic, kmsConfig: {}, ...more } },
      );
    const fields = [{ fieldName: 'number', keySecretId: 'in-memory-kms://k' }];
    const bySchema = ENCRYPT.replace('EncryptPlugin', 'EncryptSchemaBasedPlugin');
    const told = (topic: string): readonly string[] =>
      planned([own(ENCRYPT, 'cards', { recordValue: { fields } })], [own(bySchema, topic, { tags: ['PII'] })])
        .told;
    expect(told('orders')).toEqual([
      'clients of prod (all other clients, bob and eve) have weaker encryption: number of cards is no longer encrypted',
    ]);
    expect(told('card.*')).toEqual([]); // of which nobody can tell
  });

  it.each<[string, string, readonly Resource[]]>([
    ['as the physical topic of a topic of the virtual cluster, by the prefix of that', 'prodcards', []],
    [
      'in which a concentration rule stores it',
      'big',
      [
        resource(
          'ConcentrationRule',
          { name: 'r', ...PROD },
          { pattern: 'card.*', physicalTopics: { delete: 'd', compact: 'big' } },
        ),
      ],
    ],
    [
      'that a concentrated topic is in',
      'big',
      [resource('ConcentratedTopic', { name: 'cards', ...PROD }, { physicalName: 'big' })],
    ],
  ])('is told where an alias topic shows what is protected: one of a topic %s', (_, physicalName, stored) => {
    const alias = (name: string, of: string): Resource =>
      resource('AliasTopic', { name, ...PROD }, { physicalName: of });
    const declared = stored.filter(({ kind }) => kind !== 'ConcentratedTopic');
    const told = (before: readonly Resource[], ...added: readonly Resource[]) =>
      planned([...stored, ...before], [...declared, ...before, ...added]).told;
    const masked = mask('m', 'cards', ['number']);
    expect(told([masked], alias('copy', physicalName))).toEqual([
      'clients of prod (all other clients, bob and eve) have weaker masking: number of copy is shown in clear, with AliasTopic/copy@vCluster=prod',
    ]);
    expect(told([masked], alias('copy', 'other'))).toEqual([]);
    expect(told([masked], alias('cards', physicalName))).toEqual([]);
    expect(told([masked, alias('clear', physicalName)], alias('copy', physicalName))).toEqual([]);
    expect(told([mask('m', 'names', ['number'])], alias('copy', physicalName))).toEqual([]);
    const ended = planned([...stored, masked], [...declared, alias('copy', physicalName)]);
    expect(ended.told).toEqual([]); // that the mask ends is told
  });

  it.each<[string, readonly Resource[], readonly Resource[]]>([
    [
      'an alias topic',
      [resource('AliasTopic', { name: 'cards', ...PROD }, { physicalName: 'prod-cards' })],
      [],
    ],
    [
      'a concentration rule',
      [
        resource(
          'ConcentrationRule',
          { name: 'r', ...PROD },
          { pattern: 'card.*', physicalTopics: { delete: 'prod-cards' } },
        ),
      ],
      [],
    ],
    [
      'a concentrated topic',
      [],
      [resource('ConcentratedTopic', { name: 'cards', ...PROD }, { physicalName: 'prod-cards' })],
    ],
  ])(
    'is told where the topic behind %s begins with the name of the virtual cluster, which is no name that clients have for it',
    (_, declared, stored) => {
      const masked = mask('m', 'cards', ['number']);
      const copy = resource('AliasTopic', { name: 'copy', ...PROD }, { physicalName: 'prod-cards' });
      const live = [masked, ...declared, ...stored];
      expect(planned(live, [masked, ...declared, copy]).told).toEqual([
        'clients of prod (all other clients, bob and eve) have weaker masking: number of copy is shown in clear, with AliasTopic/copy@vCluster=prod',
      ]);
    },
  );

  it('is not told in passthrough, where clients have the topic by its physical name, which nothing masks', () => {
    const alias = (name: string): Resource => resource('AliasTopic', { name }, { physicalName: 'raw' });
    const masks = (topic: string) => mask('m', topic, ['number'], { vCluster: 'passthrough' });
    const told = (one: Resource) => planned([one, alias('cards')], [one, alias('cards'), alias('copy')]).told;
    expect(told(masks('cards'))).toEqual([]);
    expect(told(masks('cards|raw'))).toEqual([expect.stringContaining('number of copy is shown in clear')]);
  });

  it('is told where a new virtual cluster has a name with which topics begin that are protected in another one', () => {
    const alias = (name: string, of: string, vCluster = 'prod'): Resource =>
      resource('AliasTopic', { name, vCluster }, { physicalName: of });
    const cluster = (name: string): Resource => resource('VirtualCluster', { name }, {});
    const told = (live: readonly Resource[], ...added: readonly Resource[]) =>
      planned(live, [...live, ...added]).told;
    const lost = (names: string, by: string) => [
      `all other clients in pay have weaker masking: number of ${names} shown in clear, with ${by}`,
    ];
    const live = [mask('m', 'cards', ['number']), alias('cards', 'payments-v1')];
    const pay = cluster('pay');
    expect(told(live, pay)).toEqual(lost('ments-v1 is', 'VirtualCluster/pay'));
    expect(told([...live, pay])).toEqual([]);
    expect(told(live, cluster('pays'))).toEqual([]);
    expect(told([mask('m', 'names', ['number']), alias('cards', 'payments-v1')], pay)).toEqual([]);
    expect(told(live, pay, alias('copy', 'payments-v1', 'pay')).join('\n')).toMatch(
      /of copy [^]*of ments-v1 /,
    );
    const rule = { pattern: 'card.*', physicalTopics: { delete: 'payments' } };
    const stored = [
      mask('m', 'card.*', ['number']),
      resource('ConcentrationRule', { name: 'r', ...PROD }, rule),
    ];
    expect(told(stored, pay)).toEqual(lost('ments is', 'VirtualCluster/pay'));
  });

  it('is told where what is decrypted by one name, and masked by it, is decrypted by another one, too', () => {
    const own = (name: string, priority: number, pluginClass: string, config: JsonObject): Resource =>
      resource('Interceptor', { name, scope: PROD }, { pluginClass, priority, config });
    const alias = (name: string): Resource =>
      resource('AliasTopic', { name, ...PROD }, { physicalName: 'big' });
    const masking = (topic: string, field = 'number'): Resource =>
      own('mask', 9, MASK, { topic, policies: [{ name: 'p', rule: { type: 'MASK_ALL' }, fields: [field] }] });
    const fields = [{ fieldName: 'number', keySecretId: 'in-memory-kms://k' }];
    const always = [
      ...[alias('cards'), alias('copy')],
      own('enc', 1, ENCRYPT, { topic: 'cards', kmsConfig: {}, recordValue: { fields } }),
    ];
    const decrypting = (topic: string): Resource =>
      own('dec', 5, 'io.conduktor.gateway.interceptor.DecryptPlugin', { topic, kmsConfig: {} });
    const told = (...masks: readonly [Resource, Resource?]) =>
      planned(
        [...always, decrypting('cards'), masks[0]],
        [...always, decrypting('cards|copy'), masks[1] ?? masks[0]],
      ).told;
    const lost = [
      'clients of prod (all other clients, bob and eve) have weaker encryption: number of copy is decrypted, with Interceptor/dec@vCluster=prod',
    ];
    expect(told(masking('cards'))).toEqual(lost);
    expect(told(masking('cards'), masking('cards|copy'))).toEqual([]);
    expect(told(masking('cards|copy'))).toEqual([]);
    expect(told(masking('other'))).toEqual([]); // it was in clear by the former name
    expect(told(masking('cards', 'name'))).toEqual([]);
  });

  it('is told where ACLs deny a topic by its name, and not by the one that an alias topic gives it', () => {
    const acl = (permissionType: string, name: string): JsonObject => ({
      resourcePattern: { resourceType: 'TOPIC', name, patternType: 'LITERAL' },
      ...{ principal: 'User:ann', host: '*', operation: 'READ', permissionType },
    });
    const cluster = (...acls: readonly JsonObject[]): readonly Resource[] => [
      resource('VirtualCluster', { name: 'acl' }, { aclEnabled: true, aclMode: 'REST_API', acls }),
      resource('GatewayServiceAccount', { name: 'ann', vCluster: 'acl' }, { type: 'LOCAL' }),
    ];
    const alias = (name: string, of: string): Resource =>
      resource('AliasTopic', { name, vCluster: 'acl' }, { physicalName: of });
    const live = [...cluster(acl('ALLOW', '*'), acl('DENY', 'cards')), alias('cards', 'big')];
    const told = (...added: readonly Resource[]) => planned(live, [...live, ...added]).told;
    const looser = 'ann in acl has weaker access control: the ACLs on copy are looser (acls)';
    const expected = [`${looser}, with AliasTopic/copy@vCluster=acl`];
    expect(told(alias('copy', 'big'))).toEqual(expected);
    const plain = cluster(acl('ALLOW', '*'), acl('DENY', 'cards'));
    expect(planned(plain, [...plain, alias('copy', 'aclcards')]).told).toEqual(expected);
    expect(told(alias('copy', 'aclcards'))).toEqual([]); // the alias topic hides it
    expect(told(alias('copy', 'other'))).toEqual([]);
    const own = [...cluster(acl('ALLOW', '*'), acl('DENY', 'cards')), alias('cards', 'acl-cards')];
    expect(planned(own, [...own, alias('copy', 'acl-cards')]).told).toEqual(expected); // -cards is no name of it
    const hidden = (TOPIC: string) => planned(live, [...live, alias('copy', '$TOPIC')], { TOPIC }).told;
    expect(hidden('big')).toEqual([
      expect.stringContaining('cannot tell whether ann in acl has as strong access'),
    ]);
    expect(hidden('other')).toEqual(hidden('big'));
    const denied = cluster(acl('ALLOW', '*'), acl('DENY', 'cards'), acl('DENY', 'copy'));
    expect(planned(live, [...denied, alias('cards', 'big'), alias('copy', 'big')]).told).toEqual([]);
  });

  it('is told where a client that only an interceptor names gets an account, and with it another name', () => {
    const user = (username: string): Resource => mask('m', '.*', ['card'], { ...PROD, username });
    const account = (externalNames: readonly string[]): Resource =>
      resource('GatewayServiceAccount', { name: 'ann', ...PROD }, { type: 'EXTERNAL', externalNames });
    const lost = (live: readonly Resource[], wanted: readonly Resource[]) =>
      (planned(live, wanted).plan.exposures ?? []).map(({ username, identity, lasting }) => [
        username,
        identity?.externalName,
        lasting,
      ]);
    const told = [['ann', 'sub-1', true]];
    expect(lost([user('sub-1')], [user('sub-1'), account(['sub-1'])])).toEqual(told);
    expect(lost([user('sub-1'), account(['sub-2'])], [user('sub-1'), account(['sub-1'])])).toEqual(told);
    expect(lost([user('sub-1')], [user('ann'), account(['sub-1'])])).toEqual([]);
    expect(lost([user('sub-1')], [user('sub-1'), account(['sub-2'])])).toEqual([]);
    const taken = lost([user('bob')], [user('bob'), account(['bob'])]);
    expect(taken).toEqual([['ann', 'bob', true]]); // whoever has a token of the account bob
  });

  it('is told where an account that is renamed has the name of a super user', () => {
    const world = (...superUsers: readonly string[]): Resource =>
      resource('VirtualCluster', { name: 'prod' }, { aclEnabled: true, superUsers });
    const account = (name: string): Resource =>
      resource('GatewayServiceAccount', { name, ...PROD }, { type: 'LOCAL' });
    const from = 'GatewayServiceAccount/bob@vCluster=prod';
    const told = (...superUsers: readonly string[]) =>
      makePlan(
        stateOf(fileOf(world('ben', 'eve'), account('ben'))),
        liveStateOf([world(...superUsers), account('bob')]),
        catalog.kinds,
        {
          ...{ gateway: 'memory:', prune: ['*'] },
          removals: [removalOf(from, { to: 'GatewayServiceAccount/ben@vCluster=prod' })],
        },
      ).value.weakenings?.map(({ username, protection }) => [username, protection]);
    expect(told('ben', 'eve')).toEqual([['ben', 'access']]);
    expect(told('bob', 'eve')).toBeUndefined();
  });

  it.each<[string, JsonObject, readonly Resource[], readonly Resource[]]>([
    ['with an interceptor for it alone', { ...PROD, username: 'ann' }, [], []],
    ['in a group with an interceptor', { ...PROD, group: 'g' }, [group()], [group('ann')]],
  ])('is told where a new account has less than others, %s', (_, scope, before, after) => {
    const others = mask('m', '.*', ['card']);
    const exempt = mask('m', 'none', ['card'], scope);
    const told = (
      live: readonly Resource[],
      wanted: readonly Resource[],
      about: JsonObject = { type: 'LOCAL' },
    ) => {
      const account = resource('GatewayServiceAccount', { name: 'ann', ...PROD }, about);
      const { weakenings, exposures } = planned(live, [...wanted, account]).plan;
      return [...(weakenings ?? []), ...(exposures ?? [])].map(({ username, protection }) => [
        username,
        protection,
      ]);
    };
    const lost = [['ann', 'masking']];
    expect(told([others], [others, ...after, exempt])).toEqual(lost);
    expect(
      told([others], [others, ...after, exempt], { type: 'EXTERNAL', externalNames: ['sub-1'] }),
    ).toEqual(lost);
    const audit = {
      pluginClass: 'io.conduktor.gateway.interceptor.AuditPlugin',
      priority: 1,
      config: { topic: '.*' },
    };
    expect(told([others], [others, ...after, { ...exempt, spec: audit }])).toEqual(lost);
    expect(told([], [...after, exempt])).toEqual([]);
    // What a group is for is told where the group gets it.
    expect(told([others, ...before, exempt], [others, ...after, exempt])).toEqual([]);
  });

  it('is told where a new account has no mask for the new name of a topic that is masked for others', () => {
    const added = [
      resource('GatewayServiceAccount', { name: 'ann', ...PROD }, { type: 'LOCAL' }),
      resource('AliasTopic', { name: 'shown', ...PROD }, { physicalName: 'prodorders' }),
      mask('n', 'shown', ['card']),
      mask('n', 'shown', ['other'], { ...PROD, username: 'ann' }),
    ];
    const masked = mask('m', 'orders', ['card']);
    expect(planned([masked], [masked, ...added]).told).toEqual([
      'ann in prod has weaker masking: card of shown is shown in clear, with AliasTopic/shown@vCluster=prod',
    ]);
    // What its group has already is no loss.
    const exempt = mask('m', 'orders', ['other'], { ...PROD, group: 'g' });
    const own = [masked, exempt];
    expect(planned([...own, group()], [...own, group('ann'), ...added]).told).toEqual([]);
  });

  it('is told where members of an external group have less in a new virtual cluster', () => {
    const there = { vCluster: 'fresh' };
    const added = [
      resource('VirtualCluster', { name: 'fresh' }),
      resource('GatewayGroup', { name: 'partners' }, { externalGroups: ['okta'] }),
      resource('AliasTopic', { name: 'shown', ...there }, { physicalName: 'prodorders' }),
      mask('m', 'shown', ['card'], there),
      mask('m', 'shown', ['other'], { ...there, group: 'partners' }),
    ];
    const masked = mask('m', 'orders', ['card']);
    expect(planned([masked], [masked, ...added]).told).toEqual([
      'members of the external group okta in fresh have weaker masking: card of shown is shown in clear, with AliasTopic/shown@vCluster=fresh',
    ]);
  });

  it('makes a plan stale that gives a name to a topic which is masked by another one since', async () => {
    const world = makeWorld({});
    const alias = (name: string): Resource =>
      resource('AliasTopic', { name, ...PROD }, { physicalName: 'p' });
    const at = ['--url', 'embedded:s.json', '-f', 'a.yaml'];
    const applied = async (...some: readonly Resource[]): Promise<void> => {
      world.write('a.yaml', fileOf(...some));
      const { code, err } = await world.run('apply', ...at, '--auto-approve');
      expect(code, err).toBe(0);
    };
    await applied(resource('VirtualCluster', { name: 'prod' }, {}), alias('cards'));
    world.write('a.yaml', fileOf(alias('slips')));
    expect((await world.run('plan', ...at, '--fail-on', 'loss', '--out', 'p.plan')).code).toBe(0);
    await applied(mask('m', 'cards', ['card']));
    const { code, err } = await world.run('apply', 'p.plan', '--url', 'embedded:s.json');
    expect([code, err]).toEqual([4, expect.stringMatching(/stale-plan.*: card of slips is shown in clear/)]);
  });

  it('is told where a group with a new account is no longer masked', () => {
    const masked = mask('m', '.*', ['card'], { ...PROD, group: 'g' });
    const account = resource('GatewayServiceAccount', { name: 'ann', ...PROD }, { type: 'LOCAL' });
    const { plan } = planned([group(), masked], [group('ann'), account]);
    expect(plan.exposures?.map(({ username, lasting, from }) => [username, lasting, from])).toEqual([
      ['ann', true, 'Interceptor/m@vCluster=prod,group=g'],
    ]);
  });

  it('is told where clients of a new virtual cluster get what is encrypted in another one, decrypted', () => {
    const config = {
      topic: 'cards',
      recordValue: { fields: [{ fieldName: 'pan', keySecretId: 'in-memory-kms://k' }] },
    };
    const encrypt = resource(
      'Interceptor',
      { name: 'e', scope: PROD },
      { pluginClass: ENCRYPT, priority: 1, config },
    );
    const alias = (name: string, vCluster: string): Resource =>
      resource('AliasTopic', { name, vCluster }, { physicalName: 'payments-v1' });
    const live = [encrypt, alias('cards', 'prod')];
    const decrypt = (vCluster: string): Resource =>
      resource(
        'Interceptor',
        { name: 'd', scope: { vCluster } },
        { pluginClass: DECRYPT, priority: 2, config: { topic: '.*' } },
      );
    const told = (name: string, ...added: readonly Resource[]) =>
      planned(live, [...live, resource('VirtualCluster', { name }, {}), decrypt(name), ...added]).told;
    expect(told('lab', alias('copy', 'lab'))).toEqual([
      'all other clients in lab have weaker encryption: pan of copy is decrypted, with Interceptor/d@vCluster=lab',
    ]);
    expect(told('pay')).toEqual([
      'all other clients in pay have weaker encryption: pan of ments-v1 is decrypted, with Interceptor/d@vCluster=pay',
    ]);
    expect(told('lab')).toEqual([]);
  });

  it('leaves an interceptor its protection where not all of its config is known', () => {
    const newer = resource(
      'Interceptor',
      { name: 'a', scope: PROD },
      { pluginClass: MASK, priority: 1, config: { rules: [{}] } },
    );
    const state = makeEffectiveState([['Interceptor/a@vCluster=prod' as Address, newer]], catalog.kinds);
    expect(state.links().map(makeProtection())).toEqual([['masking']]);
  });
});
