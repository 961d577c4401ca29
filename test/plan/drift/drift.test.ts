import { describe, expect, it } from 'vitest';
import type { Pointer } from '../../../src/model/json/json.ts';
import type { Address } from '../../../src/model/resource.ts';
import type { IgnoreRule } from '../../../src/model/rules.ts';
import { splitDrift, type Drift } from '../../../src/plan/compare/drift.ts';
import { SOMEWHERE } from '../../support/rules.ts';

const accepts = (address: string, path?: Pointer, until = '2026-03-31'): IgnoreRule => ({
  address,
  ...(path === undefined ? {} : { path }),
  ...{ reason: 'an incident', owner: 'team a', until, place: SOMEWHERE },
});
const changed = (name: string, ...paths: readonly Pointer[]): Drift => ({
  address: `Thing/${name}` as Address,
  drift: 'changed',
  fields: paths.map((path) => ({ op: 'set', path, before: 2, after: 1 })),
});
const gone = (name: string): Drift => ({ address: `Thing/${name}` as Address, drift: 'missing', fields: [] });

const today = { today: '2026-03-01', complete: true };
const judged = (
  drift: readonly Drift[],
  acceptances: readonly IgnoreRule[],
  when = today,
): {
  readonly left: readonly string[];
  readonly accepted: readonly string[];
  readonly told: readonly string[];
} => {
  const { drift: left, accepted, problems } = splitDrift(drift, acceptances, when);
  const names = (list: readonly Drift[]): readonly string[] =>
    list.map(({ address, fields }) => [address, ...fields.map(({ path }) => path)].join(' '));
  return { left: names(left), accepted: names(accepted), told: problems.map(({ code }) => code) };
};

describe('a rule that ignores until a day', () => {
  it('of a field accepts it and what lies below it, and nothing beside it', () => {
    const drift = [changed('a', '/spec/rule', '/spec/rule/0/n', '/spec/rules')];
    expect(judged(drift, [accepts('Thing/a', '/spec/rule')])).toEqual({
      left: ['Thing/a /spec/rules'],
      accepted: ['Thing/a /spec/rule /spec/rule/0/n'],
      told: [],
    });
  });

  it('takes * in its path for any one key, and in its address for any text', () => {
    const drift = [changed('a', '/spec/rules/0/n'), changed('b', '/spec/rules/7/n')];
    expect(judged(drift, [accepts('Thing/*', '/spec/rules/*/n')])).toMatchObject({ left: [], told: [] });
  });

  it('without a path accepts the whole object, also one that is missing', () => {
    const drift = [gone('a'), changed('b', '/spec/x')];
    expect(judged(drift, [accepts('Thing/a'), accepts('Thing/b')])).toEqual({
      left: [],
      accepted: ['Thing/a', 'Thing/b /spec/x'],
      told: [],
    });
  });

  it('of a field says nothing of an object that is missing', () => {
    expect(judged([gone('a')], [accepts('Thing/a', '/spec/x')])).toEqual({
      left: ['Thing/a'],
      accepted: [],
      told: ['unused-acceptance'],
    });
  });

  it('is good on its last day, and a problem on the next', () => {
    const drift = [changed('a', '/spec/x')];
    const until = [accepts('Thing/a', '/spec/x', '2026-03-01')];
    expect(judged(drift, until)).toMatchObject({ left: [], told: [] });
    expect(judged(drift, until, { ...today, today: '2026-03-02' })).toEqual({
      left: ['Thing/a /spec/x'],
      accepted: [],
      told: ['expired-acceptance'],
    });
  });

  it('is not said to be unused where not everything was looked at', () => {
    expect(judged([], [accepts('Thing/a')]).told).toEqual(['unused-acceptance']);
    expect(judged([], [accepts('Thing/a')], { ...today, complete: false }).told).toEqual([]);
  });
});
