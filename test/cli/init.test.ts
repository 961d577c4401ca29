import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { resource } from '../support/kinds.ts';
import { makeWorld, verdictOf, wrongUsage, type World } from '../support/cli.ts';
import { alias, all, cluster, documentOf, projectOf } from '../support/documents.ts';
import { hasGit, makeGitWorld } from '../support/git-world.ts';

const WORKFLOW = '.github/workflows/gateway.yaml';
const WRITTEN = ['gwconf.yaml', '.gwconf/schema.json', 'gateway/topics.yaml', '.gitignore'];
/** A gateway that nobody reaches: jobs could. */
const AT = ['--url', 'http://127.0.0.1:1'] as const;

const json = (name: string): string =>
  JSON.stringify({ apiVersion: 'gateway/v2', kind: 'VirtualCluster', metadata: { name }, spec: {} });

const LIVE = all(
  cluster('prod'),
  alias('orders', 'orders-v1', 'prod'),
  documentOf(
    'Interceptor',
    '{ name: own, scope: { vCluster: prod } }',
    '{ pluginClass: com.example.Own, priority: 1, config: { text: "{{$${X}}}" } }',
  ),
  documentOf(
    'Interceptor',
    '{ name: encrypt, scope: { vCluster: prod } }',
    '{ pluginClass: com.example.Own, priority: 2, config: { password: s3cret-of-the-gateway } }',
  ),
);

/** The schema that the first line of a file leads editors to. */
function readSchemaOf(world: World, path: string): unknown {
  const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)/.exec(world.read(path)) ?? [];
  return JSON.parse(world.read(join(dirname(path), schema)));
}

describe('gwconf init', () => {
  it('keeps the values of secrets in a file that git ignores, under names that are chosen', async () => {
    const first = makeWorld({ 'all.yaml': LIVE });
    await first.run('apply', '-f', 'all.yaml', '--url', 'embedded:state.json', '--auto-approve');
    const world = makeWorld({ 'state.json': first.read('state.json') });
    const args = [
      '--url',
      'embedded:state.json',
      '--secrets-env',
      '.env',
      '--secret-name',
      '*/password=OURS',
    ];
    const { code, err } = await world.run('init', '--yes', ...args);
    expect([code, world.read('.env').split('\n')[1]], err).toEqual([0, "OURS='s3cret-of-the-gateway'"]);
    expect(err).toContain('To use them: set -a; . ./.env; set +a; gwconf plan --env prod\n');
    expect(world.read('gateway/interceptor.yaml')).toContain('password: "${OURS}"');
  });

  it('gives the workflow every variable that the files and the connection use', async () => {
    const world = makeWorld({
      'gwconf.yaml': `
        apiVersion: gwconf/v1
        kind: Project
        environments:
          prod:
            files: [d]
            publicVariables: [TEAM]
            gateway: { url: "https://gw.invalid", user: admin, password: "\${PROD_PASSWORD}" }
      `,
      'd/a.yaml': `
        apiVersion: gateway/v2
        kind: AliasTopic
        metadata: { name: "\${TEAM}-orders" }
        spec: { physicalName: orders }
        ---
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: own, scope: { vCluster: prod } }
        spec: { pluginClass: com.example.Own, priority: 1, config: { a: "\${TOKEN}", b: "\${URL:-x}", c: "$\${NOT}" } } # \${COMMENT}
      `,
    });
    const { err } = await world.run('init', '--yes');
    const { jobs } = parse(world.read(WORKFLOW)) as {
      readonly jobs: Readonly<Record<string, { readonly env: object; readonly steps: readonly object[] }>>;
    };
    const open = { GWCONF_PUBLIC_VARIABLES: 'TEAM', TEAM: '${{ vars.TEAM }}' };
    const env = Object.fromEntries(
      ['PROD_PASSWORD', 'TOKEN', 'URL'].map((name) => [name, `\${{ secrets.${name} }}`]),
    );
    for (const [job, run] of [
      ['plan', /gwconf plan /],
      ['apply', /gwconf apply /],
    ] as const) {
      expect(jobs[job]?.env).toMatchObject({ GWCONF_ALLOWED_VARIABLES: 'PROD_PASSWORD,TOKEN,URL', ...open });
      expect(jobs[job]?.steps).toContainEqual(
        expect.objectContaining({ run: expect.stringMatching(run) as string, env }),
      );
    }
    expect(jobs['check']?.env).toEqual({ GWCONF_ENV: 'prod', ...open });
    expect(err).toContain('add the secrets PROD_PASSWORD, TOKEN, URL to both');
    expect(err).toContain('- add the variables TEAM to the repository\n');
  });

  it('writes a project and a first folder, and ends with a plan; no job reaches the embedded gateway', async () => {
    const world = makeWorld();
    const { code, out, err } = await world.run('init', '--yes');
    expect(code).toBe(0);
    expect(err).toContain(WRITTEN.map((path) => `wrote ${path}\n`).join(''));
    expect(out).toContain('+ AliasTopic/orders@vCluster=passthrough');
    expect(err).toContain('no CI workflow: the embedded gateway is a file here');
    expect(world.has(WORKFLOW)).toBe(false);
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

  it.each(['http://u:s3cret@gw:8888', 'http://u:s3cret@gw:99999', 'u:s3cret@gw', 'https:/u:s3cret@['])(
    'neither shows nor keeps a login in the URL: %s',
    async (url) => {
      const world = makeWorld();
      const asked = await world.runWith({ answer: '', env: { GWCONF_URL: url } }, 'init');
      const given = await world.run('init', '--yes', '--url', url);
      for (const { code, out, err, questions } of [asked, given]) {
        expect(code, err).toBe(64);
        expect([out, err, ...questions].join('\n')).not.toContain('s3cret');
      }
      expect(world.has('gwconf.yaml')).toBe(false);
    },
  );

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

  it('overwrites no file that is in its way', async () => {
    const world = makeWorld({ 'gateway/topics.yaml': '# to come\n' });
    const { code, err } = await world.run('init', '--yes');
    const told = 'gateway/topics.yaml already exists; init does not overwrite files';
    expect([code, err]).toEqual([64, wrongUsage(told)]);
    expect(WRITTEN.filter((path) => world.has(path))).toEqual(['gateway/topics.yaml']);
  });

  it('keeps the workflow that is there', async () => {
    const world = makeWorld({ [WORKFLOW]: 'mine\n' });
    const { code, err } = await world.run('init', '--yes');
    expect([code, world.read(WORKFLOW)]).toEqual([0, 'mine\n']);
    expect(err).toContain(`${WORKFLOW} already exists and is kept\n`);
  });

  it('keeps the project that is there, and adds what is missing', async () => {
    const project = projectOf({
      dev: 'gateway: { url: "embedded:dev.json" }, files: [d]',
      prod: 'gateway: { url: "https://gw.invalid" }, files: [d]',
    });
    const world = makeWorld({ 'gwconf.yaml': project, 'd/a.yaml': cluster('a') });
    const before = world.read('gwconf.yaml');
    const { code, err, out } = await world.run('init', '--yes', '--name', 'dev');
    expect([code, world.read('gwconf.yaml')]).toEqual([0, before]);
    expect(err).toContain('gwconf.yaml already exists and is kept\n');
    expect(out).toContain('+ VirtualCluster/a');
    expect(world.has(WORKFLOW)).toBe(false);
    await world.run('init', '--yes', '--name', 'prod');
    expect(parse(world.read(WORKFLOW))).toMatchObject({ jobs: { apply: { environment: 'prod' } } });
    expect(world.read('.gitignore')).toContain('\ndev.json\n');
    for (const args of [[], ['--name', 'dev', '--folder', 'e'], ['--name', 'test']])
      expect((await world.run('init', '--yes', ...args)).code).toBe(64);
  });

  it('writes nothing beside a project with mistakes, or with another name', async () => {
    for (const path of ['gwconf.yaml', 'gwconf.yml']) {
      const world = makeWorld({ [path]: 'apiVersion: gwconf/v1\nkind: Project\nenvironment: {}\n' });
      expect((await world.run('init', '--yes')).code).toBe(1);
      expect(WRITTEN.filter((one) => one !== path && world.has(one))).toEqual([]);
    }
  });

  it.each([
    [
      { 'a/one.yaml': cluster('a'), 'b/c/two.json': json('b'), 'x/compose.yaml': 'services: {}\n' },
      ['a', 'b'],
    ],
    [{ 'one.yaml': cluster('a'), 'b/two.yaml': cluster('b') }, ['.']],
    [{ 'teams/one.yaml': 'Kind: AliasTopic\n' }, ['teams']],
  ])('takes the resources that are there: %j', async (there, files) => {
    const world = makeWorld(there);
    const { err } = await world.run('init', '--yes');
    expect(parse(world.read('gwconf.yaml'))).toMatchObject({ environments: { prod: { files } } });
    expect(world.has('gateway/topics.yaml')).toBe(false);
    expect(err).toContain('found resources in ');
  });

  it('says which names the gateway has from v1, which v2 refuses', async () => {
    const world = makeWorld();
    const group = resource('GatewayGroup', { name: 'audit.ors' }, { members: [] });
    world.write(
      'state.json',
      JSON.stringify({ format: 'gwconf/gateway-state@1', version: '3.20.0', resources: [group] }),
    );
    const { err } = await world.run('init', '--yes', '--url', 'embedded:state.json');
    expect(err).toContain('which the files now declare: 1 GatewayGroup\n');
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      'finds wrong: GatewayGroup/audit.ors /metadata/name; the files have it, below comments: v1 made this name, and v2 refuses it: gwconf migrate gives it another',
    );
  });

  it('declares what the gateway has, with variables for secrets, and a schema for editors', async () => {
    const first = makeWorld({ 'all.yaml': LIVE });
    await first.run('apply', '-f', 'all.yaml', '--url', 'embedded:state.json', '--auto-approve');
    const world = makeWorld();
    world.write('state.json', first.read('state.json'));
    const { code, err } = await world.run('init', '--yes', '--url', 'embedded:state.json');
    expect([code, verdictOf({ err })]).toEqual([0, 'result: ok']);
    expect(err).toContain('which the files now declare: 1 AliasTopic, 2 Interceptor, 1 VirtualCluster\n');
    expect(err).toContain(`
  GW_PROD_ENCRYPT_PASSWORD  Interceptor/encrypt@vCluster=prod /spec/config/password
To get their values: gwconf export --out NEW_FOLDER --secrets-env .env --env prod
When they are set, run: gwconf plan --env prod
`);
    expect(world.read('gateway/alias-topic.yaml')).toContain('physicalName: orders-v1\n');
    expect(world.read('gateway/interceptor.yaml')).toContain('"{{$${X}}}"');
    expect(world.read('gateway/interceptor.yaml')).toContain('password: "${GW_PROD_ENCRYPT_PASSWORD}"');
    expect(world.has('gateway/topics.yaml')).toBe(false);
    expect(readSchemaOf(world, 'gateway/interceptor.yaml')).toHaveProperty('properties.kind');
    expect(err).not.toContain('s3cret-of-the-gateway');
    world.env['GW_PROD_ENCRYPT_PASSWORD'] = 's3cret-of-the-gateway';
    expect(verdictOf(await world.run('plan'))).toBe('result: no-changes');
  });

  it('invents no resource for a gateway that it cannot read', async () => {
    const world = makeWorld();
    const { code, err } = await world.run('init', '--yes', '--url', 'http://127.0.0.1:1');
    expect(code).toBe(1);
    expect(err).toContain('error[connection-error]');
    expect(err).toContain('When the gateway can be reached, run: gwconf plan --env prod\n');
    expect(parseAllDocuments(world.read('gateway/topics.yaml'))).toMatchObject({ empty: true });
  });

  it('takes the gateway that the environment names, and no login in its URL', async () => {
    const world = makeWorld();
    const env = { GWCONF_URL: 'http://127.0.0.1:1', GWCONF_USER: 'me' };
    await world.runWith({ env }, 'init', '--yes');
    expect(parse(world.read('gwconf.yaml'))).toMatchObject({
      environments: { prod: { gateway: { url: 'http://127.0.0.1:1', user: 'me' } } },
    });
    const other = makeWorld();
    const { code, err } = await other.run('init', '--yes', '--url', 'https://me:s3cret-pass@gw.invalid');
    expect([code, other.has('gwconf.yaml')]).toEqual([64, false]);
    expect(err).not.toContain('s3cret-pass');
  });

  it('adds to .gitignore what git must not have, once', async () => {
    const world = makeWorld({ '.gitignore': 'node_modules/\r\n.env' });
    await world.run('init', '--yes');
    const text = world.read('.gitignore');
    expect(text).toMatch(
      /^node_modules\/\r\n\.env\r\n\r\n# gwconf: .*\r\npractice\.json\r\n\.gwconf\/\*\r\n!\.gwconf\/schema\.json\r\n/,
    );
    expect(text.split('.env')).toHaveLength(2);
    await world.run('init', '--yes');
    expect(world.read('.gitignore')).toBe(text);
  });

  it('writes no GitHub workflow where another CI is', async () => {
    const world = makeWorld({ '.gitlab-ci.yml': 'test: { script: "true" }\n' });
    expect((await world.run('init', '--yes')).err).toContain(
      'no CI workflow: this repository uses GitLab, for which gwconf has the component templates/gwconf.yml\n',
    );
    expect(world.has(WORKFLOW)).toBe(false);
  });

  it('installs gwconf with npm ci where package.json has it', async () => {
    const world = makeWorld({
      'package.json': '{"devDependencies":{"gwconf":"file:g.tgz"}}',
      'package-lock.json': '{}',
    });
    const { err } = await world.run('init', '--yes', ...AT);
    expect(world.read(WORKFLOW)).toContain('- run: npm ci --ignore-scripts # ');
    expect(world.read(WORKFLOW)).toContain('npx --no-install gwconf apply plan.json\n');
    expect(err).not.toContain('npm pack');
  });

  it('makes a workflow that applies the plan that was kept, one at a time, after review', async () => {
    const world = makeWorld();
    await world.run('init', '--yes', ...AT);
    const { jobs } = parse(world.read(WORKFLOW)) as { readonly jobs: Readonly<Record<string, object>> };
    expect(Object.keys(jobs)).toEqual(['check', 'plan', 'apply']);
    expect(jobs['plan']).toMatchObject({ environment: 'prod-plan' });
    expect(jobs['apply']).toMatchObject({ environment: 'prod', concurrency: 'gateway', needs: 'plan' });
    expect(JSON.stringify(jobs['plan'])).toMatch(/gwconf plan --out plan\.json.*actions\/upload-artifact@/);
    expect(JSON.stringify(jobs['apply'])).toMatch(/actions\/download-artifact@.*gwconf apply plan\.json/);
    expect(JSON.stringify(jobs['apply'])).not.toContain('gwconf plan');
    for (const name of ['plan', 'apply'])
      expect(jobs[name], 'a snapshot, also where the plan or the run fails').toMatchObject({
        steps: expect.arrayContaining([
          expect.objectContaining({
            if: '${{ !cancelled() }}',
            run: expect.stringContaining('gwconf snapshot') as unknown,
          }),
          expect.objectContaining({
            if: '${{ !cancelled() }}',
            uses: expect.stringContaining('cache/save') as unknown,
          }),
        ]) as unknown,
      });
    // As main is now: no plan of an older commit is applied.
    expect(jobs['apply']).toMatchObject({
      steps: expect.arrayContaining([
        expect.objectContaining({ with: { 'persist-credentials': false, ref: 'refs/heads/main' } }),
        { run: 'echo "GWCONF_EXPECT_COMMIT=$(git rev-parse HEAD)" >> "$GITHUB_ENV"' },
      ]) as unknown,
    });
  });

  it.skipIf(!hasGit)('makes a check that fails without a snapshot, once main has the workflow', async () => {
    const world = makeGitWorld({});
    await world.run('init', '--yes', ...AT);
    const [, script = ''] =
      / {8}run: \|\n((?: {10}.*\n)+)/.exec(world.read(WORKFLOW).split('cache-matched-key')[1] ?? '') ?? [];
    const run = () => spawnSync('bash', ['-ec', script], { cwd: world.folder, encoding: 'utf8' });
    expect(run()).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('No plan was made') as unknown,
    });
    world.commit();
    world.git('update-ref', 'refs/remotes/origin/main', 'main');
    expect(run().status).toBe(1);
  });

  it('writes nothing when one of the files cannot be written', async () => {
    const world = makeWorld({ '.github': 'a file' });
    const { code, err } = await world.run('init', '--yes', ...AT);
    expect([code, verdictOf({ err })]).toEqual([1, 'result: error']);
    expect(err).not.toContain('wrote');
    expect(WRITTEN.filter((path) => world.has(path))).toEqual([]);
  });

  it('writes nothing the second time', async () => {
    const world = makeWorld();
    await world.run('init', '--yes');
    const { code, err } = await world.run('init', '--yes');
    expect(code).toBe(0);
    expect(err).not.toContain('wrote');
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
        apply: {
          environment: 'prod',
          env: {
            GWCONF_ENV: 'prod',
            GWCONF_ALLOWED_HOSTS: 'http://127.0.0.1:1',
            GWCONF_ALLOWED_VARIABLES: '',
          },
          steps: expect.arrayContaining([
            {
              run: 'npx --no-install gwconf apply plan.json',
              env: { GWCONF_PASSWORD: '${{ secrets.GWCONF_PASSWORD }}' },
            },
          ]) as unknown,
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
      const { code, err } = await world.run('init', '--yes', '--name', name, ...AT);
      expect([code, err]).toEqual([1, err]);
      const workflow = parse(world.read('.github/workflows/gateway.yaml')) as object;
      expect(workflow).toMatchObject({ jobs: { apply: { environment: name, env: { GWCONF_ENV: name } } } });
    },
  );
});
