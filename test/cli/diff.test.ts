import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { DiffReport } from '../../src/outcome/diff.ts';
import { makeWorld, verdictOf, type Circumstances, type Ran, type World } from '../support/cli.ts';
import { alias, all } from '../support/documents.ts';
import { resource } from '../support/kinds.ts';
import { LOGIN, serve } from '../support/served.ts';

const reportOf = ({ out }: Ran): DiffReport => JSON.parse(out) as DiffReport;

const gatewayAt = (url: string, more = ''): string => `gateway: { url: "${url}"${more} }`;

function projectOf(staging: string, prod: string, more: string): string {
  return `apiVersion: gwconf/v1
kind: Project
environments:
  staging:
    ${staging}
    files: [staging.yaml]
    variables: { prefix: stg }
  prod:
    ${prod}
    files: [prod.yaml]
    variables: { prefix: prd }
${more}`;
}

/** Two environments with these files, each with a practice gateway. */
function worldOf(staging: string, prod: string, more = ''): World {
  return makeWorld({
    'staging.yaml': staging,
    'prod.yaml': prod,
    'gwconf.yaml': projectOf(gatewayAt('embedded:staging.json'), gatewayAt('embedded:prod.json'), more),
  });
}

const own = (name: string, config: JsonObject, priority = 1): string =>
  `${JSON.stringify(resource('Interceptor', { name }, { pluginClass: 'com.example.Own', priority, config }))}\n`;

const FILES = ['diff', '--from', 'staging', '--to', 'prod'];
const GATEWAYS = ['diff', '--from', 'live:staging', '--to', 'live:prod'];

async function applyAll(mine: World, circumstances: Circumstances = {}): Promise<void> {
  for (const name of ['staging', 'prod']) {
    const ran = await mine.runWith(
      circumstances,
      'apply',
      '--env',
      name,
      '-f',
      `${name}.yaml`,
      '--auto-approve',
    );
    expect(ran.code, ran.err).toBe(0);
  }
}

describe('gwconf diff --from --to', () => {
  const STAGING = all(
    alias('same', 's'),
    alias('orders', '"${var.prefix}-orders"'),
    alias('new', 'n'),
    own('rule', { limit: 1, added: [1] }, 7),
  );
  const PROD = all(
    alias('same', 's'),
    alias('orders', '"${var.prefix}-orders"'),
    alias('old', 'o'),
    own('rule', { limit: 2 }, 7),
  );

  it('compares the files of two environments, with the values of their variables', async () => {
    const ran = await worldOf(STAGING, PROD).run(...FILES);
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: differs']);
    expect(ran.out).toBe(`From staging: files
To   prod: files

Only in staging:
  - AliasTopic/new@vCluster=passthrough  staging.yaml:11

Only in prod:
  + AliasTopic/old@vCluster=passthrough  prod.yaml:11

Different:
  ~ AliasTopic/orders@vCluster=passthrough  staging.yaml:6  prod.yaml:6
      ~ /spec/physicalName: "stg-orders" → "prd-orders"
  ~ Interceptor/rule@vCluster=passthrough  staging.yaml:16  prod.yaml:16
      - /spec/config/added: [1]
      ~ /spec/config/limit: 1 → 2

Differences: 2 different, 1 only in staging, 1 only in prod. 1 object the same.
`);
  });

  it('is exit code 2 with --detailed-exitcode, and 0 if nothing differs', async () => {
    const mine = worldOf(STAGING, PROD);
    expect((await mine.run(...FILES, '--detailed-exitcode')).code).toBe(2);
    const same = worldOf(alias('a', 'x'), `# written otherwise\n${own('gone', {})}---\n${alias('a', 'x')}`);
    const ran = await same.run(...FILES, '--detailed-exitcode', '--exclude', 'Interceptor/*');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: no-differences in the selection']);
    expect(ran.out).toContain('No differences. 1 object the same. 1 not selected.');
  });

  it('does not take a default for a difference', async () => {
    const written =
      'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: a, vCluster: passthrough }\nspec: { physicalName: x, physicalCluster: main }\n';
    expect(verdictOf(await worldOf(alias('a', 'x'), written).run(...FILES))).toBe('result: no-differences');
  });

  it('sets apart what is meant to differ, and warns of an entry that matches nothing', async () => {
    const differs = `differs:
  - { address: "AliasTopic/*", path: /spec/physicalName, reason: topics have a prefix }
  - { address: "AliasTopic/new@*", between: [prod, staging], reason: only tried out so far }
  - { address: Interceptor/rule@vCluster=passthrough, path: /spec/config/*, reason: smaller }
  - { address: AliasTopic/same@vCluster=passthrough, reason: a former name }
`;
    const mine = worldOf(STAGING, PROD, differs);
    const ran = await mine.run(...FILES);
    expect(ran.out).toContain(`Meant to differ:
  1 object: only tried out so far
  1 field of 1 object: topics have a prefix
  2 fields of 1 object: smaller
`);
    expect(ran.out).toContain(
      'Differences: 0 different, 0 only in staging, 1 only in prod. 1 object the same. 3 meant to differ.',
    );
    expect(ran.err).toContain(
      'warning[unmatched-differs]: AliasTopic/same@vCluster=passthrough does not differ',
    );
    expect(ran.err).toContain('gwconf.yaml:16');
    expect(ran.err.match(/unmatched-differs/g)).toHaveLength(1);
    const part = await mine.run(...FILES, '--target', 'Interceptor/*');
    expect(part.err).not.toContain('unmatched-differs');
    // A gateway should be as its own files are.
    await applyAll(mine);
    const drifted = await mine.run('diff', '--from', 'staging', '--to', 'live:staging');
    expect([verdictOf(drifted), drifted.err]).toEqual(['result: no-differences', 'result: no-differences\n']);
  });

  it.each([
    ['{ address: Alas/x, reason: r }', 'unknown kind "Alas"'],
    ['{ address: AliasTopic/x, between: [staging, dev], reason: r }', 'there is no environment "dev"'],
    ['{ address: AliasTopic/x, path: /metadata/name, reason: r }', 'a JSON Pointer that starts with /spec'],
    ['{ address: AliasTopic/x }', 'reason'],
  ])('checks differs: %s', async (entry, message) => {
    const ran = await worldOf(STAGING, PROD, `differs: [${entry}]\n`).run(...FILES);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(message);
  });

  it('tells in JSON what a plan would, and in every other format', async () => {
    const mine = worldOf(STAGING, PROD);
    const found = reportOf(await mine.run(...FILES, '-o', 'json'));
    expect(found).toMatchObject({
      format: 'gwconf/diff-report@1',
      from: { name: 'staging', type: 'files', environment: 'staging' },
      summary: { onlyFrom: 1, onlyTo: 1, differs: 2, same: 1, expected: 0, uncompared: 0 },
    });
    expect(found.differences[2]).toEqual({
      address: 'AliasTopic/orders@vCluster=passthrough',
      kind: 'AliasTopic',
      difference: 'differs',
      at: {
        from: { file: 'staging.yaml', line: 6, column: 1 },
        to: { file: 'prod.yaml', line: 6, column: 1 },
      },
      fields: [{ path: '/spec/physicalName', from: 'stg-orders', to: 'prd-orders' }],
    });
    const markdown = await mine.run(...FILES, '-o', 'markdown');
    expect(markdown.out).toContain('2 different, 1 only in staging, 1 only in prod');
  });
});

describe('gwconf diff of gateways and snapshots', () => {
  it('finds nothing between files and their gateway after apply, and what somebody changed', async () => {
    const mine = worldOf(all(alias('a', 'x'), alias('b', 'y')), alias('a', 'x'));
    await applyAll(mine);
    for (const name of ['staging', 'prod']) {
      const ran = await mine.run('diff', '--from', name, '--to', `live:${name}`, '--detailed-exitcode');
      expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: no-differences']);
    }
    const between = await mine.run(...GATEWAYS, '-o', 'json');
    expect(reportOf(between)).toMatchObject({
      from: { type: 'live', gateway: 'embedded:staging.json' },
      differences: [{ address: 'AliasTopic/b@vCluster=passthrough', difference: 'only-from' }],
    });
  });

  it('leaves out what the gateway has and its environment does not manage or ignores', async () => {
    const rules =
      'manages: ["AliasTopic/*"]\n    external: [AliasTopic/theirs@vCluster=passthrough]\n    ignore: [{ address: "AliasTopic/a@*", path: /spec/physicalName, reason: failover }]';
    const mine = worldOf(alias('a', 'x'), alias('a', 'x'));
    mine.write(
      'gwconf.yaml',
      projectOf(gatewayAt('embedded:staging.json'), `${gatewayAt('embedded:prod.json')}\n    ${rules}`, ''),
    );
    mine.write('others.yaml', all(alias('theirs'), own('other', {}), alias('a', 'z')));
    const applied = await mine.run(
      'apply',
      '-f',
      'others.yaml',
      '--url',
      'embedded:prod.json',
      '--env',
      'staging',
      '--auto-approve',
    );
    expect(applied.code, applied.err).toBe(0);
    const ran = await mine.run('diff', '--from', 'prod', '--to', 'live:prod');
    expect(ran.out).toContain('No differences. 1 object the same. 1 ignored. 2 not managed by this project.');
  });

  it('compares with a snapshot, and two snapshots, whose secrets it cannot compare', async () => {
    const secret = (value: string): string => own('own', { token: value, limit: 1 });
    const mine = worldOf(secret('"${TOKEN}"'.slice(1, -1)), secret('a-literal-secret'));
    mine.env['TOKEN'] = 'the-first-token';
    await applyAll(mine);
    for (const name of ['staging', 'prod'])
      await mine.run('snapshot', '--env', name, '--out', `${name}.json.s`);
    const itself = await mine.run('diff', '--from', 'staging', '--to', 'staging.json.s');
    expect([itself.code, verdictOf(itself)]).toEqual([0, 'result: no-differences']);
    expect(verdictOf(await mine.run('diff', '--from', 'live:staging', '--to', 'staging.json.s'))).toBe(
      'result: no-differences',
    );
    const other = await mine.run('diff', '--from', 'live:staging', '--to', 'prod.json.s');
    expect(other.out).toContain('~ /spec/config/token: (hidden), different');
    const two = await mine.run('diff', '--from', 'staging.json.s', '--to', 'prod.json.s');
    expect(two.out).toContain('No differences in what was compared.');
    expect(two.out).toContain(
      'Interceptor/own@vCluster=passthrough: /spec/config/token: a secret, of which a snapshot has a digest only',
    );
    mine.write('copy.s', mine.read('staging.json.s'));
    expect(verdictOf(await mine.run('diff', '--from', 'staging.json.s', '--to', 'copy.s'))).toBe(
      'result: no-differences',
    );
  });

  it('says what one side does not serve', async () => {
    const [one, two] = [await serve({ security: 'PLAINTEXT' }), await serve()];
    const mine = worldOf('', '');
    const login = ', user: admin, password: conduktor';
    mine.write('gwconf.yaml', projectOf(gatewayAt(one.url, login), gatewayAt(two.url, login), ''));
    const ran = await mine.run(...GATEWAYS);
    expect(ran.out).toContain('VirtualCluster: not available in live:staging: ');
    expect(verdictOf(ran)).toBe('result: no-differences in what was compared');
    await two.put(resource('VirtualCluster', { name: 'prod' }));
    const after = await mine.run(...GATEWAYS);
    expect(after.out).toContain('VirtualCluster: not available in live:staging, so 1 not compared: ');
    expect([after.code, verdictOf(after)]).toEqual([1, 'result: incomplete']);
    expect(verdictOf(await mine.run(...GATEWAYS, '--exclude', 'VirtualCluster/*'))).toMatch('no-differences');
  });

  it('fails if one gateway cannot be read', async () => {
    const mine = worldOf(alias('a'), alias('a'));
    mine.write(
      'gwconf.yaml',
      projectOf(gatewayAt('http://127.0.0.1:1'), gatewayAt('embedded:prod.json'), ''),
    );
    const ran = await mine.run(...GATEWAYS, '-o', 'json');
    expect(ran.code).toBe(1);
    expect(reportOf(ran)).toMatchObject({
      result: 'error',
      problems: [{ code: 'connection-error', message: expect.stringMatching(/^live:staging: /) as string }],
    });
  });
});

describe('gwconf diff and secrets', () => {
  const withToken = (token: string): string => own('own', { token, note: '${NOTE}', plain: token.length });

  it('tells that secrets differ, and no more', async () => {
    const mine = worldOf(withToken('${ONE}'), withToken('${TWO}'));
    Object.assign(mine.env, { ONE: 'Kanarienvogel-one', TWO: 'Kanarienvogel-two', NOTE: 'Kanarienvogel' });
    for (const format of ['human', 'json', 'ndjson', 'markdown']) {
      const ran = await mine.run(...FILES, '-o', format);
      expect(ran.out).not.toContain('Kanarienvogel');
      expect(ran.out).toContain('/spec/config/token');
      expect(ran.out).not.toContain('/spec/config/note');
    }
    const [{ fields } = { fields: [] }] = reportOf(await mine.run(...FILES, '-o', 'json')).differences;
    expect(fields).toEqual([{ path: '/spec/config/token', from: '(hidden)', to: '(hidden)', secret: true }]);
    mine.env['TWO'] = 'Kanarienvogel-one';
    expect(verdictOf(await mine.run(...FILES))).toBe('result: no-differences');
  });

  it('hides on both sides what is a secret on one', async () => {
    const mine = worldOf(own('own', { note: '${NOTE}' }), own('own', { note: 'Kanarienvogel in clear' }));
    mine.env['NOTE'] = 'Kanarienvogel';
    await applyAll(mine);
    for (const line of [FILES, GATEWAYS]) {
      const ran = await mine.run(...line);
      expect(ran.out).toContain('/spec/config/note: (hidden), different');
      expect(ran.out).not.toContain('Kanarienvogel');
    }
  });

  it('leaves out what has no value here, and in CI all secrets that a pull request could guess', async () => {
    const mine = worldOf(
      own('own', { token: '${ONE}', limit: 1 }),
      own('own', { token: 'a guess', limit: 1 }),
    );
    const open = await mine.run(...FILES);
    expect(open.out).toContain(
      'Interceptor/own@vCluster=passthrough: /spec/config/token: a variable in it has no value here',
    );
    const words = 'result: no-differences in what was compared';
    expect(verdictOf(open)).toBe(words);
    for (const token of ['a guess', 'another']) {
      const env = { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'ONE', ONE: token };
      const ran = await mine.runWith({ env }, ...FILES);
      expect([verdictOf(ran), ran.out]).toEqual([words, open.out]);
    }
  });

  it('takes a variable in both files for the same in CI, too', async () => {
    const mine = worldOf(own('own', { token: '${ONE}' }), own('own', { token: '${ONE}' }));
    const ran = await mine.runWith({ env: { CI: 'true' } }, ...FILES);
    expect(ran.out).toContain('No differences. 1 object the same.');
    expect(ran.out).not.toContain('Not compared');
  });

  it('sends the login of an environment to its gateway only', async () => {
    const [one, two] = [await serve(), await serve()];
    const mine = worldOf(alias('a'), alias('a'));
    const login = (name: string): string => `, user: admin, password: "\${${name}}"`;
    mine.write(
      'gwconf.yaml',
      projectOf(gatewayAt(one.url, login('STAGING')), gatewayAt(two.url, login('PROD')), ''),
    );
    Object.assign(mine.env, {
      STAGING: 'conduktor',
      PROD: 'conduktor',
      GWCONF_URL: two.url,
      GWCONF_PASSWORD: 'of one of them',
    });
    expect(verdictOf(await mine.run(...GATEWAYS))).toBe('result: no-differences');
    // Both also describe kinds that nobody here knows.
    expect([one.requests.length, two.requests.length]).toEqual([7, 7]);

    mine.write('gwconf.yaml', projectOf(gatewayAt(one.url, login('STAGING')), gatewayAt(two.url), ''));
    // The variable is for whichever gwconf.yaml says nothing of, as in plan.
    Object.assign(mine.env, LOGIN, { GWCONF_URL: two.url });
    expect(verdictOf(await mine.run(...GATEWAYS))).toBe('result: no-differences');
    mine.write('gwconf.yaml', projectOf(gatewayAt(one.url), gatewayAt(two.url), ''));
    expect(verdictOf(await mine.run(...GATEWAYS))).toBe('result: no-differences');
    mine.write('gwconf.yaml', projectOf(gatewayAt(one.url), '', ''));
    const unsaid = await mine.run(...GATEWAYS);
    expect([unsaid.code, unsaid.err]).toEqual([
      64,
      expect.stringContaining('two gateways are compared: write url under gateway of prod in gwconf.yaml'),
    ]);
    mine.write('gwconf.yaml', projectOf(gatewayAt(one.url), gatewayAt(two.url), ''));
    const flag = await mine.run(...GATEWAYS, '--password-file', 'p');
    expect(flag.err).toContain('live:staging and live:prod are two gateways, and --password-file is for one');
    // One gateway is reached as in every other command.
    expect(verdictOf(await mine.run('diff', '--from', 'prod', '--to', 'live:prod'))).toBe('result: differs');
  });

  it('calls no host that is not allowed', async () => {
    const mine = worldOf(alias('a'), alias('a'));
    const login = ', user: admin, password: x';
    mine.write(
      'gwconf.yaml',
      projectOf(gatewayAt('https://a.example:1', login), gatewayAt('https://b.example:1', login), ''),
    );
    const ran = await mine.runWith({ env: { GWCONF_ALLOWED_HOSTS: 'a.example' } }, ...GATEWAYS);
    expect([ran.code, verdictOf(ran)]).toEqual([3, 'result: blocked']);
    expect(ran.err).toContain('live:prod: gwconf.yaml names the gateway https://b.example:1');
  });
});

describe('gwconf diff is used as it is meant', () => {
  it.each([
    ['diff --from staging', 'gwconf diff needs --from and --to'],
    ['diff --to live:prod', 'gwconf plan compares files with a gateway'],
    ['diff --from staging --to staging', 'are both staging: there is nothing to compare'],
    [
      'diff --from staging --to dev',
      'dev is not an environment or a snapshot file: gwconf.yaml has the environments staging and prod',
    ],
    ['diff --from live:dev --to prod', 'live:dev is not an environment'],
    ['diff --from staging --to missing.json', 'missing.json is not an environment or a snapshot file'],
    ['diff --from staging --to prod --out p.json', "unknown option '--out'"],
    ['diff --from staging --to prod topics.yaml', 'too many arguments'],
    ['diff --from staging --to prod --env prod', '--env and --to both name what --from is compared with'],
    ['diff --from staging --to prod --url http://x', 'leave out --url'],
  ])('%s is invalid usage', async (line, message) => {
    const ran = await worldOf(alias('a'), alias('a')).run(...line.split(' '));
    expect(ran.code).toBe(64);
    expect(ran.err).toContain(message);
  });

  it('reports every mistake in the files of both', async () => {
    const mine = worldOf(
      alias('a').replace('physicalName', 'phsicalName'),
      alias('b').replace('kind', 'knd'),
    );
    const ran = await mine.run(...FILES, '-o', 'json');
    expect(ran.code).toBe(1);
    expect(reportOf(ran).problems.map(({ file }) => file)).toContain('staging.yaml');
    expect(reportOf(ran).problems.map(({ file }) => file)).toContain('prod.yaml');
  });

  it('refuses a snapshot that is none', async () => {
    const mine = worldOf(alias('a'), alias('a'));
    const ran = await mine.run('diff', '--from', 'staging', '--to', 'prod.yaml');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain('prod.yaml is not a snapshot');
  });
});
