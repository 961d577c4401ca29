import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanReport } from '../../src/outcome/plan.ts';
import { makeWorld, verdictOf, wrongUsage, type Ran, type World } from '../support/cli.ts';
import { runHere } from '../support/in-process.ts';

const alias = (name: string, physicalName = 'x', more = ''): string => `
  apiVersion: gateway/v2
  kind: AliasTopic${more}
  metadata: { name: ${name} }
  spec: { physicalName: ${physicalName} }
`;
const overlay = (name: string, physicalName: string): string =>
  alias(name, physicalName, '\n  overlay: true');

/** A project file with these environments, one on each line. */
const project = (...environments: readonly string[]): string =>
  [
    'apiVersion: gwconf/v1',
    'kind: Project',
    'environments:',
    ...environments.map((line) => `  ${line}`),
    '',
  ].join('\n');

const PROD = 'prod: { gateway: { url: "embedded:prod.json" }, files: [base, prod] }';
const DEV = 'dev: { gateway: { url: "embedded:dev.json" }, files: [base] }';
const FILES = { 'base/a.yaml': alias('orders'), 'prod/a.yaml': overlay('orders', 'y') };

async function planned(world: World, ...args: readonly string[]): Promise<PlanReport> {
  const { out, err } = await world.run('plan', ...args, '-o', 'json');
  if (out === '') throw new Error(err);
  return JSON.parse(out) as PlanReport;
}

/** The topics that an environment asks for, as they will be. */
async function topicsOf(world: World, ...args: readonly string[]): Promise<readonly unknown[]> {
  const { out, err } = await world.run('render', ...args, '-o', 'json');
  if (out === '') throw new Error(err);
  const resources = JSON.parse(out) as readonly { readonly spec: { readonly physicalName: unknown } }[];
  return resources.map(({ spec }) => spec.physicalName);
}

describe('the project file', () => {
  it('is found upwards from where the command runs, and its paths are its own', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(PROD), ...FILES });
    mkdirSync(join(world.folder, 'deep/er'), { recursive: true });
    const { code, out } = await runHere({ cwd: join(world.folder, 'deep/er') }, 'plan');
    expect(code).toBe(0);
    expect(out).toContain('../../base/a.yaml');
    const made = await runHere({ cwd: join(world.folder, 'deep/er') }, 'apply', '--auto-approve');
    expect(made.code).toBe(0);
    expect(world.has('prod.json')).toBe(true);
    expect(world.has('deep/er/prod.json')).toBe(false);
  });

  it.each([['--chdir'], ['-chdir']])('is found from the folder of %s', async (flag) => {
    const world = makeWorld({
      'a/gwconf.yaml': project(PROD),
      'a/base/a.yaml': alias('orders'),
      'a/prod/x.yaml': alias('payments'),
    });
    expect((await runHere({ cwd: world.folder }, flag, 'a', 'validate')).out).toBe(
      'Valid: 2 resources, 0 errors, 0 warnings.\n',
    );
    expect((await runHere({ cwd: world.folder }, `${flag}=a`, 'validate')).code).toBe(0);
    const byVariable = await runHere({ cwd: world.folder, env: { GWCONF_CHDIR: 'a' } }, 'validate');
    expect(byVariable.code).toBe(0);
  });

  it('is the nearest one', async () => {
    const world = makeWorld({
      'gwconf.yaml': project('outer: { files: [x] }'),
      'in/gwconf.yaml': project('inner: { files: [y] }'),
      'in/y/a.yaml': alias('orders'),
    });
    const { out } = await runHere({ cwd: join(world.folder, 'in') }, 'doctor');
    expect(out).toMatch(/environment +inner/);
  });

  it('that is not there leaves everything to flags', async () => {
    const world = makeWorld({ 'a.yaml': alias('orders') });
    expect((await world.run('validate', 'a.yaml')).code).toBe(0);
    const { code, err } = await world.run('validate', 'a.yaml', '--env', 'prod');
    expect([code, err]).toEqual([
      64,
      wrongUsage('no gwconf.yaml here or above describes the environment prod'),
    ]);
  });

  it('that is broken stops what needs it, with its place', async () => {
    const world = makeWorld({ 'gwconf.yaml': 'kind: [', 'a.yaml': alias('orders') });
    for (const command of [
      ['plan', 'a.yaml', '--url', 'embedded:'],
      ['validate', 'a.yaml'],
      ['render', 'a.yaml'],
    ]) {
      const { code, err, out } = await world.run(...command);
      expect(code, command.join(' ')).toBe(1);
      expect(err).toContain('gwconf.yaml:1:7');
      expect(out).not.toContain('Plan:');
    }
  });

  it('is no resource, even when its folder is read', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(PROD), 'a.yaml': alias('orders') });
    expect((await world.run('validate', '.')).out).toBe('Valid: 1 resource, 0 errors, 0 warnings.\n');
  });
});

describe('the environment', () => {
  const world = (): World => makeWorld({ 'gwconf.yaml': project(PROD, DEV), ...FILES });

  it('is the one that --env names', async () => {
    expect(await topicsOf(world(), '--env', 'prod')).toEqual(['y']);
    expect(await topicsOf(world(), '--env', 'dev')).toEqual(['x']);
  });

  it('is the one that GWCONF_ENV names, and a flag comes first', async () => {
    const both = world();
    both.env['GWCONF_ENV'] = 'prod';
    expect(await topicsOf(both)).toEqual(['y']);
    expect(await topicsOf(both, '--env', 'dev')).toEqual(['x']);
    both.env['GWCONF_ENV'] = '';
    expect((await both.run('render')).code).toBe(64);
  });

  it('is the only one where there is one', async () => {
    expect(await topicsOf(makeWorld({ 'gwconf.yaml': project(PROD), ...FILES }))).toEqual(['y']);
  });

  it('is none where there are several and none is chosen', async () => {
    const { code, err } = await world().run('plan', 'base');
    expect(code).toBe(64);
    expect(err).toMatch(/^gwconf: no gateway URL/);
    expect(err).toContain('with --env: prod, dev');
    expect((await world().run('render')).err).toBe(
      wrongUsage('choose an environment of gwconf.yaml with --env: prod, dev'),
    );
    expect((await world().run('validate', 'base')).code).toBe(0);
  });

  it('that has no files says so', async () => {
    const bare = makeWorld({ 'gwconf.yaml': project('prod: {}') });
    expect((await bare.run('validate')).err).toBe(
      wrongUsage(
        'nothing to read: prod has no files in gwconf.yaml; name files or folders, or - for stdin, with -f PATH',
      ),
    );
  });

  it('that is not there is wrong usage, and the others are named', async () => {
    expect(await world().run('plan', '--env', 'test')).toMatchObject({
      code: 64,
      err: wrongUsage('gwconf.yaml has no environment test; it has prod, dev'),
    });
    const none = makeWorld({ 'gwconf.yaml': 'apiVersion: gwconf/v1\nkind: Project\n' });
    expect((await none.run('plan', '--env', 'test')).err).toContain('it has none');
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'named %s is there only when it is written',
    async (name) => {
      expect((await world().run('validate', '--env', name)).code).toBe(64);
      const named = makeWorld({
        'gwconf.yaml': project(`${name}: { files: [base] }`),
        'base/a.yaml': alias('orders'),
      });
      expect(await topicsOf(named, '--env', name)).toEqual(['x']);
    },
  );
});

describe('what a command reads and where it goes', () => {
  it('is a flag before a variable before the project file', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(PROD), ...FILES });
    expect((await planned(world)).gateway).toBe('embedded:prod.json');
    world.env['CDK_GATEWAY_BASE_URL'] = 'embedded:official.json';
    expect((await planned(world)).gateway).toBe('embedded:official.json');
    world.env['GWCONF_URL'] = 'embedded:own.json';
    expect((await planned(world)).gateway).toBe('embedded:own.json');
    expect((await planned(world, '--url', 'embedded:flag.json')).gateway).toBe('embedded:flag.json');
  });

  it('is -f in the place of the files of the environment', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(PROD), ...FILES, 'other.yaml': alias('other', 'z') });
    expect(await topicsOf(world, '-f', 'other.yaml')).toEqual(['z']);
    expect(await topicsOf(world, '-f', 'base', '-f', 'prod')).toEqual(['y']);
  });

  it('is a layer that cannot be read, which is a problem', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(PROD), 'base/a.yaml': alias('orders') });
    const { code, err } = await world.run('validate');
    expect(code).toBe(1);
    expect(err).toContain('error[unreadable-file]: prod cannot be read: no such file or folder');
  });

  it('is told with its place in gwconf.yaml', async () => {
    const place = async (url: string, timeout: string): Promise<string> => {
      const world = makeWorld({
        'a.yaml': alias('orders'),
        'gwconf.yaml': project(
          'e:',
          '  gateway:',
          `    url: ${url}`,
          `    timeout: ${timeout}`,
          '  files: [a.yaml, gone]',
        ),
      });
      const { code, err } = await world.run('validate');
      expect(code).toBe(1);
      return /error\[(.*?)\].*\n +--> (.*)/.exec(err)?.slice(1).join(' ') ?? err;
    };
    const files = 'unreadable-file gwconf.yaml:8:21';
    expect(await place('"embedded:"', '30s')).toBe(files);
    expect(await place('ftp://gateway.example', '30s')).toBe('invalid-value gwconf.yaml:6:12');
    expect(await place('HTTPS://gateway.example', '30 s')).toBe('invalid-value gwconf.yaml:7:16');
    expect(await place('${URL}', '${TIMEOUT}')).toBe(files);
  });

  it('is only a secret that is set: one that is not is missed when somebody connects', async () => {
    const url = 'http://127.0.0.1:1';
    const world = makeWorld({
      'gwconf.yaml': project(
        `prod: { gateway: { url: "${url}", user: ci, password: "\${GW_PASSWORD}" }, files: [base] }`,
      ),
      ...FILES,
    });
    expect((await world.run('validate')).code).toBe(0);
    expect((await world.run('plan', '--url', 'embedded:')).code).toBe(0);
    const { code, err } = await world.run('plan');
    expect(code).toBe(1);
    expect(err).toContain('error[missing-variable]: the environment variable GW_PASSWORD is not set');
    expect(err).toContain('gwconf.yaml:4:');
    world.env['GW_PASSWORD'] = 'x';
    expect((await world.run('plan')).err).toContain('connection-error');
    delete world.env['GW_PASSWORD'];
    world.env['GWCONF_PASSWORD'] = 'y'; // then what the file says does not count
    expect((await world.run('plan')).err).toContain('connection-error');
  });

  it('is a variable of the chosen environment only', async () => {
    const world = makeWorld({
      'gwconf.yaml': project(PROD, 'dev: { variables: { x: "${DEV}" }, files: [dev] }'),
      'dev/a.yaml': alias('orders', '"${var.x}"'),
      ...FILES,
    });
    expect((await world.run('plan', '--env', 'prod')).code).toBe(0);
    const { code, err } = await world.run('plan', '--env', 'dev', '--url', 'embedded:');
    expect([code, err.match(/error\[[\w-]+\]/g)]).toEqual([1, ['error[missing-variable]']]);
  });
});

describe('variables of an environment', () => {
  const rule = (value: string): string => `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: own, scope: { vCluster: passthrough } }
    spec:
      pluginClass: com.example.Own
      priority: \${var.priority}
      config:
        value: ${value}
  `;
  const variables =
    '{ priority: 7, count: 6, text: "6", flag: true, nothing: null, half: 0.5, odd-name: dash }';
  const configOf = async (value: string, env: Record<string, string> = {}): Promise<unknown> => {
    const world = makeWorld({
      'gwconf.yaml': project(`prod: { variables: ${variables}, files: [base] }`),
      'base/a.yaml': rule(value),
    });
    Object.assign(world.env, env);
    const { out, err } = await world.run('render', '-o', 'json');
    if (out === '') throw new Error(err);
    return (
      JSON.parse(out) as readonly { readonly spec: { readonly config: { readonly value: unknown } } }[]
    )[0]?.spec.config.value;
  };

  it.each([
    ['${var.count}', 6],
    ['${var.text}', '6'],
    ['${var.flag}', true],
    ['${var.nothing}', null],
    ['${var.half}', 0.5],
    ['${var.odd-name}', 'dash'],
    ['"${var.count}"', '6'],
    ['at ${var.count} or ${var.half}', 'at 6 or 0.5'],
    ['${var.unknown:-3}', 3],
    ['$${var.count}', '${var.count}'],
  ])('%s is %j', async (written, value) => {
    expect(await configOf(written)).toEqual(value);
  });

  it('are not those of the environment that commands run in', async () => {
    expect(await configOf('${count}')).toBe('(hidden)');
    await expect(configOf('${var.HOME}', { HOME: '/x', 'var.HOME': '/x' })).rejects.toThrow(
      'the project file has no variable HOME in this environment',
    );
  });

  it('that are unknown are told with their place and cure', async () => {
    const world = makeWorld({
      'gwconf.yaml': project('prod: { files: [base] }'),
      'base/a.yaml': alias('orders', '"${var.name}"'),
    });
    const { code, err } = await world.run('validate');
    expect(code).toBe(1);
    expect(err).toContain('base/a.yaml:4:23');
    expect(err).toContain('add name to the variables of the environment in gwconf.yaml');
    world.write('gwconf.yaml', project('prod: { files: [base], variables: { names: a } }'));
    expect((await world.run('validate')).err).toContain('did you mean ${var.names}?');
  });

  it('may be shown, and those of the process may not unless the project says so', async () => {
    expect(await configOf('"${var.text}"')).toBe('6');
    expect(await configOf('"${TEAM}"', { TEAM: 'red' })).toBe('(hidden)');
    const world = makeWorld({
      'gwconf.yaml': project('prod: { publicVariables: [TEAM], files: [base] }'),
      'base/a.yaml': alias('orders', '"${TEAM}-orders"') + `---${alias('other', '"${OTHER}"')}`,
    });
    Object.assign(world.env, { TEAM: 'red', OTHER: 'blue' });
    expect(await topicsOf(world)).toEqual(['red-orders', '(hidden)']);
  });
});

describe('a pin', () => {
  const pinned = (host: string): World =>
    makeWorld({
      'gwconf.yaml': project(`prod: { pin: { host: "${host}" }, files: [base] }`),
      'base/a.yaml': alias('orders'),
    });
  const applying = (world: World, url: string): Promise<Ran> =>
    world.run('apply', '--auto-approve', '--url', url);

  it('refuses to apply to another host, with exit 4 and nothing asked of it', async () => {
    const { code, err, out } = await applying(pinned('gw*'), 'http://127.0.0.1:1');
    expect(code).toBe(4);
    expect(err).toContain(
      'error[wrong-target]: the environment prod is pinned to gw*, and this is http://127.0.0.1:1',
    );
    expect(verdictOf({ err })).toBe('result: stale');
    expect(out).toBe('');
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:1'],
    ['127.*', 'http://127.0.0.1:1'],
    ['LocalHost', 'http://localhost:1'],
    ['*', 'http://127.0.0.1:1'],
  ])('of %s allows %s', async (host, url) => {
    const { err } = await applying(pinned(host), url);
    expect(err).not.toContain('wrong-target');
    expect(err).toContain('connection-error');
  });

  it.each([
    ['gw.prod', 'http://gwxprod:1'],
    ['gw', 'http://gw.example:1'],
    ['gw', 'http://gw@127.0.0.1:1'],
    ['example', 'http://127.0.0.1:1/example'],
    ['*', 'embedded:state.json'],
  ])('of %s does not allow %s', async (host, url) => {
    const { code } = await applying(pinned(host), url);
    expect(code).toBe(4);
  });

  it('lets anybody look', async () => {
    expect((await pinned('gw*').run('plan', '--url', 'embedded:')).code).toBe(0);
  });

  it('holds for a snapshot, too', async () => {
    const ran = await pinned('gw*').run('snapshot', '--url', 'embedded:', '--out', 'live.json');
    expect([ran.code, verdictOf(ran)]).toEqual([4, 'result: stale']);
  });
});

describe('a saved plan', () => {
  it('records its environment, and is applied in no other', async () => {
    const world = makeWorld({
      'gwconf.yaml': project(PROD, PROD.replace('prod', 'dev'), 'none: {}'),
      ...FILES,
    });
    const { code } = await world.run('plan', '--env', 'prod', '--out', 'plan.json');
    expect([code, world.json('plan.json')]).toMatchObject([0, { environment: 'prod' }]);

    const refused = await world.run('apply', 'plan.json', '--env', 'dev');
    expect(refused.code).toBe(4);
    expect(refused.err).toContain(
      'the plan was made for the environment prod, and this is the environment dev',
    );
    expect(world.has('prod.json')).toBe(false);
    expect((await world.run('apply', 'plan.json', '--env', 'prod')).code).toBe(0);
  });

  it('of no environment is applied in none', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(PROD, DEV), ...FILES });
    await world.run('plan', '-f', 'base', '--url', 'embedded:prod.json', '--out', 'plan.json');
    expect(world.json('plan.json')).not.toHaveProperty('environment');
    expect((await world.run('apply', 'plan.json', '--env', 'prod')).code).toBe(4);
    expect((await world.run('apply', 'plan.json', '--url', 'embedded:prod.json')).code).toBe(0);
  });

  it('finds the secrets of an overlay again, a variable or a value that is written out', async () => {
    const own = (config: string, more = ''): string => `
      apiVersion: gateway/v2
      kind: Interceptor${more}
      metadata: { name: own, scope: { vCluster: passthrough } }
      spec: { pluginClass: com.example.Own, priority: 1, config: ${config} }
    `;
    const world = makeWorld({
      'gwconf.yaml': project(PROD),
      'base/a.yaml': own('{ password: base-secret, token: "${BASE}", note: x }'),
      'prod/a.yaml': own('{ password: hunter2, token: "${PROD}" }', '\n      overlay: true'),
    });
    world.env['PROD'] = 'from-outside';
    expect((await world.run('plan')).err).toContain('environment variable BASE is not set');
    world.env['BASE'] = 'unused-secret';
    const { code, err } = await world.run('plan', '--out', 'plan.json');
    expect([code, err]).toEqual([0, err]);
    expect(world.read('plan.json')).not.toMatch(/hunter2|from-outside|base-secret|unused-secret/);
    expect((await world.run('apply', 'plan.json')).code).toBe(0);
    expect(world.read('prod.json')).toMatch(/hunter2/);
    expect(world.read('prod.json')).toMatch(/from-outside/);
    expect(world.read('prod.json')).not.toMatch(/base-secret|unused-secret/);
  });
});

describe('what an environment manages', () => {
  it('is what prune may delete, and --manages replaces it', async () => {
    const world = makeWorld({
      'gwconf.yaml': project(
        'prod: { gateway: { url: "embedded:s.json" }, manages: [{ kind: AliasTopic, name: "a*" }, "*/keep@*"], files: [base] }',
      ),
      'base/a.yaml': alias('keep'),
      'all.yaml': `${alias('ab')}---${alias('bc')}`,
    });
    await world.run('apply', '-f', 'all.yaml', '--manages', '*', '--auto-approve');
    const deletesOf = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await planned(world, '--prune', ...args)).changes.flatMap(({ action, address }) =>
        action === 'delete' ? [address] : [],
      );
    expect(await deletesOf()).toEqual(['AliasTopic/ab@vCluster=passthrough']);
    expect(await deletesOf('--manages', 'AliasTopic/b*', '--manages', '*/keep@*')).toEqual([
      'AliasTopic/bc@vCluster=passthrough',
    ]);
  });
});

describe('severities of the project', () => {
  const own = (spec: string): string => `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: audit }
    spec: { pluginClass: com.example.Own, priority: 1, config: {}${spec} }
  `;

  it('hold for a plan, too', async () => {
    const world = makeWorld({
      'gwconf.yaml': `${project('prod: { gateway: { url: "embedded:" }, files: [base] }')}lint: { priority-tie: error }\n`,
      'base/a.yaml': own(''),
      'base/b.yaml': own('').replace('audit', 'other'),
    });
    const { code, err } = await world.run('plan');
    expect(code).toBe(1);
    expect(err).toContain('error[priority-tie]');
  });
});
