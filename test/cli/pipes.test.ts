import { spawn, spawnSync } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import { cluster } from '../support/documents.ts';
import { hold } from '../support/held.ts';
import { isSoak } from '../support/soak.ts';
import { shell, start } from '../support/process.ts';

let world: World;
beforeEach(() => {
  world = makeWorld({ 'a.yaml': cluster('prod') });
});

/** Makes a named pipe that nobody writes to or reads. */
function makePipe(path: string): void {
  mkdirSync(dirname(join(world.folder, path)), { recursive: true });
  expect(spawnSync('mkfifo', [join(world.folder, path)]).status).toBe(0);
}

async function makeSocket(path: string): Promise<void> {
  const server = createServer().listen(join(world.folder, path));
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
}

const alias = (physicalName: string): string =>
  `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: m }\nspec: { physicalName: "${physicalName}" }\n`;

const at = (folder = world.folder): { readonly cwd: string } => ({ cwd: folder });

describe('what is no file among files is an error, and is not read', () => {
  const THINGS: Readonly<Record<string, (path: string) => Promise<void> | void>> = {
    'a pipe': makePipe,
    'a socket': makeSocket,
    'a device': (path) => symlinkSync('/dev/zero', join(world.folder, path)),
    'a link to a pipe': (path) => {
      makePipe(`${path}.pipe`);
      symlinkSync(join(world.folder, `${path}.pipe`), join(world.folder, path));
    },
  };

  describe.each(Object.entries(THINGS))('%s', (_, make) => {
    it.each(['all.yaml', 'all.yml', 'all.json'])('in a folder of resources: %s', async (name) => {
      world.write('files/a.yaml', cluster('a'));
      mkdirSync(join(world.folder, 'files/below'));
      await make(`files/below/${name}`);
      for (const args of [
        ['validate', 'files'],
        ['plan', 'files', '--url', 'embedded:'],
        ['fmt', 'files'],
      ]) {
        const { code, err } = await world.run(...args);
        expect([code, err]).toEqual([
          1,
          expect.stringMatching(/error\[unreadable-file\]: \S*files\/below\/all/),
        ]);
      }
    });

    it('of another name in such a folder is left alone', async () => {
      world.write('files/a.yaml', cluster('a'));
      await make('files/notes.txt');
      await make('files/.hidden.yaml');
      expect((await world.run('validate', 'files')).code).toBe(0);
    });

    it('as gwconf.yaml', async () => {
      await make('gwconf.yaml');
      const { code, err } = await world.run('validate', 'a.yaml');
      expect([code, err]).toEqual([
        1,
        expect.stringContaining('error[unreadable-file]: gwconf.yaml cannot be read'),
      ]);
    });

    it('as a file with a secret', async () => {
      await make('secret');
      world.write('m.yaml', alias('${file:secret}'));
      const { code, err } = await world.run('plan', 'm.yaml', '--url', 'embedded:');
      expect([code, err]).toEqual([1, expect.stringContaining('secret file secret cannot be read')]);
    });

    it('as the state of an embedded gateway', async () => {
      await make('state.json');
      const { code, err } = await world.run('plan', 'a.yaml', '--url', 'embedded:state.json');
      expect([code, err]).toEqual([64, expect.stringContaining('the state file state.json cannot be read')]);
    });

    it('as a journal', async () => {
      mkdirSync(join(world.folder, '.gwconf/journal'), { recursive: true });
      await make('.gwconf/journal/0001-x.ndjson');
      const { code, err } = await world.run('journal');
      expect([code, err]).toEqual([
        0,
        expect.stringContaining('[invalid-journal]: .gwconf/journal/0001-x.ndjson'),
      ]);
    });
  });
});

/** Command lines that read `p`, or write it, and their variables. */
type Lines = readonly (readonly [args: string, env: Readonly<Record<string, string>>])[];
const READING: Lines = [
  ['validate p', {}],
  ['validate -f p', {}],
  ['fmt p', {}],
  ['render p', {}],
  ['plan p --url embedded:', {}],
  ['apply -f p --url embedded:s.json --auto-approve', {}],
  ['apply p --url embedded:s.json', {}],
  ['drift p --url embedded:', {}],
  ['show p', {}],
  ['plan a.yaml --snapshot p', {}],
  ['plan a.yaml --url http://127.0.0.1:1 --user u --password-file p', {}],
  ['plan a.yaml --url https://127.0.0.1:1 --ca-cert p', {}],
  ['doctor --url http://127.0.0.1:1', { GWCONF_PASSWORD_FILE: 'p' }],
  ['snapshot --out live --url embedded: -f p', {}],
  ['plan a.yaml --url embedded: --out x', { GWCONF_PLAN_KEY_FILE: 'p' }],
  ['gateway --port 0 --user u --password-file p', {}],
];
const WRITING: Lines = [
  ['plan a.yaml --url embedded: -o json=p', {}],
  ['plan a.yaml --url embedded: --out p', {}],
  ['validate a.yaml', { GITHUB_OUTPUT: 'p' }],
];

/** Whether the first signal ends the program at once. */
function isLeftToTheProgram({ signal }: AbortController): boolean {
  return getEventListeners(signal, 'abort').length === 0;
}

describe('a pipe that is named', () => {
  /** A program at the other end, which opens it, says so, and waits to be told to go on; a process that blocks cannot tell it. */
  function otherEnd(): { readonly opened: Promise<unknown>; goOn(text: string): Promise<unknown> } {
    const other = spawn('bash', ['-c', 'exec 4> p; echo; read -t 60 && cat >&4'], at());
    onTestFinished(() => void other.kill());
    other.stdin.on('error', () => undefined); // it has waited for too long
    const ended = once(other, 'close');
    return {
      opened: once(other.stdout, 'data'),
      goOn(text) {
        other.stdin.end(`go\n${text}`);
        return ended;
      },
    };
  }

  function textFor(args: string, env: Readonly<Record<string, string>>): string {
    if (/^(?:show|apply) p/.test(args)) return world.read('saved.plan');
    if (args.includes('--snapshot')) return world.read('live');
    return 'GWCONF_PLAN_KEY_FILE' in env ? '0'.repeat(40) : cluster('b');
  }

  it.each(READING)(
    'is read once, and other work goes on, such as that of signals: %s %j',
    async (args, env) => {
      await world.run('plan', 'a.yaml', '--url', 'embedded:s.json', '--out', 'saved.plan');
      await world.run('snapshot', '--url', 'embedded:', '--out', 'live');
      makePipe('p');
      const other = otherEnd();
      const interrupt = new AbortController();
      const ran = world.runWith({ env, interrupt }, ...args.split(' '));
      expect(await Promise.race([other.opened.then(() => 'opened'), ran])).toBe('opened');
      expect(isLeftToTheProgram(interrupt)).toBe(true);
      expect(await other.goOn(textFor(args, env))).toEqual([0, null]);
      if (args.startsWith('gateway')) interrupt.abort();
      const { code, err } = await ran;
      expect(err).not.toContain('cannot be read');
      expect(code, err).toBe(/127\.0\.0\.1/.test(args) ? 1 : 0);
    },
  );

  it.each([
    'validate <(cat a.yaml)',
    'cat a.yaml | gwconf validate /dev/stdin',
    'mkfifo p; cat a.yaml > p & gwconf validate a.yaml p --allow-empty || true',
  ])('%s', async (line) => {
    const whole = line.includes('gwconf') ? line : `gwconf ${line}`;
    const { code, err } = await shell(at(), whole);
    expect(err).not.toContain('cannot be read');
    expect([code, err]).toEqual([0, expect.any(String)]);
  });

  it('also one that holds nothing', async () => {
    expect((await shell(at(), 'gwconf validate <(true)')).err).toContain('error[no-resources]');
    const named = 'mkfifo p; true > p & gwconf validate p';
    expect((await shell(at(), named)).err).toContain('error[no-resources]');
    expect((await shell(at(), 'gwconf validate /dev/null')).err).toContain('error[no-resources]');
  });

  it('up to a limit', async () => {
    const { code, err } = await shell(at(), 'gwconf validate /dev/zero --max-input 1MB');
    expect([code, err]).toEqual([1, expect.stringContaining('the files are larger than 1 MB together')]);
  });
});

it('a report waits for the reader of its pipe, which may leave early', async () => {
  const plan = 'gwconf plan a.yaml --url embedded: -o json=p';
  const late = await shell(at(), `mkfifo p; (sleep 0.2; cat p > copy) & ${plan}; code=$?; wait; exit $code`);
  expect(late.code).toBe(0);
  expect(world.json('copy')).toMatchObject({ result: 'changes' });
  world.write('b.yaml', Array.from({ length: 2000 }, (_, n) => cluster(`c${n + 1000}`)).join('---\n'));
  const early = await shell(at(), `head -c 5 p > copy & ${plan.replace('a.yaml', 'b.yaml')}`);
  expect(early).toMatchObject({ code: 0, err: 'result: changes\n' });
});

describe('a signal ends the program while it', () => {
  const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
  // Tells when signals are handled, and the program has had time to begin to wait. A signal that comes earlier ends it too.
  const telling = (before = ''): string => `
    const timer = setInterval(() => {
      if (process.listenerCount('SIGINT') === 0) return;
      clearInterval(timer);
      ${before}
      setTimeout(() => process.stderr.write('waiting\\n'), 200);
    }, 5);`;
  const preload = (script: string): string => `--import=data:text/javascript,${encodeURIComponent(script)}`;

  /** Each with a signal in turn, and in a soak with both. */
  const withSignals = <T extends readonly unknown[]>(
    waits: readonly T[],
  ): readonly (readonly [...T, (typeof SIGNALS)[number]])[] =>
    waits.flatMap((one, place) =>
      SIGNALS.filter((_, at) => isSoak() || at === place % 2).map((signal) => [...one, signal] as const),
    );

  /** One of each way to wait: for stdin, to read, to write, to append; all in a soak. */
  const waiting = isSoak()
    ? [['validate -', {}] as const, ...READING, ...WRITING]
    : [['validate -', {}] as const, ...READING.slice(0, 1), ...WRITING.slice(-2)];

  it.each(withSignals(waiting))('waits for a pipe: %s %j %s', async (args, env, signal) => {
    makePipe('p');
    const place = { ...at(), env: { ...env, NODE_OPTIONS: preload(telling()) } };
    const { child, ended, says } = start(place, ...args.split(' '));
    await says('waiting');
    child.kill(signal);
    const { code, err } = await ended;
    expect([code, verdictOf({ err })]).toEqual([130, 'result: interrupted']);
  });

  const CALLING = [
    'plan a.yaml',
    'apply -f a.yaml --auto-approve',
    'drift a.yaml',
    'snapshot --out live',
    'doctor',
    'doctor --deep',
  ];
  it.each(withSignals(CALLING.slice(0, isSoak() ? CALLING.length : 2).map((args) => [args] as const)))(
    'waits for the gateway: %s %s',
    async (args, signal) => {
      const there = await hold({ reads: true });
      const { child, ended } = start(at(), ...args.split(' '), '--url', there.url);
      await there.arrived(1);
      child.kill(signal);
      const { code, err } = await ended;
      expect([code, verdictOf({ err })]).toEqual([130, 'result: interrupted']);
    },
  );

  it.each(CALLING)('waits for the gateway, unless the command itself stops: %s', async (args) => {
    const there = await hold({ reads: true });
    const interrupt = new AbortController();
    const ran = world.runWith({ interrupt }, ...args.split(' '), '--url', there.url);
    await there.arrived(1);
    expect(isLeftToTheProgram(interrupt)).toBe(true);
    there.letGo();
    await ran;
  });

  it.each(SIGNALS.slice(isSoak() ? 0 : 1))('waits for DNS: %s', async (signal) => {
    makePipe('blocked');
    // The only thread for files and names is blocked for good.
    const block = `promises.readFile('blocked'); lookup('localhost', () => undefined);`;
    const script = `import { promises } from 'node:fs'; import { lookup } from 'node:dns'; ${telling(block)}`;
    const env = { UV_THREADPOOL_SIZE: '1', NODE_OPTIONS: preload(script) };
    const { child, ended, says } = start({ ...at(), env }, 'validate', '-');
    await says('waiting');
    child.kill(signal);
    const end = await ended;
    expect(end).toMatchObject({ code: null, signal });
    expect(verdictOf(end)).toBe('result: interrupted');
  });

  it.each(SIGNALS.slice(0, isSoak() ? 2 : 1))(
    'waits for a program that prints a secret: %s',
    async (signal) => {
      world.write(
        'gwconf.yaml',
        `
      apiVersion: gwconf/v1
      kind: Project
      environments:
        e:
          gateway: { url: "embedded:" }
          files: [m.yaml]
          exec:
            slow: { command: [sh, -c, "touch began; exec sleep 60"], timeout: 60s }
      `,
      );
      world.write('m.yaml', alias('${exec:slow}'));
      const { child, ended } = start(at(), 'plan', '--allow-exec');
      const began = spawn('sh', ['-c', 'until [ -e began ]; do sleep 0.02; done'], at());
      await new Promise((resolve) => began.on('close', resolve));
      child.kill(signal);
      expect((await ended).code).toBe(130);
      expect(existsSync(join(world.folder, 'began'))).toBe(true);
    },
  );
});

it('a reader that waits before it reads gets all of a long text, in order', async () => {
  world.write(
    'many.yaml',
    Array.from({ length: 2000 }, (_, at) => cluster(`cluster-${at + 1000}`)).join('---\n'),
  );
  const plan = 'plan many.yaml --url embedded: -o json 2> /dev/null';
  const { out } = await shell(
    at(),
    `gwconf ${plan} > whole; gwconf ${plan} | (sleep 0.3; cat) > piped; cmp whole piped && wc -c < piped`,
  );
  expect(Number(out)).toBeGreaterThan(100_000);
});
