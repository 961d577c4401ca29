import type { Report } from '../../outcome/outcome.ts';
import type { SelftestReport } from '../../outcome/selftest.ts';
import type { ValidateReport } from '../../outcome/validate.ts';
import { linesOf } from './change-lines.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { pageOfApply } from './apply-page.ts';
import { pageOfDiff } from './diff-page.ts';
import { pageOfDrift } from './drift-page.ts';
import { pageOfEffective } from './effective-page.ts';
import { listSection } from './groups.ts';
import type { Page } from './page.ts';
import { pageOfPlan } from './plan-page.ts';
import { pageOfRun, pageOfRuns } from './run-page.ts';
import { pageOfTests } from './test-page.ts';

/** The page of a report. */
export function pageOf(report: Report): Page {
  switch (report.format) {
    case 'gwconf/plan-report@1':
      return pageOfPlan(report);
    case 'gwconf/apply-report@1':
      return pageOfApply(report);
    case 'gwconf/drift-report@1':
      return pageOfDrift(report);
    case 'gwconf/diff-report@1':
      return pageOfDiff(report);
    case 'gwconf/effective-report@1':
      return pageOfEffective(report);
    case 'gwconf/validate-report@1':
      return pageOfValidate(report);
    case 'gwconf/selftest-report@1':
      return pageOfSelftest(report);
    case 'gwconf/test-report@1':
      return pageOfTests(report);
    case 'gwconf/runs-report@1':
      return pageOfRuns(report);
    case 'gwconf/run-report@1':
      return pageOfRun(report);
    default:
      return report satisfies never;
  }
}

function pageOfValidate({ result, summary, problems }: ValidateReport): Page {
  const { resources, errors, warnings, environments } = summary;
  const counts = `${resources} resources, ${errors} errors, ${warnings} warnings`;
  return {
    ...BARE,
    title: `${result === 'valid' ? 'Valid' : 'Not valid'}: ${counts}`,
    tone: result === 'valid' ? (warnings > 0 ? 'review' : 'calm') : 'alarm',
    facts:
      environments === undefined
        ? []
        : [{ label: 'Environments', text: environments.join(', '), isCode: true }],
    problems,
  };
}

function pageOfSelftest({ result, gateway, summary, problems, changes }: Lazy<SelftestReport>): Page {
  const entries = Array.from(changes, (change) => ({
    names: [change.address] as const,
    notes: [change.action],
    isRisky: true,
    lines: () => linesOf(change),
  }));
  return {
    ...BARE,
    title:
      result === 'no-differences'
        ? `Self-test: no differences in ${summary.objects} objects`
        : `Self-test: ${summary.differences} differences in ${summary.objects} objects`,
    tone: result === 'no-differences' ? 'calm' : 'alarm',
    facts: gateway === '' ? [] : [{ label: 'Gateway', text: gateway, isCode: true }],
    problems,
    sections: listSection('Differences', '!', entries),
  };
}

const BARE = { facts: [], risks: [], sections: [], totals: [], closing: '' };
