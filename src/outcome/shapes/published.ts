import type { TSchema } from 'typebox';
import { savedPlan } from '../../plan/saved/plan-shape.ts';
import { snapshot } from '../../plan/saved/snapshot-shape.ts';
import { applyReport } from './apply.ts';
import { diffReport } from './diff.ts';
import { doctorReport } from './doctor.ts';
import { driftReport } from './drift.ts';
import { effectiveReport } from './effective.ts';
import { explainReport } from './explain.ts';
import { getReport } from './get.ts';
import { migrateReport } from './migrate.ts';
import { ndjson } from './ndjson.ts';
import { planReport } from './plan.ts';
import { pluginsReport } from './plugins.ts';
import { resolveReport } from './resolve.ts';
import { runReport, runsReport } from './run.ts';
import { scanReport } from './scan.ts';
import { selftestReport } from './selftest.ts';
import { switchReport } from './switch.ts';
import { testReport } from './test.ts';
import { tokenInspection, tokenReport } from './token.ts';
import { validateReport } from './validate.ts';

/** The shapes of all that gwconf writes for programs, by the names of their schemas in `schemas/`. */
export const SHAPES = {
  'apply-report': applyReport,
  'diff-report': diffReport,
  'doctor-report': doctorReport,
  'drift-report': driftReport,
  'effective-report': effectiveReport,
  'explain-report': explainReport,
  'get-report': getReport,
  'migrate-report': migrateReport,
  ndjson,
  'plan-report': planReport,
  'plugins-report': pluginsReport,
  'resolve-report': resolveReport,
  'run-report': runReport,
  'runs-report': runsReport,
  'saved-plan': savedPlan,
  'scan-report': scanReport,
  'selftest-report': selftestReport,
  snapshot,
  'switch-report': switchReport,
  'test-report': testReport,
  'token-inspection': tokenInspection,
  'token-report': tokenReport,
  'validate-report': validateReport,
} as const satisfies Readonly<Record<string, TSchema>>;
