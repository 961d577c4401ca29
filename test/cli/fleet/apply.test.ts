import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FleetReport } from '../../../src/outcome/fleet.ts';
import type { RunsReport } from '../../../src/outcome/run.ts';
import { makeWorld, verdictOf, wrongUsage, type World } from '../../support/cli.ts';
import { alias, all, cluster } from '../../support/documents.ts';
import { LOGIN, serve } from '../../support/served.ts';

const NAMES = ['canary', 'eu-1', 'eu-2', 'us'];

/** Four environments with a gateway each, and the waves of gwconf.yaml. */
function makeFleet(waves = ''): World {
  const environments = NAMES.map(
    (name) => `  ${name}: { gateway: { url: "embedded:${name}.json" }, files: [shared, ${name}.yaml] }\n`,
  );
  return makeWorld({
    'gwconf.yaml': `apiVersion: gwconf/v1\nkind: Project\n${waves}environments:\n${environments.join('')}`,
    'shared/all.yaml': all(cluster('prod'), alias('orders', 'orders-v1', 'prod')),
    ...Object.fromEntries(NAMES.map((name) => [`${name}.yaml`, '# nothing\n'])),
  });
}

const WAVES = `waves: [[canary], { environments: [eu-*], wait: 10m, check: [drift, doctor] }, ['*']]\n`;

/** Where the gateway has what the files say. */
async function applied(world: World): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of NAMES) {
    const { out } = await world.run('get', '--env', name, '-o', 'name');
    if (out.includes('AliasTopic/orders')) found.push(name);
  }
  return found;
}

function reportOf(out: string): FleetReport {
  return JSON.parse(out) as FleetReport;
}

function statesOf({ environments, waves = [] }: FleetReport): readonly string[] {
  return [
    ...environments.map(({ environment, state, outcome }) => `${environment} ${state} ${outcome.result}`),
    ...waves.map(({ environments: names, state }) => `${names.join('+')} ${state}`),
  ];
}

describe('apply of several environments', () => {
  it('shows all plans, asks once, and applies them', async () => {
    const world = makeFleet();
    const { out, err, questions, code } = await world.runWith({ answer: 'yes' }, 'apply', '--env', '*');
    expect(questions).toEqual(['Apply these changes to 4 environments? Type yes to confirm: ']);
    expect(out).toContain('=== The same in all 4 environments\n  + VirtualCluster/prod  shared/all.yaml:1\n');
    expect(out).toContain('4 environments: applied in 4.\n');
    expect(err).toContain('[eu-2] [2/2] + AliasTopic/orders@vCluster=prod  done\n');
    expect([verdictOf({ err }), code]).toEqual(['result: applied', 0]);
    expect(await applied(world)).toEqual(NAMES);
    const journals = await world.run('journal', '-o', 'json');
    const { runs } = JSON.parse(journals.out) as RunsReport;
    // Those that begin side by side have numbers of their own.
    expect(runs.map(({ number }) => number)).toEqual([4, 3, 2, 1]);
    expect(new Set(runs.map(({ environment }) => environment))).toEqual(new Set(NAMES));
    const again = await world.run('apply', '--env', '*', '--auto-approve');
    expect(again.out).toContain('4 environments: no changes in 4.');
    expect(verdictOf(again)).toBe('result: no-changes');
  });

  it('changes nothing without a yes, and leaves no plans behind', async () => {
    const world = makeFleet();
    const { err, code } = await world.runWith({ answer: 'no' }, 'apply', '--env', '*');
    expect(err).toContain('Cancelled. Nothing was changed.\n');
    expect([verdictOf({ err }), code]).toEqual(['result: blocked', 3]);
    expect(await applied(world)).toEqual([]);
    expect(readdirSync(join(world.folder, '.gwconf/journal'))).toEqual([]);
    expect((await world.run('apply', '--env', '*')).err).toBe(
      wrongUsage('cannot ask for approval without a terminal: use --auto-approve, or apply saved plans'),
    );
    expect((await world.run('apply', '--env', '*', '--auto-approve', '--journal', 'none')).err).toBe(
      wrongUsage('several environments are not applied without a journal: leave out --journal none'),
    );
  });

  it('begins no write where one plan cannot be made, asks nothing, and shows the plans once', async () => {
    const world = makeFleet();
    world.write('eu-2.yaml', 'kind: [');
    const asked = await world.runWith({ answer: 'yes' }, 'apply', '--env', '*');
    expect([asked.questions, asked.out.match(/=== The same in/g)]).toEqual([[], ['=== The same in']]);
    expect(asked.err.match(/error\[\S+\]/g)).toEqual(['error[invalid-yaml]']);
    const annotated = await world.run('apply', '--env', '*', '--auto-approve', '-o', 'github');
    expect(annotated.out).toMatch(/^::error .*file=eu-2\.yaml/m);
    const { out, code } = await world.run('apply', '--env', '*', '--auto-approve', '-o', 'json');
    expect(statesOf(reportOf(out))).toEqual([
      'canary not-begun changes',
      'eu-1 not-begun changes',
      'eu-2 ended error',
      'us not-begun changes',
    ]);
    expect(code).toBe(1);
    expect(await applied(world)).toEqual([]);
  });

  it('takes environments with one gateway one after another', async () => {
    const world = makeFleet();
    world.write('gwconf.yaml', world.read('gwconf.yaml').replace('embedded:eu-2', 'embedded:eu-1'));
    const { out } = await world.run('apply', '--env', 'eu-*', '--auto-approve', '-o', 'json');
    // The first has made what the second would make.
    expect(statesOf(reportOf(out))).toEqual(['eu-1 ended applied', 'eu-2 ended no-changes']);
  });
});

describe('waves', () => {
  it('begin when the one before has ended well, with its checks', async () => {
    const world = makeFleet(WAVES);
    const { out, err } = await world.run('apply', '--env', '*', '--auto-approve', '-o', 'json');
    const report = reportOf(out);
    expect(statesOf(report)).toEqual([
      ...NAMES.map((name) => `${name} ended applied`),
      'canary ended',
      'eu-1+eu-2 ended',
      'us ended',
    ]);
    expect(
      report.waves?.[1]?.checks.map(({ check, environment, result }) => [check, environment, result]),
    ).toEqual([
      ['drift', 'eu-1', 'no-drift'],
      ['drift', 'eu-2', 'no-drift'],
      ['doctor', 'eu-1', 'ok'],
      ['doctor', 'eu-2', 'ok'],
    ]);
    expect(err).toContain('Wave 2 of 3: eu-1, eu-2.\n');
    expect(err).toContain('Waiting 10 minutes.\n');
    expect(await applied(world)).toEqual(NAMES);
  });

  it('stop at a plan that cannot be made; what was before is applied, and the cure is another plan', async () => {
    const world = makeFleet(WAVES);
    world.write('eu-2.yaml', 'kind: [');
    const stopped = await world.run('apply', '--env', 'canary,eu-*,us', '--auto-approve', '-o', 'json');
    expect(statesOf(reportOf(stopped.out))).toEqual([
      'canary ended applied',
      'eu-1 not-begun changes',
      'eu-2 ended error',
      'us not-begun changes',
      'canary ended',
      'eu-1+eu-2 not-begun',
      'us not-begun',
    ]);
    expect(stopped.err).toContain(
      'Wave 2 of 3 is not begun: there is no plan that can be applied for eu-2.\n',
    );
    expect(stopped.err).not.toContain('gwconf apply --resume'); // which would stop there again
    expect(stopped.err).toContain('When that is mended, plan and apply all environments again');
    const [, others = ''] = /with --env '(.*)'\n/.exec(stopped.err) ?? [];
    expect(others).toBe('canary,eu-*,us,!eu-2');
    expect((await world.run('validate', '--env', others)).code).toBe(0); // it works as it is printed
    expect(await applied(world)).toEqual(['canary']);
  });

  it('are no success for a build server where one is not begun and no problem says why', async () => {
    const world = makeFleet(WAVES);
    world.write('eu-2.yaml', alias('orders', 'another', 'prod')); // which is declared otherwise for all
    await world.run('plan', '--env', '*', '--out', 'plans');
    const formats = ['-o', 'junit=report.xml', '-o', 'sarif=report.json'];
    expect((await world.run('apply', 'plans', ...formats)).code).toBe(1);
    expect(await applied(world)).toEqual(['canary']);
    expect(world.read('report.xml')).toContain('<testcase classname="gwconf" name="result: error">');
    expect(world.read('report.xml')).toContain(' tests="1" failures="1" ');
    expect(world.read('report.json')).toContain('"executionSuccessful": false');
  });

  it('say to plan again, and not to go on, where a plan was applied before', async () => {
    const world = makeFleet(WAVES);
    await world.run('plan', '--env', '*', '--out', 'plans');
    expect((await world.run('apply', 'plans')).code).toBe(0);
    rmSync(join(world.folder, 'canary.json')); // somebody takes it back
    const again = await world.run('apply', 'plans');
    expect(again.err).toContain('error[applied-plan]');
    expect(again.err).toContain('plan and apply all environments again');
    expect(again.err).not.toContain('gwconf apply --resume');
  });

  it('are not gone on with where a gateway refuses what the plan has', async () => {
    const there = await serve(
      {},
      {
        intercept: ({ method, url }, handle) =>
          Promise.resolve(
            method === 'PUT' && url.includes('alias-topic')
              ? { status: 400, body: { title: 'Bad request' } }
              : handle(),
          ),
      },
    );
    const world = makeFleet(WAVES);
    Object.assign(world.env, LOGIN);
    world.write('gwconf.yaml', world.read('gwconf.yaml').replace('embedded:canary.json', there.url));
    const { err } = await world.run('apply', '--env', '*', '--auto-approve');
    expect(err).toContain('(400): Bad request');
    expect(err).toContain('plan and apply all environments again');
    expect(err).not.toContain('Go on where');
  });

  it('stop where one fails, and go on with what is left', async () => {
    const world = makeFleet(WAVES);
    for (const run of [[], ['7']]) {
      const none = await world.run('apply', '--resume', ...run, '--env', '*', '--auto-approve');
      expect(none.err).toContain('no run of several environments is to be resumed');
    }
    expect(await applied(world)).toEqual([]);
    await world.run('plan', '--env', '*', '--out', 'plans');
    // What the plan relies on has changed.
    await world.run('apply', '--env', 'eu-1', '--auto-approve');
    world.write('shared/all.yaml', all(cluster('prod'), alias('orders', 'other', 'prod')));
    await world.run('apply', '--env', 'eu-1', '--auto-approve');
    const stopped = await world.run('apply', 'plans', '-o', 'json');
    expect(statesOf(reportOf(stopped.out)).slice(0, 2)).toEqual(['canary ended applied', 'eu-1 ended stale']);
    expect(stopped.code).toBe(4);
    expect(stopped.err).toContain('Wave 2 of 3 failed: eu-1: stale.\n');
    expect(stopped.err).toContain(
      'Where the plan is stale, plan and apply all environments again; what is applied has no changes then. ' +
        'Once the gateway is as the plan saw it, this goes on, too: gwconf apply --resume\n',
    );
    expect(stopped.err).not.toContain('Go on where'); // which would find it as stale as before
    expect(await applied(world)).toEqual(['canary', 'eu-1']);
    // A state that cannot be read is the outcome of its environment.
    world.write('eu-1.json', '{');
    const broken = await world.run('apply', '--resume', '-o', 'json');
    expect(statesOf(reportOf(broken.out)).slice(0, 2)).toEqual([
      'eu-1 ended error',
      'eu-2 not-begun changes',
    ]);
    // As the plan saw it.
    rmSync(join(world.folder, 'eu-1.json'));
    world.write('shared/all.yaml', all(cluster('prod'), alias('orders', 'orders-v1', 'prod')));
    const resumed = await world.run('apply', '--resume', '-o', 'json');
    expect(resumed.err).toContain('Resuming fleet-0001: 1 environment of 4 done.\n');
    expect(statesOf(reportOf(resumed.out)).slice(0, 3)).toEqual([
      'eu-1 ended applied',
      'eu-2 ended applied',
      'us ended applied',
    ]);
    expect(await applied(world)).toEqual(NAMES);
    expect((await world.run('apply', '--resume')).err).toBe(
      wrongUsage('run fleet-0001 is finished: there is nothing to resume'),
    );
  });

  it('stop where a check finds something', async () => {
    const world = makeFleet(WAVES);
    world.write(
      'masked.gwtest.yaml',
      'apiVersion: gwconf/v1\nkind: Test\ncases:\n  - { as: { virtualCluster: prod }, expect: { protectedBy: [masking] } }\n',
    );
    world.write(
      'gwconf.yaml',
      world.read('gwconf.yaml').replace('[canary]', '{ environments: [canary], check: [test] }'),
    );
    const { out, err, code } = await world.run('apply', '--env', '*', '--auto-approve', '-o', 'json');
    const report = reportOf(out);
    expect(statesOf(report).slice(-3)).toEqual(['canary failed', 'eu-1+eu-2 not-begun', 'us not-begun']);
    expect(report.waves?.[0]?.checks[0]?.result).toBe('tests-failed');
    expect(err).toContain('Wave 1 of 3 failed: test of canary: tests-failed.\n');
    expect(report.problems.map(({ code: one }) => one)).toContain('failed-expectation');
    expect(err).toContain('failed-expectation');
    expect(code).toBe(1);
    expect(await applied(world)).toEqual(['canary']);
    // Once it holds, the rest is applied.
    world.write(
      'masked.gwtest.yaml',
      world.read('masked.gwtest.yaml').replace('protectedBy: [masking]', 'chain: []'),
    );
    const resumed = await world.run('apply', '--resume', '-o', 'json');
    expect(statesOf(reportOf(resumed.out)).slice(-3)).toEqual([
      'canary ended',
      'eu-1+eu-2 ended',
      'us ended',
    ]);
    expect(await applied(world)).toEqual(NAMES);
  });

  it('begin nothing after an interrupt, and go on from there', async () => {
    const world = makeFleet(WAVES);
    const interrupt = new AbortController();
    const stopped = await world.runWith(
      { interrupt, onErr: (text) => text.includes('Wave 2') && interrupt.abort() },
      ...['apply', '--env', '*', '--auto-approve', '-o', 'json'],
    );
    expect(statesOf(reportOf(stopped.out)).slice(0, 4)).toEqual([
      'canary ended applied',
      'eu-1 ended interrupted',
      'eu-2 not-begun changes',
      'us not-begun changes',
    ]);
    expect(stopped.code).toBe(130);
    expect(await applied(world)).toEqual(['canary']);
    await world.run('apply', '--resume');
    expect(await applied(world)).toEqual(NAMES);
  });

  it('do not go on over an environment that was undone meanwhile, unless its undo was, too', async () => {
    const world = makeFleet(WAVES);
    const interrupt = new AbortController();
    await world.runWith(
      { interrupt, onErr: (text) => text.includes('Wave 2') && interrupt.abort() },
      ...['apply', '--env', '*', '--auto-approve'],
    );
    expect((await world.run('undo', '--env', 'canary', '--yes')).code).toBe(0);
    const stopped = await world.run('apply', '--resume', '-o', 'json');
    expect(stopped.err).toContain('Resuming fleet-0001: 0 environments of 4 done.\n');
    expect(statesOf(reportOf(stopped.out))).toEqual([
      'canary ended stale',
      'eu-1 not-begun changes',
      'eu-2 not-begun changes',
      'us not-begun changes',
      'canary failed',
      'eu-1+eu-2 not-begun',
      'us not-begun',
    ]);
    expect(stopped.err).toContain('error[applied-plan]');
    expect(await applied(world)).toEqual([]);
    const { runs } = JSON.parse((await world.run('journal', '-o', 'json')).out) as RunsReport;
    const undo = runs.find(({ environment }) => environment === 'canary');
    expect((await world.run('undo', String(undo?.number), '--env', 'canary', '--yes')).code).toBe(0);
    await world.run('apply', '--resume');
    expect(await applied(world)).toEqual(NAMES);
  });

  it('do not go on over an environment that a later run has changed otherwise', async () => {
    const world = makeFleet(WAVES);
    const interrupt = new AbortController();
    await world.runWith(
      { interrupt, onErr: (text) => text.includes('Wave 2') && interrupt.abort() },
      ...['apply', '--env', '*', '--auto-approve'],
    );
    const files = world.read('shared/all.yaml');
    world.write('shared/all.yaml', files.replace('orders-v1', 'orders-v0'));
    await world.run('apply', '--env', 'canary', '--auto-approve');
    const { out } = await world.run('apply', '--resume', '-o', 'json');
    expect(statesOf(reportOf(out)).slice(0, 2)).toEqual(['canary ended stale', 'eu-1 not-begun changes']);
    expect(await applied(world)).toEqual(['canary']);
  });

  it('have globs that match', async () => {
    const { err } = await makeFleet('waves: [[canary, asia-*]]\n').run('validate', '--env', 'us');
    expect(err).toContain('no environment matches "asia-*"');
  });
});

describe('apply of a folder of plans', () => {
  it('applies what plan --out has saved, and no other file', async () => {
    const world = makeFleet();
    const planned = await world.run('plan', '--env', '*', '--out', 'plans');
    expect(planned.err).toContain(
      '4 plans of 4 environments are saved in plans. Apply them with: gwconf apply ./plans\n',
    );
    expect(await applied(world)).toEqual([]);
    const some = await world.run('apply', 'plans', '--env', 'eu-*', '-o', 'json');
    expect(statesOf(reportOf(some.out))).toEqual(['eu-1 ended applied', 'eu-2 ended applied']);
    expect(await applied(world)).toEqual(['eu-1', 'eu-2']);
  });

  it('refuses a folder that is not what it says', async () => {
    const world = makeFleet();
    await world.run('plan', '--env', '*', '--out', 'plans');
    const text = world.read('plans/fleet.json');
    expect((await world.run('apply', 'plans', '--url', 'embedded:other.json')).err).toContain(
      '--url is for one environment, and 4 are chosen',
    );
    world.write('plans/fleet.json', text.replaceAll('"us"', '"../us"'));
    expect((await world.run('apply', 'plans')).err).toBe(
      wrongUsage(
        'plans/fleet.json has a plan for ../us, and gwconf.yaml has no such environment: plan again',
      ),
    );
    world.write('plans/fleet.json', '{}');
    expect((await world.run('apply', 'plans')).err).toContain(
      'is neither a saved plan nor a report of gwconf',
    );
    const { out } = await world.run('validate', '--env', '*', '-o', 'json');
    world.write('plans/fleet.json', out);
    expect((await world.run('apply', 'plans')).err).toContain(
      'plans/fleet.json is not the report of the plans of several environments',
    );
  });
});
