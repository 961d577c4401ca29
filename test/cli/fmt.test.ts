import { describe, expect, it } from 'vitest';
import { dedent } from '../support/expect-problems.ts';
import { makeWorld, verdictOf } from '../support/cli.ts';
import { projectOf } from '../support/documents.ts';

const SHUFFLED = `
  kind: VirtualCluster
  apiVersion: gateway/v2
  metadata: { name: prod } # the cluster
  spec: {}
`;
const ORDERED = dedent(`
  apiVersion: gateway/v2
  kind: VirtualCluster
  metadata: { name: prod } # the cluster
  spec: {}
`);

describe('gwconf fmt', () => {
  it('puts files in order, in place, and names those that change', async () => {
    const world = makeWorld({ 'a/one.yaml': SHUFFLED, 'a/two.yaml': ORDERED, 'three.yml': SHUFFLED });
    const ran = await world.run('fmt', 'a', 'three.yml');
    expect(ran).toMatchObject({ code: 0, out: 'a/one.yaml\nthree.yml\n' });
    expect(verdictOf(ran)).toBe('result: formatted');
    for (const path of ['a/one.yaml', 'a/two.yaml', 'three.yml']) expect(world.read(path)).toBe(ORDERED);
    const again = await world.run('fmt', 'a', 'three.yml');
    expect(again).toMatchObject({ code: 0, out: '', err: 'result: no-changes\n' });
  });

  it('with --check writes nothing, and fails when a file would change', async () => {
    const world = makeWorld({ 'one.yaml': SHUFFLED, 'two.yaml': ORDERED });
    const ran = await world.run('fmt', '--check', '.');
    expect(ran).toMatchObject({ code: 1, out: 'one.yaml\n' });
    expect(ran.err).toBe('1 of 2 files are not formatted; gwconf fmt formats them.\nresult: unformatted\n');
    expect(world.read('one.yaml')).toBe(dedent(SHUFFLED));
    expect(await world.run('fmt', '--check', 'two.yaml')).toMatchObject({ code: 0, out: '' });
  });

  it('fails where there is nothing to format or check', async () => {
    const world = makeWorld({ 'empty/notes.txt': 'a' });
    for (const flags of [['--check'], []]) {
      const ran = await world.run('fmt', ...flags, 'empty');
      expect([ran.code, ran.err]).toEqual([
        1,
        expect.stringContaining('error[no-resources]: there is no file of YAML or JSON in empty') as string,
      ]);
    }
  });

  it('leaves what cannot be read as it is, says where, and goes on with the others', async () => {
    const broken = 'kind: VirtualCluster\napiVersion: gateway/v2\nspec: {}\nspec: {}\n';
    const world = makeWorld({ 'broken.yaml': broken, 'one.yaml': SHUFFLED });
    const ran = await world.run('fmt', 'broken.yaml', 'one.yaml', 'missing.yaml');
    expect(ran).toMatchObject({ code: 1, out: 'one.yaml\n' });
    expect(ran.err).toContain('--> broken.yaml:4:1');
    expect(ran.err).toContain('missing.yaml cannot be read');
    expect(verdictOf(ran)).toBe('result: error');
    expect(world.read('broken.yaml')).toBe(broken);
    expect(world.read('one.yaml')).toBe(ORDERED);
  });

  it('needs no variable', async () => {
    const world = makeWorld({ 'one.yaml': SHUFFLED.replace('name: prod', 'name: "${NOT_SET}"') });
    expect(await world.run('fmt', 'one.yaml')).toMatchObject({ code: 0, out: 'one.yaml\n' });
    expect(world.read('one.yaml')).toContain('name: "${NOT_SET}"');
  });

  it('reads stdin and writes stdout', async () => {
    const world = makeWorld();
    for (const stdin of [dedent(SHUFFLED), ORDERED]) {
      expect(await world.runWith({ stdin }, 'fmt', '-')).toMatchObject({ code: 0, out: ORDERED });
    }
    expect(await world.runWith({ stdin: dedent(SHUFFLED) }, 'fmt', '--check', '-')).toMatchObject({
      code: 1,
      out: 'stdin\n',
    });
    expect(await world.runWith({ stdin: 'kind: [' }, 'fmt', '-')).toMatchObject({ code: 1, out: 'kind: [' });
  });

  it('leaves JSON and the files of others alone', async () => {
    const json = '{"kind": "VirtualCluster", "apiVersion": "gateway/v2"}';
    const pod = 'kind: Pod\napiVersion: v1\n';
    const world = makeWorld({ 'a.json': json, 'pod.yaml': pod, 'other.yaml': 'b: 1\na: 2\n' });
    expect(await world.run('fmt', '.')).toMatchObject({ code: 0, out: '' });
    expect([world.read('a.json'), world.read('pod.yaml')]).toEqual([json, pod]);
  });

  it('takes -f, and without a path the files of gwconf.yaml', async () => {
    const project = projectOf({ dev: 'files: [dev]', prod: 'files: [dev, prod]' });
    const files = { 'dev/a.yaml': SHUFFLED, 'prod/b.yaml': SHUFFLED, 'other/c.yaml': SHUFFLED };
    const world = makeWorld({ ...files, 'gwconf.yaml': project });
    expect(await world.run('fmt', '--check')).toMatchObject({ code: 1, out: 'dev/a.yaml\nprod/b.yaml\n' });
    expect(await world.run('fmt', '--env', 'dev')).toMatchObject({ code: 0, out: 'dev/a.yaml\n' });
    expect(await world.run('fmt')).toMatchObject({ code: 0, out: 'prod/b.yaml\n' });
    expect(await world.run('fmt', '-f', 'other')).toMatchObject({ code: 0, out: 'other/c.yaml\n' });
    world.write('gwconf.yaml', 'apiVersion: gwconf/v1\nkind: Project\n');
    expect((await world.run('fmt')).code).toBe(64);
    expect(await makeWorld({ 'a.yaml': SHUFFLED }).run('fmt')).toMatchObject({ code: 0, out: 'a.yaml\n' });
  });

  it('turns JSON into YAML with --to yaml, with what it declares', async () => {
    const resources = [
      { kind: 'VirtualCluster', apiVersion: 'gateway/v2', metadata: { name: 'prod' }, spec: {} },
      {
        apiVersion: 'gateway/v2',
        kind: 'AliasTopic',
        metadata: { name: 'a', vCluster: 'prod' },
        spec: { physicalName: '${HERE:-0755}' },
      },
      {
        apiVersion: 'gateway/v2',
        kind: 'Interceptor',
        metadata: { name: 'own', scope: { vCluster: 'prod' } },
        spec: { pluginClass: 'com.example.Own', priority: 1, config: { on: '$${NOT}', off: 'no' } },
      },
    ];
    const world = makeWorld({ 'd/all.json': JSON.stringify(resources), 'd/package.json': '{"kind":"x"}' });
    for (const resource of resources) world.write(`e/${resource.kind}.json`, JSON.stringify(resource));
    const rendered = async (folder: string): Promise<unknown> =>
      JSON.parse((await world.run('render', folder, '-o', 'json')).out);
    const before = await rendered('e');
    expect(before).toHaveLength(3);
    expect(await world.run('fmt', '--to', 'yaml', '--check', 'd')).toMatchObject({ code: 1 });
    expect(await world.run('fmt', '--to', 'yaml', 'd')).toMatchObject({
      code: 0,
      out: 'd/all.json -> d/all.yaml\n',
    });
    expect([world.has('d/all.json'), world.has('d/package.json')]).toEqual([false, true]);
    expect(world.read('d/all.yaml')).toMatch(/^apiVersion: gateway\/v2\nkind: VirtualCluster\n/);
    expect(world.read('d/all.yaml')).toContain('physicalName: "${HERE:-0755}"\n');
    expect(await rendered('d')).toEqual(before);
    const stdin = JSON.stringify(resources);
    expect((await world.runWith({ stdin }, 'fmt', '--to', 'yaml', '-')).out).toBe(world.read('d/all.yaml'));
  });

  it.each([
    ['beside a file of that name', '{"apiVersion":"gateway/v2"}', 'a.yaml cannot be written: it exists'],
    ['that is YAML', 'apiVersion: gateway/v2\n', 'is YAML already'],
    ['that is broken', '{"apiVersion":"gateway/v2",', 'invalid-yaml'],
  ])('leaves JSON %s as it is', async (_, text, told) => {
    const world = makeWorld({ 'a.json': text, 'a.yaml': '# mine\n' });
    const { err, out } = await world.run('fmt', '--to', 'yaml', 'a.json');
    expect(err).toContain(told);
    expect([out, world.read('a.json'), world.read('a.yaml')]).toEqual(['', dedent(text), '# mine\n']);
  });

  it('turns into nothing else', async () => {
    expect((await makeWorld().run('fmt', '--to', 'json', 'a.yaml')).code).toBe(64);
  });
});
