import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allOutput, type JobRun, type Machine, runAction, summaryOf } from '../support/actions/runner.ts';
import { githubApi } from '../support/forge/github.ts';
import { serveForge } from '../support/forge/server.ts';
import { makeSandbox, ROOT, type Sandbox } from '../support/sandbox.ts';

const BROKEN = 'kind: AliasTopic\napiVersion: gateway/v2\nmetadata: { name: orders }\n';

let sandbox: Sandbox;
let machine: Machine;
/** The files of a release tag. */
let release: string;
beforeAll(async () => {
  sandbox = makeSandbox({ types: true });
  release = join(sandbox.folder, '..', 'release');
  const { code, stderr } = await sandbox.bash(`node ${ROOT}/scripts/pack-action.mjs ${release}`);
  expect(code, stderr).toBe(0);
  sandbox.copy('examples/quickstart', 'gateway');
  sandbox.write('broken.yaml', BROKEN);
  machine = {
    sandbox,
    github: { event_name: 'push', repository: 'acme/gateway', token: 'ghs_token' },
    env: { GWCONF_URL: 'embedded:practice.json' },
  };
});
afterAll(() => {
  sandbox.remove();
});

it('keeps the plan with its reports, and applies exactly that plan', async () => {
  const planned = await runAction(release, { paths: 'gateway' }, machine);
  expect(planned.result, allOutput(planned)).toBe('success');
  expect(planned.outputs).toMatchObject({ result: 'changes', changes: '8' });
  expect(setupOfNode(planned)).toBe('skipped');
  expect(summaryOf(machine)).toContain('AliasTopic/orders');
  const { name, path = '' } = uploadIn(planned)?.with ?? {};
  expect(name).toBe('gwconf-plan');
  expect(readdirSync(path).sort()).toEqual(['plan.json', 'report.html', 'report.json']);
  expect(planned.steps.at(-2)?.outcome).toBe('skipped'); // no comment

  const applied = await runAction(
    release,
    { command: 'apply', 'plan-file': planned.outputs['plan-file'] ?? '' },
    machine,
  );
  expect(applied.outputs, allOutput(applied)).toMatchObject({ result: 'applied' });
  const after = await runAction(release, { command: 'drift', paths: 'gateway' }, machine);
  expect(after.outputs).toMatchObject({ result: 'no-drift' });
});

it('fails as gwconf does, with annotations, and still keeps the report', async () => {
  const run = await runAction(release, { command: 'validate', paths: 'broken.yaml' }, machine);
  expect([run.result, run.outputs['result']]).toEqual(['failure', 'error']);
  expect(allOutput(run)).toContain('::error file=broken.yaml,line=1');
  expect(uploadIn(run)).toMatchObject({ outcome: 'not run', with: { name: 'gwconf-validate' } });
});

it('saves the plan where it is told, in a folder', async () => {
  sandbox.copy('examples/quickstart', 'teams/a/gateway');
  const run = await runAction(
    release,
    { 'working-directory': 'teams/a', paths: 'gateway\n', 'plan-file': 'saved plan.json' },
    machine,
  );
  expect(run.outputs, allOutput(run)).toMatchObject({ 'plan-file': 'saved plan.json' });
  const { name, path = '' } = uploadIn(run)?.with ?? {};
  expect(name).toBe('gwconf-plan@teams@a'); // not that of an environment or a folder teams-a
  expect(readFileSync(join(path, 'plan.json'), 'utf8')).toBe(
    readFileSync(join(sandbox.folder, 'teams/a/saved plan.json'), 'utf8'),
  );
});

it('writes one comment for each environment and folder, also when the command fails', async () => {
  const forge = await serveForge(githubApi);
  forge.tokens.set('ghs_token', { account: 'github-actions[bot]', rights: 'write' });
  const pullRequest = (from: string): Machine => ({
    ...machine,
    github: {
      ...machine.github,
      event_name: 'pull_request',
      event: { pull_request: { number: 12, head: { repo: { full_name: from } } } },
    },
    env: { ...machine.env, ...forge.env },
  });
  const run = async (from: string, given: Readonly<Record<string, string>>): Promise<JobRun['result']> =>
    (await runAction(release, { command: 'validate', comment: 'true', ...given }, pullRequest(from))).result;
  expect(await run('acme/gateway', { paths: 'broken.yaml' })).toBe('failure');
  expect(await run('acme/gateway', { paths: '../../broken.yaml', 'working-directory': 'teams/a' })).toBe(
    'failure',
  );
  const requests = forge.requests.length;
  expect(await run('someone/gateway', { paths: 'gateway' })).toBe('success');
  expect(forge.requests).toHaveLength(requests);
  expect(forge.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('missing-field'),
    expect.stringContaining('`teams/a`'),
  ]);
  expect(forge.faults).toEqual([]);
});

it('brings Node.js where there is none that is new enough', async () => {
  const script = '#!/bin/sh\ncase "$1" in -e) exit 1 ;; *) exec "$NODE" "$@" ;; esac\n';
  sandbox.write('old/node', script);
  await sandbox.bash('chmod +x old/node');
  const PATH = `${join(sandbox.folder, 'old')}:/usr/local/bin:/usr/bin:/bin`;
  const old = { ...machine, env: { ...machine.env, PATH, NODE: process.execPath } };
  const run = await runAction(release, { command: 'validate', paths: 'gateway' }, old);
  expect(setupOfNode(run)).toBe('not run'); // this machine does not have that action
});

it('is released without anything to build or fetch, the same each time', async () => {
  const { code, stdout } = await sandbox.bash(`
    mkdir -p again/.git && touch again/.git/config again/stale
    node ${ROOT}/scripts/pack-action.mjs again
    diff --recursive --exclude=.cache again ${release} || true
  `);
  expect([code, stdout]).toEqual([0, 'Only in again: .git\n']);
  const about: unknown = JSON.parse(readFileSync(join(release, 'package.json'), 'utf8'));
  expect(about).not.toHaveProperty('scripts');
  expect(about).not.toHaveProperty('devDependencies');
  expect(about).not.toHaveProperty('dependencies');
});

it('has hooks for pre-commit that find what is wrong', async () => {
  // What pre-commit does with `language: node`, after it has cloned the release.
  const installed = await sandbox.bash(`
    npm install --silent --global --prefix hooks --install-links ${release}
    mkdir project && cp -r gateway project
  `);
  expect(installed.code, installed.stderr).toBe(0);
  const hooks = parse(readFileSync(join(release, '.pre-commit-hooks.yaml'), 'utf8')) as readonly {
    readonly id: string;
    readonly entry: string;
    readonly files: string;
  }[]; // runs below
  const run = async (): Promise<unknown> =>
    Promise.all(
      hooks.map(async ({ id, entry }) => {
        const { code } = await sandbox.bash(`PATH=$PWD/hooks/bin:$PATH; cd project; ${entry}`);
        return [id, code];
      }),
    );
  expect(await run()).toEqual([
    ['gwconf-validate', 0],
    ['gwconf-fmt', 0],
  ]);
  sandbox.write('project/gateway/broken.yaml', BROKEN);
  expect(await run()).toEqual([
    ['gwconf-validate', 1],
    ['gwconf-fmt', 1],
  ]);
  expect(hooks.every(({ files }) => new RegExp(files).test('gateway/topics.yaml'))).toBe(true);
});

function setupOfNode({ steps }: JobRun): unknown {
  return steps.find(({ step }) => step.uses?.includes('setup-node') === true)?.outcome;
}

function uploadIn({ steps }: JobRun): JobRun['steps'][number] | undefined {
  return steps.find(({ step }) => step.uses?.startsWith('actions/upload-artifact@') === true);
}
