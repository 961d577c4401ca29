import { symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestReport } from '../../src/outcome/files.ts';
import { makeWorld, verdictOf, type World, inFormats } from '../support/cli.ts';
import { projectOf } from '../support/documents.ts';

const PROJECT = projectOf({
  prod: 'gateway: { url: "embedded:prod.json" }, files: [gateway], protection: { pci: [Interceptor/mask*] }',
});
const PEOPLE = `
  apiVersion: gateway/v2
  kind: VirtualCluster
  metadata: { name: prod }
  spec: { aclEnabled: true, superUsers: [admin] }
  ---
  apiVersion: gateway/v2
  kind: GatewayServiceAccount
  metadata: { name: orders-app, vCluster: prod }
  spec: { type: LOCAL }
  ---
  apiVersion: gateway/v2
  kind: GatewayGroup
  metadata: { name: batch }
  spec: { members: [{ name: orders-app, vCluster: prod }], externalGroups: [analysts] }
`;
const AUDIT = interceptor('audit', '{ vCluster: prod }', 'AuditPlugin', 10, '{ topic: ".*" }');
const MASK = interceptor(
  'mask',
  '{ vCluster: prod, group: batch }',
  'FieldLevelDataMaskingPlugin',
  20,
  '{ topic: "customers-.*", policies: [{ name: p, rule: { type: MASK_ALL }, fields: [a] }] }',
);
const FILES = {
  'gwconf.yaml': PROJECT,
  'gateway/people.yaml': PEOPLE,
  'gateway/audit.yaml': AUDIT,
  'gateway/mask.yaml': MASK,
};
const AUDIT_AT = 'Interceptor/audit@vCluster=prod';
const MASK_AT = 'Interceptor/mask@vCluster=prod,group=batch';

function interceptor(name: string, scope: string, plugin: string, priority: number, config: string): string {
  return `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: ${name}, scope: ${scope} }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.${plugin}
    priority: ${priority}
    config: ${config}
`;
}

/** A test with these cases, one on each line. */
function testWith(...cases: readonly string[]): string {
  return `apiVersion: gwconf/v1\nkind: Test\ncases:\n${cases.map((one) => `  - ${one}\n`).join('')}`;
}

const ORDERS = 'as: { username: orders-app, virtualCluster: prod }';

async function reportOf(world: World, ...args: readonly string[]): Promise<TestReport> {
  const { out } = await world.run('test', '-o', 'json', ...args);
  return JSON.parse(out) as TestReport;
}

/** The results of cases, and their errors. */
async function resultsOf(cases: readonly string[], files = FILES): Promise<readonly (readonly string[])[]> {
  const world = makeWorld({ ...files, 'a.gwtest.yaml': testWith(...cases) });
  const report = await reportOf(world);
  return report.cases.map(({ result, problems }) => [result, ...problems.map(({ message }) => message)]);
}

describe('gwconf test', () => {
  it('passes, fails, or finds a mistake: each has a result of its own', async () => {
    const world = makeWorld({
      ...FILES,
      'a.gwtest.yaml': testWith(`{ ${ORDERS}, expect: { protectedBy: [audit] } }`),
    });
    const passed = await world.run('test');
    expect({ ...passed, verdict: verdictOf(passed) }).toMatchObject({ code: 0, verdict: 'result: passed' });
    expect(passed.out).toBe(
      [
        'a.gwtest.yaml',
        '  passed  orders-app in prod  :4',
        '',
        'Tested in prod: 1 of 4 clients, 1 of 2 interceptors',
        '  without a case: all other clients in passthrough, all other clients in prod and members of the external group analysts in prod (group batch)',
        `  without an expectation: ${MASK_AT}`,
        '',
        '1 case: 1 passed.',
        '',
      ].join('\n'),
    );
    world.write('b.gwtest.yaml', testWith(`{ ${ORDERS}, expect: { excludes: [AuditPlugin] } }`));
    const failed = await world.run('test');
    expect([failed.code, verdictOf(failed)]).toEqual([1, 'result: tests-failed']);
    expect(failed.err).toContain(
      `error[failed-expectation]: orders-app in prod has ${AUDIT_AT}\n  --> b.gwtest.yaml:4:80\n`,
    );
    world.write('c.gwtest.yaml', 'apiVersion: gwconf/v1\nkind: Test\ncase: []\n');
    const mistaken = await world.run('test');
    expect([mistaken.code, verdictOf(mistaken)]).toEqual([1, 'result: error']);
    expect(mistaken.err).toContain('error[failed-expectation]');
    expect(mistaken.err).toContain(
      'error[unknown-field]: the test has no field case\n  --> c.gwtest.yaml:3:1\n',
    );
  });

  it.each<[string, string, readonly string[]]>([
    ['the chain in its order', `chain: ["${AUDIT_AT}", "${MASK_AT}"]`, ['passed']],
    [
      'the chain in another order',
      `chain: ["${MASK_AT}", "${AUDIT_AT}"]`,
      ['failed', `orders-app in prod has ${AUDIT_AT}, ${MASK_AT}`],
    ],
    [
      'less than the chain',
      `chain: ["${AUDIT_AT}"]`,
      ['failed', `orders-app in prod has ${AUDIT_AT}, ${MASK_AT}`],
    ],
    ['no interceptor', 'chain: []', ['failed', `orders-app in prod has ${AUDIT_AT}, ${MASK_AT}`]],
    ['a class by its last part', 'includes: [AuditPlugin]', ['passed']],
    [
      'a class in full, and an address',
      `includes: [io.conduktor.gateway.interceptor.AuditPlugin, "${MASK_AT}"]`,
      ['passed'],
    ],
    ['globs', 'includes: ["*Masking*", "Interceptor/au*"], excludes: ["*.chaos.*"]', ['passed']],
    [
      'a class that does not run',
      'includes: [EncryptPlugin]',
      ['failed', `orders-app in prod has no EncryptPlugin, but ${AUDIT_AT}, ${MASK_AT}`],
    ],
    [
      'the lack of a class that runs',
      'excludes: [AuditPlugin]',
      ['failed', `orders-app in prod has ${AUDIT_AT}`],
    ],
    ['a sort of the catalogue, and of the project', 'protectedBy: [masking, audit, pci]', ['passed']],
    ['another sort', 'protectedBy: [encryption]', ['failed', 'orders-app in prod has no encryption']],
    [
      'a sort that does not exist, and one that is missing',
      'protectedBy: [maskng, access]',
      ['failed', 'there is no protection type maskng', 'orders-app in prod has no access'],
    ],
    [
      'the lack of a class that does not exist',
      'excludes: [AuditPlugn]',
      ['passed', 'AuditPlugn is no address of an interceptor and no plugin class, so this cannot fail'],
    ],
  ])('checks %s', async (_, expected, result) => {
    expect(await resultsOf([`{ ${ORDERS}, expect: { ${expected} } }`])).toEqual([result]);
  });

  it('says the same of members of external groups whatever a hidden group is called', async () => {
    const group = (name: string, external: string): string =>
      `---\napiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: ${name} }\nspec: { externalGroups: ["${external}"] }\n`;
    const guard = (name: string): string =>
      `---${interceptor(`guard-${name}`, `{ vCluster: prod, group: ${name} }`, 'AuditPlugin', 50, '{}')}`;
    const groups = group('a', '${ONE}') + guard('a') + group('b', 'mid') + guard('b');
    const outOf = async (ONE: string): Promise<string> => {
      const world = makeWorld({
        ...FILES,
        'gateway/groups.yaml': groups,
        'a.gwtest.yaml': testWith(
          '{ as: { username: "*", virtualCluster: "*" }, expect: { excludes: ["Interceptor/guard-*"] } }',
          '{ as: { virtualCluster: prod }, expect: { includes: [AuditPlugin] } }',
        ),
      });
      Object.assign(world.env, { ONE });
      const { out, err } = await world.run('test', '-o', 'json');
      return out + err;
    };
    const first = await outOf('aaa');
    expect(first).toMatch(/external group \(hidden\) .* 1 more fail, such as .* external group mid/);
    expect(await outOf('zzz')).toBe(first);
  });

  it('says which address is meant by the name of an interceptor alone', async () => {
    const world = makeWorld({
      ...FILES,
      'a.gwtest.yaml': testWith(`{ ${ORDERS}, expect: { excludes: [mask] } }`),
    });
    const { cases } = await reportOf(world);
    expect(cases.flatMap(({ problems }) => problems.map(({ message, hint }) => [message, hint]))).toEqual([
      [
        'mask is no address of an interceptor and no plugin class, so this cannot fail',
        `did you mean ${MASK_AT}?`,
      ],
    ]);
  });

  it('takes no audit of others for a protection', async () => {
    const audited = [`{ ${ORDERS}, expect: { protectedBy: [audit], includes: [AuditPlugin] } }`];
    const resultWith = (config: string): Promise<readonly (readonly string[])[]> =>
      resultsOf(audited, { ...FILES, 'gateway/audit.yaml': AUDIT.replace('{ topic: ".*" }', config) });
    expect(await resultWith('{ vcluster: nowhere }')).toEqual([
      ['failed', 'orders-app in prod has no audit'],
    ]);
    expect(await resultWith('{ username: bob }')).toEqual([['failed', 'orders-app in prod has no audit']]);
    expect(await resultWith('{ topic: "orders, a" }')).toEqual([
      ['failed', 'orders-app in prod has no audit'],
    ]);
    expect(await resultWith('{ vcluster: pr.*, username: "orders-.*" }')).toEqual([['passed']]);
    expect(await resultWith('{ vcluster: "${V}" }')).toEqual([['passed']]);
  });

  it('takes no mask for a protection that runs before what it masks is decrypted', async () => {
    const files = (priority: number) => ({
      ...FILES,
      'gateway/mask.yaml': MASK.replace('priority: 20', `priority: ${priority}`),
      'gateway/encrypt.yaml': interceptor(
        'encrypt',
        '{ vCluster: prod, username: crm }',
        'EncryptPlugin',
        10,
        '{ topic: customers-eu, recordValue: { fields: [{ fieldName: a, keySecretId: "in-memory-kms://k" }] } }',
      ),
      'gateway/decrypt.yaml': interceptor(
        ...(['decrypt', '{ vCluster: prod }', 'DecryptPlugin', 30, '{ topic: customers-.* }'] as const),
      ),
    });
    const masked = '{ protectedBy: [masking] }';
    const cases = [
      `{ ${ORDERS}, topic: customers-eu, expect: ${masked} }`,
      `{ ${ORDERS}, topic: customers-us, expect: ${masked} }`,
      `{ ${ORDERS}, expect: ${masked} }`,
    ];
    const told = `orders-app in prod has ${MASK_AT}, which runs before Interceptor/decrypt@vCluster=prod decrypts what it masks`;
    expect(await resultsOf(cases, files(20))).toEqual([['failed', told], ['passed'], ['failed', told]]);
    expect(await resultsOf(cases, files(40))).toEqual([['passed'], ['passed'], ['passed']]);
  });

  it('takes interceptors of one priority in any order', async () => {
    const files = { ...FILES, 'gateway/audit.yaml': AUDIT.replace('priority: 10', 'priority: 20') };
    const chains = [
      [AUDIT_AT, MASK_AT],
      [MASK_AT, AUDIT_AT],
    ].map((chain) => JSON.stringify(chain));
    const cases = chains.map((chain) => `{ ${ORDERS}, expect: { chain: ${chain} } }`);
    expect(await resultsOf(cases, files)).toEqual([['passed'], ['passed']]);
  });

  it.each<[string, string, readonly string[]]>([
    ['an account has its groups', 'username: orders-app, virtualCluster: prod', [MASK_AT]],
    ['groups that are named take their place', 'username: orders-app, virtualCluster: prod, groups: []', []],
    ['a client without a name may be in groups', 'virtualCluster: prod, groups: [batch]', [MASK_AT]],
    ['all other clients', 'virtualCluster: prod', []],
  ])('%s', async (_, as, chain) => {
    const files = { ...FILES, 'gateway/audit.yaml': '# none\n' };
    expect(
      await resultsOf([`{ as: { ${as} }, expect: { chain: ${JSON.stringify(chain)} } }`], files),
    ).toEqual([['passed']]);
  });

  it('checks all principals that match a pattern, and tells of them together, or of one with its groups', async () => {
    expect(
      await resultsOf([
        '{ as: "*", expect: { includes: [FieldLevelDataMaskingPlugin] } }',
        '{ as: { username: "*-app" }, expect: { includes: [FieldLevelDataMaskingPlugin] } }',
        '{ as: { username: "*", groups: [batch] }, expect: { protectedBy: [masking] } }',
        '{ as: { virtualCluster: p* }, expect: { protectedBy: [audit] } }',
        '{ as: { username: refunds-* }, expect: { chain: [] } }',
        '{ as: { virtualCluster: prod, groups: [batch] }, expect: { protectedBy: [access] } }',
      ]),
    ).toEqual([
      [
        'failed',
        'all other clients in passthrough have no FieldLevelDataMaskingPlugin, but no interceptor; 1 more fail, such as all other clients in prod',
      ],
      ['passed'],
      ['passed'],
      ['failed', 'all other clients in passthrough have no audit'],
      ['failed', 'no client matches'],
      ['failed', 'all other clients in prod (group batch) have no access'],
    ]);
  });

  it('warns of a principal that no file knows', async () => {
    expect(
      await resultsOf([
        '{ as: { username: order-app, virtualCluster: prod }, expect: { protectedBy: [audit] } }',
        '{ as: { virtualCluster: prd }, expect: { chain: [] } }',
        '{ as: { groups: [nobody] }, expect: { excludes: [AuditPlugin] } }',
      ]),
    ).toEqual([
      ['passed', 'no file knows order-app in prod'],
      ['passed', 'no file knows the virtual cluster prd'],
      ['passed', 'no file has a member of the group nobody, or an interceptor for it'],
    ]);
  });

  it('narrows the chain to a topic, and does not pass on what cannot be told', async () => {
    const unclear = MASK.replace('"customers-.*"', '"(?<!x)c.*"');
    const one = (topic: string, expected: string): string =>
      `{ ${ORDERS}, topic: ${topic}, expect: { ${expected} } }`;
    expect(
      await resultsOf([
        one('customers-1', 'protectedBy: [masking]'),
        one('orders', 'protectedBy: [audit], excludes: [FieldLevelDataMaskingPlugin]'),
        one('orders', `chain: ["${AUDIT_AT}"]`),
        one('orders', 'protectedBy: [masking]'),
      ]),
    ).toEqual([['passed'], ['passed'], ['passed'], ['failed', 'orders-app in prod has no masking']]);
    const doubtful = await resultsOf(
      [
        'protectedBy: [masking]',
        'includes: ["*Masking*"]',
        'excludes: ["*Masking*"]',
        `chain: ["${AUDIT_AT}"]`,
      ].map((expected) => one('customers-1', expected)),
      { ...FILES, 'gateway/mask.yaml': unclear },
    );
    expect(doubtful.map(([result, message = '']) => [result, message.replace(/: .*/, '')])).toEqual([
      ['failed', `orders-app in prod has ${MASK_AT}, which may not cover the topic`],
      ['failed', `orders-app in prod has ${MASK_AT}, which may not cover the topic`],
      ['failed', `orders-app in prod has ${MASK_AT}, which may cover the topic`],
      ['failed', `orders-app in prod has ${MASK_AT}, which may cover the topic`],
    ]);
  });

  it('does not run cases of files with mistakes, and tells the mistakes', async () => {
    const world = makeWorld({
      ...FILES,
      'gateway/audit.yaml': AUDIT.replace('priority: 10', 'priority: high'),
      'a.gwtest.yaml': testWith(`{ ${ORDERS}, expect: { chain: [] } }`),
    });
    const report = await reportOf(world);
    expect(report).toMatchObject({
      result: 'error',
      summary: { cases: 1, notRun: 1 },
      cases: [{ result: 'not-run' }],
    });
    expect(report.problems).toMatchObject([{ code: 'invalid-value', file: 'gateway/audit.yaml' }]);
  });

  it('is an error without a test', async () => {
    const world = makeWorld(FILES);
    expect((await reportOf(world)).problems).toMatchObject([
      { code: 'no-resources', message: 'no test is in the folder of the project' },
    ]);
    world.write('tests/a.gwtest.yaml', testWith(`{ ${ORDERS}, expect: { protectedBy: [audit] } }`));
    expect(await reportOf(world)).toMatchObject({ result: 'passed' });
    expect(await reportOf(world, 'gateway')).toMatchObject({ result: 'error' });
  });

  it('takes no list for an expectation that has none', async () => {
    for (const field of ['includes', 'excludes', 'protectedBy']) {
      const text = testWith(`{ ${ORDERS}, expect: { ${field}: [] } }`);
      expect((await reportOf(makeWorld({ ...FILES, 'a.gwtest.yaml': text }))).problems).toMatchObject([
        { code: 'invalid-value', message: `an empty list of ${field} expects nothing` },
      ]);
    }
  });

  it('does not leave out a test because its file has another name', async () => {
    const failing = testWith(`{ ${ORDERS}, expect: { protectedBy: [encryption] } }`);
    const passing = testWith(`{ ${ORDERS}, expect: { protectedBy: [audit] } }`);
    const world = makeWorld({ ...FILES, 'tests/a.gwtest.yaml': passing, 'tests/b/prod.yaml': failing });
    const told = {
      code: 'invalid-value',
      message:
        'the test in tests/b/prod.yaml is without effect: the name of its file does not end in .gwtest.yaml',
      ...{ file: 'tests/b/prod.yaml', line: 2, column: 7 },
      hint: 'name the file NAME.gwtest.yaml',
    };
    for (const args of [[], ['tests']])
      expect(await reportOf(world, ...args)).toMatchObject({ result: 'error', problems: [told] });
    // A file that is named is read, whatever its name.
    expect(await reportOf(world, 'tests/b/prod.yaml')).toMatchObject({ result: 'tests-failed' });
    expect(await reportOf(world, 'tests/a.gwtest.yaml')).toMatchObject({ result: 'passed' });
  });

  it('leaves tests of other tools alone, and what git ignores', async () => {
    const test = testWith(`{ ${ORDERS}, expect: { protectedBy: [encryption] } }`);
    const world = makeWorld({
      ...FILES,
      'a.gwtest.yaml': testWith(`{ ${ORDERS}, expect: { protectedBy: [audit] } }`),
      '.gitignore': 'build\n',
      '.git/HEAD': '',
      'build/x.yaml': test,
      'node_modules/x/x.yaml': test,
      'k/kyverno-test.yaml': test.replace('gwconf/v1', 'cli.kyverno.io/v1alpha1'),
      'k/other.json': '{ "kind": "Test", "name": "x" }',
      'k/broken.yaml': 'kind: Test\n: [',
    });
    expect(await reportOf(world)).toMatchObject({ result: 'passed', problems: [] });
  });

  it('passes over a link out of the project that git ignores, and no other one', async () => {
    const world = makeWorld({
      ...FILES,
      'a.gwtest.yaml': testWith(`{ ${ORDERS}, expect: { protectedBy: [audit] } }`),
      '.git/HEAD': '',
      '.gitignore': 'result\nbuild/\n',
      'build/note.txt': '',
    });
    symlinkSync(tmpdir(), join(world.folder, 'result'));
    symlinkSync('/nowhere', join(world.folder, 'build/old'));
    expect(await world.run('test')).toMatchObject({ code: 0 });
    symlinkSync(tmpdir(), join(world.folder, 'results'));
    const ran = await world.run('test');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('results cannot be read: it is a link out of the project');
    expect(ran.err).not.toContain('result cannot be read');
  });

  it('reads tests whose names end as those of files of resources may', async () => {
    const failing = testWith(`{ ${ORDERS}, expect: { protectedBy: [encryption] } }`);
    for (const name of ['a.gwtest.yml', 'A.GwTest.YAML', 'a.gwtest.json'])
      expect(await reportOf(makeWorld({ ...FILES, [`tests/${name}`]: failing })), name).toMatchObject({
        result: 'tests-failed',
        summary: { cases: 1 },
      });
  });
});

describe('the environments of tests', () => {
  const project = projectOf({ dev: 'files: [gateway/people.yaml]', prod: 'files: [gateway]' });
  const files = { ...FILES, 'gwconf.yaml': project };
  const audited = testWith(`{ ${ORDERS}, expect: { protectedBy: [audit] } }`);

  it('are all of them, unless one is chosen or named', async () => {
    const world = makeWorld({ ...files, 'a.gwtest.yaml': audited });
    const all = await reportOf(world);
    expect(all.cases.map(({ environment, result }) => [environment, result])).toEqual([
      ['dev', 'failed'],
      ['prod', 'passed'],
    ]);
    expect(all.problems.map(({ message }) => message)).toEqual(['orders-app in prod has no audit (in dev)']);
    expect((await world.run('test')).out).toContain('  FAILED  orders-app in prod (dev)  :4\n');
    expect((await reportOf(world, '--env', 'prod')).summary).toMatchObject({ cases: 1, passed: 1 });
    world.write('a.gwtest.yaml', audited.replace('cases', 'environment: prod\ncases'));
    expect((await reportOf(world)).summary).toMatchObject({ cases: 1, passed: 1 });
    expect((await reportOf(world, '--env', 'dev')).problems).toMatchObject([
      { message: 'no test for dev is in the folder of the project' },
    ]);
  });

  it('has to be one of gwconf.yaml', async () => {
    const world = makeWorld({
      ...files,
      'a.gwtest.yaml': audited.replace('cases', 'environment: prdo\ncases'),
    });
    expect((await reportOf(world)).problems).toMatchObject([
      { message: 'there is no environment prdo', line: 3, column: 14, hint: 'did you mean prod?' },
    ]);
  });

  it('may be files that the test names, from its folder', async () => {
    const world = makeWorld({
      ...files,
      'tests/a.gwtest.yaml': audited.replace(
        'cases',
        'files: [../gateway/people.yaml, ../gateway/audit.yaml]\ncases',
      ),
      'tests/b.gwtest.yaml': audited.replace('cases', 'files: [nowhere, /etc/hosts]\ncases'),
    });
    const report = await reportOf(world);
    expect(report.cases.map(({ result }) => result)).toEqual(['passed', 'not-run']);
    expect(report.problems).toMatchObject([
      { code: 'unreadable-file', file: 'tests/b.gwtest.yaml', line: 3, column: 9 },
      { code: 'unreadable-file', file: 'tests/b.gwtest.yaml', line: 3, column: 18 },
    ]);
  });

  it('need no gwconf.yaml', async () => {
    const { 'gwconf.yaml': _, ...others } = files;
    const world = makeWorld({ ...others, 'a.gwtest.yaml': audited });
    expect(await reportOf(world)).toMatchObject({ result: 'passed' });
  });

  it('are read without the values of variables', async () => {
    const secret = AUDIT.replace('".*"', '"${TOPICS}"');
    const world = makeWorld({ ...FILES, 'gateway/audit.yaml': secret, 'a.gwtest.yaml': audited });
    expect(await reportOf(world)).toMatchObject({ cases: [{ result: 'passed' }] });
  });
});

describe('the examples of policies', () => {
  const policy = (name: string): string => `
    apiVersion: gwconf/v1
    kind: Policy
    metadata: { name: mine }
    spec:
      match: { kind: AliasTopic }
      expression: object.metadata.name.startsWith("payments-")
      message: its name has no prefix
      examples:
        pass: [{ object: { kind: AliasTopic, metadata: { name: ${name} } } }]
        fail: [{ object: { kind: AliasTopic, metadata: { name: other } } }]
  `;
  const project = projectOf(
    { prod: 'files: [gateway]' },
    'policies: { files: [policies], builtIn: { no-wildcard-acls: true } }\n',
  );

  it('are cases, and no path leaves them out', async () => {
    const world = makeWorld({
      ...FILES,
      'gwconf.yaml': project,
      'policies/a.policy.yaml': policy('payments-a'),
    });
    const report = await reportOf(world);
    expect(report.result).toBe('passed');
    expect(report.cases.map(({ name, result, line }) => [name, result, line])).toEqual([
      ['policy mine: pass 1', 'passed', 9],
      ['policy mine: fail 1', 'passed', 10],
    ]);
    world.write('policies/a.policy.yaml', policy('a'));
    expect((await reportOf(world)).result).toBe('tests-failed');
    world.write('policies/a.policy.yaml', policy('a').replace('startsWith', 'begins'));
    expect(await reportOf(world)).toMatchObject({ result: 'error', problems: [{ code: 'invalid-policy' }] });
  });
});

describe('gwconf test --watch', () => {
  it('runs again after a change, also one of its own reports or a file beside, until an interrupt', async () => {
    const audited = testWith(`{ ${ORDERS}, expect: { protectedBy: [audit] } }`);
    const world = makeWorld({ ...FILES, 'tests/a.gwtest.yaml': audited });
    const interrupt = new AbortController();
    const results: string[] = [];
    const steps = [
      () => world.write('gateway/audit.yaml', '# none\n'),
      () => world.write('gateway/more.yaml', AUDIT),
      () => world.write('tests/a.gwtest.yaml', audited.replace('audit', 'encryption')),
      () => interrupt.abort(),
    ];
    let said = '';
    const { code } = await world.runWith(
      {
        interrupt,
        onErr: (text) => {
          said += text;
          if (!text.startsWith('Waiting')) return;
          const result = /result: (\S+)\n$/.exec(said.slice(0, -text.length))?.[1] ?? '';
          // One change may be told of several times.
          if (result === results.at(-1)) return;
          results.push(result);
          steps[results.length - 1]?.();
        },
      },
      ...['test', '--watch', '-o', 'json=report.json'],
    );
    expect(results).toEqual(['passed', 'tests-failed', 'passed', 'tests-failed']);
    expect(code).toBe(0);
  });
});

it('a case that holds only by a default says so, also after a plan, and others do not', async () => {
  const world = makeWorld({
    ...FILES,
    'gateway/audit.yaml': AUDIT.replace('".*"', '"${TOPIC:-orders.*}"'),
    'a.gwtest.yaml': testWith(
      `{ ${ORDERS}, topic: orders, expect: { protectedBy: [audit] } }`,
      `{ ${ORDERS}, expect: { protectedBy: [audit] } }`,
      `{ ${ORDERS}, topic: orders, after: plan, expect: { protectedBy: [audit] } }`,
    ),
  });
  const told = async (): Promise<unknown> => {
    const { result, problems } = await reportOf(world);
    return [result, ...problems.map(({ code, line }) => `${code} ${line ?? 0}`)];
  };
  const byDefault = ['passed', 'cannot-tell 4', 'cannot-tell 6'];
  expect(await told()).toEqual(byDefault);
  Object.assign(world.env, { TOPIC: 'orders' });
  expect(await told()).toEqual(['passed']);
  Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'TOPIC' });
  expect(await told(), 'hidden there').toEqual(byDefault);
  world.write('gateway/audit.yaml', AUDIT.replace(/priority: \d+/, 'priority: ${PRIO:-10}'));
  expect((await reportOf(world)).problems[0]?.message).toMatch(
    /^cannot tell whether it holds without a default: the priority of .* is unknown/,
  );
});

describe('a case after a plan', () => {
  const keeps = testWith(
    '{ as: "*", after: plan, expect: { noLastingLoss: true } }',
    `{ ${ORDERS}, after: plan, expect: { protectedBy: [audit] } }`,
  );

  it('fails if somebody loses a sort of protection permanently, on a gateway and with a snapshot', async () => {
    const world = makeWorld({ ...FILES, 'a.gwtest.yaml': keeps });
    await world.run('apply', '--auto-approve', '-f', 'gateway');
    expect(await reportOf(world)).toMatchObject({ result: 'passed' });
    await world.run('snapshot', '--out', 'snapshot.json');
    const before = world.read('prod.json');
    const removal = `
      apiVersion: gwconf/v1
      kind: Removal
      metadata: { name: no-audit }
      spec: { reason: too slow, remove: ["${AUDIT_AT}"] }
    `;
    world.write('gateway/audit.yaml', removal);
    for (const args of [[], ['--snapshot', 'snapshot.json']]) {
      const report = await reportOf(world, ...args);
      expect(report.result).toBe('tests-failed');
      expect(report.problems.map(({ message }) => message)).toEqual([
        'orders-app in prod loses audit permanently; 2 more fail, such as all other clients in prod and members of the external group analysts in prod',
        'orders-app in prod has no audit',
      ]);
    }
    expect(world.read('prod.json')).toBe(before);
  });

  it('counts an audit of others as none, and an account that is renamed as one client', async () => {
    const lossOf = async (world: World): Promise<string | undefined> =>
      (await reportOf(world)).problems[0]?.message;
    const world = makeWorld({ ...FILES, 'a.gwtest.yaml': keeps });
    await world.run('apply', '--auto-approve', '-f', 'gateway');
    world.write('gateway/audit.yaml', AUDIT.replace('topic: ".*"', 'username: somebody'));
    expect(await lossOf(world)).toContain('orders-app in prod loses audit permanently');
    world.write(
      'gateway/audit.yaml',
      AUDIT.replace('{ vCluster: prod }', '{ vCluster: prod, username: orders-app }'),
    );
    await world.run('apply', '--auto-approve', '-f', 'gateway', '--prune', '--manages', '*');
    const [from, to] = ['orders-app', 'renamed'].map((name) => `GatewayServiceAccount/${name}@vCluster=prod`);
    const removal = `
      apiVersion: gwconf/v1
      kind: Removal
      metadata: { name: renamed }
      spec: { reason: a new name, moved: [{ from: "${from}", to: "${to}" }] }
    `;
    world.write('gateway/people.yaml', PEOPLE.replaceAll('orders-app', 'renamed'));
    world.write('gateway/renamed.yaml', removal);
    const messages = (await reportOf(world)).problems.map(({ message }) => message);
    expect(messages).toContain('renamed in prod loses audit permanently');
  });

  it('tells what is lost by clients whose group or scope comes or goes', async () => {
    const world = makeWorld({ ...FILES, 'gateway/audit.yaml': '# none\n' });
    const ofUser = interceptor(
      'own',
      '{ vCluster: prod, username: zoe }',
      'AuditPlugin',
      5,
      '{ topic: ".*" }',
    );
    const ofAll = MASK.replace('{ vCluster: prod, group: batch }', '{ vCluster: prod }');
    const ofBatch = interceptor(
      'mask',
      '{ vCluster: prod, group: batch }',
      'AuditPlugin',
      20,
      '{ topic: x }',
    );
    world.write('a.gwtest.yaml', testWith('{ as: "*", after: plan, expect: { noLastingLoss: true } }'));
    const apply = async (mask: string): Promise<void> => {
      world.write('gateway/mask.yaml', mask);
      await world.run('apply', '--auto-approve', '-f', 'gateway', '--prune', '--manages', '*');
    };
    const losses = async (): Promise<unknown> => (await reportOf(world)).problems.map((one) => one.message);
    const remove = (address: string): void => {
      const spec = `{ reason: too slow, remove: ["${address}"] }`;
      world.write(
        'gateway/mask.yaml',
        `apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: gone }\nspec: ${spec}\n`,
      );
    };
    await apply(ofUser);
    remove('Interceptor/own@vCluster=prod,username=zoe');
    expect(await losses()).toEqual(['zoe in prod loses audit permanently']);
    const members = 'members of the external group analysts in prod';
    await apply(MASK);
    remove(MASK_AT);
    expect(await losses()).toEqual([
      `orders-app in prod loses masking, pci permanently; 1 more fail, such as ${members}`,
    ]);
    world.write('gateway/people.yaml', PEOPLE.replace(', externalGroups: [analysts]', ''));
    await apply(`${ofAll}---${ofBatch}`);
    world.write('gateway/people.yaml', PEOPLE);
    expect(await losses()).toEqual([`${members} lose masking permanently`]);
  });

  it('tells what is lost by a client whose external name another account gets', async () => {
    const ofAnna = AUDIT.replace('{ vCluster: prod }', '{ vCluster: prod, username: anna }');
    const world = makeWorld({ ...FILES, 'gateway/audit.yaml': ofAnna, 'a.gwtest.yaml': keeps });
    const write = (name: string, external: string): void =>
      world.write(
        `gateway/${name}.yaml`,
        `
        apiVersion: gateway/v2
        kind: GatewayServiceAccount
        metadata: { name: ${name}, vCluster: prod }
        spec: { type: EXTERNAL, externalNames: [${external}] }
        `,
      );
    write('anna', 'sub-1');
    write('berta', 'sub-2');
    await world.run('apply', '--auto-approve', '-f', 'gateway');
    write('anna', 'sub-3');
    write('berta', 'sub-1');
    const [first] = (await reportOf(world)).problems;
    expect(first?.message).toBe('berta in prod loses audit permanently');
  });

  it('counts what is on the gateway and in no file', async () => {
    const world = makeWorld({ ...FILES, 'a.gwtest.yaml': keeps });
    await world.run('apply', '--auto-approve', '-f', 'gateway');
    world.write('gateway/audit.yaml', '# none\n');
    expect(await reportOf(world)).toMatchObject({ result: 'passed' });
  });

  it('needs a gateway, or a snapshot; other cases call none', async () => {
    const world = makeWorld({
      ...FILES,
      'gwconf.yaml': PROJECT.replace('embedded:prod.json', 'http://127.0.0.1:1'),
    });
    world.write('a.gwtest.yaml', testWith(`{ ${ORDERS}, expect: { protectedBy: [audit] } }`));
    expect(await reportOf(world)).toMatchObject({ result: 'passed' });
    world.write('a.gwtest.yaml', keeps);
    const report = await reportOf(world);
    expect(report).toMatchObject({ result: 'error', summary: { notRun: 2 } });
    expect(report.problems).toMatchObject([{ code: 'connection-error' }]);
  });
});

it('names of files and objects break out of no format', async () => {
  const evil = 'a\\u001b[31mb\\u202e\\n```\\n<b>x</b>\\n::error::y';
  const scope = `{ vCluster: prod, username: "${evil}" }`;
  const world = makeWorld({
    ...FILES,
    'gateway/evil.yaml': interceptor('audit', scope, 'AuditPlugin', 10, '{ topic: "t(?=x)" }'),
    'evil.gwtest.yaml': `apiVersion: gwconf/v1\nkind: Test\ncases: [{ name: "${evil}", as: { virtualCluster: prod, username: "a*" }, expect: { chain: [] } }]`,
    'topics.txt': 'orders',
  });
  const effective = ['effective', '--uncovered', '--topics', 'topics.txt'];
  const formats = ['human', 'json', 'markdown', 'html'];
  for (const command of [['test', 'evil.gwtest.yaml'], effective, ['effective', '--why']]) {
    const { err } = await world.run(...command, ...inFormats(...formats));
    for (const text of formats.map((format) => world.read(`out.${format}`))) {
      expect(text, err).toContain('a\\u001b[31mb');
      expect(`${text}${err}`).not.toMatch(/[\u001b\u202e]|^(?:<b>x|```\n<b>|::error)/m);
    }
  }
});
