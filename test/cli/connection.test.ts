import { describe, expect, it } from 'vitest';
import { makeWorld, verdictOf, wrongUsage, type World } from '../support/cli.ts';
import { serve } from '../support/served.ts';
import { cluster, projectOf } from '../support/documents.ts';

const CLUSTER = cluster('prod');
const NOBODY = 'http://127.0.0.1:1';

function world(): World {
  return makeWorld({ 'a.yaml': CLUSTER, password: 'conduktor\n', wrong: 'nonsense' });
}

/** The gateway that a plan was made for. */
async function gatewayOf(mine: World, ...args: readonly string[]): Promise<unknown> {
  const { out } = await mine.run('plan', 'a.yaml', ...args, '-o', 'json');
  return (JSON.parse(out) as { gateway: unknown }).gateway;
}

describe('the URL of the gateway', () => {
  it('is the flag, before GWCONF_URL, before the file of GWCONF_URL_FILE, before CDK_GATEWAY_BASE_URL', async () => {
    const mine = world();
    mine.write('url', 'embedded:from-file.json\n');
    mine.env['CDK_GATEWAY_BASE_URL'] = 'embedded:from-cdk.json';
    expect(await gatewayOf(mine)).toBe('embedded:from-cdk.json');
    mine.env['GWCONF_URL_FILE'] = 'url';
    expect(await gatewayOf(mine)).toBe('embedded:from-file.json');
    mine.env['GWCONF_URL'] = 'embedded:from-variable.json';
    expect(await gatewayOf(mine)).toBe('embedded:from-variable.json');
    expect(await gatewayOf(mine, '--url', 'embedded:from-flag.json')).toBe('embedded:from-flag.json');
  });

  it('is missed with the three ways to give one, and the embedded gateway is not taken in its place', async () => {
    for (const command of [
      ['plan', 'a.yaml'],
      ['apply', '-f', 'a.yaml', '--auto-approve'],
    ]) {
      const { code, out, err } = await world().run(...command);
      expect({ code, out }).toEqual({ code: 64, out: '' });
      expect(err).toMatch(/^gwconf: no gateway URL: .*--url URL.* GWCONF_URL, or .*\nresult: wrong-usage\n$/);
    }
  });

  it.each([
    [['apply', 'none.json'], 'none.json cannot be read: no such file or folder'],
    [['apply', '--resume', '7'], 'there is no run 7 in .gwconf/journal'],
    [['undo', '7'], 'there is no run 7 in .gwconf/journal'],
  ])('is asked for, as a terminal is, only once an argument names something: %s', async (args, sentence) => {
    expect((await world().run(...args)).err).toContain(`gwconf: ${sentence}`);
  });

  it.each([
    ['plan', ['a.yaml', 'bad.yaml']],
    ['drift', ['a.yaml', 'bad.yaml']],
    ['snapshot', ['-f', 'bad.yaml', '--out', 's.json']],
  ])('is asked for only once the files are right: %s', async (command, args) => {
    const mine = world();
    mine.write('bad.yaml', 'kind: [');
    const { code, err } = await mine.run(command, ...args);
    expect([code, verdictOf({ err })]).toEqual([1, 'result: error']);
    expect(err).toContain('error[invalid-yaml]');
    mine.write('bad.yaml', mine.read('a.yaml').replaceAll('prod', 'other'));
    expect(await mine.run(command, ...args)).toMatchObject({ code: 64 });
  });

  it('is missed as well when the variable is empty', async () => {
    const mine = world();
    mine.env['CDK_GATEWAY_BASE_URL'] = '';
    expect((await mine.run('plan', 'a.yaml')).code).toBe(64);
  });

  it.each([
    ['that is none', 'nonsense', 'the address of the gateway is not a URL'],
    ['of another protocol', 'ftp://gateway.example', 'does not begin with http:// or https://'],
    ['with a query', 'http://127.0.0.1:1/?key=hunter2', 'has a ? or #, and what follows is in no call'],
  ])('%s is an error that shows how to write one', async (_, url, sentence) => {
    const { code, err } = await world().run('plan', 'a.yaml', '--url', url);
    expect(code).toBe(1);
    expect(err).toContain(sentence);
    expect(err).toContain('https://gateway.example:8888');
  });

  it('may hold user and password, which are used and not shown', async () => {
    const there = await serve();
    const url = there.url.replace('http://', 'http://admin:conduktor@');
    const { code, out, err } = await world().run(
      'plan',
      'a.yaml',
      '--url',
      `${url}/`,
      '-o',
      'json',
      '--out',
      'plan.json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ gateway: there.url });
    expect(`${out}${err}`).not.toContain('admin:conduktor');
  });
});

describe('user and password', () => {
  const plan = async (mine: World, ...args: readonly string[]): Promise<string> => {
    const there = await serve();
    const ran = await mine.run('plan', 'a.yaml', '--url', there.url, ...args);
    return ran.code === 0 ? 'accepted' : (ran.err.split('\n')[0] ?? '');
  };

  it('come from flags, GWCONF_* or CDK_*', async () => {
    expect(await plan(world(), '--user', 'admin', '--password-file', 'password')).toBe('accepted');
    const own = world();
    Object.assign(own.env, { GWCONF_USER: 'admin', GWCONF_PASSWORD: 'conduktor' });
    expect(await plan(own)).toBe('accepted');
    const cdk = world();
    Object.assign(cdk.env, { CDK_GATEWAY_USER: 'admin', CDK_GATEWAY_PASSWORD: 'conduktor' });
    expect(await plan(cdk)).toBe('accepted');
  });

  it('come from mounted files, without the newline at their end', async () => {
    const mine = world();
    mine.write('user', 'admin\r\n');
    Object.assign(mine.env, { GWCONF_USER_FILE: 'user', GWCONF_PASSWORD_FILE: 'password' });
    expect(await plan(mine)).toBe('accepted');
  });

  it('are those of the flags, whatever the variables say', async () => {
    const mine = world();
    Object.assign(mine.env, {
      GWCONF_USER: 'else',
      GWCONF_PASSWORD: 'x',
      CDK_GATEWAY_USER: 'y',
      CDK_GATEWAY_PASSWORD: 'z',
    });
    expect(await plan(mine, '--user', 'admin', '--password-file', 'password')).toBe('accepted');
  });

  it('that are wrong are an error that says where they come from', async () => {
    const there = await serve();
    const mine = world();
    const { code, err } = await mine.run(
      'plan',
      'a.yaml',
      '--url',
      there.url,
      '--user',
      'admin',
      '--password-file',
      'wrong',
    );
    expect(code).toBe(1);
    expect(err).toContain('rejects the user or the password (401)');
    expect(err).toContain('check the user (from --user) and the password (from --password-file)');
    expect(err).not.toContain('nonsense');
  });

  it('that are not given are an error that says how to', async () => {
    const there = await serve();
    const { code, err } = await world().run('plan', 'a.yaml', '--url', there.url);
    expect(code).toBe(1);
    expect(err).toContain('requires a user and a password, and none was given (401)');
  });

  it('of variables and gwconf.yaml are named by where they come from, and so is a password that is missing', async () => {
    const there = await serve();
    const mine = world();
    const project = projectOf({ prod: `files: [a.yaml], gateway: { url: "${there.url}", user: admin }` });
    mine.write('gwconf.yaml', project);
    const said = async (env: Readonly<Record<string, string>>): Promise<string> =>
      (await mine.runWith({ env }, 'plan')).err;
    expect(await said({})).toContain('requires a password, and none was given (401)');
    expect(await said({})).toContain('set GWCONF_PASSWORD, or use --password-file');
    mine.write('gwconf.yaml', project.replace(', user: admin', ''));
    const noUser = await said({ GWCONF_PASSWORD: 'conduktor' });
    expect(noUser).toContain('requires a user, and none was given (401)\n = set GWCONF_USER, or use --user');
    mine.write('gwconf.yaml', project);
    const wrong = await said({ GWCONF_PASSWORD: 'wrong', CDK_GATEWAY_USER: 'root' });
    expect(wrong).toContain('check the user (from CDK_GATEWAY_USER) and the password (from GWCONF_PASSWORD)');
  });

  it('in a file that is not there are wrong usage', async () => {
    const { code, err } = await world().run(
      'plan',
      'a.yaml',
      '--url',
      NOBODY,
      '--user',
      'admin',
      '--password-file',
      'gone',
    );
    expect(code).toBe(64);
    expect(err).toMatch(/^gwconf: the file that --password-file names cannot be read/);
  });

  it('are read from the file of GWCONF_PASSWORD_FILE or it is wrong usage', async () => {
    const mine = world();
    mine.env['GWCONF_PASSWORD_FILE'] = 'gone';
    expect((await mine.run('plan', 'a.yaml', '--url', NOBODY)).code).toBe(64);
  });
});

describe('an address that leads nowhere', () => {
  const project = (url: string): string =>
    `apiVersion: gwconf/v1\nkind: Project\nenvironments: { prod: { ${url}files: [a.yaml] } }\n`;
  const told = async (mine: World, ...args: readonly string[]): Promise<string> =>
    (await mine.run('plan', ...args)).err;

  it('is corrected where it was written', async () => {
    const mine = world();
    expect(await told(mine, 'a.yaml', '--url', NOBODY)).toContain(
      'host and port of --url, and that it is running',
    );
    mine.env['CDK_GATEWAY_BASE_URL'] = NOBODY;
    expect(await told(mine, 'a.yaml')).toContain('host and port of CDK_GATEWAY_BASE_URL,');
    delete mine.env['CDK_GATEWAY_BASE_URL'];
    mine.env['GWCONF_URL'] = 'gateway.example:8888';
    expect(await told(mine, 'a.yaml')).toContain('write GWCONF_URL like https://gateway.example:8888');
    delete mine.env['GWCONF_URL'];
    mine.write('gwconf.yaml', project(`gateway: { url: "${NOBODY}" }, `));
    expect(await told(mine)).toContain('host and port of gateway.url of gwconf.yaml, and that it is running');
  });
});

describe('a duration', () => {
  it.each(['30s', '500ms', '2m', '1h', '1.5s', '30'])('may be %s', async (timeout) => {
    const { code, err } = await world().run('plan', 'a.yaml', '--url', NOBODY, '--timeout', timeout);
    expect(code).toBe(1);
    expect(err).toContain('127.0.0.1:1 refused the connection');
  });
});

describe('TLS', () => {
  it('takes client certificate and key together or not at all', async () => {
    const { code, err } = await world().run(
      'plan',
      'a.yaml',
      '--url',
      'https://127.0.0.1:1',
      '--client-cert',
      'password',
    );
    expect(code).toBe(1);
    expect(err).toContain(
      'set both --client-cert and --client-key (GWCONF_CLIENT_CERT, GWCONF_CLIENT_KEY), or neither',
    );
  });

  it('is verified unless somebody says otherwise, which is said each time', async () => {
    const url = 'https://127.0.0.1:1';
    const warning = 'warning: the certificate of the gateway is not verified\n';
    expect((await world().run('plan', 'a.yaml', '--url', url)).err).not.toContain(warning);
    expect((await world().run('plan', 'a.yaml', '--url', url, '--insecure-skip-verify')).err).toContain(
      warning,
    );
    const mine = world();
    mine.env['CDK_INSECURE'] = 'true';
    expect((await mine.run('plan', 'a.yaml', '--url', url)).err).toContain(warning);
    mine.env['GWCONF_INSECURE_SKIP_VERIFY'] = 'false';
    expect((await mine.run('plan', 'a.yaml', '--url', url)).err).not.toContain(warning);
  });

  it('wants files that are there, from flags and variables', async () => {
    expect((await world().run('plan', 'a.yaml', '--url', NOBODY, '--ca-cert', 'gone.pem')).err).toMatch(
      /^gwconf: gone\.pem \(--ca-cert\) cannot be read/,
    );
    for (const name of ['CDK_CACERT', 'CDK_CERT', 'CDK_KEY', 'GWCONF_CA_CERT']) {
      const mine = world();
      mine.env[name] = 'gone.pem';
      expect(await mine.run('plan', 'a.yaml', '--url', NOBODY)).toMatchObject({
        code: 64,
        err: expect.stringContaining(
          name === 'CDK_KEY'
            ? `the file that ${name} names cannot`
            : `gwconf: gone.pem (${name}) cannot be read`,
        ) as string,
      });
    }
  });
});

describe('a header', () => {
  it('is sent with each call', async () => {
    const there = await serve();
    const mine = world();
    const authorization = `Basic ${Buffer.from('admin:conduktor').toString('base64')}`;
    expect(
      (await mine.run('plan', 'a.yaml', '--url', there.url, '--header', `Authorization: ${authorization}`))
        .code,
    ).toBe(0);
  });

  it('that is none is wrong usage, and is not shown', async () => {
    const { code, err } = await world().run('plan', 'a.yaml', '--url', NOBODY, '--header', 'token abc');
    expect({ code, err }).toEqual({
      code: 64,
      err: wrongUsage('expected --header to be NAME: VALUE or @FILE'),
    });
  });
});

describe('a gateway that cannot be reached', () => {
  it('is an error of plan and of apply, with nothing done', async () => {
    const plan = await world().run('plan', 'a.yaml', '--url', NOBODY, '-o', 'json');
    expect(plan.code).toBe(1);
    expect(JSON.parse(plan.out)).toMatchObject({
      result: 'error',
      problems: [{ code: 'connection-error', severity: 'error' }],
    });
    const apply = await world().run('apply', '-f', 'a.yaml', '--url', NOBODY, '--auto-approve', '-o', 'json');
    expect(apply.code).toBe(1);
    expect(JSON.parse(apply.out)).toMatchObject({
      result: 'error',
      ledger: [],
      problems: [{ code: 'connection-error' }],
    });
    expect(verdictOf(apply)).toBe('result: error');
  });
});

describe('the embedded gateway as a URL', () => {
  it('forgets everything when it has no file', async () => {
    const mine = world();
    expect((await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:', '--auto-approve')).code).toBe(0);
    expect((await mine.run('plan', 'a.yaml', '--url', 'embedded:', '--detailed-exitcode')).code).toBe(2);
  });

  it('keeps its state in a file, made with its folders when there is something to keep', async () => {
    const mine = world();
    await mine.run('plan', 'a.yaml', '--url', 'embedded:deep/down/state.json');
    expect(mine.has('deep')).toBe(false);
    await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:deep/down/state.json', '--auto-approve');
    expect(mine.json('deep/down/state.json')).toMatchObject({
      format: 'gwconf/gateway-state@1',
      resources: [{ kind: 'VirtualCluster', metadata: { name: 'prod' } }],
    });
    expect((await mine.run('plan', 'a.yaml', '--url', 'embedded:deep/down/state.json')).out).toContain(
      'No changes. 1 object up to date.',
    );
  });

  it.each([
    ['is not JSON', '{', 64, 'state.json is not the state of an embedded gateway: it is not JSON'],
    [
      'is something else',
      '{"format":"else"}',
      1,
      'state.json is not the state of an embedded gateway: expected gateway state of format gwconf/gateway-state@1; found "else"',
    ],
    [
      'has a kind that nobody knows',
      '{"format":"gwconf/gateway-state@1","version":"3.21.0","resources":[{"kind":"Zoo","metadata":{"name":"x"},"spec":{}}]}',
      1,
      'unknown kind Zoo',
    ],
  ])('refuses a file that %s, and leaves it alone', async (_, text, code, sentence) => {
    const mine = world();
    mine.write('state.json', text);
    const ran = await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:state.json', '--auto-approve');
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(sentence);
    expect(mine.read('state.json')).toBe(text);
  });
});

describe('a gateway that cannot even be asked', () => {
  it.each([
    ['plan', ['plan', 'a.yaml']],
    ['apply', ['apply', '-f', 'a.yaml', '--auto-approve']],
  ])('leaves %s with a report that says why', async (_, command) => {
    const world = makeWorld({
      'a.yaml': 'apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: prod }\nspec: {}',
    });
    const { code, out } = await world.run(...command, '--url', 'ftp://gateway.example', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ result: 'error', problems: [{ code: 'connection-error' }] });
  });
});
