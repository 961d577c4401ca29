import { describe, expect, it } from 'vitest';
import { dedent } from '../support/expect-problems.ts';
import { makeWorld, verdictOf } from '../support/cli.ts';

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
    expect(ran.err).toBe('1 of 2 files are not formatted; gwconf fmt formats them.\nresult: changes\n');
    expect(world.read('one.yaml')).toBe(dedent(SHUFFLED));
    expect(await world.run('fmt', '--check', 'two.yaml')).toMatchObject({ code: 0, out: '' });
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

  it('needs a path', async () => {
    expect((await makeWorld().run('fmt')).code).toBe(64);
  });
});
