import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeWorkflow } from '../../src/cli/commands/init-files.ts';
import { lintActions } from '../support/actions/lint.ts';
import type { Action } from '../support/actions/runner.ts';
import { readDocument } from '../support/markdown.ts';
import { ROOT } from '../support/sandbox.ts';

const EXAMPLE = join(ROOT, 'examples/github-repo');

it('action.yml has no problem that the linters know', async () => {
  expect(await lintActions('action.yml', readFileSync(join(ROOT, 'action.yml'), 'utf8'))).toEqual([]);
});

it.each(readdirSync(join(EXAMPLE, '.github/workflows')))('%s of the example has none', async (name) => {
  const path = `.github/workflows/${name}`;
  expect(await lintActions(path, readFileSync(join(EXAMPLE, path), 'utf8'), EXAMPLE)).toEqual([]);
});

it('the workflow that releases gwconf has none', async () => {
  const path = '.github/workflows/release.yaml';
  expect(await lintActions(path, readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
});

it('the workflow of gwconf init has none', async () => {
  const text = makeWorkflow({
    environment: 'prod',
    url: 'https://gateway:8888',
    secrets: ['VAULT_TOKEN'],
    open: ['TEAM'],
    login: ['GWCONF_PASSWORD'],
  });
  expect(await lintActions('.github/workflows/init.yml', text)).toEqual([]);
});

it('finds what is wrong in an action, a workflow and a script', async () => {
  const action =
    'name: a\ndescription: b\nruns:\n  using: composite\n  steps: [{ run: echo $X, extra: 1 }]\n';
  const workflow =
    'on: push\njobs: { a: { runs-on: x, env: { A: "${{ foo.x }}" }, steps: [{ run: ls, id: 1 a }] } }\n';
  const found = [
    ...(await lintActions('action.yml', action)),
    ...(await lintActions('.github/workflows/a.yml', workflow)),
  ];
  expect(found.map((problem) => problem.split('\n')[0])).toEqual([
    "action.yml:5: Unexpected value 'extra'",
    'action.yml:5: Required property is missing: shell',
    'action.yml: SC2086 in line 1: Double quote to prevent globbing and word splitting.',
    ".github/workflows/a.yml:2: Unrecognized named-value: 'foo'",
    expect.stringContaining("The identifier '1 a' is invalid"),
  ]);
});

it('action.yml reads only inputs that it has, and outputs of steps that it has', () => {
  const text = readFileSync(join(ROOT, 'action.yml'), 'utf8');
  const names = (pattern: RegExp): readonly string[] => [
    ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
  ];
  const inputs = names(/^ {2}([\w-]+):\n {4}description/gm);
  expect(names(/inputs\.([\w-]+)/g).filter((name) => !inputs.includes(name))).toEqual([]);
  const written = [...names(/echo "?([\w-]+)=/g), 'result', 'changes']; // gwconf writes these two
  expect(names(/steps\.\w+\.outputs\.([\w-]+)/g).filter((name) => !written.includes(name))).toEqual([]);
  expect(names(/steps\.(\w+)\./g).filter((id) => !names(/- id: (\w+)/g).includes(id))).toEqual([]);
});

it('docs/reference/install.md has the inputs and outputs of action.yml', () => {
  const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action; // linted above
  const section = readDocument('docs/reference/install.md')
    .split(/^## /m)
    .find((text) => text.startsWith('The GitHub action'));
  const named = [...(section ?? '').matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(named).toEqual([...Object.keys(action.inputs ?? {}), ...Object.keys(action.outputs ?? {})]);
});
