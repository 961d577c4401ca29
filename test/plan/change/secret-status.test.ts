import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { KindSet } from '../../../src/model/kind.ts';
import { defineKind } from '../../../src/schema/define-kind.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import type { Change } from '../../../src/plan/change/change.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { makePlanReport } from '../../../src/outcome/plan.ts';
import { desiredOf, liveOf, room } from '../../support/toy-kinds.ts';
import { planText } from '../../support/plans.ts';

/** A room with a pin. */
const safe = defineKind({
  name: 'Safe',
  summary: 'A safe.',
  apiVersion: 'gateway/v2',
  collection: '/gateway/v2/safe',
  removal: 'path',
  schema: room.schema,
  example: { ...room.example, kind: 'Safe' },
  secrets: ['/spec/pin', '/spec/keys/*/bit'],
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
