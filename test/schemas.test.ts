import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  catalog,
  editorSchema,
  memoryGateway,
  policySchema,
  projectSchema,
  serveGateway,
  testSchema,
  type Server,
} from '../src/index.ts';
import { publish } from '../src/model/compile-shape.ts';
import type { FleetReport } from '../src/outcome/fleet.ts';
import type { ApplyReport } from '../src/outcome/apply.ts';
import { SHAPES } from '../src/outcome/shapes/published.ts';
import { makeWorld, type Ran, type World } from './support/cli.ts';
import { dedent } from './support/expect-problems.ts';
import { hasGit, makeGitWorld, type GitWorld } from './support/git-world.ts';
import { interceptWith } from './support/faults/intercept-with.ts';
import { makeLaggingStore } from './support/faults/lagging-store.ts';
import { tokenWith } from './support/tokens.ts';
import { readDocument } from './support/markdown.ts';
import { alias, cluster, documentOf, projectOf } from './support/documents.ts';

const NAMES = [
  'validate-report',
  'plan-report',
  'apply-report',
  'diff-report',
  'explain-report',
  'export-report',
  'drift-report',
  'get-report',
  'version-report',
  'doctor-report',
  'plugins-report',
  'scan-report',
  'migrate-report',
  'selftest-report',
  'resolve-report',
  'effective-report',
  'test-report',
  'switch-report',
  'token-report',
  'token-inspection',
  'ndjson',
  'saved-plan',
  'snapshot',
  'environments-report',
  'fleet-report',
  'runs-report',
  'run-report',
] as const;
type Name = (typeof NAMES)[number];

const ajv = new Ajv({
  allErrors: true,
  formats: { 'date-time': (text: string) => !isNaN(Date.parse(text)) },
});
const checks = new Map(NAMES.map((name) => [name, ajv.compile(schemaNamed(name))]));

const CLUSTER = cluster('prod', '{ aclEnabled: true, superUsers: [admin] }');
const ALIAS = alias('orders', 'orders-v1', 'prod');
// The gateway of these tests has no topic, so it refuses a rule that does not make its own.
const REFUSED = documentOf(
  'ConcentrationRule',
  '{ name: events, vCluster: prod }',
  '{ pattern: events-.*, physicalTopics: { delete: events } }',
);
const ACCOUNT = documentOf(
  'GatewayServiceAccount',
  '{ name: one }',
  '{ type: EXTERNAL, externalNames: [00u9vme99] }',
);
const GROUP = documentOf('GatewayGroup', '{ name: some }', '{ members: [{ name: one }] }');
const SECRET = `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: encrypt }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
    priority: 1
    config:
      topic: orders
      kmsConfig: { vault: { uri: "http://vault.example:8200", token: "\${VAULT_TOKEN}", version: 1 } }
`;

const PROJECT = projectOf({ prod: '' });

let world: World;
let server: Server;
beforeEach(async () => {
  world = makeWorld();
  server = await serveGateway(
    memoryGateway(catalog.kinds, { topics: new Map(), physicalClusters: ['main', 'far'] }),
    {
      port: 0,
    },
  );
});
afterEach(async () => {
  await server.close();
});

/** As `gwconf schema` prints it. */
const schemaIn = (path: string): string => `${JSON.stringify(JSON.parse(readDocument(path)), null, 2)}\n`;

describe.each(NAMES)('schemas/%s.schema.json', (name) => {
  it('is published of its shape', () => {
    expect(schemaIn(`schemas/${name}.schema.json`)).toBe(
      `${JSON.stringify(publish(SHAPES[name]), null, 2)}\n`,
    );
  });
});

describe('schemas/resources.schema.json', () => {
  it('is what gwconf schema prints', () => {
    const written = `${JSON.stringify(editorSchema(catalog), null, 2)}\n`;
    expect(schemaIn('schemas/resources.schema.json')).toBe(written);
  });
});

describe('schemas/policy.schema.json', () => {
  it('is what policy files are held to, and what gwconf schema Policy prints', async () => {
    const written = `${JSON.stringify(policySchema, null, 2)}\n`;
    expect(schemaIn('schemas/policy.schema.json')).toBe(written);
    expect((await makeWorld().run('schema', 'Policy')).out).toBe(written);
  });
});

describe('schemas/project.schema.json', () => {
  it('is what gwconf.yaml is held to, and what gwconf schema Project prints', async () => {
    const written = `${JSON.stringify(projectSchema, null, 2)}\n`;
    expect(schemaIn('schemas/project.schema.json')).toBe(written);
    expect((await makeWorld().run('schema', 'Project')).out).toBe(written);
  });
});

describe('validate', () => {
  it('valid', async () => {
    write(CLUSTER, ALIAS);
    expect(await report('validate', 'validate-report')).toMatchObject({ result: 'valid' });
  });

  it('error, with two places', async () => {
    write(CLUSTER, CLUSTER, ALIAS.replace('physicalName', 'phsicalName'));
    const found = await report('validate', 'validate-report');
    expect(found).toMatchObject({ result: 'error' });
    expect(JSON.stringify(found)).toContain('"also"');
  });
});

describe('schemas/test.schema.json', () => {
  it('is what test files are held to, and what gwconf schema Test prints', async () => {
    const written = `${JSON.stringify(testSchema, null, 2)}\n`;
    expect(schemaIn('schemas/test.schema.json')).toBe(written);
    expect((await makeWorld().run('schema', 'Test')).out).toBe(written);
  });
});

describe('test', () => {
  const head = 'apiVersion: gwconf/v1\nkind: Test\nfiles: [in.yaml]\ncases:\n';

  it('passed, and tests-failed', async () => {
    write(CLUSTER, GROUP);
    world.write('a.gwtest.yaml', `${head}  - { as: {}, expect: { chain: [] } }\n`);
    expect(await report('test', 'test-report', 'a.gwtest.yaml')).toMatchObject({ result: 'passed' });
    world.write('a.gwtest.yaml', `${head}  - { as: "*", expect: { protectedBy: [audit] } }\n`);
    expect(await report('test', 'test-report', 'a.gwtest.yaml')).toMatchObject({ result: 'tests-failed' });
  });
});

describe('plan', () => {
  it('changes: creates', async () => {
    write(CLUSTER, ALIAS);
    expect(await report('plan', 'plan-report')).toMatchObject({ result: 'changes', summary: { create: 2 } });
    expect(await report('plan --explain VirtualCluster/prod', 'explain-report')).toMatchObject({
      explained: [{ position: 1, requiredBy: [{ action: 'create' }] }],
    });
  });

  it('changes: an update, a replacement, a delete; narrowed and pruned', async () => {
    const partner = CLUSTER.replace('superUsers', 'type: Partner, superUsers');
    await apply(partner, ALIAS, ALIAS.replace('orders,', 'other,'));
    write(
      partner.replace('[admin]', '[admin, root]'),
      ALIAS.replace('physicalName: orders-v1', 'physicalName: orders-v2, physicalCluster: far'),
    );
    const pruned = await report('plan --prune --manages * --exclude Interceptor/*', 'plan-report');
    expect(pruned).toMatchObject({
      result: 'changes',
      summary: { update: 1, replace: 1, delete: 1 },
      prune: ['*'],
      selection: { exclude: ['Interceptor/*'] },
    });
  });

  it('no changes', async () => {
    await apply(CLUSTER);
    expect(await report('plan', 'plan-report')).toMatchObject({ result: 'no-changes' });
  });

  it('error: a target that is nowhere', async () => {
    write(ALIAS);
    expect(await report('plan', 'plan-report')).toMatchObject({ result: 'error' });
  });

  it('error: no gateway there', async () => {
    write(CLUSTER);
    await server.close();
    expect(await report('plan', 'plan-report')).toMatchObject({ result: 'error' });
  });
});

describe('apply', () => {
  it('applied', async () => {
    write(CLUSTER, ALIAS);
    const found = await report('apply --auto-approve', 'apply-report');
    expect(found).toMatchObject({ result: 'applied', summary: { create: 2, done: 2 } });
  });

  it('no changes', async () => {
    await apply(CLUSTER);
    expect(await report('apply --auto-approve', 'apply-report')).toMatchObject({ result: 'no-changes' });
  });

  it('partial', async () => {
    write(CLUSTER, REFUSED);
    const found = await report('apply --auto-approve', 'apply-report');
    expect(found).toMatchObject({ result: 'partial', summary: { done: 1, failed: 1 } });
  });

  it('failed', async () => {
    await apply(CLUSTER);
    write(CLUSTER, REFUSED);
    expect(await report('apply --auto-approve', 'apply-report')).toMatchObject({ result: 'failed' });
  });

  it('failed, with what it blocked', async () => {
    await server.close();
    const intercept = interceptWith([{ at: 1, fault: 'status', status: 400 }], makeLaggingStore());
    server = await serveGateway(memoryGateway(catalog.kinds), { port: 0, intercept });
    write(ACCOUNT, GROUP);
    const found = await report('apply --auto-approve', 'apply-report');
    expect(found).toMatchObject({
      result: 'failed',
      ledger: [
        { outcome: 'failed', problem: { code: 'gateway-error' } },
        { outcome: 'blocked', by: ['GatewayServiceAccount/one@vCluster=passthrough'] },
      ],
    });
  });

  it('stale', async () => {
    write(CLUSTER);
    await gwconf('plan -f in.yaml --out plan.json');
    await apply(CLUSTER.replace('[admin]', '[root]'));
    expect(await report('apply plan.json', 'apply-report', '')).toMatchObject({ result: 'stale' });
  });

  it('blocked by a safety rule', async () => {
    write(CLUSTER);
    expect(await report('apply --auto-approve --prune', 'apply-report')).toMatchObject({ result: 'blocked' });
  });

  it('error', async () => {
    write(ALIAS);
    expect(await report('apply --auto-approve', 'apply-report')).toMatchObject({ result: 'error' });
  });
});

describe('journal', () => {
  it('of runs that ended well and not, and of one of them', async () => {
    await apply(CLUSTER);
    write(CLUSTER, ALIAS, REFUSED);
    await gwconf('apply -f in.yaml --auto-approve --parallelism 1');
    const ran = await gwconf('journal -o json');
    const { runs } = conforming('runs-report', ran.out, ran) as {
      readonly runs: readonly { readonly run: string }[];
    };
    expect(runs).toMatchObject([
      { result: 'partial', changes: 2, done: 1, failed: 1 },
      { result: 'applied', changes: 1, done: 1 },
    ]);
    const shown = await gwconf(`journal ${runs[0]?.run ?? ''} -o json`);
    expect(conforming('run-report', shown.out, shown)).toMatchObject({
      run: { result: 'partial' },
      changes: [{ known: 'done' }, { known: 'failed', why: expect.stringContaining('refused') as string }],
    });
  });
});

describe('drift', () => {
  it('drift of each sort, accepted drift, and what could not be checked', async () => {
    await apply(CLUSTER, ALIAS, ALIAS.replace('orders,', 'stray,'), SECRET);
    write(
      CLUSTER.replace('[admin]', '[admin, root]'),
      ALIAS.replace('orders-v1', 'orders-v2'),
      ALIAS.replace('orders,', 'gone,'),
      SECRET.replace('VAULT_TOKEN', 'NOT_SET'),
    );
    const rule =
      "{ address: 'AliasTopic/*', path: /spec, reason: an incident, owner: somebody, until: 2999-12-31 }";
    world.write(
      'gwconf.yaml',
      `{ apiVersion: gwconf/v1, kind: Project, environments: { prod: { ignore: [${rule}] } } }`,
    );
    const found = await report('drift --manages *', 'drift-report');
    expect(found).toMatchObject({
      result: 'drift',
      summary: { missing: 1, changed: 1, unclaimed: 1, accepted: 1, unchecked: 1 },
    });
  });

  it('no drift in the selection', async () => {
    await apply(CLUSTER);
    const found = await report('drift --target VirtualCluster/*', 'drift-report');
    expect(found).toMatchObject({ result: 'no-drift', selection: { unselected: 0 } });
  });

  it('error', async () => {
    write(CLUSTER);
    await server.close();
    expect(await report('drift', 'drift-report')).toMatchObject({ result: 'error' });
  });
});

describe('diff --from --to', () => {
  const project = (differs: string): string =>
    `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n  one: { files: [one.yaml] }\n  two: { files: [two.yaml] }\n${differs}`;

  it('differs, with what is meant to, what was not compared, and a secret', async () => {
    world.write('gwconf.yaml', project('differs: [{ address: AliasTopic/*, reason: not yet }]\n'));
    const other = SECRET.replace('\${VAULT_TOKEN}', '\${NOT_SET}').replace('priority: 1', 'priority: 2');
    const literal = SECRET.replace('encrypt', 'two');
    world.write('one.yaml', [CLUSTER, ALIAS, SECRET, literal].map(dedent).join('---\n'));
    world.write(
      'two.yaml',
      [ACCOUNT, other, literal.replace('\${VAULT_TOKEN}', 'other')].map(dedent).join('---\n'),
    );
    const found = await report('diff --from one --to two', 'diff-report', '');
    expect(found).toMatchObject({
      result: 'differs',
      summary: { onlyFrom: 1, onlyTo: 1, differs: 2, expected: 1, uncompared: 1 },
    });
    expect(JSON.stringify(found)).toContain('"secret":true');
    const narrowed = await report('diff --from one --to two --target AliasTopic/*', 'diff-report', '');
    expect(narrowed).toMatchObject({ result: 'no-differences', selection: { unselected: 4 } });
  });

  it('error: one side that cannot be read', async () => {
    world.write('gwconf.yaml', project(''));
    world.write('one.yaml', dedent(CLUSTER));
    world.write('two.yaml', 'kind: [');
    expect(await report('diff --from one --to two', 'diff-report', '')).toMatchObject({ result: 'error' });
  });
});

describe('several environments', () => {
  it('each command, also as lines, and the list of them', async () => {
    const names = ['one', 'two'];
    const of = (name: string): string =>
      `  ${name}: { gateway: { url: "embedded:${name}.json" }, files: [${name}.yaml] }\n`;
    world.write(
      'gwconf.yaml',
      `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${names.map(of).join('')}${of('other')}`,
    );
    world.write('one.yaml', dedent(CLUSTER));
    world.write('two.yaml', [CLUSTER, ALIAS].map(dedent).join('---\n'));
    world.write('other.yaml', dedent(CLUSTER));
    world.write(
      'all.gwtest.yaml',
      'apiVersion: gwconf/v1\nkind: Test\ncases:\n  - { as: { virtualCluster: prod }, expect: { chain: [] } }\n',
    );
    const commands = ['validate', 'plan', 'drift', 'diff --from other', 'test', 'effective', 'doctor --deep'];
    for (const command of commands) {
      const line = `${command} --env one,two`;
      const ran = await gwconf(`${line} -o json`, {});
      const found = conforming('fleet-report', ran.out, ran) as FleetReport;
      expect(found.environments.map((one) => one.environment)).toEqual(names);
      if (command === 'effective') continue;
      const lines = (await gwconf(`${line} -o ndjson`, {})).out.trimEnd().split('\n');
      const records = lines.map((text) => conforming('ndjson', text) as Readonly<Record<string, unknown>>);
      const summaries = records.filter(({ type }) => type === 'summary');
      expect(summaries.map((one) => one['environment'])).toEqual([...names, undefined]);
    }
    const listed = await gwconf('environments -o json', {});
    conforming('environments-report', listed.out, listed);
  });
});

describe('get', () => {
  it('ok, not found, and of a snapshot', async () => {
    await apply(CLUSTER, ALIAS);
    await gwconf('snapshot --out s.json');
    for (const line of ['', 'AliasTopic/other', '--snapshot s.json']) {
      const ran = await gwconf(`get -o json ${line}`);
      conforming('get-report', ran.out, ran);
    }
  });
});

describe('plugins', () => {
  it('ok, and error', async () => {
    const ran = await gwconf('plugins -o json');
    expect(conforming('plugins-report', ran.out, ran)).toMatchObject({ result: 'ok' });
    await server.close();
    const failed = await gwconf('plugins -o json');
    expect(conforming('plugins-report', failed.out, failed)).toMatchObject({ result: 'error' });
  });
});

describe('export', () => {
  it('ok, and error', async () => {
    world.env['VAULT_TOKEN'] = 'hvs.a-token-of-vault';
    await apply(CLUSTER, ALIAS, SECRET);
    const ran = await gwconf('export --out gw -o json');
    expect(conforming('export-report', ran.out, ran)).toMatchObject({
      result: 'ok',
      summary: { objects: 3 },
      variables: [{ known: true }],
    });
    expect(ran.out).not.toContain('hvs.');
    await server.close();
    const failed = await gwconf('export --out other -o json');
    expect(conforming('export-report', failed.out, failed)).toMatchObject({ result: 'error', written: [] });
  });
});

describe('resolve', () => {
  it('ok, and error', async () => {
    await apply(CLUSTER, SECRET);
    for (const line of ['resolve --as one', 'resolve --virtual-cluster prod --group g']) {
      const ran = await gwconf(`${line} -o json`);
      conforming('resolve-report', ran.out, ran);
    }
    await server.close();
    const failed = await gwconf('resolve -o json');
    expect(conforming('resolve-report', failed.out, failed)).toMatchObject({ result: 'error' });
  });
});

describe('effective', () => {
  it('of files and of a gateway, with reasons and with drift', async () => {
    await apply(CLUSTER, ACCOUNT, GROUP, SECRET);
    world.write('topics.txt', 'orders\nrefunds\n');
    for (const line of [
      'effective in.yaml --why',
      'effective --live',
      'effective in.yaml --external-group g',
      'effective in.yaml --topic orders --why',
      'effective in.yaml --uncovered --topics topics.txt',
    ])
      await effectiveReport(line);
    expect(await effectiveReport('effective in.yaml --compare')).toMatchObject({ result: 'no-drift' });
    write(CLUSTER, ACCOUNT, GROUP);
    const drift = { result: 'drift', summary: { drift: 2 } };
    expect(await effectiveReport('effective in.yaml --compare --why')).toMatchObject(drift);
    await server.close();
    expect(await effectiveReport('effective --live')).toMatchObject({ result: 'error' });
  });
});

async function effectiveReport(line: string): Promise<unknown> {
  const ran = await gwconf(`${line} -o json`);
  return conforming('effective-report', ran.out, ran);
}

describe('cluster switch', () => {
  it('ok, failed and refused', async () => {
    for (const line of [
      '--experimental --to far',
      '--experimental --to other',
      '--to far --url http://127.0.0.1:1',
    ]) {
      const ran = await gwconf(`cluster switch ${line} --yes -o json`);
      conforming('switch-report', ran.out, ran);
    }
  });
});

describe('token', () => {
  it('issued, refused and inspected', async () => {
    world.write('.gitignore', '*.token');
    const env = { ...environment(), GWCONF_URL: 'embedded:s.json' };
    write(ACCOUNT.replace('EXTERNAL, externalNames: [00u9vme99]', 'LOCAL'));
    await gwconf('apply -f in.yaml --auto-approve', env);
    for (const line of ['--account one --lifetime 1h', '--account two --lifetime 1h']) {
      const ran = await gwconf(`token issue ${line} --out a.token -o json`, env);
      conforming('token-report', ran.out, ran);
    }
    for (const claims of [{ exp: 4_102_444_800 }, { exp: 1 }, {}]) {
      world.write('a.token', tokenWith(claims));
      const ran = await gwconf('token inspect a.token -o json');
      conforming('token-inspection', ran.out, ran);
    }
  });
});

describe('version', () => {
  it('and what it knows', async () => {
    const ran = await gwconf('version -o json', {});
    conforming('version-report', ran.out, ran);
  });
});

describe('doctor', () => {
  it('ok, error, and no gateway', async () => {
    for (const [result, line, env] of [
      ['ok', 'doctor -o json', environment()],
      ['error', 'doctor -o json --url http://127.0.0.1:1', environment()],
      ['no-gateway', 'doctor -o json', {}],
    ] as const) {
      const ran = await gwconf(line, env);
      expect(conforming('doctor-report', ran.out, ran), ran.err).toMatchObject({ result });
    }
  });
});

describe('migrate --scan', () => {
  it('with and without uses, and error', async () => {
    const world = makeWorld({ 'a.sh': 'curl $GW/admin/plugins/v1', 'b.md': 'nothing' });
    for (const [path, result] of [
      ['a.sh', 'v1-used'],
      ['b.md', 'v1-unused'],
      ['missing', 'error'],
    ] as const) {
      const ran = await world.run('migrate', '--scan', path, '-o', 'json');
      expect(conforming('scan-report', ran.out, ran)).toMatchObject({ result });
    }
  });
});

describe('migrate', () => {
  it('ok, and error', async () => {
    world.write(
      'old.sh',
      `curl -d '{"lifeTimeSeconds": 1}' http://old:8888/admin/vclusters/v1/vcluster/v/username/ann
       curl -d '{"username": "bob"}' http://old:8888/admin/userMappings/v1
       curl -X DELETE http://old:8888/admin/pclusters/v1
       curl http://old:8888/admin/plugins/v1`,
    );
    const ran = await gwconf('migrate old.sh --out migrated -o json');
    expect(conforming('migrate-report', ran.out, ran)).toMatchObject({ result: 'not-converted' });
    const failed = await gwconf('migrate --url http://127.0.0.1:1 --out other -o json');
    expect(conforming('migrate-report', failed.out, failed)).toMatchObject({ result: 'error' });
  });
});

describe('doctor --deep', () => {
  it('no differences', async () => {
    await apply(CLUSTER, ALIAS);
    const found = await report('doctor --deep', 'selftest-report', '');
    expect(found).toMatchObject({ result: 'no-differences', summary: { objects: 2, differences: 0 } });
  });
});

describe('a snapshot', () => {
  it('with a secret, and a plan from it', async () => {
    await apply(CLUSTER, SECRET);
    await gwconf('snapshot --out snapshot.json');
    const text = world.read('snapshot.json');
    expect(JSON.stringify(conforming('snapshot', text))).toContain('"secrets"');
    const found = await report('plan --snapshot snapshot.json', 'plan-report');
    expect(found).toMatchObject({ result: 'no-changes', snapshot: { cannotTell: 0 } });
  });
});

describe('a saved plan', () => {
  it('of each action, with a secret from a variable', async () => {
    const partner = CLUSTER.replace('superUsers', 'type: Partner, superUsers');
    await apply(partner, ALIAS, ALIAS.replace('orders,', 'other,'));
    write(
      partner.replace('[admin]', '[admin, root]'),
      ALIAS.replace('physicalName: orders-v1', 'physicalName: orders-v2, physicalCluster: far'),
      SECRET,
    );
    await gwconf('plan -f in.yaml --out plan.json --prune --manages *');
    const plan = conforming('saved-plan', world.read('plan.json'));
    expect(plan).toMatchObject({ summary: { create: 1, update: 1, replace: 1, delete: 1 } });
    expect(JSON.stringify(plan)).toContain('"template"');
  });

  it('of an environment, signed, with what it relies on', async () => {
    await apply(CLUSTER);
    write(CLUSTER, ALIAS);
    world.write('gwconf.yaml', PROJECT);
    const key = { GWCONF_PLAN_KEY: 'a-key-that-only-the-pipeline-knows' };
    await gwconf('plan -f in.yaml --out plan.json', { ...environment(), ...key });
    const plan = conforming('saved-plan', world.read('plan.json'));
    expect(plan).toMatchObject({
      environment: 'prod',
      relies: [{ address: 'VirtualCluster/prod' }],
      input: expect.any(String) as string,
      mac: expect.any(String) as string,
    });
  });

  it.skipIf(!hasGit)('with a base, and the report of it', async () => {
    world = makeGitWorld();
    await apply(CLUSTER);
    write(CLUSTER, ALIAS);
    (world as GitWorld).commit();
    write(CLUSTER.replace('[admin]', '[admin, root]'), ALIAS.replace('orders-v1', 'orders-v2'));
    const found = await report('plan --base main --out plan.json', 'plan-report');
    expect(found).toMatchObject({
      base: { ref: 'main', behind: 0, causes: { branch: { create: 1, update: 1 } } },
      changes: [{ cause: 'branch' }, { cause: 'branch' }],
    });
    await apply(CLUSTER.replace('[admin]', '[admin, eve]'));
    write(CLUSTER.replace('[admin]', '[admin, root]'));
    expect(await report('plan --base main --out plan.json', 'plan-report')).toMatchObject({
      changes: [{ cause: 'mixed', fields: [{ cause: 'branch' }, { cause: 'drift' }] }],
    });
    const saved = conforming('saved-plan', world.read('plan.json'));
    expect(saved).toMatchObject({ base: { ref: 'main' }, changes: [{ cause: 'mixed' }] });
  });

  it('that takes a run back, and what show makes of it', async () => {
    await apply(ACCOUNT, ACCOUNT.replaceAll('one', 'two').replace('00u9vme99', '00u9vme98'), SECRET);
    const swapped = ACCOUNT.replace('one', 'two');
    write(swapped, ACCOUNT.replace('00u9vme99', '00u9vme98'), SECRET.replace('priority: 1', 'priority: 2'));
    const found = await report('apply --auto-approve', 'apply-report');
    const { run } = (found as ApplyReport).undo ?? expect.fail('it cannot be undone');
    const undo = world.read(`.gwconf/journal/${run}.undo.json`);
    expect(conforming('saved-plan', undo)).toMatchObject({ undoes: { run }, summary: { update: 3 } });
    expect(undo).toMatch(/"live"[^]*"halfway"|"halfway"[^]*"live"/);
    const shown = await report('show', 'plan-report', `.gwconf/journal/${run}.undo.json`);
    expect(shown).toMatchObject({ result: 'changes', undoes: { run } });
  });

  it('with a secret that stands in a file', async () => {
    write(SECRET.replace('"${VAULT_TOKEN}"', 'written-here'));
    await gwconf('plan -f in.yaml --out plan.json');
    const text = world.read('plan.json');
    conforming('saved-plan', text);
    expect(text).not.toContain('written-here');
  });
});

/** Runs it as a report and as lines, and holds both to their schemas. */
async function report(command: string, name: Name, input = '-f in.yaml'): Promise<unknown> {
  const line = `${command} ${input}`;
  if (!command.startsWith('apply')) {
    const lines = await gwconf(`${line} -o ndjson`);
    for (const text of lines.out.trimEnd().split('\n')) conforming('ndjson', text);
  }
  const ran = await gwconf(`${line} -o json -o ndjson=lines.ndjson`);
  const records = world.read('lines.ndjson').trimEnd().split('\n');
  const types = records.map((text) => conforming('ndjson', text) as { readonly type: string });
  expect([types.at(0)?.type, types.at(-1)?.type]).toEqual(['version', 'summary']);
  return conforming(name, ran.out, ran);
}

function conforming(name: Name, text: string, ran?: Ran): unknown {
  const value: unknown = JSON.parse(text);
  const check = checks.get(name);
  expect(check?.(value), `${JSON.stringify(check?.errors, null, 2)}\n${text}${ran?.err ?? ''}`).toBe(true);
  return value;
}

async function apply(...documents: readonly string[]): Promise<void> {
  write(...documents);
  const { code, err } = await gwconf('apply -f in.yaml --auto-approve');
  expect(code, err).toBe(0);
}

function write(...documents: readonly string[]): void {
  world.write('in.yaml', documents.map(dedent).join('---\n'));
}

/** Runs a line of plain words. */
function gwconf(line: string, env = environment()): Promise<Ran> {
  return world.runWith({ env }, ...line.split(' ').filter((word) => word !== ''));
}

function environment(): Readonly<Record<string, string>> {
  const credentials = { GWCONF_USER: 'admin', GWCONF_PASSWORD: 'conduktor' };
  // What is refused is not waited for: the embedded gateway knows at once.
  const patience = { GWCONF_SETTLE_TIMEOUT: '0s' };
  return { GWCONF_URL: server.url, ...credentials, ...patience, VAULT_TOKEN: 'hvs.a-secret' };
}

function schemaNamed(name: Name): object {
  return JSON.parse(readDocument(`schemas/${name}.schema.json`)) as object; // ajv refuses what is no schema
}
