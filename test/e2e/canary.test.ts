import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../src/model/resource.ts';
import { canariesIn, makeSecrets, type SecretSet } from '../support/canary.ts';
import { makeWorld, type Circumstances, type World } from '../support/cli.ts';
import { runHere } from '../support/in-process.ts';
import { serveHttp } from '../support/listen.ts';
import { orAll } from '../support/soak.ts';

/** One command line, and how it ends. */
type Run = readonly [code: number, ...args: readonly string[]];

const REPORTS = [
  'human=r.txt',
  'json=r.json',
  'ndjson=r.ndjson',
  'sarif=r.sarif',
  'junit=r.xml',
  'github=r.log',
  'markdown=r.md',
  'html=r.html',
];
const EVERYWHERE = REPORTS.flatMap((report) => ['-o', report]);
const EXEC = '--allow-exec';
const GETS = ['human', 'json', 'yaml', 'name'].map((format): Run => [0, 'get', '-o', format]);
const FIRST = 'Interceptor/canary-0-0@vCluster=passthrough';

/** Two rounds, in which each place has a secret from each source that it can have. */
const COUNT = orAll(120, 1000);
const many = makeSecrets(COUNT, 'a');
/** So many that a plan to delete them all shows no fields. */
const yesterday = makeSecrets(orAll(350, 1000), 'b');
/** For what makes more of each. */
const few = makeSecrets(20, 'c', 2);

/** A world with all these resources, and with connection secrets that are canaries, too. */
function worldOf({ resources, env, files, programs }: SecretSet, url: string): World {
  const world = makeWorld(files);
  world.write('resources.json', resources.map((one) => JSON.stringify(one, null, 2)).join('\n---\n'));
  const gateway = { url, user: 'admin' };
  const limits = { deletes: '100%', updates: '100%' };
  const environments = { prod: { gateway, files: ['resources.json'], exec: programs, limits } };
  world.write('gwconf.yaml', JSON.stringify({ apiVersion: 'gwconf/v1', kind: 'Project', environments }));
  world.write('password', PASSWORD);
  Object.assign(world.env, env, { GITHUB_OUTPUT: 'github-output', GWCONF_PASSWORD_FILE: 'password' });
  // A journal has what is deleted, also what no file says any more to be a secret.
  if (resources.length > 20) world.env['GWCONF_JOURNAL'] = 'none';
  return world;
}

const PASSWORD = 'Kanarienvogel-of-the-connection';
const HEADER = ['--header', 'X-Token: Kanarienvogel-in-a-header'];

/** Runs a command line, and looks for canaries in all that it said. */
async function expectNone(world: World, circumstances: Circumstances, [code, ...args]: Run): Promise<string> {
  const ran = await world.runWith(circumstances, ...args);
  const said = `${ran.out}\n${ran.err}\n${ran.questions.join('\n')}`;
  expect(canariesIn(said), args.join(' ')).toEqual([]);
  expect(ran.code, `${args.join(' ')}\n${said.slice(0, 3000)}`).toBe(code);
  return said;
}

/** Looks for canaries in every file that is there now, but for those that somebody wrote himself. */
function expectCleanFiles(world: World, { files }: SecretSet, ...own: readonly string[]): void {
  const theirs = new Set(['resources.json', 'gwconf.yaml', 'password', ...Object.keys(files), ...own]);
  const walk = (folder: string): readonly string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? walk(path) : [path];
    });
  const written = walk(world.folder).filter((path) => !theirs.has(relative(world.folder, path)));
  expect(written.length).toBeGreaterThan(0);
  for (const path of written) expect(canariesIn(readFileSync(path, 'utf8')), path).toEqual([]);
}

describe('of many secrets none is said', () => {
  it(`there are ${COUNT}, from every source`, () => {
    expect(many.count).toBeGreaterThanOrEqual(COUNT);
    expect(canariesIn(JSON.stringify(many)).length).toBeGreaterThan(0);
    const text = JSON.stringify(many.resources);
    for (const placeholder of ['${CANARY_', '${file:', '${exec:']) expect(text).toContain(placeholder);
  });

  it('without a gateway, and in front of one that has none, all or others of them', async () => {
    const server = 'embedded:gateway.json';
    const world = worldOf(many, server);
    const making: readonly Run[] = [
      [0, 'validate', ...EVERYWHERE],
      [0, 'plan', EXEC, ...EVERYWHERE],
      [0, 'apply', EXEC, '--auto-approve', ...EVERYWHERE],
    ];
    for (const run of making) await expectNone(world, {}, run);
    expectCleanFiles(world, many, 'gateway.json');

    const made = worldOf(many, server);
    const looking: readonly Run[] = [
      [0, 'render'],
      [0, 'fmt', 'resources.json', '--check'],
      [0, 'doctor'],
      [0, 'plan', EXEC, '--explain', FIRST],
      [0, 'apply', EXEC, '--auto-approve'],
      [0, 'plan', EXEC],
      ...GETS,
      [0, 'export', '--out', 'exported'],
      [
        0,
        'export',
        '--out',
        'more/of-it',
        '--secrets-env',
        'values.env',
        '--project',
        '--layout',
        'one-file',
      ],
    ];
    made.write('.gitignore', 'values.env');
    for (const run of looking) await expectNone(made, {}, run);
    expectCleanFiles(made, many, 'gateway.json', 'values.env');
    expect(canariesIn(made.read('values.env')).length).toBeGreaterThan(0);

    const next = worldOf(yesterday, server);
    next.write('gateway.json', world.read('gateway.json'));
    const changing: readonly Run[] = [
      [0, 'plan', EXEC],
      [0, 'apply', EXEC, '--auto-approve', '-o', 'json', ...EVERYWHERE],
    ];
    for (const run of changing) await expectNone(next, {}, run);
    next.write('resources.json', '');
    const emptying: readonly Run[] = [
      [0, 'plan', '--prune', '--manages', '*', '--allow-empty'],
      [0, 'apply', '--prune', '--manages', '*', '--allow-empty', '--auto-approve', ...EVERYWHERE],
    ];
    for (const run of emptying) await expectNone(next, {}, run);
    expectCleanFiles(next, yesterday, 'gateway.json');
  });

  it('when a gateway repeats in its refusals what it was sent, and what it has', async () => {
    const runs: readonly Run[] = [
      [5, 'apply', EXEC, '--auto-approve', '--keep-going', '-o', 'json', ...HEADER, ...EVERYWHERE],
      [1, 'apply', EXEC, '--auto-approve', '--parallelism', '1', ...HEADER, '-o', 'json=r.json'],
    ];
    for (const run of runs) {
      const world = worldOf(many, await echo(yesterday.resources));
      expect(await expectNone(world, {}, run)).toContain('(hidden)');
      expectCleanFiles(world, many);
    }
  });

  it('when the gateway cannot be reached or read', async () => {
    const url = await echo([], 500);
    const world = worldOf(few, url);
    world.write('key.pem', `-----BEGIN PRIVATE KEY-----\n${PASSWORD}\n-----END PRIVATE KEY-----\n`);
    world.write('cert.pem', '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n');
    const away = 'http://127.0.0.1:1';
    const client = ['--client-key', 'key.pem', '--client-cert', 'cert.pem'];
    for (const command of ['plan', 'doctor']) {
      const more = command === 'plan' ? [EXEC, ...EVERYWHERE] : [];
      const runs: readonly Run[] = [
        [1, command, ...more, ...HEADER],
        [1, command, ...more, '--url', away, ...HEADER],
        [1, command, ...more, '--url', 'http://admin:Kanarienvogel@127.0.0.1:1'],
        [
          1,
          command,
          ...more,
          '--url',
          'http://nowhere.invalid',
          '--proxy',
          'http://me:Kanarienvogel%2F1@127.0.0.1:1',
        ],
        [1, command, ...more, '--url', 'https://127.0.0.1:1', ...client],
      ];
      for (const run of runs) await expectNone(world, {}, run);
    }
    expectCleanFiles(world, few, 'key.pem');
  });

  it('when gwconf itself fails', async () => {
    const [secret = ''] = Object.values(few.env);
    const world = worldOf(few, 'embedded:');
    const answer = (): string => {
      throw new Error(`cannot go on with ${JSON.stringify({ secret })} and ${encodeURIComponent(secret)}`);
    };
    expect(await expectNone(world, { answer }, [70, 'apply', EXEC])).toContain('this is a bug in gwconf');
  });

  it('when a secret is not where it should be', async () => {
    const world = worldOf(few, 'embedded:');
    for (const name of Object.keys(few.env)) Reflect.deleteProperty(world.env, name);
    await expectNone(world, {}, [1, 'plan', EXEC, ...EVERYWHERE]);
    await expectNone(world, {}, [1, 'plan', '--secret-root', '/', ...EVERYWHERE]);
    world.write('resources.json', world.read('resources.json').replaceAll('"config"', '"confg"'));
    await expectNone(world, {}, [1, 'validate', ...EVERYWHERE]);
    world.write('resources.json', world.read('resources.json').replaceAll('":', '" '));
    await expectNone(world, {}, [1, 'validate', ...EVERYWHERE]);
    expectCleanFiles(world, few);
  });

  it('in a saved plan, a journal, the way back and a snapshot', async () => {
    const world = worldOf(few, 'embedded:gateway.json');
    const [rotated = ''] = Object.keys(few.env);
    const first: readonly Run[] = [
      [0, 'plan', EXEC, '--out', 'p.plan'],
      [0, 'show', 'p.plan', ...EVERYWHERE],
      [0, 'show', 'p.plan', '--explain', FIRST],
      [0, 'apply', 'p.plan', EXEC, ...EVERYWHERE],
      [0, 'snapshot', '--out', 'live.json'],
      [0, 'plan', '--snapshot', 'live.json', EXEC, ...EVERYWHERE],
      [0, 'export', '--snapshot', 'live.json', '--out', 'exported'],
      [0, 'drift', EXEC, '-o', 'json', ...EVERYWHERE],
      [0, 'diff', '--from', 'prod', '--to', 'live:prod', EXEC, ...EVERYWHERE],
      [0, 'diff', '--from', 'prod', '--to', 'live.json', EXEC, '-o', 'json', ...EVERYWHERE],
      [0, 'diff', '--from', 'live:prod', '--to', 'live.json', ...EVERYWHERE],
      [0, 'doctor', '--deep', '-o', 'json', ...EVERYWHERE],
    ];
    for (const run of first) await expectNone(world, {}, run);
    for (const name of Object.keys(few.env)) Reflect.deleteProperty(world.env, name);
    const knowingNothing: readonly Run[] = [
      ...GETS,
      [0, 'drift', ...EVERYWHERE],
      [0, 'snapshot', '--out', 'unknowing.json'],
      [0, 'plan', '--snapshot', 'unknowing.json', ...EVERYWHERE],
    ];
    for (const run of knowingNothing) await expectNone(world, {}, run);
    Object.assign(world.env, few.env);
    const former = world.env[rotated] ?? '';
    world.env[rotated] = `${former} rotated`;
    const second: readonly Run[] = [
      [0, 'drift', EXEC],
      [0, 'plan', '--snapshot', 'live.json', EXEC, ...EVERYWHERE],
      [0, 'apply', '--auto-approve', EXEC],
      [0, 'journal'],
      [0, 'journal', '-o', 'json'],
      [1, 'undo', '--auto-approve', EXEC, ...EVERYWHERE],
    ];
    for (const run of second) await expectNone(world, {}, run);
    world.env[rotated] = former;
    await expectNone(world, {}, [0, 'undo', '--auto-approve', EXEC, ...EVERYWHERE]);
    const journals = readdirSync(join(world.folder, '.gwconf', 'journal'));
    const [run = ''] = journals.flatMap((name) => /^(.*)\.ndjson$/.exec(name)?.[1] ?? []).reverse();
    const journal = join('.gwconf', 'journal', `${run}.ndjson`);
    world.write(journal, world.read(journal).split('\n').slice(0, 2).join('\n') + '\n'); // as if it had been killed
    const third: readonly Run[] = [
      [0, 'journal', run],
      [0, 'journal', run, '-o', 'json'],
      [0, 'apply', '--resume', run, EXEC, ...EVERYWHERE],
    ];
    for (const one of third) await expectNone(world, {}, one);
    expectCleanFiles(world, few, 'gateway.json');
  });

  it('by init', async () => {
    const world = worldOf(few, 'embedded:gateway.json');
    const name = 'gwconf.yaml';
    const fresh = makeWorld({ password: PASSWORD });
    Object.assign(fresh.env, world.env);
    await expectNone(fresh, {}, [0, 'init', '--yes', '--url', 'embedded:gateway.json']);
    expect(fresh.has(name)).toBe(true);
    expectCleanFiles(fresh, few);
  });

  it('by the log, at its loudest', async () => {
    const world = worldOf(few, await echo([]));
    const args = ['apply', '--auto-approve', '--keep-going', '--settle-timeout', '0s', EXEC, ...HEADER];
    const ran = await runHere({ cwd: world.folder, env: world.env }, ...args, '--log-level', 'trace');
    expect(ran.err).toContain('called the gateway');
    expect(canariesIn(ran.out + ran.err)).toEqual([]);
    expectCleanFiles(world, few);
  });
});

/** Lists these resources and takes every ninth write; refuses the others with all that it knows, said in many ways. */
async function echo(live: readonly Resource[], listed = 200): Promise<string> {
  const kept = new Map(live.map((one) => [one.metadata.name, one]));
  let writes = 0;
  return serveHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const all = `${JSON.stringify(request.headers)} ${body} ${JSON.stringify(live[writes])}`;
      if (request.method === 'GET') {
        const found = request.url?.endsWith('/interceptor') === true ? [...kept.values()] : [];
        response.writeHead(listed, { 'content-type': 'application/json' });
        response.end(
          listed === 200 ? JSON.stringify(found) : JSON.stringify({ title: 'Failed', cause: all }),
        );
        return;
      }
      writes += 1;
      if (writes % 9 === 0) {
        response.writeHead(200, { 'content-type': 'application/json' });
        const put = JSON.parse(body) as Resource; // what a client of ours sent
        kept.set(put.metadata.name, put);
        response.end(JSON.stringify({ resource: put, upsertResult: 'Created' }));
        return;
      }
      const from = all.length - ((writes * 97) % all.length);
      const cut = all.slice(from) + all.slice(0, from);
      const says = [cut, encodeURIComponent(cut), Buffer.from(cut).toString('base64'), JSON.stringify(cut)];
      const cause = says[writes % says.length] ?? '';
      response.writeHead(writes % 2 === 0 ? 400 : 409, { 'content-type': 'application/json' });
      response.end(writes % 5 === 0 ? cause : JSON.stringify({ title: 'Bad', cause }));
    });
  });
}
