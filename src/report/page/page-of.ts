import type { Report } from '../../outcome/outcome.ts';
import type { NormalisationCount, SelftestReport } from '../../outcome/selftest.ts';
import type { ValidateReport } from '../../outcome/files.ts';
import { formatCount } from '../phrases.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { pageOfApply } from './apply-page.ts';
import { pageOfDiff } from './diff-page.ts';
import { pageOfDrift } from './drift-page.ts';
import { pageOfFleet } from './fleet-page.ts';
import { pageOfExplanation } from './explain-page.ts';
import { pageOfEffective } from './effective-page.ts';
import { pageOfDoctor, pageOfPlugins, pageOfResolve, pageOfSwitch } from './gateway-pages.ts';
import { pageOfExport } from './export-page.ts';
import { pageOfEnvironments, pageOfIssuedToken, pageOfScan, pageOfToken } from './tool-pages.ts';
import { describeChange, signOf } from './changes.ts';
import { editsOf, linesOfEdits } from './edits.ts';
import type { Entry, Page } from './page.ts';
import { pageOfPlan } from './plan-page.ts';
import { pageOfRun, pageOfRuns } from './run-page.ts';
import { factOf, makePage, tableOf } from './make-page.ts';
import { listSection } from './sections.ts';
import { pageOfTests } from './test-page.ts';

export function pageOf(report: Report): Page {
  switch (report.format) {
    case 'gwconf/plan-report@1':
      return pageOfPlan(report);
    case 'gwconf/explain-report@1':
      return pageOfExplanation(report);
    case 'gwconf/export-report@1':
      return pageOfExport(report);
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
    case 'gwconf/resolve-report@1':
      return pageOfResolve(report);
    case 'gwconf/plugins-report@1':
      return pageOfPlugins(report);
    case 'gwconf/switch-report@1':
      return pageOfSwitch(report);
    case 'gwconf/doctor-report@1':
      return pageOfDoctor(report);
    case 'gwconf/token-report@1':
      return pageOfIssuedToken(report);
    case 'gwconf/token-inspection@1':
      return pageOfToken(report);
    case 'gwconf/fleet-report@1':
      return pageOfFleet(report, pageOf);
    case 'gwconf/environments-report@1':
      return pageOfEnvironments(report);
    case 'gwconf/scan-report@1':
      return pageOfScan(report);
    default:
      return report satisfies never;
  }
}

function pageOfValidate({ result, summary, problems }: ValidateReport): Page {
  const { resources, errors, warnings, environments } = summary;
  const where = environments === undefined ? '' : ` in ${formatCount(environments.length, 'environment')}`;
  const headline = result === 'valid' ? 'Valid' : 'Not valid';
  const counted = (of: string): string =>
    `${headline}: ${formatCount(resources, 'resource')}${of}, ${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}`;
  return makePage({
    title: counted(''),
    tone: result === 'valid' ? (warnings > 0 ? 'review' : 'calm') : 'alarm',
    facts: factOf('Environments', environments?.join(', ')),
    problems,
    ending: { headline, rest: `${counted(where).slice(headline.length)}.` },
  });
}

const REASONS: Readonly<Record<NormalisationCount['reason'], string>> = {
  'unknown-field': 'field unknown to gwconf',
  null: 'null for a field that is not set',
  'server-managed': 'field owned by the gateway',
  spelling: 'different spelling of the same value',
  default: 'default filled in',
  case: 'upper and lower case',
  order: 'order of a set',
};

function pageOfSelftest(report: Lazy<SelftestReport>): Page {
  const { result, gateway, summary, problems, changes, normalisations, unavailable } = report;
  const entries = Array.from(changes, (change): Entry => {
    const edits = editsOf(change);
    return {
      names: [change.address],
      sign: signOf(change.action),
      notes: describeChange(change),
      isRisky: true,
      edits,
      lines: () => linesOfEdits(edits),
    };
  });
  const rows = normalisations.map(({ kind, reason, count, path }) => [
    kind,
    REASONS[reason],
    String(count),
    path,
  ]);
  const found =
    result === 'no-differences'
      ? `no differences in ${formatCount(summary.objects, 'object')}`
      : `${formatCount(summary.differences, 'difference')} in ${formatCount(summary.objects, 'object')}`;
  return makePage({
    title: `Self-test: ${found}`,
    tone: result === 'no-differences' ? 'calm' : 'alarm',
    facts: [
      ...factOf('Gateway', gateway),
      ...factOf('Not served', unavailable.join(', '), {
        isCode: false,
        line: `Not served by the gateway, so not tested: ${unavailable.join(', ')}`,
      }),
    ],
    problems,
    blocks: [
      ...tableOf('Normalised before comparing', ['Kind', 'Why', 'Times', 'Field'], rows, 'numbers'),
      ...listSection('Differences', '!', entries, {
        heading: 'A plan of the gateway against itself should be empty, but has',
      }),
    ],
    ending:
      result === 'no-differences'
        ? { headline: 'No differences', rest: `: ${formatCount(summary.objects, 'object')} compared.` }
        : {
            headline: formatCount(summary.differences, 'difference'),
            rest: ` in ${formatCount(summary.objects, 'object')}.`,
          },
  });
}
