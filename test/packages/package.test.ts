import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { leads, linksOf } from '../support/links.ts';
import { catalog, memoryGateway, serveGateway } from '../../src/index.ts';
import { runJob, type Job, type Machine } from '../support/actions/runner.ts';
import { blockWith, readDocument } from '../support/markdown.ts';
import { makeSandbox, ROOT, type Sandbox } from '../support/sandbox.ts';

const library = readDocument('docs/reference/library.md');

const WORKFLOW = join('.github', 'workflows', 'gateway.yaml');
type Workflow = { readonly jobs: Readonly<Record<string, Job>> };

const INTERCEPTOR = `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: own, scope: { vCluster: passthrough } }
spec: { pluginClass: com.example.Own, priority: 1, config: { token: "\${TOKEN}" } }
`;

/** An empty folder, an empty npm cache and npm told to stay offline: what works here has nothing to fetch. */
let sandbox: Sandbox;
let tarball: string;
beforeAll(async () => {
  sandbox = makeSandbox({ types: true });
  const { code, stdout, stderr } = await sandbox.bash(`
    npm pack --ignore-scripts --silent --pack-destination . ${ROOT}
    npm install --offline --silent --prefix consumer ./gwconf-*.tgz
  `);
  expect(code, stderr).toBe(0);
  tarball = stdout.trim();
  sandbox.write('consumer/topics.yaml', blockWith(library, 'file=topics.yaml').text);
});
afterAll(() => {
  sandbox.remove();
});

describe('the package', () => {
  it('is small', () => {
    expect(statSync(join(sandbox.folder, tarball)).size).toBeLessThan(1_935_000);
  });

  it('holds what it needs and no more', () => {
    const folder = join(sandbox.folder, 'consumer', 'node_modules', 'gwconf');
    expect(readdirSync(folder).sort()).toEqual([
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'examples',
      'package.json',
      'schemas',
    ]);
    expect(readdirSync(join(folder, 'dist')).sort()).toEqual([
      'LICENSES.txt',
      'chunks',
      'gwconf.cjs',
      'index.d.ts',
      'index.js',
      'testing.d.ts',
      'testing.js',
    ]);
  });

  it('has pages whose links lead somewhere', () => {
    const folder = join(sandbox.folder, 'consumer', 'node_modules', 'gwconf');
    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.md'),
    );
    const broken = pages.flatMap((page) =>
      // Pictures are in the repository only, where pages are read.
      linksOf(folder, page).filter((link) => !leads(link.endsWith('.png') ? ROOT : folder, page, link)),
    );
    expect(pages).toContain(join('docs', 'problems.md'));
    expect(broken).toEqual([]);
  });

  it('explains a problem from its pages', async () => {
    const { code, stdout } = await sandbox.bash('cd consumer && npx gwconf explain missing-field');
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'missing-field']);
  });

  it('is what the workflow of init installs, which runs as it is written, with each variable of the files', async () => {
    const project = makeSandbox({ types: true });
    const gateway = memoryGateway(catalog.kinds, {});
    const users = [{ username: 'admin', password: 'of-the-gateway', admin: true }];
    const server = await serveGateway(gateway, { port: 0, users });
    try {
      const token = 'hvs.a-secret-that-nobody-may-see';
      project.write('gateway/own.yaml', INTERCEPTOR);
      const ran = await project.bash(`gwconf init --yes --url ${server.url}`, {
        GWCONF_PASSWORD: 'of-the-gateway',
        TOKEN: token,
      });
      const [, pack = 'false'] = /checksum in package-lock.json: (.*)/.exec(ran.stderr) ?? [];
      const made = await project.bash(pack);
      expect(made.code, ran.stderr + made.stderr).toBe(0);
      const committed = await project.bash(
        'git init --quiet --initial-branch=main && git add --all && git update-ref refs/remotes/origin/main $(git -c user.name=test -c user.email=test@example.com commit-tree -m all $(git write-tree)) && git reset --quiet origin/main',
      );
      expect(committed.code, committed.stderr).toBe(0);
      const main = (await project.bash('git rev-parse origin/main')).stdout.trim();
      const { jobs } = parse(readFileSync(join(project.folder, WORKFLOW), 'utf8')) as Workflow;
      const kept = new Map<string, string>();
      const keep = ({ name = 'snapshot.json', path = '' }: Readonly<Record<string, string>>) => {
        for (const file of path.trim().split(/\s+/)) {
          const at = join(project.folder, file);
          kept.set(
            `${name}/${file}`,
            statSync(at).isFile() ? readFileSync(at, 'utf8') : readdirSync(at).join(),
          );
        }
        return {};
      };
      const machine = (event: string): Machine => ({
        sandbox: project,
        github: { event_name: event, run_id: 1, run_attempt: 1, repository: 'acme/gateway', sha: main },
        contexts: {
          secrets: { GWCONF_PASSWORD: 'of-the-gateway', TOKEN: token },
          vars: {},
          needs: { plan: { result: 'success', outputs: { result: 'changes' } } },
        },
        env: { CI: 'true' },
        actions: {
          'actions/cache/save': keep,
          'actions/cache/restore': ({ path = '' }) => {
            project.write(path, kept.get('snapshot.json/snapshot.json') ?? '');
            return { 'cache-matched-key': 'x' };
          },
          'actions/upload-artifact': keep,
          'actions/download-artifact': () => ({}),
        },
      });
      for (const [name, event] of [
        ['plan', 'push'],
        ['apply', 'push'],
        ['check', 'pull_request'],
      ] as const) {
        const job = jobs[name];
        if (job === undefined) throw new Error(`there is no job ${name}`);
        const ran = await runJob(job, machine(event));
        const told = ran.steps.map(({ stdout, stderr }) => stdout + stderr).join('');
        expect(ran.result, told).toBe('success');
        expect(told).not.toContain(token);
      }
      expect(JSON.stringify(gateway.snapshot())).toContain(token);
      expect([...kept.keys()].sort()).toEqual([
        'journal/gwconf-journal',
        'plan/plan.html',
        'plan/plan.json',
        'snapshot.json/snapshot.json',
      ]);
      expect(kept.get('journal/gwconf-journal')).toMatch(/^0001-.*\.ndjson/);
    } finally {
      await server.close();
      await gateway.close();
      project.remove();
    }
  }, 120_000);

  it('brings no other package', () => {
    const modules = readdirSync(join(sandbox.folder, 'consumer', 'node_modules'));
    expect(modules.filter((name) => !name.startsWith('.'))).toEqual(['gwconf']);
  });

  it('says what it is', () => {
    const path = join(sandbox.folder, 'consumer', 'node_modules', 'gwconf', 'package.json');
    const about = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
    expect(about).toMatchObject({
      name: 'gwconf',
      license: 'Apache-2.0',
      type: 'module',
      engines: { node: '>=20' },
      bin: { gwconf: 'dist/gwconf.cjs' },
      types: './dist/index.d.ts',
      exports: {
        '.': { types: './dist/index.d.ts', default: './dist/index.js' },
        './testing': { types: './dist/testing.d.ts', default: './dist/testing.js' },
      },
    });
    const fetched = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies'];
    expect(fetched.filter((field) => field in about)).toEqual([]);
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readDocument('package.json')) as { readonly version: string };
    const { stdout } = await sandbox.bash('cd consumer && npx gwconf --version');
    expect(stdout).toBe(`gwconf ${version}\n`);
    const about = await sandbox.bash('cd consumer && npx gwconf --version --json');
    expect(JSON.parse(about.stdout)).toMatchObject({
      version,
      commit: expect.stringMatching(/^(?:[\da-f]{40}(?:-dirty)?|unknown)$/) as unknown,
    });
  });

  it('plans', async () => {
    const { code, stdout } = await sandbox.bash(
      'cd consumer && npx gwconf plan -f topics.yaml --url embedded:state.json',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('+ AliasTopic/orders@vCluster=passthrough  topics.yaml:1');
    expect(stdout).toContain('Plan: 1 to create');
  });

  it('loads ajv only to explain what is invalid', async () => {
    sandbox.copy('examples/teams', 'teams');
    sandbox.copy('test/corpus/invalid-fields.yaml', 'invalid.yaml');
    const { code, stdout, stderr } = await sandbox.bash(`
      cp -r consumer/node_modules/gwconf without-ajv
      rm without-ajv/dist/chunks/ajv-*.cjs
      VAULT_TOKEN=secret node without-ajv/dist/gwconf.cjs validate teams
      cd consumer
      npx gwconf validate ../invalid.yaml
    `);
    expect(stdout, stderr).toContain('Valid: ');
    expect(code).toBe(1);
    expect(stderr).toContain('error[unknown-field]: EncryptPlugin has no field recordValues');
  });

  it('has the editor schema where docs/reference/kinds.md says', () => {
    const [, path = ''] = /\$schema=(\S+)/.exec(readDocument('docs/reference/kinds.md')) ?? [];
    const schema: unknown = JSON.parse(readFileSync(join(sandbox.folder, 'consumer', path), 'utf8'));
    expect(schema).toHaveProperty('properties.kind.enum');
  });

  it('is typed, and runs programs of docs/reference/library.md and docs/reference/testing.md', async () => {
    // A program for Node.js has Node's types; nothing of this repository is in sight but those and the compiler.
    symlinkSync(join(ROOT, 'node_modules', '@types'), join(sandbox.folder, '@types'));
    sandbox.write('consumer/program.mts', blockWith(library, 'program=steps.mts').text);
    sandbox.write(
      'consumer/v1.mts',
      blockWith(readDocument('docs/reference/testing.md'), 'program=v1.mts').text,
    );
    const { code, stdout, stderr } = await sandbox.bash(`
      cd consumer
      node ${join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')} --strict --module nodenext --target es2023 \
        --typeRoots ../@types --types node program.mts v1.mts
      node program.mjs
      node v1.mjs
    `);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/^applied\n201 /);
  });
});
