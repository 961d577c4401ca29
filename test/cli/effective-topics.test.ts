import { describe, expect, it } from 'vitest';
import type { EffectiveReport } from '../../src/outcome/effective.ts';
import { makeWorld } from '../support/cli.ts';
import { dedent } from '../support/expect-problems.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside } from '../support/served.ts';
import { projectOf } from '../support/documents.ts';

const FILES = dedent(`
  apiVersion: gateway/v2
  kind: VirtualCluster
  metadata: { name: prod }
  spec: {}
  ---
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata: { name: orders, vCluster: prod }
  spec: { physicalName: orders-v1 }
  ---
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: mask, scope: { vCluster: prod } }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
    priority: 5
    config: { topic: 'payments-[a-z]+', policies: [{ name: all, fields: [card] }] }
  ---
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: limit, scope: { vCluster: prod } }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.safeguard.LimitConnectionPolicyPlugin
    priority: 5
    config: { maximumConnectionsPerSecond: 5 }
  ---
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: own, scope: { vCluster: prod, username: ann } }
  spec: { pluginClass: com.example.Own, priority: 6, config: { topic: secret-topic } }
`);

const world = (more: Readonly<Record<string, string>> = {}) => makeWorld({ 'a.yaml': FILES, ...more });

describe('gwconf effective --topic', () => {
  it('shows what acts on the topic, and what may', async () => {
    const ran = await world().run('effective', 'a.yaml', '--topic', 'payments-eu');
    expect(ran.code).toBe(0);
    expect(ran.out.trimEnd().split('\n')).toEqual([
      'all other clients in passthrough',
      '  no interceptors',
      '  protection: none',
      '',
      'ann in prod',
      '  5 limit (vCluster=prod) → 5 mask (vCluster=prod) → 6 own (username=ann; not certain)',
      '  protection: masking, safeguard',
      '',
      'all other clients in prod',
      '  5 limit (vCluster=prod) → 5 mask (vCluster=prod)',
      '  protection: masking, safeguard',
      '',
      '3 clients, 3 chains for topic payments-eu by the files.',
    ]);
  });

  it('says why, and shows no value of a config', async () => {
    const ran = await world().run('effective', 'a.yaml', '--topic', 'orders', '--why', '-o', 'json');
    const { principals } = JSON.parse(ran.out) as EffectiveReport;
    const ann = [...principals].find(({ username }) => username === 'ann');
    expect(ann?.chain.map(({ topic }) => topic)).toEqual([
      { covers: 'yes', reason: 'the class acts on all topics' },
      { covers: 'unknown', reason: 'gwconf does not know the class' },
    ]);
    expect(ran.out).not.toContain('secret-topic');
    const shown = await world().run(
      'effective',
      'a.yaml',
      '--topic',
      'orders',
      '--why',
      '--as',
      'ann',
      '--virtual-cluster',
      'prod',
    );
    expect(shown.out).toContain('not certain: gwconf does not know the class');
  });
});

describe('gwconf effective --uncovered', () => {
  it('shows topics of a file without protection, and interceptors to look at', async () => {
    const mine = world({ 'topics.txt': '# ours\r\norders\r\n\npayments-eu\nPAYMENTS.eu\n' });
    const ran = await mine.run('effective', 'a.yaml', '--uncovered', '--topics', 'topics.txt');
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('result: uncovered\n');
    expect(ran.out.trimEnd().split('\n')).toEqual([
      'all other clients in passthrough',
      '  without protection: PAYMENTS.eu, orders, payments-eu',
      '',
      'clients of prod: all other clients and ann',
      '  without protection: PAYMENTS.eu, orders',
      '',
      'Interceptor/mask@vCluster=prod and Interceptor/limit@vCluster=prod have the same priority; their order is undefined',
      '',
      '3 of 3 topics without protection for at least one of 3 clients by the files.',
    ]);
  });

  it('reads topics from stdin, and ends with 2 if asked to', async () => {
    const args = ['effective', 'a.yaml', '--uncovered', '--topics', '-', '--detailed-exitcode'];
    const prod = ['--as', 'bob', '--virtual-cluster', 'prod'];
    const covered = await world().runWith({ stdin: 'payments-eu\n' }, ...args, ...prod);
    expect(covered).toMatchObject({ code: 0, err: expect.stringContaining('result: covered') as string });
    const masked = await world().runWith(
      { stdin: 'payments-eu\n' },
      ...args,
      ...prod,
      '--protection',
      'encryption',
    );
    expect(masked.code).toBe(2);
    expect(masked.out).toContain('without encryption: payments-eu');
  });

  it('looks at the alias topics of files', async () => {
    const ran = await world().run('effective', 'a.yaml', '--uncovered', '-o', 'json');
    const { result, summary, coverage } = JSON.parse(ran.out) as EffectiveReport;
    expect([result, summary]).toEqual([
      'uncovered',
      { principals: 3, chains: 3, topics: 1, uncovered: 1, uncertain: 0 },
    ]);
    expect(coverage?.uncovered).toMatchObject([
      {
        topics: [{ topic: 'orders', uncertain: [] }],
        principals: [{ username: 'ann' }, { username: null, virtualCluster: 'prod' }],
      },
    ]);
  });

  it('is not certain of custom classes that are said to protect', async () => {
    const project = projectOf({ prod: 'files: [a.yaml], protection: { pci: [Own] }' });
    const ran = await world({ 'gwconf.yaml': project }).run(
      'effective',
      '--uncovered',
      '--protection',
      'pci',
    );
    expect(ran.out).toContain('ann in prod\n  perhaps without pci: orders; it depends on Interceptor/own@');
    expect(ran.out).toContain('all other clients in prod\n  without pci: orders\n');
  });

  it('looks at the topics of a gateway', async () => {
    const there = await serve();
    await there.put(
      resource('VirtualCluster', { name: 'prod' }),
      resource('AliasTopic', { name: 'refunds', vCluster: 'prod' }, { physicalName: 'refunds-v1' }),
    );
    const ran = await worldBeside(there).run('effective', '--uncovered', '--live');
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('all other clients in prod\n  without protection: refunds\n');
    const page = await worldBeside(there).run('effective', '--uncovered', '--live', '-o', 'markdown');
    expect(page.out).toContain('1 of 1 topic without protection');
    expect(page.out).toContain('Topics without protection');
  });

  it('looks at topics that a concentration rule has made, which no file can declare', async () => {
    const there = await serve({ version: '3.20.0' });
    const made = there.gateway.handle('POST', '/admin/vclusters/v1/vcluster/passthrough/topics/clicks', {
      ...{ physicalTopicName: 'events', readOnly: false, type: 'concentrated' },
    });
    expect(made.status).toBe(201);
    const ran = await worldBeside(there).run('effective', '--uncovered', '--live');
    expect(ran.out).toContain('all other clients in passthrough\n  without protection: clicks\n');
  });

  it('fails if no topic is known, or a name cannot be one', async () => {
    const mine = world({
      'topics.txt': '# none\n',
      'bad.txt': 'orders\nor ders\n',
      'b.yaml': FILES.split('---')[0] ?? '',
    });
    const none = await mine.run('effective', 'b.yaml', '--uncovered');
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringContaining('no alias topic or concentrated topic is known'),
    ]);
    for (const [path, message] of [
      ['topics.txt', 'there is no topic in topics.txt'],
      ['bad.txt', 'expected the name of a topic on line 2 of bad.txt'],
      ['missing.txt', 'missing.txt'],
    ] as const) {
      const ran = await mine.run('effective', 'a.yaml', '--uncovered', '--topics', path);
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining(message)]);
    }
  });
});

describe('gwconf plan and apply --topics', () => {
  const changed = (pattern: string): string => FILES.replace('payments-[a-z]+', pattern);
  const start = async (more: Readonly<Record<string, string>>) => {
    const mine = world({ 'topics.txt': 'payments-eu\nother\n', ...more });
    const { code, err } = await mine.run('apply', '-f', 'a.yaml', '--url', 'embedded:g.json', '--yes');
    expect(code, err).toBe(0);
    return mine;
  };
  const FROM = ['--topics', 'topics.txt', '--url', 'embedded:g.json'];

  it('name the topics of the file on which protection gets weaker', async () => {
    const mine = await start({ 'b.yaml': changed('other') });
    const clear = 'masking: card of payments-eu and others that match';
    expect((await mine.run('plan', 'b.yaml', ...FROM, '--out', 'p.json')).out).toContain(clear);
    expect((await mine.run('plan', 'b.yaml', ...FROM.slice(2))).out).not.toContain('payments-eu');
    const applied = await mine.run('apply', 'p.json', ...FROM.slice(2));
    expect(applied.code, applied.err).toBe(0);
  });

  it('tell a pattern that resembles a topic of the file', async () => {
    const mine = await start({ 'b.yaml': changed('payment-.*') });
    const { err } = await mine.run('plan', 'b.yaml', ...FROM);
    expect(err).toContain('payment-.* matches none of the topics that are known, but resembles payments-eu');
  });

  it('refuse a file that is no list of topics', async () => {
    const mine = await start({ 'bad.txt': 'or ders\n' });
    const { code, err } = await mine.run('plan', 'a.yaml', '--topics', 'bad.txt', ...FROM.slice(2));
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('expected the name of a topic on line 1 of bad.txt'),
    ]);
  });
});

describe('topics in gwconf.yaml', () => {
  const project = (more = ''): string =>
    dedent(`
    apiVersion: gwconf/v1
    kind: Project
    topics: lists/topics.txt
    environments:
      prod:
        gateway: { url: 'embedded:g.json' }
        files: [live]
        ${more}
  `);
  const AT = ['--url', 'embedded:g.json'];
  const NARROWER = FILES.replace('payments-[a-z]+', 'other');
  const start = async (text: string, more: Readonly<Record<string, string>> = {}) => {
    const lists = { 'lists/topics.txt': 'payments-eu\nother\n', 'lists/own.txt': 'payments-us\n' };
    const mine = makeWorld({ 'gwconf.yaml': text, 'live/a.yaml': FILES, ...lists, ...more });
    const { code, err } = await mine.run('apply', ...AT, '--yes');
    expect(code, err).toBe(0);
    mine.write('live/a.yaml', NARROWER);
    return mine;
  };
  const CLEAR_EU = 'card of payments-eu and others that match';
  const CLEAR_US = 'card of payments-us and others that match';

  it('are those of every command that judges patterns, without a flag', async () => {
    const mine = await start(project());
    expect((await mine.run('plan', ...AT)).out).toContain(CLEAR_EU);
    mine.write('live/a.yaml', FILES.replace('payments-[a-z]+', 'oth.*'));
    expect((await mine.run('effective', '--compare', ...AT)).out).toContain(
      'card of other and others that match',
    );
    expect((await mine.run('effective', '--uncovered', '--as', 'ann')).out).toContain('other, payments-eu');
    mine.write('live/a.yaml', FILES.replace('payments-[a-z]+', 'payment-.*'));
    for (const args of [['validate'], ['validate', '--env', 'prod'], ['plan', ...AT]])
      expect((await mine.run(...args)).err).toContain('but resembles payments-eu');
    expect((await mine.run('validate', '--topics', 'lists/own.txt')).err).toContain('resembles payments-us');
  });

  it('are those of a run, which tells each warning once, and of its undo', async () => {
    const mine = await start(project());
    const applied = await mine.run('apply', ...AT, '--yes');
    expect(applied.code, applied.err).toBe(0);
    expect(applied.err.split('weakened-protection')).toHaveLength(2);
    expect(applied.err).toContain(CLEAR_EU);
    mine.write('live/a.yaml', FILES);
    expect((await mine.run('apply', ...AT, '--yes')).code).toBe(0);
    const undone = await mine.run('undo', ...AT, '--yes');
    expect(undone.code, undone.err).toBe(0);
    expect(undone.err).toContain(CLEAR_EU);
    expect((await mine.run('apply', ...AT, '--yes')).code).toBe(0);
    const other = await mine.run('undo', '--topics', 'lists/own.txt', ...AT, '--yes');
    expect(other.code, other.err).toBe(0);
  });

  it('are those of the environment, where it has some, and of the flag before both', async () => {
    const mine = await start(project('topics: lists/own.txt'), { 'flag.txt': 'payments-x\n' });
    const { out } = await mine.run('plan', ...AT);
    expect(out).toContain(CLEAR_US);
    expect(out).not.toContain('payments-eu');
    const flag = await mine.run('plan', '--topics', 'flag.txt', ...AT);
    expect(flag.out).toContain('card of payments-x and others that match');
    expect(flag.out).not.toContain('payments-us');
  });

  it('go with a saved plan, which is judged by its own', async () => {
    const mine = await start(project());
    expect((await mine.run('plan', ...AT, '--out', 'p.json')).code).toBe(0);
    expect(JSON.parse(mine.read('p.json'))).toMatchObject({ topics: ['other', 'payments-eu'] });
    mine.write('lists/topics.txt', 'other\npayments-eu\npayments-us\npayments-x\n');
    const applied = await mine.run('apply', 'p.json', ...AT);
    expect(applied.code, applied.err).toBe(0);
    expect(applied.err).toContain(
      'warning[other-topics]: the list of topics is not that of the plan: 2 more, 0 fewer; the plan is judged by its own',
    );
    expect(applied.err).toContain(CLEAR_EU);
    expect(applied.err).not.toContain('payments-us');
  });

  it('say nothing with the list of the plan, and are not needed to apply it', async () => {
    for (const list of ['payments-eu\nother\n', undefined]) {
      const mine = await start(project());
      expect((await mine.run('plan', ...AT, '--out', 'p.json')).code).toBe(0);
      if (list === undefined) mine.write('lists/topics.txt', 'no topic\n');
      const applied = await mine.run('apply', 'p.json', ...AT);
      expect(applied.code, applied.err).toBe(0);
      expect(applied.err).not.toContain('other-topics');
      expect(applied.err.includes('expected the name of a topic')).toBe(list === undefined);
    }
  });

  it('are in a file of the project', async () => {
    for (const path of ['missing.txt', '../outside.txt', '/etc/hostname']) {
      const mine = makeWorld({
        'gwconf.yaml': project().replace('lists/topics.txt', path),
        'live/a.yaml': FILES,
      });
      const { code, err } = await mine.run('plan', ...AT);
      expect([path, code, err]).toEqual([path, 1, expect.stringContaining('gwconf.yaml:3:9')]);
    }
  });
});

it.each<[string[], string]>([
  [['effective', '--topic', 'or*'], 'expected the name of a topic'],
  [['effective', '--topic', 'a', '--uncovered'], '--topic and --uncovered are different reports'],
  [['effective', '--topic', 'a', '--compare'], '--topic and --compare are different reports'],
  [['effective', '--uncovered', '--compare'], '--uncovered and --compare are different reports'],
  [['effective', '--uncovered', '--why'], '--why explains chains'],
  [['effective', '--topics', 'a.txt'], '--topics needs --uncovered or --compare'],
  [['validate', '-', '--topics', '-'], 'stdin holds the topics or the resources'],
  [['plan', '-', '--topics', '-'], 'stdin holds the topics or the resources'],
  [['apply', '-f', '-', '--topics', '-', '--yes'], 'stdin holds the topics or the resources'],
  [['apply', 'plan.json', '--topics', 'a.txt'], 'a saved plan is complete; leave out --topics'],
  [['effective', '--protection', 'masking'], '--protection needs --uncovered'],
  [['effective', '-', '--uncovered', '--topics', '-'], 'stdin holds the topics or the resources'],
  [['effective', '--uncovered', '--protection', 'pci'], 'expected one of access, audit'],
])('%j is wrong usage', async (args, sentence) => {
  const ran = await world().run(...args);
  expect([ran.code, ran.out, ran.err]).toEqual([64, '', expect.stringContaining(sentence)]);
});
