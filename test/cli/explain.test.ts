import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES } from '../../src/index.ts';
import { makeWorld, wrongUsage } from '../support/cli.ts';

describe('gwconf explain', () => {
  it('prints what is known of a field', async () => {
    const ran = await makeWorld().run('explain', 'Interceptor.spec.priority');
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toBe(
      'Interceptor.spec.priority\n\nInterceptors with lower priority run first.\n\nType:      integer\nRequired:  yes\nMinimum:   -2147483648\nMaximum:   2147483647\n',
    );
  });

  it('prints what is known of a plugin class', async () => {
    const { code, out } = await makeWorld().run('explain', 'FieldLevelDataMaskingPlugin');
    expect(code).toBe(0);
    expect(out).toMatch(/^io\.conduktor\.gateway\.interceptor\.FieldLevelDataMaskingPlugin\n/);
  });

  it('lists fields of fields when asked', async () => {
    const rowsOf = (out: string): readonly string[] =>
      [...out.matchAll(/^ {2}(\S+) {2}/gm)].map(([, name = '']) => name);
    const flat = await makeWorld().run('explain', 'EncryptPlugin');
    const all = await makeWorld().run('explain', 'EncryptPlugin', '--recursive');
    expect(rowsOf(flat.out)).not.toContain('kmsConfig.vault.uri');
    expect(rowsOf(all.out)).toEqual(
      expect.arrayContaining([...rowsOf(flat.out), 'kmsConfig.vault.uri', 'recordValue.fields.fieldName']),
    );
    const project = await makeWorld().run('explain', 'Project', '--recursive');
    expect(rowsOf(project.out)).toContain('environments.<name>.gateway.url');
  });

  it('lists what there is without a name', async () => {
    const { code, out, err } = await makeWorld().run('explain');
    expect([code, err]).toEqual([0, '']);
    for (const name of ['Interceptor', 'Project', 'Removal', 'EncryptPlugin', 'unknown-field'])
      expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it('fits the terminal', async () => {
    for (const question of [[], ['Project.environments'], ['invalid-plan']]) {
      const { out } = await makeWorld().runWith({ columns: 80 }, 'explain', ...question);
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });

  it('prints what is known of a problem code, from docs/problems.md', async () => {
    const { code, out } = await makeWorld().run('explain', 'missing-field');
    expect(code).toBe(0);
    expect(out).toMatch(/^missing-field\n\nError: a required field is missing\.\n/);
    expect(out).toMatch(
      /\n\nWrong:\n\n {2}apiVersion: gateway\/v2\n[^]*\n\nRight:\n\n {2}apiVersion: gateway\/v2\n/,
    );
    expect(out).not.toMatch(/```|\]\(/);
  });

  it('names the pages that say more of a problem code, as they are in the package', async () => {
    const { out } = await makeWorld().run('explain', 'lost-protection');
    expect(out).toContain('\n\nSee also:\n\n  docs/explained/protection.md');
  });

  it.each(Object.keys(PROBLEM_CODES))('knows the problem code %s', async (name) => {
    const { code, out } = await makeWorld().run('explain', name);
    expect([code, out.split('\n')[0]]).toEqual([0, name]);
  });

  it('finds a field by its name', async () => {
    const { code, out } = await makeWorld().run('explain', 'vault');
    expect(code).toBe(0);
    expect(out).toMatch(/^EncryptPlugin\.kmsConfig\.vault\n/);
    expect(out).toContain('\nAlso in:\n');
    const { out: choices } = await makeWorld().run('explain', 'type');
    expect(choices).toContain('  gwconf explain VirtualCluster.spec.type\n');
  });

  it('prints what is known of gwconf.yaml', async () => {
    expect((await makeWorld().run('explain', 'Project')).out).toContain('  environments  map ');
    expect((await makeWorld().run('explain', 'Project.environments.prod.pin.host')).code).toBe(0);
  });

  it.each([
    [
      'Interceptr',
      'there is no kind, plugin class, field or problem code Interceptr; did you mean Interceptor?',
    ],
    ['vualt', 'there is no kind, plugin class, field or problem code vualt; did you mean vault?'],
    [
      'missing-feild',
      'there is no kind, plugin class, field or problem code missing-feild; did you mean missing-field?',
    ],
    ['Interceptor.spec.prioritee', 'Interceptor.spec has no field prioritee; did you mean priority?'],
    [
      'zzz\u001b[31m',
      'there is no kind, plugin class, field or problem code zzz\\u001b[31m; gwconf explain lists all names',
    ],
  ])('refuses %j', async (question, told) => {
    const ran = await makeWorld().run('explain', question);
    expect(ran).toMatchObject({ code: 64, out: '', err: wrongUsage(told) });
  });
});
