import { expect, it } from 'vitest';
import { VERDICTS } from '../../../src/cli/io.ts';
import { exitCodeOf } from '../../../src/cli/present/exit-code.ts';
import { isBlocked } from '../../../src/model/problem.ts';
import { makeDriftReport } from '../../../src/report/view/drift-report.ts';

it('is the same for a result, whether a command or the program ends with it', () => {
  const { 1: error, 3: blocked, 4: stale } = VERDICTS;
  expect([error, blocked, stale].map((result) => exitCodeOf(result))).toEqual([1, 3, 4]);
});

it('is 2 for changes and for drift on request only', () => {
  expect((['changes', 'drift', 'no-drift'] as const).map((result) => exitCodeOf(result))).toEqual([0, 0, 0]);
  expect((['changes', 'drift', 'no-drift'] as const).map((result) => exitCodeOf(result, true))).toEqual([
    2, 2, 0,
  ]);
});

it('is 3 for drift that is not looked for because of a safety rule', () => {
  const problems = [{ code: 'policy/one', severity: 'error', message: 'm' }] as const;
  expect(isBlocked(problems)).toBe(true);
  expect(exitCodeOf(makeDriftReport(undefined, '', problems).result)).toBe(3);
});
