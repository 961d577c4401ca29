import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/emulator/embedded-state.ts';
import type { Interception } from '../../src/emulator/server.ts';
import { makeWorld, wrongUsage, type Ran, type World } from '../support/cli.ts';
import { LOGIN, serve, type Served } from '../support/served.ts';
import { projectOf } from '../support/documents.ts';

const V1: Options = { version: '3.20.0', physicalClusters: ['main', 'failover'] };
const V2: Options = { ...V1, version: '3.21.0' };

/** An instance that answers to a switch in this way. */
const instance = (options: Options = V1, answer?: Interception): Promise<Served> =>
  serve(options, {
    intercept: (request, handle) =>
      Promise.resolve(answer !== undefined && request.method === 'POST' ? answer : handle()),
  });

function urlsOf(instances: readonly Served[]): readonly string[] {
  return instances.flatMap(({ url }) => ['--url', url]);
}

function run(instances: readonly Served[], ...args: readonly string[]): Promise<Ran> {
  return world().run('cluster', 'switch', '--auto-approve', ...urlsOf(instances), ...args);
}

function world(files: Readonly<Record<string, string>> = {}): World {
  const mine = makeWorld(files);
  Object.assign(mine.env, LOGIN);
  return mine;
}

const statuses = ({ out }: Ran): readonly string[] => out.match(/^\S+/gm) ?? [];
const switches = ({ requests }: Served): readonly string[] =>
  requests.filter(({ method }) => method === 'POST').map(({ path }) => path);
const failed: Interception = { status: 500, body: { title: 'no', msg: 'there is no way to failover' } };

describe('gwconf cluster switch', () => {
  it('tells every instance of v1, and reads back that each did; and the same back', async () => {
    const both = [await instance(), await instance()];
    const there = await run(both, '--to', 'failover');
    expect(there).toMatchObject({ code: 0 });
    expect(statuses(there)).toEqual(['switched', 'switched']);
    const back = await run(both, '--to', 'main');
    expect(statuses(back)).toEqual(['switched', 'switched']);
    const path = '/admin/pclusters/v1/pcluster/main/switch?to=';
    for (const one of both) expect(switches(one)).toEqual([`${path}failover`, `${path}main`]);
  });

  it('tells an instance once, however often it is named', async () => {
    const one = await instance();
    await run([one, one], '--to', 'failover');
    expect(switches(one)).toHaveLength(1);
  });

  it('says which did and which did not, with the words of the gateway', async () => {
    const ran = await run([await instance(), await instance(V1, failed)], '--to', 'failover');
    expect(ran).toMatchObject({ code: 5 });
    expect(statuses(ran)).toEqual(['switched', 'failed']);
    expect(ran.out).toContain('there is no way to failover');
    expect((await run([await instance(V1, failed)], '--to', 'failover')).code).toBe(1);
  });

  it('switches the others when one cannot be reached', async () => {
    const other = await instance();
    const ran = await run([other], '--to', 'failover', '--url', 'http://127.0.0.1:1');
    expect(ran.code).toBe(5);
    expect(statuses(ran)).toEqual(['switched', 'failed']);
  });

  it('does not trust an instance that takes the call and shows another connection', async () => {
    const ran = await run(
      [await instance(V1, { status: 200, body: { message: 'Cluster switched' } })],
      '--to',
      'failover',
    );
    expect(ran.code).toBe(1);
    expect(statuses(ran)).toEqual(['unconfirmed']);
    expect(ran.out).not.toContain('kafka.test');
  });

  it.each(['--to', '--from'])('changes nothing for a cluster that is not there: %s', async (flag) => {
    const both = [await instance(), await instance({ version: '3.20.0' })];
    const ran = await run(both, '--to', 'failover', flag, flag === '--to' ? 'failover' : 'other');
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/error\[gateway-error\]: .*The physical cluster/);
    expect(both.flatMap(switches)).toEqual([]);
  });

  it('is experimental from 3.21.0 on, and cannot be read back there', async () => {
    const one = await instance(V2);
    const refused = await run([one], '--to', 'failover');
    expect(refused.code).toBe(64);
    expect(refused.err).toContain('is not documented: --experimental makes the call');
    expect(switches(one)).toEqual([]);
    const ran = await run([one], '--to', 'failover', '--experimental', '-o', 'json');
    expect(JSON.parse(ran.out)).toMatchObject({
      result: 'ok',
      instances: [{ status: 'accepted', version: '3.21.0' }],
    });
    expect(switches(one)).toEqual(['/gateway/v2/cluster-switching?from=main&to=failover']);
    const other = await run([one], '--to', 'other', '--experimental');
    expect(other).toMatchObject({ code: 1 });
    expect(other.out).toContain('The physical cluster other does not exist');
  });

  it.each([
    ['yes', 0, 'ok', 1],
    ['y', 0, 'unchanged', 0],
  ])('asks first: %s', async (answer, code, result, calls) => {
    const one = await instance();
    const ran = await world().runWith({ answer }, 'cluster', 'switch', '--to', 'failover', '--url', one.url);
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(`result: ${result}\n`);
    expect(ran.questions).toEqual(['Switch main to failover on 1 instance? Type yes to confirm: ']);
    expect(ran.err).toContain('Each instance of a gateway has to be told');
    expect(switches(one)).toHaveLength(calls);
  });

  it('stops between instances when it is interrupted', async () => {
    const both = [await instance(), await instance()];
    const interrupt = new AbortController();
    both[0]?.onRequest(({ method }) => method === 'POST' && interrupt.abort());
    const ran = await world().runWith(
      { interrupt },
      'cluster',
      'switch',
      '--to',
      'failover',
      '--yes',
      ...urlsOf(both),
    );
    expect(ran.code).toBe(130);
    expect(statuses(ran)).toEqual(['switched', 'not-attempted']);
  });

  it('takes the instance of gwconf.yaml, if its pin allows it', async () => {
    const one = await instance();
    const project = (pin: string): string =>
      projectOf({ prod: `gateway: { url: "${one.url}" }, pin: { host: ${pin} }` });
    const other = await world({ 'gwconf.yaml': project('gateway.example') }).run(
      'cluster',
      'switch',
      '--to',
      'failover',
      '--yes',
    );
    expect(other.code).toBe(4);
    expect(switches(one)).toEqual([]);
    const mine = await world({ 'gwconf.yaml': project('127.0.0.1') }).run(
      'cluster',
      'switch',
      '--to',
      'failover',
      '--yes',
    );
    expect(statuses(mine)).toEqual(['switched']);
  });

  it('needs a terminal or approval, an id, and an instance that stays', async () => {
    const mine = world();
    const line = ['cluster', 'switch', '--url', 'embedded:s.json'];
    expect((await mine.run(...line, '--to', 'failover')).err).toBe(
      wrongUsage('cannot ask for approval without a terminal: use --auto-approve'),
    );
    expect((await mine.run(...line, '--yes', '--to', '..')).err).toBe(
      wrongUsage('expected the id of a physical cluster; found ..'),
    );
    expect((await mine.run(...line, '--yes', '--to', 'failover')).err).toContain(
      'runs only while a command does',
    );
  });
});
