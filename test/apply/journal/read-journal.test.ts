import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  encodeRecord,
  JOURNAL_FORMAT,
  type CallResult,
  type Journal,
  type JournalRecord,
  deriveStatuses,
} from '../../../src/apply/journal/journal.ts';
import { readJournal } from '../../../src/apply/journal/read-journal.ts';
import type { Address } from '../../../src/model/resource.ts';
import type { Change } from '../../../src/plan/change/change.ts';
import { anyText } from '../../support/arbitraries.ts';
import { cluster } from '../../support/resources.ts';
import { someOf } from '../../support/soak.ts';

const at = '2026-11-20T13:15:00.000Z';
const sitting = { at, tool: 'gwconf test', pid: 1, host: 'here' };
const STARTED: JournalRecord = {
  type: 'started',
  format: JOURNAL_FORMAT,
  run: '20261120T131500.000Z-x7k2',
  gateway: 'https://gateway.example:8888',
  plan: 'digest',
  changes: 3,
  ...sitting,
};
const A = 'VirtualCluster/a' as Address;
const B = 'AliasTopic/b@vCluster=a' as Address;

const put = (n: number, address = A): JournalRecord => ({ type: 'intent', n, call: 'put', address, at });
const drop = (n: number, address = A): JournalRecord => ({ type: 'intent', n, call: 'delete', address, at });
const result = (n: number, answer: CallResult): JournalRecord => ({ type: 'result', n, answer, at });
const ended = (
  address: Address,
  outcome: 'done' | 'already' | 'failed' | 'not-attempted',
): JournalRecord => ({
  type: 'ended',
  address,
  outcome,
});
const RESUMED: JournalRecord = { type: 'resumed', ...sitting, pid: 2 };

const textOf = (...records: readonly JournalRecord[]): string => records.map(encodeRecord).join('');

function read(text: string): Journal {
  const { value, problems } = readJournal(text, 'RUN.ndjson');
  expect(problems).toEqual([]);
  return value ?? expect.fail('nothing was read');
}

/** What the journal of these records tells of changes. */
function told(changes: readonly Change[], ...records: readonly JournalRecord[]): readonly string[] {
  return [...deriveStatuses(changes, read(textOf(STARTED, ...records))).values()];
}

const RUN = [
  ...[put(1), put(2, B), result(2, 'lost'), result(1, 'done'), ended(A, 'done')],
  ...[put(3, B), result(3, 'refused'), ended(B, 'failed'), RESUMED, ended(A, 'already'), drop(4, B)],
  ...[result(4, 'done'), put(5, B), result(5, 'done'), ended(B, 'done')],
  { type: 'finished', result: 'applied', at },
] as const satisfies readonly JournalRecord[];

describe('a journal', () => {
  it('is read as it was written, at each of its lines', () => {
    for (let length = 0; length <= RUN.length; length += 1) {
      const { calls, processes, finished } = read(textOf(STARTED, ...RUN.slice(0, length)));
      const some = RUN.slice(0, length);
      expect(calls).toBe(some.filter(({ type }) => type === 'intent').length);
      expect(processes).toHaveLength(1 + some.filter(({ type }) => type === 'resumed').length);
      expect(finished).toEqual(length === RUN.length ? { result: 'applied', at } : undefined);
    }
  });

  it('that ends within a line is read without it, wherever it was cut, also when a later sitting went on', () => {
    const head = textOf(STARTED);
    const text = textOf(STARTED, ...RUN);
    const ends = Array.from(text.matchAll(/\n/g), ({ index }) => index);
    const lengths = Array.from({ length: text.length - head.length }, (_, at) => head.length + at);
    const near = lengths.filter((length) => ends.some((end) => Math.abs(length - end) <= 2));
    for (const length of new Set([...near, ...someOf(lengths, 5)])) {
      const cut = text.slice(0, length);
      const whole = cut.slice(0, cut.lastIndexOf('\n') + 1);
      const line = cut.slice(whole.length);
      const expected = read(line.endsWith('}') && isJson(line) ? `${cut}\n` : whole);
      expect(read(cut), `cut at ${length}`).toEqual(expected);
      const resumed = encodeRecord(RESUMED);
      expect(read(`${cut}${resumed}`).calls).toBe(expected.calls);
      // The sitting that went on may have been killed within its first line, and so on.
      const went = `${resumed}${encodeRecord(ended(A, 'already'))}`;
      expect(read(`${cut}${resumed.slice(0, 20)}${went}`).calls).toBe(expected.calls);
    }
  });

  it('that is damaged anywhere else is a problem with file and line', () => {
    const lines = textOf(STARTED, ...RUN)
      .split('\n')
      .filter((line) => line !== '');
    for (const [place] of lines.slice(0, -1).entries()) {
      if (lines[place + 1]?.includes('"resumed"') === true) continue;
      const broken = lines.map((line, other) => (other === place ? line.slice(0, -5) : line)).join('\n');
      expect(readJournal(broken, 'RUN.ndjson'), `line ${place + 1}`).toMatchObject({
        value: undefined,
        problems: [
          { code: 'invalid-journal', message: expect.stringContaining(`RUN.ndjson:${place + 1} `) as string },
        ],
      });
    }
  });

  it.each([
    ['nothing', ''],
    ['no first line', textOf(put(1))],
    ['two first lines', textOf(STARTED, STARTED)],
    ['a newer format', textOf(STARTED).replace('journal@1', 'journal@2')],
    ['a call that is missing', textOf(STARTED, put(2))],
    ['a call that is there twice', textOf(STARTED, put(1), put(1))],
    ['an answer to nothing', textOf(STARTED, result(1, 'done'))],
    ['two answers to one call', textOf(STARTED, put(1), result(1, 'done'), result(1, 'done'))],
    ['a line that no version knows', `${textOf(STARTED)}{"type":"poem"}\n${textOf(put(1))}`],
    ['a key twice', textOf(STARTED).replace('{', '{"gateway":"https://other.example",')],
    ['a time that is none', textOf({ ...STARTED, at: 'x'.repeat(1000) })],
    ['a number below zero', textOf({ ...STARTED, changes: -1 })],
    ['a number that is no count', textOf({ ...STARTED, changes: 0.5 })],
    ['a field of another type', `${textOf(STARTED)}{"type":"finished","result":1}\n${textOf(put(1))}`],
  ])('with %s is a problem', (_, text) => {
    expect(readJournal(text, 'RUN.ndjson').problems).toMatchObject([{ code: 'invalid-journal' }]);
  });

  it('has a line for each record, whatever names are in it, and gives them back', () => {
    fc.assert(
      fc.property(anyText(), (name) => {
        const address = `VirtualCluster/${name}` as Address;
        const line = encodeRecord(put(1, address));
        expect(line.trimEnd()).not.toMatch(/[\n\r]/);
        expect([...read(`${textOf(STARTED)}${line}`).open.keys()]).toEqual([address]);
      }),
    );
  });
});

describe('what is known of', () => {
  const change = { address: A, dependsOn: [], stage: 1 as const };
  const after = cluster('a');
  const create: Change = { ...change, action: 'create', after };
  const both = { before: after, after, fields: [] };
  const replace: Change = { ...change, action: 'replace', because: [], ...both };

  it.each<readonly [string, readonly JournalRecord[]]>([
    ['not-attempted', []],
    ['in-flight', [put(1)]],
    ['in-flight', [put(1), result(1, 'lost')]],
    ['in-flight', [put(1), result(1, 'refused')]],
    ['not-attempted', [put(1), result(1, 'unsent')]],
    ['in-flight', [put(1), result(1, 'lost'), put(2), result(2, 'unsent')]],
    ['done', [put(1), result(1, 'done')]],
    ['done', [put(1), result(1, 'unchanged')]],
    ['failed', [put(1), result(1, 'refused'), ended(A, 'failed')]],
    ['in-flight', [put(1), result(1, 'done'), ended(A, 'done'), put(2)]],
    ['done', [put(1), result(1, 'done'), ended(A, 'done'), put(2), result(2, 'done')]],
    ['not-attempted', [put(1), result(1, 'refused'), ended(A, 'failed'), RESUMED]],
    ['done', [put(1), result(1, 'done'), ended(A, 'done'), RESUMED, ended(A, 'already')]],
  ])('a create: %s', (expected, records) => {
    expect(told([create], ...records)).toEqual([expected]);
  });

  it.each<readonly [string, readonly Address[], readonly JournalRecord[]]>([
    ['in-flight', [A], [drop(1)]],
    ['in-flight', [A], [drop(1), result(1, 'lost')]],
    ['in-flight', [], [drop(1), result(1, 'refused')]],
    ['half', [A], [drop(1), result(1, 'done')]],
    ['in-flight', [A], [drop(1), result(1, 'done'), put(2)]],
    ['in-flight', [A], [drop(1), result(1, 'done'), put(2), result(2, 'refused')]],
    ['done', [], [drop(1), result(1, 'done'), put(2), result(2, 'done')]],
  ])('a replace: %s, and %j may be gone by its doing', (expected, gone, records) => {
    expect(told([replace], ...records)).toEqual([expected]);
    expect([...read(textOf(STARTED, ...records)).deleted]).toEqual(gone);
  });

  it('an extra step and the change after it, which are of one object', () => {
    const step: Change = { ...change, action: 'update', step: 'release', ...both };
    const own: Change = { ...change, action: 'update', ...both };
    const released: JournalRecord = { type: 'ended', address: A, step: 'release', outcome: 'done' };
    const after = (...records: readonly JournalRecord[]): readonly string[] => told([step, own], ...records);
    expect(after(put(1))).toEqual(['in-flight', 'not-attempted']);
    expect(after(put(1), result(1, 'done'))).toEqual(['done', 'not-attempted']);
    expect(after(put(1), result(1, 'done'), released)).toEqual(['done', 'not-attempted']);
    expect(after(put(1), result(1, 'done'), released, put(2))).toEqual(['done', 'in-flight']);
    expect(after(put(1), result(1, 'done'), released, put(2), result(2, 'done'))).toEqual(['done', 'done']);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
