import type { Report } from '../../outcome/outcome.ts';
import { pageOfApply } from './apply-page.ts';
import { pageOfSelftest, pageOfTests, pageOfValidate } from './check-pages.ts';
import { pageOfDiff } from './diff-page.ts';
import { pageOfDrift } from './drift-page.ts';
import { pageOfEffective } from './effective-page.ts';
import { pageOfExplanation } from './explain-page.ts';
import { pageOfExport, pageOfDoctor, pageOfPlugins, pageOfResolve, pageOfSwitch } from './gateway-pages.ts';
import { pageOfFleet } from './fleet-page.ts';
import type { Page } from './page.ts';
import { pageOfPlan } from './plan-page.ts';
import { pageOfRun, pageOfRuns } from './run-page.ts';
import { pageOfEnvironments, pageOfIssuedToken, pageOfScan, pageOfToken } from './tool-pages.ts';

type Format = Report['format'];
type Of<F extends Format> = Extract<Report, { readonly format: F }>;

const PAGES: { readonly [F in Format]: (report: Of<F>) => Page } = {
  'gwconf/plan-report@1': pageOfPlan,
  'gwconf/explain-report@1': pageOfExplanation,
  'gwconf/export-report@1': pageOfExport,
  'gwconf/apply-report@1': pageOfApply,
  'gwconf/drift-report@1': pageOfDrift,
  'gwconf/diff-report@1': pageOfDiff,
  'gwconf/effective-report@1': pageOfEffective,
  'gwconf/validate-report@1': pageOfValidate,
  'gwconf/selftest-report@1': pageOfSelftest,
  'gwconf/test-report@1': pageOfTests,
  'gwconf/runs-report@1': pageOfRuns,
  'gwconf/run-report@1': pageOfRun,
  'gwconf/resolve-report@1': pageOfResolve,
  'gwconf/plugins-report@1': pageOfPlugins,
  'gwconf/switch-report@1': pageOfSwitch,
  'gwconf/doctor-report@1': pageOfDoctor,
  'gwconf/token-report@1': pageOfIssuedToken,
  'gwconf/token-inspection@1': pageOfToken,
  'gwconf/fleet-report@1': (report) => pageOfFleet(report, pageOf),
  'gwconf/environments-report@1': pageOfEnvironments,
  'gwconf/scan-report@1': pageOfScan,
};

/** What a reader sees of an outcome. */
export function pageOf<F extends Format>(report: Of<F>): Page {
  return PAGES[report.format](report);
}
