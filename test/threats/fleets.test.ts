import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FleetReport } from '../../src/outcome/fleet.ts';
import type { SavedPlan } from '../../src/plan/saved/saved-plan.ts';
import { sign } from '../../src/plan/saved/seal-plan.ts';
import { beginFleet } from '../../src/workflow/run/journal-files.ts';
import { systemClock } from '../../src/host/node-host.ts';
import { virtualClock } from '../support/clock.ts';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import { alias, all, cluster } from '../support/documents.ts';

const KEY = { GWCONF_PLAN_KEY: 'k'.repeat(40) };
const NAMES = ['canary', 'eu', 'us'];

async function planned(): Promise<World> {
  const environments = NAMES.map(
    (name) => `  ${name}: { gateway: { url: "embedded:${name}.json" }, files: [all.yaml] }\n`,
  );
  const world = makeWorld({
    'gwconf.yaml': `apiVersion: gwconf/v1\nkind: Project\nwaves: [[canary], ['*']]\nenvironments:\n${environments.join('')}`,
    'all.yaml': all(cluster('prod'), alias('orders', 'orders-v1', 'prod')),
  });
  Object.assign(world.env, KEY);
  await world.run('plan', '--env', '*', '--out', 'plans');
  return world;
}

function changeReport(world: World, change: (report: FleetReport) => Partial<FleetReport>): void {
  const report = world.json('plans/fleet.json') as FleetReport;
  world.write('plans/fleet.json', JSON.stringify({ ...report, ...change(report) }));
}

function without(world: World, left: string): void {
  changeReport(world, ({ environments }) => ({
    environments: environments.filter(({ environment }) => environment !== left),
  }));
}

/** As another run has made the plan. */
function signAgain(world: World, name: string, about: Pick<SavedPlan, 'partOf'>): void {
  const path = `plans/${name}.plan.json`;
  const { digest: _, mac: __, partOf: ___, ...open } = world.json(path) as SavedPlan;
  world.write(path, JSON.stringify(sign({ ...open, ...about }, { shared: KEY.GWCONF_PLAN_KEY })));
}

describe('a folder of signed plans', () => {
  it.each([
    [
      'an environment less',
      (world: World) => {
        without(world, 'us');
        rmSync(join(world.folder, 'plans/us.plan.json'));
      },
      'was planned with canary, eu, us, and plans/fleet.json is about canary, eu',
    ],
    [
      'one environment twice, and another not',
      (world: World) =>
        changeReport(world, ({ environments: [canary, eu] }) => ({
          environments: [canary, eu, eu].filter((one) => one !== undefined),
        })),
      'was planned with canary, eu, us, and plans/fleet.json is about canary, eu, eu',
    ],
    [
      'the plan of another environment',
      (world: World) => world.write('plans/us.plan.json', world.read('plans/eu.plan.json')),
      'plans/us.plan.json is not the plan of us that was made with the others',
    ],
    [
      'a plan of an earlier run',
      (world: World) => signAgain(world, 'us', { partOf: { id: 'of the earlier run', environments: NAMES } }),
      'plans/us.plan.json is not the plan of us that was made with the others',
    ],
    [
      'a plan that was made alone',
      (world: World) => signAgain(world, 'canary', {}),
      'plans/canary.plan.json was planned with no other environments',
    ],
    [
      'a plan without a signature',
      (world: World) => {
        const { mac: _, ...open } = world.json('plans/us.plan.json') as { readonly mac: string };
        world.write('plans/us.plan.json', JSON.stringify(open));
      },
      'plans/us.plan.json is not signed',
    ],
  ])('is refused as a whole with %s', async (_, change: (world: World) => void, expected) => {
    const world = await planned();
    change(world);
    const ran = await world.run('apply', 'plans');
    expect(ran.err).toContain(expected);
    expect(verdictOf(ran)).toBe('result: error');
    for (const name of NAMES) expect(world.has(`${name}.json`)).toBe(false);
    expect(world.has('.gwconf')).toBe(false);
  });

  it('has what its plans say, whatever the report says of one: none counts as done that has changes', async () => {
    const world = await planned();
    changeReport(world, ({ environments }) => ({
      environments: environments.map((one) =>
        one.environment === 'us'
          ? { ...one, outcome: { ...one.outcome, result: 'no-changes' } as typeof one.outcome }
          : one,
      ),
    }));
    // The first wave fails, once.
    world.write('canary.json', '{');
    expect(verdictOf(await world.run('apply', 'plans'))).toBe('result: error');
    rmSync(join(world.folder, 'canary.json'));
    expect(verdictOf(await world.run('apply', '--resume'))).toBe('result: applied');
    expect((await world.run('get', '--env', 'us', '-o', 'name')).out).toContain('AliasTopic/orders');
  });
});

describe('a folder of plans', () => {
  it.each([
    ['another plan', (world: World) => world.write('plans/us.plan.json', world.read('other/us.plan.json'))],
    ['no plan', (world: World) => rmSync(join(world.folder, 'plans'), { recursive: true, force: true })],
  ])('that has %s once it was checked is applied as it was checked', async (_, change) => {
    const world = await planned();
    const orders = world.read('all.yaml');
    world.write('all.yaml', orders.replaceAll('orders', 'evil'));
    await world.run('plan', '--env', '*', '--out', 'other');
    world.write('all.yaml', orders);
    world.write(
      'gwconf.yaml',
      world.read('gwconf.yaml').replace('[canary]', '{ environments: [canary], wait: 1h }'),
    );
    const wait = (): Promise<void> => {
      change(world);
      return Promise.resolve();
    };
    const ran = await world.runWith({ clock: { ...virtualClock(), wait } }, 'apply', 'plans');
    expect([ran.err, verdictOf(ran)]).toEqual([expect.stringContaining('Waiting'), 'result: applied']);
    const found = await world.run('get', '--env', 'us', '-o', 'name');
    expect([found.out, found.out]).toEqual([
      expect.stringContaining('AliasTopic/orders@'),
      expect.not.stringContaining('evil'),
    ]);
  });
});

describe('an environment', () => {
  it.each(['*', 'e*', 'eu,us', '!eu', '', '\ud800'])(
    'is called by no name that chooses others, or that no file can have: %j',
    async (name) => {
      const environments = { [name]: {}, eu: { files: ['a.yaml'] }, us: { files: ['a.yaml'] } };
      const project = { apiVersion: 'gwconf/v1', kind: 'Project', environments };
      const world = makeWorld({ 'a.yaml': cluster('prod'), 'gwconf.yaml': JSON.stringify(project) });
      for (const wanted of ['*', name]) {
        const ran = await world.run('validate', '--env', wanted);
        expect([ran.code, ran.err]).not.toEqual([0, expect.anything()]);
        expect(ran.err).toMatch(/expected a name without \* and commas|has no environment/);
      }
      expect((await world.run('validate', '--env', '*')).err).toContain('--> gwconf.yaml:1:');
    },
  );
});

describe('runs of several environments', () => {
  it('that begin at once have names of their own', async () => {
    const io = makeWorld().io();
    const names = await Promise.all(NAMES.map(() => beginFleet(io, '.gwconf/journal')));
    expect(names).toEqual(['fleet-0001', 'fleet-0002', 'fleet-0003']);
  });

  it('are resumed although a later one was ended while it planned', async () => {
    const world = await planned();
    world.write('canary.json', '{');
    await world.run('apply', 'plans');
    world.write('.gwconf/journal/fleet-0002.json', '');
    rmSync(join(world.folder, 'canary.json'));
    const resumed = await world.run('apply', '--resume');
    expect(resumed.err).toContain('Resuming fleet-0001: 0 environments of 3 done.');
    expect(verdictOf(resumed)).toBe('result: applied');
  });

  it('wait for the rest of the time of a wave where they were cut off in it', async () => {
    const world = await planned();
    world.write(
      'gwconf.yaml',
      world.read('gwconf.yaml').replace('[canary]', '{ environments: [canary], wait: 1h }'),
    );
    const interrupt = new AbortController();
    const wait = (ms: number): Promise<void> => {
      if (ms > 60_000) interrupt.abort();
      return Promise.resolve();
    };
    const clock = { ...virtualClock(), wait };
    const cut = await world.runWith({ interrupt, clock }, 'apply', 'plans');
    expect(cut.err).toContain('Waiting 60 minutes.');
    expect(cut.err.match(/Interrupted/g)).toHaveLength(1); // not by the run that is over
    expect([cut.code, verdictOf(cut)]).toEqual([130, 'result: interrupted']);
    expect(cut.out).toMatch(/1 +canary +interrupted/);
    expect(world.has('us.json')).toBe(false);
    const resumed = await world.run('apply', '--resume');
    expect(resumed.err).toContain('Waiting 59 minutes.');
    expect(verdictOf(resumed)).toBe('result: applied');
  });

  it('wait for as long as they say', async () => {
    const ended = new AbortController();
    const waited = systemClock.wait(30 * 24 * 3_600_000, ended.signal).then(() => 'over');
    expect(await Promise.race([waited, setTimeout(50, 'waiting')])).toBe('waiting');
    ended.abort();
    expect(await waited).toBe('over');
    const world = await planned();
    world.write(
      'gwconf.yaml',
      world.read('gwconf.yaml').replace('[canary]', '{ environments: [canary], wait: 40000d }'),
    );
    expect((await world.run('apply', 'plans')).err).toContain(
      'expected wait to be a duration of at most 100 years',
    );
  });

  it('obey a gwconf.yaml that is right, or begin nothing', async () => {
    const world = await planned();
    const right = world.read('gwconf.yaml');
    world.write('canary.json', '{');
    await world.run('apply', 'plans');
    rmSync(join(world.folder, 'canary.json'));
    world.write('gwconf.yaml', right.replace('[canary]', '[canry]'));
    const [folder, resumed] = [await world.run('apply', 'plans'), await world.run('apply', '--resume')];
    for (const ran of [folder, resumed]) {
      expect(ran.err).toContain('no environment matches "canry"');
      expect(verdictOf(ran)).toBe('result: error');
    }
    expect(world.has('us.json')).toBe(false);
  });
});
