import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/model/resource.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { renderText } from '../../../src/report/formats.ts';
import { makeExplainReport } from '../../../src/outcome/explain.ts';
import { makePlanReport } from '../../../src/outcome/plan.ts';
import { NO_PAINT } from '../../../src/report/text/layout.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { resource } from '../../support/kinds.ts';
import { fileOf, planFor } from '../../support/plans.ts';
import { account } from '../../support/resources.ts';

const address = (name: string): string => `GatewayServiceAccount/${name}@vCluster=passthrough`;

describe('the explanation of a change', () => {
  it('covers its extra step, and lists dependencies both ways', () => {
    const wanted = [account('aaa', 'two'), account('bbb', 'one')];
    const there = [account('aaa', 'one'), account('bbb', 'two')];
    expect(explain(address('aaa'), wanted, there)).toBe(`\
~ GatewayServiceAccount/aaa@vCluster=passthrough (release)
  reason:      extra step: releases its external name first, so that GatewayServiceAccount/bbb@vCluster=passthrough can take it
  file:        in.yaml:1
  position:    1 of 3, in stage 1
  depends on:  nothing
  required by: update GatewayServiceAccount/bbb@vCluster=passthrough
               update GatewayServiceAccount/aaa@vCluster=passthrough

~ GatewayServiceAccount/aaa@vCluster=passthrough
  reason:      different on the gateway: /spec/externalNames/0
  file:        in.yaml:1
  position:    3 of 3, in stage 1
  depends on:  update GatewayServiceAccount/aaa@vCluster=passthrough (release)
               update GatewayServiceAccount/bbb@vCluster=passthrough
  required by: nothing

`);
  });

  it('gives the reason of an early delete', () => {
    expect(explain(address('old'), [account('new', 'one')], [account('old', 'one')])).toBe(`\
- GatewayServiceAccount/old@vCluster=passthrough
  reason:      orphaned: in no file, and pruned by *
  order:       goes first: GatewayServiceAccount/new@vCluster=passthrough takes its external name
  file:        none
  position:    1 of 2, in stage 1
  depends on:  nothing
  required by: create GatewayServiceAccount/new@vCluster=passthrough

`);
  });

  it('names the stage of a delete', () => {
    const text = explain(address('old'), [account('new', 'one')], [account('old', 'two')]);
    expect(text).toContain('2 of 2, in stage 2 (deletes), which starts after the 1 change of stage 1');
    expect(explain(address('old'), [], [account('old', 'two')])).toMatch(/in stage 2 \(deletes\)\n/);
  });

  it('covers creates and replaces', () => {
    const alias = (physicalCluster: string): Resource =>
      resource('AliasTopic', { name: 'a' }, { physicalName: 't', physicalCluster });
    expect(explain(address('new'), [account('new', 'one')], [])).toContain(
      'declared, but not on the gateway',
    );
    expect(explain('AliasTopic/a@vCluster=passthrough', [alias('main')], [alias('other')])).toContain(
      'deleted and recreated, because /spec/physicalCluster cannot be changed in place',
    );
  });

  it('truncates a long list of dependents', () => {
    const topics = Array.from({ length: 30 }, (_, at) =>
      resource('AliasTopic', { name: `t${at}`, vCluster: 'prod' }, { physicalName: 'p' }),
    );
    const wanted = [resource('VirtualCluster', { name: 'prod' }), ...topics];
    expect(explain('VirtualCluster/prod', wanted, [])).toMatch(/and 10 more\n\n$/);
  });

  it('is undefined for an unknown address', () => {
    expect(explain(address('new'), [account('old', 'one')], [])).toBeUndefined();
  });
});

function explain(wanted: string, files: readonly Resource[], live: readonly Resource[]): string | undefined {
  const { plan } = planFor(fileOf(...files), live);
  const report = makeExplainReport(makePlanReport(redact(plan, catalog.kinds), 'g'), wanted);
  return report && [...renderText(report, { paint: NO_PAINT })].join('');
}
