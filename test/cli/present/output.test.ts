import { describe, expect, it } from 'vitest';
import { makeWorld, verdictOf, wrongUsage, type World } from '../../support/cli.ts';
import { dedent } from '../../support/expect-problems.ts';
import { resource } from '../../support/kinds.ts';
import { LOGIN, serve } from '../../support/served.ts';
import { cluster, documentOf } from '../../support/documents.ts';

const CLUSTER = cluster('prod');
const BROKEN = cluster('prod', '{ aclEnabld: true }');
const RULE = documentOf(
  'ConcentrationRule',
  '{ name: events }',
  '{ pattern: "e-.*", physicalTopics: { delete: nowhere } }',
);

function world(): World {
  return makeWorld({ 'a.yaml': CLUSTER, 'broken.yaml': BROKEN });
}

const planned = ['plan', 'a.yaml', '--url', 'embedded:'] as const;
const applied = ['apply', '-f', 'a.yaml', '--url', 'embedded:', '--auto-approve'] as const;

/** What a terminal shows that stdout and stderr go to. */
async function terminal(mine: World, ...args: readonly string[]): Promise<string> {
  let seen = '';
  const onText = (text: string): void => void (seen += text);
  await mine.runWith({ onOut: onText, onErr: onText, answer: 'yes' }, ...args);
  return seen;
}

describe('a terminal', () => {
  const ENCRYPT = `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: encrypt, scope: { vCluster: prod } }
    spec:
      pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
      priority: 1
      config: { topic: a, kmsConfig: { vault: { uri: "http://vault", type: TOKEN, token: t, version: 1 } } }
  `;
  const place = ['--url', 'embedded:s.json'] as const;

  it.each([
    ['plan', ['plan', '-f', 'a.yaml', ...place], /^Plan: 2 to create, .* 0 unchanged\.$/, 'changes'],
    [
      'plan that is saved',
      ['plan', '-f', 'a.yaml', ...place, '--out', 'p.json'],
      /^Plan: 2 to create, .* 0 unchanged\.$/,
      'changes',
    ],
    ['drift', ['drift', '-f', 'a.yaml', ...place], /^Drift: .*$/, 'drift'],
    ['effective', ['effective', '-f', 'a.yaml'], /^2 clients, /, 'ok'],
    ['validate', ['validate', '-f', 'a.yaml'], /^Valid: 2 resources, 0 errors, 2 warnings\.$/, 'valid'],
    ['apply', ['apply', '-f', 'a.yaml', ...place], /^Applied: 2 done\.$/, 'applied'],
  ])('ends with totals and result, and has problems above them: %s', async (_, args, totals, result) => {
    const mine = makeWorld({ 'a.yaml': `${dedent(CLUSTER)}---\n${dedent(ENCRYPT)}` });
    const seen = await terminal(mine, ...args);
    const lines = seen.trimEnd().split('\n');
    expect(lines.at(-1)).toBe(`result: ${result}`);
    expect(lines.at(-2)).toMatch(totals);
    expect(seen.match(/warning\[/g)).toHaveLength(2);
    expect(seen.lastIndexOf('warning[')).toBeLessThan(seen.indexOf(lines.at(-2) ?? ''));
  });

  it('shows what is wrong before the totals of the plan that is to be approved', async () => {
    const mine = makeWorld({ 'a.yaml': `${dedent(CLUSTER)}---\n${dedent(ENCRYPT)}` });
    const seen = await terminal(mine, 'apply', '-f', 'a.yaml', ...place);
    expect(seen.indexOf('warning[')).toBeGreaterThan(seen.indexOf('+ Interceptor/encrypt'));
    expect(seen.indexOf('Plan: 2 to create')).toBeGreaterThan(seen.indexOf('warning['));
    expect(seen.indexOf('Applying 2 to create')).toBeGreaterThan(seen.indexOf('Plan: 2'));
  });
});

describe('the report of plan', () => {
  it('has what the contract says, and nothing is left of it to guess', async () => {
    const there = await serve();
    await there.put(
      resource('VirtualCluster', { name: 'prod' }, { aclEnabled: true, superUsers: ['boss'] }),
      resource('VirtualCluster', { name: 'old' }),
      resource('AliasTopic', { name: 'orders', vCluster: 'prod' }, { physicalName: 'orders-v3' }),
    );
    const mine = world();
    Object.assign(mine.env, LOGIN);
    const aliasOf = (name: string): string =>
      `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: ${name}, vCluster: prod }\nspec: { physicalName: orders-v3 }\n`;
    mine.write('b.yaml', `${aliasOf('orders')}---\n${aliasOf('new')}`);
    const { out } = await mine.run('plan', 'a.yaml', 'b.yaml', '--url', there.url, '-o', 'json');
    expect(JSON.parse(out)).toEqual({
      format: 'gwconf/plan-report@1',
      result: 'changes',
      gateway: there.url,
      summary: {
        create: 1,
        update: 1,
        replace: 0,
        delete: 0,
        unchanged: 1,
        unclaimed: 0,
        unmanaged: 1,
        ignored: 0,
      },
      risks: [],
      weakenings: [
        {
          protection: 'access',
          certainty: 'weaker',
          by: 'VirtualCluster/prod',
          fields: ['/spec/aclEnabled'],
          parts: [{ what: 'acls', names: [], loss: 'whole', topics: null, pattern: null }],
          from: ['VirtualCluster/prod'],
          ...{ virtualCluster: 'prod', username: null, groups: [] },
        },
      ],
      changes: [
        {
          action: 'update',
          address: 'VirtualCluster/prod',
          kind: 'VirtualCluster',
          at: { file: 'a.yaml', line: 1, column: 1 },
          stage: 1,
          dependsOn: [],
          fields: [
            { path: '/spec/aclEnabled', op: 'set', before: true, after: false },
            { path: '/spec/aclMode', op: 'remove', before: 'KAFKA_API' },
            { path: '/spec/superUsers/0', op: 'remove', before: 'boss' },
          ],
        },
        {
          action: 'create',
          address: 'AliasTopic/new@vCluster=prod',
          kind: 'AliasTopic',
          at: { file: 'b.yaml', line: 6, column: 1 },
          stage: 1,
          dependsOn: ['VirtualCluster/prod'],
          fields: [{ path: '/spec/physicalName', op: 'add', after: 'orders-v3' }],
        },
      ],
      unclaimed: [],
      unmanaged: ['VirtualCluster/old'],
      ignored: [],
      problems: [
        {
          code: 'weakened-protection',
          severity: 'warning',
          message:
            'all other clients in prod have weaker access control: the ACLs are no longer enforced (aclEnabled)',
          hint: 'to accept it, use --accept-exposure VirtualCluster/prod, or exposures in gwconf.yaml',
          ...{ address: 'VirtualCluster/prod', path: '/spec', file: 'a.yaml', line: 4, column: 7 },
        },
      ],
    });
  });

  it('of files with a mistake says so, where it is, and changes nothing', async () => {
    const { code, out } = await world().run('plan', 'broken.yaml', '--url', 'embedded:', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      result: 'error',
      gateway: 'embedded:',
      changes: [],
      problems: [
        {
          code: 'unknown-field',
          severity: 'error',
          message: 'VirtualCluster/prod has no field aclEnabld in /spec',
          file: 'broken.yaml',
          line: 4,
          column: 9,
          address: 'VirtualCluster/prod',
          path: '/spec/aclEnabld',
          hint: 'did you mean aclEnabled?',
        },
      ],
    });
  });

  it('names the earlier place of two as `also`, and the later as the place', async () => {
    const mine = makeWorld({ 'a.yaml': CLUSTER, 'b.yaml': CLUSTER });
    const { out } = await mine.run('plan', 'a.yaml', 'b.yaml', '--url', 'embedded:', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      problems: [
        {
          code: 'duplicate-resource',
          file: 'b.yaml',
          line: 3,
          column: 19,
          also: { file: 'a.yaml', line: 3, column: 19 },
        },
      ],
    });
  });

  it('is no-changes when there are none', async () => {
    const mine = world();
    await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve');
    const { out } = await mine.run('plan', 'a.yaml', '--url', 'embedded:s.json', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ result: 'no-changes', summary: { unchanged: 1 }, changes: [] });
  });
});

describe('the report of apply', () => {
  it('has every change with its outcome', async () => {
    const { out } = await world().run(...applied, '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      format: 'gwconf/apply-report@1',
      result: 'applied',
      gateway: 'embedded:',
      summary: { create: 1, update: 0, replace: 0, delete: 0, unchanged: 0, unmanaged: 0, ignored: 0 },
      ledger: [{ address: 'VirtualCluster/prod', action: 'create', outcome: 'done' }],
      problems: [],
    });
  });

  it('goes to stdout alone, and the plan to stderr', async () => {
    const { out, err } = await world().run(...applied, '-o', 'json');
    expect(() => JSON.parse(out) as unknown).not.toThrow();
    expect(err).toContain('+ VirtualCluster/prod');
    expect(err).toContain('Plan: 1 to create');
  });

  it('in words has the plan and the outcome on stdout, and the progress on stderr', async () => {
    const { out, err } = await world().run(...applied);
    expect(out).toBe(
      [
        'Gateway embedded:',
        '',
        '  + VirtualCluster/prod  a.yaml:1',
        '',
        'Plan: 1 to create, 0 to update, 0 to replace, 0 to delete. 0 unchanged.',
        'Applied: 1 done.',
        '',
      ].join('\n'),
    );
    expect(err).toBe(
      [
        'Applying 1 to create, 0 to update, 0 to replace, 0 to delete: 1 write, less than a second.',
        '[1/1] + VirtualCluster/prod  done',
        'Undo this run: gwconf undo --url embedded:',
        'result: applied',
        '',
      ].join('\n'),
    );
  });

  it('is an error report when the files are wrong', async () => {
    const { code, out } = await world().run(
      'apply',
      '-f',
      'broken.yaml',
      '--url',
      'embedded:',
      '--auto-approve',
      '-o',
      'json',
    );
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      result: 'error',
      ledger: [],
      problems: [{ code: 'unknown-field' }],
    });
  });

  it('carries the refusal in the entry that met it', async () => {
    const there = await serve({ topics: new Map() });
    const mine = makeWorld({ 'a.yaml': RULE });
    Object.assign(mine.env, LOGIN);
    const { code, out } = await mine.run(
      'apply',
      '-f',
      'a.yaml',
      '--url',
      there.url,
      '--auto-approve',
      '-o',
      'json',
    );
    expect(code).toBe(1);
    const problem = {
      code: 'gateway-error',
      file: 'a.yaml',
      line: 1,
      column: 1,
      address: 'ConcentrationRule/events@vCluster=passthrough',
    };
    expect(JSON.parse(out)).toMatchObject({
      result: 'failed',
      ledger: [{ outcome: 'failed', problem }],
      problems: [problem],
    });
  });
});

describe('-o', () => {
  it('takes human, json and ndjson', async () => {
    expect((await world().run(...planned, '-o', 'human')).out).toMatch(/^Gateway embedded:\n/);
    expect((await world().run(...planned, '-o', 'json')).out).toMatch(/^\{\n {2}"format"/);
    expect((await world().run(...planned, '--output', 'ndjson')).out).toMatch(/^\{"type":"version"/);
  });

  it('writes any number of files beside what stdout gets', async () => {
    const mine = world();
    const { out } = await mine.run(
      ...planned,
      '-o',
      'json=out/report.json',
      '-o',
      'ndjson=report.ndjson',
      '-o',
      'human=plan.txt',
      '-o',
      'json=again.json',
    );
    expect(out).toContain('Plan: 1 to create');
    expect(mine.read('plan.txt')).toBe(out);
    expect(mine.json('out/report.json')).toMatchObject({ result: 'changes' });
    expect(mine.read('again.json')).toBe(mine.read('out/report.json'));
    expect(mine.read('report.ndjson').trimEnd().split('\n')).toHaveLength(3);
  });

  it('leaves stdout to one product', async () => {
    const { code, out, err } = await world().run(...planned, '-o', 'json', '-o', 'ndjson');
    expect({ code, out }).toEqual({ code: 64, out: '' });
    expect(err).toBe(wrongUsage('stdout carries one format; write the others with -o FORMAT=FILE'));
  });

  it('refuses a format that it does not know, before anything is done', async () => {
    const mine = world();
    const { code, err } = await mine.run(
      'apply',
      '-f',
      'a.yaml',
      '--url',
      'embedded:s.json',
      '--auto-approve',
      '-o',
      'xml',
    );
    expect(code).toBe(64);
    expect(err).toMatch(
      /^gwconf: expected -o human, json, ndjson.* or FORMAT=FILE; found xml\nresult: wrong-usage\n$/,
    );
    expect(mine.has('s.json')).toBe(false);
  });

  it('keeps talk and problems off stdout', async () => {
    for (const format of ['json', 'ndjson']) {
      const { out, err } = await world().run('plan', 'broken.yaml', '--url', 'embedded:', '-o', format);
      for (const line of format === 'json' ? [out] : out.trimEnd().split('\n')) JSON.parse(line);
      expect(err).toContain('error[unknown-field]');
      expect(err).toContain('--> broken.yaml:4:9');
    }
  });

  it('ndjson begins with the version, has a line each for problems, changes and entries, and ends with the summary', async () => {
    const lines = async (...args: readonly string[]): Promise<readonly unknown[]> =>
      (await makeWorld({ 'a.yaml': CLUSTER, 'broken.yaml': BROKEN }).run(...args, '-o', 'ndjson')).out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    const version = {
      type: 'version',
      format: 'gwconf/plan-report@1',
      tool: expect.stringMatching(/^gwconf \d/) as string,
    };
    expect(await lines(...planned)).toMatchObject([
      version,
      { type: 'change', action: 'create', address: 'VirtualCluster/prod' },
      { type: 'summary', result: 'changes' },
    ]);
    expect(await lines('plan', 'broken.yaml', '--url', 'embedded:')).toMatchObject([
      version,
      { type: 'problem', code: 'unknown-field' },
      { type: 'summary', result: 'error' },
    ]);
    expect(await lines(...applied)).toMatchObject([
      { type: 'version', format: 'gwconf/apply-report@1' },
      { type: 'entry', address: 'VirtualCluster/prod', outcome: 'done' },
      { type: 'summary', result: 'applied' },
    ]);
    expect(await lines('validate', 'a.yaml')).toMatchObject([
      { type: 'version', format: 'gwconf/validate-report@1' },
      { type: 'summary', result: 'valid' },
    ]);
  });
});

describe('the verdict', () => {
  it.each([
    [planned, 0, 'result: changes'],
    [[...planned, '--detailed-exitcode'], 2, 'result: changes'],
    [['plan', 'broken.yaml', '--url', 'embedded:', '--detailed-exitcode'], 1, 'result: error'],
    [['plan', 'a.yaml', '--url', 'http://127.0.0.1:1'], 1, 'result: error'],
    [['plan', 'a.yaml', '--url', 'nonsense'], 1, 'result: error'],
    [[...planned, '--out', 'a.yaml/p.plan'], 1, 'result: error'],
    [[...planned, '--prune'], 3, 'result: blocked'],
    [['validate', 'a.yaml'], 0, 'result: valid'],
    [['validate', 'broken.yaml'], 1, 'result: error'],
    [applied, 0, 'result: applied'],
    [['apply', '-f', 'broken.yaml', '--url', 'embedded:', '--auto-approve'], 1, 'result: error'],
    [[...applied, '--prune'], 3, 'result: blocked'],
  ] as const)('of %j is exit code %d and the last line of stderr', async (args, code, verdict) => {
    const ran = await world().run(...args);
    expect(ran.code).toBe(code);
    expect(verdictOf(ran)).toBe(verdict);
  });

  it('is with --detailed-exitcode 0 when there is nothing to do', async () => {
    const mine = world();
    await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve');
    const again = await mine.run('plan', 'a.yaml', '--url', 'embedded:s.json', '--detailed-exitcode');
    expect([again.code, verdictOf(again)]).toEqual([0, 'result: no-changes']);
    const applied = await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:s.json', '--auto-approve');
    expect([applied.code, verdictOf(applied)]).toEqual([0, 'result: no-changes']);
  });

  it('is a GitHub output as well, after those that are there', async () => {
    const mine = world();
    mine.write('github', 'other=1\n');
    mine.env['GITHUB_OUTPUT'] = 'github';
    await mine.run(...planned);
    await mine.run('validate', 'broken.yaml');
    await mine.run('plan', 'a.yaml', '--url', 'nonsense');
    await mine.run('plam');
    expect(mine.read('github')).toBe(
      'other=1\nresult=changes\nchanges=1\nresult=error\nresult=error\nresult=wrong-usage\n',
    );
  });

  it('is still the last line when that output cannot be written', async () => {
    const mine = world();
    mine.env['GITHUB_OUTPUT'] = 'a.yaml/github';
    const ran = await mine.run(...planned);
    expect([ran.code, verdictOf(ran)]).toEqual([74, 'result: changes']);
    expect(ran.err).toContain('a.yaml/github');
  });

  it('is the same with every -o', async () => {
    for (const format of ['human', 'json', 'ndjson', 'json=report.json']) {
      const ran = await world().run(...planned, '--detailed-exitcode', '-o', format);
      expect([ran.code, verdictOf(ran)]).toEqual([2, 'result: changes']);
    }
  });
});

describe('a bug of ours', () => {
  it('is exit code 70, and asks for a report', async () => {
    const answer = (): never => {
      throw new RangeError('made up for this test');
    };
    const ran = await world().runWith({ answer }, 'apply', '-f', 'a.yaml', '--url', 'embedded:');
    expect(ran.code).toBe(70);
    expect(ran.err).toContain('gwconf: this is a bug in gwconf; please report it');
    expect(ran.err).toContain('RangeError: made up for this test');
    expect(verdictOf(ran)).toBe('result: bug');
  });
});

describe('notes on files', () => {
  const SCOPELESS = ['a', 'b']
    .map(
      (name) =>
        `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: ${name} }\nspec: { pluginClass: com.example.Own, priority: 1, config: {} }\n`,
    )
    .join('---\n');

  it('are counted, but by validate and in full detail, and reports for programs have them all', async () => {
    const mine = makeWorld({ 'a.yaml': SCOPELESS });
    const counted = 'info: 2 notes on the files (2 omitted-scope); gwconf validate shows them\n';
    for (const args of [
      ['plan', 'a.yaml', '--url', 'embedded:'],
      ['drift', 'a.yaml', '--url', 'embedded:'],
      ['effective', 'a.yaml'],
      ['apply', '-f', 'a.yaml', '--url', 'embedded:', '--auto-approve'],
    ]) {
      const { err } = await mine.run(...args);
      expect(err).toContain(counted);
      expect(err).not.toContain('info[omitted-scope]');
    }
    const full = await mine.run('plan', 'a.yaml', '--url', 'embedded:', '--detail', 'full');
    expect(full.err).toContain('info[omitted-scope]');
    expect((await mine.run('validate', 'a.yaml')).err).toContain('info[omitted-scope]');
    const { out } = await mine.run('plan', 'a.yaml', '--url', 'embedded:', '-o', 'json');
    expect(
      (JSON.parse(out) as { problems: { code: string }[] }).problems.filter(
        ({ code }) => code === 'omitted-scope',
      ),
    ).toHaveLength(2);
  });
});

describe('spellings from elsewhere', () => {
  it.each([
    [['plan', '-f', 'a.yaml', '--url', 'embedded:', '-detailed-exitcode'], 2],
    [[...planned, '--non-zero-exit-code'], 2],
    [[...planned, '--fail-on-changes'], 2],
    [[...planned, '--expect-no-changes'], 2],
    [[...planned, '-no-color'], 0],
    [['apply', '-f', 'a.yaml', '--url', 'embedded:', '-auto-approve', '-parallelism=2'], 0],
    [['apply', '-f', 'a.yaml', '--url', 'embedded:', '--yes', '-parallelism', '2'], 0],
  ] as const)('are understood: %j', async (args, code) => {
    expect((await world().run(...args)).code).toBe(code);
  });

  it('are understood: -out, -target and -exclude, with a space or an equals sign, and -json', async () => {
    const mine = world();
    const { out } = await mine.run(
      ...planned,
      '-out=p.json',
      '-target=Virtual*',
      '-exclude',
      'Alias*',
      '-json',
    );
    expect(JSON.parse(out)).toMatchObject({
      result: 'changes',
      selection: { target: ['Virtual*'], exclude: ['Alias*'] },
    });
    expect(JSON.parse((await mine.run('show', '-json', 'p.json')).out)).toMatchObject({ result: 'changes' });
    await mine.run(...planned, '-out', 'q.json');
    expect(mine.has('q.json')).toBe(true);
  });
});

describe('wrong usage', () => {
  it.each([
    [['plan', '--nonsense'], /unknown option '--nonsense'/],
    [['plam'], /unknown command 'plam'[^]*plan/],
    [['help', 'plam'], /^error: unknown command 'plam'\nRun gwconf help/],
    [['apply', '--dry-run'], /unknown option '--dry-run'\ngwconf plan shows what apply would do/],
    [['plan', '--password', 'x'], /unknown option '--password'\nOther users[^]*--password-file/],
    [['delete', 'Interceptor/a'], /unknown command 'delete'\nTo delete an object, declare a Removal/],
    [['plan', '--yes'], /unknown option '--yes'\nOnly commands that ask for something have it/],
    [['drift', '--auto-approve'], /unknown option '--auto-approve'\nOnly commands that ask for approval/],
    [['plan', '--password=x'], /^error: unknown option '--password'\nOther users/],
    [['plan', `--pass=it's "x"`], /^error: unknown option '--pass'\nRun/],
    [
      ['--file=x', 'plan'],
      /unknown option '--file'\nOptions come after the command: gwconf plan --file \.\.\.\n/,
    ],
    [['-f', 'x', 'plan'], /unknown option '-f'\nOptions come after the command: gwconf plan -f \.\.\.\n/],
    [['rollout', 'undo'], /^error: unknown command 'rollout'\nRun gwconf help/],
    [['ping'], /unknown command 'ping'\ngwconf doctor checks the connection/],
    [['undo', '--exclude', 'x'], /unknown option '--exclude'\n.* an undo takes back a whole run/],
    [['apply', '--auto-approve'], /no gateway URL: .* or make a project with gwconf init/],
    [['lint'], /unknown command 'lint'\ngwconf validate checks files/],
    [['show'], /missing required argument 'plan'/],
    [['apply', 'a', 'b', '--url', 'embedded:'], /too many arguments/],
    [['plan', 'a.yaml', '--url'], /argument missing/],
    [['validate', 'a.yaml', '--fail-on', 'info'], /expected --fail-on error or warning; found info/],
    [[...applied, '--parallelism', '0'], /expected --parallelism of at least 1; found 0/],
    [[...applied, '--parallelism', 'many'], /found many/],
    [
      ['apply', '-f', 'a.yaml', '--url', 'embedded:'],
      /cannot ask for approval without a terminal: use --auto-approve/,
    ],
    [['schema', 'AliasTopics'], /there is no kind AliasTopics .*did you mean AliasTopic\?/],
    [['completion', 'csh'], /expected bash, zsh, fish or powershell; found csh/],
    [['completion', '__proto__'], /expected bash, zsh, fish or powershell; found __proto__/],
    [['completion', 'constructor'], /expected bash, zsh, fish or powershell; found constructor/],
    [['show', 'nowhere.json'], /nowhere\.json cannot be read: no such file or folder/],
  ] as const)('of %j is exit code 64 and a sentence', async (args, sentence) => {
    const ran = await world().run(...args);
    expect([ran.code, ran.out, verdictOf(ran)]).toEqual([64, '', 'result: wrong-usage']);
    expect(ran.err).toMatch(sentence);
  });

  it.each(['--manages', '--target', '--exclude'])('is a glob of nothing: %s', async (flag) => {
    for (const glob of ['', ' ', '!']) {
      const { code, err } = await world().run(...planned, flag, glob);
      expect(code).toBe(64);
      expect(err).toBe(
        wrongUsage(
          `expected ${flag} to be a glob over addresses, such as 'AliasTopic/*'; found '${glob}'; set the variable that it comes from, or leave ${flag} out`,
        ),
      );
    }
  });
});

describe('what only prints', () => {
  it('gives the version, both ways', async () => {
    const { version } = JSON.parse(
      JSON.stringify(await import('../../../package.json', { with: { type: 'json' } })),
    ) as {
      version?: string;
    };
    const ran = await world().run('version');
    expect(ran.out).toMatch(/^gwconf \d+\.\d+\.\d+\n$/);
    expect(ran.out).toContain(version ?? '');
    expect(await world().run('--version')).toEqual(ran);
  });

  it('gives the schema of all kinds, or of one', async () => {
    const all = await world().run('schema');
    for (const kind of ['VirtualCluster', 'Interceptor', 'GatewayInterceptor', 'UserMapping'])
      expect(all.out).toContain(`"${kind}"`);
    const one = await world().run('schema', 'AliasTopic');
    expect(one.code).toBe(0);
    expect(JSON.parse(one.out)).toHaveProperty('$schema');
    expect(one.out.length).toBeLessThan(all.out.length / 2);
  });

  it.each(['bash', 'zsh', 'fish', 'powershell'])(
    'gives a completion for %s, which asks gwconf',
    async (shell) => {
      const { code, out } = await world().run('completion', shell);
      expect([code, out.includes('gwconf __complete ')]).toEqual([0, true]);
    },
  );

  it('helps, on stdout and with exit code 0', async () => {
    for (const args of [['--help'], ['help'], ['plan', '--help'], ['help', 'apply']]) {
      const { code, out, err } = await world().run(...args);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('Usage: gwconf');
    }
  });
});

describe('the summary of a step', () => {
  it('is added to the file that GitHub names, beside the report on stdout', async () => {
    const mine = world();
    mine.env['GITHUB_STEP_SUMMARY'] = 'summary.md';
    mine.write('summary.md', '# Job\n');
    const { code, out } = await mine.run(...planned, '-o', 'step-summary', '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ result: 'changes' });
    expect(mine.read('summary.md')).toMatch(/^# Job\n### 📝 Plan: 1 to create\n/);
    await mine.run(...planned, '-o', 'step-summary');
    expect(mine.read('summary.md').match(/^### /gm)).toHaveLength(2);
  });

  it('is refused outside of GitHub, before anything is done', async () => {
    const mine = world();
    const { code, err } = await mine.run(...applied, '-o', 'step-summary');
    expect(code).toBe(64);
    expect(err).toBe(
      wrongUsage(
        '-o step-summary needs GITHUB_STEP_SUMMARY, which GitHub sets; elsewhere use -o step-summary=FILE',
      ),
    );
    expect(await mine.run(...applied, '-o', 'step-summary=summary.md')).toMatchObject({ code: 0 });
    expect(mine.read('summary.md')).toContain('Applied: 1 done');
  });

  it('links to the lines of the files of the commit', async () => {
    const mine = world();
    mine.write('.git/HEAD', '');
    Object.assign(mine.env, {
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'team/gateway',
      GITHUB_SHA: '0123456789abcdef',
    });
    const { out } = await mine.run(...planned, '-o', 'markdown');
    expect(out).toContain(
      '[`a.yaml:1`](https://github.example/team/gateway/blob/0123456789abcdef/a.yaml#L1)',
    );
  });
});
