import type { LocatedProblem } from '../model/problem.ts';
import type { ApplyReport } from './apply.ts';
import type {
  DoctorReport,
  ExportReport,
  PluginsReport,
  ResolveReport,
  SwitchReport,
  TokenReport,
  TokenInspection,
} from './gateway.ts';
import type { EnvironmentsReport, TestReport, ValidateReport } from './files.ts';
import type { ScanReport } from './migrate.ts';
import type { DiffReport } from './diff.ts';
import type { DriftReport } from './drift.ts';
import type { EffectiveReport } from './effective.ts';
import type { ExplainReport } from './explain.ts';
import type { FleetReport } from './fleet.ts';
import type { Lazy } from './lazy.ts';
import type { PlanReport } from './plan.ts';
import type { RunReport, RunsReport } from './run.ts';
import type { SelftestReport } from './selftest.ts';

/** What a use case returns: its outcome, and the problems of that with the lines of files. */
export type Told<Outcome> = { readonly outcome: Outcome; readonly problems: readonly LocatedProblem[] };

/** What a command reports: the one source of all formats. */
export type Report = Lazy<
  | ValidateReport
  | PlanReport
  | ExplainReport
  | ExportReport
  | ApplyReport
  | DiffReport
  | DriftReport
  | EffectiveReport
  | SelftestReport
  | TestReport
  | RunReport
  | RunsReport
  | ResolveReport
  | PluginsReport
  | SwitchReport
  | DoctorReport
  | TokenReport
  | TokenInspection
  | ScanReport
  | EnvironmentsReport
  | FleetReport
>;
