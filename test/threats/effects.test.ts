import { describe, expect, it } from 'vitest';
import { mask, planned } from '../support/masks.ts';

describe('threat: author: a change of protection that looks like none', () => {
  it('is told where a part of a protection is missing between two writes, and no order can avoid it', () => {
    const { plan, told } = planned(
      [mask('a', '.*', ['card']), mask('b', '.*', ['iban'])],
      [mask('a', '.*', ['iban']), mask('b', '.*', ['card'])],
    );
    expect(told).toEqual([
      'clients of prod (all other clients, bob and eve) have weaker masking for a while: iban is shown in clear, between the update of Interceptor/b@vCluster=prod and the update of Interceptor/a@vCluster=prod',
    ]);
    expect(plan.weakenings?.map(({ until }) => until)).toEqual(
      Array.from({ length: 3 }, () => 'Interceptor/a@vCluster=prod'),
    );
  });
});
