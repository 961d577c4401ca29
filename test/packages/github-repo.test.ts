import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { catalog, memoryGateway, serveGateway, type Server } from '../../src/index.ts';
import { runJob, summaryOf, type Job, type JobRun, type Machine } from '../support/actions/runner.ts';
import { githubApi } from '../support/forge/github.ts';
import { serveForge } from '../support/forge/server.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { makeSandbox, ROOT, type Sandbox } from '../support/sandbox.ts';

const EXAMPLE = 'examples/github-repo';
const SECRET = 'hvs.a-secret-that-nobody-may-see';
const ENVIRONMENTS = ['dev', 'prod'] as const;
const USER = { username: 'gwconf', password: 'gateway-password', admin: true };
type Environment = (typeof ENVIRONMENTS)[number];

const gateways = { dev: memoryGateway(catalog.kinds, {}), prod: memoryGateway(catalog.kinds, {}) };
let servers: Readonly<Record<Environment, Server>>;
let sandbox: Sandbox;
/** What is beside the workspace: the release of the action, the cache and the artifacts of GitHub, and `gh`. */
let beside: (path: string) => string;

beforeAll(async () => {
  sandbox = makeSandbox({ types: true });
  beside = (path) => join(sandbox.folder, '..', path);
  const [dev, prod] = await Promise.all(
    ENVIRONMENTS.map((name) => serveGateway(gateways[name], { port: 0, users: [USER] })),
  );
  if (dev === undefined || prod === undefined) throw new Error('two servers were started');
  servers = { dev, prod };
  sandbox.copy(EXAMPLE, '.');
  for (const name of ENVIRONMENTS) {
    edit('gwconf.yaml', `https://gateway.${name}.acme.example:8888`, servers[name].url);
    edit('gwconf.yaml', `host: gateway.${name}.acme.example`, 'host: 127.0.0.1');
  }
  writeFileSync(beside('bin/gh'), GH, { mode: 0o755 });
  const { code, stderr } = await sandbox.bash(`
    node ${ROOT}/scripts/pack-action.mjs ../release
    gwconf keygen --out ../plan.key
    git init --quiet --initial-branch main
    ${commit('the start')}
    git update-ref refs/remotes/origin/main main
  `);
  expect(code, stderr).toBe(0);
});
afterAll(async () => {
  for (const name of ENVIRONMENTS) {
    await servers[name].close();
    await gateways[name].close();
  }
  sandbox.remove();
});

/** GitHub's command line, as far as the workflows use it: one issue, and the pull request 12 of every commit. */
const GH = `#!/bin/bash
cd "$(dirname "$0")/.."
echo "$*" >> gh.log
case "$1 $2" in
  "issue list") cat issue.number 2>/dev/null || true ;;
  "issue create") echo 34 > issue.number ;;
  "issue close") rm issue.number ;;
  "api "*) echo 12 ;;
esac
`;

it('delivers to each environment the plan that was made for it, and takes a snapshot', async () => {
  for (const name of ENVIRONMENTS) {
    const { plan, apply } = await deliver(name);
    expect(plan.outputs, said(plan)).toEqual({ result: 'changes' });
    expect(apply.outputs, said(apply)).toEqual({ result: 'applied' });
    expect(readdirSync(beside(`artifacts/gwconf-plan-${name}`)).sort()).toEqual([
      'plan.json',
      'report.html',
      'report.json',
    ]);
    expect(JSON.stringify(gateways[name].snapshot())).toContain(SECRET);
  }
  expect(summary()).toContain('Interceptor/payments-cards-encrypted');
  expect(textsIn(beside('artifacts'), beside('cache'))).not.toContain(SECRET);
});

it('delivers nothing where nothing has changed', async () => {
  const { plan, apply } = await deliver('dev');
  expect([plan.outputs, apply.result]).toEqual([{ result: 'no-changes' }, 'skipped']);
});

it('checks a pull request without secrets, and says what it would change', async () => {
  edit('payments/topics.yaml', 'payments-orders-v2', 'payments-orders-v3');
  await sandbox.bash(commit('orders on a new topic'));
  const forge = await serveForge(githubApi);
  const { api } = forge;
  const pull = { number: 12, head: { repo: { full_name: 'acme/gateway' } } };
  const github = {
    event_name: 'pull_request',
    base_ref: 'main',
    api_url: api,
    event: { pull_request: pull },
  };
  const validated = await runJob(jobOf('check', 'validate'), machine({ github }));
  expect(validated.result, said(validated)).toBe('success');

  const contexts = { matrix: { environment: 'prod' } };
  forge.tokens.set('ghs_1', { account: 'github-actions[bot]', rights: 'write' });
  for (const push of [1, 2]) {
    const planned = await runJob(jobOf('check', 'plan'), machine({ github, contexts }));
    expect(planned.result, `${push}: ${said(planned)}`).toBe('success');
  }
  expect(forge.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('AliasTopic/orders@vCluster=payments'),
  ]);
  expect(summary()).toContain(forge.comments[0]?.body.split('\n')[2]);

  const without = machine({ github, contexts: { matrix: { environment: 'staging' } } });
  const unplanned = await runJob(jobOf('check', 'plan'), without);
  expect([unplanned.result, said(unplanned)]).toEqual([
    'failure',
    expect.stringContaining('No plan was made, because there is no snapshot'),
  ]);

  const fork = { ...pull, head: { repo: { full_name: 'stranger/gateway' } } };
  const ofFork = machine({ github: { ...github, event: { pull_request: fork } }, contexts });
  expect((await runJob(jobOf('check', 'plan'), ofFork)).result).toBe('success');
  expect([forge.comments.length, forge.faults]).toEqual([1, []]);
});

it('plans again when the gateway has changed since the plan, and says so on the pull request', async () => {
  const byHand = (physicalName: string): Promise<unknown> =>
    gateways.prod.put(
      kindOf('AliasTopic'),
      resource('AliasTopic', { name: 'orders', vCluster: 'payments' }, { physicalName }),
    );
  const { apply } = await deliver('prod', () => byHand('payments-orders-v1'));
  expect([apply.result, apply.outputs['result']]).toEqual(['failure', 'stale']);
  const needs = { apply: { result: apply.result, outputs: apply.outputs } };
  const again = await runJob(jobOf('deliver', 'plan-again'), machine({ contexts: { needs } }));
  expect(again.result, said(again)).toBe('success');
  expect(readFileSync(beside('gh.log'), 'utf8')).toMatch(
    /^workflow run delivery\.yaml --ref main\napi repos\/acme\/gateway\/commits\/\w+\/pulls .*\npr comment 12 --body The gateway or main has changed/,
  );
  expect((await deliver('prod')).apply.outputs).toEqual({ result: 'applied' });
});

it('does not apply the plan of a commit after a newer one, which has nothing to plan because it is the revert', async () => {
  const orders = (version: string): Promise<unknown> => {
    edit('payments/topics.yaml', /payments-orders-v\d/, `payments-orders-${version}`);
    return sandbox.bash(commit(`orders on ${version}`));
  };
  await orders('v9');
  const { apply } = await deliver('prod', () => orders('v3'));
  expect([apply.result, apply.outputs['result']], said(apply)).toEqual(['failure', 'stale']);
  expect(said(apply)).toMatch(/was made of the commit \w{40}; expected \w{40}/);
  const { plan } = await deliver('prod');
  expect(plan.outputs).toEqual({ result: 'no-changes' });
});

it('has one issue while a gateway has drifted', async () => {
  const drift = jobOf('drift', 'drift');
  const runDrift = async (): Promise<readonly string[]> => {
    rmSync(beside('gh.log'), { force: true });
    const run = await runJob(
      drift,
      machine({ environment: 'dev', contexts: { matrix: { environment: 'dev' } } }),
    );
    expect(run.result, said(run)).toBe('success');
    return readFileSync(beside('gh.log'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ', 2).join(' '));
  };
  expect(await runDrift()).toEqual(['issue list', 'issue create']);
  expect(readFileSync(join(sandbox.folder, 'drift.md'), 'utf8')).toContain('AliasTopic/orders');
  await gateways.dev.put(
    kindOf('AliasTopic'),
    resource('AliasTopic', { name: 'orders', vCluster: 'payments' }, { physicalName: 'payments-orders-v3' }),
  );
  expect(await runDrift()).toEqual(['issue list', 'issue close']);
});

/** The jobs of the reusable workflow for one environment; `meanwhile` is before the approval. */
async function deliver(
  environment: Environment,
  meanwhile: () => unknown = () => undefined,
): Promise<Readonly<Record<'plan' | 'apply', JobRun>>> {
  const inputs = { environment };
  const github = { sha: git('rev-parse', 'main') };
  const plan = await runJob(jobOf('deliver', 'plan'), machine({ environment, github, contexts: { inputs } }));
  git('checkout', '--quiet', 'main');
  await meanwhile();
  rmSync(join(sandbox.folder, 'plan.json'), { force: true }); // another machine
  const needs = { plan: { result: plan.result, outputs: plan.outputs } };
  const apply = await runJob(
    jobOf('deliver', 'apply'),
    machine({ environment, github, contexts: { inputs, needs } }),
  );
  git('checkout', '--quiet', 'main');
  return { plan, apply };
}

function jobOf(workflow: string, name: string): Job {
  const text = readFileSync(join(ROOT, EXAMPLE, '.github', 'workflows', `${workflow}.yaml`), 'utf8');
  const { jobs } = parse(text) as { readonly jobs: Readonly<Record<string, Job>> }; // GitHub's linter checks its shape
  const job = jobs[name];
  if (job === undefined) throw new Error(`${workflow}.yaml has no job ${name}`);
  return job;
}

/** A machine of GitHub's; with an environment, a job has what is in its settings. */
function machine({
  environment,
  github,
  contexts,
}: Pick<Partial<Machine>, 'contexts'> & {
  readonly environment?: Environment;
  readonly github?: { readonly sha?: string; readonly [field: string]: unknown };
}): Machine {
  return {
    sandbox,
    github: {
      event_name: 'push',
      repository: 'acme/gateway',
      sha: 'c0ffee',
      run_id: 1,
      token: 'ghs_1',
      ...github,
    },
    contexts: {
      ...contexts,
      ...(environment === undefined ? {} : settingsOf(environment)),
    },
    actions: {
      'acme/gwconf': beside('release'),
      'actions/checkout': ({ ref = github?.sha ?? 'main' }) => {
        git('checkout', '--quiet', ref);
        return {};
      },
      'actions/cache/save': ({ key = '', path = '' }) => copy(path, `cache/${key}`),
      'actions/cache/restore': ({ 'restore-keys': start = '', path = '' }) => restore(start, path),
      'actions/upload-artifact': ({ name = '', path = '' }) => copy(path, `artifacts/${name}`),
      'actions/download-artifact': ({ name = '' }) => download(name),
    },
  };
}

function settingsOf(environment: Environment): NonNullable<Machine['contexts']> {
  return {
    vars: {
      GATEWAY_URL: servers[environment].url,
      GWCONF_PLAN_PUBLIC_KEY: readFileSync(beside('plan.key.pub'), 'utf8'),
    },
    secrets: {
      GATEWAY_PASSWORD: USER.password,
      VAULT_TOKEN: SECRET,
      GWCONF_PLAN_PRIVATE_KEY: readFileSync(beside('plan.key'), 'utf8'),
    },
  };
}

function copy(from: string, to: string): Readonly<Record<string, string>> {
  const source = join(sandbox.folder, from);
  const target = from.startsWith('/') ? from : source;
  rmSync(beside(to), { recursive: true, force: true });
  mkdirSync(beside(to), { recursive: true });
  if (!existsSync(target)) return {};
  cpSync(target, join(beside(to), basename(from).includes('.') ? basename(from) : ''), {
    recursive: true,
    dereference: true, // as the action does: it uploads what a link leads to
  });
  return {};
}

function restore(start: string, path: string): Readonly<Record<string, string>> {
  const key = readdirSync(beside('cache'))
    .filter((name) => name.startsWith(start))
    .at(-1);
  if (key === undefined) return {};
  cpSync(join(beside('cache'), key, path), join(sandbox.folder, path));
  return { 'cache-matched-key': key };
}

function download(name: string): Readonly<Record<string, string>> {
  cpSync(beside(`artifacts/${name}`), sandbox.folder, { recursive: true });
  return {};
}

function summary(): string {
  return summaryOf(machine({}));
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: sandbox.folder, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function edit(path: string, before: string | RegExp, after: string): void {
  const text = readFileSync(join(sandbox.folder, path), 'utf8');
  expect(text.search(before)).not.toBe(-1);
  sandbox.write(path, text.replace(before, after));
}

function commit(message: string): string {
  return `git add --all && git commit --quiet --message '${message}'`;
}

function textsIn(...folders: readonly string[]): string {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('');
}

function said({ steps }: JobRun): string {
  return steps
    .map(
      ({ step, outcome, stdout, stderr }) =>
        `${step.id ?? step.uses ?? step.run}: ${outcome}\n${stdout}${stderr}`,
    )
    .join('');
}
