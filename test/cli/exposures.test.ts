import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { serveGateway } from '../../src/emulator/server.ts';
import type { ApplyReport } from '../../src/outcome/apply.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { violationsOf } from '../../src/schema/validate.ts';
import { inFormats, makeWorld, type World } from '../support/cli.ts';
import { account, all, cluster, documentOf, projectOf } from '../support/documents.ts';
import { ROOT } from '../support/sandbox.ts';
import { LOGIN } from '../support/served.ts';

const audit = (
  name: string,
  group: string,
  pluginClass = 'io.conduktor.gateway.interceptor.AuditPlugin',
): string =>
  documentOf(
    'Interceptor',
    `{ name: ${name}, scope: { vCluster: prod, group: ${group} } }`,
    `{ pluginClass: ${pluginClass}, priority: 1, config: { topic: .* } }`,
  );
const group = (name: string, member: string): string =>
  documentOf('GatewayGroup', `{ name: ${name} }`, `{ members: [{ name: ${member}, vCluster: prod }] }`);
const clients = all(cluster('prod'), account('alice', 'prod'), account('bob', 'prod'));
const audited = all(audit('x', 'one'), audit('y', 'two'));
const guard = (name: string): string =>
  documentOf(
    'Interceptor',
    `{ name: ${name}, scope: { vCluster: prod, group: one } }`,
    '{ pluginClass: io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin, priority: 1, config: { topic: .*, action: BLOCK } }',
  );
const groups = all(group('one', 'alice'), group('two', 'bob'));
/** They have the names of temporary copies, so that there can be none. */
const taken = all(
  audit('x-gwconf-bridge', 'one', 'com.example.Own'),
  audit('xx-gwconf-bridge', 'one', 'com.example.Own'),
);
const before = all(clients, audited, guard('xx'), taken, groups);
/** Two interceptors exchange their classes: one of the classes runs twice for a moment, and the other one not at all. */
const swapped = all(clients, audit('xx', 'one'), guard('x'), audit('y', 'two'), taken, groups);
const accepting = (until: string): string =>
  `exposures: [{ address: "Interceptor/*", protection: audit, reason: classes change places, until: ${until} }]`;
const ACCEPT = ['--accept-exposure', 'Interceptor/*@vCluster=prod*'];

async function worldWith(wanted: string, rules = ''): Promise<World> {
  const world = makeWorld({ 'a/a.yaml': before });
  const { code, err } = await world.run('apply', '-f', 'a', '--url', 'embedded:s.json', '--auto-approve');
  expect(code, err).toBe(0);
  world.write('a/a.yaml', wanted);
  setRules(world, rules);
  return world;
}

function setRules(world: World, rules: string, lint = '{}'): void {
  world.write(
    'gwconf.yaml',
    projectOf({ prod: `gateway: { url: "embedded:s.json" }, files: [a], ${rules}` }, `lint: ${lint}\n`),
  );
}

function schemaOf(name: string): JsonObject {
  return JSON.parse(readFileSync(join(ROOT, 'schemas', `${name}.schema.json`), 'utf8')) as JsonObject;
}

/** The severities and codes of what a command line tells, and its exit code. */
async function told(world: World, ...args: readonly string[]): Promise<readonly (string | number)[]> {
  const { code, err } = await world.run(...args);
  const found = [
    ...err.matchAll(
      /^(\w+\[[\w-]*(?:exposure|protection)\]): (?:protection gap: )?(?:alice|bob)?( in prod)?/gm,
    ),
  ].map(([, what = '', who = '']) => `${what}${who === '' ? '' : ' one'}`);
  return [code, ...found];
}

const BLOCKED = [3, 'error[exposure] one'];

describe('an exposure that no order avoids', () => {
  it('blocks plan and apply, until it is accepted for the run', async () => {
    const world = await worldWith(swapped);
    expect(await told(world, 'plan', '--out', 'p.plan')).toEqual(BLOCKED);
    expect(await told(world, 'apply', '-f', 'a', '--auto-approve')).toEqual(BLOCKED);
    expect(await told(world, 'plan', '--accept-exposure', 'Interceptor/other*')).toEqual(BLOCKED);
    expect(await told(world, 'apply', '-f', 'a', '--auto-approve', ...ACCEPT)).toEqual([0]);
    expect((await world.run('plan')).out).toContain('No changes.');
  });

  it('is accepted by the project until a day', async () => {
    const world = await worldWith(swapped, accepting('2026-03-01'));
    expect(await told(world, 'plan')).toEqual([0]);
    setRules(world, accepting('2026-02-28'));
    const [code, ...found] = await told(world, 'plan');
    expect([code, ...found]).toEqual([...BLOCKED, 'warning[expired-exposure]']);
    expect((await world.run('plan')).err).toContain('; that was accepted until 2026-02-28');
    expect(await told(world, 'validate')).toEqual([0, 'warning[expired-exposure]']);
  });

  it('of a saved plan is looked for once more when it is applied', async () => {
    const world = await worldWith(swapped, accepting('2026-03-01'));
    expect(await told(world, 'plan', '--out', 'p.plan')).toEqual([0]);
    setRules(world, accepting('2026-02-28'));
    expect(await told(world, 'apply', 'p.plan')).toEqual(BLOCKED);
    expect(await told(world, 'apply', 'p.plan', ...ACCEPT)).toEqual([0]);
  });

  it('is in the command that the plan tells to go on with', async () => {
    const world = await worldWith(swapped);
    const { err, code } = await world.run('plan', '--out', 'p.plan', ...ACCEPT);
    expect(code).toBe(0);
    expect(err).toContain("gwconf apply p.plan --accept-exposure 'Interceptor/*@vCluster=prod*'");
    expect(await told(world, 'apply', 'p.plan')).toEqual(BLOCKED);
  });

  it('of an undo blocks before the question, and after it', async () => {
    const world = await worldWith(swapped);
    expect(await told(world, 'apply', '-f', 'a', '--auto-approve', ...ACCEPT)).toEqual([0]);
    const asked = await world.runWith({ answer: 'yes' }, 'undo');
    expect([asked.code, asked.questions]).toEqual([3, []]);
    expect((await told(world, 'undo', '--auto-approve'))[0]).toBe(3);
    const undone = await world.run('undo', '--auto-approve', '--accept-exposure', '*');
    expect(undone.code).toBe(0);
    expect(undone.out).toMatch(
      /^Accepted losses of protection:\n {2}~ alice in prod has no \w+ between .*\n {6}Accepted$/m,
    );
    expect(undone.out).toContain('Affected clients:\n  ~ alice in prod');
  });
});

describe('a run that ends between two changes', () => {
  it('tells who is without protection now, and goes on without doing more harm', async () => {
    let writes = -Infinity;
    const server = await serveGateway(memoryGateway(catalog.kinds), {
      port: 0,
      intercept: ({ method }, handle) => {
        const isRefused = method === 'PUT' && ++writes > 1;
        return Promise.resolve(isRefused ? { status: 503, body: '{"title":"busy"}' } : handle());
      },
    });
    onTestFinished(() => server.close());
    const world = makeWorld({ 'a.yaml': before });
    Object.assign(world.env, LOGIN, { GWCONF_URL: server.url });
    const run = ['apply', '-f', 'a.yaml', '--auto-approve', '--settle-timeout', '10ms'];
    expect((await world.run(...run)).code).toBe(0);
    world.write('a.yaml', swapped);
    writes = 0;
    const failed = await world.run(
      ...run,
      ...ACCEPT,
      '-o',
      'json',
      '-o',
      'ndjson=r.ndjson',
      '-o',
      'markdown=r.md',
    );
    expect(failed.code).toBe(5);
    const lines = world.read('r.ndjson').trim().split('\n');
    expect(violationsOf(schemaOf('apply-report'), JSON.parse(failed.out) as Json)).toEqual([]);
    expect(lines.flatMap((line) => violationsOf(schemaOf('ndjson'), JSON.parse(line) as Json))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('{"type":"unprotected"'))).toHaveLength(1);
    const { unprotected } = JSON.parse(failed.out) as ApplyReport;
    const [first] = unprotected ?? [];
    const where = { virtualCluster: 'prod', protection: 'audit' };
    expect(unprotected).toMatchObject([{ ...where, username: 'alice' }]);
    const sentence = `alice in prod has no audit, which ${first?.lost.join() ?? ''} gave until it changed`;
    expect(world.read('r.md')).toContain('Clients without protection now');
    const again = await world.run('apply', '--resume', '--settle-timeout', '10ms');
    expect(again.code).toBe(5);
    expect(again.out).toContain(`Clients without protection now:\n  ! ${sentence}\n`);
    writes = -Infinity;
    expect(await told(world, 'apply', '--resume')).toEqual([0]);
  });
});

describe('a loss of protection for good', () => {
  const own = all(
    clients,
    audit('x', 'one', 'com.example.Own'),
    audit('y', 'two'),
    group('one', 'alice'),
    group('two', 'bob'),
  );

  it('is a warning, unless it is accepted, or a safety rule if lint says so', async () => {
    const world = await worldWith(own);
    const lost = 'warning[lost-protection] one';
    expect(await told(world, 'plan', '-o', 'json')).toEqual([0, lost]);
    const { out, err } = await world.run('plan', '--out', 'p.plan');
    expect(out).toMatch(
      /^Lost protection:\n {2}! alice in prod loses \w+ permanently: .*\n {6}To accept it, use --accept-exposure \S+, or exposures in gwconf.yaml$/m,
    );
    expect(err).not.toContain('protection'); // it is told once
    const accepting = await world.run('plan', '--accept-exposure', '*');
    expect(accepting.out).toMatch(/^Accepted losses of protection:\n {2}~ alice .*\n {6}Accepted$/m);
    expect(accepting.out).not.toContain('Lost protection:');
    setRules(world, '', '{ lost-protection: off }');
    expect(await told(world, 'plan', '--fail-on', 'loss')).toEqual([3, 'error[lost-protection] one']);
    expect(await told(world, 'plan', '--fail-on', 'loss', '--accept-exposure', '*')).toEqual([0]);
    setRules(world, '', '{ lost-protection: error }');
    expect(await told(world, 'plan')).toEqual([3, 'error[lost-protection] one']);
    expect(await told(world, 'apply', 'p.plan')).toEqual([3, 'error[lost-protection] one']);
    expect(await told(world, 'apply', 'p.plan', '--accept-exposure', '*')).toEqual([0]);
  });

  it('that comes from what others changed since makes the plan stale, unless it is accepted', async () => {
    const both = all(own, audit('z', 'one'));
    const world = await worldWith(both);
    expect(await told(world, 'apply', '-f', 'a', '--target', 'Interceptor/z*', '--auto-approve')).toEqual([
      0,
    ]);
    expect(await told(world, 'plan', '--out', 'p.plan')).toEqual([0]);
    world.write(
      'none.yaml',
      'apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { remove: ["Interceptor/z@vCluster=prod,group=one"], reason: x }\n',
    );
    expect(await told(world, 'apply', '-f', 'none.yaml', '--auto-approve')).toEqual([0]);
    const { code, err } = await world.run('apply', 'p.plan');
    expect([code, err]).toEqual([
      4,
      expect.stringContaining(
        'error[stale-plan]: alice in prod loses audit permanently, with the update of Interceptor/x@vCluster=prod,group=one; the plan does not say so',
      ),
    ]);
    expect(await told(world, 'apply', 'p.plan', '--accept-exposure', '*')).toEqual([0]);
  });

  it('of an external group with a hidden name is not taken for that of another one', async () => {
    const outside = (name: string): string =>
      documentOf('GatewayGroup', `{ name: ${name} }`, `{ externalGroups: ["\${${name}}"] }`);
    const left = all(cluster('prod'), outside('one'), outside('two'), guard('g'), audit('y', 'two'));
    const everyone = audit('x', 'two').replace(', group: two', '');
    const world = makeWorld({ 'a/a.yaml': all(left, guard('h').replace('one', 'two'), everyone) });
    Object.assign(world.env, { one: 'readers-of-ad', two: 'writers-of-ad' });
    setRules(world, 'manages: ["*"]');
    const deleted = ['--prune', '--exclude', 'Interceptor/h@*'];
    expect((await world.run('apply', '--auto-approve')).code).toBe(0);
    world.write('a/a.yaml', left);
    const plan = await world.run('plan', ...deleted, '--out', 'p.plan');
    expect(plan.out).toContain('all other clients, members of the external group "(hidden)"');
    world.write('a/a.yaml', all(left.replace(audit('y', 'two'), ''), everyone));
    expect((await world.run('apply', ...deleted, '--auto-approve')).code).toBe(0); // by somebody else
    const { code, err } = await world.run('apply', 'p.plan');
    expect([code, err]).toEqual([4, expect.stringContaining('the plan does not say so')]);
  });

  it('that the plan says is a warning again when it is applied', async () => {
    const world = await worldWith(own);
    expect(await told(world, 'plan', '--out', 'p.plan')).toEqual([0]); // on the page
    expect(await told(world, 'apply', 'p.plan')).toEqual([0, 'warning[lost-protection] one']);
  });

  it('is of the sorts that the project has', async () => {
    const world = await worldWith(
      all(clients, audit('y', 'two'), group('one', 'alice'), group('two', 'bob')),
      'manages: ["*"], protection: { pci: ["Interceptor/x@*"] }',
    );
    const { out } = await world.run('plan', '--prune');
    expect(out).toContain(
      'alice in prod loses audit permanently: the delete of Interceptor/x@vCluster=prod,group=one',
    );
    expect(out).toContain(
      'alice in prod loses pci permanently: the delete of Interceptor/x@vCluster=prod,group=one',
    );
  });
});

describe('protection that gets weaker', () => {
  const mask = (name: string, ...fields: readonly string[]): string =>
    documentOf(
      'Interceptor',
      `{ name: ${name}, scope: { vCluster: passthrough } }`,
      `{ pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin, priority: 1, config: { topic: cards, policies: [{ name: a, rule: { type: MASK_ALL }, fields: [${fields.join(', ')}] }] } }`,
    );
  const applied = async (world: World, ...files: readonly string[]): Promise<void> => {
    world.write('a/a.yaml', all(...files));
    const { code, err } = await world.run('apply', '--auto-approve', '--keep-going');
    expect(code, err).toBe(0);
  };

  it('is told first, in a saved plan too, and fails with --fail-on loss unless a Removal accepts it', async () => {
    const world = makeWorld({});
    setRules(world, 'manages: ["Interceptor/*"]');
    await applied(world, mask('one', 'a', 'b'), mask('two', 'c'));
    world.write('a/a.yaml', mask('one', 'a'));
    const { code, out, err } = await world.run('plan', '--prune', '--out', 'p.plan');
    expect([code, err]).toEqual([0, expect.not.stringContaining('protection')]);
    expect(out).toMatch(
      /Weaker protection:\n {2}! all other clients in passthrough have weaker masking: b of cards is shown in clear.*\n.*\n.*\n {2}! .*: c of cards is shown in clear\n/,
    );
    const shown = await world.run('show', 'p.plan', '-o', 'markdown');
    expect(shown.out).toMatch(/^### ⚠ [^]*\n> \[!CAUTION\]\n> \*\*Weaker protection\*\*/);
    expect((await world.run('plan', '--prune', '--fail-on', 'loss')).code).toBe(3);
    world.write(
      'a/b.yaml',
      'apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { remove: ["Interceptor/two@vCluster=passthrough"], reason: nobody needs it }\n',
    );
    world.write('a/a.yaml', mask('one', 'a', 'b'));
    const accepted = await world.run('plan', '--fail-on', 'loss', '-o', 'markdown');
    expect([accepted.code, accepted.out.slice(0, 6)]).toEqual([0, '### 📝'.slice(0, 6)]);
    expect(accepted.out).toContain('Accepted: nobody needs it');
  });

  it('by more than the plan says makes it stale, and by less does not', async () => {
    const world = makeWorld({});
    setRules(world, '');
    const own = mask('one', 'a', 'b');
    const plan = ['plan', '--target', '*/one*', '--out'];
    await applied(world, own, mask('two', 'b', 'z'));
    world.write('a/a.yaml', all(mask('one', 'c'), mask('two', 'z')));
    expect((await world.run(...plan, 'less.plan')).out).toContain('masking: a of cards is shown in clear');
    await applied(world, own, mask('two', 'z'));
    world.write('a/a.yaml', all(mask('one', 'c'), mask('two', 'z')));
    expect((await world.run(...plan, 'more.plan')).out).toContain('a and b of cards are shown in clear');
    const { code, err } = await world.run('apply', 'less.plan');
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(/^error\[stale-plan\]: .*: a and b of cards .*; the plan does not say so/m),
    ]);
    await applied(world, own, mask('two', 'b', 'z'));
    expect((await world.run('apply', 'more.plan')).code).toBe(0);
  });

  it('on topics of which the plan does not tell, or with nothing left, makes it stale', async () => {
    const world = makeWorld({});
    setRules(world, '');
    const on = (name: string, topic: string, rule = 'MASK_ALL'): string =>
      mask(name, 'a').replace('topic: cards', `topic: ${topic}`).replace('MASK_ALL', rule);
    const staleBy = async (own: string, wanted: string, other: string, later: string) => {
      await applied(world, own, other);
      world.write('a/a.yaml', all(wanted, other));
      expect((await world.run('plan', '--target', '*/one*', '--out', 'p.plan')).out).toContain('Weaker');
      await applied(world, own, later);
      return (await world.run('apply', 'p.plan')).err;
    };
    const none = on('two', 'none');
    expect(await staleBy(on('one', 'cards|slips'), on('one', 'others'), on('two', 'slips'), none)).toMatch(
      /stale-plan.*a of topics that match "cards.slips" is shown in clear/,
    );
    const less = on('two', 'cards', 'MASK_FIRST_N, numberOfChars: 1');
    expect(await staleBy(on('one', 'cards'), on('one', 'others'), less, none)).toMatch(
      /stale-plan.*a of cards is shown in clear/,
    );
    const known = documentOf('AliasTopic', '{ name: cards-a }', '{ physicalName: p }');
    const more = known.replace('cards-a', 'cards-b').replace(': p', ': q');
    // The plan has told of all that match.
    expect(await staleBy(on('one', 'cards.*'), on('one', 'others'), known, more)).toMatch(
      /^warning.*a of cards-a and cards-b, and others that match cards\.\* is shown in clear/,
    );
    expect(await staleBy(on('one', 'cards.*'), on('one', 'others'), known, known)).not.toContain(
      'stale-plan',
    );
  });

  it('by what others changed since the plan was made makes it stale', async () => {
    const world = makeWorld({});
    setRules(world, '');
    await applied(world, mask('one', 'a', 'b'), mask('two', 'a'));
    world.write('a/a.yaml', all(mask('one', 'b'), mask('two', 'a')));
    expect((await world.run('plan', '--fail-on', 'loss', '--target', '*/one*', '--out', 'p.plan')).code).toBe(
      0,
    );
    await applied(world, mask('one', 'a', 'b'), mask('two', 'c'));
    const { code, err } = await world.run('apply', 'p.plan');
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(
        /^error\[stale-plan\]: .* weaker masking: a of cards is shown in clear .*; the plan does not say so/m,
      ),
    ]);
  });
});

it('a saved plan that is shown tells losses in each format that the plan tells them in', async () => {
  const leaving = all(group('one', 'alice'), group('two', 'alice'));
  const world = await worldWith(all(clients, audited, guard('xx'), taken, leaving));
  const formats = ['json', 'markdown', 'html', 'sarif', 'junit', 'github', 'gitlab-quality'];
  const loss = 'bob in prod loses audit permanently';
  await world.run('plan', '--out', 'p.plan', ...inFormats(...formats));
  const planned = formats.map((format) => world.read(`out.${format}`).includes(loss));
  const { out } = await world.run('show', 'p.plan', ...inFormats(...formats));
  const shown = formats.map((format) => world.read(`out.${format}`).includes(loss));
  expect([planned, shown]).toEqual([planned.map(() => true), planned.map(() => true)]);
  expect(out.split(loss)).toHaveLength(2);
});
