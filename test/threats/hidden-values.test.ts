import { describe, expect, it } from 'vitest';
import { hasGit, makeGitWorld } from '../support/git-world.ts';
import { makeWorld, type World } from '../support/cli.ts';

const PROJECT = (policies: string): string => `
  apiVersion: gwconf/v1
  kind: Project
  environments: { prod: { files: [d.yaml], gateway: { url: "embedded:gateway.json" } } }
  policies: { builtIn: { ${policies} } }
`;
const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';

/** An interceptor that encrypts with a key of Vault. */
const encrypts = (topic: string, kms: string): string => `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: e, scope: { vCluster: passthrough, group: null, username: null } }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
    priority: 1
    config:
      topic: '${topic}'
      kmsConfig: { ${kms} }
      recordValue: { payload: { keySecretId: 'vault-kms://a' } }
`;

const mask = (name: string, spec: string, topic = 'cards'): string => `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: ${name}, scope: { vCluster: passthrough, group: null, username: null } }
  spec:
    pluginClass: ${MASK}
    ${spec}
    config: { topic: "${topic}", policies: [{ name: a, rule: { type: MASK_ALL }, fields: [a] }] }
`;

/** A policy, a document with the value `VALUE`, a value that does not meet it, and one that does. */
const POLICIES: readonly (readonly [policy: string, document: string, bad: string, good: string])[] = [
  [
    'no-plain-http: true',
    encrypts('a', 'vault: { uri: "VALUE", type: TOKEN, token: secret-token }'),
    'http://evil.example',
    'https://good.example',
  ],
  ['no-wildcard-masks: true', mask('m', 'priority: 1', 'VALUE'), '.*', 'cards-.*'],
  ['required-comment: { pattern: "^PAY-" }', mask('m', 'priority: 1\n    comment: "VALUE"'), 'none', 'PAY-7'],
  ['priority-bands: { bands: [{ prefix: m, from: 1, to: 9 }] }', mask('m', 'priority: VALUE'), '10', '5'],
  [
    'no-wildcard-acls: true',
    `
      apiVersion: gateway/v2
      kind: VirtualCluster
      metadata: { name: prod }
      spec:
        aclEnabled: true
        aclMode: REST_API
        acls:
          - resourcePattern: { resourceType: TOPIC, name: "VALUE", patternType: LITERAL }
            principal: User:app
            host: "*"
            operation: READ
            permissionType: ALLOW
    `,
    '*',
    'orders',
  ],
];

async function plan(world: World, value: string): Promise<{ readonly code: number; readonly said: string }> {
  Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'V', V: value });
  const { code, out, err } = await world.run('plan');
  return { code, said: out + err };
}

describe('threat: author: a built-in policy, and a place that it could look past', () => {
  it.each([
    ['no-wildcard-masks: true', encrypts('[\\w.-]+', 'vault: { uri: "https://a:1", type: TOKEN, token: t }')],
    ['no-plain-http: true', encrypts('a', 'vault: { uri: "https://a:1,http://b:2", type: TOKEN, token: t }')],
    [
      'allowed-kms: { prefixes: ["vault-kms://"] }',
      encrypts(
        'a',
        'vault: { uri: "https://a:1", type: TOKEN, token: t }, gateway: { masterKeyId: "in-memory-kms://x" }',
      ),
    ],
  ])('is judged: %s', async (policy, document) => {
    const { out, err } = await makeWorld({ 'gwconf.yaml': PROJECT(policy), 'd.yaml': document }).run('plan');
    expect(out + err).toContain(`policy ${policy.split(':')[0]}`);
  });
});

describe('threat: author: a policy, and a value that it does not see', () => {
  const worldOf = (policy: string, document: string, text: string): World =>
    makeWorld({ 'gwconf.yaml': PROJECT(policy), 'd.yaml': document.replace('VALUE', text) });

  it.each(POLICIES)(
    'is not met by a value of a private variable, whatever it is: %s',
    async (policy, document, bad, good) => {
      expect((await plan(worldOf(policy, document, bad), '')).code).toBe(3);
      expect((await plan(worldOf(policy, document, good), '')).code).toBe(0);
      const [first, second] = [
        await plan(worldOf(policy, document, '${V}'), bad),
        await plan(worldOf(policy, document, '${V}'), good),
      ];
      expect(first.said).toContain('is hidden');
      expect(first).toEqual(second);
      expect(first.code).toBe(3);
    },
  );

  it.skipIf(!hasGit).each(POLICIES)(
    'judges the content of a file that git has: %s',
    async (policy, document, bad, good) => {
      for (const [value, code] of [
        [bad, 3],
        [good, 0],
      ] as const) {
        const world = makeGitWorld({
          'gwconf.yaml': PROJECT(policy),
          'd.yaml': document.replace('VALUE', '${file:v.txt}'),
          'v.txt': `${value}\n`,
        });
        world.commit();
        const planned = await plan(world, '');
        expect(planned.code, planned.said).toBe(code);
        expect(planned.said).toContain(value);
        // Where nothing is read to compare, too.
        expect((await world.run('validate')).code).toBe(code);
        expect((await world.run('snapshot', '--out', 's.json')).code).toBe(0);
        expect((await world.run('plan', '--snapshot', 's.json')).code).toBe(code);
      }
    },
  );

  it.skipIf(!hasGit)(
    'compares and checks what git has also against a snapshot, and where nothing is read',
    async () => {
      const policy = `
      apiVersion: gwconf/v1
      kind: Policy
      metadata: { name: not-evil }
      spec:
        match: { kind: AliasTopic }
        expression: change.after == null || change.after.spec.physicalName != "evil"
        message: it is evil
        examples:
          pass: [{ change: { before: null, after: { kind: AliasTopic, spec: { physicalName: a } } } }]
          fail: [{ change: { before: null, after: { kind: AliasTopic, spec: { physicalName: evil } } } }]
    `;
      const world = makeGitWorld({
        'gwconf.yaml': PROJECT('').replace('builtIn: {  }', 'files: [p.policy.yaml]'),
        'p.policy.yaml': policy,
        'd.yaml': `
        apiVersion: gateway/v2
        kind: AliasTopic
        metadata: { name: a, vCluster: passthrough }
        spec: { physicalName: "\${file:v.txt}" }
      `,
        'v.txt': 'orders\n',
      });
      world.commit();
      await world.run('apply', '--auto-approve', '--journal', 'none');
      await world.run('snapshot', '--out', 's.json');
      const planned = async (value: string): Promise<string> => {
        world.write('v.txt', value);
        world.commit();
        Object.assign(world.env, { CI: 'true' });
        const { code, out, err } = await world.run('plan', '--snapshot', 's.json');
        return `${out}${err}exit ${code}`;
      };
      expect(await planned('orders')).toMatch(/^No changes[^]*exit 0$/m);
      expect(await planned('other')).toMatch(/physicalName: "orders" → "other"[^]*exit 0$/);
      expect(await planned('evil')).toMatch(/policy not-evil: it is evil[^]*exit 3$/);
      expect(await planned('ev il')).toMatch(/invalid-value[^]*found "ev il"[^]*exit 1$/);
      expect((await world.run('validate')).err).toContain('found "ev il"');
    },
  );

  it.skipIf(!hasGit)(
    'takes a file for private that git has otherwise, ignores or does not have at all',
    async () => {
      const [policy = '', document = '', , good = ''] = POLICIES[1] ?? [];
      const world = makeGitWorld({
        'gwconf.yaml': PROJECT(policy),
        'd.yaml': document.replace('VALUE', '${file:v.txt}'),
        'v.txt': 'a placeholder',
        'linked.txt': good,
      });
      world.commit();
      world.write('v.txt', 'cards-of-the-job');
      const changed = await plan(world, '');
      expect(changed.code).toBe(3);
      expect(changed.said).not.toContain('of-the-job');
      const valid = await world.run('validate');
      expect([valid.code, valid.err]).toEqual([0, expect.stringContaining('cannot be told')]);
      world.write('.gitignore', 'own.txt');
      world.write('own.txt', good);
      world.write('d.yaml', document.replace('VALUE', '${file:own.txt}'));
      expect((await plan(world, '')).code).toBe(3);
      world.git('init', '--quiet', 'inner');
      world.write('inner/v.txt', good);
      world.write('d.yaml', document.replace('VALUE', '${file:inner/v.txt}'));
      expect((await plan(world, '')).code).toBe(3);
    },
  );

  it.skipIf(!hasGit)(
    'does not show what is live in place of what git has: a job may have had a secret in that file',
    async () => {
      const world = makeGitWorld({
        'gwconf.yaml': PROJECT(''),
        'd.yaml': `
        apiVersion: gateway/v2
        kind: AliasTopic
        metadata: { name: a, vCluster: passthrough }
        spec: { physicalName: "\${file:v.txt}" }
      `,
        'v.txt': 'dummy\n',
      });
      world.commit();
      const shown = async (live: string): Promise<string> => {
        world.write('v.txt', live);
        expect((await world.run('apply', '--auto-approve', '--journal', 'none')).code).toBe(0);
        world.write('v.txt', 'dummy\n');
        const got = await world.run('get', '-o', 'yaml');
        await world.run('snapshot', '--out', 's.json');
        await world.run('export', '--out', `of-${live}`);
        const exported = await world.run('render', `of-${live}`);
        return got.out + world.read('s.json') + exported.out;
      };
      expect((await shown('dummy')).match(/physicalName\W+dummy/g)).toHaveLength(3);
      expect(await shown('of-the-job')).not.toContain('of-the-job');
    },
  );

  it('is met where no value could change that, and waived as any other', async () => {
    const [, document = ''] = POLICIES[1] ?? [];
    const open = 'no-global-interceptors: { match: { kind: AliasTopic } }';
    expect((await plan(worldOf(open, document, '${V}'), 'a')).code).toBe(0);
    const waived = 'no-wildcard-masks: { waivers: [{ reason: PAY-1, owner: payments, until: 2027-01-01 }] }';
    expect((await plan(worldOf(waived, document, '${V}'), '.*')).code).toBe(0);
  });
});

describe('threat: author: a policy over chains whose order is hidden', () => {
  const ORDER = `
  policies:
    rules:
      - name: first-mask
        expression: 'principal.after.size() == 0 || principal.after[0].name == "a"'
        message: a runs first
        examples:
          pass: [{ principal: { after: [{ name: a }] } }]
          fail: [{ principal: { after: [{ name: b }] } }]
      - name: has-mask
        expression: 'principal.after.exists(link, link.name == "a")'
        message: a runs
        examples:
          pass: [{ principal: { after: [{ name: a }] } }]
          fail: [{ principal: { after: [{ name: b }] } }]
  `;
  const worldOf = (priority: string): World =>
    makeWorld({
      'gwconf.yaml': PROJECT('').replace(/ *policies:.*\n/, '') + ORDER,
      'd.yaml': `${mask('a', 'priority: 10')}\n---\n${mask('b', `priority: ${priority}`)}`,
    });

  it('is not met if an order is possible that does not meet it', async () => {
    const first = await plan(worldOf('20'), '');
    expect(first.code, first.said).toBe(0);
    expect((await plan(worldOf('5'), '')).code).toBe(3);
    const isError = (line: string): boolean => line.startsWith('error');
    const [late, early] = [await plan(worldOf('${V}'), '20'), await plan(worldOf('${V}'), '5')];
    expect(late.said.split('\n').filter(isError)).toEqual(early.said.split('\n').filter(isError));
    expect(late.code).toBe(3);
    expect(late.said).toContain('/spec/priority of Interceptor/b');
    expect(late.said).not.toContain('has-mask');
  });
});

describe('threat: author: a protection that a hidden value decides', () => {
  const PROTECTED = PROJECT('').replace(/ +policies:.*\n/, '');
  const NEVER = `
    apiVersion: gwconf/v1
    kind: Policy
    metadata: { name: never-weaker }
    spec:
      expression: size(change.weakens) == 0
      message: nothing gets weaker
      severity: mandatory
      examples:
        pass: [{ change: { after: { kind: Interceptor } } }]
        fail: [{ change: { after: { kind: Interceptor }, weakens: [masking] } }]
  `;
  const moved = mask('m', 'priority: 1', '${GW_TOPIC}');

  async function makeMask(policies = ''): Promise<World> {
    const world = makeWorld({ 'gwconf.yaml': PROTECTED, 'd.yaml': mask('m', 'priority: 1', 'cards-.*') });
    world.env['CI'] = 'true';
    world.env['GWCONF_ALLOWED_VARIABLES'] = 'GW_TOPIC';
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    expect((await world.run('snapshot', '--out', 'live.json')).code).toBe(0);
    if (policies !== '') {
      world.write('p.policy.yaml', policies);
      world.write('gwconf.yaml', `${PROTECTED}  policies: { files: [p.policy.yaml] }\n`);
    }
    world.write('d.yaml', moved);
    return world;
  }

  it.each(['.*', 'cards-eu', 'nothing'])(
    'is told, and blocks where a loss does, whatever the value is: %s',
    async (value) => {
      const world = await makeMask();
      world.env['GW_TOPIC'] = value;
      const plan = await world.run('plan');
      expect(plan.code).toBe(0);
      expect(plan.out).toContain(
        '! cannot tell whether all other clients in passthrough have as strong masking',
      );
      const gate = await world.run('plan', '--fail-on', 'loss');
      expect([gate.code, gate.err]).toEqual([
        3,
        expect.stringContaining('since a value is hidden or cannot be judged'),
      ]);
      expect((await world.run('plan', '--fail-on', 'loss', '--accept-exposure', 'Interceptor/m*')).code).toBe(
        0,
      );
      expect((await world.run('apply', '--auto-approve')).code).toBe(0);
      expect((await world.run('plan', '--fail-on', 'loss')).code).toBe(0);
    },
  );

  it('is told by effective --compare, which cannot compare it in CI', async () => {
    const world = await makeMask();
    const said = await Promise.all(
      ['.*', 'cards-.*'].map(async (value) => {
        const { out, err } = await world.runWith({ env: { GW_TOPIC: value } }, 'effective', '--compare');
        return out + err;
      }),
    );
    expect(said[0]).toContain('info[cannot-tell]: unknown whether /spec/config/topic of Interceptor/m@');
    expect(said[0]).toBe(said[1]);
  });

  it.each(['true', 'false'])('is told where ACLs came from it and end: %s', async (value) => {
    const acls = (enabled: string): string => `
      apiVersion: gateway/v2
      kind: VirtualCluster
      metadata: { name: prod }
      spec: { aclEnabled: ${enabled}, aclMode: KAFKA_API, superUsers: [a] }
    `;
    const world = makeWorld({ 'gwconf.yaml': PROTECTED, 'd.yaml': acls('"${GW_ACLS}"') });
    Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'GW_ACLS', GW_ACLS: value });
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    world.write('d.yaml', acls('false'));
    const { code } = await world.run('plan', '--fail-on', 'loss');
    expect(code).toBe(value === 'true' ? 3 : 0);
  });

  it('does not meet a policy by which nothing gets weaker', async () => {
    const world = await makeMask(NEVER);
    world.env['GW_TOPIC'] = '.*';
    const { code, err } = await world.run('plan');
    expect([code, err]).toEqual([3, expect.stringContaining('nothing gets weaker')]);
  });

  it('is told in a plan from a snapshot, without the value', async () => {
    const world = await makeMask();
    const { code, out } = await world.run('plan', '--snapshot', 'live.json', '--fail-on', 'loss');
    expect([code, out]).toEqual([
      3,
      expect.stringContaining('/spec/config/topic: (hidden) → (hidden), changed'),
    ]);
    expect((await world.run('plan', '--snapshot', 'live.json')).code).toBe(0);
    world.env['GWCONF_PUBLIC_VARIABLES'] = 'GW_TOPIC';
    expect((await world.run('plan', '--snapshot', 'live.json')).err).toContain('info[cannot-tell]');
  });
});

const limit = (max: string): string => `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: l, scope: { vCluster: passthrough, group: null, username: null } }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin
    priority: 1
    # gwconf-ignore invalid-value: a gateway may take it
    config: { topic: ".*", numPartition: { ${max} } }
`;

describe('threat: author: a protection that ends or not with a hidden value', () => {
  const RULE = `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: l, scope: { vCluster: passthrough } }
    spec:
      pluginClass: io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin
      priority: 1
      config: { topic: ".*", namingConvention: { value: "VALUE", action: BLOCK } }
  `;

  it.each([
    ['abc.*', '(?:[^k]|[${V}])*'],
    ['(?:[^k]|[${V}])*', '.*'],
  ])('is told alike whether or not all names are allowed: %s, then %s', async (was, is) => {
    const told = async (value: string): Promise<string> => {
      const world = makeWorld({
        'gwconf.yaml': PROJECT('').replace(/ +policies:.*\n/, ''),
        'd.yaml': RULE.replace('VALUE', was),
      });
      Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'V', V: value });
      expect((await world.run('apply', '--auto-approve')).code).toBe(0);
      world.write('d.yaml', RULE.replace('VALUE', is));
      const { code, out, err } = await world.run('plan', '--fail-on', 'loss');
      expect(code).toBe(3);
      return out + err;
    };
    expect(await told('akbcdefg')).toBe(await told('azbcdefg'));
  });

  it('is undone in the same order whatever else protects by a hidden value', async () => {
    const files = (...rules: readonly string[]): string =>
      rules.map((rule, at) => RULE.replace('name: l', `name: l${at}`).replace('VALUE', rule)).join('---\n');
    const undone = async (value: string): Promise<unknown> => {
      const world = makeWorld({ 'gwconf.yaml': PROJECT('').replace(/ +policies:.*\n/, '') });
      Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'V', V: value });
      for (const rules of [
        ['.*', 'a.*'],
        ['a.*', '.*'],
      ]) {
        world.write('d.yaml', files(...rules, '${V}'));
        await world.run('apply', '--auto-approve', '--accept-exposure', '*');
      }
      return (await world.run('undo', '--dry-run', '-o', 'json')).out;
    };
    const one = await undone('a.*');
    expect(one).toContain('"update": 2');
    expect(one).toBe(await undone('b.*'));
  });

  it('is told where a mask may run before what it masks is decrypted', async () => {
    const kms = 'vault: { uri: "https://a:1", type: TOKEN, token: t }';
    const decrypt = `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: d, scope: { vCluster: passthrough } }
      spec:
        pluginClass: io.conduktor.gateway.interceptor.DecryptPlugin
        priority: 100
        config: { topic: cards, kmsConfig: { ${kms} } }
    `;
    const files = (priority: string): string =>
      [encrypts('cards', kms), decrypt, mask('m', `priority: ${priority}`)].join('\n---\n');
    const world = makeWorld({
      'gwconf.yaml': PROJECT('').replace(/ +policies:.*\n/, ''),
      'd.yaml': files('200'),
    });
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    world.write('d.yaml', files('${V}'));
    for (const priority of ['50', '300']) {
      const { out } = await world.runWith({ env: { V: priority } }, 'plan');
      expect(out).toContain('cannot tell whether all other clients in passthrough have as strong masking');
    }
  });
});

describe('threat: author: a short secret behind a text that looks random', () => {
  it.each(['${V}', '${var.v}'])('is not quicker to guess from a saved plan: %s', async (text) => {
    const random = 'x7Kq2mVt9ZpL4wRc8NbY3hJd6FsG1uEa';
    const variables = `variables: { v: "${random}\${V}" }`;
    const world = makeWorld({
      'gwconf.yaml': PROJECT('')
        .replace(/ +policies:.*\n/, '')
        .replace('files:', `${variables}, files:`),
      'd.yaml': mask('m', 'priority: 1', text === '${V}' ? `${random}\${V}` : text),
    });
    Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'V', V: '1234' });
    expect((await world.run('plan', '--out', 'a.plan')).code).toBe(0);
    // `r.` begins a digest of a text that nobody guesses.
    expect(/"digest": ?"(\w+)\./.exec(world.read('a.plan'))?.[1]).toBe('0');
    expect((await world.run('apply', 'a.plan')).code).toBe(0);
    expect((await world.run('plan')).out).toContain('No changes');
  });

  it('is not quicker to guess from a saved plan: as a former value in a list with others', async () => {
    const random = 'x7Kq2mVt9ZpL4wRc8NbY3hJd6FsG1uEa';
    const fields = `fields: ["${random}\${V}", "\${W}"]`;
    const files = (priority: number): string =>
      mask('m', `priority: ${priority}`).replace('fields: [a]', () => fields);
    const world = makeWorld({
      'gwconf.yaml': PROJECT('').replace(/ +policies:.*\n/, ''),
      'd.yaml': files(1),
    });
    Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'V,W', V: '1234', W: 'w' });
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    world.write('d.yaml', files(2));
    expect((await world.run('plan', '--out', 'a.plan')).code).toBe(0);
    expect(/"basis": ?"\w+:([^"]+)"/.exec(world.read('a.plan'))?.[1]).not.toContain('r');
  });
});

describe('threat: author: a weaker protection by a value that says nothing', () => {
  it.each([
    'max: 1e400, action: BLOCK',
    'max: 99999999999999999999, action: BLOCK',
    'max: -1, action: BLOCK',
    'max: "9e9", action: BLOCK',
    'max: 3, action: BLOCK_NOT',
  ])('counts as weaker: %s', async (max) => {
    const world = makeWorld({
      'gwconf.yaml': PROJECT('').replace(/ +policies:.*\n/, ''),
      'd.yaml': limit('max: 3, action: BLOCK'),
    });
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    world.write('d.yaml', limit(max));
    const { code, err } = await world.run('plan', '--fail-on', 'loss');
    expect([code, err]).toEqual([3, expect.stringContaining('error[weakened-protection]')]);
  });

  it.each(['1e400', '99999999999999999999', '1e-400'])('limits no run less: deletes: %s', async (deletes) => {
    const limited = (most: string): string =>
      PROJECT('').replace('files:', `limits: { deletes: ${most} }, files:`);
    const world = makeWorld({ 'gwconf.yaml': limited('0'), 'd.yaml': limit('max: 3, action: BLOCK') });
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    world.write('gwconf.yaml', limited(deletes));
    world.write('d.yaml', mask('other', 'priority: 1'));
    const { err } = await world.run('plan', '--prune', '--manages', '*');
    expect(err).toMatch(/error\[(?:over-limit|invalid-value)\]/);
  });
});

it.each([
  [['--header', 'X-Key: not-shown']],
  [['--header=Authorization: not-shown']],
  [['--url', 'http://user:not-shown@127.0.0.1:1']],
  [['--url=http://127.0.0.1:1/?token=not-shown']],
])('is not in the command of a page: %s', async (flags) => {
  const world = makeWorld({ 'gwconf.yaml': PROJECT(''), 'd.yaml': mask('m', 'priority: 1') });
  await world.run('plan', ...flags, '-o', 'html=page.html');
  const page = world.read('page.html');
  expect(page).toContain('gwconf plan');
  expect(page).not.toContain('not-shown');
});
