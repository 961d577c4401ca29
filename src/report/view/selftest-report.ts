import { canonicalText } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { normalisationsOf, type Normalised } from '../../model/normal/normalisations.ts';
import { hasErrors, isBlocked, type LocatedProblem } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import { anyItem } from '../../model/secrets/secrets.ts';
import type { LiveState } from '../../model/state.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import { objects, planText } from '../text/plan-text.ts';
import { changeRecord, problemRecord, type ChangeRecord, type ProblemRecord } from './records.ts';

/** How often a field of a kind is compared in another spelling than the gateway's, and why. */
export type NormalisationCount = {
  readonly kind: string;
  readonly reason: Normalised['reason'];
  /** With `*` for each index of a list. */
  readonly path: string;
  readonly count: number;
};

export type SelftestReport = {
  readonly format: 'gwconf/selftest-report@1';
  readonly result: 'no-differences' | 'differences' | 'blocked' | 'error';
  readonly gateway: string;
  readonly summary: { readonly objects: number; readonly differences: number; readonly normalised: number };
  /** Kinds that the gateway does not serve, and so were not tested. */
  readonly unavailable: readonly string[];
  readonly normalisations: readonly NormalisationCount[];
  /** What a plan of the gateway against itself would change: nothing, if all is well. */
  readonly changes: readonly ChangeRecord[];
  readonly problems: readonly ProblemRecord[];
};

/** Counts what has to be done to live resources until they can be compared; by kind, reason and field. */
export function countNormalisations(live: LiveState, kinds: KindSet): readonly NormalisationCount[] {
  const counts = new Map<string, NormalisationCount>();
  for (const [address, resource] of live.resources) {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined) continue;
    for (const { reason, path } of normalisationsOf(kind, resource)) {
      const about = { kind: kind.name, reason, path: anyItem(path) };
      const key = canonicalText(about);
      counts.set(key, { ...about, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

/** `plan` is undefined when the problems left nothing to compare. */
export function selftestReport(
  plan: ShownPlan | undefined,
  live: LiveState | undefined,
  kinds: KindSet,
  gateway: string,
  problems: readonly LocatedProblem[],
): SelftestReport {
  const normalisations = live === undefined ? [] : countNormalisations(live, kinds);
  const changes = plan?.changes ?? [];
  return {
    format: 'gwconf/selftest-report@1',
    result: resultOf(changes.length, problems),
    gateway,
    summary: {
      objects: live?.resources.size ?? 0,
      differences: changes.length,
      normalised: normalisations.reduce((sum, { count }) => sum + count, 0),
    },
    unavailable: [...(live?.unavailable.keys() ?? [])],
    normalisations,
    changes: changes.map(changeRecord),
    problems: problems.map(problemRecord),
  };
}

function resultOf(differences: number, problems: readonly LocatedProblem[]): SelftestReport['result'] {
  if (differences > 0) return 'differences';
  if (isBlocked(problems)) return 'blocked';
  return hasErrors(problems) ? 'error' : 'no-differences';
}

const WORDS: Readonly<Record<Normalised['reason'], string>> = {
  'unknown-field': 'field that gwconf does not know',
  null: 'null for a field that is not there',
  'server-managed': 'field that the gateway owns',
  spelling: 'another spelling of the same',
  default: 'default filled in',
  case: 'upper and lower case',
  order: 'order of a set',
};

/** A table of what was normalised, and what differs all the same. */
export function selftestText(report: SelftestReport, plan: ShownPlan | undefined, paint: Paint): string {
  const { normalisations, summary } = report;
  const rows = normalisations.map(({ kind, reason, path, count }) => [
    kind,
    WORDS[reason],
    String(count),
    onOneLine(path),
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map(([kind = '', words = '', count = '', path = '']) => {
    const [first = 0, second = 0, third = 0] = widths;
    return `  ${kind.padEnd(first)}  ${words.padEnd(second)}  ${count.padStart(third)}  ${paint.dim(path)}\n`;
  });
  const table =
    lines.length === 0
      ? ''
      : `${paint.bold('What is compared in another spelling than the gateway has it:')}\n${lines.join('')}\n`;
  const verdict =
    report.result === 'no-differences'
      ? `${paint.bold('No differences')}: ${objects(summary.objects)} compared with ${summary.objects === 1 ? 'itself' : 'themselves'}.\n`
      : '';
  const changes =
    plan === undefined || plan.changes.length === 0
      ? ''
      : `${paint.bold('A plan of the gateway against itself would change it:')}\n${planText(plan, paint)}`;
  return `${table}${changes}${verdict}`;
}
