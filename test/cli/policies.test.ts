import { describe, expect, it } from 'vitest';
import type { ValidateReport } from '../../src/outcome/files.ts';
import { makeWorld, type Ran, type World } from '../support/cli.ts';
import { alias, all, projectOf } from '../support/documents.ts';

const TOPICS = all(alias('payments-orders', 'orders'), alias('billing', 'billing'));

/** A world whose project has these policies. */
function worldWith(policies: string, files: Readonly<Record<string, string>> = {}): World {
  const project = projectOf({ prod: 'files: [d]' }, `policies: ${policies}\n`);
  return makeWorld({ 'gwconf.yaml': project, 'd/topics.yaml': TOPICS, ...files });
}

async function problemsOf(world: World): Promise<readonly string[]> {
  const { out } = await world.run('validate', '-o', 'json');
  const { problems } = JSON.parse(out) as ValidateReport;
  return problems.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
}

function policy(expression: string, more = ''): string {
  return `
    apiVersion: gwconf/v1
    kind: Policy
    metadata: { name: mine }
    spec:
      match: { kind: AliasTopic }
      expression: '${expression}'
      message: it is not so
      ${more}
      examples:
        pass: [{ object: { kind: AliasTopic, metadata: { name: payments-a } } }]
        fail: [{ object: { kind: AliasTopic, metadata: { name: other } } }]
  `;
}

const KEEPS = `
  apiVersion: gwconf/v1
  kind: Policy
  metadata: { name: keeps }
  spec:
    expression: principal.before.all(link, principal.after.exists(other, other.pluginClass == link.pluginClass))
    message: a client loses an interceptor
    messageExpression: 'principal.username + " loses one of " + string(principal.before.size())'
    examples:
      pass: [{ principal: { username: a, before: [{ pluginClass: x }], after: [{ pluginClass: x }] } }]
      fail: [{ principal: { username: a, before: [{ pluginClass: x }] } }]
`;

const PREFIX = 'object.metadata.name.startsWith("payments-")';

describe('policies', () => {
  it('block validate, plan and apply with exit code 3, and a mandatory one cannot be lowered', async () => {
    const world = worldWith('{ builtIn: { team-prefix: { prefixes: [payments-] } } }');
    const lint = world.read('gwconf.yaml').concat('lint: { policy/team-prefix: warning }\n');
    for (const command of ['validate', 'plan', 'apply']) {
      const gateway = command === 'validate' ? [] : ['--url', 'embedded:gateway.json'];
      const { code, err } = await world.run(
        command,
        ...gateway,
        ...(command === 'apply' ? ['--auto-approve'] : []),
      );
      expect([command, code]).toEqual([command, 3]);
      expect(err).toContain('AliasTopic/billing@vCluster=passthrough does not meet the policy team-prefix');
      expect(err).toContain('d/topics.yaml:8:');
    }
    expect(world.has('gateway.json')).toBe(false);
    world.write('gwconf.yaml', lint);
    expect(await problemsOf(world)).toContain(
      'error invalid-value: policy/team-prefix cannot be lowered to warning',
    );
  });

  it('only warn where they are advisory', async () => {
    const world = worldWith('{ builtIn: { team-prefix: { prefixes: [payments-], severity: advisory } } }');
    expect(await problemsOf(world)).toEqual([expect.stringMatching(/^warning policy\/team-prefix: /)]);
    expect((await world.run('plan', '--url', 'embedded:')).code).toBe(0);
  });

  it.each([
    ['2026-03-01', 'info', '(waived until 2026-03-01: PAY-7)'],
    ['2026-02-28', 'error', 'the name does not begin with the prefix of a team'],
  ])('are waived until %s for some objects', async (until, severity, words) => {
    const waiver = `{ address: AliasTopic/billing*, reason: PAY-7, until: ${until} }`;
    const world = worldWith(`{ builtIn: { team-prefix: { prefixes: [payments-], waivers: [${waiver}] } } }`);
    const [only, ...others] = await problemsOf(world);
    expect(others).toEqual([]);
    expect(only?.startsWith(severity)).toBe(true);
    expect(only?.endsWith(words)).toBe(true);
  });

  it('are read from the files that gwconf.yaml lists', async () => {
    const world = worldWith('{ files: [policies] }', { 'policies/a.policy.yaml': policy(PREFIX) });
    expect(await problemsOf(world)).toEqual([
      'error policy/mine: AliasTopic/billing@vCluster=passthrough does not meet the policy mine: it is not so',
    ]);
  });

  it('of each name are tried by their examples', async () => {
    const named = policy('object.kind != "x"').replace('name: mine', 'name: constructor');
    const world = worldWith('{ files: [policies] }', { 'policies/a.policy.yaml': named });
    const { err, out, code } = await world.run('test');
    expect(out + err).toContain('policy constructor: ');
    expect(code).not.toBe(0);
  });

  it.each([
    ['match: { kind: Interceptr }', 'unknown-kind: unknown kind "Interceptr"'],
    ['match: { address: Interceptr/* }', 'unknown-kind: unknown kind "Interceptr"'],
    [
      'match: { address: Interceptor/mask }',
      'invalid-value: "Interceptor/mask" is not an address of kind Interceptor',
    ],
    [
      'match: { address: AliasTopic/* }',
      'invalid-value: the policy is for Interceptor, so "AliasTopic/*" matches nothing',
    ],
    [
      'waivers: [{ address: Interceptr/*, reason: r, until: 2999-01-01 }]',
      'unknown-kind: unknown kind "Interceptr"',
    ],
  ])('that come with gwconf are held to what they match: %s', async (settings, told) => {
    const world = worldWith(`{ builtIn: { no-wildcard-masks: { ${settings} } } }`);
    expect(await problemsOf(world)).toEqual([`error ${told}`]);
  });

  it.each([
    ['aliastopic', 'unknown kind "aliastopic"'],
    ['Alias*', 'unknown kind "Alias*"'],
  ])('judge the kinds that they list, and no other words: %s', async (kind, told) => {
    const world = worldWith(
      `{ builtIn: { team-prefix: { prefixes: [a-], kinds: [Interceptor, "${kind}"] } } }`,
    );
    expect(await problemsOf(world)).toEqual([`error unknown-kind: ${told}`]);
  });

  it('that are for no environment of the project are told', async () => {
    const told = (environments: string): string =>
      `warning unmatched-policy: the policy ${environments.replace(' ', ' is for no environment of gwconf.yaml: none is called ')}`;
    const own = policy(PREFIX).replace(/match: \{/, 'match: { environment: Prod,');
    for (const [policies, expected] of [
      ['{ builtIn: { no-chaos-in-prod: true } }', []],
      [
        '{ builtIn: { no-chaos-in-prod: { environments: [live, eu*] } } }',
        [told('no-chaos-in-prod live or eu*')],
      ],
      [
        '{ builtIn: { no-chaos-in-prod: { match: { environment: live } } } }',
        [told('no-chaos-in-prod live')],
      ],
    ] as const)
      expect(await problemsOf(worldWith(policies))).toEqual(expected);
    const world = worldWith('{ files: [policies] }', { 'policies/a.policy.yaml': own });
    expect(await problemsOf(world)).toContain(told('mine Prod'));
  });

  it.each([
    ['{ builtIn: { no-chaos-in-prod: true, no-plain-http: true } }', 'no-chaos-in-prod'],
    ['{ builtIn: { no-plain-http: { match: { environment: p* } } } }', 'no-plain-http'],
    ['{ files: [policies] }', undefined],
  ])('that are tied to an environment are told where none is chosen: %s', async (policies, name) => {
    const world = worldWith(policies, {
      'gwconf.yaml': projectOf({ prod: 'files: [d]', dev: 'files: [d]' }, `policies: ${policies}\n`),
      'policies/a.policy.yaml': policy(
        'environment.day != "" && object.metadata.labels["environment"] != ""',
      ),
    });
    const told = (ran: Ran): boolean =>
      ran.err.includes(`no environment is chosen, so nothing is judged by ${name ?? ''}`);
    const plan = ['plan', '-f', 'd', '--url', 'embedded:'];
    for (const command of [['validate', 'd'], plan]) {
      expect(told(await world.run(...command))).toBe(name !== undefined);
      expect(told(await world.run(...command, '--env', 'dev'))).toBe(false);
    }
    expect(told(await world.run('validate'))).toBe(false);
  });

  it.each([
    [
      'blobEndpoint: "${PLACE}"',
      /no-plain-http cannot judge .*: the value of \/spec\/config\/blobEndpoint is hidden/,
    ],
    ['blobEndpoint: "http://a:secret@b.example"', /no-plain-http cannot judge/],
    ['token.url: "http://b.example"', /no-plain-http cannot judge/],
    ['kmsConfig: { gateway: { masterKeyId: "${PLACE}" } }', /allowed-kms cannot judge/],
    ['kmsConfig: { vault: { uri: "https://v.example", token: "${PLACE}" } }', undefined],
  ])(
    'are not met where they look at a hidden value, and leave those to log in with alone: %s',
    async (config, said) => {
      const world = worldWith(
        '{ builtIn: { no-plain-http: true, allowed-kms: { prefixes: ["vault-kms://"] } } }',
        {
          'd/own.yaml': `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i }\nspec: { pluginClass: com.example.Own, priority: 1, config: { ${config} } }\n`,
        },
      );
      const told: string[] = [];
      for (const value of ['http://b.example', 'vault-kms://v.example/a']) {
        world.env['PLACE'] = value;
        const { code, err } = await world.run('plan', '--url', 'embedded:');
        expect(code, err).toBe(said === undefined ? 0 : 3);
        expect(err).toMatch(said ?? '');
        told.push(err);
      }
      expect(told[0]).toBe(told[1]);
    },
  );

  it('do not take an audit for a protection of clients that it is not about, nor tell a hidden value by that', async () => {
    const ran = async (config: string, value = ''): Promise<string> => {
      const world = worldWith('{ builtIn: { required-protection: { protections: [audit] } } }', {
        'd/own.yaml': `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i, scope: { vCluster: null, group: null, username: null } }\nspec: { pluginClass: io.conduktor.gateway.interceptor.AuditPlugin, priority: 1, config: { ${config} } }\n`,
      });
      world.env['V'] = value;
      const { code, err } = await world.run('plan', '--url', 'embedded:');
      return `${code} ${/error.policy.*/.exec(err)?.[0] ?? ''}`;
    };
    expect(await ran('vcluster: nowhere')).toMatch(/^3 .*does not meet/);
    expect(await ran('topic: "cards, orders"')).toMatch(/^3 .*does not meet/);
    for (const topic of ['cards, orders', 'cards|orders'])
      expect(await ran('topic: "${V}"', topic)).toBe('0 ');
    expect(await ran('vcluster: pass.*, username: bob')).toBe('0 ');
    expect(await ran('vcluster: "${V}"', 'nowhere')).toMatch(
      /^3 .*cannot judge .*: the value of \/spec\/config of Interceptor\/i@global is hidden$/,
    );
    expect(await ran('vcluster: "${V}"', 'nowhere')).toBe(await ran('vcluster: "${V}"', 'pass.*'));
  });

  it('that cannot be used are errors, and never pass for ones that are met', async () => {
    for (const [files, message] of [
      [{ 'policies/a.policy.yaml': policy('object.kind != ""') }, 'should fail; it passes'],
      [{ 'policies/a.policy.yaml': policy('object.metadata.nam == ""') }, 'field not found: nam'],
      [{ 'policies/a.policy.yaml': policy('object.metadata.name') }, 'neither true nor false'],
      [{ 'policies/a.policy.yaml': policy('"a" == "a"') }, 'uses none of'],
      [{ 'policies/a.policy.yaml': policy('principal.username == object.kind') }, 'uses principal and also'],
      [
        { 'policies/a.policy.yaml': policy(PREFIX, 'messageExpression: change.action') },
        'change has no value',
      ],
      [{ 'policies/a.policy.yaml': policy(PREFIX, 'severity: off') }, 'mandatory'],
      [{ 'policies/a.policy.yaml': policy(PREFIX, 'path: "${HOME}"') }, 'a policy has no variables'],
      [
        { 'policies/a.policy.yaml': policy(PREFIX), 'policies/b.policy.yaml': policy(PREFIX) },
        'two policies mine',
      ],
      [{ 'policies/a.yaml': TOPICS }, 'policies contains no policy'],
      [
        { 'policies/a.policy.yaml': policy(PREFIX), 'policies/b.policy.yaml': '# none\n' },
        'policies/b.policy.yaml contains no policy',
      ],
      [{ 'policies/a.policy.yaml': 'some text' }, 'invalid-value: the policy: expected a map'],
      [{ 'policies/a.yaml': policy(PREFIX) }, 'the policy in policies/a.yaml is without effect'],
      [
        {
          'policies/a.policy.yaml': policy(PREFIX),
          'policies/b.yaml': policy(PREFIX),
          'policies/c.yaml': 'apiVersion: kyverno.io/v1\nkind: Policy',
        },
        'the policy in policies/b.yaml is without effect',
      ],
      [{}, 'policies'],
    ] as const) {
      const errors = (await problemsOf(worldWith('{ files: [policies] }', files))).filter((one) =>
        /^error (?!policy)/.test(one),
      );
      expect(errors.length, message).toBeGreaterThan(0);
      expect(
        errors.every((one) => one.includes(message)),
        errors.join(),
      ).toBe(true);
    }
  });

  it('are checked again when a saved plan is applied, and do not stop an undo', async () => {
    const world = worldWith('{}');
    const gateway = ['--url', 'embedded:gateway.json'];
    const project = world.read('gwconf.yaml');
    await world.run('apply', '--auto-approve', ...gateway, '--journal', 'journal');
    world.write('d/topics.yaml', TOPICS.split('---')[0] ?? '');
    const prune = ['--prune', '--manages', '*', '--max-deletes', '9'];
    await world.run('plan', ...prune, '--out', 'plan.json', ...gateway);
    // Every run in a world is on a Sunday.
    const onSundays = 'policies: { builtIn: { no-deletes-on-fridays: { days: [Sunday] } } }';
    world.write('gwconf.yaml', project.replace('policies: {}', onSundays));
    const applied = await world.run('apply', 'plan.json', ...gateway);
    expect(applied.code).toBe(3);
    expect(applied.err).toContain(
      'the delete of AliasTopic/billing@vCluster=passthrough does not meet the policy no-deletes-on-fridays',
    );
    const undo = ['undo', '--auto-approve', '--journal', 'journal', '--max-deletes', '9'];
    const undone = await world.run(...undo, ...gateway);
    expect(undone.code, undone.err).toBe(0);
  });

  it('see no secret, neither to print it nor to compare with it', async () => {
    const vault = `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: encrypt }
      spec:
        pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
        priority: 1
        comment: about \${OTHER}
        config:
          topic: a
          kmsConfig: { vault: { uri: https://vault.example.com, type: TOKEN, token: '\${TOKEN}' } }
          recordValue: { payload: { keySecretId: 'vault-kms://a' } }
    `;
    const spying = `
      apiVersion: gwconf/v1
      kind: Policy
      metadata: { name: spy }
      spec:
        match: { kind: Interceptor }
        expression: '!has(object.spec.config.kmsConfig) && object.spec.priority > 0'
        message: there is a vault
        messageExpression: >-
          object.spec.config.kmsConfig.vault.token + " " + object.spec.comment + " " +
          string(object.spec.config.kmsConfig.vault.token.startsWith("hvs"))
        examples:
          pass: [{ object: { kind: Interceptor, spec: { config: {}, priority: 1 } } }]
          fail: [{ object: { kind: Interceptor, spec: { config: {}, priority: 0 } } }]
    `;
    const world = worldWith('{ files: [p] }', { 'd/vault.yaml': vault, 'p/spy.policy.yaml': spying });
    const env = { TOKEN: 'hvs.1234567890', OTHER: 'qwertzuiop' };
    const { out, err } = await world.runWith({ env }, 'plan', '--url', 'embedded:', '-o', 'json');
    expect(out).toContain('does not meet the policy spy: there is a vault');
    expect(out + err).not.toMatch(/hvs\.1234|qwertz/);
  });

  it('are about the chains of clients, before and after', async () => {
    const mask = (name: string, user: string): string => `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: ${name}, scope: { vCluster: passthrough, username: ${user} } }
      spec:
        pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
        priority: 1
        config: { topic: cards, policies: [{ name: a, rule: { type: MASK_ALL }, fields: [a] }] }
    `;
    const account = `
      apiVersion: gateway/v2
      kind: GatewayServiceAccount
      metadata: { name: alice }
      spec: { type: LOCAL }
    `;
    const masking = 'required-protection: { protections: [masking], severity: advisory }';
    const world = worldWith(`{ files: [p], builtIn: { ${masking} } }`, {
      'd/topics.yaml': `${mask('one', 'alice')}---${mask('two', 'bob')}`,
      'p/keeps.policy.yaml': KEEPS,
    });
    const gateway = ['--url', 'embedded:gateway.json'];
    const plan = ['plan', '--prune', '--manages', '*', '--max-deletes', '9', ...gateway];
    const created = await world.run('apply', '--auto-approve', ...gateway);
    expect(created.code, created.err).toBe(0);
    expect(created.err).toContain(
      'any other client in passthrough does not meet the policy required-protection: no interceptor gives the client a protection that is required: masking\n',
    );
    expect(created.err).not.toContain('alice in passthrough does not');
    world.write('d/topics.yaml', mask('one', 'carol'));
    const gone = await world.run(...plan);
    expect(gone.code).toBe(3);
    expect(gone.err).toContain('bob in passthrough does not meet the policy keeps: bob loses one of 1');
    world.write('d/topics.yaml', `${mask('one', 'carol')}---${account}`);
    const lost = await world.run(...plan);
    expect(lost.err).toContain('alice in passthrough does not meet the policy keeps: alice loses one of 1');
    expect(lost.code).toBe(3);
  });

  it('know the groups that clients have before', async () => {
    const interceptor = (plugin: string, scope: string): string => `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: one, scope: { vCluster: passthrough${scope} } }
      spec: { pluginClass: io.conduktor.gateway.interceptor.${plugin}, priority: 1, config: { topic: a } }
    `;
    const people = (members: string, external: string): string => `
      apiVersion: gateway/v2
      kind: GatewayServiceAccount
      metadata: { name: alice }
      spec: { type: LOCAL }
      ---
      apiVersion: gateway/v2
      kind: GatewayGroup
      metadata: { name: team }
      spec: { members: [${members}], externalGroups: [${external}] }
    `;
    const all = interceptor('AuditPlugin', '');
    const ofTeam = interceptor('FieldLevelDataMaskingPlugin', ', group: team').replace(
      'topic: a',
      'topic: a, policies: [{ name: p, rule: { type: MASK_ALL }, fields: [a] }]',
    );
    const world = worldWith('{ files: [p] }', {
      'd/topics.yaml': `${all}---${ofTeam}`,
      'd/people.yaml': people('', 'staff'),
      'p/keeps.policy.yaml': KEEPS,
    });
    const gateway = ['--url', 'embedded:gateway.json'];
    const created = await world.run('apply', '--auto-approve', ...gateway);
    expect(created.code, created.err).toBe(0);
    world.write('d/people.yaml', people('{ name: alice }', 'staff, guests'));
    const joined = await world.run('plan', ...gateway);
    expect(joined.code).toBe(3);
    expect(joined.err).toContain('alice in passthrough does not meet the policy keeps');
    expect(joined.err).toContain(
      'any member of the external group guests in passthrough does not meet the policy keeps',
    );
    expect(joined.err).not.toContain('staff');
  });

  it('name the members of an external group as such', async () => {
    const world = worldWith('{ builtIn: { required-protection: { protections: [audit] } } }', {
      'd/group.yaml': `
        apiVersion: gateway/v2
        kind: GatewayGroup
        metadata: { name: team }
        spec: { externalGroups: [staff] }
        ---
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: audit, scope: { vCluster: null, group: null, username: null } }
        spec: { pluginClass: io.conduktor.gateway.interceptor.AuditPlugin, priority: 1, config: {} }
        ---
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: audit, scope: { vCluster: passthrough, group: team } }
        spec: { pluginClass: io.conduktor.gateway.interceptor.AuditPlugin, priority: 1, config: { vcluster: none } }
      `,
    });
    const { err } = await world.run('plan', '--url', 'embedded:');
    expect(err).toContain(
      'any member of the external group staff in passthrough does not meet the policy required-protection',
    );
    expect(err).not.toContain('any other client');
  });

  it('know of a change what clients lose by it and what gets weaker, also of a saved plan', async () => {
    const mask = (fields: string): string => `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: mask, scope: { vCluster: passthrough } }
      spec:
        pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
        priority: 1
        config: { topic: cards, policies: [{ name: a, rule: { type: MASK_ALL }, fields: [${fields}] }] }
    `;
    const none = alias('a', 'a');
    const keeps = `
      apiVersion: gwconf/v1
      kind: Policy
      metadata: { name: keeps }
      spec:
        expression: size(change.weakens) + size(change.loses) == 0
        message: a loss
        messageExpression: '("masking" in change.weakens ? "weaker" : "") + ("masking" in change.loses ? "lost" : "")'
        severity: advisory
        examples:
          pass: [{ change: { after: { kind: Interceptor } } }]
          fail: [{ change: { after: { kind: Interceptor }, weakens: [masking] } }]
    `;
    const world = worldWith('{ files: [p] }', {
      'd/topics.yaml': mask('a, b'),
      'p/keeps.policy.yaml': keeps,
    });
    const gateway = ['--url', 'embedded:gateway.json'];
    const first = await world.run('apply', '--auto-approve', ...gateway);
    expect(first.code, first.err).toBe(0);
    const about = 'Interceptor/mask@vCluster=passthrough does not meet the policy keeps: ';
    world.write('d/topics.yaml', mask('a'));
    const weaker = await world.run('plan', '--out', 'p.plan', ...gateway);
    expect(weaker.err).toContain(`${about}weaker`);
    world.write('d/topics.yaml', none);
    const gone = await world.run('plan', '--prune', '--manages', '*', ...gateway);
    expect(gone.err).toContain(`${about}lost`);
    const applied = await world.run('apply', 'p.plan', '--auto-approve', ...gateway);
    expect(applied.err).toContain(`${about}weaker`);
    world.write('d/topics.yaml', `${mask('a')}---${none}`);
    expect((await world.run('plan', ...gateway)).err).not.toContain('keeps');
  });
});
