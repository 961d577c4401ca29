import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { EffectiveReport } from '../../src/outcome/effective.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { compareChains } from '../../src/workflow/effective/compare-chains.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { makeWorld, verdictOf, wrongUsage, type Ran } from '../support/cli.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { memoryHost } from '../support/memory-host.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';
import { projectOf } from '../support/documents.ts';

const GLOBAL = { vCluster: null, group: null, username: null };
const PREFIX = 'io.conduktor.gateway.interceptor.';
const OWN = { pluginClass: 'com.example.Own', config: { key: 'in-the-clear' } };
const AUDIT = { pluginClass: `${PREFIX}AuditPlugin`, config: { topic: '.*' } };
const MASK = {
  pluginClass: `${PREFIX}FieldLevelDataMaskingPlugin`,
  config: { topic: '.*', policies: [{ name: 'cards', rule: { type: 'MASK_ALL' }, fields: ['card'] }] },
};
const interceptor = (name: string, priority: number, scope: JsonObject, plugin: JsonObject = OWN): Resource =>
  resource('Interceptor', { name, scope }, { ...plugin, priority });
const account = (name: string): Resource =>
  resource('GatewayServiceAccount', { name, vCluster: 'prod' }, { type: 'LOCAL' });
const WORLD = [
  resource('VirtualCluster', { name: 'prod' }),
  account('app'),
  account('other'),
  resource(
    'GatewayGroup',
    { name: 'team' },
    {
      members: [{ name: 'app', vCluster: 'prod' }],
      externalGroups: ['staff'],
    },
  ),
  interceptor('audit', 5, GLOBAL, AUDIT),
  interceptor('limit', 300, GLOBAL),
  interceptor('limit', 200, { vCluster: 'prod' }),
  interceptor('limit', 100, { vCluster: 'prod', username: 'app' }),
  interceptor('mask', 150, { vCluster: 'prod', group: 'team' }, MASK),
];

/** Files with these resources, each on a line of its own. */
function filesOf(resources: readonly Resource[]): { readonly 'in.yaml': string } {
  return { 'in.yaml': resources.map((one) => `---\n${JSON.stringify(one)}\n`).join('') };
}

function reportOf({ out }: Ran): EffectiveReport {
  return JSON.parse(out) as EffectiveReport;
}

/** `app in prod: limit@global, …` */
function chainsIn(ran: Ran): readonly string[] {
  return Array.from(
    reportOf(ran).principals,
    ({ virtualCluster, username, chain }) =>
      `${username ?? '*'} in ${virtualCluster}: ${chain.map(({ address }) => address.slice('Interceptor/'.length)).join(' ')}`,
  );
}

describe('gwconf effective', () => {
  it('shows who has which chain, and calls nothing', async () => {
    const world = makeWorld(filesOf(WORLD));
    const ran = await world.run('effective', 'in.yaml');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: ok']);
    expect(ran.out).toBe(
      [
        'all other clients in passthrough',
        '  5 audit (global) → 300 limit (global)',
        '  protection: audit',
        '',
        'app in prod (group team)',
        '  5 audit (global) → 100 limit (username=app) → 150 mask (group=team)',
        '  protection: audit, masking',
        '',
        'clients of prod: all other clients and other',
        '  5 audit (global) → 200 limit (vCluster=prod)',
        '  protection: audit',
        '',
        'members of the external group staff in prod (group team)',
        '  5 audit (global) → 150 mask (group=team) → 200 limit (vCluster=prod)',
        '  protection: audit, masking',
        '',
        '5 clients, 4 chains by the files.',
        '',
      ].join('\n'),
    );
  });

  it('says that an audit protects those whom its config names, and nobody else', async () => {
    const own = { ...AUDIT, config: { username: 'app' } };
    const ran = await makeWorld(
      filesOf([...WORLD.slice(0, 3), interceptor('audit', 5, { vCluster: 'prod' }, own)]),
    ).run('effective', 'in.yaml', '-o', 'json');
    expect(
      Array.from(reportOf(ran).principals, ({ username, chain }) => [
        username,
        chain.flatMap(({ protects }) => protects),
      ]),
    ).toEqual([
      [null, []],
      ['app', ['audit']],
      ['other', []],
      [null, []],
    ]);
  });

  it('says why with --why: what each overrides, and its line', async () => {
    const world = makeWorld(filesOf(WORLD));
    const ran = await world.run('effective', 'in.yaml', '--as', 'app', '--virtual-cluster', 'prod', '--why');
    expect(ran.out).toBe(
      [
        'app in prod (group team)',
        '  PRIORITY  NAME   CLASS                        WHY           INSTEAD OF             DECLARED AT',
        '  5         audit  AuditPlugin                  global        -                      in.yaml:10',
        '  100       limit  Own                          username=app  global; vCluster=prod  in.yaml:16',
        '  150       mask   FieldLevelDataMaskingPlugin  group=team    -                      in.yaml:18',
        '  protection: audit, masking',
        '',
        '1 client, 1 chain by the files.',
        '',
      ].join('\n'),
    );
    const report = reportOf(await world.run('effective', 'in.yaml', '--as', 'app', '--why', '-o', 'json'));
    expect([...report.principals][0]?.chain[0]).toMatchObject({
      overrides: [],
      at: { file: 'in.yaml', line: 10 },
    });
  });

  it('lists each principal in JSON: accounts, mapped users, users of scopes, all other clients, and members of external groups', async () => {
    const world = makeWorld({
      ...filesOf([...WORLD, interceptor('own', 1, { vCluster: 'prod', username: 'nobody-declares' })]),
      'map.yaml': `
        apiVersion: gwconf/v1
        kind: UserMapping
        metadata: { name: mapped, vCluster: prod }
        spec: { principal: 8d5e86b4, groups: [team] }
      `,
    });
    const ran = await world.run('effective', '.', '-o', 'json');
    expect(chainsIn(ran)).toEqual([
      '* in passthrough: audit@global limit@global',
      'app in prod: audit@global limit@vCluster=prod,username=app mask@vCluster=prod,group=team',
      'mapped in prod: audit@global mask@vCluster=prod,group=team limit@vCluster=prod',
      'nobody-declares in prod: own@vCluster=prod,username=nobody-declares audit@global limit@vCluster=prod',
      'other in prod: audit@global limit@vCluster=prod',
      '* in prod: audit@global limit@vCluster=prod',
      '* in prod: audit@global mask@vCluster=prod,group=team limit@vCluster=prod',
    ]);
    const { principals } = reportOf(ran);
    expect([...principals][5]).toEqual({
      virtualCluster: 'prod',
      username: null,
      groups: [],
      chain: [
        {
          address: 'Interceptor/audit@global',
          pluginClass: `${PREFIX}AuditPlugin`,
          priority: 5,
          protects: ['audit'],
        },
        {
          address: 'Interceptor/limit@vCluster=prod',
          pluginClass: 'com.example.Own',
          priority: 200,
          protects: [],
        },
      ],
    });
    expect(ran.out).not.toContain('in-the-clear');
  });

  it('shows any number of principals with one chain on one line, and all other clients first', async () => {
    const accounts = Array.from({ length: 300 }, (_, at) => account(`app-${at + 100}`));
    const world = makeWorld(filesOf([WORLD[0] as Resource, ...accounts]));
    const { out } = await world.run('effective', 'in.yaml');
    expect(out).toBe(
      [
        'clients of 2 virtual clusters: all other clients in passthrough, all other clients in prod, app-100 in prod, app-101 in prod, app-102 in prod and 297 more',
        '  no interceptors',
        '  protection: none',
        '',
        '302 clients, 1 chain by the files.',
        '',
      ].join('\n'),
    );
  });

  it.each([
    [['--as', 'app2'], 'app2 in passthrough: audit@global limit@global'],
    [
      ['--group', 'team', '--virtual-cluster', 'prod'],
      '* in prod: audit@global mask@vCluster=prod,group=team limit@vCluster=prod',
    ],
    [
      ['--external-group', 'staff'],
      '* in prod: audit@global mask@vCluster=prod,group=team limit@vCluster=prod',
    ],
    [
      ['--external-group', 'staff', '--virtual-cluster', 'passthrough'],
      '* in passthrough: audit@global limit@global',
    ],
    [
      ['--external-group', 'staff', '--as', 'app', '--virtual-cluster', 'prod'],
      'app in prod: audit@global limit@vCluster=prod,username=app mask@vCluster=prod,group=team',
    ],
  ])('shows the principal of %j', async (flags, chain) => {
    const ran = await makeWorld(filesOf(WORLD)).run('effective', 'in.yaml', '-o', 'json', ...flags);
    expect(chainsIn(ran)).toEqual([chain]);
    expect(ran.err).not.toContain('not-found');
  });

  it('warns of names that no file has, and fails for an external group of no group', async () => {
    const world = makeWorld(filesOf(WORLD));
    const misspelt = await world.run('effective', 'in.yaml', '--virtual-cluster', 'prd', '--group', 'teem');
    expect(misspelt.code).toBe(0);
    expect(misspelt.err).toContain(
      'no file declares VirtualCluster/prd\n = did you mean VirtualCluster/prod?',
    );
    expect(misspelt.err).toContain('no file declares GatewayGroup/teem\n = did you mean GatewayGroup/team?');
    const account = async (name: string): Promise<string> =>
      (await world.run('effective', 'in.yaml', '--as', name, '--virtual-cluster', 'prod')).err;
    expect(await account('apq')).toContain(
      'no file declares GatewayServiceAccount/apq@vCluster=prod\n = did you mean GatewayServiceAccount/app@vCluster=prod?',
    );
    for (const name of ['app', 'app2', 'somebody']) expect(await account(name)).not.toContain('not-found');
    const elsewhere = await world.run('effective', 'in.yaml', '--as', 'app');
    expect(elsewhere.err).toContain(
      'warning[not-found]: the account app is in prod, and this is what runs for a client of that name in passthrough\n = add --virtual-cluster prod',
    );
    const unknown = await world.run('effective', 'in.yaml', '--external-group', 'stuff');
    expect([unknown.code, unknown.out, verdictOf(unknown)]).toEqual([1, '', 'result: not-found']);
    expect(unknown.err).toContain('no group has the external group stuff\n = did you mean staff?');
  });

  it('needs no secrets, but the priorities', async () => {
    const world = makeWorld({
      'in.yaml': `
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: own, scope: { vCluster: passthrough } }
        spec:
          pluginClass: com.example.Own
          priority: \${PRIORITY}
          config: { token: "\${TOKEN}" }
      `,
    });
    const without = await world.run('effective', 'in.yaml');
    expect([without.code, without.out]).toEqual([1, '']);
    expect(without.err).toContain(
      'the priority of Interceptor/own@vCluster=passthrough is unknown: PRIORITY has no value\n  --> in.yaml:6:13',
    );
    expect(without.err).not.toContain('TOKEN');
    world.env['PRIORITY'] = '7';
    expect((await world.run('effective', 'in.yaml', '--public-variable', 'PRIORITY')).out).toContain(
      '  7 own (vCluster=passthrough)\n',
    );
  });

  it('prints a page: what has no protection first, and drift', async () => {
    const there = await serve();
    const world = worldBeside(there, filesOf(WORLD));
    const { out } = await world.run('effective', 'in.yaml', '-o', 'markdown', '-o', 'html=page.html');
    expect(out).toContain('### ✅ Effective chains: 5 clients, 4 chains\n');
    expect(out).toContain('#### Protected (4)\n');
    expect(out).toContain('<code>clients of prod: all other clients and other</code>');
    expect(world.read('page.html')).toContain('5 audit (global) → 200 limit (vCluster=prod)');
    const drift = await world.run('effective', 'in.yaml', '--compare', '-o', 'markdown');
    expect(drift.out).toContain('### 📝 Effective chains: different for 5 of 5 clients, 4 chains\n');
    expect(drift.out).toContain(
      '- declared 5 audit (global) → 300 limit (global)\n+ live     no interceptors\n',
    );
    world.write('bare.yaml', JSON.stringify(account('bare')));
    const bare = await world.run('effective', 'bare.yaml', '-o', 'markdown');
    expect(bare.out).toContain('#### Without protection (1)\n');
  });

  it('counts protection by the rules of the environment', async () => {
    const world = makeWorld({
      ...filesOf(WORLD),
      'gwconf.yaml': projectOf({ prod: 'files: [in.yaml], protection: { quota: [Own] }' }),
    });
    const { out } = await world.run('effective', '--as', 'app', '--virtual-cluster', 'prod');
    expect(out).toContain('  protection: audit, masking, quota\n');
  });

  it('shows nothing of files with errors', async () => {
    const world = makeWorld({
      'in.yaml': 'apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: own }\n',
    });
    const ran = await world.run('effective', 'in.yaml');
    expect([ran.code, ran.out, verdictOf(ran)]).toEqual([1, '', 'result: error']);
  });

  it.each([
    [['--live', '--compare'], '--live shows the gateway, --compare both: leave out one of them'],
    [['--live', 'in.yaml'], '--live shows the chains of the gateway and reads no files: leave out in.yaml'],
    [
      ['--url', 'embedded:'],
      'the files are read, and nothing is called: add --live or --compare, or leave out --url',
    ],
    [['--detailed-exitcode'], '--detailed-exitcode needs --compare or --uncovered'],
    [['--as', ' '], '--as, --virtual-cluster, --group and --external-group need a name; found none'],
  ])('refuses %j', async (flags, sentence) => {
    const ran = await makeWorld().run('effective', ...flags);
    expect([ran.code, ran.err]).toEqual([64, wrongUsage(sentence)]);
  });
});

describe('gwconf effective --live', () => {
  it('shows the chains on the gateway', async () => {
    const there = await serve();
    await there.put(...WORLD);
    const ran = await worldBeside(there).run('effective', '--live', '--external-group', 'staff');
    expect(ran).toMatchObject({ code: 0, err: 'result: ok\n' });
    expect(ran.out).toContain(
      'members of the external group staff in prod (group team)\n  5 audit (global) → 150 mask (group=team) → 200 limit (vCluster=prod)\n',
    );
    expect(ran.out).toContain(`1 client, 1 chain on ${there.url}.\n`);
  });

  it('works on a gateway without virtual clusters, and fails without an answer', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    await there.put(interceptor('audit', 5, GLOBAL));
    const world = worldBeside(there);
    const { out, err } = await world.run('effective', '--live');
    expect(out).toContain('all other clients in passthrough\n  5 audit (global)\n');
    expect(err).toContain('info[kind-unavailable]: VirtualCluster is not available: it is left out: ');
    world.env['GWCONF_URL'] = 'http://127.0.0.1:1';
    const failed = await world.run('effective', '--live');
    expect([failed.code, failed.out, verdictOf(failed)]).toEqual([1, '', 'result: error']);
  });
});

describe('gwconf effective --compare', () => {
  const without = (name: string): readonly Resource[] =>
    WORLD.filter(({ metadata }) => metadata.name !== name);
  const resolves = ({ requests }: Served): number =>
    requests.filter(({ path }) => path.endsWith('/resolve')).length;

  it('finds no drift where the gateway is as the files say, with a request for each chain', async () => {
    const there = await serve();
    await there.put(...WORLD);
    const world = worldBeside(there, filesOf(WORLD));
    const ran = await world.run('effective', 'in.yaml', '--compare', '--detailed-exitcode');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: no-drift']);
    expect(ran.out).toBe(
      `The same chains for 5 clients. Compared 4 chains of the files with ${there.url}.\n`,
    );
    expect(resolves(there)).toBe(4);
    expect(there.writes()).toEqual([]);
  });

  it('tells of those who leave the ACLs of a virtual cluster, and get a protected topic by another name', async () => {
    const there = await serve();
    const declared = [
      resource('VirtualCluster', { name: 'prod' }, { aclEnabled: true, superUsers: ['boss'] }),
      resource('AliasTopic', { name: 'cards', vCluster: 'prod' }, { physicalName: 'p' }),
      account('app'),
      resource(
        'Interceptor',
        { name: 'mask', scope: { vCluster: 'prod' } },
        {
          pluginClass: 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin',
          priority: 1,
          config: {
            topic: 'cards',
            policies: [{ name: 'p', rule: { type: 'MASK_ALL' }, fields: ['number'] }],
          },
        },
      ),
    ];
    await there.put(...declared);
    const world = worldBeside(there, filesOf(declared));
    expect(verdictOf(await world.run('effective', 'in.yaml', '--compare'))).toBe('result: no-drift');
    await there.put(
      resource('VirtualCluster', { name: 'prod' }, { aclEnabled: true, superUsers: ['boss', 'mallory'] }),
      resource('AliasTopic', { name: 'other', vCluster: 'prod' }, { physicalName: 'p' }),
    );
    const ran = await world.run('effective', 'in.yaml', '--compare', '-o', 'json');
    const { drift, result } = reportOf(ran);
    expect(result).toBe('drift');
    const told = [...(drift ?? [])].flatMap(({ virtualCluster, username, weaker = [] }) =>
      weaker.map(({ protection, by, parts }) => [
        `${username ?? '*'} in ${virtualCluster}`,
        protection,
        by,
        parts.flatMap(({ topics }) => topics ?? []),
      ]),
    );
    expect(told).toContainEqual(['mallory in prod', 'access', 'VirtualCluster/prod', []]);
    expect(told).toContainEqual(['* in prod', 'masking', 'Interceptor/mask@vCluster=prod', ['other']]);
    const text = await world.run('effective', 'in.yaml', '--compare');
    expect(text.out).toContain('mallory in prod');
  });

  it('tells what members of an external group have weaker on the gateway, or without protection, by the files and live', async () => {
    const declared = [
      resource('VirtualCluster', { name: 'prod' }),
      resource('GatewayGroup', { name: 'team' }, { externalGroups: ['staff'] }),
      interceptor('mask', 5, { vCluster: 'prod', group: 'team' }, MASK),
    ];
    const there = await serve();
    const weaker = { ...MASK, config: { ...MASK.config, topic: 'other' } };
    await there.put(...declared, interceptor('mask', 5, { vCluster: 'prod', group: 'team' }, weaker));
    const world = worldBeside(there, { ...filesOf(declared), 'topics.txt': 'cards\n' });
    const ran = await world.run('effective', 'in.yaml', '--compare', '--detailed-exitcode');
    expect([ran.code, verdictOf(ran)]).toEqual([2, 'result: drift']);
    expect(ran.out).toContain(
      'members of the external group staff in prod (group team)\n  both:     5 mask (group=team)\n  live gives weaker masking: ',
    );
    const shadow = [interceptor('mask', 5, { vCluster: 'prod' }, MASK), interceptor('mask', 5, GLOBAL, MASK)];
    await there.put(...shadow);
    const uncovered = await world.run('effective', '--live', '--uncovered', '--topics', 'topics.txt');
    expect(uncovered.out).toContain(
      'members of the external group staff in prod (group team)\n  without protection: cards\n',
    );
  });

  it('counts a mask for no protection that runs before what it masks is decrypted', async () => {
    const there = await serve();
    const encryption = { recordValue: { fields: [{ fieldName: 'card', keySecretId: 'in-memory-kms://k' }] } };
    await there.put(
      interceptor('encrypt', 1, GLOBAL, {
        ...{ pluginClass: `${PREFIX}EncryptPlugin`, config: { topic: 'cards', ...encryption } },
      }),
      interceptor('decrypt', 20, GLOBAL, {
        pluginClass: `${PREFIX}DecryptPlugin`,
        config: { topic: 'cards' },
      }),
    );
    const world = worldBeside(there, { 'topics.txt': 'cards\norders\n' });
    const uncovered = async (priority: number): Promise<Ran> => {
      await there.put(interceptor('mask', priority, GLOBAL, MASK));
      return world.run(
        'effective',
        '--live',
        '--uncovered',
        '--topics',
        'topics.txt',
        '--protection',
        'masking',
      );
    };
    expect((await uncovered(5)).out).toContain('  without masking: cards\n\n1 of 2 topics');
    expect(verdictOf(await uncovered(25))).toBe('result: covered');
  });

  it('says the same of external groups whatever a hidden one is called, and nothing of one without a value', async () => {
    const teams = ['a', 'b', 'c'];
    const declared = [
      resource('VirtualCluster', { name: 'prod' }),
      ...teams.map((name) => interceptor(name, 5, { vCluster: 'prod', group: name }, MASK)),
    ];
    const groups = (externals: readonly string[]): readonly Resource[] =>
      teams.map((name, at) => resource('GatewayGroup', { name }, { externalGroups: [externals[at] ?? ''] }));
    const there = await serve();
    await there.put(...groups(['moved', 'm', 'live']), ...declared);
    const world = worldBeside(there, filesOf([...groups(['${ONE}', 'm', '${TWO}']), ...declared]));
    const told = async (ONE: string, TWO: string): Promise<readonly string[]> => {
      Object.assign(world.env, { ONE, TWO });
      const files = await world.run('effective', 'in.yaml');
      const both = await world.run('effective', 'in.yaml', '--compare');
      return [files.out, both.out, both.err];
    };
    const first = await told('first', 'x');
    expect(first.join('')).not.toMatch(/moved|first/);
    expect(await told('z', 'y')).toEqual(first);
    Object.assign(world.env, { ONE: undefined, TWO: undefined });
    const open = await world.run('effective', 'in.yaml', '--compare', '--detailed-exitcode');
    expect(verdictOf(open)).toBe('result: no-drift');
    expect(open.out).toContain('2 fields not compared.');
  });

  it('tells of those who read what is encrypted for others', async () => {
    const kms = { vault: { uri: 'https://vault.example', version: 1, type: 'KUBERNETES', role: 'r' } };
    const plugin = (name: string, scope: JsonObject, config: JsonObject): Resource =>
      resource(
        'Interceptor',
        { name, scope },
        {
          pluginClass: `io.conduktor.gateway.interceptor.${name === 'encrypt' ? 'Encrypt' : 'Decrypt'}Plugin`,
          priority: 1,
          config: { topic: 'cards', kmsConfig: kms, ...config },
        },
      );
    const fields = [{ fieldName: 'number', keySecretId: 'vault-kms://vault.example/transit/keys/k' }];
    const declared = [
      resource('VirtualCluster', { name: 'prod' }),
      account('app'),
      plugin('encrypt', { vCluster: 'prod' }, { recordValue: { fields } }),
    ];
    const there = await serve();
    await there.put(...declared, plugin('decrypt', { vCluster: 'prod', username: 'app' }, {}));
    const ran = await worldBeside(there, filesOf(declared)).run(
      ...['effective', 'in.yaml', '--compare', '-o', 'json'],
    );
    const [of, ...others] = [...(reportOf(ran).drift ?? [])];
    expect(others).toEqual([]);
    expect(of).toMatchObject({
      username: 'app',
      weaker: [{ protection: 'encryption', parts: [{ loss: 'undone' }] }],
    });
  });

  it('shows for whom the gateway runs another chain, whoever knows them', async () => {
    const there = await serve();
    await there.put(
      ...without('mask'),
      account('stranger'),
      interceptor('own', 1, { vCluster: 'prod', username: 'stranger' }),
    );
    const world = worldBeside(there, filesOf(WORLD));
    const ran = await world.run('effective', 'in.yaml', '--compare', '--detailed-exitcode');
    expect([ran.code, verdictOf(ran)]).toEqual([2, 'result: drift']);
    expect(ran.out).toBe(
      [
        'app in prod (group team)',
        '  declared: 5 audit (global) → 100 limit (username=app) → 150 mask (group=team)',
        '  live:     5 audit (global) → 100 limit (username=app)',
        '',
        'stranger in prod',
        '  declared: 5 audit (global) → 200 limit (vCluster=prod)',
        '  live:     1 own (username=stranger) → 5 audit (global) → 200 limit (vCluster=prod)',
        '',
        'members of the external group staff in prod (group team)',
        '  declared: 5 audit (global) → 150 mask (group=team) → 200 limit (vCluster=prod)',
        '  live:     5 audit (global) → 200 limit (vCluster=prod)',
        '',
        `Different chains for 3 of 6 clients. Compared 4 chains of the files with ${there.url}.`,
        '',
      ].join('\n'),
    );
  });

  const masking = (topic: string, name = 'mask', fields: readonly string[] = ['card']): Resource =>
    interceptor(
      name,
      150,
      { vCluster: 'prod' },
      {
        pluginClass: MASK.pluginClass,
        config: { topic, policies: [{ name: 'cards', rule: { type: 'MASK_ALL' }, fields }] },
      },
    );
  const CUSTOMERS = [
    resource('VirtualCluster', { name: 'prod' }),
    ...['customers-eu', 'orders'].map((name) =>
      resource('AliasTopic', { name, vCluster: 'prod' }, { physicalName: name }),
    ),
  ];

  it('says what the gateway protects less than is declared, although it runs the same interceptors', async () => {
    const there = await serve();
    await there.put(...CUSTOMERS, masking('orders'));
    const world = worldBeside(there, filesOf([...CUSTOMERS, masking('.*')]));
    const ran = await world.run('effective', 'in.yaml', '--compare', '--detailed-exitcode');
    expect([ran.code, verdictOf(ran)]).toEqual([2, 'result: drift']);
    expect(ran.out).toBe(
      [
        'all other clients in prod',
        '  both:     150 mask (vCluster=prod)',
        '  live gives weaker masking: card of customers-eu is shown in clear; card of others is masked less (topic); declared in Interceptor/mask@vCluster=prod',
        '',
        `Weaker protection for 1 of 2 clients. Compared 2 chains of the files with ${there.url}.`,
        '',
      ].join('\n'),
    );
    const json = reportOf(await world.run('effective', 'in.yaml', '--compare', '-o', 'json'));
    expect(Array.from(json.drift ?? [], ({ weaker }) => weaker)).toEqual([
      [
        {
          protection: 'masking',
          certainty: 'weaker',
          by: 'Interceptor/mask@vCluster=prod',
          fields: ['/spec/config/topic'],
          parts: [
            { what: 'field', names: ['card'], loss: 'whole', topics: ['customers-eu'], pattern: '.*' },
            { what: 'field', names: ['card'], loss: 'part', topics: [], pattern: '.*' },
          ],
        },
      ],
    ]);
  });

  it.each([
    ['protects more', [masking('.*')], 'orders', {}],
    ['is written in another way', [masking('customers-eu|orders')], 'orders|customers-eu', {}],
    [
      'is protected by what others manage',
      [masking('orders'), masking('.*', 'platform')],
      '.*',
      {
        'gwconf.yaml': projectOf({ prod: "files: [in.yaml], manages: ['*', '!*/platform@*']" }),
      },
      ' Without 1 interceptor that this project does not manage.',
    ],
    [
      'differs where a difference is ignored',
      [masking('orders')],
      '.*',
      {
        'gwconf.yaml': projectOf({
          prod: 'files: [in.yaml], ignore: [{ address: Interceptor/mask@*, path: /spec/config/topic, reason: tuned by hand }]',
        }),
      },
    ],
  ])('says nothing of protection that %s', async (_, live, topic, more, others = '') => {
    const there = await serve();
    await there.put(...CUSTOMERS, ...live);
    const world = worldBeside(there, { ...filesOf([...CUSTOMERS, masking(topic)]), ...more });
    const ran = await world.run('effective', '--file', 'in.yaml', '--compare');
    expect([ran.out, verdictOf(ran)]).toEqual([
      `The same chains for 2 clients. Compared 2 chains of the files with ${there.url}.${others}\n`,
      'result: no-drift',
    ]);
  });

  it('shows no secret of what is weaker', async () => {
    const there = await serve();
    await there.put(...CUSTOMERS, masking('orders', 'mask', ['shown']));
    const world = worldBeside(there, filesOf([...CUSTOMERS, masking('${TOPIC}', 'mask', ['${FIELD}'])]));
    Object.assign(world.env, { TOPIC: 'customers-eu', FIELD: 'the-secret-field' });
    const ran = await world.run('effective', 'in.yaml', '--compare', '-o', 'json');
    expect(ran.out).not.toContain('the-secret-field');
    expect(reportOf(ran).drift?.at(0)?.weaker?.[0]?.parts).toMatchObject([
      { names: ['(hidden)'], topics: null, pattern: null },
    ]);
    Object.assign(world.env, { TOPIC: undefined, FIELD: undefined });
    expect(verdictOf(await world.run('effective', 'in.yaml', '--compare'))).toBe('result: no-drift');
  });

  it('tells the gateway the groups that it has, not those of the files', async () => {
    const there = await serve();
    const emptied = resource('GatewayGroup', { name: 'team' }, { members: [] });
    await there.put(...WORLD, emptied);
    const ran = await worldBeside(there, filesOf(WORLD)).run(
      'effective',
      'in.yaml',
      '--compare',
      '-o',
      'json',
    );
    expect(reportOf(ran)).toMatchObject({
      result: 'drift',
      summary: { principals: 5, drift: 2, unchecked: 0 },
      drift: [
        { username: 'app', groups: ['team'] },
        { username: null, externalGroup: 'staff', groups: ['team'] },
      ],
    });
  });

  it('leaves out what the files do not manage, and says so: it may decrypt, for example', async () => {
    const there = await serve();
    await there.put(...WORLD, interceptor('platform', 1, GLOBAL));
    const world = worldBeside(there, {
      ...filesOf(WORLD),
      'gwconf.yaml': projectOf({ prod: "files: [in.yaml], manages: ['*', '!*/platform@*']" }),
    });
    const ran = await world.run('effective', '--compare');
    expect(verdictOf(ran)).toBe('result: no-drift');
    expect(ran.out).toContain(' Without 1 interceptor that this project does not manage.\n');
    const json = reportOf(await world.run('effective', '--compare', '-o', 'json'));
    expect(json.summary.unmanaged).toBe(1);
    expect((await world.run('effective', '--compare', '-o', 'markdown')).out).toContain(
      '1 not managed by this project',
    );
  });

  it('takes from the gateway who is in a group that others manage, as who has its interceptors', async () => {
    const guard = interceptor('guard', 5, { vCluster: 'prod', group: 'team' });
    const there = await serve();
    const team = { members: [{ name: 'app', vCluster: 'prod' }], externalGroups: ['staff'] };
    const group = resource('GatewayGroup', { name: 'team' }, team);
    await there.put(resource('VirtualCluster', { name: 'prod' }), account('app'), group, guard);
    for (const rules of ["manages: ['Interceptor/*']", "manages: ['*'], external: ['Gateway*']"]) {
      const world = worldBeside(there, {
        ...filesOf([guard]),
        'gwconf.yaml': projectOf({ prod: `files: [in.yaml], ${rules}` }),
      });
      expect(verdictOf(await world.run('effective', '--compare'))).toBe('result: no-drift');
      world.write(
        'in.yaml',
        filesOf([interceptor('guard', 6, { vCluster: 'prod', group: 'team' })])['in.yaml'],
      );
      const { out } = await world.run('effective', '--compare');
      expect(out).toContain('Different chains for 2 of 4 clients.');
    }
  });

  it('does not ask for virtual clusters that the gateway does not have', async () => {
    const there = await serve();
    await there.put(interceptor('audit', 5, GLOBAL, AUDIT), interceptor('limit', 300, GLOBAL));
    const ran = await worldBeside(there, filesOf(WORLD)).run('effective', 'in.yaml', '--compare');
    expect(ran.out).toContain(
      'clients of prod: all other clients and other\n  declared: 5 audit (global) → 200 limit (vCluster=prod)\n  live:     no interceptors\n',
    );
    expect(resolves(there)).toBe(1);
  });

  it('warns where the gateway does not follow the rule, and believes the gateway', async () => {
    const there = await serve(
      {},
      {
        intercept: (request, handle) => {
          const answer = handle();
          return Promise.resolve(request.url.endsWith('/resolve') ? { ...answer, body: [] } : answer);
        },
      },
    );
    await there.put(interceptor('audit', 5, GLOBAL));
    const ran = await worldBeside(there, filesOf([interceptor('audit', 5, GLOBAL)])).run(
      'effective',
      'in.yaml',
      '--compare',
    );
    expect(ran.err).toContain(
      'warning[unexpected-chain]: Interceptor/audit@global does not run on the gateway, but does by the rule of scopes for all other clients in passthrough',
    );
    expect(verdictOf(ran)).toBe('result: drift');
  });

  it('says how many fields it could not compare', async () => {
    const there = await serve();
    await there.put(interceptor('mask', 5, GLOBAL));
    const open = interceptor('mask', 5, GLOBAL, { ...OWN, config: { key: '${UNSET}' } });
    const ran = await worldBeside(there, filesOf([open])).run('effective', 'in.yaml', '--compare');
    expect(ran.out).toMatch(
      /^The same chains for 1 client in what was compared\. .* 1 field not compared\.$/m,
    );
  });

  it('says for how many principals it did not ask', async () => {
    const gateway = memoryGateway(catalog.kinds);
    for (const one of WORLD) await gateway.put(kindOf(one.kind), one);
    const host = memoryHost(new Map(Object.entries(filesOf(WORLD))));
    const options = { paths: ['in.yaml'], mostRequests: 1 };
    const found = await compareChains(host, await openWorkspace(host), gateway, options);
    expect(found).toMatchObject({ result: 'incomplete', unchecked: 4, drift: [] });
    expect(found.problems.map(({ code, message }) => `${code} ${message}`)).toContain(
      'cannot-tell 4 clients are not compared: the gateway is asked for at most 1 different chains',
    );
  });

  it('fails where the gateway has no such call, and asks nothing for files with errors', async () => {
    const there = await serve({ version: '3.2.0' });
    const world = worldBeside(there, { ...filesOf(WORLD), 'wrong.yaml': 'kind: Interceptor\n' });
    expect(verdictOf(await world.run('effective', 'in.yaml', '--compare'))).toBe('result: error');
    there.forget();
    const wrong = await world.run('effective', 'wrong.yaml', '--compare');
    expect([wrong.out, verdictOf(wrong), there.requests]).toEqual(['', 'result: error', []]);
  });
});
