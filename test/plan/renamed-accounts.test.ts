import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Principal } from '../../src/model/principal.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { assessChanges } from '../../src/plan/exposure/assess.ts';
import { makeUndo, withoutTaken } from '../../src/plan/undo/undo.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { stateOf } from '../support/expect-problems.ts';
import fc from '../support/fast-check.ts';
import { resource } from '../support/kinds.ts';
import { fileOf, liveStateOf } from '../support/plans.ts';
import { removalOf } from '../support/rules.ts';
import { orAll } from '../support/soak.ts';

const mask = (name: string, fields: readonly string[], scope: JsonObject, topic = '.*'): Resource =>
  resource(
    'Interceptor',
    { name, scope: { vCluster: 'prod', ...scope } },
    {
      pluginClass: 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin',
      priority: 1,
      config: { topic, policies: [{ name: 'p', rule: {}, fields }] },
    },
  );
const group = (...members: readonly string[]): Resource =>
  resource('GatewayGroup', { name: 'g' }, { members: members.map((name) => ({ name, vCluster: 'prod' })) });
const account = (name: string, vCluster = 'prod', spec: JsonObject = { type: 'LOCAL' }): Resource =>
  resource('GatewayServiceAccount', { name, vCluster }, spec);
const acl = (username: string, permissionType: string): JsonObject => ({
  resourcePattern: { resourceType: 'TOPIC', name: 'cards', patternType: 'LITERAL' },
  principal: `User:${username}`,
  host: '*',
  operation: 'READ',
  permissionType,
});
const cluster = (...acls: readonly JsonObject[]): Resource =>
  resource('VirtualCluster', { name: 'prod' }, { aclEnabled: true, aclMode: 'REST_API', acls });

const alias = (name: string): Resource =>
  resource('AliasTopic', { name, vCluster: 'prod' }, { physicalName: 'cards' });

function planned(
  live: readonly Resource[],
  after: readonly Resource[],
  to: string | null = 'ben@vCluster=prod',
) {
  const from = 'GatewayServiceAccount/bob@vCluster=prod';
  const isRenamed =
    to !== null &&
    !after.some(({ kind, metadata: { name } }) => kind === 'GatewayServiceAccount' && name === 'bob');
  const { value, problems } = makePlan(stateOf(fileOf(...after)), liveStateOf(live), catalog.kinds, {
    gateway: 'memory:',
    prune: ['*'],
    removals: isRenamed ? [removalOf(from, { to: `GatewayServiceAccount/${to}` })] : [],
  });
  const told = problems
    .filter(({ code }) => ['lost-protection', 'weakened-protection', 'exposure'].includes(code))
    .map(({ message }) => message);
  return { plan: value, told };
}

describe('whoever logs in by an external name that goes to another account is one client before and after', () => {
  const ext = (name: string, id: string, vCluster = 'prod'): Resource =>
    account(name, vCluster, { type: 'EXTERNAL', externalNames: [id] });
  const toldOf = (all: readonly Resource[], live: readonly Resource[], ...after: readonly Resource[]) =>
    planned([...all, ...live], [...all, ...after], null).told.map((one) =>
      one.replace(/( \(\w+\))?, with .*/, ''),
    );
  const swapped = [
    [ext('bob', 'sub-1'), ext('ben', 'sub-2')],
    [ext('bob', 'sub-2'), ext('ben', 'sub-1')],
  ] as const;
  const as = (id: string, was: string, is: string): string =>
    `whoever logs in as ${id} (${was} before, ${is} after) in prod has weaker access control: the ACLs `;

  it('whom ACLs denied something that they do not deny the other account', () => {
    const denied = [cluster(acl('bob', 'DENY'), acl('*', 'ALLOW'))];
    expect(toldOf(denied, [ext('bob', 'sub-1')], ext('ben', 'sub-1'))).toEqual([
      'ben in prod has weaker access control: the ACLs on cards are looser',
    ]);
    expect(toldOf(denied, swapped[0], ...swapped[1])).toEqual([
      as('sub-1', 'bob', 'ben') + 'on cards are looser',
    ]);
    expect(toldOf(denied, [ext('ben', 'sub-1')], ext('bob', 'sub-1'))).toEqual([]);
    expect(toldOf([cluster(acl('bob', 'DENY'))], [ext('bob', 'sub-1')], ext('ben', 'sub-1'))).toEqual([]);
  });

  it('of a LOCAL account, too, whose name becomes an external one', () => {
    const there = [cluster(), account('kim'), mask('m', ['card'], {})];
    const { told } = planned(there, [
      ...there,
      account('ana', 'prod', { type: 'EXTERNAL', externalNames: ['kim'] }),
      mask('m', [], { username: 'ana' }),
    ]);
    expect(told).toMatchInlineSnapshot(`
      [
        "whoever logs in as kim (kim before, ana after) in prod loses masking permanently, with the create of GatewayServiceAccount/ana@vCluster=prod; Interceptor/m@vCluster=prod gave it",
      ]
    `);
  });

  it('which the account of a super user frees from them', () => {
    const spec = { aclEnabled: true, superUsers: ['bob'] };
    const supers = resource('VirtualCluster', { name: 'prod' }, spec);
    expect(toldOf([supers], swapped[0], ...swapped[1])).toEqual([
      as('sub-2', 'ben', 'bob') + 'are no longer enforced',
    ]);
    const renamed = resource('VirtualCluster', { name: 'prod' }, { ...spec, superUsers: ['ben'] });
    expect(toldOf([], [supers, ext('bob', 'sub-1')], renamed, ext('ben', 'sub-1'))).toEqual([]);
  });

  it('which another virtual cluster has without ACLs, and by other names of topics', () => {
    const lab = resource('VirtualCluster', { name: 'lab' }, {});
    const who = 'whoever logs in as sub-1 (bob in prod before, bob after) in lab has weaker';
    const moved = (...all: readonly Resource[]) =>
      toldOf([lab, ...all], [ext('bob', 'sub-1')], ext('bob', 'sub-1', 'lab'));
    expect(moved(cluster(acl('*', 'ALLOW')))).toEqual([
      `${who} access control: the ACLs are no longer enforced`,
    ]);
    const open = resource('VirtualCluster', { name: 'prod' }, {});
    const view = resource('AliasTopic', { name: 'view', vCluster: 'lab' }, { physicalName: 'prodcards' });
    const masked = mask('m', ['card'], { vCluster: null }, 'cards');
    expect(moved(open, masked, view)).toEqual([`${who} masking: card of view is shown in clear`]);
    expect(moved(open, masked)).toEqual([]);
    expect(moved(open, mask('m', ['card'], { vCluster: null }, 'cards|view'), view)).toEqual([]);
  });

  it('by which names another virtual cluster has its topics without an object, too', () => {
    const open = [
      resource('VirtualCluster', { name: 'prod' }, {}),
      resource('VirtualCluster', { name: 'ca' }, {}),
    ];
    const moved = (vCluster: string, topics: string, ...all: readonly Resource[]) =>
      toldOf(
        [...open, mask('m', ['card'], { vCluster: null }, topics), ...all],
        [ext('bob', 'sub-1')],
        ext('bob', 'sub-1', vCluster),
      );
    const view = resource('AliasTopic', { name: 'view', vCluster: 'prod' }, { physicalName: 'cards' });
    const told = (where: string, name: string) => [
      `whoever logs in as sub-1 (bob in prod before, bob after) in ${where} has weaker masking: card of ${name} is shown in clear`,
    ];
    expect(moved('passthrough', 'view', view)).toEqual(told('passthrough', 'cards'));
    expect(moved('ca', 'view', view)).toEqual(told('ca', 'rds'));
    expect(moved('passthrough', 'view|cards', view)).toEqual([]);
    expect(moved('passthrough', 'other', view)).toEqual([]);
    const away = resource('AliasTopic', { name: 'cards', vCluster: 'passthrough' }, { physicalName: 'x' });
    expect(moved('passthrough', 'view', view, away)).toEqual([]);
  });
});

describe('an account that is renamed is one client before and after', () => {
  const own = { username: 'bob' };

  it('also in the undo of a run that stopped between both halves', () => {
    const after = [cluster(), account('ben'), mask('m', ['card'], { username: 'ben' })];
    const undo = makeUndo(planned([cluster(), account('bob')], after).plan.changes, catalog.kinds);
    for (const now of [after, [...after, account('bob')]]) {
      const live = liveStateOf(now).resources;
      const left = withoutTaken(undo.changes, live, catalog.kinds);
      expect(assessChanges(live, left, catalog.kinds).exposures).toMatchObject([
        { username: 'bob', identity: { was: { username: 'ben' } }, protection: 'masking', lasting: true },
      ]);
    }
  });

  it('which loses what is for its former name, with the account', () => {
    const { plan, told } = planned(
      [cluster(), account('bob'), mask('m', ['card'], own)],
      [cluster(), account('ben'), mask('m', ['card'], own)],
    );
    expect(told).toEqual([expect.stringContaining('ben (bob before) in prod loses masking permanently')]);
    expect(plan.exposures).toMatchObject([
      {
        identity: { was: { virtualCluster: 'prod', username: 'bob' } },
        from: 'GatewayServiceAccount/bob@vCluster=prod',
      },
    ]);
  });

  it('or a part of it', () => {
    const live = [mask('m', ['card'], { group: 'g' }), mask('n', ['iban'], {})];
    const { told } = planned(
      [cluster(), account('bob'), group('bob'), ...live],
      [cluster(), account('ben'), group(), ...live],
    );
    expect(told).toEqual([expect.stringContaining('ben (bob before) in prod has weaker masking: card')]);
  });

  it('or what an ACL has denied it, also where the virtual cluster does not change', () => {
    const world = cluster(acl('bob', 'DENY'), acl('*', 'ALLOW'));
    expect(planned([world, account('bob')], [world, account('ben')]).told).toEqual([
      expect.stringContaining('ben in prod has weaker access control: the ACLs on cards are looser'),
    ]);
    const renamed = cluster(acl('ben', 'DENY'), acl('*', 'ALLOW'));
    expect(planned([world, account('bob')], [renamed, account('ben')]).told).toEqual([]);
  });

  it('in another virtual cluster, too, and as one that is there already', () => {
    const other = resource('VirtualCluster', { name: 'new' }, {});
    const live = [cluster(), account('bob'), mask('m', ['card'], {})];
    const after = [cluster(), other, account('ben', 'new'), mask('m', ['card'], {})];
    const told = [
      expect.stringContaining('ben (bob in prod before) in new loses masking permanently'),
      expect.stringContaining('in new has weaker access control: the ACLs are no longer enforced'),
    ];
    expect(planned(live, after, 'ben@vCluster=new').told).toEqual(told);
    expect(planned([...live, other, account('ben', 'new')], after, 'ben@vCluster=new').told).toEqual(told);
  });

  it('and is told of once where its external name goes with it', () => {
    const spec = { type: 'EXTERNAL', externalNames: ['sub-1'] };
    const { plan } = planned(
      [cluster(), account('bob', 'prod', spec), mask('m', ['card'], own)],
      [cluster(), account('ben', 'prod', spec), mask('m', ['card'], own)],
    );
    expect(plan.exposures).toMatchObject([{ identity: { externalName: 'sub-1' } }]);
  });

  it('also where a topic that is protected for its group gets another name', () => {
    const masked = mask('m', ['card'], { group: 'g' }, 'cards');
    const { told } = planned(
      [cluster(), account('bob'), group('bob'), masked, alias('cards')],
      [cluster(), account('ben'), group('ben'), masked, alias('cards'), alias('view')],
    );
    expect(told).toEqual([
      expect.stringContaining('ben (bob before) in prod has weaker masking: card of view'),
    ]);
  });

  it('of whom the same is told as of one whose name stays, while what names it changes', () => {
    type Sort = readonly [
      name: string,
      fields: readonly string[],
      scope: 'all' | 'group' | 'user',
      topic: string,
    ];
    const sort = fc.tuple(
      fc.constantFrom('m', 'n'),
      fc.subarray(['card', 'iban'], { minLength: 1 }),
      fc.constantFrom<Sort[2][]>('all', 'group', 'user'),
      fc.constantFrom('.*', 'cards'),
    );
    const side = fc.record({
      masks: fc.uniqueArray(sort, { maxLength: 4, selector: ([name, , scope]) => `${name} ${scope}` }),
      isMember: fc.boolean(),
      isDenied: fc.boolean(),
      hasView: fc.boolean(),
    });
    const worldOf = (
      { masks, isMember, isDenied, hasView }: ReturnType<typeof side.generate>['value'],
      name: string,
    ) => [
      cluster(...(isDenied ? [acl(name, 'DENY')] : []), acl('*', 'ALLOW')),
      account(name),
      group(...(isMember ? [name] : [])),
      ...['cards', ...(hasView ? ['view'] : [])].map(alias),
      ...masks.map(([of, fields, scope, topic]) =>
        mask(of, fields, { all: {}, group: { group: 'g' }, user: { username: name } }[scope], topic),
      ),
    ];
    const lasting = ({ exposures = [], weakenings = [] }: Plan, isOne: (one: Principal) => boolean) => [
      ...exposures
        .filter((one) => one.lasting && isOne(one))
        .map(({ protection, lost }) => [protection, lost]),
      ...weakenings
        .filter((one) => one.until === undefined && isOne(one))
        .map(({ by, parts }) => [by, parts]),
    ];
    fc.assert(
      fc.property(side, side, (before, after) => {
        const renamed = planned(worldOf(before, 'bob'), worldOf(after, 'ben')).plan;
        const same = planned(worldOf(before, 'bob'), worldOf(after, 'bob')).plan;
        const told = (plan: Plan, name: string): string =>
          JSON.stringify(lasting(plan, ({ username }) => username === name)).replaceAll('=ben', '=bob');
        expect(told(renamed, 'ben')).toBe(told(same, 'bob'));
      }),
      { numRuns: orAll(40, 2000) },
    );
  });
});

describe('an account that is created', () => {
  const world = resource('VirtualCluster', { name: 'prod' }, { aclEnabled: true, superUsers: ['root'] });
  const [app, root] = [account('app'), account('root')];

  it('with the name of a super user gets past the ACLs, and another one does not', () => {
    const { plan, told } = planned([world, account('bob')], [world, account('bob'), app, root]);
    expect(told).toEqual([
      expect.stringContaining('root in prod has weaker access control: the ACLs are no'),
    ]);
    expect(plan.weakenings).toMatchObject([{ from: ['GatewayServiceAccount/root@vCluster=prod'] }]);
  });

  it('is not told of together with its virtual cluster, or where that enforces no ACLs', () => {
    expect(planned([account('bob')], [world, account('bob'), root]).told).toEqual([]);
    const open = resource('VirtualCluster', { name: 'prod' }, { superUsers: ['root'] });
    expect(planned([open, account('bob')], [open, account('bob'), root]).told).toEqual([]);
  });
});
