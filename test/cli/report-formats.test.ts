import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorld, wrongUsage } from '../support/cli.ts';
import { runHere } from '../support/in-process.ts';
import { all, cluster, documentOf, projectOf } from '../support/documents.ts';

const CLUSTER = cluster('prod');
// The embedded gateway has no physical cluster of this name, which files alone cannot tell.
const REFUSED = all(
  cluster('prod', '{ type: Partner, aclEnabled: true, superUsers: [admin] }'),
  documentOf('AliasTopic', '{ name: orders, vCluster: prod }', '{ physicalName: a, physicalCluster: far }'),
);
const MISSPELT = documentOf('AliasTopic', '{ name: orders }', '{ phsicalName: a }');
const URL = ['--url', 'embedded:gateway.json'];
const ERROR = '::error file=topics.yaml,line=4,col=9,title=gwconf unknown-field::';

describe('-o sarif, junit and github', () => {
  it('print the problems of validate', async () => {
    const world = makeWorld({ 'topics.yaml': MISSPELT });
    const github = await world.run('validate', '.', '-o', 'github');
    expect(github.code).toBe(1);
    expect(github.out).toContain(ERROR);
    expect(rulesIn((await world.run('validate', '.', '-o', 'sarif')).out)).toContain('unknown-field');
    expect((await world.run('validate', '.', '-o', 'junit')).out).toContain('<failure type="unknown-field"');
  });

  it('go to files beside each other and beside what people read', async () => {
    const world = makeWorld({ 'topics.yaml': MISSPELT });
    const formats = ['sarif=out/a.sarif', 'junit=out/a.xml', 'github=out/a.txt', 'json=out/a.json'];
    const ran = await world.run('validate', '.', ...formats.flatMap((format) => ['-o', format]));
    expect(ran.out).toMatch(/^Not valid: /);
    expect(rulesIn(world.read('out/a.sarif'))).toContain('unknown-field');
    expect(world.read('out/a.xml')).toContain('<failure type="unknown-field"');
    expect(world.read('out/a.txt')).toContain(ERROR);
    expect(world.json('out/a.json')).toMatchObject({ result: 'error' });
  });

  it('say that nothing was found', async () => {
    const world = makeWorld({ 'clusters.yaml': CLUSTER });
    expect(await world.run('validate', '.', '-o', 'github')).toMatchObject({ code: 0, out: '' });
    expect(rulesIn((await world.run('validate', '.', '-o', 'sarif')).out)).toEqual([]);
    expect((await world.run('validate', '.', '-o', 'junit')).out).toContain('name="no problems"');
  });

  it('print the problems of plan and of apply, before and behind the gateway', async () => {
    const world = makeWorld({ 'topics.yaml': MISSPELT });
    for (const command of [['plan'], ['apply', '--auto-approve']]) {
      const ran = await world.run(...command, '-f', '.', ...URL, '-o', 'github');
      expect(ran.code).toBe(1);
      expect(ran.out).toContain(ERROR);
    }
    world.write('topics.yaml', REFUSED);
    const refused = await world.run('apply', '-f', '.', '--auto-approve', ...URL, '-o', 'sarif=a.sarif');
    expect(refused.code).toBe(5);
    expect(rulesIn(world.read('a.sarif'))).toContain('gateway-error');
  });

  it('say of the run what stands in no file', async () => {
    const world = makeWorld({ 'clusters.yaml': CLUSTER });
    const ran = await world.run('plan', '-f', '.', '--url', 'http://127.0.0.1:1', '-o', 'sarif');
    expect(ran.code).toBe(1);
    expect(rulesIn(ran.out)).toEqual([]);
    expect(ran.out).toContain('"executionSuccessful": false');
    expect(ran.out).toContain('"id": "connection-error",\n');
  });

  it('name files from the top of the repository, wherever gwconf runs in it', async () => {
    const world = makeWorld({ '.git/HEAD': '', 'infra/topics.yaml': MISSPELT });
    const ran = await runHere(
      { cwd: join(world.folder, 'infra') },
      ...['validate', '.', '-o', 'github', '-o', 'sarif=a.sarif', '-o', 'gitlab-quality=a.json'],
    );
    expect(ran.out).toContain('::error file=infra/topics.yaml,line=4,');
    expect(ran.err).toContain('--> topics.yaml:4');
    expect(world.read('infra/a.sarif')).toContain('"uri": "infra/topics.yaml"');
    expect(world.read('infra/a.json')).toContain('"path": "infra/topics.yaml"');
  });

  it('are named when another is asked for', async () => {
    const world = makeWorld({ 'clusters.yaml': CLUSTER });
    for (const format of ['xml', 'constructor', 'toString=a']) {
      expect(await world.run('validate', '.', '-o', format)).toMatchObject({
        code: 64,
        err: wrongUsage(
          `expected -o human, json, ndjson, markdown, html, step-summary, sarif, junit, github, gitlab-quality or FORMAT=FILE; found ${format}`,
        ),
      });
    }
  });
});

function rulesIn(text: string): readonly string[] {
  const { runs } = JSON.parse(text) as { runs: readonly { results: readonly { ruleId: string }[] }[] };
  return runs.flatMap(({ results }) => results.map(({ ruleId }) => ruleId));
}

describe('the environment of gwconf.yaml', () => {
  const PROJECT = projectOf({ prod: 'files: [files]' });

  it('is in the reports and titles of plan, drift, apply and a saved plan', async () => {
    const world = makeWorld({ 'gwconf.yaml': PROJECT, 'files/clusters.yaml': CLUSTER });
    const commands: readonly (readonly [readonly string[], title: string])[] = [
      [['plan', '--out', 'plan.json', ...URL], 'Plan for prod: 1 to create'],
      [['show', 'plan.json'], 'Plan for prod: 1 to create'],
      [['drift', ...URL], 'Drift in prod: 1 not live'],
      [['apply', 'plan.json', ...URL], 'Applied to prod: 1 done'],
      [['drift', ...URL], 'No drift in prod'],
    ];
    for (const [command, title] of commands) {
      const ran = await world.run(...command, '-o', 'json=report.json', '-o', 'markdown=report.md');
      expect(ran.code).toBe(0);
      expect(world.json('report.json')).toMatchObject({ environment: 'prod' });
      expect(world.read('report.md')).toContain(title);
      if (command[0] !== 'apply')
        expect(ran.out).toContain('Gateway embedded:gateway.json, environment prod\n');
    }
  });

  it('is in a report of what failed, and absent where none is chosen', async () => {
    const world = makeWorld({ 'gwconf.yaml': PROJECT, 'files/topics.yaml': MISSPELT });
    for (const command of [['plan'], ['drift'], ['apply', '--auto-approve']]) {
      await world.run(...command, ...URL, '-o', 'json=report.json');
      expect(world.json('report.json')).toMatchObject({ result: 'error', environment: 'prod' });
    }
    const bare = makeWorld({ 'clusters.yaml': CLUSTER });
    const ran = await bare.run('plan', ...URL, '-o', 'json');
    expect(JSON.parse(ran.out)).not.toHaveProperty('environment');
  });
});
