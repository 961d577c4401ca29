import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { isOwnHost, serveGateway } from '../../src/emulator/server.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import { cluster, projectOf } from '../support/documents.ts';
import { blocksOf, pagesOfDocs, readDocument } from '../support/markdown.ts';
import { LOGIN, serve } from '../support/served.ts';
import { ROOT } from '../support/sandbox.ts';
import { brokenRules } from '../support/workflow-rules.ts';

const CI = { CI: 'true' };

/** A project whose gwconf.yaml names this gateway, and a job with credentials. */
function projectFor(url: string, env: Readonly<Record<string, string>> = {}): World {
  const world = makeWorld({
    'd/a.yaml': cluster('prod'),
    'gwconf.yaml': projectOf({ prod: `gateway: { url: ${JSON.stringify(url)} }, files: [d]` }),
  });
  Object.assign(world.env, LOGIN, env);
  return world;
}

/** A port on which whoever connects is counted. */
async function listen(): Promise<{ readonly port: number; readonly count: () => number }> {
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, count: () => count }; // it listens on a port
}

describe('threat: author: another URL in gwconf.yaml', () => {
  it.each([
    ['plan', []],
    ['plan', ['-o', 'json']],
    ['apply', ['--auto-approve']],
    ['drift', []],
    ['snapshot', ['--out', 'live.json']],
    ['doctor', []],
    ['doctor', ['--deep']],
  ])(
    'in CI, no credential is sent to a host of gwconf.yaml that the job does not allow (%s)',
    async (command, flags) => {
      for (const scheme of ['http', 'https']) {
        const there = await listen();
        const url = `${scheme}://127.0.0.1:${there.port}`;
        const ran = await projectFor(url, CI).run(command, ...flags);
        expect([ran.code, verdictOf(ran)]).toEqual([3, 'result: blocked']);
        expect(ran.err).toContain(
          `error[host-not-allowed]: gwconf.yaml names the gateway ${url}, and in CI GWCONF_ALLOWED_HOSTS must allow it\n` +
            ` = if the URL is correct, add ${url} to GWCONF_ALLOWED_HOSTS, or set --url or GWCONF_URL\n`,
        );
        expect(there.count()).toBe(0);
      }
    },
  );

  it.each([
    { CI: '1' },
    { TF_BUILD: 'True' },
    { JENKINS_URL: 'https://jenkins.example' },
    { TEAMCITY_VERSION: '2026.1' },
    { CODEBUILD_BUILD_ID: 'x:1' },
  ])('it is refused on every build server', async (env) => {
    expect((await projectFor('https://gw.invalid', env).run('plan')).code).toBe(3);
  });

  it('is trusted from the job, and outside of CI', async () => {
    const there = await serve();
    expect((await projectFor(there.url).run('plan')).code).toBe(0);
    expect((await projectFor(there.url, { CI: 'false' }).run('plan')).code).toBe(0);
    const world = projectFor('https://gw.invalid', CI);
    expect((await world.run('plan', '--url', there.url)).code).toBe(0);
    for (const name of ['GWCONF_URL', 'CDK_GATEWAY_BASE_URL'])
      expect((await world.runWith({ env: { [name]: there.url } }, 'plan')).code).toBe(0);
  });

  it.each([
    ['gw.example', 'https://gw.example:8888', true],
    ['gw.example', 'http://gw.example:8888', true],
    ['gw.example:8888', 'https://gw.example:8888', true],
    ['gw.example:8888', 'http://gw.example:8888', false],
    ['gw.example:8888', 'https://gw.example', false],
    ['gw.example:443', 'https://gw.example', true],
    ['gw.example:80', 'http://gw.example', false],
    ['http://gw.example', 'http://gw.example', true],
    ['http://gw.example:80', 'http://gw.example', true],
    ['http://gw.example:8888', 'https://gw.example:8888', false],
    ['https://gw.example', 'https://gw.example:8888', true],
    ['https://gw.example', 'http://gw.example:8888', false],
    ['HTTPS://GW.EXAMPLE:08888/', 'https://gw.example:8888', true],
    ['gw.example.', 'https://gw.example', true],
    ['gw.example', 'https://GW.Example.', true],
    ['gw.example', 'https://gw.example..', false],
    ['gw.example', 'https://gw.example.evil.invalid', false],
    ['gw.example', 'https://gw.example@evil.invalid', false],
    ['gw.example', 'https://gw.example:443@evil.invalid', false],
    ['gw.example', 'https://evil.invalid/@gw.example', false],
    ['gw.example', 'https://evil.invalid#@gw.example', false],
    ['gw.example', 'https://evil.invalid\\@gw.example', false],
    ['gw.example', 'https://evil.invalid?@gw.example', false],
    ['gw.example', 'https:evil.invalid', false],
    ['gw.example', 'https:\\\\evil.invalid\\gw.example', false],
    ['gw.example', '\thttps://evil.invalid', false],
    ['gw.example', 'https://gw%2eexample', true],
    ['gw.example', 'https://gw\u3002example', true],
    ['gw.example', 'https://gw.exam\u200bple', true],
    ['gw.example', 'https://\uff47w.example', true],
    ['gw.example', 'https://gw.ex\u0430mple', false],
    ['b\u00fccher.example', 'https://xn--bcher-kva.example', true],
    ['*.b\u00fccher.example', 'https://gw.B\u00dcCHER.example', true],
    ['::1', 'https://[::1]:8888', true],
    ['[0:0::1]:8888', 'https://[::1]:8888', true],
    ['https://[fd00::*]', 'https://[fd00::7]', true],
    ['127.0.0.1', 'https://2130706433', true],
    ['127.0.0.1', 'https://0x7f.1', true],
    ['127.0.0.1', 'https://[::ffff:127.0.0.1]', false],
    ['10.0.*', 'https://10.0.3.4', true],
    ['10.0.*', 'https://10.0.evil.invalid', false],
    ['10.0.0.*', 'https://10.0.0.evil', false],
    ['gateway-*', 'https://gateway-blue', true],
    ['gateway-*', 'https://gateway-blue.evil.invalid', false],
    ['*.example', 'https://a.b.example', true],
    ['*.example', 'https://example', false],
    ['*.example', 'https://evil-example.invalid', false],
    ['*', 'https://any.example', true],
    ['gw.example', 'embedded:', false],
    ['*', 'embedded:state.json', false],
    ['gw.example, embedded:', 'embedded:state.json', true],
    ['', 'https://gw.example', false],
    ['', 'embedded:', false],
    [' , ', 'embedded:state.json', false],
    ['*.example, !gw.example', 'https://gw.example', false],
    ['*.example, !gw.example', 'https://GW.example.:8888', false],
    ['*.example, !gw.example', 'https://other.example', true],
    ['http://*.example, !gw.example:8888', 'http://gw.example:8888', false],
    ['*.example, !gw.example:8888', 'https://gw.example', true],
    ['*.example, !http://gw.example', 'https://gw.example', true],
    ['*, !10.0.*', 'https://10.0.3.4', false],
    ['*, !*.internal.*', 'https://gw.internal.corp.example', false],
    ['!gw.example', 'https://other.example', false],
    ['*, embedded:, !embedded:', 'embedded:state.json', false],
  ])('GWCONF_ALLOWED_HOSTS=%j and %s', async (allowed, url, isAllowed) => {
    // A proxy that refuses connections stands in for the network.
    const env = { GWCONF_ALLOWED_HOSTS: allowed, GWCONF_PROXY: 'http://127.0.0.1:1' };
    const { err } = await projectFor(url, env).run('plan');
    expect(err.includes('host-not-allowed')).toBe(!isAllowed);
    expect(err).not.toContain('bug');
  });

  it.each([
    'https:/gw.example',
    'gw.example/path',
    'me@gw.example',
    'ftp://gw.example',
    'gw.example:https',
    '[::1',
  ])('an entry that is not a host stops the run: %s', async (entry) => {
    const { code, err } = await projectFor('https://gw.invalid', { GWCONF_ALLOWED_HOSTS: entry }).run('plan');
    expect(code).toBe(64);
    expect(err).toContain(
      `expected GWCONF_ALLOWED_HOSTS to list hosts such as https://gateway.example:8888; found ${entry}`,
    );
  });

  it('gwconf.yaml cannot name a proxy, a header, or skip the verification of certificates', async () => {
    for (const setting of [
      'proxy: http://evil.invalid',
      'header: x',
      'headers: { a: b }',
      'insecure: true',
    ]) {
      const world = projectFor('embedded:');
      world.write('gwconf.yaml', world.read('gwconf.yaml').replace('url:', `${setting}, url:`));
      expect((await world.run('plan')).err).toContain('error[unknown-field]');
    }
  });
});

describe('threat: author: a host with a dot at the end', () => {
  it('does not go to the proxy where NO_PROXY names the host without the dot', async () => {
    const proxy = await listen();
    const world = projectFor('http://localhost.:1', { GWCONF_PROXY: `http://127.0.0.1:${proxy.port}` });
    await world.runWith({ env: { NO_PROXY: 'localhost' } }, 'plan');
    expect(proxy.count()).toBe(0);
    await world.run('plan');
    expect(proxy.count()).toBeGreaterThan(0);
  });
});

describe('threat: neighbour: plain http', () => {
  const HEADER = ['--header', 'X-Api-Key: k'];
  const plan = (url: string, env: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
    makeWorld({ 'a.yaml': cluster('prod') }).runWith(
      { env: { GWCONF_PROXY: 'http://127.0.0.1:1', ...env } },
      'plan',
      'a.yaml',
      '--url',
      url,
      ...flags,
    );

  it.each([
    ['http://gw.invalid:8888', LOGIN, []],
    ['http://me:secret@gw.invalid:8888', {}, []],
    ['http://gw.invalid:8888', {}, HEADER],
    ['http://0.0.0.0:8888', LOGIN, []],
    ['http://[::ffff:7f00:1]:8888', LOGIN, []],
    ['http://localhost.gw.invalid', LOGIN, []],
    ['http://gw.localhost', LOGIN, []],
    ['http://127.0.0.1.gw.invalid', LOGIN, []],
  ])(
    'in CI, no password or header is sent over plain http to another machine: %s',
    async (url, env, flags) => {
      const warned = await plan(url, env, ...flags);
      expect(warned.err).toMatch(/^warning\[plain-http\]: the (password|headers) would be sent to http:/m);
      expect(warned.err).toContain('connection-error');
      const ran = await plan(url, { ...env, ...CI }, ...flags);
      expect([ran.code, verdictOf(ran)]).toEqual([3, 'result: blocked']);
      expect(ran.err).toMatch(/^error\[plain-http\]: the (password|headers) would be sent to http:/m);
      expect(ran.err).toMatch(
        /use https, or add http:\/\/\S+ to GWCONF_ALLOWED_HOSTS if you trust the network/,
      );
      expect(ran.err).not.toMatch(/connection-error|secret@/);
    },
  );

  it.each([
    ['http://gw.invalid:8888', true],
    ['http://gw.invalid', true],
    ['http://*.invalid:8888', true],
    ['gw.invalid', false],
    ['gw.invalid:8888', false],
    ['*', false],
    ['https://gw.invalid:8888', false],
    ['http://gw.invalid:80', false],
  ])('only an entry with http:// admits it in CI: %s', async (allowed, isAdmitted) => {
    const { err } = await plan('http://gw.invalid:8888', { ...LOGIN, ...CI, GWCONF_ALLOWED_HOSTS: allowed });
    expect(err.includes('plain-http')).toBe(!isAdmitted);
    expect(err.includes('connection-error')).toBe(isAdmitted);
  });

  it.each([
    'http://127.0.0.1:1',
    'http://127.9.9.9:1',
    'http://localhost:1',
    'http://[::1]:1',
    'https://gw.invalid',
  ])('is fine on this machine, and encrypted: %s', async (url) => {
    expect((await plan(url, { ...LOGIN, ...CI })).err).not.toContain('plain-http');
  });

  it('a password for this machine does not go to the proxy of the job', async () => {
    const [there, proxy] = [await serve(), await listen()];
    const address = `http://127.0.0.1:${proxy.port}`;
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'])
      expect(await plan(there.url, { ...LOGIN, GWCONF_PROXY: '', [name]: address })).toMatchObject({
        code: 0,
      });
    expect(proxy.count()).toBe(0);
    expect((await plan('http://gw.invalid', { GWCONF_PROXY: '', HTTP_PROXY: address })).code).toBe(1);
    expect(proxy.count()).toBeGreaterThan(0);
  });

  it('a project cannot turn the error off', async () => {
    const world = projectFor('http://gw.invalid:8888', { ...CI, GWCONF_ALLOWED_HOSTS: '*' });
    world.write(
      'gwconf.yaml',
      `${world.read('gwconf.yaml')}\nlint: { plain-http: off, host-not-allowed: off }\n`,
    );
    expect((await world.run('plan')).code).not.toBe(0);
    expect((await world.run('plan')).err).not.toContain('connection-error');
  });
});

describe('threat: neighbour: the list of processes', () => {
  it('headers can come from a file, and their values never appear in the output', async () => {
    const there = await serve();
    const authorization = `Basic ${Buffer.from('admin:conduktor').toString('base64')}`;
    const world = makeWorld({ 'a.yaml': cluster('prod') });
    world.write('../headers', `Authorization: ${authorization}\r\n\r\nX-Team:  payments \r\n`);
    const traced: object[] = [];
    const ran = await world.runWith(
      { onTrace: (fields) => traced.push(fields) },
      ...['plan', 'a.yaml', '--url', there.url, '--header', '@../headers', '--header', 'X-Other: x'],
    );
    expect(ran).toMatchObject({ code: 0 });
    expect(`${ran.out}${ran.err}${JSON.stringify(traced)}`).not.toContain(authorization.slice(6));
  });

  it.each([
    ['@nowhere', 'the file that --header names cannot be read: '],
    ['@headers', 'expected headers:3 to be NAME: VALUE'],
    ['hunter2-hunter2', 'expected --header to be NAME: VALUE or @FILE'],
  ])('is wrong usage without a word of it: %s', async (flag, sentence) => {
    const world = makeWorld({ 'a.yaml': cluster('prod'), headers: 'A: b\n\nhunter2-hunter2\n' });
    const { code, err } = await world.run('plan', 'a.yaml', '--url', 'http://127.0.0.1:1', '--header', flag);
    expect(code).toBe(64);
    expect(err).toContain(sentence);
    expect(err).not.toContain('hunter2');
  });
});

describe('threat: neighbour: gwconf gateway', () => {
  it.each([
    ['--host', '0.0.0.0'],
    ['--host', '::'],
    ['--host', ''],
    ['--host', '192.0.2.1'],
    ['--host', 'localhost.gw.invalid'],
    ['--host', '0.0.0.0', '--user', 'admin', '--password-file', 'default'],
  ])('the default login is refused for an address that other machines can reach: %j', async (...args) => {
    const { code, err } = await makeWorld({ default: 'conduktor\n' }).run('gateway', '--port', '0', ...args);
    expect(code).toBe(64);
    expect(err).toContain('use --password-file, or --allow-default-login');
  });

  it.each([['--password-file'], ['--read-only-user', 'me', '--read-only-password-file']])(
    'an empty password is none: %j',
    async (...flags) => {
      const { code, err } = await makeWorld({ empty: '\n' }).run('gateway', '--port', '0', ...flags, 'empty');
      expect([code, err]).toEqual([64, expect.stringContaining('empty has no password in it')]);
    },
  );

  // It is this machine, in a spelling that is not known as such.
  it.each([[['--allow-default-login']], [['--password-file', 'own']]])('is served with %j', async (args) => {
    const interrupt = new AbortController();
    const world = makeWorld({ own: 'of my own' });
    const onOut = (): void => interrupt.abort();
    const host = ['--host', '::ffff:127.0.0.1', '--port', '0'];
    const { code, out } = await world.runWith({ interrupt, onOut }, 'gateway', ...host, ...args);
    expect(code).toBe(0);
    expect(out).toContain('at http://[::ffff:127.0.0.1]:');
  });

  const get = async (url: string, headers: Readonly<Record<string, string>>, method = 'GET') => {
    const sent = request(`${url}/gateway/v2/virtual-cluster`, { method, auth: 'admin:conduktor', headers });
    const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };

  it.each([
    'evil.invalid',
    'evil.invalid:8888',
    'localhost.evil.invalid',
    '127.0.0.1.evil.invalid',
    '192.0.2.1',
    'x@localhost',
    '0.0.0.0',
  ])('a web page cannot call the embedded gateway by a name of its own: %s', async (host) => {
    const there = await serve();
    for (const method of ['GET', 'OPTIONS', 'PUT']) {
      const { status, body } = await get(there.url, { host }, method);
      expect(status).toBe(421);
      expect(body).toContain('gwconf gateway --allowed-host NAME');
    }
    expect(there.requests).toEqual([]);
  });

  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.1.2.3:80', '[::1]:8888'])(
    'answers to the names of this machine: %s',
    async (host) => {
      expect((await get((await serve()).url, { host })).status).toBe(200);
    },
  );

  it.each([
    ['gw', [], 'GW:8888', true],
    ['192.0.2.1', [], '192.0.2.1:8888', true],
    ['192.0.2.1', [], '192.0.2.2:8888', false],
    ['fd00::1', [], '[fd00:0::1]:8888', true],
    ['0.0.0.0', [], '192.0.2.2:8888', true],
    ['::', [], '[fd00::1]', true],
    ['0.0.0.0', [], 'gw:8888', false],
    ['0.0.0.0', ['other', 'gw'], 'gw:8888', true],
  ])('a server at %s, with the names %j, called as %s', (host, allowedHosts, header, expected) => {
    expect(isOwnHost(header, { host, allowedHosts })).toBe(expected);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['of a page', { origin: 'https://evil.invalid' }],
    ['of a page in a frame without an origin', { origin: 'null' }],
    ['of a form', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['of another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['of a page that has its name', { 'sec-fetch-site': 'same-origin' }],
  ])('a web page that has the login cannot call the embedded gateway: %s', async (_, headers) => {
    const there = await serve();
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
      expect((await get(there.url, headers, method)).status).toBe(403);
    expect(there.requests).toEqual([]);
    expect((await get(there.url, { 'sec-fetch-site': 'none' })).status).toBe(200);
  });

  it('keeps nothing of a body that it has no use for', async () => {
    const { url } = await serve();
    for (const path of ['/health/ready', '/gateway/v2/virtual-cluster']) {
      const sent = request(`${url}${path}`, { headers: { 'content-length': 10_000_000 }, agent: false });
      sent.on('error', () => undefined); // it is never finished
      sent.flushHeaders();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(path.startsWith('/health') ? 200 : 401);
      sent.destroy();
    }
  });

  it('looks at no login of an address for a minute once a hundred were wrong', async () => {
    let now = 0;
    const server = await serveGateway(memoryGateway(catalog.kinds), { port: 0, now: () => now });
    onTestFinished(() => server.close());
    const tryLogin = async (password: string): Promise<number | undefined> => {
      const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
      return (await get(server.url, { authorization })).status;
    };
    for (let wrong = 0; wrong < 100; wrong += 1) expect(await tryLogin(`guess ${wrong}`)).toBe(401);
    expect([await tryLogin('guess'), await tryLogin('conduktor')]).toEqual([429, 429]);
    now += 60_000;
    expect([await tryLogin('guess'), await tryLogin('conduktor')]).toEqual([401, 200]);
  });

  it('tells no browser that another origin may read it', async () => {
    const there = await serve();
    const origin = { origin: 'https://evil.invalid', 'access-control-request-method': 'PUT' };
    for (const method of ['GET', 'OPTIONS', 'PUT']) {
      const { headers } = await get(there.url, origin, method);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('threat: author: a job that runs what the pull request wrote', () => {
  const URLS = ['https://gw.invalid', 'http://127.0.0.1:1'];

  it.each(URLS)('the workflow of gwconf init gives a pull request no secret: %s', async (url) => {
    const world = makeWorld();
    await world.run('init', '--yes', '--url', url);
    expect(brokenRules(world.read('.github/workflows/gateway.yaml'))).toEqual([]);
  });

  it.each([
    ['x$${{ secrets.GWCONF_PASSWORD }}', 'embedded:practice.json'],
    ['prod', 'https://$${{toJSON(secrets)}}.invalid'],
  ])('gwconf init writes no expression of gwconf.yaml into a workflow: %s at %s', async (name, url) => {
    const project = { gateway: { url }, files: ['a.yaml'] };
    const world = makeWorld({
      'gwconf.yaml': JSON.stringify({
        apiVersion: 'gwconf/v1',
        kind: 'Project',
        environments: { [name]: project },
      }),
      'a.yaml': '',
    });
    const { err } = await world.run('init');
    expect(err).toContain('no CI workflow: the environment or its URL has ${{ in it');
    expect(world.has('.github/workflows/gateway.yaml')).toBe(false);
  });

  it('gwconf environments names no variable of the job for GitLab, which fills in the values of its matrix', async () => {
    const environments = { $CI_JOB_TOKEN: { files: ['a.yaml'] }, 'a$${PASSWORD}$$': { files: ['a.yaml'] } };
    const project = { apiVersion: 'gwconf/v1', kind: 'Project', environments };
    const world = makeWorld({ 'gwconf.yaml': JSON.stringify(project), 'a.yaml': '' });
    const { out } = await world.run('environments', '-o', 'gitlab-matrix');
    expect(JSON.parse(out)).toEqual({
      '.environments': {
        parallel: { matrix: [{ GWCONF_ENV: ['$$CI_JOB_TOKEN', 'a$${PASSWORD}$$$$'] }] },
      },
    });
    expect((await world.run('validate', '--env', '$CI_JOB_TOKEN')).code).toBe(1); // there are no resources
  });

  it('examples and documents give a pull request no secret, and a job no more than its steps need', () => {
    const pages = ['README.md', ...pagesOfDocs()];
    const blocks = pages.flatMap((path) => blocksOf(readDocument(path)));
    const workflows = blocks.map(({ text }) => text).filter((text) => text.includes('runs-on:'));
    const folder = 'examples/github-repo/.github/workflows';
    const examples = readdirSync(join(ROOT, folder)).map((name) => readDocument(`${folder}/${name}`));
    expect(examples).not.toEqual([]);
    for (const text of [...examples, ...workflows]) expect(brokenRules(text)).toEqual([]);
  });

  it.each([
    'src/cli/commands/init-files.ts',
    'examples/github-repo/.github/workflows/deliver.yaml',
    'templates/gwconf.yml',
    ...readdirSync(join(ROOT, 'examples/ci'))
      .filter((name) => name !== 'gitlab-ci.yml') // which is the template
      .map((name) => `examples/ci/${name}`),
  ])('a job keeps no file of a linked folder with its journal: %s', (path) => {
    const [line = ''] = /if \[ -d \.gwconf.*?; fi/.exec(readDocument(path)) ?? [];
    const keep = `mkdir kept; ${line.replace('\\\\', '\\').replace('gwconf-journal', 'kept')}; ls kept; rm -r kept`;
    const cwd = mkdtempSync(join(tmpdir(), 'gwconf-'));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    const lines = `
      mkdir -p log/journal; touch log/journal/of-the-machine
      ln -s log .gwconf; ${keep}; rm .gwconf
      mkdir .gwconf; ln -s ../log/journal .gwconf/journal; ${keep}; rm .gwconf/journal
      mkdir .gwconf/journal; ln -s ../../log .gwconf/journal/x; touch .gwconf/journal/own; ${keep}
    `;
    const stdout = execFileSync('bash', ['-ec', lines], { cwd, encoding: 'utf8' });
    expect(stdout).toBe('own\n');
  });

  it('the workflow that releases gwconf keeps the same rules, and gives each job the rights that it needs', () => {
    const text = readDocument('.github/workflows/release.yaml');
    const needed = ['contents:write', 'packages:write', 'pages:write', 'id-token:write'];
    expect(brokenRules(text, needed)).toEqual([]);
    expect(brokenRules(text)).toHaveLength(1);
    const { jobs, permissions } = parse(text) as {
      readonly permissions: unknown;
      readonly jobs: Readonly<
        Record<string, { readonly permissions: Readonly<Record<string, string>>; readonly steps: unknown }>
      >;
    };
    expect(permissions).toEqual({});
    // Who may write runs no code of the packages that npm installs.
    const writing = Object.values(jobs).filter(({ permissions: own }) =>
      Object.values(own).includes('write'),
    );
    expect(writing.length).toBeGreaterThan(0);
    for (const { steps } of writing) expect(JSON.stringify(steps)).not.toMatch(/npm (?:ci|run)/);
  });

  it('the rules find what is wrong with a workflow', () => {
    const workflow = `
      on: { pull_request: {}, pull_request_target: {} }
      env: { GWCONF_PASSWORD: "\${{ secrets.GWCONF_PASSWORD }}" }
      jobs:
        plan:
          if: github.event_name != 'pull_request' || true
          steps:
            - uses: actions/checkout@v4
              with: { fetch-depth: 0 }
            - run: echo "\${{ github.event.pull_request.title }}" && npm install --global ./tools/gwconf.tgz
            - run: npx --no-install gwconf plan --base "origin/$GITHUB_BASE_REF" --fail-on loss
            - uses: actions/upload-artifact@v4
              with: { path: .gwconf/journal }
            - uses: actions/cache/restore@v4
              with: { restore-keys: "gateway-\${{ matrix.environment }}-" }
    `;
    expect(brokenRules(workflow)).toHaveLength(12);
  });

  it.each([
    'templates/gwconf.yml',
    ...readdirSync(join(ROOT, 'examples/ci'))
      .filter((name) => name !== 'gitlab-ci.yml') // which is the template
      .map((name) => `examples/ci/${name}`),
  ])('the base is main, whatever commit of it the pull request begins at: %s', (path) => {
    const lines = readDocument(path).match(/if \[.*base.*?; fi/g) ?? [];
    const script = `
      CI_DEFAULT_BRANCH=main CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_MERGE_REQUEST_DIFF_BASE_SHA=c0ffee
      CI_PROJECT_ID=1 CI_MERGE_REQUEST_PROJECT_ID=1
      BITBUCKET_PR_DESTINATION_COMMIT=c0ffee CHANGE_TARGET=own SYSTEM_PULLREQUEST_TARGETBRANCHNAME=own
      gwconf() { echo "$@"; }
      npx() { echo "$@"; }
      ${lines.join('\n').replace('[ -e snapshot.json ]', 'true')}
    `;
    expect(execFileSync('bash', ['-ec', script], { encoding: 'utf8' })).toContain(
      ' --base origin/main --fail-on loss',
    );
  });

  it('the workflow of gwconf init works, and holds gwconf.yaml to its URL', async () => {
    const there = await serve();
    const world = makeWorld();
    await world.runWith({ env: LOGIN }, 'init', '--yes', '--url', there.url);
    const { jobs } = parse(world.read('.github/workflows/gateway.yaml')) as {
      readonly jobs: Readonly<
        Record<'check' | 'plan' | 'apply', { readonly env: Readonly<Record<string, string>> }>
      >;
    };
    const run = (job: 'check' | 'plan' | 'apply', ...args: readonly string[]) =>
      world.runWith({ env: { ...jobs[job].env, ...(job === 'check' ? {} : LOGIN), ...CI } }, ...args);
    expect((await run('plan', 'plan', '--out', 'plan.json')).code).toBe(0);
    expect((await run('apply', 'apply', 'plan.json')).code).toBe(0);
    expect((await run('apply', 'snapshot', '--out', 'snapshot.json')).code).toBe(0);
    expect((await run('check', 'validate')).code).toBe(0);
    expect((await run('check', 'plan', '--snapshot', 'snapshot.json')).out).toContain('No changes.');

    world.write('gwconf.yaml', world.read('gwconf.yaml').replace(there.url, 'https://evil.invalid'));
    expect((await run('plan', 'plan', '--out', 'plan.json')).err).toContain('error[host-not-allowed]');
  });
});

describe('threat: reader of a log: a secret in the place of the path of its file', () => {
  const KEY = '-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkqhkiG\n-----END PRIVATE KEY-----\n';
  const SECRET = 'MIIEvgIBADANBgkqhkiG';

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['GWCONF_PASSWORD_FILE', { GWCONF_PASSWORD_FILE: SECRET }, []],
    ['--password-file', {}, ['--password-file', SECRET]],
    ['GWCONF_CLIENT_KEY', { GWCONF_CLIENT_KEY: KEY }, []],
    ['CDK_KEY', { CDK_KEY: SECRET }, []],
    ['CDK_CERT', { CDK_CERT: KEY }, []],
    ['--client-key', {}, ['--client-key', KEY]],
    ['--header', {}, ['--header', `@Authorization: Bearer ${SECRET}`]],
    ['GWCONF_PLAN_KEY_FILE', { GWCONF_PLAN_KEY_FILE: SECRET }, ['--out', 'p.plan']],
    ['--sign-key', {}, ['--out', 'p.plan', '--sign-key', KEY]],
  ])('is not shown where it is in %s', async (name, env, args) => {
    const world = makeWorld({ 'a.yaml': cluster('prod') });
    const ran = await world.runWith({ env }, 'plan', 'a.yaml', '--url', 'http://127.0.0.1:1', ...args);
    expect(ran.code, ran.err).toBe(64);
    expect(ran.err).toContain(name);
    expect(ran.out + ran.err).not.toContain(SECRET);
  });
});
