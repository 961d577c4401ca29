import type { ApplyReport } from './apply-report.ts';
import type { DiffReport } from './diff-report.ts';
import type { DriftReport } from './drift-report.ts';
import type { EffectiveReport } from './effective-report.ts';
import type { Lazy } from './lazy.ts';
import type { PlanReport } from './plan-report.ts';
import type { RunReport, RunsReport } from './run-report.ts';
import type { SelftestReport } from './selftest-report.ts';
import type { TestReport } from './test-report.ts';
import type { ValidateReport } from './validate-report.ts';

/** What a command reports: the one source of all formats. */
export type Report = Lazy<
  | ValidateReport
  | PlanReport
  | ApplyReport
  | DiffReport
  | DriftReport
  | EffectiveReport
  | SelftestReport
  | TestReport
  | RunReport
  | RunsReport
>;
