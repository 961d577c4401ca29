import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alias, masking, projectOf } from '../support/documents.ts';
import { hasGit, makeGitWorld, type GitWorld } from '../support/git-world.ts';

const URL = ['--url', 'embedded:g.json'];
const PLAN = ['plan', '--base', 'main', '--prune', '--fail-on', 'loss', ...URL];
const SLOW = `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: slow, scope: { vCluster: passthrough } }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.chaos.SimulateSlowBrokerPlugin
    priority: 2
    config: { rateInPercent: 1, minLatencyMs: 1, maxLatencyMs: 2 }
`;
const encrypting = (name: string, plugin: string, config: string): string => `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: ${name}, scope: { vCluster: passthrough } }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.${plugin}
    priority: ${name.length}
    config: { topic: .*${config} }
`;
const BY_FIELD = [
  'EncryptPlugin',
  ', recordValue: { fields: [{ fieldName: a, keySecretId: "in-memory-kms://a" }] }',
] as const;
const BY_SCHEMA = ['EncryptSchemaBasedPlugin', ''] as const;
const SORTS = 'protection: { by-field: [EncryptPlugin], by-schema: [EncryptSchemaBasedPlugin] }';
const LAST = 'reason: known, until: 2099-01-01';
const policy = (expression: string): string => `
  apiVersion: gwconf/v1
  kind: Policy
  metadata: { name: short }
  spec:
    expression: ${expression}
    message: the name is long
    examples:
      pass: [{ object: { metadata: { name: a } } }]
      fail: [{ object: { metadata: { name: ${'a'.repeat(99)} } } }]
`;

/** The files of a branch, or of its base: one rule or the other, with resources. */
type Files = Readonly<Record<string, string>>;
const files = (rules: string, resources: readonly string[], more = '', others: Files = {}): Files => ({
  'gwconf.yaml': projectOf({ prod: `files: [files], manages: ['*'], ${rules}` }, more),
  'files/all.yaml': resources.join('---\n'),
  ...others,
});

/** Two layers, of which the later one may change the other. */
const layered = (rules: string, more: string): Files => ({
  ...files('', ALL),
  'gwconf.yaml': projectOf({ prod: `files: [files, more], manages: ['*'], ${rules}` }),
  'more/all.yaml': more,
});

/** A link that git has, whatever a file system takes. */
function putLink(world: GitWorld, path: string, target: string): void {
  const id = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: world.folder, input: target });
  world.git('update-index', '--add', '--cacheinfo', `120000,${id.toString().trim()},${path}`);
}

/** A gateway to which the base was applied. */
async function worldOf(base: Files): Promise<GitWorld> {
  const world = makeGitWorld(base);
  world.commit();
  const { code, err } = await world.run('apply', '--auto-approve', '--journal', 'none', ...URL);
  expect(code, err).toBe(0);
  return world;
}

function write(world: GitWorld, all: Files): void {
  for (const [path, text] of Object.entries(all)) world.write(path, text);
}

const ALL = [alias('a'), masking('mask', 'card', 'name')];
const [ONE, WEAKER] = [[masking('mask', 'card', 'name')], [alias('a'), masking('mask', 'card')]];
const [A, B, MASK, WEAK] = [alias('a'), alias('b'), masking('mask', 'card', 'name'), masking('mask', 'card')];
const APP = `
  apiVersion: gateway/v2
  kind: GatewayServiceAccount
  metadata: { name: app }
  spec: { type: LOCAL }
`;
type Docs = readonly string[];
const kept = (document: string): string => document.replace('metadata', 'protect: true\nmetadata');
const MOVED = `
  apiVersion: gwconf/v1
  kind: Removal
  metadata: { name: r }
  spec: { moved: [{ from: AliasTopic/a@vCluster=passthrough, to: AliasTopic/b@vCluster=passthrough }], reason: r }
`;
const waived = (waivers: string, more = ''): string =>
  `policies: { builtIn: { team-prefix: { kinds: [AliasTopic], prefixes: [a], waivers: [${waivers}]${more} } } }\n`;

describe.skipIf(!hasGit)('a branch that loosens a rule', () => {
  it.each<readonly [rule: string, base: Files, branch: Files, told: string, alone: Files]>([
    [
      'protect',
      files('protect: [{ kind: AliasTopic }]', ALL),
      files('', ONE),
      'AliasTopic/a@vCluster=passthrough would be deleted, and is protected by the rule { kind: AliasTopic }',
      files('', ALL),
    ],
    [
      'protect beside metadata',
      files('', [kept(alias('a')), ...ONE]),
      files('', ONE),
      'AliasTopic/a@vCluster=passthrough would be deleted, and is protected by the rule ',
      files('', ALL),
    ],
    [
      'protect beside metadata of what is moved to an object that is there',
      files('', [kept(A), kept(B), MASK]),
      files('', [kept(B), MASK, MOVED]),
      'AliasTopic/a@vCluster=passthrough would be deleted, and is protected by the rule ',
      files('', [A, kept(B), MASK]),
    ],
    [
      'limits',
      files('limits: { deletes: 0 }', ALL),
      files('limits: { deletes: 2 }', ONE),
      'the run deletes 1 of 2 managed objects (50 %); the limit is 0 objects: AliasTopic/a@vCluster=passthrough',
      files('limits: { deletes: 2 }', ALL),
    ],
    [
      'exposures',
      files('', ALL),
      files(`exposures: [{ address: Interceptor/mask@*, ${LAST} }]`, WEAKER),
      'all other clients in passthrough have weaker masking: name of cards is shown in clear (fields)',
      files(`exposures: [{ address: Interceptor/mask@*, ${LAST} }]`, ALL),
    ],
    [
      'exposures of a gap',
      files(SORTS, [encrypting('a', ...BY_FIELD), encrypting('bc', ...BY_SCHEMA)]),
      files(`${SORTS}, exposures: [{ address: Interceptor/*, ${LAST} }]`, [
        encrypting('a', ...BY_SCHEMA),
        encrypting('bc', ...BY_FIELD),
      ]),
      'protection gap: all other clients in passthrough lack by-',
      files(`${SORTS}, exposures: [{ address: Interceptor/*, ${LAST} }]`, [
        encrypting('a', ...BY_FIELD),
        encrypting('bc', ...BY_SCHEMA),
      ]),
    ],
    [
      'protection',
      files('protection: { pci: [Interceptor/slow@*] }', [SLOW, ...ALL]),
      files('', ALL),
      'all other clients in passthrough lose pci permanently, with the delete of Interceptor/slow@vCluster=passthrough',
      files('', [SLOW, ...ALL]),
    ],
    [
      'overlays',
      layered('overlays: []', alias('z')),
      layered('overlays: [more]', `overlay: true\n${alias('a', 'other')}`),
      'more/all.yaml ',
      layered('overlays: [more]', alias('z')),
    ],
    [
      'a waiver',
      files('', ALL, waived('')),
      files('', [alias('b'), ...ALL], waived(`{ address: AliasTopic/b*, ${LAST} }`)),
      'AliasTopic/b@vCluster=passthrough does not meet the policy team-prefix: the name does not begin with the prefix of a team',
      files('', ALL, waived(`{ address: AliasTopic/b*, ${LAST} }`)),
    ],
    [
      'the severity of a policy',
      files('', ALL, waived('')),
      files('', [alias('b'), ...ALL], waived('', ', severity: advisory')),
      'AliasTopic/b@vCluster=passthrough does not meet the policy team-prefix: the name does not begin with the prefix of a team',
      files('', ALL, waived('', ', severity: advisory')),
    ],
    [
      'a policy in a file',
      files('', ALL, 'policies: { files: [p] }\n', {
        'p/a.policy.yaml': policy('size(object.metadata.name) < 9'),
      }),
      files('', [alias('long-names'), ...ALL], '', { 'p/a.policy.yaml': '' }),
      'AliasTopic/long-names@vCluster=passthrough does not meet the policy short: the name is long',
      files('', ALL, '', { 'p/a.policy.yaml': '' }),
    ],
    [
      'topics',
      files('topics: topics.txt', [masking('mask', 'card').replace('topic: cards', 'topic: "(?!x).*"')], '', {
        'topics.txt': 'cards\ncars\n',
      }),
      files(
        'topics: topics.txt',
        [masking('mask', 'card').replace('topic: cards', 'topic: "(?!x|cards$).*"')],
        '',
        {
          'topics.txt': 'cars\n',
        },
      ),
      'all other clients in passthrough have weaker masking: card of cards is shown in clear (topic)',
      files('topics: topics.txt', [masking('mask', 'card').replace('topic: cards', 'topic: "(?!x).*"')], '', {
        'topics.txt': 'cars\n',
      }),
    ],
  ])('%s is judged by that of its base, and may loosen it alone', async (_, base, branch, told, alone) => {
    const world = await worldOf(base);
    write(world, branch);
    const own = await world.run(...PLAN.filter((one) => !['--base', 'main'].includes(one)));
    expect([own.code, own.err]).toEqual([0, expect.not.stringContaining('error[')]);
    const { code, err } = await world.run(...PLAN, '-o', 'human', '-o', 'markdown=plan.md');
    expect([code, err]).toEqual([3, expect.stringContaining(`: by the rules of the base, ${told}`)]);
    expect(world.read('plan.md').replace(/[`\\]/g, '')).toContain(`: by the rules of the base, ${told}`);
    write(world, alone);
    const only = await world.run(...PLAN);
    expect([only.code, only.out, only.err]).toEqual([
      0,
      expect.stringContaining('Rules that this branch changes:\n  ! '),
      expect.not.stringContaining('error['),
    ]);
  });

  it('may allow what its base has already, and what has changed on the gateway since', async () => {
    const world = await worldOf(files('', ALL, waived('')));
    const address = 'AliasTopic/other@vCluster=passthrough';
    write(world, files('limits: { deletes: 0 }', [alias('other'), ...ONE], waived('')));
    world.commit();
    const blocked = await world.run(...PLAN);
    expect([blocked.code, blocked.err]).toEqual([3, expect.stringContaining(`${address} does not meet`)]);
    write(
      world,
      files('limits: { deletes: 1 }', [alias('other'), ...ONE], waived(`{ address: ${address}, ${LAST} }`)),
    );
    const { code, out, err } = await world.run(...PLAN);
    expect([code, out, err]).toEqual([
      0,
      expect.stringContaining('2 rules loosened'),
      expect.not.stringContaining('error['),
    ]);
  });

  it.each<readonly [what: string, rules: string, looser: string, base: Docs, less: Docs, more: Docs]>([
    [
      'changes of what is protected',
      'protect: [{ kind: AliasTopic }]',
      '',
      [alias('a', 'x'), alias('b', 'x'), MASK, APP],
      [A, alias('b', 'x'), MASK, APP],
      [alias('a', 'x'), alias('b', 'y'), MASK, APP],
    ],
    ['deletes', 'limits: { deletes: 0 }', 'limits: { deletes: 9 }', [B, MASK], [A, B, MASK], [MASK]],
    [
      'losses',
      '',
      `exposures: [{ address: Interceptor/mask@*, ${LAST} }]`,
      [A, B, WEAK, APP],
      [A, B, WEAK],
      [A, B, APP],
    ],
  ])(
    'may have fewer %s than its base has already, and not more',
    async (_, rules, looser, base, less, more) => {
      const world = await worldOf(files('', [A, B, MASK, APP]));
      write(world, files(rules, base));
      world.commit();
      expect(await world.run(...PLAN)).toMatchObject({ code: 3 });
      write(world, files(looser, less));
      expect(await world.run(...PLAN)).toMatchObject({ code: 0 });
      write(world, files(looser, more));
      const { code, err } = await world.run(...PLAN);
      expect([code, err]).toEqual([3, expect.stringContaining('by the rules of the base, ')]);
    },
  );

  it('may mask as little as its base does already, and not less', async () => {
    const first = (count: number): Docs => [
      masking('mask', 'card').replace('type: MASK_ALL', `type: MASK_FIRST_N, numberOfChars: ${count}`),
    ];
    const world = await worldOf(files('', first(8)));
    write(world, files('', first(4)));
    world.commit();
    for (const [count, code] of [
      [6, 0],
      [4, 0],
      [2, 3],
    ] as const) {
      write(world, files(`exposures: [{ address: Interceptor/mask@*, ${LAST} }]`, first(count)));
      const ran = await world.run(...PLAN);
      expect([ran.code, ran.err.includes('compared with the base, ')]).toEqual([code, code === 3]);
    }
  });

  it('silences nothing of that with a comment', async () => {
    const world = await worldOf(files('', ALL, waived('', ', severity: advisory')));
    write(
      world,
      files('', [
        alias('b').replace(/^( *)metadata/m, '$1# gwconf-ignore policy/team-prefix: x\n$1metadata'),
        ...ALL,
      ]),
    );
    expect((await world.run(...PLAN)).err).toContain(
      'warning[policy/team-prefix]: by the rules of the base, ',
    );
  });

  it('is told of a loss by the rules of a base that does not ask for losses taken over', async () => {
    const rules = 'protection: { delay: [SimulateSlowBrokerPlugin] }';
    const off = 'lint: { taken-over-loss: off }\n';
    const world = await worldOf(files(rules, [alias('a'), SLOW], off));
    write(world, files('', [alias('a')], off));
    const plan = PLAN.filter((one) => !['--fail-on', 'loss'].includes(one));
    expect((await world.run(...plan)).err).toContain('by the rules of the base, ');
    write(world, files(rules, [alias('a'), SLOW], 'lint: { lost-protection: off }\n'));
    world.commit();
    write(world, files('', [alias('a')]));
    expect((await world.run(...plan)).err).not.toContain('by the rules of the base, ');
  });

  it('is told of no gap on a way that nobody goes, where it declares what was swapped by hand', async () => {
    const [field, schema] = [BY_FIELD, BY_SCHEMA];
    const swapped = files(SORTS, [encrypting('a', ...schema), encrypting('bc', ...field)]);
    const world = await worldOf(swapped);
    write(world, files(SORTS, [encrypting('a', ...field), encrypting('bc', ...schema)]));
    world.commit();
    expect((await world.run(...PLAN)).err).toContain('protection gap: ');
    write(world, swapped);
    expect(await world.run(...PLAN)).toMatchObject({
      code: 0,
      err: expect.not.stringContaining('gap') as string,
    });
  });

  it('has a new environment judged by the policies of the base', async () => {
    const world = await worldOf(files('', ALL, waived('')));
    world.write(
      'gwconf.yaml',
      projectOf({ prod: "files: [files], manages: ['*']", next: 'files: [next], limits: { updates: 0 }' }),
    );
    world.write('next/a.yaml', alias('other'));
    const { code, err } = await world.run(
      'plan',
      '--base',
      'main',
      '--env',
      'next',
      '--url',
      'embedded:next.json',
    );
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('error[policy/team-prefix]: by the rules of the base'),
    ]);
  });

  it('is told of a name that it gives an environment, and judged by what the base has for the former one', async () => {
    const project = (name: string, builtIn: string): string =>
      projectOf(
        { [name]: 'files: [files], gateway: { url: "embedded:g.json" }', 'prod-us': 'files: [us]' },
        `policies: { builtIn: { ${builtIn} } }\n`,
      );
    const [scoped, forAll] = ['no-chaos-in-prod: {}', 'team-prefix: { kinds: [AliasTopic], prefixes: [a] }'];
    const world = makeGitWorld({ 'gwconf.yaml': project('prod-eu', scoped), 'files/a.yaml': alias('a') });
    world.commit();
    world.write('gwconf.yaml', project('eu-prod', scoped));
    world.write('files/slow.yaml', SLOW);
    const plan = ['plan', '--base', 'main', '--env', 'eu-prod'];
    const { code, out, err } = await world.run(...plan);
    expect([code, out]).toEqual([
      3,
      expect.stringContaining('! name of the environment changed from prod-eu to eu-prod'),
    ]);
    expect(err).toContain('error[policy/no-chaos-in-prod]: by the rules of the base, Interceptor/slow@');
    world.write('gwconf.yaml', project('prod-eu', forAll));
    world.commit();
    world.write('gwconf.yaml', project('eu-prod', forAll));
    expect((await world.run(...plan)).out).not.toContain('name of the environment');
    const waves = 'waves: [["prod*"], ["*"]]\n';
    world.write('gwconf.yaml', project('prod-eu', forAll) + waves);
    world.commit();
    world.write('gwconf.yaml', project('eu-prod', forAll) + waves);
    expect((await world.run(...plan)).out).toContain('! name of the environment changed');
  });

  it.each<[what: string, put: (folder: string) => void, why: string]>([
    [
      'a link out of the repository',
      (folder) => symlinkSync('/tmp', join(folder, 'more')),
      'it is a link out',
    ],
    ['a link into itself', (folder) => symlinkSync('more', join(folder, 'more')), 'its links form a loop'],
    [
      'a test that is no text',
      (folder) => writeFileSync(join(folder, 'more.gwtest.yaml'), Buffer.of(0xff)),
      'it is not UTF-8 text',
    ],
  ])('is told with the rules that it drops, whatever the base has elsewhere: %s', async (_, put, why) => {
    const rule = 'protect: [{ kind: AliasTopic, reason: kept }]';
    const world = makeGitWorld(files(rule, [alias('a', 'x')]));
    put(world.folder);
    world.commit();
    await world.run('apply', '--auto-approve', '--journal', 'none', ...URL);
    world.write('gwconf.yaml', files('', [])['gwconf.yaml'] ?? '');
    world.write('files/all.yaml', alias('a', 'y'));
    const { code, out, err } = await world.run(...PLAN);
    expect([code, out]).toEqual([3, expect.stringContaining('! protect removed: { kind: AliasTopic')]);
    expect(err).toContain('error[protected]: by the rules of the base, AliasTopic/a@');
    expect(err).toMatch(new RegExp(`what commit .* the base, has in more.* is not compared: ${why}`));
  });

  it.each<[what: string, named: string, path: string, put: (world: GitWorld) => void]>([
    ['a name with a backslash', 'a\\\\b', 'a\\b', () => undefined],
    ['a link by its whole path', 'link', 'rules', (world) => putLink(world, 'link', `${world.folder}/rules`)],
    [
      'a link with two dots behind another one',
      'link',
      'deep/rules',
      (world) => {
        putLink(world, 'way', 'deep/way');
        putLink(world, 'link', 'way/../rules');
      },
    ],
    ['a link with a null character', 'link', 'rules', (world) => putLink(world, 'link', 'rules\0more')],
  ])('is told of a policy that it drops, where the base has it by %s', async (_, named, path, put) => {
    const world = makeGitWorld({
      ...files('', [alias('a')], `policies: { files: ["${named}"] }`),
      [`${path}/short.policy.yaml`]: policy('size(object.metadata.name) < 9'),
      'deep/way/more': '',
    });
    world.commit();
    put(world);
    world.git('commit', '--quiet', '--allow-empty', '-m', 'more');
    world.write('gwconf.yaml', files('', [])['gwconf.yaml'] ?? '');
    world.write('files/all.yaml', alias('much-too-long'));
    const { code, out, err } = await world.run(...PLAN);
    expect([code, out]).toEqual([3, expect.stringContaining('! policy short removed')]);
    expect(err).toContain('error[policy/short]: by the rules of the base, AliasTopic/much-too-long@');
  });

  it('is told for all environments where it has other attributes of files', async () => {
    const world = makeGitWorld(files('', [alias('a')]));
    const start = world.commit();
    world.write('other/.gitattributes', '*.md text');
    world.commit();
    const { out } = await world.run('environments', '--changed-since', start);
    expect(out).toMatch(/prod .*other\/\.gitattributes\n/);
  });

  it('is told of a name that it gives another environment, which no job may choose any more', async () => {
    const project = (...names: readonly string[]): string =>
      projectOf(
        Object.fromEntries(
          names.map((name) => [name, `files: [files], gateway: { url: "embedded:${name.slice(-4)}.json" }`]),
        ),
      );
    const world = makeGitWorld({
      'gwconf.yaml': project('prod-east', 'prod-west'),
      'files/a.yaml': alias('a'),
    });
    world.commit();
    const plan = ['plan', '--base', 'main', '--env', 'prod-*'];
    world.write('gwconf.yaml', project('other-east', 'prod-west'));
    expect((await world.run(...plan)).out).toContain(
      '! name of the environment changed from prod-east to other-east',
    );
    world.write('gwconf.yaml', project('prod-east', 'prod-west', 'more-west'));
    expect((await world.run(...plan)).out).not.toContain('name of the environment');
  });
});
