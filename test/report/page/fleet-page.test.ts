import { describe, expect, it } from 'vitest';
import { makeFleetReport, type MemberOutcome } from '../../../src/outcome/fleet.ts';
import type { PlanReport } from '../../../src/outcome/plan.ts';
import { pageOf } from '../../../src/report/page/page-of.ts';
import { NO_PAINT } from '../../../src/report/text/layout.ts';
import { partPage } from '../../../src/report/text/text.ts';
import { SAMPLES } from '../samples.ts';

const MEMBERS = [
  ...['plan', 'caused', 'explanation', 'apply', 'drift', 'diff'],
  ...['effective', 'compared', 'coverage', 'selftest', 'test', 'validate', 'doctor'],
];

function bodyOf(outcome: Parameters<typeof pageOf>[0]): readonly string[] {
  const { body } = partPage(
    { ...pageOf(outcome), ...(outcome.format === 'gwconf/fleet-report@1' ? {} : { facts: [] }) },
    { paint: NO_PAINT, detail: 'full' },
  );
  return [...body]
    .join('')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

describe('the totals of several environments', () => {
  it('have the words of the table', () => {
    const states = ['not-begun', 'ended', 'not-begun'] as const;
    const outcome = SAMPLES['plan'] as MemberOutcome;
    const members = states.map((state, at) => ({ environment: `e${at}`, state, outcome }));
    const { title, ending } = pageOf(makeFleetReport('apply', members));
    expect([title, ending?.rest]).toEqual([
      'Apply for 3 environments: changes in 1, not begun in 2',
      ' changes in 1, not begun in 2.',
    ]);
  });

  it('say of which environments it is true that nothing is changed', () => {
    const { undoes: _, ...asked } = SAMPLES['plan'] as PlanReport;
    const [plan, apply] = [asked, SAMPLES['apply'] as MemberOutcome];
    const nextOf = (...outcomes: readonly MemberOutcome[]): string | undefined =>
      pageOf(
        makeFleetReport(
          'apply',
          outcomes.map((outcome, at) => ({ environment: `e${at}`, state: 'ended', outcome })),
        ),
      ).next;
    const nothing = 'Nothing is changed until this plan is applied.';
    expect(nextOf(plan, plan)).toBe(nothing);
    expect(nextOf(plan, apply, plan)).toBe(`e0 and e2: ${nothing} e1: ${pageOf(apply).next}`);
  });
});

describe.each(MEMBERS)('the page of several environments, with the outcome %s', (name) => {
  const outcome = SAMPLES[name] as MemberOutcome;
  const other = SAMPLES['validate'] as MemberOutcome;
  const lines = bodyOf(outcome);

  it.each([
    ['of one of them', [outcome, other]],
    ['of both', [outcome, outcome]],
  ])('has every line of its own, once: %s', (_, outcomes) => {
    const members = outcomes.map((one, at) => ({
      environment: `environment-${at}`,
      state: 'ended' as const,
      outcome: one,
    }));
    const found = bodyOf(makeFleetReport('plan', members));
    expect(lines.filter((line) => !found.includes(line))).toEqual([]);
    if (name !== 'validate')
      for (const line of new Set(lines)) {
        const times = (all: readonly string[]): number => all.filter((one) => one === line).length;
        expect(times(found), line).toBe(times(lines));
      }
  });
});
