import type { Plain } from '../model/shape.ts';
import type { switchReport } from './shapes/switch.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** What `gwconf cluster switch` did. */
export type SwitchReport = Plain<typeof switchReport>;

export function makeSwitchReport(
  about: Omit<SwitchReport, 'format' | 'problems'>,
  problems: readonly LocatedProblem[],
): SwitchReport {
  return { format: 'gwconf/switch-report@1', ...about, problems: problems.map(describeProblem) };
}
