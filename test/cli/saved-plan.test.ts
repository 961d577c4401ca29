import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ApplyReport } from '../../src/outcome/apply.ts';
import { makeWorld, verdictOf, wrongUsage, type Ran, type World } from '../support/cli.ts';
import { all, cluster, projectOf } from '../support/documents.ts';
import { resource } from '../support/kinds.ts';
import { LOGIN, serve, worldBeside, type Served } from '../support/served.ts';

const KEY = 'k3y-'.repeat(10);
const CLUSTER = cluster('prod');
const ALIAS =
  'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: orders, vCluster: prod }\nspec: { physicalName: orders-v1 }\n';
const vault = (name: string, token: string): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: ${name} }\nspec: { pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin, priority: 1, config: { topic: a, kmsConfig: { vault: { uri: "http://vault", version: 1, token: "${token}" } } } }\n`;
const HERE = ['--url', 'embedded:state.json'] as const;

describe('what the project ignores since a plan was made', () => {
  it('makes the plan stale, if the plan changes just that, and for as long as the rule is valid', async () => {
    const alias = (topic: string): string => ALIAS.replace('orders-v1', topic);
    const world = makeWorld({ 'a.yaml': CLUSTER, 'b.yaml': alias('orders-v1') });
    const project = (rules: string): void =>
      world.write(
        'gwconf.yaml',
        projectOf({ prod: `gateway: { url: "embedded:state.json" }, files: [a.yaml, b.yaml], ${rules}` }),
      );
    project('manages: ["*"]');
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    world.write('b.yaml', alias('orders-v2'));
    expect((await world.run('plan', '--out', 'p.plan')).code).toBe(0);
    const ignoring = (address: string, more: string): void =>
      project(`manages: ["*"], ignore: [{ address: "${address}", reason: theirs${more} }]`);
    const told: (readonly [number, string])[] = [];
    for (const [address, more] of [
      ['AliasTopic/*', ''],
      ['AliasTopic/*', ', path: /spec/physicalName'],
      ['AliasTopic/*', ', path: /spec/physicalCluster'],
      ['VirtualCluster/*', ''],
      ['AliasTopic/*', ', owner: them, until: 2020-01-01'],
    ] as const) {
      ignoring(address, more);
      const { code, err } = await world.run('apply', 'p.plan', '--journal', 'none');
      told.push([code, /error\[.*/.exec(err)?.[0] ?? '']);
      project('manages: ["*"]');
      world.write('b.yaml', alias('orders-v1'));
      expect((await world.run('apply', '--auto-approve', '--journal', 'none')).code).toBe(0);
    }
    const start = 'error[stale-plan]: the plan would';
    expect(told).toEqual([
      [4, `${start} update AliasTopic/orders@vCluster=prod, which the project ignores now`],
      [
        4,
        `${start} change /spec/physicalName of AliasTopic/orders@vCluster=prod, which the project ignores now`,
      ],
      [0, ''],
      [0, ''],
      [0, ''],
    ]);
  });
});

describe('a plan that is signed', () => {
  async function signed(): Promise<World> {
    const world = makeWorld({ 'a.yaml': CLUSTER });
    world.env['GWCONF_PLAN_KEY'] = KEY;
    const { code, err } = await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    expect([code, err.includes('The plan is saved in p.plan, signed, valid for 24 hours.')]).toEqual([
      0,
      true,
    ]);
    return world;
  }

  it('is applied and shown with its key, which is nowhere in it', async () => {
    const world = await signed();
    expect(world.json('p.plan')).toMatchObject({ mac: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(world.read('p.plan')).not.toContain('k3y');
    expect((await world.run('show', 'p.plan')).code).toBe(0);
    const ran = await world.run('apply', 'p.plan', ...HERE);
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: applied']);
    expect(ran.out + ran.err).not.toContain('k3y');
  });

  it('is applied when it hides a field that must have a text', async () => {
    const acl =
      '{ resourcePattern: { resourceType: TOPIC, name: x, patternType: LITERAL }, principal: "User:${WHO}", host: "*", operation: READ, permissionType: ALLOW }';
    const world = makeWorld({
      'a.yaml': `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: v }\nspec: { aclEnabled: true, aclMode: REST_API, acls: [${acl}] }\n`,
    });
    world.env['WHO'] = 'alice';
    expect((await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE)).code).toBe(0);
    const ran = await world.run('apply', 'p.plan', ...HERE);
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: applied']);
  });

  it('is applied with the key in a file', async () => {
    const world = await signed();
    world.env['GWCONF_PLAN_KEY'] = '';
    world.env['GWCONF_PLAN_KEY_FILE'] = 'plan.key';
    world.write('plan.key', `${KEY}\n`);
    expect((await world.run('apply', 'p.plan', ...HERE)).code).toBe(0);
  });

  it('is applied where there is no key, with a warning that nobody checked', async () => {
    const world = await signed();
    delete world.env['GWCONF_PLAN_KEY'];
    const ran = await world.run('apply', 'p.plan', ...HERE, '-o', 'json');
    expect(ran.code).toBe(0);
    expect(report(ran).problems).toMatchObject([{ code: 'unchecked-signature', severity: 'warning' }]);
    // While there is time to think better of it, and once.
    expect(ran.err).toMatch(/^warning\[unchecked-signature\][^]*\nApplying /);
    expect(ran.err.match(/warning\[/g)).toHaveLength(1);
  });

  it('counts what is left to make, and says so where nothing is', async () => {
    const world = await signed();
    expect((await world.run('apply', 'p.plan', ...HERE)).code).toBe(0);
    const again = await world.run('apply', 'p.plan', ...HERE);
    expect(again.err).toContain('Nothing is left to do.\n');
    expect(again.err).not.toContain('Making');
  });

  it('wants a key that nobody guesses: a short one is wrong usage, and is not told', async () => {
    const world = makeWorld({ 'a.yaml': CLUSTER });
    world.env['GWCONF_PLAN_KEY'] = 'hunter2';
    const ran = await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    expect(ran.code).toBe(64);
    expect(ran.err).toBe(
      wrongUsage(
        'the key in GWCONF_PLAN_KEY is too short: expected at least 32 characters, as openssl rand -hex 32 prints them',
      ),
    );
    expect(world.has('p.plan')).toBe(false);
    expect((await world.run('plan', 'a.yaml', ...HERE)).code).toBe(0); // nothing is signed
  });

  it('wants a key that can be read', async () => {
    const world = makeWorld({ 'a.yaml': CLUSTER });
    world.env['GWCONF_PLAN_KEY_FILE'] = 'nowhere';
    const ran = await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    expect([ran.code, ran.err]).toEqual([
      64,
      wrongUsage('the file that GWCONF_PLAN_KEY_FILE names cannot be read: no such file or folder'),
    ]);
  });
});

describe('a saved plan with an extra step', () => {
  it('is applied: the step refers to no object that the change does not need', async () => {
    const account = (name: string, id: string): string =>
      `apiVersion: gateway/v2\nkind: GatewayServiceAccount\nmetadata: { name: ${name} }\nspec: { type: EXTERNAL, externalNames: [${id}] }\n`;
    const group = (...members: readonly string[]): string =>
      `apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: team }\nspec: { members: [${members.map((name) => `{ name: ${name} }`).join(', ')}] }\n`;
    const join = (...documents: readonly string[]): string => documents.join('---\n');
    const world = makeWorld({
      'a.yaml': join(account('stays', 'sub-1'), account('goes', 'sub-2'), group('stays', 'goes')),
    });
    const apply = await world.run('apply', '-f', 'a.yaml', '--yes', ...HERE);
    expect(apply.code, apply.err).toBe(0);
    world.write('a.yaml', join(account('stays', 'sub-1'), account('comes', 'sub-2'), group('comes')));
    const prune = ['--prune', '--manages', '*', '--max-deletes', '100%', '--max-updates', '100%'];
    const planned = await world.run('plan', 'a.yaml', '--out', 'p.plan', ...prune, ...HERE);
    expect(planned.out).toContain('GatewayServiceAccount/goes@vCluster=passthrough');
    expect(planned.out).toContain('drops GatewayServiceAccount/goes@vCluster=passthrough first');
    const ran = await world.run('apply', 'p.plan', ...prune.slice(1), ...HERE);
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: applied']);
  });
});

describe('the input of a saved plan', () => {
  const made = async (): Promise<World> => {
    const world = makeWorld({ 'in/a.yaml': CLUSTER, 'in/b.yaml': vault('one', 'hunter2') });
    expect((await world.run('plan', '-f', 'in', '--out', 'p.plan', ...HERE)).code).toBe(0);
    return world;
  };

  it('is known again by show', async () => {
    const world = await made();
    const ran = await world.run('show', 'p.plan', '-f', 'in');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: changes']);
    expect(ran.err).toMatch(/^Made by gwconf \S+ at 2026-03-01T12:00:00\.000Z, from in\.\n/);
  });

  it('is another one when a file of it changed, and then show says so', async () => {
    const world = await made();
    world.write('in/a.yaml', `# later\n${CLUSTER}`);
    const ran = await world.run('show', 'p.plan', '-f', 'in');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain('error[other-input]: the plan was not made from in\n');
  });

  it('is not kept with the plan of a journal, which nobody compares: its digest takes longer than a small apply', async () => {
    const world = await made();
    expect((await world.run('apply', '-f', 'in', '--yes', ...HERE)).code).toBe(0);
    const names = readdirSync(world.folder, { recursive: true, encoding: 'utf8' });
    const [kept = ''] = names.filter((name) => name.endsWith('.plan.json'));
    const ran = await world.run('show', kept, '-f', 'in');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain('error[other-input]: the plan does not say which files it was made from\n');
    expect((await world.run('show', kept)).code).toBe(0);
  });

  it('is not missed by apply, nor held against it', async () => {
    const world = await made();
    world.write('in/a.yaml', 'gone: true');
    expect((await world.run('apply', 'p.plan', ...HERE)).code).toBe(0);
  });
});

describe('a saved plan that is stale', () => {
  async function planned(files: Readonly<Record<string, string>>): Promise<{ there: Served; world: World }> {
    const there = await serve();
    await there.put(
      resource('VirtualCluster', { name: 'prod' }),
      resource('VirtualCluster', { name: 'old' }),
    );
    const world = worldBeside(there, files);
    const ran = await world.run('plan', '-f', 'a.yaml', '--out', 'p.plan', '--prune', '--manages', '*');
    expect(ran.code, ran.err).toBe(0);
    there.forget();
    return { there, world };
  }

  it('says of each object what moved, and reads each kind once, all of them before it writes', async () => {
    const { there, world } = await planned({ 'a.yaml': `${CLUSTER}---\n${ALIAS}` });
    await there.put(
      resource('VirtualCluster', { name: 'prod' }, { superUsers: ['somebody'] }),
      resource('AliasTopic', { name: 'orders', vCluster: 'prod' }, { physicalName: 'orders-v9' }),
      resource('AliasTopic', { name: 'late', vCluster: 'old' }, { physicalName: 'late' }),
    );
    const ran = await world.run('apply', 'p.plan', '-o', 'json');
    expect([ran.code, verdictOf(ran)]).toEqual([4, 'result: stale']);
    expect(report(ran).problems.map(({ address, message }) => [address, message])).toEqual([
      [
        'AliasTopic/orders@vCluster=prod',
        'AliasTopic/orders@vCluster=prod (a.yaml:6) now exists and differs from the plan: /spec/physicalName is "orders-v9"',
      ],
      [
        'VirtualCluster/prod',
        'AliasTopic/orders@vCluster=prod depends on VirtualCluster/prod, which has changed since the plan was made',
      ],
      [
        'VirtualCluster/old',
        'VirtualCluster/old would be deleted, but AliasTopic/late@vCluster=old refers to it now',
      ],
    ]);
    expect(there.writes()).toEqual([]);
    const reads = there.requests.map(({ path }) => path.replace(/\?.*/, ''));
    expect(new Set(reads).size).toBe(reads.length);
  });
});

it('a saved plan says that it cannot be judged where the gateway no longer lists interceptors', async () => {
  let isListed = true;
  const body = '{ "title": "not supported" }';
  const refused = { status: 400, headers: { 'content-type': 'application/json' }, body };
  const there = await serve(
    {},
    {
      intercept: ({ method, url }, handle) =>
        Promise.resolve(isListed || method !== 'GET' || !url.includes('/interceptor') ? handle() : refused),
    },
  );
  const world = worldBeside(there, { 'a.yaml': all(CLUSTER, ALIAS) });
  expect((await world.run('plan', '-f', 'a.yaml', '--out', 'p.plan')).code).toBe(0);
  isListed = false;
  const { code, err } = await world.run('apply', 'p.plan');
  expect([code, err]).toEqual([
    0,
    expect.stringContaining('warning[kind-unavailable]: Interceptor is not available, so gwconf cannot tell'),
  ]);
});

describe('the secrets of a saved plan, when it is applied', () => {
  it.each<[string, string]>([
    ['a file says another one', ', token: written-in-the-file'],
    ['a variable gives another one', ', token: "${TOKEN}"'],
    ['no file has one', ''],
  ])('are kept as the gateway has them where they are ignored, though %s', async (_, token) => {
    const own = (priority: number, more: string): string =>
      `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i, scope: { vCluster: passthrough } }\nspec: { pluginClass: com.example.Own, priority: ${priority}, config: { topic: t${more} } }\n`;
    const ignore = '[{ address: "Interceptor/*", path: /spec/config/token, reason: by hand }]';
    const world = makeWorld({
      'a.yaml': own(1, ', token: on-the-gateway'),
      'gwconf.yaml': `{ apiVersion: gwconf/v1, kind: Project, environments: { prod: { files: [a.yaml], ignore: ${ignore} } } }`,
    });
    await world.run('apply', '--yes', ...HERE);
    world.write('a.yaml', own(2, token));
    await world.runWith({ env: { TOKEN: 'from-the-environment' } }, 'plan', '--out', 'p.plan', ...HERE);
    for (const secret of ['on-the-gateway', 'written-in-the-file', 'from-the-environment'])
      expect(world.read('p.plan')).not.toContain(secret);
    const ran = await world.run('apply', 'p.plan', ...HERE);
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: applied']);
    expect(world.json('state.json')).toMatchObject({
      resources: [{ spec: { priority: 2, config: { token: 'on-the-gateway' } } }],
    });
  });

  it('are all looked for, and what is missing or rotated is told at once, before a call', async () => {
    const there = await serve();
    const files = {
      'a.yaml': vault('one', '${ONE}'),
      'b.yaml': vault('two', '${TWO}'),
      'c.yaml': vault('three', 'in-file'),
    };
    const world = makeWorld(files);
    Object.assign(world.env, LOGIN, { GWCONF_URL: there.url, ONE: 'first-one', TWO: 'first-two' });
    await world.run('plan', '-f', '.', '--out', 'p.plan');
    there.forget();
    world.env['ONE'] = 'rotated';
    delete world.env['TWO'];
    world.write('c.yaml', vault('three', 'rotated'));
    const ran = await world.run('apply', 'p.plan', '-o', 'json');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    const place = '/spec/config/kmsConfig/vault/token';
    expect(report(ran).problems.map(({ message }) => message)).toEqual([
      `the secret at ${place} of Interceptor/one@vCluster=passthrough has changed since the plan was made`,
      `the secret at ${place} of Interceptor/three@vCluster=passthrough has changed since the plan was made`,
      `the secret at ${place} of Interceptor/two@vCluster=passthrough came from TWO, where it is now missing`,
    ]);
    expect(ran.out + ran.err).not.toMatch(/rotated|first-/);
    expect(there.requests).toEqual([]);
  });
});

function report({ out }: Ran): ApplyReport {
  return JSON.parse(out) as ApplyReport;
}

describe('apply PLAN without an environment', () => {
  it('takes that of the plan, where gwconf.yaml has several', async () => {
    const mine = makeWorld({
      'gwconf.yaml': projectOf({
        a: 'gateway: { url: "embedded:a.json" }, files: [f.yaml]',
        b: 'gateway: { url: "embedded:b.json" }, files: [f.yaml]',
      }),
      'f.yaml':
        'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: a }\nspec: { physicalName: x }\n',
    });
    await mine.run('plan', '--env', 'b', '--out', 'p.json');
    const ran = await mine.run('apply', 'p.json');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: applied']);
    expect([mine.has('a.json'), mine.has('b.json')]).toEqual([false, true]);
    expect(ran.err).toContain('Undo this run: gwconf undo --env b\n');
    const other = await mine.run('apply', 'p.json', '--env', 'a');
    expect(other.code).toBe(4);
  });
});
