import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeWorld, verdictOf, wrongUsage } from '../support/cli.ts';

const WRITTEN = ['gwconf.yaml', 'gateway/topics.yaml', '.github/workflows/gateway.yaml'];

describe('gwconf init', () => {
  it('writes a project, a first folder and a CI file, and ends with a plan', async () => {
    const world = makeWorld();
    const { code, out, err } = await world.run('init', '--yes');
    expect(code).toBe(0);
    expect(err).toContain(WRITTEN.map((path) => `wrote ${path}\n`).join(''));
    expect(out).toContain('+ AliasTopic/orders@vCluster=passthrough');
    expect(verdictOf({ err })).toBe('result: changes');
    expect(parse(world.read('gwconf.yaml'))).toEqual({
      apiVersion: 'gwconf/v1',
      kind: 'Project',
      environments: { prod: { gateway: { url: 'embedded:practice.json' }, files: ['gateway'] } },
    });
  });

  it('leaves what validates without a warning, and can be applied', async () => {
    const world = makeWorld();
    await world.run('init', '--yes');
    expect((await world.run('validate')).out).toBe('Valid: 1 resource, 0 errors, 0 warnings.\n');
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    expect((await world.run('plan')).out).toContain('No changes.');
  });

  it('asks where there is somebody to ask, and takes an empty answer for what it proposes', async () => {
    const world = makeWorld();
    const answers = ['staging', '', 'resources/here'];
    const { code, questions } = await world.runWith({ answer: () => answers.shift() ?? '' }, 'init');
    expect(code).toBe(0);
    expect(questions).toEqual([
      'Name of the first environment: [prod] ',
      'URL of its gateway: [embedded:practice.json] ',
      'Folder for its resources: [gateway] ',
    ]);
    expect(world.has('resources/here/topics.yaml')).toBe(true);
    expect(parse(world.read('gwconf.yaml'))).toMatchObject({
      environments: { staging: { files: ['resources/here'] } },
    });
  });

  it('asks nothing that a flag has said, and nothing where nobody is there', async () => {
    const world = makeWorld();
    const { questions } = await world.runWith(
      { answer: '' },
      'init',
      '--name',
      'dev',
      '--url',
      'embedded:',
      '--folder',
      'f',
    );
    expect(questions).toEqual([]);
    expect(world.has('f/topics.yaml')).toBe(true);
    expect((await makeWorld().run('init')).code).toBe(0);
  });

  it.each(WRITTEN)('overwrites nothing: %s', async (path) => {
    const world = makeWorld({ [path]: 'mine\n' });
    const { code, err } = await world.run('init', '--yes');
    expect([code, err]).toEqual([64, wrongUsage(`${path} already exists; init does not overwrite files`)]);
    expect(world.read(path)).toBe('mine\n');
    expect(WRITTEN.filter((other) => world.has(other))).toEqual([path]);
  });

  it('writes nothing when one of the files cannot be written', async () => {
    const world = makeWorld({ '.github': 'a file' });
    const { code, err } = await world.run('init', '--yes');
    expect([code, verdictOf({ err })]).toEqual([1, 'result: error']);
    expect(err).not.toContain('wrote');
    expect(WRITTEN.filter((path) => world.has(path))).toEqual([]);
  });

  it('is refused the second time, with every file named', async () => {
    const world = makeWorld();
    await world.run('init', '--yes');
    expect((await world.run('init', '--yes')).err).toBe(
      wrongUsage(`${WRITTEN.join(', ')} already exists; init does not overwrite files`),
    );
  });

  it('writes no password, and a CI file that gets it from the secrets', async () => {
    const world = makeWorld();
    const url = 'http://127.0.0.1:1';
    const { code, err } = await world.run('init', '--yes', '--url', url);
    expect(parse(world.read('gwconf.yaml'))).toMatchObject({
      environments: { prod: { gateway: { url, user: 'admin' } } },
    });
    expect(world.read('gwconf.yaml')).not.toMatch(/password/i);
    const workflow = parse(world.read('.github/workflows/gateway.yaml')) as object;
    expect(workflow).toMatchObject({
      jobs: {
        check: { env: { GWCONF_ENV: 'prod' } },
        deliver: {
          environment: 'prod',
          env: {
            GWCONF_ENV: 'prod',
            GWCONF_PASSWORD: '${{ secrets.GWCONF_PASSWORD }}',
            GWCONF_ALLOWED_HOSTS: 'http://127.0.0.1:1',
            GWCONF_ALLOWED_VARIABLES: '',
          },
        },
      },
    });
    expect(code).toBe(1);
    expect(err).toContain('error[connection-error]');
  });

  it.each(['weird: name', '${X}', '__proto__', '0755', 'yes', ' '])(
    'gets along with an environment called %j',
    async (name) => {
      const world = makeWorld();
      const { code, err } = await world.run('init', '--yes', '--name', name);
      expect([code, err]).toEqual([0, err]);
      const workflow = parse(world.read('.github/workflows/gateway.yaml')) as object;
      expect(workflow).toMatchObject({ jobs: { deliver: { environment: name, env: { GWCONF_ENV: name } } } });
    },
  );
});
