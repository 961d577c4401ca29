import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Action, allOutput, type Machine, runAction } from '../support/actions/runner.ts';
import { makeSandbox, ROOT, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
let machine: Machine;
beforeAll(() => {
  sandbox = makeSandbox();
  sandbox.copy('examples/quickstart', 'gateway');
  const github = { event_name: 'push', repository: 'acme/gateway', token: 'ghs_token' };
  machine = { sandbox, github, env: { GWCONF_URL: 'embedded:practice.json' } };
});
afterAll(() => {
  sandbox.remove();
});

it('the action never runs an input as a command', async () => {
  const hostile = '$(touch pwned) `touch pwned` "; touch pwned #\' *';
  const run = await runAction(
    ROOT,
    { paths: `${hostile}\ngateway`, environment: hostile, base: hostile, args: `--target ${hostile}` },
    machine,
  );
  expect(run.result).toBe('failure');
  const other = await runAction(
    ROOT,
    { command: hostile, 'plan-file': `${hostile}\nresult=applied` },
    machine,
  );
  expect([other.result, other.outputs['result']]).toEqual(['failure', '']);
  const told = await runAction(ROOT, { command: 'validate', paths: `gateway\n${hostile}` }, machine);
  expect(allOutput(told)).toContain("pwned #' * cannot be read");
  expect(readdirSync(sandbox.folder)).not.toContain('pwned');
});

it('the action takes no plan-file for a flag', async () => {
  const given = { command: 'apply', 'plan-file': '--auto-approve', args: '-f gateway' };
  const run = await runAction(ROOT, given, machine);
  expect([run.result, run.outputs['result']], allOutput(run)).toEqual(['failure', 'wrong-usage']);
});

it.each([
  ['a link to another file', 'ln -s ../outside.json plan.json', { paths: 'gateway' }],
  ['a file, where the plan fails', 'cp ../outside.json plan.json', { paths: 'missing.yaml' }],
  [
    'a file, where no plan is made',
    'cp ../outside.json plan.json',
    { command: 'validate', paths: 'gateway' },
  ],
])('the action keeps no plan of the pull request as its own: %s', async (_, commit, given) => {
  await sandbox.bash(`echo private > ../outside.json; rm -f plan.json; ${commit}`);
  const run = await runAction(ROOT, { 'plan-file': 'plan.json', ...given }, machine);
  expect(run.outputs['plan-file'], allOutput(run)).toBe('');
  const { path = '' } = run.steps.find(({ step }) => step.uses?.includes('upload-artifact'))?.with ?? {};
  expect(readdirSync(path)).toContain('report.json');
  expect(readdirSync(path)).not.toContain('plan.json');
});

it('the action gives the token of the job to the step that comments, and to no other', () => {
  const { runs } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action; // its linter checks it
  const withToken = runs.steps.filter((step) => /token|secrets/i.test(JSON.stringify(step)));
  expect(withToken.map(({ run = '' }) => run.includes('gwconf.cjs" comment'))).toEqual([true]);
  expect(withToken[0]?.if).toContain('pull_request.head.repo.full_name == github.repository');
});
