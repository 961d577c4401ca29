import { describe, expect, it } from 'vitest';
import type { PlanReport } from '../../src/outcome/plan.ts';
import { type Ran } from '../support/cli.ts';
import { alias, all, cluster } from '../support/documents.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside } from '../support/served.ts';

function reportOf({ out }: Ran): PlanReport {
  return JSON.parse(out) as PlanReport;
}

function changesIn(ran: Ran): readonly string[] {
  return reportOf(ran).changes.map(({ action, address }) => `${action} ${address}`);
}

describe('a plan in words', () => {
  it('has a line for each object, under it the fields that differ, and totals last', async () => {
    const there = await serve();
    await there.put(
      resource('VirtualCluster', { name: 'prod' }, { superUsers: ['old', 'kept'] }),
      resource('VirtualCluster', { name: 'unmanaged' }),
      resource(
        'Interceptor',
        { name: 'mask' },
        {
          pluginClass: 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin',
          priority: 1,
          config: {
            topic: 'orders',
            policies: [
              { name: 'card', fields: ['pan'], rule: { type: 'MASK_ALL' } },
              { name: 'holder', fields: ['name'], rule: { type: 'MASK_ALL' } },
            ],
          },
        },
      ),
    );
    const mine = worldBeside(there, {
      'a.yaml': cluster('prod', '{ superUsers: [kept, new] }'),
      'b.yaml': `
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: mask }
        spec:
          pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
          priority: 2
          comment: |
            one
            two
          config:
            policies:
              - { name: holder, fields: [name], rule: { type: MASK_LAST_N, numberOfChars: 4 } }
              - { name: card, fields: [pan, cvv], rule: { type: MASK_ALL } }
      `,
      'c.yaml': alias('orders', 'orders-v3', 'prod'),
    });
    const { out } = await mine.run('plan', '-f', '.');
    expect(out).toBe(
      [
        `Gateway ${there.url}`,
        '',
        'Weaker protection:',
        '  ! all other clients in passthrough have weaker masking: name of orders is masked less (policies)',
        '      By the update of Interceptor/mask@vCluster=passthrough',
        '      To accept it, use --accept-exposure Interceptor/mask@vCluster=passthrough, or exposures in gwconf.yaml',
        '',
        '  ~ Interceptor/mask@vCluster=passthrough  b.yaml:1',
        '      ~ /spec/comment: "" → "one\\ntwo\\n"',
        '      ~ /spec/config/policies:',
        '          - - name: card',
        '          -   fields: [pan]',
        '          -   rule:',
        '          -     type: MASK_ALL',
        '          - - name: holder',
        '          -   fields: [name]',
        '          + - name: holder',
        '          +   fields: [name]',
        '          +   rule:',
        '          +     type: MASK_LAST_N',
        '          +     numberOfChars: 4',
        '          + - name: card',
        '          +   fields: [pan, cvv]',
        '              rule:',
        '      + /spec/config/policies/0/rule/numberOfChars: 4',
        '      ~ /spec/config/policies/0/rule/type: "MASK_ALL" → "MASK_LAST_N"',
        '      + /spec/config/policies/1/fields/1: "cvv"',
        '      - /spec/config/topic: "orders"',
        '      ~ /spec/priority: 1 → 2',
        '  ~ VirtualCluster/prod  a.yaml:1',
        '      - /spec/superUsers/0: "old"',
        '      + /spec/superUsers/1: "new"',
        '  + AliasTopic/orders@vCluster=prod  c.yaml:1',
        '      + physicalName: orders-v3',
        '',
        'Affected clients:',
        '  ~ all other clients in passthrough run mask with another priority',
        '',
        'Plan: 1 to create, 2 to update, 0 to replace, 0 to delete. 0 unchanged. 1 object on the gateway is in no file and stays unchanged.',
        '',
      ].join('\n'),
    );
  });

  it('says only that there are no changes when there are none, and what was left alone', async () => {
    const there = await serve();
    await there.put(
      resource('VirtualCluster', { name: 'prod' }),
      resource('VirtualCluster', { name: 'x' }),
      resource('VirtualCluster', { name: 'y' }),
    );
    const { out } = await worldBeside(there, { 'a.yaml': cluster('prod') }).run('plan', 'a.yaml');
    expect(out).toBe(
      `Gateway ${there.url}\n\nNo changes. 1 object up to date. 2 objects on the gateway are in no file and stay unchanged.\n`,
    );
  });
});

describe('what no file mentions', () => {
  const live = [
    resource('VirtualCluster', { name: 'prod' }),
    resource('VirtualCluster', { name: 'team-a' }),
    resource('VirtualCluster', { name: 'team-b' }),
  ];

  const MINE = ['--manages', '*team-a*', '--manages', '*/prod'];

  it('is unclaimed where it is managed, and only counted where it is not', async () => {
    const there = await serve();
    await there.put(...live);
    const mine = worldBeside(there, { 'a.yaml': cluster('prod') });
    const told = await mine.run('plan', 'a.yaml', ...MINE);
    expect(told.out).toContain('--prune:\n    VirtualCluster/team-a\n\n');
    expect(told.out).toMatch(/up to date\. 1 orphaned\. 1 other object is not managed by this project\.\n$/);
    expect(told.out).not.toContain('team-b');
    const { out } = await mine.run('plan', 'a.yaml', ...MINE, '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      manages: ['*team-a*', '*/prod'],
      summary: { unclaimed: 1, unmanaged: 1, delete: 0 },
      unclaimed: ['VirtualCluster/team-a'],
      unmanaged: [],
    });
  });

  it('is deleted with --prune, within --manages only', async () => {
    const there = await serve();
    await there.put(...live);
    const mine = worldBeside(there, { 'a.yaml': cluster('prod') });
    const plan = await mine.run('plan', 'a.yaml', '--prune', ...MINE);
    expect(plan.out).toContain('Prune deletes orphaned objects that match *team-a*, */prod\n');
    expect(plan.out).toContain('  - VirtualCluster/team-a\n');
    expect(plan.out).toContain('1 to delete. 1 unchanged. 1 other object is not managed by this project.');
    await mine.run('apply', '-f', 'a.yaml', '--prune', ...MINE, '--auto-approve');
    expect((await there.list('VirtualCluster')).map(({ metadata }) => metadata.name)).toEqual([
      'prod',
      'team-b',
    ]);
  });

  it('needs --manages to be deleted: exit code 3, and the gateway is not asked', async () => {
    const there = await serve();
    const mine = worldBeside(there, { 'a.yaml': cluster('prod') });
    for (const command of [['plan'], ['apply', '--auto-approve']]) {
      const ran = await mine.run(...command, '-f', 'a.yaml', '--prune');
      expect(ran.code).toBe(3);
      expect(ran.err).toContain('error[prune-without-manages]');
    }
    expect(there.requests).toEqual([]);
  });

  it('needs --allow-empty as well when no file declares anything', async () => {
    const there = await serve();
    await there.put(...live);
    const mine = worldBeside(there, { 'd/notes.txt': '' });
    const args = ['-f', 'd', '--prune', '--manages', '*', '--auto-approve'];
    const ran = await mine.run('apply', ...args);
    expect(ran.code).toBe(3);
    expect(ran.err).toContain(
      'error[empty-prune]: no resource is declared in d, so prune would delete everything',
    );
    expect(there.writes()).toEqual([]);
    expect((await mine.run('apply', ...args, '--allow-empty')).code).toBe(0);
    expect(await there.list('VirtualCluster')).toEqual([]);
  });

  it('is not deleted when a file with a mistake is among them: that is exit code 1', async () => {
    const there = await serve();
    const mine = worldBeside(there, { 'd/a.yaml': 'kind: AliasTopic' });
    expect((await mine.run('apply', '-f', 'd', '--prune', '--manages', '*', '--auto-approve')).code).toBe(1);
    expect(there.requests).toEqual([]);
  });
});

describe('a narrowed plan', () => {
  const files = {
    'a.yaml': all(
      cluster('prod'),
      cluster('live'),
      alias('orders', 'orders-v3', 'prod'),
      alias('orders', 'orders-v3', 'live'),
    ),
  };

  it('says so in its header, and counts what it did not look at', async () => {
    const there = await serve();
    await there.put(resource('VirtualCluster', { name: 'elsewhere' }));
    const { out } = await worldBeside(there, files).run(
      'plan',
      'a.yaml',
      '--target',
      '*prod*',
      '--exclude',
      'AliasTopic/*',
    );
    expect(out).toBe(
      [
        `Gateway ${there.url}`,
        'Narrowed by --target *prod* --exclude AliasTopic/*: 4 objects not selected',
        '',
        '  + VirtualCluster/prod  a.yaml:1',
        '',
        'Plan: 1 to create, 0 to update, 0 to replace, 0 to delete. 0 unchanged.',
        '',
      ].join('\n'),
    );
  });

  it('never says that there are no changes of what it did not look at', async () => {
    const there = await serve();
    await there.put(resource('VirtualCluster', { name: 'prod' }));
    const ran = await worldBeside(there, files).run('plan', 'a.yaml', '--target', 'VirtualCluster/prod');
    expect(ran.out).not.toMatch(/no changes/i);
    expect(ran.out).toContain('Nothing to do for the 1 selected object; 3 not selected.');
  });

  it('says so to machines too', async () => {
    const there = await serve();
    const ran = await worldBeside(there, files).run('plan', 'a.yaml', '--exclude', '*live*', '-o', 'json');
    expect(reportOf(ran)).toMatchObject({ selection: { target: [], exclude: ['*live*'], unselected: 2 } });
  });

  it('is narrowed by every --exclude, and widened by every --target', async () => {
    const there = await serve();
    const mine = worldBeside(there, files);
    const plan = async (...args: readonly string[]): Promise<readonly string[]> =>
      changesIn(await mine.run('plan', 'a.yaml', '-o', 'json', ...args));
    expect(await plan('--target', 'VirtualCluster/prod', '--target', 'VirtualCluster/live')).toHaveLength(2);
    expect(await plan('--exclude', 'Alias*', '--exclude', '*/live')).toEqual(['create VirtualCluster/prod']);
    expect(await plan('--target', '!*live*')).toEqual([
      'create VirtualCluster/prod',
      'create AliasTopic/orders@vCluster=prod',
    ]);
  });

  it('applies to apply as well', async () => {
    const there = await serve();
    const mine = worldBeside(there, files);
    const ran = await mine.run('apply', '-f', 'a.yaml', '--target', 'VirtualCluster/*', '--auto-approve');
    expect(ran.code).toBe(0);
    expect(there.writes()).toHaveLength(2);
  });
});
