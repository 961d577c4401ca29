import { expect, it, onTestFinished } from 'vitest';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import { serveGateway } from '../../src/emulator/server.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import { cluster } from '../support/documents.ts';
import { interceptWith } from '../support/faults/intercept-with.ts';
import { makeLaggingStore } from '../support/faults/lagging-store.ts';
import type { FaultScript } from '../support/faults/script.ts';
import { kindOf } from '../support/kinds.ts';
import { LOGIN } from '../support/served.ts';

const CLUSTER = cluster('prod');

async function worldWith(
  faults: FaultScript,
): Promise<{ readonly world: World; readonly gateway: EmbeddedGateway }> {
  const store = makeLaggingStore();
  const gateway = memoryGateway(catalog.kinds, { store });
  const server = await serveGateway(gateway, { port: 0, intercept: interceptWith(faults, store) });
  onTestFinished(() => server.close());
  const world = makeWorld({ 'a.yaml': CLUSTER });
  Object.assign(world.env, { ...LOGIN, GWCONF_URL: server.url });
  return { world, gateway };
}

it('a write that is tried again is told of, and when', async () => {
  const { world } = await worldWith([{ at: 1, fault: 'status', status: 503, retryAfter: 2 }]);
  const ran = await world.run('apply', '-f', 'a.yaml', '--auto-approve');
  expect(ran.code).toBe(0);
  expect(ran.err).toMatch(/\[0\/1\] VirtualCluster\/prod {2}retrying in 2\.2 s: .* \(503, Retry-After: 2\)/);
  expect(verdictOf(ran)).toBe('result: applied');
});

it('the same cause is told anew when it has come twice as often, not once for each call', async () => {
  const tries = new Map<string, number>();
  const server = await serveGateway(memoryGateway(catalog.kinds), {
    port: 0,
    intercept: ({ method, body }, handle) => {
      const before = tries.get(body) ?? 0;
      tries.set(body, before + 1);
      const isBusy = method !== 'GET' && before < 4;
      return Promise.resolve(isBusy ? { status: 503, body: '{"title":"no"}' } : handle());
    },
  });
  onTestFinished(() => server.close());
  const names = Array.from({ length: 8 }, (_, at) => `c${at}`);
  const world = makeWorld({ 'a.yaml': names.map((name) => cluster(name)).join('---\n') });
  Object.assign(world.env, { ...LOGIN, GWCONF_URL: server.url });
  const ran = await world.run('apply', '-f', 'a.yaml', '--auto-approve');
  expect(verdictOf(ran)).toBe('result: applied');
  const lines = ran.err.split('\n').filter((line) => line.includes('retrying'));
  expect(lines.map((line) => line.replace(/^\[.*?\] /, '').replace(/: .*/, ''))).toEqual([
    expect.stringMatching(/^VirtualCluster\/c\d {2}retrying in 0\.\d s$/),
    ...[2, 4, 8, 16].map((times): unknown =>
      expect.stringMatching(new RegExp(`^retrying \\d objects?, ${times} times so far$`)),
    ),
    'retrying 8 objects, 32 times so far',
  ]);
});

it('a lost answer is settled by reading, and that is told', async () => {
  const { world, gateway } = await worldWith([{ at: 1, fault: 'drop-after' }]);
  const ran = await world.run('apply', '-f', 'a.yaml', '--auto-approve');
  expect(ran.code).toBe(0);
  expect(ran.err).toContain('reading VirtualCluster again, to see what came of a write\n');
  expect(ran.err).toContain('[1/1] + VirtualCluster/prod  done\n');
  expect(await gateway.list(kindOf('VirtualCluster'))).toHaveLength(1);
});

it('a report says what could not be read again after the writes, and it is told once', async () => {
  let isWritten = false;
  const server = await serveGateway(memoryGateway(catalog.kinds), {
    port: 0,
    intercept: ({ method }, handle) => {
      if (method === 'PUT') isWritten = true;
      return Promise.resolve(
        isWritten && method === 'GET' ? { status: 403, body: { title: 'no' } } : handle(),
      );
    },
  });
  onTestFinished(() => server.close());
  const world = makeWorld({ 'a.yaml': CLUSTER });
  Object.assign(world.env, { ...LOGIN, GWCONF_URL: server.url });
  const ran = await world.run('apply', '-f', 'a.yaml', '--auto-approve', '-o', 'json', '-o', 'markdown=a.md');
  expect(world.read('a.md')).toMatch(/^### ⚠ Applied: 1 done/);
  const told = /VirtualCluster could not be read again after the writes: /g;
  expect(ran.err.match(told)).toHaveLength(1);
  expect(JSON.parse(ran.out)).toMatchObject({
    result: 'applied',
    problems: [
      { code: 'gateway-error', severity: 'warning', message: expect.stringMatching(told) as string },
    ],
  });
});

it.each([
  [500, 'the gateway did not create VirtualCluster/prod: '],
  [400, 'the gateway refused to create VirtualCluster/prod (400)'],
])('a failure is told once, and a status of %i is no lost response', async (status, told) => {
  const { world } = await worldWith([{ at: 1, fault: 'status', status }]);
  const ran = await world.run('apply', '-f', 'a.yaml', '--auto-approve');
  expect(verdictOf(ran)).toBe('result: failed');
  expect(`${ran.out}${ran.err}`.split(told)).toHaveLength(2);
  expect(ran.err).not.toMatch(/\blost\b/);
  expect(ran.err).toContain('[1/1] + VirtualCluster/prod  failed\n');
  expect(ran.out).toContain('  + VirtualCluster/prod  failed\n');
});

it.each([
  [['--settle-timeout', '0s'], {}],
  [[], { GWCONF_SETTLE_TIMEOUT: '0s' }],
])('nothing is tried again with %j and %j', async (flags, env) => {
  const { world } = await worldWith([{ at: 1, fault: 'status', status: 503 }]);
  Object.assign(world.env, env);
  const ran = await world.run('apply', '-f', 'a.yaml', '--auto-approve', ...flags);
  expect(ran.code).toBe(1);
  expect(verdictOf(ran)).toBe('result: failed');
});

it.each([
  [['--settle-timeout', 'soon'], {}, '--settle-timeout'],
  [['--wait', 'soon'], { GWCONF_WAIT: 'later' }, '--wait'],
  [[], { GWCONF_WAIT: 'soon' }, 'GWCONF_WAIT'],
  [['--url', 'http://127.0.0.1:1'], { GWCONF_TIMEOUT: 'soon' }, 'GWCONF_TIMEOUT'],
])('a duration that is none is wrong usage of what says it: %j %j', async (flags, env, name) => {
  const world = makeWorld();
  Object.assign(world.env, env);
  const ran = await world.run('apply', '--auto-approve', ...flags);
  expect(ran.code).toBe(64);
  expect(ran.err).toContain(`expected ${name} to be a duration such as 30s, 500ms or 2m; found soon`);
});
