import { afterEach, describe, expect, it } from 'vitest';
import type { PluginsReport } from '../../src/outcome/gateway.ts';
import { PLUGIN_PREFIX } from '../../src/schema/plugins/plugin.ts';
import { closeAll } from '../gateway/opponent.ts';
import { verdictOf, wrongUsage, makeWorld, type Ran } from '../support/cli.ts';
import { oddWorld } from '../support/odd-gateway.ts';
import { serve, worldBeside } from '../support/served.ts';

afterEach(closeAll);

function reportOf({ out }: Ran): PluginsReport {
  return JSON.parse(out) as PluginsReport;
}

/** The row of a class in a table, by columns. */
function rowOf({ out }: Ran, name: string): readonly string[] | undefined {
  const rows = out.split('\n').map((line) => line.trim().split(/ {2,}/));
  return rows.find(([first]) => first === name);
}

describe('gwconf plugins', () => {
  it('lists what the gateway has beside what gwconf knows, and why they differ', async () => {
    const there = await serve({ version: '3.20.0', plugins: ['com.example.Own'] });
    const ran = await worldBeside(there).run('plugins');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: ok']);
    const about = (name: string) => ['yes', 'yes', name, '3.20.0', 'enterprise'];
    expect(rowOf(ran, 'EncryptPlugin')).toEqual(['EncryptPlugin', ...about('EncryptPlugin'), '-']);
    expect(rowOf(ran, 'com.example.Own')).toEqual([
      ...['com.example.Own', 'yes', 'no', 'Own', '-', 'free'],
      'unknown to gwconf, which does not check its config',
    ]);
    const [, here, known, title, , , note] = rowOf(ran, 'FetchEncryptPlugin') ?? [];
    expect([here, known, title]).toEqual(['no', 'yes', '-']);
    expect(note).toMatch(/^not on the gateway, removed in 3\.19\.0: encrypt records when/);
    expect(rowOf(ran, 'VirtualSqlTopicPlugin')?.at(-1)).toBe(
      'deprecated since 3.20.0: use a topic view, which gwconf manages if the gateway describes it',
    );
    expect(ran.out).toContain(
      `\n40 classes on ${there.url}, 1 of them unknown to gwconf; 4 known to gwconf, but not there.\n`,
    );
    expect(there.writes()).toEqual([]);
    expect(there.requests).toHaveLength(1);
  });

  it('prints full names and descriptions with -o wide, and lists for programs', async () => {
    const world = worldBeside(await serve());
    const wide = await world.run('plugins', '-o', 'wide');
    expect(rowOf(wide, `${PLUGIN_PREFIX}AuditPlugin`)?.at(-1)).toBe('Writes requests to the audit log.');
    const report = reportOf(await world.run('plugins', '-o', 'json'));
    expect(report.summary).toEqual({ onGateway: 39, unknown: 0, notOnGateway: 4 });
    const yaml = await world.run('plugins', '-o', 'yaml');
    expect(yaml.out).toContain(`- class: ${PLUGIN_PREFIX}AuditPlugin\n  onGateway: true\n  known: true\n`);
    expect((await world.run('plugins', '-o', 'name')).err).toBe(
      wrongUsage('plugins prints -o human, -o wide, -o json, -o yaml'),
    );
  });

  it.each([400, 403, 404, 500])('is an error for a gateway that answers %i to the list', async (status) => {
    const world = await oddWorld({ Plugin: { status } });
    const ran = await world.run('plugins', '-o', 'json');
    expect([ran.code, verdictOf(ran), reportOf(ran).plugins]).toEqual([1, 'result: error', []]);
    expect(reportOf(ran).problems[0]?.message).toMatch(/^Plugin (is not available|cannot be listed): /);
  });

  it('warns of a list that plans do not use', async () => {
    for (const list of [[], [{ plugin: 'com.example.Own', pluginId: 'own', readme: '' }]]) {
      const ran = await (await oddWorld({ Plugin: list })).run('plugins');
      expect(ran.code).toBe(0);
      expect(ran.err).toContain('the gateway lists no class that gwconf knows');
    }
  });

  it('keeps a line of a hostile list on its line', async () => {
    const hostile = {
      plugin: 'a\nb\u001b[2J',
      pluginId: 'x',
      readme: '',
      title: 'c\n::error::d',
    };
    const world = await oddWorld({ Plugin: [hostile, { ...hostile, plugin: '__proto__' }] });
    for (const format of ['human', 'wide', 'yaml', 'json']) {
      const { out, code } = await world.run('plugins', '-o', format);
      expect([code, out]).toEqual([0, expect.stringContaining('__proto__')]);
      expect(out).not.toMatch(/^::error|^b|\u001b/m);
    }
  });

  it('is an error without a gateway', async () => {
    expect((await makeWorld().run('plugins')).code).toBe(64);
    const ran = await makeWorld().run('plugins', '--url', 'http://127.0.0.1:1', '-o', 'json');
    expect([ran.code, reportOf(ran).result]).toEqual([1, 'error']);
  });
});
