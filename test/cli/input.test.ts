import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanReport } from '../../src/outcome/plan.ts';
import type { ValidateReport } from '../../src/outcome/files.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { cluster, projectOf } from '../support/documents.ts';

const PROJECT = projectOf({ prod: 'files: [d]' });

/** The addresses that a plan of these paths would create on an empty gateway. */
async function declaredIn(world: World, ...paths: readonly string[]): Promise<readonly string[]> {
  const { out, err } = await world.run('plan', ...paths, '--url', 'embedded:', '-o', 'json');
  const report = JSON.parse(out) as PlanReport;
  if (report.result === 'error') throw new Error(err);
  return report.changes.map(({ address }) => address.replace('VirtualCluster/', ''));
}

function errorsOf({ problems }: ValidateReport): ValidateReport['problems'] {
  return problems.filter(({ severity }) => severity === 'error');
}

async function validated(world: World, ...args: readonly string[]): Promise<ValidateReport> {
  return JSON.parse((await world.run('validate', ...args, '-o', 'json')).out) as ValidateReport;
}

describe('the files that are read', () => {
  it('are named with -f, as often as need be, and by position too', async () => {
    const world = makeWorld({ 'a.yaml': cluster('a'), 'b.yaml': cluster('b'), 'c.yaml': cluster('c') });
    expect(await declaredIn(world, '-f', 'a.yaml', '--file', 'b.yaml', 'c.yaml')).toEqual(['a', 'b', 'c']);
  });

  it('may be YAML or JSON, whatever the case of the extension', async () => {
    const world = makeWorld({
      'd/a.yaml': cluster('a'),
      'd/b.yml': cluster('b'),
      'd/c.json': '{"apiVersion":"gateway/v2","kind":"VirtualCluster","metadata":{"name":"c"},"spec":{}}',
      'd/e.YAML': cluster('e'),
      'd/notes.txt': cluster('not-me'),
      'd/README.md': cluster('nor-me'),
    });
    expect(await declaredIn(world, 'd')).toEqual(['a', 'b', 'c', 'e']);
  });

  it('may have any extension when they are named themselves', async () => {
    const world = makeWorld({ 'gateway.conf': cluster('a') });
    expect(await declaredIn(world, 'gateway.conf')).toEqual(['a']);
  });

  it('are found in folders at any depth, with or without -R', async () => {
    const world = makeWorld({ 'd/a.yaml': cluster('a'), 'd/e/f/g/b.yaml': cluster('b') });
    expect(await declaredIn(world, 'd')).toEqual(['a', 'b']);
    expect(await declaredIn(world, '-R', '-f', 'd')).toEqual(['a', 'b']);
  });

  it('are not those that begin with a dot, projects, nor any in node_modules', async () => {
    const world = makeWorld({
      'd/a.yaml': cluster('a'),
      'd/.hidden.yaml': cluster('hidden'),
      'd/.git/b.yaml': cluster('git'),
      'd/node_modules/c.yaml': cluster('module'),
      'd/gwconf.yaml': PROJECT,
      'd/sub/gwconf.yaml': PROJECT,
    });
    expect(await declaredIn(world, 'd')).toEqual(['a']);
  });

  it('are those of this folder when there is neither a path nor a project', async () => {
    const world = makeWorld({ 'a.yaml': cluster('a'), 'sub/b.yaml': cluster('b') });
    const told = 'Reading the files in this folder, because there is no gwconf.yaml.\n';
    const gateway = ['--url', 'embedded:'];
    expect(await declaredIn(world)).toEqual(['a', 'b']);
    for (const args of [
      ['validate'],
      ['plan', ...gateway],
      ['apply', ...gateway, '--auto-approve'],
      ['render'],
    ]) {
      const { code, err } = await world.run(...args);
      expect([code, err.startsWith(told), err.split(told).length]).toEqual([0, true, 2]);
    }
    expect((await world.run('validate', 'a.yaml')).err).not.toContain(told);
    world.write('gwconf.yaml', PROJECT);
    expect((await world.run('validate')).err).not.toContain(told);
  });

  it('are passed over in a folder when they have neither apiVersion nor kind', async () => {
    const world = makeWorld({
      'd/a.yaml': cluster('a'),
      'd/docker-compose.yaml': 'services: { kafka: { image: kafka } }',
      'd/values.yml': '- 1\n- 2\n',
      'd/package.json': '{ "name": "kind of a package" }',
      'd/empty.yaml': '',
    });
    expect(await declaredIn(world, 'd')).toEqual(['a']);
  });

  it('are not the plans, reports and states that gwconf writes into a folder', async () => {
    const world = makeWorld({ 'd/a.yaml': cluster('a') });
    const outputs = ['--out', 'd/plan.json', '-o', 'json=d/report.json'];
    await world.run('plan', 'd', '--url', 'embedded:d/state.json', ...outputs);
    await world.run('apply', 'd/plan.json', '--url', 'embedded:d/state.json', '-o', 'json=d/outcome.json');
    expect(await declaredIn(world, 'd')).toEqual(['a']);
  });

  it('are a problem when they are named and declare nothing that gwconf knows', async () => {
    const world = makeWorld({ 'compose.yaml': 'services: {}' });
    const { result, problems } = await validated(world, 'compose.yaml');
    expect(result).toBe('error');
    expect(problems).toMatchObject([{ code: 'missing-field', file: 'compose.yaml', line: 1, path: '/kind' }]);
  });

  it.each([
    ['other.yml', PROJECT],
    ['sub/gwconf.yml', PROJECT],
    ['gwconf.json', '{"apiVersion":"gwconf/v1","kind":"Project","environments":{}}'],
  ])('may not be projects with another name: %s', async (path, text) => {
    const world = makeWorld({ 'd/a.yaml': cluster('a'), [`d/${path}`]: text });
    const { problems } = await validated(world, 'd');
    expect(problems).toMatchObject([{ code: 'misnamed-project', file: `d/${path}` }]);
  });

  it('may not be the project itself', async () => {
    const world = makeWorld({ 'd/a.yaml': cluster('a'), 'gwconf.yaml': PROJECT });
    const { problems } = await validated(world, 'gwconf.yaml');
    expect(problems).toMatchObject([{ code: 'misnamed-project', line: 2 }]);
    expect(JSON.stringify(problems)).toContain('leave out its path');
  });

  it('are a problem where the project of the folder has another name', async () => {
    const world = makeWorld({ 'd/a.yaml': cluster('a'), 'gwconf.yml': PROJECT });
    for (const args of [['d'], [], ['--env', 'prod']]) {
      const { problems } = await validated(world, ...args);
      expect(problems).toMatchObject([{ code: 'misnamed-project', file: 'gwconf.yml', line: 1 }]);
    }
    world.write('gwconf.yml', 'theme: dark\n');
    expect((await validated(world, 'd')).problems).toEqual([]);
  });

  it('come from stdin for a dash, beside others', async () => {
    const world = makeWorld({ 'a.yaml': cluster('a') });
    const stdin = `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: piped, wrong: 1 }\nspec: {}\n`;
    const { out } = await world.runWith({ stdin }, 'validate', '-f', 'a.yaml', '-f', '-', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      problems: [{ code: 'unknown-field', file: 'stdin', line: 3, column: 26 }],
    });
  });
});

describe('what cannot be read', () => {
  it.each([
    ['a path that is not there', 'nowhere.yaml', 'nowhere.yaml cannot be read: no such file or folder'],
    ['a link that leads nowhere', 'd', 'd/dangling.yaml cannot be read: no such file or folder'],
    ['one in the place of a folder', 'e', 'e/team cannot be read: no such file or folder'],
    ['bytes that are not UTF-8', 'latin.yaml', 'latin.yaml cannot be read: it is not UTF-8 text'],
  ])('is a problem: %s', async (_, path, message) => {
    const world = makeWorld({ 'd/a.yaml': cluster('a'), 'e/b.yaml': cluster('b') });
    symlinkSync(join(world.folder, 'gone.yaml'), join(world.folder, 'd/dangling.yaml'));
    symlinkSync('../other/team', join(world.folder, 'e/team'));
    writeFileSync(join(world.folder, 'latin.yaml'), Buffer.from('kind: \xe9\n', 'latin1'));
    const { result, problems } = await validated(world, path);
    expect(result).toBe('error');
    expect(problems).toMatchObject([{ code: 'unreadable-file', severity: 'error', message }]);
    const cure = message.includes('UTF-8') ? 'save it as UTF-8' : 'check the path';
    expect(JSON.stringify(problems)).toContain(cure);
  });

  const root = process.getuid?.() === 0;
  it.skipIf(root)(
    root
      ? 'is a problem: what may not be read (skipped: root may read all)'
      : 'is a problem: what may not be read',
    async () => {
      const world = makeWorld({ 'd/a.yaml': cluster('a'), 'd/locked/b.yaml': cluster('b') });
      chmodSync(join(world.folder, 'd/a.yaml'), 0);
      chmodSync(join(world.folder, 'd/locked'), 0);
      const { problems } = await validated(world, 'd');
      chmodSync(join(world.folder, 'd/locked'), 0o755);
      expect(problems.map(({ message }) => message)).toEqual([
        'd/a.yaml cannot be read: permission denied',
        'd/locked cannot be read: permission denied',
      ]);
    },
  );

  it('keeps the plan from being made, and the gateway from being asked', async () => {
    const world = makeWorld({ 'a.yaml': cluster('a') });
    const ran = await world.run('plan', 'a.yaml', 'gone.yaml', '--url', 'http://127.0.0.1:1');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('gone.yaml cannot be read');
    expect(ran.err).not.toContain('127.0.0.1');
  });

  it('does not hide what is wrong with the others', async () => {
    const world = makeWorld({ 'a.yaml': 'kind: Nothing' });
    const { problems } = await validated(world, 'a.yaml', 'gone.yaml');
    expect(problems.map(({ code }) => code)).toEqual(['unknown-kind', 'unreadable-file']);
  });
});

describe('no resource at all', () => {
  it('is an error, so that a wrong path does not pass for an empty configuration', async () => {
    const world = makeWorld({ 'd/notes.txt': '' });
    const { code, err } = await world.run('plan', 'd', '--url', 'embedded:');
    expect(code).toBe(1);
    expect(err).toContain('error[no-resources]: no resource is declared in d');
    expect(err).toContain('--allow-empty');
  });

  it('is fine when it is said to be meant', async () => {
    const world = makeWorld({ 'd/notes.txt': '' });
    const { code, out } = await world.run('plan', 'd', '--allow-empty', '--url', 'embedded:');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Gateway embedded:\n\nNo changes. 0 objects up to date.\n',
    });
  });

  it('is a problem when no path is named, with a hint how to begin', async () => {
    const { code, err } = await makeWorld().run('validate');
    expect(code).toBe(1);
    expect(err).toContain('error[no-resources]: no resource is declared in this folder\n');
    expect(err).toContain('gwconf init');
  });
});

describe('variables in files', () => {
  const guard = (vCluster: string, more = 'x'): string => `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata:
      name: mask
      scope:
        vCluster: ${vCluster}
    spec:
      pluginClass: com.example.Plugin
      priority: \${PRIORITY:-7}
      comment: "\${PRIORITY:-7}"
      config:
        gateway: $\${SECRET}
        template: "{{record.key}}"
        mixed: a-\${PRIORITY:-7}
        more: ${more}
  `;

  it('are filled in as the official CLI does, and take the type that YAML gives them when they stand alone', async () => {
    const world = makeWorld({ 'a.yaml': guard('passthrough') });
    world.env['PRIORITY'] = '12';
    await world.run('apply', '-f', 'a.yaml', '--url', 'embedded:state.json', '--auto-approve');
    expect(world.json('state.json')).toMatchObject({
      resources: [
        {
          spec: {
            priority: 12,
            comment: '12',
            config: { gateway: '${SECRET}', template: '{{record.key}}', mixed: 'a-12' },
          },
        },
      ],
    });
  });

  it('that are missing are each a problem with their place', async () => {
    const world = makeWorld({ 'a.yaml': guard('${NOWHERE}', '"${ELSEWHERE}"') });
    const { out } = await world.run('plan', 'a.yaml', '--url', 'embedded:', '-o', 'json');
    expect(errorsOf(JSON.parse(out) as ValidateReport)).toMatchObject([
      {
        code: 'missing-variable',
        message: 'the environment variable NOWHERE is not set',
        file: 'a.yaml',
        line: 6,
        column: 15,
      },
      { code: 'missing-variable', message: 'the environment variable ELSEWHERE is not set', line: 15 },
    ]);
  });

  it('that are missing leave a value open for validate, and are named once', async () => {
    const world = makeWorld({ 'a.yaml': guard('passthrough', '"${ELSEWHERE} ${ELSEWHERE}"') });
    const { problems } = await validated(world, 'a.yaml');
    expect(problems.filter(({ code }) => code === 'cannot-tell')).toMatchObject([
      {
        severity: 'info',
        message: 'ELSEWHERE is not set, or not allowed here, so the values that it fills in are not checked',
        line: 15,
      },
    ]);
    expect(errorsOf(await validated(world, 'a.yaml'))).toEqual([]);
  });

  it('cannot inject YAML', async () => {
    const world = makeWorld({ 'a.yaml': guard('${CLUSTER}') });
    Object.assign(world.env, { CLUSTER: 'passthrough, group: admins', GWCONF_PUBLIC_VARIABLES: 'CLUSTER' });
    expect(errorsOf(await validated(world, 'a.yaml'))).toMatchObject([
      { code: 'invalid-value', path: '/metadata/scope/vCluster' },
    ]);
  });
});

it('validate says nothing of a variable that is only in the place of a secret', async () => {
  const world = makeWorld({
    'a.yaml': `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: encrypt, scope: { vCluster: passthrough } }
      spec:
        pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
        priority: 1
        config:
          recordValue: { payload: { keySecretId: "vault-kms://vault/key" } }
          kmsConfig: { vault: { uri: "\${URI}", type: TOKEN, token: "\${TOKEN}" } }
          schemaRegistryConfig: { host: "\${URI}", additionalConfigs: { ssl.key.password: "a-\${PASSWORD}" } }
    `,
  });
  const ran = await world.run('validate', 'a.yaml', '-o', 'json');
  const { problems } = JSON.parse(ran.out) as ValidateReport;
  expect([ran.code, problems.map(({ code, path }) => `${code} ${path ?? ''}`)]).toEqual([
    0,
    ['cannot-tell /spec/config/kmsConfig/vault/uri'],
  ]);
});

describe('a file that is none of gwconf says what it is, and what to do', () => {
  it.each([
    [
      'a manifest of Kubernetes',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: x }\n',
      'a document of another tool: apiVersion "apps/v1", kind "Deployment"',
    ],
    [
      'a kind of another product that is named like one of the gateway',
      'apiVersion: kafka/v2\nkind: Topic\nmetadata: { name: x }\n',
      'a document of another tool: apiVersion "kafka/v2", kind "Topic"',
    ],
    [
      'a kind with two typos, which is none of another tool',
      'apiVersion: gatway/v2\nkind: AliasTopc\nmetadata: { name: x }\n',
      'did you mean AliasTopic?',
    ],
    [
      'a template in a value',
      'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: {{ .Values.name }} }\n',
      'render it first, such as with helm template',
    ],
    [
      'a template around a document',
      '{{- if .Values.enabled }}\napiVersion: gateway/v2\n{{- end }}\n',
      'render it first, such as with helm template',
    ],
    [
      'two documents without a line between them',
      'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: a }\nspec: { physicalName: x }\n'.repeat(
        2,
      ),
      'put a line with --- above it',
    ],
    ['a saved plan', '{ "format": "gwconf/plan@1" }', 'apply it with gwconf apply FILE'],
  ])('%s', async (_, text, told) => {
    const { code, err } = await makeWorld({ 'f.yaml': text }).run('validate', 'f.yaml');
    expect(code).toBe(1);
    expect(err).toContain(told);
    expect(err.match(/^error\[/gm)?.length).toBeLessThanOrEqual(2);
  });

  it('text with braces that is no template needs quotes', async () => {
    const { err } = await makeWorld({ 'f.yaml': 'a: {{userIp}}\n' }).run('validate', 'f.yaml');
    expect(err).toContain('put quotes around text with braces');
    expect(err).not.toContain('helm');
  });
});
