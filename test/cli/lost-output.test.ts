import { spawn } from 'node:child_process';
import {
  symlinkSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NAMES } from '../../src/cli/table/commands.ts';
import {
  makeWorld,
  verdictOf,
  worldsLike,
  type Circumstances,
  type Ran,
  type World,
} from '../support/cli.ts';
import { account, cluster, projectOf } from '../support/documents.ts';
import { tokenWith } from '../support/tokens.ts';
import { BINARY, shell, type Ended } from '../support/process.ts';
import { isSoak } from '../support/soak.ts';

const HAS_FULL = existsSync('/dev/full');
const onFullDisk = HAS_FULL ? 'on a full disk' : 'on a full disk (skipped: there is no /dev/full)';

/** A run of each command that succeeds, and its result; none where it prints none. */
const COMMANDS: Readonly<Record<string, readonly [args: string, result: string]>> = {
  init: ['init --chdir new --yes', 'changes'],
  validate: ['validate a.yaml', 'valid'],
  plan: ['plan a.yaml --url embedded: --detailed-exitcode', 'changes'],
  apply: ['apply -f a.yaml --url embedded:s.json --auto-approve', 'applied'],
  import: ['import -f a.yaml --url embedded:', 'no-changes'],
  drift: ['drift a.yaml --url embedded:', 'drift'],
  diff: ['diff --from one.json --to two.json', 'differs'],
  get: ['get --url embedded:', 'ok'],
  plugins: ['plugins --url embedded:', 'ok'],
  effective: ['effective app.yaml', 'ok'],
  resolve: ['resolve --as app --url embedded:done.json', 'ok'],
  render: ['render a.yaml', 'valid'],
  environments: ['environments --chdir listed', 'ok'],
  doctor: ['doctor --url embedded:', 'ok'],
  undo: ['undo --url embedded:done.json --auto-approve', 'applied'],
  journal: ['journal', 'unwritten'],
  show: ['show a.plan', 'changes'],
  test: ['test a.gwtest.yaml', 'passed'],
  comment: ['comment a.plan --dry-run', 'ok'],
  snapshot: ['snapshot --out live.json --url embedded:', 'ok'],
  keygen: ['keygen --out plan.key', 'unwritten'],
  export: ['export --url embedded:done.json --out tree', 'ok'],
  migrate: ['migrate --scan a.yaml', 'v1-unused'],
  'token issue': [
    'token issue --account app --lifetime 1h --out t.token --url embedded:done.json -o json',
    'ok',
  ],
  'token inspect': ['token inspect a.token', 'ok'],
  'cluster switch': ['cluster switch --to failover --yes', 'ok'],
  controller: ['controller --port 0', 'wrong-usage'],
  schema: ['schema', 'unwritten'],
  gateway: ['gateway --port 0 & sleep 0; wait', 'unwritten'],
  fmt: ['fmt b.yaml', 'formatted'],
  explain: ['explain AliasTopic', 'unwritten'],
  template: ['template AliasTopic', 'unwritten'],
  mcp: ['mcp --gateway', 'wrong-usage'],
  'language-server': ['language-server --gateway', 'wrong-usage'],
  version: ['version', 'unwritten'],
  completion: ['completion bash', 'unwritten'],
  help: ['help', 'unwritten'],
};
// One prints a line and then serves; the others need a gateway that is served, or a cluster.
const SERVING = ['gateway', 'cluster switch', 'controller', 'mcp', 'language-server'];
/** They print a report. */
const REPORTING = ['validate', 'test', 'plan', 'diff', 'apply', 'undo', 'show', 'drift', 'effective', 'init'];
/** They print nothing on stderr. */
const SILENT = ['schema', 'explain', 'template', 'version', 'completion', 'help', 'journal', 'keygen'];

const place = worldsLike(async () => {
  const world = makeWorld({
    'a.yaml': cluster('prod'),
    'app.yaml': account('app'),
    'a.gwtest.yaml':
      'apiVersion: gwconf/v1\nkind: Test\nfiles: [app.yaml]\ncases:\n  - { as: {}, expect: { chain: [] } }\n',
    'a.token': tokenWith({ username: 'app' }),
    '.gitignore': '*.token\n',
    'listed/gwconf.yaml': projectOf({ prod: '' }),
    'b.yaml': 'kind: VirtualCluster\napiVersion: gateway/v2\nmetadata:\n  name: b\n',
  });
  mkdirSync(join(world.folder, 'new'));
  await world.run('plan', 'a.yaml', '--url', 'embedded:', '--out', 'a.plan');
  await world.run('apply', '-f', 'app.yaml', '--url', 'embedded:done.json', '--auto-approve');
  await world.run('apply', '-f', 'a.yaml', '--url', 'embedded:done.json', '--auto-approve');
  await world.run('snapshot', '--url', 'embedded:done.json', '--out', 'one.json');
  await world.run('snapshot', '--url', 'embedded:', '--out', 'two.json');
  return world;
});

const run = ({ folder }: World, line: string): Promise<Ended> => shell({ cwd: folder }, line);

/** The runs whose stdout or stderr is a full disk; the others are told that it is full, without a process. */
const ON_DISK = ['apply', 'schema', ...(isSoak() ? Object.keys(COMMANDS) : [])];

/** A run of a command that cannot write to one of its streams. */
async function runLosing(
  stream: 'out' | 'err',
  name: string,
): Promise<Pick<Ended, 'out' | 'err'> & { code: number | null }> {
  const args = COMMANDS[name]?.[0] ?? '';
  if (ON_DISK.includes(name))
    return run(await place(), `gwconf ${args} ${stream === 'out' ? '>' : '2>'} /dev/full`);
  return runHere({ lost: [stream] }, args);
}

/** A run without a process, whose --chdir a world does not have. */
async function runHere(circumstances: Circumstances, args: string): Promise<Ran> {
  const world = await place();
  const [, name = '', within, rest = ''] = /^(init|environments) --chdir (\S+) ?(.*)$/.exec(args) ?? [];
  return within === undefined
    ? world.runWith(circumstances, ...args.split(' '))
    : world.runWith({ ...circumstances, within }, name, ...rest.split(' ').filter(Boolean));
}

it('knows a run of each command', () => {
  expect(Object.keys(COMMANDS).filter((name) => name !== 'help')).toEqual(NAMES);
});

describe.skipIf(!HAS_FULL)(`output ${onFullDisk}`, () => {
  const runs = Object.entries(COMMANDS).filter(([name]) => !SERVING.includes(name));

  it.each(runs)('on stdout is reported on stderr, with the result: %s', async (name, [, result]) => {
    const { code, err } = await runLosing('out', name);
    expect(err.trimEnd().split('\n').slice(-2)).toEqual([
      'gwconf: output is lost: stdout could not be written: the disk is full',
      `result: ${result}`,
    ]);
    expect(code).toBe(74);
  });

  it.each(runs.filter(([name]) => !SILENT.includes(name)))(
    'on stderr leaves stdout as it is, and is no success: %s',
    async (name, [args, result]) => {
      const usual = await runHere({}, args);
      const { code, out } = await runLosing('err', name);
      const isReport = REPORTING.includes(name);
      const told = `gwconf: output is lost: stderr could not be written: the disk is full\nresult: ${result}\n`;
      const stable = (text: string): string =>
        text
          .replace(/\d{8}T\d{6}\.\d{3}Z-\w+/g, 'RUN')
          .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
          .replace(/commit [0-9a-f]{40}/, 'commit unknown'); // a build knows its own
      expect(stable(out)).toBe(stable(`${usual.out}${isReport ? told : ''}`));
      expect(code).toBe(74);
    },
  );

  it.each(['json', 'ndjson'])('on stderr leaves a report in %s readable', async (format) => {
    const ran = await runHere({ lost: ['err'] }, `plan a.yaml --url embedded: -o ${format}`);
    const last =
      ran.out
        .trimEnd()
        .split(format === 'json' ? '\0' : '\n')
        .at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ result: 'changes' });
    expect(ran.code).toBe(74);
  });

  it.each([
    ...(isSoak() ? ['> /dev/full', '2> /dev/full', '-o json > /dev/full'] : []),
    '> /dev/full 2>&1',
    '-o ndjson > /dev/full',
  ])('does not stop an apply, whose journal is complete: %s', async (to) => {
    const world = await place();
    const { code } = await run(world, `gwconf ${COMMANDS['apply']?.[0] ?? ''} --journal runs ${to}`);
    expect(code).toBe(74);
    const plan = await world.run('plan', 'a.yaml', '--url', 'embedded:s.json');
    expect(plan.out).toContain('No changes.');
    const [journal = ''] = readdirSync(join(world.folder, 'runs')).filter((name) => name.endsWith('.ndjson'));
    expect(world.read(`runs/${journal}`).trimEnd().split('\n').at(-1)).toContain(
      '"type":"finished","result":"applied"',
    );
  });

  it('does not hide that a command failed', async () => {
    const world = await place();
    for (const lost of [['out'], ['err'], ['out', 'err']] as const) {
      expect((await world.runWith({ lost }, 'validate', 'gone.yaml')).code).toBe(1);
      expect((await world.runWith({ lost }, 'plan', '--nothing')).code).toBe(64);
      expect((await world.runWith({ lost }, 'apply', '-f', 'a.yaml', '--url', 'embedded:')).code).toBe(64);
    }
    expect((await run(world, 'gwconf validate gone.yaml > /dev/full 2>&1')).code).toBe(1);
  });

  it('does not stop the embedded gateway', async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const { folder } = await place();
    const child = spawn(process.execPath, [BINARY, 'gateway', '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', full, 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let err = '';
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.stderr?.on('data', (text) => {
      const wasReady = err.includes('Ctrl-C ends it.');
      err += String(text);
      if (!wasReady && err.includes('Ctrl-C ends it.')) child.kill('SIGTERM'); // once: a second one ends it at once
    });
    expect(await ended).toBe(74);
    expect(verdictOf({ err })).toBe('result: unwritten');
  });
});

describe('a disk that becomes full in the middle of a text', () => {
  it('has the beginning of it, which is no success', async () => {
    const world = await place();
    const ran = await run(world, '(ulimit -f 2; gwconf schema > schema.json)');
    expect(ran.code).toBe(74);
    expect(ran.err).toContain('stdout could not be written: it would become larger than the limit for files');
    expect(statSync(join(world.folder, 'schema.json')).size).toBeLessThanOrEqual(2048);
  });
});

describe('a process that may open few files', () => {
  it('ends as failed, not as wrong usage, where gwconf cannot read its own parts', async () => {
    const world = await place();
    const limits = '18 19 20 21 22';
    const ran = await run(world, `for n in ${limits}; do (ulimit -n $n; gwconf fmt --check; echo $?); done`);
    const codes = ran.out.match(/^\d+$/gm) ?? [];
    // With still fewer, some versions of Node.js crash before they come to gwconf.
    const own = codes.filter((code) => !['134', '139'].includes(code));
    expect(codes).toHaveLength(5);
    expect(own).toContain('1');
    expect(own.filter((code) => code !== '0' && code !== '1')).toEqual([]);
  });
});

describe('a report that cannot be written', () => {
  const PLACES: readonly (readonly [about: string, path: string, why: string])[] = [
    ['a file in the way', 'a.yaml/r.json', 'a file is where a folder is expected'],
    ['a folder', 'new', 'it is a folder'],
    ...(HAS_FULL ? ([['a full disk', '/dev/full', 'the disk is full']] as const) : []),
    ...(process.getuid?.() === 0
      ? []
      : ([['a read-only folder', 'locked/r.json', 'permission denied']] as const)),
  ];
  const lost = (path: string, why: string): string =>
    `gwconf: output is lost: ${path} could not be written: ${why}\n`;
  const prepared = async (): Promise<World> => {
    const world = await place();
    mkdirSync(join(world.folder, 'locked'), { mode: 0o500 });
    return world;
  };

  it.each(PLACES)('after an apply does not hide that it succeeded: %s', async (_, path, why) => {
    const world = await prepared();
    const args = ['apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve'];
    const ran = await world.run(...args, '-o', `json=${path}`, '-o', 'ndjson=other.ndjson');
    expect(ran.code).toBe(74);
    expect(ran.out).toContain('Applied: 1 done.\n');
    expect(ran.err).toContain(lost(path, why));
    expect(verdictOf(ran)).toBe('result: applied');
    expect(ran.err).toContain('Undo this run: ');
    expect(world.read('other.ndjson')).toContain('"result":"applied"');
    expect((await world.run('plan', 'a.yaml', '--url', 'embedded:s.json')).out).toContain('No changes.');
  });

  it.each(PLACES)('after an apply that failed does not hide that: %s', async (_, path, why) => {
    const world = await prepared();
    writeFileSync(join(world.folder, 'locked.json'), '{');
    const ran = await world.run(
      ...['apply', '-f', 'a.yaml', '--url', 'http://127.0.0.1:1', '--auto-approve', '-o', `json=${path}`],
    );
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(lost(path, why));
    expect(verdictOf(ran)).toBe('result: error');
  });

  it.each(PLACES)('after a plan leaves the plan on stdout: %s', async (_, path, why) => {
    const world = await prepared();
    const args = ['plan', 'a.yaml', '--url', 'embedded:', '--out', 'new.plan', '-o', `json=${path}`];
    const ran = await world.run(...args);
    expect(ran.code).toBe(74);
    expect(ran.out).toContain('Plan: 1 to create');
    expect(ran.err).toContain(lost(path, why));
    expect(ran.err).toContain('The plan is saved in new.plan');
    expect(verdictOf(ran)).toBe('result: changes');
    expect((await world.run('show', 'new.plan')).code).toBe(0);
  });

  it.each(PLACES)('nor can GITHUB_OUTPUT, and the result is on stderr: %s', async (_, path, why) => {
    const world = await prepared();
    const env = { GITHUB_OUTPUT: path };
    const args = ['apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve'];
    const ran = await world.runWith({ env }, ...args);
    expect(ran.code).toBe(74);
    expect(ran.err).toContain(lost(`${path} (GITHUB_OUTPUT)`, why));
    expect(verdictOf(ran)).toBe('result: applied');
  });

  it.each(PLACES)('that is a saved plan is an error, and the plan is shown: %s', async (_, path, why) => {
    const world = await prepared();
    const ran = await world.run('plan', 'a.yaml', '--url', 'embedded:', '--out', path, '-o', 'json=r.json');
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('Plan: 1 to create');
    expect(ran.err).toContain(`error[unwritable-file]: ${path} cannot be written: ${why}`);
    expect(ran.err).not.toContain('The plan is saved');
    expect(verdictOf(ran)).toBe('result: error');
    expect(world.json('r.json')).toMatchObject({ result: 'error', problems: [{ code: 'unwritable-file' }] });
  });

  it.each(PLACES)('that is a snapshot is an error: %s', async (_, path, why) => {
    const ran = await (await prepared()).run('snapshot', '--out', path, '--url', 'embedded:');
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`error[unwritable-file]: ${path} cannot be written: ${why}`);
    expect(verdictOf(ran)).toBe('result: error');
  });
});

it('files that cannot be formatted are errors, and the others are formatted', async () => {
  const world = await place();
  const source = readFileSync(join(world.folder, 'b.yaml'), 'utf8');
  mkdirSync(join(world.folder, 'files'));
  writeFileSync(join(world.folder, 'files/2.yaml'), source);
  const elsewhere = makeWorld({ '1.yaml': source });
  symlinkSync(join(elsewhere.folder, '1.yaml'), join(world.folder, 'files/1.yaml'));
  const ran = await world.run('fmt', 'files/1.yaml', 'files/2.yaml');
  expect(ran).toMatchObject({ code: 1, out: 'files/2.yaml\n' });
  expect(ran.err).toContain(
    'error[unwritable-file]: files/1.yaml cannot be written: a link leads out of the project',
  );
  expect(elsewhere.read('1.yaml')).toBe(source);
  expect(verdictOf(ran)).toBe('result: error');
});
