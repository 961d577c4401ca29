import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SavedPlan } from '../../src/plan/saved/saved-plan.ts';
import type { ApplyReport } from '../../src/outcome/apply.ts';
import { makeWorld, verdictOf, type Ran, type World } from '../support/cli.ts';
import { account, all, documentOf, projectOf } from '../support/documents.ts';
import { kindOf } from '../support/kinds.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';

const URL = ['--url', 'embedded:live.json'];
const PRUNE = ['--prune', '--manages', '*', '--allow-empty'];
const JOURNAL = '.gwconf/journal';

const cluster = (name: string, superUser = 'boss'): string =>
  documentOf('VirtualCluster', `{ name: ${name} }`, `{ superUsers: [${superUser}] }`);
const vault = (token: string, priority = 1): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: encrypt, scope: { vCluster: passthrough } }\nspec:\n  pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin\n  priority: ${priority}\n  config: { topic: orders, kmsConfig: { vault: { uri: "http://vault", token: ${token} } }, recordValue: { payload: { keySecretId: k, algorithm: AES256_GCM } } }\n`;

/** Applies what a file says, prunes all else, and gives what was said. */
async function applied(world: World, text: string): Promise<Ran> {
  world.write('a.yaml', text);
  const ran = await world.run('apply', '-f', 'a.yaml', ...URL, ...PRUNE, '--yes', '-o', 'json');
  expect(ran.err).toContain('result: applied');
  return ran;
}

/** What the gateway has: all that a fresh reading of its state says. */
function stateOf(world: World): unknown {
  const { resources } = world.json('live.json') as {
    resources: readonly { kind: string; metadata: object }[];
  };
  const text = (one: object): string => JSON.stringify(one);
  return [...resources].sort((one, other) => (text(one) < text(other) ? -1 : 1));
}

function runsIn(world: World): readonly string[] {
  const names = readdirSync(join(world.folder, JOURNAL)).filter((name) => name.endsWith('.ndjson'));
  return names.sort().map((name) => name.slice(0, -'.ndjson'.length));
}

function undoFileOf(world: World, run: string): SavedPlan {
  return world.json(`${JOURNAL}/${run}.undo.json`) as SavedPlan;
}

describe('an undo is held to the rules of the project', () => {
  const project = (rules: string): string =>
    projectOf({ prod: `gateway: { url: "embedded:live.json" }, files: [a.yaml]${rules}` });
  const topics = (count: number): string =>
    all(
      ...Array.from(
        { length: count },
        (_, at) =>
          `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: t${at} }\nspec: { physicalName: p }\n`,
      ),
    );

  it('and changes what they manage, or what --manages names', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(', manages: ["VirtualCluster/*"]') });
    world.write('a.yaml', cluster('prod'));
    await world.run('apply', '--yes');
    world.write('gwconf.yaml', project(', manages: ["AliasTopic/*"]'));
    const ran = await world.runWith({ answer: 'yes' }, 'undo');
    expect([ran.code, ran.questions]).toEqual([1, []]);
    expect(ran.err).toContain('error[not-managed]: the plan would delete VirtualCluster/prod');
    const undone = await world.run('undo', '--yes', '--manages', '*');
    expect(verdictOf(undone)).toBe('result: applied');
    expect(stateOf(world)).toEqual([]);
  });

  it('deletes and changes nothing that they protect, and asks nothing before it says so', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(''), 'a.yaml': all(cluster('prod'), vault('"${T}"')) });
    world.env['T'] = 'hunter2-hunter2';
    await world.run('apply', '--yes');
    const former = stateOf(world);
    world.write('gwconf.yaml', project(', protect: [{ pluginClass: "*.EncryptPlugin", reason: cards }]'));
    const ran = await world.runWith({ answer: 'yes' }, 'undo');
    expect([ran.code, verdictOf(ran), ran.questions]).toEqual([3, 'result: blocked', []]);
    expect(ran.out).toContain('- VirtualCluster/prod');
    expect(ran.err).toContain(
      'error[protected]: Interceptor/encrypt@vCluster=passthrough would be deleted, and is protected by the rule { pluginClass: *.EncryptPlugin } (cards)',
    );
    const [run = ''] = runsIn(world);
    const applied = await world.run('apply', `${JOURNAL}/${run}.undo.json`);
    expect([applied.code, applied.err]).toEqual([1, expect.stringContaining(`use gwconf undo ${run}`)]);
    expect(stateOf(world)).toEqual(former);
  });

  it('and to their limits, which flags take the place of', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(''), 'a.yaml': topics(6) });
    await world.run('apply', '--yes');
    const former = stateOf(world);
    const ran = await world.run('undo', '--yes');
    expect([ran.code, verdictOf(ran)]).toEqual([3, 'result: blocked']);
    expect(ran.err).toContain(
      'the run deletes 6 of 6 managed objects (100 %); the limit is 5 objects or 10 %, whichever is more',
    );
    expect(ran.err).toContain('use --max-deletes 6');
    expect(stateOf(world)).toEqual(former);
    expect((await world.run('undo', '--yes', '--max-deletes', 'x')).code).toBe(64);
    expect((await world.run('undo', '--yes', '--max-deletes', '6')).code).toBe(0);
    expect(stateOf(world)).toEqual([]);
  });

  it.each<readonly [string, number, number, string]>([
    ['with the limits that would stop it', 6, 6, ' --max-deletes 6'],
    ['without any where none would', 5, 5, ''],
    ['with those of what was made', 9, 7, ' --max-deletes 7'],
    ['without any where too little was made', 9, 5, ''],
  ])('is printed as it works, %s', async (_, count, made, flags) => {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': topics(count) });
    const interrupt = new AbortController();
    let writes = 0;
    there.onRequest(({ method }) => {
      if (method === 'PUT' && (writes += 1) === made) interrupt.abort();
    });
    const ran = await world.runWith(
      { interrupt },
      'apply',
      '-f',
      'a.yaml',
      '--yes',
      '--parallelism',
      '1',
      '-o',
      'markdown=r.md',
    );
    expect(ran.err).toContain(`Undo this run: gwconf undo${flags}\n`);
    expect(world.read('r.md')).toContain(`Undo \`gwconf undo ${runsIn(world)[0]}${flags}\``);
    const undone = await world.run('undo', ...flags.split(' ').slice(1), '--yes');
    expect([undone.code, verdictOf(undone)], undone.err).toEqual([0, 'result: applied']);
    expect(await there.list('AliasTopic')).toEqual([]);
  });

  it('is printed with a limit of updates, also where the run is resumed', async () => {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': topics(6) });
    await world.run('apply', '-f', 'a.yaml', '--yes');
    world.write('a.yaml', topics(6).replaceAll('physicalName: p', 'physicalName: q'));
    const interrupt = new AbortController();
    let writes = 0;
    there.onRequest(({ method }) => {
      if (method === 'PUT' && (writes += 1) === 3) interrupt.abort();
    });
    const flags = ['--max-updates', '6', '--parallelism', '1'];
    const cut = await world.runWith({ interrupt }, 'apply', '-f', 'a.yaml', '--yes', ...flags);
    expect(cut.err).toContain('Undo this run: gwconf undo\n');
    const resumed = await world.run('apply', '--resume', '--max-updates', '6');
    const hint = /Undo this run: gwconf (undo \S+ --max-updates 6)\n/.exec(resumed.err)?.[1] ?? '';
    expect((await world.run(...hint.split(' '), '--yes')).code).toBe(0);
    expect((await there.list('AliasTopic')).map(({ spec }) => spec)).toEqual(
      Array(6).fill(expect.objectContaining({ physicalName: 'p' })),
    );
  });

  it('of which managed is what the project manages', async () => {
    const world = makeWorld({ 'gwconf.yaml': project(', manages: ["*"]'), 'a.yaml': cluster('prod') });
    await world.run('apply', '--yes');
    world.write('a.yaml', all(cluster('prod'), topics(6)));
    await world.run('apply', '--yes');
    expect((await world.run('undo', '--yes')).err).toContain('deletes 6 of 7 managed objects (86 %)');
  });
});

describe('undo takes the newest run back:', () => {
  it.each<[string, string, string]>([
    ['what was changed', cluster('prod', 'ann'), cluster('prod', 'ben')],
    ['what was deleted, with all in it', all(cluster('prod'), account('app', 'prod', 's1')), ''],
  ])('%s', async (_, before, after) => {
    const world = makeWorld();
    await applied(world, before === '' ? cluster('other') : all(cluster('other'), before));
    const former = stateOf(world);
    await applied(world, after === '' ? cluster('other') : all(cluster('other'), after));
    expect(stateOf(world)).not.toEqual(former);
    const ran = await world.run('undo', ...URL, '--yes');
    expect(verdictOf(ran)).toBe('result: applied');
    expect(stateOf(world)).toEqual(former);
  });

  it('what was replaced, with a replace', async () => {
    const there = await serve({ physicalClusters: ['main', 'east', 'west'] });
    const alias = (physicalCluster: string): string =>
      all(
        'apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: partner }\nspec: { type: Partner, aclEnabled: true, superUsers: [boss] }\n',
        `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: orders, vCluster: partner }\nspec: { physicalName: o, physicalCluster: ${physicalCluster} }\n`,
      );
    const world = worldBeside(there, { 'east.yaml': alias('east'), 'west.yaml': alias('west') });
    await world.run('apply', '-f', 'east.yaml', '--yes');
    await world.run('apply', '-f', 'west.yaml', '--yes');
    const ran = await world.run('undo', '--yes');
    expect(ran.out).toContain('± AliasTopic/orders@vCluster=partner  deleted and recreated');
    expect(await there.list('AliasTopic')).toMatchObject([{ spec: { physicalCluster: 'east' } }]);
  });

  it('and shows and asks before', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    const ran = await world.runWith({ answer: 'yes' }, 'undo', ...URL);
    const [run = ''] = runsIn(world);
    expect(ran.out).toContain(`Gateway embedded:live.json\nUndo of run ${run}\n\n`);
    expect(ran.out).toContain('\n  - VirtualCluster/prod\n');
    expect(ran.questions).toEqual([`Undo run ${run} on embedded:live.json? Type yes to confirm: `]);
    expect(stateOf(world)).toEqual([]);
  });

  it('and does nothing without a yes', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    const former = stateOf(world);
    const ran = await world.runWith({ answer: 'no' }, 'undo', ...URL);
    expect([ran.code, verdictOf(ran)]).toEqual([3, 'result: blocked']);
    expect(stateOf(world)).toEqual(former);
    expect(runsIn(world)).toHaveLength(1);
  });

  it('and passes over runs that changed nothing, and runs on other gateways', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    await world.run('apply', '-f', 'a.yaml', ...URL, '--yes');
    await world.run('apply', '-f', 'a.yaml', '--url', 'embedded:other.json', '--yes');
    await world.run('undo', ...URL, '--yes');
    expect(stateOf(world)).toEqual([]);
    expect(world.read('other.json')).toContain('prod');
  });
});

describe('undo --dry-run', () => {
  it('shows what undo would do, without a terminal, and changes nothing; --out keeps it for show', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    const former = stateOf(world);
    const unasked = await world.run('undo', ...URL);
    expect([unasked.code, unasked.err]).toEqual([
      64,
      expect.stringContaining('use --dry-run to see the changes, or --auto-approve to make them'),
    ]);
    const shown = await world.run('undo', '1', ...URL, '--dry-run');
    expect([shown.code, verdictOf(shown)], shown.err).toEqual([0, 'result: changes']);
    expect(shown.out).toContain('- VirtualCluster/prod');
    expect(shown.err).toContain(`To make these changes: gwconf undo 1 ${URL.join(' ')}\n`);
    const ruled = await world.run(
      'undo',
      ...URL,
      '--dry-run',
      '--manages',
      'VirtualCluster/*',
      '--max-deletes',
      '1',
    );
    expect(ruled.err).toContain("changes: gwconf undo --manages 'VirtualCluster/*' --max-deletes 1 --url");
    const kept = await world.run('undo', ...URL, '--out', 'undo.plan', '-o', 'json');
    expect(JSON.parse(kept.out)).toMatchObject({ format: 'gwconf/plan-report@1', result: 'changes' });
    expect((await world.run('show', 'undo.plan')).out).toContain('- VirtualCluster/prod');
    expect([stateOf(world), runsIn(world).length]).toEqual([former, 1]);
    expect((await world.run('undo', ...URL, '--dry-run', '--yes')).code).toBe(64);
  });

  it('tells what undo would warn of, once', async () => {
    const world = makeWorld();
    await applied(world, vault('former'));
    const shown = await world.run('undo', ...URL, '--dry-run');
    expect(shown.err.match(/warning\[lost-protection\]/g), shown.err).toHaveLength(1);
  });

  it('says what cannot be undone, also where that is all', async () => {
    const world = makeWorld();
    await applied(world, vault('former'));
    await applied(world, vault('another'));
    const ran = await world.run('undo', ...URL, '--dry-run');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([1, 'result: error']);
    expect(ran.err).toContain(`nothing of run ${runsIn(world)[1]} can be undone`);
    expect(ran.out).toContain(
      'cannot be undone: Interceptor/encrypt@vCluster=passthrough: gwconf does not store',
    );
    expect(ran.err).not.toContain('To make these changes');
  });

  it('says what is in the way as undo does', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    const ran = await world.run('undo', '1', ...URL, '--dry-run', '--max-deletes', '0');
    expect([ran.code, verdictOf(ran)], ran.out).toEqual([3, 'result: blocked']);
    expect(ran.out).toContain('  - VirtualCluster/prod');
    expect(ran.err).not.toContain('To make these changes');
  });
});

describe('undo of an undo', () => {
  it('that was cut off is carried on with, unless the run is named', async () => {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': all(cluster('a'), cluster('b')) });
    await world.run('apply', '-f', 'a.yaml', '--yes');
    const interrupt = new AbortController();
    there.onRequest(({ method }) => {
      if (method === 'DELETE') interrupt.abort();
    });
    const cut = await world.runWith({ interrupt }, 'undo', '--yes', '--parallelism', '1');
    expect(verdictOf(cut)).toBe('result: interrupted');
    const [first = '', second = ''] = runsIn(world);
    const again = await world.run('undo', '--yes');
    expect([again.code, again.err]).toEqual([
      64,
      expect.stringContaining(
        `the newest run, ${second}, is itself the undo of ${first}, and did not finish: carry on with gwconf apply --resume, or name the run to undo`,
      ),
    ]);
    expect(await there.list('VirtualCluster')).toHaveLength(1);
    await world.run('apply', '--resume');
    expect(await there.list('VirtualCluster')).toEqual([]);
  });

  it('has to be meant: the run is named', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    const former = stateOf(world);
    await world.run('undo', ...URL, '--yes');
    const again = await world.run('undo', ...URL, '--yes');
    const [first = '', second = ''] = runsIn(world);
    expect(again.code).toBe(64);
    expect(again.err).toContain(`the newest run, ${second}, is itself the undo of ${first}: name the run`);
    const listed = await world.run('journal');
    expect(listed.out).toContain(
      '2  2026-03-01 12:00  applied  1 of 1 done (-1)  embedded:live.json  undo of 1\n',
    );
    expect((await world.run('journal', second)).out).toContain(`Undo of run ${first}\n`);
    expect(stateOf(world)).toEqual([]);
    expect((await world.run('undo', second, ...URL, '--yes')).code).toBe(0);
    expect(stateOf(world)).toEqual(former);
  });

  it('that was made already finds all as it should be', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    await world.run('undo', ...URL, '--yes');
    const ran = await world.run('undo', runsIn(world)[0] ?? '', ...URL, '--yes');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: no-changes']);
  });
});

describe('undo refuses', () => {
  it('what has changed since, before it asks anything, shows that it could, or speaks of limits', async () => {
    const world = makeWorld();
    await applied(world, all(cluster('a'), cluster('b')));
    world.write('b.yaml', cluster('b', 'mallory'));
    await world.run('apply', '-f', 'b.yaml', ...URL, '--yes', '--journal', 'none');
    for (const flags of [['--max-deletes', '1'], ['--dry-run']]) {
      const ran = await world.runWith({ answer: 'yes' }, 'undo', ...URL, ...flags);
      expect([ran.code, verdictOf(ran), ran.questions]).toEqual([4, 'result: stale', []]);
      expect(ran.err).toContain('VirtualCluster/b has changed since the run that this undoes');
      expect(ran.err).not.toMatch(/over-limit|To make these changes/);
    }
  });

  it('when somebody has changed an object since, before it writes anything', async () => {
    const world = makeWorld();
    await applied(world, all(cluster('a'), cluster('b')));
    await applied(world, all(cluster('a', 'ann'), cluster('b', 'ann')));
    world.write('b.yaml', cluster('b', 'mallory'));
    await world.run('apply', '-f', 'b.yaml', ...URL, '--yes', '--journal', 'none');
    const now = stateOf(world);
    const ran = await world.run('undo', ...URL, '--yes');
    expect([ran.code, verdictOf(ran)]).toEqual([4, 'result: stale']);
    expect(ran.err).toContain(
      'error[stale-plan]: VirtualCluster/b has changed since the run that this undoes: /spec/superUsers/0 is now "mallory" (was "ann")',
    );
    expect(ran.err).toContain(
      'to take back the rest, set the files back and run gwconf apply, with --exclude and the address of what is to stay as it is now',
    );
    expect(stateOf(world)).toEqual(now);
  });

  it('when what something was in is gone since', async () => {
    const world = makeWorld();
    await applied(world, all(cluster('prod'), account('app', 'prod', 's1')));
    await applied(world, cluster('prod'));
    world.write('none.yaml', '');
    await world.run('apply', '-f', 'none.yaml', ...URL, ...PRUNE, '--yes', '--journal', 'none');
    const ran = await world.run('undo', ...URL, '--yes');
    expect(ran.code).toBe(4);
    expect(ran.err).toContain(
      'GatewayServiceAccount/app@vCluster=prod depends on VirtualCluster/prod, which does not exist',
    );
  });

  it('for another gateway, and for another environment', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    const [run = ''] = runsIn(world);
    const elsewhere = await world.run('undo', run, '--url', 'embedded:other.json', '--yes');
    expect([elsewhere.code, verdictOf(elsewhere)]).toEqual([4, 'result: stale']);
    const unnamed = await world.run('undo', '--url', 'embedded:other.json', '--yes');
    expect(unnamed.err).toContain('there is no run on embedded:other.json in .gwconf/journal');
    world.write('gwconf.yaml', projectOf({ test: 'gateway: { url: "embedded:live.json" }, files: [.]' }));
    expect((await world.run('undo', run, ...URL, '--yes')).code).toBe(4);
    expect((await world.run('undo', '--env', '*', '--yes')).err).toContain(
      'gwconf: one environment is needed here: gwconf.yaml has no environment *; it has test\n',
    );
  });

  it('a file that was altered, and one that belongs to another run', async () => {
    const world = makeWorld();
    await applied(world, cluster('a'));
    await applied(world, cluster('b'));
    const [first = '', second = ''] = runsIn(world);
    const text = world.read(`${JOURNAL}/${second}.undo.json`);
    world.write(`${JOURNAL}/${second}.undo.json`, text.replace('VirtualCluster/b', 'VirtualCluster/c'));
    expect((await world.run('undo', ...URL, '--yes')).err).toContain('was altered after it was made');
    world.write(`${JOURNAL}/${second}.undo.json`, world.read(`${JOURNAL}/${first}.undo.json`));
    const foreign = await world.run('undo', ...URL, '--yes');
    expect([foreign.code, foreign.err]).toEqual([
      1,
      expect.stringContaining(`${second}.undo.json does not undo run ${second}`),
    ]);
  });

  it('a file that is no longer there, as resuming does', async () => {
    const world = makeWorld();
    await applied(world, cluster('a'));
    const [run = ''] = runsIn(world);
    const journal = world.read(`${JOURNAL}/${run}.ndjson`);
    world.write(`${JOURNAL}/${run}.ndjson`, journal.slice(0, journal.lastIndexOf('{')));
    for (const file of [`${run}.undo.json`, `${run}.plan.json`]) {
      rmSync(join(world.folder, JOURNAL, file));
      for (const command of [['apply', '--resume'], ['undo']]) {
        const refused = await world.run(...command, ...URL, '--yes');
        expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('.json is not there')]);
        expect(refused.err).toContain('= make a new plan from files with the state that you want\n');
      }
    }
  });

  it('a file that is not signed where a key is set', async () => {
    const world = makeWorld();
    await applied(world, cluster('a'));
    world.env['GWCONF_PLAN_KEY'] = '0123456789abcdef'.repeat(2);
    const unsigned = await world.run('undo', ...URL, '--yes');
    expect([unsigned.code, unsigned.err]).toEqual([1, expect.stringContaining('is not signed')]);
    expect(unsigned.err).toContain(
      '= make a plan from files with the state that you want; an undo plan is signed if GWCONF_PLAN_KEY is set where apply runs\n',
    );
    await applied(world, cluster('b'));
    expect((await world.run('undo', ...URL, '--yes')).code).toBe(0);
    expect(stateOf(world)).toMatchObject([{ metadata: { name: 'a' } }]);
  });
});

describe('undo without a name', () => {
  it('takes back a run that failed after it had changed something', async () => {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': cluster('v') });
    const apply = (): Promise<Ran> =>
      world.run('apply', '-f', 'a.yaml', ...PRUNE, '--yes', '--settle-timeout', '0s');
    expect((await apply()).code).toBe(0);
    const run = '0002-20260301T120001.000Z-salt';
    world.write('a.yaml', cluster('v', 'ann'));
    expect((await apply()).code).toBe(0);
    // As a replace ends whose create is refused.
    const path = `${JOURNAL}/${run}.ndjson`;
    const failed = world
      .read(path)
      .replace('"outcome":"done"', '"outcome":"failed"')
      .replace('"result":"applied"', '"result":"failed"');
    world.write(path, failed);
    const ran = await world.run('undo', '--yes');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: applied']);
    expect(await there.list('VirtualCluster')).toMatchObject([{ spec: { superUsers: ['boss'] } }]);
  });

  it('takes the newest run back by its number, where the clock was set back', async () => {
    const world = makeWorld();
    await applied(world, cluster('a'));
    const [first = ''] = runsIn(world);
    const later = first.replace('20260301', '20270301');
    for (const end of ['.ndjson', '.plan.json', '.undo.json'])
      world.write(
        `${JOURNAL}/${later}${end}`,
        world.read(`${JOURNAL}/${first}${end}`).replaceAll(first, later),
      );
    await applied(world, all(cluster('a'), cluster('b')));
    const ran = await world.run('undo', ...URL, '--yes');
    expect(verdictOf(ran)).toBe('result: applied');
    expect(stateOf(world)).toMatchObject([{ metadata: { name: 'a' } }]);
  });
});

describe('undo on a gateway whose reads lag', () => {
  /** A run that made two clusters, of which the gateway shows the second only from this list on. */
  async function lagging(lists: number): Promise<{ readonly there: Served; readonly world: World }> {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': all(cluster('a'), cluster('b')) });
    expect((await world.run('apply', '-f', 'a.yaml', '--yes')).code).toBe(0);
    const hidden = (await there.list('VirtualCluster')).find(({ metadata }) => metadata.name === 'b');
    if (hidden === undefined) throw new Error('the cluster was not made');
    await there.gateway.remove(kindOf('VirtualCluster'), hidden);
    let left = lists;
    there.onRequest(({ path }) => {
      if (path.includes('virtual-cluster') && (left -= 1) === 0) void there.put(hidden);
    });
    return { there, world };
  }

  it('waits for what the run has made', async () => {
    const { there, world } = await lagging(2);
    const ran = await world.run('undo', '--yes');
    expect(ran.err).toContain(
      'The gateway does not show 1 object as written yet; waiting up to 29 seconds.\n',
    );
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: applied']);
    expect(await there.list('VirtualCluster')).toEqual([]);
  });

  it('takes for taken back what does not show in time', async () => {
    const { there, world } = await lagging(0);
    const ran = await world.run('undo', '--yes');
    expect(ran.err).toContain('waiting up to 29 seconds');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: applied']);
    expect(ran.out).toContain('Applied: 1 done, 1 already up to date.');
    expect(await there.list('VirtualCluster')).toEqual([]);
  });

  it('takes back the rest of what somebody has taken back in part, long after the run', async () => {
    const { there, world } = await lagging(0);
    const [run = ''] = runsIn(world);
    const path = `${JOURNAL}/${run}.ndjson`;
    world.write(path, world.read(path).replaceAll('2026-03-01T12:00', '2026-03-01T11:00'));
    const ran = await world.run('undo', '--yes');
    expect(ran.out).toContain('Plan: 0 to create, 0 to update, 0 to replace, 1 to delete. 1 unchanged.\n');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: applied']);
    expect(await there.list('VirtualCluster')).toEqual([]);
  });

  it('has nothing to do for a call of which nobody knows whether it was sent, once it had its time to show', async () => {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': cluster('a') });
    await world.run('apply', '-f', 'a.yaml', '--yes');
    const [run = ''] = runsIn(world);
    const path = `${JOURNAL}/${run}.ndjson`;
    world.write(path, world.read(path).split('\n').slice(0, 2).join('\n'));
    const [made] = await there.list('VirtualCluster');
    if (made !== undefined) await there.gateway.remove(kindOf('VirtualCluster'), made);
    const ran = await world.run('undo', '--yes');
    expect(ran.err).toContain('waiting up to 29 seconds');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: no-changes']);
  });
});

describe('a secret', () => {
  const canary = 'canary-of-the-vault';
  const expectNoCanary = (world: World): void => {
    for (const name of readdirSync(join(world.folder, JOURNAL)))
      expect(world.read(`${JOURNAL}/${name}`)).not.toContain('canary');
  };

  it('that was only on the gateway does not come back, which is said before the first call', async () => {
    const world = makeWorld();
    await applied(world, vault(canary));
    const ran = await applied(world, vault('canary-two'));
    expect(ran.err).toMatch(
      /^cannot be undone: Interceptor\/encrypt@vCluster=passthrough: gwconf does not store its secret at \S*token; to restore it, declare it in a file with this secret, and run gwconf apply\nApplying /m,
    );
    const report = JSON.parse(ran.out) as ApplyReport;
    expect(report.undo?.losses).toMatchObject([{ leftOut: true }]);
    expect(report.undo?.run).toBe(runsIn(world)[1]);
    const back = await world.run('undo', ...URL, '--yes');
    expect(back.out).toContain(
      'cannot be undone: Interceptor/encrypt@vCluster=passthrough: gwconf does not store its secret',
    );
    expect(back.out).toMatch(/^No changes\. 0 objects up to date\. 1 not undone\.$/m);
    expect(verdictOf(back)).toBe('result: error');
    expectNoCanary(world);
  });

  it('is said before the question where somebody is asked', async () => {
    const world = makeWorld();
    await applied(world, vault(canary));
    world.write('none.yaml', '');
    const heard: string[] = [];
    const answer = (): string => 'no';
    const ran = await world.runWith({ answer }, 'apply', '-f', 'none.yaml', ...URL, ...PRUNE);
    heard.push(ran.err);
    expect(heard[0]).toMatch(
      /^cannot be undone: Interceptor\/encrypt.*\nCancelled\. Nothing was changed\.$/m,
    );
  });

  it('from a variable comes back when the variable has its former value', async () => {
    const world = makeWorld();
    world.env['TOKEN'] = canary;
    await applied(world, vault('"${TOKEN}"'));
    const former = stateOf(world);
    world.env['TOKEN'] = 'canary-two';
    const ran = await applied(world, vault('"${TOKEN}"'));
    expect(ran.err).toContain(
      'cannot be undone completely: Interceptor/encrypt@vCluster=passthrough is restored only while TOKEN has its former value',
    );
    const refused = await world.run('undo', ...URL, '--yes');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('is not the one before that run');
    expect(refused.err).toContain('restore the former value of TOKEN');
    world.env['TOKEN'] = canary;
    expect((await world.run('undo', ...URL, '--yes')).code).toBe(0);
    expect(stateOf(world)).toEqual(former);
    expectNoCanary(world);
  });

  it.each(['true', 'false'])(
    'that is a flag is taken back, though a gateway leaves out one at its default: %s',
    async (flag) => {
      const world = makeWorld();
      world.env['FLAG'] = flag;
      const spec =
        '{ pattern: "events-.*", autoManaged: "${FLAG}", physicalTopics: { delete: a, compact: b, deleteCompact: c } }';
      await applied(
        world,
        all(cluster('prod'), documentOf('ConcentrationRule', '{ name: events, vCluster: prod }', spec)),
      );
      const ran = await world.run('undo', ...URL, '--yes');
      expect([ran.code, stateOf(world)], ran.err).toEqual([0, []]);
    },
  );

  it('that stays the same is taken from the gateway', async () => {
    const world = makeWorld();
    await applied(world, vault(canary, 1));
    const former = stateOf(world);
    const ran = await applied(world, vault(canary, 2));
    expect(ran.err).not.toContain('undone:');
    expect((await world.run('undo', ...URL, '--yes')).code).toBe(0);
    expect(stateOf(world)).toEqual(former);
    expectNoCanary(world);
  });

  it('of an interceptor that another took the place of is lost, and the other stays', async () => {
    const world = makeWorld();
    await applied(world, vault(canary));
    const ran = await applied(world, vault(canary).replace('name: encrypt', 'name: encrypt-all'));
    expect(ran.err).toContain(
      'cannot be undone: Interceptor/encrypt-all@vCluster=passthrough: it may replace Interceptor/encrypt@vCluster=passthrough, which is not restored\n',
    );
    const now = stateOf(world);
    expect(verdictOf(await world.run('undo', ...URL, '--yes'))).toBe('result: error');
    expect(stateOf(world)).toEqual(now);
  });

  it('of an interceptor that was deleted is lost with it', async () => {
    const world = makeWorld();
    await applied(world, all(cluster('prod'), vault(canary)));
    const ran = await applied(world, cluster('prod', 'ann'));
    expect(ran.err).toContain('cannot be undone: Interceptor/encrypt@vCluster=passthrough');
    expect((await world.run('undo', ...URL, '--yes')).code).toBe(0);
    expect(stateOf(world)).toMatchObject([{ metadata: { name: 'prod' }, spec: { superUsers: ['boss'] } }]);
    expectNoCanary(world);
  });
});

describe('a run', () => {
  it('says how it is taken back, and that a virtual cluster comes back empty', async () => {
    const world = makeWorld();
    const made = await applied(world, cluster('prod'));
    expect(made.err).toMatch(
      /\nUndo this run: gwconf undo --manages '\*' --url embedded:live\.json\nresult: applied\n$/,
    );
    const deleted = await applied(world, cluster('other'));
    expect(deleted.err).toMatch(
      /^cannot be undone completely: VirtualCluster\/prod is restored without the topics, ACLs and consumer groups inside it\nApplying /m,
    );
    expect(deleted.err).toContain('Undo this run, except for what was listed at the start: gwconf undo');
  });

  it('of a saved plan is taken back to what that plan found', async () => {
    const world = makeWorld();
    await applied(world, vault('canary-one', 1));
    const former = stateOf(world);
    world.write('b.yaml', all(cluster('prod'), vault('canary-one', 2)));
    await world.run('plan', '-f', 'b.yaml', ...URL, '--out', 'p.json');
    expect((await world.run('apply', 'p.json', ...URL)).code).toBe(0);
    expect((await world.run('undo', ...URL, '--yes')).code).toBe(0);
    expect(stateOf(world)).toEqual(former);
  });

  it('whose journal is deleted while it goes on says so, and not how it is taken back', async () => {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': all(cluster('a'), cluster('b')) });
    there.onRequest(({ method }) => {
      if (method === 'PUT') rmSync(join(world.folder, JOURNAL), { recursive: true, force: true });
    });
    const ran = await world.run('apply', '-f', 'a.yaml', '--yes');
    expect(ran.err).toMatch(
      /warning\[unwritable-journal\]: the journal of run \S+ is no longer in \.gwconf\/journal\n/,
    );
    expect(ran.err).not.toContain('Undo this run');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: applied']);
  });

  it('that keeps no journal says nothing of it', async () => {
    const world = makeWorld();
    world.write('a.yaml', cluster('a'));
    const ran = await world.run('apply', '-f', 'a.yaml', ...URL, '--yes', '--journal', 'none', '-o', 'json');
    expect(ran.err).toContain('this run can neither be resumed nor undone');
    expect(ran.err).not.toContain('gwconf undo');
    expect(JSON.parse(ran.out)).not.toHaveProperty('undo');
  });

  it('that was cut off is taken back as far as it came', async () => {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': all(cluster('a'), cluster('b'), cluster('c')) });
    const interrupt = new AbortController();
    there.onRequest(({ method }) => {
      if (method === 'PUT') interrupt.abort();
    });
    const cut = await world.runWith({ interrupt }, 'apply', '-f', 'a.yaml', '--yes', '--parallelism', '1');
    expect(cut.code).toBe(130);
    expect(await there.list('VirtualCluster')).toHaveLength(1);
    const ran = await world.run('undo', '--yes');
    expect(ran.out).toContain('Plan: 0 to create, 0 to update, 0 to replace, 1 to delete. 2 unchanged.\n');
    expect(ran.out).toContain('Applied: 1 done.');
    expect(await there.list('VirtualCluster')).toEqual([]);
    const journal = await world.run('journal', '2');
    expect(journal.out).toContain('Applied: 1 done, 2 already up to date.\n');
  });

  it('that was cut off leaves what it did not reach to others, also where the undo is resumed', async () => {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': all(cluster('a'), cluster('b'), cluster('c')) });
    await world.run('apply', '-f', 'a.yaml', '--yes');
    world.write('a.yaml', '# nothing');
    const rules = ['--prune', '--allow-empty', '--manages', '*', '--parallelism', '1'];
    const interrupt = new AbortController();
    there.onRequest(({ method }) => {
      if (method !== 'GET') interrupt.abort();
    });
    await world.runWith({ interrupt }, 'apply', '-f', 'a.yaml', '--yes', ...rules);
    const names = async () => (await there.list('VirtualCluster')).map(({ metadata }) => metadata.name);
    expect(await names()).toEqual(['b', 'c']);
    // Somebody else deletes one that the run would have deleted, too, and changes another.
    for (const one of await there.list('VirtualCluster'))
      await (one.metadata.name === 'b'
        ? there.gateway.remove(kindOf('VirtualCluster'), one)
        : there.put({ ...one, spec: { ...one.spec, superUsers: ['boss'], aclEnabled: true } }));
    const again = new AbortController();
    there.onRequest(() => again.abort());
    const cut = await world.runWith({ interrupt: again }, 'undo', '--yes', '--manages', '*');
    expect(verdictOf(cut)).toBe('result: interrupted');
    const ran = await world.run('apply', '--resume', '--manages', '*');
    expect([verdictOf(ran), await names()]).toEqual(['result: applied', ['c', 'a']]);
  });

  it('takes back what a gateway did and refused all the same', async () => {
    const there = await serve(
      {},
      {
        intercept: ({ body }, handle) => {
          const answer = handle();
          return Promise.resolve(body.includes('"b"') ? { status: 400, body: { title: 'no' } } : answer);
        },
      },
    );
    const world = worldBeside(there, { 'a.yaml': all(cluster('a'), cluster('b')) });
    expect((await world.run('apply', '-f', 'a.yaml', '--yes')).code).toBe(5);
    expect(await there.list('VirtualCluster')).toHaveLength(2);
    await world.run('undo', '--yes');
    expect(await there.list('VirtualCluster')).toEqual([]);
  });

  it('ends the plan of a run that it has undone, also of one that failed, unless it is undone itself', async () => {
    let isClosed = true;
    const there = await serve(
      {},
      {
        intercept: ({ body }, handle) =>
          Promise.resolve(
            isClosed && body.includes('"b"') ? { status: 400, body: { title: 'no' } } : handle(),
          ),
      },
    );
    const world = worldBeside(there, { 'a.yaml': all(cluster('a'), cluster('b')) });
    await world.run('plan', '-f', 'a.yaml', '--out', 'p.plan');
    expect((await world.run('apply', 'p.plan', '--keep-going')).code).toBe(5);
    isClosed = false;
    await world.run('undo', '--yes');
    for (const again of [['p.plan'], ['--resume', '1']]) {
      const ran = await world.run('apply', ...again);
      expect([ran.code, verdictOf(ran)]).toEqual([4, 'result: stale']);
      expect(ran.err).toMatch(
        /^error\[applied-plan\]: run 0001-\S+ has applied a part of this plan, at \S+, and was undone/m,
      );
    }
    expect(await there.list('VirtualCluster')).toEqual([]);
    await world.run('undo', '2', '--yes');
    expect(verdictOf(await world.run('apply', '--resume', '1'))).toBe('result: applied');
    expect(await there.list('VirtualCluster')).toHaveLength(2);
  });

  describe('that stopped after it released the external name of an account that was to go', () => {
    const external = (name: string, externalName: string): string =>
      `apiVersion: gateway/v2\nkind: GatewayServiceAccount\nmetadata: { name: ${name} }\nspec: { type: EXTERNAL, externalNames: [${externalName}] }\n`;
    const group =
      'apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: readers }\nspec: { members: [{ name: app-a }] }\n';
    const stopped = async () => {
      const there = await serve(
        {},
        {
          intercept: ({ method, body }, handle) =>
            Promise.resolve(
              method === 'PUT' && body.includes('app-b') ? { status: 400, body: { title: 'no' } } : handle(),
            ),
        },
      );
      const world = worldBeside(there, { 'a.yaml': all(external('app-a', 'sub-1'), group) });
      await world.run('apply', '-f', 'a.yaml', '--yes');
      const before = await there.list('GatewayServiceAccount');
      world.write('a.yaml', all(external('app-b', 'sub-1'), external('app-c', 'sub-2')));
      const prune = ['--prune', '--manages', '*', '--keep-going'];
      const half = await world.run('apply', '-f', 'a.yaml', '--yes', ...prune);
      expect(half.out).toContain('app-a@vCluster=passthrough (release)  done');
      expect(await there.list('GatewayServiceAccount')).not.toEqual(before);
      return { there, world, before };
    };

    it('gives it back', async () => {
      const { there, world, before } = await stopped();
      const ran = await world.run('undo', '--yes', '--manages', '*');
      expect(verdictOf(ran), ran.err).toBe('result: applied');
      expect(ran.out).toContain('Plan: 0 to create, 1 to update, 0 to replace, 1 to delete.');
      expect(await there.list('GatewayServiceAccount')).toEqual(before);
    });

    it('leaves the account as somebody else has changed it since, and says no more than it knows', async () => {
      const { world } = await stopped();
      world.write('b.yaml', external('app-a', 'sub-9'));
      await world.run('apply', '-f', 'b.yaml', '--yes');
      const ran = await world.run('undo', '2', '--yes', '--manages', '*');
      expect(verdictOf(ran), ran.err).toBe('result: stale');
      expect(ran.err).toContain('it is neither as the run found it nor as it left it');
    });
  });

  it('that was cut off in the middle of a replace is taken back, even by an undo that is resumed', async () => {
    const there = await serve({ physicalClusters: ['main', 'east', 'west'] });
    const alias = (physicalCluster: string): string =>
      all(
        'apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: partner }\nspec: { type: Partner, aclEnabled: true, superUsers: [boss] }\n',
        `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: orders, vCluster: partner }\nspec: { physicalName: o, physicalCluster: ${physicalCluster} }\n`,
      );
    const world = worldBeside(there, { 'east.yaml': alias('east'), 'nowhere.yaml': alias('nowhere') });
    await world.run('apply', '-f', 'east.yaml', '--yes');
    const half = await world.run('apply', '-f', 'nowhere.yaml', '--yes');
    expect(half.code).toBe(5);
    expect(await there.list('AliasTopic')).toEqual([]);
    // The undo itself is cut off before it comes to that.
    const interrupt = new AbortController();
    there.onRequest(() => interrupt.abort());
    const cut = await world.runWith({ interrupt }, 'undo', runsIn(world)[1] ?? '', '--yes');
    expect(verdictOf(cut)).toBe('result: interrupted');
    expect(await there.list('AliasTopic')).toEqual([]);
    const ran = await world.run('apply', '--resume');
    expect(verdictOf(ran)).toBe('result: applied');
    expect(await there.list('AliasTopic')).toMatchObject([{ spec: { physicalCluster: 'east' } }]);
  });
});

describe('the undo of replaces that were made in half', () => {
  const aliases = (physicalCluster: string): string =>
    all(
      ...Array.from(
        { length: 8 },
        (_, at) =>
          `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: v${at} }\nspec: { type: Partner, aclEnabled: true, superUsers: [boss] }\n---\napiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: orders, vCluster: v${at} }\nspec: { physicalName: o, physicalCluster: ${physicalCluster} }\n`,
      ),
    );

  it('creates what is gone: no limit of deletes or updates is about it', async () => {
    const there = await serve({ physicalClusters: ['main', 'east', 'west'] });
    const world = worldBeside(there, { 'east.yaml': aliases('east'), 'nowhere.yaml': aliases('nowhere') });
    world.write('gwconf.yaml', 'apiVersion: gwconf/v1\nkind: Project\n');
    await world.run('apply', '-f', 'east.yaml', '--yes');
    const more = ['--keep-going', '--max-deletes', '8', '--max-updates', '8'];
    const half = await world.run('apply', '-f', 'nowhere.yaml', '--yes', ...more);
    expect(half.code, half.err).toBe(5);
    expect(await there.list('AliasTopic')).toEqual([]);
    expect(half.err).toMatch(/^Undo this run.*: gwconf undo/m);
    const undone = await world.run('undo', '--yes');
    expect([undone.code, undone.out], undone.err).toEqual([
      0,
      expect.stringContaining('Plan: 8 to create, 0 to update, 0 to replace, 0 to delete.'),
    ]);
    expect(undone.out).toContain('Applied: 8 done.');
    expect(await there.list('AliasTopic')).toHaveLength(8);
  });
});

describe('the undo of a run with a temporary interceptor', () => {
  const pair = (one: string, other: string): string =>
    all(
      cluster('prod'),
      ...[one, other].map((name, at) => {
        const spec =
          at === 0
            ? '{ pluginClass: io.conduktor.gateway.interceptor.AuditPlugin, priority: 1, config: { topic: .* } }'
            : '{ pluginClass: io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin, priority: 2, config: { topic: .*, action: BLOCK } }';
        return `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: ${name}, scope: { vCluster: prod } }\nspec: ${spec}\n`;
      }),
    );

  it('says nothing of it once it is gone', async () => {
    const world = makeWorld();
    await applied(world, pair('x', 'y'));
    const swapped = await applied(world, pair('y', 'x'));
    const temporary = (out: string): readonly string[] => [
      ...new Set([...out.matchAll(/Interceptor\/(\w+-gwconf-bridge)/g)].map(([, name = '']) => name)),
    ];
    const undone = await world.run('undo', ...URL, '--yes');
    expect(undone.code, undone.err).toBe(0);
    const [used = ''] = temporary(swapped.out);
    expect(used).not.toBe('');
    expect(temporary(undone.out)).not.toContain(used);
    expect(undone.out).not.toContain('already up to date');
  });

  const plugins = {
    audit:
      '{ pluginClass: io.conduktor.gateway.interceptor.AuditPlugin, priority: 1, config: { topic: .* } }',
    readOnly:
      '{ pluginClass: io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin, priority: 2, config: { topic: .*, action: BLOCK } }',
  };
  const interceptor = (name: string, by: string, plugin: keyof typeof plugins): string =>
    `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: ${name}, scope: { vCluster: prod, ${by} } }\nspec: ${plugins[plugin]}\n`;
  const clients = all(
    cluster('prod'),
    account('bob', 'prod'),
    documentOf('GatewayGroup', '{ name: g }', '{ members: [{ name: bob, vCluster: prod }] }'),
  );

  it('has its own where the run had one of the same name, and leaves none however it is cut off', async () => {
    const files = {
      'a.yaml': all(
        clients,
        interceptor('a', 'group: g', 'audit'),
        interceptor('b', 'username: bob', 'readOnly'),
      ),
      'b.yaml': all(
        clients,
        interceptor('a', 'username: bob', 'readOnly'),
        interceptor('b', 'username: bob', 'audit'),
      ),
    };
    const names = async (there: Served): Promise<readonly string[]> =>
      (await there.list('Interceptor'))
        .map(({ metadata: { name, scope } }) => JSON.stringify([name, scope]))
        .sort();
    for (const [calls, again] of [
      [1, 'undo'],
      [2, 'resume'],
      [3, 'undo'],
      [4, 'resume'],
    ] as const) {
      const there = await serve();
      const world = worldBeside(there, files);
      await world.run('apply', '-f', 'a.yaml', '--yes');
      const former = await names(there);
      const ran = await world.run('apply', '-f', 'b.yaml', '--yes', ...PRUNE);
      expect(ran.out).toContain('Interceptor/b-gwconf-bridge');
      const [run = ''] = runsIn(world).slice(-1);
      const interrupt = new AbortController();
      there.forget();
      there.onRequest(() => {
        if (there.writes().length >= calls) interrupt.abort();
      });
      const cut = await world.runWith({ interrupt }, 'undo', run, '--yes', '--parallelism', '1');
      expect(cut.out).toContain('Interceptor/b-gwconf-bridge');
      expect(verdictOf(cut)).toBe('result: interrupted');
      const rest = await (again === 'undo'
        ? world.run('undo', run, '--yes')
        : world.run('apply', '--resume'));
      expect(verdictOf(rest), rest.err).toBe('result: applied');
      expect(await names(there)).toEqual(former);
    }
  });

  it('copies nothing that has a secret', async () => {
    const world = makeWorld();
    world.env['T'] = 'canary-topic';
    await applied(
      world,
      all(clients, interceptor('a', 'group: g', 'audit'), interceptor('b', 'username: bob', 'readOnly')),
    );
    const secret = interceptor('b', 'username: bob', 'audit').replace('.*', '"${T}"');
    world.write('a.yaml', all(clients, interceptor('a', 'username: bob', 'readOnly'), secret));
    const ran = await world.run('apply', '-f', 'a.yaml', ...URL, ...PRUNE, '--yes', '--accept-exposure', '*');
    expect(verdictOf(ran)).toBe('result: applied');
    const undone = await world.run('undo', ...URL, '--yes');
    expect(undone.out).toContain('~ Interceptor/b@vCluster=prod,username=bob');
    expect(`${undone.out}${undone.err}`).not.toMatch(/b-gwconf-bridge|canary/);
    expect(undone.out).toContain('--accept-exposure');
  });
});

describe('the file of an undo', () => {
  it('is a saved plan of its own, which show renders', async () => {
    const world = makeWorld();
    await applied(world, cluster('prod'));
    await applied(world, cluster('other'));
    const [, run = ''] = runsIn(world);
    expect(undoFileOf(world, run).gateway).toBe('embedded:live.json');
    const shown = await world.run('show', `${JOURNAL}/${run}.undo.json`);
    expect(shown.out).toContain(
      [
        `Undo of run ${run}`,
        '',
        'Risks:',
        '  ! VirtualCluster/other is deleted with the topics, ACLs and consumer groups inside it',
        '',
        '  + VirtualCluster/prod',
        '      + superUsers: [boss]',
        '  - VirtualCluster/other',
        '      - superUsers: [boss]',
        '',
        '  cannot be undone completely: VirtualCluster/prod is restored without the topics, ACLs and consumer groups inside it',
        '',
        'Plan: 1 to create, 0 to update, 0 to replace, 1 to delete. 0 unchanged.',
      ].join('\n'),
    );
    const why = await world.run('show', `${JOURNAL}/${run}.undo.json`, '--explain', 'VirtualCluster/prod');
    expect(why.out).toContain(`undoes run ${run}\n`);
  });
});

describe('an undo that lacks a former secret', () => {
  /** A run that changed a secret from TOKEN and a virtual cluster, and made another one. */
  async function ranWithTokens(
    project: Readonly<Record<string, string>> = {},
  ): Promise<{ world: World; former: unknown; now: unknown }> {
    const world = makeWorld(project);
    world.env['TOKEN'] = 'canary-one';
    await applied(world, all(cluster('prod'), vault('"${TOKEN}"')));
    const former = stateOf(world);
    world.env['TOKEN'] = 'canary-two';
    await applied(world, all(cluster('prod', 'ann'), cluster('new'), vault('"${TOKEN}"')));
    return { world, former, now: stateOf(world) };
  }
  const superUsers = (world: World): unknown =>
    (
      stateOf(world) as readonly {
        kind: string;
        metadata: { name: string };
        spec: { superUsers?: unknown };
      }[]
    )
      .filter(({ kind }) => kind === 'VirtualCluster')
      .map(({ metadata, spec }) => [metadata.name, spec.superUsers]);

  it('does nothing unasked, and says how to take back the rest', async () => {
    const { world, now } = await ranWithTokens();
    const ran = await world.run('undo', ...URL, '--yes');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain('restore the former value of TOKEN; or undo the rest with --keep-going');
    delete world.env['TOKEN'];
    const missing = await world.run('undo', ...URL, '--yes');
    expect(missing.err).toContain('make TOKEN available, as for that run; or undo the rest');
    expect(stateOf(world)).toEqual(now);
  });

  it('takes back the rest with --keep-going, deletes nothing, and is resumed with the secret', async () => {
    const { world, former } = await ranWithTokens();
    const ran = await world.run('undo', ...URL, '--yes', '--keep-going');
    expect([ran.code, verdictOf(ran)]).toEqual([5, 'result: partial']);
    expect(ran.err).toContain('stays as it is: Interceptor/encrypt@vCluster=passthrough\n');
    expect(ran.err).toContain(
      'stays as it is: VirtualCluster/new, since it depends on an object that does\n',
    );
    expect(ran.err).toContain('Applying 0 to create, 1 to update, 0 to replace, 0 to delete: 1 write');
    expect(ran.out).toContain('Partially applied: 1 done, 1 failed, 1 blocked.');
    expect(superUsers(world)).toEqual([
      ['new', ['boss']],
      ['prod', ['boss']],
    ]);
    world.env['TOKEN'] = 'canary-one';
    expect(verdictOf(await world.run('apply', '--resume', ...URL))).toBe('result: applied');
    expect(stateOf(world)).toEqual(former);
    expect(`${ran.out}${ran.err}`).not.toContain('canary');
  });

  it('takes nothing back where a rule protects what would stay: the rest is made when it is resumed', async () => {
    const { world, now } = await ranWithTokens({
      'gwconf.yaml': projectOf({ prod: 'protect: [{ address: VirtualCluster/new, reason: ours }]' }),
    });
    const ran = await world.run('undo', ...URL, '--yes', '--keep-going');
    expect([ran.code, verdictOf(ran)]).toEqual([3, 'result: blocked']);
    expect(ran.err).toContain('error[protected]: VirtualCluster/new would be deleted');
    expect(stateOf(world)).toEqual(now);
  });

  it('says what stays before it asks, and a yes is for the rest', async () => {
    const { world, now } = await ranWithTokens();
    const no = await world.runWith({ answer: 'no' }, 'undo', ...URL);
    expect(no.err).toMatch(
      /stays as it is: VirtualCluster\/new, .*\nCancelled\. Nothing was changed\.\nresult: blocked\n$/,
    );
    expect(no.questions[0]).toMatch(/^Undo the rest of run \S+ on embedded:live\.json\?/);
    expect(stateOf(world)).toEqual(now);
    const yes = await world.runWith({ answer: 'yes' }, 'undo', ...URL);
    expect([yes.code, verdictOf(yes)]).toEqual([5, 'result: partial']);
  });

  it('of which all of it hangs is refused', async () => {
    const world = makeWorld();
    world.env['TOKEN'] = 'canary-one';
    await applied(world, vault('"${TOKEN}"'));
    world.env['TOKEN'] = 'canary-two';
    await applied(world, vault('"${TOKEN}"'));
    const ran = await world.run('undo', ...URL, '--yes', '--keep-going');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
  });
});
