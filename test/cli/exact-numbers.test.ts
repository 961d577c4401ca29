import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, serve } from '../gateway/opponent.ts';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import { LOGIN } from '../support/served.ts';
import { documentOf } from '../support/documents.ts';

afterEach(closeAll);

const PLUGIN = 'io.conduktor.gateway.interceptor.safeguard.ProduceRatePolicyPlugin';
const interceptor = (priority: number): string =>
  documentOf(
    'Interceptor',
    '{ name: rate, scope: { vCluster: passthrough } }',
    `{ pluginClass: ${PLUGIN}, priority: ${priority}, config: { maximumBytesPerSecond: 5 } }`,
  );

/** A gateway with one interceptor, one of whose fields gwconf does not know. */
async function worldWith(
  number: string,
  field = 'newer',
): Promise<{
  readonly world: World;
  readonly writes: () => readonly string[];
  readonly change: (from: string, to: string) => void;
}> {
  let live = `[{"kind":"Interceptor","apiVersion":"gateway/v2","metadata":{"name":"rate","scope":{"vCluster":"passthrough","group":null,"username":null}},"spec":{"pluginClass":"${PLUGIN}","priority":1,"config":{"maximumBytesPerSecond":5},"${field}":${number}}}]`;
  const there = await serve((response, { method, path = '' }) => {
    response.setHeader('content-type', 'application/json');
    if (method === 'DELETE') {
      live = '[]';
      response.writeHead(204).end();
    } else if (method === 'PUT') response.end('{"upsertResult":"CREATED"}');
    else response.end(path.includes('/interceptor') ? live : '[]');
  });
  const world = makeWorld({ 'a.yaml': interceptor(2) });
  Object.assign(world.env, LOGIN, { GWCONF_URL: there.url });
  return {
    world,
    change: (from, to) => {
      live = live.replace(from, to);
    },
    writes: () => there.received.flatMap(({ method, body }) => (method === 'PUT' ? [body] : [])),
  };
}

const NUMBERS = [
  '9007199254740993',
  '-123456789012345678901234567890',
  '8.7000000000000000055511151231257827',
  '1e400',
];

describe('a number of the gateway that JavaScript would round', () => {
  it.each(NUMBERS)('is sent back as it is, with a plan or without: %s', async (number) => {
    const { world, writes } = await worldWith(number);
    expect((await world.run('plan', '-f', 'a.yaml', '--out', 'p.plan')).code).toBe(0);
    await world.run('apply', 'p.plan', '--settle-timeout', '0s');
    await world.run('apply', '-f', 'a.yaml', '--yes', '--settle-timeout', '0s');
    expect(writes().length).toBeGreaterThan(1);
    for (const body of writes()) expect(body).toContain(`"newer":${number}`);
  });

  it.each(NUMBERS)(
    'is sent as a file has it, and needs nothing where the gateway has it: %s',
    async (number) => {
      const { world, writes, change } = await worldWith('1');
      world.write(
        'a.yaml',
        interceptor(1).replace('maximumBytesPerSecond: 5', `maximumBytesPerSecond: ${number}`),
      );
      await world.run('apply', '-f', 'a.yaml', '--yes', '--settle-timeout', '0s');
      expect(writes()[0]).toContain(`"maximumBytesPerSecond":${number}`);
      change('"maximumBytesPerSecond":5', `"maximumBytesPerSecond":${number}`);
      expect(verdictOf(await world.run('plan', '-f', 'a.yaml'))).toBe('result: no-changes');
    },
  );

  it('makes a saved plan stale that saw another one, though both are rounded to the same', async () => {
    const { world, writes, change } = await worldWith('9007199254740992');
    expect((await world.run('plan', '-f', 'a.yaml', '--out', 'p.plan')).code).toBe(0);
    change('9007199254740992', '9007199254740993');
    const ran = await world.run('apply', 'p.plan');
    expect([ran.code, verdictOf(ran)]).toEqual([4, 'result: stale']);
    expect(ran.err).toContain('9007199254740993');
    expect(writes()).toEqual([]);
  });

  it.each(NUMBERS)('keeps its digits wherever it is shown: %s', async (number) => {
    const { world, change } = await worldWith('1');
    change('"maximumBytesPerSecond":5', `"maximumBytesPerSecond":${number}`);
    const commands = [
      ['plan', '-f', 'a.yaml'],
      ['plan', '-f', 'a.yaml', '-o', 'json'],
      ['plan', '-f', 'a.yaml', '-o', 'markdown'],
      ['plan', '-f', 'a.yaml', '-o', 'html'],
      ['drift', '-f', 'a.yaml'],
      ['get', 'Interceptor', '-o', 'yaml'],
      ['get', 'Interceptor', '-o', 'json'],
    ];
    for (const command of commands) {
      const { out, err } = await world.run(...command);
      expect(out, `${command.join(' ')}: ${err}`).toContain(number);
      expect(out, 'is no text').not.toContain(`"${number}"`);
      expect(out.replaceAll(number, '')).not.toContain(String(Number(number)));
    }
    await world.run('snapshot', '--out', 's.json');
    expect(world.read('s.json')).toContain(number);
    const exported = await world.run('export', '--out', 'e');
    expect(exported.code, exported.err).toBe(0);
    expect(world.read('e/interceptor.yaml')).toContain(`maximumBytesPerSecond: ${number}\n`);
    expect(verdictOf(await world.run('plan', '-f', 'e'))).toBe('result: no-changes');
    await world.run('fmt', 'e');
    expect(world.read('e/interceptor.yaml')).toContain(`maximumBytesPerSecond: ${number}\n`);
  });

  it.each(NUMBERS)('comes back with the undo of its delete: %s', async (number) => {
    const { world, writes } = await worldWith(number);
    world.write('a.yaml', '');
    const prune = ['--prune', '--manages', '*', '--allow-empty', '--yes'];
    await world.run('apply', '-f', 'a.yaml', ...prune, '--settle-timeout', '0s');
    const undone = await world.run('undo', '--yes', '--settle-timeout', '0s');
    expect(writes().at(-1), undone.err).toContain(`"newer":${number}`);
  });

  it.each(['9007199254740993', '1e400'])('is hidden where it is a secret: %s', async (number) => {
    const { world } = await worldWith(number, 'token');
    const plan = await world.run('plan', '-f', 'a.yaml');
    world.write('a.yaml', '');
    const prune = ['--prune', '--manages', '*', '--allow-empty', '--yes'];
    const apply = await world.run('apply', '-f', 'a.yaml', ...prune, '--settle-timeout', '0s');
    expect([plan, apply].map(({ out, err }) => out + err).join('')).not.toMatch(/900719925474099|1e400/);
  });
});
