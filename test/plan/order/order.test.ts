import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { idOf } from '../../../src/plan/change/change.ts';
import { desiredOf, liveOf, team, toyKinds, type Toys } from '../../support/toy-kinds.ts';
import { toys } from '../../support/toy-states.ts';

describe('the order', () => {
  it('makes what is referred to before those that refer to it', () => {
    expect(
      stepsOf({ 'Team/t': { members: ['p'] }, 'Person/p': { room: 'r' }, 'Room/r': {}, 'Room/z': {} }, {}),
    ).toEqual(['1 create Room/r', '1 create Room/z', '1 create Person/p', '1 create Team/t']);
  });

  it('deletes what refers before what it refers to', () => {
    expect(stepsOf({}, { 'Team/t': { members: ['p'] }, 'Person/p': { room: 'r' }, 'Room/r': {} })).toEqual([
      '2 delete Team/t',
      '2 delete Person/p',
      '2 delete Room/r',
    ]);
  });

  it('deletes last: a new guard is in place before the old one goes', () => {
    expect(
      stepsOf({ 'Room/new': {}, 'Room/same': { a: 2 } }, { 'Room/old': {}, 'Room/same': { a: 1 } }),
    ).toEqual(['1 create Room/new', '1 update Room/same', '2 delete Room/old']);
  });

  it('updates what lets go before what it let go of is deleted', () => {
    expect(dependenciesOf({ 'Person/p': {} }, { 'Person/p': { room: 'r' }, 'Room/r': {} })).toEqual({
      'Person/p': [],
      'Room/r': ['Person/p'],
    });
  });

  it('updates what takes hold after what it takes hold of is made', () => {
    expect(dependenciesOf({ 'Person/p': { room: 'r' }, 'Room/r': {} }, { 'Person/p': {} })).toEqual({
      'Person/p': ['Room/r'],
      'Room/r': [],
    });
  });

  it('changes what is referred to first where that changes too', () => {
    expect(dependenciesOf({ 'Person/p': { room: 'r' }, 'Room/r': { a: 2 } }, { 'Room/r': { a: 1 } })).toEqual(
      { 'Person/p': ['Room/r'], 'Room/r': [] },
    );
  });

  it('needs nothing of what is there and stays as it is', () => {
    expect(dependenciesOf({ 'Person/p': { room: 'r' }, 'Room/r': {} }, { 'Room/r': {} })).toEqual({
      'Person/p': [],
    });
  });

  it('goes by names where nothing else decides', () => {
    expect(stepsOf({ 'Room/c': {}, 'Room/a': {}, 'Room/b': {} }, {})).toEqual([
      '1 create Room/a',
      '1 create Room/b',
      '1 create Room/c',
    ]);
  });

  it('replaces what others let go of after they did', () => {
    const before = {
      'Thing/base': { born: 1 },
      'Thing/user': { needs: ['base'] },
      'Thing/gone': { needs: ['base'] },
    };
    const after = { 'Thing/base': { born: 2 }, 'Thing/user': {} };
    expect(dependenciesOf(after, before)).toMatchObject({ 'Thing/base': ['Thing/gone', 'Thing/user'] });
  });
});

describe('a unique value that changes hands', () => {
  it('is taken after its holder is deleted, before all other deletes', () => {
    expect(
      stepsOf({ 'Person/new': { badge: 7 } }, { 'Person/old': { badge: 7 }, 'Person/other': { badge: 8 } }),
    ).toEqual(['1 delete Person/old', '1 create Person/new', '2 delete Person/other']);
  });

  it('is taken after its holder has another', () => {
    expect(
      dependenciesOf(
        { 'Person/a': { badge: 2 }, 'Person/b': { badge: 1 } },
        { 'Person/a': { badge: 1 }, 'Person/b': {} },
      ),
    ).toEqual({ 'Person/a': [], 'Person/b': ['Person/a'] });
  });

  it('is handed down a line', () => {
    expect(
      stepsOf(
        { 'Person/a': { badge: 2 }, 'Person/b': { badge: 3 }, 'Person/c': { badge: 4 } },
        { 'Person/a': { badge: 1 }, 'Person/b': { badge: 2 }, 'Person/c': { badge: 3 } },
      ),
    ).toEqual(['1 update Person/c', '1 update Person/b', '1 update Person/a']);
  });

  it('cannot be swapped for another: that is a cycle', () => {
    const { value, problems } = plan(
      { 'Person/a': { badge: 2 }, 'Person/b': { badge: 1 } },
      { 'Person/a': { badge: 1 }, 'Person/b': { badge: 2 } },
    );
    expect(value.changes).toEqual([]);
    expect(problems).toMatchObject([
      {
        code: 'order-cycle',
        severity: 'error',
        message: 'Person/a and Person/b depend on each other',
        hint: 'make the change in two plans; the first frees what the second takes',
      },
    ]);
  });
});

describe('a cycle that one of its changes can break by letting go', () => {
  // The account of a group's member is deleted, and made again under another name with the same external name.
  const before = { 'Team/t': { members: ['old', 'stays'] }, 'Person/old': { badge: 7 }, 'Person/stays': {} };
  const after = { 'Team/t': { members: ['stays', 'new'] }, 'Person/new': { badge: 7 }, 'Person/stays': {} };

  it('is broken by an extra step', () => {
    expect(stepsOf(after, before)).toEqual([
      '1 update Team/t (release)',
      '1 delete Person/old',
      '1 create Person/new',
      '1 update Team/t',
    ]);
  });

  it('has the step say why, and what it does', () => {
    const [release] = plan(after, before).value.changes;
    expect(release).toMatchObject({
      action: 'update',
      step: 'release',
      reason: 'drops Person/old first, so that it can be deleted',
      before: { spec: { members: ['old', 'stays'] } },
      after: { spec: { members: ['stays'] } },
      fields: [{ op: 'remove', path: '/spec/members/0', before: 'old' }],
      dependsOn: [],
      at: { file: 'Team/t.yaml', line: 1, column: 1 },
    });
  });

  it('has the object itself wait for its step', () => {
    expect(dependenciesOf(after, before)['Team/t']).toEqual(['Person/new', 'Team/t (release)']);
  });

  it('drops all that must go', () => {
    const [release] = plan(
      { 'Team/t': { members: ['new', 'newer'] }, 'Person/new': { badge: 7 }, 'Person/newer': { badge: 8 } },
      { 'Team/t': { members: ['a', 'b'] }, 'Person/a': { badge: 7 }, 'Person/b': { badge: 8 } },
    ).value.changes;
    expect(release).toMatchObject({
      reason: 'drops Person/a, Person/b first, so that they can be deleted',
      after: { spec: { members: [] } },
    });
  });

  it('sends in the step nothing that the gateway manages', () => {
    const managed = { ...team, serverManaged: [['spec', 'size']] };
    const kinds = new Map([...toyKinds, ['Team', managed]]);
    const live = { ...before, 'Team/t': { members: ['old', 'stays'], size: 2 } };
    const { value } = makePlan(desiredOf(after), liveOf(live), kinds, { gateway: 'memory:', prune: ['*'] });
    expect(value.changes[0]).toMatchObject({ step: 'release', after: { spec: { members: ['stays'] } } });
    expect(JSON.stringify(value.changes[0])).not.toMatch(/"after":[^}]*"size"/);
  });

  it('may need a step of several teams', () => {
    expect(
      stepsOf(
        { 'Team/s': { members: ['new'] }, 'Team/t': { members: ['new'] }, 'Person/new': { badge: 7 } },
        { 'Team/s': { members: ['old'] }, 'Team/t': { members: ['old'] }, 'Person/old': { badge: 7 } },
      ),
    ).toEqual([
      '1 update Team/s (release)',
      '1 update Team/t (release)',
      '1 delete Person/old',
      '1 create Person/new',
      '1 update Team/s',
      '1 update Team/t',
    ]);
  });
});

it('gives no extra step to an object whose name v2 refuses in a PUT', () => {
  const metadata = { ...team.schema.metadata, properties: { name: { type: 'string', pattern: '^[a-z]+$' } } };
  const kinds = new Map([...toyKinds, ['Team', { ...team, schema: { ...team.schema, metadata } }]]);
  const wanted = desiredOf({ 'Team/t': { members: ['new'] }, 'Person/new': { badge: 7 } });
  const live = liveOf({ 'Team/t.1': { members: ['old'] }, 'Person/old': { badge: 7 } });
  const { value } = makePlan(wanted, live, kinds, { gateway: 'memory:', prune: ['*'] });
  expect(value.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
    'delete Team/t.1',
    'delete Person/old',
    'create Person/new',
    'create Team/t',
  ]);
});

describe('whatever is there and whatever is wanted,', () => {
  const states = fc.tuple(toys, toys, fc.boolean());

  it('what cannot be done is a problem that says why', () => {
    fc.assert(
      fc.property(states, ([after, before, prunes]) => {
        for (const { code } of plan(after, before, prunes).problems) {
          expect(['cannot-replace', 'duplicate-value', 'order-cycle']).toContain(code);
        }
      }),
    );
  });

  it('the same states give the same plan, in whatever order they come', () => {
    fc.assert(
      fc.property(states, ([after, before, prunes]) => {
        const reversed = (given: Toys): Toys => Object.fromEntries(Object.entries(given).reverse());
        expect(plan(reversed(after), reversed(before), prunes).value).toEqual(
          plan(after, before, prunes).value,
        );
      }),
    );
  });
});

function plan(after: Toys, before: Toys, prunes = true): ReturnType<typeof makePlan> {
  return makePlan(desiredOf(after), liveOf(before), toyKinds, {
    gateway: 'memory:',
    ...(prunes ? { prune: ['*'] } : {}),
  });
}

function stepsOf(after: Toys, before: Toys): readonly string[] {
  const { value, problems } = plan(after, before);
  expect(problems).toEqual([]);
  return value.changes.map((change) => `${change.stage} ${change.action} ${idOf(change)}`);
}

function dependenciesOf(after: Toys, before: Toys): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    plan(after, before).value.changes.map((change) => [idOf(change), change.dependsOn]),
  );
}
