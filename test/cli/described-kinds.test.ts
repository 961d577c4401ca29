import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeWorld, type World } from '../support/cli.ts';
import { TOPIC_VIEWS } from '../support/described.ts';
import { cluster, documentOf } from '../support/documents.ts';

const HERE = ['--url', 'embedded:state.json'] as const;

const VIEW = documentOf(
  'TopicView',
  '{ name: cheap, vCluster: prod }',
  '{ sourceTopic: orders, filter: amount < 10, signingKey: s3cret-of-the-view }',
);

/** A world whose gateway has kinds that no file of ours names. */
function having(files: Readonly<Record<string, string>> = {}): World {
  const state = {
    format: 'gwconf/gateway-state@1',
    version: '3.21.0',
    kinds: parse(TOPIC_VIEWS) as unknown,
    resources: [],
  };
  return makeWorld({ 'state.json': JSON.stringify(state), ...files });
}

describe('a kind that only the gateway knows', () => {
  it('is planned, applied, changed, undone, exported, pruned', async () => {
    const world = having({ 'a.yaml': `${cluster('prod')}---\n${VIEW}` });
    const planned = await world.run('plan', '-f', 'a.yaml', ...HERE);
    expect(planned.err).not.toContain('error');
    expect([planned.code, planned.out]).toEqual([
      0,
      expect.stringContaining('TopicView/cheap@vCluster=prod'),
    ]);
    expect(planned.out).not.toContain('s3cret');
    const applied = await world.run('apply', '-f', 'a.yaml', '--auto-approve', '--journal', 'runs', ...HERE);
    expect([applied.code, applied.out]).toEqual([
      0,
      expect.stringContaining('TopicView/cheap@vCluster=prod'),
    ]);
    const again = await world.run('plan', '-f', 'a.yaml', ...HERE);
    expect(again.out).toContain('No changes');
    const listed = await world.run('get', 'topic-views', ...HERE);
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('cheap')]);
    expect(listed.out).not.toContain('s3cret');

    world.write('a.yaml', `${cluster('prod')}---\n${VIEW.replace('10', '20')}`);
    expect((await world.run('plan', '-f', 'a.yaml', '--out', 'plan.json', ...HERE)).code).toBe(0);
    const shown = await world.run('show', 'plan.json');
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('amount < 20')]);
    const saved = await world.run('apply', 'plan.json', '--journal', 'runs', ...HERE);
    expect(saved.err).not.toContain('error');
    expect(saved.code).toBe(0);
    const undone = await world.run('undo', '--auto-approve', '--journal', 'runs', ...HERE);
    expect(undone.err).not.toContain('error');
    expect([undone.code, undone.out]).toEqual([0, expect.stringContaining('TopicView/cheap@vCluster=prod')]);
    expect((await world.run('get', 'TopicView', '-o', 'yaml', ...HERE)).out).toContain('amount < 10');

    const exported = await world.run('export', '--out', 'out', ...HERE);
    expect(exported.err).not.toContain('error');
    expect(exported.code).toBe(0);
    expect(exported.out).toContain('2 objects');

    const snapshot = await world.run('snapshot', '--out', 'snapshot.json', ...HERE);
    expect([snapshot.code, snapshot.err]).toEqual([0, 'result: ok\n']);
    expect((await world.run('plan', '-f', 'a.yaml', '--snapshot', 'snapshot.json')).out).toContain(
      '1 to update',
    );

    world.write('a.yaml', cluster('prod'));
    const kept = await world.run('plan', '-f', 'a.yaml', ...HERE);
    expect(kept.out).toContain('No changes');
    const pruned = await world.run(
      'apply',
      '-f',
      'a.yaml',
      '--prune',
      '--manages',
      '*/*',
      '--max-deletes',
      '1',
      '--auto-approve',
      ...HERE,
    );
    expect([pruned.code, pruned.out]).toEqual([0, expect.stringContaining('TopicView/cheap@vCluster=prod')]);
    expect((await world.run('get', ...HERE)).out).not.toContain('cheap');
  }, 60_000);

  it('is checked without a gateway by a copy that gwconf.yaml names', async () => {
    const world = having({ 'a.yaml': VIEW.replace('sourceTopic', 'sourceTopik') });
    const before = await world.run('validate', 'a.yaml');
    expect([before.code, before.err]).toEqual([1, expect.stringContaining('gwconf schema --gateway')]);
    const written = await world.run('schema', '--gateway', ...HERE);
    expect([written.code, written.err]).toEqual([0, 'result: ok\n']);
    world.write('gateway-docs.json', written.out);
    world.write('gwconf.yaml', 'apiVersion: gwconf/v1\nkind: Project\nkinds: gateway-docs.json\n');
    const after = await world.run('validate', 'a.yaml');
    expect([after.code, after.err]).toEqual([1, expect.stringContaining('did you mean sourceTopic')]);
    expect((await world.run('explain', 'TopicView.spec.maxAge')).out).toMatch(/Default: +0/);
    expect((await world.run('template', 'TopicView')).out).toContain('sourceTopic: orders');
    expect((await world.run('schema', 'TopicView')).out).toContain('signingKey');
  }, 60_000);

  it('is told by doctor where a copy is of another description', async () => {
    const world = having();
    const { out } = await world.run('schema', '--gateway', ...HERE);
    world.write('gateway-docs.json', out);
    world.write('gwconf.yaml', 'apiVersion: gwconf/v1\nkind: Project\nkinds: gateway-docs.json\n');
    const words = 'describes other kinds than the copy in gwconf.yaml';
    expect((await world.run('doctor', ...HERE)).out).not.toContain(words);
    world.write('gateway-docs.json', out.replace('"minimum": 1', '"minimum": 2'));
    expect((await world.run('doctor', ...HERE)).out).toContain(words);
  });

  it('is completed from a copy: its name, and addresses of it', async () => {
    const world = having({ 'a.yaml': VIEW });
    const words = async (...line: readonly string[]): Promise<string> =>
      (await world.run('__complete', ...line)).out;
    expect(await words('explain', 'TopicV')).not.toContain('TopicView');
    world.write('gateway-docs.json', (await world.run('schema', '--gateway', ...HERE)).out);
    world.write('gwconf.yaml', 'apiVersion: gwconf/v1\nkind: Project\nkinds: gateway-docs.json\n');
    expect(await words('explain', 'TopicV')).toContain('TopicView\tA part of a topic');
    expect(await words('get', '--kind', 'TopicV')).toContain('TopicView');
    expect(await words('plan', '-f', 'a.yaml', '--target', 'TopicView/')).toContain(
      'TopicView/cheap@vCluster=prod',
    );
    world.write('gateway-docs.json', '{');
    expect(await words('get', '--kind', 'TopicV')).toBe(':words\n');
  });

  it('has to be described by the gateway as the plan was made', async () => {
    const world = having({ 'a.yaml': `${cluster('prod')}---\n${VIEW}` });
    const state = world.read('state.json');
    expect((await world.run('plan', '-f', 'a.yaml', '--out', 'plan.json', ...HERE)).code).toBe(0);
    const tryWith = async (text: string): Promise<string> => {
      world.write('state.json', text);
      const ran = await world.run('apply', 'plan.json', '--journal', 'none', ...HERE);
      expect(ran.code).not.toBe(0);
      expect(world.read('state.json')).toBe(text);
      return ran.err;
    };
    const described = 'error[stale-plan]: the gateway describes TopicView otherwise than the plan';
    expect(await tryWith(state.replace('"format":"password"', '"maxLength":9'))).toContain(described);
    expect(await tryWith(state.replaceAll('topic-view', 'topic-sight'))).toContain(
      `${described}, or not at all`,
    );
    world.write('state.json', state);
    expect((await world.run('apply', 'plan.json', '--journal', 'none', ...HERE)).code).toBe(0);
  });

  it('of a copy may be one that this gateway does not have: others are planned, and nothing is deleted for it', async () => {
    const world = makeWorld({
      'a.yaml': cluster('prod'),
      'gwconf.yaml': 'apiVersion: gwconf/v1\nkind: Project\nkinds: docs.yaml\n',
      'docs.yaml': TOPIC_VIEWS,
    });
    const plan = await world.run('plan', '-f', 'a.yaml', '--prune', '--manages', '*/*', ...HERE);
    expect([plan.code, plan.out], plan.err).toEqual([0, expect.stringContaining('1 to create')]);
    world.write('a.yaml', `${cluster('prod')}---\n${VIEW}`);
    const declared = await world.run('plan', '-f', 'a.yaml', ...HERE);
    expect([declared.code, declared.err]).toEqual([
      1,
      expect.stringContaining(
        'TopicView/cheap@vCluster=prod cannot exist: the gateway does not serve TopicView',
      ),
    ]);
  });

  it('is told by diff where two gateways describe it otherwise', async () => {
    const state = (kinds: string): string =>
      JSON.stringify({
        ...{ format: 'gwconf/gateway-state@1', version: '3.21.0', kinds: parse(kinds) as unknown },
        resources: [],
      });
    const project = (more: string): string => `apiVersion: gwconf/v1
kind: Project
${more}
environments:
  one: { gateway: { url: 'embedded:one.json' } }
  two: { gateway: { url: 'embedded:two.json' } }
`;
    const world = makeWorld({
      'gwconf.yaml': project(''),
      'one.json': state(TOPIC_VIEWS.replaceAll('quota-plan', 'quota-plot')),
      'two.json': state(TOPIC_VIEWS.replace('format: password', 'maxLength: 9')),
      'same.json': state(TOPIC_VIEWS),
    });
    const diff = () => world.run('diff', '--from', 'live:one', '--to', 'live:two');
    const { err } = await diff();
    expect(err).toContain('live:two describes TopicView otherwise than both sides are read');
    expect(err).toContain('live:two has the kind QuotaPlan, which the other side does not describe');
    world.write('two.json', world.read('one.json'));
    expect((await diff()).err).not.toContain('unread-kinds');
  });
});
