import { describe, expect, it } from 'vitest';
import { encodeSnapshot } from '../../src/emulator/saved-state.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { ApplyReport } from '../../src/outcome/apply.ts';
import type { PlanReport } from '../../src/outcome/plan.ts';
import { makeWorld } from '../support/cli.ts';
import { written } from '../support/generate.ts';
import { resource, writableKinds } from '../support/kinds.ts';
import { serve, worldBeside } from '../support/served.ts';
import { orAll } from '../support/soak.ts';

const CLUSTERS = orAll(3, 100);
const COUNT = CLUSTERS * 100;
const APPLIED = COUNT / 5;

/** Thousands of resources of every kind: a hundred for each team. */
function thousands(priority: number): readonly Resource[] {
  return Array.from({ length: CLUSTERS }, (_, team): readonly Resource[] => {
    const vCluster = `team-${team}`;
    const each = (count: number, one: (at: number) => Resource): readonly Resource[] =>
      Array.from({ length: count }, (__, at) => one(at));
    return [
      resource('VirtualCluster', { name: vCluster }),
      ...each(39, (at) =>
        resource('AliasTopic', { name: `topic-${at}`, vCluster }, { physicalName: `physical-${at}` }),
      ),
      ...each(10, (at) =>
        resource(
          'ConcentrationRule',
          { name: `rule-${at}`, vCluster },
          { pattern: `r${at}-.*`, physicalTopics: { delete: 'all' }, autoManaged: true },
        ),
      ),
      ...each(30, (at) =>
        resource(
          'GatewayServiceAccount',
          { name: `app-${at}`, vCluster },
          { type: 'EXTERNAL', externalNames: [`${vCluster}-${at}`] },
        ),
      ),
      ...each(5, (at) =>
        resource(
          'GatewayGroup',
          { name: `${vCluster}-${at}` },
          {
            members: each(6, (i) => resource('x', { name: `app-${at * 6 + i}` })).map(({ metadata }) => ({
              name: metadata.name,
              vCluster,
            })),
          },
        ),
      ),
      ...each(15, (at) =>
        resource(
          'Interceptor',
          { name: `guard-${at}`, scope: { vCluster, group: `${vCluster}-${at % 5}` } },
          { pluginClass: 'com.example.Own', priority, config: { list: [1, 2, { name: `${at}` }] } },
        ),
      ),
    ];
  }).flat();
}

describe(`${COUNT} resources`, () => {
  it('are planned with a call for each kind, all new or some of them changed', async () => {
    const there = await serve();
    const mine = worldBeside(there);
    mine.write('all.yaml', written(thousands(1)));
    const first = JSON.parse((await mine.run('plan', 'all.yaml', '-o', 'json')).out) as PlanReport;
    expect(first.summary).toMatchObject({ create: COUNT, unchanged: 0 });
    expect(there.requests).toHaveLength(writableKinds.length + 1); // and the plugins, since interceptors are new

    await there.put(...thousands(1));
    there.forget();
    mine.write('all.yaml', written(thousands(2)));
    const second = JSON.parse((await mine.run('plan', 'all.yaml', '-o', 'json')).out) as PlanReport;
    expect(there.requests).toHaveLength(writableKinds.length);
    expect(second.summary).toMatchObject({ create: 0, update: CLUSTERS * 15, unchanged: CLUSTERS * 85 });
    expect(
      second.changes.every(({ fields }) => fields.length === 1 && fields[0]?.path === '/spec/priority'),
    ).toBe(true);
  });

  it('are found at a state file as they are', async () => {
    const there = await serve();
    await there.put(...thousands(1));
    const mine = makeWorld({});
    mine.write('state.json', encodeSnapshot(there.gateway.snapshot()));
    mine.write('all.yaml', written(thousands(1)));
    expect((await mine.run('plan', 'all.yaml', '--url', 'embedded:state.json')).out).toContain(
      `No changes. ${COUNT} objects up to date.`,
    );
  });

  it('some of them are applied with a call each, and a saved plan of it is as good', async () => {
    const there = await serve();
    const some = thousands(1).slice(0, APPLIED);
    const mine = worldBeside(there, { 'some.yaml': written(some) });
    await mine.run('plan', 'some.yaml', '--out', 'p.plan');
    there.forget();
    const { result, ledger } = JSON.parse(
      (await mine.run('apply', 'p.plan', '-o', 'json')).out,
    ) as ApplyReport;
    expect(result).toBe('applied');
    expect(ledger.filter(({ outcome }) => outcome === 'done')).toHaveLength(APPLIED);
    expect(there.writes()).toHaveLength(APPLIED);
  });
});
