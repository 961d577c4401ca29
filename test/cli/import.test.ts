import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import { makeWorld, verdictOf, type Ran, type World } from '../support/cli.ts';
import { alias, all, cluster, documentOf } from '../support/documents.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';

const GUARD = 'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin';
const SECRET = 'hvs.CAESIKanarienvogelKanarienvogel';

const liveAlias = (
  name: string,
  physicalName = `${name}-v1`,
  vCluster = 'prod',
): ReturnType<typeof resource> => resource('AliasTopic', { name, vCluster }, { physicalName });
const vault = (token: string): JsonObject => ({
  pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin',
  priority: 1,
  config: {
    topic: 'cards',
    kmsConfig: { vault: { uri: 'https://vault.example', type: 'TOKEN', version: 1, token } },
    recordValue: {
      fields: [{ fieldName: 'pan', keySecretId: 'vault-kms://keys/pan', algorithm: 'AES256_GCM' }],
    },
  },
});

async function withLive(...resources: readonly ReturnType<typeof resource>[]): Promise<Served> {
  const there = await serve();
  await there.put(resource('VirtualCluster', { name: 'prod' }), ...resources);
  there.forget();
  return there;
}

function project(environments: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environments).map(([name, text]) => `  ${name}: { manages: ['*'], ${text} }`);
  return `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${lines.join('\n')}\n`;
}

/** Runs it, and again: the second run must find nothing to do. */
async function runTwice(world: World, ...args: readonly string[]): Promise<Ran> {
  const ran = await world.run('import', ...args);
  const again = await world.run('import', ...args);
  expect([again.code, verdictOf(again)]).toEqual([0, 'result: no-changes']);
  return ran;
}

describe('gwconf import', () => {
  it('adds what no file declares beside its neighbours, and never writes to the gateway', async () => {
    const there = await withLive(liveAlias('a'), liveAlias('b'), liveAlias('other', 'x', 'passthrough'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [gateway]' }),
      'gateway/prod/all.yaml': all(
        cluster('prod'),
        alias('a', 'a-v1', 'prod'),
        `# about c\n${alias('c', 'c', 'prod')}`,
      ),
      'gateway/rest.yaml': alias('rest'),
    });
    const ran = await runTwice(mine);
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: changes']);
    expect(mine.read('gateway/prod/all.yaml')).toBe(
      all(
        cluster('prod'),
        alias('a', 'a-v1', 'prod'),
        'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata:\n  name: b\n  vCluster: prod\nspec:\n  physicalName: b-v1\n',
        `# about c\n${alias('c', 'c', 'prod')}`,
      ),
    );
    expect(mine.read('gateway/rest.yaml')).toContain('name: other');
    expect(ran.out).toContain('Plan: 2 to create, 0 to update, 0 to replace, 0 to delete.');
    expect(there.writes()).toEqual([]);
  });

  it('compares what is declared, and does not overwrite it', async () => {
    const there = await withLive(liveAlias('a', 'a-v9'));
    const text = all(cluster('prod'), alias('a', 'a-v1', 'prod'));
    const mine = worldBeside(there, { 'gwconf.yaml': project({ prod: 'files: [in]' }), 'in/a.yaml': text });
    const ran = await mine.run('import');
    expect(ran.out).toContain('"a-v9" → "a-v1"');
    expect(mine.read('in/a.yaml')).toBe(text);
  });

  it('takes only what matches, and what is managed', async () => {
    const there = await withLive(liveAlias('a'), liveAlias('b'), liveAlias('c', 'x', 'passthrough'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }).replace("'*'", "VirtualCluster/*, '*@vCluster=prod'"),
      'in/a.yaml': cluster('prod'),
    });
    await mine.run('import', 'AliasTopic/a*', 'AliasTopic/c*');
    expect(
      mine.has('in/alias-topic.yaml') ? mine.read('in/alias-topic.yaml') : mine.read('in/a.yaml'),
    ).not.toMatch(/name: [bc]/);
    const missed = await mine.run('import', 'AliasTopic/z*');
    expect([missed.code, verdictOf(missed)]).toEqual([1, 'result: incomplete']);
    expect(missed.err).toContain(
      'error[unmatched-target]: AliasTopic/z* matches no object in the files or on',
    );
    await mine.run('import');
    await mine.run('validate');
    expect(verdictOf(await mine.run('plan', '--detailed-exitcode'))).toBe('result: no-changes');
  });

  it.each([
    [
      'by-virtual-cluster',
      { 'in/prod/x.yaml': alias('y', 'y-v1', 'prod'), 'in/_global/v.yaml': cluster('prod') },
      'in/prod/interceptor.yaml',
    ],
    [
      'by-kind',
      { 'in/alias.yaml': all(alias('y', 'y-v1', 'prod'), alias('z')), 'in/v.yaml': cluster('prod') },
      'in/interceptor.yaml',
    ],
    ['one-file', { 'in/one.yaml': all(cluster('prod'), alias('y', 'y-v1', 'prod')) }, 'in/one.yaml'],
  ])('makes a new file by the layout of the tree: %s', async (_, files: Record<string, string>, path) => {
    const guard = {
      pluginClass: GUARD,
      priority: 1,
      config: { topic: '.*', numPartition: { min: 1, max: 3, action: 'BLOCK' } },
    };
    const there = await withLive(
      resource('Interceptor', { name: 'guard', scope: { vCluster: 'prod' } }, guard),
    );
    const mine = worldBeside(there, { 'gwconf.yaml': project({ prod: 'files: [in]' }), ...files });
    await runTwice(mine, 'Interceptor/*');
    expect(mine.read(path)).toContain('name: guard');
  });

  it('puts all into the file that is named, which must be one of the environment', async () => {
    const there = await withLive(liveAlias('a'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      'in/data.txt': 'x',
      'else/b.yaml': alias('b'),
    });
    for (const [to, why] of [
      ['else/b.yaml', 'is not read'],
      ['in/data.txt', 'a YAML file'],
    ] as const) {
      const ran = await mine.run('import', '--to', to);
      expect([ran.code, ran.err]).toEqual([64, expect.stringContaining(why)]);
    }
    const ran = await runTwice(mine, '--to', 'in/new/topics.yaml');
    expect(ran.out).toContain('created in/new/topics.yaml\n');
    expect(mine.read('in/new/topics.yaml')).toContain('name: a');
  });

  it('leaves files alone that another environment reads, and says which', async () => {
    const there = await withLive(liveAlias('a'), liveAlias('b'));
    const base = all(cluster('prod'), alias('a', 'a-v1', 'prod'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [base]', dev: 'files: [base, dev]' }),
      'base/a.yaml': base,
      'dev/a.yaml': alias('dev'),
    });
    const ran = await mine.run('import', '--env', 'prod');
    expect(ran.err).toContain(
      'AliasTopic/b@vCluster=prod is not added: its place is base/a.yaml, which dev also reads',
    );
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: incomplete']);
    expect(mine.read('base/a.yaml')).toBe(base);
    const named = await mine.run('import', '--env', 'prod', '--to', 'base/a.yaml');
    expect([named.code, verdictOf(named)]).toEqual([0, 'result: changes']);
    expect(mine.read('base/a.yaml')).toContain('name: b');
  });

  it('writes no secret, but a variable, and names it', async () => {
    const there = await withLive(
      resource('Interceptor', { name: 'enc', scope: { vCluster: 'prod' } }, vault(SECRET)),
    );
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
    });
    const dry = await mine.run('import', '--dry-run');
    const ran = await mine.run('import');
    expect(ran.err).toContain(
      'Set 1 variable for secrets where gwconf runs:\n  GW_PROD_ENC_VAULT_TOKEN  Interceptor/enc@vCluster=prod',
    );
    expect(ran.out).toContain('No changes. 2 objects up to date.');
    const text = mine.read('in/interceptor.yaml');
    expect(text).toContain('token: "${GW_PROD_ENC_VAULT_TOKEN}"');
    expect(dry.out).toContain('+        token: "${GW_PROD_ENC_VAULT_TOKEN}"');
    expect([dry.out, dry.err, ran.out, ran.err, text].join('')).not.toContain('Kanarienvogel');
    mine.env['GW_PROD_ENC_VAULT_TOKEN'] = SECRET;
    expect(verdictOf(await mine.run('plan'))).toBe('result: no-changes');
  });

  it('never advises to write the value of a secret into a file', async () => {
    const encrypt = resource('Interceptor', { name: 'enc', scope: { vCluster: 'prod' } }, vault(SECRET));
    const there = await withLive(encrypt);
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
    });
    await mine.run('import');
    mine.env['GW_PROD_ENC_VAULT_TOKEN'] = 'another';
    const { err } = await mine.run('import', '--drift');
    expect(err).toContain('stays as it is: its value comes from a variable');
    expect(err).toContain(' = change the value of the variable\n');
  });

  it('writes the values of secrets to a file of their own, or nothing', async () => {
    const there = await withLive(
      resource('Interceptor', { name: 'enc', scope: { vCluster: 'prod' } }, vault(SECRET)),
    );
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      '.gitignore': '*.env\n',
    });
    const refused = await mine.run('import', '--secrets-env', 'in/tracked.txt');
    expect([refused.code, mine.has('in/interceptor.yaml')]).toEqual([64, false]);
    await mine.run('import', '--secrets-env', 'new.env');
    expect(mine.read('new.env')).toContain(`GW_PROD_ENC_VAULT_TOKEN='${SECRET}'\n`);
    expect(statSync(join(mine.folder, 'new.env')).mode & 0o777).toBe(0o600);
    expect(mine.read('in/interceptor.yaml')).not.toContain('Kanarienvogel');
    const again = await mine.run('import', '--secrets-env', 'other.env');
    expect([verdictOf(again), mine.has('other.env')]).toEqual(['result: no-changes', false]);
  });

  it('gives no secret a variable that is set, or kept, for another value', async () => {
    const there = await withLive(
      resource('Interceptor', { name: 'enc', scope: { vCluster: 'prod' } }, vault(SECRET)),
    );
    const files = {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      '.gitignore': '*.env\n',
    };
    const other = "GW_PROD_ENC_VAULT_TOKEN='other'\n";
    const worlds = [
      worldBeside(there, { ...files, 'kept.env': other }),
      worldBeside(there, { ...files, 'kept.env': '' }),
    ] as const;
    worlds[1].env['GW_PROD_ENC_VAULT_TOKEN'] = 'other';
    for (const mine of worlds) {
      await mine.run('import', '--secrets-env', 'kept.env');
      expect(mine.read('kept.env')).toMatch(/^GW_PROD_ENC_VAULT_TOKEN_\w+='/m);
      expect(mine.read('in/interceptor.yaml')).toMatch(/\$\{GW_PROD_ENC_VAULT_TOKEN_\w+\}/);
    }
    const same = worldBeside(there, files);
    same.env['GW_PROD_ENC_VAULT_TOKEN'] = SECRET;
    await same.run('import');
    expect(same.read('in/interceptor.yaml')).toContain('${GW_PROD_ENC_VAULT_TOKEN}');
  });

  it('changes nothing if a kind cannot be read', async () => {
    const refused = { status: 403, headers: {}, body: '{}' };
    const there = await serve(
      {},
      {
        intercept: ({ url }, handle) => Promise.resolve(url.endsWith('/interceptor') ? refused : handle()),
      },
    );
    await there.put(resource('VirtualCluster', { name: 'prod' }), liveAlias('a'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
    });
    const ran = await mine.run('import');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(mine.has('in/alias-topic.yaml')).toBe(false);
  });

  it('makes the folder that gwconf.yaml names', async () => {
    const there = await withLive(liveAlias('a'));
    const mine = worldBeside(there, { 'gwconf.yaml': project({ prod: 'files: [gateway]' }) });
    const ran = await mine.run('import');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: changes']);
    expect(mine.read('gateway/alias-topic.yaml')).toContain('name: a\n');
    const named = await mine.run('import', '-f', 'elsewhere');
    expect([named.code, named.err]).toEqual([
      1,
      expect.stringContaining('elsewhere cannot be read') as string,
    ]);
  });

  it('has flags that go together', async () => {
    const mine = makeWorld({ 'in.yaml': cluster('prod') });
    expect((await mine.run('import', '--deleted')).code).toBe(64);
    expect((await mine.run('import', '--drift', '--to', 'in.yaml')).code).toBe(64);
  });
});

describe('gwconf import --drift', () => {
  it('takes the values of the gateway to where they come from, and keeps all else', async () => {
    const guard = { topic: '.*', numPartition: { min: 3, max: 9, action: 'BLOCK' } };
    const there = await serve();
    await there.put(
      resource('VirtualCluster', { name: 'prod' }, { aclEnabled: true, superUsers: ['boss', 'chief'] }),
      liveAlias('a', 'a-v2'),
      resource(
        'Interceptor',
        { name: 'guard', scope: { vCluster: 'prod' } },
        { pluginClass: GUARD, priority: 10, config: guard },
      ),
    );
    const base = `# Topics of prod

apiVersion: gateway/v2
kind: VirtualCluster
metadata: { name: prod } # the one
spec:
  # bosses
  superUsers:
    - former # bob
    - boss # ann
---
# a
apiVersion: gateway/v2
kind: AliasTopic
metadata: { name: a, vCluster: prod }
spec:
  physicalName: 'a-v1' # old
---
apiVersion: gateway/v2
kind: Interceptor
metadata: { name: guard, scope: { vCluster: prod } }
spec:
  pluginClass: ${GUARD}
  priority: 10
  config: { topic: '.*', numPartition: { min: 1, max: 6, action: BLOCK } }
`;
    const overlay = `apiVersion: gateway/v2
kind: Interceptor
overlay: true # for prod
metadata: { name: guard, scope: { vCluster: prod } }
spec: { config: { numPartition: { max: 7 } } }
`;
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [base, prod]' }),
      'base/a.yaml': base,
      'prod/a.yaml': overlay,
    });
    const dry = await mine.run('import', '--drift', '--dry-run', '--detailed-exitcode');
    expect([dry.code, mine.read('base/a.yaml')]).toEqual([2, base]);
    expect(dry.out).toContain("-  physicalName: 'a-v1' # old\n+  physicalName: 'a-v2' # old\n");
    const ran = await runTwice(mine, '--drift');
    expect(ran.out).toMatch(
      /^changed base\/a.yaml\nchanged prod\/a.yaml\n\nThe plan with these files:\n\n[^]*No changes\./,
    );
    expect(mine.read('base/a.yaml')).toBe(
      base
        .replace('spec:\n  # bosses', 'spec:\n  aclEnabled: true\n  # bosses')
        .replace('    - former # bob\n    - boss # ann\n', '    - boss # ann\n    - chief\n')
        .replace("'a-v1'", "'a-v2'")
        .replace('min: 1', 'min: 3'),
    );
    expect(mine.read('prod/a.yaml')).toBe(overlay.replace('max: 7', 'max: 9'));
    expect(there.writes()).toEqual([]);
  });

  it('tells what comes from elsewhere, with its place, and leaves it', async () => {
    const there = await withLive(
      liveAlias('a', 'live-a'),
      liveAlias('b', 'live-b'),
      liveAlias('c', 'live-c'),
    );
    const text = `
      apiVersion: gateway/v2
      kind: AliasTopic
      metadata: { name: a, vCluster: prod }
      spec: { physicalName: "\${var.topic}" }
      ---
      apiVersion: gateway/v2
      kind: AliasTopic
      metadata: { name: b, vCluster: prod }
      spec: &spec
        physicalName: shared
      ---
      apiVersion: gateway/v2
      kind: AliasTopic
      metadata: { name: c, vCluster: &name prod }
      spec: { physicalName: *name }
    `;
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in], variables: { topic: x }' }),
      'in/a.yaml': text,
      'in/v.yaml': cluster('prod'),
    });
    const before = mine.read('in/a.yaml');
    const ran = await mine.run('import', '--drift');
    expect(ran.err).toContain(
      '/spec/physicalName of AliasTopic/a@vCluster=prod differs from the gateway, but stays as it is: its value comes from a variable',
    );
    expect(ran.err).toContain('in/a.yaml:4:');
    expect(ran.err).toContain(
      'AliasTopic/c@vCluster=prod differs from the gateway, but stays as it is: its value comes from an anchor',
    );
    expect(mine.read('in/a.yaml')).toBe(before.replace('shared', 'live-b'));
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: incomplete']);
    for (const more of [[], ['--dry-run'], ['--detailed-exitcode']]) {
      const again = await mine.run('import', '--drift', ...more);
      expect([again.code, verdictOf(again)], more.join()).toEqual([1, 'result: incomplete']);
    }
    mine.write('gwconf.yaml', `${mine.read('gwconf.yaml')}lint: { not-imported: off }\n`);
    const left = await mine.run('import', '--drift');
    expect([left.code, verdictOf(left)]).toEqual([0, 'result: no-changes']);
  });

  it('is incomplete where the gateway does not serve a kind that files declare', async () => {
    const refused = { status: 400, headers: {}, body: '{}' };
    const there = await serve(
      {},
      {
        intercept: ({ url }, handle) => Promise.resolve(url.endsWith('/alias-topic') ? refused : handle()),
      },
    );
    await there.put(resource('VirtualCluster', { name: 'prod' }));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': all(cluster('prod'), alias('a', 'a-v1', 'prod')),
    });
    for (const args of [[], ['--drift'], ['--drift', '--deleted']]) {
      const ran = await mine.run('import', ...args);
      expect([ran.code, verdictOf(ran), ran.err], args.join(' ')).toEqual([
        1,
        'result: incomplete',
        expect.stringContaining('error[kind-unavailable]: AliasTopic/a@vCluster=prod'),
      ]);
    }
  });

  it('edits the document that stands for an object, and JSON', async () => {
    const there = await withLive(
      resource(
        'GatewayServiceAccount',
        { name: 'pay', vCluster: 'prod' },
        { type: 'EXTERNAL', externalNames: ['sub-2'] },
      ),
      resource('GatewayServiceAccount', { name: 'two', vCluster: 'prod' }, { type: 'LOCAL' }),
      liveAlias('a', 'a-v2'),
    );
    const mapping = (name: string, principal: string): string =>
      `apiVersion: gwconf/v1\nkind: UserMapping\nmetadata: { name: ${name}, vCluster: prod }\nspec: { principal: ${principal} } # why\n`;
    const json = (topic: string): string =>
      `{\n  "apiVersion": "gateway/v2", "kind": "AliasTopic",\n  "metadata": { "name": "a", "vCluster": "prod" },\n  "spec": { "physicalName": "${topic}" }\n}\n`;
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      'in/u.yaml': all(mapping('pay', 'sub-1'), mapping('two', 'a')),
      'in/a.json': json('a-v1'),
    });
    const ran = await mine.run('import', '--drift');
    expect(mine.read('in/u.yaml')).toBe(all(mapping('pay', 'sub-2'), mapping('two', 'a')));
    expect(mine.read('in/a.json')).toBe(json('a-v2'));
    expect(ran.err).toContain(
      'differs from the gateway, but stays as it is: its document stands for several objects',
    );
  });

  it('keeps the members of a group that other documents add', async () => {
    const pay = { name: 'pay', vCluster: 'prod' };
    const there = await withLive(
      resource('GatewayServiceAccount', pay, { type: 'EXTERNAL', externalNames: ['sub-1'] }),
      resource('GatewayServiceAccount', { name: 'two', vCluster: 'prod' }, { type: 'LOCAL' }),
      resource('GatewayGroup', { name: 'one' }, { members: [pay, { name: 'two', vCluster: 'prod' }] }),
      resource('GatewayGroup', { name: 'none' }, { members: [] }),
    );
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': all(
        cluster('prod'),
        documentOf('GatewayServiceAccount', '{ name: two, vCluster: prod }', '{ type: LOCAL }'),
        documentOf('GatewayGroup', '{ name: one }'),
        documentOf('GatewayGroup', '{ name: none }'),
        'apiVersion: gwconf/v1\nkind: UserMapping\nmetadata: { name: pay, vCluster: prod }\nspec: { principal: sub-1, groups: [one, none] }\n',
      ),
    });
    const before = mine.read('in/v.yaml');
    const ran = await mine.run('import', '--drift');
    expect(mine.read('in/v.yaml')).toBe(
      before.replace(
        'name: one }\nspec: {}',
        'name: one }\nspec: { members: [{ name: two, vCluster: prod }] }',
      ),
    );
    expect(ran.err).toContain(
      '/spec/members of GatewayGroup/none differs from the gateway, but stays as it is: several documents give its value',
    );
  });

  it('writes no secret that differs', async () => {
    const there = await withLive(
      resource('Interceptor', { name: 'enc', scope: { vCluster: 'prod' } }, vault(SECRET)),
    );
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      'in/e.yaml': documentOf(
        'Interceptor',
        '{ name: enc, scope: { vCluster: prod } }',
        JSON.stringify({ ...vault('hvs.formerformerformer'), priority: 2 }),
      ),
    });
    const before = mine.read('in/e.yaml');
    const dry = await mine.run('import', '--drift', '--dry-run');
    const ran = await mine.run('import', '--drift');
    expect(ran.err).toContain('differs from the gateway, but stays as it is: it is a secret');
    expect(mine.read('in/e.yaml')).toBe(before.replace('"priority":2', '"priority":1'));
    expect([dry.out, dry.err, ran.out, ran.err].join('')).not.toMatch(/Kanarienvogel|formerformer/);
  });

  it('keeps the line breaks and the byte order mark, and says who else reads the file', async () => {
    const there = await withLive(liveAlias('a', 'a-v2'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]', dev: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
    });
    const text = `\uFEFF${alias('a', 'a-v1', 'prod').replaceAll('\n', '\r\n')}`.trimEnd();
    writeFileSync(join(mine.folder, 'in/a.yaml'), text);
    const ran = await runTwice(mine, '--env', 'prod', '--drift');
    expect(mine.read('in/a.yaml')).toBe(text.replace('a-v1', 'a-v2'));
    expect(ran.err).toContain('in/a.yaml is also read by dev: look at the plan there, too.');
  });

  it('writes no value that a secret variable may have had at another place of its list', async () => {
    const own = (list: readonly string[]): JsonObject => ({
      pluginClass: 'com.example.Own',
      priority: 1,
      config: { list: list.map((value) => ({ value })) },
    });
    const there = await withLive(
      resource('Interceptor', { name: 'own' }, own(['x', 'y', 'former-Kanarienvogel'])),
    );
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      'in/o.yaml': documentOf('Interceptor', '{ name: own }', JSON.stringify(own(['${KEY}', 'y']))),
    });
    mine.env['KEY'] = 'a-new-key-for-it';
    const ran = await mine.run('import', '--drift');
    expect([mine.read('in/o.yaml'), ran.out, ran.err].join('')).not.toMatch(/Kanarienvogel|a-new-key/);
  });

  it('takes over keys and texts that look like variables', async () => {
    const own = (config: JsonObject): ReturnType<typeof resource> =>
      resource('Interceptor', { name: 'own' }, { pluginClass: 'com.example.Own', priority: 1, config });
    const there = await withLive(
      own({ '${HOME}': 'v', 'b-${X}': { '${Y}': ['${Z}'] }, kept: { '${K}': 'live', '${NEW}': 1 } }),
    );
    const text = JSON.stringify({ ...own({ kept: { '$${K}': 'file', '$${GONE}': 1 } }) });
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      'in/o.yaml': text,
    });
    await runTwice(mine, '--drift');
    const { spec } = mine.json('in/o.yaml') as { spec: { config: unknown } };
    expect(spec.config).toEqual({
      '$${HOME}': 'v',
      'b-$${X}': { '$${Y}': ['$${Z}'] },
      kept: { '$${K}': 'live', '$${NEW}': 1 },
    });
    expect((await mine.run('plan')).out).toContain('No changes.');
  });

  it('takes out what is gone only with --deleted', async () => {
    const there = await withLive(liveAlias('b'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in, over]' }),
      'in/v.yaml': cluster('prod'),
      'in/a.yaml': all(`# about a\n${alias('a', 'a', 'prod')}`, `# about b\n${alias('b', 'b-v1', 'prod')}`),
      'in/only.yaml': alias('only', 'x', 'prod'),
      'over/a.yaml': alias('a', 'x', 'prod').replace('metadata', 'overlay: true\nmetadata'),
    });
    const ran = await mine.run('import', '--drift');
    expect(ran.err).toContain(
      'AliasTopic/a@vCluster=prod is declared, but not on the gateway; its document stays',
    );
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: incomplete']);
    await runTwice(mine, '--drift', '--deleted');
    expect(mine.read('in/a.yaml')).toBe(`# about b\n${alias('b', 'b-v1', 'prod')}`);
    expect([mine.has('in/only.yaml'), mine.has('over/a.yaml')]).toEqual([false, false]);
  });

  it('is never green where a file with directives or ends of documents stays as it is', async () => {
    const there = await withLive(resource('GatewayGroup', { name: 'ops' }, { externalGroups: ['live'] }));
    const group = documentOf('GatewayGroup', '{ name: ops }', '{ externalGroups: [declared] }');
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': `${all(cluster('prod'), group, alias('gone', 'x', 'prod'))}...\n`,
    });
    const list = await mine.run('import', '--drift');
    expect([list.code, verdictOf(list)]).toEqual([1, 'result: incomplete']);
    expect(list.err).toContain('GatewayGroup/ops differs from the gateway, but stays as it is: the file is');
    const deleted = await mine.run('import', '--drift', '--deleted');
    expect([deleted.code, verdictOf(deleted)]).toEqual([1, 'result: incomplete']);
    expect(deleted.err).toContain('AliasTopic/gone@vCluster=prod differs from the gateway, but stays');
  });

  it('says that a layer is empty then, which a plan rejects, and what to do about it', async () => {
    const there = await withLive();
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in, over]' }),
      'in/v.yaml': cluster('prod'),
      'over/a.yaml': alias('a', 'a', 'prod'),
    });
    const ran = await mine.run('import', '--drift', '--deleted');
    expect(verdictOf(ran)).toBe('result: changes');
    expect(ran.err).toContain(
      'warning[no-resources]: no resource is declared in over any more, which plan and apply reject with --prune\n' +
        ' = take it out of files in gwconf.yaml, or add --allow-empty to them\n',
    );
    expect((await mine.run('plan')).code).toBe(0);
    const planned = await mine.run('plan', '--prune');
    expect(planned.err).toContain(
      'error[empty-prune]: no resource is declared in over, so prune would delete what it declared before',
    );
    expect(verdictOf(await mine.run('plan', '--prune', '--allow-empty'))).toBe('result: no-changes');
    await there.gateway.remove(kindOf('VirtualCluster'), resource('VirtualCluster', { name: 'prod' }, {}));
    expect((await mine.run('import', '--drift', '--deleted')).err).toMatch(
      /in in any more, which plan and apply reject\n/,
    );
    expect((await mine.run('plan')).err).toContain('error[no-resources]: no resource is declared in ');
  });

  const twoDiffer = async () => {
    const there = await withLive(liveAlias('a', 'a-v2'), liveAlias('b', 'b-v2'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      'in/a.yaml': alias('a', 'a-v1', 'prod'),
      'in/b.yaml': alias('b', 'b-v1', 'prod'),
    });
    return { there, mine };
  };

  it.each([
    ['one', ['in/a.yaml'], 'changed in/b.yaml\n'],
    ['all', ['in/a.yaml', 'in/b.yaml'], ''],
  ])('shows no plan with files that were not written, when %s cannot be', async (_, unwritten, out) => {
    const { there, mine } = await twoDiffer();
    there.onRequest(() => {
      for (const path of unwritten) writeFileSync(join(mine.folder, path), '# changed\n');
    });
    const ran = await mine.run('import', '--drift');
    expect([ran.code, verdictOf(ran), ran.out]).toEqual([1, 'result: error', out]);
    for (const path of unwritten)
      expect(ran.err).toContain(`error[unwritable-file]: ${path} cannot be written: `);
  });

  it('does not overwrite a file that has changed since it was read, and writes the others', async () => {
    const { there, mine } = await twoDiffer();
    const meanwhile = `# changed\n${alias('a', 'a-v1', 'prod')}`;
    there.onRequest(() => {
      writeFileSync(join(mine.folder, 'in/a.yaml'), meanwhile);
    });
    const ran = await mine.run('import', '--drift');
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringContaining('in/a.yaml cannot be written: it has changed since it was read'),
    ]);
    expect([mine.read('in/a.yaml'), mine.read('in/b.yaml')]).toEqual([meanwhile, alias('b', 'b-v2', 'prod')]);
  });

  it('follows links inside the tree, and keeps modes', async () => {
    const there = await withLive(liveAlias('a', 'a-v2'));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/v.yaml': cluster('prod'),
      'real/a.yaml': alias('a', 'a-v1', 'prod'),
    });
    chmodSync(join(mine.folder, 'real/a.yaml'), 0o600);
    symlinkSync('../real/a.yaml', join(mine.folder, 'in/a.yaml'));
    await mine.run('import', '--drift');
    expect(mine.read('real/a.yaml')).toBe(alias('a', 'a-v2', 'prod'));
  });

  it('escapes hostile text in the diff', async () => {
    const own = { pluginClass: 'com.example.Own', priority: 1, config: {} };
    const there = await withLive(resource('Interceptor', { name: 'own' }, { ...own, comment: 'x\u001b[2J' }));
    const mine = worldBeside(there, {
      'gwconf.yaml': project({ prod: 'files: [in]' }),
      'in/a.yaml': all(
        cluster('prod'),
        `${documentOf('Interceptor', '{ name: own }', '{ pluginClass: com.example.Own, priority: 1, config: {} }')}# \u202e::error::x\n`,
      ),
    });
    const ran = await mine.run('import', '--drift', '--dry-run');
    expect(ran.out).not.toMatch(/[\u001b\u202e]/);
    expect(ran.out).toContain('x\\e[2J');
  });
});
