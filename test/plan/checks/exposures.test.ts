import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/model/resource.ts';
import type { ExposureRule } from '../../../src/model/rules.ts';
import { LEFT_BEHIND, type ChangeId, type DraftChange } from '../../../src/plan/change/change.ts';
import type { Exposure } from '../../../src/plan/change/plan.ts';
import {
  markAccepted,
  reasonsOf,
  type Acceptance,
  checkExposures,
  checkExpiredExposures,
} from '../../../src/plan/checks/exposures.ts';
import { resource } from '../../support/kinds.ts';
import { SOMEWHERE } from '../../support/rules.ts';

const A = 'Interceptor/a' as Address;
const B = 'Interceptor/b' as Address;
const TODAY = '2027-01-15';

const exposure = (keys: Partial<Exposure> = {}): Exposure => ({
  ...{ virtualCluster: 'prod', username: 'alice', groups: [], protection: 'masking', lasting: false },
  ...{ lost: [A], from: A as string as ChangeId, until: B as string as ChangeId },
  ...keys,
});
const rule = (keys: Partial<ExposureRule> = {}): ExposureRule => ({
  ...{ address: A, reason: 'renamed', until: '2027-01-31', place: SOMEWHERE },
  ...keys,
});

describe('an exposure is accepted', () => {
  it.each<[string, Acceptance, Exposure['accepted']]>([
    ['by nothing', {}, undefined],
    ['by a glob of the command line', { accepted: ['Interceptor/*'] }, {}],
    ['not by a glob for others', { accepted: [B] }, undefined],
    ['by a rule', { exposures: [rule()] }, { reason: 'renamed', until: '2027-01-31' }],
    [
      'by a rule on its last day',
      { exposures: [rule({ until: TODAY })] },
      { reason: 'renamed', until: TODAY },
    ],
    ['not by a rule from the next day on', { exposures: [rule({ until: '2027-01-14' })] }, undefined],
    [
      'by a rule for its protection',
      { exposures: [rule({ protection: 'masking' })] },
      { reason: 'renamed', until: '2027-01-31' },
    ],
    ['not by a rule for another protection', { exposures: [rule({ protection: 'audit' })] }, undefined],
    ['by the command line before a rule', { accepted: [A], exposures: [rule()] }, {}],
  ])('%s', (_, acceptance, expected) => {
    const [marked] = markAccepted([exposure()], { today: TODAY, ...acceptance });
    expect(marked?.accepted).toEqual(expected);
  });

  it('only if all interceptors that are lost are, until the first of their days', () => {
    const lost = [A, B];
    const accepted = (...exposures: readonly ExposureRule[]): Exposure['accepted'] =>
      markAccepted([exposure({ lost })], { today: TODAY, exposures })[0]?.accepted;
    expect(accepted(rule())).toBeUndefined();
    const other = rule({ address: B, until: '2027-01-20', reason: 'moved' });
    expect(accepted(rule(), other)).toEqual({ reason: 'moved', until: '2027-01-20' });
  });

  it('by a Removal that names all that is lost, if it is lost for good', () => {
    const removed = new Map([[A, 'unused']]);
    const all = [exposure({ lasting: true }), exposure({ lasting: true, lost: [A, B] }), exposure()];
    expect(markAccepted(all, { removed }).map(({ accepted }) => accepted?.reason)).toEqual([
      'unused',
      undefined,
      undefined,
    ]);
  });

  it('by the reasons of Removals, not by renames or because a run has left something behind', () => {
    const before = resource('Thing', { name: 'a' });
    const about = { action: 'delete', before } as const;
    const changes: readonly DraftChange[] = [
      { ...about, address: A, removal: 'unused' },
      { ...about, address: B, removal: 'renamed', movedTo: A },
      { ...about, address: 'Interceptor/c' as Address, removal: LEFT_BEHIND },
      { ...about, address: 'Interceptor/d' as Address },
    ];
    expect([...reasonsOf(changes)]).toEqual([[A, 'unused']]);
  });

  it('each for itself', () => {
    const all = [exposure(), exposure({ protection: 'audit' }), exposure({ username: null })];
    const marked = markAccepted(all, { today: TODAY, exposures: [rule({ protection: 'masking' })] });
    expect(marked.map(({ accepted }) => accepted?.reason)).toEqual(['renamed', undefined, 'renamed']);
  });
});

describe('an exposure that is not accepted', () => {
  const changes = new Map(
    (
      [
        ['delete', A],
        ['create', B],
      ] as const
    ).map(([action, address]) => [address, { action, address } as DraftChange]),
  );
  const problems = (exposures: readonly Exposure[], rules: readonly ExposureRule[] = []): readonly string[] =>
    [
      ...checkExposures({
        exposures,
        changes,
        desired: new Map(),
        removals: [],
        rules: { exposures: rules },
        today: TODAY,
      }),
    ].map(({ code, severity, message }) => `${severity}[${code}]: ${message}`);

  it('blocks if it passes, and is told of if it lasts', () => {
    const { until: _, ...lasting } = exposure({ lasting: true });
    expect(problems([exposure(), lasting])).toEqual([
      'error[exposure]: protection gap: alice in prod lacks masking between the delete of Interceptor/a and the create of Interceptor/b',
      'warning[lost-protection]: alice in prod loses masking permanently, with the delete of Interceptor/a',
    ]);
  });

  it('is one problem for all principals that it is the same for', () => {
    const names = ['alice', 'bob', null];
    const all = names.map((username) => exposure({ username }));
    const external = exposure({
      username: null,
      externalGroup: 'g',
      virtualCluster: 'test',
      from: B as string as ChangeId,
    });
    expect(problems([...all, external])).toEqual([
      'error[exposure]: protection gap: clients of prod (all other clients, alice and bob) lack masking between the delete of Interceptor/a and the create of Interceptor/b',
      'error[exposure]: protection gap: members of the external group g in test lack masking during the create of Interceptor/b; Interceptor/a gave it',
    ]);
    const many = Array.from({ length: 10_000 }, (_, at) => exposure({ username: `user-${at}` }));
    expect(problems(many)[0]).toContain(
      '10000 clients of prod (user-0, user-1, user-2, user-3, user-4 and 9995 more) lack',
    );
  });

  it('says which extra step takes it away', () => {
    expect(problems([exposure({ from: `${A} (release)` as ChangeId })])[0]).toContain(
      'between the extra step of Interceptor/a and the create of Interceptor/b',
    );
  });

  it('says until when it was accepted', () => {
    const expired = rule({ until: '2027-01-14' });
    expect(problems([exposure()], [expired])[0]).toMatch(/; that was accepted until 2027-01-14$/);
    const found = [...checkExpiredExposures({ rules: { exposures: [expired, rule()] }, today: TODAY })];
    expect(found.map(({ code, message }) => [code, message])).toEqual([
      ['expired-exposure', 'exposures of Interceptor/a were accepted until 2027-01-14'],
    ]);
  });

  it('is told of at the Removal that takes it away', () => {
    const at = { ...SOMEWHERE };
    const removal = { address: A, reason: 'old', place: at, at: { file: 'a.yaml', line: 1, column: 1 } };
    const world = { changes, desired: new Map(), removals: [removal], rules: {}, today: TODAY };
    const [problem] = checkExposures({ ...world, exposures: [exposure()] });
    expect(problem).toMatchObject({ address: A, at });
  });

  it('is none where it is accepted', () => {
    expect(problems(markAccepted([exposure()], { accepted: ['*'] }))).toEqual([]);
  });
});
