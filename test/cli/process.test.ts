import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  lstatSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../src/workflow/tool.ts';
import { verdictOf } from '../support/cli.ts';
import { cluster } from '../support/documents.ts';
import { runHere } from '../support/in-process.ts';
import { hold } from '../support/held.ts';
import {
  BINARY,
  HAS_PROC,
  HAS_TERMINAL,
  runProcess,
  shell,
  start,
  startOnTerminal,
  zombie,
} from '../support/process.ts';
import { LOGIN, serve } from '../support/served.ts';

const GREEN = '\u001b[32m+\u001b[39m VirtualCluster/prod';

function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'gwconf-process-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

describe('the program', () => {
  it('ends with the exit code, the product on stdout and the verdict as the last line of stderr', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const args = ['plan', 'a.yaml', '--url', 'embedded:', '--detailed-exitcode', '-o', 'json'];
    const plan = await runProcess({ cwd }, ...args);
    expect(plan).toMatchObject({ code: 2, err: 'result: changes\n' });
    expect(JSON.parse(plan.out)).toMatchObject({ result: 'changes' });
    expect(await runHere({ cwd }, 'validate', 'gone.yaml')).toMatchObject({ code: 1 });
  });

  it('ends as wrong usage also where it cannot begin', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const runs = [
      [runHere, 'plan'],
      [runProcess, 'plan', '--chdir', 'gone'],
      [runHere, 'plan', '--log-level', 'shout'],
    ] as const;
    for (const [run, ...args] of runs) {
      const github = join(cwd, `github-${args.length}-${args[1] ?? ''}`);
      const { code, out, err } = await run({ cwd, env: { GITHUB_OUTPUT: github } }, ...args);
      expect([code, out, verdictOf({ err })]).toEqual([64, '', 'result: wrong-usage']);
      expect(readFileSync(github, 'utf8')).toBe('result=wrong-usage\n');
    }
  });

  it('plans and applies over HTTP', async () => {
    const there = await serve();
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const place = { cwd, env: { ...LOGIN, GWCONF_URL: there.url } };
    expect(await runProcess(place, 'apply', '-f', 'a.yaml', '--auto-approve')).toMatchObject({ code: 0 });
    expect((await runHere(place, 'plan', 'a.yaml')).out).toContain('No changes.');
  });

  it.each([
    [runProcess, {}],
    [runHere, { CI: 'true' }],
  ] as const)('writes no colours where there is no terminal: %o with %j', async (run, env) => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const { out, err } = await run({ cwd, env }, 'plan', 'a.yaml', '--url', 'embedded:');
    expect(`${out}${err}`).not.toContain('\u001b');
  });

  it('has colours where they are forced, unless NO_COLOR or --no-color says otherwise', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const plan = async (env: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
      (
        await runHere(
          { cwd, env: { FORCE_COLOR: '1', ...env } },
          'plan',
          'a.yaml',
          '--url',
          'embedded:',
          ...flags,
        )
      ).out;
    expect(await plan({})).toContain(GREEN);
    expect(await plan({ NO_COLOR: '1' })).toContain('  + VirtualCluster/prod');
    expect(await plan({}, '--no-color')).toContain('  + VirtualCluster/prod');
  });

  it('has a log for operators on stderr, off unless asked for', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const args = ['--log-level', 'info', 'plan', 'a.yaml', '--url', 'embedded:'];
    const { code, out, err } = await runHere({ cwd }, ...args);
    expect(code).toBe(0);
    expect(out).toMatch(/^Gateway embedded:/);
    const [line = ''] = err.split('\n');
    expect(JSON.parse(line)).toMatchObject({ name: 'gwconf', msg: 'loaded', resources: 1 });
  });
});

describe('--version', () => {
  it('needs nothing but the file that is started', async () => {
    const cwd = folder();
    copyFileSync(BINARY, join(cwd, 'gwconf.cjs'));
    const { code, out, err } = await shell({ cwd }, `"${process.execPath}" gwconf.cjs --version`);
    expect([code, out, err]).toEqual([0, `gwconf ${VERSION}\n`, '']);
  });

  it.runIf(existsSync('/dev/full'))('tells that it could not be written', async () => {
    const { code, err } = await shell({ cwd: folder() }, 'gwconf --version > /dev/full');
    expect(code).toBe(74);
    expect(err).toContain('output is lost: stdout could not be written');
  });
});

describe('the start', () => {
  it('loads little before it knows the command: neither YAML, nor schemas, nor an HTTP client', () => {
    const loaded = new Set<string>();
    const load = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      // The others are in functions.
      const imports = readFileSync(path, 'utf8').matchAll(/\w+=require\('(\.[^']+)'\)/g);
      for (const [, name = ''] of imports) load(join(dirname(path), name));
    };
    const [, main = ''] = /"(main-[^"]+)"/.exec(readFileSync('dist/gwconf.cjs', 'utf8')) ?? [];
    load(join('dist', 'chunks', main));
    const bytes = [...loaded].reduce((sum, path) => sum + statSync(path).size, 0);
    const packages = [...loaded].flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/node_modules\/([\w-]+)\//g),
    ]);
    expect([...new Set(packages.map(([, name]) => name))].sort()).toEqual(['commander', 'ignore']);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(215_000);
  });

  it('of a command that calls a gateway does not load HTTP/2, which gwconf does not speak', () => {
    const chunks = readdirSync('dist/chunks').map((name) => readFileSync(join('dist/chunks', name), 'utf8'));
    expect(chunks.some((text) => text.includes('node:tls'))).toBe(true);
    expect(chunks.filter((text) => text.includes('node:http2'))).toEqual([]);
  });
});

describe('a failure that nobody waited for', () => {
  it.each(['Promise.reject(failure)', 'queueMicrotask(() => { throw failure })'])(
    'is a bug of ours, told without what it holds: %s',
    async (fail) => {
      const script = `process.once('beforeExit', () => { const failure = new Error('hunter2'); ${fail} })`;
      const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
      const { code, out, err } = await runProcess({ cwd: folder(), env }, 'version');
      expect(code).toBe(70);
      expect(err).toMatch(/^gwconf: this is a bug in gwconf/);
      expect(verdictOf({ err })).toBe('result: bug');
      expect(`${out}${err.replaceAll(encodeURIComponent(script), '')}`).not.toContain('hunter2');
    },
  );
});

describe('stdin', () => {
  it('is read to its end, however late and slowly it comes', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const slowly = '{ head -1 a.yaml; gwconf version >/dev/null; tail -n +2 a.yaml; }';
    const ran = await shell({ cwd }, `${slowly} | gwconf validate -`);
    expect(ran).toMatchObject({ code: 0, out: 'Valid: 1 resource, 0 errors, 0 warnings.\n' });
  });

  it('that is empty or closed declares nothing', async () => {
    const cwd = folder();
    expect((await runProcess({ cwd }, 'validate', '-')).err).toContain('error[no-resources]');
    expect((await shell({ cwd }, 'gwconf validate - <&-')).err).toContain('error[no-resources]');
  });
});

describe('stdout that is closed', () => {
  it('is no failure of plan', async () => {
    const cwd = folder({
      'a.yaml': Array.from({ length: 2000 }, (_, at) => cluster(`c${at + 1000}`)).join('---\n'),
    });
    const ran = await shell(
      { cwd },
      'gwconf plan a.yaml --url embedded: | head -1; echo "code ${PIPESTATUS[0]}"',
    );
    expect(ran.out).toBe('Gateway embedded:\ncode 0\n');
    expect(ran.err).toBe('result: changes\n');
  });

  it('does not stop an apply halfway, nor change its exit code', async () => {
    const cwd = folder({
      'a.yaml': Array.from({ length: 2000 }, (_, at) => cluster(`c${at + 1000}`)).join('---\n'),
    });
    const apply = 'gwconf apply -f a.yaml --url embedded:s.json --auto-approve';
    const ran = await shell({ cwd }, `${apply} 2>/dev/null | true; echo "code \${PIPESTATUS[0]}"`);
    expect(ran.out).toBe('code 0\n');
    const again = await runHere({ cwd }, 'plan', 'a.yaml', '--url', 'embedded:s.json');
    expect(again.out).toContain('No changes. 2000 objects up to date.');
  });

  it('nor does stderr', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const ran = await shell(
      { cwd },
      'gwconf apply -f a.yaml --url embedded:s.json --auto-approve 2>&1 >/dev/null | true; echo "code ${PIPESTATUS[0]}"',
    );
    expect(ran.out).toBe('code 0\n');
    expect(existsSync(join(cwd, 's.json'))).toBe(true);
  });
});

describe('files that are written', () => {
  it('stay what they are when they are no files', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const ran = await shell(
      { cwd },
      'mkfifo pipe; cat pipe > copy & gwconf plan a.yaml --url embedded: -o json=pipe --out /dev/null; wait',
    );
    expect(ran.code).toBe(0);
    expect(lstatSync(join(cwd, 'pipe')).isFIFO()).toBe(true);
    expect(JSON.parse(readFileSync(join(cwd, 'copy'), 'utf8'))).toMatchObject({ result: 'changes' });
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('stay behind the links that lead to them', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod'), 'real.plan': 'old' });
    symlinkSync('real.plan', join(cwd, 'link.plan'));
    await runHere({ cwd }, 'plan', 'a.yaml', '--url', 'embedded:', '--out', 'link.plan');
    expect(lstatSync(join(cwd, 'link.plan')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, 'real.plan'), 'utf8')).toContain('gwconf/plan@1');
  });

  it('leave nothing beside them', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const apply = ['apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve'];
    await runHere({ cwd }, ...apply, '-o', 'json=r.json');
    expect(readdirSync(cwd).sort()).toEqual(['.gwconf', 'a.yaml', 'r.json', 's.json']);
  });

  it('that cannot be are an error in words', async () => {
    const cwd = folder({ 'a.yaml': cluster('prod') });
    const ran = await runHere({ cwd }, 'plan', 'a.yaml', '--url', 'embedded:', '--out', 'a.yaml/p.plan');
    expect(ran.code).toBe(1);
    expect(ran.err).not.toContain('bug in gwconf');
  });
});

describe('the state of an embedded gateway', () => {
  it('is whole when gwconf is killed in the middle of an apply, and the rest is done the next time', async () => {
    const clusters = Array.from({ length: 400 }, (_, at) => cluster(`c${at + 1000}`)).join('---\n');
    const cwd = folder({ 'a.yaml': clusters });
    const apply = ['apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve'] as const;
    const { child, ended, says } = start({ cwd }, ...apply, '--parallelism', '1');
    await says('[40/400]');
    child.kill('SIGKILL');
    await ended;
    const { resources } = JSON.parse(readFileSync(join(cwd, 's.json'), 'utf8')) as { resources: unknown[] };
    expect(resources.length).toBeGreaterThanOrEqual(40);
    expect(await runHere({ cwd }, ...apply)).toMatchObject({ code: 0 });
    expect((await runHere({ cwd }, 'plan', 'a.yaml', '--url', 'embedded:s.json')).out).toContain(
      'No changes.',
    );
  });
});

describe('Ctrl-C', () => {
  const files = { 'a.yaml': ['a', 'b', 'c', 'd'].map((name) => cluster(name)).join('---\n') };
  const applying = (url: string, ...flags: readonly string[]): ReturnType<typeof start> =>
    start({ cwd: folder(files) }, 'apply', '-f', 'a.yaml', '--url', url, '--auto-approve', ...flags);

  it('in an apply starts nothing new, waits for what is in flight, prints the ledger and ends with 130', async () => {
    const there = await hold();
    const { child, ended, says } = applying(there.url, '--parallelism', '2');
    await there.arrived(2);
    child.kill('SIGINT');
    await says('Interrupted: no new change is started');
    there.letGo();
    const { code, out, err } = await ended;
    expect(code).toBe(130);
    expect(there.seen().calls).toBe(2);
    expect(out).toContain(
      '  + VirtualCluster/a  done\n  + VirtualCluster/b  done\n  + VirtualCluster/c  not attempted\n  + VirtualCluster/d  not attempted\n',
    );
    expect(out).toContain('Interrupted: 2 done, 2 not attempted.\n');
    expect(err.endsWith('result: interrupted\n')).toBe(true);
  });

  it('is SIGTERM too, as a runner sends it', async () => {
    const there = await hold();
    const { child, ended, says } = applying(there.url, '--parallelism', '1', '-o', 'json');
    await there.arrived(1);
    child.kill('SIGTERM');
    await says('Interrupted by SIGTERM: no new change is started; a second signal ends gwconf at once.');
    there.letGo();
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(out)).toMatchObject({ result: 'interrupted' });
  });

  it('a second time ends it at once, and leaves a journal that is true: what was in flight is marked, and the run can be resumed', async () => {
    const there = await hold();
    const cwd = folder(files);
    const place = { cwd, env: { GWCONF_URL: there.url } };
    const { child, ended, says } = start(place, 'apply', '-f', 'a.yaml', '--yes', '--parallelism', '2');
    await there.arrived(2);
    child.kill('SIGINT');
    await says('Interrupted: no new change is started');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const [run = ''] = /^\S+/.exec((await runHere(place, 'journal')).out) ?? [];
    expect((await runHere(place, 'journal', run)).out).toContain('Unfinished: 2 in doubt, 2 not attempted.');
    there.letGo(); // the gateway does what it was asked, though nobody waits for it
    const resumed = await runHere(place, 'apply', '--resume');
    expect(resumed).toMatchObject({ code: 0, out: 'Applied: 2 done, 2 already up to date.\n' });
  });

  const dead = HAS_PROC ? 'whose process nobody has buried' : 'whose process is dead (skipped: no /proc)';
  it.skipIf(!HAS_PROC)(`a run ${dead} can be resumed`, async () => {
    const there = await hold();
    const cwd = folder(files);
    const place = { cwd, env: { GWCONF_URL: there.url } };
    const { child, ended } = start(place, 'apply', '-f', 'a.yaml', '--yes', '--parallelism', '2');
    await there.arrived(2);
    child.kill('SIGKILL');
    await ended;
    there.letGo();
    const journal = join(cwd, '.gwconf/journal');
    const name = readdirSync(journal).find((file) => file.endsWith('.ndjson')) ?? '';
    const text = readFileSync(join(journal, name), 'utf8');
    writeFileSync(join(journal, name), text.replace(/"pid":\d+/, `"pid":${await zombie()}`));
    expect(await runHere(place, 'apply', '--resume')).toMatchObject({ code: 0 });
  });

  it('ends what has nothing to lose at once', async () => {
    const there = await hold({ reads: true });
    const place = { cwd: folder(files), env: { GITHUB_OUTPUT: 'outputs' } };
    const { child, ended } = start(place, 'plan', 'a.yaml', '--url', there.url);
    await there.arrived(1);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, err: 'result: interrupted\n' });
    expect(readFileSync(join(place.cwd, 'outputs'), 'utf8')).toBe('result=interrupted\n');
  });
});

const terminal = HAS_TERMINAL
  ? 'on a terminal'
  : 'on a terminal (skipped: no script of util-linux gives one)';

describe.skipIf(!HAS_TERMINAL)(terminal, () => {
  const asked = (cwd: string): ReturnType<typeof start> =>
    startOnTerminal({ cwd, env: { TERM: 'xterm' } }, 'apply', '-f', 'a.yaml', '--url', 'embedded:s.json');
  const files = { 'a.yaml': cluster('prod') };

  it.each([
    ['yes', 'yes\r', 0, 'applied'],
    ['the end of the input', '\u0004', 3, 'blocked'],
    ['Ctrl-C', '\u0003', 130, 'interrupted'],
  ])('the question is answered by %s', async (_, keys, code, result) => {
    const cwd = folder(files);
    const { child, ended, says } = asked(cwd);
    await says('Type yes to confirm: ');
    child.stdin.write(keys);
    const ran = await ended;
    expect(ran.code).toBe(code);
    expect(ran.out.trimEnd().endsWith(`result: ${result}`)).toBe(true);
    expect(existsSync(join(cwd, 's.json'))).toBe(result === 'applied');
  });

  it('there are colours', async () => {
    const plan = ['plan', 'a.yaml', '--url', 'embedded:'];
    const place = { cwd: folder(files), env: { TERM: 'xterm' } };
    expect((await startOnTerminal(place, ...plan).ended).out).toContain(GREEN);
  });
});

describe('the embedded gateway as a program', () => {
  it('serves until it is interrupted, and then ends well', async () => {
    const { child, ended, says } = start({ cwd: folder() }, 'gateway', '--port', '0', '--state', 's.json');
    const [, url = ''] = /at (http:\S+)/.exec(await says(/at http:\S+/)) ?? [];
    const cwd = folder(files);
    const place = { cwd, env: { ...LOGIN, GWCONF_URL: url } };
    expect(await runHere(place, 'apply', '-f', 'a.yaml', '--auto-approve')).toMatchObject({ code: 0 });
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 0,
      out: expect.stringContaining('(user admin, password conduktor)') as string,
    });
  });

  const files = { 'a.yaml': cluster('prod') };
});
