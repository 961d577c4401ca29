import { describe, expect, it } from 'vitest';
import { checkFresh, toSavedChange } from '../../../src/apply/verify/check-plan.ts';
import { isSame } from '../../../src/apply/verify/match-live.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { KindSet } from '../../../src/model/kind.ts';
import { defineKind } from '../../../src/schema/define-kind.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import type { Change } from '../../../src/plan/change/change.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { makePlanReport } from '../../../src/outcome/plan.ts';
import { desiredOf, liveOf, room, toyOf } from '../../support/toy-kinds.ts';
import { planText } from '../../support/plans.ts';

/** A room with a pin and a code, which its gateway does not give back. */
const safe = defineKind({
  name: 'Safe',
  summary: 'A safe.',
  apiVersion: 'gateway/v2',
  collection: '/gateway/v2/safe',
  removal: 'path',
  schema: room.schema,
  example: { ...room.example, kind: 'Safe' },
  secrets: ['/spec/pin', '/spec/code', '/spec/keys/*/bit'],
  withheld: ['/spec/code'],
});
const kinds: KindSet = new Map([['Safe', safe]]);

function changeFor(wanted: JsonObject, live: JsonObject): Change | undefined {
  const [desired, there] = [desiredOf({ 'Safe/s': wanted }, kinds), liveOf({ 'Safe/s': live }, kinds)];
  return makePlan(desired, there, kinds, { gateway: 'here' }).value.changes[0];
}

function linesFor(wanted: JsonObject, live: JsonObject): readonly string[] {
  const [desired, there] = [desiredOf({ 'Safe/s': wanted }, kinds), liveOf({ 'Safe/s': live }, kinds)];
  const shown = redact(makePlan(desired, there, kinds, { gateway: 'here' }).value, kinds);
  expect(JSON.stringify(makePlanReport(shown, 'here', []))).not.toMatch(/one|two/);
  return planText(shown)
    .split('\n')
    .filter((line) => line.startsWith('      '))
    .map((line) => line.trim());
}

describe('the verdict on a secret', () => {
  it('is that it changed, or is the same', () => {
    expect(changeFor({ pin: 'one', size: 1 }, { pin: 'two', size: 1 })).toMatchObject({
      verdicts: { '/spec/pin': 'changed' },
    });
    expect(changeFor({ pin: 'one', size: 1 }, { pin: 'one', size: 2 })).toMatchObject({
      verdicts: { '/spec/pin': 'same' },
    });
    expect(linesFor({ pin: 'one', size: 1 }, { pin: 'two', size: 2 })).toEqual([
      '~ /spec/pin: (hidden) → (hidden), changed',
      '~ /spec/size: 2 → 1',
    ]);
  });

  it.each(['', '***', '********', '(hidden)', '[REDACTED]', null, undefined])(
    'is that nobody can tell where the gateway says %j in its place',
    (said) => {
      const live = said === undefined ? { size: 2 } : { code: said, size: 2 };
      expect(changeFor({ code: 'one', size: 1 }, live)).toMatchObject({
        action: 'update',
        after: { spec: { code: 'one', size: 1 } },
        verdicts: { '/spec/code': 'cannot-tell' },
      });
      expect(linesFor({ code: 'one', size: 1 }, live)).toEqual([
        '~ /spec/size: 2 → 1',
        '~ /spec/code: (hidden) → (hidden), unknown whether it changed',
      ]);
    },
  );

  it('that nobody can tell makes no change of its own', () => {
    expect(changeFor({ code: 'one' }, { code: '***' })).toBeUndefined();
    expect(changeFor({ code: 'one' }, {})).toBeUndefined();
    expect(changeFor({ code: 'one' }, { code: 'two' })).toMatchObject({
      verdicts: { '/spec/code': 'changed' },
    });
  });

  it('is only that of what the form names: a pin of asterisks is a pin', () => {
    expect(changeFor({ pin: 'one' }, { pin: '***' })).toMatchObject({ verdicts: { '/spec/pin': 'changed' } });
  });

  it('of a list whose items have another order is that they are the same', () => {
    const keys = [
      { name: 'a', bit: 'one' },
      { name: 'b', bit: 'two' },
    ];
    expect(changeFor({ keys }, { keys: keys.toReversed() })).toMatchObject({
      verdicts: { '/spec/keys/0/bit': 'same', '/spec/keys/1/bit': 'same' },
    });
    expect(changeFor({ keys }, { keys: keys.slice(0, 1) })).toMatchObject({
      verdicts: { '/spec/keys/0/bit': 'same', '/spec/keys/1/bit': 'changed' },
    });
  });

  it('of what moves to the place of an item that is removed is that it is the same', () => {
    const keys = [
      { name: 'a', bit: 'one' },
      { name: 'b', bit: 'two' },
    ];
    expect(changeFor({ keys: keys.slice(1) }, { keys })).toMatchObject({
      verdicts: { '/spec/keys/0/bit': 'same' },
    });
  });

  it('is not told of what has no secrets', () => {
    expect(changeFor({ size: 1 }, { size: 2 })).not.toHaveProperty('verdicts');
  });
});

it('what the gateway keeps to itself counts as written', () => {
  const change = changeFor({ code: 'one', size: 1 }, { code: '***', size: 2 });
  if (change === undefined || change.action !== 'update') throw new Error('expected an update');
  const now = toyOf('Safe/s', { code: '***', size: 1 });
  expect(isSame(safe, now, change.after)).toBe(true);
  expect([
    ...checkFresh([toSavedChange(change)], new Map([[change.address, now]]), kinds, '').values(),
  ]).toEqual(['already']);
});
