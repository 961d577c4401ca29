import { expect, it } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { readOnly } from '../../src/gateway/gateway.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside } from '../support/served.ts';
import { alias, projectOf } from '../support/documents.ts';

it('no command that only looks sends a write, whatever it finds and however it is called', async () => {
  const there = await serve();
  await there.put(
    resource('VirtualCluster', { name: 'prod' }),
    resource('AliasTopic', { name: 'orders', vCluster: 'prod' }, { physicalName: 'orders-v1' }),
    resource('AliasTopic', { name: 'stray', vCluster: 'prod' }, { physicalName: 'orders-v1' }),
  );
  const mine = worldBeside(there, {
    'topics.yaml': alias('orders', 'orders-v2', 'prod'),
  });
  there.forget();
  const runs = [
    'snapshot --out s.json -f topics.yaml',
    'plan topics.yaml --out plan.json --detailed-exitcode',
    'plan topics.yaml --prune --manages AliasTopic/*',
    'plan topics.yaml --snapshot s.json',
    'drift topics.yaml',
    'drift topics.yaml --manages * --detailed-exitcode -o json=drift.json',
    'drift topics.yaml --target AliasTopic/orders*',
    'get',
    'get AliasTopic/* -o yaml',
    'get --snapshot s.json -o json',
    'import -f topics.yaml --dry-run --to topics.yaml',
    'import -f topics.yaml --drift --dry-run',
    'import -f topics.yaml --to topics.yaml',
    'import -f topics.yaml --drift --deleted',
    'plugins -o json',
    'export --out exported',
    'export AliasTopic/* --out others --layout one-file --project',
    'effective --live',
    'effective topics.yaml --compare',
    'resolve --as app --virtual-cluster prod',
    'doctor --deep -o json',
    'doctor',
  ];
  for (const line of runs) {
    const ran = await mine.run(...line.split(' '));
    expect([0, 2], `${line}\n${ran.err}`).toContain(ran.code);
  }
  const project = projectOf({ prod: '' });
  const other = worldBeside(there, { 'gwconf.yaml': project, 's.json': mine.read('s.json') });
  const compared = await other.run('diff', '--from', 'live:prod', '--to', 's.json');
  expect(compared.code, compared.err).toBe(0);
  expect(there.requests.length).toBeGreaterThan(0);
  // doctor learns from a refusal whether writes are allowed: a dry run, of a name that is reserved.
  expect(there.writes()).toEqual([
    {
      method: 'PUT',
      path: '/gateway/v2/virtual-cluster?dryMode=true',
      body: expect.objectContaining({ metadata: { name: 'passthrough' } }) as unknown,
      status: 400,
    },
  ]);
});

it('what they get has no way to a write', () => {
  const gateway = readOnly(memoryGateway(catalog.kinds));
  expect(Object.keys(gateway).sort()).toEqual(['close', 'list', 'url']);
});
