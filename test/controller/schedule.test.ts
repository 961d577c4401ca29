import { expect, it } from 'vitest';
import type { GatewayConfig } from '../../src/controller/resource.ts';
import { Schedule } from '../../src/controller/schedule.ts';
import { virtualClock } from '../support/clock.ts';

it.each([
  ['2026-03-01T11:58:00.000Z', 8],
  ['2026-03-01T12:01:00.000Z', 11],
  ['2026-03-01T11:30:00.000Z', -20],
  ['2099-01-01T00:00:00.000Z', 0],
])(
  'a resource that was looked at at %s is due in %i minutes: never later than a clock can be wrong',
  (at, minutes) => {
    const schedule = new Schedule({ clock: virtualClock(), now: () => new Date('2026-03-01T12:00:00.000Z') });
    const ready = {
      type: 'Ready',
      status: 'True',
      lastTransitionTime: at,
      reason: 'UpToDate',
      message: '',
    } as const;
    const lastRun = { result: 'no-changes', startedAt: at, at, made: 0, calls: 1, by: 'other' };
    const resource: GatewayConfig = {
      metadata: { name: 'app', generation: 1 },
      spec: { source: { folder: 'files' }, gateway: { url: 'http://gateway' }, interval: '10m' },
      status: { observedGeneration: 1, conditions: [ready], lastRun },
    };
    expect(schedule.remainingMs(resource)).toBe(minutes * 60_000);
  },
);
