import type { LocatedProblem } from '../../model/problem.ts';
import type { Severity } from '../../model/problem-codes.ts';
import { forTerminal, onOneLine } from '../escape.ts';
import type { FleetReport } from '../../outcome/fleet.ts';
import type { Report } from '../../outcome/outcome.ts';
import { fingerprints, formatMessage, formatPath } from './problems.ts';

/** For `artifacts:reports:codequality` of GitLab, which shows each problem at its line of a merge request. */
export function renderCodeQuality(problems: readonly LocatedProblem[]): string {
  const printOf = fingerprints();
  const findings = problems.map((problem) => ({
    description: formatMessage(problem),
    check_name: problem.code,
    fingerprint: printOf(problem),
    severity: SEVERITIES[problem.severity],
    // GitLab drops a report in which a finding has no place.
    location: {
      path: problem.at === undefined ? '.' : onOneLine(formatPath(problem.at.file)),
      lines: { begin: problem.at?.line ?? 1 },
    },
  }));
  return forTerminal(`${JSON.stringify(findings, null, 2)}\n`);
}

const SEVERITIES: Readonly<Record<Severity, string>> = { error: 'blocker', warning: 'major', info: 'info' };

/**
 * For `artifacts:reports:terraform` of GitLab, which shows the three numbers on the merge request. As there, a replace counts
 * as a create and a delete. Without numbers, GitLab says that the report could not be generated; zeros for a plan that could not be made
 * would be wrong.
 */
export function renderTerraformReport(report: Report): string {
  const counts = report.format === 'gwconf/fleet-report@1' ? addUp(report) : countsIn(report);
  return `${JSON.stringify(counts)}\n`;
}

type Numbers = Readonly<Record<string, unknown>>;

/** The sum of all environments; none if one of them has no numbers. */
function addUp({ environments }: FleetReport): Numbers {
  const sums = { create: 0, update: 0, delete: 0 };
  for (const { outcome } of environments) {
    const counts = countsIn(outcome);
    for (const name of ['create', 'update', 'delete'] as const) {
      const count = counts[name];
      if (typeof count !== 'number') return counts;
      sums[name] += count;
    }
  }
  return sums;
}

function countsIn(report: Report): Numbers {
  if (report.format !== 'gwconf/plan-report@1') return {};
  const { result, changes, summary } = report;
  if (result !== 'no-changes' && changes.length === 0) return { result };
  const { create, update, replace, delete: deletes } = summary;
  return { create: create + replace, update, delete: deletes + replace };
}
