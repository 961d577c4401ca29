import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cluster } from '../support/documents.ts';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import { LOGIN, serve } from '../support/served.ts';

const TOKEN = 'hvs.s3cret-of-the-vault';
const ENCRYPT = JSON.stringify({
  pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin',
  priority: 100,
  config: {
    kmsConfig: { vault: { uri: 'http://vault:8200', token: TOKEN, version: 1 } },
    fields: [
      { fieldName: 'visa', keySecretId: 'vault-kms://vault:8200/transit/keys/k', algorithm: 'AES_GCM' },
    ],
  },
});
const SCRIPT = `
GW=http://admin:pa55word@old:8888
curl --user 'admin:pa55word' -X POST $GW/admin/vclusters/v1/vcluster/prod/username/app -d '{"lifeTimeSeconds": 60}'
curl --user admin:pa55word -X POST "$GW/admin/vclusters/v1/vcluster/prod/topics/orders" \\
  --data '{"physicalTopicName": "orders-v1", "readOnly": true, "type": "alias"}'
curl -u admin:pa55word $GW/admin/interceptors/v1/vcluster/prod/interceptor/encrypt --data @encrypt.json
curl -u admin:pa55word $GW/admin/interceptors/v1/vcluster/prod
`;

function having(files: Readonly<Record<string, string>> = {}): World {
  return makeWorld({ 'old/setup.sh': SCRIPT, 'old/encrypt.json': ENCRYPT, '.gitignore': '.env\n', ...files });
}

/** All that is below a folder, as one text. */
function textIn(world: World, folder: string): string {
  return readdirSync(join(world.folder, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('');
}

describe('gwconf migrate PATH', () => {
  it('writes files that plan cleanly where they were applied, without the secrets of the scripts', async () => {
    const world = having();
    const ran = await world.run('migrate', 'old', '--out', 'gateway', '--secrets-env', '.env', '--project');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: ok']);
    expect(ran.out).toContain('converted with a choice  2');
    expect(ran.out).toContain(
      'old/setup.sh:6 GET /admin/interceptors/v1/vcluster/prod\n    - use gwconf get Interceptor',
    );
    expect(ran.out).toContain('5 objects of http://old:8888 in 4 files in gateway\n');
    const all = `${ran.out}${ran.err}${textIn(world, 'gateway')}${world.read('gwconf.yaml')}`;
    expect(all).not.toMatch(/pa55word|s3cret/);
    expect(world.read('.env')).toContain(`GW_PROD_ENCRYPT_VAULT_TOKEN='${TOKEN}'`);
    expect(statSync(join(world.folder, '.env')).mode & 0o777).toBe(0o600);
    expect((await world.run('fmt', '--check', '-f', 'gateway')).code).toBe(0);
    const env = { GW_PROD_ENCRYPT_VAULT_TOKEN: TOKEN };
    const to = ['-f', 'gateway', '--url', 'embedded:new.json'];
    const applied = await world.runWith({ env }, 'apply', ...to, '--auto-approve');
    expect(verdictOf(applied)).toBe('result: applied');
    expect(verdictOf(await world.runWith({ env }, 'plan', ...to))).toBe('result: no-changes');
  });

  it('makes a project that manages what it migrated, and nothing that others have', async () => {
    const world = having({ 'theirs.yaml': `${cluster('theirs')}---\n${cluster('also-theirs')}` });
    await world.run('migrate', 'old', '--out', 'gateway', '--project');
    const env = { GW_PROD_ENCRYPT_VAULT_TOKEN: TOKEN };
    const to = ['--url', 'embedded:new.json'];
    await world.run('apply', '-f', 'theirs.yaml', ...to, '--yes', '--manages', '*');
    const applied = await world.runWith({ env }, 'apply', ...to, '--prune', '--yes', '-o', 'json');
    expect(verdictOf(applied)).toBe('result: applied');
    const { ledger } = JSON.parse(applied.out) as { ledger: readonly { address: string }[] };
    const [, manages = ''] = /manages:\n((?: +- .*\n)+)/.exec(world.read('gwconf.yaml')) ?? [];
    const globs = manages
      .trim()
      .split('\n')
      .map((line) => line.replace(/^ *- /, '').replaceAll(/^"|"$/g, ''));
    expect(globs.sort()).toEqual(ledger.map(({ address }) => address).sort());
    expect((await world.run('get', 'VirtualCluster', ...to)).out).toContain('theirs');
  });

  it('tells how to record the calls of a script that it cannot read', async () => {
    const world = having({ 'old/count.sh': 'n=1\ncurl $GW/admin/username/$((n + 1)) -d "{}"\n' });
    const ran = await world.run('migrate', 'old', '--out', 'gateway');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: not-converted']);
    expect(ran.err).toContain(
      'warning[unreadable-file]: old/count.sh has a call that gwconf cannot read\n --> old/count.sh:2:1\n',
    );
    expect(ran.err).toContain(
      '= record them: run what makes them against gwconf gateway --gateway-version 3.20.0',
    );
    expect(ran.out).toContain(
      'old/count.sh:2 POST /admin/username/…\n    - its path has a calculation, which gwconf does not read\n',
    );
  });

  it('tells what uses v1 without a call that it reads, and nothing of comments', async () => {
    const task =
      '- ansible.builtin.uri: { url: "http://old:8888/admin/interceptors/v1/vcluster/{{ team }}/interceptor/i" }\n';
    const world = having({
      'old/tasks.yaml': `# curl http://old:8888/admin/plugins/v1/all\n${task}`,
      'old/notes.sh': 'echo "see /admin/vclusters/v1/vcluster/x"\n',
      'old/values.yaml': 'description: "formerly POST /admin/interceptors/v1/vcluster/x"\n',
      'old/commented.sh': '# curl -X POST http://old:8888/admin/vclusters/v1/vcluster/x\n',
      'old/api.py': 'post("/admin/interceptors/v1/vcluster/prod/interceptor/x")\n',
      'old/raw.sh':
        'printf "DELETE /admin/interceptors/v1/interceptor/i HTTP/1.1\\r\\n\\r\\n" | nc old 8888\n',
      'old/README.md': 'http://old:8888/admin/interceptors/v1/interceptors\n',
    });
    const ran = await world.run('migrate', 'old', '--out', 'gateway', '--detailed-exitcode');
    expect([ran.code, verdictOf(ran)]).toEqual([2, 'result: not-converted']);
    expect(ran.out).toContain(
      'Cannot\n  old/raw.sh:1 /admin/interceptors/v1/interceptor/i\n    - it is made by nc, which gwconf does not read\n  old/tasks.yaml:2 /admin/interceptors/v1/vcluster/{{\n  old/api.py:1 /admin/interceptors/v1/vcluster/prod/interceptor/x\n',
    );
    expect(ran.err).toContain('no calls were read from old/README.md: it uses v1');
    expect(ran.out).toContain('cannot                   3\n');
    expect(ran.err).not.toMatch(/commented|notes|values/);
  });

  it('is not converted where a file that calls v1 is no YAML, such as a template of Helm', async () => {
    const world = having({
      'old/job.yaml':
        '{{- range .Values.teams }}\ncurl: http://old:8888/admin/username/{{ . }}\n{{- end }}\n',
    });
    const ran = await world.run('migrate', 'old', '--out', 'gateway', '--detailed-exitcode');
    expect([ran.code, verdictOf(ran)]).toEqual([2, 'result: not-converted']);
    expect(ran.out).toContain(
      'old/job.yaml:2 /admin/username/{{\n    - it uses v1, and no call was read there\n',
    );
    expect(ran.err).toContain('warning[unreadable-file]: old/job.yaml is not valid YAML or JSON');
  });

  it('tells of each call in JSON', async () => {
    const world = having();
    const { out } = await world.run('migrate', 'old', '--out', 'gateway', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      result: 'ok',
      summary: { converted: 1, 'converted with a choice': 2, imperative: 1, cannot: 0 },
      variables: [{ name: 'GW_PROD_ENCRYPT_VAULT_TOKEN', secret: true }],
      calls: [
        {
          ...{ file: 'old/setup.sh', line: 2, method: 'POST' },
          path: '/admin/vclusters/v1/vcluster/prod/username/app',
          outcome: 'converted',
          to: ['VirtualCluster/prod', 'GatewayServiceAccount/app@vCluster=prod'],
        },
        {
          to: [
            'VirtualCluster/prod',
            'AliasTopic/orders@vCluster=prod',
            'Interceptor/read-only-orders@vCluster=prod',
          ],
        },
        { line: 5, outcome: 'converted with a choice' },
        { outcome: 'imperative', to: [] },
      ],
    });
  });

  it('keeps variables of the scripts as variables, also in secrets, and literal ones as text', async () => {
    const body = (token: string): string =>
      `{"pluginClass": "io.conduktor.gateway.interceptor.DecryptPlugin", "priority": 1, "config": {"topic": "a-$TOPIC", "kmsConfig": {"vault": {"uri": "http://v:1", "token": "${token}"}}}}`;
    const at = 'http://gw:8888/admin/interceptors/v1/interceptor';
    const quoted = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;
    const world = makeWorld({
      '.gitignore': 'secrets.env\n',
      'a.sh': [
        `curl -d ${quoted(body('$VAULT_TOKEN'))} ${at}/whole`,
        `curl -d ${quoted(body('part-$VAULT_TOKEN'))} ${at}/part`,
        `curl -d '${body('${GATEWAY_TOKEN}').replace('a-$TOPIC', 'b')}' ${at}/literal`,
      ].join('\n'),
    });
    const ran = await world.run('migrate', 'a.sh', '--out', 'gateway', '--secrets-env', 'secrets.env');
    expect(ran.err).toContain('result: ok');
    const text = textIn(world, 'gateway');
    expect(text).toContain('topic: "a-${TOPIC}"');
    expect(text).toContain('token: "${VAULT_TOKEN}"');
    expect(text).toContain('token: "${GW_PASSTHROUGH_PART_VAULT_TOKEN}"');
    expect(text).toMatch(/token: "?\$\$\{GATEWAY_TOKEN\}/);
    expect(text).not.toMatch(/[\uE000-\uE003]|part-/);
    expect(ran.out).toContain('Variables of the scripts: TOPIC, VAULT_TOKEN');
  });

  it('makes a folder for each gateway, or takes the calls to one', async () => {
    const call = (gateway: string, user: string): string =>
      `curl -d '{"lifeTimeSeconds": 1}' http://${gateway}:8888/admin/username/${user}\n`;
    const world = makeWorld({ 'a.sh': call('dev', 'ann') + call('prod', 'bob') });
    const both = await world.run('migrate', 'a.sh', '--out', 'both');
    expect(both.out).toContain('1 object of http://dev:8888 in 1 file in both/dev-8888\n');
    expect(world.read('both/prod-8888/service-account.yaml')).toContain('name: bob');
    const one = await world.run(
      'migrate',
      'a.sh',
      '--out',
      'one',
      '--gateway',
      'http://dev:8888',
      '--project',
      'dev',
    );
    expect(one.out).toContain('1 object of http://dev:8888 in 1 file in one\n');
    expect(world.read('gwconf.yaml')).toContain('url: http://dev:8888');
    for (const [flags, message] of [
      [
        ['--gateway', 'http://other:1'],
        'no call is for http://other:1; there are calls for http://dev:8888, http://prod:8888',
      ],
      [
        ['--project', 'x'],
        '--project is for one gateway, and the calls are for http://dev:8888, http://prod:8888: choose one with --gateway',
      ],
    ] as const) {
      const refused = await makeWorld({ 'a.sh': call('dev', 'ann') + call('prod', 'bob') }).run(
        'migrate',
        'a.sh',
        '--out',
        'x',
        ...flags,
      );
      expect([refused.code, refused.err.split('\n')[0]]).toEqual([64, `gwconf: ${message}`]);
    }
  });

  it('says so when there is nothing to write, and overwrites nothing', async () => {
    const world = makeWorld({
      'a.sh': 'echo hello\n',
      'b.sh': 'curl http://gw:8888/admin/plugins/v1\n',
      'notes.md': 'text',
    });
    expect((await world.run('migrate', 'a.sh', '--out', 'x')).out).toBe(
      'There are no calls to a gateway, so nothing was written.\n',
    );
    expect((await world.run('migrate', 'b.sh', '--out', 'x')).out).toContain(
      'The calls leave nothing to declare, so nothing was written.',
    );
    expect((await world.run('migrate', 'notes.md', '--out', 'x')).err).toContain(
      'notes.md is of no kind of file that gwconf reads calls from',
    );
    expect(existsSync(join(world.folder, 'x'))).toBe(false);
    const full = having({ 'gateway/mine.yaml': 'a: 1\n' });
    expect((await full.run('migrate', 'old', '--out', 'gateway')).err).toContain(
      'gateway is not empty, and migrate overwrites nothing',
    );
  });

  it('ends with an error when a named file cannot be read, and only warns of those in a folder', async () => {
    const broken = 'a: {{ .Values.a }}\n  b: - c\n';
    for (const [name, message] of [
      ['missing.sh', 'missing.sh cannot be read'],
      ['old/chart.yaml', 'old/chart.yaml is not valid YAML or JSON'],
    ] as const) {
      const world = having({ 'old/chart.yaml': broken });
      const ran = await world.run('migrate', 'old/setup.sh', name, '--out', 'gateway');
      expect([ran.code, verdictOf(ran), ran.out]).toEqual([1, 'result: error', '']);
      expect(ran.err).toContain(`error[unreadable-file]: ${message}`);
      expect(ran.err).toContain('Nothing was written.\n');
      expect(existsSync(join(world.folder, 'gateway'))).toBe(false);
    }
    const ran = await having({ 'old/chart.yaml': broken }).run('migrate', 'old', '--out', 'gateway');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: ok']);
    expect(ran.err).toContain('warning[unreadable-file]: old/chart.yaml is not valid YAML or JSON');
    expect(ran.err).toContain('= if it calls a gateway, correct it, or leave it out\n');
  });

  it.each([
    [['old'], 'name the folder to make with --out'],
    [
      ['old', '--out', 'x', '--url', 'http://gw:8888'],
      'the calls come from files, and no gateway is called: leave out --url, or the paths',
    ],
    [['--out', 'x', '--gateway', 'http://gw:8888'], '--gateway chooses calls of files: name their paths'],
    [['old', '--out', 'x', '-o', 'yaml'], 'expected -o human, json or FORMAT=FILE; found yaml'],
  ])('refuses %s', async (args, message) => {
    const { code, err } = await having().run('migrate', ...args);
    expect([code, err.split('\n')[0]]).toEqual([64, `gwconf: ${message}`]);
  });

  it('reads nothing outside of its folders that a script names', async () => {
    const world = makeWorld({
      'a.sh':
        'curl -d @/etc/hostname http://gw:8888/admin/userMappings/v1\ncurl -d @../../x http://gw:8888/admin/userMappings/v1\n',
    });
    const { out } = await world.run('migrate', 'a.sh', '--out', 'x', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ summary: { cannot: 2 } });
  });
});

describe('gwconf migrate --url', () => {
  it('reads a gateway with v1, and writes nothing to it', async () => {
    const served = await serve({ version: '3.15.0' });
    const { url, gateway } = served;
    const post = (path: string, body: object): void => {
      expect(gateway.handle('POST', path, body as never).status).toBe(201);
    };
    gateway.handle('PUT', '/gateway/v2/virtual-cluster', {
      kind: 'VirtualCluster',
      apiVersion: 'gateway/v2',
      metadata: { name: 'prod' },
      spec: { aclEnabled: true, superUsers: ['root'] },
    });
    post('/admin/userMappings/v1/vcluster/prod', { username: 'alice', principal: 'uuid', groups: ['ops'] });
    post('/admin/vclusters/v1/vcluster/prod/topics/orders', {
      physicalTopicName: 'o',
      readOnly: true,
      type: 'alias',
    });
    const audit = { pluginClass: 'io.conduktor.gateway.interceptor.AuditPlugin', priority: 5, config: {} };
    post('/admin/interceptors/v1/group/ops/interceptor/audit', audit);
    post('/admin/interceptors/v1/global/interceptor/audit', audit);
    const world = makeWorld();
    const ran = await world.runWith(
      { env: LOGIN },
      'migrate',
      '--url',
      url,
      '--out',
      'gateway',
      '--layout',
      'one-file',
      '-o',
      'json',
    );
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: ok']);
    expect(JSON.parse(ran.out)).toMatchObject({
      summary: { cannot: 0 },
      gateways: [{ gateway: url, objects: 7 }],
    });
    expect(world.read('gateway/gateway.yaml')).toContain('aclEnabled: true');
    expect(served.writes().filter(({ path }) => !path.endsWith('/resolve'))).toEqual([]);
    const text = await world.runWith({ env: LOGIN }, 'migrate', '--url', url, '--out', 'again');
    expect(text.out).toContain('It runs the same interceptors for 3 clients as the gateway that was read.');
  });

  it('says of a gateway that has nothing that it has nothing', async () => {
    const { url } = await serve({ version: '3.15.0' });
    const ran = await makeWorld().runWith({ env: LOGIN }, 'migrate', '--url', url, '--out', 'x');
    expect(ran.out).toBe('The gateway has nothing to declare, so nothing was written.\n');
  });

  it('reads a gateway without v2, and tells what v1 hides', async () => {
    const { url, gateway } = await serve({ version: '3.0.0' });
    gateway.handle('POST', '/admin/vclusters/v1/vcluster/prod/concentration-rules', {
      pattern: 'a-.*',
      physicalTopicName: 'a',
    });
    const world = makeWorld();
    const ran = await world.runWith({ env: LOGIN }, 'migrate', '--url', url, '--out', 'gateway');
    expect(ran.out).toContain('2 objects');
    expect(ran.err).toContain('lists neither the accounts of tokens, nor');
  });

  it('reads what v1 made also after the upgrade, and names each object', async () => {
    const made = await serve({ version: '3.20.0' });
    made.gateway.handle('POST', '/admin/userMappings/v1', { username: 'CN=ann', groups: ['ops.eu'] });
    made.gateway.handle('POST', '/admin/vclusters/v1/vcluster/passthrough/concentration-rules', {
      ...{ pattern: 'a-.*', physicalTopicName: 'a' },
    });
    made.gateway.handle('POST', '/admin/interceptors/v1/group/ops.eu/interceptor/audit', {
      ...{ pluginClass: 'io.conduktor.gateway.interceptor.AuditPlugin', priority: 5, config: {} },
    });
    const upgraded = await serve({ version: '3.21.0', state: made.gateway.snapshot() });
    const { url } = upgraded;
    const world = makeWorld();
    const ran = await world.runWith({ env: LOGIN }, 'migrate', '--url', url, '--out', 'gateway');
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('4 objects on the gateway\n')]);
    expect(ran.out).toContain(
      '  GatewayServiceAccount/CN=ann@vCluster=passthrough\n    - v2 refuses the name of the account, which is now ann\n',
    );
    expect(ran.out).toContain('4 objects of http');
    expect(ran.err).toContain(`${url} has no v1: its version is 3.21.0`);
    expect(ran.err).toContain('gwconf plan -f gateway --url URL\n');
    const to = ['-f', 'gateway', '--url', url, '--prune', '--manages', '**'];
    const accepted = ['--auto-approve', '--accept-exposure', 'Interceptor/audit@*'];
    const applied = await world.runWith({ env: LOGIN }, 'apply', ...to, ...accepted);
    expect([applied.code, verdictOf(applied)]).toEqual([0, 'result: applied']);
    expect(verdictOf(await world.runWith({ env: LOGIN }, 'plan', ...to))).toBe('result: no-changes');
  });

  it('is what export points to for names that v2 refuses', async () => {
    const { url, gateway } = await serve({ version: '3.20.0' });
    gateway.handle('POST', '/admin/userMappings/v1', { username: 'CN=ann', groups: ['ops.eu'] });
    const exported = await makeWorld().runWith({ env: LOGIN }, 'export', '--url', url, '--out', 'files');
    expect(exported.err).toContain(
      '= v1 made this name, and v2 refuses it: gwconf migrate gives it another\n',
    );
    expect(exported.err).not.toContain('report');
  });
});
