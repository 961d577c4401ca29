import { describe, expect, it } from 'vitest';
import type { PlanReport } from '../../src/outcome/plan.ts';
import {
  encodeLiveSnapshot,
  takeLiveSnapshot,
  type LiveSnapshot,
} from '../../src/plan/saved/live-snapshot.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, NOW, verdictOf, type Ran, type World } from '../support/cli.ts';
import { alias, masking, projectOf } from '../support/documents.ts';

const GATEWAY = ['--url', 'embedded:gateway.json'];
const TOKEN = 'hvs.very-secret-token';

const TOPIC = alias('orders', '"${PHYSICAL:-orders-v1}"');
const SECRETS = `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: own, scope: { vCluster: passthrough } }
  spec:
    pluginClass: com.example.Own
    priority: 100
    comment: "\${OWNER}"
    config: { port: 8, servers: [{ name: a, token: "\${TOKEN}" }, { name: b, token: "\${OTHER}" }] }
`;
const REORDERED = SECRETS.replace(
  '{ name: a, token: "${TOKEN}" }, { name: b, token: "${OTHER}" }',
  '{ name: b, token: "$${OTHER}" }, { name: a, token: "$${TOKEN}" }', // $$ is a dollar to replace
);
const VALUES = { OWNER: 'owner-of-it', TOKEN, OTHER: 'another-secret-one' };

/** A world with a snapshot of a gateway that has what the files declare. */
async function taken(files: Readonly<Record<string, string>> = { 'topics.yaml': TOPIC }): Promise<World> {
  const world = makeWorld(files);
  const names = Object.keys(files);
  const applied = await world.runWith({ env: VALUES }, 'apply', ...named(names), '--yes', ...GATEWAY);
  expect(applied.code, applied.err).toBe(0);
  const ran = await world.runWith(
    { env: VALUES },
    'snapshot',
    '--out',
    'live.json',
    ...named(names),
    ...GATEWAY,
  );
  expect(ran.code, ran.err).toBe(0);
  return world;
}

const named = (names: readonly string[]): readonly string[] => names.flatMap((name) => ['-f', name]);

function reportOf({ out }: Ran): PlanReport {
  return JSON.parse(out) as PlanReport;
}

/** A snapshot that another gwconf, another day or somebody else made. */
function otherSnapshot(about: Partial<LiveSnapshot>): string {
  const live = { resources: new Map(), unavailable: new Map() };
  const usual = {
    tool: 'gwconf 0.1.0',
    takenAt: NOW.toISOString(),
    gateway: 'embedded:gateway.json',
    salt: 's',
  };
  return encodeLiveSnapshot(takeLiveSnapshot(live, new Map(), catalog.kinds, { ...usual, ...about }));
}

describe('gwconf snapshot', () => {
  it('says how much it wrote, of which gateway, and when', async () => {
    const world = await taken();
    const { out, code } = await world.run('snapshot', '--out', 'again.json', ...GATEWAY);
    expect(code).toBe(0);
    expect(out).toBe('1 object of embedded:gateway.json is in again.json; secrets as salted hashes: 0.\n');
    expect(world.json('again.json')).toMatchObject({
      format: 'gwconf/snapshot@1',
      takenAt: '2026-03-01T12:00:02.000Z', // each run of a world is a second later
      gateway: 'embedded:gateway.json',
      resources: [{ resource: { kind: 'AliasTopic', metadata: { name: 'orders' } } }],
    });
  });

  it('needs --out, and writes nothing when the gateway cannot be read or files have mistakes', async () => {
    const world = makeWorld({ 'bad.yaml': TOPIC.replace('spec', 'spce') });
    expect((await world.run('snapshot', ...GATEWAY)).code).toBe(64);
    expect((await world.run('snapshot', '--out', 'a.json', '-f', 'bad.yaml', ...GATEWAY)).code).toBe(1);
    const away = await world.run('snapshot', '--out', 'a.json', '--url', 'http://127.0.0.1:1');
    expect([away.code, verdictOf(away)]).toEqual([1, 'result: error']);
    expect(world.has('a.json')).toBe(false);
  });

  it('holds no secret: neither what is known to be one, nor what files fill in from variables', async () => {
    const world = await taken({ 'own.yaml': SECRETS });
    const text = world.read('live.json');
    for (const secret of Object.values(VALUES)) expect(text).not.toContain(secret);
    expect(Object.keys(secretsIn(world))).toEqual([
      '/spec/config/servers/0/token',
      '/spec/config/servers/1/token',
      '/spec/comment',
    ]);
  });

  it('gives one secret other digests in another snapshot only where the salt is another', async () => {
    const world = await taken({ 'own.yaml': SECRETS });
    const before = secretsIn(world);
    await world.runWith({ env: VALUES }, 'snapshot', '--out', 'live.json', '-f', 'own.yaml', ...GATEWAY);
    expect(secretsIn(world)).toEqual(before); // tests draw one salt for all
  });

  function secretsIn(world: World): Readonly<Record<string, string>> {
    const { resources } = world.json('live.json') as LiveSnapshot;
    return (resources[0]?.secrets ?? {}) as Readonly<Record<string, string>>; // every place has one
  }
});

describe('plan --snapshot', () => {
  it('plans for a fork: no environment, no credentials, no gateway anywhere', async () => {
    const world = await taken({ 'topics.yaml': TOPIC, 'own.yaml': SECRETS });
    const changed = { PHYSICAL: 'orders-v2' };
    const env = { ...changed, GWCONF_URL: 'http://127.0.0.1:1', GWCONF_PASSWORD_FILE: 'not-there' };
    const ran = await world.runWith({ env }, 'plan', 'topics.yaml', 'own.yaml', '--snapshot', 'live.json');
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).toBe(
      [
        'Compared with a snapshot of 2026-03-01T12:00:01.000Z, 1 second old',
        '3 fields whose value is not known here, treated as unchanged',
        'Gateway embedded:gateway.json',
        '',
        'Risks:',
        '  ! AliasTopic/orders@vCluster=passthrough leads to another topic after this: its clients read and write other data',
        '',
        '  ~ AliasTopic/orders@vCluster=passthrough  topics.yaml:1',
        '      ~ /spec/physicalName: (hidden) → (hidden), changed',
        '',
        'Plan: 0 to create, 1 to update, 0 to replace, 0 to delete. 1 unchanged.',
        '',
      ].join('\n'),
    );
  });

  it('tells the same secret from a changed one, wherever in its list it stands', async () => {
    const world = await taken({ 'own.yaml': SECRETS });
    const plan = (env: Record<string, string>): Promise<Ran> =>
      world.runWith({ env }, 'plan', 'own.yaml', '--snapshot', 'live.json', '-o', 'json');
    expect(reportOf(await plan(VALUES)).result).toBe('no-changes');

    const rotated = reportOf(await plan({ ...VALUES, OTHER: 'rotated-secret' }));
    expect(rotated.changes.map(({ fields }) => fields)).toEqual([
      [{ op: 'set', path: '/spec/config/servers/1/token', before: '(hidden)', after: '(hidden)' }],
    ]);

    world.write('own.yaml', REORDERED);
    const reordered = reportOf(await plan(VALUES));
    expect(reordered.changes.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual([
      '/spec/config/servers',
    ]);
  });

  it('does not take the mark of a secret in a file for the secret', async () => {
    const world = await taken({ 'own.yaml': SECRETS });
    world.write('own.yaml', SECRETS.replace('${TOKEN}', '(hidden)'));
    const ran = await world.runWith(
      { env: VALUES },
      'plan',
      'own.yaml',
      '--snapshot',
      'live.json',
      '-o',
      'json',
    );
    expect(reportOf(ran)).toMatchObject({ result: 'changes', summary: { update: 1 } });
  });

  it.each([
    ['in its place', ''],
    [
      'of an object with another name',
      '---\napiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { reason: old, moved: [{ from: Interceptor/mask@vCluster=passthrough, to: Interceptor/other@vCluster=passthrough }] }\n',
    ],
  ])('takes the mark of a topic that a variable filled in for no topic: %s', async (_, moved) => {
    const masked = (name: string, topic: string): string =>
      masking(name, 'card').replace('cards', () => `"${topic}"`);
    const world = await taken({ 'mask.yaml': masked('mask', '${OWNER}') });
    world.write('mask.yaml', masked(moved === '' ? 'mask' : 'other', 'hidden|x') + moved);
    const ran = await world.run('plan', 'mask.yaml', '--snapshot', 'live.json', '--fail-on', 'loss');
    expect(ran.code).toBe(3);
    expect(ran.out).toContain('have as strong masking, since a value is hidden or cannot be judged: card');
    expect(ran.out).not.toMatch(/hidden \d/);
  });

  it('cannot tell of a variable that is not set, says where, and finds the item by its name', async () => {
    const world = await taken({ 'own.yaml': SECRETS });
    world.write('own.yaml', REORDERED);
    const { OTHER: _, ...env } = VALUES;
    const ran = await world.runWith({ env }, 'plan', 'own.yaml', '--snapshot', 'live.json', '-o', 'json');
    const report = reportOf(ran);
    expect(report.snapshot).toMatchObject({ cannotTell: 1 });
    expect(report.problems.slice(-1)).toMatchObject([
      {
        ...{ code: 'cannot-tell', severity: 'info', line: 8, path: '/spec/config/servers/0/token' },
        hint: 'to compare the field, set OTHER',
      },
    ]);
    const inCi = { ...env, CI: 'true', GWCONF_ALLOWED_VARIABLES: '*' };
    const withheld = await world.runWith({ env: inCi }, 'plan', 'own.yaml', '--snapshot', 'live.json');
    expect(withheld.err).toContain(
      '= to compare the field, plan against the gateway, or run this outside CI: files and',
    );
    expect(withheld.err).not.toContain('to compare the field, set');
    expect(report.changes.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual([
      '/spec/config/servers',
    ]);
  });

  it('cannot tell of a file that is not there and a program that may not run', async () => {
    const world = await taken({ 'own.yaml': SECRETS });
    const exec = 'exec: { other: { command: [printf, another-secret-one] } }';
    world.write(
      'gwconf.yaml',
      `{ apiVersion: gwconf/v1, kind: Project, environments: { prod: { ${exec} } } }`,
    );
    await world.runWith({ env: VALUES }, 'snapshot', '--out', 'live.json', '-f', 'own.yaml', ...GATEWAY);
    world.write('own.yaml', SECRETS.replace('TOKEN', 'file:token').replace('OTHER', 'exec:other'));
    const args = ['plan', 'own.yaml', '--snapshot', 'live.json', '-o', 'json'];
    const open = reportOf(await world.run(...args));
    expect(open).toMatchObject({ result: 'no-changes', snapshot: { cannotTell: 3 } });
    const part = await world.run(...args.slice(0, -1), 'markdown', '--target', '*');
    expect(part.out).toContain(': no changes in the selection in what was compared\n');
    world.write('token', TOKEN);
    const known = reportOf(await world.run(...args, '--allow-exec'));
    expect(known).toMatchObject({ result: 'no-changes', snapshot: { cannotTell: 1 } });
  });

  it('still needs a variable in a name or a key, and those of the project file', async () => {
    const world = await taken();
    for (const text of [
      TOPIC.replace('name: orders', 'name: "${NAME}"'),
      TOPIC.replace('physicalName', '"${KEY}"'),
      TOPIC.replace('PHYSICAL:-orders-v1', 'var.physical'),
    ]) {
      world.write('topics.yaml', text);
      const { code, err } = await world.run('plan', 'topics.yaml', '--snapshot', 'live.json');
      expect([code, err]).toEqual([1, expect.stringContaining('error[missing-variable]')]);
    }
  });

  it('shows what is new with open fields as new, of whatever type they are', async () => {
    const world = await taken();
    world.write('own.yaml', SECRETS.replace('priority: 100', 'priority: ${PRIORITY}'));
    const ran = await world.run('plan', 'own.yaml', '--snapshot', 'live.json', '-o', 'json');
    expect(ran.code, ran.err).toBe(0);
    expect(reportOf(ran)).toMatchObject({ summary: { create: 1 }, snapshot: { cannotTell: 0 } });
  });

  it('warns of a snapshot of more than a day, and says its age', async () => {
    const world = makeWorld({
      'topics.yaml': TOPIC,
      'old.json': otherSnapshot({ takenAt: '2026-02-27T11:00:00.000Z' }),
    });
    const { err, out } = await world.run('plan', 'topics.yaml', '--snapshot', 'old.json');
    expect(err).toContain(
      'warning[old-snapshot]: old.json was taken 2 days ago, at 2026-02-27T11:00:00.000Z; the gateway may have changed since',
    );
    expect(out).toContain('Compared with a snapshot of 2026-02-27T11:00:00.000Z, 2 days old\n');
  });

  it.each([
    ['--out', 'plan.json', 'leave out --out'],
    ['--url', 'http://gw', 'leave out --url'],
    ['--password-file', 'p', 'leave out --password-file'],
  ])('is not taken together with %s', async (flag, value, words) => {
    const world = await taken();
    const { code, err } = await world.run('plan', 'topics.yaml', '--snapshot', 'live.json', flag, value);
    expect([code, err]).toEqual([64, expect.stringContaining(words)]);
  });

  it.each([
    ['is not there', undefined, 64, 'cannot be read: no such file'],
    ['is no JSON', 'x', 1, 'it is not JSON'],
    ['is something else', '{"format":"gwconf/plan@1"}', 1, 'is not a snapshot'],
    ['is of a later format', '{"format":"gwconf/snapshot@2"}', 1, 'expected gwconf/snapshot@1'],
    [
      'was altered',
      otherSnapshot({}).replace('gateway.json', 'other.json'),
      1,
      'was altered after it was created',
    ],
  ])('refuses a file that %s', async (_, text, code, words) => {
    const world = makeWorld({ 'topics.yaml': TOPIC, ...(text === undefined ? {} : { 's.json': text }) });
    const ran = await world.run('plan', 'topics.yaml', '--snapshot', 's.json');
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(words)]);
  });

  it('refuses a snapshot of another environment or gateway as stale', async () => {
    const project = (url: string): string =>
      projectOf({ prod: `gateway: { url: "${url}" }, files: [topics.yaml]` });
    const world = makeWorld({
      'topics.yaml': TOPIC,
      'gwconf.yaml': project('embedded:gateway.json'),
      'prod.json': otherSnapshot({ environment: 'prod' }),
      'none.json': otherSnapshot({}),
      'other.json': otherSnapshot({ environment: 'prod', gateway: 'embedded:other.json' }),
    });
    const ends = (): Promise<readonly unknown[]> =>
      Promise.all(
        ['prod', 'none', 'other'].map(async (name) => {
          const ran = await world.run('plan', '--snapshot', `${name}.json`, '-o', 'json');
          return [ran.code, verdictOf(ran), reportOf(ran).result];
        }),
      );
    const compared = [0, 'result: changes', 'changes'];
    const refused = [4, 'result: stale', 'stale'];
    expect(await ends()).toEqual([compared, refused, refused]);
    const { out } = await world.run('plan', '--snapshot', 'other.json', '-o', 'markdown');
    expect(out, 'the gateway is another one, and has not changed').not.toMatch(/stale|has changed/);
    world.write('gwconf.yaml', project('${NOT_SET_IN_A_FORK}'));
    expect(await ends()).toEqual([compared, refused, compared]); // nobody knows which gateway is meant
  });

  it('knows its gateway however gwconf.yaml spells the URL, and shows no password of it', async () => {
    const project = (url: string): string =>
      projectOf({ prod: `gateway: { url: "${url}" }, files: [topics.yaml]` });
    const gateway = 'http://gw.example:8888/base';
    const world = makeWorld({
      'topics.yaml': TOPIC,
      's.json': otherSnapshot({ environment: 'prod', gateway }),
    });
    for (const url of [
      `${gateway}/`,
      'HTTP://GW.example:8888/base',
      'http://u:Kanarienvogel-91x@gw.example:8888/base',
    ]) {
      world.write('gwconf.yaml', project(url));
      expect((await world.run('plan', '--snapshot', 's.json')).code, url).toBe(0);
    }
    world.write('gwconf.yaml', project('http://u:Kanarienvogel-91x@other.example'));
    const { err } = await world.run('plan', '--snapshot', 's.json');
    expect(err).toContain(`the snapshot was taken of ${gateway}, and this is http://other.example\n`);
  });
});
