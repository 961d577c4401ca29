import { describe, expect, it } from 'vitest';
import type { DriftReport } from '../../src/outcome/drift.ts';
import { makeWorld, verdictOf, type Ran, type World, inFormats } from '../support/cli.ts';
import { alias, cluster, projectOf } from '../support/documents.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside } from '../support/served.ts';

const liveAlias = (name: string, physicalName: string): ReturnType<typeof resource> =>
  resource('AliasTopic', { name }, { physicalName });

const OWN = { pluginClass: 'com.example.Own', priority: 1 };

function reportOf({ out }: Ran): DriftReport {
  return JSON.parse(out) as DriftReport;
}

describe('gwconf drift', () => {
  it('tells what was changed, what is missing and what is unclaimed, and counts what is as declared', async () => {
    const there = await serve();
    await there.put(liveAlias('a', 'a-v1'), liveAlias('same', 's'), liveAlias('stray', 'x'));
    const mine = worldBeside(there, {
      'in.yaml': [alias('a', 'a-v2'), alias('b', 'b'), alias('same', 's')].join('---\n'),
    });
    const ran = await mine.run('drift', 'in.yaml', '--manages', 'AliasTopic/*');
    expect(ran.code).toBe(0);
    expect(verdictOf(ran)).toBe('result: drift');
    expect(ran.out).toBe(
      [
        `Gateway ${there.url}`,
        '',
        'Declared and live differ:',
        '  ~ AliasTopic/a@vCluster=passthrough  in.yaml:1',
        '      /spec/physicalName: declared "a-v2", live "a-v1"',
        '',
        'Declared, not live:',
        '  - AliasTopic/b@vCluster=passthrough  in.yaml:6',
        '',
        'Orphaned (managed by this project, but in no file):',
        '  + AliasTopic/stray@vCluster=passthrough',
        '',
        'Drift: 1 different, 1 not live, 1 orphaned. 1 object as declared.' +
          ' What clients lose by it is not judged here: gwconf effective --compare says that.',
        '',
      ].join('\n'),
    );
  });

  it('is exit code 2 with --detailed-exitcode, and 0 where there is none', async () => {
    const there = await serve();
    await there.put(liveAlias('a', 'a-v1'), liveAlias('others', 'x'));
    const mine = worldBeside(there, { 'in.yaml': alias('a', 'a-v1'), 'other.yaml': alias('a', 'a-v2') });
    expect((await mine.run('drift', 'other.yaml', '--detailed-exitcode')).code).toBe(2);
    const none = await mine.run('drift', 'in.yaml', '--detailed-exitcode');
    expect([none.code, verdictOf(none)]).toEqual([0, 'result: no-drift']);
    expect(none.out).toContain(
      'No drift. 1 object as declared. 1 object on the gateway is in no file and stays unchanged.',
    );
  });

  it('says what a narrowed look left out', async () => {
    const there = await serve();
    await there.put(liveAlias('a', 'a'), liveAlias('b', 'b-v1'));
    const mine = worldBeside(there, { 'in.yaml': `${alias('a', 'a')}---\n${alias('b', 'b-v2')}` });
    const ran = await mine.run('drift', 'in.yaml', '--target', 'AliasTopic/a@*');
    expect(verdictOf(ran)).toBe('result: no-drift in the selection');
    expect(ran.out).toContain('No drift. 1 object as declared. 1 not selected.');
    expect(ran.err).toBe('result: no-drift in the selection\n');
  });

  it('fails for a selection that chooses nothing, which never drifts', async () => {
    const there = await serve();
    await there.put(liveAlias('a', 'a-v1'));
    const mine = worldBeside(there, { 'in.yaml': alias('a', 'a-v2') });
    const ran = await mine.run('drift', 'in.yaml', '--target', 'AliasTopics/*');
    expect(ran.err).toContain(
      'error[unmatched-target]: AliasTopics/* matches no object in the files or on the gateway',
    );
    expect(ran.code).toBe(1);
  });

  it('tells of what files remove and is there all the same, and counts what is ignored', async () => {
    const there = await serve();
    await there.put(liveAlias('old', 'x'), liveAlias('a', 'a-v1'));
    const mine = worldBeside(there, {
      'in.yaml': alias('a', 'a-v2'),
      'removals.yaml': `
        apiVersion: gwconf/v1
        kind: Removal
        metadata: { name: old }
        spec: { remove: ["AliasTopic/old@vCluster=passthrough"], reason: replaced }
      `,
      'gwconf.yaml': `
        apiVersion: gwconf/v1
        kind: Project
        environments:
          prod:
            files: [in.yaml, removals.yaml]
            ignore: [{ address: "AliasTopic/a@*", path: /spec/physicalName, reason: set by an operator }]
      `,
    });
    const ran = await mine.run('drift', '-o', 'json');
    expect(reportOf(ran), ran.err).toMatchObject({
      result: 'drift',
      summary: { remaining: 1, ignored: 1, changed: 0 },
      drift: [{ drift: 'remaining', address: 'AliasTopic/old@vCluster=passthrough' }],
    });
    expect((await mine.run('drift')).out).toContain(
      'Listed in a Removal document, but still on the gateway:',
    );
  });

  it('tells of a change that no plan could make', async () => {
    const there = await serve({ physicalClusters: ['main', 'far'] });
    await there.put(
      resource('VirtualCluster', { name: 'prod' }, { aclEnabled: true, aclMode: 'REST_API', acls: [] }),
      liveAlias('a', 'a'),
    );
    const text = cluster('prod', '{ aclEnabled: true, aclMode: KAFKA_API, superUsers: [admin] }');
    const mine = worldBeside(there, { 'in.yaml': text });
    expect((await mine.run('plan', 'in.yaml')).code).toBe(1);
    const ran = await mine.run('drift', 'in.yaml', '-o', 'json');
    expect([ran.code, reportOf(ran).summary]).toMatchObject([0, { changed: 1 }]);
  });

  it('says which kinds the gateway does not serve, and whose variables are not set', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    await there.put(liveAlias('a', 'a'));
    const mine = worldBeside(there, { 'in.yaml': alias('a', '"${TOPIC}"') });
    const report = reportOf(await mine.run('drift', 'in.yaml', '-o', 'json'));
    expect(report).toMatchObject({ result: 'no-drift', summary: { asDeclared: 1 } });
    expect(report.unchecked).toEqual([
      ...['VirtualCluster', 'GatewayServiceAccount'].map((kind) => ({
        reason: 'unavailable',
        kind,
        words: expect.any(String) as string,
        objects: 0,
      })),
      { reason: 'cannot-tell', address: 'AliasTopic/a@vCluster=passthrough', path: '/spec/physicalName' },
    ]);
  });

  it.each([
    ['declares', cluster('c')],
    [
      'removes',
      'apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { remove: [VirtualCluster/c], reason: gone }\n',
    ],
  ])(
    'does not say "no drift" where the gateway does not serve a kind that a file %s',
    async (_, document) => {
      const there = await serve({ security: 'PLAINTEXT' });
      await there.put(liveAlias('a', 'a'));
      const mine = worldBeside(there, { 'in.yaml': `${alias('a', 'a')}---\n${document}` });
      const ran = await mine.run('drift', 'in.yaml');
      expect([ran.code, verdictOf(ran)], ran.err).toEqual([1, 'result: incomplete']);
      expect(ran.out).toContain(
        'VirtualCluster: not served by this gateway, and not compared with 1 object of the files: ',
      );
      const selected = await mine.run('drift', 'in.yaml', '--target', 'AliasTopic/a@*');
      expect(verdictOf(selected)).toBe('result: no-drift in the selection in what was compared');
      await there.put(liveAlias('a', 'b'));
      expect(verdictOf(await mine.run('drift', 'in.yaml'))).toBe('result: drift');
    },
  );

  it('leaves open what a file or a program does not give here, and what only a part of is known', async () => {
    const there = await serve();
    await there.put(
      resource('Interceptor', { name: 'i' }, { ...OWN, config: { a: '1', b: '2', c: '3', d: '4' } }),
    );
    const own = (config: string): string =>
      `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: i, scope: { vCluster: passthrough } }\nspec: { pluginClass: com.example.Own, priority: 1, config: ${config} }\n`;
    const config = `{ a: "\${file:gone}", b: "\${exec:tok}", c: "\${SET} \${UNSET}", d: "4" }`;
    const mine = worldBeside(there, {
      'gwconf.yaml': `{ apiVersion: gwconf/v1, kind: Project, environments: { prod: { exec: { tok: { command: [printf, "2"] } } } } }`,
      'in.yaml': own(config),
    });
    mine.env['SET'] = 'set';
    const ran = await mine.run('drift', 'in.yaml');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: no-drift in what was compared']);
    expect(ran.out).toMatch(/^No drift in what was compared\. 1 object as declared\. \d not checked\.$/m);
    const field = (name: string): string =>
      `  /spec/config/${name} of Interceptor/i@vCluster=passthrough: a variable in it has no value here\n`;
    expect(ran.out).toContain(`Not checked:\n${['a', 'b', 'c'].map(field).join('')}`);
    expect(ran.err).toContain('is as declared: ${file:gone} has no value');
    expect(ran.err).toContain('is as declared: ${UNSET} has no value');
    expect(ran.err).toContain('to compare the field, set UNSET\n');
    const inCi = await mine.runWith({ env: { CI: 'true' } }, 'drift', 'in.yaml');
    expect(inCi.err).toContain('add SET to GWCONF_ALLOWED_VARIABLES where the variables of the job are set');
    expect((await mine.run('plan', 'in.yaml')).code).toBe(1);
    const allowed = await mine.run('drift', 'in.yaml', '--allow-exec', '-o', 'json');
    expect(reportOf(allowed).unchecked).toMatchObject([
      { path: '/spec/config/a' },
      { path: '/spec/config/c' },
    ]);

    mine.write('in.yaml', own('{ b: "${exec:tik}" }'));
    const wrong = await mine.run('drift', 'in.yaml');
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('there is no program tik')]);
  });

  it('shows no secret on either side', async () => {
    const there = await serve();
    const spec = { pluginClass: 'com.example.Own', priority: 1, config: { token: 'live-secret-1' } };
    await there.put(resource('Interceptor', { name: 'own' }, spec));
    const mine = worldBeside(there, {
      'in.yaml': `
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: own }
        spec: { pluginClass: com.example.Own, priority: 1, config: { token: declared-secret-2 } }
      `,
    });
    const formats = ['json', 'ndjson', 'sarif', 'junit', 'github'];
    const { out, err } = await mine.run('drift', 'in.yaml', ...inFormats(...formats), '-o', 'human');
    for (const text of [out, err, ...formats.map((format) => mine.read(`out.${format}`))])
      expect(text).not.toMatch(/live-secret-1|declared-secret-2/);
    expect(out).toContain('/spec/config/token: declared "(hidden)", live "(hidden)"');
  });

  it('is a failed test for a build server where the exit code says so', async () => {
    const mine = makeWorld({ 'in.yaml': alias('a', 'a') });
    const drift = ['drift', 'in.yaml', '--url', 'embedded:', '-o', 'junit'];
    const { code, out } = await mine.run(...drift, '--detailed-exitcode');
    expect([code, out]).toEqual([2, expect.stringContaining('<failure message="result: drift"/>')]);
    const plain = await mine.run(...drift);
    expect([plain.code, plain.out]).toEqual([0, expect.stringContaining('failures="0"')]);
  });

  it('is an error where files have mistakes, or the gateway cannot be asked', async () => {
    const mine = makeWorld({
      'in.yaml': alias('a', 'a').replace('spec', 'spce'),
      'good.yaml': alias('a', 'a'),
    });
    expect((await mine.run('drift', 'in.yaml', '--url', 'embedded:')).code).toBe(1);
    const away = await mine.run('drift', 'good.yaml', '--url', 'http://127.0.0.1:1', '-o', 'json');
    expect([away.code, reportOf(away).result]).toEqual([1, 'error']);
  });

  it('renders hostile names harmlessly', async () => {
    const there = await serve();
    const name = 'a\u001b[2J\n::error::x\u202e';
    const spec = { pluginClass: 'com.example.Own', priority: 1, config: { 'k\u001b[31m\n': 'v\u001b[0m' } };
    await there.put(resource('Interceptor', { name }, spec));
    const mine = worldBeside(there, { 'in.yaml': alias('b', 'b') });
    const formats = ['github', 'junit', 'sarif'];
    const reports = [...inFormats(...formats), '-o', 'human'];
    const { out, err } = await mine.run('drift', 'in.yaml', '--manages', '*', ...reports);
    expect(out).toContain('a\\u001b[2J\\n\\u003a:error::x\\u202e');
    for (const text of [out, err, ...formats.map((format) => mine.read(`out.${format}`))])
      expect(text).not.toMatch(/[\u001b\u202e]|^::error::x/m);
    const self = await mine.run('doctor', '--deep');
    expect([self.code, self.out + self.err]).toEqual([0, expect.not.stringMatching(/[\u001b\u202e]/)]);
  });
});

describe('an entry of ignore with owner and day', () => {
  const entry = (about: string, until = '2026-03-01'): string =>
    `{ ${about}, reason: an incident, owner: team a, until: ${until} }`;

  async function drifted(...rules: readonly string[]): Promise<World> {
    const there = await serve();
    await there.put(liveAlias('a', 'a-v1'), liveAlias('stray', 'x'));
    return worldBeside(there, {
      'in.yaml': alias('a', 'a-v2'),
      'gwconf.yaml': projectOf({
        prod: `files: [in.yaml], manages: ["AliasTopic/*"], ignore: [${rules.join(', ')}]`,
      }),
    });
  }

  it('sets drift apart, with its reason and owner, and keeps it out of plans', async () => {
    const world = await drifted(
      entry('address: "AliasTopic/a@*", path: /spec/physicalName'),
      entry('address: AliasTopic/stray*'),
    );
    const ran = await world.run('drift', '--detailed-exitcode', '-o', 'json');
    expect(ran.code, ran.err).toBe(0);
    expect(reportOf(ran)).toMatchObject({
      result: 'no-drift',
      drift: [],
      accepted: [
        { drift: 'changed', reason: 'an incident', owner: 'team a', expires: '2026-03-01' },
        { drift: 'unclaimed', fields: [] },
      ],
    });
    const planned = await world.run('plan', '--prune', '--detailed-exitcode');
    expect([planned.code, planned.out]).toEqual([0, expect.stringContaining('2 ignored')]);
  });

  it('fails when its day has passed, at its line', async () => {
    const world = await drifted(entry('address: "*"', '2026-02-28'));
    for (const command of ['drift', 'plan', 'validate']) {
      const ran = await world.run(command, '-o', 'json');
      expect([command, ran.code]).toEqual([command, 1]);
      expect(reportOf(ran).problems).toMatchObject([
        { code: 'expired-acceptance', severity: 'error', file: 'gwconf.yaml', line: 4 },
      ]);
    }
  });

  it('warns when it has nothing to ignore', async () => {
    const world = await drifted(entry('address: AliasTopic/nobody@*'));
    const ran = await world.run('drift', '-o', 'json');
    expect([ran.code, reportOf(ran).problems]).toMatchObject([
      0,
      [{ code: 'unused-acceptance', severity: 'warning' }],
    ]);
  });

  it('stands in gwconf.yaml, and not in a file of its own', async () => {
    const world = await drifted();
    world.write('accepted-drift.yaml', '[]');
    const ran = await world.run('drift');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('move its entries to ignore in gwconf.yaml');
  });
});
