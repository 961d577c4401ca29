import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/model/problem.ts';
import { makePlan, type PlanOptions } from '../../../src/plan/make-plan.ts';
import { checkExpiredRemovals } from '../../../src/plan/checks/ownership.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';
import { removalOf, SOMEWHERE } from '../../support/rules.ts';

const external = [{ address: 'Person/*', place: SOMEWHERE }];

describe('a removal', () => {
  it('deletes what it names, without prune, at its place and with its reason', () => {
    const { value, problems } = planned(
      {},
      { 'Room/old': {}, 'Room/other': {} },
      { removals: [removalOf('Room/old')] },
    );
    expect(problems).toEqual([]);
    expect(value.changes).toMatchObject([
      {
        action: 'delete',
        address: 'Room/old',
        removal: 'nobody needs it',
        at: { file: 'removals.yaml', line: 1 },
      },
    ]);
    expect(value.unmanaged).toEqual(['Room/other']);
  });

  it('of what is gone already is nothing to do', () => {
    const { value, problems } = planned({}, { 'Room/other': {} }, { removals: [removalOf('Room/old')] });
    expect([value.changes, problems]).toEqual([[], []]);
  });

  it('is narrowed like all else', () => {
    const selection = { target: ['Room/*'], exclude: ['*/kept'] };
    const removals = [removalOf('Room/old'), removalOf('Room/kept')];
    const { value } = planned({}, { 'Room/old': {}, 'Room/kept': {} }, { removals, selection });
    expect(value.changes.map(({ address }) => address)).toEqual(['Room/old']);
    expect(value.unselected).toEqual(['Room/kept']);
  });

  it('lies inside of what is managed', () => {
    const rules = { manages: ['Room/*'] };
    const { value, problems } = planned({}, { 'Team/t': {} }, { rules, removals: [removalOf('Team/t')] });
    expect(problems).toMatchObject([{ code: 'not-managed', address: 'Team/t', severity: 'error' }]);
    expect([value.changes, value.unmanaged]).toEqual([[], ['Team/t']]);
  });

  it('of what is declared is a problem at both places', () => {
    const { value, problems } = planned(
      { 'Room/r': {} },
      { 'Room/r': {} },
      { removals: [removalOf('Room/r')] },
    );
    expect(problems).toMatchObject([
      { code: 'contradiction', at: SOMEWHERE, also: { path: '/metadata/name' }, address: 'Room/r' },
    ]);
    expect(value.changes).toEqual([]);
  });

  it('of what is left alone is a problem', () => {
    const rules = { ignore: [{ address: 'Room/*', reason: 'by hand', place: SOMEWHERE }] };
    const { value, problems } = planned({}, { 'Room/r': {} }, { rules, removals: [removalOf('Room/r')] });
    expect(problems.map(({ code }) => code)).toEqual(['contradiction']);
    expect(value.changes).toEqual([]);
  });

  it('is told to go when its last day is over, once for a document', () => {
    const removals = [
      removalOf('Room/a', { expires: '2026-02-28' }),
      removalOf('Room/b', { expires: '2026-02-28' }),
    ];
    const expiredOn = (today: string, asked = removals): readonly Problem[] => [
      ...checkExpiredRemovals({ desired: new Map(), removals: asked, rules: {}, kinds: toyKinds, today }),
    ];
    expect(expiredOn('2026-02-28')).toEqual([]);
    expect(expiredOn('2026-03-01')).toMatchObject([
      { code: 'expired-removal', severity: 'warning', address: 'Room/a' },
    ]);
    expect(expiredOn('2026-03-01', [removalOf('Room/a')])).toEqual([]);
  });
});

describe('a move', () => {
  const removals = [removalOf('Person/old', { to: 'Person/new' })];

  it('is a create, then a delete, and each names the other', () => {
    const { value, problems } = planned({ 'Person/new': {} }, { 'Person/old': {} }, { removals });
    expect(problems).toEqual([]);
    expect(value.changes).toMatchObject([
      { action: 'create', address: 'Person/new', movedFrom: 'Person/old', stage: 1 },
      { action: 'delete', address: 'Person/old', movedTo: 'Person/new', stage: 2 },
    ]);
  });

  it('of something that only one may have lets the old one go first, and says so', () => {
    const { value } = planned({ 'Person/new': { badge: 7 } }, { 'Person/old': { badge: 7 } }, { removals });
    expect(value.changes).toMatchObject([
      { action: 'delete', address: 'Person/old', reason: 'goes first: Person/new takes its badge' },
      { action: 'create', address: 'Person/new' },
    ]);
  });

  it('goes on where it stopped, and is over when the old one is gone', () => {
    const half = planned({ 'Person/new': {} }, { 'Person/new': {}, 'Person/old': {} }, { removals });
    expect(half.value.changes).toMatchObject([{ action: 'delete', address: 'Person/old' }]);
    const over = planned({ 'Person/new': {} }, { 'Person/new': {} }, { removals });
    expect([over.value.changes, over.problems]).toEqual([[], []]);
    const first = planned({ 'Person/new': {} }, {}, { removals });
    expect(first.value.changes).toMatchObject([{ action: 'create' }]);
    expect(first.value.changes[0]).not.toHaveProperty('movedFrom');
  });

  it('of two names to one, on a gateway that has both, is a problem, and none where it has one of them', () => {
    const both = [...removals, removalOf('Person/older', { to: 'Person/new' })];
    const { problems } = planned(
      { 'Person/new': {} },
      { 'Person/old': {}, 'Person/older': {} },
      { removals: both },
    );
    expect(problems).toMatchObject([{ code: 'invalid-move', address: 'Person/older' }]);
    expect(problems[0]?.message).toContain('Person/old and Person/older are both on the gateway');
    const one = planned({ 'Person/new': {} }, { 'Person/older': {} }, { removals: both });
    expect(one.problems).toEqual([]);
    expect(one.value.changes).toMatchObject([{ movedFrom: 'Person/older' }, { movedTo: 'Person/new' }]);
  });

  it('never takes the old one without the new one', () => {
    const selection = { target: ['Person/old'], exclude: [] };
    const { value } = planned({ 'Person/new': {} }, { 'Person/old': {} }, { removals, selection });
    expect(value.changes).toEqual([]);
    expect(value.unselected).toEqual(['Person/new', 'Person/old']);
  });

  it.each<[string, Toys, ReturnType<typeof removalOf>[], string]>([
    ['to what no file declares', { 'Person/neu': {} }, removals, 'did you mean Person/neu?'],
    [
      'from what is declared still',
      { 'Person/new': {}, 'Person/old': {} },
      removals,
      'remove its declaration',
    ],
    [
      'to another kind',
      { 'Room/new': {} },
      [removalOf('Person/old', { to: 'Room/new' })],
      'name two of one kind',
    ],
    ['to itself', { 'Person/old': {} }, [removalOf('Person/old', { to: 'Person/old' })], 'remove the entry'],
    ['told twice', { 'Person/new': {} }, [...removals, ...removals], 'keep one of the two'],
  ])('%s is a problem', (_, declared, asked, hint) => {
    const { problems } = planned(declared, {}, { removals: asked });
    expect(problems).toMatchObject([{ code: 'invalid-move', address: 'Person/old' }]);
    expect(problems[0]?.hint).toContain(hint);
  });
});

describe('what others look after', () => {
  it('is neither pruned nor counted, and may be referred to', () => {
    const { value, problems } = planned(
      { 'Team/t': { members: ['p'] } },
      { 'Person/p': {}, 'Person/q': {} },
      { rules: { external, manages: ['*'] }, prune: ['*'] },
    );
    expect(problems).toEqual([]);
    expect(value).toMatchObject({
      changes: [{ action: 'create', address: 'Team/t' }],
      unclaimed: [],
      unmanaged: [],
    });
  });

  it('must be there to be referred to', () => {
    const { problems } = planned({ 'Team/t': { members: ['p'] } }, {}, { rules: { external } });
    expect(problems).toMatchObject([{ code: 'dangling-reference', severity: 'error' }]);
  });

  it('is neither declared nor removed', () => {
    const { value, problems } = planned(
      { 'Person/p': {} },
      { 'Person/q': {} },
      { rules: { external }, removals: [removalOf('Person/q')] },
    );
    expect(problems.map(({ code, address }) => [code, address])).toEqual([
      ['contradiction', 'Person/p'],
      ['contradiction', 'Person/q'],
    ]);
    expect(value.changes.filter(({ action }) => action === 'delete')).toEqual([]);
  });
});

function planned(after: Toys, before: Toys, options: Partial<PlanOptions> = {}): ReturnType<typeof makePlan> {
  return makePlan(desiredOf(after), liveOf(before), toyKinds, { gateway: 'memory:', ...options });
}
