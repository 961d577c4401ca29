import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FleetReport } from '../../../src/outcome/fleet.ts';
import { makeWorld, verdictOf, wrongUsage, type World } from '../../support/cli.ts';
import { alias, all, cluster, projectOf } from '../../support/documents.ts';

/** Three environments with a gateway each; `own` is what one has beside the others. */
function makeFleet(own: Readonly<Record<string, string>> = {}): World {
  const names = ['canary', 'eu-one', 'eu-two'];
  const environments = names.map(
    (name) =>
      `  ${name}: { gateway: { url: "embedded:${name}.json" }, files: [shared${name in own ? `, ${name}.yaml` : ''}] }\n`,
  );
  const world = makeWorld({
    'gwconf.yaml': `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${environments.join('')}`,
    'shared/all.yaml': all(cluster('prod'), alias('orders', 'orders-v1', 'prod')),
  });
  for (const [name, text] of Object.entries(own)) world.write(`${name}.yaml`, text);
  return world;
}

describe('--env with several environments', () => {
  it('plans each, and tells once what is the same', async () => {
    const world = makeFleet({ 'eu-two': alias('extra', 'extra-v1', 'prod') });
    const { out, err, code } = await world.run('plan', '--env', '*');
    expect(out).toBe(`  Environment  Result   Gateway               Found
  canary       changes  embedded:canary.json  Plan: 2 to create, 0 to update, 0 to replace, 0 to delete. 0 unchanged.
  eu-one       changes  embedded:eu-one.json  Plan: 2 to create, 0 to update, 0 to replace, 0 to delete. 0 unchanged.
  eu-two       changes  embedded:eu-two.json  Plan: 3 to create, 0 to update, 0 to replace, 0 to delete. 0 unchanged.

=== The same in all 3 environments
  + VirtualCluster/prod  shared/all.yaml:1
  + AliasTopic/orders@vCluster=prod  shared/all.yaml:6
      + physicalName: orders-v1

=== eu-two
  + AliasTopic/extra@vCluster=prod  eu-two.yaml:1
      + physicalName: extra-v1

3 environments: changes in 3.
`);
    expect(err).toBe('result: changes\n');
    expect(code).toBe(0);
  });

  it('says in how many of them a change is, and whose it is not', async () => {
    const world = makeFleet({
      canary: alias('orders', 'other', 'prod').replace('metadata', 'overlay: true\nmetadata'),
    });
    const { out } = await world.run('plan', '--env', 'canary,eu-*', '-o', 'json');
    const { same, differing, summary, result } = JSON.parse(out) as FleetReport;
    expect(same).toEqual([
      { environments: ['canary', 'eu-one', 'eu-two'], list: 'changes', addresses: ['VirtualCluster/prod'] },
      { environments: ['eu-one', 'eu-two'], list: 'changes', addresses: ['AliasTopic/orders@vCluster=prod'] },
    ]);
    expect({ differing, summary, result }).toEqual({
      differing: ['canary'],
      summary: { environments: 3, results: [{ result: 'changes', environments: 3 }] },
      result: 'changes',
    });
  });

  it.each(['plan', 'drift', 'apply --auto-approve', 'plan --out plans'])(
    'fails for a --target that none of them has, and warns where one has it: %s',
    async (command) => {
      const world = makeFleet({ 'eu-two': alias('extra', 'extra-v1') });
      const run = (target: string) => world.run(...command.split(' '), '--env', '*', '--target', target);
      const typo = await run('AliasTopic/extr@*');
      expect(typo.err).toContain(
        'error[unmatched-target]: AliasTopic/extr@* matches no object in the files or on the gateway\n',
      );
      expect([verdictOf(typo), typo.code]).toEqual(['result: error', 1]);
      expect(existsSync(join(world.folder, 'plans/eu-one.plan.json'))).toBe(false);
      const one = await run('AliasTopic/extra@*');
      expect(one.err).toContain('warning[unmatched-target]');
      expect(one.code, one.err).toBe(0);
    },
  );

  it('is as if it were named where it chooses one, and the same one twice is one', async () => {
    const world = makeFleet();
    const single = await world.run('plan', '--env', 'canary');
    expect(await world.run('plan', '--env', 'can*')).toEqual(single);
    expect(await world.run('plan', '--env', 'canary', '--env', 'canary')).toEqual(single);
    expect(await world.run('plan', '--env', '*,!eu-*')).toEqual(single);
    world.env['GWCONF_ENV'] = 'canary,c*';
    expect(await world.run('plan')).toEqual(single);
  });

  it.each([
    ['us-*', 'no environment of gwconf.yaml matches us-*; it has canary, eu-one, eu-two'],
    ['canary,us', 'gwconf.yaml has no environment us; it has canary, eu-one, eu-two'],
    [
      'canary,',
      "expected names of environments and globs with commas between; found 'canary,'; set the variable that it comes from, or leave out the comma",
    ],
    ['*,!*', "'*,!*' leaves no environment of gwconf.yaml; it has canary, eu-one, eu-two"],
  ])('refuses what chooses nothing: %s', async (wanted, sentence) => {
    const { err, code } = await makeFleet().run('drift', '--env', wanted);
    expect({ err, code }).toEqual({ err: wrongUsage(sentence), code: 64 });
  });

  it.each([
    [
      '--url embedded:',
      '--url is for one environment, and 3 are chosen: leave it out, or choose one; gwconf.yaml can say it for each',
    ],
    ['--snapshot s.json', '--snapshot is for one environment, and 3 are chosen: leave it out, or choose one'],
    ['-f -', 'stdin can be read once, and 3 environments are chosen: name a file'],
  ])('refuses what is of one environment: %s', async (flags, sentence) => {
    const { err } = await makeFleet().run('plan', '--env', '*', ...flags.split(' '));
    expect(err).toBe(wrongUsage(sentence));
  });

  it('refuses to send all to the gateway that a variable names', async () => {
    const world = makeFleet();
    world.write(
      'gwconf.yaml',
      world.read('gwconf.yaml').replace('gateway: { url: "embedded:eu-two.json" }, ', ''),
    );
    world.env['GWCONF_URL'] = 'embedded:one.json';
    const { err } = await world.run('plan', '--env', '*');
    expect(err).toBe(
      wrongUsage(
        'eu-two: write url under gateway of the environment in gwconf.yaml: several gateways are meant, and a variable names one',
      ),
    );
  });

  it('has the result of the worst, and says in which environment something is wrong', async () => {
    const world = makeFleet({ 'eu-two': 'kind: [' });
    const { err, out, code } = await world.run('plan', '--env', '*', '--detailed-exitcode');
    expect(err).toContain('error[invalid-yaml]');
    expect(err).toContain('(in eu-two)');
    expect(out).toContain('eu-two       error    embedded:eu-two.json  Plan for eu-two failed');
    expect(out).toContain('3 environments: error in 1, changes in 2.');
    expect([verdictOf({ err }), code]).toEqual(['result: error', 1]);
    expect((await world.run('plan', '--env', 'c*,eu-one', '--detailed-exitcode')).code).toBe(2);
  });

  it('ends with the problems of gwconf.yaml, once', async () => {
    const world = makeFleet();
    world.write('gwconf.yaml', `${world.read('gwconf.yaml')}more: 1\n`);
    const { err, code } = await world.run('validate', '--env', '*');
    expect(err.match(/unknown-field/g)).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('gives each its own variables, and shows no secret of another', async () => {
    const world = makeFleet();
    const said = ['canary', 'eu-one', 'eu-two'].map(
      (name, at) => `variables: { topic: topic-${at} }, gateway: { url: "embedded:${name}.json" }`,
    );
    const [one = '', two = '', three = ''] = said;
    world.write(
      'gwconf.yaml',
      projectOf({
        a: `${one}, files: [shared]`,
        b: `${two}, files: [shared]`,
        c: `${three}, files: [shared]`,
      }),
    );
    world.write('shared/all.yaml', all(cluster('prod'), alias('orders', '"${var.topic}"', 'prod')));
    const { out } = await world.run('plan', '--env', '*', '-o', 'json');
    const { environments } = JSON.parse(out) as FleetReport;
    const names = environments.map(({ outcome }) =>
      outcome.format === 'gwconf/plan-report@1' ? JSON.stringify([...outcome.changes].at(-1)?.fields) : '',
    );
    expect(names.map((text) => /topic-\d/.exec(text)?.[0])).toEqual(['topic-0', 'topic-1', 'topic-2']);
  });
});

describe('other commands', () => {
  it('validate, and a report in each format', async () => {
    const world = makeFleet({ canary: alias('odd', '""', 'prod') });
    const files = ['sarif', 'junit', 'markdown', 'html', 'ndjson', 'gitlab-quality', 'github'];
    const { out, code } = await world.run(
      'validate',
      '--env',
      '*',
      ...files.flatMap((one) => ['-o', `${one}=${one}.out`]),
    );
    expect(out).toBe(`  Environment  Result  Found
  canary       error   Not valid: 3 resources, 1 error, 0 warnings
  eu-one       valid   Valid: 2 resources, 0 errors, 0 warnings.
  eu-two       valid   Valid: 2 resources, 0 errors, 0 warnings.

3 environments: error in 1, valid in 2.
`);
    expect(code).toBe(1);
    for (const one of files) expect(world.read(`${one}.out`)).toMatch(/canary/);
  });

  it('drift', async () => {
    const world = makeFleet();
    await world.run('apply', '--env', 'canary', '--auto-approve');
    const { out, code } = await world.run('drift', '--env', '*', '--detailed-exitcode');
    expect(out).toContain('canary       no drift');
    expect(out).toContain('=== The same in eu-one and eu-two\nDeclared, not live:\n');
    expect(out).toContain('3 environments: drift in 2, no drift in 1.');
    expect(code).toBe(2);
  });

  it('diff, of one with each of the others', async () => {
    const world = makeFleet({ 'eu-two': alias('extra', 'extra-v1', 'prod') });
    const { out } = await world.run('diff', '--from', 'canary', '--env', '*');
    expect(out).not.toContain('  canary ');
    expect(out).toContain('eu-one       no differences');
    expect(out).toContain('=== eu-two\n');
    await world.run('apply', '--env', 'eu-two', '--auto-approve');
    const live = await world.run('diff', '--from', 'eu-two', '--env', 'eu-*', '--to', 'live:');
    expect(live.out).toContain('eu-two       no differences');
    expect((await world.run('diff', '--from', 'canary', '--env', 'eu-one')).out).toBe(
      (await world.run('diff', '--from', 'canary', '--to', 'eu-one')).out,
    );
    expect((await world.run('diff', '--from', 'canary', '--env', 'eu-*', '--to', 'x')).err).toContain(
      '--env and --to both name what --from is compared with',
    );
  });

  it('test, effective and doctor', async () => {
    const world = makeFleet();
    world.write(
      'clients.gwtest.yaml',
      'apiVersion: gwconf/v1\nkind: Test\ncases:\n  - name: nobody is masked\n    as: { virtualCluster: prod }\n    expect: { chain: [] }\n',
    );
    const tests = await world.run('test', '--env', '*', '-o', 'junit=tests.xml');
    expect(tests.out, tests.err).toContain('3 environments: passed in 3.');
    expect(world.read('tests.xml').match(/<testcase /g)).toHaveLength(3);
    expect((await world.run('effective', '--env', '*')).out).toContain('3 environments: ok in 3.');
    const doctor = await world.run('doctor', '--env', '*');
    expect(doctor.out).toContain('=== The same in all 3 environments\n');
    expect(doctor.out).toContain('3 environments: ok in 3.');
    expect((await world.run('doctor', '--deep', '--env', '*')).out).toContain('no differences in 3');
  });
});
