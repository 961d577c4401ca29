import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/model/resource.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { explainChange } from '../../../src/report/text/explain-change.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { resource } from '../../support/kinds.ts';
import { fileOf, planFor } from '../../support/plans.ts';
import { account } from '../../support/resources.ts';

const address = (name: string): string => `GatewayServiceAccount/${name}@vCluster=passthrough`;

describe('a change is explained', () => {
  it('with its extra step, each by what it waits for and what waits for it', () => {
    const wanted = [account('aaa', 'two'), account('bbb', 'one')];
    const there = [account('aaa', 'one'), account('bbb', 'two')];
    expect(explain(address('aaa'), wanted, there)).toBe(`\
  ~ GatewayServiceAccount/aaa@vCluster=passthrough (release)
    why:              an extra step: it gives up its external name first, so that GatewayServiceAccount/bbb@vCluster=passthrough can take it
    line:             in.yaml:1
    place:            1 of 3, in stage 1, which makes things and lets go of them
    waits for:        nothing
    is waited for by: update GatewayServiceAccount/bbb@vCluster=passthrough
                      update GatewayServiceAccount/aaa@vCluster=passthrough

  ~ GatewayServiceAccount/aaa@vCluster=passthrough
    why:              the gateway has it with another /spec/externalNames/0
    line:             in.yaml:1
    place:            3 of 3, in stage 1, which makes things and lets go of them
    waits for:        update GatewayServiceAccount/aaa@vCluster=passthrough (release)
                      update GatewayServiceAccount/bbb@vCluster=passthrough
    is waited for by: nothing
`);
  });

  it('that goes early, by who needs it to', () => {
    expect(explain(address('old'), [account('new', 'one')], [account('old', 'one')])).toBe(`\
  - GatewayServiceAccount/old@vCluster=passthrough
    why:              it is unclaimed: no file mentions it, and prune deletes what matches *
    why here:         goes first: GatewayServiceAccount/new@vCluster=passthrough takes its external name
    line:             none: no file mentions it
    place:            1 of 2, in stage 1, which makes things and lets go of them
    waits for:        nothing
    is waited for by: create GatewayServiceAccount/new@vCluster=passthrough
`);
  });

  it('that waits for its stage', () => {
    const text = explain(address('old'), [account('new', 'one')], [account('old', 'two')]);
    expect(text).toContain('2 of 2, in stage 2, the deletes, which start when the 1 of stage 1 are done');
    expect(explain(address('old'), [], [account('old', 'two')])).toContain('which nothing comes before');
  });

  it('of each sort', () => {
    const alias = (physicalCluster: string): Resource =>
      resource('AliasTopic', { name: 'a' }, { physicalName: 't', physicalCluster });
    expect(explain(address('new'), [account('new', 'one')], [])).toContain(
      'files declare it, and the gateway does not have it',
    );
    expect(explain('AliasTopic/a@vCluster=passthrough', [alias('main')], [alias('other')])).toContain(
      'does not change /spec/physicalCluster in place: it is deleted and created anew',
    );
  });

  it('with the first of many that wait for it', () => {
    const topics = Array.from({ length: 30 }, (_, at) =>
      resource('AliasTopic', { name: `t${at}`, vCluster: 'prod' }, { physicalName: 'p' }),
    );
    const wanted = [resource('VirtualCluster', { name: 'prod' }), ...topics];
    expect(explain('VirtualCluster/prod', wanted, [])).toMatch(/and 10 more\n$/);
  });

  it('not where there is none', () => {
    expect(explain(address('new'), [account('old', 'one')], [])).toBeUndefined();
  });
});

function explain(wanted: string, files: readonly Resource[], live: readonly Resource[]): string | undefined {
  const { plan } = planFor(fileOf(...files), live);
  return explainChange(redact(plan, catalog.kinds), wanted, NO_PAINT);
}
