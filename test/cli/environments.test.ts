import { describe, expect, it } from 'vitest';
import { makeWorld, wrongUsage } from '../support/cli.ts';
import { alias, cluster } from '../support/documents.ts';
import { hasGit, makeGitWorld } from '../support/git-world.ts';

const PROJECT = `apiVersion: gwconf/v1
kind: Project
topics: topics.txt
environments:
  canary: { files: [shared, canary] }
  eu: { files: [shared], topics: eu.txt, exec: { key: { command: [sh, key.sh] } } }
  us: { files: [us], variables: { region: us } }
`;
const FILES = {
  'gwconf.yaml': PROJECT,
  'topics.txt': 'orders\n',
  'eu.txt': 'orders\n',
  'key.sh': 'echo one\n',
  'shared/a.yaml': cluster('prod'),
  'canary/a.yaml': alias('orders', 'orders-v1', 'prod'),
  'us/a.yaml': alias('orders', '"${file:name.txt}${sops:s.yaml#key}"', 'prod'),
  'sample.yaml': alias('orders', 'orders-v1', 'prod'),
  'tests/a.gwtest.yaml': `apiVersion: gwconf/v1
kind: Test
files: [../sample.yaml]
cases: [{ name: none, as: { username: anna }, expect: { includes: [AuditPlugin] } }]
`,
  's.yaml': 'key: one\n',
  'name.txt': 'orders-v1\n',
};

describe('gwconf environments', () => {
  it('lists them, or those that names and globs choose', async () => {
    const world = makeWorld(FILES);
    expect((await world.run('environments')).out).toBe(`  Environment  Files
  canary       shared, canary
  eu           shared
  us           us

3 environments.
`);
    const { out } = await world.run('environments', '*', '!eu', '-o', 'github-matrix');
    expect(out).toBe('{"environment":["canary","us"]}\n');
    expect(JSON.parse((await world.run('environments', 'eu', '-o', 'gitlab-matrix')).out)).toEqual({
      '.environments': { parallel: { matrix: [{ GWCONF_ENV: ['eu'] }] } },
    });
    expect((await world.run('environments', 'uk')).err).toBe(
      wrongUsage('gwconf.yaml has no environment uk; it has canary, eu, us'),
    );
  });

  it('needs a project that can be read', async () => {
    expect((await makeWorld().run('environments')).err).toBe(
      wrongUsage('there is no gwconf.yaml here or above: make a project with gwconf init'),
    );
    const { out, code } = await makeWorld({ 'gwconf.yaml': `${PROJECT}odd: 1\n` }).run(
      'environments',
      '-o',
      'github-matrix',
    );
    expect({ out, code }).toEqual({ out: '', code: 1 });
  });
});

describe.skipIf(!hasGit)('gwconf environments --changed-since', () => {
  /** The environments that a change touches, with what of them has changed. */
  async function touchedBy(changes: Readonly<Record<string, string>>): Promise<unknown> {
    const world = makeGitWorld(FILES);
    world.commit();
    world.git('checkout', '--quiet', '-b', 'branch');
    for (const [path, text] of Object.entries(changes)) world.write(path, text);
    world.commit();
    const { out } = await world.run('environments', '--changed-since', 'main', '-o', 'json');
    const { environments } = JSON.parse(out) as {
      readonly environments: readonly { readonly environment: string; readonly changed: readonly string[] }[];
    };
    return Object.fromEntries(environments.map(({ environment, changed }) => [environment, changed]));
  }

  it.each<readonly [what: string, changes: Readonly<Record<string, string>>, touched: object]>([
    ['nothing', {}, {}],
    ['a file that no environment reads', { 'README.md': 'hello' }, {}],
    [
      'a shared layer',
      { 'shared/a.yaml': cluster('other') },
      { canary: ['shared/a.yaml'], eu: ['shared/a.yaml'] },
    ],
    ['a new file in a layer', { 'canary/b.yaml': cluster('other') }, { canary: ['canary/b.yaml'] }],
    [
      'the topics of all, but for those with their own',
      { 'topics.txt': 'sales\n' },
      { canary: ['topics.txt'], us: ['topics.txt'] },
    ],
    ['an encrypted file', { 's.yaml': 'key: two\n' }, { us: ['s.yaml'] }],
    ['a file that a resource takes a value from', { 'name.txt': 'orders-v2\n' }, { us: ['name.txt'] }],
    [
      'a variable of one',
      { 'gwconf.yaml': PROJECT.replace('region: us', 'region: other') },
      { us: ['gwconf.yaml'] },
    ],
    [
      'a setting of all',
      { 'gwconf.yaml': `${PROJECT}differs: []\n` },
      { canary: ['gwconf.yaml'], eu: ['gwconf.yaml'], us: ['gwconf.yaml'] },
    ],
    [
      'a test, which is a rule of all',
      { 'b.gwtest.yaml': '' },
      { canary: ['b.gwtest.yaml'], eu: ['b.gwtest.yaml'], us: ['b.gwtest.yaml'] },
    ],
    [
      'a file that a test looks at',
      { 'sample.yaml': alias('orders', 'orders-v2', 'prod') },
      { canary: ['sample.yaml'], eu: ['sample.yaml'], us: ['sample.yaml'] },
    ],
    [
      'the waves in which all are applied',
      { 'gwconf.yaml': `${PROJECT}waves: [[us], ['*']]\n` },
      { canary: ['gwconf.yaml'], eu: ['gwconf.yaml'], us: ['gwconf.yaml'] },
    ],
    ['a program of the repository', { 'key.sh': 'echo two\n' }, { eu: ['key.sh'] }],
    [
      'a new environment',
      { 'gwconf.yaml': `${PROJECT}  new: { files: [us] }\n` },
      {
        new: [
          'gwconf.yaml',
          'name.txt',
          's.yaml',
          'sample.yaml',
          'tests/a.gwtest.yaml',
          'topics.txt',
          'us/a.yaml',
        ],
      },
    ],
  ])('tells whom it touches: %s', async (_, changes, touched) => {
    expect(await touchedBy(changes)).toEqual(touched);
  });

  it('says why it cannot tell', async () => {
    const world = makeGitWorld(FILES);
    world.commit();
    const { err, out, code } = await world.run(
      'environments',
      '--changed-since',
      'gone',
      '-o',
      'github-matrix',
    );
    expect(err).toContain('error[no-base]: git knows no commit gone');
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect((await world.run('environments', '--changed-since', '')).err).toBe(
      wrongUsage("expected --changed-since to be a ref of git, such as origin/main; found ''"),
    );
  });

  it('gives a build server something that runs no job where nothing is touched', async () => {
    const world = makeGitWorld(FILES);
    world.commit();
    const matrix = await world.run('environments', '--changed-since', 'HEAD', '-o', 'gitlab-matrix');
    expect(JSON.parse(matrix.out)).toEqual({ '.environments': { rules: [{ when: 'never' }] } });
    expect((await world.run('environments', '--changed-since', 'HEAD')).out).toBe(
      '0 environments touched since HEAD.\n',
    );
  });
});
