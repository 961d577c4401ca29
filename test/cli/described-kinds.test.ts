import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeWorld, type World } from '../support/cli.ts';
import { TOPIC_VIEWS } from '../support/described.ts';
import { cluster } from '../support/documents.ts';

const HERE = ['--url', 'embedded:state.json'] as const;

const VIEW = `apiVersion: gateway/v2
kind: TopicView
metadata: { name: cheap, vCluster: prod }
spec: { sourceTopic: orders, filter: amount < 10, signingKey: s3cret-of-the-view }
`;

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
});
