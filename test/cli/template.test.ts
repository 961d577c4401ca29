import { describe, expect, it } from 'vitest';
import { makeWorld, wrongUsage } from '../support/cli.ts';

describe('gwconf template', () => {
  it.each(['VirtualCluster', 'UserMapping', 'CreateTopicPolicyPlugin'])(
    'prints a document of %s that validates and is in order',
    async (name) => {
      const world = makeWorld();
      const { code, out, err } = await world.run('template', name);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      world.write('a.yaml', out);
      expect(await world.run('validate', 'a.yaml')).toMatchObject({ code: 0 });
      expect(await world.run('fmt', '--check', 'a.yaml')).toMatchObject({ code: 0 });
    },
  );

  it('prints a project file that validates', async () => {
    const world = makeWorld();
    const { out } = await world.run('template', 'Project');
    world.write('gwconf.yaml', out);
    world.write('gateway/topics.yaml', (await world.run('template', 'AliasTopic')).out);
    world.write('gateway/clusters.yaml', (await world.run('template', 'VirtualCluster')).out);
    expect(await world.run('validate')).toMatchObject({ code: 0 });
  });

  it('prints a field with what there is below it', async () => {
    const { code, out } = await makeWorld().run('template', 'vault');
    expect(code).toBe(0);
    expect(out).toMatch(/^# EncryptPlugin\.kmsConfig\.vault; also in EncryptSchemaBasedPlugin/);
    expect(out).toContain('\n  # type: TOKEN\n');
    expect((await makeWorld().run('template', 'Interceptor.spec')).out).toContain('\n  priority: 100\n');
    expect((await makeWorld().run('template', 'type')).out).toContain(
      '  gwconf template VirtualCluster.spec.type\n',
    );
  });

  it('lists what there is without a name, which is what it knows', async () => {
    const { code, out } = await makeWorld().run('template');
    expect(code).toBe(0);
    const names = [...out.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name = '']) => name);
    expect(names).toEqual(expect.arrayContaining(['AliasTopic', 'Project', 'EncryptPlugin']));
    for (const name of names) expect((await makeWorld().run('template', name)).code).toBe(0);
  });

  it.each([
    ['AliasTopc', 'AliasTopc; did you mean AliasTopic?'],
    ['vualt', 'vualt; did you mean vault?'],
    ['Plugin', 'Plugin; gwconf template lists all names'],
  ])('refuses %s', async (name, said) => {
    expect(await makeWorld().run('template', name)).toMatchObject({
      code: 64,
      out: '',
      err: wrongUsage(`there is no kind that a file can declare, no plugin class and no field ${said}`),
    });
  });
});
