import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Problem } from '../../src/model/problem.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makePlan, type PlanOptions } from '../../src/plan/make-plan.ts';
import { countChanges, isNarrowed, type Plan } from '../../src/plan/change/plan.ts';
import { desiredOf, liveOf, thing, toyKinds, type Toys } from '../support/toy-kinds.ts';
import { removalOf } from '../support/rules.ts';
import { orAll } from '../support/soak.ts';

type Options = Partial<PlanOptions> & { readonly unavailable?: Readonly<Record<string, string>> };

describe('a plan', () => {
  it('creates what is not there', () => {
    expect(planOf({ 'Room/r': { a: 1 } }, {}).changes).toEqual([
      {
        action: 'create',
        address: 'Room/r',
        at: { file: 'Room/r.yaml', line: 1, column: 1 },
        after: { apiVersion: 'gateway/v2', kind: 'Room', metadata: { name: 'r' }, spec: { a: 1 } },
        dependsOn: [],
        stage: 1,
      },
    ]);
  });

  it('updates what differs, field by field', () => {
    expect(
      planOf({ 'Room/r': { a: 1, b: { c: 2 } } }, { 'Room/r': { a: 1, b: { c: 1 }, d: 3 } }).changes,
    ).toMatchObject([
      {
        action: 'update',
        before: { spec: { a: 1, b: { c: 1 }, d: 3 } },
        after: { spec: { a: 1, b: { c: 2 } } },
        fields: [
          { op: 'set', path: '/spec/b/c', before: 1, after: 2 },
          { op: 'remove', path: '/spec/d', before: 3 },
        ],
      },
    ]);
  });

  it('replaces what cannot be changed in place, and says which field makes it so', () => {
    expect(planOf({ 'Person/p': { born: 2, a: 1 } }, { 'Person/p': { born: 1 } }).changes).toMatchObject([
      {
        action: 'replace',
        because: ['/spec/born'],
        fields: [
          { op: 'add', path: '/spec/a', after: 1 },
          { op: 'set', path: '/spec/born', before: 1, after: 2 },
        ],
      },
    ]);
  });

  it('does not replace where there was no such value, or is none any more', () => {
    expect(actionsOf(planOf({ 'Person/p': { born: 1 } }, { 'Person/p': {} }))).toEqual(['update Person/p']);
    expect(actionsOf(planOf({ 'Person/p': {} }, { 'Person/p': { born: 1 } }))).toEqual(['update Person/p']);
  });

  it('makes what is replaced as the file says, without what the old one had more', () => {
    const closed = {
      ...thing,
      schema: { metadata: {}, spec: { additionalProperties: false, properties: { born: {} } } },
    };
    const kinds = new Map([['Thing', closed]]);
    const { value } = makePlan(
      desiredOf({ 'Thing/t': { born: 2 } }),
      liveOf({ 'Thing/t': { born: 1, odd: 1 } }),
      kinds,
      {
        gateway: 'memory:',
      },
    );
    expect(value.changes).toMatchObject([{ action: 'replace', after: { spec: { born: 2 } } }]);
    expect(value.changes[0]).not.toMatchObject({ after: { spec: { odd: 1 } } });
  });

  it('deletes nothing because files are silent', () => {
    const plan = planOf({ 'Room/r': {} }, { 'Room/r': {}, 'Room/b': {}, 'Room/a': {} });
    expect(plan).toMatchObject({ changes: [], unchanged: ['Room/r'], unmanaged: ['Room/a', 'Room/b'] });
    expect(plan.prune).toBeUndefined();
  });

  it('tells what is unclaimed from what is not managed here', () => {
    const before = { 'Room/mine': {}, 'Room/kept': {}, 'Team/theirs': {}, 'Room/lobby': {} };
    const rules = { manages: ['Room/*'] };
    const plan = planOf({ 'Room/kept': {} }, before, { rules });
    expect(plan).toMatchObject({ changes: [], unclaimed: ['Room/mine'], unmanaged: ['Team/theirs'] });
    const narrowed = planOf({ 'Room/kept': {} }, before, {
      rules,
      selection: { target: ['Room/kept', 'Team/*'], exclude: [] },
    });
    expect(narrowed).toMatchObject({ unclaimed: [], unmanaged: ['Team/theirs'], unselected: ['Room/mine'] });
  });

  it('has a problem with what is declared and not managed here, looked at or not', () => {
    const rules = { manages: ['Room/*', '!*/kept'] };
    const selection = { target: ['Room/mine'], exclude: [] };
    expect(
      problemsOf({ 'Room/mine': {}, 'Room/kept': {} }, {}, { rules, selection }).map(({ code, address }) => [
        code,
        address,
      ]),
    ).toEqual([['not-managed', 'Room/kept']]);
  });

  it('deletes what prune matches and no file mentions', () => {
    const before = { 'Room/r': {}, 'Room/a': {}, 'Person/a': {}, 'Room/keep': {} };
    const plan = planOf({ 'Room/r': {} }, before, { prune: ['Room/*', '!*/keep'] });
    expect(actionsOf(plan)).toEqual(['delete Room/a']);
    expect(plan).toMatchObject({
      unchanged: ['Room/r'],
      unmanaged: ['Person/a', 'Room/keep'],
      ignored: [],
      prune: ['Room/*', '!*/keep'],
    });
  });

  it('never touches what is built in, nor counts it', () => {
    const plan = planOf({}, { 'Room/lobby': {} }, { prune: ['*', 'Room/lobby'] });
    expect(plan).toMatchObject({ changes: [], unchanged: [], unmanaged: [], unselected: [] });
  });

  it('looks at what is targeted and not excluded, and lists the rest', () => {
    const after = { 'Room/a': { x: 1 }, 'Room/b': { x: 1 }, 'Person/p': {} };
    const before = { 'Room/a': {}, 'Room/gone': {}, 'Person/gone': {} };
    const selection = { target: ['Room/*'], exclude: ['Room/b'] };
    const plan = planOf(after, before, { selection, prune: ['*'] });
    expect(actionsOf(plan)).toEqual(['update Room/a', 'delete Room/gone']);
    expect(plan.unselected).toEqual(['Person/gone', 'Person/p', 'Room/b']);
    expect(isNarrowed(plan)).toBe(true);
    expect(isNarrowed(planOf(after, before))).toBe(false);
  });

  it('is empty for a state that is there', () => {
    const state = { 'Room/r': { a: 1 }, 'Person/p': { room: 'r', badge: 1 }, 'Team/t': { members: ['p'] } };
    const plan = planOf(state, state, { prune: ['*'] });
    expect(plan).toMatchObject({ changes: [], unchanged: ['Person/p', 'Room/r', 'Team/t'], unmanaged: [] });
  });

  it('counts objects', () => {
    const after = { 'Room/new': {}, 'Room/same': {}, 'Room/other': { a: 2 }, 'Person/p': { born: 2 } };
    const before = {
      'Room/same': {},
      'Room/other': { a: 1 },
      'Person/p': { born: 1 },
      'Room/x': {},
      'Team/t': {},
    };
    expect(countChanges(planOf(after, before, { prune: ['Room/*'] }))).toEqual({
      create: 1,
      update: 1,
      replace: 1,
      delete: 1,
      unchanged: 1,
      unclaimed: 0,
      unmanaged: 1,
      ignored: 0,
    });
  });

  it('counts an object with an extra step once', () => {
    const plan = planOf(
      { 'Team/t': { members: ['new'] }, 'Person/new': { badge: 7 } },
      { 'Team/t': { members: ['old'] }, 'Person/old': { badge: 7 } },
      { prune: ['*'] },
    );
    expect(plan.changes).toHaveLength(4);
    expect(countChanges(plan)).toMatchObject({ create: 1, update: 1, delete: 1 });
  });

  it('survives a trip through JSON', () => {
    const plan = planOf(
      { 'Room/r': { a: 2 }, 'Person/p': { room: 'r' } },
      { 'Room/r': { a: 1 }, 'Room/x': {} },
      { prune: ['*'] },
    );
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

describe('a reference', () => {
  it('to what neither files nor gateway have is an error', () => {
    expect(problemsOf({ 'Person/p': { room: 'attik' } }, { 'Room/attic': {} })).toMatchObject([
      {
        code: 'dangling-reference',
        severity: 'error',
        address: 'Person/p',
        path: '/spec/room',
        message: 'Person/p refers to Room/attik, which no file declares and the gateway does not have',
        hint: 'declare Room/attik; or did you mean Room/attic?',
      },
    ]);
  });

  it('to what the gateway has, a file declares, or always exists is none', () => {
    expect(problemsOf({ 'Person/p': { room: 'attic' } }, { 'Room/attic': {} })).toEqual([]);
    expect(problemsOf({ 'Person/p': { room: 'attic' }, 'Room/attic': {} }, {})).toEqual([]);
    expect(problemsOf({ 'Person/p': { room: 'lobby' } }, {})).toEqual([]);
  });

  it('to what this plan deletes is an error, once', () => {
    expect(
      codesOf(
        problemsOf(
          { 'Person/p': { room: 'attic' } },
          { 'Person/p': { room: 'attic' }, 'Room/attic': {} },
          { prune: ['Room/*'] },
        ),
      ),
    ).toEqual(['dangling-reference Person/p']);
  });

  it('to what a narrowed plan leaves out is an error when the gateway does not have it', () => {
    const after = { 'Person/p': { room: 'attic' }, 'Room/attic': {} };
    const selection = { target: ['Person/*'], exclude: [] };
    expect(problemsOf(after, {}, { selection })).toMatchObject([
      {
        code: 'dangling-reference',
        severity: 'error',
        address: 'Person/p',
        path: '/spec/room',
        message:
          'Person/p refers to Room/attic, which is declared but left out of this plan, and the gateway does not have it',
        hint: 'select Room/attic too',
      },
    ]);
    expect(problemsOf(after, { 'Room/attic': {} }, { selection })).toEqual([]);
  });

  it('of what a narrowed plan leaves out is not looked at', () => {
    const selection = { target: ['Room/*'], exclude: [] };
    expect(problemsOf({ 'Person/p': { room: 'nowhere' }, 'Room/r': {} }, {}, { selection })).toEqual([]);
  });

  it('of something live that no file mentions holds what it refers to', () => {
    const before = { 'Room/attic': {}, 'Person/p': { room: 'attic' }, 'Person/q': { room: 'attic' } };
    expect(problemsOf({}, before, { prune: ['Room/*'] })).toMatchObject([
      {
        code: 'still-referenced',
        severity: 'error',
        address: 'Room/attic',
        message: 'Room/attic would be deleted, but Person/p and Person/q still refer to it',
      },
    ]);
    expect(problemsOf({}, before, { prune: ['*'] })).toEqual([]);
  });

  it('of something that is declared, but left out of the plan, holds what it refers to', () => {
    const before = { 'Room/attic': {}, 'Person/p': { room: 'attic' } };
    const selection = { target: ['Room/*'], exclude: [] };
    expect(codesOf(problemsOf({ 'Person/p': {} }, before, { selection, prune: ['*'] }))).toEqual([
      'still-referenced Room/attic',
    ]);
  });
});

describe('a replacement is a problem', () => {
  it('where something would be lost with the object', () => {
    expect(problemsOf({ 'Room/r': { floor: 2 } }, { 'Room/r': { floor: 1 } })).toMatchObject([
      {
        code: 'cannot-replace',
        severity: 'error',
        address: 'Room/r',
        path: '/spec/floor',
        message:
          'the gateway does not change /spec/floor of Room/r in place, and it cannot be deleted and recreated: it would lose the furniture in it',
        hint: 'keep the value of the gateway, or declare a new object and migrate to it',
      },
    ]);
  });

  it('where others refer to it, live or declared', () => {
    const before = {
      'Person/p': { born: 1 },
      'Team/live': { members: ['p'] },
      'Team/own': { members: ['p'] },
    };
    const after = { 'Person/p': { born: 2 }, 'Team/own': { members: ['p'], a: 1 } };
    expect(problemsOf(after, before).map(({ code, message }) => `${code} ${message}`)).toEqual([
      'cannot-replace the gateway does not change /spec/born of Person/p in place, and it cannot be deleted and recreated: Team/live and Team/own refer to it',
    ]);
  });

  it('and is none where they let go of it', () => {
    const before = { 'Person/p': { born: 1 }, 'Team/t': { members: ['p'] } };
    const { value, problems } = plan({ 'Person/p': { born: 2 }, 'Team/t': { members: [] } }, before, {});
    expect(problems).toEqual([]);
    expect(actionsOf(value)).toEqual(['update Team/t', 'replace Person/p']);
  });
});

describe('a unique value', () => {
  it('that something live keeps is a problem', () => {
    expect(problemsOf({ 'Person/new': { badge: 7 } }, { 'Person/old': { badge: 7 } })).toMatchObject([
      {
        code: 'duplicate-value',
        severity: 'error',
        address: 'Person/new',
        path: '/spec/badge',
        message:
          'Person/new needs a value at /spec/badge that Person/old has on the gateway, and it must be unique',
        hint: 'take it from Person/old in the same plan, or choose another',
      },
    ]);
  });

  it('that something declared keeps, unchanged, is a problem', () => {
    expect(
      codesOf(
        problemsOf(
          { 'Person/new': { badge: 7 }, 'Person/old': { badge: 7 } },
          { 'Person/old': { badge: 7 } },
          { selection: { target: ['Person/new'], exclude: [] } },
        ),
      ),
    ).toEqual(['duplicate-value Person/new']);
  });

  it('that one has itself is none', () => {
    expect(problemsOf({ 'Person/p': { badge: 7, a: 1 } }, { 'Person/p': { badge: 7 } })).toEqual([]);
    expect(problemsOf({ 'Person/p': { badge: 7, born: 2 } }, { 'Person/p': { badge: 7, born: 1 } })).toEqual(
      [],
    );
  });

  it('that is given up in the same plan is none', () => {
    expect(
      problemsOf({ 'Person/new': { badge: 7 } }, { 'Person/old': { badge: 7 } }, { prune: ['*'] }),
    ).toEqual([]);
    expect(
      problemsOf({ 'Person/new': { badge: 7 }, 'Person/old': {} }, { 'Person/old': { badge: 7 } }),
    ).toEqual([]);
  });
});

describe('a kind that the gateway does not serve', () => {
  const unavailable = { Room: 'no rooms without walls' };

  it('is a problem for each resource that is declared of it', () => {
    const { value, problems } = plan({ 'Room/r': {}, 'Person/p': {} }, {}, { unavailable });
    expect(problems).toMatchObject([
      {
        code: 'kind-unavailable',
        severity: 'error',
        address: 'Room/r',
        path: '/kind',
        message: 'Room/r cannot exist: the gateway does not serve Room: no rooms without walls',
      },
    ]);
    expect(actionsOf(value)).toEqual(['create Person/p']);
  });

  it('is a warning for each resource of it that files remove, for nobody has looked whether it is gone', () => {
    const removals = [removalOf('Room/r'), removalOf('Person/p')];
    expect(problemsOf({}, {}, { unavailable, removals })).toMatchObject([
      { code: 'kind-unavailable', severity: 'warning', address: 'Room/r' },
    ]);
  });

  it('is none where nothing is declared of it, unless what clients lose depends on it', () => {
    expect(problemsOf({ 'Person/p': {} }, {}, { unavailable })).toEqual([]);
    const live = { resources: new Map(), unavailable: new Map([['Interceptor', 'no']]) };
    expect(makePlan(new Map(), live, catalog.kinds, { gateway: 'memory:' }).problems).toMatchObject([
      {
        severity: 'warning',
        message: 'Interceptor is not available, so gwconf cannot tell what clients lose: no',
      },
    ]);
  });
});

it('plans thousands of resources', () => {
  const half = orAll(1000, 5000);
  const many = (a: number): Toys =>
    Object.fromEntries(
      Array.from({ length: half }).flatMap((_, at): readonly (readonly [string, JsonObject])[] => [
        [`Room/r${at}`, { a }],
        [`Person/p${at}`, { room: `r${at}`, badge: at }],
      ]),
    );
  const { value, problems } = plan(many(2), many(1), {});
  expect(problems).toEqual([]);
  expect(countChanges(value)).toMatchObject({ update: half, unchanged: half });
});

function plan(after: Toys, before: Toys, { unavailable, ...options }: Options) {
  return makePlan(desiredOf(after), liveOf(before, toyKinds, unavailable), toyKinds, {
    gateway: 'memory:',
    ...options,
  });
}

function planOf(after: Toys, before: Toys, options: Options = {}): Plan {
  return plan(after, before, options).value;
}

function problemsOf(after: Toys, before: Toys, options: Options = {}): readonly Problem[] {
  return plan(after, before, options).problems;
}

function actionsOf({ changes }: Plan): readonly string[] {
  return changes.map(({ action, address }) => `${action} ${address}`);
}

function codesOf(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ code, address = '' }) => `${code} ${address}`);
}
