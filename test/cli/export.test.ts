import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Resource } from '../../src/model/resource.ts';
import { closeAll } from '../gateway/opponent.ts';
import { makeWorld, verdictOf, type World } from '../support/cli.ts';
import { kindOf } from '../support/kinds.ts';
import { account, alias, cluster, group, interceptor, scoped, vault } from '../support/resources.ts';
import { oddInterceptor, oddWorld } from '../support/odd-gateway.ts';
import { LOGIN, serve, worldBeside } from '../support/served.ts';
import { projectOf } from '../support/documents.ts';

const TOKEN = 'hvs.s3cret-of-the-vault';

/** A world with an embedded gateway that has these resources as they are. */
afterEach(closeAll);

function having(...resources: readonly object[]): World {
  const state = { format: 'gwconf/gateway-state@1', version: '3.21.0', resources };
  const world = makeWorld({ 'gateway.json': JSON.stringify(state), '.gitignore': '.env\n*.env\n' });
  world.env['GWCONF_URL'] = 'embedded:gateway.json';
  return world;
}

/** The files below a folder, sorted. */
function filesIn(world: World, folder: string): readonly string[] {
  const all = readdirSync(join(world.folder, folder), { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(world.folder.length + 1))
    .sort();
}

const SECRET = {
  ...vault(TOKEN),
  metadata: { name: 'encrypt', scope: { vCluster: 'prod', group: null, username: null } },
} as Resource;
const ALL = [
  cluster('prod'),
  cluster('Prod'),
  alias('orders', 'prod', { physicalName: 'orders-v1' }),
  alias('orders', 'Prod', { physicalName: 'orders-v1' }),
  account('anna', 'CN=anna'),
  scoped('everywhere', { vCluster: null, group: null, username: null }),
  SECRET,
];

describe('gwconf export', () => {
  it('adds to the file of secrets what it does not have, and never a name twice', async () => {
    const shared = (name: string): Resource => ({
      ...vault(TOKEN),
      metadata: { name, scope: { vCluster: 'prod', group: null, username: null } },
    });
    const world = having(cluster('prod'), shared('cards'), shared('emails'), shared('phones'));
    const mine = "MINE='x y'\nGW_VAULT_TOKEN='of another gateway'";
    world.write('.env', mine);
    chmodSync(join(world.folder, '.env'), 0o644);
    const args = ['export', '--secrets-env', '.env', '--out'];
    expect((await world.run(...args, 'one')).code).toBe(0);
    const [, name = ''] = /^(GW_VAULT_TOKEN_\w+)=/m.exec(world.read('.env')) ?? [];
    expect(world.read('.env')).toBe(`${mine}\n${name}='${TOKEN}'\n`);
    expect(statSync(join(world.folder, '.env')).mode & 0o777).toBe(0o600);
    await world.run(...args, 'two');
    await world.run(...args, 'three', '--secret-name', '*/vault/token=VAULT_TOKEN');
    expect(world.read('.env')).toBe(`${mine}\n${name}='${TOKEN}'\nVAULT_TOKEN='${TOKEN}'\n`);
    expect(world.read('two/interceptor.yaml')).toContain(`\${${name}}`);
    expect(world.read('three/interceptor.yaml')).toContain('${VAULT_TOKEN}');
  });

  it.each([
    ['*/token', 'expected --secret-name to be PATTERN=NAME'],
    ['*/token=GWCONF_PASSWORD', 'GWCONF_PASSWORD of --secret-name is a setting of gwconf'],
    ['*=ONE', 'the variable ONE of --secret-name would be for both Interceptor/'],
    ['*/token=TAKEN', 'the variable TAKEN of --secret-name would be for another value'],
  ])('gives no secret the name of %s', async (written, words) => {
    const world = having(...ALL, {
      ...vault('hvs.another-one'),
      metadata: { name: 'z', scope: { vCluster: 'prod' } },
    });
    world.env['TAKEN'] = 'other';
    const { code, err } = await world.run('export', '--out', 'g', '--secret-name', written);
    expect([code === 0, world.has('g')]).toEqual([false, false]);
    expect(err).toContain(words);
  });

  it('writes files by virtual cluster, and the plan of them is empty', async () => {
    const world = having(...ALL);
    const { code, out, err } = await world.run('export', '--out', 'gateway', '--secrets-env', '.env');
    expect([code, verdictOf({ err })]).toEqual([0, 'result: ok']);
    expect(out).toBe(`1 secret, as variables:
  GW_PROD_ENCRYPT_VAULT_TOKEN: Interceptor/encrypt@vCluster=prod /spec/config/kmsConfig/vault/token

7 objects in 6 files in gateway; the plan is empty.
`);
    expect(filesIn(world, 'gateway')).toEqual([
      'gateway/_global/interceptor.yaml',
      'gateway/_global/virtual-cluster.yaml',
      'gateway/passthrough/service-account.yaml',
      'gateway/prod/alias-topic.yaml',
      'gateway/prod/interceptor.yaml',
      'gateway/prod~5f56359e/alias-topic.yaml',
    ]);
    expect(world.read('gateway/prod/alias-topic.yaml'))
      .toBe(`# yaml-language-server: $schema=../../.gwconf/schema.json
# Exported from embedded:gateway.json by gwconf 0.1.0

apiVersion: gateway/v2
kind: AliasTopic
metadata:
  name: orders
  vCluster: prod
spec:
  physicalName: orders-v1
`);
    expect(world.read('.env')).toContain(`\nGW_PROD_ENCRYPT_VAULT_TOKEN='${TOKEN}'\n`);
    expect(statSync(join(world.folder, '.env')).mode & 0o777).toBe(0o600);
    const env = { GW_PROD_ENCRYPT_VAULT_TOKEN: TOKEN };
    expect(verdictOf(await world.runWith({ env }, 'plan', '-f', 'gateway'))).toBe('result: no-changes');
    expect((await world.run('validate', 'gateway')).code).toBe(0); // leaves variables open
    expect((await world.run('fmt', '--check', '-f', 'gateway')).code).toBe(0);
    expect(
      `${out}${err}${filesIn(world, 'gateway')
        .map((path) => world.read(path))
        .join('')}`,
    ).not.toContain(TOKEN);
  });

  it('gives a secret no name that the environment has for something else', async () => {
    const world = having(...ALL);
    world.env['GW_PROD_ENCRYPT_VAULT_TOKEN'] = 'a-secret-of-another-gateway';
    const { code, out, err } = await world.run('export', '--out', 'gateway');
    expect(code, err).toBe(0);
    expect(world.read('gateway/prod/interceptor.yaml')).toMatch(
      /"\$\{GW_PROD_ENCRYPT_VAULT_TOKEN_[\dA-F]{6}\}"/,
    );
    expect(out + err).not.toContain('another');
    world.env['GW_PROD_ENCRYPT_VAULT_TOKEN'] = TOKEN;
    await world.run('export', '--out', 'again');
    expect(world.read('again/prod/interceptor.yaml')).toContain('"${GW_PROD_ENCRYPT_VAULT_TOKEN}"');
  });

  it('writes the same twice, also as dump, and never over something', async () => {
    const world = having(...ALL);
    await world.run('export', '--out', 'one');
    await world.run('dump', '--out', 'two');
    const texts = (folder: string): readonly string[] =>
      filesIn(world, folder).map((path) => world.read(path));
    expect(texts('two')).toEqual(texts('one'));
    const { code, err } = await world.run('export', '--out', 'one');
    expect([code, err]).toEqual([
      64,
      'gwconf: one is not empty, and export overwrites nothing: name a new folder with --out\nresult: wrong-usage\n',
    ]);
  });

  it.each([
    ['by-kind', ['alias-topic', 'interceptor', 'service-account', 'virtual-cluster']],
    ['one-file', ['gateway']],
  ])('has the layout %s', async (layout, names) => {
    const world = having(...ALL);
    await world.run('export', '--out', 'g', '--layout', layout);
    expect(filesIn(world, 'g')).toEqual(names.map((name) => `g/${name}.yaml`));
    const env = { GW_PROD_ENCRYPT_VAULT_TOKEN: TOKEN };
    expect(verdictOf(await world.runWith({ env }, 'plan', '-f', 'g'))).toBe('result: no-changes');
  });

  it('exports what matches, and a project manages no more than that', async () => {
    const world = having(...ALL);
    const globs = ['AliasTopic/*@vCluster=prod', 'interceptors', '!*@global'];
    const { code, err } = await world.run('export', ...globs, '--out', 'teams/prod', '--project', 'main');
    expect(code, err).toBe(0);
    expect(filesIn(world, 'teams')).toEqual([
      'teams/.gwconf/schema.json',
      'teams/gwconf.yaml',
      'teams/prod/alias-topic.yaml',
      'teams/prod/interceptor.yaml',
    ]);
    expect(parse(world.read('teams/gwconf.yaml'))).toEqual({
      apiVersion: 'gwconf/v1',
      kind: 'Project',
      environments: {
        main: {
          gateway: { url: 'embedded:../gateway.json' },
          files: ['prod'],
          manages: ['AliasTopic/*@vCluster=prod', 'Interceptor/*', '!*@global'],
          external: ['VirtualCluster/prod'],
        },
      },
    });
    expect(err).toContain('GWCONF_ALLOWED_VARIABLES="GW_PROD_ENCRYPT_VAULT_TOKEN"');
  });

  it('manages the kinds and virtual clusters of all objects, when there is no glob', async () => {
    const world = having(...ALL, group('x'), scoped('g', { vCluster: 'prod', group: 'x', username: null }));
    await world.run('export', '--out', 'gateway', '--project');
    expect(
      (parse(world.read('gwconf.yaml')) as { environments: { prod: object } }).environments.prod,
    ).toMatchObject({
      files: ['gateway'],
      manages: [
        'AliasTopic/*@vCluster=Prod',
        'AliasTopic/*@vCluster=prod',
        'GatewayGroup/*',
        'GatewayServiceAccount/*@vCluster=passthrough',
        'Interceptor/*@global',
        'Interceptor/*@vCluster=prod',
        'Interceptor/*@vCluster=prod,*',
        'VirtualCluster/*',
      ],
    });
    const env = { GW_PROD_ENCRYPT_VAULT_TOKEN: TOKEN, GWCONF_URL: '' };
    const planned = await world.runWith({ env }, 'plan', '--prune');
    expect(verdictOf(planned), planned.err).toBe('result: no-changes');
  });

  it('writes the friendlier kind with --user-mappings', async () => {
    const world = having(account('anna', 'CN=anna'));
    await world.run('export', '--out', 'g', '--user-mappings');
    expect(world.read('g/service-account.yaml')).toContain('kind: UserMapping\n');
    expect(verdictOf(await world.run('plan', '-f', 'g'))).toBe('result: no-changes');
  });

  it('takes a snapshot for a gateway, whose secrets have names without values', async () => {
    const world = having(
      ...ALL,
      interceptor('same', { password: TOKEN }),
      interceptor('other', { password: 'x' }),
    );
    await world.run('snapshot', '--out', 'snapshot.json');
    const env = { GWCONF_URL: '' };
    const { code, out, err } = await world.runWith(
      { env },
      'export',
      ...['--snapshot', 'snapshot.json', '--out', 'g', '--secrets-env', '.env'],
    );
    expect(code, err).toBe(0);
    expect(out).toContain('9 objects in 7 files in g; the plan is empty.');
    expect(out).toContain('GW_PASSTHROUGH_OTHER_PASSWORD');
    expect(out).toContain('/vault/token, and 1 other place (its value is not known)');
    expect(world.read('.env')).toContain("# GW_PASSTHROUGH_OTHER_PASSWORD=''\n");
    expect(err).toContain('gwconf plan -f g --snapshot snapshot.json\n');
    const planned = await world.runWith({ env }, 'plan', '-f', 'g', '--snapshot', 'snapshot.json');
    expect([planned.code, verdictOf(planned)]).toEqual([0, 'result: no-changes in what was compared']);
  });
});

describe('gwconf export writes nothing', () => {
  const nothing = async (world: World, ...args: readonly string[]): Promise<readonly [number, string]> => {
    const before = readdirSync(world.folder).sort();
    const { code, out, err } = await world.run('export', '--out', 'gateway', ...args);
    expect(readdirSync(world.folder).sort()).toEqual(before);
    return [code, `${out}${err}`];
  };

  it('for a gateway without objects', async () => {
    expect(await nothing(having())).toEqual([
      0,
      'embedded:gateway.json has no objects that files can declare, so nothing was written.\nresult: ok\n',
    ]);
  });

  it.each([
    [
      'AliasTopic/ordes@vCluster=prod',
      'error[unmatched-target]: nothing on the gateway matches AliasTopic/ordes@vCluster=prod\n = did you mean AliasTopic/orders@vCluster=prod?',
    ],
    [
      'ConcentratedTopic/*',
      'error[read-only-kind]: ConcentratedTopic/* is not exported: only the gateway creates a ConcentratedTopic',
    ],
    [
      'VirtualCluster/passthrough',
      'error[reserved-name]: VirtualCluster/passthrough is not exported: it always exists',
    ],
  ])('for %s', async (glob, words) => {
    const [code, said] = await nothing(having(...ALL), glob);
    expect(code).toBe(1);
    expect(said).toContain(words);
  });

  it.each([
    ['of a folder', '.', '. cannot be read: it is a folder'],
    ['that git would track', 'values.txt', 'values.txt would not be ignored by git'],
    ['in the folder for git', 'gateway/x.env', 'must not be in gateway'],
    ['in the folder for git, by a name with dots', 'gateway/..x', 'must not be in gateway'],
  ])('in place %s', async (_, path, words) => {
    const [code, said] = await nothing(having(...ALL), '--secrets-env', path);
    expect(code).toBe(64);
    expect(said).toContain(words);
    expect(said).toContain('result: wrong-usage');
  });

  it('over the project that is there', async () => {
    const world = having(...ALL);
    world.write('gwconf.yaml', 'apiVersion: gwconf/v1\nkind: Project\n');
    const [code, said] = await nothing(world, '--project');
    expect([code, said]).toEqual([
      64,
      'gwconf: gwconf.yaml already exists: leave out --project, and add gateway to the files of an environment\nresult: wrong-usage\n',
    ]);
  });

  it('when one of the files cannot be written, not even the secrets', async () => {
    const world = having(...ALL);
    symlinkSync('/nonexistent/x.yaml', join(world.folder, 'gwconf.yaml'));
    const { code, err } = await world.run('export', '--out', 'g', '--secrets-env', '.env', '--project');
    expect(err).toContain('gwconf.yaml cannot be written, and nothing was: a link leads out of the project');
    expect(code).toBe(1);
    expect([world.has('.env'), world.has('g')]).toEqual([false, false]);
  });

  it('but into the folder that gwconf.yaml names and that is not there yet', async () => {
    const world = having(...ALL);
    world.write(
      'gwconf.yaml',
      projectOf({
        prod: `files: [gw], gateway: { url: "${world.env['GWCONF_URL'] ?? ''}" }`,
        other: 'files: [elsewhere], gateway: { url: "https://other.example" }',
      }),
    );
    const elsewhere = await world.run('export', '--env', 'prod', '--out', 'files');
    expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining('gw cannot be read')]);
    const ran = await world.run('export', '--env', 'prod', '--out', 'gw', '--secrets-env', '.env');
    expect([ran.code, ran.out.trimEnd().split('\n').at(-1)], ran.err).toEqual([
      0,
      '7 objects in 6 files in gw; the plan is empty.',
    ]);
  });

  it('of an object that no file can declare, but of the rest', async () => {
    const world = await oddWorld({ Interceptor: [oddInterceptor('both', []), oddInterceptor('fine')] });
    const { code, out, err } = await world.run('export', '--out', 'all');
    expect([code, verdictOf({ err }), out.split('\n')[0]]).toEqual([
      1,
      'result: incomplete',
      '1 object in 1 file in all; the plan is empty.',
    ]);
    expect(err).toContain(
      'Interceptor/both@vCluster=passthrough: expected a map; found a list; the files leave it out',
    );
    expect(err).not.toContain('please report');
    const rest = await world.run('export', '!Interceptor/both@*', '--out', 'gateway');
    expect([rest.code, rest.out.split('\n')[0]]).toEqual([
      0,
      '1 object in 1 file in gateway; the plan is empty.',
    ]);
  });
});

describe('gwconf export over HTTP', () => {
  it('only reads, and says which kinds the gateway does not serve', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    await there.put(interceptor('own', {}));
    const mine = worldBeside(there);
    there.forget();
    const { code, out, err } = await mine.run('export', '--out', 'g');
    expect(code, err).toBe(0);
    expect(out).toMatch(
      /^It does not serve VirtualCluster: [^]*\n1 object in 1 file in g; the plan is empty\.\n$/,
    );
    expect(there.writes()).toEqual([]);
    // A list of each kind, and the description of kinds that nobody here knows.
    expect(there.requests.length).toBe(7);
  });

  it('reads again when the lists are of different moments', async () => {
    const there = await serve();
    await there.put(cluster('prod'));
    const mine = worldBeside(there);
    let isNew = true;
    there.onRequest(({ path }) => {
      // The group is listed with an account that was created after the accounts were listed.
      if (isNew && path.includes('/service-account')) {
        isNew = false;
        there.gateway.put(kindOf('GatewayServiceAccount'), account('late')).catch(() => undefined);
        there.gateway.put(kindOf('GatewayGroup'), group('g', 'late')).catch(() => undefined);
      }
    });
    const { code, out, err } = await mine.run('export', '--out', 'g');
    expect([code, out.split(';')[0]], err).toEqual([0, '3 objects in 3 files in g']);
  });

  it('writes nothing when an object refers to what the gateway does not list', async () => {
    const world = having(cluster('prod'), group('g', { name: 'gone', vCluster: 'prod' }));
    const { code, err } = await world.run('export', '--out', 'g');
    expect([code, world.has('g')]).toEqual([1, false]);
    expect(err).toContain(
      'error[dangling-reference]: GatewayGroup/g refers to GatewayServiceAccount/gone@vCluster=prod',
    );
    expect(err).toContain('export again');
    expect((await world.run('export', '!GatewayGroup/g', '--out', 'g')).code).toBe(0);
  });

  it('writes nothing when a list fails', async () => {
    const there = await serve({}, {});
    await there.put(cluster('prod'));
    const mine = makeWorld();
    Object.assign(mine.env, LOGIN, { GWCONF_URL: there.url, GWCONF_PASSWORD: 'wrong' });
    const { code, err } = await mine.run('export', '--out', 'g', '--secrets-env', '/nonexistent/x.env');
    expect([code, mine.has('g')]).toEqual([1, false]);
    expect(err).toContain('error[gateway-error]');
  });

  it('shows how far it is on a terminal, and leaves nothing of that', async () => {
    const world = having(...ALL);
    const { err } = await world.runWith({ live: true }, 'export', '--out', 'g');
    expect(err).toContain('\r\u001b[Kwriting 7 objects …\r\u001b[Kchecking that the plan is empty …');
    expect(readFileSync(join(world.folder, 'g/prod/alias-topic.yaml'), 'utf8')).toContain('orders');
  });
});
