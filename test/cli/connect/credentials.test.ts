import { describe, expect, it } from 'vitest';
import { makeWorld, verdictOf, type World } from '../../support/cli.ts';
import { LOGIN, serve } from '../../support/served.ts';
import { cluster, projectOf } from '../../support/documents.ts';

const CLUSTER = cluster('prod');

/** A project whose file names this gateway, with credentials in the environment. */
function projectFor(url: string, env: Readonly<Record<string, string>> = {}): World {
  const world = makeWorld({
    'd/a.yaml': CLUSTER,
    'gwconf.yaml': projectOf({ prod: `gateway: { url: "${url}" }, files: [d]` }),
  });
  Object.assign(world.env, LOGIN, env);
  return world;
}

describe('a URL from gwconf.yaml', () => {
  it.each([
    ['plan', []],
    ['apply', ['--auto-approve']],
    ['drift', []],
    ['snapshot', ['--out', 'live.json']],
    ['doctor', ['--deep']],
    ['doctor', []],
  ])('that GWCONF_ALLOWED_HOSTS does not allow is not called by %s', async (command, flags) => {
    const there = await serve();
    const world = projectFor(there.url, { GWCONF_ALLOWED_HOSTS: 'gw.example, *.corp.example' });
    const ran = await world.run(command, ...flags);
    expect(ran.code).toBe(3);
    expect(ran.err).toContain(
      `error[host-not-allowed]: gwconf.yaml names the gateway ${there.url}, but GWCONF_ALLOWED_HOSTS does not allow it`,
    );
    expect(verdictOf(ran)).toBe('result: blocked');
    expect(there.requests).toEqual([]);
  });

  it('is refused for machines too', async () => {
    const world = projectFor('http://127.0.0.1:1', { GWCONF_ALLOWED_HOSTS: 'gw.example' });
    for (const command of [['plan'], ['apply', '--auto-approve'], ['drift'], ['doctor', '--deep']]) {
      const { out } = await world.run(...command, '-o', 'json');
      expect(JSON.parse(out)).toMatchObject({ result: 'blocked', problems: [{ code: 'host-not-allowed' }] });
    }
  });

  it.each([
    ['*', 0],
    ['127.0.0.1', 0],
    ['gw.example 127.0.0.*', 0],
    ['http://127.0.0.1:PORT', 0],
    ['127.0.0.1:PORT', 3],
    ['127.0.0.1:1', 3],
    ['127.0.0.1.evil.example', 3],
    ['0.0.1', 3],
    ['', 3],
    [' , ', 3],
  ])('is held to GWCONF_ALLOWED_HOSTS=%j, with exit code %i', async (hosts, code) => {
    const there = await serve();
    const allowed = hosts.replace('PORT', new URL(there.url).port);
    expect((await projectFor(there.url, { GWCONF_ALLOWED_HOSTS: allowed }).run('plan')).code).toBe(code);
  });

  it('has a port also where it does not say so', async () => {
    const world = projectFor('https://gw.invalid', { GWCONF_ALLOWED_HOSTS: 'gw.invalid:8443' });
    expect((await world.run('plan')).err).toContain('gw.invalid:443, but GWCONF_ALLOWED_HOSTS');
  });

  it('may be any where GWCONF_ALLOWED_HOSTS is not set', async () => {
    const there = await serve();
    expect((await projectFor(there.url).run('plan')).code).toBe(0);
  });
});

describe('a URL that somebody else than the project names', () => {
  it('is trusted', async () => {
    const there = await serve();
    const world = projectFor('http://127.0.0.1:1', { GWCONF_ALLOWED_HOSTS: 'gw.example' });
    expect((await world.run('plan', '--url', there.url)).code).toBe(0);
    for (const name of ['GWCONF_URL', 'CDK_GATEWAY_BASE_URL'])
      expect((await world.runWith({ env: { [name]: there.url } }, 'plan')).code).toBe(0);
  });
});

describe('doctor', () => {
  it('shows which hosts are allowed', async () => {
    const world = projectFor('embedded:');
    const all = ['doctor', '--detail', 'full'];
    expect((await world.run(...all)).out).toMatch(/^hosts +- +not set: gwconf.yaml can name any gateway$/m);
    expect((await world.runWith({ env: { CI: 'true' } }, ...all)).out).toMatch(
      /^hosts +- +not set: gwconf.yaml can name no gateway in CI$/m,
    );
    world.env['GWCONF_ALLOWED_HOSTS'] = 'a:1,embedded:';
    expect((await world.run('doctor')).out).toMatch(/^hosts +a:1, embedded: +GWCONF_ALLOWED_HOSTS$/m);
    world.env['GWCONF_ALLOWED_HOSTS'] = '';
    expect((await world.run('doctor')).out).toMatch(/^hosts +none +GWCONF_ALLOWED_HOSTS$/m);
  });
});

describe('the user and password that every gateway comes with', () => {
  const WARNING =
    'warning[default-credentials]: 0.0.0.0:1 is used with the default user and password of gateways';
  const commands = [['plan'], ['apply', '--auto-approve'], ['doctor']];

  it.each(commands)('are worth a word each time, by %s', async (...command) => {
    const { err } = await projectFor('http://0.0.0.0:1').run(...command);
    expect(err).toContain(WARNING);
  });

  it('are in the reports of machines', async () => {
    const world = projectFor('http://0.0.0.0:1');
    for (const command of [['plan'], ['apply', '--auto-approve']]) {
      const { out } = await world.run(...command, '-o', 'json');
      expect(JSON.parse(out)).toMatchObject({
        problems: [
          { code: 'plain-http', severity: 'warning' },
          { code: 'default-credentials', severity: 'warning' },
          { code: 'connection-error' },
        ],
      });
    }
  });

  it('are told of a saved plan, too', async () => {
    const world = projectFor('http://0.0.0.0:1');
    await world.run('plan', '--url', 'embedded:', '--out', 'p.plan');
    expect((await world.run('apply', 'p.plan')).err).toContain(WARNING);
  });

  it('may stand in the URL', async () => {
    const world = makeWorld({ 'a.yaml': CLUSTER });
    const { err } = await world.run('plan', 'a.yaml', '--url', 'http://admin:conduktor@0.0.0.0:1');
    expect(err).toContain(WARNING);
  });

  it.each([
    ['a password of its own', { GWCONF_PASSWORD: 'another' }, 'http://0.0.0.0:1'],
    ['a user of its own', { GWCONF_USER: 'ci' }, 'http://0.0.0.0:1'],
    ['this machine', {}, 'http://127.0.0.1:1'],
    ['this machine by name', {}, 'http://localhost:1'],
    ['this machine in six', {}, 'http://[::1]:1'],
  ])('are none with %s', async (_, env, url) => {
    expect((await projectFor(url, env).run('plan')).err).not.toContain('default-credentials');
  });

  it('can be made an error by the project, before any call', async () => {
    const world = projectFor('http://0.0.0.0:1');
    expect((await world.run('plan')).err).toContain('connection-error');
    world.write('gwconf.yaml', `${world.read('gwconf.yaml')}\nlint: { default-credentials: error }\n`);
    const { code, err } = await world.run('plan');
    expect(code).toBe(1);
    expect(err).toContain('error[default-credentials]');
    expect(err).not.toContain('connection-error');
  });
});
