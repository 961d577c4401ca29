import { describe, expect, it } from 'vitest';
import { chainFor, explainChain, rankOf, type Principal } from '../../src/model/principal.ts';
import type { Scope } from '../../src/model/resource.ts';

const global = scope();
const passthrough = scope('passthrough');
const ann: Principal = { virtualCluster: 'passthrough', username: 'ann', groups: ['pii', 'audit'] };

function scope(vCluster: string | null = null, group: string | null = null, username: string | null = null) {
  return { vCluster, group, username } satisfies Scope;
}

/** The chain of a principal, as it was numbered. */
function chain(principal: Principal, ...rows: readonly (readonly [string, Scope, number?])[]) {
  const interceptors = rows.map(([name, where, priority = 1], at) => ({ name, scope: where, priority, at }));
  return chainFor(principal, interceptors).map(({ at }) => at);
}

describe('the chain of a principal (gateway-api B.4)', () => {
  it.each([
    ['username, before group', scope('passthrough', null, 'ann'), scope('passthrough', 'pii')],
    ['username, before global', scope('passthrough', null, 'ann'), global],
    ['group, before virtual cluster', scope('passthrough', 'pii'), passthrough],
    ['virtual cluster, before global', passthrough, global],
  ])('has of one name the most specific: %s', (_, narrow, wide) => {
    expect(chain(ann, ['a', wide], ['a', narrow])).toEqual([1]);
    expect(chain(ann, ['a', narrow], ['a', wide])).toEqual([0]);
  });

  it('has all of different names', () => {
    expect(chain(ann, ['a', global], ['b', scope('passthrough', null, 'ann')])).toEqual([0, 1]);
  });

  it('has those of several groups of one name', () => {
    const groups = [scope('passthrough', 'pii'), scope('passthrough', 'audit')] as const;
    expect(chain(ann, ['a', groups[0]], ['a', groups[1]], ['a', passthrough])).toEqual([0, 1]);
    expect(chain(ann, ['a', groups[0]], ['a', groups[1]], ['a', scope('passthrough', null, 'ann')])).toEqual([
      2,
    ]);
  });

  it('has nothing of another virtual cluster, group or user', () => {
    expect(chain(ann, ['a', scope('prod', null, 'ann')], ['b', scope('prod')], ['c', global])).toEqual([2]);
    expect(chain(ann, ['a', scope('passthrough', 'hr')], ['b', scope('passthrough', null, 'bob')])).toEqual(
      [],
    );
    expect(chain({ ...ann, virtualCluster: 'prod' }, ['a', passthrough], ['b', global])).toEqual([1]);
  });

  it('runs by ascending priority, equal ones as they came', () => {
    expect(chain(ann, ['a', global, 5], ['b', global, -1], ['c', global, 5], ['d', global, 0])).toEqual([
      1, 3, 0, 2,
    ]);
  });

  it('is explained by what each one overrides: those of its name that are less specific', () => {
    const all = [
      { name: 'a', scope: global, priority: 1 },
      { name: 'a', scope: scope('passthrough', 'pii'), priority: 3 },
      { name: 'a', scope: scope('passthrough', 'audit'), priority: 2 },
      { name: 'a', scope: scope('prod'), priority: 2 },
      { name: 'b', scope: passthrough, priority: 1 },
    ];
    const links = explainChain(ann, all).map(({ one, overrides }) =>
      [one, overrides].flat().map((of) => all.indexOf(of)),
    );
    expect(links).toEqual([[4], [2, 0], [1, 0]]);
  });

  it('ranks a scope by its last axis with a value', () => {
    expect([global, passthrough, scope('passthrough', 'pii'), scope('p', null, 'ann')].map(rankOf)).toEqual([
      0, 1, 2, 3,
    ]);
  });
});
