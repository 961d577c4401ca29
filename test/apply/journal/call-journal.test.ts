import { describe, expect, it } from 'vitest';
import { applyPlan } from '../../../src/apply/apply.ts';
import { makeCallJournal, type CallJournal } from '../../../src/apply/journal/call-journal.ts';
import type { JournalRecord } from '../../../src/apply/journal/journal.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { virtualClock } from '../../support/clock.ts';
import { resource } from '../../support/kinds.ts';
import { fileOf, planFor } from '../../support/plans.ts';
import { door, gatewayWith, watched } from '../../support/watched.ts';

const NAMES = Array.from({ length: 20 }, (_, at) => `vc-${at + 10}`);
const CHANGES = planFor(fileOf(...NAMES.map((name) => resource('VirtualCluster', { name }))), []).plan
  .changes;

/** A journal in memory, whose intents are safe when `safe` is. */
function journalIn(records: JournalRecord[], safe: Promise<void> = Promise.resolve()): CallJournal {
  const recorder = {
    add: (record: JournalRecord) => {
      records.push(record);
      return safe;
    },
    addUnsynced: (record: JournalRecord) => void records.push(record),
  };
  return makeCallJournal(recorder, { now: () => '2026-11-20T13:15:00.000Z', before: 0 });
}

async function run(gateway: Gateway, journal: CallJournal, signal?: AbortSignal): Promise<void> {
  const options = {
    clock: virtualClock(),
    parallelism: 2,
    journal,
    ...(signal === undefined ? {} : { signal }),
  };
  const events = applyPlan(CHANGES, gateway, catalog.kinds, options);
  for (let next = await events.next(); next.done !== true;) next = await events.next();
}

/** What became of each call: its answer, or that only the intent is known. */
function answersIn(records: readonly JournalRecord[]): readonly string[] {
  const answers = new Map<number, string>();
  for (const record of records) {
    if (record.type === 'intent') answers.set(record.n, 'intent');
    if (record.type === 'result') answers.set(record.n, record.answer);
  }
  return [...answers.values()];
}

describe('the journal of the calls', () => {
  it('is safe before a call leaves, however many could', async () => {
    const gateway = watched(await gatewayWith([]));
    const disk = door();
    const running = run(gateway, journalIn([], disk.opened));
    await new Promise((resolve) => setImmediate(resolve));
    expect(gateway.writes).toEqual([]);
    disk.open();
    await running;
    expect(gateway.writes).toHaveLength(20);
  });

  it('has an intent and an answer for each write', async () => {
    const records: JournalRecord[] = [];
    await run(watched(await gatewayWith([])), journalIn(records));
    expect(answersIn(records)).toEqual(NAMES.map(() => 'done'));
  });

  it('knows at once of what was to be next when a change fails that it never left', async () => {
    const held = door();
    const gateway = watched(await gatewayWith([]), (write) => {
      if (write === 'put VirtualCluster/vc-13') return held.opened;
      if (write !== 'put VirtualCluster/vc-12') return Promise.resolve();
      return Promise.reject(new GatewayError('refused', 'no', { status: 400 }));
    });
    const records: JournalRecord[] = [];
    const running = run(gateway, journalIn(records));
    await new Promise((resolve) => setImmediate(resolve));
    expect([...gateway.inFlight]).toEqual(['put VirtualCluster/vc-13']);
    expect(answersIn(records).slice(0, 4)).toEqual(['done', 'done', 'refused', 'intent']);
    expect(new Set(answersIn(records).slice(4))).toEqual(new Set(['unsent']));
    held.open();
    await running;
    expect(gateway.writes).toHaveLength(4);
  });

  it('knows at once of what was to be next when the run is interrupted that it never left', async () => {
    const held = door();
    const gateway = watched(await gatewayWith([]), () => held.opened);
    const records: JournalRecord[] = [];
    const interrupt = new AbortController();
    const running = run(gateway, journalIn(records), interrupt.signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(gateway.inFlight.size).toBe(2);
    interrupt.abort();
    expect(answersIn(records)).toEqual(['intent', 'intent', 'unsent']);
    held.open();
    await running;
    expect(answersIn(records)).toEqual(['done', 'done', 'unsent']);
  });

  it('that cannot be written lets no call leave', async () => {
    const gateway = watched(await gatewayWith([]));
    const stop = new AbortController();
    const full = Promise.reject(new Error('the disk is full'));
    full.catch(() => stop.abort());
    await run(gateway, journalIn([], full), stop.signal);
    expect(gateway.writes).toEqual([]);
  });
});
