import { readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeWorld, PID, verdictOf, type World } from '../support/cli.ts';
import { cluster } from '../support/documents.ts';
import { LOGIN } from '../support/served.ts';

const CLUSTER = cluster('prod');
const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** Starts `gwconf gateway` in a world, and ends it when the test is over. */
async function served(
  mine: World,
  ...args: readonly string[]
): Promise<{ readonly url: string; readonly end: () => Promise<number> }> {
  const interrupt = new AbortController();
  let hear: (text: string) => void = () => undefined;
  const heard = new Promise<string>((resolve) => (hear = resolve));
  const running = mine.runWith({ interrupt, onOut: (text) => hear(text) }, 'gateway', '--port', '0', ...args);
  const end = async (): Promise<number> => {
    interrupt.abort();
    return (await running).code;
  };
  onTestFinished(async () => {
    await end();
  });
  const said = await Promise.race([heard, running.then(({ err }) => Promise.reject(new Error(err)))]);
  return { url: /at (http:\S+)/.exec(said)?.[1] ?? '', end };
}

describe('gwconf gateway', () => {
  it('serves the API on a free port, says where and to whom, and ends well when it is interrupted', async () => {
    const mine = makeWorld({ 'a.yaml': CLUSTER });
    const { url, end } = await served(mine);
    Object.assign(mine.env, LOGIN, { GWCONF_URL: url });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await mine.run('apply', '-f', 'a.yaml', '--auto-approve')).code).toBe(0);
    expect((await mine.run('plan', 'a.yaml')).out).toContain('No changes.');
    expect((await fetch(`${url}/gateway/v2/virtual-cluster`)).status).toBe(401);
    const docs = await fetch(`${url}/gateway/v2/docs`, { headers: basic('admin', 'conduktor') });
    expect(await docs.json()).toMatchObject({ openapi: expect.stringMatching(/^3\./) as string });
    expect(await end()).toBe(0);
  });

  it('refuses what the real one refuses, in its error shape', async () => {
    const { url } = await served(makeWorld());
    const put = (path: string, body: object): Promise<Response> =>
      fetch(`${url}/gateway/v2/${path}`, {
        method: 'PUT',
        headers: { ...basic('admin', 'conduktor'), 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'gateway/v2', ...body }),
      });
    const missing = await put('alias-topic', {
      kind: 'AliasTopic',
      metadata: { name: 'o', vCluster: 'nowhere' },
      spec: { physicalName: 't' },
    });
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ title: expect.any(String) as string });
    const reserved = await put('virtual-cluster', {
      kind: 'VirtualCluster',
      metadata: { name: 'passthrough' },
      spec: {},
    });
    expect(reserved.status).toBe(400);
    expect(await reserved.json()).toMatchObject({ title: expect.any(String) as string });
  });

  it('keeps its state in a file, whole after every write, and starts from it', async () => {
    const mine = makeWorld({ 'a.yaml': CLUSTER });
    const first = await served(mine, '--state', 'state/gateway.json');
    Object.assign(mine.env, LOGIN);
    await mine.run('apply', '-f', 'a.yaml', '--auto-approve', '--url', first.url);
    expect(mine.json('state/gateway.json')).toMatchObject({ resources: [{ metadata: { name: 'prod' } }] });
    expect(readdirSync(`${mine.folder}/state`)).toEqual(['gateway.json', 'gateway.json.lock']);
    await first.end();
    expect(readdirSync(`${mine.folder}/state`)).toEqual(['gateway.json']);
    const second = await served(mine, '--state', 'state/gateway.json');
    expect((await mine.run('plan', 'a.yaml', '--url', second.url)).out).toContain('No changes.');
    expect((await mine.run('plan', 'a.yaml', '--url', 'embedded:state/gateway.json')).out).toContain(
      'No changes.',
    );
  });

  it('has its file to itself until it ends', async () => {
    const mine = makeWorld({ 'a.yaml': CLUSTER });
    const { end } = await served(mine, '--state', 's.json');
    const apply = ['apply', '-f', 'a.yaml', '--yes', '--journal', 'none', '--url', 'embedded:s.json'];
    const alive = [PID];
    const refused = await mine.runWith({ alive }, ...apply);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(
      `another process writes the state file s.json: process ${PID} on host here`,
    );
    const second = await mine.runWith({ alive }, 'gateway', '--port', '0', '--state', 's.json');
    expect([second.code, verdictOf(second)]).toEqual([1, 'result: error']);
    expect(second.err).toContain('another process writes the state file s.json');
    await end();
    expect(verdictOf(await mine.runWith({ alive }, ...apply))).toBe('result: applied');
  });

  it('has the version, the security mode, the topics and the physical clusters that it is told', async () => {
    const mine = makeWorld({
      'cluster.yaml': CLUSTER,
      'rule.yaml':
        'apiVersion: gateway/v2\nkind: ConcentrationRule\nmetadata: { name: r }\nspec: { pattern: x, physicalTopics: { delete: there, compact: compacted } }\n',
      'partner.yaml':
        'apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: p }\nspec: { type: Partner, aclEnabled: true, superUsers: [u] }\n---\napiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: a, vCluster: p }\nspec: { physicalName: t, physicalCluster: backup }\n',
    });
    Object.assign(mine.env, LOGIN);
    const apply = async (file: string, ...args: readonly string[]): Promise<number> => {
      const { url, end } = await served(mine, ...args);
      const { code } = await mine.run('apply', '-f', file, '--auto-approve', '--url', url);
      await end();
      return code;
    };
    expect(await apply('cluster.yaml', '--security', 'plaintext')).toBe(1);
    expect(await apply('rule.yaml', '--topic', 'other')).toBe(1);
    expect(await apply('rule.yaml', '--topic', 'there', '--topic', 'compacted')).toBe(1);
    expect(await apply('rule.yaml', '--topic', 'there', '--topic', 'compacted:compact')).toBe(0);
    expect(await apply('partner.yaml')).toBe(5);
    expect(await apply('partner.yaml', '--physical-cluster', 'backup')).toBe(0);
    expect(await apply('cluster.yaml', '--gateway-version', '3.5.0')).toBe(0);
  });

  it('takes a user and a password of its own, and then no other', async () => {
    const mine = makeWorld({ password: 's3cret\n' });
    const { url } = await served(mine, '--user', 'me', '--password-file', 'password');
    const status = async (user: string, password: string): Promise<number> =>
      (await fetch(`${url}/gateway/v2/group`, { headers: basic(user, password) })).status;
    expect(await status('me', 's3cret')).toBe(200);
    expect(await status('me', 's3cret\n')).toBe(401);
    expect(await status('admin', 'conduktor')).toBe(401);
  });

  it('takes another user who cannot write, in v1 and v2', async () => {
    const mine = makeWorld({ password: 's3cret\n' });
    const { url } = await served(
      mine,
      ...['--read-only-user', 'me', '--read-only-password-file', 'password', '--gateway-version', '3.20.0'],
    );
    const status = async (user: string, method: string, path: string): Promise<number> => {
      const body = method === 'GET' ? {} : { body: '{}' };
      return (
        await fetch(url + path, {
          method,
          headers: basic(user, user === 'me' ? 's3cret' : 'conduktor'),
          ...body,
        })
      ).status;
    };
    for (const path of ['/gateway/v2/group', '/admin/userMappings/v1']) {
      expect([await status('me', 'GET', path), await status('admin', 'GET', path)]).toEqual([200, 200]);
    }
    expect([
      await status('me', 'PUT', '/gateway/v2/group'),
      await status('admin', 'PUT', '/gateway/v2/group'),
    ]).toEqual([403, 400]);
    expect(await status('me', 'POST', '/admin/userMappings/v1')).toBe(403);
    expect(await status('me', 'POST', '/admin/interceptors/v1/resolve')).toBe(200);
  });

  it.each([
    [['--port', 'many'], /expected a port; found many/],
    [['--port', '70000'], /expected a port; found 70000/],
    [['--security', 'NONE'], /expected --security PLAINTEXT, .* or KAFKA_MANAGED; found NONE/],
    [['--user', 'me'], /--user needs --password-file/],
    [['--read-only-user', 'me'], /--read-only-user and --read-only-password-file need each other/],
  ])('is wrong usage with %j', async (args, sentence) => {
    const ran = await makeWorld().run('gateway', ...args);
    expect(ran.code).toBe(64);
    expect(ran.err).toMatch(sentence);
  });

  it('says in words that its port is taken', async () => {
    const { url } = await served(makeWorld());
    const ran = await makeWorld().run('gateway', '--port', new URL(url).port);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('EADDRINUSE');
    expect(verdictOf(ran)).toBe('result: error');
    expect(ran.err).not.toContain('bug in gwconf');
  });

  it('does not start from a file that is no state', async () => {
    const ran = await makeWorld({ 's.json': '{}' }).run('gateway', '--port', '0', '--state', 's.json');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('gwconf/gateway-state@1');
  });
});
