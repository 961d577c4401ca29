import { describe, expect, it } from 'vitest';
import { checkFresh, toSavedChange } from '../../src/apply/verify/check-plan.ts';
import { defineKind } from '../../src/schema/define-kind.ts';
import type { Resource } from '../../src/model/resource.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { idOf, isStep, type Change } from '../../src/plan/change/change.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { orderGateway } from '../support/order-states.ts';
import { fileOf, liveStateOf, planFor } from '../support/plans.ts';
import { account, group, scoped } from '../support/resources.ts';
import { desiredOf, liveOf, thing, toyKinds, type Toys } from '../support/toy-kinds.ts';
import { orAll } from '../support/soak.ts';

/** Accounts that each have the external name of another one. */
const cycle = (size: number, shift: number): readonly Resource[] =>
  Array.from({ length: size }, (_, at) => account(`app-${at}`, `sub-${(at + shift) % size}`));

describe('an external name', () => {
  it('is handed down a line without extra steps', async () => {
    expect(
      await stepsOf(
        [account('aaa', 'two'), account('bbb', 'three'), account('ccc', 'four')],
        [account('aaa', 'one'), account('bbb', 'two'), account('ccc', 'three')],
      ),
    ).toEqual(['update ccc', 'update bbb', 'update aaa']);
  });

  it('is swapped with one extra step, that says why', async () => {
    const wanted = [account('aaa', 'two'), account('bbb', 'one')];
    const there = [account('aaa', 'one'), account('bbb', 'two')];
    expect(await stepsOf(wanted, there)).toEqual(['update aaa (release)', 'update bbb', 'update aaa']);
    expect(planFor(fileOf(...wanted), there).plan.changes[0]).toMatchObject({
      step: 'release',
      reason:
        'releases its external name first, so that GatewayServiceAccount/bbb@vCluster=passthrough can take it',
      after: { spec: { type: 'EXTERNAL', externalNames: ['gwconf-released:passthrough/aaa'] } },
      fields: [
        { op: 'add', path: '/spec/externalNames/0', after: 'gwconf-released:passthrough/aaa' },
        { op: 'remove', path: '/spec/externalNames/0', before: 'one' },
      ],
      dependsOn: [],
    });
  });

  it.each([3, 10, 250])('goes round a cycle of %d with one extra step', async (size) => {
    const steps = await stepsOf(cycle(size, 1), cycle(size, 0));
    expect(steps.length).toBe(size + 1);
    expect(steps.filter((step) => step.endsWith('(release)'))).toEqual([steps[0]]);
  });

  it('goes round a cycle of thousands with one extra step', () => {
    const size = orAll(1_000, 10_000);
    const { changes } = planFor(fileOf(...cycle(size, 1)), cycle(size, 0)).plan;
    expect(changes.filter(isStep).map(idOf)).toEqual([changes[0]?.address].map((one) => `${one} (release)`));
    expect(changes).toHaveLength(size + 1);
  });

  it('goes round several cycles with one extra step each', async () => {
    const pairs = (shift: number): readonly Resource[] =>
      Array.from({ length: 20 }, (_, at) => account(`app-${at}`, `sub-${at ^ shift}`));
    const steps = await stepsOf(pairs(1), pairs(0));
    expect(steps.filter((step) => step.endsWith('(release)')).length).toBe(10);
  });

  it('is free once its account is LOCAL', async () => {
    expect(
      await stepsOf([account('aaa'), account('bbb', 'one')], [account('aaa', 'one'), account('bbb', 'two')]),
    ).toEqual(['update aaa', 'update bbb']);
  });

  it('is free once its account is deleted, and the delete says why it goes first', async () => {
    const [wanted, there] = [[account('bbb', 'one')], [account('aaa', 'one'), account('old')]];
    expect(await stepsOf(wanted, there)).toEqual(['delete aaa', 'create bbb', 'delete old']);
    const [early, , last] = planFor(fileOf(...wanted), there).plan.changes;
    expect(early?.reason).toBe(
      'goes first: GatewayServiceAccount/bbb@vCluster=passthrough takes its external name',
    );
    expect(last?.reason).toBeUndefined();
  });

  it('goes round a cycle in which one account is new and one goes', async () => {
    expect(
      await stepsOf(
        [account('aaa', 'two'), account('ccc', 'one')],
        [account('aaa', 'one'), account('bbb', 'two')],
      ),
    ).toEqual(['delete bbb', 'update aaa', 'create ccc']);
  });
});

describe('members of groups', () => {
  it('leave before their accounts are deleted', async () => {
    expect(await stepsOf([group('team')], [account('aaa'), group('team', 'aaa')])).toEqual([
      'update team',
      'delete aaa',
    ]);
  });

  it('make no cycle of an update that could as well come after another', async () => {
    // The group could wait for the update of aaa, which waits for the delete of bbb, which waits for the group.
    expect(
      await stepsOf(
        [account('aaa', 'two'), group('team', 'aaa')],
        [account('aaa', 'one'), account('bbb', 'two'), group('team', 'aaa', 'bbb')],
      ),
    ).toEqual(['update team', 'delete bbb', 'update aaa']);
  });

  it('are renamed with one extra step of their group, however many they are', async () => {
    expect(
      await stepsOf(
        [account('new-a', 'one'), account('new-b', 'two'), group('team', 'new-a', 'new-b')],
        [account('old-a', 'one'), account('old-b', 'two'), group('team', 'old-a', 'old-b')],
      ),
    ).toEqual([
      'update team (release)',
      'delete old-a',
      'delete old-b',
      'create new-a',
      'create new-b',
      'update team',
    ]);
  });

  it('are renamed with one extra step of their own, however many groups they are in', async () => {
    expect(
      await stepsOf(
        [account('new', 'one'), group('pii', 'new'), group('team', 'new')],
        [account('old', 'one'), group('pii', 'old'), group('team', 'old')],
      ),
    ).toEqual(['update old (release)', 'create new', 'update pii', 'update team', 'delete old']);
  });

  it('are renamed with one extra step of each group, where groups have many', () => {
    const renamed = (prefix: string): readonly Resource[] => [
      ...Array.from({ length: 12 }, (_, at) => account(`${prefix}-${at}`, `sub-${at}`)),
      ...Array.from({ length: 4 }, (_, at) =>
        group(
          `team-${at}`,
          ...Array.from({ length: 6 }, (_unused, member) => `${prefix}-${at * 2 + member}`),
        ),
      ),
    ];
    const { changes } = planFor(fileOf(...renamed('new')), renamed('old')).plan;
    expect(changes.filter(isStep).map(({ address }) => address)).toEqual([
      'GatewayGroup/team-0',
      'GatewayGroup/team-1',
      'GatewayGroup/team-2',
      'GatewayGroup/team-3',
    ]);
  });

  it('are swapped, join and leave at once', async () => {
    const steps = await stepsOf(
      [account('aaa', 'two'), account('bbb', 'one'), account('new', 'three'), group('team', 'bbb', 'new')],
      [account('aaa', 'one'), account('bbb', 'two'), account('old', 'three'), group('team', 'aaa', 'old')],
    );
    expect(steps.filter((step) => step.endsWith('(release)'))).toEqual([
      'update team (release)',
      'update aaa (release)',
    ]);
  });
});

describe('what is in place stays until its successor is', () => {
  it('a group is renamed under its interceptors', async () => {
    const guarded = (name: string): readonly Resource[] => [
      account('app'),
      group(name, 'app'),
      scoped('mask', { group: name }),
    ];
    expect(await stepsOf(guarded('new'), guarded('old'))).toEqual([
      'create new',
      'create mask@vCluster=passthrough,group=new',
      'delete mask@vCluster=passthrough,group=old',
      'delete old',
    ]);
  });

  it('an interceptor gets another scope', async () => {
    expect(
      await stepsOf([scoped('mask', { vCluster: null })], [scoped('mask', { vCluster: 'passthrough' })]),
    ).toEqual(['create mask@global', 'delete mask@vCluster=passthrough']);
  });

  it('a group with its members and its interceptors is renamed, and no guard goes early', async () => {
    const guarded = (name: string): readonly Resource[] => [
      account(`${name}-app`, 'one'),
      group(name, `${name}-app`),
      scoped('mask', { group: name }),
    ];
    expect(await stepsOf(guarded('new'), guarded('old'))).toEqual([
      'update old-app (release)',
      'create new-app',
      'create new',
      'create mask@vCluster=passthrough,group=new',
      'delete mask@vCluster=passthrough,group=old',
      'delete old',
      'delete old-app',
    ]);
  });

  it('a virtual cluster comes before what is in it, and goes after all of that', async () => {
    const inside = (vCluster: string): readonly Resource[] => [
      resource('VirtualCluster', { name: vCluster }),
      resource('AliasTopic', { name: 'orders', vCluster }, { physicalName: 'orders' }),
      resource('GatewayServiceAccount', { name: 'app', vCluster }, { type: 'LOCAL' }),
      scoped('mask', { vCluster }),
    ];
    const steps = await stepsOf(inside('new'), inside('old'));
    expect([steps[0], steps.at(-1)]).toEqual(['create new', 'delete old']);
    expect(steps.map((step) => step.split(' ')[0])).toEqual([
      ...Array<string>(4).fill('create'),
      ...Array<string>(4).fill('delete'),
    ]);
  });
});

describe('an object half-way through its extra step', () => {
  const wanted = [account('aaa', 'two'), account('bbb', 'one')];
  const there = [account('aaa', 'one'), account('bbb', 'two')];

  it.each([
    ['nothing was made', ['as-planned', 'as-planned', 'as-planned']],
    ['its step was made', ['already', 'as-planned', 'as-planned']],
    ['another took the name', ['already', 'already', 'as-planned']],
    ['all was made', ['already', 'already', 'already']],
  ])('is fresh when %s', async (_, expected) => {
    const { changes } = planFor(fileOf(...wanted), there).plan;
    const gateway = await orderGateway(there);
    const made = expected.filter((freshness) => freshness === 'already').length;
    for (const change of changes.slice(0, made)) await make(change, gateway);
    const live = liveStateOf(await gateway.list(kindOf('GatewayServiceAccount')));
    const fresh = checkFresh(changes.map(toSavedChange), live.resources, catalog.kinds, '');
    expect(changes.map((change) => fresh.get(idOf(change)))).toEqual(expected);
  });

  it('is stale when somebody else gave it a name', () => {
    const { changes } = planFor(fileOf(...wanted), there).plan;
    const live = liveStateOf([account('aaa', 'other'), account('bbb', 'two')]);
    const fresh = checkFresh(changes.map(toSavedChange), live.resources, catalog.kinds, '');
    expect(changes.map((change) => fresh.get(idOf(change)))).toEqual(['stale', 'as-planned', 'stale']);
  });
});

describe('a kind whose objects cannot be without a value', () => {
  it('has its cycles reported, with all that waits for them, and nothing left that names them', () => {
    const { value, problems } = planToys(
      {
        'Thing/a': { key: 2 },
        'Thing/b': { key: 1 },
        'Thing/free': { key: 3 },
        'Thing/user': { needs: ['c'] },
        'Thing/c': { key: 4, needs: ['d'] },
        'Thing/d': { key: 5 },
      },
      { 'Thing/a': { key: 1 }, 'Thing/b': { key: 2 }, 'Thing/d': { key: 4 }, 'Thing/old': { key: 5 } },
    );
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'order-cycle',
        message: 'Thing/a and Thing/b depend on each other',
      }),
    ]);
    expectWhole(value.changes);
    expect(value.changes.map(idOf)).not.toContain('Thing/a');
  });

  it('has what waits for a cycle reported with it', () => {
    const { value, problems } = planToys(
      { 'Thing/a': { key: 2 }, 'Thing/b': { key: 1 }, 'Thing/user': { key: 3 } },
      { 'Thing/a': { key: 1, more: 3 }, 'Thing/b': { key: 2 }, 'Thing/free': {} },
    );
    expect(problems).toMatchObject([{ code: 'order-cycle' }]);
    expectWhole(value.changes);
    const behind = planToys(
      { 'Thing/a': { key: 2 }, 'Thing/b': { key: 1, needs: ['x'] }, 'Thing/c': { needs: ['b'] } },
      { 'Thing/a': { key: 1 }, 'Thing/b': { key: 2, needs: ['x', 'y'] }, 'Thing/x': {}, 'Thing/y': {} },
    );
    expect(behind.problems.map(({ message }) => message)).toContain(
      'Thing/a and Thing/b depend on each other; Thing/c and Thing/y depend on them',
    );
    expectWhole(behind.value.changes);
  });

  it('has them opened once its form says how to be without', () => {
    const giving = defineKind({
      ...thingForm,
      release: ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, key: `free ${rest.metadata.name}` } }),
    });
    const kinds = new Map([...toyKinds, ['Thing', giving]]);
    const { value, problems } = planToys(
      { 'Thing/a': { key: 2, born: 2 }, 'Thing/b': { key: 1 } },
      { 'Thing/a': { key: 1, born: 1 }, 'Thing/b': { key: 2 } },
      kinds,
    );
    expect(problems).toEqual([]);
    expect(value.changes.map((change) => `${change.action} ${idOf(change)}`)).toEqual([
      'update Thing/a (release)',
      'update Thing/b',
      'replace Thing/a',
    ]);
  });
});

const thingForm = {
  name: thing.name,
  summary: thing.summary,
  apiVersion: thing.apiVersion,
  collection: thing.collection,
  removal: 'path',
  schema: thing.schema,
  example: thing.example,
  unique: ['/spec/key'],
  immutable: ['/spec/born'],
} as const;

function planToys(after: Toys, before: Toys, kinds = toyKinds): ReturnType<typeof makePlan> {
  return makePlan(desiredOf(after, kinds), liveOf(before, kinds), kinds, {
    gateway: 'memory:',
    prune: ['*'],
  });
}

/** No change waits for one that the plan does not have. */
function expectWhole(changes: readonly Change[]): void {
  const ids = new Set(changes.map(idOf));
  for (const { dependsOn } of changes) for (const id of dependsOn) expect(ids.has(id)).toBe(true);
}

/** The changes of a plan in short, each of which a gateway has just taken. */
async function stepsOf(wanted: readonly Resource[], there: readonly Resource[]): Promise<readonly string[]> {
  const { changes } = planFor(fileOf(...wanted), there).plan;
  const gateway = await orderGateway(there);
  const shown: string[] = [];
  for (const change of changes) {
    await make(change, gateway);
    const name = idOf(change).replace(/^[A-Za-z]+\//, '');
    shown.push(
      `${change.action} ${change.address.startsWith('Interceptor/') ? name : name.replace(/@[^ ]*/, '')}`,
    );
  }
  return shown;
}

async function make(change: Change, gateway: Awaited<ReturnType<typeof orderGateway>>): Promise<void> {
  const kind = kindOf(change.address.slice(0, change.address.indexOf('/')));
  if (change.action === 'delete' || change.action === 'replace') await gateway.remove(kind, change.before);
  if (change.action !== 'delete') await gateway.put(kind, change.after);
}
