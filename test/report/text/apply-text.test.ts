import { describe, expect, it } from 'vitest';
import { summarizeResult, type Entry } from '../../../src/apply/events.ts';
import { renderText } from '../../../src/report/formats.ts';
import { lineOf } from '../../../src/report/page/apply-page.ts';
import { renderLedgerLine } from '../../../src/report/text/text.ts';
import { NO_PAINT } from '../../../src/report/text/layout.ts';
import { describeEntry } from '../../../src/outcome/apply.ts';
import type { ApplyResult } from '../../../src/apply/events.ts';
import { makeApplyReport } from '../../../src/outcome/apply.ts';
import { renderNdjson } from '../../../src/report/json/json.ts';

type Outcomes = 'done' | 'already' | 'not-attempted';
const about = (name: string) =>
  ({
    id: `VirtualCluster/${name}` as Entry['id'],
    address: `VirtualCluster/${name}` as Entry['address'],
    action: 'create',
  }) as const;
const plain = (name: string, outcome: Outcomes): Entry => ({ ...about(name), outcome });
const failed: Entry = {
  ...about('bad'),
  outcome: 'failed',
  problem: {
    code: 'gateway-error',
    severity: 'error',
    message: 'the gateway refused',
    at: { file: 'a.yaml', line: 2, column: 1 },
  },
};
const blocked: Entry = { ...about('late'), outcome: 'blocked', by: ['VirtualCluster/bad' as Entry['id']] };

function textOf(result: ApplyResult, entries: readonly Entry[]): string {
  return [...renderText(makeApplyReport(result, 'g', undefined, entries, []), { paint: NO_PAINT })].join('');
}

describe('a ledger', () => {
  it('lists every change with its outcome, unless all were made', () => {
    const entries = [plain('a', 'done'), plain('b', 'already'), failed, blocked, plain('c', 'not-attempted')];
    expect(textOf(summarizeResult(entries, false), entries)).toBe(
      [
        '  + VirtualCluster/a  done',
        '  + VirtualCluster/b  already up to date',
        '  + VirtualCluster/bad  failed',
        '  + VirtualCluster/late  blocked by VirtualCluster/bad',
        '  + VirtualCluster/c  not attempted',
        'Partially applied: 1 done, 1 already up to date, 1 failed, 1 blocked, 1 not attempted.',
        '',
      ].join('\n'),
    );
  });

  it('is one line when all changes were made', () => {
    expect(textOf('applied', [plain('a', 'done'), plain('b', 'already')])).toBe(
      'Applied: 1 done, 1 already up to date.\n',
    );
  });

  it('shows which entry is an extra step', () => {
    const step: Entry = {
      ...about('a'),
      action: 'update',
      step: 'release',
      reason: 'drops x',
      outcome: 'done',
    };
    expect(renderLedgerLine(lineOf(describeEntry(step)), NO_PAINT)).toBe(
      '~ VirtualCluster/a (release)  done',
    );
    expect(describeEntry(step)).toEqual({
      address: 'VirtualCluster/a',
      action: 'update',
      outcome: 'done',
      step: 'release',
      reason: 'drops x',
    });
  });

  it.each([
    [['done', 'done'], false, 'applied'],
    [['done', 'already'], false, 'applied'],
    [['already', 'already'], false, 'no-changes'],
    [[], false, 'no-changes'],
    [['done', 'not-attempted'], false, 'partial'],
    [['done', 'not-attempted'], true, 'interrupted'],
    [['not-attempted'], true, 'interrupted'],
    [['done', 'done'], true, 'applied'],
  ] as const)('of %j (interrupted: %s) is %s', (outcomes, interrupted, result) => {
    expect(
      summarizeResult(
        outcomes.map((outcome) => plain('a', outcome)),
        interrupted,
      ),
    ).toBe(result);
  });

  it('has failed when no change was made', () => {
    expect(summarizeResult([failed, blocked], false)).toBe('failed');
    expect(summarizeResult([failed, plain('a', 'already')], false)).toBe('partial');
  });
});

describe('the report of apply', () => {
  const counts = {
    create: 2,
    update: 0,
    replace: 0,
    delete: 0,
    unchanged: 0,
    unclaimed: 0,
    unmanaged: 0,
    ignored: 0,
  };
  const report = makeApplyReport(
    'partial',
    'https://gateway.example',
    counts,
    [plain('a', 'done'), failed, blocked],
    [],
  );

  it('has the fields of each outcome', () => {
    expect([...report.ledger]).toEqual([
      { address: 'VirtualCluster/a', action: 'create', outcome: 'done' },
      {
        address: 'VirtualCluster/bad',
        action: 'create',
        outcome: 'failed',
        problem: {
          code: 'gateway-error',
          severity: 'error',
          message: 'the gateway refused',
          file: 'a.yaml',
          line: 2,
          column: 1,
        },
      },
      { address: 'VirtualCluster/late', action: 'create', outcome: 'blocked', by: ['VirtualCluster/bad'] },
    ]);
  });

  it('is printed as lines of JSON', () => {
    const lines = [...renderNdjson(report, 'gwconf test')].map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { type: 'version', format: 'gwconf/apply-report@1', tool: 'gwconf test' },
      { type: 'entry', outcome: 'done' },
      { type: 'entry', outcome: 'failed' },
      { type: 'entry', outcome: 'blocked' },
      { type: 'summary', result: 'partial', gateway: 'https://gateway.example' },
    ]);
    expect(
      [...renderNdjson(report, 'x')].every(
        (line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1,
      ),
    ).toBe(true);
  });
});
