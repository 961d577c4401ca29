import { describe, expect, it } from 'vitest';
import { BUILT_FROM, VERSION } from '../../src/workflow/tool.ts';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';

/** The settings as doctor prints them: name, value, and where it came from. */
async function settingsOf(
  world: World,
  ...args: readonly string[]
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { out } = await world.run('doctor', '--detail', 'full', ...args);
  const rows = out.split('\n').map((line) => line.split(/ {2,}/));
  return Object.fromEntries(
    rows.flatMap(([name, value, origin]) => (name && value && origin ? [[name, [value, origin]]] : [])),
  );
}

const PROJECT = `
  apiVersion: gwconf/v1
  kind: Project
  environments:
    prod:
      gateway: { url: "embedded:state.json", user: ci, password: hunter2, ca: ca.pem, timeout: 30s }
      version: 3.15.0
      security: SASL_SSL
      pin: { host: gw }
      files: [base, prod]
`;
const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

describe('gwconf doctor', () => {
  it('says where each setting came from', async () => {
    const world = makeWorld({ 'gwconf.yaml': PROJECT, 'ca.pem': PEM, pw: 'from-file\n' });
    const { gwconf, catalog, gateways, node, ...settings } = await settingsOf(world);
    expect([gwconf, gateways]).toEqual([
      [VERSION, `commit ${BUILT_FROM}`],
      ['3.3.0 to 3.21.1', 'known to this version of gwconf'],
    ]);
    expect(catalog).toEqual([
      expect.stringMatching(/^\d+ kinds, \d+ plugin classes$/),
      'API description of gateway 3.9.0, and later changelogs',
    ]);
    expect(node).toEqual([process.versions.node, 'runs gwconf']);
    expect(settings).toEqual({
      project: ['.', 'the folder of gwconf.yaml'],
      environment: ['prod', 'the only one'],
      version: ['3.15.0', 'gwconf.yaml'],
      security: ['SASL_SSL', 'gwconf.yaml'],
      pin: ['gw', 'gwconf.yaml'],
      files: ['base, prod', 'gwconf.yaml'],
      url: ['embedded:state.json', 'gwconf.yaml'],
      user: ['ci', 'gwconf.yaml'],
      password: ['(set)', 'gwconf.yaml'],
      ca: ['(PEM)', 'gwconf.yaml'],
      cert: ['-', 'not set'],
      key: ['-', 'not set'],
      insecure: ['-', 'not set'],
      proxy: ['-', 'not set'],
      timeout: ['30s', 'gwconf.yaml'],
      hosts: ['-', 'not set: gwconf.yaml can name any gateway'],
      variables: ['-', 'not set: files can use any'],
      'plan key': ['-', 'not set'],
      'private plan key': ['-', 'not set'],
      'public plan key': ['-', 'not set'],
      manages: ['-', 'not set'],
      protect: ['-', 'not set'],
      external: ['-', 'not set'],
      ignore: ['-', 'not set'],
      'max deletes': ['5 objects or 10 %, whichever is more', 'default'],
      'max updates': ['5 objects or 50 %, whichever is more', 'default'],
    });

    Object.assign(world.env, {
      GWCONF_ENV: 'prod',
      CDK_GATEWAY_USER: 'official',
      GWCONF_PASSWORD_FILE: 'pw',
      GWCONF_PROXY: 'http://proxy:1',
      CDK_INSECURE: 'true',
    });
    expect(await settingsOf(world, '--url', 'embedded:other.json', '--timeout', '5s')).toMatchObject({
      environment: ['prod', 'GWCONF_ENV'],
      url: ['embedded:other.json', '--url'],
      user: ['official', 'CDK_GATEWAY_USER'],
      password: ['(set)', 'GWCONF_PASSWORD_FILE'],
      proxy: ['http://proxy:1', 'GWCONF_PROXY'],
      insecure: ['true', 'CDK_INSECURE'],
      timeout: ['5s', '--timeout'],
    });
    expect(await settingsOf(world, '--env', 'prod', '--password-file', 'pw')).toMatchObject({
      environment: ['prod', '--env'],
      password: ['(set)', '--password-file'],
    });
  });

  it('lists what is set, and counts what is not', async () => {
    const { out } = await makeWorld({ 'gwconf.yaml': PROJECT, 'ca.pem': PEM }).run('doctor');
    expect(out).not.toContain('not set  ');
    expect(out).not.toMatch(/ - /);
    expect(out).toContain('\n13 settings not set; --detail full shows them\n');
  });

  it('says that there is a key for plans and where, and never the key', async () => {
    const key = 'k3y'.repeat(12);
    const world = makeWorld({ 'plan.key': `${key}\n` });
    world.env['GWCONF_PLAN_KEY'] = key;
    expect(await settingsOf(world)).toMatchObject({ 'plan key': ['(set)', 'GWCONF_PLAN_KEY'] });
    world.env['GWCONF_PLAN_KEY'] = '';
    world.env['GWCONF_PLAN_KEY_FILE'] = 'plan.key';
    expect(await settingsOf(world)).toMatchObject({ 'plan key': ['(set)', 'GWCONF_PLAN_KEY_FILE'] });
    const { out, err } = await world.run('doctor');
    expect(out + err).not.toContain('k3y');
  });

  it('prints the whole table where the key for plans is of no use, and says why', async () => {
    const world = makeWorld();
    for (const [name, value, why] of [
      [
        'GWCONF_PLAN_KEY_FILE',
        'gone',
        'error[unreadable-file]: the file that GWCONF_PLAN_KEY_FILE names cannot be read',
      ],
      ['GWCONF_PLAN_KEY', 'short', 'error[invalid-value]: the key in GWCONF_PLAN_KEY is too short'],
    ] as const) {
      const ran = await world.runWith({ env: { [name]: value } }, 'doctor');
      expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
      expect(ran.err).toContain(why);
      expect(ran.out).toMatch(new RegExp(`^plan key +\\(unusable\\) +${name}$`, 'm'));
    }
  });

  it('cuts values that are too long for a line', async () => {
    const files = Array.from({ length: 1000 }, (_, at) => `f${at}.yaml`).join(', ');
    const world = makeWorld({
      'gwconf.yaml': `{ apiVersion: gwconf/v1, kind: Project, environments: { prod: { files: [${files}] } } }`,
    });
    const { out } = await world.run('doctor');
    expect(out).toContain('… (10888 characters)');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(300);
  });

  it('says what may be touched', async () => {
    const rules =
      'manages: [{ kind: AliasTopic, name: "a.*" }, { kind: VirtualCluster, name: prod }], protect: [{ kind: VirtualCluster }, { address: "Interceptor/*" }], external: ["GatewayGroup/*"], limits: { deletes: 1, kinds: { Interceptor: { updates: 0 } } }';
    const world = makeWorld({
      'gwconf.yaml': `{ apiVersion: gwconf/v1, kind: Project, environments: { prod: { ${rules} } } }`,
    });
    expect(await settingsOf(world)).toMatchObject({
      manages: ['AliasTopic/a.*, VirtualCluster/prod, VirtualCluster/prod@*', 'gwconf.yaml'],
      protect: ['2 rules', 'gwconf.yaml'],
      external: ['1 rule', 'gwconf.yaml'],
      ignore: ['-', 'not set'],
      'max deletes': ['1 object', 'gwconf.yaml'],
      'max updates': ['5 objects or 50 %, whichever is more; others for Interceptor', 'gwconf.yaml'],
    });
  });

  it('asks the gateway, and says what it found', async () => {
    const world = makeWorld({ 'gwconf.yaml': PROJECT, 'ca.pem': PEM });
    const { code, out, err } = await world.run('doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/The gateway answers: \d+ resources\.\n\nThe gateway was not checked: .*\n$/);
    expect(verdictOf({ err })).toBe('result: ok');
    expect(world.has('state.json')).toBe(false);
  });

  it('says why a gateway does not answer', async () => {
    const { code, out, err } = await makeWorld().run('doctor', '--url', 'http://127.0.0.1:1');
    expect(code).toBe(1);
    expect(out).toContain('http://127.0.0.1:1');
    expect(err).toContain('error[connection-error]');
    expect(verdictOf({ err })).toBe('result: error');
  });

  it('is content with no project and no gateway', async () => {
    const { code, out, err } = await makeWorld().run('doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/^project +- +no gwconf.yaml here or in a parent folder$/m);
    expect(verdictOf({ err })).toBe('result: no-gateway');
  });

  it('prints what it can of a project that is broken', async () => {
    const { code, out, err } = await makeWorld({ 'gwconf.yaml': 'kind: [' }).run(
      'doctor',
      '--url',
      'embedded:',
    );
    expect(code).toBe(1);
    expect(err).toContain('error[invalid-yaml]');
    expect(out).toMatch(/url +embedded: +--url/);
    expect(out).not.toContain('answers');
  });

  it('names a variable that the project file needs and nobody has set', async () => {
    const world = makeWorld({ 'gwconf.yaml': PROJECT.replace('hunter2', '"${GW_PASSWORD}"'), 'ca.pem': PEM });
    const { code, out, err } = await world.run('doctor');
    expect(code).toBe(1);
    expect(err).toContain('the environment variable GW_PASSWORD is not set');
    expect(out).toMatch(/password +- +gwconf.yaml/);
  });

  it.each([
    ['--ca-cert', 'ca', 'gone.pem (--ca-cert)'],
    ['--client-key', 'key', 'the file that --client-key names'],
    ['--password-file', 'password', 'the file that --password-file names'],
  ])('says at its row that the file of %s is missing, and prints the others', async (flag, name, file) => {
    const world = makeWorld({ 'gwconf.yaml': PROJECT, 'ca.pem': PEM });
    const { code, out, err } = await world.run('doctor', flag, 'gone.pem');
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^${name} +\\(unreadable\\) +${flag}$`, 'm'));
    expect(out).toMatch(/^timeout +30s +gwconf.yaml$/m);
    expect(err).toContain(`error[unreadable-file]: ${file} cannot be read: no such file or folder`);
    expect(verdictOf({ err })).toBe('result: error');
  });

  it('never prints a secret', async () => {
    const world = makeWorld({
      'gwconf.yaml': PROJECT,
      'ca.pem': PEM,
      'key.pem': 'hunter2-key',
      pw: 'hunter2-file',
    });
    for (const [env, args] of [
      [{}, []],
      [{ GWCONF_PASSWORD: 'hunter2' }, []],
      [{ CDK_GATEWAY_PASSWORD: 'hunter2' }, ['--client-key', 'key.pem']],
      [{ GWCONF_CLIENT_KEY: 'key.pem' }, ['--password-file', 'pw']],
      [{ GWCONF_URL: 'http://ci:hunter2@127.0.0.1:1' }, []],
      [{ GWCONF_URL: 'http://ci:hunter2@x@127.0.0.1:1' }, []],
      [{ GWCONF_URL: 'http://ci:hun/hunter2@127.0.0.1:1' }, []],
      [{ GWCONF_URL: 'http:ci:hunter2@127.0.0.1:1' }, []],
      [{ GWCONF_URL: ' http:\\\\ci:hunter2@127.0.0.1:1' }, []],
      [{ GWCONF_URL: 'http://127.0.0.1:1/?key=hunter2' }, []],
      [{ GWCONF_PROXY: 'ci:hunter2@127.0.0.1:1' }, ['--url', 'http://127.0.0.1:1']],
      [{ GWCONF_PROXY: 'http://ci:hunter2@127.0.0.1:1' }, ['--url', 'http://127.0.0.1:1']],
      [{}, ['--header', 'Authorization: Bearer hunter2', '--url', 'http://127.0.0.1:1']],
    ] as const) {
      const { out, err } = await world.runWith({ env }, 'doctor', ...args);
      expect(out, JSON.stringify([env, args])).toMatch(/^project/m);
      expect(out + err, JSON.stringify([env, args])).not.toContain('hunter2');
    }
  });

  it('keeps every value on its own line', async () => {
    const { out } = await makeWorld().run('doctor', '--user', 'a\nurl  forged  --url\u001b[2J');
    expect(out).not.toMatch(/^url {2}forged/m);
    expect(out).not.toContain('\u001b');
  });
});
