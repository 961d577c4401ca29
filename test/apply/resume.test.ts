import { expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import type { Entry, Ledger } from '../../src/apply/events.ts';
import { checkPlan } from '../../src/apply/verify/check-plan.ts';
import { encodeRecord, JOURNAL_FORMAT, type JournalRecord } from '../../src/apply/journal/journal.ts';
import { makeCallJournal, type JournalWriter } from '../../src/apply/journal/call-journal.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import type { ChangeId } from '../../src/plan/change/change.ts';
import { sealPlan, sign } from '../../src/plan/saved/seal-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { virtualClock } from '../support/clock.ts';
import { expectTrue, journalIn } from '../support/journals.ts';
import { DESIRED, gatewayBefore, planLeft } from '../support/sixty-calls.ts';
import { door } from '../support/watched.ts';
import { someOf } from '../support/soak.ts';
import { quickDigester } from '../../src/plan/saved/digest.ts';

const { kinds } = catalog;
const at = '2026-11-20T13:15:00.000Z';
const SAVED = sign(
  sealPlan(
    await planLeft(await gatewayBefore()),
    DESIRED,
    kinds,
    { tool: 'gwconf test', createdAt: at, salt: 'salt' },
    quickDigester,
  ),
);
const STARTED: JournalRecord = {
  type: 'started',
  format: JOURNAL_FORMAT,
  run: 'RUN',
  gateway: SAVED.gateway,
  plan: SAVED.digest,
  changes: SAVED.changes.length,
  ...{ at, tool: 'gwconf test', pid: 1, host: 'here' },
};

/** A run that dies when it is about to write the line after so many; `lines` says how many it has written. */
async function cutAt(
  most: number,
  parallelism: number,
): Promise<{ readonly gateway: Gateway; readonly text: string; readonly lines: number }> {
  const gateway = await gatewayBefore();
  const died = door();
  const never = new Promise<never>(() => undefined);
  const dice = diceFrom(most);
  let text = encodeRecord(STARTED);
  let lines = 0;
  let dead = false;
  const add = (one: JournalRecord): Promise<void> => {
    if (lines === most) {
      dead = true;
      died.open();
    }
    if (dead) return never;
    lines += 1;
    text += encodeRecord(one);
    return Promise.resolve();
  };
  const recorder: JournalWriter = { add, addUnsynced: (one) => void add(one) };
  // A call is on its way for a while, there and back; what is there when the run dies is done, what is not is not.
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    await turns(dice(3));
    if (dead) return never;
    const given = await work();
    await turns(dice(3));
    return given;
  };
  const mortal: Gateway = {
    ...gateway,
    put: (kind, resource) => write(() => gateway.put(kind, resource)),
    remove: (kind, resource) => write(() => gateway.remove(kind, resource)),
  };
  const options = { clock: virtualClock(), parallelism };
  const run = async (): Promise<void> => {
    const journal = makeCallJournal(recorder, { now: () => at, before: 0 });
    for await (const event of applyPlan(SAVED.changes, mortal, kinds, { ...options, journal })) {
      if (event.type === 'ended') recorder.addUnsynced(endedRecord(event.entry));
    }
  };
  await Promise.race([run(), died.opened]);
  return { gateway, text, lines };
}

it.each([
  [1, 13],
  [3, 7],
  [8, 13],
])(
  'a run that is cut before any line of its journal has told the truth, and is resumed to its end, with %i calls together',
  async (parallelism, every) => {
    const { lines: all } = await cutAt(Infinity, parallelism);
    expect(all).toBeGreaterThan(150);
    for (const lines of someOf(Array(all + 1).keys(), every)) {
      const where = `after ${lines} lines`;
      const { gateway, text } = await cutAt(lines, parallelism);
      const journal = journalIn(text, where);
      await expectTrue(journal, SAVED.changes, gateway, where);
      const live = await readLive(gateway, [...kinds.values()]);
      const { already, stale } = checkPlan(
        { ...SAVED, deleted: journal.deleted },
        live,
        kinds,
        quickDigester,
      );
      expect(stale, where).toEqual([]);
      const { result } = await ledgerOf(gateway, already);
      expect(['applied', 'no-changes'], where).toContain(result);
      expect((await planLeft(gateway)).changes, where).toEqual([]);
    }
  },
);

async function ledgerOf(gateway: Gateway, already: ReadonlySet<ChangeId>): Promise<Ledger> {
  for await (const event of applyPlan(SAVED.changes, gateway, kinds, { clock: virtualClock(), already })) {
    if (event.type === 'finished') return event.ledger;
  }
  return expect.fail('the run ended without a ledger');
}

function endedRecord({ address, step, outcome }: Entry): JournalRecord {
  return { type: 'ended', address, ...(step === undefined ? {} : { step }), outcome };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Numbers from 0 up to a bound that it leaves out, always the same for a seed. */
function diceFrom(seed: number): (bound: number) => number {
  let state = Number.isFinite(seed) ? seed + 1 : 1;
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}
