import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { LAYOUTS } from '../../src/declare/declared.ts';
import { closeAll } from '../gateway/opponent.ts';
import { anyText } from '../support/arbitraries.ts';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import fc from '../support/fast-check.ts';
import { ODD_NAMES, oddInterceptor, oddWorld, type Answers } from '../support/odd-gateway.ts';
import { isSoak } from '../support/soak.ts';
import { projectOf } from '../support/documents.ts';

afterEach(closeAll);

/** What no terminal may be given as it is. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u200b\u202e]/;

describe('a gateway with odd names', () => {
  it.each(['human', 'json', 'yaml', 'name'])('is listed as it is: %s', async (format) => {
    const world = await oddWorld({ Interceptor: ODD_NAMES.map((name) => oddInterceptor(name)) });
    const ran = await world.run('get', 'interceptors', '-o', format);
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: ok']);
    expect(ran.out).not.toMatch(UNSAFE);
    if (format === 'name') expect(ran.out.trimEnd().split('\n')).toHaveLength(ODD_NAMES.length);
    if (format !== 'json') return;
    const { resources } = JSON.parse(ran.out) as {
      readonly resources: readonly { metadata: { name: string } }[];
    };
    expect(new Set(resources.map(({ metadata }) => metadata.name))).toEqual(new Set(ODD_NAMES));
  });
});

describe('a gateway with a number that is too large for JavaScript', () => {
  it.each([
    ['plan', 'a.yaml'],
    ['drift', 'a.yaml'],
  ])('is compared with it: %s %s', async (...args) => {
    const item = JSON.stringify(oddInterceptor('i', { n: 0 })).replace('"n":0', '"n":1e400');
    const world = await oddWorld(
      { Interceptor: `[${item}]` },
      { 'a.yaml': JSON.stringify(oddInterceptor('i', { n: null })) },
    );
    const { code, out, err } = await world.run(...args);
    expect(code, err).toBe(0);
    expect(out).toContain('1e400');
  });
});

const cluster = (name: string): Json => ({
  apiVersion: 'gateway/v2',
  kind: 'VirtualCluster',
  metadata: { name },
  spec: { aclEnabled: false, type: 'Standard' },
});
const topic = (name: string, vCluster = 'passthrough', more: JsonObject = {}): Json => ({
  apiVersion: 'gateway/v2',
  kind: 'AliasTopic',
  metadata: { name, vCluster },
  spec: { physicalName: 'orders', physicalCluster: 'main', ...more },
});
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N';

const PROJECT = projectOf({ prod: 'files: [gateway], manages: ["*"]' });
const TREE = { 'gwconf.yaml': PROJECT, 'gateway/notes.yaml': '# nothing yet\n' };

/** All files of a folder of the world, none if there is no such folder. */
function filesIn(world: World, folder: string): readonly string[] {
  if (!world.has(folder)) return [];
  const entries = readdirSync(join(world.folder, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('a gateway with odd names and values', () => {
  // No URL has a segment of dots, so such an object could not be deleted.
  const names = ODD_NAMES.filter((name) => !/^\.+$/.test(name));
  const clusters = ['Prod', 'prod', 'CON', 'con.x', 'a..', '-', '_global', 'x'.repeat(200)];
  const odd: Answers = {
    Interceptor: names.flatMap((name, at) => [
      oddInterceptor(name),
      oddInterceptor(`value-${at}`, { [name]: name, list: [name, [name]] }),
    ]),
    VirtualCluster: clusters.map(cluster),
    AliasTopic: clusters.map((name) => topic('orders', name)),
  };
  const count = names.length * 2 + clusters.length * 2;

  it.each(LAYOUTS)('is exported, and the plan is empty: %s', async (layout) => {
    const world = await oddWorld(odd);
    const ran = await world.run('export', '--out', 'gateway', '--layout', layout);
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: ok']);
    expect(ran.out).toContain(`${count} objects in `);
    const files = readdirSync(join(world.folder, 'gateway'), { recursive: true, encoding: 'utf8' });
    expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(files.length);
    for (const file of files) expect(file).toMatch(/^[a-z0-9_~-][a-z0-9_.~-]{0,120}(?:[/\\][a-z-]+\.yaml)?$/);
    const plan = await world.run('plan', '-f', 'gateway');
    expect(verdictOf(plan)).toBe('result: no-changes');
    expect(plan.out).toContain(`${count} objects up to date`);
  });

  it('is imported, and the second time there is nothing to do', async () => {
    const world = await oddWorld(odd, TREE);
    const ran = await world.run('import');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: changes']);
    expect(ran.out).toContain(`No changes. ${count} objects up to date.`);
    expect(verdictOf(await world.run('import'))).toBe('result: no-changes');
  });
});

describe('a gateway that cannot be exported as it is', () => {
  const big = JSON.stringify([oddInterceptor('i', { n: 0 })]).replace('"n":0', '"n":9007199254740993');
  const refused = (status: number): Answers => ({
    AliasTopic: [topic('a')],
    GatewayGroup: { status, body: { title: 'words of the gateway' } },
  });

  it.each<[string, Answers, string]>([
    [
      'lists no groups (403)',
      refused(403),
      'does not allow GET /gateway/v2/group (403): words of the gateway',
    ],
    [
      'lists no groups (404)',
      refused(404),
      'GatewayGroup cannot be listed: the gateway does not have it (404)',
    ],
    ['lists no groups (500)', refused(500), 'GatewayGroup cannot be listed: '],
    [
      'lists an object of another kind',
      { AliasTopic: [{ ...(topic('t') as JsonObject), kind: 'Other' }] },
      'expected kind AliasTopic, found "Other"',
    ],
    [
      'lists an object twice',
      { AliasTopic: [topic('t'), topic('t', 'passthrough', { physicalName: 'other' })] },
      'the gateway lists two resources with the address AliasTopic/t@vCluster=passthrough',
    ],
    [
      'refers to what it does not list',
      { AliasTopic: [topic('t', 'prod')] },
      'AliasTopic/t@vCluster=prod refers to VirtualCluster/prod',
    ],
  ])('%s: one sentence, and no file', async (_, answers, sentence) => {
    const world = await oddWorld(answers, { '.gitignore': 'secrets.env\n' });
    const ran = await world.run('export', '--out', 'gateway', '--project', '--secrets-env', 'secrets.env');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([1, 'result: error']);
    expect(ran.err).toContain(sentence);
    expect(ran.out + ran.err).not.toContain(JWT);
    expect(filesIn(world, '.')).toEqual(['.gitignore']);
  });

  it.each<[string, Answers, string]>([
    [
      'a name that no URL can have',
      { Interceptor: [oddInterceptor('..'), oddInterceptor('fine')] },
      'Interceptor/..@vCluster=passthrough /metadata/name',
    ],
    [
      'a name that the API does not allow',
      { AliasTopic: [topic('a/b'), topic('fine')] },
      'AliasTopic/a/b@vCluster=passthrough /metadata/name',
    ],
    [
      'keys and values that gwconf does not know',
      {
        Interceptor: [
          oddInterceptor(
            'i',
            { topic: 7, '<<': { x: 1 }, zzz: [], 'a b': '12:30', yes: 'on' },
            {
              pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin',
            },
          ),
        ],
      },
      'Interceptor/i@vCluster=passthrough /spec/config/topic',
    ],
    [
      'fields that contradict each other',
      {
        VirtualCluster: [
          {
            apiVersion: 'gateway/v2',
            kind: 'VirtualCluster',
            metadata: { name: 'p' },
            spec: { type: 'Partner', aclEnabled: false, aclMode: 'NEWER', superUsers: [], acls: [] },
          },
        ],
      },
      'VirtualCluster/p /spec/',
    ],
  ])(
    'is exported with %s, which are told once, and planned without a difference',
    async (_, answers, place) => {
      const world = await oddWorld(answers);
      const ran = await world.run('export', '--out', 'gateway');
      expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: ok']);
      expect(ran.err.match(/finds wrong/g)).toHaveLength(1);
      expect(ran.err).toContain(place);
      const plan = await world.run('plan', '-f', 'gateway');
      expect([plan.code, verdictOf(plan)], plan.err).toEqual([0, 'result: no-changes']);
      expect(plan.err).not.toContain('error[');
    },
  );

  it('is exported without a kind that it does not serve', async () => {
    const world = await oddWorld(refused(400));
    const ran = await world.run('export', '--out', 'gateway');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: ok']);
    expect(ran.out).toContain('refused GET /gateway/v2/group (400): words of the gateway');
  });

  it('is imported without what files cannot express', async () => {
    const strange = { AliasTopic: [topic('a/b'), topic(JWT), topic('fine')], Interceptor: big };
    const world = await oddWorld(strange, TREE);
    const ran = await world.run('import');
    expect(ran.err).toContain('warning[not-imported]: AliasTopic/a/b@vCluster=passthrough stays as it is');
    expect(ran.err).toContain(
      'error[exposed-secret]: an object of the kind AliasTopic has a secret in its name',
    );
    expect(ran.out + ran.err).not.toContain(JWT);
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(world.read('gateway/alias-topic.yaml').match(/ name: .*/g)).toEqual([' name: fine']);
    expect(world.read('gateway/interceptor.yaml')).toContain('"n": 9007199254740993\n');
  });

  it.each([403, 404, 500])('leaves the tree as it is when a list fails: %i', async (status) => {
    const world = await oddWorld(refused(status), TREE);
    const ran = await world.run('import');
    expect([ran.code, verdictOf(ran), ran.out]).toEqual([1, 'result: error', '']);
    expect(filesIn(world, 'gateway')).toEqual(['notes.yaml']);
  });

  it('does not show a secret in a name', async () => {
    const world = await oddWorld({ AliasTopic: [topic(JWT)] }, TREE);
    for (const args of [['plan'], ['get'], ['drift'], ['get', '-o', 'json'], ['plan', '-o', 'json']]) {
      const { out, err } = await world.run(...args);
      expect(out + err, args.join(' ')).not.toContain(JWT);
    }
  });
});

describe('a gateway that changes while it is read', () => {
  const changing: Answers = {
    VirtualCluster: (read) => (read === 0 ? [] : [cluster('prod')]),
    AliasTopic: [topic('t', 'prod')],
  };

  it('is read again for an export', async () => {
    const world = await oddWorld(changing);
    const ran = await world.run('export', '--out', 'gateway');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: ok']);
    expect(ran.out).toContain('2 objects in 2 files');
  });

  it('is read again for an import', async () => {
    const world = await oddWorld(changing, TREE);
    const ran = await world.run('import');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: changes']);
    expect(ran.out).toContain('No changes. 2 objects up to date.');
  });
});

it('an empty gateway makes no files', async () => {
  const world = await oddWorld({});
  const ran = await world.run('export', '--out', 'gateway', '--project');
  expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: ok']);
  expect(ran.out).toContain('has no objects that files can declare, so nothing was written');
  expect(filesIn(world, '.')).toEqual([]);
  const tree = await oddWorld({}, TREE);
  expect(verdictOf(await tree.run('import'))).toBe('result: no-changes');
});

describe('an export leaves out what files cannot have, and writes the rest', () => {
  const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

  it('of secrets where no variable can stand, depths and lists for maps, and says so', async () => {
    const odd = [
      oddInterceptor(JWT),
      oddInterceptor('nul', { password: 'a\u0000b' }),
      oddInterceptor('deep', JSON.parse(nested(220)) as Json),
      oddInterceptor('deepest', JSON.parse(nested(1000)) as Json),
      oddInterceptor('list', [1, 2]),
      oddInterceptor('fine', { a: 1 }),
    ];
    const world = await oddWorld({ Interceptor: odd, AliasTopic: [topic('orders')] });
    const ran = await world.run('export', '--out', 'gateway');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([1, 'result: incomplete']);
    for (const words of [
      'has a secret in its name',
      'Interceptor/nul',
      'Interceptor/deep@',
      'Interceptor/deepest@',
      'Interceptor/list',
    ])
      expect(ran.err).toContain(words);
    expect(ran.err).not.toContain('error[');
    expect(ran.out).toContain('2 objects in');
    expect(ran.out + ran.err).not.toContain(JWT);
    const plan = await world.run('plan', '-f', 'gateway');
    expect([plan.code, verdictOf(plan)], plan.err).toEqual([0, 'result: no-changes']);
  });

  it('which are read, planned, deleted and brought back, however deep a server lets them be', async () => {
    const deepest = oddInterceptor('deepest', JSON.parse(nested(1000)) as Json);
    const state = { format: 'gwconf/gateway-state@1', version: '3.21.0', resources: [deepest] };
    const world = makeWorld({ 'a.yaml': JSON.stringify(oddInterceptor('deepest', { a: 2 })) });
    world.write('state.json', JSON.stringify(state));
    const here = ['--url', 'embedded:state.json'];
    for (const args of [
      ['get', 'Interceptor', '-o', 'yaml', ...here],
      ['plan', '-f', 'a.yaml', '--detail', 'full', ...here],
      ['plan', '-f', 'a.yaml', '-o', 'html', ...here],
      ['plan', '-f', 'a.yaml', '--out', 'plan.json', ...here],
      ['snapshot', '--out', 'snapshot.json', ...here],
      ['plan', '-f', 'a.yaml', '--snapshot', 'snapshot.json'],
      ['apply', 'plan.json', '--journal', 'runs', ...here],
      ['undo', '--auto-approve', '--journal', 'runs', ...here],
    ]) {
      const ran = await world.run(...args);
      expect(ran.code, `${args.join(' ')}\n${ran.err}`).toBe(0);
      // Readers of YAML do not go so deep, so it is in a form that JSON has, too.
      if (args[0] === 'get') expect(ran.out).toContain(nested(1000));
    }
    expect(JSON.stringify((JSON.parse(world.read('state.json')) as typeof state).resources)).toContain(
      nested(1000),
    );
  }, 30_000);

  it('whatever names, keys, values and depths a gateway has', async () => {
    const text = fc.oneof(fc.constantFrom(...ODD_NAMES), anyText({ maxLength: 8 }));
    const value = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    const item = fc.tuple(
      text.filter((name) => name !== ''),
      value,
    );
    const items = fc.uniqueArray(item, { maxLength: 8, selector: ([name]) => name });
    await fc.assert(
      fc.asyncProperty(items, async (all) => {
        const world = await oddWorld({
          Interceptor: all.map(([name, config]) => oddInterceptor(name, config)),
        });
        const ran = await world.run('export', '--out', 'gateway');
        expect(['result: ok', 'result: incomplete'], ran.err).toContain(verdictOf(ran));
        if (!world.has('gateway')) return;
        const plan = await world.run('plan', '-f', 'gateway');
        expect(verdictOf(plan), plan.err).toBe('result: no-changes');
      }),
      { numRuns: isSoak() ? 300 : 12 },
    );
  }, 60_000);
});
