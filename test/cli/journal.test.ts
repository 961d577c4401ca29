import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/apply/journal/journal.ts';
import { makeWorld, PID, verdictOf, type World } from '../support/cli.ts';
import { cluster, projectOf } from '../support/documents.ts';
import { kindOf } from '../support/kinds.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';

const FILES = { 'a.yaml': ['a', 'b', 'c'].map((name) => cluster(name)).join('---\n') };
const FIRST = '0001-20260301T120000.000Z-salt';

function beside(there: Served, files: Readonly<Record<string, string>> = FILES): World {
  return worldBeside(there, files);
}

function recordsOf(mine: World, run = FIRST, folder = '.gwconf/journal'): readonly JournalRecord[] {
  const lines = mine.read(`${folder}/${run}.ndjson`).split('\n');
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JournalRecord]));
}

function fullDisk(): Error {
  return Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
}

/** A run that was interrupted when its second write was answered. */
async function interrupted(): Promise<{
  readonly there: Served;
  readonly mine: World;
  readonly err: string;
}> {
  const there = await serve();
  const mine = beside(there);
  const interrupt = new AbortController();
  there.onRequest(() => {
    if (there.writes().length === 2) interrupt.abort();
  });
  const ran = await mine.runWith(
    { interrupt },
    ...['apply', '-f', 'a.yaml', '--auto-approve', '--parallelism', '1'],
  );
  expect(ran.code).toBe(130);
  return { there, mine, err: ran.err };
}

describe('the journal', () => {
  it('has an intent before each call, a result after it, what the ledger says, and how it ended', async () => {
    const there = await serve();
    const mine = beside(there, { 'a.yaml': cluster('prod') });
    expect((await mine.run('apply', '-f', 'a.yaml', '--auto-approve')).code).toBe(0);
    const at = '2026-03-01T12:00:00.000Z';
    const { digest } = mine.json(`.gwconf/journal/${FIRST}.plan.json`) as { readonly digest: string };
    expect(recordsOf(mine)).toEqual([
      {
        type: 'started',
        format: 'gwconf/journal@1',
        run: FIRST,
        gateway: there.url,
        plan: digest,
        changes: 1,
        counts: { create: 1, update: 0, replace: 0, delete: 0 },
        ...{ at, tool: 'gwconf 0.1.0', pid: PID, host: 'here' },
      },
      { type: 'intent', n: 1, call: 'put', address: 'VirtualCluster/prod', at },
      { type: 'result', n: 1, answer: 'done', at },
      { type: 'ended', address: 'VirtualCluster/prod', outcome: 'done' },
      { type: 'finished', result: 'applied', at },
    ]);
  });

  it('is for nobody else to read, nor for a repository', async () => {
    const mine = beside(await serve());
    await mine.run('apply', '-f', 'a.yaml', '--auto-approve');
    const mode = (path: string): number => statSync(join(mine.folder, path)).mode & 0o777;
    const names = readdirSync(join(mine.folder, '.gwconf/journal'));
    expect(names).toEqual([`${FIRST}.ndjson`, `${FIRST}.plan.json`, `${FIRST}.undo.json`]);
    for (const name of names) expect(mode(`.gwconf/journal/${name}`)).toBe(0o600);
    expect([mode('.gwconf'), mode('.gwconf/journal')]).toEqual([0o700, 0o700]);
    expect(mine.read('.gwconf/.gitignore')).toBe('*\n!schema.json\n');
  });

  it('has an intent on disk when its call comes', async () => {
    const there = await serve();
    const mine = beside(there);
    const known: number[] = [];
    there.onRequest(({ method }) => {
      if (method === 'PUT') known.push(recordsOf(mine).filter(({ type }) => type === 'intent').length);
    });
    await mine.run('apply', '-f', 'a.yaml', '--auto-approve', '--parallelism', '1');
    expect(known.map((count, at) => count > at)).toEqual([true, true, true]);
  });

  it('is in another folder when that is asked for, and in none with none, which is said', async () => {
    const mine = beside(await serve());
    const named = await mine.run('apply', '-f', 'a.yaml', '--auto-approve', '--journal', 'runs');
    expect([named.code, named.err.includes('No journal')]).toEqual([0, false]);
    expect(mine.has(`runs/${FIRST}.ndjson`)).toBe(true);
    mine.write('a.yaml', cluster('other'));
    const none = await mine.runWith({ env: { GWCONF_JOURNAL: 'none' } }, 'apply', '-f', 'a.yaml', '--yes');
    expect(none.code).toBe(0);
    expect(none.err).toContain('No journal is kept: this run can neither be resumed nor undone.\n');
    expect([mine.has('.gwconf'), mine.has('none')]).toEqual([false, false]);
  });

  it('is beside gwconf.yaml, and knows the environment', async () => {
    const there = await serve();
    const project = projectOf({ prod: `gateway: { url: "${there.url}" }, files: [a.yaml]` });
    const mine = beside(there, { ...FILES, 'gwconf.yaml': project });
    const ran = await mine.run('apply', '--auto-approve');
    expect(ran.code, ran.err).toBe(0);
    expect(recordsOf(mine)[0]).toMatchObject({ environment: 'prod' });
  });

  it('that cannot be begun stops a run before its first write', async () => {
    const there = await serve();
    const mine = beside(there, { ...FILES, runs: 'a file' });
    const ran = await mine.run('apply', '-f', 'a.yaml', '--auto-approve', '--journal', 'runs');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(
      'error[unwritable-journal]: the journal of the run cannot be written in runs: a file is where a folder is expected, so nothing was begun\n',
    );
    expect(verdictOf(ran)).toBe('result: error');
    expect(there.writes()).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'that cannot be written from its %ith line on lets nothing new start, and the ledger is true',
    async (broken) => {
      const there = await serve();
      const mine = beside(there);
      let written = 0;
      const isThere = (): boolean => (written += 1) < broken;
      const ran = await mine.runWith(
        {
          lines: (lines) => ({
            ...lines,
            add: (text) => (isThere() ? lines.add(text) : Promise.reject(fullDisk())),
            note: (text) => {
              if (isThere()) lines.note(text);
            },
          }),
        },
        ...['apply', '-f', 'a.yaml', '--auto-approve', '--parallelism', '1', '-o', 'json'],
      );
      const { result, ledger } = JSON.parse(ran.out) as {
        readonly result: string;
        readonly ledger: readonly { readonly address: string; readonly outcome: string }[];
      };
      const done = ledger.filter(({ outcome }) => outcome === 'done').map(({ address }) => address);
      const live = (await there.list('VirtualCluster')).map(
        ({ metadata }) => `VirtualCluster/${metadata.name}`,
      );
      expect(done).toEqual(live);
      expect(result).toBe(done.length === 3 ? 'applied' : done.length === 0 ? 'failed' : 'partial');
      expect(ran.err).toContain('error[unwritable-journal]');
      expect(ran.err).toContain(
        'the disk is full; no call was made without it\n = make the folder writable, with room on its disk, then resume or undo the run\n',
      );

      const resumed = await mine.run('apply', '--resume');
      expect(resumed.code, resumed.err).toBe(0);
      expect(await there.list('VirtualCluster')).toHaveLength(3);
    },
  );
});

describe('apply --resume', () => {
  it('is what an interrupted run advises before its verdict', async () => {
    const { err } = await interrupted();
    expect(err).toMatch(
      /\nResume this run: gwconf apply --resume \S+\nUndo this run: gwconf undo\nresult: interrupted\n$/,
    );
  });

  it('goes on with the rest, without the files and without a question, in the same journal', async () => {
    const { there, mine } = await interrupted();
    mine.write('a.yaml', 'gone: true');
    there.forget();
    const ran = await mine.run('apply', '--resume', '-o', 'json');
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain(`Resuming run ${FIRST}, which began at 2026-03-01T12:00:00.000Z.\n`);
    expect(JSON.parse(ran.out)).toMatchObject({
      result: 'applied',
      summary: { done: 1, already: 2 },
    });
    expect(there.writes()).toHaveLength(1);
    expect(recordsOf(mine).map(({ type }) => type)).toContain('resumed');
    expect(recordsOf(mine).at(-1)).toMatchObject({ type: 'finished', result: 'applied' });
    expect(readdirSync(join(mine.folder, '.gwconf/journal'))).toHaveLength(3);
  });

  it('has nothing to do for a run that is finished', async () => {
    const { mine } = await interrupted();
    await mine.run('apply', '--resume');
    const ran = await mine.run('apply', '--resume');
    expect(ran.code).toBe(64);
    expect(ran.err).toContain(`run ${FIRST} is finished: there is nothing to resume`);
  });

  it('takes the newest run on this gateway, and says where there are others', async () => {
    const { mine } = await interrupted();
    const other = await serve();
    const ran = await mine.run('apply', '--resume', '--url', other.url);
    expect(ran.code).toBe(64);
    expect(ran.err).toContain(
      `there is no run on ${other.url} in .gwconf/journal; there are runs on http://`,
    );
    expect((await mine.run('apply', '--resume', FIRST, '--url', other.url)).code).toBe(4);
  });

  it('waits for what the run has done where reads lag, and does it once', async () => {
    const { there, mine } = await interrupted();
    const [first] = await there.list('VirtualCluster');
    if (first !== undefined) await there.gateway.remove(kindOf('VirtualCluster'), first);
    let lists = 0;
    there.onRequest(({ method }) => {
      if (method === 'GET' && (lists += 1) === 2 && first !== undefined) void there.put(first);
    });
    there.forget();
    const ran = await mine.run('apply', '--resume');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: applied']);
    expect(ran.err).toContain('The gateway does not show 1 object as written yet');
    expect(there.writes()).toHaveLength(1);
  });

  it('writes nothing when neither the run nor its plan explains what is there', async () => {
    const { there, mine } = await interrupted();
    const [first] = await there.list('VirtualCluster');
    if (first !== undefined) await there.put({ ...first, spec: { ...first.spec, superUsers: ['somebody'] } });
    there.forget();
    const ran = await mine.run('apply', '--resume');
    expect(ran.code).toBe(4);
    expect(verdictOf(ran)).toBe('result: stale');
    expect(there.writes()).toEqual([]);
  });

  it.each([
    [['--resume', '-f', 'a.yaml'], 'leave out --file'],
    [['--resume=x', '--prune'], 'leave out --prune'],
    [['p.plan', '--resume'], 'leave out the saved plan, or leave out --resume'],
    [['--resume', '--journal', 'none'], 'without a journal there is no run to resume'],
    [['--resume', 'nothing'], 'there is no run nothing in .gwconf/journal'],
    [['--resume'], 'there is no run on embedded: in .gwconf/journal'],
  ])('is wrong usage with %j', async (args, words) => {
    const ran = await makeWorld(FILES).run('apply', ...args, '--url', 'embedded:');
    expect(ran.code).toBe(64);
    expect(ran.err).toContain(words);
  });

  it('refuses another plan than that of the run', async () => {
    const { mine } = await interrupted();
    await mine.run('plan', 'a.yaml', '--out', `.gwconf/journal/${FIRST}.plan.json`);
    const ran = await mine.run('apply', '--resume');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('is not the plan of run');
  });

  it('refuses a journal that was damaged, and says where', async () => {
    const { mine } = await interrupted();
    const path = `.gwconf/journal/${FIRST}.ndjson`;
    mine.write(path, mine.read(path).replace('"n":1,"call"', '"n":7,"call"'));
    const ran = await mine.run('apply', '--resume');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`error[invalid-journal]: ${path}:2 is not a journal record`);
  });

  it('passes over no newer run that cannot be read, and takes the name of an older one', async () => {
    const { mine } = await interrupted();
    const path = '.gwconf/journal/0002-20260301T130000.000Z-torn.ndjson';
    mine.write(path, 'nonsense');
    for (const command of [
      ['apply', '--resume'],
      ['undo', '--yes'],
    ]) {
      const ran = await mine.run(...command);
      expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
      expect(ran.err).toContain(`error[invalid-journal]: ${path}:1 is not a journal record`);
      expect(ran.err).toContain('name the run to use, as gwconf journal lists those that can be read');
    }
    for (const command of [
      ['apply', '--resume', FIRST],
      ['undo', FIRST, '--yes'],
    ])
      expect(verdictOf(await mine.run(...command))).toBe('result: applied');
  });
});

describe('gwconf journal --env', () => {
  it('lists the runs of that environment', async () => {
    const environment = (name: string): string =>
      `  ${name}: { gateway: { url: "embedded:${name}.json" }, files: [a.yaml] }\n`;
    const mine = makeWorld({
      ...FILES,
      'gwconf.yaml': `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${['test', 'prod', 'new'].map(environment).join('')}`,
    });
    for (const name of ['test', 'prod']) await mine.run('apply', '--env', name, '--auto-approve');
    const listed = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await mine.run('journal', ...args)).out.match(/embedded:.*/g) ?? [];
    expect(await listed()).toEqual(['embedded:prod.json (prod)', 'embedded:test.json (test)']);
    expect(await listed('--env', 'test')).toEqual(['embedded:test.json (test)']);
    mine.env['GWCONF_ENV'] = 'prod';
    expect(await listed()).toEqual(['embedded:prod.json (prod)']);
    expect((await mine.run('journal', '--env', 'new')).out).toBe('No run of new in .gwconf/journal.\n');
  });
});

describe('gwconf journal', () => {
  it('says so when there is no run', async () => {
    const ran = await makeWorld().run('journal');
    expect([ran.code, ran.out, ran.err]).toEqual([0, 'No run in .gwconf/journal.\n', '']);
    expect(JSON.parse((await makeWorld().run('journal', '-o', 'json')).out)).toMatchObject({ runs: [] });
  });

  it('lists runs, the newest first, and shows one', async () => {
    const { there, mine } = await interrupted();
    mine.write('a.yaml', cluster('d'));
    await mine.run('apply', '-f', 'a.yaml', '--auto-approve');
    expect((await mine.run('journal')).out).toBe(
      [
        `2  2026-03-01 12:00  applied      1 of 1 done (+1)  ${there.url}`,
        `1  2026-03-01 12:00  interrupted  2 of 3 done (+3)  ${there.url}`,
        '',
      ].join('\n'),
    );
    expect((await mine.run('journal', FIRST)).out).toBe(
      [
        `Run ${FIRST} on ${there.url}`,
        `Started at 2026-03-01T12:00:00.000Z by gwconf 0.1.0, process ${PID} on here`,
        'Finished at 2026-03-01T12:00:00.000Z',
        '',
        '  + VirtualCluster/a  done',
        '  + VirtualCluster/b  done',
        '  + VirtualCluster/c  not attempted',
        '',
        'Interrupted: 2 done, 1 not attempted.',
        '',
      ].join('\n'),
    );
  });

  it('says who began a run, and of which commit and branch: of the job, or of git', async () => {
    const there = await serve();
    const mine = beside(there);
    const env = {
      CI: 'true',
      GITHUB_SHA: 'c0ffee00'.repeat(5),
      GITHUB_REF_NAME: 'main',
      GITHUB_ACTOR: 'anna',
    };
    await mine.runWith({ env }, 'apply', '-f', 'a.yaml', '--auto-approve');
    mine.write('a.yaml', cluster('d'));
    execFileSync('git', ['init', '--quiet', '-b', 'work'], { cwd: mine.folder });
    const commit = [
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@y',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'x',
    ];
    execFileSync('git', commit, { cwd: mine.folder });
    const head = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: mine.folder })
      .toString()
      .trim();
    await mine.runWith({ env: { USER: 'ben' } }, 'apply', '-f', 'a.yaml', '--auto-approve');
    expect((await mine.run('journal')).out).toBe(
      `2  2026-03-01 12:00  applied  1 of 1 done (+1)  ${there.url}  by ben, ${head} of work
1  2026-03-01 12:00  applied  3 of 3 done (+3)  ${there.url}  by anna, c0ffee00 of main
`,
    );
    expect((await mine.run('journal', '1')).out).toContain('Begun by anna, c0ffee00 of main\n');
  });

  it('knows a run by its number, unless several have it, in a folder that another job has kept, too', async () => {
    const { there, mine } = await interrupted();
    expect((await mine.run('journal', '1')).out).toContain(`Run ${FIRST} on `);
    const kept = beside(there);
    cpSync(join(mine.folder, '.gwconf/journal'), join(kept.folder, 'kept'), { recursive: true });
    const resumed = await kept.run('apply', '--resume', '1', '--journal', 'kept');
    expect([resumed.code, verdictOf(resumed)]).toEqual([0, 'result: applied']);
    const undone = await kept.run('undo', '1', '--journal', 'kept', '--yes');
    expect([undone.code, verdictOf(undone)], undone.err).toEqual([0, 'result: applied']);
    kept.write('kept/0001-20260301T130000.000Z-more.ndjson', '');
    const unclear = await kept.run('journal', '1', '--journal', 'kept');
    expect([unclear.code, unclear.err]).toEqual([
      64,
      expect.stringContaining('kept has several runs with the number 1: name one of 0001-'),
    ]);
    expect((await kept.run('journal', '7', '--journal', 'kept')).code).toBe(64);
  });

  it('prints them as pages to read, with what needs a look first', async () => {
    const { there, mine } = await interrupted();
    const path = `.gwconf/journal/${FIRST}.ndjson`;
    mine.write(path, mine.read(path).split('\n').slice(0, 5).join('\n'));
    const { out } = await mine.run('journal', FIRST, '-o', 'markdown', '-o', 'html=run.html');
    expect(out).toContain(`Gateway \`${there.url}\``);
    const [inFlight, notAttempted, done] = [
      '#### In doubt (1)',
      '#### Not attempted (1)',
      '#### Done (1)',
    ].map((heading) => out.indexOf(heading));
    expect([inFlight, notAttempted, done]).toEqual(
      [inFlight, notAttempted, done].sort((a = 0, b = 0) => a - b),
    );
    expect(inFlight).toBeGreaterThan(0);
    expect(out).toContain('`VirtualCluster/b`: create; outcome unknown, check the gateway');
    expect(mine.read('run.html')).toContain(`<h1>Run ${FIRST}: unfinished, 1 in doubt`);
    const list = await mine.run('journal', '-o', 'markdown');
    expect(list.out).toContain(`\`${FIRST}\``);
    expect(list.out).toMatch(/unfinished; \d+ of 3 done.*, 1 in doubt;/);
  });

  it('says which output is lost', async () => {
    const { mine } = await interrupted();
    const ran = await mine.run('journal', '-o', 'html=a.yaml/run.html');
    expect([ran.code, verdictOf(ran)]).toEqual([74, 'result: unwritten']);
  });

  it('marks what was in flight when the process was killed', async () => {
    const { mine } = await interrupted();
    const path = `.gwconf/journal/${FIRST}.ndjson`;
    mine.write(path, mine.read(path).split('\n').slice(0, 5).join('\n'));
    const { out } = await mine.run('journal', FIRST);
    expect(out).toContain('  + VirtualCluster/b  in doubt: outcome unknown, check the gateway\n');
    expect(out).toContain('Unfinished: 1 done, 1 in doubt, 1 not attempted.\n');
  });

  it('lists the others beside one that is damaged, and beside one that cannot be read', async () => {
    const { mine } = await interrupted();
    mine.write('.gwconf/journal/20260301T110000.000Z-torn.ndjson', 'nonsense');
    mkdirSync(join(mine.folder, '.gwconf/journal/20260301T110001.000Z-folder.ndjson'));
    const ran = await mine.run('journal');
    expect([ran.code, ran.out.split('\n').length]).toEqual([0, 2]);
    expect(ran.out).toContain('1  2026-03-01 12:00  interrupted');
    expect(ran.err).toContain(
      'warning[invalid-journal]: .gwconf/journal/20260301T110000.000Z-torn.ndjson:1 ',
    );
    expect(ran.err).toContain(
      'warning[invalid-journal]: .gwconf/journal/20260301T110001.000Z-folder.ndjson cannot be read: it is a folder\n',
    );
  });

  it.each([
    [['journal', '-o', 'sarif'], 'expected -o human, json, markdown, html, step-summary or FORMAT=FILE'],
    [['journal', '--journal', 'none'], 'without a journal there are no runs'],
    [['journal', 'nothing'], 'there is no run nothing in .gwconf/journal; gwconf journal lists the runs'],
  ])('takes no %j', async (args, words) => {
    const ran = await makeWorld().run(...args);
    expect(ran.code).toBe(64);
    expect(ran.err).toContain(words);
  });
});
