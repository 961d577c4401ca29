import { describe, expect, it } from 'vitest';
import type { Change, ChangeId } from '../../../src/plan/change/change.ts';
import { addressOf } from '../../../src/model/kind.ts';
import { describeChange } from '../../../src/outcome/change-record.ts';
import { type PlanReport, describeExposures } from '../../../src/outcome/plan.ts';
import { lossBlocks } from '../../../src/report/page/losses.ts';
import { resource } from '../../support/kinds.ts';
import { accounts, exposureOf, interceptor, principal } from '../../support/effects.ts';

const body = resource('VirtualCluster', { name: 'prod' });
const about = { dependsOn: [], stage: 1 } as const;
const gone: Change = { ...about, action: 'delete', address: interceptor('mask'), before: body };
const replaced: Change = {
  ...about,
  action: 'replace',
  address: addressOf('VirtualCluster', 'prod'),
  before: body,
  after: body,
  fields: [],
  because: [],
};
const released: Change = {
  ...about,
  action: 'update',
  step: 'release',
  address: addressOf('GatewayGroup', 'team'),
  before: body,
  after: body,
  fields: [],
};
const made: Change = { ...about, action: 'create', address: interceptor('mask-2'), after: body };
const changes = [gone, replaced, released, made];
const alice = principal('alice');
const id = (text: string): ChangeId => text as ChangeId;
const returning = { lasting: false, until: id(made.address) };

const listed = (some: readonly Change[]): PlanReport['changes'] => some.map(describeChange);

const textsOf = (...exposures: readonly Readonly<Parameters<typeof exposureOf>>[]): readonly string[] => {
  const records = describeExposures(
    exposures.map((one) => exposureOf(...one)),
    changes,
  );
  const blocks = lossBlocks({ exposures: records, changes: listed(changes) });
  return blocks.flatMap(({ consequences }) => consequences.map(({ text }) => text));
};

describe('exposures', () => {
  it('that last say what takes the protection away', () => {
    expect(textsOf([alice])).toEqual([
      'alice in prod loses masking permanently: the delete of Interceptor/mask@vCluster=prod',
    ]);
  });

  it('on the way have both ends, and the number of calls', () => {
    expect(textsOf(...accounts(2).map((one) => [one, returning] as const))).toEqual([
      '2 clients of prod have no masking between the delete of Interceptor/mask@vCluster=prod and the create of Interceptor/mask-2@vCluster=prod (4 calls)',
    ]);
    expect(textsOf([alice, { ...returning, from: id('GatewayGroup/team (release)'), seconds: 2 }])).toEqual([
      'alice in prod has no masking between the update of GatewayGroup/team (release) and the create of Interceptor/mask-2@vCluster=prod (1 call, about 2 seconds)',
    ]);
    expect(
      textsOf([alice, { lasting: false, from: id('VirtualCluster/prod'), until: id('VirtualCluster/prod') }]),
    ).toEqual(['alice in prod has no masking during the replacement of VirtualCluster/prod (1 call)']);
  });

  it('name the sorts of protection', () => {
    const sorts = ['encryption', 'audit', 'access', 'safeguard', 'data-quality', 'pci', 'for good'];
    const texts = textsOf(...sorts.map((protection) => [alice, { protection }] as const));
    expect(texts.map((text) => /loses (.*) permanently:/.exec(text)?.[1])).toEqual([
      ...['encryption', 'audit', 'access control', 'safeguards', 'data quality rules', 'pci', '"for good"'],
    ]);
  });

  it('say what gave the protection if another change takes it away, and that they are accepted', () => {
    const exposure = exposureOf(alice, {
      from: id('GatewayGroup/team'),
      accepted: { reason: 'agreed with audit', until: '2026-12-31' },
    });
    const blocks = lossBlocks({ exposures: [exposure, exposureOf(alice)], changes: listed([]) });
    const told = blocks.filter(({ consequences }) => consequences.length > 0);
    expect(told.map(({ weight, consequences }) => [weight, consequences.map(({ notes }) => notes)])).toEqual([
      [
        'loss',
        [['To accept it, use --accept-exposure Interceptor/mask@vCluster=prod, or exposures in gwconf.yaml']],
      ],
      ['notice', [['Protected by mask before', 'Accepted until 2026-12-31: agreed with audit']]],
    ]);
  });
});
