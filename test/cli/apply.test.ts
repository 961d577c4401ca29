import { describe, expect, it } from 'vitest';
import type { ApplyReport } from '../../src/outcome/apply.ts';
import {
  makeWorld,
  verdictOf,
  wrongUsage,
  type Circumstances,
  type Ran,
  type World,
} from '../support/cli.ts';
import { account, all, cluster, projectOf } from '../support/documents.ts';
import { hold } from '../support/held.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';

const rule = (name: string, vCluster: string, topic: string): string =>
  `apiVersion: gateway/v2\nkind: ConcentrationRule\nmetadata: { name: ${name}, vCluster: ${vCluster} }\nspec: { pattern: "e.*", physicalTopics: { delete: ${topic} } }\n`;

function report({ out }: Ran): ApplyReport {
  return JSON.parse(out) as ApplyReport;
}

function outcomes(ran: Ran): Readonly<Record<string, string>> {
  return Object.fromEntries(report(ran).ledger.map(({ address, outcome }) => [address, outcome]));
}

describe('apply asks', () => {
  const ask = async (circumstances: Circumstances): Promise<{ ran: Ran; there: Served }> => {
    const there = await serve();
    const mine = worldBeside(there, { 'a.yaml': cluster('prod') });
    return { ran: await mine.runWith(circumstances, 'apply', '-f', 'a.yaml'), there };
  };

  it('on a terminal, after the plan was shown, and a yes is done', async () => {
    const { ran, there } = await ask({ answer: 'yes' });
    expect(ran.questions).toEqual([`Apply these changes to ${there.url}? Type yes to confirm: `]);
    expect(ran.code).toBe(0);
    expect(verdictOf(ran)).toBe('result: applied');
    expect(await there.list('VirtualCluster')).toHaveLength(1);
  });

  it.each(['no', '', 'y', 'YES', 'yes please'])('and %j is a no', async (answer) => {
    const { ran, there } = await ask({ answer });
    expect(ran.code).toBe(3);
    expect(ran.err).toContain('Cancelled. Nothing was changed.');
    expect(verdictOf(ran)).toBe('result: blocked');
    expect(there.writes()).toEqual([]);
  });

  it('and Ctrl-C is a no of its own', async () => {
    const interrupt = new AbortController();
    const answer = (): string => {
      interrupt.abort();
      return 'yes';
    };
    const { ran, there } = await ask({ answer, interrupt });
    expect(ran.code).toBe(130);
    expect(verdictOf(ran)).toBe('result: interrupted');
    expect(there.writes()).toEqual([]);
  });

  it('nobody when there is nothing to do', async () => {
    const there = await serve();
    await there.put(resource('VirtualCluster', { name: 'prod' }));
    const mine = worldBeside(there, { 'a.yaml': cluster('prod') });
    const ran = await mine.runWith({ answer: 'yes' }, 'apply', '-f', 'a.yaml');
    expect(ran.questions).toEqual([]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('No changes. 1 object up to date.');
  });

  it('nobody with --auto-approve', async () => {
    const there = await serve();
    const mine = worldBeside(there, { 'a.yaml': cluster('prod') });
    const ran = await mine.runWith({ answer: 'no' }, 'apply', '-f', 'a.yaml', '--auto-approve');
    expect(ran.questions).toEqual([]);
    expect(ran.code).toBe(0);
  });

  it('nobody where there is no terminal: that is wrong usage, before the gateway is asked', async () => {
    const there = await serve();
    const mine = worldBeside(there, { 'a.yaml': cluster('prod') });
    const ran = await mine.run('apply', '-f', 'a.yaml');
    expect(ran.code).toBe(64);
    expect(ran.err).toContain('--auto-approve');
    expect(there.requests).toEqual([]);
  });

  it('and looks again before it writes: what somebody changed meanwhile is not overwritten', async () => {
    const there = await serve();
    const mine = worldBeside(there, { 'a.yaml': cluster('prod', '{ superUsers: [me] }') });
    await there.put(resource('VirtualCluster', { name: 'prod' }));
    const answer = async (): Promise<string> => {
      await there.put(resource('VirtualCluster', { name: 'prod' }, { superUsers: ['somebody-else'] }));
      return 'yes';
    };
    const ran = await mine.runWith({ answer }, 'apply', '-f', 'a.yaml', '-o', 'json');
    expect(ran.code).toBe(4);
    expect(report(ran)).toMatchObject({
      result: 'stale',
      ledger: [],
      problems: [{ code: 'stale-plan', address: 'VirtualCluster/prod' }],
    });
    expect(there.writes()).toEqual([]);
  });
});

describe('a saved plan', () => {
  async function planned(
    files: Readonly<Record<string, string>>,
    before: (there: Served) => Promise<void> = () => Promise.resolve(),
    ...args: readonly string[]
  ): Promise<{ there: Served; mine: World }> {
    const there = await serve();
    await before(there);
    const mine = worldBeside(there, files);
    expect((await mine.run('plan', '-f', '.', '--out', 'p.plan', ...args)).code).toBe(0);
    there.forget();
    return { there, mine };
  }

  it('is applied without a question, and without the files', async () => {
    const { there, mine } = await planned({ 'a.yaml': all(cluster('prod'), account('app', 'prod')) });
    mine.write('a.yaml', 'gone: true');
    const ran = await mine.run('apply', 'p.plan');
    expect([ran.code, ran.questions]).toEqual([0, []]);
    expect(there.writes().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /gateway/v2/virtual-cluster',
      'PUT /gateway/v2/service-account',
    ]);
  });

  it('says where it is and how it is applied', async () => {
    const there = await serve();
    const mine = worldBeside(there, { 'a.yaml': cluster('prod') });
    const { err } = await mine.run('plan', 'a.yaml', '--out', 'deep/p.plan');
    expect(err).toContain('The plan is saved in deep/p.plan. Apply it with: gwconf apply deep/p.plan\n');
    expect(mine.json('deep/p.plan')).toMatchObject({
      format: 'gwconf/plan@1',
      createdAt: '2026-03-01T12:00:00.000Z',
    });
  });

  it('is not made of files with mistakes', async () => {
    const mine = makeWorld({ 'a.yaml': 'kind: Nothing' });
    expect((await mine.run('plan', 'a.yaml', '--url', 'embedded:', '--out', 'p.plan')).code).toBe(1);
    expect(mine.has('p.plan')).toBe(false);
  });

  it('with nothing to do does nothing, and that is fine', async () => {
    const { there, mine } = await planned({ 'a.yaml': cluster('prod') }, (gateway) =>
      gateway.put(resource('VirtualCluster', { name: 'prod' })),
    );
    const ran = await mine.run('apply', 'p.plan', '-o', 'json');
    expect(ran.code).toBe(0);
    expect(report(ran)).toMatchObject({ result: 'no-changes', ledger: [] });
    expect(there.writes()).toEqual([]);
  });

  it('applied twice finds all of it already so', async () => {
    const { there, mine } = await planned({ 'a.yaml': all(cluster('prod'), account('app', 'prod')) });
    await mine.run('apply', 'p.plan');
    there.forget();
    const ran = await mine.run('apply', 'p.plan', '-o', 'json');
    expect(ran.code).toBe(0);
    expect(report(ran).result).toBe('no-changes');
    expect(Object.values(outcomes(ran))).toEqual(['already', 'already']);
    expect(there.writes()).toEqual([]);
  });

  it('for another gateway is refused, and neither is asked', async () => {
    const { mine } = await planned({ 'a.yaml': cluster('prod') });
    const other = await serve();
    const ran = await mine.run('apply', 'p.plan', '--url', other.url, '-o', 'json');
    expect(ran.code).toBe(4);
    expect(report(ran)).toMatchObject({ result: 'stale', problems: [{ code: 'wrong-target' }] });
    expect(ran.err).toContain(`and this is ${other.url}`);
    expect(other.requests).toEqual([]);
  });

  it('that was altered is refused for that, also where gwconf.yaml has environments and none is chosen', async () => {
    const prod = 'gateway: { url: "embedded:state.json" }, files: [a.yaml]';
    const project = projectOf({ prod, dev: 'files: [a.yaml]' });
    const mine = makeWorld({ 'gwconf.yaml': project, 'a.yaml': cluster('prod') });
    expect((await mine.run('plan', '--env', 'prod', '--out', 'p.plan')).code).toBe(0);
    mine.write('p.plan', mine.read('p.plan').replaceAll('prod', 'live'));
    const ran = await mine.run('apply', 'p.plan');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain('error[invalid-plan]: p.plan was altered after it was made');
    expect(ran.err).not.toContain('URL');
  });

  it.each([['-f', 'a.yaml'], ['--target', '*'], ['--exclude', '*'], ['--prune'], ['--allow-empty']])(
    'takes no planning flags: %s',
    async (...flags) => {
      const { there, mine } = await planned({ 'a.yaml': cluster('prod') });
      const ran = await mine.run('apply', 'p.plan', ...flags);
      expect(ran.code).toBe(64);
      expect(ran.err).toBe(
        wrongUsage(`a saved plan is complete; leave out ${flags[0] === '-f' ? '--file' : flags[0]}`),
      );
      expect(there.requests).toEqual([]);
    },
  );

  it('that is a folder or not there is wrong usage that tells of -f', async () => {
    const mine = makeWorld({ 'd/a.yaml': cluster('prod') });
    for (const path of ['d', 'nowhere.plan']) {
      const ran = await mine.run('apply', path, '--url', 'embedded:');
      expect(ran.code).toBe(64);
      expect(ran.err).toContain('files and folders of resources are named with -f');
    }
  });

  it('is shown offline as plan showed it', async () => {
    const there = await serve();
    await there.put(
      resource('VirtualCluster', { name: 'prod' }),
      resource('VirtualCluster', { name: 'old' }),
    );
    const mine = worldBeside(there, {
      'a.yaml': cluster('prod', '{ superUsers: [boss] }'),
      'b.yaml': cluster('new'),
    });
    const args = ['-f', '.', '--exclude', 'AliasTopic/*', '--prune', '--manages', '*'];
    for (const format of ['human', 'json', 'ndjson']) {
      const plan = await mine.run('plan', ...args, '--out', 'p.plan', '-o', format);
      there.forget();
      const show = await mine.run('show', 'p.plan', '-o', format);
      expect(show.out).toBe(plan.out);
      expect([show.code, verdictOf(show)]).toEqual([0, 'result: changes']);
      expect(there.requests).toEqual([]);
    }
  });
});

describe('when the gateway refuses something', () => {
  // The first rule finds its topic, the second does not; what is inside waits for its cluster.
  const files = {
    'a.yaml': all(
      cluster('prod'),
      rule('good', 'prod', 'there'),
      rule('missing', 'prod', 'nowhere'),
      account('app', 'prod'),
    ),
    'b.yaml': `apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: team }\nspec: { members: [{ name: app, vCluster: prod }] }\n`,
  };
  const topics = new Map([['there', 'delete']]);

  it('apply stops, says what was done and what was not, and is partial', async () => {
    const there = await serve({ topics });
    const mine = worldBeside(there, files);
    mine.env['GWCONF_SETTLE_TIMEOUT'] = '0s'; // the cluster is new, so that the gateway may yet find it
    const ran = await mine.run('apply', '-f', '.', '--auto-approve', '--parallelism', '1', '-o', 'json');
    expect(ran.code).toBe(5);
    expect(verdictOf(ran)).toBe('result: partial');
    expect(report(ran).result).toBe('partial');
    expect(report(ran).ledger).toMatchObject([
      { address: 'VirtualCluster/prod', action: 'create', outcome: 'done' },
      { address: 'ConcentrationRule/good@vCluster=prod', action: 'create', outcome: 'done' },
      {
        address: 'ConcentrationRule/missing@vCluster=prod',
        action: 'create',
        outcome: 'failed',
        problem: {
          code: 'gateway-error',
          severity: 'error',
          message: expect.stringContaining('The physical topic nowhere does not exist') as string,
          file: 'a.yaml',
          line: 11,
          column: 1,
        },
      },
      { address: 'GatewayServiceAccount/app@vCluster=prod', action: 'create', outcome: 'not-attempted' },
      { address: 'GatewayGroup/team', action: 'create', outcome: 'not-attempted' },
    ]);
    expect(there.writes()).toHaveLength(3);
  });

  it('names every change in words as well, and the line that caused the refusal', async () => {
    const there = await serve({ topics });
    const mine = worldBeside(there, files);
    const { out, err } = await mine.run('apply', '-f', '.', '--auto-approve', '--parallelism', '1');
    expect(out).toContain('  + VirtualCluster/prod  done\n');
    expect(out).toContain('  + ConcentrationRule/missing@vCluster=prod  failed\n');
    expect(out).toContain('  + GatewayGroup/team  not attempted\n');
    expect(out).toContain('Partially applied: 2 done, 1 failed, 2 not attempted.\n');
    expect(err).toContain('--> a.yaml:11:1');
  });

  it('everything, apply has failed', async () => {
    const there = await serve({ topics: new Map() });
    const mine = worldBeside(there, { 'a.yaml': rule('missing', 'passthrough', 'nowhere') });
    const ran = await mine.run('apply', '-f', 'a.yaml', '--auto-approve', '-o', 'json');
    expect([ran.code, report(ran).result, verdictOf(ran)]).toEqual([1, 'failed', 'result: failed']);
  });

  it('a new plan gets the rest done', async () => {
    const kafka = new Map(topics);
    const there = await serve({ topics: kafka });
    const mine = worldBeside(there, files);
    await mine.run('apply', '-f', '.', '--auto-approve');
    kafka.set('nowhere', 'delete');
    expect((await mine.run('apply', '-f', '.', '--auto-approve')).code).toBe(0);
    expect((await mine.run('plan', '-f', '.', '--detailed-exitcode')).code).toBe(0);
  });
});

describe('progress', () => {
  it('is plain lines where there is no terminal', async () => {
    const mine = makeWorld({ 'a.yaml': all(cluster('a'), account('app', 'a')) });
    const { err } = await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:', '--auto-approve');
    expect(err.split('\n')).toEqual([
      'Applying 2 to create, 0 to update, 0 to replace, 0 to delete: 2 writes, less than a second.',
      '[1/2] + VirtualCluster/a  done',
      '[2/2] + GatewayServiceAccount/app@vCluster=a  done',
      'Undo this run: gwconf undo --url embedded:',
      'result: applied',
      '',
    ]);
    expect(err).not.toContain('\u001b');
  });

  it('is written over on a terminal', async () => {
    const mine = makeWorld({ 'a.yaml': cluster('a') });
    const { err } = await mine.runWith(
      { live: true },
      'apply',
      '-f',
      'a.yaml',
      '--url',
      'embedded:',
      '--auto-approve',
    );
    expect(err).toContain('\r\u001b[K[0/1] VirtualCluster/a …\r\u001b[K[1/1] + VirtualCluster/a  done\n');
    // Nothing is written behind the line that tells what is under way: it is taken away first.
    expect(err).toMatch(/reading VirtualCluster again …\r\u001b\[KUndo this run/);
  });
});

describe('how many calls are in flight', () => {
  it('is as many as --parallelism says', async () => {
    const there = await hold();
    const mine = makeWorld({ 'a.yaml': all(...['a', 'b', 'c', 'd', 'e'].map((name) => cluster(name))) });
    const running = mine.run(
      'apply',
      '-f',
      'a.yaml',
      '--url',
      there.url,
      '--auto-approve',
      '--parallelism',
      '3',
    );
    await there.arrived(3);
    there.release();
    await there.arrived(5);
    there.release();
    expect((await running).code).toBe(0);
    expect(there.seen()).toEqual({ calls: 5, together: 3 });
  });
});

it.each(['human', 'markdown', 'html', 'github'])('a failure is told once in %s', async (format) => {
  const mine = worldBeside(await serve({ topics: new Map() }), {
    'a.yaml': all(cluster('prod'), rule('events', 'prod', 'nowhere')),
  });
  const { code, out, err } = await mine.run('apply', '-f', 'a.yaml', '--yes', '-o', format);
  expect(code).toBe(5);
  const text = out.includes('refused to create') ? out : err;
  const count = text.split('the gateway refused to create').length - 1;
  expect([format, count]).toEqual([format, 1]);
});
