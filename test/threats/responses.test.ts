import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { callTool } from '../../src/cli/mcp/call-tool.ts';
import { TOOLS, type Tool } from '../../src/cli/mcp/tools.ts';
import { run } from '../../src/cli/run.ts';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { serveGateway } from '../../src/emulator/server.ts';
import { GrowingBytes } from '../../src/model/growing-bytes.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { hasTooManyValues } from '../../src/schema/yaml/syntax.ts';
import { closeAll, failureOf, gatewayAt, serve, speak } from '../gateway/opponent.ts';
import { shelf } from '../gateway/toy-kinds.ts';
import { cluster, projectOf } from '../support/documents.ts';
import { makeWorld, verdictOf, type Ran } from '../support/cli.ts';
import { oddInterceptor, oddWorld } from '../support/odd-gateway.ts';
import { start } from '../support/process.ts';

afterEach(closeAll);

describe('threat: gateway: a response in chunks of one byte', () => {
  it('takes no more memory than its bytes', { timeout: 60_000 }, async () => {
    const blanks = '1\r\n \r\n'.repeat(10_000);
    const url = await speak((socket) => {
      let left = 30;
      const send = (): void => {
        while (left > 0) {
          left -= 1;
          if (!socket.write(left > 0 ? blanks : '2\r\n[]\r\n0\r\n\r\n')) return;
        }
      };
      socket.on('drain', send).write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      send();
    });
    const world = makeWorld({ 'a.yaml': cluster('prod') });
    const env = { NODE_OPTIONS: '--max-old-space-size=64' };
    const { code, err } = await start({ cwd: world.folder, env }, 'plan', 'a.yaml', '--url', url).ended;
    expect([code, err]).toEqual([0, 'result: changes\n']);
  });

  it('is copied whole', () => {
    const bytes = new GrowingBytes();
    const chunks = [[1], [2, 3], [], [4, 5, 6, 7, 8], [9]];
    for (const chunk of chunks) bytes.append(Uint8Array.from(chunk));
    const before = bytes.all();
    bytes.append(Uint8Array.from([10]));
    expect([...before]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([bytes.length, ...bytes.all()]).toEqual([10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

/** An interceptor with a list of so many empty maps. */
function many(maps: number): string {
  const spec = `{"pluginClass":"x.Y","priority":1,"config":{"a":[${'{},'.repeat(maps)}{}]}}`;
  return `{"apiVersion":"gateway/v2","kind":"Interceptor","metadata":{"name":"many"},"spec":${spec}}`;
}

describe('threat: a short text with many values', () => {
  it('is refused in lists before it fills the memory', async () => {
    const { url } = await serve((response, { path }) =>
      response.end(path?.endsWith('/interceptor') === true ? `[${many(10_000)}]` : '[]'),
    );
    const world = makeWorld({ 'a.yaml': cluster('prod') });
    const plan = (heapLimitBytes: number): Promise<Ran> =>
      world.runWith({ heapLimitBytes }, 'plan', 'a.yaml', '--url', url);
    const ran = await plan(71_000_000);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('need at least 72 MB of memory')]);
    expect((await plan(72_000_000)).code).toBe(0);
  });

  it.each(['a.json', 'a.yaml'])('is refused in files before it fills the memory: %s', async (name) => {
    const world = makeWorld({ [name]: many(10_000) });
    const validate = (heapLimitBytes: number): Promise<Ran> =>
      world.runWith({ heapLimitBytes }, 'validate', name);
    const ran = await validate(71_000_000);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('need at least 72 MB of memory')]);
    expect((await validate(72_000_000)).code).toBe(0);
  });

  it.each(['- ', '? ', ': ', '&a ', '!!a ', '*a '])('is refused where a line has many marks: %j', (mark) => {
    expect(hasTooManyValues(mark.repeat(3_000_001))).toBe(true);
    expect(hasTooManyValues(`${mark}a\n`.repeat(700_000))).toBe(false);
  });

  it('is not refused for marks within words', () => {
    expect(hasTooManyValues('a-b: https://c.example?d=e:f\n'.repeat(700_000))).toBe(false);
  });

  it('is not kept as syntax, which needs hundreds of times its memory', { timeout: 120_000 }, async () => {
    const world = makeWorld({ 'a.yaml': many(1_000_000), 'anchor.yaml': `&a ${many(1_000_000)}` });
    const env = { NODE_OPTIONS: '--max-old-space-size=512' };
    const usual = await start({ cwd: world.folder, env }, 'validate', 'a.yaml').ended;
    expect([usual.code, usual.err], usual.err).toEqual([0, expect.stringContaining('--> a.yaml:1:1\n')]);
    const other = await start({ cwd: world.folder, env }, 'validate', 'anchor.yaml').ended;
    expect([other.code, other.err], other.err).toEqual([
      1,
      expect.stringContaining(
        'the file has more than 1.5 million values and lines, or 3 million marks of YAML; it was not read',
      ),
    ]);
  });
});

describe('threat: gateway: a long Retry-After', () => {
  it.each(['31', '3600', '99999999999999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'is not waited for before a plan: %s',
    async (wait) => {
      const { url, received } = await serve((response) =>
        response.writeHead(503, { 'retry-after': wait }).end(),
      );
      const world = makeWorld({ 'a.yaml': cluster('prod') });
      const { code, err } = await world.run('plan', 'a.yaml', '--url', url);
      expect(code).toBe(1);
      expect(err).toContain('try again later');
      expect(new Set(received.map(({ path }) => path)).size).toBe(received.length);
    },
  );
});

describe('threat: gateway: a status that HTTP does not have', () => {
  it.each(['000', '001', '099'])('is reported as no HTTP: %s', async (status) => {
    const url = await speak((socket) => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));
    const error = await failureOf(gatewayAt(url).list(shelf));
    expect([error.code, error.message]).toEqual([
      'unreachable',
      expect.stringContaining('does not speak HTTP') as string,
    ]);
  });

  it('does not make the process parse its own source for a message', () => {
    const texts = readdirSync('dist/chunks').map((name) => readFileSync(`dist/chunks/${name}`, 'utf8'));
    expect(texts.filter((text) => text.includes('ERR_ASSERTION')).length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes('"node:assert"')).length).toBe(0);
  });
});

describe('threat: neighbour: requests to the embedded gateway', () => {
  it.each([
    ['/gateway/v2/virtual-cluster', 'VirtualCluster', { aclEnabled: false }],
    ['/gateway/v2/interceptor', 'Interceptor', { pluginClass: 'x.Y', priority: 1 }],
  ])('a body with deep nesting is refused, and the next request is served: %s', async (path, kind, spec) => {
    const server = await serveGateway(memoryGateway(catalog.kinds), { port: 0 });
    const authorization = `Basic ${Buffer.from('admin:conduktor').toString('base64')}`;
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const bodies = [
      deep,
      JSON.stringify({ apiVersion: 'gateway/v2', kind, metadata: { name: 'x', labels: 'DEEP' }, spec }),
      JSON.stringify({
        apiVersion: 'gateway/v2',
        kind,
        metadata: { name: 'x' },
        spec: { ...spec, config: 'DEEP' },
      }),
    ].map((text) => text.replace('"DEEP"', deep));
    try {
      for (const body of bodies) {
        const refused = await fetch(`${server.url}${path}`, {
          method: 'PUT',
          headers: { authorization },
          body,
        });
        expect([refused.status, await refused.text()]).toEqual([
          400,
          expect.stringContaining('is nested deeper than 1024 levels') as string,
        ]);
        const listed = await fetch(`${server.url}${path}`, { headers: { authorization } });
        expect([listed.status, await listed.json()]).toEqual([200, []]);
      }
    } finally {
      await server.close();
    }
  });
});

describe('threat: gateway: names of objects that become those of variables', () => {
  it('get a prefix that no program has, and no name that the job has for something else', async () => {
    const token = (name: string, vCluster: string, value: string): Json => ({
      ...(oddInterceptor(name, { [name.toLowerCase()]: { token: value } }) as JsonObject),
      metadata: { name, scope: { vCluster, group: null, username: null } },
    });
    const names = ['PROMPT_COMMAND', 'GWCONF_PASSWORD', 'LD_PRELOAD', 'PATH', '_'];
    const world = await oddWorld({
      VirtualCluster: [
        { apiVersion: 'gateway/v2', kind: 'VirtualCluster', metadata: { name: 'deploy' }, spec: {} },
      ],
      Interceptor: [
        ...names.map((name) => token(name, 'passthrough', `$(touch ran) ${name}`)),
        token('_', 'deploy', 'live-token'),
      ],
    });
    world.env['GW_DEPLOY_TOKEN'] = 'a-token-of-the-job';
    world.write('.gitignore', '.env\n');
    const { code, err } = await world.run(
      'export',
      '--out',
      'g',
      '--secrets-env',
      '.env',
      '--layout',
      'one-file',
    );
    expect(code, err).toBe(0);
    const variables = [...world.read('g/gateway.yaml').matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(
      ([, name]) => name ?? '',
    );
    expect(variables).toHaveLength(6);
    for (const name of variables) expect(name).toMatch(/^GW_/);
    expect(variables).not.toContain('GW_DEPLOY_TOKEN');
  });

  it('stay texts in files that take over what is live: ${HOME}', async () => {
    const live = oddInterceptor('own', { '${HOME}': 'v', kept: '${HOME}' });
    const world = await oddWorld({ Interceptor: [live] });
    world.env['HOME'] = '/home/of/the/job';
    expect((await world.run('export', '--out', 'g', '--layout', 'one-file')).code).toBe(0);
    const planned = await world.run('plan', '-f', 'g');
    expect([planned.code, planned.out]).toEqual([0, expect.stringContaining('No changes.')]);
    expect(world.read('g/gateway.yaml')).not.toContain('/home/of');
  });

  it('make no import green whose files no plan can be made of', async () => {
    const own = oddInterceptor('own') as JsonObject;
    const scope = { vCluster: 'ghost', group: null, username: null };
    const world = await oddWorld(
      { Interceptor: [{ ...own, metadata: { name: 'own', scope } }] },
      { 'gwconf.yaml': projectOf({ prod: 'files: [g], manages: ["*"]' }) },
    );
    for (const flags of [['--dry-run'], []]) {
      const ran = await world.run('import', ...flags);
      expect([ran.code, verdictOf(ran)], ran.err).toEqual([1, 'result: incomplete']);
      expect(ran.err).toContain('error[dangling-reference]');
    }
    expect((await world.run('plan')).code).toBe(1);
  });

  it('stay texts in a gwconf.yaml that names what is live: ${HOME}', async () => {
    const metadata = { name: '${HOME}' };
    const spec = { members: [], externalGroups: [] };
    const group = { kind: 'GatewayGroup', apiVersion: 'gateway/v2', metadata, spec };
    const own = oddInterceptor('own', {});
    const scope = { vCluster: 'passthrough', group: '${HOME}', username: null };
    const world = await oddWorld({
      Interceptor: [{ ...(own as JsonObject), metadata: { name: 'own', scope } }],
      GatewayGroup: [group],
    });
    expect((await world.run('export', 'interceptors', '--out', 'g/all', '--project')).code).toBe(0);
    expect(world.read('g/gwconf.yaml')).toContain('GatewayGroup/$${HOME}');
    const planned = await world.run('--chdir', 'g', 'plan');
    expect([planned.code, planned.out]).toEqual([0, expect.stringContaining('No changes.')]);
  });
});

describe('threat: author: words for an agent, whose tools may ask no gateway', () => {
  it.each([
    ['GWCONF_URL', 0],
    ['CDK_GATEWAY_BASE_URL', 0],
    ['--gateway', 1],
  ])('send no request, whatever the shell of the server has set: %s', async (by, least) => {
    const { url, received } = await serve((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
    );
    const world = makeWorld({
      'gwconf.yaml': projectOf({ dev: 'files: [a.yaml]' }),
      'a.yaml': cluster('prod'),
      'a.gwtest.yaml':
        'apiVersion: gwconf/v1\nkind: Test\ncases:\n  - { as: "*", after: plan, expect: { noLastingLoss: true } }\n',
    });
    const mayAsk = by === '--gateway';
    const io = world.io({ env: { [mayAsk ? 'GWCONF_URL' : by]: url } });
    const options = { mayAsk, runLine: run, signal: new AbortController().signal };
    for (const [name, tool] of Object.entries<Tool>(TOOLS))
      if (tool.needs !== undefined || name === 'test') await callTool(io, name, {}, options);
    expect(Math.min(received.length, 1)).toBe(least);
  });
});
