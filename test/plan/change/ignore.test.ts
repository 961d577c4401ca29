import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import type { IgnoreRule } from '../../../src/model/rules.ts';
import { makePlan, type PlanOptions } from '../../../src/plan/make-plan.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../../support/toy-kinds.ts';
import { SOMEWHERE } from '../../support/rules.ts';

const rule = (address: string, path?: `/${string}`): IgnoreRule => ({
  address,
  reason: 'tuned by hand',
  place: SOMEWHERE,
  ...(path === undefined ? {} : { path }),
});

describe('a field that is ignored', () => {
  it('is no change, and is counted', () => {
    const { value, problems } = planned({ 'Room/r': { light: 1 } }, { 'Room/r': { light: 9 } }, [
      rule('Room/*', '/spec/light'),
    ]);
    expect(problems).toEqual([]);
    expect(value).toMatchObject({
      changes: [],
      unchanged: ['Room/r'],
      ignored: [{ address: 'Room/r', path: '/spec/light', reason: 'tuned by hand' }],
    });
  });

  it.each<[string, Json, Json, Json]>([
    ['keeps the value of the gateway when all else is sent', 1, 9, { a: 2, light: 9 }],
    ['is kept where the file does not mention it', null, 9, { a: 2, light: 9 }],
    ['is not sent where the gateway does not have it', 1, null, { a: 2 }],
  ])('%s', (_, asked, there, sent) => {
    const { value } = planned(
      { 'Room/r': { a: 2, ...(asked === null ? {} : { light: asked }) } },
      { 'Room/r': { a: 1, ...(there === null ? {} : { light: there }) } },
      [rule('Room/r', '/spec/light')],
    );
    expect(value.changes).toMatchObject([
      { action: 'update', after: { spec: sent }, fields: [{ path: '/spec/a', before: 1, after: 2 }] },
    ]);
    expect(value.changes[0]).toHaveProperty('after.spec', sent);
  });

  it('may be any key of a map, and lie deep', () => {
    const { value } = planned(
      { 'Room/r': { lamps: { a: { on: 1, w: 5 }, b: { on: 1 } } } },
      { 'Room/r': { lamps: { a: { on: 2, w: 6 }, b: { on: 2 }, c: { on: 3 } } } },
      [rule('Room/r', '/spec/lamps/*/on')],
    );
    expect(value.changes).toMatchObject([
      { after: { spec: { lamps: { a: { on: 2, w: 5 }, b: { on: 2 }, c: { on: 3 } } } } },
    ]);
    expect(value.ignored.map(({ path }) => path)).toEqual([
      '/spec/lamps/a/on',
      '/spec/lamps/b/on',
      '/spec/lamps/c/on',
    ]);
  });

  it('may be a list as a whole, but no item of one', () => {
    const [asked, there] = [
      { 'Team/t': { members: [] } },
      { 'Team/t': { members: [] as string[], x: ['a'] } },
    ];
    expect(planned(asked, there, [rule('Team/t', '/spec/x')]).value.changes).toEqual([]);
    const { value, problems } = planned(asked, there, [rule('Team/t', '/spec/x/*')]);
    expect(value.changes).toHaveLength(1);
    expect(problems).toMatchObject([{ code: 'unmatched-ignore' }]);
  });

  it('does not make up an object: what is not there is created as declared', () => {
    const { value } = planned({ 'Room/r': { light: 1 } }, {}, [rule('Room/r', '/spec/light')]);
    expect(value).toMatchObject({
      changes: [{ action: 'create', after: { spec: { light: 1 } } }],
      ignored: [],
    });
  });

  it('makes no replacement either', () => {
    const { value } = planned({ 'Person/p': { born: 2 } }, { 'Person/p': { born: 1 } }, [
      rule('Person/*', '/spec/born'),
    ]);
    expect(value.changes).toEqual([]);
  });
});

describe('an object that is ignored', () => {
  it('is neither created, updated nor deleted, and is counted', () => {
    const { value, problems } = planned(
      { 'Room/new': {}, 'Room/changed': { a: 1 }, 'Team/t': {} },
      { 'Room/changed': { a: 2 }, 'Room/old': {} },
      [rule('Room/*')],
      { prune: ['*'], rules: { manages: ['*'] } },
    );
    expect(problems).toEqual([]);
    expect(value.changes).toMatchObject([{ action: 'create', address: 'Team/t' }]);
    expect(value.ignored.map(({ address }) => address)).toEqual(['Room/new', 'Room/changed', 'Room/old']);
    expect(value.unclaimed).toEqual([]);
  });

  it('and will not be there may not be referred to', () => {
    const { problems } = planned({ 'Room/new': {}, 'Person/p': { room: 'new' } }, {}, [rule('Room/*')]);
    expect(problems).toMatchObject([{ code: 'dangling-reference', address: 'Person/p' }]);
  });
});

describe('a rule that matches nothing', () => {
  it.each([[rule('Room/other')], [rule('Room/r', '/spec/dark')]])('is a warning', (one) => {
    const state = { 'Room/r': { light: 1 } };
    expect(planned(state, state, [one]).problems).toMatchObject([
      { code: 'unmatched-ignore', severity: 'warning', at: SOMEWHERE },
    ]);
  });

  it('is none where what it matches does not differ', () => {
    const state = { 'Room/r': { light: 1 } };
    const { value, problems } = planned(state, state, [rule('Room/r', '/spec/light')]);
    expect([value.ignored, problems]).toEqual([[], []]);
  });
});

function planned(
  after: Toys,
  before: Toys,
  ignore: readonly IgnoreRule[],
  { rules, ...options }: Partial<PlanOptions> = {},
): ReturnType<typeof makePlan> {
  return makePlan(desiredOf(after), liveOf(before), toyKinds, {
    gateway: 'memory:',
    rules: { ...rules, ignore },
    ...options,
  });
}
