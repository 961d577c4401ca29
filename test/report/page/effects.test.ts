import { describe, expect, it } from 'vitest';
import { groupEffects } from '../../../src/report/page/effects.ts';
import { accounts, chain, effectOn, principal } from '../../support/effects.ts';

const texts = (effects: Parameters<typeof groupEffects>[0]): readonly string[] =>
  groupEffects(effects).map(({ text }) => text);
const alice = principal('alice');

describe('effects', () => {
  it.each([
    ['loses an interceptor', chain('audit', 'mask'), chain('audit'), 'loses mask'],
    ['gains one', chain('audit'), chain('audit', 'mask'), 'gains mask'],
    ['exchanges one for two', chain('a'), chain('b', 'c'), 'loses a, gains b and c'],
    [
      'gets one of another scope',
      chain('mask@group=team'),
      chain('mask'),
      'loses mask (group=team), gains mask (vCluster=prod)',
    ],
    ['has another order', chain('a', 'b', 'c'), chain('a', 'c', 'b'), 'runs a, c and b in another order'],
    [
      'has another priority, in the same order',
      chain('a'),
      chain('a').map((link) => ({ ...link, priority: 7 })),
      'runs a with another priority',
    ],
    [
      'has another class',
      chain('a', 'b'),
      chain('a', 'b').map((link, at) => (at === 0 ? { ...link, pluginClass: 'Other' } : link)),
      'runs another class as a',
    ],
  ])('say of a principal that it %s', (_, before, after, what) => {
    expect(texts([effectOn(alice, before, after)])).toEqual([`alice in prod ${what}`]);
  });

  it('count the principals with the same difference, and name those that stand for many first', () => {
    const [before, after] = [chain('audit', 'mask'), chain('audit')];
    const others = [principal(null), { ...principal(null), externalGroup: 'ops' }];
    const [fate, ...more] = groupEffects(
      [...accounts(2), ...others].map((one) => effectOn(one, before, after)),
    );
    expect(more).toEqual([]);
    expect(fate).toMatchObject({ count: 4, text: 'clients of prod lose mask' });
    expect(fate?.names).toEqual([
      'all other clients',
      'members of the external group ops',
      'user-1',
      'user-2',
    ]);
    expect(fate?.lines).toEqual([
      { sign: '-', text: 'before: 1 audit (vCluster=prod) → 1 mask (vCluster=prod)' },
      { sign: '+', text: 'after: 1 audit (vCluster=prod)' },
    ]);
  });

  it('are one for principals of several virtual clusters, without chains if these differ', () => {
    const effects = ['a', 'b', 'c', 'd'].map((cluster) =>
      effectOn(principal('alice', cluster), chain('mask', cluster), chain(cluster)),
    );
    const [fate] = groupEffects(effects);
    expect(fate).toMatchObject({
      text: '4 clients of 4 virtual clusters lose mask',
      lines: [],
    });
    expect(fate?.names).toEqual(['alice in a', 'alice in b', 'alice in c', 'alice in d']);
    expect(texts(effects.slice(0, 2))).toEqual(['2 clients of a and b lose mask']);
  });

  it('have losses first, then those of many', () => {
    const gain = accounts(3).map((one) => effectOn(one, chain(), chain('audit')));
    const swap = accounts(2).map((one) => effectOn(one, chain('a', 'b'), chain('b', 'a')));
    const loss = effectOn(alice, chain('mask'), chain());
    expect(texts([...swap, ...gain, loss])).toEqual([
      'alice in prod loses mask',
      '3 clients of prod gain audit',
      '2 clients of prod run b and a in another order',
    ]);
    expect(groupEffects([loss])[0]?.lines).toEqual([]);
  });

  it('quote names that could be taken for words of the sentence', () => {
    const odd = effectOn(principal('all other clients'), chain('mask, audit'), chain());
    expect(texts([odd])).toEqual(['"all other clients" in prod loses "mask, audit"']);
  });

  it('compare chains once that principals share', () => {
    let read = 0;
    const counted = chain('mask').map((link) => ({
      ...link,
      get address() {
        read += 1;
        return link.address;
      },
    }));
    const none = chain();
    groupEffects(accounts(1000).map((one) => effectOn(one, counted, none)));
    expect(read).toBeLessThan(50);
  });

  it('are caused by the delete of what is lost, the create of what is gained, and nothing else', () => {
    const [lost] = chain('mask');
    const [gained] = chain('audit');
    const causes = (mask: 'delete' | 'update', audit: 'create' | 'update'): readonly string[] =>
      groupEffects(
        [effectOn(alice, chain('mask'), chain('audit'))],
        new Map([
          [lost?.address ?? '', mask],
          [gained?.address ?? '', audit],
        ]),
      )[0]?.causes ?? [];
    expect(causes('delete', 'create')).toEqual([lost?.address, gained?.address]);
    expect(causes('update', 'update')).toEqual([]);
  });
});
