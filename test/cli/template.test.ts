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

  it.each([
    ['AliasTopc', 'AliasTopc; did you mean AliasTopic?'],
    ['Plugin', 'Plugin'],
    ['Interceptor.spec', 'Interceptor.spec; did you mean Interceptor?'],
  ])('refuses %s', async (name, said) => {
    expect(await makeWorld().run('template', name)).toMatchObject({
      code: 64,
      out: '',
      err: wrongUsage(`there is no kind that a file can declare and no plugin class ${said}`),
    });
  });
});
