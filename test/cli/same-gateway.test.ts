import { describe, expect, it } from 'vitest';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import fc from '../support/fast-check.ts';
import { alias, projectOf } from '../support/documents.ts';

const project = (one: string, other: string): string =>
  projectOf({
    one: `gateway: { url: "${one}" }, files: [one]`,
    other: `gateway: { url: "${other}" }, files: [other]`,
  });

async function told(world: World, ...args: readonly string[]): Promise<readonly (string | undefined)[]> {
  const { out } = await world.run(...args, '-o', 'json');
  const { problems } = JSON.parse(out) as {
    readonly problems: readonly { code: string; address?: string }[];
  };
  return problems.filter(({ code }) => code === 'contradicting-environments').map(({ address }) => address);
}

describe('two environments with one gateway', () => {
  it('contradict each other where both declare an object with different values, and nowhere else', async () => {
    const files = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('x', 'y'), {
      minKeys: 1,
    });
    const textOf = (topics: Readonly<Record<string, string>>): string =>
      Object.entries(topics)
        .map(([name, to]) => alias(name, to))
        .join('---\n');
    await fc.assert(
      fc.asyncProperty(files, files, fc.boolean(), async (one, other, isSame) => {
        const world = makeWorld({
          'gwconf.yaml': project('https://g.example', isSame ? 'https://G.example/' : 'https://h.example'),
          'one/a.yaml': textOf(one),
          'other/a.yaml': textOf(other),
        });
        const expected = Object.keys(other).filter(
          (name) => isSame && name in one && one[name] !== other[name],
        );
        const found = await told(world, 'validate');
        expect([...found].sort()).toEqual(
          expected.sort().map((name) => `AliasTopic/${name}@vCluster=passthrough`),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('are a problem with both places, in validate, plan and apply', async () => {
    const url = 'embedded:.gateway.json';
    const world = makeWorld({
      'gwconf.yaml': project(url, url),
      'one/a.yaml': alias('a', 'x'),
      'other/b.yaml': `# theirs\n${alias('a', 'y')}`,
    });
    const all = await world.run('validate');
    expect(all.code).toBe(1);
    expect(all.err).toContain(
      'error[contradicting-environments]: AliasTopic/a@vCluster=passthrough is declared otherwise for the environment one, which has the same gateway: /spec/physicalName',
    );
    for (const command of [['validate'], ['plan'], ['apply', '--yes']]) {
      const ran = await world.run(...command, '--env', 'one');
      expect([ran.code, verdictOf(ran)], command[0]).toEqual([1, 'result: error']);
      expect(ran.err).toContain('--> one/a.yaml:4:');
      expect(ran.err).toContain('other/b.yaml:5:');
    }
    world.write('gwconf.yaml', `${world.read('gwconf.yaml')}lint: { contradicting-environments: warning }\n`);
    for (const command of ['validate', 'plan'])
      expect(await told(world, command, '--env', 'one'), command).toHaveLength(1);
    world.write('other/b.yaml', alias('a', 'x'));
    expect(await told(world, 'plan', '--env', 'one')).toEqual([]);
  });

  it('contradict each other where one removes what the other declares, whichever comes first', async () => {
    const removal = `apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { remove: [AliasTopic/a@vCluster=passthrough], reason: old }\n`;
    for (const [one, other] of [
      [removal, alias('a', 'x')],
      [alias('a', 'x'), removal],
    ] as const) {
      const text = project('https://g.example', 'https://g.example');
      const world = makeWorld({ 'gwconf.yaml': text, 'one/a.yaml': one, 'other/a.yaml': other });
      for (const args of [[], ['--env', 'one'], ['--env', 'other']])
        expect(await told(world, 'validate', ...args), args.join(' ')).toEqual([
          'AliasTopic/a@vCluster=passthrough',
        ]);
    }
  });

  it('are told where one would prune what only the other declares', async () => {
    const text = project('https://g.example', 'https://g.example').replace(
      '[one] }',
      '[one], manages: ["*"] }',
    );
    const world = makeWorld({
      'gwconf.yaml': text,
      'one/a.yaml': alias('a', 'x'),
      'other/a.yaml': alias('b', 'x'),
    });
    for (const chosen of [['--env', 'one'], ['--env', 'other'], []]) {
      const { err } = await world.run('validate', ...chosen);
      expect(err).toContain(
        'warning[contradicting-environments]: AliasTopic/b@vCluster=passthrough, declared for the environment other, is in manages of one',
      );
      expect(err).not.toContain('AliasTopic/a@vCluster=passthrough, declared');
    }
  });

  it('are told of no prune by files that could not all be read', async () => {
    const text = project('https://g.example', 'https://g.example').replaceAll('] }', '], manages: ["*"] }');
    const world = makeWorld({
      'gwconf.yaml': text,
      'one/a.yaml': alias('a', 'x'),
      'other/a.yaml': 'apiVersion: gateway/v2\nkind: [\n',
    });
    for (const chosen of [['--env', 'one'], ['--env', 'other'], []]) {
      const { err } = await world.run('validate', ...chosen);
      expect(err).not.toContain('contradicting-environments');
    }
  });

  it('are not compared where a variable without a value fills the field in', async () => {
    const world = makeWorld({
      'gwconf.yaml': project('https://g.example', 'https://g.example'),
      'one/a.yaml': alias('a', '"${TOPIC}"'),
      'other/a.yaml': alias('a', 'y'),
    });
    expect(await told(world, 'validate')).toEqual([]);
  });
});
