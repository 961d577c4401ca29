import { describe, expect, it } from 'vitest';
import { NAMES } from '../../src/cli/table/commands.ts';
import { makeWorld, type World } from '../support/cli.ts';

const PROJECT = `
  apiVersion: gwconf/v1
  kind: Project
  environments:
    staging: { gateway: { url: "http://127.0.0.1:1" }, files: [gw] }
    prod: { gateway: { url: "http://127.0.0.1:1", password: "\${exec:canary}" }, files: [gw, prod.yaml], exec: { canary: { command: [touch, ran] } } }
`;
const alias = (name: string): string =>
  `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: "${name}" }\nspec: { physicalName: "\${exec:canary}" }\n`;

function project(): World {
  return makeWorld({
    'gwconf.yaml': PROJECT,
    'gw/a.yaml': `${alias('t10')}---\n${alias('t9')}---\n${alias('${SECRET}')}`,
    'prod.yaml': alias('only-prod'),
    'prod.plan.json': '{}',
    '.gwconf/journal/0002-b.jsonl': '',
  });
}

/** The words that can follow, and whether files can. */
async function after(mine: World, ...words: readonly string[]): Promise<readonly string[]> {
  const { code, out, err } = await mine.run('__complete', ...words);
  expect([code, err]).toEqual([0, '']);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('completion', () => {
  it('knows every command, with its group', async () => {
    const { out } = await project().run('__complete', '');
    const words = out.split('\n').map((line) => line.split('\t')[0]);
    for (const name of NAMES) expect(words).toContain(name.split(' ')[0]);
    expect(out).toMatch(/^plan\t.* \(Every day\)$/m);
  });

  it.each([
    ['environments', ['plan', '--env', ''], ['staging', 'prod', ':words']],
    ['environments behind others', ['plan', '--env', 'staging,!p'], ['staging,!prod', ':words']],
    ['the value of --flag=value', ['plan', '--env=pr'], ['--env=prod', ':words']],
    ['a word that begins with a quote', ['plan', '--env', '"pr'], ['prod', ':words']],
    ['a list of words', ['plan', '--fail-on', 'loss,dr'], ['loss,drift', ':words']],
    ['formats of the command', ['plan', '-o', 'gitlab'], ['gitlab-quality', 'gitlab-terraform', ':words']],
    ['kinds', ['get', '--kind', 'Alias'], ['AliasTopic', ':words']],
    ['plugin classes', ['explain', 'EncryptP'], ['EncryptPlugin', ':words']],
    [
      'addresses of the files, as people count',
      ['plan', '--target', 'AliasTopic/t'],
      ['AliasTopic/t9@vCluster=passthrough', 'AliasTopic/t10@vCluster=passthrough', ':words'],
    ],
    [
      'addresses of an environment',
      ['plan', '--env', 'prod', '--explain', 'AliasTopic/o'],
      ['AliasTopic/only-prod@vCluster=passthrough', ':words'],
    ],
    ['sources of diff', ['diff', '--from', 'live:'], ['live:staging', 'live:prod', ':words']],
    ['plans', ['apply', ''], ['prod.plan.json', ':words']],
    ['files', ['plan', '-f', ''], [':files']],
    ['the second word', ['token', 'in'], ['inspect', ':words']],
    ['flags, but no hidden ones', ['plan', '--rec'], [':words']],
    ['flags', ['undo', '--auto'], ['--auto-approve', ':words']],
    ['shells', ['completion', 'p'], ['powershell', ':words']],
  ])('knows %s', async (_, words, expected) => {
    expect(await after(project(), ...words)).toEqual(expected);
  });

  it('knows the runs of the journal', async () => {
    const mine = makeWorld({ 'a.yaml': alias('t').replace('${exec:canary}', 'x') });
    expect((await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:', '--yes')).code).toBe(0);
    expect(await after(mine, 'undo', '')).toEqual([expect.stringMatching(/^0001-/), ':words']);
  });

  it('runs nothing, shows no variable, and says nothing of what is broken', async () => {
    const mine = project();
    Object.assign(mine.env, { GWCONF_ALLOW_EXEC: 'true', SECRET: 'canary-value' });
    const { out } = await mine.run('__complete', 'plan', '--target', '');
    expect(out).not.toMatch(/canary|SECRET/);
    expect(mine.has('ran')).toBe(false);
    mine.write('gwconf.yaml', 'environments: [');
    expect(await after(mine, 'plan', '--env', '')).toEqual([':words']);
  });
});
