import { statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeSigner } from '../../src/emulator/signer.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { makeWorld, NOW, wrongUsage, type World } from '../support/cli.ts';
import { account, all, projectOf } from '../support/documents.ts';
import { serve, worldBeside } from '../support/served.ts';
import { tokenWith } from '../support/tokens.ts';

const ACCOUNT = 'GatewayServiceAccount/app@vCluster=passthrough';
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** A world with a LOCAL and an EXTERNAL account, in a project with these rules. */
async function projectWith(environment = ''): Promise<World> {
  const mine = makeWorld({
    '.gitignore': '*.token\n',
    'accounts.yaml': all(account('app'), account('oidc', 'passthrough', 'sub')),
    'gwconf.yaml': `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n  prod:\n    files: [accounts.yaml]\n${environment}`,
  });
  mine.env['GWCONF_URL'] = 'embedded:state.json';
  const { code, err } = await mine.run('apply', '--auto-approve');
  expect(code, err).toBe(0);
  return mine;
}

const hours = (count: number): number => Math.floor(NOW.getTime() / 1000) + count * 3600;

describe('gwconf token issue', () => {
  it('writes the token to a file that only the user can read, and says how long it is valid', async () => {
    const mine = await projectWith();
    mine.write('app.token', 'the one before');
    const ran = await mine.run('token', 'issue', ACCOUNT, '--lifetime', '12h', '--out', 'app.token');
    expect(ran).toMatchObject({
      code: 0,
      out: `Token for ${ACCOUNT} is in app.token; valid until 2026-03-02T00:00:01.000Z.\n`,
      err: 'result: ok\n',
    });
    expect(mine.read('app.token').trimEnd()).toMatch(JWT);
    expect(statSync(join(mine.folder, 'app.token')).mode & 0o777).toBe(0o600);
  });

  it('has every format for what it says beside the token', async () => {
    const mine = await projectWith();
    const line = ['token', 'issue', ACCOUNT, '--lifetime', '12h'];
    const page = await mine.run(...line, '--out', 'app.token', '-o', 'markdown');
    expect(page.out).toContain('Valid until `2026-03-02T00:00:01.000Z`');
    const piped = await mine.run(...line, '-o', 'json=told.json');
    expect(piped.out.trimEnd()).toMatch(JWT);
    expect(JSON.parse(mine.read('told.json'))).toMatchObject({ result: 'ok', account: ACCOUNT });
    for (const text of [page.out, mine.read('told.json')]) expect(text).not.toMatch(/eyJ/);
  });

  it('prints it in a pipe, and nothing else there', async () => {
    const mine = await projectWith();
    const ran = await mine.run('token', 'issue', '--account', 'app', '--lifetime', '1h');
    expect(ran.out.trimEnd()).toMatch(JWT);
    expect(ran.err).not.toContain(ran.out.trimEnd());
  });

  it.each([
    ['a terminal', { columns: 80 }, 'on the terminal'],
    ['the log of a job', { env: { CI: 'true' } }, 'in the log of this job'],
  ])('prints it to %s only with --show, and asks for none without', async (_, circumstances, where) => {
    const mine = await projectWith();
    const line = ['token', 'issue', '--account', 'app', '--lifetime', '1h'];
    const refused = await mine.runWith(circumstances, ...line);
    expect(refused).toMatchObject({
      code: 64,
      out: '',
      err: wrongUsage(`the token would be ${where}: use --out FILE, or --show to print it all the same`),
    });
    const shown = await mine.runWith(circumstances, ...line, '--show');
    expect(shown.out.trimEnd()).toMatch(JWT);
  });

  it.each([
    ['no account', [], 'name an account: its address, or --account NAME'],
    ['an address and a name', [ACCOUNT, '--account', 'app'], 'an address is complete: leave out --account'],
    ['a glob', ['GatewayServiceAccount/*'], '"GatewayServiceAccount/*" is a glob'],
    ['another kind', ['VirtualCluster/prod'], 'only a GatewayServiceAccount has tokens'],
    ['half an address', ['GatewayServiceAccount/app'], `did you mean ${ACCOUNT}?`],
    ['a lifetime without a unit', [ACCOUNT, '--lifetime', '12'], 'expected --lifetime to be a duration'],
    ['a lifetime of nothing', [ACCOUNT, '--lifetime', '0s'], 'expected --lifetime to be a duration'],
    ['half a second', [ACCOUNT, '--lifetime', '0.5s'], 'expected --lifetime to be a duration'],
    ['more than a century', [ACCOUNT, '--lifetime', '36501d'], 'expected --lifetime to be a duration'],
    ['a report in place of the token', [ACCOUNT, '-o', 'json'], 'stdout carries the token'],
    ['a file and the terminal', [ACCOUNT, '--out', 'x.token', '--show'], 'leave out --show, or --out'],
    ['a file that git would take', [ACCOUNT, '--out', 'x.txt'], 'x.txt would not be ignored by git'],
  ])('does not take %s', async (_, args, sentence) => {
    const mine = await projectWith();
    const lifetime = args.includes('--lifetime') ? [] : ['--lifetime', '1h'];
    const ran = await mine.run('token', 'issue', ...args, ...lifetime);
    expect(ran).toMatchObject({ code: 64, out: '' });
    expect(ran.err).toContain(sentence);
  });

  it.each(['PLAINTEXT', 'SSL', 'DELEGATED_SASL_PLAINTEXT', 'DELEGATED_SASL_SSL', 'KAFKA_MANAGED'])(
    'says without a call that %s has no tokens',
    async (security) => {
      const there = await serve();
      const mine = worldBeside(there, {
        'gwconf.yaml': projectOf({ prod: `security: ${security}` }),
      });
      const ran = await mine.run('token', 'issue', ACCOUNT, '--lifetime', '1h');
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toContain(`error[no-token]: a gateway with ${security} has no LOCAL accounts`);
      expect(ran.err).toContain('gwconf.yaml:4:21');
      expect(there.requests).toEqual([]);
    },
  );

  it('says before it asks that an account is EXTERNAL, or not there', async () => {
    const there = await serve();
    const mine = worldBeside(there, {
      'accounts.yaml': all(account('app'), account('oidc', 'passthrough', 'sub')),
    });
    await mine.run('apply', '-f', 'accounts.yaml', '--auto-approve');
    const external = await mine.run('token', 'issue', '--account', 'oidc', '--lifetime', '1h');
    expect(external.err).toContain('oidc@vCluster=passthrough is EXTERNAL');
    const missing = await mine.run('token', 'issue', '--account', 'ap', '--lifetime', '1h');
    expect(missing.err).toContain(`did you mean ${ACCOUNT}?`);
    expect([external.code, missing.code]).toEqual([1, 1]);
    expect(there.requests.filter(({ path }) => path.endsWith('/token'))).toEqual([]);
  });

  it("reports a refusal in the gateway's own words", async () => {
    const there = await serve(); // it has no user pool
    const mine = worldBeside(there, { 'accounts.yaml': account('app') });
    await mine.run('apply', '-f', 'accounts.yaml', '--auto-approve');
    const ran = await mine.run('token', 'issue', ACCOUNT, '--lifetime', '1h');
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('error[gateway-error]: The gateway has no local user pool');
  });

  it('keeps to the shortest lifetime that gwconf.yaml has for the account, and names the place', async () => {
    const mine = await projectWith(
      '    token:\n      maxLifetime: 90d\n      accounts:\n        - { address: "GatewayServiceAccount/a*", maxLifetime: 1d, reason: it is a robot }\n',
    );
    const run = (lifetime: string) =>
      mine.run('token', 'issue', ACCOUNT, '--lifetime', lifetime, '--out', 'x.token', '-o', 'json');
    const long = await run('25h');
    expect(long.code).toBe(3);
    expect(JSON.parse(long.out)).toMatchObject({
      result: 'blocked',
      problems: [
        {
          code: 'long-lifetime',
          message: `a token for ${ACCOUNT} cannot be valid for 25h; the limit of GatewayServiceAccount/a* is 1d (it is a robot)`,
          file: 'gwconf.yaml',
          line: 9,
        },
      ],
    });
    const longer = JSON.parse((await run('91d')).out) as { readonly problems: readonly unknown[] };
    expect(longer.problems).toHaveLength(2);
    expect(mine.has('x.token')).toBe(false);
    expect((await run('24h')).code).toBe(0);
  });

  it('warns of a lifetime of more than ten years', async () => {
    const ran = await (await projectWith()).run('token', 'issue', ACCOUNT, '--lifetime', '4000d');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.err).toContain('warning[unusual-value]: a lifetime of 4000d is more than ten years');
  });

  it('warns of a token that expires at another time than expected', async () => {
    const userPool = { now: () => NOW.getTime() - 86_400_000, sign: makeSigner('s') };
    const there = await serve({ userPool });
    const mine = worldBeside(there, { 'accounts.yaml': account('app') });
    await mine.run('apply', '-f', 'accounts.yaml', '--auto-approve');
    const ran = await mine.run('token', 'issue', ACCOUNT, '--lifetime', '1h');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.err).toMatch(/the token expired 23 hours ago; expected 1h/);
  });

  it.each<[string, JsonObject, string]>([
    [
      'is for another account',
      { username: 'root' },
      'the claim username of the token is "root"; expected "app"',
    ],
    [
      'is for an account of another virtual cluster',
      { vcluster: ['a'] },
      'the claim vcluster of the token is ["a"]',
    ],
    ['does not say when it ends', {}, 'the token has no claim exp'],
    ['says nothing that can be right', { exp: '2026' }, 'the claim exp is no time'],
  ])('warns of a token that %s', async (_, claims, warning) => {
    const there = await serve(
      { userPool: { now: () => NOW.getTime(), sign: makeSigner('s') } },
      {
        intercept: ({ url }, handle) => {
          const answer = handle();
          const token = tokenWith(claims);
          return Promise.resolve(url === '/gateway/v2/token' ? { ...answer, body: { token } } : answer);
        },
      },
    );
    const mine = worldBeside(there, { 'accounts.yaml': account('app') });
    await mine.run('apply', '-f', 'accounts.yaml', '--auto-approve');
    const ran = await mine.run('token', 'issue', ACCOUNT, '--lifetime', '1h');
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain(`warning[unusual-value]: ${warning}`);
  });

  it('issues none for a host that the environment is not pinned to', async () => {
    const mine = await projectWith();
    mine.write(
      'gwconf.yaml',
      mine.read('gwconf.yaml').replace('    files', '    pin: { host: gateway.example }\n    files'),
    );
    const ran = await mine.run('token', 'issue', ACCOUNT, '--lifetime', '1h');
    expect(ran).toMatchObject({ code: 4, out: '' });
    expect(ran.err).toContain('error[wrong-target]');
  });

  it('says that the token is lost if the file cannot be written', async () => {
    const mine = await projectWith();
    mine.write('folder.token/x', '');
    const ran = await mine.run('token', 'issue', ACCOUNT, '--lifetime', '1h', '--out', 'folder.token');
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('error[unwritable-file]: the token is lost: folder.token cannot be written');
  });

  it('does not write through a link out of the work tree', async () => {
    const [mine, other] = [await projectWith(), makeWorld({ target: 'theirs' })];
    symlinkSync(join(other.folder, 'target'), join(mine.folder, 'x.token'));
    await mine.run('token', 'issue', ACCOUNT, '--lifetime', '1h', '--out', 'x.token');
    expect(other.read('target')).toBe('theirs');
  });
});

describe('gwconf token inspect', () => {
  const inspect = (claims: Parameters<typeof tokenWith>[0], ...args: readonly string[]) =>
    makeWorld({ 'a.token': tokenWith(claims) }).run('token', 'inspect', 'a.token', ...args);

  it.each([
    ['ok', 0, 48, []],
    ['ok', 0, 48, ['--warn-within', '1d']],
    ['expiring', 1, 12, ['--warn-within', '1d']],
    ['expired', 1, -1, []],
    ['expired', 1, 0, ['--warn-within', '1d']],
  ] as const)(
    'is %s, with exit code %i, for a token that is valid for %i hours',
    async (result, code, left, args) => {
      const ran = await inspect({ exp: hours(left) }, ...args);
      expect(ran).toMatchObject({ code, err: `result: ${result}\n` });
      expect(ran.out).toContain(left > 0 ? 'Valid for' : 'Expired');
      const json = await inspect({ exp: hours(left) }, ...args, '-o', 'json');
      expect(JSON.parse(json.out)).toMatchObject({
        result,
        secondsLeft: left * 3600,
        signatureChecked: false,
      });
    },
  );

  it('shows each claim on a line, without orders to the terminal', async () => {
    const ran = await inspect({ username: 'app\u001b[2J', groups: ['a', 'b'], exp: hours(2) });
    expect(ran.out).toBe(
      `username  app\\u001b[2J\ngroups    ["a","b"]\nexp       ${hours(2)}\nThe signature is not checked.\n\nValid for 2 hours, until 2026-03-01T14:00:00.000Z.\n`,
    );
  });

  it.each([
    ['the token has no claim exp', {}],
    ['the claim exp is no time', { exp: 'tomorrow' }],
    ['the claim exp is no time', { exp: 1e300 }],
  ])('warns that %s', async (sentence, claims) => {
    const ran = await inspect(claims);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.err).toContain(`warning[unusual-value]: ${sentence}`);
  });

  it.each([
    ['no token', 'nothing'],
    ['2 different tokens', `${tokenWith({ exp: 1 })} ${tokenWith({ exp: 2 })}`],
  ])('fails for a file with %s', async (what, text) => {
    const ran = await makeWorld().runWith({ stdin: text }, 'token', 'inspect', '-');
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`error[invalid-token]: stdin contains ${what}; expected one`);
  });

  it('fails for a file that is not there', async () => {
    const ran = await makeWorld().run('token', 'inspect', 'none.token', '-o', 'json');
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ result: 'error', problems: [{ code: 'unreadable-file' }] });
  });

  it('does not show a token that is named in place of its file', async () => {
    const token = tokenWith({ username: 'app' });
    for (const flags of [[], ['-o', 'json']]) {
      const { code, out, err } = await makeWorld().run('token', 'inspect', token, ...flags);
      expect(code).toBe(1);
      expect(out + err).toContain('(hidden) cannot be read');
      expect(out + err).not.toContain(token);
    }
  });
});
