import { describe, expect, it } from 'vitest';
import { bindPlan, checkPlan, type BoundPlan } from '../../../src/apply/verify/check-plan.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { sealPlan } from '../../../src/plan/saved/seal-plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { fileOf, liveStateOf, planFor } from '../../support/plans.ts';
import { findingDigester } from '../../support/quick-key.ts';
import {
  account,
  alias,
  cluster,
  group,
  interceptor,
  scoped,
  vault,
  workingConfig,
} from '../../support/resources.ts';

const SALT = 'salt';

describe('an object that the plan changes', () => {
  it.each<[string, Resource, readonly Resource[], readonly Resource[], string]>([
    [
      'has another value in a field',
      cluster('prod', { superUsers: ['me'] }),
      [cluster('prod', { type: 'Standard' })],
      [cluster('prod', { type: 'Partner' })],
      'has changed since the plan was made: /spec/type is now "Partner" (was "Standard")',
    ],
    [
      'has one item more, and one less',
      group('team', 'ann', 'bob'),
      [group('team', 'ann', 'cid'), ...['ann', 'bob', 'cid', 'dan'].map((name) => account(name))],
      [group('team', 'dan', 'cid'), ...['ann', 'bob', 'cid', 'dan'].map((name) => account(name))],
      'has changed since the plan was made: /spec/members/0 is now {"name":"dan","vCluster":"passthrough"} (was {"name":"ann","vCluster":"passthrough"})',
    ],
    [
      'has a field that gwconf does not know',
      cluster('prod', { superUsers: ['me'] }),
      [cluster('prod')],
      [cluster('prod', { novelty: 1 })],
      'has changed since the plan was made: /spec/novelty is now 1',
    ],
    [
      'differs in many fields',
      interceptor('i', { a: 2 }),
      [interceptor('i', { a: 1, b: 1, c: 1, d: 1, e: 1 })],
      [interceptor('i', { a: 3, b: 3, c: 3, d: 3, e: 3 })],
      'has changed since the plan was made: /spec/config/a is now 3 (was 1), /spec/config/b is now 3 (was 1), /spec/config/c is now 3 (was 1), 2 more differ',
    ],
    ['is gone', cluster('prod', { superUsers: ['me'] }), [cluster('prod')], [], 'no longer exists'],
    [
      'was to be made and is there by now',
      cluster('prod', { superUsers: ['me'] }),
      [],
      [cluster('prod', { superUsers: ['you'] })],
      'now exists and differs from the plan: /spec/superUsers/0 is not set, /spec/superUsers/0 is "you"',
    ],
  ])('is named with what moved when it %s', (_, wanted, before, now, moved) => {
    const others = before.filter(({ kind }) => kind !== wanted.kind);
    for (const stale of lookedAgain([wanted, ...others], before, now)) {
      expect(stale).toHaveLength(1);
      expect(stale[0]?.message).toMatch(/^\w+\/\S+ \(in\.yaml:\d+\) /);
      expect(stale[0]?.message.replace(/^.*?\) /, '')).toBe(moved);
    }
  });

  it('is named even when it is to be deleted, which no file asks for', () => {
    expect(messages([], [cluster('old')], [cluster('old', { superUsers: ['x'] })])).toEqual([
      'VirtualCluster/old has changed since the plan was made: /spec/superUsers/0 is now "x"',
    ]);
  });

  it('is named each time, all in one run', () => {
    const wanted = ['a', 'b', 'c'].map((name) => cluster(name, { superUsers: ['me'] }));
    const before = ['a', 'b'].map((name) => cluster(name));
    const now = [cluster('b', { superUsers: ['x'] }), cluster('c')];
    expect(stale(wanted, before, now).map(({ address }) => address)).toEqual([
      'VirtualCluster/a',
      'VirtualCluster/b',
      'VirtualCluster/c',
    ]);
  });

  it('tells no secret, old, planned or new', () => {
    const runs = lookedAgain([vault('planned')], [vault('before')], [vault('moved')]);
    for (const [problem] of runs) expect(problem?.message).toMatch(/: a secret in it has changed$/);
    const added = messages([vault('planned')], [vault('before')], [vault('moved', { uri: 'u' })]);
    expect(added).toEqual([expect.stringContaining('/spec/config/kmsConfig/vault/uri is now "u"')]);
    expect(added.join()).not.toMatch(/planned|before|moved/);
  });

  it('tells none that took the place of what a variable fills in', () => {
    const wanted = interceptor('i', { url: '${URL}' });
    const [before, now] = [interceptor('i', { url: 'u-before' }), interceptor('i', { url: 'u-moved' })];
    const texts = stale([wanted], [before], [now], { URL: 'u-planned' }).map(({ message }) => message);
    expect(texts).toEqual([expect.stringMatching(/: a secret in it has changed$/)]);
  });
});

describe('an object that the plan relies on', () => {
  const member = account('app');
  const before = [cluster('prod', { superUsers: ['me'] }), member, group('team', 'app')];
  const wanted = [
    ...before,
    alias('orders', 'prod'),
    alias('payments', 'prod'),
    scoped('mask', { group: 'team' }),
  ];
  const others = [member, group('team', 'app')];

  it('makes it stale when it changed, and who relies on it is named', () => {
    expect(messages(wanted, before, [cluster('prod'), ...others])).toEqual([
      'AliasTopic/orders@vCluster=prod and AliasTopic/payments@vCluster=prod depend on VirtualCluster/prod, which has changed since the plan was made',
    ]);
  });

  it('makes it stale when it is gone', () => {
    expect(messages(wanted, before, others)).toEqual([
      expect.stringMatching(/ depend on VirtualCluster\/prod, which no longer exists$/),
    ]);
  });

  it('makes an interceptor stale when its group has other members: another audience', () => {
    const now = [
      cluster('prod', { superUsers: ['me'] }),
      member,
      account('boss'),
      group('team', 'app', 'boss'),
    ];
    expect(messages(wanted, before, now)).toEqual([
      'Interceptor/mask@vCluster=passthrough,group=team depends on GatewayGroup/team, which has changed since the plan was made',
    ]);
  });

  it('does not matter any more when what relies on it is made', () => {
    const now = [...wanted.filter(({ kind }) => kind !== 'VirtualCluster'), cluster('prod')];
    expect(messages(wanted, before, now)).toEqual([]);
  });
});

describe('what was not there when the plan was made', () => {
  it('makes it stale when it has a value that the plan takes', () => {
    expect(messages([account('ann', 'sub-1')], [], [account('bob', 'sub-1')])).toEqual([
      'GatewayServiceAccount/ann@vCluster=passthrough needs the external name that GatewayServiceAccount/bob@vCluster=passthrough now has',
    ]);
  });

  it('makes it stale when it has one of the values that go round in the plan', () => {
    const wanted = [account('ann', 'sub-2'), account('bob', 'sub-1')];
    const before = [account('ann', 'sub-1'), account('bob', 'sub-0')];
    const now = [account('ann', 'sub-1'), account('bob', 'sub-0'), account('cid', 'sub-2')];
    expect(stale(wanted, before, now).map(({ address }) => address)).toEqual([
      'GatewayServiceAccount/cid@vCluster=passthrough',
    ]);
  });

  it.each<[string, readonly Resource[], readonly Resource[], string]>([
    [
      'an alias in a virtual cluster',
      [cluster('old')],
      [cluster('old'), alias('orders', 'old')],
      'VirtualCluster/old would be deleted, but AliasTopic/orders@vCluster=old refers to it now',
    ],
    [
      'an interceptor on a group',
      [group('team')],
      [group('team'), scoped('mask', { group: 'team' })],
      'GatewayGroup/team would be deleted, but Interceptor/mask@vCluster=passthrough,group=team refers to it now',
    ],
    [
      'a group of an account',
      [account('app')],
      [account('app'), group('one', 'app'), group('two', 'app')],
      'GatewayServiceAccount/app@vCluster=passthrough would be deleted, but GatewayGroup/one and GatewayGroup/two refer to it now',
    ],
  ])('makes it stale when it is %s that goes', (_, before, now, message) => {
    expect(messages([], before, now)).toEqual([message]);
  });

  it('makes it stale when an alias topic of another physical cluster came to the virtual cluster', () => {
    const wanted = [cluster('prod'), alias('orders', 'prod', { physicalCluster: 'main' })];
    const now = [cluster('prod'), alias('late', 'prod', { physicalCluster: 'far' })];
    expect(messages(wanted, [cluster('prod')], now)).toEqual([
      'AliasTopic/orders@vCluster=prod needs the same /spec/physicalCluster as AliasTopic/late@vCluster=prod, which now has another value',
    ]);
  });

  it('does not matter where nothing in the plan has to do with it, whatever its kind', () => {
    const before = [cluster('prod'), account('app', 'sub-0'), group('old')];
    const wanted = [cluster('prod'), alias('orders', 'prod'), account('app', 'sub-1'), scoped('mask', {})];
    const elsewhere = [
      cluster('other', { superUsers: ['x'] }),
      alias('orders', 'other', { physicalCluster: 'far' }),
      account('somebody', 'sub-9'),
      group('crowd', 'somebody'),
      scoped('mask', { group: 'crowd' }),
      scoped('mask', { vCluster: 'prod' }),
    ];
    expect(messages(wanted, before, [...before, ...elsewhere])).toEqual([]);
  });
});

describe('an object with an extra step', () => {
  it('is named once when it moved', () => {
    const [old, made] = ['old', 'new'].map((name) => account(name, 'sub-1'));
    if (old === undefined || made === undefined) throw new Error('there are two');
    const wanted = [made, group('team', 'new')];
    const now = [old, account('cid'), group('team', 'cid')];
    expect(messages(wanted, [old, group('team', 'old')], now)).toEqual([
      expect.stringMatching(/^GatewayGroup\/team .* has changed since the plan was made/),
    ]);
  });

  it('is named once when it is temporary, and somebody has one of that name', () => {
    const [mask, audit] = ['FieldLevelDataMaskingPlugin', 'AuditPlugin'].map((name) => {
      const pluginClass = `io.conduktor.gateway.interceptor.${name}`;
      return (one: string): Resource => interceptor(one, workingConfig(pluginClass), pluginClass);
    });
    if (mask === undefined || audit === undefined) throw new Error('there are two');
    const before = [mask('a'), audit('b')];
    expect(
      messages([audit('a'), mask('b')], before, [...before, interceptor('b-gwconf-bridge', {})]),
    ).toEqual([
      expect.stringMatching(/^Interceptor\/b-gwconf-bridge\S* now exists and differs from the plan/),
    ]);
  });
});

/** What a saved plan finds stale, and the same plan without having left the process. */
function lookedAgain(
  wanted: readonly Resource[],
  before: readonly Resource[],
  now: readonly Resource[],
  variables?: Readonly<Record<string, string>>,
): readonly (readonly Problem[])[] {
  const { plan, desired } = planFor(fileOf(...wanted), before, variables);
  const about = { tool: 'gwconf', createdAt: '2026-03-01T12:00:00Z', salt: SALT };
  const plans: readonly BoundPlan[] = [
    sealPlan(plan, desired, catalog.kinds, about, findingDigester),
    bindPlan(plan, catalog.kinds),
  ];
  return plans.map((one) => checkPlan(one, liveStateOf(now), catalog.kinds, findingDigester).stale);
}

function stale(...given: Parameters<typeof lookedAgain>): readonly Problem[] {
  const [saved = [], unsaved] = lookedAgain(...given);
  expect(unsaved).toEqual(saved);
  for (const problem of saved) {
    expect(problem).toMatchObject({ code: 'stale-plan', severity: 'error', hint: 'plan again' });
  }
  return saved;
}

function messages(...given: Parameters<typeof lookedAgain>): readonly string[] {
  return stale(...given).map(({ message }) => message);
}
