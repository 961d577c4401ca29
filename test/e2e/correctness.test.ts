import { describe, expect, it } from 'vitest';
import type { Resource } from '../../src/model/resource.ts';
import type { PlanReport } from '../../src/outcome/plan.ts';
import { type World } from '../support/cli.ts';
import { resource, writableKinds } from '../support/kinds.ts';
import { serve, worldBeside, type Request, type Served } from '../support/served.ts';

const LISTS = writableKinds.map(({ collection }) => `GET ${collection}`).sort();

function beside(there: Served, ...documents: readonly string[]): World {
  return worldBeside(there, { 'a.yaml': documents.map((text) => `${text.trim()}\n`).join('---\n') });
}

async function planned(mine: World, ...args: readonly string[]): Promise<PlanReport> {
  const { out, err } = await mine.run('plan', 'a.yaml', '-o', 'json', ...args);
  if (out === '') throw new Error(err);
  return JSON.parse(out) as PlanReport;
}

async function applied(mine: World, ...args: readonly string[]): Promise<void> {
  const { code, err } = await mine.run('apply', '-f', 'a.yaml', '--auto-approve', ...args);
  expect(err).not.toContain('error');
  expect(code).toBe(0);
}

function lines(requests: readonly Request[]): readonly string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}

const document = (kind: string, metadata: string, spec = '{}'): string =>
  `apiVersion: gateway/v2\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}`;
const plugin = (more: string): string => `{ pluginClass: com.example.Own, ${more} }`;
const OWN = { pluginClass: 'com.example.Own', priority: 1, config: {} };

describe('a plan', () => {
  it('takes one list of each kind, in whatever order, and no other call', async () => {
    const there = await serve();
    await there.put(...Array.from({ length: 50 }, (_, at) => resource('VirtualCluster', { name: `c${at}` })));
    const mine = beside(
      there,
      ...Array.from({ length: 50 }, (_, at) => document('VirtualCluster', `{ name: c${at} }`)),
    );
    await planned(mine);
    expect([...lines(there.requests)].sort()).toEqual(LISTS);
  });

  it('applied takes a call for each change, and reads back each kind that it wrote, once', async () => {
    const there = await serve();
    const mine = beside(
      there,
      document('VirtualCluster', '{ name: a }'),
      document('AliasTopic', '{ name: o, vCluster: a }', '{ physicalName: t }'),
    );
    await applied(mine);
    const [reads, rest] = [
      lines(there.requests).slice(0, LISTS.length),
      lines(there.requests).slice(LISTS.length),
    ];
    expect([...reads].sort()).toEqual(LISTS);
    expect(rest.slice(0, 2)).toEqual(['PUT /gateway/v2/virtual-cluster', 'PUT /gateway/v2/alias-topic']);
    expect(rest.slice(2).sort()).toEqual(['GET /gateway/v2/alias-topic', 'GET /gateway/v2/virtual-cluster']);
  });

  it('saved and applied lists again only the kinds that it touches', async () => {
    const there = await serve();
    const mine = beside(there, document('VirtualCluster', '{ name: a }'));
    await mine.run('plan', 'a.yaml', '--out', 'p.plan');
    there.forget();
    await mine.run('apply', 'p.plan');
    expect(lines(there.requests)).toEqual([
      'GET /gateway/v2/virtual-cluster',
      'PUT /gateway/v2/virtual-cluster',
      'GET /gateway/v2/virtual-cluster',
    ]);
  });
});

describe('what is no change', () => {
  const same: readonly (readonly [string, readonly Resource[], readonly string[]])[] = [
    [
      'a vCluster of passthrough that the gateway leaves out',
      [resource('AliasTopic', { name: 'o' }, { physicalName: 't' })],
      [
        document(
          'AliasTopic',
          '{ name: o, vCluster: passthrough }',
          '{ physicalName: t, physicalCluster: main }',
        ),
      ],
    ],
    [
      'a physical cluster that the gateway fills in',
      [resource('AliasTopic', { name: 'o' }, { physicalName: 't', physicalCluster: 'main' })],
      [document('AliasTopic', '{ name: o }', '{ physicalName: t }')],
    ],
    [
      'booleans that are false',
      [resource('ConcentrationRule', { name: 'r' }, { pattern: 'e', physicalTopics: { delete: 't' } })],
      [
        document(
          'ConcentrationRule',
          '{ name: r }',
          '{ pattern: e, physicalTopics: { delete: t }, autoManaged: false, offsetCorrectness: false }',
        ),
      ],
    ],
    [
      'an empty comment, a missing scope',
      [resource('Interceptor', { name: 'i' }, OWN)],
      [document('Interceptor', '{ name: i }', plugin('priority: 1, config: {}'))],
    ],
    [
      'a scope with or without its nulls',
      [
        resource(
          'Interceptor',
          { name: 'i', scope: { vCluster: 'passthrough', username: 'u' } },
          { ...OWN, comment: '' },
        ),
      ],
      [
        document(
          'Interceptor',
          '{ name: i, scope: { group: null, username: u } }',
          plugin('priority: 1, config: {}'),
        ),
      ],
    ],
    [
      'the order of keys in a config',
      [
        resource(
          'Interceptor',
          { name: 'i' },
          { pluginClass: 'com.example.Own', priority: 1, config: { b: 1, a: { d: [1, 2], c: null } } },
        ),
      ],
      [
        document(
          'Interceptor',
          '{ name: i }',
          plugin('config: { a: { c: null, d: [1, 2] }, b: 1 }, priority: 1'),
        ),
      ],
    ],
    [
      'the case of an account type',
      [resource('GatewayServiceAccount', { name: 'app' }, { type: 'LOCAL' })],
      [document('GatewayServiceAccount', '{ name: app }', '{ type: local }')],
    ],
    [
      'the order of members, and how each is spelled',
      [
        resource('GatewayServiceAccount', { name: 'app-a' }, { type: 'LOCAL' }),
        resource('GatewayServiceAccount', { name: 'app-b' }, { type: 'LOCAL' }),
        resource(
          'GatewayGroup',
          { name: 'g' },
          {
            members: [{ name: 'app-a' }, { name: 'app-b', vCluster: 'passthrough' }],
            externalGroups: ['x', 'y'],
          },
        ),
      ],
      [
        document('GatewayServiceAccount', '{ name: app-a }', '{ type: LOCAL }'),
        document('GatewayServiceAccount', '{ name: app-b }', '{ type: LOCAL }'),
        document(
          'GatewayGroup',
          '{ name: g }',
          '{ members: [{ name: app-b }, { name: app-a, vCluster: passthrough }], externalGroups: [y, x] }',
        ),
      ],
    ],
    [
      'the order of super users, and the default ACL mode',
      [resource('VirtualCluster', { name: 'v' }, { aclEnabled: true, superUsers: ['a', 'b'] })],
      [
        document(
          'VirtualCluster',
          '{ name: v }',
          '{ aclEnabled: true, superUsers: [b, a], aclMode: KAFKA_API }',
        ),
      ],
    ],
    [
      'fields that gwconf does not know',
      [resource('VirtualCluster', { name: 'v' }, { novelty: { deep: [1] } })],
      [document('VirtualCluster', '{ name: v }')],
    ],
  ];
  it.each(same)('is %s', async (_, live, declared) => {
    const there = await serve();
    await there.put(...live);
    const { result, changes, problems } = await planned(beside(there, ...declared));
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect({ result, changes }).toEqual({ result: 'no-changes', changes: [] });
  });

  it('is the order in which lists are answered', async () => {
    const there = await serve({ shuffle: (items) => [...items].reverse() });
    await there.put(...['a', 'b', 'c'].map((name) => resource('VirtualCluster', { name })));
    expect(
      await planned(
        beside(there, ...['b', 'c', 'a'].map((name) => document('VirtualCluster', `{ name: ${name} }`))),
      ),
    ).toMatchObject({ result: 'no-changes' });
  });

  it('is what the gateway sets itself: connection settings of a Partner cluster', async () => {
    const there = await serve();
    const partner = document(
      'VirtualCluster',
      '{ name: v }',
      '{ type: Partner, aclEnabled: true, superUsers: [boss] }',
    );
    const mine = beside(
      there,
      partner,
      document('AliasTopic', '{ name: o, vCluster: v }', '{ physicalName: t }'),
    );
    await applied(mine);
    expect((await there.list('VirtualCluster'))[0]?.spec).toHaveProperty('bootstrapServers');
    expect(await planned(mine)).toMatchObject({ result: 'no-changes' });
  });

  it('nor is it sent back, and to declare it is a warning', async () => {
    const there = await serve();
    const mine = beside(
      there,
      document('VirtualCluster', '{ name: v }', '{ bootstrapServers: "x:1", superUsers: [u] }'),
    );
    const { problems } = await planned(mine);
    expect(problems).toMatchObject([
      { code: 'server-managed', severity: 'warning', path: '/spec/bootstrapServers' },
    ]);
    await mine.run('apply', '-f', 'a.yaml', '--auto-approve');
    expect(there.writes().map(({ body }) => body)).toEqual([
      {
        apiVersion: 'gateway/v2',
        kind: 'VirtualCluster',
        metadata: { name: 'v' },
        spec: { superUsers: ['u'] },
      },
    ]);
  });
});

describe('what is sent', () => {
  it('has, when an object is updated, the fields that gwconf does not know, as they were read', async () => {
    const there = await serve();
    await there.put(
      resource('VirtualCluster', { name: 'v' }, { superUsers: ['a'], novelty: { deep: [1, { x: null }] } }),
    );
    await applied(beside(there, document('VirtualCluster', '{ name: v }', '{ superUsers: [b] }')));
    expect(there.writes()[0]?.body).toMatchObject({
      spec: { superUsers: ['b'], novelty: { deep: [1, { x: null }] } },
    });
  });

  it('has the whole scope of an interceptor, in every PUT and every DELETE', async () => {
    const there = await serve();
    await there.put(resource('VirtualCluster', { name: 'prod' }), resource('GatewayGroup', { name: 'pii' }));
    const scopes = [
      ['', { vCluster: 'passthrough', group: null, username: null }],
      [
        ', scope: { vCluster: null, group: null, username: null }',
        { vCluster: null, group: null, username: null },
      ],
      [', scope: { vCluster: null }', { vCluster: null, group: null, username: null }],
      [', scope: { username: me }', { vCluster: 'passthrough', group: null, username: 'me' }],
      [', scope: { vCluster: prod, group: pii }', { vCluster: 'prod', group: 'pii', username: null }],
    ] as const;
    for (const [scope, whole] of scopes) {
      there.forget();
      const mine = beside(
        there,
        document('Interceptor', `{ name: mask${scope} }`, plugin('priority: 1, config: {}')),
      );
      await applied(mine);
      expect(there.writes()).toMatchObject([
        { method: 'PUT', body: { metadata: { name: 'mask', scope: whole } } },
      ]);
      mine.write('a.yaml', '');
      there.forget();
      await applied(mine, '--prune', '--manages', 'Interceptor/*', '--allow-empty');
      expect(there.writes()).toMatchObject([
        { method: 'DELETE', path: '/gateway/v2/interceptor/mask', body: whole, status: 204 },
      ]);
    }
  });

  it('has the virtual cluster of what lives in one, passthrough too', async () => {
    const there = await serve();
    const mine = beside(
      there,
      document('AliasTopic', '{ name: o }', '{ physicalName: t }'),
      document('ConcentrationRule', '{ name: r }', '{ pattern: e, physicalTopics: { delete: t } }'),
      document('GatewayServiceAccount', '{ name: app }', '{ type: LOCAL }'),
    );
    await applied(mine);
    for (const { body } of there.writes())
      expect(body).toMatchObject({ metadata: { vCluster: 'passthrough' } });
    there.forget();
    mine.write('a.yaml', '');
    await applied(mine, '--prune', '--manages', '*', '--allow-empty');
    expect(there.writes().map(({ body }) => body)).toEqual(
      expect.arrayContaining(['o', 'r', 'app'].map((name) => ({ name, vCluster: 'passthrough' }))),
    );
  });

  it('escapes a name in a path', async () => {
    const there = await serve();
    const name = 'käse/50% ?x=1#y';
    await there.put(resource('Interceptor', { name }, OWN));
    const mine = beside(there, '');
    await applied(mine, '--prune', '--manages', '*', '--allow-empty');
    expect(lines(there.writes())).toEqual([`DELETE /gateway/v2/interceptor/${encodeURIComponent(name)}`]);
    expect(await there.list('Interceptor')).toEqual([]);
  });
});

describe('identity', () => {
  it('of interceptors is the name and the whole scope: the same name in four scopes are four', async () => {
    const there = await serve();
    await there.put(resource('VirtualCluster', { name: 'prod' }));
    const scopes = [
      '',
      ', scope: { vCluster: null, group: null, username: null }',
      ', scope: { username: u }',
      ', scope: { vCluster: prod }',
    ];
    const mine = beside(
      there,
      ...scopes.map((scope) =>
        document('Interceptor', `{ name: mask${scope} }`, plugin('priority: 1, config: {}')),
      ),
    );
    const { changes } = await planned(mine);
    expect(changes.map(({ address }) => address).sort()).toEqual([
      'Interceptor/mask@global',
      'Interceptor/mask@vCluster=passthrough',
      'Interceptor/mask@vCluster=passthrough,username=u',
      'Interceptor/mask@vCluster=prod',
    ]);
    await applied(mine);
    expect(await there.list('Interceptor')).toHaveLength(4);
    expect(await planned(mine)).toMatchObject({ result: 'no-changes', summary: { unchanged: 4 } });
  });

  it('keeps global and passthrough apart: to move from one to the other is another interceptor', async () => {
    const there = await serve();
    await there.put(resource('Interceptor', { name: 'mask' }, OWN));
    const mine = beside(
      there,
      document('Interceptor', '{ name: mask, scope: { vCluster: null } }', plugin('priority: 1, config: {}')),
    );
    expect(
      (await planned(mine, '--prune', '--manages', '*')).changes.map(
        ({ action, address }) => `${action} ${address}`,
      ),
    ).toEqual(['create Interceptor/mask@global', 'delete Interceptor/mask@vCluster=passthrough']);
  });
});

describe('the spelling of what was done', () => {
  it.each(['3.3.0', '3.5.0', '3.6.0', '3.9.0', '3.11.0', '3.15.0', '3.21.0'])(
    'is understood from gateway %s',
    async (version) => {
      const there = await serve({ version });
      const declared = (priority: number): string =>
        document('Interceptor', '{ name: i }', plugin(`priority: ${priority}, config: {}`));
      const mine = beside(there, declared(1));
      await applied(mine);
      mine.write('a.yaml', declared(2));
      await applied(mine);
      expect(await planned(mine)).toMatchObject({ result: 'no-changes' });
    },
  );
});

describe('a gateway in mode PLAINTEXT', () => {
  it('has no virtual clusters, and the rest is planned and applied', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    const mine = beside(
      there,
      document('Interceptor', '{ name: i }', plugin('priority: 1, config: {}')),
      document('AliasTopic', '{ name: o }', '{ physicalName: t }'),
    );
    await applied(mine);
    expect(await planned(mine)).toMatchObject({ result: 'no-changes', summary: { unchanged: 2 } });
  });

  it('is told apart from an empty one: to declare a virtual cluster is a problem with its place', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    const mine = beside(there, document('VirtualCluster', '{ name: prod }'));
    const { result, problems } = await planned(mine);
    expect(result).toBe('error');
    expect(problems).toMatchObject([
      { code: 'kind-unavailable', address: 'VirtualCluster/prod', file: 'a.yaml', line: 2, column: 7 },
    ]);
    expect((await mine.run('apply', '-f', 'a.yaml', '--auto-approve')).code).toBe(1);
    expect(there.writes()).toEqual([]);
  });
});

describe('what cannot be changed in place', () => {
  const partner = document(
    'VirtualCluster',
    '{ name: v }',
    '{ type: Partner, aclEnabled: true, superUsers: [boss] }',
  );
  const alias = (cluster: string): string =>
    document('AliasTopic', '{ name: o, vCluster: v }', `{ physicalName: t, physicalCluster: ${cluster} }`);

  it('is deleted and created anew, when it holds nothing: the physical cluster of an alias topic', async () => {
    const there = await serve({ physicalClusters: ['main', 'backup'] });
    const mine = beside(there, partner, alias('main'));
    await applied(mine);
    mine.write('a.yaml', `${partner}\n---\n${alias('backup')}\n`);
    const plan = await mine.run('plan', 'a.yaml');
    expect(plan.out).toContain(
      '  ± AliasTopic/o@vCluster=v  deleted and recreated: /spec/physicalCluster cannot be changed in place  a.yaml:',
    );
    expect(await planned(mine)).toMatchObject({
      summary: { replace: 1, update: 0 },
      changes: [{ action: 'replace', because: ['/spec/physicalCluster'] }],
    });
    there.forget();
    await applied(mine);
    expect(there.writes().map(({ method, status }) => `${method} ${status}`)).toEqual([
      'DELETE 204',
      'PUT 200',
    ]);
    expect(await planned(mine)).toMatchObject({ result: 'no-changes' });
  });

  it('is a problem, when data hangs on it: the ACL mode of a virtual cluster', async () => {
    const there = await serve();
    await there.put(
      resource(
        'VirtualCluster',
        { name: 'v' },
        { aclEnabled: true, aclMode: 'KAFKA_API', superUsers: ['boss'] },
      ),
    );
    const mine = beside(
      there,
      document('VirtualCluster', '{ name: v }', '{ aclEnabled: true, aclMode: REST_API, acls: [] }'),
    );
    const ran = await mine.run('apply', '-f', 'a.yaml', '--auto-approve');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(
      'error[cannot-replace]: the gateway does not change /spec/aclMode of VirtualCluster/v in place',
    );
    expect(ran.err).toContain('it would lose the topics, ACLs and consumer groups inside it');
    expect(ran.err).toContain('--> a.yaml:4:');
    expect(there.writes()).toEqual([]);
  });

  it('may be taken away: ACLs that are switched off have no mode', async () => {
    const there = await serve();
    await there.put(resource('VirtualCluster', { name: 'v' }, { aclEnabled: true, superUsers: ['boss'] }));
    const mine = beside(there, document('VirtualCluster', '{ name: v }', '{ aclEnabled: false }'));
    expect(await planned(mine)).toMatchObject({ result: 'changes', summary: { update: 1, replace: 0 } });
    await applied(mine);
    expect(await planned(mine)).toMatchObject({ result: 'no-changes' });
  });
});

describe('order', () => {
  it('follows references when things are made, and goes backwards when they are deleted', async () => {
    const there = await serve();
    const mine = beside(
      there,
      document(
        'Interceptor',
        '{ name: a, scope: { vCluster: z, group: b } }',
        plugin('priority: 1, config: {}'),
      ),
      document('GatewayGroup', '{ name: b }', '{ members: [{ name: ccc, vCluster: z }] }'),
      document('GatewayServiceAccount', '{ name: ccc, vCluster: z }', '{ type: LOCAL }'),
      document('VirtualCluster', '{ name: z }'),
    );
    await applied(mine);
    const made = ['virtual-cluster', 'service-account', 'group', 'interceptor'];
    expect(lines(there.writes())).toEqual(made.map((path) => `PUT /gateway/v2/${path}`));
    there.forget();
    mine.write('a.yaml', '');
    await applied(mine, '--prune', '--manages', '*', '--allow-empty');
    expect(lines(there.writes())).toEqual([
      'DELETE /gateway/v2/interceptor/a',
      'DELETE /gateway/v2/group/b',
      'DELETE /gateway/v2/service-account',
      'DELETE /gateway/v2/virtual-cluster/z',
    ]);
  });

  it('puts deletes last: a new guard is in place before the old one goes', async () => {
    const there = await serve();
    await there.put(resource('Interceptor', { name: 'aaa-old' }, OWN));
    const mine = beside(
      there,
      document('Interceptor', '{ name: zzz-new }', plugin('priority: 1, config: {}')),
    );
    await applied(mine, '--prune', '--manages', '*');
    expect(lines(there.writes())).toEqual([
      'PUT /gateway/v2/interceptor',
      'DELETE /gateway/v2/interceptor/aaa-old',
    ]);
  });

  const member = (name: string): string =>
    document('GatewayGroup', '{ name: team }', `{ members: [{ name: ${name} }, { name: other }] }`);
  const external = (name: string): string =>
    document('GatewayServiceAccount', `{ name: ${name} }`, '{ type: EXTERNAL, externalNames: [sub-1] }');
  const other = document('GatewayServiceAccount', '{ name: other }', '{ type: LOCAL }');

  it('lets go first, where one waits for the other: an account in a group gets another name', async () => {
    const there = await serve();
    const mine = beside(there, external('old-name'), member('old-name'), other);
    await applied(mine);
    mine.write(
      'a.yaml',
      [external('new-name'), member('new-name'), other].map((text) => `${text}\n`).join('---\n'),
    );
    const report = await planned(mine, '--prune', '--manages', '*');
    expect(report.summary).toEqual({
      create: 1,
      update: 1,
      replace: 0,
      delete: 1,
      unchanged: 1,
      unclaimed: 0,
      unmanaged: 0,
      ignored: 0,
    });
    expect(report.changes.map(({ action, address, step }) => [action, address, step])).toEqual([
      ['update', 'GatewayGroup/team', 'release'],
      ['delete', 'GatewayServiceAccount/old-name@vCluster=passthrough', undefined],
      ['create', 'GatewayServiceAccount/new-name@vCluster=passthrough', undefined],
      ['update', 'GatewayGroup/team', undefined],
    ]);
    expect(report.changes[0]?.reason).toContain(
      'drops GatewayServiceAccount/old-name@vCluster=passthrough first',
    );
    there.forget();
    await applied(mine, '--prune', '--manages', '*');
    expect(there.writes().map(({ status }) => status)).toEqual([200, 204, 200, 200]);
    expect(await planned(mine, '--prune', '--manages', '*')).toMatchObject({ result: 'no-changes' });
  });

  it('and a saved plan of that is applied, from the middle too', async () => {
    const there = await serve();
    const mine = beside(there, external('old-name'), member('old-name'), other);
    await applied(mine);
    mine.write(
      'a.yaml',
      [external('new-name'), member('new-name'), other].map((text) => `${text}\n`).join('---\n'),
    );
    await mine.run('plan', 'a.yaml', '--prune', '--manages', '*', '--out', 'p.plan');
    // What a run that was stopped after its first step leaves behind.
    await there.put(resource('GatewayGroup', { name: 'team' }, { members: [{ name: 'other' }] }));
    const ran = await mine.run('apply', 'p.plan', '-o', 'json');
    expect(ran.code).toBe(0);
    expect(await planned(mine, '--prune', '--manages', '*')).toMatchObject({ result: 'no-changes' });
  });

  it('without prune the old account keeps the value, and that is a problem that names both', async () => {
    const there = await serve();
    const mine = beside(there, external('old-name'));
    await applied(mine);
    mine.write('a.yaml', `${external('new-name')}\n`);
    const { result, problems } = await planned(mine);
    expect(result).toBe('error');
    expect(problems).toMatchObject([
      { code: 'duplicate-value', address: 'GatewayServiceAccount/new-name@vCluster=passthrough' },
    ]);
    expect(problems[0]?.message).toContain('GatewayServiceAccount/old-name@vCluster=passthrough');
  });
});

describe('a user mapping', () => {
  const mapping = (groups: string): string =>
    `apiVersion: gwconf/v1\nkind: UserMapping\nmetadata: { name: payments-api, vCluster: prod }\nspec: { principal: 8d5e86b4, groups: ${groups} }`;
  const cluster = document('VirtualCluster', '{ name: prod }');
  const group = document('GatewayGroup', '{ name: payments }', '{ externalGroups: [x] }');

  it('becomes an external account and a member of its groups', async () => {
    const there = await serve();
    const mine = beside(there, cluster, group, mapping('[payments]'));
    await applied(mine);
    expect(await there.list('GatewayServiceAccount')).toMatchObject([
      {
        metadata: { name: 'payments-api', vCluster: 'prod' },
        spec: { type: 'EXTERNAL', externalNames: ['8d5e86b4'] },
      },
    ]);
    expect(await there.list('GatewayGroup')).toMatchObject([
      {
        metadata: { name: 'payments' },
        spec: { members: [{ name: 'payments-api', vCluster: 'prod' }], externalGroups: ['x'] },
      },
    ]);
    expect(await planned(mine)).toMatchObject({ result: 'no-changes' });
  });

  it('leaves a group that it no longer names', async () => {
    const there = await serve();
    const mine = beside(there, cluster, group, mapping('[payments]'));
    await applied(mine);
    mine.write('a.yaml', [cluster, group, mapping('[]')].map((text) => `${text}\n`).join('---\n'));
    expect((await planned(mine)).changes).toMatchObject([
      { address: 'GatewayGroup/payments', fields: [{ op: 'remove', path: '/spec/members/0' }] },
    ]);
    await applied(mine);
    expect(await planned(mine)).toMatchObject({ result: 'no-changes' });
  });

  it('that names a group that no file declares is a problem at that name', async () => {
    const there = await serve();
    await there.put(resource('GatewayGroup', { name: 'elsewhere' }));
    const { problems } = await planned(beside(there, cluster, mapping('[elsewhere]')));
    expect(problems).toMatchObject([
      { code: 'undeclared-group', line: 9, column: 39, address: 'GatewayGroup/elsewhere' },
    ]);
  });

  it('and a service account of the same name are one account declared twice, with both places', async () => {
    const there = await serve();
    const account = document(
      'GatewayServiceAccount',
      '{ name: payments-api, vCluster: prod }',
      '{ type: LOCAL }',
    );
    const { problems } = await planned(beside(there, cluster, account, mapping('[]')));
    expect(problems).toMatchObject([
      { code: 'duplicate-resource', line: 13, also: { file: 'a.yaml', line: 8 } },
    ]);
  });

  it('of the same principal as another account is a problem with both places', async () => {
    const there = await serve();
    const account = document(
      'GatewayServiceAccount',
      '{ name: other }',
      '{ type: EXTERNAL, externalNames: [8d5e86b4] }',
    );
    const { problems } = await planned(beside(there, cluster, account, mapping('[]')));
    expect(problems).toMatchObject([{ code: 'duplicate-value', line: 14, also: { line: 9 } }]);
  });
});
