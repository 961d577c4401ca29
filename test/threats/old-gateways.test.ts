import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import type { Json } from '../../src/model/json/json.ts';
import type { Address } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeBeside } from '../../src/workflow/files/new-folder.ts';
import { makeWorld } from '../support/cli.ts';
import { someOf } from '../support/soak.ts';
import { makeV1Routes } from '../../src/v1/face/face-routes.ts';
import { serveHttp } from '../support/listen.ts';

const NAMES: readonly string[] = [
  '../../evil',
  '/etc/evil',
  'a/b',
  'a\nb',
  '::error::x',
  '##vso[x]',
  '\u001b[31mred',
  'a\u202eb',
  '${X}',
  '${file:/etc/passwd}',
  '__proto__',
  '',
  '..',
  'a'.repeat(5000),
  'a: b #',
  '"\'\\',
  '\u0000',
  '\ud800',
  '\uE000X\uE001',
  'CON',
  '!!js x',
  '%2F',
];
const PASSWORD = 'Kanarienvogel-91x';
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiIsImlhdCI6MX0.c2lnbmF0dXJlc2lnbmF0dXJl';
const PLUGIN = 'io.conduktor.gateway.interceptor.AuditPlugin';

type Answer = { readonly status?: number; readonly text: string; readonly link?: string };

/** Answers each path as it is told, and others with 404. */
function serve(answer: (path: string) => Answer | undefined): Promise<string> {
  return serveHttp((request, response) => {
    request.resume().on('end', () => {
      const found = answer(decodeURIComponent(request.url ?? '')) ?? { status: 404, text: '{}' };
      const { status = 200, text, link = '' } = found;
      response.writeHead(status, { 'content-type': 'application/json', link }).end(text);
    });
  });
}

const json = (value: unknown): Answer => ({ text: JSON.stringify(value) });

const PLACES = [
  'cluster',
  'user',
  'principal',
  'group',
  'topic',
  'physical',
  'rule',
  'interceptor',
  'plugin',
];

/** A gateway 3.2.0 with one object of each sort, whose name at one place is another one. */
function v1With(at: string, name: string): (path: string) => Answer | undefined {
  const put = (place: string, usual: string): string => (at === place ? name : usual);
  return (path) => {
    if (path === '/health')
      return json({ status: 'UP', checks: [{ id: 'buildInfo', data: { version: '3.2.0' } }] });
    if (path === '/admin/interceptors/v1/all') {
      const interceptor = { name: put('interceptor', 'i'), pluginClass: put('plugin', PLUGIN), priority: 1 };
      return json({
        interceptors: [{ vcluster: 'v', group: null, username: null, ...interceptor, config: {} }],
      });
    }
    if (path === '/admin/vclusters/v1') return json({ vclusters: [put('cluster', 'v')] });
    if (path.includes('/username/'))
      return json({
        username: put('user', 'u'),
        principal: put('principal', 'p'),
        groups: [put('group', 'g')],
      });
    if (path.startsWith('/admin/userMappings')) return json([put('user', 'u')]);
    if (path.endsWith('/topics'))
      return json([
        {
          logicalTopicName: put('topic', 't'),
          physicalTopicName: put('physical', 'p'),
          type: 'ALIAS',
          readOnly: true,
        },
      ]);
    return path.endsWith('/concentration-rules')
      ? json([{ pattern: put('rule', 'r.*'), physicalTopicName: 'p' }])
      : undefined;
  };
}

/** Migrates a gateway into a folder of a world of its own, and holds the output to what a build server can take. */
async function migrate(
  answer: (path: string) => Answer | undefined,
  what: string,
  ...flags: readonly string[]
): Promise<{ readonly said: string; readonly files: string }> {
  const world = makeWorld({ 'work/keep': '' });
  const env = { GWCONF_USER: 'admin', GWCONF_PASSWORD: PASSWORD };
  const { code, out, err } = await world.runWith(
    { env },
    ...['migrate', '--url', await serve(answer), '--out', 'work/out', '--layout', 'one-file', ...flags],
  );
  const said = out + err;
  expect([0, 1, ...(flags.length > 0 ? [64] : [])], `${what}\n${said}`).toContain(code);
  expect(said, what).not.toContain(PASSWORD);
  expect(said, what).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]|^\s*(?:::|##)/m);
  expect(existsSync(join(dirname(world.folder), 'evil')) || world.has('evil'), what).toBe(false);
  return { said, files: world.has('work/out/gateway.yaml') ? world.read('work/out/gateway.yaml') : '' };
}

describe('threat: gateway: v1 with hostile answers', () => {
  it.each(PLACES)('migrate takes any name or refuses it with a sentence: %s', async (place) => {
    for (const name of someOf(NAMES, 4, PLACES.indexOf(place)))
      await migrate(v1With(place, name), `${place} ${JSON.stringify(name)}`);
  });

  it.each([
    '/interceptors/v1/all',
    '/vclusters/v1',
    '/username/',
    '/topics',
    '/concentration-rules',
    '/health',
  ])('migrate takes any answer or refuses it with a sentence: %s', async (path) => {
    const wrong = ['null', '1', '{}', '[null]', '[[]]', '', '<html>', '['.repeat(100_000), `"${PASSWORD}"`];
    const odd = ['{"__proto__": []}', '{"interceptors": 1}', '[{"username": 1, "groups": "x"}]'];
    const usual = v1With('none', '');
    // Of those that are no success all have one way.
    const answers = [
      ...[...wrong, ...odd].map((text) => ({ status: 200, text })),
      ...someOf(wrong, 4, path.length).map((text) => ({ status: 400, text })),
    ];
    for (const answer of answers)
      await migrate(
        (asked) => (asked.includes(path) ? answer : usual(asked)),
        `${answer.status} ${answer.text.slice(0, 40)}`,
      );
  });

  it.each(['3.2.0', '3.15.0'])(
    'chooses no variable: what stands for one inside of gwconf, at %s',
    async (version) => {
      const taken = '\uE000AWS_SECRET_ACCESS_KEY\uE001';
      const one = { name: 'i', pluginClass: PLUGIN, priority: 1, config: { topic: taken, [taken]: 1 } };
      const usual = v1With('rule', taken);
      const { said, files } = await migrate((path) => {
        if (path === '/health')
          return json({ status: 'UP', checks: [{ id: 'buildInfo', data: { version } }] });
        if (path === '/admin/interceptors/v1/all')
          return json({
            interceptors: [
              { vcluster: 'v', ...one },
              { vcluster: 'v', ...one, name: 'j', config: {} },
            ],
          });
        if (!path.startsWith('/gateway/v2/')) return usual(path);
        const { name, ...spec } = one;
        const metadata = { name, scope: { vCluster: 'v', group: null, username: null } };
        const listed = { apiVersion: 'gateway/v2', kind: 'Interceptor', metadata, spec };
        return json(path === '/gateway/v2/interceptor' ? [listed] : []);
      }, version);
      expect(files + said).not.toContain('${AWS');
      expect(said).toContain('- it has characters from U+E000 to U+E004, which gwconf reserves');
      expect(said).toContain('result: not-converted');
    },
  );

  it('is told what v1 lists and the files do not declare', async () => {
    const usual = v1With('none', '');
    const { said, files } = await migrate((path) => {
      if (path === '/admin/vclusters/v1') return json({ vclusters: ['v', 'empty'] });
      if (path.includes('/username/ghost')) return undefined;
      if (path === '/admin/userMappings/v1/vcluster/v') return json(['u', 'ghost']);
      return path.endsWith('/all')
        ? json({ interceptors: [{ vcluster: 'v', name: 'i', pluginClass: PLUGIN, priority: 'high' }] })
        : usual(path);
    }, 'a ghost');
    expect(files).toContain('name: empty\n');
    expect(said).toContain('/username/ghost\n    - v1 lists it, and does not show it\n');
    expect(said).toMatch(/other interceptors would run for .* in v(?: and \d other clients?)? than now/);
    expect(said).not.toContain('runs the same interceptors');
  });

  it('names no object whose name would make those of others managed', async () => {
    const found = [{ address: 'Interceptor/i@vCluster=v*' as Address }];
    const folder = { out: 'out', project: { name: 'prod', user: undefined } };
    expect(() => makeBeside(catalog, 'https://gateway', found, { resources: new Map() }, [], folder)).toThrow(
      '--project cannot name Interceptor/*@vCluster=v*, whose * would match',
    );
    const { files } = await migrate(v1With('interceptor', 'i*'), 'a star that no rule has', '--project');
    expect(files).toContain('name: i*\n');
  });

  it.each([
    ['interceptors', '/admin/interceptors/'],
    ['virtual clusters', '/admin/vclusters/v1'],
    ['user mappings', '/admin/userMappings/'],
  ])('is not taken for one without what it denies: %s', async (what, denied) => {
    const usual = v1With('none', '');
    const isDenied = (path: string): boolean =>
      path === denied || (/\/$/.test(denied) && path.startsWith(denied));
    const { said, files } = await migrate((path) => (isDenied(path) ? undefined : usual(path)), what);
    expect(said).toContain(`v1 of the gateway has no list of ${what} (404), and has others\n`);
    expect(files).toBe('');
  });

  it.each<[string, string, Answer]>([
    ['is only a part of the list', '/topics', { text: '[]', link: '</topics?page=2>; rel="next"' }],
    ['is empty', '/concentration-rules', { text: '' }],
    [
      'answers with something else than a list of virtual clusters',
      '/vclusters/v1',
      { text: '{"items": ["v"]}' },
    ],
  ])('is not taken for one with less: %s', async (why, place, answer) => {
    const usual = v1With('none', '');
    const { said, files } = await migrate((path) => (path.endsWith(place) ? answer : usual(path)), why);
    expect(said).toContain(why);
    expect(files).toBe('');
  });

  it('has for a user no mapping of another one', async () => {
    const usual = v1With('none', '');
    const { said, files } = await migrate(
      (path) => (path.includes('/username/') ? json({ username: 'other', principal: 'p' }) : usual(path)),
      'another',
    );
    expect(said).toContain('/username/u\n    - v1 lists it, and does not show it\n');
    expect(files).not.toContain('externalNames');
  });

  const CONCENTRATED = [
    { logicalTopicName: 'r.1', physicalTopicName: 'p', type: 'CONCENTRATED', readOnly: false },
    { logicalTopicName: 'audit', physicalTopicName: 'p', type: 'CONCENTRATED', readOnly: false },
  ];

  it('has concentrated topics that come from no rule, though one has their physical topic', async () => {
    const usual = v1With('none', '');
    const { files } = await migrate(
      (path) => (path.endsWith('/topics') ? json(CONCENTRATED) : usual(path)),
      'concentrated',
    );
    expect(files).toContain('pattern: audit\n');
    expect(files).not.toContain('pattern: r.1\n');
  });

  it.each([
    ['without v1', '3.21.0'],
    ['whose v1 does not list its topics', '3.15.0'],
  ])('has such topics, and alias topics that may be read-only, also %s', async (_, version) => {
    const place = { vCluster: 'v' };
    const listed: Readonly<Record<string, readonly Json[]>> = {
      'virtual-cluster': [{ kind: 'VirtualCluster', metadata: { name: 'v' }, spec: {} }],
      'concentrated-topic': CONCENTRATED.map(
        ({ logicalTopicName: name, physicalTopicName: physicalName }) => ({
          kind: 'ConcentratedTopic',
          metadata: { name, ...place },
          spec: { physicalName },
        }),
      ),
      'concentration-rule': [
        {
          kind: 'ConcentrationRule',
          metadata: { name: 'r', ...place },
          spec: { pattern: 'r.*', physicalTopics: { delete: 'p' } },
        },
      ],
      'alias-topic': [{ kind: 'AliasTopic', metadata: { name: 't', ...place }, spec: { physicalName: 'x' } }],
    };
    const { said, files } = await migrate((path) => {
      if (path === '/health') return json({ status: 'UP', checks: [{ id: 'buildInfo', data: { version } }] });
      if (path === '/gateway/v2/group') return { status: 400, text: '{"title": "no groups here"}' };
      const [, name = ''] = /^\/gateway\/v2\/([\w-]+)$/.exec(path) ?? [];
      if (name === 'analytics') return undefined;
      const all = (listed[name] ?? []).map((one) => ({ apiVersion: 'gateway/v2', ...(one as object) }));
      if (name !== '' || path === '/gateway/v2/interceptor/resolve') return json(all);
      return version === '3.15.0' && path.endsWith('/all') ? json({ interceptors: [] }) : undefined;
    }, version);
    expect(files).toContain('pattern: audit\n');
    expect(files).not.toContain('pattern: r.1\n');
    expect(said).toContain(
      version === '3.15.0'
        ? 'v2 lists 1 alias topic that v1 does not; only v1 shows which of them are read-only\n'
        : 'only v1 shows which alias topics are read-only\n',
    );
    expect(said).toContain('the gateway does not serve GatewayGroup, and so the files declare none: ');
  });

  it('is told that v2 lists less than v1', async () => {
    const usual = v1With('none', '');
    const { said } = await migrate((path) => {
      if (path === '/health')
        return json({ status: 'UP', checks: [{ id: 'buildInfo', data: { version: '3.15.0' } }] });
      return path.startsWith('/gateway/v2/') ? json([]) : usual(path);
    }, 'less');
    expect(said).toContain('v1 lists 1 interceptor, and v2 0; the files declare those of v2\n');
  });

  it('is not said to have nothing where nothing of it can be converted', async () => {
    const { said } = await migrate((path) => {
      if (path === '/health') return v1With('none', '')(path);
      if (path === '/admin/vclusters/v1') return json({ vclusters: [] });
      if (path.startsWith('/admin/userMappings/')) return json([]);
      return path.endsWith('/all')
        ? json({ interceptors: [{ name: 'i', pluginClass: PLUGIN, priority: 'high' }] })
        : undefined;
    }, 'nothing');
    expect(said).toContain('Nothing on the gateway could be converted, so nothing was written.\n');
  });

  it.each<[string, Answer]>([
    ['an error', { status: 400, text: JSON.stringify({ message: `${TOKEN} ${PASSWORD}` }) }],
    ['a failure', { status: 500, text: `${TOKEN} ${PASSWORD}` }],
    ['another page', { status: 302, text: '' }],
    ['HTML', { text: `<html>${PASSWORD}` }],
  ])('cluster switch says no credentials: %s', async (_, answer) => {
    for (const name of someOf(NAMES, 4, answer.text.length)) {
      const env = { GWCONF_USER: 'admin', GWCONF_PASSWORD: PASSWORD };
      const flags = ['--auto-approve', '--experimental', '--url', await serve(() => answer)];
      const ran = await makeWorld().runWith({ env }, 'cluster', 'switch', `--to=${name}`, ...flags);
      expect(ran.code, name).not.toBe(70);
      expect(ran.out + ran.err).not.toContain(PASSWORD);
    }
  });
});

describe('threat: neighbour: v1 requests to the embedded gateway', () => {
  it.each(['2.5.0', '3.1.0', '3.15.0'])('are answered or refused, whatever they name: %s', (version) => {
    const gateway = memoryGateway(catalog.kinds, { version }, makeV1Routes);
    const bodies = (name: string): readonly Json[] => [
      null,
      1,
      [],
      { username: name, principal: name, groups: [name] },
      { physicalTopicName: name, type: 'alias', readOnly: true },
      { pattern: name, physicalTopicName: name },
      { pluginClass: PLUGIN, priority: 1, config: { [name]: name } },
      JSON.parse('{"__proto__": {"x": 1}, "lifeTimeSeconds": 1}') as Json, // JSON is Json
    ];
    for (const name of NAMES) {
      const paths = [
        `userMappings/v1/vcluster/${name}`,
        `userMappings/v1/username/${name}`,
        `vclusters/v1/vcluster/${name}/topics/${name}`,
        `vclusters/v1/vcluster/v/concentration-rules?pattern=${name}`,
        `vclusters/v1/vcluster/${name}/username/${name}`,
        `interceptors/v1/vcluster/${name}/interceptor/${name}`,
        `pclusters/v1/pcluster/${name}/switch?to=${name}`,
      ];
      for (const path of paths) {
        for (const method of ['POST', 'PUT', 'GET', 'DELETE']) {
          for (const body of method === 'GET' || method === 'DELETE' ? [undefined] : bodies(name))
            expect(gateway.handle(method, `/admin/${path}`, body).status, path).toBeLessThan(500);
        }
      }
    }
    expect({}).not.toHaveProperty('x');
  });
});
